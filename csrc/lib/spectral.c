/* Eigenvalues and singular values: which of the libraries' methods, and the call of each.
 *
 * In place on stacks of column-major matrices, as factor.c. The choice depends on size and number
 * alone; `method` selects one, for measurements. */
#include "lib/stack.h"

#include <string.h>

/* ---- symmetric matrices ---------------------------------------------------------------------- */

/* cuSOLVER's methods: divide and conquer (syevd), Jacobi (syevj) and the batched ones, in the
 * order of symmetric_names and of `runs` in syev. */
typedef enum { SYEVD, SYEVJ, SYEVJ_BATCHED, SYEV_BATCHED, NSYMMETRIC } Symmetric;
static const char *const symmetric_names[NSYMMETRIC] = {"syevd", "syevj", "syevjBatched",
                                                        "syevBatched"};

/* As measured on an H200: Jacobi's batched kernel holds matrices up to the first size on chip; the
 * second is where, without vectors, Jacobi's method overtakes the QR iteration. The polar method,
 * gesvdp, is faster for large matrices but used only when selected: its accuracy has to be checked
 * by the caller. */
enum { JACOBI_BATCHED = 32, JACOBI_VALUES = 100 };

/* Methods that synchronise internally cannot be captured: cuSOLVER would fail halfway and break the
 * capture. The batched ones do not. */
static int
refuse_capture(const GnpSolver *s, int is_batched, const char *what)
{
    return is_batched ? 0 : gnp_capture_check(s->stream, what);
}

/* Older versions of cuSOLVER lack XsyevBatched: one matrix after the other. */
static Symmetric
choose_symmetric(const GnpStack *a, const GnpCusolver *api)
{
    if (a->count == 1) {
        return SYEVD;
    }
    if (a->rows <= JACOBI_BATCHED) {
        return SYEVJ_BATCHED;
    }
    return api->cusolverDnXsyevBatched != NULL ? SYEV_BATCHED : SYEVD;
}

/* A call of syev: the stack, which the eigenvectors replace, and the arrays of results. */
typedef struct {
    GnpStack a;
    int mode, uplo;
    GnpArray *w, *info; /* borrowed */
} Eigen;

/* The eigenvalues of matrix i: `rows` real numbers of the type of w. */
static void *
value_at(const Eigen *e, int64_t i)
{
    return (char *)gnp_pointer(e->w) + i * e->a.rows * gnp_dtypes[e->w->dtype].bytes;
}

/* One matrix after the other with the 64-bit interface. It uses host memory too and waits for
 * the device, hence the call without the GIL. */
static int
run_syevd(GnpSolver *s, const Eigen *e)
{
    const GnpStack *a = &e->a;
    cudaDataType real = gnp_library_type((GnpDtype)e->w->dtype);
    size_t device_bytes, host_bytes;
    int64_t n = a->rows;
    LIB_TRY(CUSOLVER, s->api->cusolverDnXsyevd_bufferSize(
                          s->handle, s->params, e->mode, e->uplo, n, a->type, gnp_stack_at(a, 0), n,
                          real, value_at(e, 0), a->type, &device_bytes, &host_bytes));
    GNP_TRY(gnp_solver_work(s, device_bytes, host_bytes));
    for (int64_t i = 0; i < a->count; i++) {
        LIB_TRY_NOGIL(CUSOLVER,
                      s->api->cusolverDnXsyevd(s->handle, s->params, e->mode, e->uplo, n, a->type,
                                               gnp_stack_at(a, i), n, real, value_at(e, i), a->type,
                                               s->work_ptr, s->work_bytes, s->host, s->host_bytes,
                                               (int *)gnp_pointer(e->info) + i));
    }
    return 0;
fail:
    return -1;
}

