/* Kernels in memory: compiled once per device and knobs, loaded, kept for the life of the process.
 *
 * Compiling drops the GIL; a second thread that wants the same kernel waits for the first. A
 * failure is not kept: the next call tries again.
 *
 * Two tables: one by the source text, which decides whether to compile (gnp_kernel_get), and in
 * front of it one by the bytes of a kernel's compile-time parameters (gnp_kernel_known), which is
 * all that a launch needs usually: no text is made for it. Entries are never removed once ready, so
 * callers may keep their addresses.
 */
#include "rt/internal.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Outcome Outcome;
typedef struct Entry {
    GnpKernel kernel; /* first: callers hold its address */
    uint64_t hash;
    const GnpDevice *device;
    char *file, *entry, *knobs; /* owned */
    char *head, *tail;          /* owned; "" unless the user's code is part of it */
    size_t knobs_bytes;
    GnpIncludes includes; /* what the tail includes, and the search path for it */
    const char *const *toolkit;
    int ntoolkit;
    int is_ready;   /* 0: a thread is compiling it */
    Outcome *ahead; /* owned: a job that compiles it, which no thread waits for yet; or NULL */
    struct Entry *next;
} Entry;

/* A fixed table with chains: a program has some hundred kernels, and it is not on the path of
 * launches. */
#define BUCKETS 4096
static Entry *buckets[BUCKETS]; /* guarded by the GIL */

/* Wakes threads that wait for another's compilation. */
static pthread_mutex_t wait_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wait_done = PTHREAD_COND_INITIALIZER;
static uint64_t generation; /* guarded by wait_lock: incremented when a compilation ends */

/* ---- embedded kernels ------------------------------------------------------------------------ */

struct Outcome {
    GnpJob job; /* where it is compiled ahead */
    Entry *entry;
    int failed;        /* at compiling, when code is 0 */
    int without_packs; /* asked for */
    CUresult code;
    const char *call;
    char log[2048];
    GnpCompiled compiled;
};

/* Ours: --fmad=false gives the same bits on both devices, and NumPy's. -fmad would fuse a * b + c,
 * which changes rounding; kernels that want it call multiply_add(). */
const char *const gnp_kernel_options[GNP_KERNEL_OPTIONS] = {"--minimal", "--fmad=false",
                                                            "--std=c++17"};

enum { OWN_OPTIONS = 4 }; /* beside those of the user and of the toolkit */

/* Our options and the user's; their number. User code may use FMA, as nvcc would by default. Its
 * own -std wins, of C++17 or later. */
static int
gather_options(const Entry *entry, const GnpUserSource *user, const char **list)
{
    const char *const *toolkit = NULL;
    int n = 0, names_standard = 0;
    int ntoolkit = entry->includes != GNP_INCLUDES_OURS ? entry->ntoolkit : 0;
    toolkit = entry->toolkit;
    list[n++] = "--minimal"; /* the first, so that compile_user can leave it out */
    for (int i = 0; i < user->noptions; i++) {
        list[n++] = gnp_current_dialect(user->options[i]);
        names_standard |= strstr(user->options[i], "-std") != NULL;
    }
    for (int i = 0; i < ntoolkit; i++) {
        list[n++] = toolkit[i];
    }
    list[n++] = "--diag-suppress=177"; /* unused variables of the user's code */
    if (!gnp_names_default_space(user->options, user->noptions)) {
        list[n++] = "-default-device";
    }
    if (!names_standard) {
        list[n++] = "--std=c++17";
    }
    return n;
}

/* The file's text between the user's head and tail; NULL without memory. malloc. */
static char *
surround(const char *text, const GnpUserSource *user)
{
    size_t head = strlen(user->head), body = strlen(text), tail = strlen(user->tail);
    char *all = malloc(head + body + tail + 1);
    if (all != NULL) {
        memcpy(all, user->head, head);
        memcpy(all + head, text, body);
        memcpy(all + head + body, user->tail, tail + 1);
    }
    return all;
}

/* --minimal saves a third of the compile time and lacks a few rarely used features: code that fails
 * with it is compiled again without. On success with --minimal nothing is lost; on failure the log
 * of the second attempt is shown, which has no errors that only --minimal causes. */
