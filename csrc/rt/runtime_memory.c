/* gpunp.cuda.runtime: allocation, pointers, the driver's pools.
 *
 * Memory from here has no pool and no owner: it lives until free(). Functions that free first wait
 * by polling, because the driver's own wait for the device cannot be interrupted. Size 0 gives
 * address 0 without asking the driver, which treats it as an error, as cudart does not.
 */
#include "rt/runtime.h"

#include <string.h>

/* ---- memory ---------------------------------------------------------------------------------- */

static PyObject *
memGetInfo(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    size_t available = 0, total = 0;
    if (gnp_device_current() == NULL) {
        return NULL;
    }
    RT_TRY(cuMemGetInfo_v2(&available, &total));
    return Py_BuildValue("(KK)", (unsigned long long)available, (unsigned long long)total);
fail:
    return NULL;
}

static PyObject *
runtime_malloc(PARAMS)
{
    uint64_t n[1] = {0};
    CUdeviceptr ptr = 0;
    BIND_OR_RETURN("malloc(size)")
    if (n[0] != 0) {
        RT_TRY_WAIT(cuMemAlloc_v2(&ptr, n[0]));
    }
    return PyLong_FromUnsignedLongLong(ptr);
fail:
    return NULL;
}

/* The default flag is cudaMemAttachGlobal: any stream of any device may access the memory. */
static PyObject *
mallocManaged(PARAMS)
{
    uint64_t n[2] = {0, CU_MEM_ATTACH_GLOBAL};
    CUdeviceptr ptr = 0;
    BIND_OR_RETURN("mallocManaged(size, flags: unsigned=1)")
    if (n[0] != 0) {
        RT_TRY_WAIT(cuMemAllocManaged(&ptr, n[0], (unsigned)n[1]));
    }
    return PyLong_FromUnsignedLongLong(ptr);
fail:
    return NULL;
}

/* From the driver's pool of the device, not from ours: the two do not share memory. */
static PyObject *
mallocAsync(PARAMS)
{
    uint64_t n[2] = {0};
    CUdeviceptr ptr = 0;
    BIND_OR_RETURN("mallocAsync(size, stream)")
    if (n[0] != 0) {
        RT_TRY_QUEUE(cuMemAllocAsync(&ptr, n[0], gnp_stream_of(n[1])));
    }
    return PyLong_FromUnsignedLongLong(ptr);
fail:
    return NULL;
}

