/* Methods of the array that copy: to the host, from it, to another dtype, into a pickle.
 *
 * Methods that format text or bytes go through a NumPy copy, so their output is NumPy's.
 *
 * Everything that reads values waits for the device. Implicit copies to NumPy (__array__) are
 * refused unless the program allows them (hostcopy.c): they are slow and easily overlooked.
 *
 * Each method holds the GIL; waits for the device release it, so other threads run meanwhile.
 * The array's device is made current where it must be (gnp_array_enter), and the previous one
 * restored.
 */
#include "core/core_internal.h"

#include <string.h>

/* ---- to and from the host -------------------------------------------------------------------- */

/* The method `name` of a's host copy. Output in NumPy's own format, at the price of a copy; such
 * methods are not meant to be fast. */
static PyObject *
call_on_host(GnpArray *a, const char *name, PyObject *const *args, Py_ssize_t nargs)
{
    PyObject *host = gnp_array_to_numpy(a, 'C');
    PyObject *method = host == NULL ? NULL : PyObject_GetAttrString(host, name);
    PyObject *ret = method == NULL ? NULL : PyObject_Vectorcall(method, args, (size_t)nargs, NULL);
    Py_XDECREF(host);
    Py_XDECREF(method);
    return ret;
}

/* Whether an array of the host has the shape of `a`. */
static int
check_shape(const char *what, const GnpHostView *view, const GnpArray *a)
{
    if (view->ndim == a->ndim &&
        memcmp(view->shape, gnp_shape(a), (size_t)a->ndim * sizeof(int64_t)) == 0) {
        return 0;
    }
    PyObject *given = gnp_tuple_from_ints(view->ndim, view->shape); /* owned */
    PyObject *wanted = gnp_tuple_from_ints(a->ndim, gnp_shape(a));  /* owned */
    if (given != NULL && wanted != NULL) {
        PyErr_Format(PyExc_ValueError, "%s has the shape %R, the array %R", what, given, wanted);
    }
    Py_XDECREF(given);
    Py_XDECREF(wanted);
    return -1;
}

/* Checks `out` of get: NumPy's, same shape and dtype. No conversion: the bytes are copied as they
 * are. A target of another shape or dtype is an error: a conversion would need memory of its
 * own. */
static int
check_out(const GnpArray *a, PyObject *out, GnpHostView *view)
{
    if (!gnp_is_numpy_array(out)) {
        PyErr_Format(PyExc_TypeError, "out must be a NumPy array, not %.200s",
                     Py_TYPE(out)->tp_name);
        return -1;
    }
    /* Read once: the same layout is used for the checks and for the copy. */
    gnp_npy_view(out, view);
    if (!gnp_equal_structures(view->dtype, a->dtype)) {
        PyErr_Format(PyExc_TypeError, "out has not the array's dtype %s",
                     gnp_dtypes[a->dtype].name);
        return -1;
    }
    if (check_shape("out", view, a) < 0) {
        return -1;
    }
    if (!view->writeable) {
        PyErr_SetString(PyExc_ValueError, "out is read-only");
        return -1;
    }
    return 0;
}

/* Copies into `out`, whose layout is C or F contiguous, on `stream`. The copy is queued in the
 * given stream, behind the work of the current one. Not blocking, the caller has to keep `out` and
 * not read it before the stream has been synchronised. */
static int
get_into(GnpArray *a, const GnpHostView *out, CUstream stream, int blocking)
{
    GnpArray *dense = NULL; /* owned */
    int ret = -1;
    int previous;
    /* Bytes can be copied only between equal layouts. */
    int fits = out->c_contiguous ? a->flags & GNP_C_CONTIGUOUS : a->flags & GNP_F_CONTIGUOUS;
    GnpDevice *device = gnp_device_get(a->device_id);

    if (a->size == 0) {
        return 0;
    }
    if (gnp_array_enter(a, &previous) < 0) {
        return -1;
    }
    GNP_NEW(dense, fits ? (GnpArray *)Py_NewRef((PyObject *)a)
                        : gnp_array_copy(a, out->c_contiguous ? 'C' : 'F'));
    /* An event makes `stream` wait for the work that produces the values. */
    GNP_TRY(gnp_stream_order(gnp_stream_current(device), stream));
    /* `dense` may be a temporary: its memory is not reused before the copy has ended. */
    gnp_block_record(dense->block, stream);
    if (blocking) {
        GNP_TRY(gnp_copy_d2h(out->data, dense->data, (size_t)gnp_array_nbytes(a), stream));
    }
    else {
        CU_TRY_COPY(
            cuMemcpyDtoHAsync_v2(out->data, dense->data, (size_t)gnp_array_nbytes(a), stream));
    }
    ret = 0;
fail:
    gnp_array_leave(a, previous);
    Py_XDECREF((PyObject *)dense);
    return ret;
}

