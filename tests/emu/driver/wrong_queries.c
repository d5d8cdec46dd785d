/* Sweeps of questions: attributes of devices, pointers, functions; limits, pools, occupancy. */
#include "wrong.h"

#include <stdarg.h>

/* A row whose text is made at run time. */
static void
row(int code, long long value, const char *format, ...)
{
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (wrong_begin(text)) {
        wrong_end_value(code, value);
    }
}

GROUP(device_attributes)
{
    start();
    for (int i = 0; i <= 150; i++) {
        int value = -77;
        int code = (int)cuDeviceGetAttribute(&value, (CUdevice_attribute)i, 0);
        row(code, value, "device attribute %d", i);
    }
}

static void
pointer_attributes(const char *name, CUdeviceptr at)
{
    for (int i = 1; i <= 23; i++) {
        unsigned long long room[16];
        memset(room, 0xEE, sizeof room);
        int code = (int)cuPointerGetAttribute(room, (CUpointer_attribute)i, at);
        long long value = 0;
        switch (i) {
        case 1: /* context */
            value = code != 0 ? 0 : (CUcontext)room[0] == context ? 1 : room[0] == 0 ? 2 : 3;
            break;
        case 3: /* addresses */
        case 4:
        case 11:
        case 19:
            value = code != 0 ? 0 : (long long)(room[0] - at);
            break;
        case 5:
        case 7:
        case 20:
            value = room[0] != 0;
            break;
        case 17:
            value = room[0] != 0;
            break;
        case 12:
        case 14:
        case 18:
            value = (long long)room[0];
            break;
        default:
            value = *(int *)room;
        }
        row(code, value, "%s: pointer attribute %d", name, i);
        memset(room, 0xEE, sizeof room);
        CUpointer_attribute list[1] = {(CUpointer_attribute)i};
        void *rooms[1] = {room};
        code = (int)cuPointerGetAttributes(1, list, rooms, at);
        value = i == 1 || i == 7 || i == 17 || i == 20 ? room[0] != 0
                : i == 3 || i == 4 || i == 11 || i == 19
                    ? (room[0] == 0 ? -1 : (long long)(room[0] - at))
                    : *(int *)room;
        row(code, value, "%s: pointer attributes %d", name, i);
    }
}

GROUP(pointer_attributes)
{
    static char page[1 << 16] __attribute__((aligned(4096)));
    start_with_kernels();
    CUdeviceptr m = 0, async = 0, global = 0, reserved = 0, pitched = 0;
    void *host = NULL;
    size_t pitch = 0;
    CUmemGenericAllocationHandle h = 0;
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemAccessDesc rw = {{.type = CU_MEM_LOCATION_TYPE_DEVICE}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    pointer_attributes("device", memory(1000));
    pointer_attributes("inside device", memory(1000) + 100);
    OK(cuMemAllocManaged(&m, 5000, 1));
    pointer_attributes("managed", m);
    OK(cuMemHostAlloc(&host, 5000, 0));
    pointer_attributes("pinned", (CUdeviceptr)(uintptr_t)host);
    OK(cuMemHostRegister_v2(page, 8192, 0));
    pointer_attributes("registered", (CUdeviceptr)(uintptr_t)page + 16);
    pointer_attributes("pageable", (CUdeviceptr)(uintptr_t)page + 16384);
    pointer_attributes("null", 0);
    OK(cuMemAllocAsync(&async, 1000, NULL));
    OK(cuCtxSynchronize());
    pointer_attributes("pool", async);
    OK(cuModuleGetGlobal_v2(&global, NULL, module, "counter"));
    pointer_attributes("module variable", global);
    OK(cuMemAllocPitch_v2(&pitched, &pitch, 100, 10, 4));
    pointer_attributes("pitched", pitched);
    OK(cuMemCreate(&h, 2097152, &prop, 0));
    OK(cuMemAddressReserve(&reserved, 2 * 2097152, 0, 0, 0));
    pointer_attributes("reserved", reserved);
    OK(cuMemMap(reserved, 2097152, 0, h, 0));
    pointer_attributes("mapped", reserved + 100);
    OK(cuMemSetAccess(reserved, 2097152, &rw, 1));
    pointer_attributes("mapped with access", reserved + 100);
}

GROUP(function_attributes)
{
    start_with_kernels();
    CUfunction list[] = {plain, bounded, hungry};
    const char *names[] = {"plain", "bounded", "hungry"};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i <= 16; i++) {
            int value = -77;
            int code = (int)cuFuncGetAttribute(&value, (CUfunction_attribute)i, list[k]);
            row(code, value, "%s: function attribute %d", names[k], i);
        }
        for (int i = 0; i <= 16; i++) {
            row((int)cuFuncSetAttribute(list[k], (CUfunction_attribute)i, 1), 0,
                "%s: set function attribute %d to 1", names[k], i);
        }
    }
    for (int i = 0; i <= 16; i++) {
        int value = -77;
        int code = (int)cuFuncGetAttribute(&value, (CUfunction_attribute)i, plain);
        row(code, value, "plain afterwards: function attribute %d", i);
    }
}

GROUP(occupancy)
{
    start_with_kernels();
    CUfunction list[] = {plain, bounded, hungry};
    const char *names[] = {"plain", "bounded", "hungry"};
    static const int threads[] = {1, 31, 32, 33, 64, 96, 128, 256, 512, 768, 1023, 1024, 1025};
    static const size_t shared[] = {0, 1000, 16384, 49152, 100000, 232448};
    for (int k = 0; k < 3; k++) {
        for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
            for (size_t s = 0; s < sizeof shared / sizeof shared[0]; s++) {
                int value = -77;
                int code = (int)cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, list[k],
                                                                            threads[t], shared[s]);
                row(code, value, "%s: blocks of %d threads, %zu bytes", names[k], threads[t],
                    shared[s]);
            }
        }
        for (int limit = 0; limit <= 1024; limit += 100) {
            int grid = -1, block = -1;
            int code =
                (int)cuOccupancyMaxPotentialBlockSize(&grid, &block, list[k], NULL, 0, limit);
            row(code, block, "%s: best block of at most %d", names[k], limit);
        }
        for (int blocks = 1; blocks <= 32; blocks *= 2) {
            size_t bytes = 0;
            int code =
                (int)cuOccupancyAvailableDynamicSMemPerBlock(&bytes, list[k], blocks, 64);
            row(code, (long long)bytes, "%s: bytes left for %d blocks", names[k], blocks);
        }
    }
}
