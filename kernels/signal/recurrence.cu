// recurrence: a linear recurrence along the rows of a C-contiguous matrix, by tiles.
//
// A thread has EACH consecutive samples. It finds the state that they alone would leave; a scan of these states,
// each multiplied by the power of the transition matrix that belongs to its distance, gives the state before each
// thread's samples, from which it computes its outputs by the recurrence itself. So only states move between threads,
// blocks and tiles (G. E. Blelloch, "Prefix sums and their applications", 1990; S. Maleki and M. Burtscher, "Automatic
// hierarchical parallelization of linear recurrences", 2018). powers[e] is the transition matrix over EACH << e
// samples. Between threads a state is given in a basis in which powers do not grow (csrc/signal/powers.c): `basis` is
// an upper triangle, followed by the reciprocals of its diagonal and by the powers.
// With PARTS a thread has PARTS * EACH samples, of which EACH at a time are in shared memory; they are read twice, so
// that states are joined once in so many samples. Powers are then over as many.
// Knobs: recurrence.cuh; EACH; PARTS; BLOCK threads; PASSING: a block has one tile, and tiles pass states on by look-back
// (lookback.cuh) or, where powers of the matrix grow, one after the other; else a block goes along its row.
// Launch: a block a row, or a block a tile.
#include "knobs/recurrence.cuh"
#include "signal/recurrence.cuh"
#include "lookback.cuh"

enum {
    PART = BLOCK * EACH,
    TILE = PART * PARTS,
    PITCH = K | 1,
    PER_LANE = BLOCK / 32, // threads whose states a lane of the first warp joins
    LANE = PER_LANE == 4 ? 2 : 1, // powers[LANE] is over a lane's samples, powers[LANE + 5] over a tile's
    FAN = 32,
    WORDS = Posted<State>::words * K,
    AT_ONCE = K % 4 == 0 ? 4 : K % 3 == 0 ? 3 : K % 2 == 0 ? 2 : 1 // numbers of a state that are awaited together
};

struct Several {
    State at[AT_ONCE];
};

struct Shared {
    alignas(16) Raw<R> tile[PART + BLOCK];
    alignas(16) State states[BLOCK + 1][PITCH]; // and a spare one
    alignas(16) State joined[32][PITCH], work[32][PITCH];
    alignas(16) State carry[K]; // before the tile
};

// out = matrix * z, plus `added` if ADDS. Several rows at a time, whose sums do not wait for each other; `out` may be
// `added`.
template <bool ADDS> GNP_FN void transform(State *out, const State *added, const Factor *matrix, const State (&z)[K])
{
    enum { MOST = sizeof(State) == 8 && K <= 8 ? 8 : 4, ROWS = K < MOST ? K : MOST };
#pragma unroll 1
    for (int i0 = 0; i0 < K; i0 += ROWS) {
        State sums[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            sums[r] = ADDS && (K % ROWS == 0 || i0 + r < K) ? added[i0 + r] : State(0);
        }
#pragma unroll
        for (int j = 0; j < K; j++) {
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const int i = K % ROWS == 0 || i0 + r < K ? i0 + r : K - 1;
                multiply_add(sums[r], matrix[i * K + j], z[j]);
            }
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            if (K % ROWS == 0 || i0 + r < K) {
                out[i0 + r] = sums[r];
            }
        }
    }
}

// out = added + matrix * from, in the lanes that are `active`; all call it, and have read before any writes.
__device__ __noinline__ void advance(State *out, const State *added, const Factor *matrix, const State *from, bool active)
{
    State z[K];
    __syncwarp();
    if (active) {
        load(z, from);
    }
    __syncwarp();
    if (active) {
        transform<true>(out, added, matrix, z);
    }
    __syncwarp();
}

__device__ __noinline__ void copy(State *to, const State *from)
{
#pragma unroll 1
    for (int i = 0; i < K; i++) {
        to[i] = from[i];
    }
}

// row = basis * row
__device__ __noinline__ void into_basis(State *row, const Factor *basis)
{
    State z[K];
    load(z, row);
    transform<false>(row, row, basis, z);
}

