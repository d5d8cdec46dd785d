/* DLPack 1.3: both directions, legacy and versioned capsules.
 *
 * The structures are declared here after the published header; a test compares them with it where
 * it is installed.
 *
 * Lifetimes: an exported tensor owns a reference to the array; the consumer calls the deleter, from
 * any thread. An imported tensor is owned by a capsule that is the base of the array. A capsule is
 * consumed by renaming it, so that its own destructor then does nothing.
 *
 * Streams: the consumer passes its stream, and the producer makes it wait for its own work by an
 * event, so no side waits on the host. https://dmlc.github.io/dlpack/latest/python_spec.html has
 * the rules.
 */
#include "core/core_internal.h"

#include <string.h>

static const char legacy_name[] = "dltensor";
static const char legacy_used[] = "used_dltensor";
static const char versioned_name[] = "dltensor_versioned";
static const char versioned_used[] = "used_dltensor_versioned";
static const char owner_name[] = "gpunp.dlpack_owner";

/* ---- export ---------------------------------------------------------------------------------- */

/* One allocation per export: the struct the consumer sees, and what it points to. */
typedef struct {
    union {
        DLManagedTensor legacy;
        DLManagedTensorVersioned versioned;
    } tensor;
    GnpArray *array;   /* owned */
    int64_t numbers[]; /* shape[ndim], strides[ndim] in elements */
} Export;

/* After the interpreter's end the reference cannot be dropped: the process ends anyway. */
static void
release_export(void *manager)
{
    Export *e = manager;
    if (Py_IsInitialized()) { /* consumers may come from any thread, or after the end */
        PyGILState_STATE state = PyGILState_Ensure();
        Py_DECREF((PyObject *)e->array);
        PyGILState_Release(state);
    }
    PyMem_RawFree(e);
}

/* The deleter gets the tensor, which is the first member of the Export. */
static void
delete_legacy(DLManagedTensor *t)
{
    release_export(t->manager_ctx);
}

/* The same for the other struct. */
static void
delete_versioned(DLManagedTensorVersioned *t)
{
    release_export(t->manager_ctx);
}

/* DLPack counts strides in elements, so views of packed records cannot be described. Units of time
 * have no type code. */
int
gnp_dlpack_fill(GnpArray *a, DLTensor *t, int64_t *numbers)
{
    int64_t itemsize = gnp_itemsize(a);
    for (int i = 0; i < a->ndim; i++) {
        int64_t stride = gnp_strides(a)[i];
        if (stride % itemsize != 0) {
            if (gnp_shape(a)[i] > 1) {
                PyErr_SetString(PyExc_BufferError,
                                "DLPack: the strides are no multiples of the item size");
                return -1;
            }
            stride = itemsize; /* never used: length 1 */
        }
        numbers[i] = gnp_shape(a)[i];
        numbers[a->ndim + i] = stride / itemsize;
    }
    if (!gnp_is_number(a->dtype)) {
        PyErr_Format(PyExc_BufferError,
                     "DLPack only supports signed/unsigned integers, float and "
                     "complex dtypes, not %s",
                     gnp_dtypes[a->dtype].name);
        return -1;
    }
    a->block->is_exported = 1;
    *t = (DLTensor){
        .data = (void *)(uintptr_t)(a->size == 0 ? 0 : a->data),
        .device = {kDLCUDA, a->device_id},
        .ndim = a->ndim,
        .dtype = {gnp_dtypes[a->dtype].dl_code, (uint8_t)(itemsize * 8), 1},
        .shape = numbers,
        .strides = numbers + a->ndim,
        .byte_offset = 0,
    };
    return 0;
}