/* A target that is neither C nor F contiguous gets its values through a contiguous one, with a
 * wait. */
static PyObject *
get(GnpArray *a, PyObject *stream, PyObject *order, PyObject *out, PyObject *blocking)
{
    GnpHostView view;
    CUstream handle;
    char letter;
    PyObject *host = NULL; /* owned */
    PyObject *ret = NULL;

    if (gnp_order_from_object(order, 'C', &letter) < 0) {
        return NULL;
    }
    int wait = blocking == NULL ? 1 : PyObject_IsTrue(blocking);
    if (wait < 0) {
        return NULL;
    }
    int given = out != NULL && out != Py_None;
    /* The usual call, which needs no stream of its own. */
    if (!given && (stream == NULL || stream == Py_None)) {
        return gnp_array_to_numpy(a, letter);
    }
    GnpDevice *device = gnp_device_get(a->device_id);
    if (device == NULL || gnp_stream_from_object(stream, device, &handle) < 0) {
        return NULL;
    }
    if (given) {
        if (check_out(a, out, &view) < 0) {
            return NULL;
        }
        if (view.c_contiguous || view.f_contiguous) {
            /* A graph writes to the host array at each replay, so it keeps it. */
            if (!wait && gnp_capture_keep(handle, out) < 0) {
                return NULL;
            }
            return get_into(a, &view, handle, wait) < 0 ? NULL : Py_NewRef(out);
        }
    }
    /* 'A' and 'K' give Fortran order only for arrays that are Fortran-contiguous alone. */
    int f = !(a->flags & GNP_C_CONTIGUOUS) && a->flags & GNP_F_CONTIGUOUS;
    GNP_NEW(host, gnp_npy_empty(a->ndim, gnp_shape(a), (GnpDtype)a->dtype,
                                letter == 'F' || (letter != 'C' && f)));
    gnp_npy_view(host, &view);
    GNP_TRY(get_into(a, &view, handle, 1));
    if (given) {
        GNP_TRY(gnp_npy_copy_into(out, host));
    }
    ret = Py_NewRef(given ? out : host);
fail:
    Py_XDECREF(host);
    return ret;
}

/* Arguments are bound here, so that get() can be called with their values alone. */
static PyObject *
array_get(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature =
        GNP_SIGNATURE("get(stream=None, order='C', out=None, blocking=True)");
    PyObject *given[4];
    if (gnp_args_bind(&signature, args, nargs, kwnames, given) < 0) {
        return NULL;
    }
    return get((GnpArray *)self, given[0], given[1], given[2], given[3]);
}

/* A name of other libraries for get() without arguments. */
static PyObject *
array_to_numpy(PyObject *self, PyObject *Py_UNUSED(noargs))
{
    return gnp_array_to_numpy((GnpArray *)self, 'C');
}

PyDoc_STRVAR(set_doc,
             "set($self, /, arr, stream=None)\n--\n\n"
             "Copy a NumPy array of the same shape and dtype into this array.\n\n"
             "Parameters\n----------\n"
             "arr : numpy.ndarray\n    Array of the same shape and dtype.\n"
             "stream : Stream, optional\n"
             "    Stream in which the copy is queued. By default the current one. `arr` may be\n"
             "    modified as soon as the call returns.");

/* Where layouts agree the bytes are uploaded directly; otherwise like an assignment, in the current
 * stream. */
static PyObject *
array_set(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("set(arr, stream=None)");
    GnpArray *a = (GnpArray *)self;
    PyObject *given[2];
    GnpHostView view;
    CUstream stream;

    if (gnp_args_bind(&signature, args, nargs, kwnames, given) < 0 || gnp_check_writeable(a) < 0) {
        return NULL;
    }
    if (!gnp_is_numpy_array(given[0])) {
        PyErr_Format(PyExc_TypeError,
                     "set() takes a NumPy array, not %.200s; a[...] = x takes all else",
                     Py_TYPE(given[0])->tp_name);
        return NULL;
    }
    gnp_npy_view(given[0], &view);
    if (!gnp_equal_structures(view.dtype, a->dtype)) {
        PyErr_Format(PyExc_TypeError, "the dtype of the given array is not %s",
                     gnp_dtypes[a->dtype].name);
        return NULL;
    }
    if (check_shape("the given array", &view, a) < 0) {
        return NULL;
    }
    GnpDevice *device = gnp_device_get(a->device_id);
    if (device == NULL || gnp_stream_from_object(given[1], device, &stream) < 0) {
        return NULL;
    }
    /* Equal layouts: one upload and no kernel. */
    int direct = (view.c_contiguous && a->flags & GNP_C_CONTIGUOUS) ||
                 (view.f_contiguous && a->flags & GNP_F_CONTIGUOUS);
    /* Through a device array, whose layout a kernel can change. */
    if (!direct) {
        if (gnp_array_assign(a, given[0]) < 0) {
            return NULL;
        }
    }
    else if (a->size > 0) {
        int previous;
        if (gnp_array_enter(a, &previous) < 0) {
            return NULL;
        }
        /* Work of the current stream may still read the array, so the upload comes after it. */
        int status = gnp_stream_order(gnp_stream_current(device), stream);
        gnp_block_record(a->block, stream);
        if (status == 0) {
            status = gnp_copy_h2d(a->data, view.data, (size_t)gnp_array_nbytes(a), stream);
        }
        gnp_array_leave(a, previous);
        if (status < 0) {
            return NULL;
        }
    }
    Py_RETURN_NONE;
}

