/* Sorting rows of memory, and what is built on it in this room. */
#ifndef GNP_SORT_H
#define GNP_SORT_H

#include "ops/space.h"

/* `rows` rows of `n` elements each, one behind the other. Stable; NaNs come last in both orders. */
typedef struct {
    CUdeviceptr in; /* is only read */
    GnpDtype dtype;
    int64_t rows, n;
    int descending;
    CUdeviceptr keys;    /* where the sorted elements go; 0: nowhere; `in`: see below */
    CUdeviceptr indices; /* int64: where they were in their row; 0: nowhere */
} GnpSortTask;

/* Whether `keys` may be `in`, without indices: the passes come in pairs. */
int gnp_sort_in_place(GnpDtype dtype, int64_t n);

/* On the current stream; does not wait. Scratch: the elements once, and for indices of long rows
 * twice and four bytes each, beyond what the results have room for. */
int gnp_sort_run(const GnpSortTask *task);

/* Writes the knobs that say how elements compare: T and DESCENDING. */
void gnp_sort_knobs(GnpText *knobs, GnpDtype dtype, int descending);

#endif
