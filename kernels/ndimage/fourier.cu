// fourier: out = in times a function of the frequencies, of which `tables` has one number (two for phases: real and imaginary
// part) for each index of each axis, axis after axis.
// Knobs: S stored in `in`, R in `out`; computed in A, f64 or c128; KIND of enum FourierKind; EACH elements of a thread;
// BLOCK threads. Launch: a block per BLOCK * EACH elements.
#include "knobs/fourier.cuh"
#include "scaled.cuh"
#include "special/bessel01.cuh"

typedef Compute<A> Number;

GNP_FN f64 turned(f64 x, c128 phase) { return x; } // never: phases are for complex results
GNP_FN c128 turned(c128 x, c128 phase) { return x * phase; }

// sin(r) / r, 2 J1(r) / r and 3 (sin(r) - r cos(r)) / r^3: spectra of an interval, a disc and a ball of radius r / k.
GNP_FN f64 of_ellipsoid(f64 squares, int naxes)
{
    const f64 r = 3.141592653589793 * sqrt(squares);
    if (r == 0) {
        return 1;
    }
    if (naxes == 1) {
        return sin(r) / r;
    }
    if (naxes == 2) {
        return 2 * special::j1(r) / r;
    }
    if (r < 0.5) { // the difference would cancel: its power series
        const f64 q = r * r;
        return 1 - q * (1.0 / 10 - q * (1.0 / 280 - q * (1.0 / 15120 - q * (1.0 / 1330560 - q * (1.0 / 172972800)))));
    }
    return 3 * (sin(r) - r * cos(r)) / (r * r * r);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
fourier(Raw<R> *out, const Raw<S> *in, const f64 *tables, const GnpImageShape shape)
{
    const i64 first = (i64)blockIdx.x * BLOCK * EACH + threadIdx.x;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const i64 i = first + e * BLOCK;
        if (i >= shape.size) {
            return;
        }
        const f64 *end = tables + shape.table;
        Index rest = (Index)i;
        f64 factor = KIND == FOURIER_ELLIPSOID ? 0 : 1;
        c128 phase = c128(1, 0);
#pragma unroll 1
        for (int axis = (int)shape.naxes - 1; axis >= 0; axis--) {
            const Index n = (Index)shape.sizes[axis], left = rest / n, k = rest - left * n;
            rest = left;
            end -= KIND == FOURIER_PHASES ? 2 * n : n;
            if constexpr (KIND == FOURIER_PHASES) {
                phase = phase * c128(end[2 * k], end[2 * k + 1]);
            }
            else if constexpr (KIND == FOURIER_FACTORS) {
                factor *= end[k];
            }
            else {
                factor += end[k];
            }
        }
        const Number x = In<S, A>::value(in[i]);
        if constexpr (KIND == FOURIER_PHASES) {
            out[i] = Out<R, A>::raw(turned(x, phase));
        }
        else {
            out[i] = Out<R, A>::raw(scaled(KIND == FOURIER_ELLIPSOID ? of_ellipsoid(factor, (int)shape.naxes) : factor, x));
        }
    }
}
