/* Factorisations by elimination: Cholesky, LU, and solving with their triangles.
 *
 * Everything works in place on stacks of column-major matrices; gpunp.linalg transposes NumPy's
 * row-major arrays. Small matrices of a stack go to the library's batched call, large ones one
 * after the other. Called by gpunp.linalg, with the GIL. info is an int32 per matrix on the
 * device, as in LAPACK: 0, or the number of the pivot at which the elimination failed; the
 * caller decides when to read it. */
#include "lib/small.h"

/* Up to this size the batched interface is faster for a stack; above, one matrix fills the device,
 * except for LU, which has kernels of our own. */
enum { POTRF_BATCHED = 512, GETRF_BATCHED = 32, TRSM_BATCHED = 512, PANELS_OF_ONE = 512 };

/* An int32 result per matrix; zeros where the stack is empty. Zeros where no library call would
 * write it. */
static GnpArray *
new_info(const GnpStack *a)
{
    const GnpScalar zero = {.bits = {0, 0}};
    GnpArray *info = gnp_stack_result(a, 0, NULL, GNP_I32); /* owned */
    if (info != NULL && (a->rows == 0 || a->columns == 0) && gnp_fill(info, &zero) < 0) {
        Py_CLEAR(info);
    }
    return info;
}

/* ---- Cholesky -------------------------------------------------------------------------------- */

/* LIB_TRY_NOGIL: the library may allocate, load code or wait for the device, during which other
 * threads run. Arrays are held by this call's references. */
static int
potrf_batched(const GnpStack *a, int uplo, GnpArray *info)
{
    GnpSolver s;
    GnpArray *addresses = NULL; /* owned */
    int ret = -1;
    GNP_TRY(gnp_solver_init(&s));
    GNP_NEW(addresses, gnp_stack_addresses(a));
    void *matrices = gnp_pointer(addresses);
    int n = (int)a->rows;
    LIB_TRY_NOGIL(CUSOLVER,
                  BY_TYPE(a->dtype, s.api->cusolverDnSpotrfBatched, s.api->cusolverDnDpotrfBatched,
                          s.api->cusolverDnCpotrfBatched, s.api->cusolverDnZpotrfBatched,
                          (s.handle, uplo, n, matrices, n, gnp_pointer(info), (int)a->count)));
    ret = 0;
fail:
    Py_XDECREF((PyObject *)addresses);
    gnp_solver_clear(&s);
    return ret;
}

/* The workspace is asked for once, as all matrices of a stack have one size. */
static int
potrf_each(const GnpStack *a, int uplo, GnpArray *info)
{
    GnpSolver s;
    size_t device_bytes, host_bytes;
    int ret = -1;
    int64_t n = a->rows;
    GNP_TRY(gnp_solver_init(&s));
    LIB_TRY(CUSOLVER, s.api->cusolverDnXpotrf_bufferSize(s.handle, s.params, uplo, n, a->type,
                                                         gnp_stack_at(a, 0), n, a->type,
                                                         &device_bytes, &host_bytes));
    GNP_TRY(gnp_solver_work(&s, device_bytes, host_bytes));
    for (int64_t i = 0; i < a->count; i++) {
        int *flag = (int *)gnp_pointer(info) + i;
        LIB_TRY_NOGIL(CUSOLVER, s.api->cusolverDnXpotrf(s.handle, s.params, uplo, n, a->type,
                                                        gnp_stack_at(a, i), n, a->type, s.work_ptr,
                                                        s.work_bytes, s.host, s.host_bytes, flag));
    }
    ret = 0;
fail:
    gnp_solver_clear(&s);
    return ret;
}

PyDoc_STRVAR(potrf_doc, "lapack_potrf(a, upper)\n--\n\n"
                        "Cholesky factors in place of one triangle of each matrix; returns info.");

/* A stack of one matrix, or of large ones, takes the 64-bit interface. */
static PyObject *
potrf(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("lapack_potrf(a, upper)");
    PyObject *given[2];
    GnpStack a;
    GnpArray *info = NULL; /* owned */
    PyObject *ret = NULL;
    int upper;
    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    GNP_TRY(gnp_stack_from(given[0], "a", &a));
    GNP_TRY(gnp_truth_from_object(given[1], &upper));
    GNP_NEW(info, new_info(&a));
    if (a.rows > 0 && a.count > 0) {
        /* NumPy's `upper` in terms of the column-major view. */
        int uplo = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
        /* The batched interface counts by an int. */
        GNP_TRY(a.count > 1 && a.rows <= POTRF_BATCHED && a.count <= INT32_MAX
                    ? potrf_batched(&a, uplo, info)
                    : potrf_each(&a, uplo, info));
    }
    ret = Py_NewRef((PyObject *)info);
fail:
    Py_XDECREF((PyObject *)info);
    return ret;
}

