/* gpunp.cuda.runtime: cudart's names over the driver and the primary context.
 *
 * Handles and addresses are ints here, as in cudart's own bindings. Each function is the driver's
 * with cudart's name and error codes; waiting ones can be left by Ctrl-C. */
#include "rt/internal.h"

#include <string.h>

enum { HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, BY_ADDRESS };

#define INVALID_MEMCPY_DIRECTION 21

/* ---- idioms
 * --------------------------------------------------------------------------------------- */

/* Test a driver call; raise with cudart's name of the code. */
#define RT_TRY(call)                                                                               \
    do {                                                                                           \
        CUresult rt_code = gnp_cu->call;                                                           \
        if (rt_code != 0) {                                                                        \
            gnp_runtime_raise(rt_code, #call);                                                     \
            goto fail;                                                                             \
        }                                                                                          \
    } while (0)

/* The same for calls that may wait for the device. */
#define RT_TRY_NOGIL(call)                                                                         \
    do {                                                                                           \
        CUresult rt_code = 0;                                                                      \
        GNP_NOGIL(rt_code = gnp_cu->call);                                                         \
        if (rt_code != 0) {                                                                        \
            gnp_runtime_raise(rt_code, #call);                                                     \
            goto fail;                                                                             \
        }                                                                                          \
    } while (0)

#define PARAMS                                                                                     \
    PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames

/* Binds a signature of ints to n[0..]; a parameter that is not given keeps its value in `n`. Then
 * a device is made current. */
#define BIND(text)                                                                                 \
    static GnpSignature sig = GNP_SIGNATURE(text);                                                 \
    GnpDevice *device = bind_numbers(&sig, args, nargs, kwnames, n);                               \
    if (device == NULL) {                                                                          \
        return NULL;                                                                               \
    }

static GnpDevice *
bind_numbers(GnpSignature *sig, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
             uint64_t *n)
{
    PyObject *values[GNP_MAX_PARAMS];
    if (gnp_args_bind(sig, args, nargs, kwnames, values) < 0) {
        return NULL;
    }
    for (int i = 0; i < sig->nparams; i++) {
        if (values[i] == NULL) {
            continue;
        }
        PyObject *index = PyNumber_Index(values[i]);
        if (index == NULL) {
            return NULL;
        }
        n[i] = PyLong_AsUnsignedLongLongMask(index);
        Py_DECREF(index);
        if (PyErr_Occurred()) {
            return NULL;
        }
    }
    return gnp_device_current();
}

static CUstream
stream_of(uint64_t number)
{
    return (CUstream)(uintptr_t)number;
}

static CUevent
event_of(uint64_t number)
{
    return (CUevent)(uintptr_t)number;
}

static void *
host_of(uint64_t number)
{
    return (void *)(uintptr_t)number;
}

static PyObject *
from_pointer(const void *pointer)
{
    return PyLong_FromUnsignedLongLong((uintptr_t)pointer);
}

/* ---- devices
 * ---------------------------------------------------------------------------------------- */

static PyObject *
getDeviceCount(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    int count = 0;
    return gnp_device_count(&count) < 0 ? NULL : PyLong_FromLong(count);
}

static PyObject *
getDevice(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    return PyLong_FromLong(gnp_thread.device_id);
}

static PyObject *
setDevice(PyObject *Py_UNUSED(module), PyObject *number)
{
    int id = (int)PyLong_AsLong(number);
    if (PyErr_Occurred() || gnp_device_set_current(id) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
deviceSynchronize(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    GnpDevice *device = gnp_device_current();
    if (device == NULL || gnp_wait_device(device) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
deviceGetAttribute(PARAMS)
{
    uint64_t n[2] = {0};
    int value = 0;
    BIND("deviceGetAttribute(attrib, device)")
    RT_TRY(cuDeviceGetAttribute(&value, (int)n[0], (CUdevice)n[1]));
    return PyLong_FromLong(value);
fail:
    return NULL;
}

static PyObject *
deviceName(PARAMS)
{
    uint64_t n[1] = {0};
    char text[256] = "";
    BIND("_deviceName(device)")
    RT_TRY(cuDeviceGetName(text, (int)sizeof text, (CUdevice)n[0]));
    return PyBytes_FromString(text);
fail:
    return NULL;
}

static PyObject *
deviceUuid(PARAMS)
{
    uint64_t n[1] = {0};
    CUuuid uuid = {{0}};
    BIND("_deviceUuid(device)")
    RT_TRY(cuDeviceGetUuid_v2(&uuid, (CUdevice)n[0]));
    return PyBytes_FromStringAndSize(uuid.bytes, sizeof uuid.bytes);
fail:
    return NULL;
}

static PyObject *
deviceTotalMem(PARAMS)
{
    uint64_t n[1] = {0};
    size_t bytes = 0;
    BIND("_deviceTotalMem(device)")
    RT_TRY(cuDeviceTotalMem_v2(&bytes, (CUdevice)n[0]));
    return PyLong_FromSize_t(bytes);
fail:
    return NULL;
}

static PyObject *
deviceGetPCIBusId(PARAMS)
{
    uint64_t n[1] = {0};
    char text[32] = "";
    BIND("deviceGetPCIBusId(device)")
    RT_TRY(cuDeviceGetPCIBusId(text, (int)sizeof text, (CUdevice)n[0]));
    return PyUnicode_FromString(text);
fail:
    return NULL;
}

static PyObject *
deviceGetByPCIBusId(PyObject *Py_UNUSED(module), PyObject *text)
{
    CUdevice handle = 0;
    int count = 0;
    const char *bus_id = PyUnicode_AsUTF8(text);
    if (bus_id == NULL || gnp_device_count(&count) < 0) {
        return NULL;
    }
    RT_TRY(cuDeviceGetByPCIBusId(&handle, bus_id));
    return PyLong_FromLong(handle);
fail:
    return NULL;
}

static PyObject *
deviceCanAccessPeer(PARAMS)
{
    uint64_t n[2] = {0};
    int can = 0;
    BIND("deviceCanAccessPeer(device, peerDevice)")
    RT_TRY(cuDeviceCanAccessPeer(&can, (CUdevice)n[0], (CUdevice)n[1]));
    return PyLong_FromLong(can);
fail:
    return NULL;
}

static PyObject *
deviceEnablePeerAccess(PARAMS)
{
    uint64_t n[1] = {0};
    BIND("deviceEnablePeerAccess(peerDevice)")
    GnpDevice *peer = gnp_device_get((int)n[0]);
    if (peer == NULL) {
        return NULL;
    }
    RT_TRY(cuCtxEnablePeerAccess(peer->context, 0));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
deviceDisablePeerAccess(PARAMS)
{
    uint64_t n[1] = {0};
    BIND("deviceDisablePeerAccess(peerDevice)")
    GnpDevice *peer = gnp_device_get((int)n[0]);
    if (peer == NULL) {
        return NULL;
    }
    RT_TRY(cuCtxDisablePeerAccess(peer->context));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
deviceGetLimit(PARAMS)
{
    uint64_t n[1] = {0};
    size_t value = 0;
    BIND("deviceGetLimit(limit)")
    RT_TRY(cuCtxGetLimit(&value, (int)n[0]));
    return PyLong_FromSize_t(value);
fail:
    return NULL;
}

static PyObject *
deviceSetLimit(PARAMS)
{
    uint64_t n[2] = {0};
    BIND("deviceSetLimit(limit, value)")
    RT_TRY(cuCtxSetLimit((int)n[0], n[1]));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
driverGetVersion(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    int count = 0;
    return gnp_device_count(&count) < 0 ? NULL : PyLong_FromLong(gnp_cuda_driver()->driver_version);
}

/* The toolkit whose compiler is used: NVRTC's version stands for cudart's, which is not opened. */
static PyObject *
runtimeGetVersion(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    const GnpNvrtc *nvrtc = NULL;
    GNP_NOGIL(nvrtc = gnp_cuda_nvrtc());
    if (nvrtc == NULL) {
        gnp_error_raise_text(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND",
                             gnp_cuda_error_text());
        return NULL;
    }
    return PyLong_FromLong(nvrtc->major * 1000 + nvrtc->minor * 10);
}

static PyObject *
profilerStart(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    if (gnp_device_current() == NULL) {
        return NULL;
    }
    if (gnp_cu->cuProfilerStart != NULL) {
        RT_TRY(cuProfilerStart());
    }
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
profilerStop(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    if (gnp_device_current() == NULL) {
        return NULL;
    }
    if (gnp_cu->cuProfilerStop != NULL) {
        RT_TRY(cuProfilerStop());
    }
    Py_RETURN_NONE;
fail:
    return NULL;
}

/* ---- memory
 * ------------------------------------------------------------------------------------------ */

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
    BIND("malloc(size)")
    if (n[0] != 0) {
        RT_TRY_NOGIL(cuMemAlloc_v2(&ptr, n[0]));
    }
    return PyLong_FromUnsignedLongLong(ptr);
fail:
    return NULL;
}

static PyObject *
mallocManaged(PARAMS)
{
    uint64_t n[2] = {0, CU_MEM_ATTACH_GLOBAL};
    CUdeviceptr ptr = 0;
    BIND("mallocManaged(size, flags=1)")
    if (n[0] != 0) {
        RT_TRY_NOGIL(cuMemAllocManaged(&ptr, n[0], (unsigned)n[1]));
    }
    return PyLong_FromUnsignedLongLong(ptr);
fail:
    return NULL;
}

static PyObject *
mallocAsync(PARAMS)
{
    uint64_t n[2] = {0};
    CUdeviceptr ptr = 0;
    BIND("mallocAsync(size, stream)")
    if (n[0] != 0) {
        RT_TRY_NOGIL(cuMemAllocAsync(&ptr, n[0], stream_of(n[1])));
    }
    return PyLong_FromUnsignedLongLong(ptr);
fail:
    return NULL;
}

static PyObject *
runtime_free(PARAMS)
{
    uint64_t n[1] = {0};
    BIND("free(ptr)")
    if (n[0] != 0) {
        RT_TRY_NOGIL(cuMemFree_v2(n[0]));
    }
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
freeAsync(PARAMS)
{
    uint64_t n[2] = {0};
    BIND("freeAsync(ptr, stream)")
    if (n[0] != 0) {
        RT_TRY(cuMemFreeAsync(n[0], stream_of(n[1])));
    }
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
hostAlloc(PARAMS)
{
    uint64_t n[2] = {0};
    void *ptr = NULL;
    BIND("hostAlloc(size, flags=0)")
    RT_TRY_NOGIL(cuMemHostAlloc(&ptr, n[0], (unsigned)n[1]));
    return from_pointer(ptr);
fail:
    return NULL;
}

static PyObject *
freeHost(PARAMS)
{
    uint64_t n[1] = {0};
    BIND("freeHost(ptr)")
    RT_TRY_NOGIL(cuMemFreeHost(host_of(n[0])));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
hostRegister(PARAMS)
{
    uint64_t n[3] = {0};
    BIND("hostRegister(ptr, size, flags=0)")
    RT_TRY_NOGIL(cuMemHostRegister_v2(host_of(n[0]), n[1], (unsigned)n[2]));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
hostUnregister(PARAMS)
{
    uint64_t n[1] = {0};
    BIND("hostUnregister(ptr)")
    RT_TRY_NOGIL(cuMemHostUnregister(host_of(n[0])));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
memPrefetchAsync(PARAMS)
{
    uint64_t n[4] = {0};
    BIND("memPrefetchAsync(devPtr, count, dstDevice, stream)")
    int to = (int)n[2];
    if (gnp_cu->cuMemPrefetchAsync_v2 != NULL) {
        CUmemLocation where = {to < 0 ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE,
                               to < 0 ? 0 : to};
        RT_TRY(cuMemPrefetchAsync_v2(n[0], n[1], where, 0, stream_of(n[3])));
    }
    else if (gnp_cu->cuMemPrefetchAsync != NULL) {
        RT_TRY(cuMemPrefetchAsync(n[0], n[1], to, stream_of(n[3])));
    }
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
memAdvise(PARAMS)
{
    uint64_t n[4] = {0};
    BIND("memAdvise(devPtr, count, advice, device)")
    int to = (int)n[3];
    if (gnp_cu->cuMemAdvise_v2 != NULL) {
        CUmemLocation where = {to < 0 ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE,
                               to < 0 ? 0 : to};
        RT_TRY(cuMemAdvise_v2(n[0], n[1], (int)n[2], where));
    }
    else if (gnp_cu->cuMemAdvise != NULL) {
        RT_TRY(cuMemAdvise(n[0], n[1], (int)n[2], to));
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
    BIND("_pointerGetAttributes(ptr)")
    RT_TRY(cuPointerGetAttributes(5, wanted, out, n[0]));
    if (type == 0) { /* memory CUDA does not know */
        on_host = host_of(n[0]);
    }
    return Py_BuildValue("(iKKi)", ordinal, (unsigned long long)on_device,
                         (unsigned long long)(uintptr_t)on_host, managed ? 3 : type);
fail:
    return NULL;
}

/* ---- copies
 * ------------------------------------------------------------------------------------------- */

static PyObject *
runtime_memcpy(PARAMS)
{
    uint64_t n[4] = {0};
    BIND("memcpy(dst, src, size, kind)")
    int status = 0;
    switch ((int)n[3]) {
    case HOST_TO_HOST:
        memcpy(host_of(n[0]), host_of(n[1]), n[2]);
        break;
    case HOST_TO_DEVICE:
        status = gnp_copy_h2d(n[0], host_of(n[1]), n[2], NULL);
        status = status == 0 ? gnp_wait_stream(NULL, "memcpy") : status;
        break;
    case DEVICE_TO_HOST:
        status = gnp_copy_d2h(host_of(n[0]), n[1], n[2], NULL);
        break;
    case DEVICE_TO_DEVICE:
        RT_TRY_NOGIL(cuMemcpyDtoD_v2(n[0], n[1], n[2]));
        break;
    case BY_ADDRESS:
        RT_TRY_NOGIL(cuMemcpy(n[0], n[1], n[2]));
        break;
    default:
        status = gnp_runtime_raise(INVALID_MEMCPY_DIRECTION, "memcpy");
    }
    if (status < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
memcpyAsync(PARAMS)
{
    uint64_t n[5] = {0};
    BIND("memcpyAsync(dst, src, size, kind, stream)")
    CUstream stream = stream_of(n[4]);
    switch ((int)n[3]) {
    case HOST_TO_DEVICE:
        RT_TRY_NOGIL(cuMemcpyHtoDAsync_v2(n[0], host_of(n[1]), n[2], stream));
        break;
    case DEVICE_TO_HOST:
        RT_TRY_NOGIL(cuMemcpyDtoHAsync_v2(host_of(n[0]), n[1], n[2], stream));
        break;
    case DEVICE_TO_DEVICE:
        RT_TRY(cuMemcpyDtoDAsync_v2(n[0], n[1], n[2], stream));
        break;
    case HOST_TO_HOST:
    case BY_ADDRESS:
        RT_TRY_NOGIL(cuMemcpyAsync(n[0], n[1], n[2], stream));
        break;
    default:
        gnp_runtime_raise(INVALID_MEMCPY_DIRECTION, "memcpyAsync");
        return NULL;
    }
    Py_RETURN_NONE;
fail:
    return NULL;
}

/* The driver's description of a 2-D copy from cudart's arguments. */
static int
describe_2d(const uint64_t n[7], CUDA_MEMCPY2D *copy)
{
    static const CUmemorytype from[] = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_HOST,
                                        CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_DEVICE,
                                        CU_MEMORYTYPE_UNIFIED};
    static const CUmemorytype to[] = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST,
                                      CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_UNIFIED};
    if (n[6] > BY_ADDRESS) {
        return gnp_runtime_raise(INVALID_MEMCPY_DIRECTION, "memcpy2D");
    }
    *copy = (CUDA_MEMCPY2D){
        .srcMemoryType = from[n[6]],
        .srcHost = host_of(n[2]),
        .srcDevice = n[2],
        .srcPitch = n[3],
        .dstMemoryType = to[n[6]],
        .dstHost = host_of(n[0]),
        .dstDevice = n[0],
        .dstPitch = n[1],
        .WidthInBytes = n[4],
        .Height = n[5],
    };
    return 0;
}

static PyObject *
memcpy2D(PARAMS)
{
    uint64_t n[7] = {0};
    CUDA_MEMCPY2D copy;
    BIND("memcpy2D(dst, dpitch, src, spitch, width, height, kind)")
    GNP_TRY(describe_2d(n, &copy));
    RT_TRY_NOGIL(cuMemcpy2DUnaligned_v2(&copy));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
memcpy2DAsync(PARAMS)
{
    uint64_t n[8] = {0};
    CUDA_MEMCPY2D copy;
    BIND("memcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, stream)")
    GNP_TRY(describe_2d(n, &copy));
    RT_TRY_NOGIL(cuMemcpy2DAsync_v2(&copy, stream_of(n[7])));
    Py_RETURN_NONE;
fail:
    return NULL;
}

/* Contexts of the two devices of a peer copy. */
static int
peer_contexts(uint64_t to, uint64_t from, CUcontext out[2])
{
    GnpDevice *a = gnp_device_get((int)to), *b = a != NULL ? gnp_device_get((int)from) : NULL;
    if (b == NULL) {
        return -1;
    }
    out[0] = a->context;
    out[1] = b->context;
    return 0;
}

static PyObject *
memcpyPeer(PARAMS)
{
    uint64_t n[5] = {0};
    CUcontext c[2];
    BIND("memcpyPeer(dst, dstDevice, src, srcDevice, size)")
    GNP_TRY(peer_contexts(n[1], n[3], c));
    RT_TRY_NOGIL(cuMemcpyPeer(n[0], c[0], n[2], c[1], n[4]));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
memcpyPeerAsync(PARAMS)
{
    uint64_t n[6] = {0};
    CUcontext c[2];
    BIND("memcpyPeerAsync(dst, dstDevice, src, srcDevice, size, stream)")
    GNP_TRY(peer_contexts(n[1], n[3], c));
    RT_TRY(cuMemcpyPeerAsync(n[0], c[0], n[2], c[1], n[4], stream_of(n[5])));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
runtime_memset(PARAMS)
{
    uint64_t n[3] = {0};
    BIND("memset(ptr, value, size)")
    RT_TRY(cuMemsetD8_v2(n[0], (unsigned char)n[1], n[2]));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
memsetAsync(PARAMS)
{
    uint64_t n[4] = {0};
    BIND("memsetAsync(ptr, value, size, stream)")
    RT_TRY(cuMemsetD8Async(n[0], (unsigned char)n[1], n[2], stream_of(n[3])));
    Py_RETURN_NONE;
fail:
    return NULL;
}

/* ---- memory pools of the driver
 * -------------------------------------------------------------------------- */

static PyObject *
deviceGetDefaultMemPool(PARAMS)
{
    uint64_t n[1] = {0};
    CUmemoryPool pool = NULL;
    BIND("deviceGetDefaultMemPool(device)")
    RT_TRY(cuDeviceGetDefaultMemPool(&pool, (CUdevice)n[0]));
    return from_pointer(pool);
fail:
    return NULL;
}

static PyObject *
deviceGetMemPool(PARAMS)
{
    uint64_t n[1] = {0};
    CUmemoryPool pool = NULL;
    BIND("deviceGetMemPool(device)")
    RT_TRY(cuDeviceGetMemPool(&pool, (CUdevice)n[0]));
    return from_pointer(pool);
fail:
    return NULL;
}

static PyObject *
deviceSetMemPool(PARAMS)
{
    uint64_t n[2] = {0};
    BIND("deviceSetMemPool(device, pool)")
    RT_TRY(cuDeviceSetMemPool((CUdevice)n[0], (CUmemoryPool)host_of(n[1])));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
memPoolTrimTo(PARAMS)
{
    uint64_t n[2] = {0};
    BIND("memPoolTrimTo(pool, size)")
    RT_TRY_NOGIL(cuMemPoolTrimTo((CUmemoryPool)host_of(n[0]), n[1]));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
memPoolGetAttribute(PARAMS)
{
    uint64_t n[2] = {0}, value = 0;
    BIND("memPoolGetAttribute(pool, attr)")
    RT_TRY(cuMemPoolGetAttribute((CUmemoryPool)host_of(n[0]), (int)n[1], &value));
    /* The first three attributes are ints, the rest 64-bit numbers. */
    return PyLong_FromUnsignedLongLong(n[1] <= 3 ? (uint32_t)value : value);
fail:
    return NULL;
}

static PyObject *
memPoolSetAttribute(PARAMS)
{
    uint64_t n[3] = {0};
    BIND("memPoolSetAttribute(pool, attr, value)")
    RT_TRY(cuMemPoolSetAttribute((CUmemoryPool)host_of(n[0]), (int)n[1], &n[2]));
    Py_RETURN_NONE;
fail:
    return NULL;
}

/* ---- streams
 * ------------------------------------------------------------------------------------------------
 */

static PyObject *
streamCreate(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    CUstream stream = NULL;
    if (gnp_device_current() == NULL) {
        return NULL;
    }
    RT_TRY(cuStreamCreate(&stream, 0));
    return from_pointer(stream);
fail:
    return NULL;
}

static PyObject *
streamCreateWithFlags(PARAMS)
{
    uint64_t n[1] = {0};
    CUstream stream = NULL;
    BIND("streamCreateWithFlags(flags)")
    RT_TRY(cuStreamCreate(&stream, (unsigned)n[0]));
    return from_pointer(stream);
fail:
    return NULL;
}

static PyObject *
streamCreateWithPriority(PARAMS)
{
    uint64_t n[2] = {0};
    CUstream stream = NULL;
    BIND("streamCreateWithPriority(flags, priority)")
    RT_TRY(cuStreamCreateWithPriority(&stream, (unsigned)n[0], (int)n[1]));
    return from_pointer(stream);
fail:
    return NULL;
}

static PyObject *
streamDestroy(PARAMS)
{
    uint64_t n[1] = {0};
    BIND("streamDestroy(stream)")
    if (n[0] > 2) {
        gnp_pool_forget_stream(device, stream_of(n[0]));
    }
    RT_TRY(cuStreamDestroy_v2(stream_of(n[0])));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
streamSynchronize(PARAMS)
{
    uint64_t n[1] = {0};
    BIND("streamSynchronize(stream)")
    if (gnp_wait_stream(stream_of(n[0]), "streamSynchronize") < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* 0 when all work is done, 600 (cudaErrorNotReady) when not. */
static PyObject *
streamQuery(PARAMS)
{
    uint64_t n[1] = {0};
    BIND("streamQuery(stream)")
    CUresult code = gnp_cu->cuStreamQuery(stream_of(n[0]));
    if (code != 0 && code != CUDA_ERROR_NOT_READY) {
        gnp_runtime_raise(code, "cuStreamQuery");
        return NULL;
    }
    return PyLong_FromLong(code);
}

static PyObject *
streamWaitEvent(PARAMS)
{
    uint64_t n[3] = {0};
    BIND("streamWaitEvent(stream, event, flags=0)")
    RT_TRY(cuStreamWaitEvent(stream_of(n[0]), event_of(n[1]), (unsigned)n[2]));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
streamGetPriority(PARAMS)
{
    uint64_t n[1] = {0};
    int priority = 0;
    BIND("streamGetPriority(stream)")
    RT_TRY(cuStreamGetPriority(stream_of(n[0]), &priority));
    return PyLong_FromLong(priority);
fail:
    return NULL;
}

static PyObject *
streamGetFlags(PARAMS)
{
    uint64_t n[1] = {0};
    unsigned flags = 0;
    BIND("streamGetFlags(stream)")
    RT_TRY(cuStreamGetFlags(stream_of(n[0]), &flags));
    return PyLong_FromUnsignedLong(flags);
fail:
    return NULL;
}

static PyObject *
deviceGetStreamPriorityRange(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    int least = 0, greatest = 0;
    if (gnp_device_current() == NULL) {
        return NULL;
    }
    RT_TRY(cuCtxGetStreamPriorityRange(&least, &greatest));
    return Py_BuildValue("(ii)", least, greatest);
fail:
    return NULL;
}

/* ---- events
 * ---------------------------------------------------------------------------------------------------
 */

static PyObject *
eventCreate(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    CUevent event = NULL;
    if (gnp_device_current() == NULL) {
        return NULL;
    }
    RT_TRY(cuEventCreate(&event, 0));
    return from_pointer(event);
fail:
    return NULL;
}

static PyObject *
eventCreateWithFlags(PARAMS)
{
    uint64_t n[1] = {0};
    CUevent event = NULL;
    BIND("eventCreateWithFlags(flags)")
    RT_TRY(cuEventCreate(&event, (unsigned)n[0]));
    return from_pointer(event);
fail:
    return NULL;
}

static PyObject *
eventDestroy(PARAMS)
{
    uint64_t n[1] = {0};
    BIND("eventDestroy(event)")
    RT_TRY(cuEventDestroy_v2(event_of(n[0])));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
eventRecord(PARAMS)
{
    uint64_t n[2] = {0};
    BIND("eventRecord(event, stream)")
    RT_TRY(cuEventRecord(event_of(n[0]), stream_of(n[1])));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
eventQuery(PARAMS)
{
    uint64_t n[1] = {0};
    BIND("eventQuery(event)")
    CUresult code = gnp_cu->cuEventQuery(event_of(n[0]));
    if (code != 0 && code != CUDA_ERROR_NOT_READY) {
        gnp_runtime_raise(code, "cuEventQuery");
        return NULL;
    }
    return PyLong_FromLong(code);
}

static PyObject *
eventSynchronize(PARAMS)
{
    uint64_t n[1] = {0};
    BIND("eventSynchronize(event)")
    if (gnp_wait_event(event_of(n[0]), "eventSynchronize") < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
eventElapsedTime(PARAMS)
{
    uint64_t n[2] = {0};
    float ms = 0;
    BIND("eventElapsedTime(start, end)")
    RT_TRY(cuEventElapsedTime(&ms, event_of(n[0]), event_of(n[1])));
    return PyFloat_FromDouble(ms);
fail:
    return NULL;
}

/* ---- the module
 * --------------------------------------------------------------------------------------------------
 */

#define PLAIN(name) {#name, name, METH_NOARGS, #name "()\n--\n\ncudart's function of that name."}
#define ONE(name, parameter)                                                                       \
    {#name, name, METH_O, #name "(" parameter ")\n--\n\ncudart's function of that name."}
#define MANY(name, function, parameters)                                                           \
    {#name, GNP_FAST(function), METH_FASTCALL | METH_KEYWORDS,                                     \
     #name "(" parameters ")\n--\n\ncudart's function of that name."}

static PyMethodDef functions[] = {
    PLAIN(getDeviceCount),
    PLAIN(getDevice),
    ONE(setDevice, "device"),
    PLAIN(deviceSynchronize),
    MANY(deviceGetAttribute, deviceGetAttribute, "attrib, device"),
    {"_deviceName", GNP_FAST(deviceName), METH_FASTCALL | METH_KEYWORDS, NULL},
    {"_deviceUuid", GNP_FAST(deviceUuid), METH_FASTCALL | METH_KEYWORDS, NULL},
    {"_deviceTotalMem", GNP_FAST(deviceTotalMem), METH_FASTCALL | METH_KEYWORDS, NULL},
    MANY(deviceGetPCIBusId, deviceGetPCIBusId, "device"),
    ONE(deviceGetByPCIBusId, "pciBusId"),
    MANY(deviceCanAccessPeer, deviceCanAccessPeer, "device, peerDevice"),
    MANY(deviceEnablePeerAccess, deviceEnablePeerAccess, "peerDevice"),
    MANY(deviceDisablePeerAccess, deviceDisablePeerAccess, "peerDevice"),
    MANY(deviceGetLimit, deviceGetLimit, "limit"),
    MANY(deviceSetLimit, deviceSetLimit, "limit, value"),
    PLAIN(driverGetVersion),
    PLAIN(runtimeGetVersion),
    PLAIN(profilerStart),
    PLAIN(profilerStop),
    PLAIN(memGetInfo),
    MANY(malloc, runtime_malloc, "size"),
    MANY(mallocManaged, mallocManaged, "size, flags=1"),
    MANY(mallocAsync, mallocAsync, "size, stream"),
    MANY(free, runtime_free, "ptr"),
    MANY(freeAsync, freeAsync, "ptr, stream"),
    MANY(hostAlloc, hostAlloc, "size, flags=0"),
    MANY(freeHost, freeHost, "ptr"),
    MANY(hostRegister, hostRegister, "ptr, size, flags=0"),
    MANY(hostUnregister, hostUnregister, "ptr"),
    MANY(memPrefetchAsync, memPrefetchAsync, "devPtr, count, dstDevice, stream"),
    MANY(memAdvise, memAdvise, "devPtr, count, advice, device"),
    {"_pointerGetAttributes", GNP_FAST(pointerGetAttributes), METH_FASTCALL | METH_KEYWORDS, NULL},
    MANY(memcpy, runtime_memcpy, "dst, src, size, kind"),
    MANY(memcpyAsync, memcpyAsync, "dst, src, size, kind, stream"),
    MANY(memcpy2D, memcpy2D, "dst, dpitch, src, spitch, width, height, kind"),
    MANY(memcpy2DAsync, memcpy2DAsync, "dst, dpitch, src, spitch, width, height, kind, stream"),
    MANY(memcpyPeer, memcpyPeer, "dst, dstDevice, src, srcDevice, size"),
    MANY(memcpyPeerAsync, memcpyPeerAsync, "dst, dstDevice, src, srcDevice, size, stream"),
    MANY(memset, runtime_memset, "ptr, value, size"),
    MANY(memsetAsync, memsetAsync, "ptr, value, size, stream"),
    MANY(deviceGetDefaultMemPool, deviceGetDefaultMemPool, "device"),
    MANY(deviceGetMemPool, deviceGetMemPool, "device"),
    MANY(deviceSetMemPool, deviceSetMemPool, "device, pool"),
    MANY(memPoolTrimTo, memPoolTrimTo, "pool, size"),
    MANY(memPoolGetAttribute, memPoolGetAttribute, "pool, attr"),
    MANY(memPoolSetAttribute, memPoolSetAttribute, "pool, attr, value"),
    PLAIN(streamCreate),
    MANY(streamCreateWithFlags, streamCreateWithFlags, "flags"),
    MANY(streamCreateWithPriority, streamCreateWithPriority, "flags, priority"),
    MANY(streamDestroy, streamDestroy, "stream"),
    MANY(streamSynchronize, streamSynchronize, "stream"),
    MANY(streamQuery, streamQuery, "stream"),
    MANY(streamWaitEvent, streamWaitEvent, "stream, event, flags=0"),
    MANY(streamGetPriority, streamGetPriority, "stream"),
    MANY(streamGetFlags, streamGetFlags, "stream"),
    PLAIN(deviceGetStreamPriorityRange),
    PLAIN(eventCreate),
    MANY(eventCreateWithFlags, eventCreateWithFlags, "flags"),
    MANY(eventDestroy, eventDestroy, "event"),
    MANY(eventRecord, eventRecord, "event, stream"),
    MANY(eventQuery, eventQuery, "event"),
    MANY(eventSynchronize, eventSynchronize, "event"),
    MANY(eventElapsedTime, eventElapsedTime, "start, end"),
    {NULL, NULL, 0, NULL},
};

static int
add_error_constants(PyObject *runtime)
{
    static const struct {
        int number;
        const char *name;
    } rows[] = {
#define CUDART(number, name) {number, "cudaError" name},
#include "tables/cudart_errors.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (PyModule_AddIntConstant(runtime, rows[i].name, rows[i].number) < 0) {
            return -1;
        }
    }
    return 0;
}

/* What is open by now: {"driver": path, "nvrtc": path}. Opens nothing. */
static PyObject *
library_paths(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    const GnpDriver *driver = gnp_cuda_driver_if_open();
    const GnpNvrtc *nvrtc = gnp_cuda_nvrtc_if_open();
    return Py_BuildValue("{szsz}", "driver", driver != NULL ? driver->path : NULL, "nvrtc",
                         nvrtc != NULL ? nvrtc->path : NULL);
}

static PyMethodDef module_functions[] = {
    {"_library_paths", library_paths, METH_NOARGS, "Paths of the libraries that are open."},
    {NULL, NULL, 0, NULL},
};

int
gnp_runtime_init(PyObject *module)
{
    PyObject *runtime = PyModule_New("gpunp._C.runtime"); /* owned */
    if (runtime == NULL || PyModule_AddFunctions(runtime, functions) < 0 ||
        add_error_constants(runtime) < 0) {
        Py_XDECREF(runtime);
        return -1;
    }
    int status = PyModule_AddObjectRef(module, "runtime", runtime);
    Py_DECREF(runtime);
    return status < 0 ? -1 : PyModule_AddFunctions(module, module_functions);
}
