/* The source of an ElementwiseKernel: the user's text and the code that connects it with a kernel
 * file.
 *
 * Our code is in the namespace gnp and before the user's, so neither names nor macros clash. Code
 * that uses only its elements becomes the `op` of the elementwise engine, and runs in all of its
 * kernels; other code becomes the loop of user.cu.
 *
 * The engine calls gnp_elementwise_write for code that it runs, and elementwise_kernel.c calls
 * gnp_elementwise_loop for the rest. Both hold the GIL; only the compiler runs without it.
 */
#include "user/elementwise_kernel.h"

#include <string.h>

/* Half types compute in float. */
static const char *
computed_type(GnpDtype dtype)
{
    return gnp_dtypes[gnp_dtypes[dtype].compute].user_name;
}

/* The name of the number of elements: n, unless a parameter has that name. _ind and our own code
 * then use _n. */
static const char *
count_name(const GnpElementwiseCode *code)
{
    for (int k = 0; k < code->params.n; k++) {
        if (strcmp(code->params.param[k].name, "n") == 0) {
            return "_n";
        }
    }
    return "n";
}

/* Ends the namespace gnp of the kernel file's text and begins the user's part. */
static void
start(GnpText *t, const GnpElementwiseCode *code, const int8_t *type, int with_complex)
{
    gnp_text_add(t, "\n#line 1 \"generated\"\n} // namespace gnp\n");
    gnp_write_user_start(t, &code->params, type, &code->text, with_complex);
}

/* The text is stored for `cached_code`. */
static int
finish_source(const GnpElementwiseCode *code, const int8_t *type, int with_complex,
              GnpOpSource *out)
{
    out->has_user = 1;
    gnp_write_head(&out->head, with_complex);
    out->user.title = code->text.name;
    out->user.shown = code->operation;
    out->user.options = code->text.options;
    out->user.noptions = gnp_compiler_options(&code->text);
    return gnp_keep_source(code->codes, &code->params, type, &out->tail);
}

/* ---- as the op of the elementwise engine ----------------------------------------------------- */

/* op as the engine calls it: inputs a0.., i, n, outputs r0.. in their compute types. */
static void
write_op_parameters(GnpText *t, const GnpElementwiseCode *code, const int8_t *type)
{
    const GnpKernelParams *p = &code->params;
    const char *comma = "";
    for (int k = 0; k < p->n; k++) {
        if (k == p->nin) {
            if (code->sees_index) {
                gnp_text_add(t, "%slong long i", comma);
                comma = ", ";
            }
            if (code->sees_count) {
                gnp_text_add(t, "%slong long n", comma);
                comma = ", ";
            }
        }
        gnp_text_add(t, "%s%s %s%d", comma, computed_type(gnp_param_dtype(&p->param[k], type)),
                     k < p->nin ? "a" : "&r", k);
        comma = ", ";
    }
}

/* The function that has the user's text as its body. do { } while (0): `continue` ends the element,
 * as it does in the loop of CuPy's kernels. */
static void
write_body(GnpText *t, const GnpElementwiseCode *code)
{
    const GnpKernelParams *p = &code->params;
    gnp_text_add(t, "static __device__ __forceinline__ void gnp_body(");
    for (int k = 0; k < p->n; k++) {
        const GnpKernelParam *param = &p->param[k];
        const char *name = gnp_param_type(param);
        gnp_text_add(t, "%s%s%s %s%s", k > 0 ? ", " : "", param->is_const ? "const " : "", name,
                     param->is_output ? "&" : "", param->name);
    }
    if (code->sees_index) {
        gnp_text_add(t, "%sconst ptrdiff_t i", p->n > 0 ? ", " : "");
    }
    if (code->sees_count) {
        gnp_text_add(t, ", const ptrdiff_t %s", count_name(code));
    }
    gnp_text_add(t, ")\n{\ndo {\n");
    if (code->sees_space) {
        gnp_text_add(t,
                     "struct { ptrdiff_t count; __device__ ptrdiff_t size() const { return "
                     "count; } } const _ind = {%s};\n",
                     count_name(code));
    }
    gnp_write_part(t, code->text.name, "", code->operation);
    gnp_text_add(t, "} while (0);\n}\n");
}

