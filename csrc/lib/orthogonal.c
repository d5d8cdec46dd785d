/* QR: Householder reflectors, and the matrices that they represent. In place on stacks of
 * column-major matrices, as factor.c. A reflector is H = I - tau v v^H with v[0] = 1; geqrf
 * leaves R in the upper triangle and the vectors below it, as LAPACK does. orgqr forms Q
 * explicitly; ormqr applies it without forming it, which costs less for few columns. Called by
 * gpunp.linalg, with the GIL. */
#include "lib/stack.h"

/* Up to this size the batched interface is faster for a stack: 16 float64 matrices of 256 took 45
 * ms on an H200, one after the other 12 ms. */
enum { GEQRF_BATCHED = 128 };

/* `info` of the batched function is a host integer that reports wrong arguments only; it is set
 * before the call returns, so nothing is read back from the device. */
static int
geqrf_batched(const GnpStack *a, const GnpStack *tau)
{
    GnpArray *from = NULL, *to = NULL; /* owned */
    int ret = -1, info = 0;
    GnpDevice *device = gnp_device_current();
    const GnpCublas *api = gnp_cublas();
    cublasHandle_t handle =
        api != NULL ? gnp_cublas_handle(device, gnp_stream_current(device)) : NULL;
    if (handle == NULL) {
        return -1;
    }
    GNP_NEW(from, gnp_stack_addresses(a));
    GNP_NEW(to, gnp_addresses(tau->data, tau->rows * gnp_dtypes[tau->dtype].bytes, a->count));
    void *matrices = gnp_pointer(from), *factors = gnp_pointer(to);
    int m = (int)a->rows, n = (int)a->columns;
    LIB_TRY_NOGIL(CUBLAS, BY_TYPE(a->dtype, api->cublasSgeqrfBatched, api->cublasDgeqrfBatched,
                                  api->cublasCgeqrfBatched, api->cublasZgeqrfBatched,
                                  (handle, m, n, matrices, m, factors, &info, (int)a->count)));
    ret = 0;
fail:
    Py_XDECREF((PyObject *)from);
    Py_XDECREF((PyObject *)to);
    return ret;
}

/* One matrix after the other in one stream; a large matrix fills the device alone. The working
 * space is shared, since calls in a stream run in order. */
static int
geqrf_each(const GnpStack *a, const GnpStack *tau)
{
    GnpSolver s;
    size_t device_bytes, host_bytes;
    GnpBlock *info = NULL; /* owned: reports wrong arguments only, so it is not read back */
    int ret = -1;
    int64_t m = a->rows, n = a->columns;
    GNP_TRY(gnp_solver_init(&s));
    GNP_NEW(info, gnp_block_new(s.device, sizeof(int), s.stream));
    LIB_TRY(CUSOLVER, s.api->cusolverDnXgeqrf_bufferSize(
                          s.handle, s.params, m, n, a->type, gnp_stack_at(a, 0), m, a->type,
                          gnp_stack_at(tau, 0), a->type, &device_bytes, &host_bytes));
    GNP_TRY(gnp_solver_work(&s, device_bytes, host_bytes));
    for (int64_t i = 0; i < a->count; i++) {
        char *factors =
            (char *)gnp_pointer(tau->array) + i * tau->rows * gnp_dtypes[a->dtype].bytes;
        LIB_TRY_NOGIL(CUSOLVER, s.api->cusolverDnXgeqrf(s.handle, s.params, m, n, a->type,
                                                        gnp_stack_at(a, i), m, a->type, factors,
                                                        a->type, s.work_ptr, s.work_bytes, s.host,
                                                        s.host_bytes, (int *)(uintptr_t)info->ptr));
    }
    ret = 0;
fail:
    gnp_block_release(info);
    gnp_solver_clear(&s);
    return ret;
}

PyDoc_STRVAR(geqrf_doc, "lapack_geqrf(a)\n--\n\n"
                        "R and the reflectors of Q in place; returns the factors tau.");

