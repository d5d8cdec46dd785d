/* Stacks of matrices in LAPACK's layout, and what every call of a solver needs. */
#ifndef GNP_LIB_STACK_H
#define GNP_LIB_STACK_H

#include "lib/lib.h"

/* Matrices of one size, each column-major, one behind the other: a C-contiguous array of shape
 * (..., columns, rows). A vector per matrix is (..., n): one column. */
typedef struct {
    GnpArray *array; /* borrowed */
    CUdeviceptr data;
    int64_t rows, columns, count, bytes; /* of one matrix */
    GnpDtype dtype;
    cudaDataType type;
} GnpStack;

/* An array of one of LAPACK's four types on the current device; else TypeError or ValueError. */
int gnp_lapack_check(PyObject *object, const char *what, const GnpDevice *device);
/* Of the four types LAPACK has, and C-contiguous; else TypeError or ValueError naming `what`. */
int gnp_stack_from(PyObject *object, const char *what, GnpStack *out);
static inline void *
gnp_stack_at(const GnpStack *s, int64_t i)
{
    return (void *)(uintptr_t)(s->data + (CUdeviceptr)(i * s->bytes));
}
/* Addresses of the matrices on the device: a new array of uint64. */
GnpArray *gnp_stack_addresses(const GnpStack *s);

static inline void *
gnp_pointer(const GnpArray *a)
{
    return (void *)(uintptr_t)a->data;
}

cudaDataType gnp_library_type(GnpDtype dtype); /* of one of LAPACK's four */

/* A new array beside a stack: its batch shape followed by `n` sizes. */
GnpArray *gnp_stack_result(const GnpStack *s, int n, const int64_t *sizes, GnpDtype dtype);

/* ---- calls ----------------------------------------------------------------------------------- */

typedef struct {
    GnpDevice *device;
    CUstream stream;
    const GnpCusolver *api;
    cusolverDnHandle_t handle;
    cusolverDnParams_t params;
    GnpBlock *work; /* owned */
    void *work_ptr;
    size_t work_bytes;
    void *host; /* owned */
    size_t host_bytes;
} GnpSolver;

/* The current device's solver on the current stream; clear it in any case. */
int gnp_solver_init(GnpSolver *s);
/* Working space, in bytes on the device and on the host. */
int gnp_solver_work(GnpSolver *s, size_t device_bytes, size_t host_bytes);
void gnp_solver_clear(GnpSolver *s);

/* Sizes that a 32-bit interface takes; OverflowError else. */
int gnp_check_int(int64_t a, int64_t b, int64_t c);

/* The index of a method's name among `n`; the default for None; -1 with ValueError. */
int gnp_method_from(PyObject *object, const char *const *names, int n, int default_method);

/* A call of the interface of a dtype: names of its functions for S, D, C and Z. */
#define BY_TYPE(dtype, S, D, C, Z, arguments)                                                      \
    ((dtype) == GNP_F32   ? S arguments                                                            \
     : (dtype) == GNP_F64 ? D arguments                                                            \
     : (dtype) == GNP_C64 ? C arguments                                                            \
                          : Z arguments)

/* ---- LU by our own kernels ------------------------------------------------------------------- */

enum { GNP_LU_MOST_ROWS = 1024 };
/* Whether a stack is of a size that gnp_lu takes. */
int gnp_lu_takes(const GnpStack *a);
/* LU factors in place with partial pivoting, of all matrices at once; neither dimension is 0. Both
 * arrays are int32: min(rows, columns) pivots a matrix, counted from 1, and info as LAPACK's. */
int gnp_lu(const GnpStack *a, GnpArray *pivots, GnpArray *info);

extern PyMethodDef gnp_factor_functions[];
extern PyMethodDef gnp_orthogonal_functions[];
extern PyMethodDef gnp_spectral_functions[];

#endif