static int
compile_user(const Entry *entry, const GnpUserSource *user, GnpCompileRequest *request,
             GnpCompiled *out)
{
    const size_t room = (size_t)user->noptions + (size_t)entry->ntoolkit + OWN_OPTIONS;
    const char **options = malloc(room * sizeof *options);
    char *text = surround(request->source, user); /* owned */
    if (text == NULL || options == NULL) {
        free(text);
        free(options);
        gnp_text_add(&out->error, "out of host memory while compiling %s", request->file_name);
        return -1;
    }
    int n = gather_options(entry, user, options);
    int minimal = entry->includes == GNP_INCLUDES_OURS;
    request->source = text;
    request->shown_title = user->title;
    request->shown = user->shown;
    request->may_be_stored = entry->includes != GNP_INCLUDES_UNKNOWN;
    request->options = options + !minimal;
    request->noptions = n - !minimal;
    int status = gnp_compile(request, out);
    if (status != 0 && minimal && out->is_user_error) {
        gnp_compiled_clear(out);
        request->options = options + 1;
        request->noptions = n - 1;
        status = gnp_compile(request, out);
    }
    free(text);
    free(options);
    return status;
}

/* Kernels load without them too: a failure leaves 0 and is logged. */
static void
read_attribute(int *value, CUfunction_attribute attribute, const Entry *entry)
{
    gnp_cuda_drop(CU_UNLOCKED(cuFuncGetAttribute(value, attribute, entry->kernel.function)),
                  "cuFuncGetAttribute", __func__);
}

/* -1 with the exception, which shows user code as the user wrote it. */
static int
raise_compile_error(const GnpKernelSource *source, const GnpCompiled *compiled)
{
    const GnpUserSource *user = source->user;
    const GnpCompileRequest request = {
        .source = user != NULL ? user->shown : gnp_source_text(source->file),
        .file_name = user != NULL ? user->title : source->file,
        .options = user != NULL ? user->options : gnp_kernel_options,
        .noptions = user != NULL ? user->noptions : GNP_KERNEL_OPTIONS,
    };
    return gnp_raise_compile_error(compiled, &request);
}

/* Without the GIL. Reads only what does not change while the entry is being made: its own copies of
 * the texts. */
static void
compile_entry(Entry *entry, const GnpKernelSource *source, Outcome *outcome)
{
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
        .options = gnp_kernel_options,
        .noptions = GNP_KERNEL_OPTIONS,
        .may_be_stored = 1,
        .without_packs = outcome->without_packs,
    };
    outcome->failed = source->user != NULL
                          ? compile_user(entry, source->user, &request, &outcome->compiled) != 0
                          : gnp_compile(&request, &outcome->compiled) != 0;
}

/* Load, look up. Without the GIL, with the device's context current. Loading allocates memory
 * of the device and may wait for the whole context, so the caller runs it as a wait for the
 * context. */
static void
load_entry(Entry *entry, Outcome *outcome)
{
    CUmodule module = NULL;
    outcome->call = "cuModuleLoadDataEx";
    outcome->code =
        gnp_load_image(&outcome->compiled.image, &module, outcome->log, sizeof outcome->log);
    if (outcome->code == 0) {
        outcome->call = "cuModuleGetFunction";
        outcome->code =
            CU_UNLOCKED(cuModuleGetFunction(&entry->kernel.function, module, entry->entry));
    }
    if (outcome->code == 0) {
        read_attribute(&entry->kernel.max_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, entry);
        read_attribute(&entry->kernel.registers, CU_FUNC_ATTRIBUTE_NUM_REGS, entry);
    }
}

/* The GIL is released twice, for the compiler and for the loader. Meanwhile only this thread
 * touches the entry: others see that it is not ready. */
static void
compile_and_load(Entry *entry, const GnpKernelSource *source, Outcome *outcome)
{
    const int is_ahead = outcome->entry != NULL && !outcome->without_packs;
    outcome->code = 0;
    if (is_ahead) {
        GNP_NOGIL(gnp_job_wait(&outcome->job));
    }
    else {
        GNP_NOGIL(compile_entry(entry, source, outcome));
    }
    if (!outcome->failed) {
        GNP_CONTEXT_WAIT(load_entry(entry, outcome));
    }
}