/* Raw memory, as the deleter may run without the GIL or after the interpreter. */
static Export *
new_export(GnpArray *a)
{
    Export *e = PyMem_RawMalloc(sizeof *e + 2 * (size_t)a->ndim * sizeof *e->numbers);
    if (e == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    e->array = (GnpArray *)Py_NewRef((PyObject *)a);
    return e;
}

/* For failures before the capsule exists; the GIL is held here. */
static void
drop_export(Export *e)
{
    Py_DECREF((PyObject *)e->array);
    PyMem_RawFree(e);
}

/* Also for the C exchange table, whose callers use no capsules. The version is that of the
 * header after which the structs are declared. */
DLManagedTensorVersioned *
gnp_dlpack_new_versioned(GnpArray *a, int copied)
{
    Export *e = new_export(a);
    if (e == NULL) {
        return NULL;
    }
    DLManagedTensorVersioned *t = &e->tensor.versioned;
    if (gnp_dlpack_fill(a, &t->dl_tensor, e->numbers) < 0) {
        drop_export(e);
        return NULL;
    }
    t->version = (DLPackVersion){1, 3};
    t->manager_ctx = e;
    t->deleter = delete_versioned;
    /* Flags exist in the versioned struct only. */
    t->flags = (a->flags & GNP_WRITEABLE ? 0 : DLPACK_FLAG_READ_ONLY) |
               (copied ? DLPACK_FLAG_IS_COPIED : 0);
    return t;
}

/* The legacy struct has no flags: a consumer could write to what must not be written. */
static DLManagedTensor *
new_legacy(GnpArray *a)
{
    if (!(a->flags & GNP_WRITEABLE)) {
        PyErr_SetString(PyExc_BufferError,
                        "DLPack: a read-only array needs a consumer of version 1");
        return NULL;
    }
    Export *e = new_export(a);
    if (e == NULL) {
        return NULL;
    }
    DLManagedTensor *t = &e->tensor.legacy;
    if (gnp_dlpack_fill(a, &t->dl_tensor, e->numbers) < 0) {
        drop_export(e);
        return NULL;
    }
    t->manager_ctx = e;
    t->deleter = delete_legacy;
    return t;
}

/* The destructor of both: acts only when nobody consumed the capsule. A capsule that was consumed
 * has another name, and its tensor another owner. */
static void
capsule_destructor(PyObject *capsule)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (PyCapsule_IsValid(capsule, versioned_name)) {
        DLManagedTensorVersioned *t = PyCapsule_GetPointer(capsule, versioned_name);
        t->deleter(t);
    }
    else if (PyCapsule_IsValid(capsule, legacy_name)) {
        DLManagedTensor *t = PyCapsule_GetPointer(capsule, legacy_name);
        t->deleter(t);
    }
    PyErr_Restore(type, value, trace);
}

/* On failure the tensor is released at once, as no capsule owns it. */
static PyObject *
new_capsule(GnpArray *a, int versioned, int copied)
{
    PyObject *capsule;
    if (versioned) {
        DLManagedTensorVersioned *t = gnp_dlpack_new_versioned(a, copied);
        capsule = t == NULL ? NULL : PyCapsule_New(t, versioned_name, capsule_destructor);
        if (t != NULL && capsule == NULL) {
            t->deleter(t);
        }
        return capsule;
    }
    DLManagedTensor *t = new_legacy(a);
    capsule = t == NULL ? NULL : PyCapsule_New(t, legacy_name, capsule_destructor);
    if (t != NULL && capsule == NULL) {
        t->deleter(t);
    }
    return capsule;
}

/* Makes the consumer's stream wait for this thread's work on the array. An event recorded in our
 * stream, for which the consumer's waits: no wait on the host. None means the legacy stream, by the
 * protocol. */
static int
order_consumer(GnpArray *a, PyObject *stream)
{
    CUstream consumer = CU_STREAM_LEGACY;
    if (stream != NULL && stream != Py_None) {
        if (!PyLong_Check(stream)) {
            PyErr_SetString(PyExc_TypeError, "stream must be None or an int");
            return -1;
        }
        long long value = PyLong_AsLongLong(stream);
        if (value == -1 && PyErr_Occurred()) {
            return -1;
        }
        if (value == -1) {
            return 0; /* the consumer orders its own work */
        }
        if (value == 0 || value < -1) {
            PyErr_SetString(PyExc_ValueError, value == 0 ? "stream 0 is disallowed: it is ambiguous"
                                                         : "stream must be -1 or a stream handle");
            return -1;
        }
        consumer = (CUstream)(uintptr_t)value;
    }
    int previous;
    if (gnp_array_enter(a, &previous) < 0) {
        return -1;
    }
    const GnpDevice *device = gnp_device_get(a->device_id);
    int status = device == NULL ? -1 : gnp_stream_order(gnp_stream_current(device), consumer);
    gnp_array_leave(a, previous);
    if (status < 0) {
        return -1;
    }
    if ((uintptr_t)consumer <= 2) { /* default streams outlive the block; others may not */
        gnp_block_record(a->block, consumer == CU_STREAM_LEGACY ? NULL : consumer);
    }
    return 0;
}

