/* Opens NVIDIA's libraries, or their emulations, and fills the tables of their functions.
 *
 * Which of the two follows from the driver that was opened. A library is opened under one lock,
 * without the GIL, and published by a release store once its table is complete; readers take an
 * acquire load and no lock. It stays open for the life of the process. Memory order: the table
 * and `found` are written before the release store and read only after an acquire load of the
 * same pointer, so readers see them complete without the lock. The lock is a leaf: no other one
 * is taken and no Python function is called under it. */
#include "lib/lib.h"

#include "lib/load.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* ---- tables ---------------------------------------------------------------------------------- */

/* A function of the table: its name in the library and its place in the struct. Optional ones
 * stay NULL in older versions, and callers test for that. */
typedef struct {
    const char *name;
    size_t offset;
    int is_required;
} Entry;

/* What a status says: failure, memory, a failed setup, which is often lack of memory too, or a
 * working space that is too short. */
typedef enum { KIND_FAILED, KIND_MEMORY, KIND_SETUP, KIND_SHORT } Kind;

/* A row of a library's table of status codes. */
typedef struct {
    int number;
    const char *name;
    Kind kind;
} Status;

/* One block per library: the table, its entries and its status codes, all from one .def file, so
 * that they cannot disagree. */
static GnpCublas api_CUBLAS; /* these are guarded by open_lock until published */
static const Entry entries_CUBLAS[] = {
#define CALL(name, params) {#name, offsetof(GnpCublas, name), 1},
#define CALL_OPTIONAL(name, params) {#name, offsetof(GnpCublas, name), 0},
#include "tables/cublas.def"
};
static const Status statuses_CUBLAS[] = {
#define STATUS(number, name, kind) {number, #name, KIND_##kind},
#include "tables/cublas.def"
};

static GnpCublasLt api_CUBLASLT;
static const Entry entries_CUBLASLT[] = {
#define CALL(name, params) {#name, offsetof(GnpCublasLt, name), 1},
#define CALL_OPTIONAL(name, params) {#name, offsetof(GnpCublasLt, name), 0},
#include "tables/cublaslt.def"
};
static const Status statuses_CUBLASLT[] = {
#define STATUS(number, name, kind) {number, #name, KIND_##kind},
#include "tables/cublaslt.def"
};

static GnpCusolver api_CUSOLVER;
static const Entry entries_CUSOLVER[] = {
#define CALL(name, params) {#name, offsetof(GnpCusolver, name), 1},
#define CALL_OPTIONAL(name, params) {#name, offsetof(GnpCusolver, name), 0},
#include "tables/cusolver.def"
};
static const Status statuses_CUSOLVER[] = {
#define STATUS(number, name, kind) {number, #name, KIND_##kind},
#include "tables/cusolver.def"
};

static GnpCufft api_CUFFT;
static const Entry entries_CUFFT[] = {
#define CALL(name, params) {#name, offsetof(GnpCufft, name), 1},
#define CALL_OPTIONAL(name, params) {#name, offsetof(GnpCufft, name), 0},
#include "tables/cufft.def"
};
static const Status statuses_CUFFT[] = {
#define STATUS(number, name, kind) {number, #name, KIND_##kind},
#include "tables/cufft.def"
};

static GnpCurand api_CURAND;
static const Entry entries_CURAND[] = {
#define CALL(name, params) {#name, offsetof(GnpCurand, name), 1},
#define CALL_OPTIONAL(name, params) {#name, offsetof(GnpCurand, name), 0},
#include "tables/curand.def"
};
static const Status statuses_CURAND[] = {
#define STATUS(number, name, kind) {number, #name, KIND_##kind},
#include "tables/curand.def"
};

static GnpNccl api_NCCL;
static const Entry entries_NCCL[] = {
#define CALL(name, params) {#name, offsetof(GnpNccl, name), 1},
#define CALL_OPTIONAL(name, params) {#name, offsetof(GnpNccl, name), 0},
#define TEXT(name, params) {#name, offsetof(GnpNccl, name), 0},
#include "tables/nccl.def"
};
static const Status statuses_NCCL[] = {
#define STATUS(number, name, kind) {number, #name, KIND_##kind},
#include "tables/nccl.def"
};

/* Everything that differs between the libraries; a row of libraries.def. */
typedef struct {
    const char *prefix, *title, *newest, *older, *wheel, *extra, *error_name;
    int needs_lapack;
    const Entry *entries;
    size_t nentries;
    const Status *statuses;
    size_t nstatuses;
    void *api;
} Library;

