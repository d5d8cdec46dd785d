/* Running the steps of a lazy program: one launch each, but for reductions in pieces.
 *
 * A step refers to buffers by number; `base` and `block` say where they are this time, so that the
 * same steps serve a first run and each replay.
 *
 * Called by lazy.c with the GIL, on the stream in which the commands were recorded. Nothing
 * waits.
 */
#include "fuse/lazy.h"

#include <stdlib.h>
#include <string.h>

/* What all functions here need; on the stack of gnp_lazy_run_steps. */
typedef struct {
    const GnpStep *step;
    const CUdeviceptr *base;
    GnpBlock *const *block;
    GnpDevice *device;
    CUstream stream;
} Run;

/* The place of an operand in this run; 0 for scalars. */
static CUdeviceptr
address(const Run *r, const GnpStepOperand *o)
{
    return o->buffer < 0 ? 0 : r->base[o->buffer] + (CUdeviceptr)o->offset;
}

/* ---- elementwise ----------------------------------------------------------------------------- */

/* One launch of the elementwise engine, by an op that lazy_source.c has made or by the command's
 * own. */
static int
run_elements(const Run *r)
{
    const GnpStep *s = r->step;
    GnpOperand operands[GNP_MAX_OPERANDS];
    for (int k = 0; k < s->n; k++) {
        const GnpStepOperand *o = &s->operand[k];
        /* A fused op takes its operands as they are stored; its source converts. */
        int compute = s->command != NULL ? s->command->view[k].compute : o->dtype;
        operands[k] = (GnpOperand){.dtype = o->dtype, .compute = compute};
        if (o->buffer < 0) {
            operands[k].scalar = &o->scalar;
        }
        else {
            operands[k].data = address(r, o);
            operands[k].block = r->block[o->buffer];
            operands[k].strides = o->strides;
        }
    }
    return gnp_elementwise_on(s->op, operands, s->ndim, s->shape, r->stream);
}

/* ---- a reduction of an array ----------------------------------------------------------------- */

/* The library's reductions take arrays, so buffers are wrapped; the block's reference is
 * released with the array. */
static GnpArray *
make_array(const Run *r, const GnpStepOperand *o, int ndim, const int64_t *shape,
           const int64_t *strides)
{
    return gnp_array_from_block(gnp_block_retain(r->block[o->buffer]), address(r, o), ndim, shape,
                                strides, (GnpDtype)o->dtype);
}

/* A reduction that nothing was fused into runs as in eager mode. */
static int
run_reduction(const Run *r)
{
    const GnpLazyCommand *c = r->step->command;
    int64_t strides[GNP_MAX_DIMS], shape[GNP_MAX_DIMS], out[GNP_MAX_DIMS];
    int ret = -1, n = 0;
    GnpReduceTask task = {
        .row = c->reduction, .loop = c->loop, .result = c->result, .parameter = c->parameter};
    gnp_lazy_strides(&c->view[0], c, c->ndim, c->shape, strides);
    for (int axis = 0; axis < c->ndim; axis++) {
        task.reduced[axis] = c->reduced[axis];
        task.nreduced += c->reduced[axis];
        if (!c->reduced[axis]) {
            shape[n] = c->shape[axis];
            out[n++] = c->view[1].strides[axis];
        }
    }
    GNP_NEW(task.in, make_array(r, &r->step->operand[0], c->ndim, c->shape, strides));
    GNP_NEW(task.out, make_array(r, &r->step->operand[1], n, shape, out));
    ret = gnp_reduce_run_on(&task, r->device, r->stream);
fail:
    Py_XDECREF((PyObject *)task.in);
    Py_XDECREF((PyObject *)task.out);
    return ret;
}

/* ---- a reduction of a fused computation ------------------------------------------------------ */

/* The plan of eager mode's reduction, and the access of each leaf. */
typedef struct {
    GnpReducePlan plan;
    /* Strides of the leaves; in kept of the output behind them and, if the plan is ragged, of the
     * array that eager mode would have, in its elements. */
    GnpAxes kept, reduced;
    int64_t past; /* elements between the last boundary of an access and the start of that array */
    unsigned char access[GNP_MAX_OPERANDS];
} Fused;