/* ---- LU -------------------------------------------------------------------------------------- */

/* cuBLAS's batched LU is for square matrices and stores pivots as int32. */
static int
getrf_batched(const GnpStack *a, GnpArray *pivots, GnpArray *info)
{
    GnpArray *addresses = NULL; /* owned */
    int ret = -1;
    GnpDevice *device = gnp_device_current();
    const GnpCublas *api = gnp_cublas();
    cublasHandle_t handle =
        api != NULL ? gnp_cublas_handle(device, gnp_stream_current(device)) : NULL;
    if (handle == NULL) {
        return -1;
    }
    GNP_NEW(addresses, gnp_stack_addresses(a));
    void *matrices = gnp_pointer(addresses);
    int n = (int)a->rows;
    LIB_TRY_NOGIL(CUBLAS, BY_TYPE(a->dtype, api->cublasSgetrfBatched, api->cublasDgetrfBatched,
                                  api->cublasCgetrfBatched, api->cublasZgetrfBatched,
                                  (handle, n, matrices, n, gnp_pointer(pivots), gnp_pointer(info),
                                   (int)a->count)));
    ret = 0;
fail:
    Py_XDECREF((PyObject *)addresses);
    return ret;
}

/* 64-bit interface: pivots are int64. */
static int
getrf_each(const GnpStack *a, GnpArray *pivots, GnpArray *info)
{
    GnpSolver s;
    size_t device_bytes, host_bytes;
    int ret = -1;
    int64_t m = a->rows, n = a->columns, npivots = m < n ? m : n;
    GNP_TRY(gnp_solver_init(&s));
    LIB_TRY(CUSOLVER, s.api->cusolverDnXgetrf_bufferSize(s.handle, s.params, m, n, a->type,
                                                         gnp_stack_at(a, 0), m, a->type,
                                                         &device_bytes, &host_bytes));
    GNP_TRY(gnp_solver_work(&s, device_bytes, host_bytes));
    for (int64_t i = 0; i < a->count; i++) {
        int64_t *pivot = (int64_t *)gnp_pointer(pivots) + i * npivots;
        int *flag = (int *)gnp_pointer(info) + i;
        LIB_TRY_NOGIL(CUSOLVER, s.api->cusolverDnXgetrf(
                                    s.handle, s.params, m, n, a->type, gnp_stack_at(a, i), m, pivot,
                                    a->type, s.work_ptr, s.work_bytes, s.host, s.host_bytes, flag));
    }
    ret = 0;
fail:
    gnp_solver_clear(&s);
    return ret;
}

/* The order of elimination_names and of `runs` in getrf. */
typedef enum { LU_BATCHED, LU_EACH, LU_PANELS, NLU } Elimination;
static const char *const elimination_names[NLU] = {"getrfBatched", "getrf", "panels"};

/* LU_BATCHED wins for tiny matrices; our panels, see lu.c, for stacks of the rest. */
static Elimination
choose_elimination(const GnpStack *a)
{
    /* The panels have limits of their own, see lu.c. */
    if (!gnp_lu_takes(a)) {
        return LU_EACH;
    }
    if (a->count == 1) { /* as measured on an H200 */
        return a->dtype == GNP_F32 && a->rows <= PANELS_OF_ONE && a->columns <= PANELS_OF_ONE
                   ? LU_PANELS
                   : LU_EACH;
    }
    return a->rows == a->columns && a->rows <= GETRF_BATCHED ? LU_BATCHED : LU_PANELS;
}

/* One block per matrix; up to so many rows are permuted in shared memory. */
enum { PIVOTS_BLOCK = 128, PIVOTS_SHARED = 4096 };

/* With `fits`, a block composes the permutation in shared memory; 4096 rows of 8 bytes are 32
 * KiB, below the 48 KiB that every device gives without asking. */
static GnpKernel *
pivots_kernel(GnpDevice *device, GnpDtype dtype, int fits)
{
    GnpSpec_pivots spec = {GNP_SPEC(pivots), .P = dtype, .SHARED = fits ? PIVOTS_SHARED : 0,
                           .BLOCK = PIVOTS_BLOCK};
    return gnp_kernel_find(device, &spec.head, NULL, NULL);
}

