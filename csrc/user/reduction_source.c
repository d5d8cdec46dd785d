/* The source of a ReductionKernel, and its launches.
 *
 * The user's expressions become functions before the kernel file, since its accumulator may be a
 * type they define; their macros are undefined after them, so that they cannot change the kernel
 * file. Parameters that are not elements (scalars, raw arrays, outputs) are members of one struct,
 * Ending, which both map and post-map receive.
 *
 * Three kernel files exist: mapped.cu reduces contiguous runs along an axis, mapped_columns.cu
 * reduces columns where the kept axis is the contiguous one, and mapped_finish.cu combines
 * partial results of the first two when one output is shared by several blocks. All functions
 * run in the calling thread with the GIL; gnp_kernel_get gives it up while the compiler runs.
 */
#include "user/reduction_kernel.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Negative entries of Work.input: operands without memory, which compute an index. */
enum { INDEX_ELEMENT = -1, INDEX_STEP = -2, INDEX_OUTPUT = -3, INDEX_FLAT = -4 };

/* A call in the terms of the kernel: operands in the order of its arguments, and axes sorted and
 * merged. It lives on the stack of gnp_reduction_run. */
typedef struct {
    const GnpReductionCall *call;
    int ninputs; /* elements of arrays and indices, in the order of the kernel's operands */
    int input[GNP_MAX_OPERANDS];
    unsigned char access[GNP_MAX_OPERANDS];
    GnpAxes kept, reduced;
    GnpReducePlan plan;
    int64_t element_size, output_size;
} Work;

typedef enum { FILE_ALONG, FILE_COLUMNS, FILE_FINISH } File;
static const char *const files[] = {"mapped", "mapped_columns", "mapped_finish"};

/* ---- the operands ---------------------------------------------------------------------------- */

/* The strides with which operand `which` computes an index in C order (_i, _j): an operand without
 * memory. */
static void
index_strides(const Work *w, int which, int64_t *strides)
{
    const GnpReductionCall *call = w->call;
    int64_t element = 1, step = 1, output = 1, nout = w->output_size;
    for (int axis = call->ndim - 1; axis >= 0; axis--) {
        int is_reduced = call->reduced[axis];
        switch (which) {
        case INDEX_ELEMENT:
            strides[axis] = element;
            break;
        case INDEX_STEP:
            strides[axis] = is_reduced ? step : 0;
            break;
        case INDEX_OUTPUT:
            strides[axis] = is_reduced ? 0 : output;
            break;
        default:
            strides[axis] = is_reduced ? step * nout : output;
            break;
        }
        element *= call->shape[axis];
        step *= is_reduced ? call->shape[axis] : 1;
        output *= is_reduced ? 1 : call->shape[axis];
    }
}

/* The order of the axes is the memory order of the largest array, which dominates the traffic. The
 * first operand decides the plan: its item size gives the width of accesses. */
static int
take_inputs(Work *w)
{
    const GnpReductionCode *code = w->call->code;
    const GnpKernelParams *p = &code->params;
    int lead = -1;
    int64_t most = -1;
    for (int k = 0; k < p->nin; k++) {
        const GnpArray *a = w->call->array[k];
        if (a != NULL && !p->param[k].is_raw) {
            if (a->size * gnp_itemsize(a) > most) {
                most = a->size * gnp_itemsize(a);
                lead = w->ninputs;
            }
            w->input[w->ninputs++] = k;
        }
    }
    if (lead < 0) {
        PyErr_Format(PyExc_ValueError, "%s: at least one input must be an array that is not raw",
                     code->text.name);
        return -1;
    }
    int first = w->input[lead];
    w->input[lead] = w->input[0];
    w->input[0] = first;
    if (code->sees_element) {
        w->input[w->ninputs++] = INDEX_ELEMENT;
    }
    if (code->sees_step) {
        w->input[w->ninputs++] = INDEX_STEP;
    }
    if (code->sees_output) {
        w->input[w->ninputs++] = INDEX_OUTPUT;
    }
    if (code->sees_flat) {
        w->input[w->ninputs++] = INDEX_FLAT;
    }
    return 0;
}

/* Splits the axes into kept and reduced ones. From the last axis to the first, as GnpAxes has
 * the fastest first. Kept axes also have the strides of the outputs, behind those of the inputs. */