/* Bytes: an upper bound for those of accumulators.cuh, whose type is known to the kernel
 * only. */
enum { LARGEST_ACCUMULATOR = 48 };

/* The axes of the array that eager mode would have, in its order; then the same axes with the
 * strides of what is read instead. */
static void
take_axes(const GnpStep *s, GnpAxes *virtual_kept, GnpAxes *virtual_reduced, Fused *f)
{
    const GnpLazyCommand *c = s->command;
    int64_t strides[GNP_MAX_DIMS];
    GnpAxes kept, reduced;
    gnp_lazy_strides(&c->view[0], c, c->ndim, c->shape, strides);
    gnp_axes_init(virtual_kept, 3);
    gnp_axes_init(virtual_reduced, 2);
    gnp_axes_init(&kept, s->n + 1);
    gnp_axes_init(&reduced, s->nin + 1);
    for (int axis = c->ndim - 1; axis >= 0; axis--) {
        int64_t of_axis[GNP_MAX_OPERANDS + 1] = {strides[axis]};
        const int64_t eager[3] = {strides[axis], 0, c->view[1].strides[axis]};
        for (int k = 0; k < s->n; k++) {
            of_axis[k + 1] = s->operand[k].strides[axis];
        }
        gnp_axes_add(c->reduced[axis] ? &reduced : &kept, c->shape[axis], of_axis);
        gnp_axes_add(c->reduced[axis] ? virtual_reduced : virtual_kept, c->shape[axis], eager);
    }
    GnpAxes *all[] = {virtual_kept, virtual_reduced, &kept, &reduced};
    for (int k = 0; k < 4; k++) {
        gnp_axes_sort(all[k]);
        gnp_axes_merge(all[k]);
    }
    gnp_axes_init(&f->kept, s->n + 1);
    gnp_axes_init(&f->reduced, s->nin);
    for (int axis = 0; axis < kept.naxes; axis++) {
        kept.stride[axis][s->n + 1] = kept.stride[axis][0] / gnp_dtypes[c->view[0].dtype].bytes;
        gnp_axes_add(&f->kept, kept.shape[axis], &kept.stride[axis][1]);
    }
    for (int axis = 0; axis < reduced.naxes; axis++) {
        gnp_axes_add(&f->reduced, reduced.shape[axis], &reduced.stride[axis][1]);
    }
}

/* -1 when the leaves cannot be read in the order in which the plan reads the array. */
static int
make_plan(const GnpStep *s, const GnpDevice *device, Fused *f)
{
    GnpAxes kept, reduced;
    const int64_t limit = ((int64_t)1 << 31) - 65536;
    const GnpReduceSource source = {gnp_dtypes[s->command->view[0].dtype].bytes, 0,
                                    s->command->reduction->result == RESULT_INDEX, 1,
                                    (uint64_t)s->command->view[0].offset};
    if (s->n + 2 > GNP_MAX_OPERANDS) {
        return -1;
    }
    take_axes(s, &kept, &reduced, f);
    gnp_reduce_plan(&f->plan, &source, &kept, &reduced, device);
    /* Several short rows per warp: a kernel of its own, which has no fused form. */
    if (gnp_reduce_is_packed(&f->plan, &source, &kept, &reduced, device)) {
        return -1;
    }
    const GnpAxes *fast = f->plan.by_columns ? &f->kept : &f->reduced;
    int whole = fast->naxes == 0 || fast->shape[0] % f->plan.width == 0;
    /* An access of WIDTH elements must not cross the end of an axis, where the leaves' strides may
     * change. */
    if (fast->naxes > 1 ? !whole || f->plan.ragged : !whole && f->plan.by_columns) {
        return -1;
    }
    f->kept.noperands -= !f->plan.ragged;
    f->past = s->command->view[0].offset / source.itemsize % f->plan.width;
    f->plan.kept_class = gnp_axes_class(f->kept.naxes);
    f->plan.reduced_class = gnp_axes_class(f->reduced.naxes);
    for (int k = 0; k < s->n; k++) {
        int64_t along = k < s->nin ? gnp_axes_reach(&f->reduced, k) : 0;
        f->plan.wide |= gnp_axes_reach(&f->kept, k) + along > limit;
    }
    return 0;
}