#define COUNT(array) (sizeof(array) / sizeof *(array))
static const Library libraries[GNP_NLIBRARIES] = {
#define LIBRARY(ID, prefix, title, newest, older, wheel, extra, error, needs_lapack)               \
    {#prefix,       title,                                                                         \
     newest,        older,                                                                         \
     wheel,         extra,                                                                         \
     error,         needs_lapack,                                                                  \
     entries_##ID,  COUNT(entries_##ID),                                                           \
     statuses_##ID, COUNT(statuses_##ID),                                                          \
     &api_##ID},
#include "tables/libraries.def"
};

enum { LITTLE = 64 << 20 }; /* bytes: a handle of cuBLAS takes as much */

static const void *_Atomic open_api[GNP_NLIBRARIES]; /* a library's table once it is complete */
static struct {
    int version, patch;
    char path[1024];
} found[GNP_NLIBRARIES]; /* guarded by open_lock until published */
static_assert(sizeof gnp_state.library_errors / sizeof *gnp_state.library_errors == GNP_NLIBRARIES,
              "an exception for each library");
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- opening --------------------------------------------------------------------------------- */

/* Text for an exception, written without the GIL and raised with it. 6000 bytes hold the list of
 * all paths that were tried. */
typedef struct {
    char text[6000];
} Message;

/* GPUNP's variable for a folder overrides every other place, so a wrong folder is an error
 * rather than a silent use of another version. */
static void *
open_real(const Library *library, const GnpDriver *driver, char *path, size_t capacity,
          Message *why)
{
    /* A driver runs libraries of its own major version of CUDA or of an older one. */
    int twelve = driver->driver_version < 13000;
    const char *both[] = {library->newest, library->older, NULL};
    const char *const *names = twelve && library->older != NULL ? both + 1 : both;
    char wheels[128], tried[5000];
    const char *folder = gnp_env(GNP_ENV_LIBRARIES);
    snprintf(wheels, sizeof wheels, "nvidia/cu13/lib:nvidia/%s/lib", library->wheel);
    tried[0] = '\0';
    for (int i = 0; *folder != '\0' && names[i] != NULL; i++) {
        char file[1024];
        snprintf(file, sizeof file, "%s/%s", folder, names[i]);
        void *handle = gnp_cuda_open_exactly(gnp_env_name(GNP_ENV_LIBRARIES), file, path, capacity,
                                             tried, sizeof tried);
        if (handle != NULL) {
            return handle;
        }
    }
    void *handle = *folder != '\0'
                       ? NULL
                       : gnp_cuda_open_library(names, wheels, path, capacity, tried, sizeof tried);
    if (handle == NULL) {
        snprintf(why->text, sizeof why->text,
                 "NVIDIA's %s (%s%s%s) was not found; looked at:\n%sInstall it with `pip install "
                 "'gpunp[%s%d]'`, or set %s to the folder that holds it.",
                 library->title, names[0], names[1] != NULL ? " or " : "",
                 names[1] != NULL ? names[1] : "", tried, library->extra, twelve ? 12 : 13,
                 gnp_env_name(GNP_ENV_LIBRARIES));
    }
    return handle;
}

/* One shared object has the emulations of all libraries. */
static void *
open_emulated(const Library *library, char *path, size_t capacity, Message *why)
{
    char file[1100], tried[2048];
    snprintf(file, sizeof file, "%s/libgpunp_emu_math.so", gnp_cuda_package_dir());
    void *handle = gnp_cuda_open_exactly("the emulated device's libraries", file, path, capacity,
                                         tried, sizeof tried);
    if (handle == NULL) {
        snprintf(why->text, sizeof why->text, "the emulation of %s could not be opened:\n%s",
                 library->title, tried);
    }
    return handle;
}

/* Major, minor and patch: three properties, or one number where a library has no properties. */
static void
ask_version(const Library *library, void *handle, int part[3])
{
    char name[40];
    int (*get_property)(int, int *) = NULL;
    int (*get_version)(int *) = NULL;
    int number = 0;
    snprintf(name, sizeof name, "%sGetProperty", library->prefix);
    *(void **)&get_property = dlsym(handle, name);
    snprintf(name, sizeof name, "%sGetVersion", library->prefix);
    *(void **)&get_version = dlsym(handle, name);
    if (get_property == NULL && get_version != NULL) {
        get_version(&number);
    }
    part[0] = number / 10000;
    part[1] = number / 100 % 100;
    part[2] = number % 100;
    for (int i = 0; get_property != NULL && i < 3; i++) {
        get_property(i, &part[i]);
    }
}

/* Under open_lock, without the GIL. */
static int
fill(GnpLibraryId id, void *handle, Message *why)
{
    const Library *library = &libraries[id];
    for (size_t i = 0; i < library->nentries; i++) {
        const Entry *entry = &library->entries[i];
        void *symbol = dlsym(handle, entry->name);
        if (symbol == NULL && entry->is_required) {
            snprintf(why->text, sizeof why->text, "%s lacks the function %s: it is too old",
                     found[id].path, entry->name);
            return -1;
        }
        /* Data and function pointers have the same representation on every system with dlsym. */
        memcpy((char *)library->api + entry->offset, &symbol, sizeof symbol);
    }
    int part[3];
    ask_version(library, handle, part);
    found[id].version = part[0] * 1000 + part[1] * 10;
    found[id].patch = part[2];
    return 0;
}

/* 0, or -1 with `why`. Without the GIL. */
static int
open_library(GnpLibraryId id, const GnpDriver *driver, Message *why)
{
    const Library *library = &libraries[id];
    int ret = 0;
    pthread_mutex_lock(&open_lock);
    /* Another thread may have opened it while this one waited for the lock. */
    if (atomic_load_explicit(&open_api[id], memory_order_acquire) == NULL) {
        char *path = found[id].path;
        void *handle = driver->emulated
                           ? open_emulated(library, path, sizeof found[id].path, why)
                           : open_real(library, driver, path, sizeof found[id].path, why);
        ret = handle != NULL ? fill(id, handle, why) : -1;
        if (ret == 0) {
            atomic_store_explicit(&open_api[id], (const void *)library->api, memory_order_release);
        }
    }
    pthread_mutex_unlock(&open_lock);
    return ret;
}

/* The context has to exist first: libraries use the one that is current. */
const void *
gnp_library(GnpLibraryId id)
{
    const void *api = atomic_load_explicit(&open_api[id], memory_order_acquire);
    if (GNP_LIKELY(api != NULL)) {
        return api;
    }
    Message why;
    int status;
    if (gnp_device_current() == NULL) {
        return NULL;
    }
    const GnpDriver *driver = gnp_cuda_driver();
    if (driver->emulated && gnp_emulated_attach(libraries[id].needs_lapack) < 0) {
        return NULL;
    }
    GNP_NOGIL(status = open_library(id, driver, &why));
    if (status < 0) {
        PyErr_SetString(PyExc_ImportError, why.text);
        return NULL;
    }
    gnp_log(1, "%s %d.%d.%d: %s", libraries[id].title, found[id].version / 1000,
            found[id].version % 1000 / 10, found[id].patch, found[id].path);
    /* Another thread may have opened it meanwhile: with its pointer its table is acquired. */
    return atomic_load_explicit(&open_api[id], memory_order_acquire);
}

/* ---- ahead ----------------------------------------------------------------------------------- */

typedef struct {
    GnpJob job;
    GnpLibraryId id;
} Opening;

/* What goes wrong is found again, and reported, by the call that needs the library. */
static void
open_ahead(GnpJob *job)
{
    const GnpDriver *driver = gnp_cuda_driver_if_open();
    Message why;
    (void)open_library(((Opening *)(void *)job)->id, driver, &why);
}

/* _open_ahead(prefix, ...): opens libraries in another thread, where a GPU is in use already; each
 * once. */
static PyObject *
open_libraries_ahead(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    static Opening opening[GNP_NLIBRARIES]; /* guarded by the GIL; a job runs once */
    const GnpDriver *driver = gnp_cuda_driver_if_open();
    for (int id = 0; driver != NULL && !driver->emulated && id < GNP_NLIBRARIES; id++) {
        Opening *o = &opening[id];
        for (Py_ssize_t i = 0; i < nargs && o->job.run == NULL; i++) {
            const char *wanted = PyUnicode_AsUTF8(args[i]);
            if (wanted == NULL) {
                return NULL;
            }
            if (strcmp(wanted, libraries[id].prefix) == 0) {
                *o = (Opening){.job.run = open_ahead, .id = (GnpLibraryId)id};
                (void)gnp_job_submit(&o->job);
            }
        }
    }
    Py_RETURN_NONE;
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* NULL: a status that is not listed. */
static const Status *
status_row(GnpLibraryId id, int status)
{
    const Library *library = &libraries[id];
    for (size_t i = 0; i < library->nstatuses; i++) {
        if (library->statuses[i].number == status) {
            return &library->statuses[i];
        }
    }
    return NULL;
}

/* 1 when a status means that memory is exhausted: it says so, or it is a status that libraries also
 * use for that and the device has very little memory left. */
static int
is_about_memory(const Status *row)
{
    size_t available = 0, total = 0;
    if (row == NULL || row->kind == KIND_FAILED) {
        return 0;
    }
    return row->kind == KIND_MEMORY ||
           (gnp_cu->cuMemGetInfo_v2(&available, &total) == CUDA_SUCCESS && available < LITTLE);
}

/* Twice at most: first the cached memory of the pools goes back, then garbage is collected as
 * well. */
int
gnp_library_retry(GnpLibraryId id, int status, int attempt)
{
    const Status *row = status_row(id, status);
    if (attempt >= 2 || row == NULL || row->kind == KIND_SHORT || !is_about_memory(row)) {
        return 0;
    }
    gnp_pools_relieve(attempt > 0);
    return 1;
}

/* The exception has the number as `status`; an OutOfMemoryError where the device has no memory
 * left, which is what callers catch. */
int
gnp_library_raise(GnpLibraryId id, int status, const char *call, const char *function)
{
    const Library *library = &libraries[id];
    const Status *row = status_row(id, status);
    PyObject *type =
        is_about_memory(row) ? gnp_state.OutOfMemoryError : gnp_state.library_errors[id];
    PyObject *text = PyUnicode_FromFormat("%s: status %d of %s [in %s, called by %s]",
                                          row != NULL ? row->name : "unknown status", status,
                                          library->title, call, function);   /* owned */
    PyObject *error = text != NULL ? PyObject_CallOneArg(type, text) : NULL; /* owned */
    PyObject *number = error != NULL ? PyLong_FromLong(status) : NULL;       /* owned */
    if (number != NULL && PyObject_SetAttrString(error, "status", number) == 0) {
        PyErr_SetObject(type, error);
    }
    Py_XDECREF(text);
    Py_XDECREF(error);
    Py_XDECREF(number);
    return -1;
}

/* ---- functions for Python -------------------------------------------------------------------- */

/* _libraries(): (title, version, path) of each library, opened now; version is None and path the
 * reason where one cannot be opened. */
static PyObject *
list_libraries(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    PyObject *rows = PyList_New(0); /* owned */
    for (int id = 0; rows != NULL && id < GNP_NLIBRARIES; id++) {
        PyObject *row = NULL; /* owned */
        if (gnp_library((GnpLibraryId)id) != NULL) {
            char version[48];
            snprintf(version, sizeof version, "%d.%d.%d", found[id].version / 1000,
                     found[id].version % 1000 / 10, found[id].patch);
            row = Py_BuildValue("(sss)", libraries[id].title, version, found[id].path);
        }
        else {
            PyObject *type, *value, *trace;
            PyErr_Fetch(&type, &value, &trace);
            row = Py_BuildValue("(sON)", libraries[id].title, Py_None,
                                value != NULL ? PyObject_Str(value) : PyUnicode_FromString(""));
            Py_XDECREF(type);
            Py_XDECREF(value);
            Py_XDECREF(trace);
        }
        if (row == NULL || PyList_Append(rows, row) < 0) {
            Py_CLEAR(rows);
        }
        Py_XDECREF(row);
    }
    return rows;
}

static PyMethodDef functions[] = {
    {"_libraries", list_libraries, METH_NOARGS,
     "_libraries()\n--\n\nTitle, version and path of each of NVIDIA's libraries."},
    {"_open_ahead", (PyCFunction)(void (*)(void))open_libraries_ahead, METH_FASTCALL,
     "Open libraries, named by their prefixes, in another thread where a GPU is in use."},
    {NULL, NULL, 0, NULL},
};

/* Libraries that share an exception are neighbours in libraries.def. */
int
gnp_library_init(PyObject *module)
{
    for (int id = 0; id < GNP_NLIBRARIES; id++) {
        char name[64];
        PyObject *type =
            id > 0 && strcmp(libraries[id].error_name, libraries[id - 1].error_name) == 0
                ? Py_NewRef(gnp_state.library_errors[id - 1])
                : NULL;
        if (type == NULL) {
            snprintf(name, sizeof name, "gpunp.cuda.%s.%s", libraries[id].prefix,
                     libraries[id].error_name);
            PyObject *members = Py_BuildValue("{s:i}", "status", 0); /* owned */
            type = PyErr_NewExceptionWithDoc(
                name, "A call of one of NVIDIA's libraries failed: `status` is its number.",
                PyExc_RuntimeError, members);
            Py_XDECREF(members);
        }
        gnp_state.library_errors[id] = type;
        if (type == NULL || PyModule_AddObjectRef(module, libraries[id].error_name, type) < 0) {
            return -1;
        }
    }
    return PyModule_AddFunctions(module, functions);
}