typedef struct {
    GnpDevice *device;
    GnpSmall lu, b; /* shapes and strides, without arrays */
    GnpDtype pivots;
} Solving;

/* For gnp_ahead_ask, in the order in which they are launched. */
static void
ask_for_solution(void *context)
{
    const Solving *s = context;
    (void)pivots_kernel(s->device, s->pivots, s->lu.rows <= PIVOTS_SHARED);
    gnp_triangle_ask(s->device, &s->lu, &s->b, 1, 1);
    gnp_triangle_ask(s->device, &s->lu, &s->b, 0, 0);
}

/* Compiles in other threads what solving for `columns` right-hand sides takes later. */
static void
solve_ahead(GnpDevice *device, const GnpStack *a, GnpDtype pivots, int64_t columns)
{
    const GnpPlace by_column = {.row = 1, .column = a->rows};
    const GnpSmall lu = {NULL, by_column, a->count, a->rows, a->columns, a->dtype};
    Solving s = {device, lu, lu, pivots};
    s.b.columns = columns;
    gnp_ahead_ask(&(GnpAhead){ask_for_solution, &s});
}

PyDoc_STRVAR(
    getrf_doc,
    "lapack_getrf(a, method=None, columns=0)\n--\n\n"
    "LU factors in place with partial pivoting; returns (pivots, info). Pivots count from\n"
    "1; they are int32 where the stack was factored at once, else int64. Kernels that solve for "
    "so\n"
    "many columns are compiled meanwhile.");

/* Pivots have the type that the chosen interface writes; lapack_order reads both. */
static PyObject *
getrf(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("lapack_getrf(a, method=None, columns=0)");
    static int (*const runs[NLU])(const GnpStack *, GnpArray *, GnpArray *) = {getrf_batched,
                                                                               getrf_each, gnp_lu};
    PyObject *given[3], *ret = NULL;
    GnpDevice *device;
    GnpStack a;
    GnpArray *info = NULL, *pivots = NULL; /* owned */
    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    GNP_TRY(gnp_stack_from(given[0], "a", &a));
    /* Rectangular matrices have as many pivots as the shorter side. */
    int64_t columns, npivots = a.rows < a.columns ? a.rows : a.columns;
    int method = gnp_method_from(given[1], elimination_names, NLU, (int)choose_elimination(&a));
    GNP_TRY(method);
    const GnpDtype type = method == LU_EACH ? GNP_I64 : GNP_I32;
    if (given[2] != NULL) {
        GNP_TRY(gnp_int64_from_object(given[2], "columns", &columns));
        GNP_NEW(device, gnp_device_current());
        solve_ahead(device, &a, type, columns);
    }
    GNP_NEW(info, new_info(&a));
    GNP_NEW(pivots, gnp_stack_result(&a, 1, &npivots, type));
    if (npivots > 0 && a.count > 0) {
        GNP_TRY(runs[method](&a, pivots, info));
    }
    ret = PyTuple_Pack(2, pivots, info);
fail:
    Py_XDECREF((PyObject *)info);
    Py_XDECREF((PyObject *)pivots);
    return ret;
}

/* ---- exchanges of rows as permutations ------------------------------------------------------- */

PyDoc_STRVAR(
    order_doc,
    "lapack_order(pivots, rows)\n--\n\n"
    "Exchanges of rows as permutations: (order, inverse), int64. Row order[i] of a matrix\n"
    "is row i of its L @ U.");

/* The sequential exchanges of LAPACK become a permutation on the device, so nothing is read
 * back. */