/* Without by_columns and partial, whose blocks see only a part of a row. Called while planning:
 * a step without operands stands for the command. */
int
gnp_lazy_plan_reduction(const GnpLazyCommand *c, const GnpDevice *device, GnpReducePlan *plan)
{
    Fused f;
    const GnpStep step = {.command = c};
    if (make_plan(&step, device, &f) < 0) {
        return 0;
    }
    *plan = f.plan;
    return !plan->by_columns && !plan->partial;
}

/* Asked before a step is accepted, so that running it cannot fail for its layout. */
int
gnp_lazy_fits_reduction(const GnpStep *step)
{
    Fused f;
    const GnpDevice *device = gnp_device_current();
    return device != NULL && make_plan(step, device, &f) == 0;
}

/* For ragged rows: an aligned access of the array must be one of the leaf, too. */
int
gnp_lazy_in_step(const GnpAxes *kept, int k, int64_t item, CUdeviceptr place, int64_t past,
                 int width)
{
    const int array = kept->noperands - 1;
    int64_t apart = (int64_t)(place / (uint64_t)item) - past, uneven = (int64_t)place % item;
    int64_t of_rows = 0;
    for (int axis = 0; axis < kept->naxes; axis++) {
        /* Every row of the leaf has to start at the same place within an access as the array of
         * eager mode does. */
        uneven |= kept->stride[axis][k] % item;
        of_rows |= kept->stride[axis][k] / item - kept->stride[axis][array];
    }
    return uneven == 0 && (apart | of_rows) % width == 0;
}

/* How leaf k is read: as a scalar, one value for all, vectors or single elements. */
static unsigned char
access_of(const Run *r, const Fused *f, int k)
{
    const GnpStepOperand *o = &r->step->operand[k];
    const GnpAxes *fast = f->plan.by_columns ? &f->kept : &f->reduced;
    const GnpAxes *slow = f->plan.by_columns ? &f->reduced : &f->kept;
    int item = gnp_dtypes[o->dtype].bytes;
    int64_t stride = fast->naxes > 0 ? fast->stride[0][k] : 0, bytes = f->plan.width * item;
    uint64_t places = address(r, o);
    if (o->buffer < 0) {
        return ACCESS_SCALAR;
    }
    if (stride == 0) {
        return ACCESS_BROADCAST;
    }
    if (f->plan.ragged) {
        return stride == item && gnp_lazy_in_step(&f->kept, k, item, places, f->past, f->plan.width)
                   ? ACCESS_CONTIGUOUS
                   : ACCESS_STRIDED;
    }
    for (int axis = 1; axis < fast->naxes; axis++) {
        places |= (uint64_t)fast->stride[axis][k];
    }
    for (int axis = 0; axis < slow->naxes; axis++) {
        places |= (uint64_t)slow->stride[axis][k];
    }
    /* 16 bytes is the widest access; a wider vector is read in several of them. */
    return stride == item && places % (uint64_t)(bytes < 16 ? bytes : 16) == 0 ? ACCESS_CONTIGUOUS
                                                                               : ACCESS_STRIDED;
}

typedef struct {
    const GnpStep *step;
    const unsigned char *access; /* NULL: the second launch, which has no operands */
} Written;

/* The first launch has the leaves as operands; both share the source of the step. */
static int
write_code(GnpKernelText *text, const void *context)
{
    const Written *w = context;
    const GnpStep *s = w->step;
    if (w->access != NULL) {
        gnp_text_add(&text->code, "typedef List<");
        for (int k = 0; k < s->nin; k++) {
            const char *type = gnp_dtypes[s->operand[k].dtype].device_name;
            gnp_text_add(&text->code, "%sIn<%s, %s, %s>", k > 0 ? ", " : "", type, type,
                         gnp_access_names[w->access[k]]);
        }
        gnp_text_add(&text->code, "> Operands;\n");
    }
    gnp_text_add(&text->code, "%s", s->source);
    gnp_text_add(&text->name, "%s_fused", s->command->reduction->name);
    return 0;
}