/* ---- one element ----------------------------------------------------------------------------- */

/* One index alone counts elements in C order, as many indices as axes name a place. */
static int
item_place(GnpArray *a, PyObject *const *args, Py_ssize_t nargs, CUdeviceptr *data)
{
    int64_t at[GNP_MAX_DIMS];
    Py_ssize_t n = nargs;
    if (nargs > GNP_MAX_DIMS) {
        n = -2;
    }
    else if (nargs == 1 && PyTuple_Check(args[0])) {
        n = gnp_shape_from_object(args[0], at);
    }
    for (Py_ssize_t i = 0; n >= 0 && i < nargs && !PyTuple_Check(args[0]); i++) {
        at[i] = PyNumber_AsSsize_t(args[i], PyExc_IndexError);
        if (at[i] == -1 && PyErr_Occurred()) {
            return -1;
        }
    }
    /* -1: an exception is set; -2: too many, reported below. */
    if (n == -1) {
        return -1;
    }
    *data = a->data;
    /* A flat index is split into one index per axis, the last one fastest. */
    if (n == 1 && a->ndim != 1) {
        int64_t i = at[0];
        if (i < -a->size || i >= a->size) {
            PyErr_Format(PyExc_IndexError, "index %lld is out of bounds for size %lld",
                         (long long)i, (long long)a->size);
            return -1;
        }
        /* Negative ones count from the end, as along an axis. */
        i += i < 0 ? a->size : 0;
        for (int k = a->ndim - 1; k >= 0; k--) {
            *data += (CUdeviceptr)(i % gnp_shape(a)[k] * gnp_strides(a)[k]);
            i /= gnp_shape(a)[k];
        }
        return 0;
    }
    if (n != a->ndim) {
        PyErr_SetString(PyExc_ValueError, "incorrect number of indices for array");
        return -1;
    }
    for (int k = 0; k < a->ndim; k++) {
        int64_t length = gnp_shape(a)[k];
        if (at[k] < -length || at[k] >= length) {
            PyErr_Format(PyExc_IndexError, "index %lld is out of bounds for axis %d with size %lld",
                         (long long)at[k], k, (long long)length);
            return -1;
        }
        *data += (CUdeviceptr)((at[k] < 0 ? at[k] + length : at[k]) * gnp_strides(a)[k]);
    }
    return 0;
}

/* A 0-d view, so that one element is copied whatever the array's layout. Waits for the device,
 * as every method that returns a Python number. */
static PyObject *
array_item(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    GnpArray *a = (GnpArray *)self;
    GnpScalar element;
    CUdeviceptr data = a->data;
    /* Without indices there has to be one element to mean. */
    if (nargs == 0 && a->size != 1) {
        PyErr_SetString(PyExc_ValueError, "can only convert an array of size 1 to a Python scalar");
        return NULL;
    }
    if (nargs > 0 && item_place(a, args, nargs, &data) < 0) {
        return NULL;
    }
    /* A view, as the element may be anywhere in the block. */
    GnpArray *one = gnp_array_view(a, data, 0, NULL, NULL, (GnpDtype)a->dtype);
    if (one != NULL && gnp_is_structured(a->dtype)) {
        PyObject *ret = gnp_structured_item(one);
        Py_DECREF((PyObject *)one);
        return ret;
    }
    int status = one == NULL ? -1 : gnp_array_read_element(one, &element);
    Py_XDECREF((PyObject *)one);
    return status < 0 ? NULL : gnp_scalar_to_python(&element, (GnpDtype)a->dtype);
}

/* ---- text and bytes -------------------------------------------------------------------------- */

