/* A few lines of test harness for the programs of this directory: CASE(name) { ... } registers a
 * case, `program name` runs it, and the first failed CHECK ends the process with its text. */
#ifndef EMU_TEST_CHECK_H
#define EMU_TEST_CHECK_H

#include "cuda/cuda_abi.h"
#include "emu/gpunp_emu.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CU(name, params) CUresult name params;
#define NVRTC(name, params)
#include "tables/cuda_api.def"

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define GIVES(code, call)                                                                          \
    do {                                                                                           \
        int code_ = (call);                                                                        \
        if (code_ != (code)) {                                                                     \
            fprintf(stderr, "%s:%d: %s gave %d, not %d\n", __FILE__, __LINE__, #call, code_,       \
                    (code));                                                                       \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define OK(call) GIVES(0, call)

typedef struct {
    const char *name;
    void (*run)(void);
} Case;

static Case cases[64];
static int case_count;

#define CASE(title)                                                                                \
    static void case_##title(void);                                                                \
    __attribute__((constructor)) static void register_##title(void)                                \
    {                                                                                              \
        cases[case_count++] = (Case){#title, case_##title};                                        \
    }                                                                                              \
    static void case_##title(void)

int
main(int argc, char **argv)
{
    for (int i = 0; i < case_count && argc > 1; i++) {
        if (strcmp(cases[i].name, argv[1]) == 0) {
            cases[i].run();
            cuDevicePrimaryCtxReset_v2(0); /* what is left alive is the driver's to free */
            cuDevicePrimaryCtxReset_v2(1);
            return 0;
        }
    }
    fprintf(stderr, "no such case\n");
    return 2;
}

/* ---- common ground --------------------------------------------------------------------------- */

static CUcontext context;

static inline void
start(void)
{
    CUdevice device;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
}

/* twice(p, n): p[i] = 2 * p[i] + 1 for i < n, 32-bit integers; stray(p): writes to *p. */
static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry twice(.param .u64 p, .param .u32 n)\n"
    "{\n"
    ".reg .pred %q;\n.reg .b32 %r<7>;\n.reg .b64 %a<4>;\n"
    "ld.param.u64 %a1, [p];\nld.param.u32 %r1, [n];\n"
    "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\n"
    "mad.lo.s32 %r5, %r2, %r3, %r4;\n"
    "setp.ge.s32 %q, %r5, %r1;\n@%q bra END;\n"
    "cvta.to.global.u64 %a1, %a1;\nmul.wide.s32 %a2, %r5, 4;\nadd.s64 %a3, %a1, %a2;\n"
    "ld.global.u32 %r6, [%a3];\nshl.b32 %r6, %r6, 1;\nadd.s32 %r6, %r6, 1;\n"
    "st.global.u32 [%a3], %r6;\n"
    "END:\nret;\n}\n"
    ".visible .entry stray(.param .u64 p)\n"
    "{\n.reg .b32 %r;\n.reg .b64 %a;\n"
    "ld.param.u64 %a, [p];\nmov.u32 %r, 7;\nst.global.u32 [%a], %r;\nret;\n}\n"
    ".visible .global .align 4 .u32 counter = 5;\n";

static CUfunction twice, stray;
static CUmodule module;

static inline void
start_with_kernels(void)
{
    start();
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&twice, module, "twice"));
    OK(cuModuleGetFunction(&stray, module, "stray"));
}

static inline CUresult
launch_twice(CUdeviceptr p, int n, CUstream stream)
{
    void *params[] = {&p, &n};
    return cuLaunchKernel(twice, (unsigned)(n + 63) / 64, 1, 1, 64, 1, 1, 0, stream, params, NULL);
}

static inline CUresult
launch_stray(CUdeviceptr p)
{
    void *params[] = {&p};
    return cuLaunchKernel(stray, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
}

static inline CUdeviceptr
new_zeros(size_t bytes)
{
    CUdeviceptr p;
    OK(cuMemAlloc_v2(&p, bytes));
    OK(cuMemsetD8_v2(p, 0, bytes));
    return p;
}

static inline int
read_int(CUdeviceptr p)
{
    int value;
    OK(cuMemcpyDtoH_v2(&value, p, sizeof value));
    return value;
}

/* A host function that holds its stream until the flag is set. */
static inline void
hold(void *flag)
{
    while (!__atomic_load_n((int *)flag, __ATOMIC_ACQUIRE)) {
        usleep(100);
    }
}

static inline void
open_gate(int *flag)
{
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
}

#endif
