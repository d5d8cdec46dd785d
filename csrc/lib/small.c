/* Small matrices: their layouts, their kernels, and elimination and Cholesky's method with them.
 *
 * A few lanes of a warp share a matrix, so that a stack occupies the whole device from about a
 * thousand matrices on, and a single matrix costs one launch. Failures are reported by one flag for
 * the stack, which is enough to decide whether to raise. Called by gpunp.linalg for at most
 * GNP_SMALL_ROWS rows, with the GIL; nothing here waits for the device. NVIDIA's batched
 * functions need an array of addresses and contiguous copies, which takes longer than the
 * elimination of small matrices; these kernels take strides instead. */
#include "lib/small.h"

#include <string.h>

/* ---- stacks in any layout -------------------------------------------------------------------- */

/* Merges the batch axes into one, where memory allows it. 0 where it does not. Axes of length 1
 * have no stride that matters. From the last batch axis outwards, each stride has to be the
 * inner step times the number of matrices so far. */
static int
one_batch_step(const GnpArray *a, int64_t *step)
{
    const int64_t *shape = gnp_shape(a), *strides = gnp_strides(a);
    int64_t size = 1;
    *step = 0;
    for (int axis = a->ndim - 3; axis >= 0; axis--) {
        if (shape[axis] == 1) {
            continue;
        }
        if (size > 1 && strides[axis] != *step * size) {
            return 0;
        }
        *step = size > 1 ? *step : strides[axis];
        size *= shape[axis];
    }
    return 1;
}

/* Kernels count in elements, so all strides must be multiples of the item size. Views of
 * structures, for example, are not. */
static int
whole_elements(const GnpArray *a, int64_t batch)
{
    const int64_t bytes = gnp_itemsize(a), *strides = gnp_strides(a);
    return (a->flags & GNP_ALIGNED) && batch % bytes == 0 && strides[a->ndim - 1] % bytes == 0 &&
           strides[a->ndim - 2] % bytes == 0;
}

/* A copy is rare: most stacks are contiguous, and kernels take any strides of rows and columns. */
int
gnp_small_from(PyObject *object, const char *what, int64_t most_rows, GnpSmall *out)
{
    GnpArray *a = NULL; /* owned */
    int64_t step;
    GnpDevice *device = gnp_device_current();
    *out = (GnpSmall){.count = 1};
    if (device == NULL || gnp_lapack_check(object, what, device) < 0) {
        return -1;
    }
    a = (GnpArray *)Py_NewRef(object);
    /* Rows are kept in registers, whose number is fixed. */
    if (a->ndim < 2 || gnp_shape(a)[a->ndim - 2] > most_rows) {
        PyErr_Format(PyExc_ValueError, "%s must be matrices of up to %lld rows", what,
                     (long long)most_rows);
        goto fail;
    }
    if (!one_batch_step(a, &step) || !whole_elements(a, step)) {
        GnpArray *copy; /* owned: becomes a */
        GNP_NEW(copy, gnp_array_new(a->ndim, gnp_shape(a), (GnpDtype)a->dtype, 'C'));
        int copied = gnp_copy(copy, a);
        Py_SETREF(a, copy);
        GNP_TRY(copied);
        one_batch_step(a, &step);
    }
    const int64_t bytes = gnp_itemsize(a), *strides = gnp_strides(a);
    out->place = (GnpPlace){a->data, step / bytes, strides[a->ndim - 2] / bytes,
                            strides[a->ndim - 1] / bytes};
    out->rows = gnp_shape(a)[a->ndim - 2];
    out->columns = gnp_shape(a)[a->ndim - 1];
    for (int axis = 0; axis < a->ndim - 2; axis++) {
        out->count *= gnp_shape(a)[axis];
    }
    out->dtype = (GnpDtype)a->dtype;
    out->array = a;
    gnp_block_record(a->block, gnp_stream_current(device));
    return 0;
fail:
    Py_XDECREF((PyObject *)a);
    return -1;
}