/* NumPy's nested lists of Python numbers, made from the host copy. */
static PyObject *
array_tolist(PyObject *self, PyObject *Py_UNUSED(noargs))
{
    return call_on_host((GnpArray *)self, "tolist", NULL, 0);
}

/* 'K' is not known to NumPy's tobytes(); the host copy has the order already. */
static PyObject *
array_tobytes(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("tobytes(order='C')");
    PyObject *given[1];
    char order;
    if (gnp_args_bind(&signature, args, nargs, kwnames, given) < 0 ||
        gnp_order_from_object(given[0], 'C', &order) < 0) {
        return NULL;
    }
    PyObject *host = gnp_array_to_numpy((GnpArray *)self, order);
    /* The host copy is contiguous, for which both mean the same. */
    char letter[2] = {order == 'K' ? 'A' : order, 0};
    PyObject *ret = host == NULL ? NULL : PyObject_CallMethod(host, "tobytes", "s", letter);
    Py_XDECREF(host);
    return ret;
}

/* bytes(a) of Python; C order, as NumPy has it. */
static PyObject *
array_bytes(PyObject *self, PyObject *Py_UNUSED(noargs))
{
    return call_on_host((GnpArray *)self, "tobytes", NULL, 0);
}

/* NumPy writes the file, so formats and separators are its own. */
static PyObject *
array_tofile(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("tofile(fid, sep='', format='%s')");
    PyObject *given[3];
    PyObject *passed[3];
    Py_ssize_t n = 1;
    PyObject *sep = NULL; /* owned */
    PyObject *ret = NULL;
    if (gnp_args_bind(&signature, args, nargs, kwnames, given) < 0) {
        return NULL;
    }
    /* Passed on by position, so a missing one needs its default. */
    GNP_NEW(sep, given[1] != NULL ? Py_NewRef(given[1]) : PyUnicode_FromString(""));
    passed[0] = given[0];
    passed[1] = sep;
    n = 2;
    if (given[2] != NULL) {
        passed[n++] = given[2];
    }
    ret = call_on_host((GnpArray *)self, "tofile", passed, n);
fail:
    Py_XDECREF(sep);
    return ret;
}

/* Protocol -1 is the highest. */
static PyObject *
array_dumps(PyObject *self, PyObject *Py_UNUSED(noargs))
{
    PyObject *pickle = PyImport_ImportModule("pickle");
    PyObject *ret = pickle == NULL ? NULL : PyObject_CallMethod(pickle, "dumps", "Oi", self, -1);
    Py_XDECREF(pickle);
    return ret;
}

/* A file that was opened here is closed also after an error, whose exception is kept. */
static PyObject *
array_dump(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("dump(file)");
    PyObject *given[1];
    PyObject *bytes = NULL; /* owned */
    PyObject *file = NULL;  /* owned */
    PyObject *done = NULL;  /* owned */
    PyObject *ret = NULL;

    if (gnp_args_bind(&signature, args, nargs, kwnames, given) < 0) {
        return NULL;
    }
    /* A name or a path is opened here. */
    int opened = !PyObject_HasAttrString(given[0], "write");
    /* Before the file is opened: a failure leaves no empty file. */
    GNP_NEW(bytes, array_dumps(self, NULL));
    if (opened) {
        PyObject *io = PyImport_ImportModule("io");
        file = io == NULL ? NULL : PyObject_CallMethod(io, "open", "Os", given[0], "wb");
        Py_XDECREF(io);
    }
    else {
        file = Py_NewRef(given[0]);
    }
    if (file == NULL) {
        goto fail;
    }
    done = PyObject_CallMethod(file, "write", "O", bytes);
    if (opened) {
        PyObject *type, *value, *trace;
        PyErr_Fetch(&type, &value, &trace);
        PyObject *closed = PyObject_CallMethod(file, "close", NULL);
        if (type != NULL) {
            Py_XDECREF(closed);
            PyErr_Restore(type, value, trace);
        }
        else if (closed == NULL) {
            goto fail;
        }
        else {
            Py_DECREF(closed);
        }
    }
    ret = done == NULL ? NULL : Py_NewRef(Py_None);
fail:
    Py_XDECREF(bytes);
    Py_XDECREF(file);
    Py_XDECREF(done);
    return ret;
}

