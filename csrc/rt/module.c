/* Modules from user source and from compiled images, and what loading both has in common.
 *
 * A module is owned by the object that asked for it (RawModule, RawKernel); unloading invalidates
 * its functions, so launches in a captured stream keep that object with the graph. Kernels of our
 * own do not come through here but for the loading itself: they are never unloaded (kernel.c).
 */
#include "rt/internal.h"

#include <stdlib.h>
#include <string.h>

struct GnpModule {
    CUmodule handle;
    int nfurther; /* owners beside the first: functions, which outlive what Module.load replaces */
    int nnames;
    char **names, **lowered; /* owned */
    char *log;               /* owned; NULL: empty */
};

/* ---- raising --------------------------------------------------------------------------------- */

/* The exception that is set gets what was compiled as attributes: source, name and options. */
static void
add_what_was_compiled(const GnpCompileRequest *request)
{
    PyObject *type, *error, *trace, *options = NULL, *source = NULL, *name = NULL; /* owned */
    PyErr_Fetch(&type, &error, &trace);
    PyErr_NormalizeException(&type, &error, &trace);
    options = PyTuple_New(request->noptions);
    for (int i = 0; options != NULL && i < request->noptions; i++) {
        PyObject *option = PyUnicode_DecodeFSDefault(request->options[i]); /* stolen */
        if (option == NULL) {
            Py_CLEAR(options);
            break;
        }
        PyTuple_SET_ITEM(options, i, option);
    }
    source = PyUnicode_FromString(request->shown != NULL ? request->shown : request->source);
    name = PyUnicode_DecodeFSDefault(request->file_name);
    if (options == NULL || source == NULL || name == NULL ||
        PyObject_SetAttrString(error, "options", options) < 0 ||
        PyObject_SetAttrString(error, "source", source) < 0 ||
        PyObject_SetAttrString(error, "name", name) < 0) {
        PyErr_Clear(); /* the message has them too */
    }
    Py_XDECREF(options);
    Py_XDECREF(source);
    Py_XDECREF(name);
    PyErr_Restore(type, error, trace);
}

/* Errors in the user's source are CompileException; a missing or broken NVRTC is an error of the
 * installation. */
int
gnp_raise_compile_error(const GnpCompiled *compiled, const GnpCompileRequest *request)
{
    const char *text = compiled->error.text != NULL ? compiled->error.text : "compilation failed";
    if (!compiled->is_user_error) {
        return gnp_error_raise_text(CUDA_ERROR_JIT_COMPILER_NOT_FOUND,
                                    "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", text);
    }
    PyErr_SetString(gnp_state.CompileException, text);
    add_what_was_compiled(request);
    return -1;
}

int
gnp_raise_load_error(CUresult code, const char *log, const char *name)
{
    GnpText call = {0};
    gnp_text_add(&call, "cuModuleLoadDataEx%s%s", log[0] != '\0' ? ": " : "", log);
    if (gnp_text_finish(&call) == 0) {
        gnp_cuda_raise(code, call.text, name);
    }
    gnp_text_clear(&call);
    return -1;
}

/* The driver writes at most `capacity` bytes of log, not necessarily with a NUL at the end. A
 * capture of this thread in a strict mode would be broken by the load, hence the relaxed mode. */
CUresult
gnp_load_image(const GnpBytes *image, CUmodule *module, char *log, size_t capacity)
{
    CUjit_option options[2] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[2] = {log, (void *)(uintptr_t)capacity};
    log[0] = '\0';
    const CUstreamCaptureMode mode = gnp_capture_relax();
    CUresult code = CU_UNLOCKED(cuModuleLoadDataEx(module, image->data, 2, options, values));
    gnp_capture_restore(mode);
    log[capacity - 1] = '\0';
    return code;
}

/* ---- includes -------------------------------------------------------------------------------- */

/* Decides two things: whether the toolkit has to be found, and whether the disk cache may keep
 * the result. Comments are not recognised, so an include in one counts; that costs the cache
 * at most. */
GnpIncludes
gnp_includes_of(const char *source, const char *const *options, int noptions)
{
    GnpIncludes found = GNP_INCLUDES_OURS;
    for (int i = 0; i < noptions; i++) {
        if (strncmp(options[i], "-I", 2) == 0 || strstr(options[i], "include") != NULL) {
            return GNP_INCLUDES_UNKNOWN;
        }
    }
    for (const char *p = source; (p = strchr(p, '#')) != NULL; p++) {
        const char *q = p + 1 + strspn(p + 1, " \t");
        if (strncmp(q, "include", 7) != 0) {
            continue;
        }
        q += 7 + strspn(q + 7, " \t");
        if (*q == '<') {
            found = GNP_INCLUDES_TOOLKIT;
            continue;
        }
        char name[128];
        size_t n = *q == '"' ? strcspn(q + 1, "\"\n") : 0;
        if (n == 0 || n >= sizeof name) {
            return GNP_INCLUDES_UNKNOWN;
        }
        memcpy(name, q + 1, n);
        name[n] = '\0';
        if (!gnp_is_own_header(name)) {
            return GNP_INCLUDES_UNKNOWN;
        }
    }
    return found;
}