static void
take_axes(Work *w)
{
    const GnpReductionCall *call = w->call;
    const GnpKernelParams *p = &call->code->params;
    int64_t strides[GNP_MAX_OPERANDS][GNP_MAX_DIMS];
    int n = w->ninputs + p->nout;
    for (int j = 0; j < n; j++) {
        int k = j < w->ninputs ? w->input[j] : p->nin + j - w->ninputs;
        if (k < 0) {
            index_strides(w, k, strides[j]);
        }
        else {
            memcpy(strides[j], call->strides[k], (size_t)call->ndim * sizeof(int64_t));
        }
    }
    gnp_axes_init(&w->kept, n);
    gnp_axes_init(&w->reduced, w->ninputs);
    for (int axis = call->ndim - 1; axis >= 0; axis--) {
        int64_t of_axis[GNP_MAX_OPERANDS];
        for (int j = 0; j < n; j++) {
            of_axis[j] = strides[j][axis];
        }
        gnp_axes_add(call->reduced[axis] ? &w->reduced : &w->kept, call->shape[axis], of_axis);
    }
    /* _i counts outputs in C order; sorting kept axes would renumber them. */
    if (!call->code->post_sees_output) {
        gnp_axes_sort(&w->kept);
    }
    gnp_axes_merge(&w->kept);
    gnp_axes_sort(&w->reduced);
    gnp_axes_merge(&w->reduced);
}

/* How operand j is accessed along the fast axis, WIDTH elements at a time. A vector load of up
 * to 16 bytes needs an aligned address at every position, so the data pointer and all strides
 * but that of the fast axis are combined by OR and tested at once. */
static unsigned char
access_of(const Work *w, int j, const GnpAxes *fast, const GnpAxes *slow)
{
    int k = w->input[j];
    int64_t stride = fast->naxes > 0 ? fast->stride[0][j] : 0;
    if (stride == 0) {
        return ACCESS_BROADCAST;
    }
    if (k < 0) {
        return ACCESS_STRIDED;
    }
    const GnpArray *a = w->call->array[k];
    int64_t bytes = w->plan.width * gnp_itemsize(a);
    uint64_t places = a->data;
    for (int axis = 1; axis < fast->naxes; axis++) {
        places |= (uint64_t)fast->stride[axis][j];
    }
    for (int axis = 0; axis < slow->naxes; axis++) {
        places |= (uint64_t)slow->stride[axis][j];
    }
    return stride == gnp_itemsize(a) && places % (uint64_t)(bytes < 16 ? bytes : 16) == 0
               ? ACCESS_CONTIGUOUS
               : ACCESS_STRIDED;
}

/* Whether the accumulator is a type of the user's, whose size is not known here. */
static int
is_struct(const GnpReductionCode *code)
{
    return strlen(code->type) > 1;
}

/* Memory for an accumulator and the flag whether it has a value yet, as no identity may be given.
 * An upper bound that the source checks with a static_assert. */
static int
accumulator_bytes(const GnpReductionCode *code)
{
    return is_struct(code) ? 128 : 32;
}

/* The plan is that of the library's own reductions, gnp_reduce_plan, which also decides whether
 * a second kernel combines partial results. */
static void
make_plan(Work *w, const GnpDevice *device)
{
    const GnpArray *lead = w->call->array[w->input[0]];
    /* For a struct, of unknown size, 16 bytes are assumed, which gives accesses of one element: the
     * accumulators of a block have to fit into shared memory, whatever their type is. */
    int itemsize = is_struct(w->call->code) ? 16 : (int)gnp_itemsize(lead);
    const GnpReduceSource source = {itemsize, 0, 0, 0, lead->data};
    /* Nothing is read; each output gets the identity, which post-map may change. */
    if (gnp_axes_size(&w->reduced) == 0) { /* the outputs alone */
        gnp_axes_init(&w->reduced, w->ninputs);
        w->plan = (GnpReducePlan){.width = 1,
                                  .unroll = 1,
                                  .lanes = 1,
                                  .wide = 1,
                                  .kept_class = gnp_axes_class(w->kept.naxes),
                                  .reduced_class = 1,
                                  .nout = gnp_axes_size(&w->kept),
                                  .pieces = 1};
        w->plan.nblocks = gnp_ceil_div(w->plan.nout, GNP_REDUCE_BLOCK);
    }
    else {
        gnp_reduce_plan(&w->plan, &source, &w->kept, &w->reduced, device);
    }
    const GnpAxes *fast = w->plan.by_columns ? &w->kept : &w->reduced;
    const GnpAxes *slow = w->plan.by_columns ? &w->reduced : &w->kept;
    for (int j = 0; j < w->ninputs; j++) {
        w->access[j] = access_of(w, j, fast, slow);
    }
}