/* One call for the whole stack; the buffer grows with the number of matrices. */
static int
run_syev_batched(GnpSolver *s, const Eigen *e)
{
    const GnpStack *a = &e->a;
    cudaDataType real = gnp_library_type((GnpDtype)e->w->dtype);
    size_t device_bytes, host_bytes;
    int64_t n = a->rows;
    LIB_TRY(CUSOLVER, s->api->cusolverDnXsyevBatched_bufferSize(
                          s->handle, s->params, e->mode, e->uplo, n, a->type, gnp_stack_at(a, 0), n,
                          real, value_at(e, 0), a->type, &device_bytes, &host_bytes, a->count));
    GNP_TRY(gnp_solver_work(s, device_bytes, host_bytes));
    LIB_TRY_NOGIL(CUSOLVER,
                  s->api->cusolverDnXsyevBatched(s->handle, s->params, e->mode, e->uplo, n, a->type,
                                                 gnp_stack_at(a, 0), n, real, value_at(e, 0),
                                                 a->type, s->work_ptr, s->work_bytes, s->host,
                                                 s->host_bytes, gnp_pointer(e->info), a->count));
    return 0;
fail:
    return -1;
}

/* Jacobi's method with the library's default tolerance and number of sweeps. Chosen only by
 * name. The settings object is destroyed on every path, also after errors. */
static int
run_syevj(GnpSolver *s, const Eigen *e)
{
    const GnpStack *a = &e->a;
    syevjInfo_t settings = NULL; /* owned */
    int ret = -1, size = 0, n = (int)a->rows;
    GNP_TRY(gnp_check_int(n, a->count, 0));
    void *x = gnp_stack_at(a, 0), *w = value_at(e, 0);
    LIB_TRY(CUSOLVER, s->api->cusolverDnCreateSyevjInfo(&settings));
    LIB_TRY(CUSOLVER,
            BY_TYPE(a->dtype, s->api->cusolverDnSsyevj_bufferSize,
                    s->api->cusolverDnDsyevj_bufferSize, s->api->cusolverDnCheevj_bufferSize,
                    s->api->cusolverDnZheevj_bufferSize,
                    (s->handle, e->mode, e->uplo, n, x, n, w, &size, settings)));
    GNP_TRY(gnp_solver_work(s, (size_t)size * (size_t)gnp_dtypes[a->dtype].bytes, 0));
    for (int64_t i = 0; i < a->count; i++) {
        int *flag = (int *)gnp_pointer(e->info) + i;
        x = gnp_stack_at(a, i);
        w = value_at(e, i);
        LIB_TRY_NOGIL(
            CUSOLVER,
            BY_TYPE(a->dtype, s->api->cusolverDnSsyevj, s->api->cusolverDnDsyevj,
                    s->api->cusolverDnCheevj, s->api->cusolverDnZheevj,
                    (s->handle, e->mode, e->uplo, n, x, n, w, s->work_ptr, size, flag, settings)));
    }
    ret = 0;
fail:
    if (settings != NULL) {
        s->api->cusolverDnDestroySyevjInfo(settings);
    }
    return ret;
}

/* All matrices in one kernel, each in the shared memory of a block, which limits it to small
 * ones. */
static int
run_syevj_batched(GnpSolver *s, const Eigen *e)
{
    const GnpStack *a = &e->a;
    syevjInfo_t settings = NULL; /* owned */
    int ret = -1, size = 0, n = (int)a->rows, count = (int)a->count;
    GNP_TRY(gnp_check_int(n, a->count, 0));
    void *x = gnp_stack_at(a, 0), *w = value_at(e, 0);
    LIB_TRY(CUSOLVER, s->api->cusolverDnCreateSyevjInfo(&settings));
    LIB_TRY(CUSOLVER, BY_TYPE(a->dtype, s->api->cusolverDnSsyevjBatched_bufferSize,
                              s->api->cusolverDnDsyevjBatched_bufferSize,
                              s->api->cusolverDnCheevjBatched_bufferSize,
                              s->api->cusolverDnZheevjBatched_bufferSize,
                              (s->handle, e->mode, e->uplo, n, x, n, w, &size, settings, count)));
    GNP_TRY(gnp_solver_work(s, (size_t)size * (size_t)gnp_dtypes[a->dtype].bytes, 0));
    LIB_TRY_NOGIL(CUSOLVER,
                  BY_TYPE(a->dtype, s->api->cusolverDnSsyevjBatched,
                          s->api->cusolverDnDsyevjBatched, s->api->cusolverDnCheevjBatched,
                          s->api->cusolverDnZheevjBatched,
                          (s->handle, e->mode, e->uplo, n, x, n, w, s->work_ptr, size,
                           gnp_pointer(e->info), settings, count)));
    ret = 0;
fail:
    if (settings != NULL) {
        s->api->cusolverDnDestroySyevjInfo(settings);
    }
    return ret;
}