static PyObject *
order(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("lapack_order(pivots, rows)");
    PyObject *given[2];
    GnpArray *out = NULL, *inverse = NULL; /* owned */
    PyObject *ret = NULL;
    GnpDevice *device;
    GnpKernel *kernel;
    int64_t shape[GNP_MAX_DIMS];
    GNP_NEW(device, gnp_device_current());
    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    /* Not looked into before it is checked below. */
    const GnpArray *pivots = (const GnpArray *)given[0];
    int64_t rows;
    GNP_TRY(gnp_int64_from_object(given[1], "rows", &rows));
    if (!gnp_array_check(given[0]) || (pivots->dtype != GNP_I32 && pivots->dtype != GNP_I64) ||
        !(pivots->flags & GNP_C_CONTIGUOUS) || pivots->ndim < 1 ||
        gnp_shape(pivots)[pivots->ndim - 1] > rows) {
        PyErr_SetString(PyExc_ValueError, "pivots must be contiguous integers, and rows as many");
        goto fail;
    }
    /* The last axis has a matrix's pivots; those before it are the stack. */
    int64_t count = gnp_shape(pivots)[pivots->ndim - 1], matrices = 1;
    for (int i = 0; i < pivots->ndim - 1; i++) {
        shape[i] = gnp_shape(pivots)[i];
        matrices *= shape[i];
    }
    /* A matrix with more rows than pivots permutes all of its rows. */
    shape[pivots->ndim - 1] = rows;
    GNP_NEW(out, gnp_array_new(pivots->ndim, shape, GNP_I64, 'C'));
    GNP_NEW(inverse, gnp_array_new(pivots->ndim, shape, GNP_I64, 'C'));
    /* A block per matrix, and the grid's size is an int. */
    GNP_TRY(gnp_check_int(matrices, 0, 0));
    if (matrices > 0 && rows > 0) {
        GNP_NEW(kernel, pivots_kernel(device, (GnpDtype)pivots->dtype, rows <= PIVOTS_SHARED));
        CUstream stream = gnp_stream_current(device);
        /* The caller may drop its reference before the kernel has run. */
        gnp_block_record(pivots->block, stream);
        CUdeviceptr from = pivots->data, to = out->data, back = inverse->data;
        void *arguments[] = {&from, &to, &back, &rows, &count};
        GNP_TRY(gnp_launch_blocks(kernel, matrices, PIVOTS_BLOCK, stream, arguments));
    }
    ret = PyTuple_Pack(2, out, inverse);
fail:
    Py_XDECREF((PyObject *)out);
    Py_XDECREF((PyObject *)inverse);
    return ret;
}

/* getrs of the 64-bit interface reads int64 pivots, so only those of getrf_each fit. */
static int
solve_each(const GnpStack *a, const GnpArray *pivots, const GnpStack *b, int trans)
{
    GnpSolver s;
    int ret = -1;
    int64_t n = a->rows;
    GNP_TRY(gnp_solver_init(&s));
    GNP_TRY(gnp_solver_work(&s, sizeof(int),
                            0)); /* reports wrong arguments only, so it is not read back */
    for (int64_t i = 0; i < a->count; i++) {
        const int64_t *pivot = (const int64_t *)gnp_pointer(pivots) + i * n;
        LIB_TRY_NOGIL(CUSOLVER,
                      s.api->cusolverDnXgetrs(s.handle, s.params, trans, n, b->columns, a->type,
                                              gnp_stack_at(a, i), n, pivot, b->type,
                                              gnp_stack_at(b, i), n, s.work_ptr));
    }
    ret = 0;
fail:
    gnp_solver_clear(&s);
    return ret;
}

/* One call solves with pairs of matrices, so both stacks have one type and number. */
static int
check_pair(const GnpStack *a, const GnpStack *b)
{
    if (a->dtype != b->dtype || a->count != b->count || a->rows != a->columns) {
        PyErr_SetString(PyExc_ValueError, "a and b are no stacks of one type and number");
        return -1;
    }
    return 0;
}

PyDoc_STRVAR(
    getrs_doc,
    "lapack_getrs(lu, pivots, b, trans)\n--\n\n"
    "Solve in place with what lapack_getrf left and int64 pivots; trans is 0, 1 (transposed) or "
    "2\n(conjugate).");

/* All sizes are compared here, since the library trusts them and would read out of bounds. */
static PyObject *
getrs(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("lapack_getrs(lu, pivots, b, trans)");
    PyObject *given[4];
    GnpStack a, b;
    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    GNP_TRY(gnp_stack_from(given[0], "lu", &a));
    GNP_TRY(gnp_stack_from(given[2], "b", &b));
    GNP_TRY(check_pair(&a, &b));
    int trans;
    GNP_TRY(gnp_int_from_object(given[3], "trans", &trans));
    const GnpArray *pivots = (const GnpArray *)given[1];
    if (!gnp_array_check(given[1]) || b.rows != a.rows || pivots->dtype != GNP_I64 ||
        pivots->size != a.rows * a.count || !(pivots->flags & GNP_C_CONTIGUOUS)) {
        PyErr_SetString(PyExc_ValueError, "lu, pivots and b do not fit together");
        goto fail;
    }
    gnp_block_record(pivots->block, gnp_stream_current(gnp_device_current()));
    if (a.rows > 0 && b.columns > 0 && a.count > 0) {
        GNP_TRY(solve_each(&a, pivots, &b, trans));
    }
    Py_RETURN_NONE;
fail:
    return NULL;
}

