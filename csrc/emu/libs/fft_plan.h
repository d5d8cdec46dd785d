/* A plan of the emulated cuFFT: what cufft_plan.c fills in and fft_execute.c carries out. */
#ifndef EMU_FFT_PLAN_H
#define EMU_FFT_PLAN_H

#include "emu/libs/fft_transform.h"

enum { FFT_MAX_RANK = 3 };

typedef enum { FFT_C2C, FFT_R2C, FFT_C2R } FftKind;

/* One side of a plan, in elements. */
typedef struct {
    int is_real;
    int64_t shape[FFT_MAX_RANK]; /* as stored: the last one is n / 2 + 1 for the half spectrum */
    int64_t stride[FFT_MAX_RANK];
    int64_t distance; /* from one transform of the batch to the next */
} FftSide;

typedef struct {
    FftKind kind;
    int is_double;
    int rank;
    int64_t n[FFT_MAX_RANK], batch;
    FftSide in, out;
    int is_basic; /* no layout was given: in place, rows of reals are padded to those of complex */
} FftShape;

/* Bytes of one element of that side. */
int64_t fft_element_bytes(const FftShape *shape, const FftSide *side);
/* Bytes from the first element of a side to the end of its last one. */
int64_t fft_side_bytes(const FftShape *shape, const FftSide *side);
/* The layout of a transform in place, where the basic one differs. */
void fft_pad_reals(FftShape *shape);

/* All transforms of the batch. `sign` as for fft_line; ignored unless C2C. A transform from complex
 * to real of more than one axis leaves its intermediate values in the input, as cuFFT may. 0, or -1
 * when host memory is exhausted; then nothing was written. */
int fft_execute(const FftShape *shape, int sign, void *in, void *out);

#endif