/* ---- the user's functions -------------------------------------------------------------------- */

/* Declares struct Ending, whose bytes add_ending writes. Values that change from call to call are
 * in it, so that they need no new kernel. */
static void
write_ending(GnpText *t, const GnpReductionCall *call)
{
    const GnpKernelParams *p = &call->code->params;
    gnp_text_add(t, "struct Ending {\n    i64 _in_size, _out_size;\n    char *_out[%d];\n",
                 p->nout > 0 ? p->nout : 1);
    for (int k = 0; k < p->nin; k++) {
        if (call->array[k] != NULL && p->param[k].is_raw) {
            gnp_text_add(t, "    RawArray<%d> %s;\n", call->array[k]->ndim, p->param[k].name);
        }
        else if (call->array[k] == NULL) {
            gnp_text_add(t, "    Slot %s;\n", p->param[k].name);
        }
    }
    gnp_text_add(t, "};\n");
}

/* Scalars and raw arrays as variables. */
static void
write_shared(GnpText *t, const GnpReductionCall *call)
{
    const GnpKernelParams *p = &call->code->params;
    gnp_text_add(t, "const GnpSize _in_ind = {_end._in_size}, _out_ind = {_end._out_size};\n");
    for (int k = 0; k < p->nin; k++) {
        if (p->param[k].is_raw || call->array[k] == NULL) {
            gnp_write_raw(t, &p->param[k], call->array[k], "_end");
        }
    }
}

#define FUNCTION "static __device__ __forceinline__ "

/* The user's map expression as a function of the elements. Its result is converted to the type
 * of the accumulator explicitly, so that narrowing causes no warning. */
static void
write_map(GnpText *t, const Work *w)
{
    const GnpReductionCode *code = w->call->code;
    static const char *const index_names[] = {"i", "_J", "_i", "_j"};
    gnp_text_add(t, FUNCTION "_type_reduce gnp_map(const gnp::Ending &_end");
    for (int j = 0; j < w->ninputs; j++) {
        if (w->input[j] < 0) {
            gnp_text_add(t, ", const ptrdiff_t %s", index_names[-1 - w->input[j]]);
        }
        else {
            const GnpKernelParam *param = &code->params.param[w->input[j]];
            gnp_text_add(t, ", const %s %s", gnp_param_type(param), param->name);
        }
    }
    gnp_text_add(t, ")\n{\n");
    write_shared(t, w->call);
    gnp_write_expression(t, "static_cast<_type_reduce>", code->text.name, "map_expr", code->map);
    gnp_text_add(t, "}\n");
}

/* The user's post-map statements as a function: outputs are references, so that `y = a` writes
 * memory and `y += a` reads it. */
static void
write_post(GnpText *t, const GnpReductionCall *call)
{
    const GnpReductionCode *code = call->code;
    const GnpKernelParams *p = &code->params;
    gnp_text_add(t, FUNCTION "void gnp_post(_type_reduce a, const gnp::Ending &_end, const "
                             "ptrdiff_t _i");
    for (int k = p->nin; k < p->n; k++) {
        gnp_text_add(t, ", %s &%s", gnp_param_type(&p->param[k]), p->param[k].name);
    }
    gnp_text_add(t, ")\n{\n");
    write_shared(t, call);
    gnp_write_part(t, code->text.name, "post_map_expr", code->post);
    gnp_text_add(t, "}\n");
}

/* #undef of each macro that the text defines, so that it does not change our kernel. A scan for
 * `#define` suffices, as an #undef of a name that is not defined has no effect. */
static void
write_undefinitions(GnpText *t, const char *text)
{
    for (const char *p = text; (p = strstr(p, "define")) != NULL; p += 6) {
        const char *before = p, *name = p + 6 + strspn(p + 6, " \t");
        while (before > text && (before[-1] == ' ' || before[-1] == '\t')) {
            before--;
        }
        size_t n = 0;
        while (isalnum((unsigned char)name[n]) || name[n] == '_') {
            n++;
        }
        if (before > text && before[-1] == '#' && n > 0) {
            gnp_text_add(t, "#undef %.*s\n", (int)n, name);
        }
    }
}