static const char *
tail_of(const GnpKernelSource *source)
{
    return source->user != NULL ? source->user->tail : "";
}

static const char *
head_of(const GnpKernelSource *source)
{
    return source->user != NULL ? source->user->head : "";
}

/* Options of the user are part of the texts: kernel_text.c writes each of them as a definition or
 * as a comment. */
static uint64_t
hash_of(const GnpDevice *device, const GnpKernelSource *source)
{
    uint64_t h = gnp_hash64(source->knobs, source->knobs_bytes, (uint64_t)device->id + 1);
    h = gnp_hash64(source->file, strlen(source->file), h);
    h = gnp_hash64(head_of(source), strlen(head_of(source)), h);
    h = gnp_hash64(tail_of(source), strlen(tail_of(source)), h);
    return gnp_hash64(source->entry, strlen(source->entry), h);
}

/* Compares everything that went into the hash: two sources with one hash are different kernels. */
static Entry *
find(const GnpDevice *device, const GnpKernelSource *source, uint64_t hash)
{
    for (Entry *e = buckets[hash % BUCKETS]; e != NULL; e = e->next) {
        if (e->hash == hash && e->device == device && e->knobs_bytes == source->knobs_bytes &&
            memcmp(e->knobs, source->knobs, source->knobs_bytes) == 0 &&
            strcmp(e->head, head_of(source)) == 0 && strcmp(e->tail, tail_of(source)) == 0 &&
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

/* After a failure, or before the entry was linked; then the walk finds nothing. */
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
    free(entry->head);
    free(entry->tail);
    free((char *)(uintptr_t)entry->kernel.name);
    free(entry);
}

/* A new entry in the table, not ready yet; NULL with MemoryError. In the table before it is
 * compiled, so that other threads find it and wait instead of compiling the same source. */
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
    entry->head = copy_text(head_of(source), strlen(head_of(source)));
    entry->tail = copy_text(tail_of(source), strlen(tail_of(source)));
    entry->kernel.name = copy_text(source->name, strlen(source->name));
    entry->kernel.device_id = device->id;
    if (entry->file == NULL || entry->entry == NULL || entry->knobs == NULL ||
        entry->head == NULL || entry->tail == NULL || entry->kernel.name == NULL) {
        delete_entry(entry);
        PyErr_NoMemory();
        return NULL;
    }
    if (source->user != NULL) {
        GnpIncludes head = gnp_includes_of(entry->head, NULL, 0);
        entry->includes =
            gnp_includes_of(entry->tail, source->user->options, source->user->noptions);
        entry->includes = head > entry->includes ? head : entry->includes;
        entry->ntoolkit =
            entry->includes != GNP_INCLUDES_OURS ? gnp_toolkit_includes(&entry->toolkit) : 0;
    }
    entry->next = buckets[hash % BUCKETS];
    buckets[hash % BUCKETS] = entry;
    return entry;
}

/* Waits until a compilation has ended since the generation `seen`, which was read with the GIL: one
 * that ends between that and this wait is not missed. Without the GIL. */
static void
wait_for_others(uint64_t seen)
{
    pthread_mutex_lock(&wait_lock);
    while (generation == seen) {
        pthread_cond_wait(&wait_done, &wait_lock);
    }
    pthread_mutex_unlock(&wait_lock);
}

/* Wakes all waiting threads, whichever kernel they wait for: each looks again for its own. */
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

/* `outcome` is that of the job that compiles the entry ahead, or NULL. */
static GnpKernel *
build_and_publish(Entry *entry, const GnpKernelSource *source, GNP_STEAL Outcome *outcome)
{
    GnpKernel *kernel = NULL;
    outcome = outcome != NULL ? outcome : calloc(1, sizeof *outcome);
    if (outcome == NULL) {
        PyErr_NoMemory();
    }
    else {
        const double begin = gnp_trace_clock();
        compile_and_load(entry, source, outcome);
        /* A pack's image that this driver does not load: PTX of a newer compiler, say. */
        if (outcome->code != 0 && outcome->compiled.was_packed) {
            gnp_compiled_clear(&outcome->compiled);
            outcome->without_packs = 1;
            compile_and_load(entry, source, outcome);
        }
        gnp_trace_slice("compile", begin);
        if (outcome->failed) {
            raise_compile_error(source, &outcome->compiled);
        }
        else if (outcome->code != 0) {
            gnp_raise_load_error(outcome->code, outcome->log, source->name);
        }
        else {
            entry->is_ready = 1;
            kernel = &entry->kernel;
        }
    }
    if (kernel == NULL) {
        delete_entry(entry);
    }
    wake_others();
    if (kernel != NULL && gnp_compile_told(&outcome->compiled) < 0) {
        kernel = NULL; /* for this caller: the entry stays */
    }
    if (outcome != NULL) {
        gnp_compiled_clear(&outcome->compiled);
        free(outcome);
    }
    return kernel;
}

/* ---- ahead ----------------------------------------------------------------------------------- */

static void
run_job(GnpJob *job)
{
    Outcome *outcome = (Outcome *)(void *)job; /* its first member */
    const Entry *entry = outcome->entry;
    const GnpKernelSource source = {.file = entry->file,
                                    .entry = entry->entry,
                                    .name = entry->kernel.name,
                                    .knobs = entry->knobs,
                                    .knobs_bytes = entry->knobs_bytes};
    gnp_log(3, "%s is compiled ahead", entry->file);
    compile_entry(outcome->entry, &source, outcome);
}

/* Kernels with code of the user's are left to the call: their options are the caller's. */
static void
compile_ahead(GnpDevice *device, const GnpKernelSource *source, uint64_t hash)
{
    Entry *entry = NULL;
    Outcome *outcome = NULL;
    if (source->user != NULL || find(device, source, hash) != NULL) {
        return;
    }
    GNP_NEW(entry, add_entry(device, source, hash));
    GNP_NEW(outcome, calloc(1, sizeof *outcome));
    outcome->job.run = run_job;
    outcome->entry = entry;
    GNP_TRY(gnp_job_submit(&outcome->job));
    entry->ahead = outcome;
    return;
fail:
    free(outcome);
    if (entry != NULL) {
        delete_entry(entry);
    }
}

const GnpAhead *
gnp_ahead_begin(const GnpAhead *ahead)
{
    const GnpAhead *before = gnp_thread.ahead;
    gnp_thread.ahead = ahead;
    return before;
}

void
gnp_ahead_end(const GnpAhead *before)
{
    gnp_thread.ahead = before;
}

int
gnp_ahead_is_asking(void)
{
    return gnp_thread.is_asking;
}

/* Once for each operation. What goes wrong here is left to the launches to come. */
static void
ask_ahead(void)
{
    const GnpAhead *ahead = gnp_thread.ahead;
    gnp_thread.ahead = NULL;
    gnp_thread.is_asking = 1;
    ahead->ask(ahead->context);
    gnp_thread.is_asking = 0;
    PyErr_Clear();
}

void
gnp_ahead_ask(const GnpAhead *ahead)
{
    const GnpAhead *before = gnp_ahead_begin(ahead);
    if (!gnp_thread.is_asking) {
        ask_ahead();
    }
    gnp_ahead_end(before);
}

/* The loop ends with a kernel, or with this thread's own attempt: when the thread it waited for
 * failed, the entry is gone and this one compiles, and raises, itself. */
GnpKernel *
gnp_kernel_get(GnpDevice *device, const GnpKernelSource *source)
{
    uint64_t hash = hash_of(device, source);
    if (gnp_thread.is_asking) {
        compile_ahead(device, source, hash);
        return NULL;
    }
    for (;;) {
        Entry *entry = find(device, source, hash);
        if (entry == NULL) {
            entry = add_entry(device, source, hash);
            if (entry != NULL && gnp_thread.ahead != NULL) {
                ask_ahead();
            }
            return entry != NULL ? build_and_publish(entry, source, NULL) : NULL;
        }
        if (entry->is_ready) {
            return &entry->kernel;
        }
        if (entry->ahead != NULL) {
            Outcome *ahead = entry->ahead;
            entry->ahead = NULL; /* another thread that wants it waits for this one */
            return build_and_publish(entry, source, ahead);
        }
        uint64_t seen = current_generation();
        GNP_NOGIL(wait_for_others(seen));
    }
}

/* ---- by compile-time parameters -------------------------------------------------------------- */

/* A kernel by the bytes of its parameters: how every launch but the first finds it. Several keys
 * may lead to the same kernel of the table above, where they give the same source. */
typedef struct {
    uint64_t hash;
    GnpSpec *key;      /* owned; NULL: free */
    GnpKernel *kernel; /* borrowed: kernels are never removed */
} Known;

/* Open addressing with linear probing, a power of two of slots, at most half full. Guarded by the
 * GIL. */
static struct {
    Known *places;
    uint64_t capacity, used;
} known;

/* Multiplicative hashing word by word. A product's high bits depend on all bits of its factors, its
 * low bits on few; the table is indexed by the low ones, so the high half is folded onto them. */
static uint64_t
hash_spec(const GnpSpec *spec)
{
    const unsigned char *at = (const unsigned char *)spec;
    size_t left = (size_t)spec->bytes;
    uint64_t h = 0, word;
    for (; left >= sizeof word; left -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    word = 0;
    memcpy(&word, at, left);
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
}

/* At most half of the slots are in use, so there is always a free one to end at. */
static Known *
find_place(Known *places, uint64_t capacity, uint64_t hash, const GnpSpec *spec)
{
    for (uint64_t i = hash;; i++) {
        Known *k = &places[i & (capacity - 1)];
        if (k->key == NULL || (k->hash == hash && k->key->bytes == spec->bytes &&
                               memcmp(k->key, spec, (size_t)spec->bytes) == 0)) {
            return k;
        }
    }
}

/* On the path of every launch: one hash of a short key, usually one comparison, no lock. */
GnpKernel *
gnp_kernel_known(const GnpSpec *spec)
{
    return GNP_LIKELY(known.capacity > 0)
               ? find_place(known.places, known.capacity, hash_spec(spec), spec)->kernel
               : NULL;
}

static int
grow_known(void)
{
    uint64_t capacity = known.capacity > 0 ? 2 * known.capacity : 512;
    Known *places = calloc(capacity, sizeof *places);
    if (places == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (uint64_t i = 0; i < known.capacity; i++) {
        const Known *k = &known.places[i];
        if (k->key != NULL) {
            *find_place(places, capacity, k->hash, k->key) = *k;
        }
    }
    free(known.places);
    known.places = places;
    known.capacity = capacity;
    return 0;
}

/* The GIL was released while the kernel was compiled, so the table is searched again. */
int
gnp_kernel_keep(const GnpSpec *spec, GnpKernel *kernel)
{
    if (2 * known.used >= known.capacity && grow_known() < 0) {
        return -1;
    }
    const uint64_t hash = hash_spec(spec);
    Known *k = find_place(known.places, known.capacity, hash, spec);
    if (k->key == NULL) { /* another thread may have kept the same one meanwhile */
        GnpSpec *key = malloc((size_t)spec->bytes);
        if (key == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        memcpy(key, spec, (size_t)spec->bytes);
        *k = (Known){.hash = hash, .key = key, .kernel = kernel};
        known.used++;
    }
    return 0;
}

/* ---- for Python ------------------------------------------------------------------------------ */

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
    PyObject *members =
        Py_BuildValue("{s:s,s:s,s:()}", "source", "", "name", "", "options"); /* owned */
    PyObject *error = PyErr_NewExceptionWithDoc(
        "gpunp.cuda.CompileException",
        "NVRTC refused a kernel's source; the text shows its log. `source`, `name` and `options`\n"
        "are what was compiled.",
        NULL, members);
    Py_XDECREF(members);
    if (error == NULL) {
        return -1;
    }
    Py_XSETREF(gnp_state.CompileException, error);
    if (PyModule_AddObjectRef(module, "CompileException", error) < 0) {
        return -1;
    }
    return PyModule_AddFunctions(module, functions);
}
