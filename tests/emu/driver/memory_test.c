/* Memory: allocation, copies, fills, attributes, pools. */
#include "check.h"

#include <pthread.h>

enum { UNIT = 2 << 20 }; /* what addresses are reserved in */

CASE(allocation_is_poisoned_and_counted)
{
    start();
    CUdeviceptr p;
    unsigned char bytes[3000];
    size_t before, after, total;
    OK(cuMemGetInfo_v2(&before, &total));
    OK(cuMemAlloc_v2(&p, sizeof bytes));
    OK(cuMemGetInfo_v2(&after, &total));
    CHECK(before - after == 3072 && p % 256 == 0);
    OK(cuMemcpyDtoH_v2(bytes, p, sizeof bytes));
    for (size_t i = 0; i < sizeof bytes; i++) {
        CHECK(bytes[i] == 0xcd);
    }
    CHECK(cuEmuLedger(EMU_LIVE_ALLOCATIONS) == 1 && cuEmuLedger(EMU_LIVE_BYTES) == sizeof bytes);
    OK(cuMemFree_v2(p));
    OK(cuMemGetInfo_v2(&after, &total));
    CHECK(before == after && cuEmuLedger(EMU_LIVE_ALLOCATIONS) == 0);
}

CASE(wrong_frees_are_refused)
{
    start();
    CUdeviceptr p;
    int host;
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemAlloc_v2(&p, 0));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemAlloc_v2(NULL, 16));
    OK(cuMemAlloc_v2(&p, 64));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(p + 4));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2((CUdeviceptr)(uintptr_t)&host));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost((void *)(uintptr_t)p));
    OK(cuMemFree_v2(p));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(p));
    OK(cuMemFree_v2(0));
}

CASE(memory_runs_out_and_comes_back)
{
    start(); /* GPUNP_EMU_MEMORY=64m */
    CUdeviceptr p[3];
    GIVES(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2(&p[0], (size_t)65 << 20));
    GIVES(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2(&p[0], SIZE_MAX - 100));
    OK(cuMemAlloc_v2(&p[0], (size_t)32 << 20));
    OK(cuMemAlloc_v2(&p[1], (size_t)32 << 20));
    GIVES(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2(&p[2], 1));
    OK(cuMemFreeAsync(p[0], NULL)); /* freed by the stream: found again when memory is short */
    OK(cuMemAlloc_v2(&p[2], (size_t)32 << 20));
    OK(cuMemFree_v2(p[1]));
    OK(cuMemFree_v2(p[2]));
}

CASE(addresses_are_not_reused_at_once)
{
    start();
    CUdeviceptr p, q;
    char byte = 1;
    OK(cuMemAlloc_v2(&p, 4096));
    OK(cuMemFree_v2(p));
    OK(cuMemAlloc_v2(&q, 4096));
    CHECK(p != q);
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(p, &byte, 1));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoD_v2(q, p, 1));
}

CASE(copies_stay_inside_allocations)
{
    start();
    CUdeviceptr p = new_zeros(100), q = new_zeros(100);
    char host[200] = {0};
    OK(cuMemcpyHtoD_v2(p, host, 100));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(p, host, 101));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(p + 1, host, 100));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH_v2(host, p + 100, 1));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH_v2(host, (uintptr_t)host, 1));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoD_v2(p, q + 50, 51));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(0, host, 1));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(p, NULL, 1));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemsetD8_v2(p, 1, 101));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemsetD32_v2(p + 2, 1, 1));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemsetD32_v2(p, 1, SIZE_MAX / 4 + 2));
    OK(cuMemcpyHtoD_v2(p, host, 0));
}

CASE(unified_copies_find_out_the_direction)
{
    start();
    CUdeviceptr p = new_zeros(16);
    int in[4] = {1, 2, 3, 4}, out[4] = {0};
    OK(cuMemcpy(p, (uintptr_t)in, sizeof in));
    OK(cuMemcpy(p + 8, p, 8));
    OK(cuMemcpy((uintptr_t)out, p, sizeof out));
    CHECK(out[0] == 1 && out[1] == 2 && out[2] == 1 && out[3] == 2);
}