/* At most min(rows, columns) reflectors exist. The batched interface counts matrices by an int. */
static PyObject *
geqrf(PyObject *Py_UNUSED(module), PyObject *object)
{
    GnpStack a, tau;
    GnpArray *out = NULL; /* owned */
    PyObject *ret = NULL;
    GNP_TRY(gnp_stack_from(object, "a", &a));
    int64_t n = a.rows < a.columns ? a.rows : a.columns;
    GNP_NEW(out, gnp_stack_result(&a, 1, &n, a.dtype));
    /* tau is a stack too, of vectors: its last axis counts the reflectors. */
    GNP_TRY(gnp_stack_from((PyObject *)out, "tau", &tau));
    if (n > 0 && a.count > 0) {
        /* Small matrices do not fill the device one by one. */
        int at_once = a.count > 1 && a.count <= INT32_MAX && a.rows <= GEQRF_BATCHED &&
                      a.columns <= GEQRF_BATCHED;
        GNP_TRY(at_once ? geqrf_batched(&a, &tau) : geqrf_each(&a, &tau));
    }
    ret = Py_NewRef((PyObject *)out);
fail:
    Py_XDECREF((PyObject *)out);
    return ret;
}

/* tau of one matrix of a stack: its last axis counts them. */
static void *
tau_at(const GnpStack *tau, int64_t i)
{
    return (void *)(uintptr_t)(tau->data +
                               (CUdeviceptr)(i * tau->rows * gnp_dtypes[tau->dtype].bytes));
}

/* The 32-bit interface; gnp_check_int has been called. One query of the working space serves all
 * matrices, as their sizes are equal. cuSOLVER names the function orgqr for real and ungqr for
 * complex types. */
static int
run_orgqr(GnpSolver *s, const GnpStack *a, const GnpStack *tau, int *info)
{
    /* `size` counts elements; the library sets it. */
    int m = (int)a->rows, n = (int)a->columns, k = (int)tau->rows, size = 0;
    void *q = gnp_stack_at(a, 0), *factors = tau_at(tau, 0);
    LIB_TRY(CUSOLVER,
            BY_TYPE(a->dtype, s->api->cusolverDnSorgqr_bufferSize,
                    s->api->cusolverDnDorgqr_bufferSize, s->api->cusolverDnCungqr_bufferSize,
                    s->api->cusolverDnZungqr_bufferSize,
                    (s->handle, m, n, k, q, m, factors, &size)));
    GNP_TRY(gnp_solver_work(s, (size_t)size * (size_t)gnp_dtypes[a->dtype].bytes, 0));
    for (int64_t i = 0; i < a->count; i++) {
        q = gnp_stack_at(a, i);
        factors = tau_at(tau, i);
        LIB_TRY_NOGIL(CUSOLVER,
                      BY_TYPE(a->dtype, s->api->cusolverDnSorgqr, s->api->cusolverDnDorgqr,
                              s->api->cusolverDnCungqr, s->api->cusolverDnZungqr,
                              (s->handle, m, n, k, q, m, factors, s->work_ptr, size, info)));
    }
    return 0;
fail:
    return -1;
}

PyDoc_STRVAR(orgqr_doc, "lapack_orgqr(a, tau)\n--\n\n"
                        "The columns of Q in place of the reflectors.");

/* The reflectors are the first columns of a, so tau must not be longer than a has columns, nor a
 * wider than tall. A wrong size would make the library read beyond the arrays. */
static PyObject *
orgqr(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("lapack_orgqr(a, tau)");
    PyObject *given[2];
    GnpStack a, tau;
    GnpSolver s;
    GnpBlock *info = NULL; /* owned */
    PyObject *ret = NULL;
    GNP_TRY(gnp_solver_init(&s));
    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    GNP_TRY(gnp_stack_from(given[0], "a", &a));
    GNP_TRY(gnp_stack_from(given[1], "tau", &tau));
    GNP_TRY(gnp_check_int(a.rows, a.columns, 0));
    if (a.dtype != tau.dtype || tau.rows > a.columns || a.columns > a.rows ||
        tau.array->size != tau.rows * a.count) {
        PyErr_SetString(PyExc_ValueError, "a and tau do not fit together");
        goto fail;
    }
    if (a.rows > 0 && a.columns > 0 && a.count > 0) {
        GNP_NEW(info, gnp_block_new(s.device, sizeof(int), s.stream));
        GNP_TRY(run_orgqr(&s, &a, &tau, (int *)(uintptr_t)info->ptr));
    }
    ret = Py_NewRef(Py_None);
fail:
    gnp_block_release(info);
    gnp_solver_clear(&s);
    return ret;
}

