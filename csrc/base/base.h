/* The lowest folder: error idiom, logging, environment, checked sizes, argument binding.
 *
 * Every other folder may use it; the emulated device, a library of its own, does not.
 */
#ifndef GNP_BASE_H
#define GNP_BASE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stddef.h>
#include <stdint.h>

/* ---- ownership markers for readers; see docs/style.md ---------------------------------------- */

#define GNP_STEAL
#define GNP_BORROW

/* ---- the error idiom: test, then go to the one label `fail` ---------------------------------- */

#define GNP_TRY(call)                                                                              \
    do {                                                                                           \
        if ((call) < 0) {                                                                          \
            goto fail;                                                                             \
        }                                                                                          \
    } while (0)

#define GNP_NEW(dst, call)                                                                         \
    do {                                                                                           \
        (dst) = (call);                                                                            \
        if ((dst) == NULL) {                                                                       \
            goto fail;                                                                             \
        }                                                                                          \
    } while (0)

/* Run `stmt` without the GIL: around anything that can wait on the device or on a file. */
#define GNP_NOGIL(stmt)                                                                            \
    do {                                                                                           \
        PyThreadState *gnp_saved_thread = PyEval_SaveThread();                                     \
        stmt;                                                                                      \
        PyEval_RestoreThread(gnp_saved_thread);                                                    \
    } while (0)

/* A docstring in a PyType_Slot, whose pointer is not const. */
#define GNP_DOC(text) ((void *)(uintptr_t)(text))
/* A METH_FASTCALL | METH_KEYWORDS function in a PyMethodDef. */
#define GNP_FAST(function) ((PyCFunction)(void (*)(void))(function))
/* Adds methods to a type that was made by a lower folder, at start-up (type.c). */
int gnp_type_add_methods(PyTypeObject *type, PyMethodDef *methods);

/* PyErr_Format that survives a __repr__ or __str__ that raises (format.c). */
PyObject *gnp_error_format(PyObject *type, const char *format, ...);
#define PyErr_Format gnp_error_format
/* METH_O: repr(object), cut to 500 characters, or "<type object>" where it raises. */
PyObject *gnp_shown(PyObject *module, PyObject *object);

#define GNP_LIKELY(x) __builtin_expect(!!(x), 1)
#define GNP_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* ---- checked sizes --------------------------------------------------------------------------- */

/* *out = a * b (or a + b); 0, or -1 on overflow or a negative operand. Sets no exception. */
static inline int
gnp_mul_size(int64_t a, int64_t b, int64_t *out)
{
    return (a < 0 || b < 0 || __builtin_mul_overflow(a, b, out)) ? -1 : 0;
}

static inline int
gnp_add_size(int64_t a, int64_t b, int64_t *out)
{
    return (a < 0 || b < 0 || __builtin_add_overflow(a, b, out)) ? -1 : 0;
}

/* ---- environment: one row per variable in tables/env.def ------------------------------------- */

typedef enum {
#define ENV(id, name, default_value, meaning) GNP_ENV_##id,
#include "tables/env.def"
    GNP_ENV_COUNT
} GnpEnv;

/* The value now (never NULL: the default when unset). The only getenv of the library is here. */
const char *gnp_env(GnpEnv which);
/* As an integer; the default when the text is no number. */
int64_t gnp_env_int(GnpEnv which);
/* "GPUNP_DEBUG" and so on. */
const char *gnp_env_name(GnpEnv which);
const char *gnp_env_default(GnpEnv which);
const char *gnp_env_meaning(GnpEnv which);
/* Another program's variable (HOME, CUDA_PATH, CONDA_PREFIX, LD_LIBRARY_PATH ...), or NULL. */
const char *gnp_env_foreign(const char *name);
/* For a library that is about to be opened and reads its settings from the environment only. */
void gnp_env_set_foreign(const char *name, const char *value);

/* ---- warnings (warn.c) ----------------------------------------------------------------------- */

/* A warning at the line of the user's program, as PyErr_WarnFormat: 0, or -1 where warnings are
 * errors. */
