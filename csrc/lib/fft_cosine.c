/* Cosine and sine transforms of types 1 to 4: one launch, one Fourier transform, one launch.
 *
 * Rows are contiguous here; gpunp.scipy.fft moves axes to the end. The steps of a type and the
 * Fourier transform between them are a row of `forms`.
 *
 * Type 1 is the transform of the mirrored row; types 2 and 3 permute the row and rotate a half
 * spectrum (Makhoul's method); type 4 uses a complex transform of half the length where n is even.
 *
 * The first launch writes the input of the Fourier transform and the second its result, both
 * with the rotations by e^(-i pi k / 2n) or similar. Makhoul, "A fast cosine transform in one
 * and two dimensions" (1980), describes types 2 and 3. Called by gpunp.scipy.fft, with the GIL.
 */
#include "lib/fft.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 256 };

/* Lengths in terms of n: of what the first step writes, and of what the second reads. */
typedef enum { SAME, HALF_SPECTRUM, MIRRORED, MIRRORED_SPECTRUM, HALF, DOUBLE } Length;

typedef struct {
    int step; /* before_N and after_N of kernels/fft/cosine.cuh */
    GnpFftKind kind;
    Length before, after;
} Form;

/* Type 4 has two: of even and of odd lengths. */
static const Form forms[] = {
    {1, GNP_FFT_R2C, MIRRORED, MIRRORED_SPECTRUM},
    {2, GNP_FFT_R2C, SAME, HALF_SPECTRUM},
    {3, GNP_FFT_C2R, HALF_SPECTRUM, SAME},
    {4, GNP_FFT_C2C, HALF, HALF},
    {5, GNP_FFT_C2C, DOUBLE, DOUBLE},
};

/* One call; scale is the product of all factors of the norm, applied once by the second step. */
typedef struct {
    const Form *form;
    int is_sine;
    int64_t n, rows;
    double scale, before_end, after_end; /* factors of the result, and of its special elements */
    GnpDtype real, complex;
} Work;

/* Type 1 mirrors a row of n points to 2n - 2 (cosine) or 2n + 2 (sine) points, which is a real
 * even or odd periodic sequence. */
static int64_t
length_of(const Work *w, Length length)
{
    int64_t mirrored = w->is_sine ? 2 * w->n + 2 : 2 * w->n - 2;
    switch (length) {
    case HALF_SPECTRUM:
        return w->n / 2 + 1;
    case MIRRORED:
        return mirrored;
    case MIRRORED_SPECTRUM:
        return mirrored / 2 + 1;
    case HALF:
        return w->n / 2;
    case DOUBLE:
        return 2 * w->n;
    default:
        return w->n;
    }
}

/* ---- a step ---------------------------------------------------------------------------------- */

typedef enum { BEFORE, AFTER } When;

/* What write_step needs to write the source, passed through gnp_kernel_find. */
typedef struct {
    const Work *work;
    When when;
} Step;

/* The step is a function of cosine.cuh, and the kernel around it is the same for all. */
static int
write_step(GnpKernelText *text, const void *context)
{
    const Step *s = context;
    const Work *w = s->work;
    gnp_text_add(&text->code,
                 "GNP_FN Target step(const Source *x, Index n, Index k, F scale, F end)\n"
                 "{ return %s_%d<%s>(x, n, k, %send); }\n",
                 s->when == BEFORE ? "before" : "after", w->form->step,
                 w->is_sine ? "true" : "false", s->when == BEFORE ? "" : "scale, ");
    gnp_text_add(&text->name, "%s_%s_%d__%s", w->is_sine ? "sine" : "cosine",
                 s->when == BEFORE ? "before" : "after", w->form->step, gnp_dtypes[w->real].name);
    return 0;
}

/* The key has everything that write_step reads from `context`. */
static GnpKernel *
find_kernel(GnpDevice *device, const Work *w, When when, const GnpArray *in, const GnpArray *out,
            int is_wide)
{
    const Step step = {w, when};
    GnpSpec_cosine spec = {GNP_SPEC(cosine),       .head.wide = is_wide, .F = w->real,
                           .Source = in->dtype,    .Target = out->dtype, .STEP = w->form->step,
                           .AFTER = when == AFTER, .SINE = w->is_sine,   .BLOCK = BLOCK};
    return gnp_kernel_find(device, &spec.head, write_step, &step);
}

/* A factor as the kernel takes it. */
static GnpScalar
factor(const Work *w, double value)
{
    GnpScalar out = {.bits = {0, 0}};
    if (w->real == GNP_F32) {
        out.f = (float)value;
    }
    else {
        out.d = value;
    }
    return out;
}

/* Index arithmetic in 32 bits is faster, so it is used where all numbers fit. Both arrays are
 * recorded as used by the stream before the launch. */
static int
run_step(const Work *w, When when, GnpArray *in, GnpArray *out)
{
    GnpDevice *device = gnp_device_current();
    /* Angles have numerators up to 4 n + 1, which must fit the index type. */
    int is_wide = out->size > INT32_MAX || in->size > INT32_MAX || 4 * w->n + 4 > INT32_MAX;
    int64_t blocks = (out->size + BLOCK - 1) / BLOCK;
    int64_t lengths[4] = {w->n, in->size / w->rows, out->size / w->rows, out->size};
    uint32_t narrow[4];
    GnpScalar scale = factor(w, w->scale);
    GnpScalar end = factor(w, when == BEFORE ? w->before_end : w->after_end);
    void *args[8] = {&in->data, &out->data};
    GnpKernel *kernel = device != NULL ? find_kernel(device, w, when, in, out, is_wide) : NULL;
    if (kernel == NULL) {
        return -1;
    }
    for (int i = 0; i < 4; i++) {
        narrow[i] = (uint32_t)lengths[i];
        args[2 + i] = is_wide ? (void *)&lengths[i] : (void *)&narrow[i];
    }
    args[6] = &scale;
    args[7] = &end;
    CUstream stream = gnp_stream_current(device);
    gnp_block_record(in->block, stream);
    gnp_block_record(out->block, stream);
    return gnp_launch_blocks(kernel, blocks, BLOCK, stream, args);
}