CASE(boxes)
{
    start();
    unsigned char in[6][8], out[4][5];
    size_t pitch;
    CUdeviceptr p;
    for (int i = 0; i < 48; i++) {
        in[i / 8][i % 8] = (unsigned char)i;
    }
    OK(cuMemAllocPitch_v2(&p, &pitch, 10, 6, 4));
    CHECK(pitch >= 10 && pitch % 256 == 0);
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch_v2(&p, &pitch, 10, 6, 3));
    CUDA_MEMCPY2D to = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = in,
                        .srcPitch = 8,
                        .srcXInBytes = 1,
                        .srcY = 2,
                        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                        .dstDevice = p,
                        .dstPitch = pitch,
                        .WidthInBytes = 5,
                        .Height = 4};
    OK(cuMemcpy2D_v2(&to));
    CUDA_MEMCPY2D from = {.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                          .srcDevice = p,
                          .srcPitch = pitch,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = out,
                          .dstPitch = 5,
                          .WidthInBytes = 5,
                          .Height = 4};
    OK(cuMemcpy2DAsync_v2(&from, NULL));
    for (int y = 0; y < 4; y++) {
        for (int x = 0; x < 5; x++) {
            CHECK(out[y][x] == (y + 2) * 8 + x + 1);
        }
    }
    from.srcPitch = 4; /* narrower than a row */
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D_v2(&from));
    from.srcPitch = pitch;
    from.Height = 7; /* out of the allocation */
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D_v2(&from));
    from.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D_v2(&from));
}

CASE(cubes)
{
    start();
    int in[4][3][2], out[2][2][2];
    for (int i = 0; i < 24; i++) {
        in[i / 6][i / 2 % 3][i % 2] = i;
    }
    CUdeviceptr p = new_zeros(sizeof in);
    OK(cuMemcpyHtoD_v2(p, in, sizeof in));
    CUDA_MEMCPY3D box = {.srcY = 1,
                         .srcZ = 2,
                         .srcMemoryType = CU_MEMORYTYPE_DEVICE,
                         .srcDevice = p,
                         .srcPitch = 8,
                         .srcHeight = 3,
                         .dstMemoryType = CU_MEMORYTYPE_HOST,
                         .dstHost = out,
                         .dstPitch = 8,
                         .dstHeight = 2,
                         .WidthInBytes = 8,
                         .Height = 2,
                         .Depth = 2};
    OK(cuMemcpy3D_v2(&box));
    for (int i = 0; i < 8; i++) {
        CHECK(out[i / 4][i / 2 % 2][i % 2] == in[2 + i / 4][1 + i / 2 % 2][i % 2]);
    }
}

CASE(fills)
{
    start();
    unsigned short row[12];
    unsigned int words[4];
    CUdeviceptr p = new_zeros(48);
    OK(cuMemsetD16_v2(p, 0x1234, 12));
    OK(cuMemsetD2D16_v2(p + 4, 8, 0xabcd, 1, 2));
    OK(cuMemcpyDtoH_v2(row, p, sizeof row));
    CHECK(row[0] == 0x1234 && row[2] == 0xabcd && row[3] == 0x1234 && row[6] == 0xabcd &&
          row[11] == 0x1234);
    OK(cuMemsetD32Async(p, 0xdeadbeef, 3, NULL));
    OK(cuMemcpyDtoH_v2(words, p, sizeof words));
    CHECK(words[0] == 0xdeadbeef && words[2] == 0xdeadbeef && words[3] != 0xdeadbeef);
}

CASE(pinned_memory)
{
    start_with_kernels();
    int *p;
    unsigned flags;
    CUdeviceptr device;
    OK(cuMemHostAlloc((void **)&p, 64, CU_MEMHOSTALLOC_DEVICEMAP));
    CHECK(cuEmuLedger(EMU_LIVE_PINNED) == 1 && cuEmuLedger(EMU_LIVE_PINNED_BYTES) == 64);
    OK(cuMemHostGetDevicePointer_v2(&device, p, 0));
    OK(cuMemHostGetFlags(&flags, p));
    CHECK(flags & CU_MEMHOSTALLOC_DEVICEMAP);
    p[3] = 10;
    OK(launch_twice(device, 4, NULL));
    OK(cuCtxSynchronize());
    CHECK(p[3] == 21);
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(device));
    OK(cuMemFreeHost(p));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(p));
    CHECK(cuEmuLedger(EMU_LIVE_PINNED) == 0);
}

CASE(registered_memory)
{
    start_with_kernels();
    static int words[64];
    words[5] = 4;
    GIVES(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(words));
    OK(cuMemHostRegister_v2(words, sizeof words, 0));
    GIVES(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister_v2(words + 2, 8, 0));
    OK(launch_twice((uintptr_t)words, 64, NULL));
    OK(cuCtxSynchronize());
    CHECK(words[5] == 9 && words[63] == 1);
    OK(cuMemHostUnregister(words));
    OK(launch_stray((uintptr_t)words)); /* a host pointer again */
    GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
}

