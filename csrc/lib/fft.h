/* Fourier transforms: what the files fft*.c share.
 *
 * fft_plan.c keeps cuFFT's plans, fft_layout.c cuts a transform over any axes and strides into
 * plans, fft.c prepares operands and results, fft_functions.c is what Python sees. */
#ifndef GNP_LIB_FFT_H
#define GNP_LIB_FFT_H

#include "lib/lib.h"

typedef enum { GNP_FFT_C2C, GNP_FFT_R2C, GNP_FFT_C2R } GnpFftKind;

/* ---- plans (fft_plan.c) ---------------------------------------------------------------------- */

enum { GNP_FFT_RANK = 3 };

/* cuFFT's advanced layout: element [b][x0][x1][x2] of a side lies at
 * b * distance + ((x0 * embed[1] + x1) * embed[2] + x2) * stride. Counted in elements of the side;
 * the unused places of a key are 0, since keys are compared as bytes. */
typedef struct {
    int64_t embed[GNP_FFT_RANK], stride, distance;
} GnpFftSide;

typedef struct {
    int32_t device_id, type, rank, is_basic; /* basic: both sides C-contiguous, one after another */
    int64_t n[GNP_FFT_RANK], batch;
    GnpFftSide in, out;
} GnpFftKey;

typedef struct GnpFftPlan GnpFftPlan;

/* The plan of a key, made now if it is not in the cache. Needs the GIL, which it releases while it
 * makes one. The device is current. The pointer is valid until the GIL is released. */
GNP_BORROW GnpFftPlan *gnp_fft_plan(GnpDevice *device, const GnpFftKey *key);
/* Puts a transform into `stream`; its work area comes from the pool and is freed at once, in stream
 * order. */
int gnp_fft_plan_run(GnpFftPlan *plan, GnpDevice *device, CUdeviceptr in, CUdeviceptr out,
                     int direction, CUstream stream);

/* Limits and counts of a device's cache; negative limits mean none. */
typedef struct {
    int64_t max_plans, max_bytes, plans, bytes, hits, misses;
} GnpFftCacheInfo;

void gnp_fft_cache_info(int device_id, GnpFftCacheInfo *info);
/* The plans, most recently used first: a list of (type, lengths, batch, bytes of work area). */
PyObject *gnp_fft_cache_list(int device_id);
void gnp_fft_cache_limit(int device_id, int64_t max_plans, int64_t max_bytes);
void gnp_fft_cache_clear(int device_id);

/* ---- measured choices (fft_way.c) ------------------------------------------------------------ */

/* How an axis that is not contiguous is transformed: in place with strides, read with strides and
 * written as contiguous rows, or copied to rows first. */
typedef enum { GNP_FFT_ACROSS, GNP_FFT_TO_ROWS, GNP_FFT_COPIED, GNP_FFT_NWAYS } GnpFftWay;

/* Where the orders of input and output axes are free. */
GnpFftWay gnp_fft_way(GnpFftKind kind, int is_double, int64_t n);
/* Whether copying to rows and back is faster where the axis is strided on both sides. */
int gnp_fft_is_slow_across(GnpFftKind kind, int is_double, int64_t n);
/* Whether an axis of this length is better left out of plans of several axes. */
int gnp_fft_is_better_apart(GnpFftKind kind, int64_t n);
/* Whether, for the whole spectrum of real input, half is computed and the rest filled in by
 * symmetry. */
int gnp_fft_is_worth_mirroring(int is_double, int naxes, const int64_t *n);

/* ---- passes (fft_layout.c) ------------------------------------------------------------------- */

/* 1 for whole transforms of up to three axes by one plan, 0 for one axis at a time. */
extern int gnp_fft_whole;

/* 1 when plans can read or write the array in place: its strides are positive multiples of its item
 * size and its address has the alignment cuFFT needs. */
int gnp_fft_layout_fits(const GnpArray *a);
/* The axes of a transform, in [0, ndim) and all different; for GNP_FFT_R2C and GNP_FFT_C2R the last
 * one is that of the half spectrum. */
typedef struct {
    GnpFftKind kind;
    int inverse, naxes;
    double *scale; /* NULL, or a factor that an intermediate copy may apply and set to 1 */
    int axes[GNP_MAX_DIMS];
} GnpFftAxes;

/* The fastest way to transform axes of `a` (which gnp_fft_layout_fits) when the order of the
 * result's axes is free; `n` is the length of the last one. The axes that are then the fastest of
 * the result are bits of `transposed`. */
GnpFftWay gnp_fft_transposed(const GnpArray *a, const GnpFftAxes *axes, int64_t n, GnpDtype dtype,
                             uint64_t *transposed);
/* out = transform of in; both fit, neither is empty, and they are one or disjoint. Along each axis
 * the arrays have the lengths that the kind asks for. A half spectrum of one axis has real ends. */
int gnp_fft_transform(GnpArray *in, GnpArray *out, const GnpFftAxes *axes);

/* Clears the imaginary parts of the first and, of an even `n`, last point along `axis`, which NumPy
 * ignores and some of cuFFT's single-precision kernels add to the result (up to 7 % of it on an
 * H200; no double-precision one of 380 measured does, so those arrays stay as they are). */
int gnp_fft_make_ends_real(GnpArray *spectrum, int axis, int64_t n);

/* out = scale * in, computed in a floating dtype and conjugated or not: one launch (fft.c). */
int gnp_fft_copy(GnpArray *out, GnpArray *in, GnpDtype compute, double scale, int conjugates);

/* ---- calls (fft.c) --------------------------------------------------------------------------- */

typedef enum { GNP_FFT_BACKWARD, GNP_FFT_ORTHO, GNP_FFT_FORWARD } GnpFftNorm;

typedef struct {
    GnpFftAxes axes;
    int64_t n[GNP_MAX_DIMS]; /* of each axis: the length of its transform */
    GnpFftNorm norm;
    int hermitian;  /* hfft and ihfft: conjugated before or after */
    int overwrites; /* the input may hold the result */
    int widens;     /* a real result of 16-bit floats is float32, as SciPy has it */
    GnpArray *out;  /* the array for the result, or NULL */
} GnpFftCall;

/* The transform of `a`, padded with zeros or cut to the lengths asked for. New reference. */
PyObject *gnp_fft_call(GnpArray *a, const GnpFftCall *call);

/* The transform by the function of Python that has the callbacks; NotImplemented where the thread
 * has none (fft_callback.c). New reference. */
PyObject *gnp_fft_with_callbacks(GnpArray *a, const GnpFftCall *call);

int gnp_fft_init(PyObject *module);
int gnp_fft_callback_init(PyObject *module); /* fft_callback.c */
int gnp_cosine_init(PyObject *module);       /* fft_cosine.c */

#endif