// Solves basis * z = row; z becomes the row. Few numbers are in registers.
__device__ __noinline__ void from_basis(State *row, const Factor *basis)
{
    enum { FEW = K <= 8, UNROLL = FEW ? K : 1 };
    State few[FEW ? K : 1];
    State *z = FEW ? few : row;
#pragma unroll
    for (int i = 0; FEW && i < K; i++) {
        z[i] = row[i];
    }
#pragma unroll UNROLL
    for (int i = K - 1; i >= 0; i--) {
        State now = State(0);
        multiply_add(now, basis[K * K + i], z[i]);
        z[i] = now;
#pragma unroll UNROLL
        for (int j = 0; j < i; j++) {
            multiply_add(z[j], -basis[j * K + i], now);
        }
    }
#pragma unroll
    for (int i = 0; FEW && i < K; i++) {
        row[i] = z[i];
    }
}

// rows[lane] becomes the sum of matrix^(lane - j) * rows[j] over j <= lane; its further powers lie behind the matrix.
__device__ __noinline__ void scan(State (*rows)[PITCH], const Factor *matrix)
{
    const int lane = threadIdx.x % 32;
#pragma unroll 1
    for (int d = 1; d < 32; d *= 2, matrix += K * K) {
        advance(rows[lane], rows[lane], matrix, rows[lane >= d ? lane - d : 0], lane >= d);
    }
}

__device__ __noinline__ void post_state(u64 *at, const State *z)
{
#pragma unroll 1
    for (int i = threadIdx.x % 32; i < K; i += 32) {
        post(at + i * Posted<State>::words, z[i]);
    }
    __syncwarp();
}

// rows[lane] is what `count` <= 32 posts from `at` on say, those of the last in the last lane, zeros in the first.
__device__ __noinline__ void await_states(State (*rows)[PITCH], const u64 *at, int count)
{
    const int lane = threadIdx.x % 32, post = lane - (32 - count);
#pragma unroll 1
    for (int i = 0; i < K; i += AT_ONCE) {
        Several some = {};
        if (post >= 0) {
            some = await<Several>(at + (u64)post * WORDS + i * Posted<State>::words);
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            rows[lane][i + k] = some.at[k];
        }
    }
    __syncwarp();
}

// The carry becomes what one post says.
__device__ __noinline__ void await_carry(Shared &s, const u64 *at)
{
    await_states(s.work, at, 1);
    if (threadIdx.x == 0) {
        copy(s.carry, s.work[31]);
    }
    __syncwarp();
}

// The carry becomes the state that `count` posts leave after it: the matrix is over the samples of one.
__device__ __noinline__ void carry_over(Shared &s, const u64 *at, int count, const Factor *matrix)
{
    if (count == 0) {
        return;
    }
    const int lane = threadIdx.x;
    await_states(s.work, at, count);
    advance(s.work[lane], s.work[lane], matrix, s.carry, lane == 32 - count);
    scan(s.work, matrix);
    if (lane == 0) {
        copy(s.carry, s.work[31]);
    }
    __syncwarp();
}

// The carry becomes the state before the tile, by the sums of groups of tiles and of groups of groups: always in the
// same order. The tile's own sum, in work[31], is posted first; the last tile of a group posts that of the group, the
// last of a group of groups everything up to its end.
GNP_FN void look_back(Shared &s, u64 *row, u32 tile, u32 ntiles, const Factor *powers)
{
    const Board<FAN> posts(row, ntiles, WORDS);
    const u32 group = tile / FAN, head = group / FAN;
    post_state(posts.tiles + (u64)tile * WORDS, s.work[31]);
    if (tile % FAN == FAN - 1) {
        await_states(s.work, posts.tiles + (u64)group * FAN * WORDS, FAN);
        scan(s.work, powers + (LANE + 5) * K * K);
        post_state(posts.groups + (u64)group * WORDS, s.work[31]);
    }
    if (head > 0) {
        await_carry(s, posts.heads + (u64)(head - 1) * WORDS);
    }
    carry_over(s, posts.groups + (u64)head * FAN * WORDS, group % FAN, powers + (LANE + 10) * K * K);
    carry_over(s, posts.tiles + (u64)group * FAN * WORDS, tile % FAN, powers + (LANE + 5) * K * K);
    if (tile % (FAN * FAN) == FAN * FAN - 1) {
        await_states(s.work, posts.tiles + (u64)tile * WORDS, 1);
        advance(s.work[31], s.work[31], powers + (LANE + 5) * K * K, s.carry, threadIdx.x == 31);
        post_state(posts.heads + (u64)head * WORDS, s.work[31]);
    }
}

