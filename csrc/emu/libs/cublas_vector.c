/* The emulated cuBLAS: vectors. gpunp calls none of these; programs do, by their addresses.
 *
 * A result goes to device memory in the device's pointer mode. In the host's the call waits for
 * it, as that of the real library. */
#include "emu/libs/numbers.h"

#include <math.h>

/* `out` is what x and y result in; `scale` the factor of x. */
typedef struct {
    int n, is_on_device;
    View x, y;
    Factor scale;
    cudaDataType out_type;
    void *out;
} Work;

/* Puts work on the `n` elements of its vectors into the stream. */
static int
submit(cublasHandle_t handle, EmuWork work, const Work *w, int n)
{
    if (handle == NULL) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    /* A function of one vector has no second one: that of zeros is shorter than any. */
    int n_y = w->y.row != 0 || w->y.data != NULL ? n : 0;
    if (w->scale.is_misplaced ||
        !EMU_ARE_INSIDE(emu_view_array(&w->x, n, 1), emu_view_array(&w->y, n_y, 1))) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    return emu_cublas_enqueue(handle, work, w, sizeof *w);
}

/* The same for work that has a result; waits for one that goes to the host. */
static int
submit_measure(cublasHandle_t handle, EmuWork work, Work *w, int n)
{
    if (handle == NULL) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (emu_is_misplaced(handle, w->out_type, w->out)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    w->is_on_device = handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE;
    int status = submit(handle, work, w, n);
    if (status == 0 && !w->is_on_device) {
        status = emu_math_status(emu_math.cuStreamSynchronize(handle->stream),
                                 CUBLAS_STATUS_ALLOC_FAILED, CUBLAS_STATUS_EXECUTION_FAILED);
    }
    return status;
}

static void
give(const Work *w, Number value)
{
    if (w->is_on_device) {
        emu_touch(w->out_type, w->out, 1, 1, 1, EMU_WRITES);
    }
    emu_put(w->out_type, w->out, 0, value);
}

/* BLAS's magnitude of a complex number. */
static double
size_of(const Work *w, int64_t i)
{
    Number value = emu_element(&w->x, i, 0);
    return fabs(value.re) + fabs(value.im);
}

/* Nothing is read where the increment is not positive. */
static int
count_of(const Work *w)
{
    int n = w->x.row > 0 && w->n > 0 ? w->n : 0;
    emu_touch_view(&w->x, n, 1, EMU_READS);
    return n;
}

/* ---- sums and positions ---------------------------------------------------------------------- */

static void
run_sum(void *arguments)
{
    const Work *w = arguments;
    double sum = 0;
    int n = count_of(w);
    for (int i = 0; i < n; i++) {
        sum += size_of(w, i);
    }
    give(w, (Number){sum, 0});
}

/* Scaled by the largest part, so that no square overflows. */
static void
run_norm(void *arguments)
{
    const Work *w = arguments;
    double largest = 0, sum = 0;
    int n = count_of(w);
    for (int i = 0; i < n; i++) {
        double size = size_of(w, i);
        largest = size > largest || isnan(size) ? size : largest;
    }
    for (int i = 0; i < n && largest > 0 && isfinite(largest); i++) {
        Number value = emu_element(&w->x, i, 0);
        double re = value.re / largest, im = value.im / largest;
        sum += re * re + im * im;
    }
    give(w, (Number){sum > 0 ? largest * sqrt(sum) : largest, 0});
}

/* The first of the elements of largest, or smallest, magnitude, counted from 1; 0 for none. */
static int
extreme(const Work *w, int is_largest)
{
    int n = count_of(w), best = 0;
    double found = 0;
    for (int i = 0; i < n; i++) {
        double size = size_of(w, i);
        if (best == 0 || (is_largest ? size > found : size < found)) {
            best = i + 1;
            found = size;
        }
    }
    return best;
}

static void
run_largest(void *arguments)
{
    give(arguments, (Number){extreme(arguments, 1), 0});
}

static void
run_smallest(void *arguments)
{
    give(arguments, (Number){extreme(arguments, 0), 0});
}

/* One function for each prefix and each of the four runs: the types of elements and results. */
#define MEASURE(name, run, in, result)                                                             \
    API(cublas##name##_v2, cublasHandle_t handle, int n, const void *x, int incx, void *out)       \
    {                                                                                              \
        Work w = {.n = n, .x = emu_vector(in, 0, x, incx), .out_type = result, .out = out};        \
        return submit_measure(handle, run, &w, incx > 0 ? n : 0);                                  \
    }
MEASURE(Sasum, run_sum, CUDA_R_32F, CUDA_R_32F)
MEASURE(Dasum, run_sum, CUDA_R_64F, CUDA_R_64F)
MEASURE(Scasum, run_sum, CUDA_C_32F, CUDA_R_32F)
MEASURE(Dzasum, run_sum, CUDA_C_64F, CUDA_R_64F)
MEASURE(Snrm2, run_norm, CUDA_R_32F, CUDA_R_32F)
MEASURE(Dnrm2, run_norm, CUDA_R_64F, CUDA_R_64F)
MEASURE(Scnrm2, run_norm, CUDA_C_32F, CUDA_R_32F)
MEASURE(Dznrm2, run_norm, CUDA_C_64F, CUDA_R_64F)
MEASURE(Isamax, run_largest, CUDA_R_32F, CUDA_R_32I)
MEASURE(Idamax, run_largest, CUDA_R_64F, CUDA_R_32I)
MEASURE(Icamax, run_largest, CUDA_C_32F, CUDA_R_32I)
MEASURE(Izamax, run_largest, CUDA_C_64F, CUDA_R_32I)
MEASURE(Isamin, run_smallest, CUDA_R_32F, CUDA_R_32I)
MEASURE(Idamin, run_smallest, CUDA_R_64F, CUDA_R_32I)
MEASURE(Icamin, run_smallest, CUDA_C_32F, CUDA_R_32I)
MEASURE(Izamin, run_smallest, CUDA_C_64F, CUDA_R_32I)

/* ---- two vectors ----------------------------------------------------------------------------- */

static void
run_dot(void *arguments)
{
    const Work *w = arguments;
    Number sum = {0, 0};
    emu_touch_view(&w->x, w->n, 1, EMU_READS);
    emu_touch_view(&w->y, w->n, 1, EMU_READS);
    for (int i = 0; i < w->n; i++) {
        sum = emu_plus(sum, emu_times(emu_element(&w->x, i, 0), emu_element(&w->y, i, 0)));
    }
    give(w, sum);
}

#define DOT(name, type, conjugates)                                                                \
    API(cublas##name##_v2, cublasHandle_t handle, int n, const void *x, int incx, const void *y,   \
        int incy, void *out)                                                                       \
    {                                                                                              \
        Work w = {.n = n, .out_type = type, .out = out};                                           \
        w.x = emu_vector(type, n, x, incx);                                                        \
        w.y = emu_vector(type, n, y, incy);                                                        \
        w.x.is_conjugate = conjugates;                                                             \
        return submit_measure(handle, run_dot, &w, n);                                             \
    }
DOT(Sdot, CUDA_R_32F, 0)
DOT(Ddot, CUDA_R_64F, 0)
DOT(Cdotu, CUDA_C_32F, 0)
DOT(Cdotc, CUDA_C_32F, 1)
DOT(Zdotu, CUDA_C_64F, 0)
DOT(Zdotc, CUDA_C_64F, 1)

static void
run_axpy(void *arguments)
{
    const Work *w = arguments;
    Number scale = emu_factor_value(&w->scale);
    emu_touch_view(&w->x, w->n, 1, EMU_READS);
    emu_touch_view(&w->y, w->n, 1, EMU_READS_AND_WRITES);
    for (int i = 0; i < w->n; i++) {
        Number more = emu_times(scale, emu_element(&w->x, i, 0));
        emu_store(&w->y, i, 0, emu_plus(emu_element(&w->y, i, 0), more));
    }
}

#define AXPY(L, type)                                                                              \
    API(cublas##L##axpy_v2, cublasHandle_t handle, int n, const void *alpha, const void *x,        \
        int incx, void *y, int incy)                                                               \
    {                                                                                              \
        Work w = {.n = n, .scale = emu_factor(handle, type, alpha)};                               \
        w.x = emu_vector(type, n, x, incx);                                                        \
        w.y = emu_vector(type, n, y, incy);                                                        \
        return submit(handle, run_axpy, &w, n);                                                    \
    }
FOR_TYPES(AXPY)

static void
run_scal(void *arguments)
{
    const Work *w = arguments;
    Number scale = emu_factor_value(&w->scale);
    int n = count_of(w);
    emu_touch_view(&w->x, n, 1, EMU_WRITES);
    for (int i = 0; i < n; i++) {
        emu_store(&w->x, i, 0, emu_times(scale, emu_element(&w->x, i, 0)));
    }
}

#define SCAL(name, type, scale_type)                                                               \
    API(cublas##name##_v2, cublasHandle_t handle, int n, const void *alpha, void *x, int incx)     \
    {                                                                                              \
        Work w = {.n = n, .scale = emu_factor(handle, scale_type, alpha)};                         \
        w.x = emu_vector(type, 0, x, incx);                                                        \
        return submit(handle, run_scal, &w, incx > 0 ? n : 0);                                     \
    }
SCAL(Sscal, CUDA_R_32F, CUDA_R_32F)
SCAL(Dscal, CUDA_R_64F, CUDA_R_64F)
SCAL(Cscal, CUDA_C_32F, CUDA_C_32F)
SCAL(Csscal, CUDA_C_32F, CUDA_R_32F)
SCAL(Zscal, CUDA_C_64F, CUDA_C_64F)
SCAL(Zdscal, CUDA_C_64F, CUDA_R_64F)