/* ---- the transform --------------------------------------------------------------------------- */

/* A temporary; the pool reuses its memory in stream order after the last reference goes. */
static GnpArray *
new_rows(const Work *w, int64_t length, GnpDtype dtype)
{
    const int64_t shape[2] = {w->rows, length};
    return gnp_array_new(2, shape, dtype, 'C');
}

/* in and out: contiguous rows of n reals; one may be the other. */
static int
run(const Work *w, GnpArray *in, GnpArray *out)
{
    GnpArray *first = NULL, *second = NULL; /* owned */
    GnpFftKind kind = w->form->kind;
    GnpFftAxes axes = {.kind = kind, .inverse = kind == GNP_FFT_C2R, .naxes = 1, .axes = {1}};
    int ret = -1;
    GNP_NEW(first,
            new_rows(w, length_of(w, w->form->before), kind == GNP_FFT_R2C ? w->real : w->complex));
    GNP_TRY(run_step(w, BEFORE, in, first));
    if (kind == GNP_FFT_C2C) {
        second = (GnpArray *)Py_NewRef((PyObject *)first);
    }
    else {
        GNP_NEW(second, new_rows(w, length_of(w, w->form->after),
                                 kind == GNP_FFT_R2C ? w->complex : w->real));
    }
    GNP_TRY(gnp_fft_transform(first, second, &axes));
    GNP_TRY(run_step(w, AFTER, second, out));
    ret = 0;
fail:
    Py_XDECREF((PyObject *)first);
    Py_XDECREF((PyObject *)second);
    return ret;
}

PyDoc_STRVAR(cosine_doc,
             "cosine_transform($module, x, type, is_sine, scale, orthogonal)\n--\n\n"
             "The cosine or sine transform of the rows of a C-contiguous array of float32 or "
             "float64, times `scale`.");

/* The messages are those of scipy.fft. */
static int
take_form(Work *w, PyObject *object)
{
    int type;
    if (gnp_int_from_object(object, "type", &type) < 0) {
        return -1;
    }
    if (type < 1 || type > 4) {
        PyErr_SetString(PyExc_ValueError, "invalid transform type");
        return -1;
    }
    if (type == 1 && !w->is_sine && w->n < 2) {
        PyErr_SetString(PyExc_RuntimeError, "zero-length FFT requested");
        return -1;
    }
    w->form = &forms[type == 4 && w->n % 2 != 0 ? 4 : type - 1];
    return 0;
}

/* Orthogonal transforms have other factors at the ends: see scipy.fft.dct. */
static void
set_ends(Work *w, int orthogonal)
{
    const double root = 1.41421356237309504880;
    int step = w->form->step;
    int has_ends = orthogonal && (step != 1 || !w->is_sine);
    w->before_end = has_ends && (step == 1 || step == 3) ? root : 1;
    w->after_end = has_ends && (step == 1 || step == 2) ? 1 / root : 1;
}

/* The array's device is current during the call, and the previous one afterwards. */
static PyObject *
cosine_transform(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
                 PyObject *kwnames)
{
    static GnpSignature signature =
        GNP_SIGNATURE("cosine_transform(x, type, is_sine, scale, orthogonal)");
    PyObject *given[5], *ret = NULL;
    GnpArray *out = NULL; /* owned */
    Work w;
    int previous;
    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    GnpArray *x = (GnpArray *)given[0];
    if (!gnp_array_check(given[0]) || x->ndim < 1 || !(x->flags & GNP_C_CONTIGUOUS) ||
        !(x->flags & GNP_ALIGNED) || (x->dtype != GNP_F32 && x->dtype != GNP_F64)) {
        PyErr_SetString(PyExc_TypeError, "x must be C-contiguous and of float32 or float64");
        return NULL;
    }
    w.real = (GnpDtype)x->dtype;
    w.complex = gnp_dtypes[w.real].complex;
    w.n = gnp_shape(x)[x->ndim - 1];
    w.rows = w.n > 0 ? x->size / w.n : 0;
    int orthogonal;
    if (gnp_truth_from_object(given[2], &w.is_sine) < 0 ||
        gnp_truth_from_object(given[4], &orthogonal) < 0) {
        return NULL;
    }
    w.scale = PyFloat_AsDouble(given[3]);
    if (PyErr_Occurred() || take_form(&w, given[1]) < 0) {
        return NULL;
    }
    set_ends(&w, orthogonal);
    if (gnp_array_enter(x, &previous) < 0) {
        return NULL;
    }
    out = gnp_array_new(x->ndim, gnp_shape(x), w.real, 'C');
    if (out != NULL && (out->size == 0 || run(&w, x, out) == 0)) {
        ret = Py_NewRef((PyObject *)out);
    }
    gnp_array_leave(x, previous);
fail:
    Py_XDECREF((PyObject *)out);
    return ret;
}

static PyMethodDef functions[] = {
    {"cosine_transform", GNP_FAST(cosine_transform), METH_FASTCALL | METH_KEYWORDS, cosine_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_cosine_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