/* ---- modules --------------------------------------------------------------------------------- */

/* Takes `lowered` from the compilation rather than copying it. On failure gnp_module_release()
 * copes with the part that exists. */
static int
keep_names(GnpModule *module, const GnpCompileRequest *request, GnpCompiled *compiled)
{
    module->names = calloc((size_t)request->nnames + 1, sizeof *module->names);
    if (module->names == NULL) {
        return -1;
    }
    module->lowered = compiled->lowered;
    module->nnames = compiled->nnames;
    compiled->lowered = NULL;
    compiled->nnames = 0;
    for (int i = 0; i < module->nnames; i++) {
        module->names[i] = strdup(request->names[i]);
        if (module->names[i] == NULL) {
            return -1;
        }
    }
    if (compiled->log.text != NULL) {
        module->log = strdup(compiled->log.text);
    }
    return 0;
}

/* The image loaded into `module`; -1 with an exception. */
static int
load(GnpModule *module, const GnpBytes *image, const char *name)
{
    char log[2048];
    CUresult code;
    GNP_CONTEXT_WAIT(code = gnp_load_image(image, &module->handle, log, sizeof log));
    return code != 0 ? gnp_raise_load_error(code, log, name) : 0;
}

/* The GIL is released while NVRTC runs; the request's texts belong to objects that the caller
 * holds. */
static GnpModule *
compile(GnpDevice *device, GnpCompileRequest *request)
{
    GnpCompiled compiled = {.nnames = 0};
    char log[2048];
    int status = -1;
    CUresult code = 0;
    request->cc = device->cc_major * 10 + device->cc_minor;
    request->is_emulated = device->emulated;
    GnpModule *module = calloc(1, sizeof *module);
    if (module == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    GNP_NOGIL(status = gnp_compile(request, &compiled));
    if (status == 0) {
        GNP_CONTEXT_WAIT(code = gnp_load_image(&compiled.image, &module->handle, log, sizeof log));
    }
    if (code != 0 && compiled.was_packed) { /* as in kernel.c */
        gnp_compiled_clear(&compiled);
        request->without_packs = 1;
        gnp_module_release(module);
        return compile(device, request);
    }
    if (status != 0) {
        gnp_raise_compile_error(&compiled, request);
        goto fail;
    }
    if (code != 0) {
        gnp_raise_load_error(code, log, request->file_name);
        goto fail;
    }
    if (keep_names(module, request, &compiled) < 0) {
        PyErr_NoMemory();
        goto fail;
    }
    GNP_TRY(gnp_compile_told(&compiled));
    gnp_compiled_clear(&compiled);
    return module;
fail:
    gnp_compiled_clear(&compiled);
    gnp_module_release(module);
    return NULL;
}

/* The NAME[=VALUE] of a -D option; NULL for another one. */
static const char *
definition(const char *option)
{
    static const char *const forms[] = {"-D", "--define-macro="};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        size_t n = strlen(forms[i]);
        if (strncmp(option, forms[i], n) == 0 && option[n] != '\0') {
            return option + n;
        }
    }
    return NULL;
}

/* Source that includes <cupy/...> as it is compiled: these headers first, then the definitions of
 * -D options, then the user's text. The macros of programs have short names (T, N), which would
 * clash with names in the headers. Removes those options from the list. NULL: it does not include
 * any. */
static char *
with_cupy_headers(const char *source, const char *file_name, const char **options, int *noptions)
{
    GnpText text = {0};
    int n = 0;
    if (strstr(source, "<cupy/") == NULL && strstr(source, "\"cupy/") == NULL) {
        return NULL;
    }
    for (const GnpEmbeddedFile *f = gnp_embedded_files; f->name != NULL; f++) {
        if (strncmp(f->name, "cupy/", 5) == 0 && strstr(source, f->name) != NULL) {
            gnp_text_add(&text, "#include <%s>\n", f->name);
        }
    }
    for (int i = 0; i < *noptions; i++) {
        const char *name = definition(options[i]);
        if (name == NULL) {
            options[n++] = options[i];
            continue;
        }
        size_t end = strcspn(name, "=");
        gnp_text_add(&text, "#define %.*s %s\n", (int)end, name,
                     name[end] == '=' ? name + end + 1 : "1");
    }
    *noptions = n;
    gnp_text_add(&text, "#line 1 \"%s\"\n%s", file_name, source);
    if (text.failed) {
        gnp_text_clear(&text);
    }
    return text.text;
}

const char *
gnp_current_dialect(const char *option)
{
    static const char *const old[] = {"c++03", "c++11", "c++14"};
    const char *name = option + (strncmp(option, "--", 2) == 0);
    if (strncmp(name, "-std=", 5) != 0) {
        return option;
    }
    for (size_t i = 0; i < sizeof old / sizeof *old; i++) {
        if (strcmp(name + 5, old[i]) == 0) {
            return "--std=c++17";
        }
    }
    return option;
}

