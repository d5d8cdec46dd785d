/* The elementwise engine: copies, casts, fills and ufuncs over any strides.
 *
 * A call is brought into one normal form (a Space: few axes, fastest first) and the form decides
 * the kernel file and its knobs (a Plan; both element_plan.c). Here the plan's key finds the
 * compiled kernel in a hash table, and the launch passes addresses, strides and divisors.
 * Invariant: 32-bit indices are used only after the largest index and the largest byte offset of
 * every operand were shown to fit.
 */
#include "core/element_plan.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Threads of a block, fixed: with the registers that these kernels use it gives full occupancy. */
enum { BLOCK = 256 };

typedef GnpElementSpace Space;
typedef GnpElementPlan Plan;

/* ---- the knob header ------------------------------------------------------------------------- */

static const GnpKernelId kind_files[] = {GNP_KERNEL_elementwise, GNP_KERNEL_rows,
                                         GNP_KERNEL_strided, GNP_KERNEL_transposed};

const char *
gnp_op_header(const GnpElementOp *op, int is_complex)
{
    return is_complex && op->complex_header != NULL ? op->complex_header : op->header;
}

/* Headers smaller than math.cuh, in ascending order, and the functions that need no larger one:
 * those of CUDA for real numbers, which none defines, and comparisons. */
static const struct {
    const char *header, *functions;
} small_headers[] = {
    {"gnp.cuh",
     " acos acosh asin asinh atan atan2 atanh cbrt copysign cos cosh exp exp2 expm1 fabs log "
     "log1p rint signbit sin sinh sqrt tan tanh "},
    {"compare.cuh",
     " clip equal is_finite is_inf is_nan less less_equal maximum maximum_number minimum "
     "minimum_number nonzero "},
};
enum { NSMALL = sizeof small_headers / sizeof *small_headers };

/* The row of small_headers that has the function whose name ends before `open`, a parenthesis of
 * the expression; NSMALL where none has it. A parenthesis without a name needs none. */
static int
small_header(const char *expression, const char *open)
{
    const char *name = open;
    char word[32];
    while (name > expression && (name[-1] == '_' || isalnum((unsigned char)name[-1]))) {
        name--;
    }
    if (name == open) {
        return name > expression && name[-1] == '>' ? NSMALL
                                                    : 0; /* the end of template arguments */
    }
    snprintf(word, sizeof word, " %.*s ", (int)(open - name), name);
    int row = 0;
    while (row < NSMALL && strstr(small_headers[row].functions, word) == NULL) {
        row++;
    }
    return row;
}

/* The smallest header that an expression of real numbers needs: reading math.cuh takes longer than
 * a small kernel itself. */
static const char *
header_of_real(const char *expression)
{
    int row = 0;
    for (const char *p = strchr(expression, '('); p != NULL; p = strchr(p + 1, '(')) {
        const int needed = small_header(expression, p);
        row = needed > row ? needed : row;
    }
    return row < NSMALL ? small_headers[row].header : "math.cuh";
}

static const char *
header_name(const Space *s, const GnpElementOp *op)
{
    int is_complex = 0;
    for (int k = 0; k < s->noperands; k++) {
        is_complex |= gnp_dtypes[s->operand[k].compute].cls == 'c';
    }
    if (gnp_op_header(op, is_complex) != NULL) {
        return gnp_op_header(op, is_complex);
    }
    if (strchr(op->expression, '(') == NULL) { /* times have their own operators */
        return s->operand[0].compute == GNP_TIME && op != &gnp_copy_op ? "datetime.cuh" : "gnp.cuh";
    }
    for (int k = 0; k < s->noperands; k++) {
        if (gnp_dtypes[s->operand[k].compute].cls == 'm') {
            return "datetime.cuh";
        }
    }
    return is_complex ? "complex.cuh" : header_of_real(op->expression);
}

/* The types that kernels/elementwise.cuh loads and stores by: stored type, computed type,
 * access. */
