/* Copies between arrays of two devices, in order with the current streams of both.
 *
 * What can be described as a box of bytes (a contiguous array, or rows and slices with a fixed
 * distance) is one copy of the copy engine, without a temporary. Other layouts are packed on the
 * source's device first and spread on the target's. Values are converted where the smaller type is,
 * so that the fewer bytes cross the bus, and repeated elements of a broadcast source cross it once.
 */
#include "core/core_internal.h"

/* Shorter rows are packed by a kernel: a copy engine makes one access to the bus of each row. */
#define SHORTEST_ROW 1024

typedef struct {
    int64_t n, to, from; /* elements, and strides in bytes */
} Axis;

/* Axes of more than one element, innermost first; -1 where one runs backwards or repeats. */
static int
list_axes(const GnpArray *dst, const GnpArray *src, Axis *axes)
{
    int count = 0;
    for (int i = 0; i < dst->ndim; i++) {
        const Axis axis = {gnp_shape(dst)[i], gnp_strides(dst)[i], gnp_strides(src)[i]};
        if (axis.n == 1) {
            continue;
        }
        if (axis.to <= 0 || axis.from <= 0) {
            return -1;
        }
        int at = count++;
        for (; at > 0 && axes[at - 1].from > axis.from; at--) {
            axes[at] = axes[at - 1];
        }
        axes[at] = axis;
    }
    return count;
}

/* Joins axes that both arrays step through at one distance. The innermost ones become the row,
 * whose bytes are returned; `axes` has what is left, and *count says how many. */
static int64_t
join_axes(Axis *axes, int *count, int64_t itemsize)
{
    int64_t row = itemsize;
    int left = 0;
    for (int i = 0; i < *count; i++) {
        const Axis axis = axes[i];
        if (left == 0 && axis.to == row && axis.from == row) {
            row *= axis.n;
        }
        else if (left > 0 && axis.to == axes[left - 1].to * axes[left - 1].n &&
                 axis.from == axes[left - 1].from * axes[left - 1].n) {
            axes[left - 1].n *= axis.n;
        }
        else {
            axes[left++] = axis;
        }
    }
    *count = left;
    return row;
}

/* The driver wants rows that do not overlap, and slices that are a whole number of rows apart. */
static int
fits_box(const Axis *axes, int count, int64_t row)
{
    const Axis one = {1, 0, 0}, *rows = &axes[0], *slices = count > 1 ? &axes[1] : &one;
    return count <= 2 && row >= SHORTEST_ROW && rows->to >= row && rows->from >= row &&
           rows->to <= INT32_MAX && rows->from <= INT32_MAX && slices->to % rows->to == 0 &&
           slices->from % rows->from == 0 &&
           (count < 2 ||
            (slices->to >= rows->to * rows->n && slices->from >= rows->from * rows->n));
}

/* The arrays have one shape and elements of one size. 1 when a box describes the copy. */
static int
find_box(const GnpArray *dst, const GnpArray *src, GnpPeerCopy *copy)
{
    Axis axes[GNP_MAX_DIMS];
    int count = list_axes(dst, src, axes);
    if (count < 0) {
        return 0;
    }
    const int64_t row = join_axes(axes, &count, gnp_itemsize(dst));
    copy->width = (size_t)row;
    copy->height = copy->depth = 1;
    if (count == 0) {
        return 1;
    }
    if (!fits_box(axes, count, row)) {
        return 0;
    }
    copy->height = (size_t)axes[0].n;
    copy->depth = count > 1 ? (size_t)axes[1].n : 1;
    copy->to.pitch = (size_t)axes[0].to;
    copy->from.pitch = (size_t)axes[0].from;
    copy->to.rows = count > 1 ? (size_t)(axes[1].to / axes[0].to) : copy->height;
    copy->from.rows = count > 1 ? (size_t)(axes[1].from / axes[0].from) : copy->height;
    return 1;
}

/* The target's device is current. 1 when the copy was queued, 0 when it is none for the copy
 * engine, -1. The arrays have one dtype. */
static int
copy_box(GnpArray *dst, GnpArray *src)
{
    GnpPeerCopy copy = {
        .to = {.ptr = dst->data, .is_plain = gnp_block_is_plain(dst->block)},
        .from = {.ptr = src->data, .is_plain = gnp_block_is_plain(src->block)},
        .is_private = gnp_block_is_private(dst->block) && gnp_block_is_private(src->block),
    };
    if (dst->ndim != src->ndim || dst->size != src->size || !find_box(dst, src, &copy)) {
        return 0;
    }
    copy.to.device = gnp_device_current();
    copy.from.device = gnp_device_get(src->device_id);
    if (copy.to.device == NULL || copy.from.device == NULL) {
        return -1;
    }
    copy.to.stream = gnp_stream_current(copy.to.device);
    copy.from.stream = gnp_stream_current(copy.from.device);
    if (copy.height != 1 || copy.depth != 1) {
        int path = gnp_cu->queues.cuMemcpy3DPeerAsync != NULL ? gnp_peer_has_path(&copy) : 0;
        if (path <= 0) {
            return path;
        }
    }
    gnp_block_record(dst->block, copy.to.stream);
    gnp_block_record(src->block, copy.from.stream);
    /* A stream of another device is none of the block's pool, but a graph keeps what it uses. */
    if (GNP_UNLIKELY(gnp_captures != NULL) && gnp_capture_find(copy.to.stream) != NULL) {
        gnp_block_record_slow(src->block, copy.to.stream);
    }
    return gnp_peer_copy(&copy) < 0 ? -1 : 1;
}