/* Two files with one key type, mapped and mapped_finish. */
static GnpKernel *
find_kernel(const Run *r, const Fused *f, GnpKernelId file)
{
    const GnpReducePlan *p = &f->plan;
    const int ends = file == GNP_KERNEL_mapped_finish;
    const Written written = {r->step, ends ? NULL : f->access};
    GnpSpec_mapped spec = {GNP_SPEC(mapped),
                           .head.code = r->step->source_number,
                           .head.wide = p->wide,
                           .KEPT = p->kept_class,
                           .OUTPUTS = 1,
                           .LANES = p->lanes,
                           .BLOCK = GNP_REDUCE_BLOCK};
    spec.head.kernel = file;
    if (ends) {
        spec.LANES = gnp_reduce_finish_columns(p->nout, p->pieces);
    }
    else {
        spec.REDUCED = p->reduced_class;
        spec.WIDTH = p->width;
        spec.UNROLL = p->unroll;
        spec.PARTIAL = p->partial;
        spec.RAGGED = p->ragged;
        memcpy(spec.access, f->access, (size_t)r->step->nin);
    }
    return gnp_kernel_find(r->device, &spec.head, write_code, &written);
}

/* struct Ending of lazy_source.c */
typedef struct {
    CUdeviceptr out;
    int64_t count;
    double parameter;
} Ending;

/* Reduces into the output, or into `partials` where rows are split into pieces. */
static int
launch_first(const Run *r, const Fused *f, const Ending *end, CUdeviceptr partials)
{
    const GnpReducePlan *p = &f->plan;
    uint64_t slots[GNP_MAX_OPERANDS][2];
    GnpParams params;
    GnpKernel *kernel =
        find_kernel(r, f, p->by_columns ? GNP_KERNEL_mapped_columns : GNP_KERNEL_mapped);
    if (kernel == NULL) {
        return -1;
    }
    for (int k = 0; k < r->step->nin; k++) {
        slots[k][0] = address(r, &r->step->operand[k]);
        slots[k][1] = 0;
        if (r->step->operand[k].buffer < 0) {
            memcpy(slots[k], &r->step->operand[k].scalar, sizeof slots[k]);
        }
    }
    gnp_params_init(&params, p->wide);
    gnp_params_add(&params, slots, (size_t)r->step->nin * sizeof slots[0]);
    gnp_params_add(&params, &partials, sizeof partials);
    gnp_params_layout(&params, &f->kept, p->kept_class);
    gnp_params_layout(&params, &f->reduced, p->reduced_class);
    gnp_params_index(&params, p->nout);
    gnp_params_index(&params, p->n);
    gnp_params_index(&params, p->chunk);
    if (!p->by_columns) {
        gnp_params_index(&params, f->past);
    }
    gnp_params_add(&params, end, sizeof *end);
    return gnp_reduce_launch(kernel, p, r->stream, params.arg);
}

/* Combines the pieces of each row in their order. */
static int
launch_second(const Run *r, const Fused *f, const Ending *end, CUdeviceptr partials)
{
    const GnpReducePlan *p = &f->plan;
    GnpAxes kept;
    GnpParams params;
    GnpKernel *kernel = find_kernel(r, f, GNP_KERNEL_mapped_finish);
    if (kernel == NULL) {
        return -1;
    }
    gnp_axes_init(&kept, 1);
    for (int axis = 0; axis < f->kept.naxes; axis++) {
        gnp_axes_add(&kept, f->kept.shape[axis], &f->kept.stride[axis][r->step->nin]);
    }
    gnp_params_init(&params, p->wide);
    gnp_params_add(&params, &partials, sizeof partials);
    gnp_params_layout(&params, &kept, p->kept_class);
    gnp_params_index(&params, p->nout);
    gnp_params_index(&params, p->pieces);
    gnp_params_add(&params, end, sizeof *end);
    int columns = gnp_reduce_finish_columns(p->nout, p->pieces);
    return gnp_launch_blocks(kernel, gnp_ceil_div(p->nout, columns), GNP_REDUCE_BLOCK, r->stream,
                             params.arg);
}

