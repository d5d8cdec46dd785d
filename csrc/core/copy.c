/* Copies, casts and fills of whole arrays, on top of the elementwise engine.
 *
 * A copy behaves as if the source were read completely before the first write.
 *
 * gnp_copy, gnp_fill and gnp_astype are what other folders use. They make the array's device
 * current for the call, so callers need not.
 */
#include "core/core_internal.h"

#include <string.h>

/* 1 when element i of both is at the same place for every i: writing it after reading it is safe.
 * Axes of length 1 may have any stride. */
static int
same_places(const GnpArray *a, const GnpArray *b)
{
    if (a->data != b->data || a->ndim != b->ndim || gnp_itemsize(a) != gnp_itemsize(b)) {
        return 0;
    }
    for (int axis = 0; axis < a->ndim; axis++) {
        if (gnp_shape(a)[axis] != gnp_shape(b)[axis] ||
            (gnp_shape(a)[axis] > 1 && gnp_strides(a)[axis] != gnp_strides(b)[axis])) {
            return 0;
        }
    }
    return 1;
}

/* By bounds only: an exact answer costs more than the copy that a false alarm causes. Blocks of the
 * pool never overlap; foreign memory may be described by two blocks. */
int
gnp_overlaps_harmfully(const GnpArray *dst, const GnpArray *src)
{
    if (dst->block != src->block && dst->block->owner == NULL && src->block->owner == NULL) {
        return 0; /* two blocks of the pool */
    }
    return gnp_may_overlap(dst, src) && !same_places(dst, src);
}

/* Unaligned memory is moved in the largest words that both arrays allow: one more axis, of words.
 * Kernels access whole elements, which the hardware refuses at unaligned addresses. Such arrays
 * come from fields of packed structures and from other libraries, and are rare. */
static int
copy_unaligned(GnpArray *dst, const GnpArray *src)
{
    int64_t shape[GNP_MAX_DIMS], from[GNP_MAX_DIMS], to[GNP_MAX_DIMS];
    int ndim = src->ndim;
    if (ndim >= GNP_MAX_DIMS) {
        PyErr_SetString(PyExc_ValueError,
                        "an unaligned array has too many dimensions to be copied");
        return -1;
    }
    memcpy(shape, gnp_shape(src), (size_t)ndim * sizeof *shape);
    memcpy(from, gnp_strides(src), (size_t)ndim * sizeof *from);
    memcpy(to, gnp_strides(dst), (size_t)ndim * sizeof *to);
    const int64_t item = gnp_itemsize(src), a = gnp_word_bytes(src, 0, item),
                  b = gnp_word_bytes(dst, 0, item), word = a < b ? a : b;
    const int type = gnp_word_dtype(word);
    shape[ndim] = item / word;
    from[ndim] = to[ndim] = word;
    GnpOperand operands[] = {
        {.data = src->data, .block = src->block, .strides = from, .dtype = type, .compute = type},
        {.data = dst->data, .block = dst->block, .strides = to, .dtype = type, .compute = type},
    };
    return gnp_elementwise(&gnp_copy_op, operands, ndim + 1, shape);
}

/* The copy is taken where an operand is read; results in unaligned memory are copied back by
 * copy_to_unaligned(). */
GnpArray *
gnp_aligned(GnpArray *a)
{
    GnpArray *copy = NULL; /* returned */
    if (GNP_LIKELY(a->flags & GNP_ALIGNED)) {
        return (GnpArray *)Py_NewRef((PyObject *)a);
    }
    GNP_NEW(copy, gnp_array_new_like(a, a->dtype, 'K'));
    if (copy_unaligned(copy, a) < 0) {
        Py_CLEAR(copy);
    }
fail:
    return copy;
}

/* dst of any alignment; src aligned, of dst's dtype when dst is unaligned. The cast happens in the
 * kernel: values are read in the source's dtype and computed in the target's. */
static int
copy_strided(GnpArray *dst, GnpArray *src)
{
    int64_t strides[GNP_MAX_DIMS];
    if (GNP_UNLIKELY(!gnp_is_number(dst->dtype | src->dtype))) {
        if (gnp_is_structured(dst->dtype) || gnp_is_structured(src->dtype)) {
            return gnp_copy_structures(dst, src, 0);
        }
        if (dst->dtype != src->dtype) {
            gnp_broadcast_strides(src, dst->ndim, gnp_shape(dst), strides);
            return gnp_copy_units(dst, src, strides);
        }
    }
    gnp_broadcast_strides(src, dst->ndim, gnp_shape(dst), strides);
    GnpOperand operands[] = {
        {.data = src->data,
         .block = src->block,
         .strides = strides,
         .dtype = src->dtype,
         .compute = dst->dtype},
        {.data = dst->data,
         .block = dst->block,
         .strides = gnp_strides(dst),
         .dtype = dst->dtype,
         .compute = dst->dtype},
    };
    return gnp_elementwise(&gnp_copy_op, operands, dst->ndim, gnp_shape(dst));
}

/* The elements of src, in dst's shape and dtype, into unaligned dst. */
static int
copy_to_unaligned(GnpArray *dst, GnpArray *src)
{
    GnpArray *same = NULL; /* owned */
    int ret = -1;
    GNP_NEW(same, gnp_array_new_like(dst, dst->dtype, 'K'));
    GNP_TRY(copy_strided(same, src));
    GNP_TRY(copy_unaligned(dst, same));
    ret = 0;
fail:
    Py_XDECREF((PyObject *)same);
    return ret;
}

