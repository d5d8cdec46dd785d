/* Wrong calls: memory, copies, pools, pointers, physical memory, handles for other processes. */
#include "wrong.h"

static char page[1 << 16] __attribute__((aligned(4096)));

GROUP(allocation)
{
    start();
    CUdeviceptr p = memory(1000), q = 0, base = 0;
    size_t bytes = 0, total = 0, pitch = 0;
    R(cuMemAlloc_v2(NULL, 16));
    R(cuMemAlloc_v2(&q, 0));
    R(cuMemAlloc_v2(&q, (size_t)1 << 50));
    R(cuMemAlloc_v2(&q, SIZE_MAX));
    R(cuMemGetInfo_v2(NULL, &total));
    R(cuMemGetInfo_v2(&bytes, NULL));
    R(cuMemGetInfo_v2(NULL, NULL));
    R(cuMemFree_v2(0));
    R(cuMemFree_v2(p + 4));
    R(cuMemFree_v2(p + 512));
    R(cuMemFree_v2(1));
    R(cuMemFree_v2((CUdeviceptr)(uintptr_t)page));
    R(cuMemFreeHost((void *)(uintptr_t)p));
    R(cuMemFreeHost(NULL));
    R(cuMemFreeHost(page));
    R(cuMemAllocPitch_v2(NULL, &pitch, 16, 16, 4));
    R(cuMemAllocPitch_v2(&q, NULL, 16, 16, 4));
    R(cuMemAllocPitch_v2(&q, &pitch, 0, 16, 4));
    R(cuMemAllocPitch_v2(&q, &pitch, 16, 0, 4));
    R(cuMemAllocPitch_v2(&q, &pitch, 16, 16, 0));
    R(cuMemAllocPitch_v2(&q, &pitch, 16, 16, 3));
    R(cuMemAllocPitch_v2(&q, &pitch, 16, 16, 1));
    R(cuMemAllocPitch_v2(&q, &pitch, 16, 16, 2));
    R(cuMemAllocPitch_v2(&q, &pitch, 16, 16, 32));
    V(cuMemAllocPitch_v2(&q, &pitch, 16, 16, 4), pitch);
    V(cuMemAllocPitch_v2(&q, &pitch, 513, 2, 8), pitch);
    V(cuMemAllocPitch_v2(&q, &pitch, 4096, 2, 16), pitch);
    R(cuMemAllocPitch_v2(&q, &pitch, (size_t)1 << 40, (size_t)1 << 40, 16));
    R(cuMemGetAddressRange_v2(NULL, NULL, p));
    V(cuMemGetAddressRange_v2(&base, NULL, p + 999), base == p);
    V(cuMemGetAddressRange_v2(NULL, &bytes, p + 999), bytes);
    R(cuMemGetAddressRange_v2(&base, &bytes, 4096));
    R(cuMemGetAddressRange_v2(&base, &bytes, 0));
    R(cuMemGetAddressRange_v2(&base, &bytes, (CUdeviceptr)(uintptr_t)page));
    R(cuMemFree_v2(p));
    WHEN("freed");
    R(cuMemFree_v2(p));
    R(cuMemGetAddressRange_v2(&base, &bytes, p));
    R(cuMemsetD8_v2(p, 0, 16));
    R(cuMemcpyHtoD_v2(p, page, 16));
    R(cuMemcpyDtoH_v2(page, p, 16));
    R(cuMemFreeAsync(p, NULL));
    WHEN("a pinned address");
    void *host = NULL;
    OK(cuMemHostAlloc(&host, 4096, 0));
    R(cuMemFree_v2((CUdeviceptr)(uintptr_t)host));
    R(cuMemFreeHost((char *)host + 8));
    R(cuMemHostUnregister(host));
    R(cuMemHostRegister_v2(host, 4096, 0));
    R(cuMemFreeAsync((CUdeviceptr)(uintptr_t)host, NULL));
    V(cuMemGetAddressRange_v2(&base, &bytes, (CUdeviceptr)(uintptr_t)host), bytes);
    R(cuMemFreeHost(host));
    R(cuMemFreeHost(host));
    WHEN("managed");
    R(cuMemAllocManaged(NULL, 16, 1));
    R(cuMemAllocManaged(&q, 0, 1));
    R(cuMemAllocManaged(&q, 16, 0));
    R(cuMemAllocManaged(&q, 16, 3));
    R(cuMemAllocManaged(&q, 16, 4));
    OK(cuMemAllocManaged(&q, 4096, 1));
    R(cuMemFreeHost((void *)(uintptr_t)q));
    R(cuMemFreeAsync(q, NULL));
    V(cuMemGetAddressRange_v2(&base, &bytes, q + 5), bytes);
    R(cuMemFree_v2(q));
    R(cuMemFree_v2(q));
}

