/* Wrong calls and what the driver says to them.
 *
 * The programs of this header link a driver library, the real one or the emulated one, make calls
 * and print one line for each: its result code, the group it belongs to, the text of the call, and
 * for a V row the value it gave. What an H200 printed is kept beside them (wrong_*.txt) and the
 * emulated device must print the same.
 *
 * Each group runs in a child of its own. A call that ends the child is reported as CRASH, and the
 * group goes on behind it in a new child. With -DNVIDIA the toolkit's header gives the types. */
#ifndef EMU_TEST_WRONG_H
#define EMU_TEST_WRONG_H

#ifdef NVIDIA
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <cudaProfiler.h>
#else
#include "cuda/cuda_abi.h"
#define CU(name, params) CUresult name params;
#define NVRTC(name, params)
#include "tables/cuda_api.def"
#endif

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    const char *name;
    void (*run)(void);
} Group;

extern Group wrong_groups[64];
extern int wrong_group_count;

/* Announces a call; returns 0 when it is to be left out. */
int wrong_begin(const char *call);
void wrong_end(int code);
void wrong_end_value(int code, long long value);
void wrong_setup(int code, const char *call);
/* Words that tell two equal calls of a group apart. */
void wrong_when(const char *words);

#define GROUP(title)                                                                               \
    static void group_##title(void);                                                               \
    __attribute__((constructor)) static void register_##title(void)                                \
    {                                                                                              \
        wrong_groups[wrong_group_count++] = (Group){#title, group_##title};                        \
    }                                                                                              \
    static void group_##title(void)
/* A call whose code counts. */
#define R(call)                                                                                    \
    do {                                                                                           \
        if (wrong_begin(#call)) {                                                                  \
            wrong_end((int)(call));                                                                \
        }                                                                                          \
    } while (0)
/* A call whose code and value count. */
#define V(call, value)                                                                             \
    do {                                                                                           \
        if (wrong_begin(#call)) {                                                                  \
            int code_ = (int)(call);                                                               \
            wrong_end_value(code_, (long long)(value));                                            \
        }                                                                                          \
    } while (0)
#define OK(call) wrong_setup((int)(call), #call)
#define WHEN(words) wrong_when(words)

/* ---- common ground --------------------------------------------------------------------------- */

extern const char wrong_ptx[];
extern CUcontext context;
extern CUmodule module;
extern CUfunction plain, bounded, hungry; /* plain(u64, u32); 64 threads at most; 40 KiB shared */
void start(void);
void start_with_kernels(void);
CUdeviceptr memory(size_t bytes);
CUstream new_stream(void);
CUevent new_event(unsigned flags);
/* A launch with good parameters. */
CUresult launch(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                unsigned bz, unsigned shared, CUstream stream);
#define STRAY(type) ((type)(uintptr_t)0x123450)

#endif
