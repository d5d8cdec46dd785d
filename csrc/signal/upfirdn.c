/* _C.upfirdn: changes of the sampling rate of rows, in one launch. gpunp.scipy.signal checks the
 * arguments. Output m needs only every up-th factor, beginning with the phase m * down % up.
 * Outputs of one phase share their factors, so a thread computes several of them. */
#include "signal/signal_internal.h"

#include <limits.h>
#include <string.h>

/* The numbers of a thread's outputs are odd: see the kernel. */
enum {
    BLOCK = 256,
    MOST_OUT = 11,
    MOST_WIDE_OUT = 7,
    FEW_OUT = 5,
    SHARED_BYTES = 32 * 1024,
    MOST_PRODUCTS = 264
};

static const char *const rules[] = {"constant", "edge", "wrap",          "reflect",    "symmetric",
                                    "smooth",   "line", "antisymmetric", "antireflect"};

/* One call; the last three fields are the plan. */
typedef struct {
    GnpArray *in, *factors, *out; /* owned */
    GnpUpfirdn p;
    GnpScalar beyond;
    int outputs_of_thread, span, block;
} Resampling;

/* ---- the plan -------------------------------------------------------------------------------- */

/* Elements of a row that a block reads; LLONG_MAX for more than there can be in shared memory.
 * The bounds keep the products below 2**63. */
static int64_t
span_of(const GnpUpfirdn *p, int out)
{
    const int64_t outputs = p->groups * p->up * out;
    if (p->down > 1 << 24 || outputs > 1 << 30 || p->taps > INT_MAX) {
        return LLONG_MAX;
    }
    return outputs * p->down / p->up + 2 + p->before;
}

/* From the widest plan to the narrowest until the block's part of a row fits into shared memory.
 * 32 KiB leave room for several blocks per multiprocessor. */
static void
plan(Resampling *r)
{
    GnpUpfirdn *p = &r->p;
    const int64_t most = SHARED_BYTES / gnp_itemsize(r->out);
    /* An output depends on this many elements before its own. */
    p->before = (p->taps - 1) / p->up;
    p->newest = p->first * p->down / p->up;
    p->phase = p->first * p->down % p->up;
    r->block = BLOCK;
    r->outputs_of_thread = gnp_itemsize(r->out) <= 8 ? MOST_OUT : MOST_WIDE_OUT;
    for (;;) {
        /* Threads of a group have the `up` phases of the filter, a phase each. */
        p->lanes = p->up < r->block ? p->up : r->block;
        p->groups = r->block / p->lanes;
        p->chunks = gnp_ceil_div(p->up, p->lanes);
        r->span = (int)most;
        p->span = span_of(p, r->outputs_of_thread);
        if (p->span <= most) {
            break;
        }
        /* A smaller block first, as fewer outputs of a thread mean more reads of each element. */
        if (r->block > 64) {
            r->block = 64;
        }
        else if (r->outputs_of_thread > 1) {
            r->outputs_of_thread = r->outputs_of_thread > FEW_OUT ? FEW_OUT : 1;
        }
        else {
            r->span = 0; /* far apart: each output reads its own elements */
            break;
        }
    }
    /* Whole warps without work would only wait. */
    r->block = (int)gnp_ceil_div(p->groups * p->lanes, 32) * 32;
    p->blocks = gnp_ceil_div(p->outputs, p->groups * p->up * r->outputs_of_thread) * p->chunks;
}

/* Taps of a phase that a thread's outputs meet at the same elements, at most; 0: too many for
 * code without loops. */
static int
taps_of_phase(const Resampling *r)
{
    const int is_complex = gnp_dtypes[r->out->dtype].cls == 'c';
    const int products = is_complex + is_complex * (gnp_dtypes[r->factors->dtype].cls == 'c') * 2;
    const int64_t taps = gnp_ceil_div(r->p.taps, r->p.up * r->p.down);
    const int64_t all = taps * r->outputs_of_thread * (1 + products);
    return r->span > 0 && (taps == 1 || all <= MOST_PRODUCTS) ? (int)taps : 0;
}