/* The batch axes of the stack, then `n` sizes, C-contiguous, as kernels write results. */
GnpArray *
gnp_small_result(const GnpSmall *s, int n, const int64_t *sizes, GnpDtype dtype)
{
    int64_t shape[GNP_MAX_DIMS + 2];
    const int batch = s->array->ndim - 2;
    memcpy(shape, gnp_shape(s->array), (size_t)batch * sizeof *shape);
    for (int i = 0; i < n; i++) {
        shape[batch + i] = sizes[i];
    }
    return gnp_array_new(batch + n, shape, dtype, 'C');
}

/* Of one block the kernel writes the flag itself; several add to a zero. */
GnpArray *
gnp_small_flag(int64_t blocks)
{
    const GnpScalar zero = {.bits = {0, 0}};
    GnpArray *flag = gnp_array_new(0, NULL, GNP_I32, 'C'); /* owned */
    if (flag != NULL && blocks != 1 && gnp_fill(flag, &zero) < 0) {
        Py_CLEAR(flag);
    }
    return flag;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* A power of two, so that lanes exchange values by shuffles. */
int
gnp_small_lanes(int64_t n)
{
    int lanes = 4;
    while (lanes < n) {
        lanes *= 2;
    }
    return lanes;
}

/* complex128 needs twice the registers. */
int
gnp_small_block(GnpDtype dtype)
{
    return dtype == GNP_C128 ? 64 : 128;
}

/* A block has block / lanes matrices, each in a group of lanes of one warp. */
int64_t
gnp_small_blocks(int lanes, int block, int64_t count)
{
    return gnp_ceil_div(count, block / lanes);
}

/* The spec's address is its head, the key by which the kernel is cached; sizes in it are
 * classes, so few kernels are compiled. */
int
gnp_small_launch(const GnpSmall *s, GnpSpec *spec, int lanes, int block, void **arguments)
{
    GnpKernel *kernel;
    GnpDevice *device;
    const int64_t blocks = gnp_small_blocks(lanes, block, s->count);
    GNP_NEW(device, gnp_device_current());
    GNP_NEW(kernel, gnp_kernel_find(device, spec, NULL, NULL));
    return gnp_launch_blocks(kernel, blocks, block, gnp_stream_current(device), arguments);
fail:
    return -1;
}

/* ---- elimination ----------------------------------------------------------------------------- */

/* In the order of GAUSS_OPs in the kernel and of gauss_names. */
typedef enum GaussOp Gauss;
enum { NGAUSS = GAUSS_SLOGDET + 1 };
static const char *const gauss_names[NGAUSS] = {"solve", "inv", "det", "slogdet"};

/* Results are allocated first; on failure the caller releases those that exist. A determinant of
 * an empty matrix needs no kernel: gpunp.linalg does not call with empty stacks. */
static int
run_gauss(const GnpSmall *a, const GnpSmall *b, Gauss what, GnpArray **x, GnpArray **log,
          GnpArray **flag)
{
    int n = (int)a->rows, columns = what == GAUSS_SOLVE ? (int)b->columns : n;
    const int64_t sizes[] = {n, columns};
    /* Determinants of singular matrices are 0, so only these have a flag. */
    const int is_system = what == GAUSS_SOLVE || what == GAUSS_INVERT;
    /* Four right-hand sides at once, where there are several. */
    const int each = what == GAUSS_INVERT || (what == GAUSS_SOLVE && columns > 1) ? 4 : 1;
    const int lanes = gnp_small_lanes(n), block = gnp_small_block(a->dtype);
    GnpSpec_gauss spec = {GNP_SPEC(gauss), .T = a->dtype, .N = lanes,
                          .OP = what,      .EACH = each,  .BLOCK = block};
    GNP_TRY(gnp_check_int(columns, 0, 0));
    GNP_NEW(*x, gnp_small_result(a, is_system ? 2 : 0, sizes, a->dtype));
    if (what == GAUSS_SLOGDET) {
        GNP_NEW(*log, gnp_small_result(a, 0, NULL, gnp_dtypes[a->dtype].real));
    }
    const int is_empty = a->count == 0 || n == 0 || columns == 0;
    if (is_system) {
        GNP_NEW(*flag, gnp_small_flag(is_empty ? 0 : gnp_small_blocks(lanes, block, a->count)));
    }
    if (!is_empty) {
        GnpPlace left = a->place, right = b->place;
        GnpGaussOutputs out = {(*x)->data, *log != NULL ? (*log)->data : 0,
                               *flag != NULL ? (*flag)->data : 0};
        int64_t count = a->count;
        void *arguments[] = {&left, &right, &out, &count, &n, &columns};
        GNP_TRY(gnp_small_launch(a, &spec.head, lanes, block, arguments));
    }
    return 0;
fail:
    return -1;
}

PyDoc_STRVAR(
    gauss_doc,
    "small_gauss(a, b, what)\n--\n\n"
    "Elimination of stacks of up to 32 rows in any layout; `what`: 'solve', 'inv', 'det' "
    "or\n'slogdet'. Returns (x, log, flag): solutions or inverses and an int32 that is not "
    "zero\nwhere a matrix is singular, whose x is NaN; or determinants; or signs and "
    "logarithms.");

/* `b` is looked at only for 'solve'. Both stacks hold references to copies that were made. */
static PyObject *
gauss(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("small_gauss(a, b, what)");
    PyObject *given[3], *ret = NULL;
    GnpSmall a = {.count = 0}, b = {.count = 0};   /* owned */
    GnpArray *x = NULL, *log = NULL, *flag = NULL; /* owned */
    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    int what = gnp_method_from(given[2], gauss_names, NGAUSS, GAUSS_SOLVE);
    GNP_TRY(what);
    GNP_TRY(gnp_small_from(given[0], "a", GNP_SMALL_ROWS, &a));
    /* The others take anything in its place. */
    if (what == GAUSS_SOLVE) {
        GNP_TRY(gnp_small_from(given[1], "b", GNP_SMALL_ROWS, &b));
    }
    if (a.rows != a.columns ||
        (what == GAUSS_SOLVE && (b.dtype != a.dtype || b.rows != a.rows || b.count != a.count))) {
        PyErr_SetString(PyExc_ValueError, "a and b do not fit together");
        goto fail;
    }
    GNP_TRY(run_gauss(&a, &b, (Gauss)what, &x, &log, &flag));
    ret = PyTuple_Pack(3, x, log != NULL ? (PyObject *)log : Py_None,
                       flag != NULL ? (PyObject *)flag : Py_None);
fail:
    gnp_small_clear(&a);
    gnp_small_clear(&b);
    Py_XDECREF((PyObject *)x);
    Py_XDECREF((PyObject *)log);
    Py_XDECREF((PyObject *)flag);
    return ret;
}

/* ---- Cholesky -------------------------------------------------------------------------------- */

PyDoc_STRVAR(
    cholesky_doc,
    "small_cholesky(a, upper)\n--\n\n"
    "Cholesky factors of stacks of up to 32 rows in any layout, from one triangle: (factors, "
    "flag).\nflag is an int32 that is not zero where a matrix is not positive definite, whose "
    "factor is NaN.");

/* One triangle is read, and the other one of the result is zero, as in NumPy. */
static PyObject *
cholesky(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("small_cholesky(a, upper)");
    PyObject *given[2], *ret = NULL;
    GnpSmall a = {.count = 0};          /* owned */
    GnpArray *out = NULL, *flag = NULL; /* owned */
    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    GNP_TRY(gnp_small_from(given[0], "a", GNP_SMALL_ROWS, &a));
    int upper, n = (int)a.rows;
    GNP_TRY(gnp_truth_from_object(given[1], &upper));
    if (a.rows != a.columns) {
        PyErr_SetString(PyExc_ValueError, "a must be square");
        goto fail;
    }
    const int lanes = gnp_small_lanes(n), block = gnp_small_block(a.dtype);
    GnpSpec_cholesky spec = {GNP_SPEC(cholesky), .T = a.dtype, .N = lanes, .UPPER = upper,
                             .BLOCK = block};
    const int64_t sizes[] = {n, n};
    const int is_empty = a.count == 0 || n == 0;
    GNP_NEW(out, gnp_small_result(&a, 2, sizes, a.dtype));
    GNP_NEW(flag, gnp_small_flag(is_empty ? 0 : gnp_small_blocks(lanes, block, a.count)));
    if (!is_empty) {
        void *arguments[] = {&a.place, &out->data, &flag->data, &a.count, &n};
        GNP_TRY(gnp_small_launch(&a, &spec.head, lanes, block, arguments));
    }
    ret = PyTuple_Pack(2, out, flag);
fail:
    gnp_small_clear(&a);
    Py_XDECREF((PyObject *)out);
    Py_XDECREF((PyObject *)flag);
    return ret;
}

/* ---- symmetric eigenvalues ------------------------------------------------------------------- */

PyDoc_STRVAR(
    eigh_doc,
    "small_eigh(a, vectors, upper)\n--\n\n"
    "Eigenvalues, ascending, of stacks of up to 32 rows in any layout, from one triangle, and "
    "where\n`vectors` eigenvectors as columns: (w, v, flag). flag is an int32 that is not zero "
    "where a\nmatrix is not finite, whose results are NaN.");

/* Jacobi's method with one matrix per group of lanes. 64 threads per block, since the method
 * needs more registers than elimination. */
static PyObject *
eigh(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("small_eigh(a, vectors, upper)");
    PyObject *given[3], *ret = NULL;
    GnpSmall a = {.count = 0};                   /* owned */
    GnpArray *w = NULL, *v = NULL, *flag = NULL; /* owned */
    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    GNP_TRY(gnp_small_from(given[0], "a", GNP_SMALL_ROWS, &a));
    int vectors, upper, n = (int)a.rows;
    GNP_TRY(gnp_truth_from_object(given[1], &vectors));
    GNP_TRY(gnp_truth_from_object(given[2], &upper));
    if (a.rows != a.columns) {
        PyErr_SetString(PyExc_ValueError, "a must be square");
        goto fail;
    }
    const int lanes = gnp_small_lanes(n), block = 64;
    GnpSpec_jacobi spec = {GNP_SPEC(jacobi),   .T = a.dtype,   .N = lanes,
                           .VECTORS = vectors, .UPPER = upper, .BLOCK = block};
    const int64_t sizes[] = {n, n};
    const int is_empty = a.count == 0 || n == 0;
    GNP_NEW(w, gnp_small_result(&a, 1, sizes, gnp_dtypes[a.dtype].real));
    if (vectors) {
        GNP_NEW(v, gnp_small_result(&a, 2, sizes, a.dtype));
    }
    GNP_NEW(flag, gnp_small_flag(is_empty ? 0 : gnp_small_blocks(lanes, block, a.count)));
    if (!is_empty) {
        CUdeviceptr to = v != NULL ? v->data : 0;
        void *arguments[] = {&a.place, &w->data, &to, &flag->data, &a.count, &n};
        GNP_TRY(gnp_small_launch(&a, &spec.head, lanes, block, arguments));
    }
    ret = PyTuple_Pack(3, w, v != NULL ? (PyObject *)v : Py_None, flag);
fail:
    gnp_small_clear(&a);
    Py_XDECREF((PyObject *)w);
    Py_XDECREF((PyObject *)v);
    Py_XDECREF((PyObject *)flag);
    return ret;
}

/* ---- singular values ------------------------------------------------------------------------- */

/* Results of A; where it is wider than tall, its transpose is decomposed and u and vh exchanged.
 * The strides describe U and V^H such that a wide matrix, decomposed as its transpose, writes
 * the exchanged factors in place: A^T = V S U^T. */
static int
make_svd(const GnpSmall *a, int vectors, int full, GnpArray *results[3], GnpSvdOutputs *out)
{
    const int64_t m = a->rows, n = a->columns, least = m < n ? m : n;
    const int64_t u[] = {m, full ? m : least}, vh[] = {full ? n : least, n};
    const int is_tall = m >= n;
    GNP_NEW(results[1], gnp_small_result(a, 1, &least, gnp_dtypes[a->dtype].real));
    *out = (GnpSvdOutputs){.values = results[1]->data,
                           .rows = (int32_t)(is_tall ? m : n),
                           .columns = (int32_t)least,
                           .lefts = (int32_t)(is_tall ? u[1] : vh[0])};
    if (vectors) {
        GNP_NEW(results[0], gnp_small_result(a, 2, u, a->dtype));
        GNP_NEW(results[2], gnp_small_result(a, 2, vh, a->dtype));
        const GnpArray *left = results[is_tall ? 0 : 2], *right = results[is_tall ? 2 : 0];
        out->left = left->data;
        out->right = right->data;
        out->left_batch = is_tall ? u[0] * u[1] : vh[0] * vh[1];
        out->right_batch = is_tall ? vh[0] * vh[1] : u[0] * u[1];
        out->left_row = is_tall ? u[1] : 1;
        out->left_column = is_tall ? 1 : n;
        out->right_row = is_tall ? 1 : u[1];
        out->right_column = is_tall ? n : 1;
    }
    return 0;
fail:
    return -1;
}

PyDoc_STRVAR(
    svd_doc,
    "small_svd(a, vectors, full)\n--\n\n"
    "Singular values, descending, of stacks of up to 32 rows and columns in any layout, and "
    "where\n`vectors` left vectors as columns and right ones as rows, squares of them where "
    "`full`:\n(u, s, vh, flag). flag is an int32 that is not zero where a matrix is not "
    "finite, whose\nresults are NaN.");

static PyObject *
svd(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("small_svd(a, vectors, full)");
    PyObject *given[3], *ret = NULL;
    GnpSmall a = {.count = 0};                   /* owned */
    GnpArray *results[3] = {NULL}, *flag = NULL; /* owned: u, s, vh */
    GnpSvdOutputs out;
    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    GNP_TRY(gnp_small_from(given[0], "a", GNP_SMALL_ROWS, &a));
    int vectors, full;
    GNP_TRY(gnp_truth_from_object(given[1], &vectors));
    GNP_TRY(gnp_truth_from_object(given[2], &full));
    if (a.columns > GNP_SMALL_ROWS || a.rows == 0 || a.columns == 0 || a.count == 0) {
        PyErr_SetString(PyExc_ValueError, "a must have up to 32 columns and not be empty");
        goto fail;
    }
    GNP_TRY(make_svd(&a, vectors, full, results, &out));
    const int lanes = gnp_small_lanes(out.rows), block = 64;
    GnpSpec_jacobi_svd spec = {GNP_SPEC(jacobi_svd), .T = a.dtype, .N = lanes, .VECTORS = vectors,
                               .BLOCK = block};
    GNP_NEW(flag, gnp_small_flag(gnp_small_blocks(lanes, block, a.count)));
    out.flag = flag->data;
    /* Exchanged strides transpose the matrix without a copy. */
    GnpPlace place = a.place;
    if (a.columns > a.rows) {
        place.row = a.place.column;
        place.column = a.place.row;
    }
    void *arguments[] = {&place, &out, &a.count};
    GNP_TRY(gnp_small_launch(&a, &spec.head, lanes, block, arguments));
    ret = Py_BuildValue("(OOOO)", results[0] != NULL ? (PyObject *)results[0] : Py_None, results[1],
                        results[2] != NULL ? (PyObject *)results[2] : Py_None, flag);
fail:
    gnp_small_clear(&a);
    Py_XDECREF((PyObject *)results[0]);
    Py_XDECREF((PyObject *)results[1]);
    Py_XDECREF((PyObject *)results[2]);
    Py_XDECREF((PyObject *)flag);
    return ret;
}

PyMethodDef gnp_small_functions[] = {
    {"small_svd", GNP_FAST(svd), METH_FASTCALL | METH_KEYWORDS, svd_doc},
    {"small_eigh", GNP_FAST(eigh), METH_FASTCALL | METH_KEYWORDS, eigh_doc},
    {"small_cholesky", GNP_FAST(cholesky), METH_FASTCALL | METH_KEYWORDS, cholesky_doc},
    {"small_gauss", GNP_FAST(gauss), METH_FASTCALL | METH_KEYWORDS, gauss_doc},
    {NULL, NULL, 0, NULL},
};
