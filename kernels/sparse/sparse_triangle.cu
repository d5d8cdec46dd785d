// sparse_triangle: x of t x = b for a triangle t in compressed rows, in one launch without levels. A warp solves a
// unit, ROWS consecutive rows, until it meets an element of x that no warp has posted yet. It looks SPINS times
// more, as warps of synchronisation-free methods do for ever (W. Liu, A. Li, J. Hogg, I. Duff and B. Vinter, "A
// synchronization-free algorithm for parallel sparse triangular solves", Euro-Par 2016). Then it appends the unit to
// the list of those that wait for that element, and goes on with other work, so that waiting rows occupy no warp,
// however far apart rows that can be solved are. Whoever solves a row puts the units of its list into a queue. Warps
// without work wait for the queue alone, and as long as a unit is unfinished, one is in work, in the queue or not
// started: there is no deadlock, whatever the number of warps. Sums have one order: lanes stride over a row, then
// a tree.
// Knobs: I of the indices; T: the elements; LOWER or upper; UNIT: ones on the diagonal; COLUMNS right-hand sides
// per warp, a power of 2 up to 32; elements outside of the triangle are left out.
// Launch: 32 threads; as many blocks as the device can hold, at most one for every ROWS rows and COLUMNS right-hand
// sides. `board` is zeros: posted elements, behind them the lists and the queue.
#include "knobs/sparse_triangle.cuh"
#include "lookback.cuh"
#include "sparse/sparse.cuh"

typedef Compute<T> A;
enum { ROWS = 8, LANES = 32 / COLUMNS, WORDS = Posted<A>::words, SPINS = 4 };
enum : u32 { SOLVED = 0xffffffffu };

// Numbers that warps count together, each in a line of its own, as all of them poll.
enum { STARTED, PUSHED, POPPED, FINISHED, COUNTERS, LINE = 32 };

// A stored element; a missing one is a zero on the diagonal.
struct Element {
    i64 column;
    A value;
};

// A place is the number of a row in the order of dependencies.
struct Rows {
    const I *begins, *indices;
    const Raw<T> *data;
    i64 n;

    GNP_FN i64 row(i64 place) const { return LOWER ? place : n - 1 - place; }
    GNP_FN Element at(i64 k, i64 end, i64 row) const
    {
        const bool is_there = k < end;
        const i64 from = is_there ? k : 0;
        const Element found = {(i64)indices[from], In<T, T>::value(data[from])};
        return is_there ? found : Element{row, A(0)};
    }
};

// What is left to do. A task is 1 + the place at which a unit goes on * groups + its group of right-hand sides;
// 0 is none. One thread of a warp calls.
struct Tasks {
    u32 *counters, *waiting, *after, *queue; // the list of each row, the next one in a list, for each unit a slot
    u32 groups, units;

    GNP_FN u32 unit(u32 task) const { return (task - 1) / groups / ROWS * groups + (task - 1) % groups; }
    GNP_FN u32 count(int which) const { return *(volatile u32 *)(counters + which * LINE); }
    GNP_FN void push(u32 task) const
    {
        u32 *slot = queue + atomicAdd(counters + PUSHED * LINE, 1u) % units;
#pragma unroll 1
        while (atomicCAS(slot, 0u, task) != 0) { // its last task is about to be taken
        }
    }
    // Puts a list into the queue.
    GNP_FN void wake(u32 task) const
    {
#pragma unroll 1
        while (task != 0) {
            const u32 next = *(volatile u32 *)(after + unit(task));
            push(task);
            task = next;
        }
    }
    // Appends a task to the list of a row; not if the row has been solved meanwhile.
    GNP_FN bool append(u32 task, u32 row) const
    {
        u32 seen = *(volatile u32 *)(waiting + row);
#pragma unroll 1
        while (seen != SOLVED) {
            *(volatile u32 *)(after + unit(task)) = seen;
            __threadfence();
            const u32 before = atomicCAS(waiting + row, seen, task);
            if (before == seen) {
                return true;
            }
            seen = before;
        }
        return false;
    }
    // The next task: one of the queue, or a unit that no warp has started, or one that will be in the queue.
    GNP_FN u32 take() const
    {
        u32 place = count(POPPED);
        if ((i32)(count(PUSHED) - place) <= 0 || atomicCAS(counters + POPPED * LINE, place, place + 1) != place) {
            if (count(STARTED) < units) {
                const u32 started = atomicAdd(counters + STARTED * LINE, 1u);
                if (started < units) {
                    return started / groups * ROWS * groups + started % groups + 1;
                }
            }
            place = atomicAdd(counters + POPPED * LINE, 1u);
        }
        u32 *slot = queue + place % units;
#pragma unroll 1
        for (u32 k = 0;; k++) {
            const u32 task = *(volatile u32 *)slot != 0 ? atomicExch(slot, 0u) : 0u;
            if (task != 0 || (k % 32 == 0 && count(FINISHED) == units)) {
                return task;
            }
            __nanosleep(20);
        }
    }
};

GNP_FN i64 largest(i64 x)
{
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        x = max(x, from_lane(x, (int)threadIdx.x ^ d));
    }
    return x;
}