GROUP(host_memory)
{
    start();
    void *host = NULL;
    CUdeviceptr p = memory(4096), q = 0;
    unsigned flags = 0;
    R(cuMemHostAlloc(NULL, 16, 0));
    R(cuMemHostAlloc(&host, 0, 0));
    R(cuMemHostAlloc(&host, 16, 8));
    R(cuMemHostAlloc(&host, 16, 0xff));
    R(cuMemHostAlloc(&host, (size_t)1 << 50, 0));
    R(cuMemAllocHost_v2(NULL, 16));
    R(cuMemAllocHost_v2(&host, 0));
    R(cuMemHostRegister_v2(NULL, 4096, 0));
    R(cuMemHostRegister_v2(page, 0, 0));
    R(cuMemHostRegister_v2(page, 4096, 0x100));
    R(cuMemHostRegister_v2(page, 4096, 16));
    R(cuMemHostRegister_v2((void *)(uintptr_t)p, 4096, 0));
    R(cuMemHostRegister_v2((void *)(uintptr_t)0x1000, 4096, 0));
    R(cuMemHostUnregister(page));
    R(cuMemHostUnregister(NULL));
    R(cuMemHostGetDevicePointer_v2(&q, page, 0));
    R(cuMemHostGetFlags(&flags, page));
    OK(cuMemHostRegister_v2(page + 4096, 8192, 0));
    R(cuMemHostRegister_v2(page + 4096, 8192, 0));
    R(cuMemHostRegister_v2(page + 8192, 4096, 0));
    R(cuMemHostRegister_v2(page, 16384, 0));
    R(cuMemHostRegister_v2(page + 4096 + 100, 10, 0));
    R(cuMemHostUnregister(page + 8192));
    V(cuMemHostGetFlags(&flags, page + 4096), flags);
    V(cuMemHostGetFlags(&flags, page + 4096 + 5), flags);
    R(cuMemHostGetFlags(NULL, page + 4096));
    V(cuMemHostGetDevicePointer_v2(&q, page + 4096, 0), q == (CUdeviceptr)(uintptr_t)(page + 4096));
    V(cuMemHostGetDevicePointer_v2(&q, page + 5000, 0), q == (CUdeviceptr)(uintptr_t)(page + 5000));
    R(cuMemHostGetDevicePointer_v2(&q, page + 4096, 1));
    R(cuMemHostGetDevicePointer_v2(NULL, page + 4096, 0));
    R(cuMemFreeHost(page + 4096));
    R(cuMemHostUnregister(page + 4096));
    R(cuMemHostUnregister(page + 4096));
    WHEN("unaligned");
    R(cuMemHostRegister_v2(page + 100, 50, 1));
    V(cuMemHostGetFlags(&flags, page + 100), flags);
    R(cuMemHostRegister_v2(page + 200, 50, 1));
    R(cuMemHostUnregister(page + 100));
    WHEN("allocated");
    OK(cuMemHostAlloc(&host, 4096, 4));
    V(cuMemHostGetFlags(&flags, host), flags);
    V(cuMemHostGetDevicePointer_v2(&q, host, 0), q == (CUdeviceptr)(uintptr_t)host);
    R(cuMemHostGetDevicePointer_v2(&q, host, 4));
    R(cuMemHostGetFlags(&flags, (void *)(uintptr_t)p));
    R(cuMemHostGetDevicePointer_v2(&q, (void *)(uintptr_t)p, 0));
    OK(cuMemFreeHost(host));
    OK(cuMemAllocHost_v2(&host, 4096));
    V(cuMemHostGetFlags(&flags, host), flags);
    WHEN("read only");
    R(cuMemHostRegister_v2(page + 8192, 4096, 8));
    V(cuMemHostGetFlags(&flags, page + 8192), flags);
}