/* Everything before the kernel file. The order matters: our headers first, in the namespace gnp;
 * then the user's macros and preamble at file scope; then the functions, which may use both;
 * last the #undefs, and the namespace is reopened for the kernel file. */
static void
write_head(GnpText *t, const Work *w)
{
    const GnpReductionCall *call = w->call;
    const GnpReductionCode *code = call->code;
    const GnpKernelParams *p = &code->params;
    int with_complex = gnp_mentions_complex(p, call->type, code->storage);
    gnp_text_add(t, "namespace gnp {\n#include \"gnp.cuh\"\n%s",
                 with_complex ? "#include \"names.cuh\"\n#include \"complex.cuh\"\n" : "");
    write_ending(t, call);
    gnp_text_add(t, "} // namespace gnp\n");
    gnp_write_user_start(t, p, call->type, &code->text, with_complex);
    gnp_text_add(t,
                 "struct GnpSize { ptrdiff_t count; __device__ ptrdiff_t size() const { return "
                 "count; } };\ntypedef %s _type_reduce;\n",
                 *code->type != '\0' ? code->type : gnp_param_type(&p->param[p->nin]));
    gnp_text_add(t, FUNCTION "_type_reduce gnp_reduce(_type_reduce a, _type_reduce b)\n{\n");
    gnp_write_expression(t, "", code->text.name, "reduce_expr", code->combine);
    gnp_text_add(t, "}\n");
    if (*code->identity != '\0') {
        gnp_text_add(t, FUNCTION "_type_reduce gnp_identity()\n{\n");
        gnp_write_expression(t, "_type_reduce", code->text.name, "identity", code->identity);
        gnp_text_add(t, "}\n");
    }
    write_map(t, w);
    write_post(t, call);
    write_undefinitions(t, code->text.preamble);
    for (int k = gnp_compiler_options(&code->text); k < code->text.noptions; k++) {
        int length;
        const char *name = gnp_defined_name(code->text.options[k], &length);
        gnp_text_add(t, "#undef %.*s\n", length, name);
    }
    gnp_text_add(t, "namespace gnp {\n#line 1\n");
}

/* ---- the knobs ------------------------------------------------------------------------------- */

/* Without an identity the accumulator has a flag: the first element is taken as it is. */
static void
write_accumulator(GnpText *t, const GnpReductionCode *code)
{
    if (*code->identity != '\0') {
        gnp_text_add(t, "typedef ::_type_reduce A;\n"
                        "GNP_FN A identity() { return ::gnp_identity(); }\n"
                        "GNP_FN A combine(A a, A b) { return ::gnp_reduce(a, b); }\n"
                        "GNP_FN A accumulator(const ::_type_reduce &x) { return x; }\n"
                        "GNP_FN ::_type_reduce value_of(const A &a) { return a; }\n");
        return;
    }
    gnp_text_add(t, "struct A {\n    ::_type_reduce x;\n    bool is;\n};\n"
                    "GNP_FN A identity()\n{\n    A a;\n    a.is = false;\n    return a;\n}\n"
                    "GNP_FN A accumulator(const ::_type_reduce &x)\n{\n    A a;\n    a.x = x;\n"
                    "    a.is = true;\n    return a;\n}\n"
                    "GNP_FN A combine(A a, A b) { return !a.is ? b : !b.is ? a : "
                    "accumulator(::gnp_reduce(a.x, b.x)); }\n"
                    "GNP_FN ::_type_reduce value_of(const A &a) { return a.x; }\n");
}

/* The list of operand types, and `op`, which the kernel file calls with the loaded values. Each
 * value is loaded as the array's type and converted to the parameter's. */
static void
write_operands(GnpText *t, const Work *w)
{
    const GnpReductionCall *call = w->call;
    const GnpKernelParams *p = &call->code->params;
    gnp_text_add(t, "typedef List<");
    for (int j = 0; j < w->ninputs; j++) {
        int k = w->input[j];
        const char *comma = j > 0 ? ", " : "", *access = gnp_access_names[w->access[j]];
        if (k < 0) {
            gnp_text_add(t, "%sPosition<%s>", comma, access);
        }
        else {
            gnp_text_add(t, "%sIn<%s, %s, %s>", comma,
                         gnp_dtypes[call->array[k]->dtype].device_name,
                         gnp_dtypes[gnp_param_dtype(&p->param[k], call->type)].device_name, access);
        }
    }
    gnp_text_add(t, "> Operands;\nGNP_FN A op(const Ending &end");
    for (int j = 0; j < w->ninputs; j++) {
        int k = w->input[j];
        GnpDtype dtype = k < 0 ? GNP_I64 : gnp_param_dtype(&p->param[k], call->type);
        gnp_text_add(t, ", %s x%d", gnp_compute_name(dtype), j);
    }
    gnp_text_add(t, ") { return accumulator(::gnp_map(end");
    for (int j = 0; j < w->ninputs; j++) {
        gnp_text_add(t, ", x%d", j);
    }
    gnp_text_add(t, ")); }\n");
}