static void
write_operands(GnpText *t, const Plan *plan, const Space *s)
{
    gnp_text_add(t, "typedef List<");
    for (int k = 0; k < s->noperands; k++) {
        const char *access = gnp_access_names[plan->access[k]];
        gnp_text_add(t, k > 0 ? ", " : "");
        if (plan->masked && k == s->nin - 1) {
            gnp_text_add(t, "Mask<%s>", access);
        }
        else if (s->operand[k].kind == GNP_POSITION) {
            gnp_text_add(t, "Position<%s>", access);
        }
        else {
            gnp_text_add(t, "%s<%s, %s, %s>",
                         k < s->nin                             ? "In"
                         : s->operand[k].kind == GNP_READ_FIRST ? "InOut"
                                                                : "Out",
                         gnp_dtypes[s->operand[k].dtype].device_name,
                         gnp_dtypes[s->operand[k].compute].device_name, access);
        }
    }
    gnp_text_add(t, "> Operands;\n");
}

/* Inputs are a, b, c ... by value, outputs r0, r1 ... by reference: the conventions of
 * ufuncs.def. */
static void
write_op(GnpText *t, const Space *s, const GnpElementOp *op)
{
    gnp_text_add(t, "GNP_FN void op(");
    for (int k = 0; k < op->nin; k++) {
        gnp_text_add(t, "%s%s %c", k > 0 ? ", " : "", gnp_compute_name(s->operand[k].compute),
                     'a' + k);
    }
    for (int k = 0; k < op->nout; k++) {
        gnp_text_add(t, "%s%s &r%d", op->nin + k > 0 ? ", " : "",
                     gnp_compute_name(s->operand[s->nin + k].compute), k);
    }
    /* A row of one output is an expression, others are statements that assign r0, r1, ... */
    int assigns = op->nout > 1 || strstr(op->expression, "r0 =") != NULL;
    gnp_text_add(t, ") { %s%s; }\n", assigns ? "" : "r0 = ", op->expression);
}

/* T is the type of the loop, R that of the result, for expressions that name them. */
static void
write_types(GnpText *t, const Space *s, const GnpElementOp *op)
{
    int loop = s->operand[op->nin > 0 ? 0 : s->nin].compute, result = s->operand[s->nin].compute;
    gnp_text_add(t, "typedef %s T;\ntypedef %s R;\n", gnp_dtypes[loop].device_name,
                 gnp_dtypes[result].device_name);
}

/* In messages and traces only: the key is in the spec. */
static void
write_name(GnpText *t, const Space *s, const GnpElementOp *op)
{
    gnp_text_add(t, "%s_", op->name);
    for (int k = 0; k < s->noperands; k++) {
        gnp_text_add(t, "_%s", gnp_dtypes[s->operand[k].dtype].name);
    }
}

/* What the source needs beside the spec's parameters: types, operands, the operation. */
typedef struct {
    const Plan *plan;
    const Space *space;
    const GnpElementOp *op;
    GnpOpSource written; /* by op->write; its texts are owned */
} Call;

/* Runs when a kernel is compiled, never for a launch that finds it. */
static int
write_code(GnpKernelText *text, const void *context)
{
    Call *c = (Call *)(uintptr_t)context;
    const GnpElementOp *op = c->op;
    GnpOpSource *written = &c->written;
    if (op->write == NULL) {
        text->header = header_name(c->space, op);
        write_types(&text->code, c->space, op);
        write_operands(&text->code, c->plan, c->space);
        write_op(&text->code, c->space, op);
    }
    else {
        GNP_TRY(op->write(op, c->space->operand, written));
        GNP_TRY(gnp_text_finish(&written->knobs));
        write_operands(&text->code, c->plan, c->space);
        gnp_text_add_bytes(&text->code, written->knobs.text, written->knobs.used);
    }
    if (written->has_user) {
        GNP_TRY(gnp_text_finish(&written->head));
        GNP_TRY(gnp_text_finish(&written->tail));
        written->user.head = written->head.text;
        written->user.tail = written->tail.text;
        text->user = &written->user;
    }
    write_name(&text->name, c->space, op);
    return 0;
fail:
    return -1;
}

