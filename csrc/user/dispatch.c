/* Dispatch: a kernel that is compiled once for each list of argument types (gpunp.jit).
 *
 * A call gives each argument a code: its dtype, and of an array the number of axes, whether it is
 * in C order, and whether 32 bits hold every offset in it. A kernel is found by these codes; when
 * there is none, the subclass's `_compile` is called. The arguments are then laid out as
 * kernels/user/jit.cuh declares them: of an array the address, the shape and, unless it is in C
 * order, the strides; of a number its bytes; of None nothing.
 *
 * Compiling runs Python and gives up the GIL, so entries may be added meanwhile; they are never
 * removed before the object goes. A kernel that two threads compile at once is stored twice, which
 * wastes one entry.
 */
#include "user/function.h"

#include <limits.h>
#include <structmember.h>
#include <string.h>

enum { MAX_ARGUMENTS = 64, MAX_BYTES = 4096 }; /* what CUDA passes on every device */

/* What an argument is; bits of its code. */
enum {
    IS_NONE = 1,
    IS_ARRAY,
    IS_SCALAR, /* of NumPy */
    IS_BOOL,   /* of Python, as are the rest */
    IS_INT32,  /* an int that fits */
    IS_INT64,
    IS_UINT64,
    IS_FLOAT,
    IS_COMPLEX,
    IS_CONTIGUOUS = 1 << 4,
    IS_SMALL = 1 << 5, /* offsets fit into 32 bits */
    KIND = 15,
    DTYPE_SHIFT = 8,
    NDIM_SHIFT = 16,
};

/* A compiled kernel and the codes of the arguments that it is for. */
typedef struct {
    GnpFunctionObject *function; /* owned */
    int cooperative, n;
    uint32_t code[MAX_ARGUMENTS];
} Entry;

typedef struct {
    PyObject_HEAD PyObject *name; /* owned: str, for messages */
    int nentries;
    Entry **entry; /* owned */
    vectorcallfunc vectorcall;
} Dispatch;

/* f[grid, block]: waits for the arguments. */
typedef struct {
    PyObject_HEAD Dispatch *dispatch; /* owned */
    PyObject *key;                    /* owned: tuple of grid, block, shared_mem, stream */
    vectorcallfunc vectorcall;
} Configured;

static PyTypeObject *dispatch_type, *configured_type; /* owned, for the life of the process */

/* ---- codes ----------------------------------------------------------------------------------- */

/* Offsets in 32 bits need fewer registers. The reach counts bytes, which strides have; contiguous
 * arrays are indexed by elements. */
static int
is_small(const GnpArray *a)
{
    if (a->flags & GNP_C_CONTIGUOUS) {
        return a->size <= INT32_MAX;
    }
    int64_t reach = 0;
    for (int i = 0; i < a->ndim; i++) {
        int64_t stride = gnp_strides(a)[i], length = gnp_shape(a)[i];
        reach += length > 1 ? (length - 1) * (stride < 0 ? -stride : stride) : 0;
    }
    return reach <= INT32_MAX;
}

/* All that decides the code of a kernel; sizes do not, so that new ones need no new kernel. */
static uint32_t
array_code(const GnpArray *a)
{
    return IS_ARRAY | (a->flags & GNP_C_CONTIGUOUS ? IS_CONTIGUOUS : 0) |
           (is_small(a) ? IS_SMALL : 0) | (uint32_t)a->dtype << DTYPE_SHIFT |
           (uint32_t)a->ndim << NDIM_SHIFT;
}

/* Small ints are int32, as in CUDA C++: a kernel is compiled again when a value outgrows it. */
static int
int_code(const Dispatch *self, int index, PyObject *object, GnpScalar *value)
{
    int overflow = 0;
    value->i = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow == 0) {
        return value->i >= INT32_MIN && value->i <= INT32_MAX ? IS_INT32 : IS_INT64;
    }
    value->u = PyLong_AsUnsignedLongLong(object);
    if (PyErr_Occurred()) {
        PyErr_Format(PyExc_OverflowError, "argument %d of kernel %U: %R does not fit into 64 bits",
                     index, self->name, object);
        return 0;
    }
    return IS_UINT64;
}