/* An output that the code does not set is 0, or what it held where it is read first. */
static void
write_call(GnpText *t, const GnpElementwiseCode *code, const GnpOperand *outputs,
           const int8_t *type)
{
    const GnpKernelParams *p = &code->params;
    gnp_text_add(t, "namespace gnp {\nGNP_FN void op(");
    write_op_parameters(t, code, type);
    gnp_text_add(t, ")\n{\n");
    for (int k = p->nin; k < p->n; k++) {
        int is_read = outputs[k - p->nin].kind == GNP_READ_FIRST;
        gnp_text_add(t, "    typedef %s R%d;\n    R%d x%d = R%d(%s%d);\n",
                     gnp_dtypes[gnp_param_dtype(&p->param[k], type)].user_name, k, k, k, k,
                     is_read ? "r" : "0 * ", k);
    }
    gnp_text_add(t, "    gnp_body(");
    for (int k = 0; k < p->n; k++) {
        gnp_text_add(t, "%s%c%d", k > 0 ? ", " : "", k < p->nin ? 'a' : 'x', k);
    }
    gnp_text_add(t, "%s%s);\n", code->sees_index ? ", i" : "", code->sees_count ? ", n" : "");
    for (int k = p->nin; k < p->n; k++) {
        gnp_text_add(t, "    r%d = x%d;\n", k, k);
    }
    gnp_text_add(t, "}\n} // namespace gnp\n");
}

/* Called by the engine, with the GIL, when a kernel is not yet compiled. */
int
gnp_elementwise_write(const GnpElementOp *op, const GnpOperand *operands, GnpOpSource *out)
{
    const GnpElementwiseCode *code = (const GnpElementwiseCode *)op;
    const GnpKernelParams *p = &code->params;
    int8_t type[GNP_MAX_PLACEHOLDERS];
    for (int k = 0; k < p->n; k++) {
        const GnpOperand *operand = k < p->nin ? &operands[k] : &operands[op->nin + k - p->nin];
        if (p->param[k].placeholder >= 0) {
            type[p->param[k].placeholder] = (int8_t)operand->compute;
        }
    }
    /* The complex header takes long to compile, so it is left out where nothing mentions it. */
    int with_complex = gnp_mentions_complex(p, type, code->operation) ||
                       strstr(code->text.preamble, "complex") != NULL;
    start(&out->tail, code, type, with_complex);
    write_body(&out->tail, code);
    write_call(&out->tail, code, operands + op->nin, type);

    gnp_text_add(&out->knobs, "template <class F> using complex = Complex<F>;\nGNP_FN void op(");
    write_op_parameters(&out->knobs, code, type);
    gnp_text_add(&out->knobs, ");\n");
    return finish_source(code, type, with_complex, out);
}

/* ---- as the loop of user.cu ------------------------------------------------------------------ */

/* A launch of user.cu as its source sees it; it lives on the stack of gnp_elementwise_loop. */
typedef struct {
    int noperands, naxes, wide; /* arguments that are not raw; axes of their layout */
    int space_naxes;            /* axes of _ind */
    GnpAxes axes;
    GnpKernel *kernel;
} Loop;

/* 65536: what the grid's last step may add to an index or an offset before it is compared with the
 * end. */
static int
is_small(int64_t x)
{
    return x < ((int64_t)1 << 31) - 65536;
}

/* The index space of the arguments that are not raw, in C order: only neighbours are joined. Axes
 * are not sorted, unlike the engine's: `i` and _ind count in C order. */
static void
plan_loop(Loop *l, const GnpLoopCall *call)
{
    const GnpKernelParams *p = &call->code->params;
    int64_t strides[GNP_AXES_OPERANDS] = {0};
    /* One at least: C++ has no arrays of length 0. */
    l->noperands = p->n > p->nraw ? p->n - p->nraw : 1;
    gnp_axes_init(&l->axes, l->noperands);
    for (int axis = call->ndim - 1; axis >= 0; axis--) {
        for (int k = 0, j = 0; k < p->n; k++) {
            if (!p->param[k].is_raw) {
                const GnpLoopArgument *a = &call->argument[k];
                strides[j++] = a->array != NULL ? a->strides[axis] : 0;
            }
        }
        gnp_axes_add(&l->axes, call->shape[axis], strides);
    }
    gnp_axes_merge(&l->axes);
    l->naxes = gnp_axes_class(l->axes.naxes);
    l->space_naxes = call->code->reduce_dims ? (l->axes.naxes > 0 ? l->axes.naxes : 1) : call->ndim;
    l->wide = !is_small(call->size);
    for (int k = 0; k < l->noperands; k++) {
        l->wide |= !is_small(gnp_axes_reach(&l->axes, k));
    }
}