GROUP(copies)
{
    start();
    CUdeviceptr p = memory(4096), q = memory(4096);
    R(cuMemcpyHtoD_v2(p, NULL, 16));
    R(cuMemcpyHtoD_v2(0, page, 16));
    R(cuMemcpyHtoD_v2(p, page, 0));
    R(cuMemcpyHtoD_v2(0, NULL, 0));
    R(cuMemcpyDtoH_v2(NULL, p, 16));
    R(cuMemcpyDtoH_v2(page, 0, 16));
    R(cuMemcpyDtoD_v2(p, 0, 16));
    R(cuMemcpyDtoD_v2(0, p, 16));
    R(cuMemcpyDtoD_v2(p, p + 8, 16));
    R(cuMemcpy(0, p, 16));
    R(cuMemcpy(p, 0, 16));
    R(cuMemcpy((CUdeviceptr)(uintptr_t)page, (CUdeviceptr)(uintptr_t)(page + 100), 16));
    R(cuMemcpyHtoD_v2(p, page, (size_t)1 << 40));
    R(cuMemcpyDtoD_v2(p, q, (size_t)1 << 40));
    R(cuMemcpyHtoD_v2((CUdeviceptr)(uintptr_t)page, page + 100, 16));
    R(cuMemcpyDtoH_v2(page, (CUdeviceptr)(uintptr_t)(page + 100), 16));
    R(cuMemcpyDtoD_v2((CUdeviceptr)(uintptr_t)page, p, 16));
    R(cuMemcpyHtoD_v2(p, (void *)(uintptr_t)q, 16));
    R(cuMemcpyDtoH_v2((void *)(uintptr_t)q, p, 16));
    R(cuMemcpyHtoDAsync_v2(p, NULL, 16, NULL));
    R(cuMemcpyHtoDAsync_v2(0, page, 16, NULL));
    R(cuMemcpyHtoDAsync_v2(p, page, 0, NULL));
    R(cuMemcpyDtoHAsync_v2(NULL, p, 16, NULL));
    R(cuMemcpyPeer(p, NULL, q, context, 16));
    R(cuMemcpyPeer(p, context, q, NULL, 16));
    R(cuMemcpyPeer(p, context, q, context, 16));
    R(cuMemcpyPeer(0, context, q, context, 16));
    R(cuMemcpyPeerAsync(p, NULL, q, context, 16, NULL));
    R(cuMemsetD8_v2(0, 0, 16));
    R(cuMemsetD8_v2(p, 0, 0));
    R(cuMemsetD8_v2(0, 0, 0));
    R(cuMemsetD8_v2(p, 0, (size_t)1 << 40));
    R(cuMemsetD16_v2(p + 1, 0, 4));
    R(cuMemsetD32_v2(p + 2, 0, 4));
    R(cuMemsetD32_v2(p + 4, 0, 4));
    R(cuMemsetD32Async(p + 1, 0, 4, NULL));
    R(cuMemsetD8_v2((CUdeviceptr)(uintptr_t)page, 0, 16));
    R(cuMemsetD2D8_v2(p, 64, 0, 65, 2));
    R(cuMemsetD2D8_v2(p, 64, 0, 64, 2));
    R(cuMemsetD2D8_v2(p, 64, 0, 0, 2));
    R(cuMemsetD2D8_v2(p, 64, 0, 16, 0));
    R(cuMemsetD2D8_v2(p, 0, 0, 16, 1));
    R(cuMemsetD2D8_v2(p, 8, 0, 16, 1));
    R(cuMemsetD2D8_v2(p, 0, 0, 16, 2));
    R(cuMemsetD2D16_v2(p, 65, 0, 16, 2));
    R(cuMemsetD2D16_v2(p + 1, 64, 0, 16, 2));
    R(cuMemsetD2D32_v2(p, 66, 0, 16, 2));
    R(cuMemsetD2D32_v2(p + 2, 64, 0, 16, 2));
    R(cuMemsetD2D32_v2(p, 64, 0, 17, 2));
    R(cuMemsetD2D32_v2(0, 64, 0, 16, 2));
    R(cuMemsetD2D32_v2(p, 1024, 0, 16, 5));
}

static CUDA_MEMCPY2D
flat(CUdeviceptr p)
{
    CUDA_MEMCPY2D box = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                         .srcHost = page,
                         .srcPitch = 64,
                         .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                         .dstDevice = p,
                         .dstPitch = 64,
                         .WidthInBytes = 32,
                         .Height = 4};
    return box;
}

static CUDA_MEMCPY3D
deep(CUdeviceptr p)
{
    CUDA_MEMCPY3D box = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                         .srcHost = page,
                         .srcPitch = 64,
                         .srcHeight = 4,
                         .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                         .dstDevice = p,
                         .dstPitch = 64,
                         .dstHeight = 4,
                         .WidthInBytes = 32,
                         .Height = 4,
                         .Depth = 2};
    return box;
}