// The same one tile after the other, where sums of tiles must not be joined: tiles post the state after them.
GNP_FN void chain(Shared &s, u64 *row, u32 tile, const Factor *powers)
{
    if (tile > 0) {
        const int lane = threadIdx.x;
        State *sum = s.states[lane == 31 ? BLOCK : 0]; // a spare row
        if (lane == 31) {
            copy(sum, s.work[31]);
        }
        __syncwarp();
        await_carry(s, row + (u64)(tile - 1) * WORDS);
        if (lane == 31) {
            copy(s.work[31], sum);
        }
        __syncwarp();
    }
    advance(s.work[31], s.work[31], powers + (LANE + 5) * K * K, s.carry, threadIdx.x == 31);
    post_state(row + (u64)tile * WORDS, s.work[31]);
}

// By the first warp: states[t] becomes the state before thread t's samples.
GNP_FN void join(Shared &s, const Factor *powers, u64 *row, u32 tile, u32 ntiles, bool chained)
{
    const int lane = threadIdx.x, mine = lane * PER_LANE;
    copy(s.joined[lane], s.states[mine]);
#pragma unroll 1
    for (int i = 1; i < PER_LANE; i++) {
        advance(s.joined[lane], s.states[mine + i], powers, s.joined[lane], true);
    }
    if constexpr (PASSING) {
        copy(s.work[lane], s.joined[lane]);
        scan(s.work, powers + LANE * K * K);
        if (chained) {
            chain(s, row, tile, powers);
        }
        else {
            look_back(s, row, tile, ntiles, powers);
        }
    }
    advance(s.joined[0], s.joined[0], powers + LANE * K * K, s.carry, lane == 0);
    scan(s.joined, powers + LANE * K * K);
    copy(s.work[lane], lane == 0 ? s.carry : s.joined[lane - 1]);
#pragma unroll 1
    for (int i = 0; i < PER_LANE; i++) { // work: before these samples; then after them
        State z[K];
        load(z, s.work[lane]);
        advance(s.work[lane], s.states[mine + i], powers, s.work[lane], true);
        store(s.states[mine + i], z);
    }
    if (lane == 0) {
        copy(s.carry, s.joined[31]);
    }
}

// Where sample i of a part of the tile is among those of the tile.
GNP_FN int place_of(int i, int part) { return PARTS == 1 ? i : (i / EACH * PARTS + part) * EACH + i % EACH; }

// Whether a tile is whole, and its rows of EACH samples begin at multiples of 16 bytes.
template <class E> GNP_FN bool is_whole(const E *at, int count) { return count == TILE && (u64)at % 16 == 0; }

// Accesses of 16 bytes, some of a part at once: what the thread accesses first, and how far on the next ones are.
template <class E> struct Accesses {
    enum {
        WIDTH = 16 / sizeof(E),
        ALL = EACH / WIDTH,
        SOME = ALL < 4 ? ALL : 4,
        STEP = BLOCK * WIDTH * PARTS,
        STEP_TILE = BLOCK * WIDTH / EACH * (EACH + 1)
    };
    int at, at_tile;

    GNP_FN Accesses(int part)
    {
        const int i = threadIdx.x * WIDTH;
        at = place_of(i, part);
        at_tile = i + i / EACH;
    }
};

// Asks for the thread's own samples of all parts, which the block reads one part at a time.
GNP_FN void announce(const Raw<S> *in, int count)
{
    enum { LINE = 128 / sizeof(S) };
#pragma unroll 1
    for (int i = 0; i < PARTS * EACH; i += LINE) {
        const int at = (int)threadIdx.x * (PARTS * EACH) + i;
        if (at < count) {
            asm volatile("prefetch.global.L2 [%0];" ::"l"(in + at));
        }
    }
}

GNP_FN Raw<R> sample_of(Raw<S> raw) { return Out<R, A>::raw(In<S, A>::value(raw)); }

GNP_FN void load_part(Shared &s, const Raw<S> *in, int part, int count)
{
    if (is_whole(in, count)) {
        typedef Accesses<Raw<S>> Each;
        const Each each(part);
        in += each.at;
        Raw<R> *tile = s.tile + each.at_tile;
#pragma unroll 1
        for (int i = 0; i < Each::ALL; i += Each::SOME) {
            Vec<Raw<S>, Each::WIDTH> raw[Each::SOME];
#pragma unroll
            for (int k = 0; k < Each::SOME; k++) {
                raw[k] = *(const Vec<Raw<S>, Each::WIDTH> *)(in + (i + k) * Each::STEP);
            }
#pragma unroll
            for (int k = 0; k < Each::SOME; k++) {
#pragma unroll
                for (int w = 0; w < Each::WIDTH; w++) {
                    tile[(i + k) * Each::STEP_TILE + w] = sample_of(raw[k].at[w]);
                }
            }
        }
        return;
    }
#pragma unroll 1
    for (int k = 0; k < EACH; k++) {
        const int i = threadIdx.x + k * BLOCK, at = place_of(i, part);
        s.tile[i + i / EACH] = at < count ? sample_of(in[at]) : Raw<R>(0);
    }
}