extern "C" __global__ void __launch_bounds__(32)
sparse_triangle(const I *begins, const I *indices, const Raw<T> *data, const Raw<T> *b, Raw<T> *out, u64 *board,
                const i64 n, const i64 columns, const i64 groups)
{
    __shared__ alignas(16) u8 near_chip[ROWS * COLUMNS * sizeof(A)]; // what this warp has solved
    A *near = (A *)near_chip;
    const int lane = (int)threadIdx.x / COLUMNS, c = (int)threadIdx.x % COLUMNS;
    const Rows t = {begins, indices, data, n};
    const u32 units = (u32)((n + ROWS - 1) / ROWS * groups);
    u32 *counters = (u32 *)(board + n * columns * WORDS), *waiting = counters + COUNTERS * LINE;
    const Tasks tasks = {counters, waiting, waiting + n * groups, waiting + n * groups + units, (u32)groups, units};
    u32 task = 0;
#pragma unroll 1
    for (;;) {
        if (threadIdx.x == 0 && task == 0) {
            task = tasks.take();
        }
        task = from_lane(task, 0);
        if (task == 0) {
            break;
        }
        const i64 from = (task - 1) / tasks.groups, group = (task - 1) % tasks.groups, first = from / ROWS * ROWS;
        const i64 wanted = group * COLUMNS + c, column = wanted < columns ? wanted : columns - 1;
        const i64 last = first + ROWS < n ? first + ROWS : n;
        i64 place = from, row = t.row(from), begin = begins[row], end = begins[row + 1];
        Element element = t.at(begin + lane, end, row);
        u32 woken = 0; // units that waited for the row before
#pragma unroll 1
        while (place < last) {
            // The first elements of the next row are on their way while this one waits.
            const i64 next_row = t.row(place + 1 < n ? place + 1 : place);
            const i64 next_begin = begins[next_row], next_end = begins[next_row + 1];
            const Element next = t.at(next_begin + lane, next_end, next_row);
            A rest = lane == 0 ? In<T, T>::value(b[row * columns + column]) : A(0), pivot = A(0);
            i64 k = begin, missing;
#pragma unroll 1
            do {
                const bool is_before = LOWER ? element.column < row : element.column > row;
                const i64 needed = LOWER ? element.column : n - 1 - element.column;
                const bool is_near = is_before && needed >= from;
                Answer<A> answer(board + (element.column * columns + column) * WORDS, is_before && !is_near);
                answer.look();
                tasks.wake(woken);
                woken = 0;
#pragma unroll 1
                for (int s = 0; s < SPINS && __any_sync(0xffffffffu, answer.missing); s++) {
                    answer.look();
                }
                missing = __any_sync(0xffffffffu, answer.missing) ? largest(answer.missing ? needed : -1) : -1;
                if (is_before) {
                    rest = rest - element.value * (is_near ? near[(needed - first) * COLUMNS + c] : answer.value());
                }
                pivot = element.column == row ? pivot + element.value : pivot;
                k += LANES;
                element = t.at(k + lane, end, row);
            } while (k < end && missing < 0);
            if (missing >= 0) {
                // A long row begins again only when all of it is likely to be known, after its last element.
                if (end - begin > LANES) {
                    i64 latest = -1;
#pragma unroll 1
                    for (k = begin + lane; k < end; k += LANES) {
                        const i64 needed = LOWER ? (i64)indices[k] : n - 1 - (i64)indices[k];
                        latest = needed < from && needed > latest ? needed : latest;
                    }
                    latest = largest(latest);
                    Answer<A> answer(board + (t.row(latest) * columns + column) * WORDS, true);
                    answer.look();
                    missing = __any_sync(0xffffffffu, answer.missing) ? latest : missing;
                }
                bool is_waiting = false;
                if (threadIdx.x == 0) {
                    is_waiting = tasks.append((u32)(place * groups + group + 1), (u32)(missing * groups + group));
                }
                if (__any_sync(0xffffffffu, is_waiting)) {
                    break;
                }
                element = t.at(begin + lane, end, row);
                continue;
            }
#pragma unroll
            for (int d = 16; d >= COLUMNS; d /= 2) {
                rest = rest + from_lane(rest, (int)threadIdx.x ^ d);
                pivot = pivot + from_lane(pivot, (int)threadIdx.x ^ d);
            }
            const A x = UNIT ? rest : rest / pivot;
            if (lane == 0) {
                near[(place - first) * COLUMNS + c] = x;
                if (wanted < columns) {
                    post(board + (row * columns + column) * WORDS, x);
                    out[row * columns + column] = Out<T, T>::raw(x);
                }
            }
            __syncwarp();
            if (threadIdx.x == 0) {
                woken = atomicExch(waiting + place * groups + group, (u32)SOLVED);
            }
            place++;
            row = next_row;
            begin = next_begin;
            end = next_end;
            element = next;
        }
        task = 0;
        if (threadIdx.x == 0 && place == last) {
            // The first unit that waited for the last row is this warp's next task.
            atomicAdd(counters + FINISHED * LINE, 1u);
            if (woken != 0) {
                tasks.wake(*(volatile u32 *)(tasks.after + tasks.unit(woken)));
            }
            task = woken;
        }
    }
}