/* (major, minor) or None; -1 on nonsense, else major. 0 asks for the legacy struct, which producers
 * and consumers before version 1 use. */
static long
major_of(PyObject *max_version)
{
    if (max_version == NULL || max_version == Py_None) {
        return 0;
    }
    if (!PyTuple_Check(max_version) || PyTuple_GET_SIZE(max_version) != 2) {
        PyErr_SetString(PyExc_TypeError, "max_version must be None or a tuple (major, minor)");
        return -1;
    }
    int major;
    if (gnp_int_from_object(PyTuple_GET_ITEM(max_version, 0), "max_version", &major) < 0) {
        return -1;
    }
    return major < 0 ? 0 : major;
}

/* Numbers of any size may come from another library, so they are checked to fit an int. */
static int
read_device_pair(PyObject *pair, int *type, int *id)
{
    if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) {
        PyErr_SetString(PyExc_TypeError, "a DLPack device is a tuple (type, id)");
        return -1;
    }
    int64_t t, i;
    if (gnp_int64_from_object(PyTuple_GET_ITEM(pair, 0), "a DLPack device's type", &t) < 0 ||
        gnp_int64_from_object(PyTuple_GET_ITEM(pair, 1), "a DLPack device's id", &i) < 0) {
        return -1;
    }
    if (t < 0 || t > INT32_MAX || i < 0 || i > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "a DLPack device out of range");
        return -1;
    }
    *type = (int)t;
    *id = (int)i;
    return 0;
}

/* NumPy exports no bfloat16, so its bits were exported as integers: the capsule, which is new and
 * nobody else's, says what they are. */
static int
say_bfloat16(PyObject *capsule)
{
    const int versioned = PyCapsule_IsValid(capsule, versioned_name);
    void *t = PyCapsule_GetPointer(capsule, versioned ? versioned_name : legacy_name);
    if (t == NULL) {
        return -1;
    }
    DLTensor *tensor = versioned ? &((DLManagedTensorVersioned *)t)->dl_tensor
                                 : &((DLManagedTensor *)t)->dl_tensor;
    tensor->dtype.code = gnp_dtypes[GNP_BF16].dl_code;
    return 0;
}

/* A NumPy copy's capsule, for consumers on the host. The copy waits for the device, so the host's
 * consumer needs no ordering. */
static PyObject *
export_to_host(GnpArray *a, PyObject *stream, PyObject *max_version)
{
    if (stream != NULL && stream != Py_None) {
        PyErr_SetString(PyExc_ValueError, "stream must be None for an export to the host");
        return NULL;
    }
    PyObject *host = gnp_array_to_numpy(a, 'A');
    if (host != NULL && a->dtype == GNP_BF16) {
        Py_SETREF(host, PyObject_CallMethod(host, "view", "s", "i2"));
    }
    PyObject *method = host == NULL ? NULL : PyObject_GetAttr(host, gnp_state.str___dlpack__);
    PyObject *none = PyTuple_New(0);
    PyObject *keywords = PyDict_New();
    PyObject *ret = NULL;
    if (method != NULL && none != NULL && keywords != NULL &&
        (max_version == NULL || PyDict_SetItemString(keywords, "max_version", max_version) == 0)) {
        ret = PyObject_Call(method, none, keywords);
        if (ret == NULL && max_version != NULL && PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Clear(); /* NumPy 2.0 has no such argument */
            ret = PyObject_Call(method, none, NULL);
        }
    }
    if (ret != NULL && a->dtype == GNP_BF16 && say_bfloat16(ret) < 0) {
        Py_CLEAR(ret);
    }
    Py_XDECREF(host);
    Py_XDECREF(method);
    Py_XDECREF(none);
    Py_XDECREF(keywords);
    return ret;
}

