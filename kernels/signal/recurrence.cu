// recurrence: a linear recurrence along the rows of a C-contiguous matrix, by tiles.
//
// A thread has EACH consecutive samples. It finds the state that they alone would leave; a scan of these states,
// each multiplied by the power of the transition matrix that belongs to its distance, gives the state before each
// thread's samples, from which it computes its outputs by the recurrence itself. So only states move between threads,
// blocks and tiles (G. E. Blelloch, "Prefix sums and their applications", 1990; S. Maleki and M. Burtscher, "Automatic
// hierarchical parallelization of linear recurrences", 2018). powers[e] is the transition matrix over EACH << e
// samples. Between threads a state is given in a basis in which powers do not grow (csrc/signal/powers.c): `basis` is
// an upper triangle, followed by the reciprocals of its diagonal and by the powers.
// The scan is a tree: up its levels states of pairs are joined, down them the state before each is found. A warp does
// the levels of its own threads, the first warp those between warps; the lanes share the rows of each product. Warps
// meet twice in a tile, there; their samples are their own.
// With PARTS a thread has PARTS * EACH samples, of which EACH at a time are in shared memory; they are read twice, so
// that states are joined once in so many samples. Powers are then over as many.
// Knobs: recurrence.cuh; EACH; PARTS; BLOCK threads; PASSING: a block has one tile, and tiles pass states on by look-back
// (lookback.cuh) or, where powers of the matrix grow, one after the other; else a block goes along its row; BACKWARDS:
// from the last sample of a row to the first.
// Launch: a block a row, or a block a tile.
#include "knobs/recurrence.cuh"
#include "signal/recurrence.cuh"
#include "lookback.cuh"

enum {
    WARP_SAMPLES = 32 * EACH * PARTS,
    TILE = BLOCK / 32 * WARP_SAMPLES,
    PITCH = K | 1,
    ROW = EACH + 16 / sizeof(Raw<R>), // so that accesses of 16 bytes of neighbouring threads meet in different banks
    LEVEL = BLOCK == 128 ? 7 : BLOCK == 64 ? 6 : 5, // of the tile: powers[LEVEL] is over its samples
    FAN = 32,
    WORDS = Posted<State>::words * K,
    // Numbers of a state that are awaited together.
    AT_ONCE = K % 8 == 0 && sizeof(State) == 8 ? 8 : K % 4 == 0 ? 4 : K % 3 == 0 ? 3 : K % 2 == 0 ? 2 : 1,
    // Blocks of a multiprocessor that registers leave space for.
    RESIDENT = sizeof(State) * K > 64 ? 1 : sizeof(State) * K > 32 ? 4 : PASSING ? 6 : 8,
    MOST_CHUNK = K <= 8 ? 4 : 2,
    CHUNK = 16 / sizeof(Raw<R>) < MOST_CHUNK ? 16 / sizeof(Raw<R>) : MOST_CHUNK // samples of an access in shared memory
};

struct Several {
    State at[AT_ONCE];
};

struct Shared {
    alignas(16) Raw<R> tile[BLOCK * ROW];
    alignas(16) State states[BLOCK][PITCH];
    alignas(16) State work[32][PITCH];
    alignas(16) State ends[2][PITCH]; // before the tile; of the tile alone, then after it
};

// sum + row * z, in two sums that do not wait for each other.
GNP_FN State product(State sum, const Factor *row, const State (&z)[K])
{
    enum { WIDTH = K % 2 == 0 && sizeof(Factor) == 8 ? 2 : 1 };
    State other = State(0);
#pragma unroll
    for (int j = 0; j < K; j += WIDTH) {
        const Vec<Factor, WIDTH> some = *(const Vec<Factor, WIDTH> *)(row + j);
        multiply_add(sum, some.at[0], z[j]);
        if (WIDTH == 2) {
            multiply_add(other, some.at[WIDTH - 1], z[j + WIDTH - 1]);
        }
    }
    return WIDTH == 2 ? sum + other : sum;
}

__device__ __noinline__ void copy(State *to, const State *from)
{
#pragma unroll 1
    for (int i = threadIdx.x % 32; i < K; i += 32) {
        to[i] = from[i];
    }
    __syncwarp();
}

