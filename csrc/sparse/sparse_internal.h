/* Private to sparse/: a call of one kernel, its arrays first, then numbers. */
#ifndef GNP_SPARSE_INTERNAL_H
#define GNP_SPARSE_INTERNAL_H

#include "sparse/sparse.h"

enum { GNP_SPARSE_ARRAYS = GNP_LAUNCH_ARRAYS, GNP_SPARSE_NUMBERS = GNP_LAUNCH_VALUES };

typedef struct {
    const char *name;
    int narrays, nnumbers;
    int shared_bytes; /* dynamic ones of a launch, whose blocks are at most 2^31 - 1 then */
    GnpArray *array[GNP_SPARSE_ARRAYS]; /* owned; NULL for None */
    int64_t number[GNP_SPARSE_NUMBERS]; /* or the bits of a double, for a kernel that takes one */
} GnpSparseCall;

/* Takes C-contiguous arrays or None, then integers or floats, whose counts the call has. */
int gnp_sparse_begin(GnpSparseCall *call, PyObject *const *args, Py_ssize_t nargs);
/* Launches a kernel whose parameters are the call's arrays, then its numbers. */
int gnp_sparse_launch(const GnpSparseCall *call, GnpSpec *spec, int64_t blocks, int threads,
                      GnpKernelWriter writer, const void *context);
/* Releases the arrays; None, or NULL where `status` is negative. */
PyObject *gnp_sparse_end(GnpSparseCall *call, int status);

/* Whether all of the arrays whose bits are set in `places` are there and have the dtype of the
 * first of them; -1 with a ValueError otherwise. */
int gnp_sparse_check_same(const GnpSparseCall *call, unsigned places);
/* The dtype of an array that may be missing. */
GnpDtype gnp_sparse_dtype(const GnpSparseCall *call, int k, GnpDtype otherwise);

int gnp_sparse_layout_init(PyObject *module);
int gnp_sparse_ranges_init(PyObject *module);
int gnp_sparse_product_init(PyObject *module);
int gnp_sparse_merge_init(PyObject *module);
int gnp_sparse_triangle_init(PyObject *module);
int gnp_sparse_krylov_init(PyObject *module);
int gnp_sparse_lbfgs_init(PyObject *module);
int gnp_sparse_banded_init(PyObject *module);
int gnp_sparse_graph_init(PyObject *module);
int gnp_sparse_search_init(PyObject *module);

#endif
