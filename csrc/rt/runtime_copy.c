/* gpunp.cuda.runtime: copies and fills.
 *
 * cudart's synchronous functions wait for the null stream, and return when the host may use the
 * memory. Here the wait is our own polling, so that Ctrl-C ends it; only then is the driver's
 * function called, which finds the stream idle. Copies between memory of devices are asynchronous
 * in cudart too, and are submitted without a wait.
 */
#include "rt/runtime.h"

#include <string.h>

enum { HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, BY_ADDRESS };

#define INVALID_MEMCPY_DIRECTION 21

/* 1 where the driver's synchronous copies and fills wait for their end, because the host can see
 * the memory or the program has set SYNC_MEMOPS for it; elsewhere they are asynchronous. The
 * emulated device sets that attribute for all its memory, so it is ignored there. */
static int
is_seen_by_host(CUdeviceptr ptr)
{
    unsigned type = 0;
    int managed = 0, synchronous = 0;
    CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                    CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                    CU_POINTER_ATTRIBUTE_SYNC_MEMOPS};
    void *answers[] = {&type, &managed, &synchronous};
    CUresult code = gnp_cu->cuPointerGetAttributes(3, wanted, answers, ptr);
    if (gnp_cuda_driver_if_open()->emulated) {
        synchronous = 0;
    }
    return code != 0 || type != CU_MEMORYTYPE_DEVICE || managed || synchronous;
}

/* Synchronous copies come after all work of the legacy stream, which is waited for here, where
 * Ctrl-C is handled. With memcpyDefault the driver finds out from the addresses what they are. */
static int
copy_linear(CUdeviceptr dst, CUdeviceptr src, size_t bytes, int is_default)
{
    if (!is_seen_by_host(dst) && !is_seen_by_host(src)) {
        RT_TRY_SUBMIT(NULL, cuMemcpyDtoDAsync_v2(dst, src, bytes, NULL));
        return 0;
    }
    GNP_TRY(gnp_wait_stream(NULL, "memcpy"));
    if (is_default) {
        RT_TRY_WAIT(cuMemcpy(dst, src, bytes));
    }
    else {
        RT_TRY_WAIT(cuMemcpyDtoD_v2(dst, src, bytes));
    }
    return 0;
fail:
    return -1;
}