/* Called once per output with the combined value. `at` has byte offsets of the outputs, and `o`
 * is the output's index in C order (_i). */
static void
write_finish(GnpText *t, const GnpReductionCall *call)
{
    const GnpKernelParams *p = &call->code->params;
    gnp_text_add(t, "GNP_FN void finish(const A &a, const Ending &end, u64 o, const "
                    "Signed<Index>::type *at)\n{\n    ::gnp_post(value_of(a), end, (ptrdiff_t)o");
    for (int k = 0; k < p->nout; k++) {
        gnp_text_add(t, ", *(%s *)(end._out[%d] + at[%d])",
                     gnp_dtypes[gnp_param_dtype(&p->param[p->nin + k], call->type)].device_name, k,
                     k);
    }
    gnp_text_add(t, ");\n}\n");
}

/* The knob header: constants and types by which the kernel file is specialised. The file that
 * combines partial results reads no inputs, so it has neither operands nor WIDTH. */
static void
write_knobs(GnpText *t, const Work *w, File file)
{
    const GnpReducePlan *plan = &w->plan;
    gnp_text_add(
        t, "typedef %s Index;\nenum { KEPT = %d, OUTPUTS = %d, BLOCK = %d, LANES = %d };\n",
        plan->wide ? "u64" : "u32", plan->kept_class, w->call->code->params.nout, GNP_REDUCE_BLOCK,
        file == FILE_FINISH ? gnp_reduce_finish_columns(plan->nout, plan->pieces) : plan->lanes);
    write_accumulator(t, w->call->code);
    gnp_text_add(t, "static_assert(sizeof(A) <= %d, \"the reduce_type is too large\");\n",
                 accumulator_bytes(w->call->code));
    write_finish(t, w->call);
    if (file != FILE_FINISH) {
        gnp_text_add(t,
                     "enum { REDUCED = %d, WIDTH = %d, UNROLL = %d, PARTIAL = %d, RAGGED = 0 };\n",
                     plan->reduced_class, plan->width, plan->unroll, plan->partial);
        write_operands(t, w);
    }
}

/* ---- kernels --------------------------------------------------------------------------------- */

enum { KEY_HEAD = 16, KEY_BYTES = KEY_HEAD + 2 * GNP_MAX_USER_PARAMS + 2 * GNP_MAX_OPERANDS };

/* What the source depends on, byte by byte; the number of bytes. Kernels are per device, as the
 * images differ. */
static size_t
make_key(unsigned char *key, const Work *w, File file, const GnpDevice *device)
{
    const GnpReducePlan *p = &w->plan;
    const GnpKernelParams *params = &w->call->code->params;
    int lanes = file == FILE_FINISH ? gnp_reduce_finish_columns(p->nout, p->pieces) : p->lanes;
    const unsigned char head[KEY_HEAD] = {
        (unsigned char)file,         (unsigned char)device->id,    (unsigned char)p->wide,
        (unsigned char)p->width,     (unsigned char)p->unroll,     (unsigned char)(lanes & 255),
        (unsigned char)(lanes >> 8), (unsigned char)p->kept_class, (unsigned char)p->reduced_class,
        (unsigned char)p->partial,   (unsigned char)w->ninputs,
    };
    size_t n = KEY_HEAD;
    memcpy(key, head, sizeof head);
    for (int k = 0; k < params->n; k++) {
        const GnpArray *a = w->call->array[k];
        key[n++] = (unsigned char)gnp_param_dtype(&params->param[k], w->call->type);
        key[n++] = a == NULL ? 0xff : (unsigned char)a->dtype;
        if (params->param[k].is_raw) {
            gnp_raw_form(a, &key[n - 2]);
        }
    }
    for (int j = 0; file != FILE_FINISH && j < w->ninputs; j++) {
        key[n++] = (unsigned char)(w->input[j] + 8);
        key[n++] = w->access[j];
    }
    return n;
}