PyDoc_STRVAR(getri_doc, "lapack_getri(lu, pivots)\n--\n\n"
                        "Inverses from int32 pivots: a new stack.");

/* cuBLAS inverts out of place: the factors stay, and the inverse is a new stack. */
static PyObject *
getri(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("lapack_getri(lu, pivots)");
    PyObject *given[2];
    GnpStack a, b;
    GnpArray *out = NULL, *info = NULL, *from = NULL, *to = NULL; /* owned */
    PyObject *ret = NULL;
    GnpDevice *device = gnp_device_current();
    const GnpCublas *api = device != NULL ? gnp_cublas() : NULL;
    cublasHandle_t handle;
    GNP_NEW(handle, api != NULL ? gnp_cublas_handle(device, gnp_stream_current(device)) : NULL);
    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    GNP_TRY(gnp_stack_from(given[0], "lu", &a));
    const GnpArray *pivots = (const GnpArray *)given[1];
    /* cuBLAS's batched interface has int32 pivots, so only those of the other methods of
     * lapack_getrf fit. */
    if (!gnp_array_check(given[1]) || pivots->dtype != GNP_I32) {
        PyErr_SetString(PyExc_TypeError, "pivots must be int32");
        goto fail;
    }
    if (a.rows != a.columns || pivots->size != a.rows * a.count ||
        !(pivots->flags & GNP_C_CONTIGUOUS)) {
        PyErr_SetString(PyExc_ValueError, "lu and pivots do not fit together");
        goto fail;
    }
    gnp_block_record(pivots->block, gnp_stream_current(device));
    const int64_t sizes[] = {a.rows, a.rows};
    GNP_NEW(out, gnp_stack_result(&a, 2, sizes, a.dtype));
    GNP_NEW(info, new_info(&a));
    GNP_TRY(gnp_stack_from((PyObject *)out, "out", &b));
    GNP_NEW(from, gnp_stack_addresses(&a));
    GNP_NEW(to, gnp_stack_addresses(&b));
    void *lu = gnp_pointer(from), *inverse = gnp_pointer(to);
    int n = (int)a.rows;
    if (a.rows > 0 && a.count > 0) {
        LIB_TRY_NOGIL(CUBLAS, BY_TYPE(a.dtype, api->cublasSgetriBatched, api->cublasDgetriBatched,
                                      api->cublasCgetriBatched, api->cublasZgetriBatched,
                                      (handle, n, lu, n, gnp_pointer(pivots), inverse, n,
                                       gnp_pointer(info), (int)a.count)));
    }
    ret = Py_NewRef((PyObject *)out);
fail:
    Py_XDECREF((PyObject *)out);
    Py_XDECREF((PyObject *)info);
    Py_XDECREF((PyObject *)from);
    Py_XDECREF((PyObject *)to);
    return ret;
}

/* ---- triangles ------------------------------------------------------------------------------- */

/* The arguments of trsm in cuBLAS's enumerations, whose values 0 and 1 are those of the flags. */
typedef struct {
    int side, uplo, trans, diag;
} Triangle;

/* The library takes arrays of addresses, one for each matrix. */
static int
trsm_batched(const GnpCublas *api, cublasHandle_t handle, const GnpStack *a, const GnpStack *b,
             Triangle t)
{
    static const gnp_c128 one = {1.0, 0.0};
    static const gnp_c64 one_single = {1.0F, 0.0F};
    /* One in double and in single precision; as a complex number its imaginary part follows. */
    const void *alpha =
        a->dtype == GNP_F32 || a->dtype == GNP_C64 ? (const void *)&one_single : (const void *)&one;
    GnpArray *from = NULL, *to = NULL; /* owned */
    int ret = -1;
    GNP_TRY(gnp_check_int(b->count, b->columns, b->rows));
    GNP_NEW(from, gnp_stack_addresses(a));
    GNP_NEW(to, gnp_stack_addresses(b));
    void *triangles = gnp_pointer(from), *x = gnp_pointer(to);
    int m = (int)b->rows, n = (int)b->columns;
    LIB_TRY_NOGIL(CUBLAS, BY_TYPE(a->dtype, api->cublasStrsmBatched, api->cublasDtrsmBatched,
                                  api->cublasCtrsmBatched, api->cublasZtrsmBatched,
                                  (handle, t.side, t.uplo, t.trans, t.diag, m, n, alpha, triangles,
                                   (int)a->rows, x, m, (int)b->count)));
    ret = 0;
fail:
    Py_XDECREF((PyObject *)from);
    Py_XDECREF((PyObject *)to);
    return ret;
}