GNP_FN void store_part(Shared &s, Raw<R> *out, int part, int count)
{
    if (is_whole(out, count)) {
        typedef Accesses<Raw<R>> Each;
        const Each each(part);
        out += each.at;
        const Raw<R> *tile = s.tile + each.at_tile;
#pragma unroll 2
        for (int k = 0; k < Each::ALL; k++) {
            Vec<Raw<R>, Each::WIDTH> raw;
#pragma unroll
            for (int w = 0; w < Each::WIDTH; w++) {
                raw.at[w] = tile[k * Each::STEP_TILE + w];
            }
            *(Vec<Raw<R>, Each::WIDTH> *)(out + k * Each::STEP) = raw;
        }
        return;
    }
#pragma unroll 1
    for (int k = 0; k < EACH; k++) {
        const int i = threadIdx.x + k * BLOCK, at = place_of(i, part);
        if (at < count) {
            out[at] = s.tile[i + i / EACH];
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
recurrence(Raw<R> *out, const Raw<S> *in, const Factor *factors, const Factor *basis, const State *start, State *end,
           u64 *board, const i64 length, const u32 ntiles, const u32 chained)
{
    __shared__ Shared s;
    u32 ticket = blockIdx.x;
    if constexpr (PASSING) {
        ticket = take_ticket((u32 *)board);
    }
    const u32 line = PASSING ? ticket / ntiles : ticket;
    const u32 last = PASSING ? ticket % ntiles : ntiles - 1;
    const u64 words = (u64)(Board<FAN>::size(ntiles)) * WORDS;
    Raw<R> *mine = s.tile + threadIdx.x * (EACH + 1);
    const Filter filter(factors);
    in += line * length;
    out += line * length;
    const Factor *powers = basis + K * (K + 1);
    if (threadIdx.x == 0) {
#pragma unroll 1
        for (int i = 0; i < K; i++) {
            s.carry[i] = start != nullptr ? start[(i64)line * K + i] : State(0);
        }
        into_basis(s.carry, basis);
    }
#pragma unroll 1
    for (u32 tile = PASSING ? last : 0; tile <= last; tile++) {
        const i64 first = (i64)tile * TILE;
        const int count = length - first < TILE ? (int)(length - first) : TILE;
        State z[K];
        if constexpr (PARTS > 1) {
            announce(in + first, count);
        }
#pragma unroll
        for (int i = 0; i < K; i++) {
            z[i] = State(0);
        }
#pragma unroll 1
        for (int pass = 0; pass < 2 * PARTS; pass++) { // from a state of zeros; then from the right one, with outputs
            const int part = pass % PARTS;
            const bool is_second = pass >= PARTS;
            if (PARTS > 1 || pass == 0) {
                __syncthreads();
                load_part(s, in + first, part, count);
                __syncthreads();
            }
            const int here = count - ((int)threadIdx.x * PARTS + part) * EACH;
#pragma unroll 2
            for (int k = 0; k < EACH; k++) {
                if (!is_second || k < here) {
                    const State y = step(z, filter, sample(mine[k]));
                    if (is_second) {
                        mine[k] = Out<R, A>::raw(y);
                    }
                }
            }
            if (is_second) {
                if (end != nullptr && tile == ntiles - 1 && here > 0 && here <= EACH) {
                    store(end + (i64)line * K, z);
                }
                __syncthreads();
                store_part(s, out + first, part, count);
            }
            else if (part == PARTS - 1) {
                store(s.states[threadIdx.x], z);
                into_basis(s.states[threadIdx.x], basis);
                __syncthreads();
                if (threadIdx.x < 32) {
                    join(s, powers, board + 1 + line * words, tile, ntiles, chained != 0);
                }
                __syncthreads();
                from_basis(s.states[threadIdx.x], basis);
                load(z, s.states[threadIdx.x]);
            }
        }
        if (!PASSING) {
            __syncthreads();
        }
    }
}