/* Compiles or loads one of the three files. The source is stored first, so that `cached_code` is
 * available even if compiling fails. */
static GnpKernel *
compile(const Work *w, File file, GnpDevice *device)
{
    const GnpReductionCode *code = w->call->code;
    GnpText knobs = {0}, head = {0}; /* owned */
    char name[32];
    GnpKernel *ret = NULL;
    write_knobs(&knobs, w, file);
    write_head(&head, w);
    GNP_TRY(gnp_text_finish(&knobs));
    GNP_TRY(gnp_text_finish(&head));
    GNP_TRY(gnp_keep_source(code->codes, &code->params, w->call->type, &head));
    GnpUserSource user = {.head = head.text,
                          .tail = "\n} // namespace gnp\n",
                          .options = code->text.options,
                          .noptions = gnp_compiler_options(&code->text),
                          .title = code->text.name,
                          .shown = code->shown};
    snprintf(name, sizeof name, "%s.cu", files[file]);
    GnpKernelSource source = {.file = name,
                              .entry = files[file],
                              .name = code->text.name,
                              .knobs = knobs.text,
                              .knobs_bytes = knobs.used,
                              .user = &user};
    ret = gnp_kernel_get(device, &source);
fail:
    gnp_text_clear(&knobs);
    gnp_text_clear(&head);
    return ret;
}

/* Moves what it finds to the front. */
static GnpKernel *
find_variant(GnpVariant **list, const void *key, size_t nbytes)
{
    for (GnpVariant **link = list; *link != NULL; link = &(*link)->next) {
        GnpVariant *v = *link;
        if (v->nbytes == nbytes && memcmp(v->key, key, nbytes) == 0) {
            *link = v->next;
            v->next = *list;
            *list = v;
            return v->kernel;
        }
    }
    return NULL;
}

/* Without memory the kernel is only not found again. */
static void
add_variant(GnpVariant **list, const void *key, size_t nbytes, GnpKernel *kernel)
{
    GnpVariant *v = malloc(sizeof *v + nbytes);
    if (v != NULL) {
        v->next = *list;
        v->kernel = kernel;
        v->nbytes = (uint32_t)nbytes;
        memcpy(v->key, key, nbytes);
        *list = v;
    }
}

/* Not gnp_kernel_find, whose keys live as long as the process: programs make ReductionKernels
 * again and again, and this list goes with its kernel object. */
