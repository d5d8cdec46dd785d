/* The emulated cuBLAS, cuSOLVER, cuSPARSE, cuFFT and cuRAND: what their files share.
 *
 * A library of its own, libgpunp_emu_math.so. It exports the vendors' functions that gpunp calls
 * (tables/cublas.def and so on) and some that only other programs call, checks arguments as they
 * do, and computes on the CPU. Nothing is computed at the call: work goes to the caller's stream as
 * a host function, so it runs in stream order and can be captured into graphs. Device addresses are
 * host addresses.
 */
#ifndef EMU_LIBS_H
#define EMU_LIBS_H

#include "lib/library_abi.h"

#define EXPORT __attribute__((visibility("default")))

/* What gpunp passes in: the driver, BLAS and LAPACK. Rows are NULL until then. */
typedef struct {
#define DRIVER(name, params) CUresult(*name) params;
#define EMULATOR(name, field, params) void(*name) params;
#define BLAS(name, params) void(*name) params;
#define LAPACK(name, params) void(*name) params;
#include "tables/emu_math.def"
} EmuMath;
extern EmuMath emu_math;

/* Sets one row by its name; 0, or -1 when there is no such row. */
int cuEmuMathSet(const char *name, void *pointer);

/* A piece of work: called in the order of its stream with the bytes it was given. It may call no
 * driver function. What it reads and writes it tells the device's checks by cuEmuDeviceAccess; what
 * it does not tell counts as never written there. */
typedef void (*EmuWork)(void *arguments);
/* Puts work into a stream with a copy of `arguments`, which a graph that captures it keeps. */
CUresult emu_math_enqueue(CUstream stream, EmuWork work, const void *arguments, size_t bytes);
/* Working space of a piece of work, for `count` items. Without memory the context fails, since the
 * results cannot be written; the work then returns. Released by free(). */
void *emu_math_scratch(int64_t count, size_t item_bytes);

/* Whether `bytes` from `address` are inside one allocation. */
int emu_math_is_inside(const void *address, size_t bytes);
/* Whether the host of a GPU could not read there: memory of the device that is not managed. */
int emu_math_is_of_device(const void *address);

/* A library's status for a code of the driver; 0 is success in all of them. */
static inline int
emu_math_status(CUresult code, int no_memory, int failed)
{
    return code == CUDA_SUCCESS ? 0 : code == CUDA_ERROR_OUT_OF_MEMORY ? no_memory : failed;
}

/* MAJOR, MINOR or PATCH of an emulated library; -1 for another question. */
int emu_math_property(libraryPropertyType type, const int version[3], int *value);

#endif
