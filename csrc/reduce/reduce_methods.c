/* Start-up of reduce/: its functions, and the methods of arrays and ufuncs that reduce and scan.
 *
 * Methods that are compositions in Python (ptp, cumulative forms with other names) are in methods/.
 */
#include "reduce/reduce.h"

GNP_OF_CLASS(array_sum)
GNP_OF_CLASS(array_prod)
GNP_OF_CLASS(array_max)
GNP_OF_CLASS(array_min)
GNP_OF_CLASS(array_argmax)
GNP_OF_CLASS(array_argmin)
GNP_OF_CLASS(array_any)
GNP_OF_CLASS(array_all)
GNP_OF_CLASS(array_mean)
GNP_OF_CLASS(array_var)
GNP_OF_CLASS(array_std)
GNP_OF_CLASS(array_cumsum)
GNP_OF_CLASS(array_cumprod)

static PyMethodDef array_methods[] = {
    GNP_CLASS_METHOD(sum, GNP_TEXT_SUM, "Sum the elements over axes; see gpunp.sum."),
    GNP_CLASS_METHOD(prod, GNP_TEXT_SUM, "Multiply the elements over axes; see gpunp.prod."),
    GNP_CLASS_METHOD(max, GNP_TEXT_MAX, "Return the largest elements over axes; see gpunp.max."),
    GNP_CLASS_METHOD(min, GNP_TEXT_MAX, "Return the smallest elements over axes; see gpunp.min."),
    GNP_CLASS_METHOD(
        argmax, GNP_TEXT_ARG,
        "Return the index of the first largest element along an axis; see gpunp.argmax."),
    GNP_CLASS_METHOD(
        argmin, GNP_TEXT_ARG,
        "Return the index of the first smallest element along an axis; see gpunp.argmin."),
    GNP_CLASS_METHOD(any, GNP_TEXT_ANY,
                     "Return whether any element is true, over axes; see gpunp.any."),
    GNP_CLASS_METHOD(all, GNP_TEXT_ANY,
                     "Return whether all elements are true, over axes; see gpunp.all."),
    GNP_CLASS_METHOD(mean, GNP_TEXT_MEAN, "Compute the arithmetic mean over axes; see gpunp.mean."),
    GNP_CLASS_METHOD(var, GNP_TEXT_VAR, "Compute the variance over axes; see gpunp.var."),
    GNP_CLASS_METHOD(std, GNP_TEXT_VAR, "Compute the standard deviation over axes; see gpunp.std."),
    GNP_CLASS_METHOD(cumsum, "axis=None, dtype=None, out=None)",
                     "Compute the cumulative sum along an axis; see gpunp.cumsum."),
    GNP_CLASS_METHOD(cumprod, "axis=None, dtype=None, out=None)",
                     "Compute the cumulative product along an axis; see gpunp.cumprod."),
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(
    reduce_doc,
    "reduce($self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, "
    "where=True)\n--\n\n"
    "Reduce an array along axes by repeated application of the ufunc.\n\n"
    "Parameters\n----------\n"
    "array : array_like\n    Array to be reduced.\n"
    "axis : int, tuple of int or None, optional\n"
    "    Axis or axes along which to reduce; None reduces all of them.\n"
    "dtype : dtype, optional\n"
    "    Type of the accumulator and of the result. By default it follows from the dtype of\n"
    "    the array.\n"
    "out : ndarray, optional\n    Array into which the result is written.\n"
    "keepdims : bool, optional\n"
    "    If True, the reduced axes are kept with size one, so that the result broadcasts\n"
    "    against the input.\n"
    "initial : scalar, optional\n"
    "    Starting value of the reduction. Without it, and without an identity, no reduced\n"
    "    axis may be empty.\n"
    "where : array_like of bool, optional\n"
    "    Elements to include in the reduction; the mask is broadcast against the array.\n\n"
    "Returns\n-------\n"
    "ndarray\n    The reduced array, or `out`.\n\n"
    "Raises\n------\n"
    "ValueError\n"
    "    If the ufunc does not have two inputs and one output, or several axes are given\n"
    "    and the order of operations matters.\n\n"
    "Examples\n--------\n"
    ">>> import gpunp as cp\n"
    ">>> cp.multiply.reduce(cp.array([2, 3, 5]))\n"
    "array(30)");

PyDoc_STRVAR(
    accumulate_doc,
    "accumulate($self, array, axis=0, dtype=None, out=None)\n--\n\n"
    "Apply the ufunc cumulatively along an axis.\n\n"
    "Parameters\n----------\n"
    "array : array_like\n    Array whose elements are accumulated.\n"
    "axis : int, optional\n    Axis along which to operate.\n"
    "dtype : dtype, optional\n"
    "    Type of the accumulator and of the result. By default it follows from the dtype of\n"
    "    the array.\n"
    "out : ndarray, optional\n    Array into which the result is written.\n\n"
    "Returns\n-------\n"
    "ndarray\n    Array with the shape of `array`, or `out`.\n\n"
    "Examples\n--------\n"
    ">>> import gpunp as cp\n"
    ">>> cp.add.accumulate(cp.array([1, 2, 3]))\n"
    "array([1, 3, 6])");

PyDoc_STRVAR(
    reduceat_doc,
    "reduceat($self, array, indices, axis=0, dtype=None, out=None)\n--\n\n"
    "Reduce sections of an axis.\n\n"
    "Section i is the interval from indices[i] to indices[i + 1].\n\n"
    "Indices of a device array that are out of bounds wrap around, unless\n"
    "set_index_mode('raise') is on; a list's raise IndexError.\n\n"
    "Parameters\n----------\n"
    "array : array_like\n    Array to be reduced.\n"
    "indices : array_like of int\n"
    "    Starts of the sections. Section i has one element if indices[i] >= indices[i + 1].\n"
    "axis : int, optional\n    Axis along which to operate.\n"
    "dtype : dtype, optional\n"
    "    Type of the accumulator and of the result. By default it follows from the dtype of\n"
    "    the array.\n"
    "out : ndarray, optional\n    Array into which the result is written.\n\n"
    "Returns\n-------\n"
    "ndarray\n    Array with the length of `indices` along the axis, or `out`.\n\n"
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
    GNP_TRY(gnp_softmax_init(module));
    return 0;
fail:
    return -1;
}