/* copy=None shares the memory whenever that is possible, as the array API standard says. */
static PyObject *
array_dlpack(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature =
        GNP_SIGNATURE("__dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None)");
    GnpArray *a = (GnpArray *)self;
    GnpArray *source = NULL; /* owned */
    PyObject *given[4];
    PyObject *ret = NULL;
    int type = kDLCUDA, id = a->device_id, copy = -1;

    if (gnp_args_bind(&signature, args, nargs, kwnames, given) < 0) {
        return NULL;
    }
    long major = major_of(given[1]);
    if (major < 0 ||
        (given[2] != NULL && given[2] != Py_None && read_device_pair(given[2], &type, &id) < 0)) {
        return NULL;
    }
    if (given[3] != NULL && given[3] != Py_None && (copy = PyObject_IsTrue(given[3])) < 0) {
        return NULL;
    }
    /* The consumer asked for host memory, which is a copy of this array. */
    if (type == kDLCPU) {
        if (copy == 0) {
            PyErr_SetString(PyExc_BufferError, "an export to the host needs a copy");
            return NULL;
        }
        return export_to_host(a, given[0], given[1]);
    }
    /* No move to another device: the consumer can ask for it with to_device(). */
    if (type != kDLCUDA || id != a->device_id) {
        PyErr_Format(PyExc_BufferError, "the array is on CUDA device %d, not on device (%d, %d)",
                     a->device_id, type, id);
        return NULL;
    }
    GNP_NEW(source, copy == 1 ? gnp_array_copy(a, 'A') : (GnpArray *)Py_NewRef(self));
    GNP_TRY(order_consumer(source, given[0]));
    ret = new_capsule(source, major >= 1, copy == 1);
fail:
    Py_XDECREF((PyObject *)source);
    return ret;
}

/* No wait and no allocation, as consumers ask this first. */
static PyObject *
array_dlpack_device(PyObject *self, PyObject *Py_UNUSED(noargs))
{
    return Py_BuildValue("(ii)", kDLCUDA, ((GnpArray *)self)->device_id);
}

/* CuPy's method, without an argument for the stream: the consumer orders its own work. */
static PyObject *
array_toDlpack(PyObject *self, PyObject *Py_UNUSED(noargs))
{
    return new_capsule((GnpArray *)self, 0, 0);
}

/* ---- import ---------------------------------------------------------------------------------- */

/* Numbers of other vendors' devices are returned as they are; callers decide. */
int
gnp_dlpack_device(PyObject *object, int *type, int *id)
{
    PyObject *pair = PyObject_CallMethodNoArgs(object, gnp_state.str___dlpack_device__);
    PyObject *plain = NULL;
    int status = -1;
    if (pair != NULL && PyTuple_Check(pair) && PyTuple_GET_SIZE(pair) == 2) {
        plain = Py_NewRef(pair);
    }
    else if (pair != NULL) {
        PyErr_SetString(PyExc_TypeError, "__dlpack_device__ must return a tuple (type, id)");
    }
    if (plain != NULL) {
        status = read_device_pair(plain, type, id);
    }
    Py_XDECREF(pair);
    Py_XDECREF(plain);
    return status;
}

/* Linear: there are few dtypes. Vectors of several lanes have no dtype here. */
GnpDtype
gnp_dlpack_dtype(DLDataType type)
{
    for (int i = 0; i < GNP_NDTYPES; i++) {
        if (i != GNP_TIME && gnp_dtypes[i].dl_code == type.code &&
            gnp_dtypes[i].bytes * 8 == type.bits && type.lanes == 1) {
            return (GnpDtype)i;
        }
    }
    return GNP_NO_DTYPE;
}

/* Reads the tensor; no memory of it is touched. The tensor comes from any library: every number in
 * it is checked before it is used. */