CASE(managed_memory)
{
    start_with_kernels();
    CUdeviceptr p;
    unsigned managed;
    OK(cuMemAllocManaged(&p, 16, CU_MEM_ATTACH_GLOBAL));
    *(int *)(uintptr_t)p = 3;
    OK(launch_twice(p, 1, NULL));
    OK(cuCtxSynchronize());
    CHECK(*(int *)(uintptr_t)p == 7);
    OK(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, p));
    CHECK(managed == 1);
    OK(cuMemPrefetchAsync(p, 16, 0, NULL));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemPrefetchAsync(p, 17, 0, NULL));
    OK(cuMemAdvise(p, 16, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    OK(cuMemFree_v2(p));
}

CASE(pointer_attributes)
{
    start();
    CUdeviceptr p, start_address, base;
    size_t size;
    int type, ordinal, host;
    CUcontext owner;
    OK(cuMemAlloc_v2(&p, 1000));
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p + 10));
    OK(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p));
    OK(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, p));
    OK(cuPointerGetAttribute(&start_address, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, p + 999));
    OK(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, p));
    CHECK(type == CU_MEMORYTYPE_DEVICE && ordinal == 0 && owner == context && start_address == p &&
          size == 1000);
    GIVES(CUDA_ERROR_INVALID_VALUE,
          cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p + 1000));
    GIVES(CUDA_ERROR_INVALID_VALUE,
          cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_HOST_POINTER, p));
    CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                   CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    void *values[] = {&type, &ordinal};
    OK(cuPointerGetAttributes(2, which, values, (uintptr_t)&host));
    CHECK(type == 0 && ordinal == CU_DEVICE_INVALID);
    OK(cuMemGetAddressRange_v2(&base, &size, p + 5));
    CHECK(base == p && size == 1000);
    GIVES(CUDA_ERROR_NOT_FOUND, cuMemGetAddressRange_v2(&base, &size, (uintptr_t)&host));
}

