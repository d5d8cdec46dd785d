/* Start-up of the folder: its functions, and the methods of arrays and ufuncs that reduce and scan.
 */
#include "reduce/reduce.h"

static PyMethodDef array_methods[] = {
    GNP_ARRAY_METHOD(sum, GNP_TEXT_SUM, "Sum over the given axes; see gpunp.sum."),
    GNP_ARRAY_METHOD(prod, GNP_TEXT_SUM, "Product over the given axes; see gpunp.prod."),
    GNP_ARRAY_METHOD(max, GNP_TEXT_MAX, "Maximum along the given axes; see gpunp.max."),
    GNP_ARRAY_METHOD(min, GNP_TEXT_MAX, "Minimum along the given axes; see gpunp.min."),
    GNP_ARRAY_METHOD(argmax, GNP_TEXT_ARG,
                     "Index of the first maximum along an axis; see gpunp.argmax."),
    GNP_ARRAY_METHOD(argmin, GNP_TEXT_ARG,
                     "Index of the first minimum along an axis; see gpunp.argmin."),
    GNP_ARRAY_METHOD(any, GNP_TEXT_ANY,
                     "Whether any element along the given axes is true; see gpunp.any."),
    GNP_ARRAY_METHOD(all, GNP_TEXT_ANY,
                     "Whether all elements along the given axes are true; see gpunp.all."),
    GNP_ARRAY_METHOD(mean, GNP_TEXT_MEAN, "Arithmetic mean along the given axes; see gpunp.mean."),
    GNP_ARRAY_METHOD(var, GNP_TEXT_VAR, "Variance along the given axes; see gpunp.var."),
    GNP_ARRAY_METHOD(std, GNP_TEXT_VAR, "Standard deviation along the given axes; see gpunp.std."),
    GNP_ARRAY_METHOD(cumsum, "axis=None, dtype=None, out=None)",
                     "Cumulative sum along an axis; see gpunp.cumsum."),
    GNP_ARRAY_METHOD(cumprod, "axis=None, dtype=None, out=None)",
                     "Cumulative product along an axis; see gpunp.cumprod."),
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(reduce_doc,
             "reduce($self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, "
             "where=True)\n--\n\n"
             "Reduce array's dimensions by applying the ufunc along the given axes.\n\n"
             "Parameters\n----------\n"
             "array : array_like\n    What is reduced.\n"
             "axis : int, tuple of int or None, optional\n"
             "    Axes to go along; None is all of them.\n"
             "dtype : dtype, optional\n    Of the result, and of what it is computed in.\n"
             "out : ndarray, optional\n    Where the result goes.\n"
             "keepdims : bool, optional\n    Keep the axes gone along, with length one.\n"
             "initial : scalar, optional\n"
             "    What the reduction begins with; without it and without an identity, no axis may "
             "be empty.\n"
             "where : array_like of bool, optional\n    Which elements count.\n\n"
             "Returns\n-------\n"
             "ndarray\n    The reduction, or `out`.\n\n"
             "Raises\n------\n"
             "ValueError\n"
             "    The ufunc has not two inputs and one output, or several axes are given and its "
             "order matters.\n\n"
             "Examples\n--------\n"
             ">>> import gpunp as cp\n"
             ">>> cp.multiply.reduce(cp.array([2, 3, 5]))\n"
             "array(30)");

PyDoc_STRVAR(
    accumulate_doc,
    "accumulate($self, array, axis=0, dtype=None, out=None)\n--\n\n"
    "Accumulate the result of applying the operator to all elements so far along an axis.\n\n"
    "Parameters\n----------\n"
    "array : array_like\n    What is gone along.\n"
    "axis : int, optional\n    The axis.\n"
    "dtype : dtype, optional\n    Of the result, and of what it is computed in.\n"
    "out : ndarray, optional\n    Where the result goes.\n\n"
    "Returns\n-------\n"
    "ndarray\n    Of the shape of `array`, or `out`.\n\n"
    "Examples\n--------\n"
    ">>> import gpunp as cp\n"
    ">>> cp.add.accumulate(cp.array([1, 2, 3]))\n"
    "array([1, 3, 6])");

PyDoc_STRVAR(
    reduceat_doc,
    "reduceat($self, array, indices, axis=0, dtype=None, out=None)\n--\n\n"
    "Reduce pieces of an axis: piece i goes from indices[i] to indices[i + 1].\n\n"
    "Indices of a device array that are out of bounds wrap around, unless\n"
    "set_index_mode('raise') is on; a list's raise IndexError.\n\n"
    "Parameters\n----------\n"
    "array : array_like\n    What is reduced.\n"
    "indices : array_like of int\n"
    "    Where the pieces begin; piece i is one element where indices[i] >= indices[i + 1].\n"
    "axis : int, optional\n    The axis.\n"
    "dtype : dtype, optional\n    Of the result, and of what it is computed in.\n"
    "out : ndarray, optional\n    Where the result goes.\n\n"
    "Returns\n-------\n"
    "ndarray\n    As long as `indices` along the axis, or `out`.\n\n"
    "Examples\n--------\n"
    ">>> import gpunp as cp\n"
    ">>> cp.add.reduceat(cp.arange(6), [0, 2])\n"
    "array([ 1, 14])");

static PyMethodDef ufunc_methods[] = {
    {"reduce", GNP_FAST(gnp_ufunc_reduce), METH_FASTCALL | METH_KEYWORDS, reduce_doc},
    {"accumulate", GNP_FAST(gnp_ufunc_accumulate), METH_FASTCALL | METH_KEYWORDS, accumulate_doc},
    {"reduceat", GNP_FAST(gnp_ufunc_reduceat), METH_FASTCALL | METH_KEYWORDS, reduceat_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_reduce_init(PyObject *module)
{
    GNP_TRY(gnp_type_add_methods(gnp_array_type, array_methods));
    GNP_TRY(gnp_type_add_methods(gnp_ufunc_type, ufunc_methods));
    GNP_TRY(gnp_reductions_init(module));
    GNP_TRY(gnp_scan_init(module));
    GNP_TRY(gnp_bounds_init(module));
    return 0;
fail:
    return -1;
}