PyDoc_STRVAR(syev_doc,
             "lapack_syev(a, vectors, upper, method=None)\n--\n\n"
             "Eigenvalues in ascending order, from one triangle; where `vectors`, eigenvectors\n"
             "come in place of the matrices. Returns (w, info).");

/* Empty stacks do not reach the library, which refuses sizes of zero; their info is zero. */
static PyObject *
syev(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("lapack_syev(a, vectors, upper, method=None)");
    static int (*const runs[NSYMMETRIC])(GnpSolver *, const Eigen *) = {
        run_syevd, run_syevj, run_syevj_batched, run_syev_batched};
    PyObject *given[4];
    GnpSolver s;
    Eigen e = {.mode = 0};
    GnpArray *w = NULL, *info = NULL; /* owned */
    PyObject *ret = NULL;
    GNP_TRY(gnp_solver_init(&s));
    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    GNP_TRY(gnp_stack_from(given[0], "a", &e.a));
    GNP_NEW(w, gnp_stack_result(&e.a, 1, &e.a.rows, gnp_dtypes[e.a.dtype].real));
    GNP_NEW(info, gnp_stack_result(&e.a, 0, NULL, GNP_I32));
    /* Borrowed by e: the locals w and info own them. */
    e.w = w;
    e.info = info;
    int vectors, upper;
    GNP_TRY(gnp_truth_from_object(given[1], &vectors));
    GNP_TRY(gnp_truth_from_object(given[2], &upper));
    /* Without vectors the matrices are destroyed all the same. */
    e.mode = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    e.uplo = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    if (e.a.rows > 0 && e.a.count > 0) {
        /* A method is chosen by name in tests and benchmarks, else by size. */
        int method =
            gnp_method_from(given[3], symmetric_names, NSYMMETRIC, choose_symmetric(&e.a, s.api));
        GNP_TRY(method);
        GNP_TRY(refuse_capture(&s, method == SYEVJ_BATCHED || method == SYEV_BATCHED,
                               "cuSOLVER's method for eigenvalues of one matrix"));
        GNP_TRY(runs[method](&s, &e));
    }
    else {
        const GnpScalar zero = {.bits = {0, 0}};
        GNP_TRY(gnp_fill(info, &zero));
    }
    ret = PyTuple_Pack(2, w, info);
fail:
    Py_XDECREF((PyObject *)w);
    Py_XDECREF((PyObject *)info);
    gnp_solver_clear(&s);
    return ret;
}

/* ---- general matrices ------------------------------------------------------------------------ */

/* Left eigenvectors are not asked for, as NumPy has right ones only; the library takes NULL with
 * a leading dimension of 1 for them. */
static int
run_geev(GnpSolver *s, const GnpStack *a, GnpArray *w, GnpArray *vectors, GnpArray *info)
{
    int mode = vectors != NULL ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    /* The library wants a valid leading dimension without vectors, too. */
    int64_t n = a->rows, ld = vectors != NULL ? n : 1;
    cudaDataType type = a->type, complex = gnp_library_type((GnpDtype)w->dtype);
    char *values = gnp_pointer(w), *right = vectors != NULL ? gnp_pointer(vectors) : NULL;
    size_t device_bytes, host_bytes;
    LIB_TRY(CUSOLVER, s->api->cusolverDnXgeev_bufferSize(
                          s->handle, s->params, CUSOLVER_EIG_MODE_NOVECTOR, mode, n, type,
                          gnp_stack_at(a, 0), n, complex, values, type, NULL, 1, type, right, ld,
                          type, &device_bytes, &host_bytes));
    GNP_TRY(gnp_solver_work(s, device_bytes, host_bytes));
    for (int64_t i = 0; i < a->count; i++) {
        /* Eigenvalues are complex even for real matrices; n of them per matrix. */
        char *w_i = values + i * n * gnp_dtypes[w->dtype].bytes;
        char *right_i = right != NULL ? right + i * a->bytes : NULL;
        LIB_TRY_NOGIL(CUSOLVER, s->api->cusolverDnXgeev(
                                    s->handle, s->params, CUSOLVER_EIG_MODE_NOVECTOR, mode, n, type,
                                    gnp_stack_at(a, i), n, complex, w_i, type, NULL, 1, type,
                                    right_i, ld, type, s->work_ptr, s->work_bytes, s->host,
                                    s->host_bytes, (int *)gnp_pointer(info) + i));
    }
    return 0;
fail:
    return -1;
}