/* Only a number can take a format; arrays print as by str(). */
static PyObject *
array_format(PyObject *self, PyObject *spec)
{
    GnpArray *a = (GnpArray *)self;
    GnpScalar element;
    if (!PyUnicode_Check(spec)) {
        PyErr_SetString(PyExc_TypeError, "__format__() argument must be str");
        return NULL;
    }
    /* Units of time are formatted by NumPy's scalars, as Python's integers have lost the unit. */
    if (a->ndim == 0) {
        PyObject *value = gnp_is_structured(a->dtype)               ? gnp_structured_item(a)
                          : gnp_array_read_element(a, &element) < 0 ? NULL
                          : gnp_has_unit(a->dtype)
                              ? gnp_scalar_to_numpy(&element, (GnpDtype)a->dtype)
                              : gnp_scalar_to_python(&element, (GnpDtype)a->dtype);
        PyObject *ret = value == NULL ? NULL : PyObject_Format(value, spec);
        Py_XDECREF(value);
        return ret;
    }
    /* As for NumPy's arrays: no format applies to several elements. */
    if (PyUnicode_GET_LENGTH(spec) > 0) {
        PyErr_SetString(PyExc_TypeError,
                        "unsupported format string passed to gpunp.ndarray.__format__");
        return NULL;
    }
    return gnp_array_str(self);
}