/* ---- the kernel of a plan -------------------------------------------------------------------- */

/* Reached only when some operand has a unit or is structured, so the loop ends. */
static int
refuse_unknown(const Space *s, const GnpElementOp *op)
{
    int k = 0;
    while (gnp_is_number(s->operand[k].dtype) && gnp_is_number(s->operand[k].compute)) {
        k++;
    }
    const GnpOperand *o = &s->operand[k];
    return gnp_refuse_unit(op->name, gnp_is_number(o->dtype) ? o->compute : o->dtype);
}

/* How an operand is read or written, as part of a kernel's key. */
typedef struct {
    uint8_t dtype, compute, access, reads_first;
} OperandKey;

static GnpKernelId
file_of(const Plan *plan)
{
    const int is_single = plan->kind == KIND_VECTOR && plan->width == 1 && plan->unroll == 1;
    return is_single ? GNP_KERNEL_elementwise_single : kind_files[plan->kind];
}

/* The key has all that the source depends on; the source itself is written only where no kernel
 * has the key. */
static GnpKernel *
find_kernel(const Plan *plan, const Space *s, const GnpElementOp *op, GnpDevice *device)
{
    GnpSpec_elementwise spec;
    OperandKey key;
    int dtypes = 0;
    /* Filled by hand, since the number of operands varies. */
    spec.head = (GnpSpec){
        /* An address cannot be equal to a number: static rows lie far above any count of user
         * kernels. */
        .code = op->write != NULL ? op->number << 4 : (uint64_t)(uintptr_t)op,
        .kernel = file_of(plan),
        .device = device->id,
        .bytes = offsetof(GnpSpec_elementwise, operand) + (size_t)s->noperands * sizeof key,
        .wide = plan->wide_index,
    };
    spec.ND = plan->naxes;
    spec.WIDTH = plan->width;
    spec.UNROLL = plan->unroll;
    spec.TILE = plan->tile;
    /* Blocks a multiprocessor should hold at once: bounds the registers of two inputs and not much
     * code (int8 add on an H200: 92 % of the copy rate without, 100 % with). Three inputs of bytes
     * would keep some of theirs in memory at 5: `where` takes twice as long. */
    spec.RESIDENT = op->heavy || s->nin < 2 ? 1 : s->nin == 2 ? 5 : 4;
    spec.MASKED = plan->masked;
    spec.BLOCK = BLOCK;
    for (int k = 0; k < s->noperands; k++) {
        const GnpOperand *o = &s->operand[k];
        key = (OperandKey){(uint8_t)o->dtype, (uint8_t)o->compute, (uint8_t)plan->access[k],
                           o->kind == GNP_READ_FIRST};
        memcpy(spec.operand + (size_t)k * sizeof key, &key, sizeof key);
        dtypes |= o->dtype | o->compute;
    }
    /* Kernels have one type for all units of time, which ufuncs on times pass, and none for
     * structured dtypes. */
    if (GNP_UNLIKELY(!gnp_is_number(dtypes))) {
        refuse_unknown(s, op);
        return NULL;
    }
    GnpKernel *kernel = gnp_kernel_known(&spec.head);
    if (GNP_LIKELY(kernel != NULL)) {
        return kernel;
    }
    Call call = {.plan = plan, .space = s, .op = op};
    kernel = gnp_kernel_find(device, &spec.head, write_code, &call);
    gnp_text_clear(&call.written.knobs);
    gnp_text_clear(&call.written.head);
    gnp_text_clear(&call.written.tail);
    return kernel;
}

/* ---- launching: the parameters of the kernel files, in their order --------------------------- */