/* The kernel's knobs are sizes of the plan, so equal plans share a kernel. */
static int
launch(Resampling *r)
{
    plan(r);
    const int taps = taps_of_phase(r);
    GnpSpec_upfirdn spec = {GNP_SPEC(upfirdn),
                            .S = r->in->dtype,
                            .A = r->out->dtype,
                            .C = r->factors->dtype,
                            .OUT = r->outputs_of_thread,
                            .SPAN = r->span,
                            .TAPS = taps,
                            .UP = taps > 0 ? (int)r->p.up : 0,
                            .DOWN = taps > 0 ? (int)r->p.down : 0,
                            .BLOCK = r->block};
    return gnp_launch_arrays(&(GnpArrayLaunch){.spec = &spec.head,
                                               .blocks = r->out->size / r->p.outputs * r->p.blocks,
                                               .threads = r->block,
                                               .narrays = 3,
                                               .array = {r->out, r->in, r->factors},
                                               .value = {&r->p, &r->beyond}});
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* In the order of the kernel's enumeration. */
static int
take_rule(PyObject *text, int64_t *out)
{
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (PyUnicode_Check(text) && PyUnicode_CompareWithASCIIString(text, rules[i]) == 0) {
            *out = (int64_t)i;
            return 0;
        }
    }
    PyErr_Format(PyExc_ValueError, "upfirdn: unknown rule %R", text);
    return -1;
}

/* Rates fit 32 bits, so products with lengths fit 64. */
static int
take_numbers(PyObject *const *args, GnpUpfirdn *p)
{
    p->up = PyLong_AsLongLong(args[0]);
    p->down = PyLong_AsLongLong(args[1]);
    p->first = PyLong_AsLongLong(args[2]);
    if (PyErr_Occurred()) {
        return -1;
    }
    if (p->up < 1 || p->down < 1 || p->first < 0 || p->up > INT_MAX || p->down > INT_MAX) {
        PyErr_SetString(PyExc_ValueError, "upfirdn: rates from 1 to 2^31 - 1");
        return -1;
    }
    return take_rule(args[3], &p->rule);
}

/* Factors are real or of the result's type, as SciPy promotes them. */
static int
check(Resampling *r)
{
    const GnpArray *a = r->in, *out = r->out;
    if (a->ndim != 2 || out->ndim != 2 || gnp_shape(a)[0] != gnp_shape(out)[0] ||
        r->factors->ndim != 1 || r->factors->size < 1 || (a->size == 0 && out->size > 0) ||
        !(a->flags & out->flags & r->factors->flags & GNP_C_CONTIGUOUS)) {
        PyErr_SetString(PyExc_ValueError, "upfirdn: C-contiguous matrices of as many rows");
        return -1;
    }
    /* Real factors halve the multiplications of complex samples. */
    if (r->factors->dtype != out->dtype && r->factors->dtype != (int)gnp_dtypes[out->dtype].real) {
        PyErr_SetString(PyExc_ValueError, "upfirdn: factors of the result's type or its real one");
        return -1;
    }
    r->p.length = gnp_shape(a)[1];
    r->p.outputs = gnp_shape(out)[1];
    r->p.taps = r->factors->size;
    return 0;
}

PyDoc_STRVAR(upfirdn_doc,
             "upfirdn($module, a, factors, out, up, down, first, rule, beyond, /)\n--\n\n"
             "Write into the rows of out those of a, raised by up, filtered and lowered by down,\n"
             "from the output `first` on; `rule` says what stands beyond the ends of a row.");

/* Rows only: Python moves the axis in question to the end. */
static PyObject *
ops_upfirdn(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    Resampling r = {.in = NULL};
    PyObject *ret = NULL; /* returned */
    if (nargs != 8 || !gnp_array_check(args[0]) || !gnp_array_check(args[1]) ||
        !gnp_array_check(args[2])) {
        PyErr_SetString(PyExc_TypeError, "upfirdn takes three arrays, numbers and a name");
        return NULL;
    }
    GNP_NEW(r.in, gnp_readable((GnpArray *)args[0], "upfirdn"));
    GNP_NEW(r.factors, gnp_readable((GnpArray *)args[1], "upfirdn"));
    GNP_NEW(r.out, gnp_readable((GnpArray *)args[2], "upfirdn"));
    GNP_TRY(take_numbers(&args[3], &r.p));
    GNP_TRY(check(&r));
    GNP_TRY(gnp_scalar_from_object(args[7], (GnpDtype)r.out->dtype, &r.beyond));
    if (r.out->size > 0) {
        GNP_TRY(launch(&r));
    }
    GNP_TRY(gnp_write_back(r.out, args[2]));
    ret = Py_NewRef(args[2]);
fail:
    Py_XDECREF((PyObject *)r.in);
    Py_XDECREF((PyObject *)r.factors);
    Py_XDECREF((PyObject *)r.out);
    return ret;
}

static PyMethodDef functions[] = {
    {"upfirdn", (PyCFunction)(void (*)(void))ops_upfirdn, METH_FASTCALL, upfirdn_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_upfirdn_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