/* complex() asks for it; float() and int() have slots of their own. */
static PyObject *
array_complex(PyObject *self, PyObject *Py_UNUSED(noargs))
{
    GnpArray *a = (GnpArray *)self;
    GnpScalar element;
    if (a->ndim != 0) {
        PyErr_SetString(PyExc_TypeError,
                        "only 0-dimensional arrays can be converted to Python scalars");
        return NULL;
    }
    PyObject *value = gnp_array_read_element(a, &element) < 0
                          ? NULL
                          : gnp_scalar_to_python(&element, (GnpDtype)a->dtype);
    PyObject *ret = value == NULL ? NULL : PyObject_CallOneArg((PyObject *)&PyComplex_Type, value);
    Py_XDECREF(value);
    return ret;
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* NumPy's message. The casting rule is shown as the caller gave it; `casting` may be NULL. */
static PyObject *
raise_cannot_cast(GnpDtype from, GnpDtype to, PyObject *casting)
{
    PyObject *rule = casting != NULL ? PyObject_Repr(casting) : PyUnicode_FromString("'unsafe'");
    if (rule != NULL) {
        PyErr_Format(PyExc_TypeError,
                     "Cannot cast array data from %R to %R according to the rule %U",
                     gnp_dtype_object(from), gnp_dtype_object(to), rule);
    }
    Py_XDECREF(rule);
    return NULL;
}

PyDoc_STRVAR(astype_doc,
             "astype($self, /, dtype, order='K', casting='unsafe', subok=True, copy=True)\n--\n\n"
             "Return a copy of the array, cast to a dtype.\n\n"
             "Parameters\n----------\n"
             "dtype : dtype\n    Type to cast to, of the copy.\n"
             "order : {'K', 'A', 'C', 'F'}, optional\n"
             "    Memory layout of the copy; 'K' is as close to that of the array as possible.\n"
             "casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe', 'same_value'}, optional\n"
             "    Rule that says which casts are allowed; others raise TypeError. 'same_value'\n"
             "    compares the values, which waits for the device, and raises ValueError if one\n"
             "    would change.\n"
             "subok : bool, optional\n"
             "    Accepted for compatibility with NumPy; there are no subclasses to pass through.\n"
             "copy : bool, optional\n"
             "    If False, return the array itself if nothing would change.\n\n"
             "Returns\n-------\n"
             "ndarray\n    The copy.\n\n"
             "Examples\n--------\n"
             ">>> import gpunp as cp\n"
             ">>> cp.array([1.7, -1.7]).astype(int)\n"
             "array([ 1, -1])");

/* `subok` has no effect: subclasses are not kept. copy=False returns the array itself where nothing
 * changes. */
static PyObject *
array_astype(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature =
        GNP_SIGNATURE("astype(dtype, order='K', casting='unsafe', subok=True, copy=True)");
    GnpArray *a = (GnpArray *)self;
    PyObject *given[5];
    GnpCasting casting = GNP_CAST_UNSAFE;
    GnpDtype dtype;
    char order;

    if (gnp_args_bind(&signature, args, nargs, kwnames, given) < 0 ||
        gnp_order_from_object(given[1], 'K', &order) < 0 ||
        (dtype = gnp_stored_dtype_from_object(given[0])) == GNP_NO_DTYPE ||
        (given[2] != NULL && given[2] != Py_None &&
         gnp_casting_from_object(given[2], &casting) < 0)) {
        return NULL;
    }
    int copy = given[4] == NULL ? 1 : PyObject_IsTrue(given[4]);
    if (copy < 0) {
        return NULL;
    }
    if (!gnp_can_cast((GnpDtype)a->dtype, dtype, casting)) {
        return raise_cannot_cast((GnpDtype)a->dtype, dtype, given[2]);
    }
    /* copy=False returns the array where dtype and order fit. */
    if (!copy && dtype == (GnpDtype)a->dtype) {
        int c = a->flags & GNP_C_CONTIGUOUS, f = a->flags & GNP_F_CONTIGUOUS;
        if (order == 'K' || (order == 'C' && c) || (order == 'F' && f) ||
            (order == 'A' && (c || f))) {
            return Py_NewRef(self);
        }
    }
    if (gnp_warn_if_discarded(a->dtype, dtype) < 0) {
        return NULL;
    }
    return (PyObject *)gnp_astype(a, dtype, order);
}

/* The default is 'C', as for NumPy's method; numpy.copy has 'K'. */
static PyObject *
array_copy(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("copy(order='C')");
    PyObject *given[1];
    char order;
    if (gnp_args_bind(&signature, args, nargs, kwnames, given) < 0 ||
        gnp_order_from_object(given[0], 'C', &order) < 0) {
        return NULL;
    }
    return (PyObject *)gnp_array_copy((GnpArray *)self, order);
}

/* copy.copy() and copy.deepcopy(): elements hold no references, so both are the same. */
static PyObject *
array_copy_hook(PyObject *self, PyObject *Py_UNUSED(memo))
{
    return gnp_of_class((PyObject *)gnp_array_copy((GnpArray *)self, 'K'), self);
}

/* A device array of one element is not read back: the copy broadcasts it. */
static PyObject *
array_fill(PyObject *self, PyObject *value)
{
    GnpArray *a = (GnpArray *)self;
    if (gnp_check_writeable(a) < 0) {
        return NULL;
    }
    /* Broadcasting is for assignments: fill() takes one value. */
    if (gnp_array_check(value) && ((GnpArray *)value)->ndim != 0) {
        PyErr_SetString(PyExc_ValueError, "the value of fill must be a scalar");
        return NULL;
    }
    return gnp_array_assign(a, value) < 0 ? NULL : Py_NewRef(Py_None);
}

PyDoc_STRVAR(to_device_doc,
             "to_device($self, device, /, *, stream=None)\n--\n\n"
             "Return the array on another device; the array itself if it is there.\n\n"
             "Parameters\n----------\n"
             "device : cuda.Device or int\n    Device, or its number.\n"
             "stream : Stream, optional\n"
             "    Stream of the target in which the copy is queued. By default its current one,\n"
             "    which otherwise waits for the copy without the host waiting.\n\n"
             "Returns\n-------\n"
             "ndarray\n    A copy, or the array itself.");

/* To the current device, through a stream of it. The current stream waits for the copy, on the
 * device, so that the result can be used at once; captured streams are left alone, since a wait
 * would make one part of the other's graph. */
static GnpArray *
move_here(GnpArray *a, PyObject *object)
{
    CUstream stream;
    GnpDevice *device = gnp_device_current();
    if (device == NULL || gnp_stream_from_object(object, device, &stream) < 0) {
        return NULL;
    }
    CUstream before = gnp_stream_enter(device, stream);
    GnpArray *ret = gnp_array_to_current_device(a);
    gnp_stream_leave(device, before);
    const GnpPeerSide copied = {.device = device, .stream = stream},
                      current = {.device = device, .stream = gnp_stream_current(device)};
    if (ret != NULL && stream != current.stream && gnp_captures == NULL &&
        gnp_peer_wait(&current, &copied) < 0) {
        Py_CLEAR(ret);
    }
    return ret;
}

/* The target's device is made current for the copy, and the previous one afterwards, also when it
 * failed. */
static PyObject *
array_to_device(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("to_device(device, /, *, stream=None)");
    PyObject *given[2];
    PyObject *id = NULL; /* owned */
    GnpArray *ret = NULL;

    if (gnp_args_bind(&signature, args, nargs, kwnames, given) < 0) {
        return NULL;
    }
    if (PyUnicode_Check(given[0])) {
        PyErr_Format(PyExc_ValueError,
                     "no device %R: give a cuda.Device or its number; .get() copies "
                     "to the host",
                     given[0]);
        return NULL;
    }
    /* A cuda.Device, or anything that has its number as `id`. */
    id = PyIndex_Check(given[0]) ? Py_NewRef(given[0]) : PyObject_GetAttrString(given[0], "id");
    if (id == NULL) {
        if (PyErr_ExceptionMatches(PyExc_AttributeError)) {
            PyErr_Format(PyExc_TypeError, "a device is a cuda.Device or its number, not %.200s",
                         Py_TYPE(given[0])->tp_name);
        }
        goto fail;
    }
    int number;
    GNP_TRY(gnp_int_from_object(id, "device", &number));
    /* As the array API asks: no copy where there is nothing to move. */
    if (number == ((GnpArray *)self)->device_id) {
        ret = (GnpArray *)Py_NewRef(self);
        goto fail;
    }
    /* Remembered, as the copy is made on the other device. */
    GnpDevice *here = gnp_device_current();
    if (here == NULL || number < 0 || gnp_device_get(number) == NULL) {
        if (!PyErr_Occurred()) {
            PyErr_Format(PyExc_ValueError, "no device %d", number);
        }
        goto fail;
    }
    GNP_TRY(gnp_device_set_current((int)number));
    ret = move_here((GnpArray *)self, given[1]);
    gnp_device_restore(here->id);
fail:
    Py_XDECREF(id);
    return (PyObject *)ret;
}

/* ---- protocols of Python --------------------------------------------------------------------- */

/* Pickles hold a NumPy array: they load on machines with other devices, onto the current one. */
static PyObject *
array_reduce(PyObject *self, PyObject *Py_UNUSED(noargs))
{
    PyObject *rebuild = gnp_module_object("array");
    PyObject *host = rebuild == NULL ? NULL : gnp_array_to_numpy((GnpArray *)self, 'A');
    PyObject *ret = host == NULL ? NULL : Py_BuildValue("O(O)", rebuild, host);
    Py_XDECREF(rebuild);
    Py_XDECREF(host);
    return ret;
}

/* Called by numpy.asarray(a) and every NumPy function that does not dispatch. */
static PyObject *
array_array(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("__array__(dtype=None, copy=None)");
    PyObject *given[2];
    if (gnp_args_bind(&signature, args, nargs, kwnames, given) < 0) {
        return NULL;
    }
    /* -1 with an exception, 0 where the program has not allowed it. */
    int allowed = gnp_hostcopy_allowed();
    if (allowed <= 0) {
        if (allowed == 0) {
            PyErr_SetString(PyExc_TypeError,
                            "Implicit conversion to a NumPy array is not allowed. Use `.get()` or "
                            "`gpunp.asnumpy(a)` to copy the array to the host, or allow it inside "
                            "`with gpunp.allow_host_copy():`.");
        }
        return NULL;
    }
    /* NumPy's copy=False asks for a view, which host memory cannot give. */
    if (given[1] == Py_False) {
        PyErr_SetString(PyExc_ValueError, "a device array becomes a NumPy array only by a copy");
        return NULL;
    }
    PyObject *host = gnp_array_to_numpy((GnpArray *)self, 'A');
    if (host != NULL && given[0] != NULL && given[0] != Py_None) {
        Py_SETREF(host, PyObject_CallMethod(host, "astype", "O", given[0]));
    }
    return host;
}

/* Subclasses may call super().__array_finalize__(parent). */
static PyObject *
array_finalize(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(parent))
{
    Py_RETURN_NONE;
}

/* Method tables have one type of function for all calling conventions. */
#define FAST(function) (PyCFunction)(void (*)(void))(function)

GNP_OF_CLASS(array_astype)
GNP_OF_CLASS(array_copy)

PyMethodDef gnp_array_methods[] = {
    {"get", FAST(array_get), METH_FASTCALL | METH_KEYWORDS,
     "get($self, /, stream=None, order='C', out=None, blocking=True)\n--\n\n"
     "Copy the array to host memory as a NumPy array.\n\n"
     "Parameters\n----------\n"
     "stream : Stream or int, optional\n"
     "    Stream in which the copy is queued. By default the current one.\n"
     "order : {'C', 'F', 'A', 'K'}, optional\n"
     "    Memory layout of the result; 'A' is 'F' for Fortran-contiguous arrays, 'K' as\n"
     "    close to that of the array as possible.\n"
     "out : numpy.ndarray, optional\n"
     "    C-contiguous array (or one with the layout of this array) with the same shape and\n"
     "    dtype.\n"
     "blocking : bool, optional\n"
     "    If True, wait until the copy is complete. Otherwise the host must not read the\n"
     "    result before the stream is synchronized.\n\n"
     "Returns\n-------\n"
     "numpy.ndarray\n    The copy, or `out`.\n\n"
     "Examples\n--------\n"
     ">>> import gpunp as cp\n"
     ">>> cp.arange(3).get()\n"
     "array([0, 1, 2])"},
    {"to_numpy", array_to_numpy, METH_NOARGS,
     "to_numpy($self, /)\n--\n\n"
     "Copy the array to a NumPy array, like `get()`; waits for the device.\n\n"
     "Returns\n-------\n"
     "numpy.ndarray\n    The copy."},
    {"set", FAST(array_set), METH_FASTCALL | METH_KEYWORDS, set_doc},
    {"item", FAST(array_item), METH_FASTCALL,
     "item($self, /, *args)\n--\n\n"
     "Return an element as a Python number. Waits for the device.\n\n"
     "Parameters\n----------\n"
     "*args : int, optional\n"
     "    Index of the element for each axis, or one index into the flattened array; none\n"
     "    for arrays of size 1.\n\n"
     "Returns\n-------\n"
     "bool, int, float or complex\n    The element.\n\n"
     "Raises\n------\n"
     "ValueError\n    If no index is given and the size is not 1.\n\n"
     "Examples\n--------\n"
     ">>> import gpunp as cp\n"
     ">>> cp.arange(6).reshape(2, 3).item(1, 2)\n"
     "5"},
    {"tolist", array_tolist, METH_NOARGS,
     "tolist($self, /)\n--\n\n"
     "Return the elements as nested lists of Python numbers. Waits for the device.\n\n"
     "Returns\n-------\n"
     "list, or a number of an array without dimensions\n"
     "    Lists nested as deep as the array has dimensions."},
    {"tobytes", FAST(array_tobytes), METH_FASTCALL | METH_KEYWORDS,
     "tobytes($self, /, order='C')\n--\n\n"
     "Return the elements as bytes. Waits for the device.\n\n"
     "Parameters\n----------\n"
     "order : {'C', 'F', 'A'}, optional\n"
     "    Order in which elements are read; 'A' is 'F' for Fortran-contiguous arrays.\n\n"
     "Returns\n-------\n"
     "bytes\n    Copy of the elements."},
    {"__bytes__", array_bytes, METH_NOARGS, NULL},
    {"tofile", FAST(array_tofile), METH_FASTCALL | METH_KEYWORDS,
     "tofile($self, /, fid, sep='', format='%s')\n--\n\n"
     "Write the elements to a file in C order. Waits for the device.\n\n"
     "Parameters\n----------\n"
     "fid : file, str or path\n    File to write: open, or a name or path.\n"
     "sep : str, optional\n"
     "    Separator between elements written as text; '' writes binary data.\n"
     "format : str, optional\n    Format of an element for the operator %."},
    {"dump", FAST(array_dump), METH_FASTCALL | METH_KEYWORDS,
     "dump($self, /, file)\n--\n\n"
     "Write a pickle of the array to a file. Waits for the device.\n\n"
     "Parameters\n----------\n"
     "file : file, str or path\n    File to write: open, or a name or path."},
    {"dumps", array_dumps, METH_NOARGS,
     "dumps($self, /)\n--\n\n"
     "Return a pickle of the array. Waits for the device.\n\n"
     "Returns\n-------\n"
     "bytes\n    Bytes from which `pickle.loads` makes an array on the current device."},
    {"__format__", array_format, METH_O, NULL},
    {"__complex__", array_complex, METH_NOARGS, NULL},
    {"astype", FAST(array_astype_of_class), METH_FASTCALL | METH_KEYWORDS, astype_doc},
    {"copy", FAST(array_copy_of_class), METH_FASTCALL | METH_KEYWORDS,
     "copy($self, /, order='C')\n--\n\n"
     "Copy the array on its device.\n\n"
     "Parameters\n----------\n"
     "order : {'C', 'F', 'A', 'K'}, optional\n"
     "    Memory layout of the copy; 'A' is 'F' for Fortran-contiguous arrays, 'K' as close\n"
     "    to that of the array as possible.\n\n"
     "Returns\n-------\n"
     "ndarray\n    Copy, on the device of the array."},
    {"__copy__", array_copy_hook, METH_NOARGS, NULL},
    {"__deepcopy__", array_copy_hook, METH_O, NULL},
    {"fill", array_fill, METH_O,
     "fill($self, value, /)\n--\n\n"
     "Set every element to a scalar.\n\n"
     "Parameters\n----------\n"
     "value : scalar or array of no dimensions\n"
     "    Value that is cast to the array's dtype; nothing waits for a device array."},
    {"to_device", FAST(array_to_device), METH_FASTCALL | METH_KEYWORDS, to_device_doc},
    {"__reduce__", array_reduce, METH_NOARGS, NULL},
    {"__array__", FAST(array_array), METH_FASTCALL | METH_KEYWORDS,
     "__array__($self, /, dtype=None, copy=None)\n--\n\n"
     "Return a NumPy copy, within `with allow_host_copy():` only."},
    {"__array_finalize__", array_finalize, METH_O, NULL},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, NULL},
    {NULL, NULL, 0, NULL},
};