static int
read_tensor(const DLTensor *t, Foreign *f)
{
    if (t->ndim < 0 || t->ndim > GNP_MAX_DIMS || (t->ndim > 0 && t->shape == NULL)) {
        PyErr_SetString(PyExc_BufferError, "DLPack: a bad number of dimensions");
        return -1;
    }
    f->dtype = gnp_dlpack_dtype(t->dtype);
    if (f->dtype == GNP_NO_DTYPE) {
        PyErr_Format(PyExc_BufferError,
                     "DLPack: type code %d of %d bits and %d lanes is not supported", t->dtype.code,
                     t->dtype.bits, t->dtype.lanes);
        return -1;
    }
    if (t->device.device_type != kDLCUDA && t->device.device_type != kDLCUDAManaged) {
        PyErr_Format(PyExc_BufferError, "DLPack: device type %d is not CUDA",
                     t->device.device_type);
        return -1;
    }
    if (t->device.device_id < 0) {
        PyErr_Format(PyExc_BufferError, "DLPack: no device %d", t->device.device_id);
        return -1;
    }
    /* The id of managed memory says nothing of where it is; the driver is asked by the address. */
    f->device_id = t->device.device_type == kDLCUDA ? t->device.device_id : -1;
    f->ndim = t->ndim;
    f->data = (CUdeviceptr)(uintptr_t)t->data + t->byte_offset;
    /* An offset from nothing, or beyond the address space, is no address. */
    if (t->data == NULL || f->data < t->byte_offset) {
        f->data = 0;
    }
    for (int i = 0; i < t->ndim; i++) {
        f->shape[i] = t->shape[i];
    }
    /* No strides mean C order. */
    f->has_strides = t->strides != NULL && t->ndim > 0;
    for (int i = 0; i < t->ndim && f->has_strides; i++) {
        if (__builtin_mul_overflow(t->strides[i], gnp_dtypes[f->dtype].bytes, &f->strides[i])) {
            PyErr_SetString(PyExc_BufferError, "DLPack: a stride is out of range");
            return -1;
        }
    }
    return 0;
}

/* A deleter may be any code, Python included: a pending exception must survive it. */
static void
owner_destructor(PyObject *owner)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    void *tensor = PyCapsule_GetPointer(owner, owner_name);
    if (PyCapsule_GetContext(owner) != NULL) {
        DLManagedTensorVersioned *t = tensor;
        if (t->deleter != NULL) {
            t->deleter(t);
        }
    }
    else {
        DLManagedTensor *t = tensor;
        if (t->deleter != NULL) {
            t->deleter(t);
        }
    }
    PyErr_Restore(type, value, trace);
}

/* An object that owns a tensor and calls its deleter when it is deallocated. */
static PyObject *
new_owner(void *tensor, int versioned)
{
    PyObject *owner = PyCapsule_New(tensor, owner_name, NULL);
    if (owner != NULL && (PyCapsule_SetContext(owner, versioned ? tensor : NULL) < 0 ||
                          PyCapsule_SetDestructor(owner, owner_destructor) < 0)) {
        Py_CLEAR(owner);
    }
    return owner;
}

/* What is wrong with the description raises BufferError, as the protocol wants it. */
static GnpArray *
array_over(const DLTensor *tensor, int read_only, PyObject *owner)
{
    Foreign f = {.protocol = "DLPack", .error = PyExc_BufferError, .device_id = -1};
    f.read_only = read_only;
    return read_tensor(tensor, &f) < 0 ? NULL : gnp_foreign_array(&f, owner);
}

/* The fields of another major version may lie elsewhere, the deleter does not. */
static int
check_version(const DLManagedTensorVersioned *t)
{
    if (t->version.major != 1) { /* only the deleter may be used then */
        PyErr_Format(PyExc_BufferError, "DLPack version %u is not supported", t->version.major);
        return -1;
    }
    return 0;
}

GnpArray *
gnp_dlpack_take(GNP_STEAL DLManagedTensorVersioned *t)
{
    GnpArray *a = NULL;
    PyObject *owner = new_owner(t, 1);
    if (owner == NULL) {
        if (t->deleter != NULL) {
            t->deleter(t);
        }
        return NULL;
    }
    if (check_version(t) == 0) {
        a = array_over(&t->dl_tensor, (t->flags & DLPACK_FLAG_READ_ONLY) != 0, owner);
    }
    Py_DECREF(owner);
    return a;
}