PyDoc_STRVAR(
    geev_doc,
    "lapack_geev(a, vectors)\n--\n\n"
    "Eigenvalues of general matrices, which are destroyed; returns (w, v, info). w is\n"
    "complex. v is None or has a matrix's right eigenvectors as columns; of real matrices,\n"
    "a pair of complex ones is kept as real and imaginary part of the first.");

/* Xgeev exists since cuSOLVER of CUDA 12.6; older libraries leave its pointer NULL. */
static PyObject *
geev(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("lapack_geev(a, vectors)");
    PyObject *given[2];
    GnpSolver s;
    GnpStack a;
    GnpArray *w = NULL, *vectors = NULL, *info = NULL; /* owned */
    PyObject *ret = NULL;
    GNP_TRY(gnp_solver_init(&s));
    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    GNP_TRY(gnp_stack_from(given[0], "a", &a));
    /* Checked before results are allocated. */
    if (s.api->cusolverDnXgeev == NULL) {
        PyErr_SetString(PyExc_RuntimeError,
                        "eigenvalues of general matrices need cuSOLVER of CUDA 12.6 or newer");
        goto fail;
    }
    /* Square, as the matrices are. */
    const int64_t sizes[] = {a.rows, a.rows};
    GNP_NEW(w, gnp_stack_result(&a, 1, &a.rows, gnp_dtypes[a.dtype].complex));
    GNP_NEW(info, gnp_stack_result(&a, 0, NULL, GNP_I32));
    int wanted;
    GNP_TRY(gnp_truth_from_object(given[1], &wanted));
    if (wanted) {
        GNP_NEW(vectors, gnp_stack_result(&a, 2, sizes, a.dtype));
    }
    if (a.rows > 0 && a.count > 0) {
        GNP_TRY(refuse_capture(&s, 0, "cuSOLVER's method for eigenvalues of general matrices"));
        GNP_TRY(run_geev(&s, &a, w, vectors, info));
    }
    else {
        const GnpScalar zero = {.bits = {0, 0}};
        GNP_TRY(gnp_fill(info, &zero));
    }
    ret = PyTuple_Pack(3, w, vectors != NULL ? (PyObject *)vectors : Py_None, info);
fail:
    Py_XDECREF((PyObject *)w);
    Py_XDECREF((PyObject *)vectors);
    Py_XDECREF((PyObject *)info);
    gnp_solver_clear(&s);
    return ret;
}

/* ---- singular values ------------------------------------------------------------------------- */

/* In the order of singular_names and of `runs` in svd: QR iteration, Jacobi, batched Jacobi and
 * the polar decomposition. */
typedef enum { GESVD, GESVDJ, GESVDJ_BATCHED, GESVDP, NSINGULAR } Singular;
static const char *const singular_names[NSINGULAR] = {"gesvd", "gesvdj", "gesvdjBatched", "gesvdp"};

/* A choice by measured crossover points, see JACOBI_BATCHED. */
static Singular
choose_singular(const GnpStack *a, int mode)
{
    if (a->count > 1 && a->rows <= JACOBI_BATCHED && a->columns <= JACOBI_BATCHED) {
        return GESVDJ_BATCHED;
    }
    return mode == CUSOLVER_EIG_MODE_NOVECTOR && a->columns < JACOBI_VALUES ? GESVD : GESVDJ;
}

