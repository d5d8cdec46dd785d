/* The planning half of the elementwise engine: a call's operands become an index space in normal
 * form, from which the kernel file and its knobs follow. Pure computation on the host.
 *
 * Four kernel files serve all layouts: vector (everything contiguous), rows (a long fast axis in
 * outer ones), transposed (an input whose fast axis is not the output's), strided (the rest). The
 * first whose conditions hold is taken. This runs for every operation, so it is a few loops over
 * axes and operands, without memory of its own.
 */
#include "core/element_plan.h"

typedef GnpElementSpace Space;
typedef GnpElementPlan Plan;

/* ---- the normal form ------------------------------------------------------------------------- */

static inline int64_t
magnitude(int64_t x)
{
    return x < 0 ? -x : x;
}

/* C order reversed: the last axis of the shape becomes axis 0. A scalar has no strides and is the
 * same for every element. */
static void
space_take_axes(Space *s, int ndim, const int64_t *shape)
{
    int n = 0;
    for (int axis = ndim - 1; axis >= 0; axis--) {
        if (shape[axis] == 1) {
            continue;
        }
        s->shape[n] = shape[axis];
        for (int k = 0; k < s->noperands; k++) {
            const int64_t *strides = s->operand[k].strides;
            s->stride[k][n] = strides != NULL ? strides[axis] : 0;
        }
        n++;
    }
    s->naxes = n;
    for (int k = 0; k < s->noperands; k++) {
        s->data[k] = s->operand[k].data;
    }
}

/* Reverses every axis along which the first output's stride is negative, for all operands.
 * Elementwise results do not depend on the order of traversal. A reversed view is then contiguous
 * like any other, as long as output and inputs are reversed alike. */
static void
space_flip(Space *s)
{
    for (int axis = 0; axis < s->naxes; axis++) {
        if (s->stride[s->nin][axis] >= 0) {
            continue;
        }
        for (int k = 0; k < s->noperands; k++) {
            s->data[k] += (CUdeviceptr)(s->stride[k][axis] * (s->shape[axis] - 1));
            s->stride[k][axis] = -s->stride[k][axis];
        }
    }
}

/* 1 when `b` should be faster than `a`: the outputs decide, then the inputs in order. The output
 * first, because writes that are not coalesced cost most. Where it does not decide (stride 0 or
 * equal), the order of the axes is kept. */
static int
axis_is_faster(const Space *s, int b, int a)
{
    for (int j = 0; j < s->noperands; j++) {
        int k = (s->nin + j) % s->noperands;
        int64_t sa = magnitude(s->stride[k][a]), sb = magnitude(s->stride[k][b]);
        if (sa != sb && sa != 0 && sb != 0) {
            return sb < sa;
        }
    }
    return 0;
}

static void
space_swap(Space *s, int a, int b)
{
    int64_t t = s->shape[a];
    s->shape[a] = s->shape[b];
    s->shape[b] = t;
    for (int k = 0; k < s->noperands; k++) {
        t = s->stride[k][a];
        s->stride[k][a] = s->stride[k][b];
        s->stride[k][b] = t;
    }
}

/* Insertion sort, stable: nearly always sorted already. */
static void
space_sort(Space *s)
{
    for (int i = 1; i < s->naxes; i++) {
        for (int j = i; j > 0 && axis_is_faster(s, j, j - 1); j--) {
            space_swap(s, j, j - 1);
        }
    }
}

static int
axes_are_one(const Space *s, int inner, int outer)
{
    for (int k = 0; k < s->noperands; k++) {
        if (s->stride[k][outer] != s->stride[k][inner] * s->shape[inner]) {
            return 0;
        }
    }
    return 1;
}

/* After the merge a contiguous array of any shape has one axis. */
static void
space_merge(Space *s)
{
    int last = 0;
    for (int axis = 1; axis < s->naxes; axis++) {
        if (axes_are_one(s, last, axis)) {
            s->shape[last] *= s->shape[axis];
            continue;
        }
        last++;
        s->shape[last] = s->shape[axis];
        for (int k = 0; k < s->noperands; k++) {
            s->stride[k][last] = s->stride[k][axis];
        }
    }
    s->naxes = s->naxes > 0 ? last + 1 : 0;
}

