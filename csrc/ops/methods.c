/* gnp_ops_array_methods: the methods of the array type that compute. */
#include "ops/methods.h"

#define METHOD(name, summary)                                                                      \
    {#name, (PyCFunction)(void (*)(void))array_##name, METH_FASTCALL | METH_KEYWORDS, summary}

PyMethodDef gnp_ops_array_methods[] = {
    METHOD(sum, "Sum over the given axes; see gpunp.sum."),
    METHOD(prod, "Product over the given axes; see gpunp.prod."),
    METHOD(max, "Maximum along the given axes; see gpunp.max."),
    METHOD(min, "Minimum along the given axes; see gpunp.min."),
    METHOD(argmax, "Index of the first maximum along an axis; see gpunp.argmax."),
    METHOD(argmin, "Index of the first minimum along an axis; see gpunp.argmin."),
    METHOD(any, "Whether any element along the given axes is true; see gpunp.any."),
    METHOD(all, "Whether all elements along the given axes are true; see gpunp.all."),
    METHOD(mean, "Arithmetic mean along the given axes; see gpunp.mean."),
    METHOD(var, "Variance along the given axes; see gpunp.var."),
    METHOD(std, "Standard deviation along the given axes; see gpunp.std."),
    METHOD(cumsum, "Cumulative sum along an axis; see gpunp.cumsum."),
    METHOD(cumprod, "Cumulative product along an axis; see gpunp.cumprod."),
    METHOD(take, "Elements at the given indices along an axis; see gpunp.take."),
    METHOD(compress, "Slices along an axis where a condition holds; see gpunp.compress."),
    METHOD(choose, "Elements picked from several arrays; see gpunp.choose."),
    METHOD(sort, "Sort in place along an axis; see gpunp.sort."),
    METHOD(argsort, "Positions that would sort along an axis; see gpunp.argsort."),
    METHOD(partition, "Partition in place along an axis; see gpunp.partition."),
    METHOD(argpartition, "Positions that would partition along an axis; see gpunp.argpartition."),
    METHOD(searchsorted, "Where values would be inserted to keep order; see gpunp.searchsorted."),
    METHOD(clip, "Values limited to a range; see gpunp.clip."),
    METHOD(conj, "Complex conjugate; see gpunp.conj."),
    METHOD(conjugate, "Complex conjugate; see gpunp.conjugate."),
    METHOD(ptp, "Largest minus smallest value along an axis; see gpunp.ptp."),
    METHOD(dot, "Dot product with another array; see gpunp.dot."),
    METHOD(put, "Values written at positions of the flattened array; see gpunp.put."),
    METHOD(repeat, "Elements repeated along an axis; see gpunp.repeat."),
    METHOD(round, "Values rounded to a number of decimals; see gpunp.round."),
    METHOD(trace, "Sum along diagonals; see gpunp.trace."),
    {"nonzero", array_nonzero, METH_NOARGS, "Indices of the non-zero elements; see gpunp.nonzero."},
    {NULL, NULL, 0, NULL},
};
