/* Axes of index spaces: sorted by stride, adjacent ones merged where possible.
 *
 * Every launch over arrays makes its GnpAxes here: collect the axes, sort them so that neighbouring
 * threads touch neighbouring memory, and merge what is contiguous. Fewer axes mean fewer divisions
 * per element in the kernel, and fewer kernels to compile. All of it is on the path of `a + b`, so
 * it uses no heap.
 */
#include "kernel/kernel.h"

#include <string.h>

/* Strides of arrays are far from INT64_MIN, so negation cannot overflow. */
static inline int64_t
magnitude(int64_t x)
{
    return x < 0 ? -x : x;
}

void
gnp_axes_copy(GnpAxes *to, const GnpAxes *from)
{
    gnp_axes_init(to, from->noperands);
    to->naxes = from->naxes;
    memcpy(to->shape, from->shape, (size_t)from->naxes * sizeof *from->shape);
    for (int axis = 0; axis < from->naxes; axis++) {
        memcpy(to->stride[axis], from->stride[axis],
               (size_t)from->noperands * sizeof *from->stride[axis]);
    }
}

/* An axis of size 1 has no second element, and its stride no meaning. */
void
gnp_axes_add(GnpAxes *axes, int64_t size, const int64_t *strides)
{
    if (size == 1) {
        return;
    }
    axes->shape[axes->naxes] = size;
    for (int k = 0; k < axes->noperands; k++) {
        axes->stride[axes->naxes][k] = strides[k];
    }
    axes->naxes++;
}

/* A stride of 0 (broadcast) sorts last whatever its size: along such an axis nothing is
 * contiguous. */
static int
is_faster(const GnpAxes *axes, int b, int a)
{
    int64_t sa = magnitude(axes->stride[a][0]), sb = magnitude(axes->stride[b][0]);
    return sb != 0 && (sa == 0 || sb < sa);
}

static void
move_axis(GnpAxes *axes, int to, int from)
{
    axes->shape[to] = axes->shape[from];
    memcpy(axes->stride[to], axes->stride[from], (size_t)axes->noperands * sizeof(int64_t));
}

/* Insertion sort: there are few axes, and they are mostly in order already. It is stable, so axes
 * of equal strides keep the order of the array's. */
void
gnp_axes_sort(GnpAxes *axes)
{
    for (int i = 1; i < axes->naxes; i++) {
        for (int j = i; j > 0 && is_faster(axes, j, j - 1); j--) {
            int64_t shape = axes->shape[j], stride[GNP_AXES_OPERANDS];
            size_t nbytes = (size_t)axes->noperands * sizeof *stride;
            memcpy(stride, axes->stride[j], nbytes);
            move_axis(axes, j, j - 1);
            axes->shape[j - 1] = shape;
            memcpy(axes->stride[j - 1], stride, nbytes);
        }
    }
}

/* Stepping over the end of the inner axis has to land on the next element of the outer one, for
 * every operand. */
static int
are_one(const GnpAxes *axes, int inner, int outer)
{
    for (int k = 0; k < axes->noperands; k++) {
        if (axes->stride[outer][k] != axes->stride[inner][k] * axes->shape[inner]) {
            return 0;
        }
    }
    return 1;
}

/* In place: `last` is the axis that the next one may be merged into. */
void
gnp_axes_merge(GnpAxes *axes)
{
    int last = 0;
    for (int axis = 1; axis < axes->naxes; axis++) {
        if (are_one(axes, last, axis)) {
            axes->shape[last] *= axes->shape[axis];
        }
        else {
            last++;
            if (last != axis) {
                move_axis(axes, last, axis);
            }
        }
    }
    axes->naxes = axes->naxes > 0 ? last + 1 : 0;
}

/* Cannot overflow: the product is the size of an array that exists. */
int64_t
gnp_axes_size(const GnpAxes *axes)
{
    int64_t size = 1;
    for (int axis = 0; axis < axes->naxes; axis++) {
        size *= axes->shape[axis];
    }
    return size;
}

/* With it callers decide between 32-bit and 64-bit indices. */
int64_t
gnp_axes_reach(const GnpAxes *axes, int k)
{
    int64_t reach = 0;
    for (int axis = 0; axis < axes->naxes; axis++) {
        reach += magnitude(axes->stride[axis][k]) * (axes->shape[axis] - 1);
    }
    return reach;
}

uint64_t
gnp_axes_offsets(const GnpAxes *axes, int first)
{
    uint64_t offsets = 0;
    for (int axis = first; axis < axes->naxes; axis++) {
        offsets |= (uint64_t)axes->stride[axis][0];
    }
    return offsets;
}

/* A vectorised access has to be aligned in every row, so all offsets that occur are or'ed together:
 * their common alignment is that of the result. */
int
gnp_axes_width(const GnpAxes *axes, int itemsize, int widest, uint64_t others)
{
    if (axes->naxes == 0 || axes->stride[0][0] != itemsize) {
        return 1;
    }
    uint64_t offsets = others | gnp_axes_offsets(axes, 1);
    int width = widest;
    while (width > 1 && offsets % (uint64_t)(width * itemsize) != 0) {
        width /= 2;
    }
    return width;
}

/* A few classes instead of every number of axes: each is a kernel to compile. Layouts are filled up
 * with axes of size 1. */
int
gnp_axes_class(int naxes)
{
    static const int classes[] = {1, 2, 3, 4, 6, 8, 16, 32, GNP_MAX_DIMS};
    int i = 0;
    while (classes[i] < naxes) {
        i++;
    }
    return classes[i];
}