void
gnp_element_space(Space *s, int ndim, const int64_t *shape)
{
    space_take_axes(s, ndim, shape);
    if (s->naxes > 0) {
        space_flip(s);
    }
    if (s->naxes > 1) {
        space_sort(s);
        space_merge(s);
    }
}

/* ---- the plan: kernel file and knobs --------------------------------------------------------- */

/* The largest access, of at most `width` elements, that operand k allows along `axis`: its stride
 * there has to be one element, and every address a multiple of the access. 0 without unit stride.
 */
static int
allowed_width(const Space *s, int k, int axis, int width)
{
    int bytes = gnp_element_bytes(s, k);
    if (s->stride[k][axis] != bytes) {
        return 0;
    }
    /* A position is computed, not loaded: no address, no alignment. */
    if (s->operand[k].kind == GNP_POSITION) {
        return width;
    }
    uint64_t places = s->data[k];
    for (int other = 0; other < s->naxes; other++) {
        places |= other == axis ? 0 : (uint64_t)s->stride[k][other];
    }
    /* Accesses are at most 16 bytes, so a wider group of a large type is loaded in several. */
    while (width > 1) {
        int access = width * bytes < 16 ? width * bytes : 16;
        if (places % (uint64_t)access == 0) {
            break;
        }
        width /= 2;
    }
    return width;
}

/* The widest access: 16 bytes of the largest type that moves. */
static int
widest(const Space *s)
{
    int bytes = 1;
    for (int k = 0; k < s->noperands; k++) {
        if (s->operand[k].scalar == NULL && gnp_element_bytes(s, k) > bytes) {
            bytes = gnp_element_bytes(s, k);
        }
    }
    return 16 / bytes;
}

/* All operands contiguous, or one element: the flat vector kernel. Broadcast inputs are loaded once
 * per thread; a broadcast output has no such meaning, and every output has unit stride here. */
static int
plan_vector(const Space *s, Plan *plan)
{
    if (s->naxes > 1) {
        return 0;
    }
    plan->width = widest(s);
    for (int k = 0; k < s->noperands; k++) {
        if (gnp_element_is_scalar(s, k)) {
            plan->access[k] = ACCESS_SCALAR;
        }
        else if (s->naxes == 0 || (s->stride[k][0] == 0 && k < s->nin)) {
            plan->access[k] = k < s->nin ? ACCESS_BROADCAST : ACCESS_CONTIGUOUS;
        }
        else {
            plan->access[k] = ACCESS_CONTIGUOUS;
            plan->width = allowed_width(s, k, 0, plan->width);
            if (plan->width == 0) {
                return 0;
            }
        }
    }
    /* One element: no width helps. */
    if (s->naxes == 0) {
        plan->width = 1;
    }
    plan->kind = KIND_VECTOR;
    return 1;
}

/* A long fast axis inside outer ones (rows.cu). Where an operand is not contiguous along it the
 * width is 1; even then the kernel's index division is done once per four rows instead of once per
 * element. Shorter rows than a warp would leave most of its threads idle. */
static int
plan_rows(const Space *s, Plan *plan)
{
    if (s->naxes < 2 || s->shape[0] < 32) {
        return 0;
    }
    int width = widest(s);
    for (int k = 0; k < s->noperands && width > 0; k++) {
        if (!gnp_element_is_scalar(s, k) && (s->stride[k][0] != 0 || k >= s->nin)) {
            width = allowed_width(s, k, 0, width);
        }
    }
    plan->kind = KIND_ROWS;
    plan->width = width > 0 ? width : 1;
    for (int k = 0; k < s->noperands; k++) {
        if (gnp_element_is_scalar(s, k)) {
            plan->access[k] = ACCESS_SCALAR;
        }
        else if (plan->width == 1) {
            plan->access[k] = ACCESS_STRIDED;
        }
        else {
            plan->access[k] = s->stride[k][0] == 0 ? ACCESS_BROADCAST : ACCESS_CONTIGUOUS;
        }
    }
    return 1;
}

