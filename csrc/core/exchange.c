/* DLPack's C exchange API (1.3): tensors between C extensions without a Python call.
 *
 * A consumer finds the capsule on the type, once, and calls these functions with the object.
 * Nothing here synchronises or orders streams: the consumer launches on the stream that
 * current_work_stream returns.
 */
#include "core/core_internal.h"

typedef struct ExchangeHeader {
    DLPackVersion version;
    struct ExchangeHeader *prev_api;
} ExchangeHeader;

typedef void (*SetError)(void *context, const char *kind, const char *message);

typedef struct {
    ExchangeHeader header;
    int (*managed_tensor_allocator)(DLTensor *prototype, DLManagedTensorVersioned **out,
                                    void *error_context, SetError set_error);
    int (*managed_tensor_from_py_object_no_sync)(void *object, DLManagedTensorVersioned **out);
    int (*managed_tensor_to_py_object_no_sync)(DLManagedTensorVersioned *tensor, void **object);
    int (*dltensor_from_py_object_no_sync)(void *object, DLTensor *out);
    int (*current_work_stream)(int32_t device_type, int32_t device_id, void **stream);
} ExchangeApi;

/* The API takes the consumer's word for the type of the object; here it is checked. */
static int
check_array(void *object)
{
    if (object == NULL || !gnp_array_check((PyObject *)object)) {
        PyErr_SetString(PyExc_TypeError, "DLPack exchange: not a gpunp.ndarray");
        return -1;
    }
    return 0;
}

/* The consumer owns the tensor and calls its deleter. */
static int
from_object(void *object, DLManagedTensorVersioned **out)
{
    if (check_array(object) < 0) {
        return -1;
    }
    *out = gnp_dlpack_new_versioned((GnpArray *)object, 0);
    return *out == NULL ? -1 : 0;
}

/* The tensor is owned here from now on, also after a failure. */
static int
to_object(DLManagedTensorVersioned *tensor, void **object)
{
    *object = gnp_dlpack_take(tensor);
    return *object == NULL ? -1 : 0;
}

/* Only type, shape and device of the prototype count; its memory is not read. */
static GnpArray *
new_from_prototype(const DLTensor *prototype)
{
    GnpDtype dtype = gnp_dlpack_dtype(prototype->dtype);
    if (dtype == GNP_NO_DTYPE || prototype->device.device_type != kDLCUDA || prototype->ndim < 0) {
        PyErr_SetString(PyExc_BufferError, "DLPack exchange: no such array in gpunp");
        return NULL;
    }
    GnpDevice *here = gnp_device_current();
    if (here == NULL) {
        return NULL;
    }
    int moved = prototype->device.device_id != here->id;
    if (moved && gnp_device_set_current(prototype->device.device_id) < 0) {
        return NULL;
    }
    GnpArray *a = gnp_array_new(prototype->ndim, prototype->shape, dtype, 'C');
    if (moved) {
        gnp_device_restore(here->id);
    }
    return a;
}

/* May be called without the GIL; errors are reported as text through the callback. */
static int
allocate_tensor(DLTensor *prototype, DLManagedTensorVersioned **out, void *context,
                SetError set_error)
{
    PyGILState_STATE state = PyGILState_Ensure();
    GnpArray *a = new_from_prototype(prototype);
    *out = a == NULL ? NULL : gnp_dlpack_new_versioned(a, 0);
    Py_XDECREF((PyObject *)a);
    if (*out == NULL) {
        PyObject *type, *value, *trace;
        PyErr_Fetch(&type, &value, &trace);
        PyObject *words = value == NULL ? NULL : PyObject_Str(value);
        const char *text = words == NULL ? NULL : PyUnicode_AsUTF8(words);
        /* Consumers tell the two apart: they may free memory and try again. */
        int no_memory = type != NULL && PyErr_GivenExceptionMatches(type, PyExc_MemoryError);
        if (set_error != NULL) {
            set_error(context, no_memory ? "MemoryError" : "BufferError",
                      text == NULL ? "allocation failed" : text);
        }
        Py_XDECREF(words);
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(trace);
        PyErr_Clear();
    }
    int status = *out == NULL ? -1 : 0;
    PyGILState_Release(state);
    return status;
}

/* The stream of the calling thread. Recorded work is launched first, so that the consumer's work
 * comes after it. */
static int
work_stream(int32_t device_type, int32_t device_id, void **stream)
{
    if (device_type != kDLCUDA) {
        PyErr_SetString(PyExc_BufferError, "DLPack exchange: gpunp works on CUDA devices");
        return -1;
    }
    const GnpDevice *device = gnp_device_get(device_id);
    if (device == NULL) {
        return -1;
    }
    *stream = gnp_stream_current(device);
    return 0;
}

/* dltensor_from_py_object_no_sync may be absent: the object would have to store its strides in
 * elements, and it stores bytes. Consumers keep its address, hence static and never changed. */
static const ExchangeApi exchange_api = {
    .header = {{1, 3}, NULL},
    .managed_tensor_allocator = allocate_tensor,
    .managed_tensor_from_py_object_no_sync = from_object,
    .managed_tensor_to_py_object_no_sync = to_object,
    .dltensor_from_py_object_no_sync = NULL,
    .current_work_stream = work_stream,
};

/* On the type, so that a consumer finds it with one lookup and without an array. Called once,
 * when the type is ready. */
int
gnp_core_finish_type(void)
{
    PyObject *capsule =
        PyCapsule_New((void *)(uintptr_t)&exchange_api, "dlpack_exchange_api", NULL);
    int status = capsule == NULL ? -1
                                 : PyObject_SetAttrString((PyObject *)gnp_array_type,
                                                          "__dlpack_c_exchange_api__", capsule);
    Py_XDECREF(capsule);
    return status;
}