/* The code of an argument other than an array, and its bytes in *value; 0 with an exception. */
static uint32_t
scalar_code(const Dispatch *self, int index, PyObject *object, GnpScalar *value)
{
    GnpDtype dtype;
    int found = gnp_numpy_scalar_dtype(object, &dtype);
    if (found != 0) {
        return found < 0 || gnp_scalar_from_object(object, dtype, value) < 0
                   ? 0
                   : IS_SCALAR | (uint32_t)dtype << DTYPE_SHIFT;
    }
    if (PyBool_Check(object)) {
        value->u = object == Py_True;
        return IS_BOOL;
    }
    if (PyLong_Check(object)) {
        return (uint32_t)int_code(self, index, object, value);
    }
    if (PyFloat_Check(object)) {
        value->d = PyFloat_AS_DOUBLE(object);
        return IS_FLOAT;
    }
    if (PyComplex_Check(object)) {
        Py_complex z = PyComplex_AsCComplex(object);
        value->c128 = (gnp_c128){z.real, z.imag};
        return IS_COMPLEX;
    }
    if (object == Py_None) {
        return IS_NONE;
    }
    PyErr_Format(PyExc_TypeError,
                 "argument %d of kernel %U: unsupported type %R; arguments are gpunp arrays, NumPy "
                 "scalars, Python numbers and None%s",
                 index, self->name, Py_TYPE(object),
                 gnp_is_numpy_array(object)
                     ? ". A NumPy array is on the host: move it to the device with gpunp.asarray(x)"
                     : "");
    return 0;
}

/* ---- argument bytes -------------------------------------------------------------------------- */

/* The arguments of one call, laid out for the driver; about 6 KB on the caller's stack, so that
 * a call allocates no memory. */
typedef struct {
    int n, nargs; /* parameters of the kernel; arguments of the call */
    size_t used;
    uint32_t code[MAX_ARGUMENTS];
    GnpArray *array[MAX_ARGUMENTS]; /* borrowed; NULL for other arguments */
    void *arg[MAX_ARGUMENTS];
    uint64_t bytes[MAX_BYTES / 8];
} Call;

/* `code` needs no bytes here: it is compared on the host and decides the layout at compile time. */
static int
put(const Dispatch *self, Call *call, const void *data, size_t bytes)
{
    /* 16 is the largest alignment a parameter needs, that of a complex of doubles. */
    size_t at = (call->used + 15) & ~(size_t)15;
    if (at + bytes > sizeof call->bytes) {
        PyErr_Format(PyExc_ValueError, "the arguments of kernel %U have more than %d bytes",
                     self->name, (int)MAX_BYTES);
        return -1;
    }
    char *p = (char *)call->bytes + at;
    memcpy(p, data, bytes);
    call->arg[call->n++] = p;
    call->used = at + bytes;
    return 0;
}

/* jit.cuh reads strides only from arrays that are not C-contiguous. */
static int
put_array(const Dispatch *self, Call *call, const GnpArray *a)
{
    /* An array of no axes has one unused word in the place of its shape and strides. */
    uint64_t words[1 + 2 * GNP_MAX_DIMS] = {a->data};
    int axes = a->ndim > 0 ? a->ndim : 1; /* C++ has no arrays of length 0 */
    words[1] = words[1 + axes] = 0;
    memcpy(words + 1, gnp_shape(a), (size_t)a->ndim * 8);
    memcpy(words + 1 + axes, gnp_strides(a), (size_t)a->ndim * 8);
    int has_strides = !(a->flags & GNP_C_CONTIGUOUS);
    return put(self, call, words, 8 * (size_t)(1 + axes * (1 + has_strides)));
}