/* Through gnp_copy_h2d() and its counterpart, which stage large pageable memory (transfer.c). */
static PyObject *
runtime_memcpy(PARAMS)
{
    uint64_t n[4] = {0};
    BIND_OR_RETURN("memcpy(dst, src, size, kind: int)")
    int status = 0;
    switch ((int)n[3]) {
    case HOST_TO_HOST:
        memcpy(gnp_host_of(n[0]), gnp_host_of(n[1]), n[2]);
        break;
    case HOST_TO_DEVICE:
        status = gnp_copy_h2d(n[0], gnp_host_of(n[1]), n[2], NULL);
        /* A synchronous copy has arrived when it returns, not only left the host's memory. */
        status = status == 0 ? gnp_wait_stream(NULL, "memcpy") : status;
        break;
    case DEVICE_TO_HOST:
        status = gnp_copy_d2h(gnp_host_of(n[0]), n[1], n[2], NULL);
        break;
    case DEVICE_TO_DEVICE:
    case BY_ADDRESS:
        status = copy_linear(n[0], n[1], n[2], n[3] == BY_ADDRESS);
        break;
    default:
        status = gnp_runtime_raise(INVALID_MEMCPY_DIRECTION, "memcpy");
    }
    if (status < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Pageable memory is the caller's risk, as in cudart: the driver may copy it before it returns. */
static PyObject *
memcpyAsync(PARAMS)
{
    uint64_t n[5] = {0};
    BIND_OR_RETURN("memcpyAsync(dst, src, size, kind: int, stream)")
    CUstream stream = gnp_stream_of(n[4]);
    switch ((int)n[3]) {
    case HOST_TO_DEVICE:
        RT_TRY_SUBMIT_COPY(stream, cuMemcpyHtoDAsync_v2(n[0], gnp_host_of(n[1]), n[2], stream));
        break;
    case DEVICE_TO_HOST:
        RT_TRY_SUBMIT_COPY(stream, cuMemcpyDtoHAsync_v2(gnp_host_of(n[0]), n[1], n[2], stream));
        break;
    case DEVICE_TO_DEVICE:
        RT_TRY_SUBMIT(stream, cuMemcpyDtoDAsync_v2(n[0], n[1], n[2], stream));
        break;
    case HOST_TO_HOST:
    case BY_ADDRESS:
        /* Copies between memory of the host are made by the driver's thread in stream order; the
         * call may wait for earlier work. */
        RT_TRY_SUBMIT_WAIT(stream, cuMemcpyAsync(n[0], n[1], n[2], stream));
        break;
    default:
        gnp_runtime_raise(INVALID_MEMCPY_DIRECTION, "memcpyAsync");
        return NULL;
    }
    Py_RETURN_NONE;
fail:
    return NULL;
}

/* The driver's description of a 2-D copy from cudart's arguments. Host and device address are both
 * filled in; the driver reads the one that the memory type names. */
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
        .srcHost = gnp_host_of(n[2]),
        .srcDevice = n[2],
        .srcPitch = n[3],
        .dstMemoryType = to[n[6]],
        .dstHost = gnp_host_of(n[0]),
        .dstDevice = n[0],
        .dstPitch = n[1],
        .WidthInBytes = n[4],
        .Height = n[5],
    };
    return 0;
}

