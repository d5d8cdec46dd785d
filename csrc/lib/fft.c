/* One transform: preparing the input, running plans, and scaling the result.
 *
 * The input is read in place unless it must be cast, padded or conjugated, or has a layout that no
 * plan can read. The result has NumPy's dtype and the input's memory order. Scaling is one launch
 * over the result, and none where the factor is 1.
 *
 * Called by fft_functions.c with the GIL. Steps: choose_dtypes and choose_shapes, prepare the
 * input, choose where the plans write, run them (fft_layout.c), finish. A factor is applied by
 * whichever step writes anyway; Work.scale is what is left of it.
 */
#include "lib/fft.h"

#include <math.h>
#include <string.h>

static const GnpElementOp conjugate_op = {
    .name = "fft_conjugate", .expression = "conjugate(a)", .nin = 1, .nout = 1};
static const GnpElementOp scale_op = {
    .name = "fft_scale", .expression = "scaled(a, b)", .nin = 2, .nout = 1};
static const GnpElementOp scale_conjugate_op = {
    .name = "fft_scale_conjugate", .expression = "scaled(conjugate(a), b)", .nin = 2, .nout = 1};

/* From so many elements on, transforming several axes of a real input to half the spectrum pays for
 * the launches that fill in the other half. */
enum { MIRRORED_ELEMENTS = 1 << 19 };

/* What a call works with. */
typedef struct {
    const GnpFftCall *call;
    GnpArray *a;
    int last;         /* the half spectrum's axis, or one of the others */
    int64_t n_last;   /* its length */
    GnpDtype in, out; /* dtypes of cuFFT's input and output */
    GnpDtype result;  /* dtype of the result */
    int64_t in_shape[GNP_MAX_DIMS], out_shape[GNP_MAX_DIMS];
    double scale; /* factor still to be applied */
    int mirrors;  /* whole spectrum of a real input: half of it is computed */
    uint64_t
        transposed; /* the axes that are the fastest ones of the result, whatever the input's */
    int copies;     /* and of the input: a copy of it */
} Work;

/* ---- dtypes and shapes ----------------------------------------------------------------------- */

/* NumPy's: 16-bit and 32-bit floats and complex64 stay single, everything else is double. A real
 * result of a 16-bit float is one. */
static int
choose_dtypes(Work *w)
{
    GnpDtype given = (GnpDtype)w->a->dtype;
    GnpDtype complex = gnp_dtypes[given].complex, real = gnp_dtypes[complex].real;
    int is_half = gnp_dtypes[given].compute != given;
    GnpFftKind kind = w->call->axes.kind;
    if (kind == GNP_FFT_R2C && gnp_dtypes[given].cls == 'c') {
        PyErr_Format(PyExc_TypeError,
                     "a transform of real input cannot take %s, which cannot be cast to %s "
                     "according to the casting rule 'safe'",
                     gnp_dtypes[given].name, gnp_dtypes[real].name);
        return -1;
    }
    w->in = kind == GNP_FFT_R2C ? real : complex;
    w->out = kind == GNP_FFT_C2R ? real : complex;
    w->result = kind == GNP_FFT_C2R && is_half && !w->call->widens ? given : w->out;
    /* The spectrum of a real input is Hermitian, so half of it is computed and the rest copied. */
    w->mirrors = kind == GNP_FFT_C2C && !w->call->axes.inverse && gnp_dtypes[given].cls != 'c' &&
                 w->call->axes.naxes <= (w->a->size < MIRRORED_ELEMENTS ? 1 : GNP_FFT_RANK) &&
                 gnp_fft_is_worth_mirroring(real == GNP_F64, w->call->axes.naxes, w->call->n);
    if (w->mirrors) {
        w->in = real;
    }
    return 0;
}

