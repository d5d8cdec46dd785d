/* Complex transforms of one line, in double precision: what the emulated cuFFT computes with.
 */
#ifndef EMU_FFT_TRANSFORM_H
#define EMU_FFT_TRANSFORM_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    double re, im;
} FftComplex;

/* What a length needs: its factors and roots of unity. Immutable once made. Short ones are kept for
 * the life of the process, long ones live from get to release. NULL when memory is exhausted. Any
 * thread. */
typedef struct FftLength FftLength;

FftLength *fft_length_get(int64_t n);
void fft_length_release(FftLength *length); /* NULL is allowed */
/* Elements that `scratch` of fft_line must hold. */
size_t fft_length_scratch(const FftLength *length);

/* x[k] = sum over j of x[j] * exp(sign * 2 pi i j k / n), in place and unscaled; `sign` is -1 for
 * the forward transform and 1 for the inverse. */
void fft_line(const FftLength *length, int sign, FftComplex *x, FftComplex *scratch);

#endif
