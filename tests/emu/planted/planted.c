/* Runs one case of planted.cu, wrong or right: `planted IMAGE CASE 0|1`. Prints the driver's answer
 * to the last synchronisation and, on the emulated device, what was found. IMAGE is PTX or, for a
 * GPU, anything cuModuleLoad takes. */
#ifdef WITH_TOOLKIT
#include <cuda.h>
#else
#include "cuda/cuda_abi.h"
#endif
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef WITH_TOOLKIT
#define CU(name, params) CUresult name params;
#define NVRTC(name, params)
#include "tables/cuda_api.def"
#endif

static CUmodule module;
static int bug;

#define OK(call)                                                                                   \
    do {                                                                                           \
        CUresult code_ = (call);                                                                   \
        if (code_ != 0) {                                                                          \
            fprintf(stderr, "%s:%d: %s gave %d\n", __FILE__, __LINE__, #call, (int)code_);         \
            exit(2);                                                                               \
        }                                                                                          \
    } while (0)

/* ---- common ground --------------------------------------------------------------------------- */

static CUdeviceptr
memory(size_t bytes)
{
    CUdeviceptr p;
    OK(cuMemAlloc_v2(&p, bytes));
    return p;
}

static CUdeviceptr
zeros(size_t bytes)
{
    CUdeviceptr p = memory(bytes);
    OK(cuMemsetD8_v2(p, 0, bytes));
    return p;
}

typedef struct {
    unsigned grid, block, shared;
    CUstream stream;
} Shape;

static CUresult
launch(const char *name, Shape shape, void **arguments)
{
    CUfunction function;
    OK(cuModuleGetFunction(&function, module, name));
    return cuLaunchKernel(function, shape.grid, 1, 1, shape.block, 1, 1, shape.shared, shape.stream,
                          arguments, NULL);
}

static CUresult
launch_and_wait(const char *name, Shape shape, void **arguments)
{
    CUresult code = launch(name, shape, arguments);
    return code != 0 ? code : cuCtxSynchronize();
}

/* Most kernels: (int *out, int bug) in one block, `out` big enough and zero. */
static CUresult
plain(const char *name, unsigned threads, unsigned shared)
{
    CUdeviceptr out = zeros(4096);
    CUresult code =
        launch_and_wait(name, (Shape){1, threads, shared, NULL}, (void *[]){&out, &bug});
    cuMemFree_v2(out);
    return code;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static CUresult
read_outside(void)
{
    CUdeviceptr a = zeros(4 * 256), out = zeros(4096);
    CUresult code =
        launch_and_wait("read_outside", (Shape){2, 128, 0, NULL}, (void *[]){&a, &out, &bug});
    cuMemFree_v2(a);
    cuMemFree_v2(out);
    return code;
}

static CUresult
write_outside(void)
{
    CUdeviceptr a = zeros(4 * 100);
    int n = 100;
    CUresult code =
        launch_and_wait("write_outside", (Shape){4, 32, 0, NULL}, (void *[]){&a, &n, &bug});
    cuMemFree_v2(a);
    return code;
}

static CUresult
misaligned(void)
{
    return plain("misaligned", 64, 0);
}

static CUresult
use_after_free(void)
{
    CUdeviceptr a = zeros(4 << 20);
    if (bug) {
        OK(cuMemFree_v2(a));
    }
    CUresult code = launch_and_wait("touch", (Shape){1, 32, 0, NULL}, (void *[]){&a});
    if (!bug) {
        cuMemFree_v2(a);
    }
    return code;
}

static CUresult
host_pointer(void)
{
    static float host[32];
    CUdeviceptr a = zeros(sizeof host), wrong = (CUdeviceptr)(size_t)host;
    CUresult code =
        launch_and_wait("touch", (Shape){1, 32, 0, NULL}, (void *[]){bug ? &wrong : &a});
    cuMemFree_v2(a);
    return code;
}

static CUresult
write_constant(void)
{
    return plain("write_constant", 4, 0);
}

static CUresult
local_overrun(void)
{
    return plain("local_overrun", 32, 0);
}

static CUresult
shared_overrun(void)
{
    return plain("shared_overrun", 64, 64 * 4);
}

static CUresult
stack_overflow(void)
{
    return plain("stack_overflow", 32, 0);
}

static CUresult
free_twice(void)
{
    return plain("free_twice", 32, 0);
}

static CUresult
wrong_parameters(void)
{
    CUfunction function;
    CUdeviceptr out = zeros(4096);
    struct {
        CUdeviceptr out;
        int a;
        double b;
    } packed = {out, 1, 2.0};
    size_t bytes = bug ? sizeof packed.out + sizeof packed.a : sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    OK(cuModuleGetFunction(&function, module, "parameters"));
    CUresult code = cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra);
    code = code != 0 ? code : cuCtxSynchronize();
    cuMemFree_v2(out);
    return code;
}

/* The correct counterpart frees what it allocates. */
static CUresult
leak(void)
{
    CUdeviceptr a = zeros(12345);
    return bug ? 0 : cuMemFree_v2(a);
}

/* ---- threads --------------------------------------------------------------------------------- */

static CUresult
divergent_barrier(void)
{
    return plain("divergent_barrier", 64, 0);
}

static CUresult
other_barrier(void)
{
    return plain("other_barrier", 64, 0);
}

static CUresult
deadlock(void)
{
    return plain("deadlock", 64, 0);
}

static CUresult
shuffle_mask(void)
{
    return plain("shuffle_mask", 32, 0);
}

static CUresult
shuffle_from_nowhere(void)
{
    return plain("shuffle_from_nowhere", 32, 0);
}

static CUresult
missing_barrier(void)
{
    return plain("missing_barrier", 128, 0);
}

static CUresult
missing_syncwarp(void)
{
    return plain("missing_syncwarp", 32, 0);
}

static CUresult
racy_histogram(void)
{
    return plain("racy_histogram", 64, 0);
}

static CUresult
missing_fence(void)
{
    CUdeviceptr data = zeros(256), flag = zeros(4), out = zeros(256);
    CUresult code = launch_and_wait("missing_fence", (Shape){2, 64, 0, NULL},
                                    (void *[]){&data, &flag, &out, &bug});
    cuMemFree_v2(data);
    cuMemFree_v2(flag);
    cuMemFree_v2(out);
    return code;
}

static CUresult
unwritten_global(void)
{
    CUdeviceptr a = bug ? memory(256) : zeros(256), out = zeros(256);
    CUresult code =
        launch_and_wait("unwritten_global", (Shape){1, 64, 0, NULL}, (void *[]){&a, &out});
    cuMemFree_v2(a);
    cuMemFree_v2(out);
    return code;
}

static CUresult
unwritten_shared(void)
{
    return plain("unwritten_shared", 64, 0);
}

/* ---- streams --------------------------------------------------------------------------------- */

static CUstream streams[2];
static CUevent event;

static void
make_streams(void)
{
    OK(cuStreamCreate(&streams[0], CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&streams[1], CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    OK(cuCtxSynchronize());
}

/* Lets the second stream wait for the first, unless that is what is missing. */
static void
connect(void)
{
    if (!bug) {
        OK(cuEventRecord(event, streams[0]));
        OK(cuStreamWaitEvent(streams[1], event, 0));
    }
}

static CUresult
two_streams(void)
{
    CUdeviceptr a = zeros(4000);
    int n = 1000, one = 1, two = 2;
    make_streams();
    OK(launch("fill", (Shape){4, 64, 0, streams[0]}, (void *[]){&a, &n, &one}));
    connect();
    OK(launch("fill", (Shape){4, 64, 0, streams[1]}, (void *[]){&a, &n, &two}));
    CUresult code = cuCtxSynchronize();
    cuMemFree_v2(a);
    return code;
}

static CUresult
freed_elsewhere(void)
{
    CUdeviceptr a;
    int n = 1000, one = 1;
    make_streams();
    OK(cuMemAllocAsync(&a, 4000, streams[0]));
    OK(launch("fill", (Shape){4, 64, 0, streams[0]}, (void *[]){&a, &n, &one}));
    connect();
    OK(cuMemFreeAsync(a, streams[1]));
    return cuCtxSynchronize();
}

static CUresult
missing_event(void)
{
    CUdeviceptr a = zeros(4000), out = zeros(4000);
    void *pinned;
    make_streams();
    OK(cuMemAllocHost_v2(&pinned, 4000));
    memset(pinned, 0, 4000);
    OK(cuMemcpyHtoDAsync_v2(a, pinned, 4000, streams[0]));
    connect();
    OK(launch("unwritten_global", (Shape){1, 64, 0, streams[1]}, (void *[]){&a, &out}));
    CUresult code = cuCtxSynchronize();
    cuMemFree_v2(a);
    cuMemFree_v2(out);
    cuMemFreeHost(pinned);
    return code;
}

/* The program looks at what a copy is still writing; only the emulated device can be told. */
static CUresult
early_look(void)
{
    int (*look)(const void *, size_t, int) =
        (int (*)(const void *, size_t, int))dlsym(RTLD_DEFAULT, "cuEmuHostAccess");
    CUdeviceptr a = zeros(4000);
    void *pinned;
    make_streams();
    OK(cuMemAllocHost_v2(&pinned, 4000));
    OK(cuMemcpyDtoHAsync_v2(pinned, a, 4000, streams[0]));
    if (!bug) {
        OK(cuStreamSynchronize(streams[0]));
    }
    CUresult code = look != NULL ? (CUresult)look(pinned, 4000, 0) : 0;
    CUresult end = cuCtxSynchronize();
    cuMemFree_v2(a);
    cuMemFreeHost(pinned);
    return code != 0 ? code : end;
}

/* ---- arrays: 32 x 4 words -------------------------------------------------------------------- */

enum { WIDTH = 32, HEIGHT = 4, ROW = 4 * WIDTH };

static CUarray
make_array(void)
{
    CUarray made;
    CUDA_ARRAY3D_DESCRIPTOR about = {.Width = WIDTH,
                                     .Height = HEIGHT,
                                     .Format = CU_AD_FORMAT_UNSIGNED_INT32,
                                     .NumChannels = 1,
                                     .Flags = CUDA_ARRAY3D_SURFACE_LDST};
    OK(cuArray3DCreate_v2(&made, &about));
    return made;
}

static void
fill_array(CUarray to, const void *from, CUstream stream)
{
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = from,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = to,
                          .WidthInBytes = ROW,
                          .Height = HEIGHT};
    OK(cuMemcpy2DAsync_v2(&copy, stream));
}

static CUtexObject
texture_of(CUarray of)
{
    CUtexObject texture;
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC how;
    memset(&resource, 0, sizeof resource);
    memset(&how, 0, sizeof how);
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = of;
    how.flags = CU_TRSF_READ_AS_INTEGER;
    OK(cuTexObjectCreate(&texture, &resource, &how, NULL));
    return texture;
}

static CUsurfObject
surface_of(CUarray of)
{
    CUsurfObject surface;
    CUDA_RESOURCE_DESC resource;
    memset(&resource, 0, sizeof resource);
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = of;
    OK(cuSurfObjectCreate(&surface, &resource));
    return surface;
}

static unsigned pixels[HEIGHT][WIDTH];
static CUarray array;

/* Gives back what a correct counterpart has used; after a fault there is nothing to give back to. */
static CUresult
done(CUdeviceptr out, CUresult code)
{
    if (code == 0) {
        OK(cuArrayDestroy(array));
        OK(out != 0 ? cuMemFree_v2(out) : 0);
    }
    return code;
}

static CUresult
read_texture(CUtexObject texture)
{
    CUdeviceptr out = zeros(4096);
    return done(out, launch_and_wait("read_texture", (Shape){1, WIDTH, 0, NULL},
                                     (void *[]){&texture, &out}));
}

static CUresult
destroyed_texture(void)
{
    array = make_array();
    fill_array(array, pixels, NULL);
    CUtexObject texture = texture_of(array);
    if (bug) {
        OK(cuTexObjectDestroy(texture));
    }
    return read_texture(texture);
}

static CUresult
freed_array(void)
{
    array = make_array();
    fill_array(array, pixels, NULL);
    CUtexObject texture = texture_of(array);
    OK(cuCtxSynchronize());
    if (bug) {
        OK(cuArrayDestroy(array));
    }
    return read_texture(texture);
}

static CUresult
unwritten_array(void)
{
    array = make_array();
    if (!bug) {
        fill_array(array, pixels, NULL);
    }
    return read_texture(texture_of(array));
}

static CUresult
write_surface(const char *kernel)
{
    array = make_array();
    CUsurfObject surface = surface_of(array);
    return done(0, launch_and_wait(kernel, (Shape){1, WIDTH, 0, NULL}, (void *[]){&surface, &bug}));
}

static CUresult
surface_outside(void)
{
    return write_surface("surface_outside");
}

static CUresult
racy_surface(void)
{
    return write_surface("racy_surface");
}

/* A texture is read while a copy on another stream fills it. */
static CUresult
early_texture(void)
{
    CUdeviceptr out = zeros(4096);
    void *pinned;
    array = make_array();
    CUtexObject texture = texture_of(array);
    OK(cuMemAllocHost_v2(&pinned, sizeof pixels));
    memset(pinned, 0, sizeof pixels);
    make_streams();
    fill_array(array, pinned, streams[0]);
    connect();
    OK(launch("read_texture", (Shape){1, WIDTH, 0, streams[1]}, (void *[]){&texture, &out}));
    CUresult code = cuCtxSynchronize();
    cuMemFreeHost(pinned);
    return done(out, code);
}

/* A row more than the array has: the driver itself refuses. */
static CUresult
copy_outside_array(void)
{
    static unsigned more[HEIGHT + 1][WIDTH];
    array = make_array();
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = more,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = array,
                          .WidthInBytes = ROW,
                          .Height = HEIGHT + (size_t)bug};
    return done(0, cuMemcpy2D_v2(&copy));
}

/* ---- cases ----------------------------------------------------------------------------------- */

#define CASE(name) {#name, name}

static const struct {
    const char *name;
    CUresult (*run)(void);
} cases[] = {
    CASE(read_outside),     CASE(write_outside),    CASE(misaligned),       CASE(use_after_free),
    CASE(host_pointer),     CASE(write_constant),   CASE(local_overrun),    CASE(shared_overrun),
    CASE(stack_overflow),   CASE(free_twice),       CASE(wrong_parameters), CASE(leak),
    CASE(divergent_barrier), CASE(other_barrier),   CASE(deadlock),         CASE(shuffle_mask),
    CASE(shuffle_from_nowhere), CASE(missing_barrier),  CASE(missing_syncwarp), CASE(racy_histogram),   CASE(missing_fence),
    CASE(unwritten_global), CASE(unwritten_shared), CASE(two_streams),      CASE(freed_elsewhere),
    CASE(missing_event),    CASE(early_look),       CASE(destroyed_texture), CASE(freed_array),
    CASE(surface_outside),  CASE(unwritten_array),  CASE(racy_surface),     CASE(early_texture),
    CASE(copy_outside_array),
};

int
main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context;
    size_t n = sizeof cases / sizeof *cases, i = 0;
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        for (i = 0; i < n; i++) {
            puts(cases[i].name);
        }
        return 0;
    }
    while (argc == 4 && i < n && strcmp(cases[i].name, argv[2]) != 0) {
        i++;
    }
    if (argc != 4 || i == n) {
        fprintf(stderr, "usage: planted IMAGE CASE 0|1, or planted list\n");
        return 2;
    }
    bug = atoi(argv[3]);
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoad(&module, argv[1]));
    CUresult code = cases[i].run();
    size_t (*last_fault)(char *, size_t) =
        (size_t (*)(char *, size_t))dlsym(RTLD_DEFAULT, "cuEmuLastFault");
    char text[2048] = "";
    if (last_fault != NULL) {
        last_fault(text, sizeof text);
    }
    cuDevicePrimaryCtxReset_v2(device);
    if (last_fault != NULL && text[0] == '\0') {
        last_fault(text, sizeof text);
    }
    printf("%d %s\n", (int)code, text);
    return 0;
}