/* Scalars before the loop, elements of arrays in it: inputs by value, outputs by reference. */
static void
write_element(GnpText *t, const GnpKernelParam *param, int j, int is_scalar)
{
    const char *name = gnp_param_type(param);
    if (is_scalar) {
        gnp_text_add(t, "const %s %s = gnp::slot_value<%s>(_slots.at[%d]);\n", name, param->name,
                     name, j);
    }
    else if (param->is_output || !param->is_const) {
        gnp_text_add(t, "%s &%s = *(%s *)(_slots.at[%d].lo + _at.at[%d]);\n", name, param->name,
                     name, j, j);
    }
    else {
        gnp_text_add(t, "const %s %s = *(const %s *)(_slots.at[%d].lo + _at.at[%d]);\n", name,
                     param->name, name, j, j);
    }
}

/* The scalars or the arrays among the parameters. `j` counts slots, which raw arrays do not
 * have. */
static void
write_elements(GnpText *t, const GnpLoopCall *call, int scalars)
{
    const GnpKernelParams *p = &call->code->params;
    for (int k = 0, j = 0; k < p->n; k++) {
        if (!p->param[k].is_raw) {
            if ((call->argument[k].array == NULL) == scalars) {
                write_element(t, &p->param[k], j, scalars);
            }
            j++;
        }
    }
}

/* _raw_NAME of an argument that is not raw: its array, broadcast to the shape of the loop. */
static void
write_whole(GnpText *t, const GnpLoopCall *call, int in_struct)
{
    const GnpKernelParams *p = &call->code->params;
    for (int k = 0; k < p->n; k++) {
        const GnpKernelParam *param = &p->param[k];
        if (!param->is_whole || call->argument[k].array == NULL) {
            continue;
        }
        if (in_struct) {
            gnp_text_add(t, "    RawArray<%d> _raw_%s;\n", call->ndim, param->name);
        }
        else {
            gnp_text_add(t, "const CArray<%s, %d> _raw_%s(_raws._raw_%s);\n", gnp_param_type(param),
                         call->ndim, param->name, param->name);
        }
    }
}

/* A grid-stride loop: any grid covers all elements, and the launch may clip it. Names that begin
 * with _ cannot clash with parameters, as check_name reserves them. The user's code has a scope of
 * its own, in which it may declare an n. */
static void
write_loop(GnpText *t, const Loop *l, const GnpLoopCall *call)
{
    const GnpElementwiseCode *code = call->code;
    const GnpKernelParams *p = &code->params;
    gnp_text_add(t,
                 "static __device__ __forceinline__ void gnp_loop(const gnp::Slots<%d> &_slots, "
                 "const gnp::Layout<gnp::Index, %d, %d> &_layout, const gnp::Raws &_raws, const "
                 "ptrdiff_t _n)\n{\n%s",
                 l->noperands, l->naxes, l->noperands,
                 strcmp(count_name(code), "n") == 0 ? "const ptrdiff_t n = _n;\n" : "");
    for (int k = 0; k < p->n; k++) {
        if (p->param[k].is_raw) {
            gnp_write_raw(t, &p->param[k], call->argument[k].array, "_raws");
        }
    }
    write_whole(t, call, 0);
    write_elements(t, call, 1);
    gnp_text_add(t, "CIndexer<%d> _ind(_n, _raws._shape);\n{\n", l->space_naxes);
    gnp_write_part(t, code->text.name, "loop_prep", code->loop_prep);
    gnp_text_add(t, "for (ptrdiff_t i = (ptrdiff_t)blockIdx.x * blockDim.x + threadIdx.x; i < _n; "
                    "i += (ptrdiff_t)blockDim.x * gridDim.x) {\n");
    if (code->sees_space) {
        gnp_text_add(t, "_ind.set(i);\n");
    }
    gnp_text_add(t, "const gnp::Offsets<gnp::Index, %d> _at = _layout.at((gnp::Index)i);\n",
                 l->noperands);
    write_elements(t, call, 0);
    gnp_text_add(t, "{\n");
    gnp_write_part(t, code->text.name, "", code->operation);
    gnp_text_add(t, "}\n}\n");
    gnp_write_part(t, code->text.name, "after_loop", code->after_loop);
    gnp_text_add(
        t,
        "}\n}\nnamespace gnp {\nGNP_FN void run(const Slots<%d> &slots, const Layout<Index, "
        "%d, %d> &layout, const Raws &raws, u64 n) { gnp_loop(slots, layout, raws, "
        "(ptrdiff_t)n); }\n} // namespace gnp\n",
        l->noperands, l->naxes, l->noperands);
}