/* Renaming the capsule hands its tensor over: the capsule's destructor does nothing then
 * (DLPack, "Python Specification"). */
GnpArray *
gnp_dlpack_from_capsule(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, versioned_name)) {
        DLManagedTensorVersioned *t = PyCapsule_GetPointer(capsule, versioned_name);
        return PyCapsule_SetName(capsule, versioned_used) < 0 ? NULL : gnp_dlpack_take(t);
    }
    if (PyCapsule_IsValid(capsule, legacy_name)) {
        DLManagedTensor *t = PyCapsule_GetPointer(capsule, legacy_name);
        PyObject *owner = new_owner(t, 0);
        if (owner == NULL || PyCapsule_SetName(capsule, legacy_used) < 0) {
            return NULL;
        }
        GnpArray *a = array_over(&t->dl_tensor, 0, owner);
        Py_DECREF(owner);
        return a;
    }
    if (PyCapsule_CheckExact(capsule)) {
        PyErr_SetString(PyExc_ValueError, "a DLPack capsule can be consumed once, and this one is "
                                          "used or no DLPack capsule");
    }
    else {
        PyErr_Format(PyExc_TypeError, "__dlpack__ must return a capsule, not %.200s",
                     Py_TYPE(capsule)->tp_name);
    }
    return NULL;
}

/* object.__dlpack__(...), with fewer arguments for older producers. `stream` may be NULL.
 * `max_version` tells the producer that we understand the versioned struct. Producers of older
 * versions reject unknown arguments by TypeError, and are called again without them. */
static PyObject *
call_dlpack(PyObject *object, PyObject *stream, PyObject *copy)
{
    PyObject *method = NULL;  /* owned */
    PyObject *none = NULL;    /* owned */
    PyObject *few = NULL;     /* owned */
    PyObject *many = NULL;    /* owned */
    PyObject *version = NULL; /* owned */
    PyObject *capsule = NULL;

    GNP_NEW(method, PyObject_GetAttr(object, gnp_state.str___dlpack__));
    GNP_NEW(none, PyTuple_New(0));
    GNP_NEW(few, PyDict_New());
    if (stream != NULL) {
        GNP_TRY(PyDict_SetItemString(few, "stream", stream));
    }
    GNP_NEW(many, PyDict_Copy(few));
    GNP_NEW(version, Py_BuildValue("(ii)", 1, 3));
    GNP_TRY(PyDict_SetItemString(many, "max_version", version));
    if (copy != NULL && copy != Py_None) {
        GNP_TRY(PyDict_SetItemString(many, "copy", copy));
    }
    capsule = PyObject_Call(method, none, many);
    if (capsule == NULL && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        capsule = PyObject_Call(method, none, few);
    }
fail:
    Py_XDECREF(method);
    Py_XDECREF(none);
    Py_XDECREF(few);
    Py_XDECREF(many);
    Py_XDECREF(version);
    return capsule;
}

/* The tensor of a capsule on the host, whose names are those of the header, and its owner in place
 * of the capsule. */
static const DLTensor *
open_capsule(PyObject *capsule, PyObject **owner)
{
    const int versioned = PyCapsule_IsValid(capsule, versioned_name);
    if (!versioned && !PyCapsule_IsValid(capsule, legacy_name)) {
        PyErr_SetString(PyExc_TypeError, "__dlpack__ must return a DLPack capsule");
        return NULL;
    }
    void *t = PyCapsule_GetPointer(capsule, versioned ? versioned_name : legacy_name);
    *owner = new_owner(t, versioned);
    if (*owner == NULL ||
        PyCapsule_SetName(capsule, versioned ? versioned_used : legacy_used) < 0 ||
        (versioned && check_version(t) < 0)) {
        return NULL;
    }
    return versioned ? &((DLManagedTensorVersioned *)t)->dl_tensor
                     : &((DLManagedTensor *)t)->dl_tensor;
}