/* Applies Q from the left, which suffices: gpunp.linalg transposes for the right. Complex types
 * have unmqr. */
static int
run_ormqr(GnpSolver *s, const GnpStack *a, const GnpStack *tau, const GnpStack *c, int trans,
          int *info)
{
    /* The leading dimension of the reflectors is m, too: Q is on the left. */
    const int left = CUBLAS_SIDE_LEFT, m = (int)c->rows, n = (int)c->columns, k = (int)tau->rows;
    int size = 0;
    void *reflectors = gnp_stack_at(a, 0), *factors = tau_at(tau, 0), *x = gnp_stack_at(c, 0);
    LIB_TRY(CUSOLVER,
            BY_TYPE(a->dtype, s->api->cusolverDnSormqr_bufferSize,
                    s->api->cusolverDnDormqr_bufferSize, s->api->cusolverDnCunmqr_bufferSize,
                    s->api->cusolverDnZunmqr_bufferSize,
                    (s->handle, left, trans, m, n, k, reflectors, m, factors, x, m, &size)));
    GNP_TRY(gnp_solver_work(s, (size_t)size * (size_t)gnp_dtypes[a->dtype].bytes, 0));
    for (int64_t i = 0; i < a->count; i++) {
        reflectors = gnp_stack_at(a, i);
        factors = tau_at(tau, i);
        x = gnp_stack_at(c, i);
        LIB_TRY_NOGIL(CUSOLVER,
                      BY_TYPE(a->dtype, s->api->cusolverDnSormqr, s->api->cusolverDnDormqr,
                              s->api->cusolverDnCunmqr, s->api->cusolverDnZunmqr,
                              (s->handle, left, trans, m, n, k, reflectors, m, factors, x, m,
                               s->work_ptr, size, info)));
    }
    return 0;
fail:
    return -1;
}

PyDoc_STRVAR(ormqr_doc, "lapack_ormqr(a, tau, c, trans)\n--\n\n"
                        "Q c, or its transpose (conjugate) times c where `trans`, in place of c.");

/* The transpose of a real Q and the conjugate transpose of a complex one are its inverse. */
static PyObject *
ormqr(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("lapack_ormqr(a, tau, c, trans)");
    PyObject *given[4];
    GnpStack a, tau, c;
    GnpSolver s;
    GnpBlock *info = NULL; /* owned */
    PyObject *ret = NULL;
    GNP_TRY(gnp_solver_init(&s));
    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    GNP_TRY(gnp_stack_from(given[0], "a", &a));
    GNP_TRY(gnp_stack_from(given[1], "tau", &tau));
    GNP_TRY(gnp_stack_from(given[2], "c", &c));
    GNP_TRY(gnp_check_int(c.rows, c.columns, 0));
    int wanted = PyObject_IsTrue(given[3]);
    int real = a.dtype == GNP_F32 || a.dtype == GNP_F64;
    /* LAPACK's real routines refuse 'C' and the complex ones 'T'. */
    int trans = !wanted ? CUBLAS_OP_N : real ? CUBLAS_OP_T : CUBLAS_OP_C;
    if (wanted < 0 || a.dtype != tau.dtype || a.dtype != c.dtype || c.rows != a.rows ||
        c.count != a.count || tau.array->size != tau.rows * a.count || tau.rows > a.rows ||
        tau.rows > a.columns) {
        PyErr_SetString(PyExc_ValueError, "a, tau and c do not fit together");
        goto fail;
    }
    if (c.rows > 0 && c.columns > 0 && tau.rows > 0 && c.count > 0) {
        GNP_NEW(info, gnp_block_new(s.device, sizeof(int), s.stream));
        GNP_TRY(run_ormqr(&s, &a, &tau, &c, trans, (int *)(uintptr_t)info->ptr));
    }
    ret = Py_NewRef(Py_None);
fail:
    gnp_block_release(info);
    gnp_solver_clear(&s);
    return ret;
}

PyMethodDef gnp_orthogonal_functions[] = {
    {"lapack_geqrf", geqrf, METH_O, geqrf_doc},
    {"lapack_orgqr", GNP_FAST(orgqr), METH_FASTCALL | METH_KEYWORDS, orgqr_doc},
    {"lapack_ormqr", GNP_FAST(ormqr), METH_FASTCALL | METH_KEYWORDS, ormqr_doc},
    {NULL, NULL, 0, NULL},
};
