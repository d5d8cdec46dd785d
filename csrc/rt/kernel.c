/* Kernels in memory: compiled once per device and knobs, loaded, kept for the life of the process.
 *
 * Compiling drops the GIL; a second thread that wants the same kernel waits for the first. A
 * failure is not kept: the next call tries again. */
#include "rt/internal.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Entry {
    GnpKernel kernel; /* first: callers hold its address */
    uint64_t hash;
    const GnpDevice *device;
    char *file, *entry, *knobs; /* owned */
    size_t knobs_bytes;
    int is_ready; /* else somebody compiles it */
    struct Entry *next;
} Entry;

#define BUCKETS 4096
static Entry *buckets[BUCKETS]; /* guarded by the GIL */

/* Wakes threads that wait for another's compilation. */
static pthread_mutex_t wait_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wait_done = PTHREAD_COND_INITIALIZER;
static uint64_t generation; /* guarded by wait_lock: changes when a compilation ends */

/* ---- raising
 * ----------------------------------------------------------------------------------------- */

static int
raise_compile_error(const GnpCompiled *compiled)
{
    const char *text = compiled->error.text != NULL ? compiled->error.text : "compilation failed";
    if (!compiled->is_user_error) {
        return gnp_error_raise_text(CUDA_ERROR_JIT_COMPILER_NOT_FOUND,
                                    "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", text);
    }
    PyErr_SetString(gnp_state.CompileException, text);
    return -1;
}

static int
tell_cache_warning(void)
{
    const char *warning = gnp_cache_take_warning();
    return warning != NULL ? PyErr_WarnEx(PyExc_RuntimeWarning, warning, 1) : 0;
}

/* ---- loading
 * ----------------------------------------------------------------------------------------- */

/* Loads an image; the driver's log in `log` when it refuses. Without the GIL. */
static CUresult
load_module(const GnpBytes *image, CUmodule *module, char *log, size_t capacity)
{
    CUjit_option options[2] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[2] = {log, (void *)(uintptr_t)capacity};
    log[0] = '\0';
    CUresult code = gnp_cu->cuModuleLoadDataEx(module, image->data, 2, options, values);
    log[capacity - 1] = '\0';
    return code;
}

static int
raise_load_error(CUresult code, const char *log, const char *name)
{
    GnpText call = {0};
    gnp_text_add(&call, "cuModuleLoadDataEx%s%s", log[0] != '\0' ? ": " : "", log);
    if (gnp_text_finish(&call) == 0) {
        gnp_cuda_raise(code, call.text, name);
    }
    gnp_text_clear(&call);
    return -1;
}

/* ---- embedded kernels
 * --------------------------------------------------------------------------------- */

typedef struct {
    int failed; /* at compiling, when code is 0 */
    CUresult code;
    const char *call;
    char log[2048];
    GnpCompiled compiled;
} Outcome;

/* Compile, load, look up. Without the GIL, with the device's context current. */
static void
build(Entry *entry, const GnpKernelSource *source, Outcome *outcome)
{
    /* --fmad=false: the same bits on both devices, and as NumPy's. */
    static const char *const options[] = {"--minimal", "--fmad=false", "--std=c++17"};
    char knobs_name[256];
    int length = (int)strcspn(source->file, ".");
    snprintf(knobs_name, sizeof knobs_name, "knobs/%.*s.cuh", length, source->file);
    const char *text = gnp_source_text(source->file);
    if (text == NULL) {
        outcome->failed = 1;
        gnp_text_add(&outcome->compiled.error, "there is no kernel file %s", source->file);
        return;
    }
    GnpCompileRequest request = {
        .cc = entry->device->cc_major * 10 + entry->device->cc_minor,
        .is_emulated = entry->device->emulated,
        .source = text,
        .file_name = source->file,
        .extra_name = knobs_name,
        .extra_text = entry->knobs,
        .options = options,
        .noptions = 3,
        .may_be_stored = 1,
    };
    CUmodule module = NULL;
    outcome->failed = gnp_compile(&request, &outcome->compiled) != 0;
    if (outcome->failed) {
        return;
    }
    outcome->call = "cuModuleLoadDataEx";
    outcome->code =
        load_module(&outcome->compiled.image, &module, outcome->log, sizeof outcome->log);
    if (outcome->code == 0) {
        outcome->call = "cuModuleGetFunction";
        outcome->code = gnp_cu->cuModuleGetFunction(&entry->kernel.function, module, entry->entry);
    }
    if (outcome->code == 0) {
        CU_DROP(cuFuncGetAttribute(&entry->kernel.max_threads,
                                   CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                                   entry->kernel.function));
        CU_DROP(cuFuncGetAttribute(&entry->kernel.registers, CU_FUNC_ATTRIBUTE_NUM_REGS,
                                   entry->kernel.function));
    }
}