/* A dtype that NumPy's import does not know, but ml_dtypes does: bfloat16. */
static GnpArray *
import_other_from_host(PyObject *object)
{
    Foreign f = {.protocol = "DLPack", .error = PyExc_BufferError};
    PyObject *capsule = NULL, *owner = NULL, *host = NULL; /* owned */
    const DLTensor *tensor = NULL;
    GnpArray *ret = NULL;

    GNP_NEW(capsule, call_dlpack(object, NULL, NULL));
    GNP_NEW(tensor, open_capsule(capsule, &owner));
    DLTensor described = *tensor;
    described.device.device_type = kDLCUDA; /* what read_tensor checks; the address is the host's */
    described.device.device_id = 0;
    GNP_TRY(read_tensor(&described, &f));
    GNP_NEW(host, gnp_npy_over((void *)(uintptr_t)f.data, f.ndim, f.shape,
                               f.has_strides ? f.strides : NULL, f.dtype));
    ret = gnp_array_from_numpy(host, GNP_NO_DTYPE, 'K');
fail:
    Py_XDECREF(host); /* the copy is complete: nothing else refers to the memory */
    Py_XDECREF(owner);
    Py_XDECREF(capsule);
    return ret;
}

/* NumPy understands the protocol on the host. */
static GnpArray *
import_from_host(PyObject *object, PyObject *copy)
{
    if (copy == Py_False) {
        PyErr_SetString(PyExc_ValueError, "host memory reaches the device only by a copy");
        return NULL;
    }
    PyObject *host = PyObject_CallMethod(gnp_state.numpy, "from_dlpack", "O", object);
    if (host == NULL &&
        (PyErr_ExceptionMatches(PyExc_RuntimeError) || PyErr_ExceptionMatches(PyExc_BufferError))) {
        PyErr_Clear();
        return import_other_from_host(object);
    }
    GnpArray *a = host == NULL ? NULL : gnp_array_from_numpy(host, GNP_NO_DTYPE, 'K');
    Py_XDECREF(host);
    return a;
}

/* The producer is told our current stream, behind whose work it puts its own. */
GnpArray *
gnp_dlpack_import(PyObject *object, PyObject *wanted, PyObject *copy)
{
    PyObject *stream = NULL;  /* owned */
    PyObject *capsule = NULL; /* owned */
    GnpArray *ret = NULL;
    int type, id;

    (void)wanted;
    if (gnp_dlpack_device(object, &type, &id) < 0) {
        return NULL;
    }
    if (type == kDLCPU || type == kDLCUDAHost) {
        return import_from_host(object, copy);
    }
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return NULL;
    }
    if (type != kDLCUDA && type != kDLCUDAManaged) {
        PyErr_Format(PyExc_BufferError, "DLPack: device type %d is not CUDA", type);
        return NULL;
    }
    /* 0 is ambiguous in the protocol: 1 is the legacy stream. */
    uintptr_t handle = (uintptr_t)gnp_stream_current(device);
    GNP_NEW(stream, PyLong_FromUnsignedLongLong(handle == 0 ? 1 : handle));
    GNP_NEW(capsule, call_dlpack(object, stream, copy));
    ret = gnp_dlpack_from_capsule(capsule);
fail:
    Py_XDECREF(stream);
    Py_XDECREF(capsule);
    return ret;
}

#define FAST(function) (PyCFunction)(void (*)(void))(function)

PyMethodDef gnp_interop_methods[] = {
    {"__dlpack__", FAST(array_dlpack), METH_FASTCALL | METH_KEYWORDS,
     "__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
     "Return a DLPack capsule of the array."},
    {"__dlpack_device__", array_dlpack_device, METH_NOARGS,
     "__dlpack_device__($self, /)\n--\n\n"
     "Return DLPack's (device type, device id)."},
    {"toDlpack", array_toDlpack, METH_NOARGS,
     "toDlpack($self, /)\n--\n\n"
     "Return a legacy DLPack capsule of the array.\n\n"
     "Returns\n-------\n"
     "capsule\n"
     "    Capsule for `from_dlpack` of older versions of other packages; newer ones take the\n"
     "    array."},
    {NULL, NULL, 0, NULL},
};
