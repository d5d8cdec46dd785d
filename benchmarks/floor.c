/* The floor: what the driver and the memory of this machine allow, with nothing of any library.
 *
 * Loaded by floor.py, which hands over the driver's path and a compiled module with the kernels
 * `empty`, `add_vector` and `copy_vector`. The loops are here so that no Python stands between two launches.
 * Times are wall clock between synchronisations for the device, and host time for launches.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int CUresult;
typedef void *Handle;
typedef unsigned long long CUdeviceptr;

#define DRIVER(ENTRY)                                                                              \
    ENTRY(cuInit, (unsigned))                                                                      \
    ENTRY(cuDevicePrimaryCtxRetain, (Handle *, int))                                               \
    ENTRY(cuCtxSetCurrent, (Handle))                                                               \
    ENTRY(cuCtxSynchronize, (void))                                                                \
    ENTRY(cuModuleLoadData, (Handle *, const void *))                                              \
    ENTRY(cuModuleGetFunction, (Handle *, Handle, const char *))                                   \
    ENTRY(cuMemAlloc_v2, (CUdeviceptr *, size_t))                                                  \
    ENTRY(cuMemFree_v2, (CUdeviceptr))                                                             \
    ENTRY(cuMemsetD8_v2, (CUdeviceptr, unsigned char, size_t))                                     \
    ENTRY(cuMemcpyDtoDAsync_v2, (CUdeviceptr, CUdeviceptr, size_t, Handle))                        \
    ENTRY(cuEventCreate, (Handle *, unsigned))                                                     \
    ENTRY(cuEventRecord, (Handle, Handle))                                                         \
    ENTRY(cuEventSynchronize, (Handle))                                                            \
    ENTRY(cuEventElapsedTime, (float *, Handle, Handle))                                           \
    ENTRY(cuLaunchKernel, (Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,     \
                           unsigned, Handle, void **, void **))

#define DECLARE(name, params) static CUresult(*name) params;
DRIVER(DECLARE)

typedef struct {
    double launch_us;    /* host time of cuLaunchKernel, 4 blocks of 256 threads, 4 arguments */
    double copy_ms;      /* cuMemcpyDtoD of `bytes` */
    double copy_kernel_ms; /* the same by a kernel with 16-byte loads */
    double add_ms;       /* three float arrays of `bytes` each */
} Floor;

static char failure[256];

const char *floor_error(void);
int floor_measure(const char *driver, const void *image, size_t bytes, int launches, Floor *result);

const char *
floor_error(void)
{
    return failure;
}

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

#define TRY(call)                                                                                  \
    do {                                                                                           \
        CUresult code = call;                                                                      \
        if (code != 0) {                                                                           \
            snprintf(failure, sizeof failure, "%s: error %d", #call, code);                        \
            goto fail;                                                                             \
        }                                                                                          \
    } while (0)

static int
open_driver(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);

    if (library == NULL) {
        snprintf(failure, sizeof failure, "%s", dlerror());
        return -1;
    }
#define LOOK_UP(name, params) *(void **)&name = dlsym(library, #name);
    DRIVER(LOOK_UP)
    return cuLaunchKernel == NULL ? -1 : 0;
}

/* The smallest of seven runs of 500 launches each. */
static int
time_launches(Handle function, CUdeviceptr a, CUdeviceptr b, CUdeviceptr out, int count, double *us)
{
    long n = 1000;
    void *args[] = {&a, &b, &out, &n};
    double best = 1e9;

    for (int round = 0; round < 7; round++) {
        TRY(cuCtxSynchronize());
        double start = now();
        for (int i = 0; i < count; i++) {
            TRY(cuLaunchKernel(function, 4, 1, 1, 256, 1, 1, 0, NULL, args, NULL));
        }
        double spent = (now() - start) / count;
        best = spent < best ? spent : best;
    }
    TRY(cuCtxSynchronize());
    *us = best * 1e6;
    return 0;
fail:
    return -1;
}

static int
compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The median of nine timings by events; `function` NULL times a copy by the driver. */
static int
time_work(Handle function, CUdeviceptr a, CUdeviceptr b, CUdeviceptr out, size_t bytes, double *ms)
{
    Handle begin, end;
    float times[9];
    long n = (long)(bytes / 16);
    void *args[] = {&a, &b, &out, &n};
    unsigned blocks = (unsigned)((n + 255) / 256);

    TRY(cuEventCreate(&begin, 0));
    TRY(cuEventCreate(&end, 0));
    for (int i = -2; i < 9; i++) { /* two to warm up */
        TRY(cuEventRecord(begin, NULL));
        if (function == NULL) {
            TRY(cuMemcpyDtoDAsync_v2(out, a, bytes, NULL));
        }
        else {
            TRY(cuLaunchKernel(function, blocks, 1, 1, 256, 1, 1, 0, NULL, args, NULL));
        }
        TRY(cuEventRecord(end, NULL));
        TRY(cuEventSynchronize(end));
        TRY(cuEventElapsedTime(&times[i < 0 ? 0 : i], begin, end));
    }
    qsort(times, 9, sizeof times[0], compare_floats);
    *ms = times[4];
    return 0;
fail:
    return -1;
}

int
floor_measure(const char *driver, const void *image, size_t bytes, int launches, Floor *result)
{
    Handle context, module, empty, add, copy;
    CUdeviceptr a, b, out;

    if (open_driver(driver) < 0) {
        return -1;
    }
    TRY(cuInit(0));
    TRY(cuDevicePrimaryCtxRetain(&context, 0));
    TRY(cuCtxSetCurrent(context));
    TRY(cuModuleLoadData(&module, image));
    TRY(cuModuleGetFunction(&empty, module, "empty"));
    TRY(cuModuleGetFunction(&add, module, "add_vector"));
    TRY(cuModuleGetFunction(&copy, module, "copy_vector"));
    TRY(cuMemAlloc_v2(&a, bytes));
    TRY(cuMemAlloc_v2(&b, bytes));
    TRY(cuMemAlloc_v2(&out, bytes));
    TRY(cuMemsetD8_v2(a, 1, bytes));
    TRY(cuMemsetD8_v2(b, 1, bytes));
    TRY(time_launches(empty, a, b, out, launches, &result->launch_us));
    TRY(time_work(NULL, a, b, out, bytes, &result->copy_ms));
    TRY(time_work(copy, a, b, out, bytes, &result->copy_kernel_ms));
    TRY(time_work(add, a, b, out, bytes, &result->add_ms));
    cuMemFree_v2(a);
    cuMemFree_v2(b);
    cuMemFree_v2(out);
    return 0;
fail:
    return -1;
}