int gnp_warn(PyObject *category, const char *format, ...);
/* Whether the innermost Python frame outside the packages `between` belongs to one of `packages`.
 * Both lists end with NULL. */
int gnp_caller_is(const char *const *packages, const char *between);

/* ---- log: stderr, one line, only when GPUNP_DEBUG >= level ----------------------------------- */

extern int gnp_debug_level; /* read once at start; testing.env may set it */
void gnp_log(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- hashing for tables and file names: callers compare the whole key ------------------------ */

uint64_t gnp_hash64(const void *data, size_t bytes, uint64_t seed);

/* ---- memory ---------------------------------------------------------------------------------- */

/* memcpy with non-temporal stores where the machine has them: for data that this core does not read
 * soon. What it wrote is visible to devices when it returns. */
void gnp_copy_streaming(void *dst, const void *src, size_t bytes);

/* ---- a growing byte string, for knob headers and messages ------------------------------------ */

typedef struct {
    char *text; /* NUL-terminated once anything was added; NULL before */
    size_t used, capacity;
    int failed; /* an append ran out of memory; gnp_text_finish reports it */
} GnpText;

void gnp_text_add(GnpText *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gnp_text_add_bytes(GnpText *t, const void *data, size_t bytes);
int gnp_text_finish(GnpText *t); /* 0, or -1 with MemoryError */
void gnp_text_clear(GnpText *t);

/* ---- arguments: METH_FASTCALL | METH_KEYWORDS bound by a signature string -------------------- */

#define GNP_MAX_PARAMS 24

/* Made once per function from text such as "sum(a, /, axis=None, *, keepdims=False)". Positional
 * only, keyword only and defaults as in Python; the same text is the docstring's first line. */
typedef struct {
    const char *text;
    int parsed; /* guarded by the GIL */
    int nparams, nrequired, npositional_only, npositional;
    PyObject *names[GNP_MAX_PARAMS]; /* interned, immortal for the life of the process */
    char integer[GNP_MAX_PARAMS];    /* a parameter's type, "flags: unsigned": its first letter */
} GnpSignature;

#define GNP_SIGNATURE(text) {(text), 0, 0, 0, 0, 0, {NULL}, ""}

/* Binds to out[0..nparams): borrowed, NULL where not given. -1 with CPython's TypeError. */
int gnp_args_bind(GnpSignature *sig, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
                  PyObject **out);
/* The same for a tp_new or tp_call, which get a tuple and a dict or NULL. */
int gnp_args_bind_call(GnpSignature *sig, PyObject *args, PyObject *kwargs, PyObject **out);

/* ---- integers from Python: nothing wraps around ---------------------------------------------- */

/* `object`, an int or what has __index__, as a C type. ValueError when it is negative and the type
 * has no sign, OverflowError when it is beyond the type; the message has the argument's name. */
int gnp_int_from_object(PyObject *object, const char *name, int *out);
int gnp_unsigned_from_object(PyObject *object, const char *name, unsigned *out);
int gnp_int64_from_object(PyObject *object, const char *name, int64_t *out);
int gnp_uint64_from_object(PyObject *object, const char *name, uint64_t *out);
/* Bytes or a count: what a Py_ssize_t holds and is not negative. */
int gnp_size_from_object(PyObject *object, const char *name, int64_t *out);
/* An address or a handle of the driver. */
int gnp_pointer_from_object(PyObject *object, const char *name, void **out);

/* The truth value of an object: 0 or 1 into *out, or -1 with the exception of its __bool__. */
int gnp_truth_from_object(PyObject *object, int *out);

/* ---- modules --------------------------------------------------------------------------------- */

/* A module (new reference), NULL without an exception when it is not installed, or NULL with the
 * exception that its import raised. */
PyObject *gnp_import_if_installed(const char *name);

/* ---- state: every long-lived object, one row each in tables/state.def ------------------------ */

typedef struct {
#define OBJECT(name) PyObject *name;
#define OBJECTS(name, count) PyObject *name[count];
#define NAME(name) PyObject *str_##name;
#include "tables/state.def"
} GnpState;

/* One interpreter only (a second one gets a clean ImportError), so one struct. module.c fills it.
 */
extern GnpState gnp_state;

#endif
