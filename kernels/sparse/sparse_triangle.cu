// sparse_triangle: x of t x = b for a triangle t in compressed rows, in one launch without levels: a warp solves
// ROWS consecutive rows and waits for the elements of x that it needs, which other warps have posted (W. Liu,
// A. Li, J. Hogg, I. Duff and B. Vinter, "A synchronization-free algorithm for parallel sparse triangular
// solves", Euro-Par 2016, there by columns with atomics). Rows are taken in the order of tickets, so that every
// row that is waited for is being solved or done. Sums have one order: lanes stride over a row, then a tree.
// Knobs: I of the indices; T: the elements; LOWER or upper; UNIT: ones on the diagonal; COLUMNS right-hand sides
// per warp, a power of 2 up to 32; elements outside of the triangle are left out.
// Launch: 32 threads; a block for every ROWS rows and COLUMNS right-hand sides. `board` is zeros: posted elements,
// behind them the ticket.
#include "knobs/sparse_triangle.cuh"
#include "lookback.cuh"
#include "sparse/sparse.cuh"

typedef Compute<T> A;
enum { ROWS = 8, LANES = 32 / COLUMNS, WORDS = Posted<A>::words };

// A stored element; a missing one is a zero on the diagonal.
struct Element {
    i64 column;
    A value;
};

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

extern "C" __global__ void __launch_bounds__(32)
sparse_triangle(const I *begins, const I *indices, const Raw<T> *data, const Raw<T> *b, Raw<T> *out, u64 *board,
                const i64 n, const i64 columns, const i64 groups)
{
    __shared__ alignas(16) u8 near_chip[ROWS * COLUMNS * sizeof(A)]; // what this warp has solved
    A *near = (A *)near_chip;
    const i64 ticket = take_ticket((u32 *)(board + n * columns * WORDS));
    const int lane = (int)threadIdx.x / COLUMNS, c = (int)threadIdx.x % COLUMNS;
    const i64 first = ticket / groups * ROWS, wanted = ticket % groups * COLUMNS + c;
    const i64 column = wanted < columns ? wanted : columns - 1;
    const Rows t = {begins, indices, data, n};
    i64 row = t.row(first), begin = begins[row], end = begins[row + 1];
    Element element = t.at(begin + lane, end, row);
#pragma unroll 1
    for (int r = 0; r < ROWS && first + r < n; r++) {
        // The first elements of the next row are on their way while this one waits.
        const i64 next_row = t.row(first + r + 1 < n ? first + r + 1 : first + r);
        const i64 next_begin = begins[next_row], next_end = begins[next_row + 1];
        const Element next = t.at(next_begin + lane, next_end, next_row);
        A rest = lane == 0 ? In<T, T>::value(b[row * columns + column]) : A(0), pivot = A(0);
#pragma unroll 1
        for (i64 k = begin + lane; k < end; k += LANES) {
            const bool is_before = LOWER ? element.column < row : element.column > row;
            if (is_before) {
                const i64 place = (LOWER ? element.column : n - 1 - element.column) - first;
                const A known = place >= 0 ? near[place * COLUMNS + c]
                                           : await<A>(board + (element.column * columns + column) * WORDS);
                rest = rest - element.value * known;
            }
            pivot = element.column == row ? pivot + element.value : pivot;
            element = t.at(k + LANES, end, row);
        }
#pragma unroll
        for (int d = 16; d >= COLUMNS; d /= 2) {
            rest = rest + from_lane(rest, (int)threadIdx.x ^ d);
            pivot = pivot + from_lane(pivot, (int)threadIdx.x ^ d);
        }
        const A x = UNIT ? rest : rest / pivot;
        if (lane == 0) {
            near[r * COLUMNS + c] = x;
            if (wanted < columns) {
                post(board + (row * columns + column) * WORDS, x);
                out[row * columns + column] = Out<T, T>::raw(x);
            }
        }
        __syncwarp();
        row = next_row;
        begin = next_begin;
        end = next_end;
        element = next;
    }
}