/* What stands behind the parameters: the raw arrays and numbers, and _ind's shape. */
static void
write_raws(GnpText *t, const GnpLoopCall *call)
{
    const GnpKernelParams *p = &call->code->params;
    gnp_text_add(t, "struct Raws {\n");
    for (int k = 0; k < p->n; k++) {
        const GnpArray *a = call->argument[k].array;
        if (p->param[k].is_raw && a != NULL) {
            gnp_text_add(t, "    RawArray<%d> %s;\n", a->ndim, p->param[k].name);
        }
        else if (p->param[k].is_raw) {
            gnp_text_add(t, "    Slot %s;\n", p->param[k].name);
        }
    }
    write_whole(t, call, 1);
    gnp_text_add(
        t,
        "    i64 _shape[AXES > 0 ? AXES : 1];\n};\nGNP_FN void run(const Slots<OPERANDS> &, const "
        "Layout<Index, ND, OPERANDS> &, const Raws &, u64);\n");
}

/* What write_source needs; gnp_kernel_find passes it through as a `const void *`. */
typedef struct {
    const Loop *loop;
    const GnpLoopCall *call;
    GnpOpSource *out; /* the user's part; its texts are owned by the caller */
} Written;

/* Called by gnp_kernel_find only when the kernel is not in its cache. */
static int
write_source(GnpKernelText *text, const void *context)
{
    const Written *w = context;
    const GnpElementwiseCode *code = w->call->code;
    int with_complex = gnp_mentions_complex(&code->params, w->call->type, code->operation) ||
                       strstr(code->text.preamble, "complex") != NULL;
    write_raws(&text->code, w->call);
    gnp_text_add(&text->name, "%s", code->text.name);
    start(&w->out->tail, code, w->call->type, with_complex);
    write_loop(&w->out->tail, w->loop, w->call);
    GNP_TRY(finish_source(code, w->call->type, with_complex, w->out));
    GNP_TRY(gnp_text_finish(&w->out->head));
    GNP_TRY(gnp_text_finish(&w->out->tail));
    w->out->user.head = w->out->head.text;
    w->out->user.tail = w->out->tail.text;
    text->user = &w->out->user;
    return 0;
fail:
    return -1;
}

/* The key has everything the source depends on: the code's number, the launch shape and the
 * types and forms of the parameters. Two calls with equal keys share a kernel. */
static GnpKernel *
find_loop(const Loop *l, const GnpLoopCall *call, GnpDevice *device)
{
    const GnpKernelParams *p = &call->code->params;
    GnpOpSource out = {.has_user = 1}; /* its texts are owned */
    const Written written = {l, call, &out};
    GnpSpec_user spec = {
        .head = {.code = call->code->op.number,
                 .kernel = GNP_KERNEL_user,
                 /* The key has two bytes for each parameter: its dtype, and whether it is an array,
                  * a scalar or raw. */
                 .bytes = offsetof(GnpSpec_user, form) + 2 * (size_t)p->n,
                 .wide = l->wide},
        .OPERANDS = l->noperands,
        .ND = l->naxes,
        .AXES = l->space_naxes,
        .BLOCK = call->block_size,
    };
    static_assert(sizeof spec.form == 2 * GNP_MAX_USER_PARAMS, "two bytes for each parameter");
    for (int k = 0; k < p->n; k++) {
        const GnpArray *a = call->argument[k].array;
        spec.form[2 * k] = (unsigned char)gnp_param_dtype(&p->param[k], call->type);
        spec.form[2 * k + 1] = a == NULL ? 0xff : 0xfe;
        if (p->param[k].is_raw) {
            gnp_raw_form(a, &spec.form[2 * k]);
        }
        else if (p->param[k].is_whole && a != NULL) { /* 64 axes at most, and not 0xff */
            spec.form[2 * k + 1] = (unsigned char)call->ndim;
        }
    }
    GnpKernel *kernel = gnp_kernel_find(device, &spec.head, write_source, &written);
    gnp_text_clear(&out.head);
    gnp_text_clear(&out.tail);
    return kernel;
}

/* ---- launching ------------------------------------------------------------------------------- */