/* The unaligned variant accepts any pitch; the plain one wants pitches that the driver chose. */
static PyObject *
memcpy2D(PARAMS)
{
    uint64_t n[7] = {0};
    CUDA_MEMCPY2D copy;
    BIND_OR_RETURN("memcpy2D(dst, dpitch, src, spitch, width, height, kind: int)")
    GNP_TRY(describe_2d(n, &copy));
    if (n[6] == DEVICE_TO_DEVICE && !is_seen_by_host(n[0]) && !is_seen_by_host(n[2])) {
        RT_TRY_SUBMIT_WAIT(NULL, cuMemcpy2DAsync_v2(&copy, NULL));
        Py_RETURN_NONE;
    }
    GNP_TRY(gnp_wait_stream(NULL, "memcpy2D"));
    RT_TRY_WAIT(cuMemcpy2DUnaligned_v2(&copy));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
memcpy2DAsync(PARAMS)
{
    uint64_t n[8] = {0};
    CUDA_MEMCPY2D copy;
    BIND_OR_RETURN("memcpy2DAsync(dst, dpitch, src, spitch, width, height, kind: int, stream)")
    GNP_TRY(describe_2d(n, &copy));
    RT_TRY_SUBMIT_WAIT(gnp_stream_of(n[7]), cuMemcpy2DAsync_v2(&copy, gnp_stream_of(n[7])));
    Py_RETURN_NONE;
fail:
    return NULL;
}

/* Contexts of the two devices of a peer copy. The synchronous one comes after all work of both.
 * Primary contexts: the devices are opened when they have not been used yet. */
static int
peer_contexts(uint64_t to, uint64_t from, int is_async, CUcontext out[2])
{
    GnpDevice *a = gnp_device_get((int)to), *b = a != NULL ? gnp_device_get((int)from) : NULL;
    if (b == NULL) {
        return -1;
    }
    out[0] = a->context;
    out[1] = b->context;
    if (is_async) {
        return 0;
    }
    GnpDevice *device = gnp_device_current();
    return device == NULL || gnp_wait_before(a) < 0 || gnp_wait_before(b) < 0
               ? -1
               : gnp_device_enter(device);
}

static PyObject *
memcpyPeer(PARAMS)
{
    uint64_t n[5] = {0};
    CUcontext c[2];
    BIND_OR_RETURN("memcpyPeer(dst, dstDevice: int, src, srcDevice: int, size)")
    GNP_TRY(peer_contexts(n[1], n[3], 0, c));
    RT_TRY_WAIT(cuMemcpyPeer(n[0], c[0], n[2], c[1], n[4]));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
memcpyPeerAsync(PARAMS)
{
    uint64_t n[6] = {0};
    CUcontext c[2];
    BIND_OR_RETURN("memcpyPeerAsync(dst, dstDevice: int, src, srcDevice: int, size, stream)")
    GNP_TRY(peer_contexts(n[1], n[3], 1, c));
    CUstream stream = gnp_stream_of(n[5]);
    RT_TRY_SUBMIT_COPY(stream, cuMemcpyPeerAsync(n[0], c[0], n[2], c[1], n[4], stream));
    Py_RETURN_NONE;
fail:
    return NULL;
}

/* Only the low byte of the value counts, as in C's memset. */
static PyObject *
runtime_memset(PARAMS)
{
    uint64_t n[3] = {0};
    BIND_OR_RETURN("memset(ptr, value: int, size)")
    if (!is_seen_by_host(n[0])) {
        RT_TRY_SUBMIT(NULL, cuMemsetD8Async(n[0], (unsigned char)n[1], n[2], NULL));
        Py_RETURN_NONE;
    }
    GNP_TRY(gnp_wait_stream(NULL, "memset"));
    RT_TRY_WAIT(cuMemsetD8_v2(n[0], (unsigned char)n[1], n[2]));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
memsetAsync(PARAMS)
{
    uint64_t n[4] = {0};
    BIND_OR_RETURN("memsetAsync(ptr, value: int, size, stream)")
    CUstream stream = gnp_stream_of(n[3]);
    RT_TRY_SUBMIT(stream, cuMemsetD8Async(n[0], (unsigned char)n[1], n[2], stream));
    Py_RETURN_NONE;
fail:
    return NULL;
}

PyMethodDef gnp_runtime_copy_functions[] = {
    MANY(
        memcpy, runtime_memcpy, "dst, src, size, kind", P_dst P_src P_size P_kind, "None",
        "Copy memory synchronously; copies between devices are only ordered with the null stream."),
    MANY(memcpyAsync, memcpyAsync, "dst, src, size, kind, stream",
         P_dst P_src P_size P_kind P_stream, "None", "Copy memory in stream order."),
    MANY(memcpy2D, memcpy2D, "dst, dpitch, src, spitch, width, height, kind",
         P_dst P_dpitch P_src P_spitch P_width P_height P_kind, "None",
         "Copy rows of memory synchronously; between devices only ordered with the null stream."),
    MANY(memcpy2DAsync, memcpy2DAsync, "dst, dpitch, src, spitch, width, height, kind, stream",
         P_dst P_dpitch P_src P_spitch P_width P_height P_kind P_stream, "None",
         "Copy rows of memory in stream order."),
    MANY(memcpyPeer, memcpyPeer, "dst, dstDevice, src, srcDevice, size",
         P_dst P_dstDevice P_src P_srcDevice P_size, "None", "Copy memory between devices."),
    MANY(memcpyPeerAsync, memcpyPeerAsync, "dst, dstDevice, src, srcDevice, size, stream",
         P_dst P_dstDevice P_src P_srcDevice P_size P_stream, "None",
         "Copy memory between devices in stream order."),
    MANY(memset, runtime_memset, "ptr, value, size", P_ptr P_value P_size, "None",
         "Set bytes to a value; in device memory ordered with the null stream."),
    MANY(memsetAsync, memsetAsync, "ptr, value, size, stream", P_ptr P_value P_size P_stream,
         "None", "Set bytes to a value in stream order."),
    {NULL, NULL, 0, NULL},
};
