/* Matrices by our own kernels: one launch for a stack in any layout, without copies, addresses or
 * working space. Most are for matrices of up to 32 rows. */
#ifndef GNP_LIB_SMALL_H
#define GNP_LIB_SMALL_H

#include "lib/stack.h"

enum { GNP_SMALL_ROWS = 32 };

/* Where the matrices of a stack are; steps in elements, as kernels/matrix.cuh declares it. */
typedef struct {
    uint64_t data;
    int64_t batch, row, column;
} GnpPlace;

/* A stack in any layout. Clear it in any case. */
typedef struct {
    GnpArray *array; /* owned: the array, or a copy whose batch is one step apart */
    GnpPlace place;
    int64_t count, rows, columns;
    GnpDtype dtype;
} GnpSmall;

/* Of one of LAPACK's types and up to so many rows; else TypeError or ValueError naming `what`. */
int gnp_small_from(PyObject *object, const char *what, int64_t most_rows, GnpSmall *out);
static inline void
gnp_small_clear(GnpSmall *s)
{
    Py_CLEAR(s->array);
}
/* A new C-contiguous array: the batch shape of `s` followed by `n` sizes. */
GnpArray *gnp_small_result(const GnpSmall *s, int n, const int64_t *sizes, GnpDtype dtype);
/* A new int32 that kernels set where something failed: zero where `blocks` of them share it. */
GnpArray *gnp_small_flag(int64_t blocks);

/* What is particular about a kernel: its file without ".cu", the lanes of a matrix, the threads of
 * a block, and the rest of its knobs, each with a comma in front. */
typedef struct {
    const char *name, *more;
    int lanes, block;
} GnpSmallKernel;

/* The smallest power of two, from 4 on, that is `n` or more. */
int gnp_small_lanes(int64_t n);
/* Threads of a block: fewer for large elements, whose matrices have to fit on chip. */
int gnp_small_block(GnpDtype dtype);
int64_t gnp_small_blocks(const GnpSmallKernel *kernel, int64_t count);
int gnp_small_launch(const GnpSmall *s, const GnpSmallKernel *kernel, void **arguments);
/* A kernel for elements of `dtype`, with more knobs: "enum { ... };" */
GnpKernel *gnp_matrix_kernel(GnpDevice *device, const char *name, GnpDtype dtype,
                             const char *knobs);

extern PyMethodDef gnp_small_functions[];
extern PyMethodDef gnp_triangle_functions[];

#endif