static uint64_t
hash_of(const GnpDevice *device, const GnpKernelSource *source)
{
    uint64_t h = gnp_hash64(source->knobs, source->knobs_bytes, (uint64_t)device->id + 1);
    h = gnp_hash64(source->file, strlen(source->file), h);
    return gnp_hash64(source->entry, strlen(source->entry), h);
}

static Entry *
find(const GnpDevice *device, const GnpKernelSource *source, uint64_t hash)
{
    for (Entry *e = buckets[hash % BUCKETS]; e != NULL; e = e->next) {
        if (e->hash == hash && e->device == device && e->knobs_bytes == source->knobs_bytes &&
            memcmp(e->knobs, source->knobs, source->knobs_bytes) == 0 &&
            strcmp(e->file, source->file) == 0 && strcmp(e->entry, source->entry) == 0) {
            return e;
        }
    }
    return NULL;
}

static char *
copy_text(const char *text, size_t bytes)
{
    char *copy = malloc(bytes + 1);
    if (copy != NULL) {
        memcpy(copy, text, bytes);
        copy[bytes] = '\0';
    }
    return copy;
}

static void
delete_entry(Entry *entry)
{
    for (Entry **link = &buckets[entry->hash % BUCKETS]; *link != NULL; link = &(*link)->next) {
        if (*link == entry) {
            *link = entry->next;
            break;
        }
    }
    free(entry->file);
    free(entry->entry);
    free(entry->knobs);
    free((char *)(uintptr_t)entry->kernel.name);
    free(entry);
}

/* A new entry in the table that nobody may use yet; NULL with MemoryError. */
static Entry *
add_entry(GnpDevice *device, const GnpKernelSource *source, uint64_t hash)
{
    Entry *entry = calloc(1, sizeof *entry);
    if (entry == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    entry->hash = hash;
    entry->device = device;
    entry->file = copy_text(source->file, strlen(source->file));
    entry->entry = copy_text(source->entry, strlen(source->entry));
    entry->knobs = copy_text(source->knobs, source->knobs_bytes);
    entry->knobs_bytes = source->knobs_bytes;
    entry->kernel.name = copy_text(source->name, strlen(source->name));
    entry->kernel.device_id = device->id;
    if (entry->file == NULL || entry->entry == NULL || entry->knobs == NULL ||
        entry->kernel.name == NULL) {
        delete_entry(entry);
        PyErr_NoMemory();
        return NULL;
    }
    entry->next = buckets[hash % BUCKETS];
    buckets[hash % BUCKETS] = entry;
    return entry;
}

/* Until some compilation has ended since `seen`. Without the GIL. */
static void
wait_for_others(uint64_t seen)
{
    pthread_mutex_lock(&wait_lock);
    while (generation == seen) {
        pthread_cond_wait(&wait_done, &wait_lock);
    }
    pthread_mutex_unlock(&wait_lock);
}

static void
wake_others(void)
{
    pthread_mutex_lock(&wait_lock);
    generation++;
    pthread_cond_broadcast(&wait_done);
    pthread_mutex_unlock(&wait_lock);
}

static uint64_t
current_generation(void)
{
    pthread_mutex_lock(&wait_lock);
    uint64_t now = generation;
    pthread_mutex_unlock(&wait_lock);
    return now;
}

static GnpKernel *
build_and_publish(Entry *entry, const GnpKernelSource *source)
{
    GnpKernel *kernel = NULL;
    Outcome *outcome = calloc(1, sizeof *outcome);
    if (outcome == NULL) {
        PyErr_NoMemory();
    }
    else {
        GNP_NOGIL(build(entry, source, outcome));
        if (outcome->failed) {
            raise_compile_error(&outcome->compiled);
        }
        else if (outcome->code != 0) {
            raise_load_error(outcome->code, outcome->log, source->name);
        }
        else {
            entry->is_ready = 1;
            kernel = &entry->kernel;
        }
        gnp_compiled_clear(&outcome->compiled);
        free(outcome);
    }
    if (kernel == NULL) {
        delete_entry(entry);
    }
    wake_others();
    if (kernel != NULL && tell_cache_warning() < 0) {
        return NULL;
    }
    return kernel;
}

GnpKernel *
gnp_kernel_get(GnpDevice *device, const GnpKernelSource *source)
{
    uint64_t hash = hash_of(device, source);
    for (;;) {
        Entry *entry = find(device, source, hash);
        if (entry == NULL) {
            entry = add_entry(device, source, hash);
            return entry != NULL ? build_and_publish(entry, source) : NULL;
        }
        if (entry->is_ready) {
            return &entry->kernel;
        }
        uint64_t seen = current_generation();
        GNP_NOGIL(wait_for_others(seen));
    }
}

/* ---- user source
 * --------------------------------------------------------------------------------------- */

struct GnpModule {
    CUmodule handle;
    int nnames;
    char **names, **lowered; /* owned */
};

/* Whether all that the source includes is part of the key: no include at all but of our headers. */
static int
is_self_contained(const char *source, const char *const *options, int noptions)
{
    for (int i = 0; i < noptions; i++) {
        if (strncmp(options[i], "-I", 2) == 0 || strstr(options[i], "include") != NULL) {
            return 0;
        }
    }
    for (const char *p = source; (p = strstr(p, "#")) != NULL; p++) {
        const char *q = p + 1 + strspn(p + 1, " \t");
        if (strncmp(q, "include", 7) == 0) {
            q += 7 + strspn(q + 7, " \t");
            char name[128];
            size_t n = *q == '"' ? strcspn(q + 1, "\"\n") : 0;
            if (n == 0 || n >= sizeof name) {
                return 0;
            }
            memcpy(name, q + 1, n);
            name[n] = '\0';
            if (gnp_source_text(name) == NULL) {
                return 0;
            }
        }
    }
    return 1;
}

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
        module->names[i] = copy_text(request->names[i], strlen(request->names[i]));
        if (module->names[i] == NULL) {
            return -1;
        }
    }
    return 0;
}

