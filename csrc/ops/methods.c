/* gnp_ops_array_methods: the methods of the array type that compute. */
#include "ops/methods.h"

/* `arguments` is what follows the array itself in the signature. */
#define METHOD(name, arguments, summary)                                                           \
    {#name, (PyCFunction)(void (*)(void))array_##name, METH_FASTCALL | METH_KEYWORDS,              \
     #name "($self, /, " arguments "\n--\n\n" summary}

PyMethodDef gnp_ops_array_methods[] = {
    METHOD(sum, GNP_TEXT_SUM, "Sum over the given axes; see gpunp.sum."),
    METHOD(prod, GNP_TEXT_SUM, "Product over the given axes; see gpunp.prod."),
    METHOD(max, GNP_TEXT_MAX, "Maximum along the given axes; see gpunp.max."),
    METHOD(min, GNP_TEXT_MAX, "Minimum along the given axes; see gpunp.min."),
    METHOD(argmax, GNP_TEXT_ARG, "Index of the first maximum along an axis; see gpunp.argmax."),
    METHOD(argmin, GNP_TEXT_ARG, "Index of the first minimum along an axis; see gpunp.argmin."),
    METHOD(any, GNP_TEXT_ANY, "Whether any element along the given axes is true; see gpunp.any."),
    METHOD(all, GNP_TEXT_ANY, "Whether all elements along the given axes are true; see gpunp.all."),
    METHOD(mean, GNP_TEXT_MEAN, "Arithmetic mean along the given axes; see gpunp.mean."),
    METHOD(var, GNP_TEXT_VAR, "Variance along the given axes; see gpunp.var."),
    METHOD(std, GNP_TEXT_VAR, "Standard deviation along the given axes; see gpunp.std."),
    METHOD(cumsum, "axis=None, dtype=None, out=None)",
           "Cumulative sum along an axis; see gpunp.cumsum."),
    METHOD(cumprod, "axis=None, dtype=None, out=None)",
           "Cumulative product along an axis; see gpunp.cumprod."),
    METHOD(take, "indices, axis=None, out=None, mode='raise')",
           "Elements at the given indices along an axis; see gpunp.take."),
    METHOD(compress, "condition, axis=None, out=None)",
           "Slices along an axis where a condition holds; see gpunp.compress."),
    METHOD(choose, "choices, out=None, mode='raise')",
           "Elements picked from several arrays; see gpunp.choose."),
    METHOD(sort, GNP_TEXT_SORT, "Sort in place along an axis; see gpunp.sort."),
    METHOD(argsort, GNP_TEXT_SORT, "Positions that would sort along an axis; see gpunp.argsort."),
    METHOD(partition, "kth, axis=-1, kind='introselect', order=None)",
           "Partition in place along an axis; see gpunp.partition."),
    METHOD(argpartition, "kth, axis=-1, kind='introselect', order=None)",
           "Positions that would partition along an axis; see gpunp.argpartition."),
    METHOD(searchsorted, "v, side='left', sorter=None)",
           "Where values would be inserted to keep order; see gpunp.searchsorted."),
    METHOD(clip, "min=None, max=None, out=None, **kwargs)",
           "Values limited to a range; see gpunp.clip."),
    METHOD(conj, "out=None)", "Complex conjugate; see gpunp.conj."),
    METHOD(conjugate, "out=None)", "Complex conjugate; see gpunp.conjugate."),
    METHOD(ptp, "axis=None, out=None, keepdims=False)",
           "Largest minus smallest value along an axis; see gpunp.ptp."),
    METHOD(dot, "b, out=None)", "Dot product with another array; see gpunp.dot."),
    METHOD(put, "ind, v, mode='raise')",
           "Values written at positions of the flattened array; see gpunp.put."),
    METHOD(repeat, "repeats, axis=None)", "Elements repeated along an axis; see gpunp.repeat."),
    METHOD(round, "decimals=0, out=None)",
           "Values rounded to a number of decimals; see gpunp.round."),
    METHOD(trace, "offset=0, axis1=0, axis2=1, dtype=None, out=None)",
           "Sum along diagonals; see gpunp.trace."),
    METHOD(scatter_add, "slices, value)",
           "Values added at places an index names; see gpunp.scatter_add."),
    METHOD(scatter_max, "slices, value)",
           "Places become the larger of themselves and values; see gpunp.scatter_max."),
    METHOD(scatter_min, "slices, value)",
           "Places become the smaller of themselves and values; see gpunp.scatter_min."),
    METHOD(getfield, "dtype, offset=0)",
           "Part of each element as a view of another dtype.\n\n"
           "Parameters\n----------\n"
           "dtype : dtype\n    Type of the part.\n"
           "offset : int, optional\n    Offset in bytes within the element.\n\n"
           "Returns\n-------\nndarray\n    A view."),
    METHOD(setfield, "val, dtype, offset=0)",
           "Values put into a part of each element.\n\n"
           "Parameters\n----------\n"
           "val : array_like\n    Values.\n"
           "dtype : dtype\n    Type of the part.\n"
           "offset : int, optional\n    Offset in bytes within the element."),
    METHOD(setflags, "write=None, align=None, uic=None)",
           "Set whether the array may be written to.\n\n"
           "Parameters\n----------\n"
           "write : bool, optional\n    Whether the array may be written to.\n"
           "align, uic : bool, optional\n    As NumPy's; nothing that could be changed here."),
    METHOD(resize, "*new_shape, refcheck=True)",
           "Change shape and size in place.\n\n"
           "Parameters\n----------\n"
           "new_shape : int or tuple of ints\n    The new shape.\n"
           "refcheck : bool, optional\n    As NumPy's."),
    METHOD(__round__, "ndigits=None)",
           "round(a) of a single number: an int; with ndigits an array without dimensions."),
    {"nonzero", array_nonzero, METH_NOARGS,
     "nonzero($self, /)\n--\n\nIndices of the non-zero elements; see gpunp.nonzero."},
    {NULL, NULL, 0, NULL},
};
