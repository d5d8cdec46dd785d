/* Cuts a transform over any axes and strides into plans of cuFFT.
 *
 * One plan takes up to three axes and one axis of batches, each with any stride, as long as the
 * stride of an axis divides that of the next. Further axes are transformed in place afterwards. A
 * 1-d transform with several batch axes is repeated, or the axis is first moved to the end of a
 * copy, whichever costs less.
 *
 * A Pass is what cuFFT can do in one plan and, over further batch axes, repeated. The limits below,
 * in bytes, were measured; they only decide between ways that give the same result.
 *
 * gnp_fft_transform is called by fft.c and fft_cosine.c, in the calling thread with the GIL.
 * Plans are borrowed from fft_plan.c and run at once, so none is evicted in between.
 */
#include "lib/fft.h"

#include <string.h>

int gnp_fft_whole = 1;

enum {
    LOOPS_AT_LEAST = 2, /* up to so many repetitions of a plan are never slower than two copies */
    BYTES_PER_LOOP = 1 << 22, /* bytes copied to rows and back in the time of one more call */
    BYTES_PER_TURN = 1 << 24, /* the same without the copy back */
    SLOW_BYTES = 1 << 22,     /* below, launches dominate the time */
};

static const int64_t MOST_ELEMENTS = (int64_t)1 << 31;

typedef struct {
    int64_t size, in, out; /* strides in elements */
} Axis;

/* A transform of some axes between two places. */
typedef struct {
    GnpFftKind kind;
    int naxes, nbatch;
    Axis axes[GNP_FFT_RANK];  /* slowest first; the size is the transform's length */
    Axis batch[GNP_MAX_DIMS]; /* slowest first, joined where they are one for both sides */
} Pass;

/* cuFFT reads complex numbers aligned to their size, and takes positive strides only. */
int
gnp_fft_layout_fits(const GnpArray *a)
{
    int64_t item = gnp_itemsize(a);
    int64_t unit = gnp_dtypes[a->dtype].cls == 'c' ? item : 2 * item;
    if (!(a->flags & GNP_ALIGNED) || a->data % (CUdeviceptr)unit != 0) {
        return 0;
    }
    if (a->flags & GNP_C_CONTIGUOUS) {
        return 1;
    }
    for (int i = 0; i < a->ndim; i++) {
        if (gnp_shape(a)[i] > 1 && gnp_strides(a)[i] <= 0) {
            return 0;
        }
    }
    return 1;
}

/* ---- axes ------------------------------------------------------------------------------------ */

/* A complex-to-real transform has its length on the side of the output, since the half spectrum
 * does not determine it. */
static Axis
axis_of(const GnpArray *in, const GnpArray *out, int axis, GnpFftKind kind)
{
    int64_t size = gnp_shape(kind == GNP_FFT_C2R ? out : in)[axis];
    if (size == 1) { /* its strides may be anything */
        return (Axis){1, 1, 1};
    }
    return (Axis){size, gnp_strides(in)[axis] / gnp_itemsize(in),
                  gnp_strides(out)[axis] / gnp_itemsize(out)};
}

/* Sorted by the output's strides, then the input's; the sort is stable. */
static int
is_slower(const Axis *a, const Axis *b)
{
    return a->out != b->out ? a->out > b->out : a->in > b->in;
}

static void
insert_sorted(Axis *list, int n, Axis axis)
{
    while (n > 0 && is_slower(&axis, &list[n - 1])) {
        list[n] = list[n - 1];
        n--;
    }
    list[n] = axis;
}

/* All axes that are not in `taken`, merged where possible. */
static void
collect_batch(Pass *pass, const GnpArray *in, const GnpArray *out, uint64_t taken)
{
    Axis sorted[GNP_MAX_DIMS];
    int n = 0, m = 0;
    for (int i = 0; i < in->ndim; i++) {
        Axis axis = axis_of(in, out, i, GNP_FFT_C2C);
        if (!(taken >> i & 1) && axis.size != 1) {
            insert_sorted(sorted, n++, axis);
        }
    }
    for (int i = 0; i < n; i++) {
        Axis *last = m > 0 ? &pass->batch[m - 1] : NULL;
        if (last != NULL && last->in == sorted[i].in * sorted[i].size &&
            last->out == sorted[i].out * sorted[i].size) {
            *last = (Axis){last->size * sorted[i].size, sorted[i].in, sorted[i].out};
        }
        else {
            pass->batch[m++] = sorted[i];
        }
    }
    pass->nbatch = m;
}