GnpModule *
gnp_module_compile(GnpDevice *device, const char *source, const char *file_name,
                   const char *const *options, int noptions, const char *const *name_expressions,
                   int nnames)
{
    GnpCompileRequest request = {
        .cc = device->cc_major * 10 + device->cc_minor,
        .is_emulated = device->emulated,
        .source = source,
        .file_name = file_name,
        .options = options,
        .noptions = noptions,
        .names = name_expressions,
        .nnames = nnames,
        .may_be_stored = is_self_contained(source, options, noptions),
    };
    GnpCompiled compiled = {.nnames = 0};
    char log[2048];
    CUresult code = 0;
    int status = -1;
    GnpModule *module = calloc(1, sizeof *module);
    if (module == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    GNP_NOGIL(status = gnp_compile(&request, &compiled));
    if (status != 0) {
        raise_compile_error(&compiled);
        goto fail;
    }
    GNP_NOGIL(code = load_module(&compiled.image, &module->handle, log, sizeof log));
    if (code != 0) {
        raise_load_error(code, log, file_name);
        goto fail;
    }
    if (keep_names(module, &request, &compiled) < 0) {
        PyErr_NoMemory();
        goto fail;
    }
    GNP_TRY(tell_cache_warning());
    gnp_compiled_clear(&compiled);
    return module;
fail:
    gnp_compiled_clear(&compiled);
    gnp_module_release(module);
    return NULL;
}

void
gnp_module_release(GnpModule *module)
{
    if (module == NULL) {
        return;
    }
    if (module->handle != NULL && !gnp_is_closing()) {
        CU_DROP(cuModuleUnload(module->handle));
    }
    for (int i = 0; i < module->nnames; i++) {
        free(module->names != NULL ? module->names[i] : NULL);
        free(module->lowered[i]);
    }
    free(module->names);
    free(module->lowered);
    free(module);
}

int
gnp_module_function(GnpModule *module, const char *name, CUfunction *out)
{
    const char *symbol = name;
    for (int i = 0; i < module->nnames; i++) {
        if (strcmp(module->names[i], name) == 0) {
            symbol = module->lowered[i];
        }
    }
    CU_TRY(cuModuleGetFunction(out, module->handle, symbol));
    return 0;
fail:
    return -1;
}

/* ---- for Python
 * ------------------------------------------------------------------------------------------ */

static PyObject *
cache_info(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    char dir[4096];
    int64_t entries = 0, bytes = 0;
    GNP_NOGIL(gnp_cache_describe(dir, sizeof dir, &entries, &bytes));
    return Py_BuildValue("(sLL)", dir, (long long)entries, (long long)bytes);
}

static PyObject *
cache_clear(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    int64_t removed = 0;
    GNP_NOGIL(removed = gnp_cache_clear());
    return PyLong_FromLongLong(removed);
}

static PyObject *
kernel_count(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    Py_ssize_t n = 0;
    for (int i = 0; i < BUCKETS; i++) {
        for (const Entry *e = buckets[i]; e != NULL; e = e->next) {
            n += e->is_ready;
        }
    }
    return PyLong_FromSsize_t(n);
}

static PyMethodDef functions[] = {
    {"_cache_info", cache_info, METH_NOARGS, "Directory, entries and bytes of the kernel cache."},
    {"_cache_clear", cache_clear, METH_NOARGS, "Remove all entries; their number, or -1."},
    {"_kernel_count", kernel_count, METH_NOARGS, "Kernels loaded by this process."},
    {NULL, NULL, 0, NULL},
};

int
gnp_kernel_init(PyObject *module)
{
    PyObject *error = PyErr_NewExceptionWithDoc("gpunp.cuda.CompileException",
                                                "NVRTC refused a kernel's source; the text shows "
                                                "its log.",
                                                NULL, NULL);
    if (error == NULL) {
        return -1;
    }
    Py_XSETREF(gnp_state.CompileException, error);
    if (PyModule_AddObjectRef(module, "CompileException", error) < 0) {
        return -1;
    }
    return PyModule_AddFunctions(module, functions);
}
