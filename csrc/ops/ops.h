/* Operations on arrays: ufuncs, reductions, selection, user kernels.
 *
 * Rows of tables/ufuncs.def and tables/reductions.def become objects here; the number slots and the
 * reducing methods of the array type come from this room.
 */
#ifndef GNP_OPS_H
#define GNP_OPS_H

#include "core/core.h"

typedef enum {
#define UFUNC(name, nin, nout, result, classes, identity, expression, ulp, summary)                \
    GNP_UFUNC_##name,
#include "tables/ufuncs.def"
    GNP_NUFUNCS
} GnpUfuncId;

/* Calls a row on Python operands (arrays, Python and NumPy scalars); the operators' path. */
PyObject *gnp_ufunc_unary(GnpUfuncId id, PyObject *a);
PyObject *gnp_ufunc_binary(GnpUfuncId id, PyObject *a, PyObject *b);
/* a op= b */
PyObject *gnp_ufunc_inplace(GnpUfuncId id, PyObject *a, PyObject *b);

extern PyType_Slot gnp_ops_array_slots[];   /* number slots, richcompare; ends with {0, NULL} */
extern PyMethodDef gnp_ops_array_methods[]; /* sum, max, any, ...; ends with a NULL name */
int gnp_ops_init(PyObject *module);         /* ufunc type and objects, reductions, where, select */
/* Parts of gnp_ops_init: the functions of reduce.c; those of select.c and the hooks of advanced.c.
 * methods.c has gnp_ops_array_methods. */
int gnp_reduce_init(PyObject *module);
int gnp_select_init(PyObject *module);
int gnp_formula_init(PyObject *module);   /* isclose, nan_to_num, round_scaled (formula.c) */
int gnp_scan_init(PyObject *module);      /* cumsum, cumprod ... (scan.c) */
int gnp_histogram_init(PyObject *module); /* bincount, count_in_bins (histogram.c) */
int gnp_join_init(PyObject *module);      /* concatenate and stack of like arrays (join.c) */
int gnp_pad_init(PyObject *module);       /* pad: pad and roll (pad.c) */
int gnp_search_init(PyObject *module);    /* is_member, run_starts (search.c) */
int gnp_sort_init(PyObject *module);      /* sorted_copy, sorted_pairs (sort_array.c) */
int gnp_interp_init(PyObject *module);    /* interp (interp.c) */
int gnp_slide_init(PyObject *module);     /* slide (slide.c) */
int gnp_slide_plane_init(PyObject *module);
int gnp_gufunc_init(PyObject *module);    /* matmul, vecdot, matvec, vecmat (gufunc.c) */
int gnp_fill_init(PyObject *module);      /* arange, linspace, eye, tri: from indices (fill.c) */
int gnp_rank_init(PyObject *module);      /* select_ranks (rank.c) */
int gnp_rank_rows_init(PyObject *module); /* rank_rows (rank_rows.c) */
int gnp_nth_rows_init(PyObject *module);  /* nth_rows (nth_rows.c) */
int gnp_fuse_init(PyObject *module);      /* FusedFunction (fuse.c) */
int gnp_lazy_init(PyObject *module);      /* lazy mode (lazy.c) */
int gnp_reduction_kernel_init(PyObject *module);   /* ReductionKernel (reduction_kernel.c) */
int gnp_elementwise_kernel_init(PyObject *module); /* ElementwiseKernel (elementwise_kernel.c) */

/* first, first + step, ...: addresses as libraries take them for a batch. A new uint64 array. */
GnpArray *gnp_addresses(CUdeviceptr first, int64_t step, int64_t count);

/* ---- index spaces (space.h works with them) ---------------------------------------------------
 */

enum { GNP_AXES_OPERANDS = GNP_MAX_OPERANDS };

/* Axis 0 is the fastest. Strides are in bytes. */
typedef struct {
    int naxes, noperands;
    int64_t shape[GNP_MAX_DIMS];
    int64_t stride[GNP_MAX_DIMS][GNP_AXES_OPERANDS];
} GnpAxes;

/* ---- products of matrices (product.c) ---------------------------------------------------------
 */

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

/* A library that may take products over: 1 when it has, 0 when it leaves this one to us, -1 with an
 * exception. NULL: there is none. Asked with every size above 0. */
typedef int (*GnpProductLibrary)(const GnpProduct *p, GnpDevice *device, CUstream stream);
extern GnpProductLibrary gnp_product_library;

/* Runs on the current device and stream; results repeat bit for bit. */
int gnp_product(const GnpProduct *p);

/* a @ b, and a @= b where `inplace`; the operators' path. */
PyObject *gnp_matmul(PyObject *a, PyObject *b);
PyObject *gnp_matmul_inplace(PyObject *a, PyObject *b);

#endif