/* Whether each stride divides the next slower one and spans the axis, and no length is better
 * transformed alone. The plan describes nested axes by "embed", the extent of an outer axis in
 * units of the inner one, so strides must divide each other. */
static int
is_one_plan(const Pass *pass)
{
    for (int i = 0; i < pass->naxes; i++) {
        if (gnp_fft_is_better_apart(pass->kind, pass->axes[i].size)) {
            return 0;
        }
    }
    for (int i = 0; i + 1 < pass->naxes; i++) {
        const Axis *slow = &pass->axes[i], *fast = &pass->axes[i + 1];
        int64_t half = i + 2 == pass->naxes ? fast->size / 2 + 1 : fast->size;
        int64_t in = pass->kind == GNP_FFT_C2R ? half : fast->size;
        int64_t out = pass->kind == GNP_FFT_R2C ? half : fast->size;
        if (slow->in % fast->in != 0 || slow->out % fast->out != 0 || slow->in / fast->in < in ||
            slow->out / fast->out < out) {
            return 0;
        }
    }
    return 1;
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* The type on the side of `in`: its real counterpart tells single from double precision. */
static cufftType
plan_type(GnpFftKind kind, GnpDtype dtype)
{
    static const cufftType types[][2] = {
        [GNP_FFT_C2C] = {CUFFT_C2C, CUFFT_Z2Z},
        [GNP_FFT_R2C] = {CUFFT_R2C, CUFFT_D2Z},
        [GNP_FFT_C2R] = {CUFFT_C2R, CUFFT_Z2D},
    };
    return types[kind][gnp_dtypes[dtype].real == GNP_F64];
}

/* Both sides contiguous, one transform after the other: cuFFT's basic layout. */
static int
is_basic(const GnpFftKey *key, GnpFftKind kind)
{
    int64_t in = 1, out = 1;
    if (key->in.stride != 1 || key->out.stride != 1) {
        return 0;
    }
    for (int i = key->rank - 1; i >= 0; i--) {
        int64_t half = i == key->rank - 1 ? key->n[i] / 2 + 1 : key->n[i];
        int64_t rows_in = kind == GNP_FFT_C2R ? half : key->n[i];
        int64_t rows_out = kind == GNP_FFT_R2C ? half : key->n[i];
        if (i > 0 && (key->in.embed[i] != rows_in || key->out.embed[i] != rows_out)) {
            return 0;
        }
        in *= rows_in;
        out *= rows_out;
    }
    return key->batch == 1 || (key->in.distance == in && key->out.distance == out);
}

/* The key of a pass over `count` batches of its batch axis `which` (-1: none). */
static GnpFftPlan *
plan_of(const Pass *pass, int which, int64_t count, GnpDtype dtype, GnpDevice *device)
{
    GnpFftKey key;
    int rank = pass->naxes;
    /* The key is hashed and compared as bytes, padding included. */
    memset(&key, 0, sizeof key);
    key.device_id = device->id;
    key.type = plan_type(pass->kind, dtype);
    key.rank = rank;
    key.batch = count;
    for (int i = 0; i < rank; i++) {
        key.n[i] = pass->axes[i].size;
        /* embed[0] is not used, but must not be 0. */
        key.in.embed[i] = i > 0 ? pass->axes[i - 1].in / pass->axes[i].in : key.n[i];
        key.out.embed[i] = i > 0 ? pass->axes[i - 1].out / pass->axes[i].out : key.n[i];
    }
    key.in.stride = pass->axes[rank - 1].in;
    key.out.stride = pass->axes[rank - 1].out;
    key.in.distance = which >= 0 ? pass->batch[which].in : 1;
    key.out.distance = which >= 0 ? pass->batch[which].out : 1;
    key.is_basic = is_basic(&key, pass->kind);
    return gnp_fft_plan(device, &key);
}

/* ---- running a pass -------------------------------------------------------------------------- */

/* The batch axis of the plan: the longest. So that a plan is repeated as few times as possible. */
static int
longest_batch(const Pass *pass)
{
    int best = pass->nbatch - 1;
    for (int i = best; i >= 0; i--) {
        if (pass->batch[i].size > pass->batch[best].size) {
            best = i;
        }
    }
    return best;
}

/* The number of calls of a pass, each of which is a launch or more. */
static int64_t
count_loops(const Pass *pass)
{
    int which = longest_batch(pass);
    int64_t loops = 1;
    for (int i = 0; i < pass->nbatch; i++) {
        loops *= i == which ? 1 : pass->batch[i].size;
    }
    return loops;
}

/* cuFFT needs real arrays aligned like complex ones: whether every repetition is. */
static int
loops_are_aligned(const Pass *pass)
{
    int which = longest_batch(pass);
    for (int i = 0; i < pass->nbatch; i++) {
        int64_t real = pass->kind == GNP_FFT_C2R ? pass->batch[i].out : pass->batch[i].in;
        if (i != which && pass->kind != GNP_FFT_C2C && real % 2 != 0) {
            return 0;
        }
    }
    return 1;
}

/* Batches of one plan: as many as keep it below MOST_ELEMENTS, beyond which cuFFT does not take
 * every length ("cufftMakePlanMany64" in its documentation). */
static int64_t
count_together(const Pass *pass, int which)
{
    int64_t each = 1, batches = which >= 0 ? pass->batch[which].size : 1;
    for (int i = 0; i < pass->naxes; i++) {
        each *= pass->axes[i].size;
    }
    int64_t most = each < MOST_ELEMENTS ? MOST_ELEMENTS / each : 1;
    most -= most > 1 ? most % 2 : 0; /* see loops_are_aligned() */
    return batches < most ? batches : most;
}

/* Runs one plan, `from` and `to` elements from the starts of the arrays. */
static int
run_batches(const Pass *pass, GnpArray *in, GnpArray *out, int inverse, const int64_t offset[2])
{
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return -1;
    }
    CUstream stream = gnp_stream_current(device);
    int which = longest_batch(pass);
    int64_t batches = which >= 0 ? pass->batch[which].size : 1;
    int64_t together = count_together(pass, which);
    /* Before the first plan runs, as a later one may fail. */
    gnp_block_record(in->block, stream);
    gnp_block_record(out->block, stream);
    for (int64_t first = 0; first < batches; first += together) {
        int64_t count = batches - first < together ? batches - first : together;
        int64_t from = offset[0] + (which >= 0 ? first * pass->batch[which].in : 0);
        int64_t to = offset[1] + (which >= 0 ? first * pass->batch[which].out : 0);
        GnpFftPlan *plan = plan_of(pass, which, count, (GnpDtype)in->dtype, device);
        if (plan == NULL ||
            gnp_fft_plan_run(plan, device, in->data + (CUdeviceptr)(from * gnp_itemsize(in)),
                             out->data + (CUdeviceptr)(to * gnp_itemsize(out)),
                             inverse ? CUFFT_INVERSE : CUFFT_FORWARD, stream) < 0) {
            return -1;
        }
    }
    return 0;
}

