/* _C.frames: overlapping frames of signals, without their trend and multiplied with a window.
 * gpunp.scipy.signal checks the arguments. Used by stft, welch, spectrogram and csd, which
 * transform the frames afterwards. The frames are a copy, since cuFFT reads rows that do not
 * overlap. */
#include "signal/signal_internal.h"

/* A warp takes a short frame, and a longer one where there are many. */
enum { BLOCK = 256, SHORT = 512, LONGER = 4096, MANY_FRAMES = 4096 };

/* One call and the references that it holds. */
typedef struct {
    GnpArray *x, *window, *out; /* owned */
    GnpFrames frames;
    int trend;
} Framing;

/* A warp per short frame needs no barrier for the sums of its trend; a long frame has a whole
 * block, so that enough threads read it. */
static int
launch(Framing *f)
{
    const GnpFrames *p = &f->frames;
    /* With many frames every multiprocessor is busy anyway, so longer ones still fit a warp. */
    const int is_for_warp = p->padded <= (p->frames >= MANY_FRAMES ? LONGER : SHORT);
    const int group = is_for_warp ? 32 : BLOCK;
    GnpSpec_frames spec = {GNP_SPEC(frames), .R = f->x->dtype, .TREND = f->trend, .GROUP = group,
                           .BLOCK = BLOCK};
    return gnp_launch_arrays(
        &(GnpArrayLaunch){.spec = &spec.head,
                          .blocks = gnp_ceil_div(p->frames, (int64_t)(BLOCK / group)),
                          .threads = BLOCK,
                          .narrays = 3,
                          .array = {f->out, f->x, f->window},
                          .value = {p}});
}

/* Offsets within a frame are 32-bit in the kernel, hence the limit of half of 2**31. */
static int
take_shapes(Framing *f)
{
    GnpArray *const arrays[] = {f->x, f->window, f->out};
    for (int i = 0; i < 3; i++) {
        if (!(arrays[i]->flags & GNP_C_CONTIGUOUS) || arrays[i]->dtype != f->x->dtype ||
            arrays[i]->ndim != (i == 0   ? 2
                                : i == 1 ? 1
                                         : 3)) {
            PyErr_SetString(PyExc_ValueError, "frames: C-contiguous arrays of one dtype");
            return -1;
        }
    }
    const int64_t *rows = gnp_shape(f->x), *shape = gnp_shape(f->out);
    const GnpDtype dtype = f->x->dtype;
    f->frames.length = rows[1];
    f->frames.count = shape[1];
    /* Of all rows together, one after the other. */
    f->frames.frames = rows[0] * shape[1];
    f->frames.size = f->window->size;
    /* Behind the window's samples zeros are written, for a longer transform. */
    f->frames.padded = shape[2];
    const int is_type =
        dtype == GNP_F32 || dtype == GNP_F64 || dtype == GNP_C64 || dtype == GNP_C128;
    if (!is_type || rows[0] != shape[0] || f->frames.size < 1 ||
        f->frames.size > f->frames.padded || f->frames.size > INT32_MAX / 2 ||
        f->frames.padded > INT32_MAX / 2 || f->trend < FRAME_AS_IS || f->trend > FRAME_LINEAR) {
        PyErr_SetString(PyExc_ValueError, "frames: shapes or types of the arrays");
        return -1;
    }
    return 0;
}

PyDoc_STRVAR(frames_doc,
             "frames($module, x, window, out, start, hop, trend, shift, /)\n--\n\n"
             "Write the frames of the rows of x, which begin at start + i * hop, into out[:, i]:\n"
             "without their trend (0, 1: mean, 2: line), times the window, rotated by shift.");

enum { X, WINDOW, OUT, START, HOP, TREND, SHIFT, COUNT };

/* The output is given, as its last axis, the padded length, is the caller's choice. */
static PyObject *
frames(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    Framing f = {.x = NULL};
    GnpArray **arrays[] = {&f.x, &f.window, &f.out};
    PyObject *ret = NULL;
    if (nargs != COUNT) {
        PyErr_SetString(PyExc_TypeError, "frames takes three arrays and four numbers");
        return NULL;
    }
    for (int i = X; i <= OUT; i++) {
        if (!gnp_array_check(args[i])) {
            PyErr_SetString(PyExc_TypeError, "frames takes three arrays and four numbers");
            goto fail;
        }
        GNP_NEW(*arrays[i], gnp_readable((GnpArray *)args[i], "frames"));
    }
    f.frames.start = PyLong_AsLongLong(args[START]);
    f.frames.hop = PyLong_AsLongLong(args[HOP]);
    f.frames.shift = PyLong_AsLongLong(args[SHIFT]);
    GNP_TRY(gnp_int_from_object(args[TREND], "trend", &f.trend));
    /* For the three conversions above: -1 is a valid number. */
    GNP_TRY(PyErr_Occurred() ? -1 : 0);
    GNP_TRY(take_shapes(&f));
    if (f.out->size > 0) {
        GNP_TRY(launch(&f));
    }
    GNP_TRY(gnp_write_back(f.out, args[OUT]));
    ret = Py_NewRef(args[OUT]);
fail:
    for (int i = X; i <= OUT; i++) {
        Py_XDECREF((PyObject *)*arrays[i]);
    }
    return ret;
}

static PyMethodDef functions[] = {
    {"frames", (PyCFunction)(void (*)(void))frames, METH_FASTCALL, frames_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_frames_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