static int
choose_shapes(Work *w)
{
    const GnpFftAxes *axes = &w->call->axes;
    /* A double, since the product of lengths may exceed 64 bits before the allocation fails. */
    double count = 1;
    memcpy(w->in_shape, gnp_shape(w->a), (size_t)w->a->ndim * sizeof(int64_t));
    memcpy(w->out_shape, gnp_shape(w->a), (size_t)w->a->ndim * sizeof(int64_t));
    for (int k = 0; k < axes->naxes; k++) {
        int64_t n = w->call->n[k];
        if (n < 1) {
            PyErr_Format(PyExc_ValueError, "Invalid number of FFT data points (%lld) specified.",
                         (long long)n);
            return -1;
        }
        w->in_shape[axes->axes[k]] = w->out_shape[axes->axes[k]] = n;
        count *= (double)n;
    }
    w->last = axes->axes[axes->naxes - 1];
    w->n_last = w->call->n[axes->naxes - 1];
    if (axes->kind == GNP_FFT_C2R) {
        w->in_shape[w->last] = w->n_last / 2 + 1;
    }
    if (axes->kind == GNP_FFT_R2C) {
        w->out_shape[w->last] = w->n_last / 2 + 1;
    }
    /* For norm, hfft counts as a forward and ihfft as a backward transform. */
    int forward = axes->inverse == w->call->hermitian;
    int divides = w->call->norm == GNP_FFT_FORWARD ? forward : !forward;
    w->scale = w->call->norm == GNP_FFT_ORTHO ? 1 / sqrt(count) : divides ? 1 / count : 1;
    return 0;
}

static int64_t
shape_size(const Work *w, const int64_t *shape)
{
    int64_t size = 1;
    for (int i = 0; i < w->a->ndim; i++) {
        size *= shape[i];
    }
    return size;
}

/* A new array whose axes lie in memory in the order of those of the input, but for those
 * transposed. */