/* Whether reading along the output's fast axis would touch a new cache line for each element of
 * operand k, while another axis of the operand is contiguous. Distances of 32 bytes, a sector of
 * the memory, and more: each element then costs a sector of its own. Up to two elements apart along
 * the other axis, a sector is shared there. */
static int
is_transposed(const Space *s, int k, int axis)
{
    int bytes = gnp_element_bytes(s, k);
    return !gnp_element_is_scalar(s, k) && s->operand[k].kind != GNP_POSITION &&
           s->stride[k][axis] != 0 && magnitude(s->stride[k][axis]) <= 2 * bytes &&
           magnitude(s->stride[k][0]) >= 32;
}

/* The first input that is transposed decides the tile's second axis; another input with a different
 * one is read with its strides. */
static int
find_transposed_axis(const Space *s)
{
    if (s->naxes < 2 || s->shape[0] < 16) {
        return 0;
    }
    for (int k = 0; k < s->nin; k++) {
        for (int axis = 1; axis < s->naxes; axis++) {
            if (s->shape[axis] >= 16 && is_transposed(s, k, axis)) {
                return axis;
            }
        }
    }
    return 0;
}

/* Tiles of all transposed inputs have to fit into 40,000 bytes of shared memory, so that several
 * blocks are resident; four columns of padding keep the columns in different banks. */
static int
tile_side(const Space *s, const Plan *plan)
{
    int largest = 1, total = 0;
    for (int k = 0; k < s->nin; k++) {
        if (plan->access[k] == ACCESS_TRANSPOSED) {
            largest = gnp_element_bytes(s, k) > largest ? gnp_element_bytes(s, k) : largest;
            total += gnp_element_bytes(s, k);
        }
    }
    int side = plan->width == 1 || largest >= 8 ? 32 : largest == 1 ? 128 : 64;
    while (side > 16 && side * (side + 4) * total > 40000) {
        side /= 2;
    }
    return side;
}

/* Inputs whose fast axis is not the output's are transposed by tiles in shared memory. Below 1,024
 * elements the tiles would be mostly empty. */
static int
plan_transposed(const Space *s, Plan *plan)
{
    int axis = s->size >= 1024 ? find_transposed_axis(s) : 0;
    if (axis == 0) {
        return 0;
    }
    plan->kind = KIND_TRANSPOSED;
    plan->transposed_axis = axis;
    plan->width = widest(s);
    for (int k = 0; k < s->noperands; k++) {
        plan->access[k] = gnp_element_is_scalar(s, k)                  ? ACCESS_SCALAR
                          : k < s->nin && is_transposed(s, k, axis)    ? ACCESS_TRANSPOSED
                          : s->stride[k][0] == gnp_element_bytes(s, k) ? ACCESS_CONTIGUOUS
                                                                       : ACCESS_STRIDED;
        int width = plan->access[k] == ACCESS_TRANSPOSED   ? allowed_width(s, k, axis, plan->width)
                    : plan->access[k] == ACCESS_CONTIGUOUS ? allowed_width(s, k, 0, plan->width)
                                                           : plan->width;
        plan->width = width > 0 ? width : 1;
    }
    plan->tile = tile_side(s, plan);
    return 1;
}

static void
plan_strided(const Space *s, Plan *plan)
{
    plan->kind = KIND_STRIDED;
    plan->width = 1;
    for (int k = 0; k < s->noperands; k++) {
        plan->access[k] = gnp_element_is_scalar(s, k) ? ACCESS_SCALAR : ACCESS_STRIDED;
    }
}

/* 1 when the count, and every byte offset of every operand, stays under 2^31. Signed: kernels add
 * negative strides modulo 2^32, so offsets have to stay below 2^31. */
static int
fits_32_bits(const Space *s)
{
    const int64_t limit =
        ((int64_t)1 << 31) - 65536; /* indices run past the end by up to a block */
    if (s->size > limit) {
        return 0;
    }
    for (int k = 0; k < s->noperands; k++) {
        int64_t reach = 0;
        for (int axis = 0; axis < s->naxes; axis++) {
            reach += magnitude(s->stride[k][axis]) * (s->shape[axis] - 1);
        }
        if (reach > limit) {
            return 0;
        }
    }
    return 1;
}

