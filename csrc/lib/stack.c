/* Stacks of matrices, and the solver of a call: handle, stream, working space.
 *
 * Column-major for the libraries: the last axis of an array counts rows, the one before it columns.
 *
 * The callers are factor.c, orthogonal.c, spectral.c and the kernels beside them, in the calling
 * thread with the GIL. cuSOLVER's calls run without it, which is safe because a handle serves
 * one thread and the arrays are held by references of the call.
 */
#include "lib/stack.h"

#include <limits.h>
#include <stdlib.h>

/* The four types of LAPACK; gnp_lapack_check has refused all others. */
cudaDataType
gnp_library_type(GnpDtype dtype)
{
    return dtype == GNP_F32   ? CUDA_R_32F
           : dtype == GNP_F64 ? CUDA_R_64F
           : dtype == GNP_C64 ? CUDA_C_32F
                              : CUDA_C_64F;
}

/* Python callers convert types before, so an unsupported one is a TypeError that names it. There
 * is no implicit transfer between devices. */
int
gnp_lapack_check(PyObject *object, const char *what, const GnpDevice *device)
{
    if (!gnp_array_check(object)) {
        PyErr_Format(PyExc_TypeError, "%s must be a gpunp array, not %R", what, Py_TYPE(object));
        return -1;
    }
    const GnpArray *a = (const GnpArray *)object;
    GnpDtype dtype = (GnpDtype)a->dtype;
    if (dtype != GNP_F32 && dtype != GNP_F64 && dtype != GNP_C64 && dtype != GNP_C128) {
        PyErr_Format(PyExc_TypeError, "%s: array type %s is unsupported in linalg", what,
                     gnp_dtypes[dtype].name);
        return -1;
    }
    if (a->device_id != device->id) {
        PyErr_Format(PyExc_ValueError,
                     "%s is on device %d while the current device is %d; enter `with "
                     "cp.cuda.Device(%d):` or move the array",
                     what, a->device_id, device->id, a->device_id);
        return -1;
    }
    return 0;
}

/* The libraries are given an address and a leading dimension equal to the rows, so gaps between
 * rows or matrices are not possible: gpunp.linalg makes contiguous copies. The stream is
 * recorded here once for all calls that follow in it. */
int
gnp_stack_from(PyObject *object, const char *what, GnpStack *out)
{
    GnpDevice *device = gnp_device_current();
    if (device == NULL || gnp_lapack_check(object, what, device) < 0) {
        return -1;
    }
    GnpArray *a = (GnpArray *)object;
    GnpDtype dtype = (GnpDtype)a->dtype;
    if (!(a->flags & GNP_C_CONTIGUOUS) || !(a->flags & GNP_ALIGNED) || a->ndim < 1) {
        PyErr_Format(PyExc_ValueError, "%s must be C-contiguous", what);
        return -1;
    }
    const int64_t *shape = gnp_shape(a);
    out->array = a;
    out->data = a->data;
    out->rows = shape[a->ndim - 1];
    out->columns = a->ndim > 1 ? shape[a->ndim - 2] : 1;
    out->count = 1;
    for (int i = 0; i < a->ndim - 2; i++) {
        out->count *= shape[i];
    }
    out->bytes = out->rows * out->columns * gnp_dtypes[dtype].bytes;
    out->dtype = dtype;
    out->type = gnp_library_type(dtype);
    gnp_block_record(a->block, gnp_stream_current(device));
    return 0;
}

/* The batched interfaces take a device array of addresses, one per matrix. */
GnpArray *
gnp_stack_addresses(const GnpStack *s)
{
    return gnp_addresses(s->data, s->bytes, s->count);
}

/* An array with the axes of the stack and `n` further sizes in place of the last two. */
GnpArray *
gnp_stack_result(const GnpStack *s, int n, const int64_t *sizes, GnpDtype dtype)
{
    int64_t shape[GNP_MAX_DIMS + 2];
    int ndim = 0;
    for (int i = 0; i < s->array->ndim - 2; i++) {
        shape[ndim++] = gnp_shape(s->array)[i];
    }
    for (int i = 0; i < n; i++) {
        shape[ndim++] = sizes[i];
    }
    return gnp_array_new(ndim, shape, dtype, 'C');
}

/* cuBLAS's and cuSOLVER's older functions have int arguments, where larger sizes would wrap
 * silently. */
int
gnp_check_int(int64_t a, int64_t b, int64_t c)
{
    if (a > INT_MAX || b > INT_MAX || c > INT_MAX) {
        PyErr_SetString(PyExc_OverflowError,
                        "a matrix is too large for the library's 32-bit interface");
        return -1;
    }
    return 0;
}

/* The options object is shared by all threads, since calls only read it. It is never destroyed:
 * it lives as long as the library. */
int
gnp_solver_init(GnpSolver *s)
{
    static cusolverDnParams_t params; /* default options; guarded by the GIL */
    *s = (GnpSolver){.device = gnp_device_current()};
    if (s->device == NULL) {
        return -1;
    }
    s->stream = gnp_stream_current(s->device);
    s->api = gnp_cusolver();
    s->handle = s->api != NULL ? gnp_cusolver_handle(s->device, s->stream) : NULL;
    if (s->handle == NULL) {
        return -1;
    }
    if (params == NULL) {
        LIB_TRY(CUSOLVER, s->api->cusolverDnCreateParams(&params));
    }
    s->params = params;
    return 0;
fail:
    return -1;
}

/* May be called again for more; what was there is released in stream order. */
int
gnp_solver_work(GnpSolver *s, size_t device_bytes, size_t host_bytes)
{
    gnp_block_release(s->work);
    free(s->host);
    s->host = NULL;
    s->work_bytes = device_bytes;
    s->host_bytes = host_bytes;
    s->work = gnp_block_new(s->device, device_bytes, s->stream);
    if (s->work == NULL) {
        return -1;
    }
    s->work_ptr = (void *)(uintptr_t)s->work->ptr;
    if (host_bytes > 0) {
        s->host = malloc(host_bytes);
        if (s->host == NULL) {
            PyErr_NoMemory();
            return -1;
        }
    }
    return 0;
}

/* Also valid after a failed gnp_solver_init, which zeroes the struct first. The block goes back
 * to the pool in stream order, so pending calls may still use it. */
void
gnp_solver_clear(GnpSolver *s)
{
    gnp_block_release(s->work);
    free(s->host);
    s->work = NULL;
    s->host = NULL;
}

/* The index of a name among `names`; the keyword exists for measurements and tests. */
int
gnp_method_from(PyObject *object, const char *const *names, int n, int default_method)
{
    if (object == NULL || object == Py_None) {
        return default_method;
    }
    for (int i = 0; i < n; i++) {
        if (PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, names[i]) == 0) {
            return i;
        }
    }
    PyErr_Format(PyExc_ValueError, "no such method: %R", object);
    return -1;
}