// row = basis * row
__device__ __noinline__ void into_basis(State *row, const Factor *basis)
{
    State z[K];
    load(z, row);
#pragma unroll 1
    for (int i = 0; i < K; i++) {
        row[i] = product(State(0), basis + i * K, z);
    }
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

// A level of the tree: rows 2^level apart, of which each pair has 2^share lanes. Up: the right one becomes the state
// after both. Down: it is the state before both; the left one becomes that, and the right one the state before itself.
__device__ __noinline__ void join(State (*rows)[PITCH], int level, int share, const Factor *matrix, bool down)
{
    const int lane = threadIdx.x % 32, pair = lane >> share;
    State *right = rows[((pair + 1) << (level + 1)) - 1], *left = right - (PITCH << level);
    State z[K];
    load(z, down ? right : left);
    __syncwarp();
#pragma unroll 1
    for (int i = lane & ((1 << share) - 1); i < K; i += 1 << share) {
        const State sum = down ? left[i] : right[i];
        if (down) {
            left[i] = right[i];
        }
        right[i] = product(sum, matrix + i * K, z);
    }
    __syncwarp();
}

// Row 31 becomes the state after 32 rows, others what is needed to find those before each.
__device__ __noinline__ void join_up(State (*rows)[PITCH], const Factor *matrix)
{
#pragma unroll 1
    for (int level = 0; level < 5; level++, matrix += K * K) {
        join(rows, level, level + 1, matrix, false);
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
    copy(s.ends[0], s.work[31]);
}

// The carry becomes the state that `count` < 32 posts leave after it: the matrix is over the samples of one.
__device__ __noinline__ void carry_over(Shared &s, const u64 *at, int count, const Factor *matrix)
{
    if (count == 0) {
        return;
    }
    await_states(s.work, at, count);
    copy(s.work[31 - count], s.ends[0]);
    join_up(s.work, matrix);
    copy(s.ends[0], s.work[31]);
}

// The carry becomes the state before the tile, by the sums of groups of tiles and of groups of groups: always in the
// same order. The tile's own sum is posted first; the last tile of a group posts that of the group, the last of a group
// of groups everything up to its end.
GNP_FN void look_back(Shared &s, u64 *row, u32 tile, u32 ntiles, const Factor *powers)
{
    const Board<FAN> posts(row, ntiles, WORDS);
    const u32 group = tile / FAN, head = group / FAN;
    post_state(posts.tiles + (u64)tile * WORDS, s.ends[1]);
    if (tile % FAN == FAN - 1) {
        await_states(s.work, posts.tiles + (u64)group * FAN * WORDS, FAN);
        join_up(s.work, powers + LEVEL * K * K);
        post_state(posts.groups + (u64)group * WORDS, s.work[31]);
    }
    if (head > 0) {
        await_carry(s, posts.heads + (u64)(head - 1) * WORDS);
    }
    carry_over(s, posts.groups + (u64)head * FAN * WORDS, group % FAN, powers + (LEVEL + 5) * K * K);
    carry_over(s, posts.tiles + (u64)group * FAN * WORDS, tile % FAN, powers + LEVEL * K * K);
    if (tile % (FAN * FAN) == FAN * FAN - 1) {
        join(s.ends, 0, 5, powers + LEVEL * K * K, false);
        post_state(posts.heads + (u64)head * WORDS, s.ends[1]);
    }
}

// The same one tile after the other, where sums of tiles must not be joined: tiles post the state after them.
GNP_FN void chain(Shared &s, u64 *row, u32 tile, const Factor *powers)
{
    if (tile > 0) {
        await_carry(s, row + (u64)(tile - 1) * WORDS);
    }
    join(s.ends, 0, 5, powers + LEVEL * K * K, false);
    post_state(row + (u64)tile * WORDS, s.ends[1]);
}

// Between warps, by the first one: the state before each warp takes the place of its last thread's.
GNP_FN void join_warps(Shared &s, const Factor *powers, u64 *row, u32 tile, u32 ntiles, bool chained)
{
#pragma unroll 1
    for (int level = 5; level < LEVEL; level++) {
        join(s.states, level, level + 6 - LEVEL, powers + level * K * K, false);
    }
    copy(s.ends[1], s.states[BLOCK - 1]);
    if constexpr (PASSING) {
        if (chained) {
            chain(s, row, tile, powers);
        }
        else {
            look_back(s, row, tile, ntiles, powers);
        }
    }
    copy(s.states[BLOCK - 1], s.ends[0]);
#pragma unroll 1
    for (int level = LEVEL - 1; level >= 5; level--) {
        join(s.states, level, level + 6 - LEVEL, powers + level * K * K, true);
    }
    if (!PASSING && tile + 1 < ntiles) {
        join(s.ends, 0, 5, powers + LEVEL * K * K, false);
        copy(s.ends[0], s.ends[1]);
    }
}

// states[t] becomes the state before thread t's samples. All threads call it.
GNP_FN void join_threads(Shared &s, const Factor *powers, u64 *row, u32 tile, u32 ntiles, bool chained)
{
    State(*mine)[PITCH] = s.states + threadIdx.x / 32 * 32;
    __syncwarp();
    join_up(mine, powers);
    __syncthreads();
    if (threadIdx.x < 32) {
        join_warps(s, powers, row, tile, ntiles, chained);
    }
    __syncthreads();
#pragma unroll 1
    for (int level = 4; level >= 0; level--) {
        join(mine, level, level + 1, powers + level * K * K, true);
    }
}

// The samples of a warp: element i of a line is at[i], or at[-i] where the line is gone along backwards. Accesses of 16
// bytes, some of a part at once: what the lane accesses first, and how far on the next ones are.
template <class E> struct Accesses {
    enum {
        MOST = 16 / sizeof(E),
        WIDTH = MOST < EACH ? MOST : EACH,
        ALL = EACH / WIDTH,
        SOME = ALL < 4 ? ALL : 4,
        STEP = 32 * WIDTH * PARTS * (BACKWARDS ? -1 : 1),
        STEP_TILE = 32 * WIDTH / EACH * ROW
    };
    typedef Vec<E, WIDTH> Elements;
    int at, at_tile;

    GNP_FN Accesses(int part)
    {
        const int i = threadIdx.x % 32 * WIDTH, from = (i / EACH * PARTS + part) * EACH + i % EACH;
        at = BACKWARDS ? 1 - WIDTH - from : from;
        at_tile = i / EACH * ROW + i % EACH;
    }
    GNP_FN static constexpr int element(int w) { return BACKWARDS ? WIDTH - 1 - w : w; }
    // Whether the warp has all its samples, and accesses lie at multiples of their size.
    GNP_FN static bool are_whole(const E *line, int count)
    {
        return count >= WARP_SAMPLES && (u64)(line + BACKWARDS) % sizeof(Elements) == 0;
    }
};

// In one access, which the compiler would take apart.
template <class V> GNP_FN void store_elements(void *at, const V &elements)
{
    if constexpr (sizeof(V) == 16) {
        u32 part[4];
        memcpy(part, &elements, 16);
        asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(at), "r"(part[0]), "r"(part[1]), "r"(part[2]),
                     "r"(part[3])
                     : "memory");
    }
    else {
        *(V *)at = elements;
    }
}

// Element by element: sample k of the lane's, and its place in shared memory.
struct Single {
    int at, at_tile;

    GNP_FN Single(int k, int part)
    {
        const int i = threadIdx.x % 32 + k * 32;
        at = (i / EACH * PARTS + part) * EACH + i % EACH;
        at_tile = i / EACH * ROW + i % EACH;
    }
};

// Asks for the thread's own samples of all parts, which the warp reads one part at a time.
GNP_FN void announce(const Raw<S> *in, int count)
{
    enum { LINE = 128 / sizeof(S) };
#pragma unroll 1
    for (int i = 0; i < PARTS * EACH; i += LINE) {
        const int at = (int)(threadIdx.x % 32) * (PARTS * EACH) + i;
        if (at < count) {
            asm volatile("prefetch.global.L2 [%0];" ::"l"(BACKWARDS ? in - at : in + at));
        }
    }
}

GNP_FN Raw<R> sample_of(Raw<S> raw) { return Out<R, A>::raw(In<S, A>::value(raw)); }

GNP_FN void load_part(Raw<R> *tile, const Raw<S> *in, int part, int count)
{
    typedef Accesses<Raw<S>> Each;
    if (Each::are_whole(in, count)) {
        const Each each(part);
        in += each.at;
        tile += each.at_tile;
#pragma unroll 1
        for (int i = 0; i < Each::ALL; i += Each::SOME) {
            typename Each::Elements raw[Each::SOME];
#pragma unroll
            for (int k = 0; k < Each::SOME; k++) {
                raw[k] = *(const typename Each::Elements *)(in + (i + k) * Each::STEP);
            }
#pragma unroll
            for (int k = 0; k < Each::SOME; k++) {
                Vec<Raw<R>, Each::WIDTH> samples;
#pragma unroll
                for (int w = 0; w < Each::WIDTH; w++) {
                    samples.at[w] = sample_of(raw[k].at[Each::element(w)]);
                }
                *(Vec<Raw<R>, Each::WIDTH> *)(tile + (i + k) * Each::STEP_TILE) = samples;
            }
        }
        return;
    }
#pragma unroll 2
    for (int k = 0; k < EACH; k++) {
        const Single each(k, part);
        tile[each.at_tile] = each.at < count ? sample_of(BACKWARDS ? in[-each.at] : in[each.at]) : Raw<R>(0);
    }
}

GNP_FN void store_part(const Raw<R> *tile, Raw<R> *out, int part, int count)
{
    typedef Accesses<Raw<R>> Each;
    if (Each::are_whole(out, count)) {
        const Each each(part);
        out += each.at;
        tile += each.at_tile;
#pragma unroll 2
        for (int k = 0; k < Each::ALL; k++) {
            const typename Each::Elements samples = *(const typename Each::Elements *)(tile + k * Each::STEP_TILE);
            typename Each::Elements raw;
#pragma unroll
            for (int w = 0; w < Each::WIDTH; w++) {
                raw.at[Each::element(w)] = samples.at[w];
            }
            store_elements(out + k * Each::STEP, raw);
        }
        return;
    }
#pragma unroll 1
    for (int k = 0; k < EACH; k++) {
        const Single each(k, part);
        if (each.at < count) {
            (BACKWARDS ? out[-each.at] : out[each.at]) = tile[each.at_tile];
        }
    }
}

// Takes a thread's samples through the filter; outputs take their places.
template <bool WRITES> GNP_FN void take(State (&z)[K], Raw<R> *samples, const Filter &filter)
{
    typedef Vec<Raw<R>, CHUNK> Some;
#pragma unroll 1
    for (int k = 0; k < EACH; k += CHUNK) {
        Some some = *(const Some *)(samples + k);
#pragma unroll
        for (int c = 0; c < CHUNK; c++) {
            const State y = step(z, filter, sample(some.at[c]));
            if (WRITES) {
                some.at[c] = Out<R, A>::raw(y);
            }
        }
        if (WRITES) {
            *(Some *)(samples + k) = some;
        }
    }
}

// The state that `count` samples leave after the state in `row`.
__device__ __noinline__ void store_end(State *end, const State *row, const Raw<R> *samples, int count, const Factor *factors)
{
    const Coefficients<false> filter(factors);
    State z[K];
    load(z, row);
#pragma unroll 1
    for (int k = 0; k < count; k++) {
        step(z, filter, sample(samples[k]));
    }
    store(end, z);
}

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
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
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    Raw<R> *tile_of_warp = s.tile + warp * (32 * ROW), *mine = tile_of_warp + lane * ROW;
    State *state = s.states[threadIdx.x];
    const Filter filter(factors);
    const Factor *powers = basis + K * (K + 1);
    if (threadIdx.x == 0) {
#pragma unroll 1
        for (int i = 0; i < K; i++) {
            s.ends[0][i] = start != nullptr ? start[(i64)line * K + i] : State(0);
        }
        into_basis(s.ends[0], basis);
    }
#pragma unroll 1
    for (u32 tile = PASSING ? last : 0; tile <= last; tile++) {
        const i64 first = (i64)tile * TILE + warp * WARP_SAMPLES, left = length - first;
        const i64 at = line * length + (BACKWARDS ? left - 1 : first);
        const int count = left < WARP_SAMPLES ? (int)left : WARP_SAMPLES; // negative beyond the end
        State z[K];
        if constexpr (PARTS > 1) {
            announce(in + at, count);
        }
#pragma unroll
        for (int i = 0; i < K; i++) {
            z[i] = State(0);
        }
#pragma unroll 1
        for (int pass = 0; pass < 2 * PARTS; pass++) { // from a state of zeros; then from the right one, with outputs
            const int part = pass % PARTS;
            if (PARTS > 1 || pass == 0) {
                __syncwarp();
                load_part(tile_of_warp, in + at, part, count);
                __syncwarp();
            }
            if (pass < PARTS) {
                take<false>(z, mine, filter);
                if (part == PARTS - 1) {
                    store(state, z);
                    into_basis(state, basis);
                    join_threads(s, powers, board + 1 + line * words, tile, ntiles, chained != 0);
                    from_basis(state, basis);
                    load(z, state);
                }
                continue;
            }
            if (end != nullptr && tile == ntiles - 1) {
                const int here = (int)left - (lane * PARTS + part) * EACH; // among them the last of all?
                if (here > 0 && here <= EACH) {
                    store(state, z);
                    store_end(end + (i64)line * K, state, mine, here, factors);
                }
            }
            take<true>(z, mine, filter);
            __syncwarp();
            store_part(tile_of_warp, out + at, part, count);
        }
        __syncwarp();
    }
}