/* u and v hold singular vectors as columns; v holds rows of them where `transposed`. */
typedef struct {
    GnpStack a, u, v;
    int mode, full, transposed;
    GnpArray *values, *left, *right, *info; /* owned */
} Svd;

/* Singular values of matrix i: as many as columns, since matrices are tall. */
static void *
singular_at(const Svd *d, int64_t i)
{
    return (char *)gnp_pointer(d->values) + i * d->a.columns * gnp_dtypes[d->values->dtype].bytes;
}

/* The job 'S' computes the thin factors and 'A' the full ones. gesvd returns V^H, the other
 * methods V, so `transposed` tells the caller. */
static int
run_gesvd(GnpSolver *s, const Svd *d)
{
    const GnpStack *a = &d->a;
    cudaDataType type = a->type, real = gnp_library_type((GnpDtype)d->values->dtype);
    size_t device_bytes, host_bytes;
    int64_t m = a->rows, n = a->columns;
    /* LAPACK's letters: no vectors, all of them, or the thin factors. */
    signed char job = d->mode == CUSOLVER_EIG_MODE_NOVECTOR ? 'N' : d->full ? 'A' : 'S';
    LIB_TRY(CUSOLVER, s->api->cusolverDnXgesvd_bufferSize(
                          s->handle, s->params, job, job, m, n, type, gnp_stack_at(a, 0), m, real,
                          singular_at(d, 0), type, gnp_stack_at(&d->u, 0), m, type,
                          gnp_stack_at(&d->v, 0), n, type, &device_bytes, &host_bytes));
    GNP_TRY(gnp_solver_work(s, device_bytes, host_bytes));
    for (int64_t i = 0; i < a->count; i++) {
        LIB_TRY_NOGIL(CUSOLVER,
                      s->api->cusolverDnXgesvd(
                          s->handle, s->params, job, job, m, n, type, gnp_stack_at(a, i), m, real,
                          singular_at(d, i), type, gnp_stack_at(&d->u, i), m, type,
                          gnp_stack_at(&d->v, i), n, type, s->work_ptr, s->work_bytes, s->host,
                          s->host_bytes, (int *)gnp_pointer(d->info) + i));
    }
    return 0;
fail:
    return -1;
}

/* The measure of distance is not used here: the caller compares the result itself. */
static int
run_gesvdp(GnpSolver *s, const Svd *d)
{
    const GnpStack *a = &d->a;
    cudaDataType type = a->type, real = gnp_library_type((GnpDtype)d->values->dtype);
    size_t device_bytes, host_bytes;
    int64_t m = a->rows, n = a->columns;
    LIB_TRY(CUSOLVER, s->api->cusolverDnXgesvdp_bufferSize(
                          s->handle, s->params, d->mode, !d->full, m, n, type, gnp_stack_at(a, 0),
                          m, real, singular_at(d, 0), type, gnp_stack_at(&d->u, 0), m, type,
                          gnp_stack_at(&d->v, 0), n, type, &device_bytes, &host_bytes));
    GNP_TRY(gnp_solver_work(s, device_bytes, host_bytes));
    for (int64_t i = 0; i < a->count; i++) {
        /* The library writes it to host memory during the call. */
        double distance = 0;
        LIB_TRY_NOGIL(CUSOLVER,
                      s->api->cusolverDnXgesvdp(
                          s->handle, s->params, d->mode, !d->full, m, n, type, gnp_stack_at(a, i),
                          m, real, singular_at(d, i), type, gnp_stack_at(&d->u, i), m, type,
                          gnp_stack_at(&d->v, i), n, type, s->work_ptr, s->work_bytes, s->host,
                          s->host_bytes, (int *)gnp_pointer(d->info) + i, &distance));
    }
    return 0;
fail:
    return -1;
}

