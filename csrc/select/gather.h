/* A key with index arrays, prepared for kernels by advanced.c: for a[key], a[key] = value, take,
 * put and ufunc.at. */
#ifndef GNP_GATHER_H
#define GNP_GATHER_H

#include "select/select.h"

enum { GNP_GATHER_INDICES = 6 }; /* the most index arrays a kernel takes */

typedef struct {
    GnpArray *view; /* borrowed */
    int nindices;
    GnpArray *index[GNP_MAX_DIMS]; /* owned */
    int64_t size[GNP_MAX_DIMS],
        stride[GNP_MAX_DIMS];            /* of the axis each selects from; size 0: offsets */
    int axis[GNP_MAX_DIMS], wraps;       /* of the view; wraps: in any index mode */
    int clips;                           /* an empty result may be taken from an empty axis */
    unsigned char removed[GNP_MAX_DIMS]; /* view's axes that are indexed */
    int kept[GNP_MAX_DIMS];              /* the others */
    int along; /* 1: one index of the result's shape, and the other axes advance together with it
                  (take_along) */
    int bndim, ndim, result_axis;
    int64_t bshape[GNP_MAX_DIMS], shape[GNP_MAX_DIMS]; /* of the indices together, of the result */
} GnpGather;

/* One index of a launch, as kernels/select/indexed.cuh has it. */
typedef struct {
    uint64_t data;
    int64_t size, stride;
} GnpGatherAxis;

int gnp_gather_begin(GnpGather *g, const GnpIndex *index);
/* An index array over one axis of the view; then, with all of them there, the shapes. */
void gnp_gather_push(GnpGather *g, GNP_STEAL GnpArray *index, int axis);
int gnp_gather_shapes(GnpGather *g);
/* The elements that the indices name, a new array in this order. */
GnpArray *gnp_gather_take(GnpGather *g, char order);
/* The reverse, for unified indices: stores `values` or `scalar` at their places. With `refused`, a
 * word on the device initialised to all ones, there is one index array: elements with an index out
 * of bounds are not stored, and the word receives the smallest position of such an index. */
int gnp_gather_scatter(const GnpGather *g, const GnpArray *values, const int64_t *value_strides,
                       const GnpScalar *scalar, CUdeviceptr refused);
void gnp_gather_clear(GnpGather *g);
/* Checks all indices for bounds (in mode 'raise'), makes them aligned and of one integer type, and
 * merges them into one array of offsets if there are more than a kernel takes. `use` is what
 * follows: indices in memory that will be written are copied. */
typedef enum { GNP_GATHER_READS, GNP_GATHER_WRITES } GnpGatherUse;
int gnp_gather_unify(GnpGather *g, GnpGatherUse use);
/* Operand 0: the values, with these strides; 1: the view; then the indices. */
void gnp_gather_axes(const GnpGather *g, const int64_t *value_strides, GnpAxes *axes);
/* `value` converted to `dtype`, not overlapping the view's memory, and its strides along the
 * result's axes. ValueError when it does not broadcast to them. */
GnpArray *gnp_gather_value(const GnpGather *g, GnpArray *value, GnpDtype dtype, int64_t *strides);

#endif