static GnpKernel *
find_kernel(const Work *w, File file, GnpDevice *device)
{
    unsigned char key[KEY_BYTES];
    size_t n = make_key(key, w, file, device);
    GnpVariant **list = &w->call->code->variants;
    GnpKernel *kernel = find_variant(list, key, n);
    if (kernel == NULL) {
        kernel = compile(w, file, device);
        if (kernel != NULL) {
            add_variant(list, key, n, kernel);
        }
    }
    return kernel;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* Writes the bytes of struct Ending as write_ending declares it: 8-byte members in the same
 * order, so there is no padding. An array of no axes has one unused element. */
static void
add_ending(GnpParams *params, const Work *w)
{
    const GnpReductionCall *call = w->call;
    const GnpKernelParams *p = &call->code->params;
    const int64_t one = 1;
    gnp_params_add(params, &w->element_size, 8);
    gnp_params_more(params, &w->output_size, 8);
    for (int k = p->nin; k < p->n; k++) {
        gnp_params_more(params, &call->array[k]->data, 8);
    }
    for (int k = 0; k < p->nin; k++) {
        const GnpArray *a = call->array[k];
        if (a == NULL) {
            gnp_params_more(params, &call->scalar[k], 16);
        }
        else if (p->param[k].is_raw) {
            size_t nbytes = 8 * (size_t)(a->ndim > 0 ? a->ndim : 1);
            gnp_params_more(params, &a->data, 8);
            gnp_params_more(params, &a->size, 8);
            gnp_params_more(params, a->ndim > 0 ? gnp_shape(a) : &one, nbytes);
            gnp_params_more(params, a->ndim > 0 ? gnp_strides(a) : &one, nbytes);
        }
    }
}

/* Reduces the inputs, into the outputs or, with `partials`, into partial results. A kernel is
 * found or compiled before parameters are built, as only that can fail. */
static int
launch_first(const Work *w, CUdeviceptr partials, GnpDevice *device, CUstream stream)
{
    const GnpReducePlan *plan = &w->plan;
    GnpKernel *kernel = find_kernel(w, plan->by_columns ? FILE_COLUMNS : FILE_ALONG, device);
    uint64_t slots[GNP_MAX_OPERANDS][2];
    GnpParams params;
    if (kernel == NULL) {
        return -1;
    }
    for (int j = 0; j < w->ninputs; j++) {
        slots[j][0] = w->input[j] < 0 ? 0 : w->call->array[w->input[j]]->data;
        slots[j][1] = 0;
    }
    gnp_params_init(&params, plan->wide);
    gnp_params_add(&params, slots, (size_t)w->ninputs * sizeof slots[0]);
    gnp_params_add(&params, &partials, sizeof partials);
    gnp_params_layout(&params, &w->kept, plan->kept_class);
    gnp_params_layout(&params, &w->reduced, plan->reduced_class);
    gnp_params_index(&params, plan->nout);
    gnp_params_index(&params, plan->n);
    gnp_params_index(&params, plan->chunk);
    if (!plan->by_columns) {
        gnp_params_index(&params, 0); /* past a boundary */
    }
    add_ending(&params, w);
    return gnp_reduce_launch(kernel, plan, stream, params.arg);
}

/* Combines the partial results of each output and calls the user's post-map. The order in which
 * they are combined is fixed, so results repeat bit for bit. */
static int
launch_second(const Work *w, CUdeviceptr partials, GnpDevice *device, CUstream stream)
{
    const GnpReducePlan *plan = &w->plan;
    GnpKernel *kernel = find_kernel(w, FILE_FINISH, device);
    GnpAxes kept;
    GnpParams params;
    if (kernel == NULL) {
        return -1;
    }
    gnp_axes_init(&kept, w->call->code->params.nout);
    for (int axis = 0; axis < w->kept.naxes; axis++) {
        gnp_axes_add(&kept, w->kept.shape[axis], &w->kept.stride[axis][w->ninputs]);
    }
    gnp_params_init(&params, plan->wide);
    gnp_params_add(&params, &partials, sizeof partials);
    gnp_params_layout(&params, &kept, plan->kept_class);
    gnp_params_index(&params, plan->nout);
    gnp_params_index(&params, plan->pieces);
    add_ending(&params, w);
    int columns = gnp_reduce_finish_columns(plan->nout, plan->pieces);
    return gnp_launch_blocks(kernel, gnp_ceil_div(plan->nout, columns), GNP_REDUCE_BLOCK, stream,
                             params.arg);
}

/* The arrays are recorded as used by `stream` before the launch. A block record tells the memory
 * pool that `stream` uses the block, so that memory freed meanwhile is not given to another stream
 * before the kernel has run. */
int
gnp_reduction_run(const GnpReductionCall *call, GnpDevice *device, CUstream stream)
{
    GnpBlock *scratch = NULL; /* owned */
    int ret = -1;
    int64_t bytes;
    Work w = {.call = call, .element_size = 1, .output_size = 1};
    for (int axis = 0; axis < call->ndim; axis++) {
        int64_t kept = call->reduced[axis] ? 1 : call->shape[axis];
        if (gnp_mul_size(w.element_size, call->shape[axis], &w.element_size) < 0 ||
            gnp_mul_size(w.output_size, kept, &w.output_size) < 0) {
            PyErr_SetString(PyExc_ValueError, "the operands broadcast to too many elements");
            return -1;
        }
    }
    GNP_TRY(take_inputs(&w));
    take_axes(&w);
    make_plan(&w, device);
    for (int k = 0; k < call->code->params.n; k++) {
        if (call->array[k] != NULL) {
            gnp_block_record(call->array[k]->block, stream);
        }
    }
    if (!w.plan.partial) {
        ret = launch_first(&w, 0, device, stream);
        goto fail;
    }
    if (gnp_mul_size(w.plan.pieces * accumulator_bytes(call->code), w.plan.nout, &bytes) < 0) {
        PyErr_NoMemory();
        goto fail;
    }
    /* Freed at once: its reuse is ordered behind the second kernel on the same stream. */
    GNP_NEW(scratch, gnp_block_new(device, (size_t)bytes, stream));
    GNP_TRY(launch_first(&w, scratch->ptr, device, stream));
    ret = launch_second(&w, scratch->ptr, device, stream);
fail:
    gnp_block_release(scratch);
    return ret;
}