/* Jacobi's method; econ = 1 asks for the thin factors. */
static int
run_gesvdj(GnpSolver *s, const Svd *d)
{
    const GnpStack *a = &d->a;
    gesvdjInfo_t settings = NULL; /* owned */
    int ret = -1, size = 0, m = (int)a->rows, n = (int)a->columns, econ = !d->full;
    /* The older interfaces count in int. */
    GNP_TRY(gnp_check_int(a->rows, a->columns, 0));
    void *x = gnp_stack_at(a, 0), *w = singular_at(d, 0), *u = gnp_stack_at(&d->u, 0);
    void *v = gnp_stack_at(&d->v, 0);
    LIB_TRY(CUSOLVER, s->api->cusolverDnCreateGesvdjInfo(&settings));
    LIB_TRY(CUSOLVER,
            BY_TYPE(a->dtype, s->api->cusolverDnSgesvdj_bufferSize,
                    s->api->cusolverDnDgesvdj_bufferSize, s->api->cusolverDnCgesvdj_bufferSize,
                    s->api->cusolverDnZgesvdj_bufferSize,
                    (s->handle, d->mode, econ, m, n, x, m, w, u, m, v, n, &size, settings)));
    GNP_TRY(gnp_solver_work(s, (size_t)size * (size_t)gnp_dtypes[a->dtype].bytes, 0));
    for (int64_t i = 0; i < a->count; i++) {
        int *flag = (int *)gnp_pointer(d->info) + i;
        x = gnp_stack_at(a, i);
        w = singular_at(d, i);
        u = gnp_stack_at(&d->u, i);
        v = gnp_stack_at(&d->v, i);
        LIB_TRY_NOGIL(CUSOLVER,
                      BY_TYPE(a->dtype, s->api->cusolverDnSgesvdj, s->api->cusolverDnDgesvdj,
                              s->api->cusolverDnCgesvdj, s->api->cusolverDnZgesvdj,
                              (s->handle, d->mode, econ, m, n, x, m, w, u, m, v, n, s->work_ptr,
                               size, flag, settings)));
    }
    ret = 0;
fail:
    if (settings != NULL) {
        s->api->cusolverDnDestroyGesvdjInfo(settings);
    }
    return ret;
}

/* The batched Jacobi method takes matrices of up to 32 rows and columns (cuSOLVER documentation,
 * gesvdjBatched) and sorts the values like the others. */
static int
run_gesvdj_batched(GnpSolver *s, const Svd *d)
{
    const GnpStack *a = &d->a;
    gesvdjInfo_t settings = NULL; /* owned */
    int ret = -1, size = 0, m = (int)a->rows, n = (int)a->columns, count = (int)a->count;
    /* Sizes are at most 32 where the method is chosen here. */
    GNP_TRY(gnp_check_int(a->count, 0, 0));
    void *x = gnp_stack_at(a, 0), *w = singular_at(d, 0), *u = gnp_stack_at(&d->u, 0);
    void *v = gnp_stack_at(&d->v, 0);
    LIB_TRY(CUSOLVER, s->api->cusolverDnCreateGesvdjInfo(&settings));
    LIB_TRY(CUSOLVER,
            BY_TYPE(a->dtype, s->api->cusolverDnSgesvdjBatched_bufferSize,
                    s->api->cusolverDnDgesvdjBatched_bufferSize,
                    s->api->cusolverDnCgesvdjBatched_bufferSize,
                    s->api->cusolverDnZgesvdjBatched_bufferSize,
                    (s->handle, d->mode, m, n, x, m, w, u, m, v, n, &size, settings, count)));
    GNP_TRY(gnp_solver_work(s, (size_t)size * (size_t)gnp_dtypes[a->dtype].bytes, 0));
    LIB_TRY_NOGIL(CUSOLVER,
                  BY_TYPE(a->dtype, s->api->cusolverDnSgesvdjBatched,
                          s->api->cusolverDnDgesvdjBatched, s->api->cusolverDnCgesvdjBatched,
                          s->api->cusolverDnZgesvdjBatched,
                          (s->handle, d->mode, m, n, x, m, w, u, m, v, n, s->work_ptr, size,
                           gnp_pointer(d->info), settings, count)));
    ret = 0;
fail:
    if (settings != NULL) {
        s->api->cusolverDnDestroyGesvdjInfo(settings);
    }
    return ret;
}

/* Arrays for the results of a method. The batched method has no thin U, and the libraries need
 * valid pointers even where no vectors are computed. */