/* The same for every index of the axes that a plan does not take. */
static int
run_pass(const Pass *pass, GnpArray *in, GnpArray *out, int inverse)
{
    int which = longest_batch(pass);
    int64_t loops = count_loops(pass);
    for (int64_t k = 0; k < loops; k++) {
        /* The index k in the mixed radix of the batch axes. */
        int64_t rest = k, offset[2] = {0, 0};
        for (int i = pass->nbatch - 1; i >= 0; i--) {
            if (i != which) {
                offset[0] += rest % pass->batch[i].size * pass->batch[i].in;
                offset[1] += rest % pass->batch[i].size * pass->batch[i].out;
                rest /= pass->batch[i].size;
            }
        }
        if (run_batches(pass, in, out, inverse, offset) < 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- strided axes ---------------------------------------------------------------------------- */

/* Whether a batch axis is faster in memory than the axes of the transform: in the input, in the
 * output. */
static int
lies_across(const Pass *pass, int is_output)
{
    const Axis *fast = &pass->axes[pass->naxes - 1];
    for (int i = 0; i < pass->nbatch; i++) {
        if (is_output ? pass->batch[i].out < fast->out : pass->batch[i].in < fast->in) {
            return 1;
        }
    }
    return 0;
}

/* Whether repeating a plan so often costs more than moving the axis to the end. */
static int
has_many_loops(const Pass *pass, int64_t bytes, int64_t bytes_per_loop)
{
    int64_t most = bytes / bytes_per_loop;
    return count_loops(pass) > (most > LOOPS_AT_LEAST ? most : LOOPS_AT_LEAST);
}

/* Whether a batch axis that is repeated is faster in memory than the one in the plan: then each
 * plan's accesses are scattered, a few bytes per cache line. */
static int
repeats_neighbours(const Pass *pass)
{
    int which = longest_batch(pass);
    for (int i = 0; i < pass->nbatch; i++) {
        if (pass->batch[i].in < pass->batch[which].in ||
            pass->batch[i].out < pass->batch[which].out) {
            return 1;
        }
    }
    return 0;
}

/* In single precision the crossover points differ, since an element has half the bytes. */
static int
is_double(GnpDtype dtype)
{
    return gnp_dtypes[dtype].real == GNP_F64;
}

/* Several strided axes in double precision are read in place; in single precision copying them is
 * faster (0.22 against 0.30 ms for 2^24 complex64). */
static GnpFftWay
way_of_several(GnpFftKind kind, GnpDtype dtype)
{
    return kind == GNP_FFT_C2C && is_double(dtype) ? GNP_FFT_TO_ROWS : GNP_FFT_COPIED;
}

/* Whether a pass between two given arrays is faster with a copy to rows. */
static int
is_slow_across(const Pass *pass, GnpDtype dtype, int64_t bytes)
{
    int64_t n = pass->axes[0].size;
    int from = lies_across(pass, 0), to = lies_across(pass, 1);
    if (bytes < SLOW_BYTES || !(from || to)) {
        return 0;
    }
    if (repeats_neighbours(pass)) {
        return 1;
    }
    if (from && !to) {
        GnpFftWay way = pass->naxes > 1 ? way_of_several(pass->kind, dtype)
                                        : gnp_fft_way(pass->kind, is_double(dtype), n);
        return way == GNP_FFT_COPIED;
    }
    return pass->naxes > 1 || gnp_fft_is_slow_across(pass->kind, is_double(dtype), n);
}

/* Called before the result is allocated, whose order of axes is free then. */
GnpFftWay
gnp_fft_transposed(const GnpArray *a, const GnpFftAxes *how, int64_t n, GnpDtype dtype,
                   uint64_t *transposed)
{
    Pass pass = {.kind = how->kind, .naxes = how->naxes};
    int64_t bytes = a->size * gnp_itemsize(a);
    uint64_t taken = 0;
    *transposed = 0;
    if (how->naxes > GNP_FFT_RANK || bytes < SLOW_BYTES) { /* small ones keep NumPy's order */
        return GNP_FFT_ACROSS;
    }
    for (int k = 0; k < how->naxes; k++) {
        taken |= (uint64_t)1 << how->axes[k];
        pass.axes[k] = axis_of(a, a, how->axes[k], GNP_FFT_C2C);
        if (k > 0 && !is_slower(&pass.axes[k - 1], &pass.axes[k])) {
            return GNP_FFT_ACROSS;
        }
    }
    collect_batch(&pass, a, a, taken);
    for (int i = 0; pass.naxes > 1 && i < pass.nbatch; i++) {
        if (pass.batch[i].in > pass.axes[pass.naxes - 1].in && pass.batch[i].in < pass.axes[0].in) {
            return GNP_FFT_ACROSS; /* not one plan's axes: one after the other */
        }
    }
    if (!lies_across(&pass, 0)) {
        return GNP_FFT_ACROSS;
    }
    GnpFftWay way = pass.naxes > 1 ? way_of_several(how->kind, dtype)
                                   : gnp_fft_way(how->kind, is_double(dtype), n);
    if (repeats_neighbours(&pass) || has_many_loops(&pass, bytes, BYTES_PER_TURN)) {
        way = GNP_FFT_COPIED;
    }
    *transposed = way != GNP_FFT_ACROSS ? taken : 0;
    return way;
}

/* `a` with some axes (given the last one first) moved to the end. */
static GnpArray *
view_with_last(GnpArray *a, const int *last, int count)
{
    int64_t shape[GNP_MAX_DIMS], strides[GNP_MAX_DIMS];
    int order[GNP_MAX_DIMS], n = 0;
    uint64_t taken = 0;
    for (int i = 0; i < count; i++) {
        taken |= (uint64_t)1 << last[i];
    }
    for (int i = 0; i < a->ndim; i++) {
        if (!(taken >> i & 1)) {
            order[n++] = i;
        }
    }
    for (int i = count - 1; i >= 0; i--) {
        order[n++] = last[i];
    }
    for (int i = 0; i < n; i++) {
        shape[i] = gnp_shape(a)[order[i]];
        strides[i] = gnp_strides(a)[order[i]];
    }
    return gnp_array_view(a, a->data, a->ndim, shape, strides, (GnpDtype)a->dtype);
}

/* Whether the axes of a transform are the fastest ones of the array, in order. */
static int
has_rows(const GnpArray *a)
{
    return (a->flags & GNP_C_CONTIGUOUS) != 0;
}

/* The transform of strided axes (the last one first): copied to rows or read in place, transformed
 * as rows, and copied back. */
static int
run_transposed(GnpArray *in, GnpArray *out, const int *last, int count, const GnpFftAxes *how)
{
    GnpArray *from = NULL, *to = NULL, *source = NULL, *result = NULL; /* owned */
    GnpFftAxes rows = {.kind = how->kind, .inverse = how->inverse, .naxes = count};
    int ret = -1;
    for (int i = 0; i < count; i++) {
        rows.axes[i] = in->ndim - count + i;
    }
    GNP_NEW(from, view_with_last(in, last, count));
    GNP_NEW(to, view_with_last(out, last, count));
    GNP_NEW(source, gnp_astype(from, (GnpDtype)in->dtype, 'C'));
    if (has_rows(to) && in->block != out->block) {
        result = (GnpArray *)Py_NewRef((PyObject *)to);
    }
    else if (how->kind == GNP_FFT_C2C) {
        result = (GnpArray *)Py_NewRef((PyObject *)source);
    }
    else {
        GNP_NEW(result, gnp_array_new(to->ndim, gnp_shape(to), (GnpDtype)out->dtype, 'C'));
    }
    GNP_TRY(gnp_fft_transform(source, result, &rows));
    /* The copy back scales on the way. */
    if (result != to && how->scale != NULL && *how->scale != 1) {
        GNP_TRY(gnp_fft_copy(to, result, (GnpDtype)to->dtype, *how->scale, 0));
        *how->scale = 1;
    }
    else if (result != to) {
        GNP_TRY(gnp_copy(to, result));
    }
    ret = 0;
fail:
    Py_XDECREF((PyObject *)from);
    Py_XDECREF((PyObject *)to);
    Py_XDECREF((PyObject *)source);
    Py_XDECREF((PyObject *)result);
    return ret;
}

/* The mean of both sides, since each byte is read and written once. */
static int64_t
count_bytes(const GnpArray *in, const GnpArray *out)
{
    return (in->size * gnp_itemsize(in) + out->size * gnp_itemsize(out)) / 2;
}

/* One axis: in place where the plan reads it well, through rows of a copy otherwise. */
static int
run_line(GnpArray *in, GnpArray *out, int axis, const GnpFftAxes *how)
{
    Pass pass = {.kind = how->kind, .naxes = 1, .axes = {axis_of(in, out, axis, how->kind)}};
    int64_t bytes = count_bytes(in, out);
    collect_batch(&pass, in, out, (uint64_t)1 << axis);
    if (has_many_loops(&pass, bytes, BYTES_PER_LOOP) || !loops_are_aligned(&pass) ||
        is_slow_across(&pass, (GnpDtype)in->dtype, bytes)) {
        return run_transposed(in, out, &axis, 1, how);
    }
    return run_pass(&pass, in, out, how->inverse);
}

/* Several axes by one plan. */
static int
run_joined(const Pass *pass, GnpArray *in, GnpArray *out, const int *order, const GnpFftAxes *how)
{
    if (is_slow_across(pass, (GnpDtype)in->dtype, count_bytes(in, out))) {
        return run_transposed(in, out, order, pass->naxes, how);
    }
    return run_pass(pass, in, out, how->inverse);
}

/* ---- choosing passes ------------------------------------------------------------------------- */

/* Moves axes of the transform to the front of `order`, those with the smallest strides first; axes
 * of length 1 are left out, since their transform is the identity. Returns their number. Insertion
 * sort, fastest first. */
static int
order_axes(const GnpArray *in, const GnpArray *out, const GnpFftAxes *how, int *order)
{
    int n = 0;
    for (int k = 0; k < how->naxes; k++) {
        Axis axis = axis_of(in, out, how->axes[k], how->kind);
        if (axis.size == 1) {
            continue;
        }
        int at = n++;
        for (; at > 0; at--) {
            Axis other = axis_of(in, out, order[at - 1], how->kind);
            if (!is_slower(&other, &axis)) {
                break;
            }
            order[at] = order[at - 1];
        }
        order[at] = how->axes[k];
    }
    return n;
}

/* The first axes of `order` (fastest first) as one plan, as many as it can take: 2 or 3, or 0. */
static int
join_axes(Pass *pass, const GnpArray *in, const GnpArray *out, const int *order, int n)
{
    for (int count = n < GNP_FFT_RANK ? n : GNP_FFT_RANK; gnp_fft_whole && count > 1; count--) {
        uint64_t taken = 0;
        pass->naxes = count;
        for (int i = 0; i < count; i++) {
            taken |= (uint64_t)1 << order[i];
            pass->axes[count - 1 - i] = axis_of(in, out, order[i], pass->kind);
        }
        if (is_one_plan(pass)) {
            collect_batch(pass, in, out, taken);
            if (pass->nbatch <= 1) {
                return count;
            }
        }
    }
    return 0;
}

/* Complex to complex over `order`: the first pass from in to out, the others in place. After the
 * first pass the data is in `out`. */
static int
run_complex(GnpArray *in, GnpArray *out, const int *order, int n, const GnpFftAxes *how)
{
    GnpFftAxes line = {.kind = GNP_FFT_C2C, .inverse = how->inverse, .scale = how->scale};
    while (n > 0) {
        Pass pass = {.kind = GNP_FFT_C2C};
        int count = join_axes(&pass, in, out, order, n);
        int status = count > 0 ? run_joined(&pass, in, out, order, &line)
                               : run_line(in, out, order[0], &line);
        if (status < 0) {
            return -1;
        }
        order += count > 0 ? count : 1;
        n -= count > 0 ? count : 1;
        in = out;
    }
    return 0;
}

/* The half spectrum's axis first, together with those that one plan takes as well. */
static int
run_real_to_complex(GnpArray *in, GnpArray *out, const GnpFftAxes *how)
{
    int order[GNP_MAX_DIMS], last = how->axes[how->naxes - 1];
    GnpFftAxes others = *how;
    others.naxes--;
    order[0] = last;
    int n = 1 + order_axes(in, out, &others, order + 1);
    Pass pass = {.kind = GNP_FFT_R2C};
    int count = join_axes(&pass, in, out, order, n);
    int status = count > 0 ? run_joined(&pass, in, out, order, how) : run_line(in, out, last, how);
    if (status < 0) {
        return -1;
    }
    count = count > 0 ? count : 1;
    return run_complex(out, out, order + count, n - count, how);
}

/* NumPy ignores these imaginary parts; plans of single precision may not. */
int
gnp_fft_make_ends_real(GnpArray *spectrum, int axis, int64_t n)
{
    static const GnpScalar zero = {.bits = {0, 0}};
    int64_t shape[GNP_MAX_DIMS], strides[GNP_MAX_DIMS];
    if (spectrum->dtype != GNP_C64) {
        return 0;
    }
    memcpy(shape, gnp_shape(spectrum), (size_t)spectrum->ndim * sizeof *shape);
    memcpy(strides, gnp_strides(spectrum), (size_t)spectrum->ndim * sizeof *strides);
    shape[axis] =
        n % 2 == 0 ? 2 : 1; /* for an odd length only the first point is its own mirror image */
    strides[axis] *= n / 2;
    GnpArray *ends = gnp_array_view(spectrum, spectrum->data + sizeof(float), spectrum->ndim, shape,
                                    strides, GNP_F32);
    int status = ends != NULL ? gnp_fill(ends, &zero) : -1;
    Py_XDECREF((PyObject *)ends);
    return status;
}

/* The array for the transform of the other axes. Its order is free, so it is chosen such that an
 * axis that is best written or copied as rows is. */
static GnpArray *
new_middle(GnpArray *in, const int *order, int n, int *is_copied)
{
    GnpArray *from = NULL, *rows = NULL, *ret = NULL; /* owned */
    GnpFftAxes line = {.kind = GNP_FFT_C2C, .naxes = 1, .axes = {order[0]}};
    uint64_t transposed = 0;
    GnpFftWay way = n == 1 ? gnp_fft_transposed(in, &line, gnp_shape(in)[order[0]],
                                                (GnpDtype)in->dtype, &transposed)
                           : GNP_FFT_ACROSS;
    if (way == GNP_FFT_ACROSS) {
        return gnp_array_new_like(in, (GnpDtype)in->dtype, 'K');
    }
    GNP_NEW(from, view_with_last(in, order, 1));
    if (way == GNP_FFT_COPIED) {
        GNP_NEW(rows, gnp_astype(from, (GnpDtype)in->dtype, 'C'));
        *is_copied = 1;
    }
    else {
        GNP_NEW(rows, gnp_array_new(in->ndim, gnp_shape(from), (GnpDtype)in->dtype, 'C'));
    }
    int64_t strides[GNP_MAX_DIMS];
    for (int i = 0, k = 0; i < in->ndim; i++) {
        strides[i] = gnp_strides(rows)[i == order[0] ? in->ndim - 1 : k++];
    }
    ret = gnp_array_view(rows, rows->data, in->ndim, gnp_shape(in), strides, (GnpDtype)in->dtype);
fail:
    Py_XDECREF((PyObject *)from);
    Py_XDECREF((PyObject *)rows);
    return ret;
}

/* The half spectrum's axis comes last. The other axes are transformed separately, as NumPy does:
 * one plan over all of them would give a different result for a spectrum that is not Hermitian, and
 * overwrite its input. */
static int
run_complex_to_real(GnpArray *in, GnpArray *out, const GnpFftAxes *how)
{
    int order[GNP_MAX_DIMS];
    GnpArray *middle = NULL; /* owned */
    GnpFftAxes others = *how;
    int ret = -1, last = how->axes[how->naxes - 1];
    others.naxes--;
    others.kind = GNP_FFT_C2C;
    int n = order_axes(in, in, &others, order);
    if (n > 0) {
        int is_copied = 0;
        GNP_NEW(middle, new_middle(in, order, n, &is_copied));
        GNP_TRY(run_complex(is_copied ? middle : in, middle, order, n, how));
        GNP_TRY(gnp_fft_make_ends_real(middle, last, gnp_shape(out)[last]));
    }
    GNP_TRY(run_line(middle != NULL ? middle : in, out, last, how));
    ret = 0;
fail:
    Py_XDECREF((PyObject *)middle);
    return ret;
}

/* A copy is all that remains when every transformed axis has length 1. */
int
gnp_fft_transform(GnpArray *in, GnpArray *out, const GnpFftAxes *how)
{
    int order[GNP_MAX_DIMS];
    switch (how->kind) {
    case GNP_FFT_R2C:
        return run_real_to_complex(in, out, how);
    case GNP_FFT_C2R:
        return run_complex_to_real(in, out, how);
    default: {
        int n = order_axes(in, out, how, order);
        if (n == 0 && in != out) {
            return gnp_copy(out, in);
        }
        return run_complex(in, out, order, n, how);
    }
    }
}
