/* ufunc.reduce: rows of ufuncs.def that have a row of reductions.def use it; the others, whose
 * order matters, are reduced sequentially. */
#include "reduce/reduce.h"

static const struct {
    GnpUfuncId ufunc;
    GnpReductionId reduction;
} pairs[] = {
    {GNP_UFUNC_add, REDUCE_sum},
    {GNP_UFUNC_multiply, REDUCE_prod},
    {GNP_UFUNC_maximum, REDUCE_max},
    {GNP_UFUNC_minimum, REDUCE_min},
    {GNP_UFUNC_fmax, REDUCE_nanmax},
    {GNP_UFUNC_fmin, REDUCE_nanmin},
    {GNP_UFUNC_logical_and, REDUCE_all},
    {GNP_UFUNC_logical_or, REDUCE_any},
    {GNP_UFUNC_logical_xor, REDUCE_reduce_logical_xor},
    {GNP_UFUNC_bitwise_and, REDUCE_reduce_bitwise_and},
    {GNP_UFUNC_bitwise_or, REDUCE_reduce_bitwise_or},
    {GNP_UFUNC_bitwise_xor, REDUCE_reduce_bitwise_xor},
    {GNP_UFUNC_gcd, REDUCE_reduce_gcd},
    {GNP_UFUNC_hypot, REDUCE_reduce_hypot},
    {GNP_UFUNC_logaddexp, REDUCE_reduce_logaddexp},
    {GNP_UFUNC_logaddexp2, REDUCE_reduce_logaddexp2},
};

/* nansum and nanprod follow the types of add and multiply although no ufunc reduces like them. */
const GnpUfuncRow *
gnp_reduction_ufunc(const GnpReductionRow *row)
{
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (row == &gnp_reduction_rows[pairs[i].reduction]) {
            return &gnp_ufunc_rows[pairs[i].ufunc];
        }
    }
    return row == &gnp_reduction_rows[REDUCE_nansum]    ? &gnp_ufunc_rows[GNP_UFUNC_add]
           : row == &gnp_reduction_rows[REDUCE_nanprod] ? &gnp_ufunc_rows[GNP_UFUNC_multiply]
                                                        : NULL;
}

/* 1 when there is one. */
static int
find_reduction(const GnpUfuncRow *row, GnpReductionId *out)
{
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (row == &gnp_ufunc_rows[pairs[i].ufunc]) {
            *out = pairs[i].reduction;
            return 1;
        }
    }
    return 0;
}

/* The operand is checked here, for the ufunc's error message. */
static PyObject *
reduce_by_steps(GnpUfunc *u, PyObject *a, PyObject **arg)
{
    if (!gnp_array_check(a)) {
        gnp_ufunc_bad_operand(u, a);
        return NULL;
    }
    return gnp_reduce_by_steps(u->row, a, arg);
}

/* The default axis is 0, not all axes as for functions. */
PyObject *
gnp_ufunc_reduce(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE(
        "reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True)");
    const GnpUfuncRow *row = ((GnpUfunc *)self)->row;
    PyObject *in[7], *zero = NULL; /* owned */
    PyObject *ret = NULL;
    GnpReductionId id;

    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, in));
    GNP_TRY(gnp_ufunc_check_chain((GnpUfunc *)self, "reduce"));
    if (in[3] == Py_Ellipsis) {
        in[3] = NULL; /* NumPy: an array instead of a scalar; here results are always arrays */
    }
    PyObject *arg[GNP_REDUCE_NARGS] = {[ARG_AXIS] = in[1],    [ARG_DTYPE] = in[2],
                                       [ARG_OUT] = in[3],     [ARG_KEEPDIMS] = in[4],
                                       [ARG_INITIAL] = in[5], [ARG_WHERE] = in[6]};
    if (arg[ARG_AXIS] == NULL) {
        GNP_NEW(zero, PyLong_FromLong(0));
        arg[ARG_AXIS] = zero;
    }
    if (!find_reduction(row, &id)) {
        ret = reduce_by_steps((GnpUfunc *)self, in[0], arg);
        goto fail;
    }
    ret = gnp_reduce_call(id, in[0], arg);
fail:
    Py_XDECREF(zero);
    return ret;
}