/* 16 bytes per operand: an address, or the value of a scalar of up to complex128. */
static void
add_slots(GnpParams *p, const Space *s)
{
    uint64_t slots[GNP_MAX_OPERANDS][2];
    for (int k = 0; k < s->noperands; k++) {
        slots[k][0] = slots[k][1] = 0;
        if (gnp_element_is_scalar(s, k)) {
            memcpy(slots[k], s->operand[k].scalar, (size_t)gnp_element_bytes(s, k));
        }
        else {
            slots[k][0] = s->data[k];
        }
    }
    gnp_params_add(p, slots, (size_t)s->noperands * sizeof *slots);
}

/* Offsets<Index, N> of one axis. */
static void
add_steps(GnpParams *p, const Space *s, int axis)
{
    gnp_params_begin(p);
    for (int k = 0; k < s->noperands; k++) {
        gnp_params_more_index(p, s->stride[k][axis]);
    }
}

/* Layout<Index, ND, N> of the axes from `first` on, without `skip`, padded to ND with axes of size
 * 1. Axes in ascending order, the fastest first, as Layout::at divides. */
static void
add_layout(GnpParams *p, const Space *s, int naxes, int first, int skip)
{
    int axes[GNP_MAX_DIMS], n = 0;
    for (int axis = first; axis < s->naxes; axis++) {
        if (axis != skip) {
            axes[n++] = axis;
        }
    }
    gnp_params_begin(p);
    for (int i = 0; i < naxes; i++) {
        gnp_params_more_divisor(p, i < n ? s->shape[axes[i]] : 1);
    }
    for (int i = 0; i < naxes; i++) {
        for (int k = 0; k < s->noperands; k++) {
            gnp_params_more_index(p, i < n ? s->stride[k][axes[i]] : 0);
        }
    }
}

/* Each of these returns the number of blocks. The kernel's last accesses are partial where the size
 * is no multiple of the width. */
static int64_t
add_vector(GnpParams *p, const Plan *plan, const Space *s)
{
    gnp_params_index(p, s->size);
    return gnp_ceil_div(s->size, (int64_t)BLOCK * plan->unroll * plan->width);
}

/* A thread takes `unroll` rows at one place of the fast axis. */
static int64_t
add_rows(GnpParams *p, const Plan *plan, const Space *s)
{
    int64_t nrows = s->size / s->shape[0], accesses = gnp_ceil_div(s->shape[0], plan->width);
    add_layout(p, s, plan->naxes, 1, 0);
    add_steps(p, s, 0);
    gnp_params_divisor(p, accesses);
    gnp_params_index(p, s->shape[0]);
    gnp_params_index(p, nrows);
    return gnp_ceil_div(accesses * gnp_ceil_div(nrows, plan->unroll), BLOCK);
}

/* No axis is special: each thread finds its element by divisions. */
static int64_t
add_strided(GnpParams *p, const Plan *plan, const Space *s)
{
    add_layout(p, s, plan->naxes, 0, -1);
    gnp_params_index(p, s->size);
    return gnp_ceil_div(s->size, (int64_t)BLOCK * plan->unroll);
}

/* One block per tile. */
static int64_t
add_transposed(GnpParams *p, const Plan *plan, const Space *s)
{
    int y = plan->transposed_axis;
    int64_t tiles_x = gnp_ceil_div(s->shape[0], plan->tile),
            tiles_y = gnp_ceil_div(s->shape[y], plan->tile);
    add_layout(p, s, plan->naxes, 1, y);
    add_steps(p, s, 0);
    add_steps(p, s, y);
    gnp_params_divisor(p, tiles_x);
    gnp_params_divisor(p, tiles_y);
    gnp_params_index(p, s->shape[0]);
    gnp_params_index(p, s->shape[y]);
    return tiles_x * tiles_y * (s->size / s->shape[0] / s->shape[y]);
}