CASE(pools_and_async_frees)
{
    start();
    CUmemoryPool pool, mine;
    CUdeviceptr p;
    cuuint64_t used, threshold = 12345;
    OK(cuDeviceGetDefaultMemPool(&pool, 0));
    OK(cuMemAllocAsync(&p, 4096, NULL));
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    CHECK(used == 4096);
    OK(cuMemsetD8Async(p, 7, 4096, NULL));
    int go = 0;
    OK(cuLaunchHostFunc(NULL, hold, &go));
    OK(cuMemFreeAsync(p, NULL));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(p, NULL));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(p));
    open_gate(&go);
    OK(cuStreamSynchronize(NULL));
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    CHECK(used == 0 && cuEmuLedger(EMU_LIVE_ALLOCATIONS) == 0);
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemPoolDestroy(pool));
    CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                            .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    OK(cuMemPoolCreate(&mine, &props));
    OK(cuMemPoolSetAttribute(mine, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    threshold = 0;
    OK(cuMemPoolGetAttribute(mine, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    CHECK(threshold == 12345);
    OK(cuMemAllocFromPoolAsync(&p, 100, mine, NULL));
    OK(cuMemPoolDestroy(mine));
    OK(cuMemFree_v2(p)); /* outlived its pool */
    CHECK(cuEmuLedger(EMU_LIVE_POOLS) == 0 && cuEmuLedger(EMU_LIVE_ALLOCATIONS) == 0);
}

static CUmemoryPool limited;

static void *
fill_limited(void *count)
{
    CUdeviceptr p;
    OK(cuCtxSetCurrent(context));
    for (int i = 0; i < 200; i++) {
        int code = cuMemAllocFromPoolAsync(&p, 4096, limited, NULL);
        CHECK(code == 0 || code == CUDA_ERROR_OUT_OF_MEMORY);
        *(int *)count += code == 0;
        if (code == 0 && i % 2 == 0) {
            OK(cuMemFree_v2(p));
            --*(int *)count;
        }
    }
    return NULL;
}

CASE(a_pool_keeps_its_limit)
{
    start();
    enum { THREADS = 4, MOST = 10 };
    pthread_t threads[THREADS];
    int counts[THREADS] = {0}, sum = 0;
    cuuint64_t used, high;
    CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                            .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
                            .maxSize = MOST * 4096};
    OK(cuMemPoolCreate(&limited, &props));
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, fill_limited, &counts[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += counts[i];
    }
    for (CUdeviceptr p; cuMemAllocFromPoolAsync(&p, 4096, limited, NULL) == 0; sum++) {
    }
    OK(cuMemPoolGetAttribute(limited, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    OK(cuMemPoolGetAttribute(limited, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &high));
    CHECK(sum == MOST && used == MOST * 4096 && high == used);
    OK(cuMemPoolDestroy(limited));
}

CASE(use_after_async_free_is_an_error_not_a_crash)
{
    start();
    CUdeviceptr p, q = new_zeros(64);
    CUstream other;
    int go = 0;
    char text[512];
    OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    OK(cuMemAllocAsync(&p, 64, NULL));
    OK(cuLaunchHostFunc(other, hold, &go));
    OK(cuMemcpyDtoDAsync_v2(q, p, 64, other)); /* no order with the free */
    OK(cuMemFreeAsync(p, NULL));
    OK(cuStreamSynchronize(NULL));
    open_gate(&go);
    GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(other));
    CHECK(cuEmuLastFault(text, sizeof text) > 0 && strstr(text, "freed") != NULL);
}

CASE(two_devices_and_peers)
{
    /* GPUNP_EMU_DEVICES=2 */
    start_with_kernels();
    CUcontext second;
    CUdeviceptr here = new_zeros(64), there;
    int count, can, value = 20;
    OK(cuDeviceGetCount(&count));
    CHECK(count == 2);
    OK(cuDeviceCanAccessPeer(&can, 0, 1));
    CHECK(can == 1);
    OK(cuDevicePrimaryCtxRetain(&second, 1));
    OK(cuCtxPushCurrent_v2(second));
    OK(cuMemAlloc_v2(&there, 64));
    OK(cuMemcpyHtoD_v2(there, &value, 4));
    OK(cuCtxPopCurrent_v2(NULL));
    OK(cuMemcpyPeer(here, context, there, second, 4));
    CHECK(read_int(here) == 20);
    OK(cuCtxEnablePeerAccess(second, 0));
    GIVES(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, cuCtxEnablePeerAccess(second, 0));
    OK(launch_twice(there, 1, NULL));
    OK(cuCtxSynchronize());
    CHECK(read_int(there) == 41);
    OK(cuCtxDisablePeerAccess(second));
    GIVES(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, cuCtxDisablePeerAccess(second));
    OK(launch_twice(there, 1, NULL));
    GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    char text[512];
    CHECK(cuEmuLastFault(text, sizeof text) > 0 &&
          strstr(text, "on device 1, to whose memory device 0 has no access") != NULL);
}

/* Memory of device 1's default pool, with device 0's context current. */
static CUdeviceptr
new_in_other_pool(CUmemoryPool *pool, CUcontext *second)
{
    CUdeviceptr there;
    OK(cuDevicePrimaryCtxRetain(second, 1));
    OK(cuDeviceGetDefaultMemPool(pool, 1));
    OK(cuCtxPushCurrent_v2(*second));
    OK(cuMemAllocAsync(&there, 64, NULL));
    OK(cuMemsetD8_v2(there, 0, 64));
    OK(cuStreamSynchronize(NULL));
    OK(cuCtxPopCurrent_v2(NULL));
    return there;
}

CASE(access_to_a_pool_of_another_device)
{
    /* GPUNP_EMU_DEVICES=2: a pool's access and that of contexts are two things. */
    start_with_kernels();
    CUcontext second;
    CUmemoryPool pool;
    CUmemAccess_flags flags = 7;
    CUmemLocation here = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
    CUmemAccessDesc access = {.location = here, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUdeviceptr there = new_in_other_pool(&pool, &second);
    char text[512];
    OK(cuMemPoolGetAccess(&flags, pool, &here));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_NONE);
    OK(cuMemPoolSetAccess(pool, &access, 1));
    OK(cuMemPoolGetAccess(&flags, pool, &here));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    OK(launch_twice(there, 1, NULL));
    OK(cuCtxSynchronize());
    CHECK(read_int(there) == 1);
    OK(cuCtxEnablePeerAccess(second, 0)); /* of no effect on the pool */
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    OK(cuMemPoolSetAccess(pool, &access, 1));
    OK(launch_twice(there, 1, NULL));
    GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    CHECK(cuEmuLastFault(text, sizeof text) > 0 &&
          strstr(text, "to whose memory pool device 0 has no access") != NULL);
}

CASE(devices_that_are_no_peers)
{
    /* GPUNP_EMU_DEVICES=2, GPUNP_EMU_PEERS=0: access is refused, copies work. */
    start();
    CUcontext second;
    CUmemoryPool pool;
    int can = 7, supported = 7;
    CUdeviceptr here = new_zeros(64), there = new_in_other_pool(&pool, &second);
    CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0},
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    OK(cuDeviceCanAccessPeer(&can, 0, 1));
    OK(cuDeviceGetP2PAttribute(&supported, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1));
    CHECK(can == 0 && supported == 0);
    GIVES(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, cuCtxEnablePeerAccess(second, 0));
    GIVES(CUDA_ERROR_INVALID_DEVICE, cuMemPoolSetAccess(pool, &access, 1));
    OK(cuMemsetD8_v2(here, 5, 64));
    OK(cuMemcpyPeer(there, second, here, context, 64));
    CHECK(read_int(there) == 0x05050505);
}

CASE(ipc_inside_one_process)
{
    start();
    CUdeviceptr p = new_zeros(64), q;
    CUipcMemHandle handle;
    OK(cuIpcGetMemHandle(&handle, p));
    OK(cuIpcOpenMemHandle_v2(&q, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    CHECK(p == q);
    OK(cuIpcCloseMemHandle(q));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuIpcCloseMemHandle(q));
    OK(cuMemFree_v2(p));
    GIVES(CUDA_ERROR_MAP_FAILED,
          cuIpcOpenMemHandle_v2(&q, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
}

static CUdeviceptr contested;

static void *
free_contested(void *code)
{
    OK(cuCtxSetCurrent(context));
    *(int *)code = cuMemFree_v2(contested);
    return NULL;
}

CASE(of_two_threads_one_frees)
{
    start();
    for (int round = 0; round < 50; round++) {
        pthread_t threads[2];
        int codes[2];
        OK(cuMemAlloc_v2(&contested, 64));
        for (int i = 0; i < 2; i++) {
            pthread_create(&threads[i], NULL, free_contested, &codes[i]);
        }
        for (int i = 0; i < 2; i++) {
            pthread_join(threads[i], NULL);
        }
        CHECK(codes[0] + codes[1] == CUDA_ERROR_INVALID_VALUE);
    }
    CHECK(cuEmuLedger(EMU_LIVE_ALLOCATIONS) == 0);
}

CASE(many_allocations)
{
    start();
    enum { COUNT = 3000 };
    static CUdeviceptr p[COUNT];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < COUNT; i++) {
            OK(cuMemAlloc_v2(&p[i], (size_t)(i * 37 % 9000) + 1));
        }
        for (int i = 0; i < COUNT; i++) {
            CUdeviceptr base;
            size_t bytes;
            OK(cuMemGetAddressRange_v2(&base, &bytes, p[i] + (size_t)(i * 37 % 9000)));
            CHECK(base == p[i] && bytes == (size_t)(i * 37 % 9000) + 1);
        }
        for (int i = 0; i < COUNT; i += 2) {
            OK(cuMemFree_v2(p[i]));
        }
        for (int i = 1; i < COUNT; i += 2) {
            OK(cuMemFree_v2(p[i]));
        }
    }
    CHECK(cuEmuLedger(EMU_LIVE_ALLOCATIONS) == 0);
}

static _Atomic CUdeviceptr next_range;
static _Atomic int reserving;

static void *
touch_ranges(void *unused)
{
    const CUmemAccessDesc access = {.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
                                    .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    OK(cuCtxSetCurrent(context));
    while (reserving) {
        CUdeviceptr at = next_range;
        for (CUdeviceptr k = 0; at != 0 && k < 2; k++) {
            (void)cuMemSetAccess(at + k * UNIT, UNIT, &access, 1); /* nothing is mapped there */
        }
    }
    return unused;
}

/* An address is known to all as soon as it is reserved, its owner not yet. */
CASE(ranges_are_whole_when_they_appear)
{
    start();
    pthread_t thread;
    reserving = 1;
    pthread_create(&thread, NULL, touch_ranges, NULL);
    for (int i = 0; i < 20000; i++) {
        CUdeviceptr p;
        OK(cuMemAddressReserve(&p, UNIT, 0, 0, 0));
        next_range = p + UNIT; /* where the next one will be */
        OK(cuMemAddressFree(p, UNIT));
    }
    reserving = 0;
    pthread_join(thread, NULL);
    CHECK(cuEmuLedger(EMU_LIVE_RESERVATIONS) == 0);
}
