// random_rows: rows of counts that share a total: how many of each kind were drawn. A row's counts are drawn
// one after the other, each conditional on the ones before.
// Knobs: Origin the source; BLOCK threads; WITHOUT_RETURN 1: of `weights` things of each kind, `total`
// are drawn (multivariate hypergeometric); 0: `total` trials with probabilities `weights` (multinomial).
// Launch: one thread per row; sources that keep a state: thread t has sequence t, in any grid.
#include "knobs/random_rows.cuh"

// The counts of one row of `kinds`.
template <class D> GNP_FN void draw_row(D &d, f64 total, const f64 *weights, i64 *out, i64 kinds)
{
    f64 left = total, rest = 1.0;
    if (WITHOUT_RETURN) {
        rest = 0.0;
#pragma unroll 1
        for (i64 i = 0; i < kinds; i++) {
            rest += weights[i];
        }
    }
#pragma unroll 1
    for (i64 i = 0; i < kinds; i++) {
        f64 weight = weights[i], count = 0.0;
        if (i == kinds - 1) {
            count = left;
        }
        else if (left > 0.0) {
            if constexpr (WITHOUT_RETURN) {
                count = hypergeometric(d, weight, rest - weight, left);
            }
            else {
                f64 p = weight / rest;
                count = binomial(d, left, p < 1.0 ? p : 1.0);
            }
        }
        out[i] = (i64)count;
        left -= count;
        rest -= weight;
    }
}

// Row r has the total r mod ntotals and the weights of row r mod nweights.
extern "C" __global__ void __launch_bounds__(BLOCK)
random_rows(i64 *out, const Origin origin, const f64 *totals, const f64 *weights, const u64 ntotals, const u64 nweights,
            const u64 kinds, const u64 rows)
{
    const u64 thread = (u64)blockIdx.x * BLOCK + threadIdx.x;
    const u64 step = Origin::keeps_state ? (u64)origin.sequences : (u64)gridDim.x * BLOCK;
    if (thread >= rows || (Origin::keeps_state && thread >= step)) {
        return;
    }
    Source<Origin> source(origin, thread);
#pragma unroll 1
    for (u64 row = thread; row < rows; row += step) {
        source.begin(row);
        Stream<Source<Origin>> stream(source);
        draw_row(stream, totals[row % ntotals], weights + row % nweights * kinds, out + row * kinds, (i64)kinds);
    }
    source.end();
}