int
gnp_names_default_space(const char *const *options, int n)
{
    for (int i = 0; i < n; i++) {
        const char *name = options[i] + (strncmp(options[i], "--", 2) == 0);
        if (strcmp(name, "-default-device") == 0 ||
            strcmp(name, "-device-as-default-execution-space") == 0) {
            return 1;
        }
    }
    return 0;
}

/* Positions in error messages refer to the user's text, also where headers are put before it
 * (#line). */
GnpModule *
gnp_module_compile(GnpDevice *device, const GnpModuleSource *source)
{
    const char *const *toolkit = NULL;
    const int noptions = source->noptions;
    GnpIncludes includes = gnp_includes_of(source->text, source->options, noptions);
    int nmore = includes != GNP_INCLUDES_OURS ? gnp_toolkit_includes(&toolkit) : 0;
    const char **all = malloc((size_t)(noptions + nmore + 2) * sizeof *all);
    if (all == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (int i = 0; i < noptions + nmore; i++) {
        all[i] = i < noptions ? source->options[i] : toolkit[i - noptions];
        all[i] = includes != GNP_INCLUDES_OURS ? gnp_current_dialect(all[i]) : all[i];
    }
    int n = noptions + nmore;
    if (!gnp_names_default_space(source->options, noptions)) {
        all[n++] = "-default-device"; /* as CuPy compiles */
    }
    char *extended = with_cupy_headers(source->text, source->file_name, all, &n); /* owned */
    GnpCompileRequest request = {
        .source = extended != NULL ? extended : source->text,
        .shown = source->text,
        .shown_title = source->file_name,
        .file_name = source->file_name,
        .options = all,
        .noptions = n,
        .names = source->names,
        .nnames = source->nnames,
        .may_be_stored = includes != GNP_INCLUDES_UNKNOWN,
    };
    GnpModule *module = compile(device, &request);
    free(extended);
    free(all);
    return module;
}

/* `image` must be NUL-terminated when it is PTX: the driver takes no length. */
GnpModule *
gnp_module_load(const void *image, size_t bytes, const char *name)
{
    GnpModule *module = calloc(1, sizeof *module);
    if (module == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    const GnpBytes all = {(char *)(uintptr_t)image, bytes}; /* only read */
    if (load(module, &all, name) < 0) {
        gnp_module_release(module);
        return NULL;
    }
    return module;
}

GnpModule *
gnp_module_retain(GnpModule *module)
{
    module->nfurther++;
    return module;
}

/* Unloading may wait in the driver for the module's kernels to end. */
void
gnp_module_release(GnpModule *module)
{
    if (module == NULL || module->nfurther-- > 0) {
        return;
    }
    if (module->handle != NULL && !gnp_is_closing()) {
        CU_DROP_WAIT(cuModuleUnload(module->handle));
    }
    for (int i = 0; i < module->nnames; i++) {
        free(module->names != NULL ? module->names[i] : NULL);
        free(module->lowered[i]);
    }
    free(module->names);
    free(module->lowered);
    free(module->log);
    free(module);
}

/* Few names, so a linear search. */
const char *
gnp_module_symbol(const GnpModule *module, const char *name)
{
    for (int i = 0; i < module->nnames; i++) {
        if (strcmp(module->names[i], name) == 0) {
            return module->lowered[i];
        }
    }
    return NULL;
}

int
gnp_module_name(const GnpModule *module, int i, const char **name, const char **symbol)
{
    if (i >= module->nnames) {
        return 0;
    }
    *name = module->names[i];
    *symbol = module->lowered[i];
    return 1;
}

static int
raise_lookup(CUresult code, const char *call, const char *what, const char *name)
{
    GnpText text = {0};
    gnp_text_add(&text, "%s(\"%s\")", call, name);
    if (code == CUDA_ERROR_NOT_FOUND) {
        gnp_text_add(&text,
                     ": the module has no %s of that name; C++ names need extern \"C\" or a place "
                     "in name_expressions",
                     what);
    }
    if (gnp_text_finish(&text) == 0) {
        gnp_cuda_raise(code, text.text, NULL);
    }
    gnp_text_clear(&text);
    return -1;
}

/* With lazy loading this is where a kernel's code is loaded, which may wait for the context. */
int
gnp_module_function(GnpModule *module, const char *name, CUfunction *out)
{
    const char *symbol = gnp_module_symbol(module, name);
    CUresult code;
    CU_WAIT(code, cuModuleGetFunction(out, module->handle, symbol != NULL ? symbol : name));
    return code == 0 ? 0 : raise_lookup(code, "cuModuleGetFunction", "kernel", name);
}

int
gnp_module_global(GnpModule *module, const char *name, CUdeviceptr *ptr, size_t *bytes)
{
    const char *symbol = gnp_module_symbol(module, name);
    CUresult code;
    CU_WAIT(code, cuModuleGetGlobal_v2(ptr, bytes, module->handle, symbol != NULL ? symbol : name));
    return code == 0 ? 0 : raise_lookup(code, "cuModuleGetGlobal", "variable", name);
}

CUmodule
gnp_module_handle(const GnpModule *module)
{
    return module->handle;
}

const char *
gnp_module_log(const GnpModule *module)
{
    return module->log != NULL ? module->log : "";
}