#define CHANGED_2D(words, change)                                                                  \
    do {                                                                                           \
        CUDA_MEMCPY2D box = flat(p);                                                               \
        box.change;                                                                                \
        WHEN(#change);                                                                             \
        R(cuMemcpy2D_v2(&box));                                                                    \
        R(cuMemcpy2DUnaligned_v2(&box));                                                           \
        R(cuMemcpy2DAsync_v2(&box, NULL));                                                         \
    } while (0)
#define CHANGED_3D(change)                                                                         \
    do {                                                                                           \
        CUDA_MEMCPY3D box = deep(p);                                                               \
        box.change;                                                                                \
        WHEN(#change);                                                                             \
        R(cuMemcpy3D_v2(&box));                                                                    \
        R(cuMemcpy3DAsync_v2(&box, NULL));                                                         \
    } while (0)

GROUP(boxes)
{
    start();
    CUdeviceptr p = memory(4096);
    R(cuMemcpy2D_v2(NULL));
    R(cuMemcpy3D_v2(NULL));
    CHANGED_2D("", Height = 4);
    CHANGED_2D("", srcPitch = 31);
    CHANGED_2D("", srcPitch = 0);
    CHANGED_2D("", dstPitch = 31);
    CHANGED_2D("", dstPitch = 0);
    CHANGED_2D("", WidthInBytes = 65);
    CHANGED_2D("", WidthInBytes = 0);
    CHANGED_2D("", Height = 0);
    CHANGED_2D("", Height = 1000);
    CHANGED_2D("", srcHost = NULL);
    CHANGED_2D("", dstDevice = 0);
    CHANGED_2D("", srcMemoryType = (CUmemorytype)0);
    CHANGED_2D("", dstMemoryType = (CUmemorytype)9);
    CHANGED_2D("", dstMemoryType = CU_MEMORYTYPE_ARRAY);
    CHANGED_2D("", dstMemoryType = CU_MEMORYTYPE_UNIFIED);
    CHANGED_2D("", srcMemoryType = CU_MEMORYTYPE_DEVICE);
    CHANGED_2D("", srcXInBytes = 33);
    CHANGED_2D("", dstXInBytes = 33);
    CHANGED_2D("", dstY = 1000);
    CHANGED_2D("", dstPitch = (size_t)1 << 32);
    CHANGED_2D("", dstDevice = p + 1);
    CHANGED_3D(Height = 4);
    CHANGED_3D(Depth = 0);
    CHANGED_3D(Depth = 1000);
    CHANGED_3D(srcHeight = 3);
    CHANGED_3D(dstHeight = 3);
    CHANGED_3D(dstHeight = 0);
    CHANGED_3D(srcPitch = 16);
    CHANGED_3D(dstPitch = 16);
    CHANGED_3D(srcLOD = 1);
    CHANGED_3D(dstLOD = 1);
    CHANGED_3D(srcMemoryType = (CUmemorytype)0);
    CHANGED_3D(dstMemoryType = CU_MEMORYTYPE_ARRAY);
    CHANGED_3D(reserved0 = page);
    CHANGED_3D(dstDevice = 0);
}

GROUP(pools)
{
    start();
    CUmemoryPool standard = NULL, pool = NULL;
    CUdeviceptr p = 0, q = memory(64);
    CUmemAccess_flags access = (CUmemAccess_flags)0;
    cuuint64_t value = 0;
    int i = 0;
    CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                            .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemPoolProps bad = props;
    OK(cuDeviceGetDefaultMemPool(&standard, 0));
    R(cuMemPoolCreate(NULL, &props));
    R(cuMemPoolCreate(&pool, NULL));
    bad.allocType = (CUmemAllocationType)9;
    WHEN("allocType 9");
    R(cuMemPoolCreate(&pool, &bad));
    bad = props;
    bad.location.id = 1000;
    WHEN("location 1000");
    R(cuMemPoolCreate(&pool, &bad));
    bad = props;
    bad.location.type = (CUmemLocationType)9;
    WHEN("location type 9");
    R(cuMemPoolCreate(&pool, &bad));
    bad = props;
    bad.location.type = CU_MEM_LOCATION_TYPE_HOST;
    WHEN("location type host");
    R(cuMemPoolCreate(&pool, &bad));
    bad = props;
    bad.handleTypes = (CUmemAllocationHandleType)0x100;
    WHEN("handle type 256");
    R(cuMemPoolCreate(&pool, &bad));
    bad = props;
    bad.handleTypes = CU_MEM_HANDLE_TYPE_WIN32;
    WHEN("handle type of Windows");
    R(cuMemPoolCreate(&pool, &bad));
    WHEN("");
    R(cuMemPoolDestroy(standard));
    R(cuMemPoolDestroy(NULL));
    R(cuMemPoolSetAttribute(standard, (CUmemPool_attribute)99, &value));
    R(cuMemPoolSetAttribute(standard, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, NULL));
    R(cuMemPoolSetAttribute(NULL, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
    value = 5;
    R(cuMemPoolSetAttribute(standard, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &value));
    R(cuMemPoolSetAttribute(standard, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value));
    R(cuMemPoolSetAttribute(standard, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &value));
    value = 0;
    R(cuMemPoolSetAttribute(standard, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value));
    R(cuMemPoolSetAttribute(standard, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &value));
    R(cuMemPoolGetAttribute(standard, (CUmemPool_attribute)99, &value));
    R(cuMemPoolGetAttribute(standard, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, NULL));
    V(cuMemPoolGetAttribute(standard, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value), value);
    V(cuMemPoolGetAttribute(standard, CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, &i), i);
    V(cuMemPoolGetAttribute(standard, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &i), i);
    V(cuMemPoolGetAttribute(standard, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, &i), i);
    V(cuMemPoolGetAttribute(standard, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value), value);
    V(cuMemPoolGetAttribute(standard, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &value), value);
    R(cuMemPoolTrimTo(NULL, 0));
    R(cuMemPoolTrimTo(standard, 0));
    CUmemAccessDesc desc = {{.type = CU_MEM_LOCATION_TYPE_DEVICE}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    R(cuMemPoolSetAccess(standard, NULL, 1));
    R(cuMemPoolSetAccess(standard, NULL, 0));
    R(cuMemPoolSetAccess(standard, &desc, 0));
    R(cuMemPoolSetAccess(standard, &desc, 1));
    desc.flags = (CUmemAccess_flags)0;
    WHEN("no access for the owner");
    R(cuMemPoolSetAccess(standard, &desc, 1));
    desc.flags = (CUmemAccess_flags)9;
    WHEN("access 9");
    R(cuMemPoolSetAccess(standard, &desc, 1));
    desc.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    desc.location.id = 1000;
    WHEN("device 1000");
    R(cuMemPoolSetAccess(standard, &desc, 1));
    R(cuMemPoolGetAccess(&access, standard, &desc.location));
    desc.location.id = 0;
    desc.location.type = CU_MEM_LOCATION_TYPE_HOST;
    WHEN("host");
    R(cuMemPoolSetAccess(standard, &desc, 1));
    R(cuMemPoolGetAccess(&access, standard, &desc.location));
    desc.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    WHEN("");
    V(cuMemPoolGetAccess(&access, standard, &desc.location), access);
    R(cuMemPoolGetAccess(NULL, standard, &desc.location));
    R(cuMemPoolGetAccess(&access, standard, NULL));
    R(cuMemAllocAsync(NULL, 16, NULL));
    R(cuMemAllocAsync(&p, 0, NULL));
    R(cuMemAllocAsync(&p, (size_t)1 << 50, NULL));
    R(cuMemAllocFromPoolAsync(&p, 16, NULL, NULL));
    R(cuMemAllocFromPoolAsync(NULL, 16, standard, NULL));
    R(cuMemFreeAsync(0, NULL));
    R(cuMemFreeAsync(4096, NULL));
    R(cuMemFreeAsync(q, NULL));
    OK(cuMemAllocAsync(&p, 64, NULL));
    R(cuMemFreeAsync(p + 4, NULL));
    R(cuMemFreeAsync(p, NULL));
    WHEN("freed");
    R(cuMemFreeAsync(p, NULL));
    OK(cuCtxSynchronize());
    R(cuMemFreeAsync(p, NULL));
    R(cuMemFree_v2(p));
    WHEN("small");
    props.maxSize = 1 << 20;
    OK(cuMemPoolCreate(&pool, &props));
    R(cuMemAllocFromPoolAsync(&p, 1 << 30, pool, NULL));
    R(cuMemAllocFromPoolAsync(&p, 1 << 20, pool, NULL));
    V(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value), value);
    R(cuMemFree_v2(p));
    V(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value), value);
    V(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &value), value);
    R(cuMemPoolExportToShareableHandle(&i, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    R(cuMemPoolExportToShareableHandle(&i, standard, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    R(cuMemPoolExportToShareableHandle(NULL, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    R(cuMemPoolImportFromShareableHandle(
        NULL, (void *)(uintptr_t)1, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    R(cuDeviceSetMemPool(0, pool));
    R(cuMemPoolDestroy(pool));
    CUmemoryPool now = NULL;
    V(cuDeviceGetMemPool(&now, 0), now == standard);
    WHEN("for export");
    props.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    R(cuMemPoolCreate(&pool, &props));
    CUmemPoolPtrExportData data;
    OK(cuMemAllocFromPoolAsync(&p, 64, pool, NULL));
    R(cuMemPoolExportPointer(NULL, p));
    R(cuMemPoolExportPointer(&data, q));
    R(cuMemPoolExportPointer(&data, 0));
    R(cuMemPoolExportPointer(&data, p));
    R(cuMemPoolImportPointer(&q, NULL, &data));
    R(cuMemPoolExportToShareableHandle(&i, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 1));
    R(cuMemPoolExportToShareableHandle(&i, pool, CU_MEM_HANDLE_TYPE_WIN32, 0));
    R(cuMemPoolExportToShareableHandle(&i, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    CUmemoryPool opened = NULL;
    WHEN("imported");
    R(cuMemPoolImportFromShareableHandle(
        &opened, (void *)(intptr_t)i, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    R(cuMemPoolImportFromShareableHandle(
        &opened, (void *)(intptr_t)i, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 1));
    if (opened != NULL) {
        CUdeviceptr r = 0;
        R(cuMemPoolImportPointer(&r, opened, &data));
        R(cuMemAllocFromPoolAsync(&r, 64, opened, NULL));
        R(cuMemPoolSetAttribute(opened, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
        R(cuMemPoolDestroy(opened));
    }
}

GROUP(pointers)
{
    start();
    CUdeviceptr p = memory(1000), m = 0;
    long long room[8] = {0};
    void *rooms[2] = {&room[0], &room[1]};
    CUpointer_attribute both[2] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_CONTEXT};
    CUpointer_attribute odd[2] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUpointer_attribute)99};
    int yes = 1;
    OK(cuMemAllocManaged(&m, 4096, 1));
    R(cuPointerGetAttribute(NULL, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
    R(cuPointerGetAttribute(room, (CUpointer_attribute)0, p));
    R(cuPointerGetAttribute(room, (CUpointer_attribute)99, p));
    R(cuPointerGetAttribute(room, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 0));
    R(cuPointerGetAttribute(room, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 4096));
    R(cuPointerGetAttribute(room, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)page));
    R(cuPointerGetAttribute(room, CU_POINTER_ATTRIBUTE_HOST_POINTER, p));
    R(cuPointerGetAttribute(room, CU_POINTER_ATTRIBUTE_P2P_TOKENS, p));
    R(cuPointerGetAttribute(room, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p));
    R(cuPointerGetAttributes(0, both, rooms, p));
    R(cuPointerGetAttributes(2, NULL, rooms, p));
    R(cuPointerGetAttributes(2, both, NULL, p));
    R(cuPointerGetAttributes(2, odd, rooms, p));
    R(cuPointerGetAttributes(2, both, rooms, p));
    R(cuPointerGetAttributes(2, both, rooms, 0));
    R(cuPointerGetAttributes(2, both, rooms, (CUdeviceptr)(uintptr_t)page));
    R(cuPointerSetAttribute(NULL, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
    R(cuPointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
    R(cuPointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, 0));
    R(cuPointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, (CUdeviceptr)(uintptr_t)page));
    R(cuPointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
    V(cuPointerGetAttribute(room, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p), *(int *)room);
    R(cuPointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, m));
    CUmemLocation here = {.type = CU_MEM_LOCATION_TYPE_DEVICE}, bad = {.type = (CUmemLocationType)77};
    CUmemLocation far = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 1000};
    R(cuMemAdvise_v2(m, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
    R(cuMemAdvise_v2(m, 0, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
    R(cuMemAdvise_v2(m, 100000000, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
    R(cuMemAdvise_v2(m, 4096, (CUmem_advise)99, here));
    R(cuMemAdvise_v2(m, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, bad));
    R(cuMemAdvise_v2(m, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, far));
    R(cuMemAdvise_v2(p, 1000, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
    R(cuMemAdvise_v2((CUdeviceptr)(uintptr_t)page, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
    R(cuMemAdvise(m, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    R(cuMemAdvise(m, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, 1000));
    R(cuMemAdvise(m, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, CU_DEVICE_CPU));
    R(cuMemPrefetchAsync(m, 4096, 0, NULL));
    R(cuMemPrefetchAsync(m, 0, 0, NULL));
    R(cuMemPrefetchAsync(m, 4096, 1000, NULL));
    R(cuMemPrefetchAsync(p, 1000, 0, NULL));
    R(cuMemPrefetchAsync_v2(m, 4096, here, 0, NULL));
    R(cuMemPrefetchAsync_v2(m, 4096, here, 1, NULL));
    R(cuMemPrefetchAsync_v2(m, 4096, bad, 0, NULL));
    R(cuMemPrefetchAsync_v2(p, 1000, here, 0, NULL));
    R(cuMemRangeGetAttribute(room, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, m, 4096));
    R(cuMemRangeGetAttribute(room, 8, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, m, 4096));
    R(cuMemRangeGetAttribute(room, 3, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, m, 4096));
    R(cuMemRangeGetAttribute(NULL, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, m, 4096));
    R(cuMemRangeGetAttribute(room, 4, (CUmem_range_attribute)99, m, 4096));
    R(cuMemRangeGetAttribute(room, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, 1000));
    R(cuMemRangeGetAttribute(room, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, m, 0));
    R(cuStreamAttachMemAsync(NULL, m, 0, CU_MEM_ATTACH_GLOBAL));
    R(cuStreamAttachMemAsync(NULL, m, 0, CU_MEM_ATTACH_SINGLE));
    R(cuStreamAttachMemAsync(NULL, m, 0, 9));
    R(cuStreamAttachMemAsync(NULL, p, 0, CU_MEM_ATTACH_GLOBAL));
    R(cuStreamAttachMemAsync(NULL, m, 100, CU_MEM_ATTACH_GLOBAL));
    int fd = -1;
    R(cuMemGetHandleForAddressRange(NULL, p, 1000, (CUmemRangeHandleType)1, 0));
    R(cuMemGetHandleForAddressRange(&fd, p, 1000, (CUmemRangeHandleType)99, 0));
    R(cuMemGetHandleForAddressRange(&fd, p, 1000, (CUmemRangeHandleType)1, 0));
}

GROUP(other_processes)
{
    start();
    CUdeviceptr p = memory(1000), q = 0;
    CUipcMemHandle handle, zeros;
    CUipcEventHandle event_handle;
    memset(&zeros, 0, sizeof zeros);
    memset(&event_handle, 0, sizeof event_handle);
    CUevent e = NULL, timed = new_event(0);
    R(cuIpcGetMemHandle(NULL, p));
    R(cuIpcGetMemHandle(&handle, 0));
    R(cuIpcGetMemHandle(&handle, 4096));
    R(cuIpcGetMemHandle(&handle, (CUdeviceptr)(uintptr_t)page));
    R(cuIpcGetMemHandle(&handle, p + 8));
    R(cuIpcGetMemHandle(&handle, p));
    R(cuIpcOpenMemHandle_v2(NULL, handle, 1));
    R(cuIpcOpenMemHandle_v2(&q, zeros, 1));
    R(cuIpcOpenMemHandle_v2(&q, handle, 0));
    R(cuIpcOpenMemHandle_v2(&q, handle, 2));
    R(cuIpcOpenMemHandle_v2(&q, handle, 1));
    R(cuIpcCloseMemHandle(p));
    R(cuIpcCloseMemHandle(0));
    R(cuIpcCloseMemHandle(4096));
    R(cuIpcGetEventHandle(NULL, timed));
    R(cuIpcGetEventHandle(&event_handle, timed));
    R(cuIpcGetEventHandle(&event_handle, NULL));
    R(cuIpcOpenEventHandle(&e, event_handle));
    R(cuIpcOpenEventHandle(NULL, event_handle));
    R(cuEventCreate(&e, CU_EVENT_INTERPROCESS));
    R(cuEventCreate(&e, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    R(cuIpcGetEventHandle(&event_handle, e));
    R(cuIpcOpenEventHandle(&e, event_handle));
}

GROUP(physical_memory)
{
    start();
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemAllocationProp bad = prop, read = prop;
    CUmemGenericAllocationHandle h = 0, again = 0;
    CUdeviceptr p = 0, q = memory(4096);
    size_t unit = 0;
    unsigned long long flags = 0;
    int fd = -1;
    CUmemAccessDesc rw = {{.type = CU_MEM_LOCATION_TYPE_DEVICE}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    V(cuMemGetAllocationGranularity(&unit, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM), unit);
    V(cuMemGetAllocationGranularity(&unit, &prop, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED), unit);
    R(cuMemGetAllocationGranularity(NULL, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    R(cuMemGetAllocationGranularity(&unit, NULL, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    R(cuMemGetAllocationGranularity(&unit, &prop, (CUmemAllocationGranularity_flags)9));
    bad.location.id = 1000;
    WHEN("device 1000");
    R(cuMemGetAllocationGranularity(&unit, &bad, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    R(cuMemCreate(&h, 2097152, &bad, 0));
    bad = prop;
    bad.type = (CUmemAllocationType)0;
    WHEN("type 0");
    R(cuMemGetAllocationGranularity(&unit, &bad, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    R(cuMemCreate(&h, 2097152, &bad, 0));
    bad = prop;
    bad.location.type = (CUmemLocationType)0;
    WHEN("location type 0");
    R(cuMemCreate(&h, 2097152, &bad, 0));
    bad = prop;
    bad.requestedHandleTypes = (CUmemAllocationHandleType)0x100;
    WHEN("handle type 256");
    R(cuMemCreate(&h, 2097152, &bad, 0));
    WHEN("");
    R(cuMemCreate(NULL, 2097152, &prop, 0));
    R(cuMemCreate(&h, 2097152, NULL, 0));
    R(cuMemCreate(&h, 0, &prop, 0));
    R(cuMemCreate(&h, 1000, &prop, 0));
    R(cuMemCreate(&h, 2097152, &prop, 1));
    R(cuMemCreate(&h, (size_t)1 << 50, &prop, 0));
    R(cuMemAddressReserve(NULL, 2097152, 0, 0, 0));
    R(cuMemAddressReserve(&p, 0, 0, 0, 0));
    R(cuMemAddressReserve(&p, 1000, 0, 0, 0));
    R(cuMemAddressReserve(&p, 4096, 0, 0, 0));
    R(cuMemAddressReserve(&p, 2097152, 3, 0, 0));
    R(cuMemAddressReserve(&p, 2097152, 0, 0, 1));
    R(cuMemAddressReserve(&p, (size_t)1 << 60, 0, 0, 0));
    R(cuMemAddressFree(0, 2097152));
    R(cuMemAddressFree(4096, 2097152));
    OK(cuMemCreate(&h, 2097152, &prop, 0));
    OK(cuMemAddressReserve(&p, 4 * 2097152, 0, 0, 0));
    R(cuMemMap(0, 2097152, 0, h, 0));
    R(cuMemMap(q, 2097152, 0, h, 0));
    R(cuMemMap(p, 0, 0, h, 0));
    R(cuMemMap(p, 1000, 0, h, 0));
    R(cuMemMap(p + 4096, 2097152, 0, h, 0));
    R(cuMemMap(p, 2097152, 4096, h, 0));
    R(cuMemMap(p, 2 * 2097152, 0, h, 0));
    R(cuMemMap(p, 2097152, 0, 0, 0));
    R(cuMemMap(p, 2097152, 0, h, 1));
    R(cuMemSetAccess(p, 2097152, &rw, 1));
    R(cuMemUnmap(p, 2097152));
    R(cuMemGetAccess(&flags, &rw.location, p));
    R(cuMemMap(p, 2097152, 0, h, 0));
    WHEN("mapped");
    R(cuMemMap(p, 2097152, 0, h, 0));
    V(cuMemGetAccess(&flags, &rw.location, p), flags);
    R(cuMemsetD8_v2(p, 1, 16));
    R(cuMemSetAccess(p, 2097152, NULL, 1));
    R(cuMemSetAccess(p, 2097152, &rw, 0));
    R(cuMemSetAccess(p, 1000, &rw, 1));
    R(cuMemSetAccess(p, 2 * 2097152, &rw, 1));
    R(cuMemSetAccess(p + 2097152, 2097152, &rw, 1));
    rw.flags = (CUmemAccess_flags)9;
    WHEN("access 9");
    R(cuMemSetAccess(p, 2097152, &rw, 1));
    rw.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    WHEN("mapped");
    R(cuMemSetAccess(p, 2097152, &rw, 1));
    V(cuMemGetAccess(&flags, &rw.location, p), flags);
    V(cuMemGetAccess(&flags, &rw.location, p + 100), flags);
    R(cuMemGetAccess(NULL, &rw.location, p));
    R(cuMemGetAccess(&flags, NULL, p));
    R(cuMemGetAccess(&flags, &rw.location, q));
    R(cuMemsetD8_v2(p, 1, 2097152));
    R(cuMemsetD8_v2(p, 1, 2097153));
    R(cuMemFree_v2(p));
    V(cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)p), again == h);
    V(cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)(p + 5000)), again == h);
    R(cuMemRetainAllocationHandle(NULL, (void *)(uintptr_t)p));
    R(cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)q));
    R(cuMemRetainAllocationHandle(&again, NULL));
    R(cuMemGetAllocationPropertiesFromHandle(NULL, h));
    R(cuMemGetAllocationPropertiesFromHandle(&read, 0));
    V(cuMemGetAllocationPropertiesFromHandle(&read, h), read.location.type);
    R(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    R(cuMemExportToShareableHandle(NULL, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    R(cuMemImportFromShareableHandle(NULL, NULL, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    R(cuMemAddressFree(p, 4 * 2097152));
    R(cuMemUnmap(p, 1000));
    R(cuMemUnmap(p, 2 * 2097152));
    R(cuMemRelease(h));
    R(cuMemRelease(h));
    R(cuMemRelease(h));
    R(cuMemRelease(h));
    R(cuMemsetD8_v2(p, 1, 16));
    R(cuMemUnmap(p, 2097152));
    WHEN("unmapped");
    R(cuMemUnmap(p, 2097152));
    R(cuMemsetD8_v2(p, 1, 16));
    R(cuMemRelease(h));
    R(cuMemRelease(0));
    R(cuMemAddressFree(p, 2097152));
    R(cuMemAddressFree(p + 2097152, 2097152));
    R(cuMemAddressFree(p, 4 * 2097152));
    R(cuMemAddressFree(p, 4 * 2097152));
    WHEN("exported");
    prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    R(cuMemCreate(&h, 2097152, &prop, 0));
    R(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    R(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_WIN32, 0));
    R(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 5));
    R(cuMemImportFromShareableHandle(
        &again, (void *)(intptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    R(cuMemRelease(again));
}