/* Types and bytes in one pass, because both need the same tests of the object. */
static int
read_arguments(const Dispatch *self, Call *call, PyObject *const *args, Py_ssize_t nargs)
{
    static const unsigned char python_bytes[] = {[IS_NONE] = 0,    [IS_BOOL] = 1,   [IS_INT32] = 4,
                                                 [IS_INT64] = 8,   [IS_UINT64] = 8, [IS_FLOAT] = 8,
                                                 [IS_COMPLEX] = 16};
    if (nargs > MAX_ARGUMENTS) {
        PyErr_Format(PyExc_TypeError, "kernel %U: %zd arguments; at most %d are possible",
                     self->name, nargs, (int)MAX_ARGUMENTS);
        return -1;
    }
    call->n = 0;
    call->nargs = (int)nargs;
    call->used = 0;
    for (int i = 0; i < call->nargs; i++) {
        GnpScalar value = {{0, 0}};
        call->array[i] = NULL;
        if (gnp_array_check(args[i])) {
            call->array[i] = (GnpArray *)args[i];
            if (GNP_UNLIKELY(call->array[i]->dtype >> (NDIM_SHIFT - DTYPE_SHIFT) != 0)) {
                return gnp_refuse_unit("a jitted kernel", call->array[i]->dtype);
            }
            call->code[i] = array_code(call->array[i]);
            if (put_array(self, call, call->array[i]) < 0) {
                return -1;
            }
            continue;
        }
        uint32_t code = call->code[i] = scalar_code(self, i, args[i], &value);
        if (code == 0) {
            return -1;
        }
        size_t bytes = (code & KIND) == IS_SCALAR ? gnp_dtypes[code >> DTYPE_SHIFT].bytes
                                                  : python_bytes[code & KIND];
        if (bytes != 0 && put(self, call, &value, bytes) < 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- finding the kernel ---------------------------------------------------------------------- */

/* Linear: kernels have few entries, and comparing codes is faster than hashing them. */
static Entry *
find(const Dispatch *self, const GnpDevice *device, const Call *call)
{
    for (int i = 0; i < self->nentries; i++) {
        Entry *e = self->entry[i];
        if (e->function->device == device && e->n == call->nargs &&
            memcmp(e->code, call->code, (size_t)e->n * sizeof *e->code) == 0) {
            return e;
        }
    }
    return NULL;
}

/* An argument's type as a tuple for Python: ("array", dtype, ndim, contiguous, small) or
 * ("float",). */
static PyObject *
describe(uint32_t code)
{
    static const char *const names[] = {
        [IS_NONE] = "none",     [IS_ARRAY] = "array", [IS_SCALAR] = "scalar",
        [IS_BOOL] = "bool",     [IS_INT32] = "int32", [IS_INT64] = "int64",
        [IS_UINT64] = "uint64", [IS_FLOAT] = "float", [IS_COMPLEX] = "complex"};
    uint32_t kind = code & KIND;
    /* Python's types are told by their name alone. */
    if (kind != IS_ARRAY && kind != IS_SCALAR) {
        return Py_BuildValue("(s)", names[kind]);
    }
    PyObject *dtype = gnp_dtype_object((GnpDtype)(code >> DTYPE_SHIFT & 255));
    if (dtype == NULL) {
        return NULL;
    }
    if (kind == IS_SCALAR) {
        return Py_BuildValue("(sO)", names[kind], dtype);
    }
    return Py_BuildValue("(sOiNN)", names[kind], dtype, (int)(code >> NDIM_SHIFT),
                         PyBool_FromLong(code & IS_CONTIGUOUS), PyBool_FromLong(code & IS_SMALL));
}

/* What `_compile` receives: one tuple per argument. */
static PyObject *
describe_all(const Call *call)
{
    PyObject *tuple = PyTuple_New(call->nargs); /* returned */
    for (int i = 0; tuple != NULL && i < call->nargs; i++) {
        PyObject *item = describe(call->code[i]);
        if (item == NULL) {
            Py_CLEAR(tuple);
            break;
        }
        PyTuple_SET_ITEM(tuple, i, item);
    }
    return tuple;
}

/* Calls Python for the kernel of these argument types and caches it. */
static Entry *
compile(Dispatch *self, const Call *call)
{
    PyObject *types = NULL, *made = NULL; /* owned */
    Entry *entry = NULL, *ret = NULL;     /* entry: owned */
    int cooperative;
    GNP_NEW(types, describe_all(call));
    GNP_NEW(made, PyObject_CallMethod((PyObject *)self, "_compile", "(O)", types));
    if (!PyTuple_Check(made) || PyTuple_GET_SIZE(made) != 2 ||
        !PyObject_TypeCheck(PyTuple_GET_ITEM(made, 0), gnp_function_type)) {
        PyErr_SetString(PyExc_TypeError, "_compile must give a Function and a bool");
        goto fail;
    }
    PyObject *function = PyTuple_GET_ITEM(made, 0);
    GNP_TRY(cooperative = PyObject_IsTrue(PyTuple_GET_ITEM(made, 1)));
    Entry **grown = PyMem_Realloc(self->entry, (size_t)(self->nentries + 1) * sizeof(Entry *));
    if (grown != NULL) {
        self->entry = grown;
        entry = PyMem_Malloc(sizeof *entry);
    }
    if (entry == NULL) {
        PyErr_NoMemory();
        goto fail;
    }
    entry->function = (GnpFunctionObject *)Py_NewRef(function);
    entry->cooperative = cooperative;
    entry->n = call->nargs;
    /* Compiling may have let another thread add the same entry: then the first one is found from
     * now on. */
    memcpy(entry->code, call->code, sizeof entry->code);
    ret = self->entry[self->nentries++] = entry;
fail:
    Py_XDECREF(types);
    Py_XDECREF(made);
    return ret;
}

/* ---- launching ------------------------------------------------------------------------------- */

/* An address of another device would fault in the kernel or read over the bus. */
static int
check_devices(const Dispatch *self, const Call *call, const GnpDevice *device)
{
    for (int i = 0; i < call->nargs; i++) {
        if (call->array[i] != NULL && call->array[i]->device_id != device->id) {
            int allowed = gnp_peer_guest(device, call->array[i]->block);
            if (allowed != 0) {
                GNP_TRY(allowed);
                continue;
            }
            PyErr_Format(PyExc_ValueError,
                         "argument %d of kernel %U: the array is on device %d, the launch on "
                         "device %d",
                         i, self->name, call->array[i]->device_id, device->id);
            return -1;
        }
    }
    return 0;
fail:
    return -1;
}

/* All arrays are recorded as used by the stream, which keeps their memory until then. */
static PyObject *
launch_with(Dispatch *self, GnpLaunchCall *how, PyObject *const *args, Py_ssize_t nargs)
{
    Call call;
    GnpLaunchShape shape;
    GnpDevice *device = gnp_device_current();
    if (device == NULL || read_arguments(self, &call, args, nargs) < 0 ||
        check_devices(self, &call, device) < 0) {
        return NULL;
    }
    Entry *entry = find(self, device, &call);
    if (GNP_UNLIKELY(entry == NULL)) {
        entry = compile(self, &call);
        if (entry == NULL) {
            return NULL;
        }
    }
    /* Known after compiling only: the code calls grid.sync() or does not. */
    how->cooperative = entry->cooperative;
    if (gnp_launch_shape_init(&shape, entry->function, how) < 0) {
        return NULL;
    }
    for (int i = 0; i < call.nargs; i++) {
        if (call.array[i] != NULL) {
            gnp_block_record(call.array[i]->block, shape.stream);
        }
    }
    if (gnp_launch_shape_run(&shape, entry->function, call.arg) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
launch(Dispatch *self, GnpLaunchCall *how, PyObject *const *args, Py_ssize_t nargs)
{
    const unsigned guests = gnp_peer_guests_begin();
    PyObject *ret = launch_with(self, how, args, nargs);
    gnp_peer_guests_end(guests);
    return ret;
}

/* The parameters have names, as those of a RawKernel have. */
static PyObject *
dispatch_vectorcall(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    static GnpSignature sig =
        GNP_SIGNATURE("rawkernel(grid, block, args, shared_mem=0, stream=None)");
    PyObject *given[5];
    if (gnp_args_bind(&sig, args, PyVectorcall_NARGS(nargsf), kwnames, given) < 0) {
        return NULL;
    }
    if (!PyTuple_Check(given[2]) && !PyList_Check(given[2])) {
        PyErr_Format(PyExc_TypeError, "args of kernel %U must be a tuple, not %.100s",
                     ((Dispatch *)object)->name, Py_TYPE(given[2])->tp_name);
        return NULL;
    }
    GnpLaunchCall how = {
        .grid = given[0], .block = given[1], .shared_mem = given[3], .stream = given[4]};
    /* compiling gives up the GIL, and the list may change meanwhile */
    PyObject *tuple = PySequence_Tuple(given[2]); /* owned */
    PyObject *ret = tuple == NULL ? NULL
                                  : launch((Dispatch *)object, &how, &PyTuple_GET_ITEM(tuple, 0),
                                           PyTuple_GET_SIZE(tuple));
    Py_XDECREF(tuple);
    return ret;
}

/* Kernels of CUDA have no parameter names that a caller could use. */
static PyObject *
configured_vectorcall(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    Configured *self = (Configured *)object;
    if (kwnames != NULL && PyTuple_GET_SIZE(kwnames) > 0) {
        PyErr_Format(PyExc_TypeError, "kernel %U takes no arguments by name", self->dispatch->name);
        return NULL;
    }
    Py_ssize_t n = PyTuple_GET_SIZE(self->key);
    GnpLaunchCall how = {.grid = PyTuple_GET_ITEM(self->key, 0),
                         .block = PyTuple_GET_ITEM(self->key, 1),
                         .shared_mem = n > 2 ? PyTuple_GET_ITEM(self->key, 2) : NULL,
                         .stream = n > 3 ? PyTuple_GET_ITEM(self->key, 3) : NULL};
    return launch(self->dispatch, &how, args, PyVectorcall_NARGS(nargsf));
}

/* ---- types ----------------------------------------------------------------------------------- */

static PyObject *
dispatch_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static GnpSignature sig = GNP_SIGNATURE("Dispatch(name)");
    PyObject *given[1];
    if (gnp_args_bind_call(&sig, args, kwargs, given) < 0) {
        return NULL;
    }
    if (!PyUnicode_Check(given[0])) {
        PyErr_SetString(PyExc_TypeError, "name must be a str");
        return NULL;
    }
    Dispatch *self = (Dispatch *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->name = Py_NewRef(given[0]);
        self->vectorcall = dispatch_vectorcall;
    }
    return (PyObject *)self;
}

static void
dispatch_dealloc(PyObject *object)
{
    Dispatch *self = (Dispatch *)object;
    PyTypeObject *type = Py_TYPE(object);
    for (int i = 0; i < self->nentries; i++) {
        Py_DECREF((PyObject *)self->entry[i]->function);
        PyMem_Free(self->entry[i]);
    }
    PyMem_Free(self->entry);
    Py_XDECREF(self->name);
    type->tp_free(object);
    Py_DECREF(type);
}

/* The syntax f[grid, block](...) of Numba, which CuPy accepts as well. */
static PyObject *
dispatch_subscript(PyObject *object, PyObject *key)
{
    Py_ssize_t n = PyTuple_Check(key) ? PyTuple_GET_SIZE(key) : 0;
    if (n < 2 || n > 4) {
        PyErr_Format(PyExc_ValueError,
                     "kernel %U is launched by f[grid, block](...) or f[grid, block, shared_mem, "
                     "stream](...)",
                     ((Dispatch *)object)->name);
        return NULL;
    }
    Configured *self = (Configured *)configured_type->tp_alloc(configured_type, 0);
    if (self != NULL) {
        self->dispatch = (Dispatch *)Py_NewRef(object);
        self->key = Py_NewRef(key);
        self->vectorcall = configured_vectorcall;
    }
    return (PyObject *)self;
}

static void
configured_dealloc(PyObject *object)
{
    Configured *self = (Configured *)object;
    PyTypeObject *type = Py_TYPE(object);
    Py_XDECREF((PyObject *)self->dispatch);
    Py_XDECREF(self->key);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyMemberDef dispatch_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Dispatch, vectorcall), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyMemberDef configured_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Configured, vectorcall), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot dispatch_slots[] = {
    {Py_tp_doc, GNP_DOC("Dispatch(name)\n--\n\n"
                        "A kernel for each list of argument types; a subclass compiles them.")},
    {Py_tp_new, dispatch_new},
    {Py_tp_dealloc, dispatch_dealloc},
    {Py_tp_call, PyVectorcall_Call},
    {Py_mp_subscript, dispatch_subscript},
    {Py_tp_members, dispatch_members},
    {0, NULL},
};

static PyType_Spec dispatch_spec = {
    .name = "gpunp._C.Dispatch",
    .basicsize = sizeof(Dispatch),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL,
    .slots = dispatch_slots,
};

static PyType_Slot configured_slots[] = {
    {Py_tp_doc, GNP_DOC("A kernel with its grid and block; calling it launches it.")},
    {Py_tp_dealloc, configured_dealloc},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_members, configured_members},
    {0, NULL},
};

static PyType_Spec configured_spec = {
    .name = "gpunp._C.ConfiguredKernel",
    .basicsize = sizeof(Configured),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = configured_slots,
};

int
gnp_dispatch_init(PyObject *module)
{
    dispatch_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &dispatch_spec, NULL);
    configured_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &configured_spec, NULL);
    return dispatch_type == NULL || configured_type == NULL
               ? -1
               : PyModule_AddType(module, dispatch_type);
}