/* Before anything is packed, which would become part of the graph. The target's device is
 * current. */
static int
check_capture(const GnpArray *src)
{
    if (GNP_LIKELY(gnp_captures == NULL)) {
        return 0;
    }
    GnpDevice *here = gnp_device_current(), *there = gnp_device_get(src->device_id);
    return here != NULL && there != NULL ? gnp_peer_check_capture(here, there) : -1;
}

/* A temporary on the source's device. A capture of the target's stream alone would not compute it
 * again at each replay. */
static int
check_temporary(const GnpArray *src)
{
    GnpDevice *here = gnp_device_current(), *there = gnp_device_get(src->device_id);
    if (here == NULL || there == NULL) {
        return -1;
    }
    if (GNP_LIKELY(gnp_captures == NULL) ||
        gnp_capture_find(gnp_stream_peek(there)) == gnp_capture_find(gnp_stream_peek(here))) {
        return 0;
    }
    return gnp_capture_check(gnp_stream_peek(here), "packing an array of another device");
}

static GnpArray *
pack(GnpArray *src, GnpDtype dtype)
{
    return check_temporary(src) < 0 ? NULL : gnp_astype(src, dtype, 'C');
}

/* Layout is kept for contiguous arrays; others become C order. */
GnpArray *
gnp_array_to_current_device(GnpArray *src)
{
    GnpArray *dst = NULL, *packed = NULL; /* owned */
    GnpArray *ret = NULL;
    const GnpDevice *here = gnp_device_current();
    if (here == NULL) {
        return NULL;
    }
    if (src->device_id == here->id) {
        return (GnpArray *)Py_NewRef((PyObject *)src);
    }
    GNP_TRY(check_capture(src));
    const GnpDtype dtype = (GnpDtype)src->dtype;
    if (src->flags & (GNP_C_CONTIGUOUS | GNP_F_CONTIGUOUS)) {
        GNP_NEW(dst, gnp_array_new_strided(src->ndim, gnp_shape(src), gnp_strides(src), dtype));
    }
    else {
        GNP_NEW(dst, gnp_array_new(src->ndim, gnp_shape(src), dtype, 'C'));
    }
    int status = dst->size > 0 ? copy_box(dst, src) : 1;
    if (status == 0) {
        status = -1;
        GNP_NEW(packed, pack(src, dtype));
        status = copy_box(dst, packed);
    }
    ret = status == 1 ? (GnpArray *)Py_NewRef((PyObject *)dst) : NULL;
fail:
    Py_XDECREF((PyObject *)dst);
    Py_XDECREF((PyObject *)packed);
    return ret;
}

/* The source with one element along each axis that repeats it: assignment broadcasts it again. */
static GnpArray *
without_repeats(GnpArray *src)
{
    int64_t shape[GNP_MAX_DIMS];
    for (int i = 0; i < src->ndim; i++) {
        shape[i] = gnp_strides(src)[i] == 0 && gnp_shape(src)[i] > 1 ? 1 : gnp_shape(src)[i];
    }
    return gnp_array_view(src, src->data, src->ndim, shape, gnp_strides(src), src->dtype);
}

/* Structures are copied field by field: a view of some fields must leave the others alone. */
static int
may_copy_bytes(const GnpArray *dst, const GnpArray *src)
{
    return dst->dtype == src->dtype && !gnp_is_structured(dst->dtype);
}

/* The target's device is current; the source's shape broadcasts to the target's and has no more
 * axes. What cannot go straight to its place is moved and then assigned. */
int
gnp_copy_between(GnpArray *dst, GnpArray *src)
{
    GnpArray *few = NULL, *packed = NULL, *here = NULL; /* owned */
    int ret = -1;
    if (dst->size == 0) {
        return 0;
    }
    GNP_TRY(check_capture(src));
    GNP_NEW(few, without_repeats(src));
    const int shrinks =
        gnp_is_number(dst->dtype | few->dtype) && gnp_itemsize(dst) < gnp_itemsize(few);
    int done = !shrinks && may_copy_bytes(dst, few) ? copy_box(dst, few) : 0;
    if (done == 0 && (shrinks || !(few->flags & (GNP_C_CONTIGUOUS | GNP_F_CONTIGUOUS)))) {
        GNP_NEW(packed, pack(few, (GnpDtype)(shrinks ? dst->dtype : few->dtype)));
        done = may_copy_bytes(dst, packed) ? copy_box(dst, packed) : 0;
    }
    if (done == 0) {
        GNP_NEW(here, gnp_array_to_current_device(packed != NULL ? packed : few));
        done = gnp_copy(dst, here) == 0 ? 1 : -1;
    }
    ret = done == 1 ? 0 : -1;
fail:
    Py_XDECREF((PyObject *)few);
    Py_XDECREF((PyObject *)packed);
    Py_XDECREF((PyObject *)here);
    return ret;
}

int
gnp_array_bring(GnpArray **array)
{
    const GnpDevice *here = gnp_device_current();
    if (here == NULL) {
        return -1;
    }
    if ((*array)->device_id == here->id) {
        return 1;
    }
    int allowed = gnp_peer_consent((*array)->device_id, here->id);
    GnpArray *copy = allowed > 0 ? gnp_array_to_current_device(*array) : NULL;
    if (copy == NULL) {
        return allowed > 0 ? -1 : allowed;
    }
    Py_SETREF(*array, copy);
    return 1;
}