/* The scratch memory is released after queueing, in stream order. */
static int
run_fused_reduction(const Run *r)
{
    const GnpStep *s = r->step;
    GnpBlock *scratch = NULL; /* owned */
    Fused f;
    int ret = -1;
    if (make_plan(s, r->device, &f) < 0) {
        /* The plan depends on the step and the device alone, and was made when the step was. */
        PyErr_SetString(PyExc_SystemError, "a fused reduction lost its plan");
        return -1;
    }
    for (int k = 0; k < s->nin; k++) {
        f.access[k] = access_of(r, &f, k);
    }
    for (int k = 0; k < s->n; k++) {
        if (s->operand[k].buffer >= 0) {
            gnp_block_record(r->block[s->operand[k].buffer], r->stream);
        }
    }
    const Ending end = {.out = address(r, &s->operand[s->nin]),
                        .count = f.plan.n,
                        .parameter = s->command->parameter};
    if (!f.plan.partial) {
        return launch_first(r, &f, &end, 0);
    }
    GNP_NEW(scratch,
            gnp_block_new(r->device, (size_t)(f.plan.pieces * LARGEST_ACCUMULATOR * f.plan.nout),
                          r->stream));
    GNP_TRY(launch_first(r, &f, &end, scratch->ptr));
    ret = launch_second(r, &f, &end, scratch->ptr);
fail:
    gnp_block_release(scratch);
    return ret;
}

/* Steps run in their order in one stream, so each sees the results before it. */
int
gnp_lazy_run_steps(GnpLazyProgram *p, const GnpLazyPlace *at)
{
    p->nlaunches = p->nsteps;
    for (int k = 0; k < p->nsteps; k++) {
        const Run r = {&p->step[k], at->base, at->block, at->device, at->stream};
        int status = r.step->rows != NULL ? gnp_lazy_run_rows(r.step, at)
                     : r.step->op != NULL ? run_elements(&r)
                     /* Rows that are long and few are reduced in pieces by several blocks; a second
                      * kernel combines the pieces in order. */
                     : r.step->source != NULL ? run_fused_reduction(&r)
                                              : run_reduction(&r);
        if (status < 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- without grouping ------------------------------------------------------------------------ */

/* The call of the engine that was recorded. */
static int
run_command(const GnpLazyCommand *c, const GnpLazyPlace *at)
{
    GnpOperand operands[GNP_LAZY_OPERANDS];
    for (int k = 0; k < c->n; k++) {
        const GnpLazyView *v = &c->view[k];
        operands[k] = (GnpOperand){.dtype = v->dtype, .compute = v->compute};
        if (v->buffer < 0) {
            operands[k].scalar = &v->scalar;
        }
        else {
            operands[k].data = at->base[v->buffer] + (CUdeviceptr)v->offset;
            operands[k].block = at->block[v->buffer];
            operands[k].strides = v->strides;
        }
    }
    return gnp_elementwise_on(c->op, operands, c->ndim, c->shape, at->stream);
}

int
gnp_lazy_run_commands(GnpLazyProgram *p, const GnpLazyPlace *at)
{
    p->nlaunches = p->ncommands;
    for (int k = 0; k < p->ncommands; k++) {
        const GnpLazyCommand *c = p->command[k];
        GnpStepOperand operand[2];
        const GnpStep step = {.command = c, .nin = 1, .n = 2, .operand = operand};
        const Run r = {&step, at->base, at->block, at->device, at->stream};
        for (int i = 0; c->reduction != NULL && i < 2; i++) {
            gnp_lazy_fill_operand(&operand[i], &c->view[i], c);
        }
        if ((c->op != NULL ? run_command(c, at) : run_reduction(&r)) < 0) {
            return -1;
        }
    }
    return 0;
}
