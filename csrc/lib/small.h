/* Matrices by our own kernels: one launch for a stack in any layout, without copies, addresses or
 * working space. Most are for matrices of up to 32 rows. */
#ifndef GNP_LIB_SMALL_H
#define GNP_LIB_SMALL_H

#include "lib/stack.h"

enum { GNP_SMALL_ROWS = 32 };

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

/* The smallest power of two, from 4 on, that is `n` or more: the lanes of a matrix. */
int gnp_small_lanes(int64_t n);
/* Threads of a block: fewer for large elements, whose matrices have to fit on chip. */
int gnp_small_block(GnpDtype dtype);
int64_t gnp_small_blocks(int lanes, int block, int64_t count);
/* One launch over the stack on the current device and stream. */
int gnp_small_launch(const GnpSmall *s, GnpSpec *spec, int lanes, int block, void **arguments);
/* For gnp_ahead_ask: names the kernel by which lapack_triangle solves a x = b, if it does. */
void gnp_triangle_ask(GnpDevice *device, const GnpSmall *a, const GnpSmall *b, int lower, int unit);

extern PyMethodDef gnp_small_functions[];
extern PyMethodDef gnp_triangle_functions[];

#endif