/* Assignment broadcasts to the target's shape only, and ignores leading axes of length 1, which
 * ordinary broadcasting would not. */
static int
check_broadcast(const GnpArray *dst, const GnpArray *src)
{
    int ndim = src->ndim;
    const int64_t *shape = gnp_shape(src);
    while (ndim > dst->ndim &&
           *shape == 1) { /* leading axes of one element do not count, as in NumPy */
        ndim--;
        shape++;
    }
    int fits = ndim <= dst->ndim;
    for (int axis = 1; fits && axis <= ndim; axis++) {
        int64_t n = shape[ndim - axis];
        fits = n == 1 || n == gnp_shape(dst)[dst->ndim - axis];
    }
    if (fits) {
        return 0;
    }
    PyObject *from = gnp_tuple_from_ints(src->ndim, gnp_shape(src));
    PyObject *to = gnp_tuple_from_ints(dst->ndim, gnp_shape(dst));
    if (from != NULL && to != NULL) {
        PyErr_Format(PyExc_ValueError,
                     "could not broadcast input array from shape %R into shape %R", from, to);
    }
    Py_XDECREF(from);
    Py_XDECREF(to);
    return -1;
}

/* src without leading axes of size 1 that dst does not have. */
static GnpArray *
drop_leading_ones(GnpArray *src, int ndim)
{
    int extra = src->ndim - ndim;
    if (extra <= 0) {
        return (GnpArray *)Py_NewRef((PyObject *)src);
    }
    return gnp_array_view(src, src->data, ndim, gnp_shape(src) + extra, gnp_strides(src) + extra,
                          src->dtype);
}

/* gnp_copy, once the arrays' device is current and their shapes are known to fit. At most two
 * temporaries: an aligned source, and one apart from the target. */
static int
copy_here(GnpArray *dst, GnpArray *src)
{
    GnpArray *view = NULL, *aligned = NULL, *apart = NULL; /* owned */
    int ret = -1;
    if (dst->size == 0 || (dst->dtype == src->dtype && same_places(dst, src))) {
        return 0;
    }
    GNP_NEW(view, drop_leading_ones(src, dst->ndim));
    GNP_NEW(aligned, gnp_aligned(view));
    if (gnp_overlaps_harmfully(dst, aligned)) {
        GNP_NEW(apart, gnp_astype(aligned, aligned->dtype, 'K'));
    }
    GnpArray *from = apart != NULL ? apart : aligned;
    GNP_TRY(dst->flags & GNP_ALIGNED ? copy_strided(dst, from) : copy_to_unaligned(dst, from));
    ret = 0;
fail:
    Py_XDECREF((PyObject *)view);
    Py_XDECREF((PyObject *)aligned);
    Py_XDECREF((PyObject *)apart);
    return ret;
}

static int
copy_from_elsewhere(GnpArray *dst, GnpArray *src)
{
    GnpArray *view = drop_leading_ones(src, dst->ndim); /* owned */
    int ret = view == NULL ? -1 : gnp_copy_between(dst, view);
    Py_XDECREF((PyObject *)view);
    return ret;
}

/* The target's device is current during the copy. */
int
gnp_copy(GnpArray *dst, GnpArray *src)
{
    int previous, ret = -1;
    if (gnp_array_enter(dst, &previous) < 0) {
        return -1;
    }
    GNP_TRY(check_broadcast(dst, src));
    ret = GNP_LIKELY(src->device_id == dst->device_id) ? copy_here(dst, src)
                                                       : copy_from_elsewhere(dst, src);
fail:
    gnp_array_leave(dst, previous);
    return ret;
}

/* The recursion ends at once: the new array is aligned. */
static int
fill_here(GnpArray *dst, const GnpScalar *element)
{
    if (GNP_UNLIKELY(gnp_is_structured(dst->dtype))) { /* no scalar has one: these are zeros */
        return gnp_clear_structures(dst);
    }
    if (!(dst->flags & GNP_ALIGNED)) {
        GnpArray *same = gnp_array_new_like(dst, dst->dtype, 'K');
        int ret = same == NULL || fill_here(same, element) < 0 ? -1 : copy_unaligned(dst, same);
        Py_XDECREF((PyObject *)same);
        return ret;
    }
    GnpOperand operands[] = {
        {.scalar = element, .dtype = dst->dtype, .compute = dst->dtype},
        {.data = dst->data,
         .block = dst->block,
         .strides = gnp_strides(dst),
         .dtype = dst->dtype,
         .compute = dst->dtype},
    };
    return gnp_elementwise(&gnp_copy_op, operands, dst->ndim, gnp_shape(dst));
}

int
gnp_fill(GnpArray *dst, const GnpScalar *element)
{
    int previous;
    if (gnp_array_enter(dst, &previous) < 0) {
        return -1;
    }
    int ret = fill_here(dst, element);
    gnp_array_leave(dst, previous);
    return ret;
}

/* A new array never overlaps its source, so no test is needed. */
GnpArray *
gnp_astype(GnpArray *src, GnpDtype dtype, char order)
{
    int previous;
    if (gnp_array_enter(src, &previous) < 0) {
        return NULL;
    }
    GnpArray *dst = gnp_array_new_like(src, gnp_wanted_dtype(dtype, (GnpDtype)src->dtype), order);
    const int structured = dst != NULL && dst->size > 0 && gnp_is_structured(dst->dtype);
    if (dst != NULL && (structured ? gnp_copy_structures(dst, src, 1) : copy_here(dst, src)) < 0) {
        Py_CLEAR(dst);
    }
    gnp_array_leave(src, previous);
    return dst;
}