/* gnp_wait_before() leaves an error of earlier work to cuMemFree, so it is reported once, here. */
static PyObject *
runtime_free(PARAMS)
{
    uint64_t n[1] = {0};
    BIND_OR_RETURN("free(ptr)")
    if (n[0] != 0) {
        GNP_TRY(gnp_wait_before(device));
        RT_TRY_WAIT(cuMemFree_v2(n[0]));
    }
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
freeAsync(PARAMS)
{
    uint64_t n[2] = {0};
    BIND_OR_RETURN("freeAsync(ptr, stream)")
    if (n[0] != 0) {
        RT_TRY_QUEUE(cuMemFreeAsync(n[0], gnp_stream_of(n[1])));
    }
    Py_RETURN_NONE;
fail:
    return NULL;
}

/* Freed by freeHost only; PinnedMemory (pinned.c) owns its memory. */
static PyObject *
hostAlloc(PARAMS)
{
    uint64_t n[2] = {0};
    void *ptr = NULL;
    BIND_OR_RETURN("hostAlloc(size, flags: unsigned=0)")
    RT_TRY_WAIT(cuMemHostAlloc(&ptr, n[0], (unsigned)n[1]));
    return gnp_from_pointer(ptr);
fail:
    return NULL;
}

static PyObject *
freeHost(PARAMS)
{
    uint64_t n[1] = {0};
    BIND_OR_RETURN("freeHost(ptr)")
    GNP_TRY(gnp_wait_before(device));
    RT_TRY_WAIT(cuMemFreeHost(gnp_host_of(n[0])));
    Py_RETURN_NONE;
fail:
    return NULL;
}

/* The pages stay locked until hostUnregister, also when the program has freed the memory. */
static PyObject *
hostRegister(PARAMS)
{
    uint64_t n[3] = {0};
    BIND_OR_RETURN("hostRegister(ptr, size, flags: unsigned=0)")
    RT_TRY_WAIT(cuMemHostRegister_v2(gnp_host_of(n[0]), n[1], (unsigned)n[2]));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
hostUnregister(PARAMS)
{
    uint64_t n[1] = {0};
    BIND_OR_RETURN("hostUnregister(ptr)")
    GNP_TRY(gnp_wait_before(device));
    RT_TRY_WAIT(cuMemHostUnregister(gnp_host_of(n[0])));
    Py_RETURN_NONE;
fail:
    return NULL;
}

/* A hint: with a driver that has neither entry nothing is done. CUDA 12 replaced the ordinal (-1
 * the host) by a location. */
static PyObject *
memPrefetchAsync(PARAMS)
{
    uint64_t n[4] = {0};
    BIND_OR_RETURN("memPrefetchAsync(devPtr, count, dstDevice: int, stream)")
    int to = (int)n[2];
    if (gnp_cu->queues.cuMemPrefetchAsync_v2 != NULL) {
        CUmemLocation where = {to < 0 ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE,
                               to < 0 ? 0 : to};
        RT_TRY_SUBMIT(gnp_stream_of(n[3]),
                      cuMemPrefetchAsync_v2(n[0], n[1], where, 0, gnp_stream_of(n[3])));
    }
    else if (gnp_cu->queues.cuMemPrefetchAsync != NULL) {
        RT_TRY_SUBMIT(gnp_stream_of(n[3]), cuMemPrefetchAsync(n[0], n[1], to, gnp_stream_of(n[3])));
    }
    Py_RETURN_NONE;
fail:
    return NULL;
}

/* A hint as well. */
static PyObject *
memAdvise(PARAMS)
{
    uint64_t n[4] = {0};
    BIND_OR_RETURN("memAdvise(devPtr, count, advice: int, device: int)")
    int to = (int)n[3];
    if (gnp_cu->waits.cuMemAdvise_v2 != NULL) {
        CUmemLocation where = {to < 0 ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE,
                               to < 0 ? 0 : to};
        RT_TRY_WAIT(cuMemAdvise_v2(n[0], n[1], (int)n[2], where));
    }
    else if (gnp_cu->waits.cuMemAdvise != NULL) {
        RT_TRY_WAIT(cuMemAdvise(n[0], n[1], (int)n[2], to));
    }
    Py_RETURN_NONE;
fail:
    return NULL;
}

/* (device, device pointer, host pointer, cudart's memory type) */
static PyObject *
pointerGetAttributes(PARAMS)
{
    uint64_t n[1] = {0};
    int type = 0, ordinal = -2, managed = 0;
    CUdeviceptr on_device = 0;
    void *on_host = NULL;
    CUpointer_attribute wanted[] = {
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
        CU_POINTER_ATTRIBUTE_IS_MANAGED, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
        CU_POINTER_ATTRIBUTE_HOST_POINTER};
    void *out[] = {&type, &ordinal, &managed, &on_device, &on_host};
    BIND_OR_RETURN("_pointerGetAttributes(ptr)")
    RT_TRY(cuPointerGetAttributes(5, wanted, out, n[0]));
    if (type == 0) { /* memory unknown to CUDA */
        on_host = gnp_host_of(n[0]);
    }
    return Py_BuildValue("(iKKi)", ordinal, (unsigned long long)on_device,
                         (unsigned long long)(uintptr_t)on_host, managed ? 3 : type);
fail:
    return NULL;
}

/* ---- memory pools of the driver -------------------------------------------------------------- */

static PyObject *
deviceGetDefaultMemPool(PARAMS)
{
    uint64_t n[1] = {0};
    CUmemoryPool pool = NULL;
    BIND_OR_RETURN("deviceGetDefaultMemPool(device: int)")
    RT_TRY(cuDeviceGetDefaultMemPool(&pool, (CUdevice)n[0]));
    return gnp_from_pointer(pool);
fail:
    return NULL;
}

static PyObject *
deviceGetMemPool(PARAMS)
{
    uint64_t n[1] = {0};
    CUmemoryPool pool = NULL;
    BIND_OR_RETURN("deviceGetMemPool(device: int)")
    RT_TRY(cuDeviceGetMemPool(&pool, (CUdevice)n[0]));
    return gnp_from_pointer(pool);
fail:
    return NULL;
}

static PyObject *
deviceSetMemPool(PARAMS)
{
    uint64_t n[2] = {0};
    BIND_OR_RETURN("deviceSetMemPool(device: int, pool)")
    RT_TRY_WAIT(cuDeviceSetMemPool((CUdevice)n[0], (CUmemoryPool)gnp_host_of(n[1])));
    Py_RETURN_NONE;
fail:
    return NULL;
}

/* allocType, handleType, locationType, devId of a MemPoolProps */
static PyObject *
memPoolCreate(PARAMS)
{
    uint64_t n[4] = {0};
    CUmemoryPool pool = NULL;
    BIND_OR_RETURN("_memPoolCreate(allocType: int, handleType: int, locationType: int, devId: int)")
    /* gpunp.cuda's MemPoolProps has these four fields; the others keep their defaults of 0. */
    CUmemPoolProps props = {
        .allocType = (int)n[0], .handleTypes = (int)n[1], .location = {(int)n[2], (int)n[3]}};
    RT_TRY_WAIT(cuMemPoolCreate(&pool, &props));
    return gnp_from_pointer(pool);
fail:
    return NULL;
}

static PyObject *
memPoolDestroy(PARAMS)
{
    uint64_t n[1] = {0};
    BIND_OR_RETURN("memPoolDestroy(pool)")
    RT_TRY_WAIT(cuMemPoolDestroy((CUmemoryPool)gnp_host_of(n[0])));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
mallocFromPoolAsync(PARAMS)
{
    uint64_t n[3] = {0};
    CUdeviceptr ptr = 0;
    BIND_OR_RETURN("mallocFromPoolAsync(size, pool, stream)")
    if (n[0] != 0) {
        RT_TRY_QUEUE(cuMemAllocFromPoolAsync(&ptr, n[0], (CUmemoryPool)gnp_host_of(n[1]),
                                             gnp_stream_of(n[2])));
    }
    return PyLong_FromUnsignedLongLong(ptr);
fail:
    return NULL;
}

/* ---- memory and events of other processes ---------------------------------------------------- */

/* The handle is for the whole allocation that contains the address, which must not come from a pool
 * of the driver. */
static PyObject *
ipcGetMemHandle(PARAMS)
{
    uint64_t n[1] = {0};
    CUipcMemHandle handle;
    BIND_OR_RETURN("ipcGetMemHandle(devPtr)")
    RT_TRY_WAIT(cuIpcGetMemHandle(&handle, n[0]));
    return PyBytes_FromStringAndSize(handle.reserved, sizeof handle.reserved);
fail:
    return NULL;
}

static PyObject *
ipcGetEventHandle(PARAMS)
{
    uint64_t n[1] = {0};
    CUipcEventHandle handle;
    BIND_OR_RETURN("ipcGetEventHandle(event)")
    RT_TRY(cuIpcGetEventHandle(&handle, gnp_event_of(n[0])));
    return PyBytes_FromStringAndSize(handle.reserved, sizeof handle.reserved);
fail:
    return NULL;
}

/* The 64 bytes that another process was given. */
static int
read_handle(PyObject *object, char handle[64])
{
    if (!PyBytes_Check(object) || PyBytes_GET_SIZE(object) != 64) {
        PyErr_SetString(PyExc_ValueError, "a handle is 64 bytes, as ipcGet...Handle returns them");
        return -1;
    }
    memcpy(handle, PyBytes_AS_STRING(object), 64);
    return gnp_device_current() != NULL ? 0 : -1;
}

/* The default flag is cudaIpcMemLazyEnablePeerAccess, the only one there is. */
static PyObject *
ipcOpenMemHandle(PARAMS)
{
    static GnpSignature sig = GNP_SIGNATURE("ipcOpenMemHandle(handle, flags=1)");
    PyObject *values[GNP_MAX_PARAMS];
    CUipcMemHandle handle;
    CUdeviceptr ptr = 0;
    GNP_TRY(gnp_args_bind(&sig, args, nargs, kwnames, values));
    GNP_TRY(read_handle(values[0], handle.reserved));
    unsigned flags = 1;
    if (values[1] != NULL) {
        GNP_TRY(gnp_unsigned_from_object(values[1], "flags", &flags));
    }
    RT_TRY_WAIT(cuIpcOpenMemHandle_v2(&ptr, handle, flags));
    return PyLong_FromUnsignedLongLong(ptr);
fail:
    return NULL;
}

static PyObject *
ipcOpenEventHandle(PyObject *Py_UNUSED(module), PyObject *object)
{
    CUipcEventHandle handle;
    CUevent event = NULL;
    GNP_TRY(read_handle(object, handle.reserved));
    RT_TRY(cuIpcOpenEventHandle(&event, handle));
    return gnp_from_pointer(event);
fail:
    return NULL;
}

static PyObject *
ipcCloseMemHandle(PARAMS)
{
    uint64_t n[1] = {0};
    BIND_OR_RETURN("ipcCloseMemHandle(devPtr)")
    RT_TRY_WAIT(cuIpcCloseMemHandle(n[0]));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
memPoolTrimTo(PARAMS)
{
    uint64_t n[2] = {0};
    BIND_OR_RETURN("memPoolTrimTo(pool, size)")
    RT_TRY_WAIT(cuMemPoolTrimTo((CUmemoryPool)gnp_host_of(n[0]), n[1]));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
memPoolGetAttribute(PARAMS)
{
    uint64_t n[2] = {0}, value = 0;
    BIND_OR_RETURN("memPoolGetAttribute(pool, attr: int)")
    RT_TRY(cuMemPoolGetAttribute((CUmemoryPool)gnp_host_of(n[0]), (int)n[1], &value));
    /* The first three attributes are ints, the rest 64-bit numbers. */
    return PyLong_FromUnsignedLongLong(n[1] <= 3 ? (uint32_t)value : value);
fail:
    return NULL;
}

/* Passes the address of 64 bits, of which the driver reads 32 for the attributes that are ints:
 * little-endian hosts only. */
static PyObject *
memPoolSetAttribute(PARAMS)
{
    uint64_t n[3] = {0};
    BIND_OR_RETURN("memPoolSetAttribute(pool, attr: int, value)")
    RT_TRY_WAIT(cuMemPoolSetAttribute((CUmemoryPool)gnp_host_of(n[0]), (int)n[1], &n[2]));
    Py_RETURN_NONE;
fail:
    return NULL;
}

PyMethodDef gnp_runtime_memory_functions[] = {
    PLAIN(memGetInfo, "free, total : int\n    Sizes in bytes.",
          "Return the free and total memory of the current device."),
    MANY(malloc, runtime_malloc, "size", P_size,
         "int\n    Address of the memory; 0 if the size is 0.",
         "Allocate memory of the current device."),
    MANY(mallocManaged, mallocManaged, "size, flags=1", P_size P_flags,
         "int\n    Address of the memory; 0 if the size is 0.",
         "Allocate managed memory, which the host and all devices can access."),
    MANY(mallocAsync, mallocAsync, "size, stream", P_size P_stream,
         "int\n    Address of the memory; 0 if the size is 0.",
         "Allocate memory from the current device's pool in stream order."),
    MANY(free, runtime_free, "ptr", P_ptr, "None", "Free memory. Waits for the work that uses it."),
    MANY(freeAsync, freeAsync, "ptr, stream", P_ptr P_stream, "None",
         "Free memory in stream order."),
    MANY(hostAlloc, hostAlloc, "size, flags=0", P_size P_flags, "int\n    Address of the memory.",
         "Allocate page-locked host memory."),
    MANY(freeHost, freeHost, "ptr", P_ptr, "None", "Free page-locked host memory."),
    MANY(hostRegister, hostRegister, "ptr, size, flags=0", P_ptr P_size P_flags, "None",
         "Page-lock existing host memory."),
    MANY(hostUnregister, hostUnregister, "ptr", P_ptr, "None",
         "Undo the page-locking by hostRegister."),
    MANY(memPrefetchAsync, memPrefetchAsync, "devPtr, count, dstDevice, stream",
         P_devPtr P_count P_dstDevice P_stream, "None",
         "Prefetch managed memory to a device, or to the host, in stream order."),
    MANY(memAdvise, memAdvise, "devPtr, count, advice, device", P_devPtr P_count P_advice P_device,
         "None", "Advise the driver about the expected use of managed memory."),
    {"_pointerGetAttributes", GNP_FAST(pointerGetAttributes), METH_FASTCALL | METH_KEYWORDS, NULL},
    MANY(deviceGetDefaultMemPool, deviceGetDefaultMemPool, "device", P_device,
         "int\n    Handle of the pool.", "Return the default memory pool of a device."),
    MANY(deviceGetMemPool, deviceGetMemPool, "device", P_device, "int\n    Handle of the pool.",
         "Return the pool from which mallocAsync allocates on a device."),
    MANY(deviceSetMemPool, deviceSetMemPool, "device, pool", P_device P_pool, "None",
         "Set the pool from which mallocAsync allocates on a device."),
    {"_memPoolCreate", GNP_FAST(memPoolCreate), METH_FASTCALL | METH_KEYWORDS, NULL},
    MANY(memPoolDestroy, memPoolDestroy, "pool", P_pool, "None",
         "Destroy a pool; its memory remains valid until it is freed."),
    MANY(mallocFromPoolAsync, mallocFromPoolAsync, "size, pool, stream", P_size P_pool P_stream,
         "int\n    Address of the memory; 0 if the size is 0.",
         "Allocate memory from a pool in stream order."),
    MANY(ipcGetMemHandle, ipcGetMemHandle, "devPtr", P_devPtr,
         "bytes\n    Handle for the other process.",
         "Return a handle with which another process can open the memory."),
    MANY(ipcOpenMemHandle, ipcOpenMemHandle, "handle, flags=1", P_handle P_flags,
         "int\n    Address of the memory.", "Open memory of another process."),
    MANY(ipcCloseMemHandle, ipcCloseMemHandle, "devPtr", P_devPtr, "None",
         "Close memory that ipcOpenMemHandle opened."),
    MANY(ipcGetEventHandle, ipcGetEventHandle, "event", P_event,
         "bytes\n    Handle for the other process.",
         "Return a handle with which another process can open the event."),
    ONE(ipcOpenEventHandle, "handle", P_handle, "int\n    Handle of the event.",
        "Open an event of another process."),
    MANY(memPoolTrimTo, memPoolTrimTo, "pool, size", P_pool P_size, "None",
         "Release free memory of a pool to the device, down to a size."),
    MANY(memPoolGetAttribute, memPoolGetAttribute, "pool, attr", P_pool P_attr,
         "int\n    Value of it.", "Return an attribute of a pool."),
    MANY(memPoolSetAttribute, memPoolSetAttribute, "pool, attr, value", P_pool P_attr P_value,
         "None", "Set an attribute of a pool."),
    {NULL, NULL, 0, NULL},
};
