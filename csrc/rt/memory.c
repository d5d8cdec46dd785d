/* Blocks of device memory from any allocator, and the Python classes over them.
 *
 * The hot path takes from the device's default pool. Everything else (an allocator the user set,
 * memory hooks, empty and foreign blocks) is behind one test, of `special`.
 *
 * Reference counts of blocks are atomic, because views may be dropped where the GIL is not held in
 * free-threaded builds; everything else here needs the GIL. MemoryPointer and the public MemoryPool
 * are Python classes over these (gpunp.cuda.memory).
 */
#include "rt/internal.h"

#include <stdlib.h>
#include <string.h>
#include <structmember.h>

/* Allocators set (for all threads or one) and hooks entered, in any thread; guarded by the GIL. The
 * hot path tests this sum only. It counts each reason once, so that leaving the last hook or
 * allocator brings the fast path back. */
static int nspecial;

static PyTypeObject *base_type, *pooled_type, *pool_type;

/* ---- hooks ----------------------------------------------------------------------------------- */

/* `gnp_state.memory_hook` is one Python function, which calls the hooks that the thread has
 * entered. */
int
gnp_memory_hook(const char *when, int device_id, size_t bytes, size_t rounded, CUdeviceptr ptr,
                const void *block)
{
    if (GNP_LIKELY(gnp_thread.hooks == 0) || gnp_state.memory_hook == NULL) {
        return 0;
    }
    PyObject *result = PyObject_CallFunction(gnp_state.memory_hook, "sinnKn", when, device_id,
                                             (Py_ssize_t)bytes, (Py_ssize_t)rounded,
                                             (unsigned long long)ptr, (Py_ssize_t)(intptr_t)block);
    Py_XDECREF(result);
    return result != NULL ? 0 : -1;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

int gnp_work_is_exported = 0; /* guarded by the GIL */

/* Without a pool: freeing it drops the owner and touches no device memory. */
GnpBlock *
gnp_block_wrap(CUdeviceptr ptr, size_t bytes, int device_id, PyObject *owner)
{
    GnpBlock *block = calloc(1, sizeof *block);
    if (block == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    block->ptr = ptr;
    block->bytes = bytes;
    block->refcount = 1;
    block->device_id = device_id;
    block->owner = Py_XNewRef(owner);
    return block;
}

typedef struct {
    PyObject_HEAD GnpPool *pools[GNP_MAX_DEVICES]; /* made when first used */
    PyObject *allocator;                           /* for segments, or NULL */
    int is_default;                                /* then the pools are the devices' own */
} PoolObject;

/* The pool object's pool of a device; NULL with MemoryError. */
static GnpPool *
pool_of(PoolObject *self, GnpDevice *device)
{
    if (self->is_default) {
        return device->pool;
    }
    if (self->pools[device->id] == NULL) {
        self->pools[device->id] = gnp_pool_new(device);
        if (self->pools[device->id] == NULL) {
            PyErr_NoMemory();
            return NULL;
        }
        gnp_pool_set_allocator(self->pools[device->id], self->allocator);
    }
    return self->pools[device->id];
}

/* From a Python callable: size -> MemoryPointer. The pointer object owns the memory. The block
 * keeps the pointer object; the allocator gets its memory back when that is deallocated. */
static GnpBlock *
block_from_callable(PyObject *allocator, GnpDevice *device, size_t bytes)
{
    PyObject *pointer = NULL, *address = NULL; /* owned */
    GnpBlock *block = NULL;
    GNP_NEW(pointer, PyObject_CallFunction(allocator, "n", (Py_ssize_t)bytes));
    GNP_NEW(address, PyObject_GetAttrString(pointer, "ptr"));
    uint64_t value;
    if (gnp_uint64_from_object(address, "ptr", &value) == 0) {
        block = gnp_block_wrap(value, bytes, device->id, pointer);
    }
fail:
    Py_XDECREF(pointer);
    Py_XDECREF(address);
    return block;
}

/* The hook sees the block's address as an identity, to match the allocation with its release. */
static GnpBlock *
block_from_pool(GnpPool *pool, GnpDevice *device, size_t bytes, CUstream stream)
{
    size_t rounded = gnp_pool_rounded(bytes);
    if (gnp_memory_hook("malloc_preprocess", device->id, bytes, rounded, 0, NULL) < 0) {
        return NULL;
    }
    GnpBlock *block = gnp_pool_alloc(pool, bytes, stream);
    /* A hook that raises makes the allocation fail; its block is not leaked. */
    if (block != NULL &&
        gnp_memory_hook("malloc_postprocess", device->id, bytes, rounded, block->ptr, block) < 0) {
        gnp_pool_free(block);
        return NULL;
    }
    if (block != NULL) {
        block->is_exported = 1; /* to the hook, or to whoever asked for memory */
    }
    return block;
}

/* The thread's allocator (using_allocator) goes before the one for all threads (set_allocator). A
 * MemoryPool among them is used directly, without a Python call per allocation. */
static GnpBlock *
special(GnpDevice *device, size_t bytes, CUstream stream)
{
    PyObject *allocator = gnp_thread.allocator != NULL ? gnp_thread.allocator : gnp_state.allocator;
    GnpPool *pool = device->pool;
    if (bytes == 0) {
        return gnp_block_wrap(0, 0, device->id, NULL);
    }
    /* The call, or a hook, may replace the allocator, and so drop the last reference to it. */
    Py_XINCREF(allocator);
    GnpBlock *block = NULL;
    if (allocator != NULL && !PyObject_TypeCheck(allocator, pool_type)) {
        block = block_from_callable(allocator, device, bytes);
    }
    else {
        pool = allocator != NULL ? pool_of((PoolObject *)allocator, device) : pool;
        block = pool != NULL ? block_from_pool(pool, device, bytes, stream) : NULL;
    }
    Py_XDECREF(allocator);
    return block;
}

/* Every array's memory comes from here. */
GnpBlock *
gnp_block_new(GnpDevice *device, size_t bytes, CUstream stream)
{
    if (GNP_UNLIKELY(nspecial != 0 || bytes == 0)) {
        return special(device, bytes, stream);
    }
    return gnp_pool_alloc(device->pool, bytes, stream);
}

/* With hooks entered; a hook that raises is reported, since a free cannot fail. */
static void
free_with_hooks(GnpBlock *block)
{
    size_t rounded = gnp_pool_rounded(block->bytes);
    int device_id = block->device_id;
    CUdeviceptr ptr = block->ptr;
    PyObject *type, *value, *traceback;
    /* A release happens in the middle of error handling too: the pending exception is kept. */
    PyErr_Fetch(&type, &value, &traceback);
    if (gnp_memory_hook("free_preprocess", device_id, rounded, rounded, ptr, block) < 0) {
        PyErr_WriteUnraisable(NULL);
    }
    /* The struct may be in use again after the release; its address is only compared by the
     * hooks. */
    const void *identity = block;
    gnp_pool_free(block);
    if (gnp_memory_hook("free_postprocess", device_id, rounded, rounded, ptr, identity) < 0) {
        PyErr_WriteUnraisable(NULL);
    }
    PyErr_Restore(type, value, traceback);
}

/* Acquire and release order: whoever frees sees all that others did with the block before they
 * dropped it. */
void
gnp_block_release(GnpBlock *block)
{
    if (block == NULL || __atomic_sub_fetch(&block->refcount, 1, __ATOMIC_ACQ_REL) != 0) {
        return;
    }
    gnp_submissions++;
    if (GNP_LIKELY(block->pool != NULL)) {
        if (GNP_UNLIKELY(gnp_thread.hooks != 0)) {
            free_with_hooks(block);
            return;
        }
        gnp_pool_free(block);
        return;
    }
    /* Dropped last: the owner's destructor may run any code, also code that frees other blocks. */
    PyObject *owner = block->owner;
    free(block);
    Py_XDECREF(owner);
}

/* ---- BaseMemory and PooledMemory ------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD CUdeviceptr ptr;
    Py_ssize_t size;
    int device_id;
    GnpBlock *block; /* owned; of a PooledMemory */
    PyObject *weakrefs;
} MemoryObject;

/* BaseMemory may be subclassed in Python for memory of other sources, which sets `ptr` and `size`
 * itself. */
static PyObject *
memory_new(PyTypeObject *type, PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(kwargs))
{
    MemoryObject *self = (MemoryObject *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->device_id = gnp_thread.device_id;
    }
    return (PyObject *)self;
}

static void
memory_dealloc(PyObject *object)
{
    MemoryObject *self = (MemoryObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->weakrefs != NULL) {
        PyObject_ClearWeakRefs(object);
    }
    gnp_block_release(self->block);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyObject *
memory_int(PyObject *self)
{
    return PyLong_FromUnsignedLongLong(((MemoryObject *)self)->ptr);
}

static PyObject *
memory_get_device(PyObject *self, void *Py_UNUSED(closure))
{
    return gnp_device_object(((MemoryObject *)self)->device_id);
}

/* Only PooledMemory has it: frees the block before the object is deallocated. The fields are
 * cleared before the release, which may run Python code that looks at the object. */
static PyObject *
pooled_free(PyObject *object, PyObject *Py_UNUSED(noargs))
{
    MemoryObject *self = (MemoryObject *)object;
    GnpBlock *block = self->block;
    self->block = NULL;
    self->ptr = 0;
    self->size = 0;
    gnp_block_release(block);
    Py_RETURN_NONE;
}

static PyMethodDef pooled_methods[] = {
    {"free", pooled_free, METH_NOARGS,
     "free()\n--\n\n"
     "Return the memory to its pool.\n\n"
     "Returns\n-------\n"
     "None"},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef memory_members[] = {
    {"ptr", T_ULONGLONG, offsetof(MemoryObject, ptr), 0, "Address of the memory."},
    {"size", T_PYSSIZET, offsetof(MemoryObject, size), 0, "Size in bytes."},
    {"device_id", T_INT, offsetof(MemoryObject, device_id), 0, "Ordinal of the device."},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(MemoryObject, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef memory_getset[] = {
    {"device", memory_get_device, NULL, "Device that holds the memory.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot base_slots[] = {
    {Py_tp_doc, GNP_DOC("Memory on a device: `ptr`, `size` in bytes, `device_id` and `device`.")},
    {Py_tp_new, memory_new},
    {Py_tp_dealloc, memory_dealloc},
    {Py_tp_members, memory_members},
    {Py_tp_getset, memory_getset},
    {Py_nb_int, memory_int},
    {0, NULL},
};

static PyType_Spec base_spec = {
    .name = "gpunp.cuda.BaseMemory",
    .basicsize = sizeof(MemoryObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = base_slots,
};

static PyType_Slot pooled_slots[] = {
    {Py_tp_doc,
     GNP_DOC("Memory taken from a MemoryPool, which has it back when this object goes.")},
    {Py_tp_methods, pooled_methods},
    {0, NULL},
};

static PyType_Spec pooled_spec = {
    .name = "gpunp.cuda.PooledMemory",
    .basicsize = sizeof(MemoryObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = pooled_slots,
};

/* ---- MemoryPool ------------------------------------------------------------------------------ */

static PyObject *
pool_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static GnpSignature sig = GNP_SIGNATURE("MemoryPool(allocator=None)");
    PyObject *values[GNP_MAX_PARAMS];
    if (gnp_args_bind_call(&sig, args, kwargs, values) < 0) {
        return NULL;
    }
    if (values[0] != NULL && values[0] != Py_None && !PyCallable_Check(values[0])) {
        PyErr_SetString(PyExc_TypeError, "the allocator must be callable: size -> MemoryPointer");
        return NULL;
    }
    PoolObject *self = (PoolObject *)type->tp_alloc(type, 0);
    if (self != NULL && values[0] != Py_None) {
        self->allocator = Py_XNewRef(values[0]);
    }
    return (PyObject *)self;
}

/* Blocks of the pool may live on: gnp_pool_drop() defers until the last one has been freed. */
static void
pool_dealloc(PyObject *object)
{
    PoolObject *self = (PoolObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    for (int i = 0; i < GNP_MAX_DEVICES; i++) {
        if (self->pools[i] != NULL) {
            gnp_pool_drop(self->pools[i]);
        }
    }
    Py_XDECREF(self->allocator);
    type->tp_free(object);
    Py_DECREF(type);
}

/* The pool of the current device, which is opened for it; NULL with an exception. */
static GnpPool *
current_pool(PyObject *self)
{
    GnpDevice *device = gnp_device_current();
    return device != NULL ? pool_of((PoolObject *)self, device) : NULL;
}

/* The same without opening a device: NULL without an exception when nothing was used yet. For
 * statistics and trimming: asking an unused pool must not create a context. */
static GnpPool *
pool_if_used(PyObject *self)
{
    GnpDevice *device = gnp_device_if_open(gnp_thread.device_id);
    return device != NULL ? pool_of((PoolObject *)self, device) : NULL;
}

/* A PooledMemory, which has the caller's reference to the block. */
static PyObject *
pooled_memory(GNP_STEAL GnpBlock *block, size_t bytes)
{
    MemoryObject *memory = (MemoryObject *)pooled_type->tp_alloc(pooled_type, 0);
    if (memory == NULL) {
        gnp_block_release(block);
        return NULL;
    }
    memory->ptr = block->ptr;
    memory->size = (Py_ssize_t)bytes;
    memory->device_id = block->device_id;
    memory->block = block;
    return (PyObject *)memory;
}

PyObject *
gnp_block_memory(GnpBlock *block)
{
    if (block->pool != NULL) {
        return pooled_memory(gnp_block_retain(block), block->bytes);
    }
    PyObject *memory = NULL;
    if (block->owner != NULL) {
        memory = PyObject_GetAttrString(block->owner, "mem");
        if (memory == NULL && !PyErr_ExceptionMatches(PyExc_AttributeError)) {
            return NULL;
        }
        PyErr_Clear();
    }
    if (memory != NULL && !PyObject_TypeCheck(memory, base_type)) {
        Py_CLEAR(memory);
    }
    return memory != NULL ? memory : Py_NewRef(Py_None);
}

/* Zero bytes give an object without memory, as cudaMalloc does. */
static PyObject *
pool_malloc(PyObject *self, PyObject *size)
{
    GnpDevice *device = gnp_device_current();
    GnpPool *pool = device != NULL ? pool_of((PoolObject *)self, device) : NULL;
    GnpBlock *block = NULL; /* owned */
    int64_t bytes;
    if (pool == NULL || gnp_size_from_object(size, "size", &bytes) < 0) {
        return NULL;
    }
    if (bytes == 0) {
        GNP_NEW(block, gnp_block_wrap(0, 0, device->id, NULL));
    }
    else {
        GNP_NEW(block, block_from_pool(pool, device, (size_t)bytes, gnp_stream_current(device)));
    }
    return pooled_memory(block, gnp_pool_rounded((size_t)bytes));
fail:
    return NULL;
}

/* The stream is read only when the device is open, since it is the device's. */
static PyObject *
pool_free_all_blocks(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature sig = GNP_SIGNATURE("free_all_blocks(stream=None)");
    PyObject *values[GNP_MAX_PARAMS];
    CUstream stream = NULL;
    if (gnp_args_bind(&sig, args, nargs, kwnames, values) < 0) {
        return NULL;
    }
    GnpPool *pool = pool_if_used(self);
    if (pool != NULL) {
        int only = values[0] != NULL && values[0] != Py_None;
        if (only && gnp_stream_from_object(values[0], gnp_device_current(), &stream) < 0) {
            return NULL;
        }
        gnp_pool_trim(pool, only, stream);
    }
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static void
stats_of(PyObject *self, GnpPoolStats *out)
{
    GnpPool *pool = pool_if_used(self);
    *out = (GnpPoolStats){0};
    if (pool != NULL) {
        gnp_pool_stats(pool, out);
    }
}

/* One method per number of GnpPoolStats; the names are CuPy's. */
#define POOL_NUMBER(name, expression)                                                              \
    static PyObject *pool_##name(PyObject *self, PyObject *Py_UNUSED(noargs))                      \
    {                                                                                              \
        GnpPoolStats stats;                                                                        \
        stats_of(self, &stats);                                                                    \
        return PyLong_FromSize_t(expression);                                                      \
    }
POOL_NUMBER(used_bytes, stats.used_bytes)
POOL_NUMBER(total_bytes, stats.total_bytes)
POOL_NUMBER(free_bytes, stats.total_bytes - stats.used_bytes)
POOL_NUMBER(peak_bytes, stats.peak_bytes)
POOL_NUMBER(n_free_blocks, stats.free_blocks)
POOL_NUMBER(get_limit, stats.limit_bytes)

/* A limit below what is in use is accepted: it stops growth only. */
static PyObject *
pool_set_limit(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature sig = GNP_SIGNATURE("set_limit(size=None, fraction=None)");
    PyObject *values[GNP_MAX_PARAMS];
    if (gnp_args_bind(&sig, args, nargs, kwnames, values) < 0) {
        return NULL;
    }
    int has_size = values[0] != NULL && values[0] != Py_None;
    int has_fraction = values[1] != NULL && values[1] != Py_None;
    if (has_size && has_fraction) {
        PyErr_SetString(PyExc_ValueError, "size and fraction exclude each other");
        return NULL;
    }
    GnpPool *pool = current_pool(self);
    if (pool == NULL) {
        return NULL;
    }
    int64_t bytes = 0;
    if (has_size) {
        (void)gnp_size_from_object(values[0], "size", &bytes);
    }
    else if (has_fraction) {
        double fraction = PyFloat_AsDouble(values[1]);
        if (!(fraction >= 0 && fraction <= 1) && !PyErr_Occurred()) {
            PyErr_Format(PyExc_ValueError, "fraction must lie between 0 and 1, not %R", values[1]);
        }
        if (!PyErr_Occurred()) {
            /* A fraction of all memory of the device, not of what is free now. */
            bytes = (int64_t)(fraction * (double)gnp_device_current()->total_bytes);
        }
    }
    if (PyErr_Occurred()) {
        return NULL;
    }
    gnp_pool_set_limit(pool, (size_t)bytes);
    Py_RETURN_NONE;
}

/* The class whose `malloc` wraps PooledMemory in a MemoryPointer is written in Python
 * (gpunp.cuda.memory); it calls this for the instance that represents the devices' own pools. */
static PyObject *
make_default(PyObject *self, PyObject *Py_UNUSED(noargs))
{
    ((PoolObject *)self)->is_default = 1;
    Py_XSETREF(gnp_state.default_pool, Py_NewRef(self));
    Py_RETURN_NONE;
}

static PyMethodDef pool_methods[] = {
    {"_make_default", make_default, METH_NOARGS, NULL},
    {"_malloc", pool_malloc, METH_O,
     "_malloc(size)\n--\n\n"
     "Return the memory object of a new block."},
    {"free_all_blocks", GNP_FAST(pool_free_all_blocks), METH_FASTCALL | METH_KEYWORDS,
     "free_all_blocks(stream=None)\n--\n\n"
     "Release unused memory to the device.\n\n"
     "Parameters\n----------\n"
     "stream : Stream, optional\n"
     "    Stream whose free blocks are released. By default those of all streams, which\n"
     "    waits for the device.\n\n"
     "Returns\n-------\n"
     "None"},
    {"n_free_blocks", pool_n_free_blocks, METH_NOARGS,
     "n_free_blocks()\n--\n\n"
     "Return the number of free chunks in the pool.\n\n"
     "Returns\n-------\n"
     "int\n    Number of chunks."},
    {"used_bytes", pool_used_bytes, METH_NOARGS,
     "used_bytes()\n--\n\n"
     "Return the number of bytes in use; each block is rounded up to 512.\n\n"
     "Returns\n-------\n"
     "int\n    Size in bytes."},
    {"free_bytes", pool_free_bytes, METH_NOARGS,
     "free_bytes()\n--\n\n"
     "Return the number of bytes that the pool holds and that are not in use.\n\n"
     "Returns\n-------\n"
     "int\n    Size in bytes."},
    {"total_bytes", pool_total_bytes, METH_NOARGS,
     "total_bytes()\n--\n\n"
     "Return the number of bytes that the pool has allocated from the device.\n\n"
     "Returns\n-------\n"
     "int\n    Size in bytes."},
    {"peak_bytes", pool_peak_bytes, METH_NOARGS,
     "peak_bytes()\n--\n\n"
     "Return the largest number of bytes that were in use at one time.\n\n"
     "Returns\n-------\n"
     "int\n    Size in bytes."},
    {"set_limit", GNP_FAST(pool_set_limit), METH_FASTCALL | METH_KEYWORDS,
     "set_limit(size=None, fraction=None)\n--\n\n"
     "Limit the memory that the pool allocates from the current device.\n\n"
     "Parameters\n----------\n"
     "size : int, optional\n    Limit in bytes; 0 means no limit.\n"
     "fraction : float, optional\n"
     "    Limit as a fraction of the device's memory, instead of `size`.\n\n"
     "Returns\n-------\n"
     "None"},
    {"get_limit", pool_get_limit, METH_NOARGS,
     "get_limit()\n--\n\n"
     "Return the limit for the current device in bytes.\n\n"
     "Returns\n-------\n"
     "int\n    Limit in bytes; 0 means no limit."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot pool_slots[] = {
    {Py_tp_doc, GNP_DOC("A pool of device memory, per device and stream.")},
    {Py_tp_new, pool_new},
    {Py_tp_dealloc, pool_dealloc},
    {Py_tp_methods, pool_methods},
    {0, NULL},
};

static PyType_Spec pool_spec = {
    .name = "gpunp._C.MemoryPool",
    .basicsize = sizeof(PoolObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = pool_slots,
};

/* ---- functions ------------------------------------------------------------------------------- */

/* None for the default pool. The old one is dropped last, when the slot and the count are
 * consistent: its destructor may allocate. */
static void
replace_allocator(PyObject **slot, PyObject *allocator)
{
    PyObject *old = *slot;
    *slot = allocator == Py_None ? NULL : Py_NewRef(allocator);
    nspecial += (*slot != NULL) - (old != NULL);
    Py_XDECREF(old);
}

static PyObject *
set_allocator(PyObject *Py_UNUSED(module), PyObject *allocator)
{
    replace_allocator(&gnp_state.allocator, allocator);
    Py_RETURN_NONE;
}

static PyObject *
set_thread_allocator(PyObject *Py_UNUSED(module), PyObject *allocator)
{
    replace_allocator(&gnp_thread.allocator, allocator);
    Py_RETURN_NONE;
}

static PyObject *
set_memory_hook(PyObject *Py_UNUSED(module), PyObject *function)
{
    Py_XSETREF(gnp_state.memory_hook, Py_NewRef(function));
    Py_RETURN_NONE;
}

/* Python's `with hook:` keeps the list; C only needs to know whether it is empty. */
static PyObject *
count_memory_hooks(PyObject *Py_UNUSED(module), PyObject *object)
{
    unsigned count;
    if (gnp_unsigned_from_object(object, "count", &count) < 0) {
        return NULL;
    }
    nspecial += (int)count - gnp_thread.hooks;
    gnp_thread.hooks = (int)count;
    Py_RETURN_NONE;
}

/* Names defined in Python that C code looks up in the module: importing gpunp.cuda adds them. */
static PyObject *
module_getattr(PyObject *module, PyObject *name)
{
    const char *text = PyUnicode_AsUTF8(name);
    if (text == NULL) {
        return NULL;
    }
    if (strcmp(text, "MemoryPointer") == 0 || strcmp(text, "UnownedMemory") == 0) {
        PyObject *package = PyImport_ImportModule("gpunp.cuda");
        PyObject *dict = package != NULL ? PyModule_GetDict(module) : NULL; /* borrowed */
        PyObject *value = dict != NULL ? PyDict_GetItemWithError(dict, name) : NULL;
        Py_XDECREF(package);
        if (value != NULL || PyErr_Occurred()) {
            return Py_XNewRef(value);
        }
    }
    PyErr_Format(PyExc_AttributeError, "module 'gpunp._C' has no attribute '%U'", name);
    return NULL;
}

/* Frees driver memory from a destructor, where errors cannot be raised. For __del__ of MemoryAsync
 * and the like: the device is whichever it was allocated on, and may be closed already. */
static PyObject *
release_memory(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    uint64_t ptr;
    int device_id, is_async = nargs == 3 && args[2] != Py_None;
    void *stream = NULL;
    if (nargs != 3) {
        PyErr_SetString(PyExc_TypeError, "_release_memory takes three arguments");
        return NULL;
    }
    if (gnp_uint64_from_object(args[0], "ptr", &ptr) < 0 ||
        gnp_int_from_object(args[1], "device_id", &device_id) < 0 ||
        (is_async && gnp_pointer_from_object(args[2], "stream", &stream) < 0)) {
        return NULL;
    }
    GnpDevice *device = gnp_device_if_open(device_id);
    if (ptr != 0 && device != NULL && !gnp_is_closing()) {
        CUcontext before = NULL;
        CUresult code = 0;
        CU_DROP(cuCtxGetCurrent(&before));
        CU_DROP(cuCtxSetCurrent(device->context));
        if (is_async) {
            CU_DROP_QUEUE(cuMemFreeAsync(ptr, stream));
        }
        else {
            CU_WAIT(code, cuMemFree_v2(ptr));
            gnp_cuda_drop(code, "cuMemFree_v2(ptr)", __func__);
        }
        CU_DROP(cuCtxSetCurrent(before));
    }
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"_release_memory", GNP_FAST(release_memory), METH_FASTCALL,
     "_release_memory(ptr, device_id, stream)\n--\n\nFree; no stream: not stream-ordered."},
    {"__getattr__", module_getattr, METH_O, NULL},
    {"_set_allocator", set_allocator, METH_O, NULL},
    {"_set_thread_allocator", set_thread_allocator, METH_O, NULL},
    {"_set_memory_hook", set_memory_hook, METH_O, NULL},
    {"_count_memory_hooks", count_memory_hooks, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

int
gnp_memory_init(PyObject *module)
{
    GNP_NEW(base_type, (PyTypeObject *)PyType_FromModuleAndSpec(module, &base_spec, NULL));
    GNP_NEW(pooled_type,
            (PyTypeObject *)PyType_FromModuleAndSpec(module, &pooled_spec, (PyObject *)base_type));
    GNP_NEW(pool_type, (PyTypeObject *)PyType_FromModuleAndSpec(module, &pool_spec, NULL));
    GNP_TRY(PyModule_AddType(module, base_type));
    GNP_TRY(PyModule_AddType(module, pooled_type));
    GNP_TRY(PyModule_AddType(module, pool_type));
    return PyModule_AddFunctions(module, functions);
fail:
    return -1;
}