/* An operand that is broadcast over the rows is read once for all rows of a thread. For instance a
 * vector added to each row of a matrix: four rows per thread read it once. */
static void
plan_repeats(const Space *s, Plan *plan)
{
    for (int k = 0; k < s->nin; k++) {
        int repeats = (plan->access[k] == ACCESS_CONTIGUOUS || plan->access[k] == ACCESS_STRIDED) &&
                      s->operand[k].kind != GNP_POSITION;
        for (int axis = 1; axis < s->naxes; axis++) {
            repeats = repeats && s->stride[k][axis] == 0;
        }
        if (repeats) {
            plan->access[k] = ACCESS_ROW_BROADCAST;
        }
    }
}

/* Bytes that a thread should have in flight, reads and writes, to saturate the memory of an H200 at
 * full occupancy (Little's law: latency times bandwidth, divided by the resident threads). */
enum { BYTES_IN_FLIGHT = 16 };

/* Broadcast and scalar operands are in registers or in the cache and do not count. */
static int
choose_unroll(const Space *s, const Plan *plan)
{
    int bytes = 0, unroll = 1;
    for (int k = 0; k < s->noperands; k++) {
        if (plan->access[k] != ACCESS_SCALAR && plan->access[k] != ACCESS_BROADCAST) {
            bytes += plan->width * gnp_element_bytes(s, k);
        }
    }
    while (unroll < 4 && unroll * bytes < BYTES_IN_FLIGHT) {
        unroll *= 2;
    }
    return unroll;
}

/* Below this many elements the launch latency dominates whatever the kernel: the variant that
 * compiles fastest is taken. */
enum { SMALL = 65536 };

/* Under a mask each element is stored by itself, so wide accesses do not help: with one element per
 * thread the stores of a warp are adjacent, which is a third faster than four stores per thread at
 * a distance of 16 bytes. */
static int
masked_width(const Space *s, const Plan *plan)
{
    int together = 4 / gnp_element_bytes(s, s->noperands - 1);
    return together < 1 ? 1 : together < plan->width ? together : plan->width;
}

/* How many times the op is unrolled in a thread. Once is what compiles fastest and what the
 * emulated device runs fastest; long functions get no more than one access. Few variants on
 * purpose: each combination of width and unrolling is a kernel to compile, which takes some 25 ms
 * once. */
static void
plan_copies(const Space *s, Plan *plan, const GnpElementOp *op, const GnpDevice *device)
{
    plan->unroll = 1;
    if (plan->kind == KIND_TRANSPOSED) {
        return;
    }
    if ((s->size < SMALL && plan->kind == KIND_VECTOR) ||
        (op->heavy && (s->size < SMALL || device->prefers_short))) {
        plan->width = 1;
    }
    if (s->size < SMALL || device->prefers_short || (op->heavy && plan->width > 1)) {
        return;
    }
    if (plan->masked && plan->kind == KIND_VECTOR) {
        plan->width = masked_width(s, plan);
    }
    if (plan->kind == KIND_ROWS) {
        plan->unroll = op->heavy ? 2 : 4;
        plan_repeats(s, plan);
    }
    else {
        plan->unroll = op->heavy ? 2 : choose_unroll(s, plan);
    }
}

/* 64-bit indices make the kernel slower and are another variant; vector kernels count accesses, not
 * bytes, so they need them later than the others. */
void
gnp_element_plan(Plan *plan, const Space *s, const GnpElementOp *op, const GnpDevice *device)
{
    plan->tile = 0;
    plan->transposed_axis = 0;
    if (!plan_vector(s, plan) && !plan_transposed(s, plan) && !plan_rows(s, plan)) {
        plan_strided(s, plan);
    }
    plan_copies(s, plan, op, device);
    int outer = s->naxes - (plan->kind == KIND_ROWS ? 1 : plan->kind == KIND_TRANSPOSED ? 2 : 0);
    plan->naxes = plan->kind == KIND_VECTOR ? 0 : gnp_axes_class(outer > 0 ? outer : 1);
    plan->wide_index = plan->kind == KIND_VECTOR ? s->size > ((int64_t)1 << 31) : !fits_32_bits(s);
}