/* Each parameter that is not raw has 16 bytes: an address, or a scalar of up to 16 bytes. */
static void
add_slots(GnpParams *params, const GnpLoopCall *call)
{
    const GnpKernelParams *p = &call->code->params;
    uint64_t slots[GNP_AXES_OPERANDS][2] = {{0}};
    int n = 0;
    for (int k = 0; k < p->n; k++) {
        const GnpLoopArgument *a = &call->argument[k];
        if (p->param[k].is_raw) {
            continue;
        }
        if (a->array != NULL) {
            slots[n][0] = a->array->data;
        }
        else {
            memcpy(slots[n], a->scalar, sizeof slots[n]);
        }
        n++;
    }
    gnp_params_add(params, slots, (size_t)(n > 0 ? n : 1) * sizeof slots[0]);
}

/* The arrays of write_whole. */
static void
add_whole(GnpParams *params, const GnpLoopCall *call)
{
    const GnpKernelParams *p = &call->code->params;
    const int64_t one = 1;
    const size_t bytes = 8 * (size_t)(call->ndim > 0 ? call->ndim : 1);
    for (int k = 0; k < p->n; k++) {
        const GnpLoopArgument *a = &call->argument[k];
        if (p->param[k].is_whole && a->array != NULL) {
            gnp_params_more(params, &a->array->data, 8);
            gnp_params_more(params, &call->size, 8);
            gnp_params_more(params, call->ndim > 0 ? call->shape : &one, bytes);
            gnp_params_more(params, call->ndim > 0 ? a->strides : &one, bytes);
        }
    }
}

/* The struct Raws: of each array its address, size, shape and strides, of each number 16 bytes;
 * then the shape of _ind. */
static void
add_raws(GnpParams *params, const Loop *l, const GnpLoopCall *call)
{
    const GnpKernelParams *p = &call->code->params;
    const int64_t one = 1;
    /* Of no bytes: begins a parameter that gnp_params_more extends. */
    gnp_params_add(params, &one, 0);
    for (int k = 0; k < p->n; k++) {
        const GnpArray *a = call->argument[k].array;
        if (!p->param[k].is_raw) {
            continue;
        }
        if (a == NULL) {
            gnp_params_more(params, call->argument[k].scalar, 16);
            continue;
        }
        gnp_params_more(params, &a->data, 8);
        gnp_params_more(params, &a->size, 8);
        gnp_params_more(params, a->ndim > 0 ? gnp_shape(a) : &one,
                        8 * (size_t)(a->ndim + !a->ndim));
        gnp_params_more(params, a->ndim > 0 ? gnp_strides(a) : &one,
                        8 * (size_t)(a->ndim + !a->ndim));
    }
    add_whole(params, call);
    if (!call->code->reduce_dims && call->ndim > 0) {
        gnp_params_more(params, call->shape, 8 * (size_t)call->ndim);
    }
    else if (l->axes.naxes == 0 || l->space_naxes == 0) {
        gnp_params_more(params, &one, 8);
    }
    else {
        for (int axis = l->axes.naxes - 1; axis >= 0; axis--) {
            gnp_params_more(params, &l->axes.shape[axis], 8);
        }
    }
}

/* Blocks are recorded as used by `stream` before the launch, so that the pool does not hand
 * their memory to another stream before the kernel has run. */
int
gnp_elementwise_loop(const GnpLoopCall *call, GnpDevice *device, CUstream stream)
{
    const GnpKernelParams *p = &call->code->params;
    Loop l;
    GnpParams params;
    plan_loop(&l, call);
    GnpKernel *kernel = find_loop(&l, call, device);
    if (kernel == NULL) {
        return -1;
    }
    for (int k = 0; k < p->n; k++) {
        if (call->argument[k].array != NULL) {
            gnp_block_record(call->argument[k].array->block, stream);
        }
    }
    gnp_params_init(&params, l.wide);
    add_slots(&params, call);
    gnp_params_layout(&params, &l.axes, l.naxes);
    add_raws(&params, &l, call);
    gnp_params_add(&params, &call->size, sizeof call->size);
    /* The kernel strides by its grid, so a clipped grid still covers all elements. */
    int64_t nblocks = gnp_ceil_div(call->size, call->block_size);
    return gnp_launch_blocks(kernel, nblocks < INT32_MAX ? nblocks : INT32_MAX, call->block_size,
                             stream, params.arg);
}