/* One set of parameters for each kind of kernel. */
static int
launch(const GnpKernel *kernel, const Plan *plan, const Space *s, CUstream stream)
{
    static int64_t (*const adders[])(GnpParams *, const Plan *, const Space *) = {
        add_vector, add_rows, add_strided, add_transposed}; /* by kind */
    GnpParams p;
    gnp_params_init(&p, plan->wide_index);
    add_slots(&p, s);
    const int64_t nblocks = adders[plan->kind](&p, plan, s);
    return gnp_launch_blocks(kernel, nblocks, BLOCK, stream, p.arg);
}

/* ---- copies and fills without a kernel ------------------------------------------------------- */

const GnpElementOp gnp_copy_op = {.name = "copy", .expression = "a", .nin = 1, .nout = 1};

/* Equal bytes repeated: 1, 2 or 4 for a memset of that width, 0 when the element is no repetition.
 * Zeros of any type are a memset, and so are ones of int8, int16 and int32 and float32's. */
static int
repeated_bytes(const unsigned char *element, int bytes)
{
    for (int unit = 1; unit <= 4 && unit <= bytes; unit *= 2) {
        if (bytes == unit || memcmp(element, element + unit, (size_t)(bytes - unit)) == 0) {
            return unit;
        }
    }
    return 0;
}

/* `unit` bytes of the element, repeated: the driver's memset has these three widths. */
static int
fill_bytes(CUdeviceptr dst, const void *element, int unit, int64_t bytes, CUstream stream)
{
    int ret = -1;
    uint32_t word = 0;
    memcpy(&word, element, (size_t)unit);
    if (unit == 1) {
        CU_TRY_QUEUE(cuMemsetD8Async(dst, (unsigned char)word, (size_t)bytes, stream));
    }
    else if (unit == 2) {
        CU_TRY_QUEUE(cuMemsetD16Async(dst, (unsigned short)word, (size_t)bytes / 2, stream));
    }
    else {
        CU_TRY_QUEUE(cuMemsetD32Async(dst, word, (size_t)bytes / 4, stream));
    }
    ret = 0;
fail:
    return ret;
}

/* The driver's copy or memset where it can do the work: 1 done, 0 not applicable, -1 error. The
 * driver's copy engine and memset need no compilation and run at full bandwidth. Only within one
 * dtype and for contiguous memory. */
static int
copy_without_kernel(const Space *s, const Plan *plan, CUstream stream)
{
    const GnpOperand *src = &s->operand[0], *dst = &s->operand[1];
    int bytes = gnp_element_bytes(s, 1), ret = -1;
    if (plan->kind != KIND_VECTOR || src->dtype != dst->dtype || src->compute != src->dtype) {
        return 0;
    }
    if (gnp_element_is_scalar(s, 0)) {
        int unit = repeated_bytes(src->scalar, bytes);
        if (unit == 0) {
            return 0;
        }
        GNP_TRY(gnp_queue_room(stream));
        return fill_bytes(s->data[1], src->scalar, unit, s->size * bytes, stream) < 0 ? -1 : 1;
    }
    if (plan->access[0] != ACCESS_CONTIGUOUS && s->size != 1) {
        return 0;
    }
    GNP_TRY(gnp_queue_room(stream));
    CU_TRY_QUEUE(cuMemcpyDtoDAsync_v2(s->data[1], s->data[0], (size_t)(s->size * bytes), stream));
    ret = 1;
fail:
    return ret;
}

/* The unsigned integer of a size; 16 bytes have none, and a complex number moves as well.
 * Structured dtypes stay what they are, and are refused. */
GnpDtype
gnp_same_bytes(GnpDtype dtype)
{
    if (GNP_UNLIKELY(gnp_is_structured(dtype))) {
        return dtype;
    }
    switch (gnp_dtypes[dtype].bytes) {
    case 1:
        return GNP_U8;
    case 2:
        return GNP_U16;
    case 4:
        return GNP_U32;
    case 8:
        return GNP_U64;
    default:
        return GNP_C128;
    }
}

/* A copy within one dtype moves bytes: all dtypes of a size share the unsigned integer's kernel.
 * The operands are the caller's copies, made for this call. */