/* `alpha` is read on the host (CUBLAS_POINTER_MODE_HOST, the default), so it may be static. */
static int
trsm_each(const GnpCublas *api, cublasHandle_t handle, const GnpStack *a, const GnpStack *b,
          Triangle t)
{
    static const gnp_c128 one = {1.0, 0.0};
    static const gnp_c64 one_single = {1.0F, 0.0F};
    const void *alpha =
        a->dtype == GNP_F32 || a->dtype == GNP_C64 ? (const void *)&one_single : (const void *)&one;
    for (int64_t i = 0; i < a->count; i++) {
        void *triangle = gnp_stack_at(a, i), *x = gnp_stack_at(b, i);
        LIB_TRY_NOGIL(CUBLAS, BY_TYPE(a->dtype, api->cublasStrsm_v2_64, api->cublasDtrsm_v2_64,
                                      api->cublasCtrsm_v2_64, api->cublasZtrsm_v2_64,
                                      (handle, t.side, t.uplo, t.trans, t.diag, b->rows, b->columns,
                                       alpha, triangle, a->rows, x, b->rows)));
    }
    return 0;
fail:
    return -1;
}

PyDoc_STRVAR(trsm_doc,
             "lapack_trsm(a, b, upper, trans, unit, right)\n--\n\n"
             "Solve in place with triangles: op(a) x = b, or x op(a) = b where `right`; trans is "
             "0, 1\n(transposed) or 2 (conjugate); `unit`: the diagonal counts as ones.");

/* Large triangles are solved one after the other, as each fills the device. */
static PyObject *
trsm(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("lapack_trsm(a, b, upper, trans, unit, right)");
    PyObject *given[6];
    GnpStack a, b;
    int upper, unit, right;
    GnpDevice *device = gnp_device_current();
    const GnpCublas *api = device != NULL ? gnp_cublas() : NULL;
    cublasHandle_t handle;
    GNP_NEW(handle, api != NULL ? gnp_cublas_handle(device, gnp_stream_current(device)) : NULL);
    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    GNP_TRY(gnp_stack_from(given[0], "a", &a));
    GNP_TRY(gnp_stack_from(given[1], "b", &b));
    GNP_TRY(check_pair(&a, &b));
    GNP_TRY(gnp_truth_from_object(given[2], &upper));
    GNP_TRY(gnp_truth_from_object(given[4], &unit));
    GNP_TRY(gnp_truth_from_object(given[5], &right));
    int trans;
    GNP_TRY(gnp_int_from_object(given[3], "trans", &trans));
    if (a.rows != (right ? b.columns : b.rows)) {
        PyErr_SetString(PyExc_ValueError, "a and b do not fit together");
        goto fail;
    }
    /* CUBLAS_SIDE_LEFT is 0 and CUBLAS_FILL_MODE_LOWER is 0. */
    Triangle t = {right, upper, trans, unit};
    if (b.rows > 0 && b.columns > 0 && b.count > 0) {
        GNP_TRY(a.count > 1 && a.rows <= TRSM_BATCHED ? trsm_batched(api, handle, &a, &b, t)
                                                      : trsm_each(api, handle, &a, &b, t));
    }
    Py_RETURN_NONE;
fail:
    return NULL;
}

PyMethodDef gnp_factor_functions[] = {
    {"lapack_potrf", GNP_FAST(potrf), METH_FASTCALL | METH_KEYWORDS, potrf_doc},
    {"lapack_getrf", GNP_FAST(getrf), METH_FASTCALL | METH_KEYWORDS, getrf_doc},
    {"lapack_getrs", GNP_FAST(getrs), METH_FASTCALL | METH_KEYWORDS, getrs_doc},
    {"lapack_order", GNP_FAST(order), METH_FASTCALL | METH_KEYWORDS, order_doc},
    {"lapack_getri", GNP_FAST(getri), METH_FASTCALL | METH_KEYWORDS, getri_doc},
    {"lapack_trsm", GNP_FAST(trsm), METH_FASTCALL | METH_KEYWORDS, trsm_doc},
    {NULL, NULL, 0, NULL},
};
