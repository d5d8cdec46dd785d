/* Products of matrices, and correlation. */
#ifndef GNP_PRODUCT_H
#define GNP_PRODUCT_H

#include "reduce/reduce.h"

/* One operand of a batch of products, seen as matrices. Strides are in bytes, of any sign; 0
 * repeats an element. */
typedef struct {
    CUdeviceptr data;
    GnpBlock *block;
    GnpDtype dtype;
    int conjugate; /* of complex elements; never of the result */
    int64_t row, column;
} GnpMatrix;

/* out[i, j] = sum over k of a[i, k] * b[k, j] for each matrix of the batch: m x k by k x n.
 * Elements are multiplied as type `loop`: bool by `and`, summed by `or`; integers wrap around;
 * 16-bit floats are summed in float32. `out` shares no memory with a or b. */
typedef struct {
    GnpMatrix a, b, out;
    GnpDtype loop;
    int64_t m, n, k;
    GnpAxes batch; /* strides of a, b and out; fastest first */
} GnpProduct;

/* A library's product: 1 when it was computed, 0 when our kernels have to, -1 with an exception.
 * NULL: there is none. All sizes are above 0. */
typedef int (*GnpProductLibrary)(const GnpProduct *p, GnpDevice *device, CUstream stream);
extern GnpProductLibrary gnp_product_library;

/* Runs on the current device and stream; results repeat bit for bit. */
int gnp_product(const GnpProduct *p);

/* a @ b, and a @= b where `inplace`; the operators' path. */
PyObject *gnp_matmul(PyObject *a, PyObject *b);
PyObject *gnp_matmul_inplace(PyObject *a, PyObject *b);

int gnp_product_init(PyObject *module);
int gnp_gufunc_init(PyObject *module); /* matmul, vecdot, matvec, vecmat */
int gnp_correlate_init(PyObject *module);
int gnp_cross_init(PyObject *module);
int gnp_correlate2d_init(PyObject *module);

/* ---- private to product/ --------------------------------------------------------------------- */

/* Our own kernels: at least one output and at least one k. */
int gnp_product_run(const GnpProduct *p, GnpDevice *device, CUstream stream);

/* The type in which products of `loop` are summed. */
GnpDtype gnp_product_sum_dtype(GnpDtype loop);

#endif