static void
copy_as_bytes(GnpOperand *pair)
{
    if (pair[0].dtype != pair[1].dtype || pair[0].compute != pair[0].dtype ||
        pair[1].compute != pair[1].dtype) {
        return;
    }
    const GnpDtype same = gnp_same_bytes(pair[0].dtype);
    for (int k = 0; k < 2; k++) {
        pair[k].dtype = pair[k].compute = same;
    }
}

/* ---- entry points ---------------------------------------------------------------------------- */

/* -1 with ValueError when the number of elements overflows. A 0 anywhere makes the product 0,
 * whatever the others would overflow to. */
static int
count_elements(int ndim, const int64_t *shape, int64_t *size)
{
    *size = 1;
    for (int axis = 0; axis < ndim; axis++) {
        if (shape[axis] == 0) {
            *size = 0;
            return 0;
        }
    }
    for (int axis = 0; axis < ndim; axis++) {
        if (gnp_mul_size(*size, shape[axis], size) < 0) {
            PyErr_SetString(PyExc_ValueError, "the broadcast shape is too big");
            return -1;
        }
    }
    return 0;
}

/* Blocks are recorded before the launch: a block that another stream owns must not be reused before
 * this work is done. */
static int
run_on(const GnpElementOp *op, GnpOperand *operands, int masked, int ndim, const int64_t *shape,
       GnpDevice *device, CUstream stream)
{
    Space s;
    Plan plan;
    GnpKernel *kernel;
    s.nin = op->nin + masked;
    s.noperands = s.nin + op->nout;
    s.operand = operands;
    assert(s.noperands <= GNP_MAX_OPERANDS && ndim <= GNP_MAX_DIMS && op->nout > 0);
    GNP_TRY(count_elements(ndim, shape, &s.size));
    if (s.size == 0) {
        return 0;
    }
    if (op == &gnp_copy_op) {
        copy_as_bytes(operands);
    }
    gnp_element_space(&s, ndim, shape);
    plan.masked = masked;
    gnp_element_plan(&plan, &s, op, device);
    for (int k = 0; k < s.noperands; k++) {
        if (operands[k].block != NULL) {
            gnp_block_record(operands[k].block, stream);
        }
    }
    int done = op == &gnp_copy_op && !masked ? copy_without_kernel(&s, &plan, stream) : 0;
    if (done != 0) {
        return done < 0 ? -1 : 0;
    }
    GNP_NEW(kernel, find_kernel(&plan, &s, op, device));
    return launch(kernel, &plan, &s, stream);
fail:
    return -1;
}

int (*gnp_element_recorder)(const GnpElementOp *op, const GnpOperand *operands, int ndim,
                            const int64_t *shape, GnpDevice *device);

/* Recording (lazy mode) comes first, since it replaces the launch. A mask's writes cannot be
 * recorded. */
static int
run(const GnpElementOp *op, GnpOperand *operands, int masked, int ndim, const int64_t *shape)
{
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return -1;
    }
    if (GNP_UNLIKELY(gnp_element_recorder != NULL) && !masked) {
        int recorded = gnp_element_recorder(op, operands, ndim, shape, device);
        if (recorded != 0) {
            return recorded < 0 ? -1 : 0;
        }
    }
    return run_on(op, operands, masked, ndim, shape, device, gnp_stream_current(device));
}

int
gnp_elementwise_on(const GnpElementOp *op, GnpOperand *operands, int ndim, const int64_t *shape,
                   CUstream stream)
{
    GnpDevice *device = gnp_device_current();
    return device == NULL ? -1 : run_on(op, operands, 0, ndim, shape, device, stream);
}

int
gnp_elementwise(const GnpElementOp *op, GnpOperand *operands, int ndim, const int64_t *shape)
{
    return run(op, operands, 0, ndim, shape);
}

int
gnp_elementwise_masked(const GnpElementOp *op, GnpOperand *operands, int ndim, const int64_t *shape)
{
    return run(op, operands, 1, ndim, shape);
}
