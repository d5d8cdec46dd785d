/* The pool's memory for libraries that take an allocator as two C functions, as PyTorch does
 * (torch.cuda.memory.CUDAPluggableAllocator; gpunp/allocators.py).
 *
 * These two are exported beside PyInit__C. They are called from any thread, without the GIL. A
 * block belongs to the stream it is asked for on: it is used again there at once, and elsewhere
 * when the work of the stream it is freed on is done. */
#include "rt/internal.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void *gpunp_torch_alloc(ssize_t size, int device, CUstream stream);
EXPORTED void gpunp_torch_free(void *ptr, ssize_t size, int device, CUstream stream);

static void
drop_block(PyObject *capsule)
{
    gnp_block_release(PyCapsule_GetPointer(capsule, NULL));
}

/* The table of lent blocks by address, made at the first call. */
static PyObject *
lent(void)
{
    if (gnp_state.lent_blocks == NULL) {
        gnp_state.lent_blocks = PyDict_New();
    }
    return gnp_state.lent_blocks;
}

static GnpBlock *
lend(ssize_t size, int device_id, CUstream stream)
{
    PyObject *address = NULL; /* owned */
    PyObject *capsule = NULL; /* owned */
    GnpDevice *device = gnp_device_get(device_id);
    GnpBlock *block = NULL; /* owned until the capsule holds it */
    GnpBlock *ret = NULL;

    if (device == NULL || lent() == NULL) {
        return NULL;
    }
    GNP_NEW(block, gnp_block_new(device, (size_t)size, stream));
    GNP_NEW(address, PyLong_FromUnsignedLongLong(block->ptr));
    GNP_NEW(capsule, PyCapsule_New(block, NULL, drop_block));
    ret = block;
    block = NULL;
    if (PyDict_SetItem(lent(), address, capsule) < 0) {
        ret = NULL;
    }
fail:
    gnp_block_release(block);
    Py_XDECREF(address);
    Py_XDECREF(capsule);
    return ret;
}

void *
gpunp_torch_alloc(ssize_t size, int device, CUstream stream)
{
    if (size <= 0 || !Py_IsInitialized()) {
        return NULL;
    }
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    const GnpDevice *before = gnp_device_current();
    int changed = before != NULL && before->id != device && gnp_device_set_current(device) == 0;
    GnpBlock *block = before == NULL ? NULL : lend(size, device, stream);
    if (block == NULL) {
        PyErr_WriteUnraisable(NULL);
    }
    void *ret = block != NULL ? (void *)(uintptr_t)block->ptr : NULL;
    if (changed) {
        gnp_device_restore(before->id);
    }
    PyErr_Restore(type, value, trace);
    PyGILState_Release(gil);
    return ret;
}

void
gpunp_torch_free(void *ptr, ssize_t size, int device, CUstream stream)
{
    (void)size;
    (void)device;
    if (ptr == NULL || !Py_IsInitialized()) {
        return;
    }
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *address = PyLong_FromVoidPtr(ptr); /* owned */
    PyObject *capsule =
        address == NULL || lent() == NULL ? NULL : PyDict_GetItemWithError(lent(), address);
    if (capsule != NULL) {
        gnp_block_record(PyCapsule_GetPointer(capsule, NULL), stream);
        if (PyDict_DelItem(lent(), address) < 0) {
            PyErr_WriteUnraisable(NULL);
        }
    }
    Py_XDECREF(address);
    PyErr_Restore(type, value, trace);
    PyGILState_Release(gil);
}