static GnpArray *
new_in_order(const Work *w, const int64_t *shape, GnpDtype dtype, uint64_t transposed)
{
    const GnpArray *like = w->a;
    GnpArray *a = gnp_array_new(like->ndim, shape, dtype, 'C');
    if (a == NULL || (like->flags & GNP_C_CONTIGUOUS && transposed == 0) || like->ndim < 2) {
        return a;
    }
    /* Insertion sort by stride; transposed axes count as the fastest. */
    int order[GNP_MAX_DIMS]; /* slowest first */
    for (int i = 0; i < like->ndim; i++) {
        int at = i, is_last = (int)(transposed >> i & 1);
        int64_t stride = llabs(gnp_strides(like)[i]);
        for (; at > 0; at--) {
            int is_other_last = (int)(transposed >> order[at - 1] & 1);
            int is_faster = is_last != is_other_last
                                ? is_other_last
                                : llabs(gnp_strides(like)[order[at - 1]]) < stride;
            if (!is_faster) {
                break;
            }
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
    int64_t step = gnp_itemsize(a);
    for (int k = like->ndim - 1; k >= 0; k--) {
        gnp_strides(a)[order[k]] = step;
        step *= shape[order[k]] > 0 ? shape[order[k]] : 1;
    }
    gnp_array_update_flags(a);
    return a;
}

/* ---- launches -------------------------------------------------------------------------------- */

static GnpOperand
operand_of(const GnpArray *a, GnpDtype compute)
{
    return (GnpOperand){.data = a->data,
                        .block = a->block,
                        .strides = gnp_strides(a),
                        .dtype = a->dtype,
                        .compute = compute};
}

int
gnp_fft_copy(GnpArray *out, GnpArray *in, GnpDtype compute, double factor, int conjugates)
{
    GnpDtype real = gnp_dtypes[compute].real;
    int is_double = real == GNP_F64;
    GnpScalar scale = {.bits = {0, 0}};
    if (!(out->flags & GNP_ALIGNED)) {
        GnpArray *aligned = gnp_array_new_like(out, out->dtype, 'K'); /* owned */
        int failed = aligned == NULL ||
                     gnp_fft_copy(aligned, in, compute, factor, conjugates) < 0 ||
                     gnp_copy(out, aligned) < 0;
        Py_XDECREF((PyObject *)aligned);
        return failed ? -1 : 0;
    }
    if (is_double) {
        scale.d = factor;
    }
    else {
        scale.f = (float)factor;
    }
    GnpOperand operands[3] = {operand_of(in, compute),
                              {.scalar = &scale, .dtype = real, .compute = real},
                              operand_of(out, compute)};
    return gnp_elementwise(conjugates ? &scale_conjugate_op : &scale_op, operands, out->ndim,
                           gnp_shape(out));
}

/* out = scale * work, conjugated for ihfft; skipped where there is nothing to do. */
static int
finish(const Work *w, GnpArray *work, GnpArray *out)
{
    int conjugates = w->call->hermitian && w->call->axes.kind == GNP_FFT_R2C;
    return work == out && w->scale == 1 && !conjugates
               ? 0
               : gnp_fft_copy(out, work, w->out, w->scale, conjugates);
}

/* A view of the elements of an array below `shape`. */
static GnpArray *
corner(GnpArray *a, const int64_t *shape)
{
    return gnp_array_view(a, a->data, a->ndim, shape, gnp_strides(a), (GnpDtype)a->dtype);
}

/* Zeros the padding: only the added part if one axis was padded, else the whole copy before it is
 * filled. */
static int
clear_padding(GnpArray *whole, const int64_t *filled)
{
    static const GnpScalar zero = {.bits = {0, 0}};
    int64_t shape[GNP_MAX_DIMS], axis = -1;
    int npadded = 0;
    for (int i = 0; i < whole->ndim; i++) {
        shape[i] = gnp_shape(whole)[i];
        if (filled[i] < shape[i]) {
            npadded++;
            axis = i;
        }
    }
    if (npadded == 0) {
        return 0;
    }
    if (npadded > 1) {
        return gnp_fill(whole, &zero);
    }
    shape[axis] -= filled[axis];
    GnpArray *rest =
        gnp_array_view(whole, whole->data + (CUdeviceptr)(filled[axis] * gnp_strides(whole)[axis]),
                       whole->ndim, shape, gnp_strides(whole), (GnpDtype)whole->dtype);
    int status = rest != NULL ? gnp_fill(rest, &zero) : -1;
    Py_XDECREF((PyObject *)rest);
    return status;
}

/* ---- the input ------------------------------------------------------------------------------- */

/* Whether the complex-to-real plan reads the result of `prepare` directly, so that the imaginary
 * parts of its ends have to be cleared, in a copy. The copy costs no more than scaling the result,
 * which it does on the way. */
static int
has_own_ends(const Work *w)
{
    const GnpFftAxes *axes = &w->call->axes;
    int64_t others = 1;
    for (int k = 0; k < axes->naxes - 1; k++) {
        others *= w->call->n[k];
    }
    return axes->kind == GNP_FFT_C2R && others == 1 && w->in == GNP_C64;
}

/* Whether the copy of the input has the result's transposed axes as well: not for complex-to-real
 * transforms of several axes, which are transformed along one axis after the others. */
static int
is_joined(const Work *w)
{
    return w->call->axes.kind != GNP_FFT_C2R || w->call->axes.naxes == 1;
}

/* A copy of `a` for cuFFT: cast, truncated or padded, conjugated for hfft. */
static GnpArray *
prepare_copy(Work *w)
{
    GnpArray *a = w->a;
    GnpArray *aligned = NULL, *part = NULL, *copy = NULL, *filled = NULL; /* owned */
    GnpArray *ret = NULL;
    int64_t common[GNP_MAX_DIMS];
    int conjugates = w->call->hermitian && w->call->axes.kind == GNP_FFT_C2R;
    for (int i = 0; i < a->ndim; i++) {
        /* Truncated where the transform is shorter, padded where it is longer. */
        common[i] = gnp_shape(a)[i] < w->in_shape[i] ? gnp_shape(a)[i] : w->in_shape[i];
    }
    GNP_NEW(aligned, gnp_aligned(a));
    GNP_NEW(part, corner(aligned, common));
    GNP_NEW(copy, new_in_order(w, w->in_shape, w->in, w->copies ? w->transposed : 0));
    GNP_TRY(clear_padding(copy, common));
    GNP_NEW(filled, corner(copy, common));
    if (conjugates || w->scale != 1) {
        GNP_TRY(gnp_fft_copy(filled, part, w->in, w->scale, conjugates));
        w->scale = 1;
    }
    else {
        GnpOperand operands[2] = {operand_of(part, w->in), operand_of(filled, w->in)};
        GNP_TRY(gnp_elementwise(&gnp_copy_op, operands, a->ndim, common));
    }
    if (has_own_ends(w)) {
        GNP_TRY(gnp_fft_make_ends_real(copy, w->last, w->n_last));
    }
    ret = (GnpArray *)Py_NewRef((PyObject *)copy);
fail:
    Py_XDECREF((PyObject *)aligned);
    Py_XDECREF((PyObject *)part);
    Py_XDECREF((PyObject *)copy);
    Py_XDECREF((PyObject *)filled);
    return ret;
}

/* The input in a form that plans can read: itself, a view of a part, or a copy. New reference.
 * Plans must not write the input, so a complex-to-real plan, which may, gets a copy. */
static GnpArray *
prepare(Work *w)
{
    GnpArray *a = w->a;
    int is_cut = 0;
    if (w->call->out == NULL && !w->mirrors && gnp_fft_layout_fits(a)) {
        GnpFftAxes axes = w->call->axes;
        if (!is_joined(w)) {
            axes.axes[0] = w->last;
            axes.naxes = 1;
        }
        GnpFftWay way = gnp_fft_transposed(a, &axes, w->n_last, w->in, &w->transposed);
        w->copies = way == GNP_FFT_COPIED && is_joined(w);
    }
    if (w->copies || a->dtype != (int)w->in || !gnp_fft_layout_fits(a) ||
        (w->call->hermitian && w->call->axes.kind == GNP_FFT_C2R) ||
        (has_own_ends(w) && shape_size(w, w->in_shape) > 0)) {
        return prepare_copy(w);
    }
    for (int i = 0; i < a->ndim; i++) {
        if (gnp_shape(a)[i] < w->in_shape[i]) {
            return prepare_copy(w);
        }
        is_cut |= gnp_shape(a)[i] > w->in_shape[i];
    }
    return is_cut ? corner(a, w->in_shape) : (GnpArray *)Py_NewRef((PyObject *)a);
}

/* ---- the output ------------------------------------------------------------------------------ */

static int
check_out(const Work *w)
{
    const GnpArray *out = w->call->out;
    if (out->ndim != w->a->ndim ||
        memcmp(gnp_shape(out), w->out_shape, (size_t)out->ndim * sizeof(int64_t)) != 0) {
        PyErr_SetString(PyExc_ValueError, "output array has wrong shape.");
        return -1;
    }
    if (!gnp_can_cast(w->result, (GnpDtype)out->dtype, GNP_CAST_SAME_KIND)) {
        PyErr_Format(PyExc_TypeError,
                     "Cannot cast the output of a transform from dtype('%s') to dtype('%s') with "
                     "casting rule 'same_kind'",
                     gnp_dtypes[w->result].name, gnp_dtypes[out->dtype].name);
        return -1;
    }
    if (out->device_id != w->a->device_id) {
        PyErr_Format(PyExc_ValueError, "the output is on device %d, the input on device %d",
                     out->device_id, w->a->device_id);
        return -1;
    }
    return gnp_check_writeable(out);
}

static int
have_same_layout(const GnpArray *a, const GnpArray *b)
{
    return a->data == b->data && a->dtype == b->dtype && a->ndim == b->ndim &&
           memcmp(a->dims, b->dims, 2 * (size_t)a->ndim * sizeof(int64_t)) == 0;
}

/* The array that cuFFT writes: the result itself if possible, else another one. New reference. Out
 * of place where input and output overlap in any way but exactly. */
static GnpArray *
choose_place(const Work *w, GnpArray *in)
{
    GnpArray *out = w->call->out;
    int in_place = w->call->axes.kind == GNP_FFT_C2C && !w->mirrors;
    if (out == NULL && in_place && in->flags & GNP_WRITEABLE &&
        (in->block != w->a->block || (in == w->a && w->call->overwrites && w->transposed == 0))) {
        return (GnpArray *)Py_NewRef(
            (PyObject *)in); /* a copy of our own, or an input that may be overwritten */
    }
    if (out == NULL || out->dtype != (int)w->out || !gnp_fft_layout_fits(out)) {
        return new_in_order(w, w->out_shape, w->out, w->transposed);
    }
    if (gnp_may_overlap(in, out) && !(in_place && have_same_layout(in, out))) {
        return new_in_order(w, w->out_shape, w->out, w->transposed);
    }
    return (GnpArray *)Py_NewRef((PyObject *)out);
}

/* ---- whole spectrum of real input ------------------------------------------------------------ */

/* An axis is split for Hermitian symmetry into its first point, which is its own mirror image, and
 * the others, whose images are in reverse order. Byte offsets go to `operands`. */
static void
take_image(GnpOperand *operands, int64_t *shape, int64_t *back, int axis, int others)
{
    int64_t stride = back[axis];
    if (!others) {
        shape[axis] = 1;
        return;
    }
    operands[0].data += (CUdeviceptr)((shape[axis] - 1) * stride);
    operands[1].data += (CUdeviceptr)stride;
    back[axis] = -stride;
    shape[axis]--;
}

/* work[-k, -l ...] = conjugate of work[k, l ...] for what the transform to the half spectrum left
 * out along the last axis: a launch for each choice of the other axes' first points or the rest. */
static int
mirror(const Work *w, GnpArray *work)
{
    const GnpFftAxes *axes = &w->call->axes;
    int64_t half = w->n_last / 2 + 1, stride = gnp_strides(work)[w->last];
    for (int choice = 0; choice < 1 << (axes->naxes - 1); choice++) {
        int64_t shape[GNP_MAX_DIMS], back[GNP_MAX_DIMS], size = 1;
        memcpy(shape, gnp_shape(work), (size_t)work->ndim * sizeof *shape);
        memcpy(back, gnp_strides(work), (size_t)work->ndim * sizeof *back);
        shape[w->last] = w->n_last - half;
        back[w->last] = -stride;
        GnpOperand operands[2] = {operand_of(work, w->out), operand_of(work, w->out)};
        operands[0].data += (CUdeviceptr)((w->n_last - half) * stride);
        operands[0].strides = back;
        operands[1].data += (CUdeviceptr)(half * stride);
        for (int i = 0; i < axes->naxes - 1; i++) {
            take_image(operands, shape, back, axes->axes[i], choice >> i & 1);
        }
        for (int i = 0; i < work->ndim; i++) {
            size *= shape[i];
        }
        if (size > 0 && gnp_elementwise(&conjugate_op, operands, work->ndim, shape) < 0) {
            return -1;
        }
    }
    return 0;
}

static int
transform_and_mirror(const Work *w, GnpArray *in, GnpArray *work, GnpFftAxes *axes)
{
    int64_t shape[GNP_MAX_DIMS];
    memcpy(shape, w->out_shape, (size_t)work->ndim * sizeof *shape);
    shape[w->last] = w->n_last / 2 + 1;
    axes->kind = GNP_FFT_R2C;
    GnpArray *half = corner(work, shape); /* owned */
    int status = half != NULL ? gnp_fft_transform(in, half, axes) : -1;
    Py_XDECREF((PyObject *)half);
    return status < 0 ? -1 : mirror(w, work);
}

/* ---- the call -------------------------------------------------------------------------------- */

static int
run(Work *w, GnpArray *in, GnpArray *work)
{
    GnpFftAxes axes = w->call->axes;
    axes.scale = &w->scale;
    if (shape_size(w, w->out_shape) == 0) {
        return 0;
    }
    return w->mirrors ? transform_and_mirror(w, in, work, &axes)
                      : gnp_fft_transform(in, work, &axes);
}

/* The array that is returned: `work`, or one of another dtype or memory. New reference. */
static GnpArray *
choose_result(const Work *w, GnpArray *work)
{
    if (w->call->out != NULL) {
        return (GnpArray *)Py_NewRef((PyObject *)w->call->out);
    }
    return w->result == w->out ? (GnpArray *)Py_NewRef((PyObject *)work)
                               : gnp_array_new_like(work, w->result, 'K');
}

/* The input's device is current during the call. */
PyObject *
gnp_fft_call(GnpArray *a, const GnpFftCall *call)
{
    GnpArray *in = NULL, *work = NULL, *result = NULL; /* owned */
    PyObject *ret = NULL;
    Work w = {.call = call, .a = a};
    int previous;
    GNP_TRY(choose_dtypes(&w));
    GNP_TRY(choose_shapes(&w));
    if (call->out != NULL) {
        GNP_TRY(check_out(&w));
    }
    if (gnp_state.fft_callback != NULL) {
        GNP_NEW(ret, gnp_fft_with_callbacks(a, call));
        if (ret != Py_NotImplemented) {
            return ret;
        }
        Py_CLEAR(ret);
    }
    if (gnp_array_enter(a, &previous) < 0) {
        return NULL;
    }
    in = prepare(&w);
    work = in != NULL ? choose_place(&w, in) : NULL;
    result = work != NULL ? choose_result(&w, work) : NULL;
    if (result != NULL && run(&w, in, work) == 0 && finish(&w, work, result) == 0) {
        ret = Py_NewRef((PyObject *)result);
    }
    gnp_array_leave(a, previous);
fail:
    Py_XDECREF((PyObject *)in);
    Py_XDECREF((PyObject *)work);
    Py_XDECREF((PyObject *)result);
    return ret;
}