static int
make_results(Svd *d, Singular method)
{
    const GnpStack *a = &d->a;
    int64_t m = a->rows, n = a->columns;
    int with_vectors = d->mode == CUSOLVER_EIG_MODE_VECTOR;
    /* Sizes in the order of NumPy's axes: the last one counts rows of a column-major matrix. */
    const int64_t left[] = {d->full || method == GESVDJ_BATCHED ? m : n, m}, right[] = {n, n};
    const int64_t nothing[] = {1, 1};
    GNP_NEW(d->values, gnp_stack_result(a, 1, &n, gnp_dtypes[a->dtype].real));
    GNP_NEW(d->info, gnp_stack_result(a, 0, NULL, GNP_I32));
    if (!with_vectors && method != GESVDJ_BATCHED && method != GESVDP) {
        GNP_NEW(d->left, gnp_stack_result(a, 2, nothing, a->dtype));
        GNP_NEW(d->right, gnp_stack_result(a, 2, nothing, a->dtype));
    }
    else {
        GNP_NEW(d->left, gnp_stack_result(a, 2, left, a->dtype));
        GNP_NEW(d->right, gnp_stack_result(a, 2, right, a->dtype));
    }
    GNP_TRY(gnp_stack_from((PyObject *)d->left, "u", &d->u));
    GNP_TRY(gnp_stack_from((PyObject *)d->right, "v", &d->v));
    d->transposed = method == GESVD;
    return 0;
fail:
    return -1;
}

PyDoc_STRVAR(
    svd_doc,
    "lapack_svd(a, vectors, full, method=None)\n--\n\n"
    "Singular values of matrices that are not wider than tall, which are destroyed.\n"
    "Returns (u, s, v, rows, info): u and v have singular vectors as columns; where `rows`\n"
    "is true v has them, conjugated, as rows.");

/* gpunp.linalg passes a wide matrix transposed, as cuSOLVER's gesvd requires rows >= columns. */
static PyObject *
svd(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("lapack_svd(a, vectors, full, method=None)");
    static int (*const runs[NSINGULAR])(GnpSolver *, const Svd *) = {
        run_gesvd, run_gesvdj, run_gesvdj_batched, run_gesvdp};
    PyObject *given[4], *ret = NULL;
    GnpSolver s;
    Svd d = {.mode = 0};
    GNP_TRY(gnp_solver_init(&s));
    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    GNP_TRY(gnp_stack_from(given[0], "a", &d.a));
    /* Also keeps empty matrices from the library, which refuses them. */
    if (d.a.rows < d.a.columns || d.a.columns == 0 || d.a.count == 0) {
        PyErr_SetString(PyExc_ValueError, "a must be tall and not empty");
        goto fail;
    }
    int vectors;
    GNP_TRY(gnp_truth_from_object(given[1], &vectors));
    GNP_TRY(gnp_truth_from_object(given[2], &d.full));
    /* The mode decides the method and the job of gesvd. */
    d.mode = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    int method =
        gnp_method_from(given[3], singular_names, NSINGULAR, choose_singular(&d.a, d.mode));
    GNP_TRY(method);
    GNP_TRY(refuse_capture(&s, method == GESVDJ_BATCHED, "cuSOLVER's method for singular values"));
    GNP_TRY(make_results(&d, method));
    GNP_TRY(runs[method](&s, &d));
    ret = Py_BuildValue("(OOOiO)", d.left, d.values, d.right, d.transposed, d.info);
fail:
    Py_XDECREF((PyObject *)d.left);
    Py_XDECREF((PyObject *)d.right);
    Py_XDECREF((PyObject *)d.values);
    Py_XDECREF((PyObject *)d.info);
    gnp_solver_clear(&s);
    return ret;
}

PyMethodDef gnp_spectral_functions[] = {
    {"lapack_syev", GNP_FAST(syev), METH_FASTCALL | METH_KEYWORDS, syev_doc},
    {"lapack_geev", GNP_FAST(geev), METH_FASTCALL | METH_KEYWORDS, geev_doc},
    {"lapack_svd", GNP_FAST(svd), METH_FASTCALL | METH_KEYWORDS, svd_doc},
    {NULL, NULL, 0, NULL},
};
