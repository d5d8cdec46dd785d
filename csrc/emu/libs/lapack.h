/* LAPACK by type, for the emulated libraries: which routine, how large an element, working space.
 */
#ifndef GNP_LAPACK_H
#define GNP_LAPACK_H

#include "emu/libs/libs.h"

/* The routine of a type: they take the same parameters. */
#define BY_TYPE(type, s, d, c, z)                                                                  \
    ((type) == CUDA_R_32F   ? emu_math.s                                                           \
     : (type) == CUDA_R_64F ? emu_math.d                                                           \
     : (type) == CUDA_C_32F ? emu_math.c                                                           \
                            : emu_math.z)

static inline int
is_complex(cudaDataType type)
{
    return type == CUDA_C_32F || type == CUDA_C_64F;
}
static inline int
is_lapack_type(cudaDataType type)
{
    return type == CUDA_R_32F || type == CUDA_R_64F || is_complex(type);
}
static inline cudaDataType
real_type(cudaDataType type)
{
    return type == CUDA_C_32F ? CUDA_R_32F : type == CUDA_C_64F ? CUDA_R_64F : type;
}
/* Bytes of an element. */
size_t emu_type_bytes(cudaDataType type);

/* A working space of LAPACK's for `columns` columns: `block` elements for each, which it prefers,
 * but no more than 2^24 where one for each would do. Fits the int that LAPACK takes. */
int emu_lapack_size(int64_t columns, int block);
/* The size a workspace query left in its first element. */
int emu_queried(cudaDataType type, const void *first);
/* Whether a column-major matrix ('A'), or one triangle of it ('L', 'U'), has a NaN in it. */
int emu_has_nan(cudaDataType type, const void *a, int64_t m, int64_t n, int64_t lda, char uplo);
/* Tells the device's checks that a piece of work reads or writes a matrix. */
typedef enum { EMU_READS, EMU_WRITES, EMU_READS_AND_WRITES } EmuAccess;
void emu_touch(cudaDataType type, const void *a, int64_t rows, int64_t columns, int64_t ld,
               EmuAccess access);
/* A matrix of a call: what emu_touch takes. One of zeros has no elements and stands for none. */
typedef struct {
    cudaDataType type;
    const void *a;
    int64_t rows, columns, ld;
    EmuAccess access;
} EmuArray;
/* Whether every array with elements is inside an allocation. NULL is not, nor is memory that is
 * shorter than the sizes of a call say: NVIDIA's libraries do not look, so that the device faults
 * or other memory is overwritten. Not to be called by work. */
int emu_are_inside(const EmuArray *arrays, size_t n);
#define EMU_ARE_INSIDE(...)                                                                        \
    emu_are_inside((const EmuArray[]){__VA_ARGS__},                                                \
                   sizeof((const EmuArray[]){__VA_ARGS__}) / sizeof(EmuArray))
void emu_touch_arrays(const EmuArray *arrays, size_t n);
/* A list of addresses in device memory, as an array: its entries have as many bytes. */
#define EMU_LIST(addresses, count) {CUDA_R_64F, addresses, count, 1, count, EMU_READS}
/* Called by work for matrices of such a list, all alike; -1 with a failed context where one is
 * NULL, as for a kernel that reads there. */
int emu_touch_list(const EmuArray *alike, void *const *matrices, int64_t count);
void emu_fill_nan(cudaDataType type, void *a, int64_t n);
/* out[j + i * ldo] = conj(in[i + j * ldi]), n columns and m rows of `in`. */
void emu_conj_transpose(cudaDataType type, void *out, int64_t ldo, const void *in, int64_t ldi,
                        int64_t m, int64_t n);
/* Overwrites what a caller passes as working space, so that sharing it is noticed. */
void emu_poison(void *work, size_t bytes);

/* Pivots that exchange no rows, for LAPACK's routines, which want some; NULL without memory. */
int *emu_idle_pivots(int n);

/* LU without exchanges of rows. `info` is the number of the first pivot that is zero, from 1. */
void emu_lu_without_pivots(cudaDataType type, int m, int n, void *a, int lda, int *info);

/* In place, on the CPU. All return LAPACK's info. */
int emu_syevd(cudaDataType type, char job, char uplo, int n, void *a, int lda, void *w);
int emu_gesvd(cudaDataType type, char job, int m, int n, void *a, int lda, void *s, void *u,
              int ldu, void *vt, int ldvt);

#endif
