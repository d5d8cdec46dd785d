/* `a.flat`: the elements in C order, whatever the layout; and iteration over the first axis.
 *
 * Elements are 0-d views or copies on the device: iterating in Python costs a view per element and
 * no wait. Slices and arrays as keys work on the flattened array, which is a view of contiguous
 * arrays and else a copy that is written back.
 *
 * Iterating over a device array reads its elements one by one, with a wait each, so programs
 * should not; indexing and assigning by a.flat is one kernel. The iterator holds a reference to
 * its array.
 */
#include "core/core_internal.h"

typedef struct {
    PyObject_HEAD GnpArray *array; /* owned */
    int64_t next;                  /* C order index of the element that next() returns */
} FlatIter;

/* The element with C order index `i`, as a 0-d view. From the last axis: C order. */
static GnpArray *
element_view(GnpArray *a, int64_t i)
{
    CUdeviceptr data = a->data;
    for (int k = a->ndim - 1; k >= 0; k--) {
        int64_t length = gnp_shape(a)[k];
        data += (CUdeviceptr)(i % length * gnp_strides(a)[k]);
        i /= length;
    }
    return gnp_array_view(a, data, 0, NULL, NULL, (GnpDtype)a->dtype);
}

/* Negative indices count from the end. */
static int
check_bounds(const GnpArray *a, int64_t *i)
{
    if (*i < -a->size || *i >= a->size) {
        PyErr_Format(PyExc_IndexError, "index %lld is out of bounds for size %lld", (long long)*i,
                     (long long)a->size);
        return -1;
    }
    *i += *i < 0 ? a->size : 0;
    return 0;
}

/* What the flattened array would accept but NumPy's iterator does not. */
static int
key_is_supported(PyObject *key)
{
    if (key == Py_None || PyFloat_Check(key) || PyUnicode_Check(key) || PyTuple_Check(key)) {
        PyErr_SetString(PyExc_IndexError,
                        "only integers, slices (`:`), ellipsis (`...`) and integer "
                        "or boolean arrays are valid indices");
        return 0;
    }
    if (gnp_flatiter_check(key) && ((FlatIter *)key)->array->dtype == GNP_BOOL) {
        PyErr_SetString(PyExc_IndexError, "boolean iterators are no indices for iterators");
        return 0;
    }
    return 1;
}

/* An integer gives a copy, so that a later write to the array does not change it. */
static PyObject *
flatiter_subscript(PyObject *self, PyObject *key)
{
    GnpArray *a = ((FlatIter *)self)->array;
    GnpArray *line = NULL; /* owned */
    PyObject *part = NULL; /* owned */
    PyObject *ret = NULL;

    if (PyTuple_Check(key) &&
        PyTuple_GET_SIZE(key) == 0) { /* all elements, but not in assignments */
        return (PyObject *)gnp_flatiter_copy(self);
    }
    if (PyLong_CheckExact(key)) {
        int64_t i = PyLong_AsLongLong(key);
        if ((i == -1 && PyErr_Occurred()) || check_bounds(a, &i) < 0) {
            return NULL;
        }
        line = element_view(a, i);
        ret = line == NULL ? NULL : (PyObject *)gnp_array_copy(line, 'C');
        Py_XDECREF((PyObject *)line);
        return ret;
    }
    if (!key_is_supported(key)) {
        return NULL;
    }
    GNP_NEW(line, gnp_array_ravel(a, 'C'));
    GNP_NEW(part, gnp_array_getitem(line, key));
    if (gnp_may_overlap((GnpArray *)part, a)) { /* never a view, as with NumPy */
        ret = (PyObject *)gnp_array_copy((GnpArray *)part, 'C');
    }
    else {
        ret = Py_NewRef(part);
    }
fail:
    Py_XDECREF((PyObject *)line);
    Py_XDECREF(part);
    return ret;
}

/* line[...] = value, where a shorter value is repeated. As NumPy, which starts over when the value
 * is used up: the repetitions are rows of a view of the line, to which the value is broadcast, and
 * the rest is a second copy. Scalars broadcast in one fill. */
static int
assign_repeated(GnpArray *line, PyObject *value)
{
    GnpArray *source = NULL; /* owned */
    GnpArray *flat = NULL;   /* owned */
    GnpArray *piece = NULL;  /* owned */
    int ret = -1;

    if (gnp_weak_kind(value) != GNP_WEAK_NONE || gnp_is_numpy_scalar(value)) {
        return gnp_array_assign(line, value);
    }
    GNP_NEW(source, gnp_array_from_object(value, GNP_NO_DTYPE, GNP_COPY_IF_NEEDED, 'C'));
    GNP_TRY(gnp_warn_if_discarded(source->dtype, line->dtype));
    GNP_NEW(flat, gnp_array_ravel(source, 'C'));
    if (gnp_overlaps_harmfully(line, flat)) { /* both copies read the value as it is now */
        GNP_NEW(piece, gnp_array_copy(flat, 'C'));
        Py_SETREF(flat, piece);
        piece = NULL;
    }
    if (flat->size == 0 && line->size > 0) {
        PyErr_SetString(PyExc_ValueError, "Error setting single item of array.");
        goto fail;
    }
    if (line->size > 0) {
        const int64_t stride = gnp_strides(line)[0], whole = line->size / flat->size;
        const int64_t shape[2] = {whole, flat->size}, steps[2] = {flat->size * stride, stride};
        const int64_t rest = line->size - whole * flat->size;
        GNP_NEW(piece, gnp_array_view(line, line->data, 2, shape, steps, (GnpDtype)line->dtype));
        GNP_TRY(gnp_copy(piece, flat));
        Py_SETREF(piece, gnp_array_view(line, line->data + (CUdeviceptr)(whole * steps[0]), 1,
                                        &rest, &stride, (GnpDtype)line->dtype));
        Py_SETREF(source, gnp_array_view(flat, flat->data, 1, &rest, gnp_strides(flat),
                                         (GnpDtype)flat->dtype));
        if (piece == NULL || source == NULL) {
            goto fail;
        }
        GNP_TRY(gnp_copy(piece, source));
    }
    ret = 0;
fail:
    Py_XDECREF((PyObject *)source);
    Py_XDECREF((PyObject *)flat);
    Py_XDECREF((PyObject *)piece);
    return ret;
}

/* line[key] = value for a key that is neither an integer nor a slice: the elements of an array of
 * indices are taken in order, whatever its shape. */
static int
assign_at(GnpArray *line, PyObject *key, PyObject *value)
{
    GnpArray *index = NULL;  /* owned */
    GnpArray *values = NULL; /* owned */
    int ret = -1;

    if (gnp_weak_kind(value) == GNP_WEAK_NONE && !gnp_is_numpy_scalar(value) &&
        !gnp_is_structured(line->dtype) &&
        (gnp_array_check(key) || gnp_flatiter_check(key) || gnp_is_numpy_array(key))) {
        GNP_NEW(index, gnp_array_from_object(key, GNP_NO_DTYPE, GNP_COPY_IF_NEEDED, 'K'));
    }
    if (index == NULL ||
        (gnp_dtypes[index->dtype].cls != 'i' && gnp_dtypes[index->dtype].cls != 'u')) {
        ret = gnp_array_setitem(line, key, value);
        goto fail;
    }
    Py_SETREF(index, gnp_array_ravel(index, 'C'));
    if (index != NULL) {
        GNP_NEW(values, gnp_array_new(1, &index->size, (GnpDtype)line->dtype, 'C'));
        GNP_TRY(assign_repeated(values, value));
        ret = gnp_array_setitem(line, (PyObject *)index, (PyObject *)values);
    }
fail:
    Py_XDECREF((PyObject *)index);
    Py_XDECREF((PyObject *)values);
    return ret;
}

/* NumPy repeats the values as often as needed, unlike any other assignment. */
static int
flatiter_ass_subscript(PyObject *self, PyObject *key, PyObject *value)
{
    GnpArray *a = ((FlatIter *)self)->array;
    GnpArray *line = NULL; /* owned */
    PyObject *part = NULL; /* owned */
    int ret = -1;

    if (value == NULL) {
        PyErr_SetString(PyExc_TypeError, "Cannot delete iterator elements");
        return -1;
    }
    if (gnp_check_writeable(a) < 0 || !key_is_supported(key)) {
        return -1;
    }
    if (PyLong_CheckExact(key)) {
        int64_t i = PyLong_AsLongLong(key);
        if ((i == -1 && PyErr_Occurred()) || check_bounds(a, &i) < 0) {
            return -1;
        }
        GNP_NEW(line, element_view(a, i));
        ret = gnp_array_assign(line, value);
        goto fail;
    }
    GNP_NEW(line, gnp_array_ravel(a, 'C'));
    if (PySlice_Check(key) || key == Py_Ellipsis) {
        GNP_NEW(part, gnp_array_getitem(line, key));
        GNP_TRY(assign_repeated((GnpArray *)part, value));
    }
    else {
        GNP_TRY(assign_at(line, key, value));
    }
    if (!(a->flags & GNP_C_CONTIGUOUS)) { /* `line` is a copy: write it back */
        Py_XSETREF(part, (PyObject *)gnp_array_reshape(line, a->ndim, gnp_shape(a), 'C', 0));
        if (part == NULL) {
            goto fail;
        }
        GNP_TRY(gnp_copy(a, (GnpArray *)part));
    }
    ret = 0;
fail:
    Py_XDECREF((PyObject *)line);
    Py_XDECREF(part);
    return ret;
}

/* A view rather than a copy: the caller usually reads it at once. */
static PyObject *
flatiter_next(PyObject *self)
{
    FlatIter *it = (FlatIter *)self;
    return it->next >= it->array->size ? NULL : (PyObject *)element_view(it->array, it->next++);
}

/* The number of elements, whatever the position. */
static Py_ssize_t
flatiter_length(PyObject *self)
{
    return (Py_ssize_t)((FlatIter *)self)->array->size;
}

/* A heap type: the instance holds a reference to it. */
static void
flatiter_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF((PyObject *)((FlatIter *)self)->array);
    type->tp_free(self);
    Py_DECREF((PyObject *)type);
}

/* The copy is contiguous, so the second step is a view. */
GnpArray *
gnp_flatiter_copy(PyObject *iterator)
{
    GnpArray *line = gnp_array_copy(((FlatIter *)iterator)->array, 'C');
    GnpArray *ret = line == NULL ? NULL : gnp_array_ravel(line, 'C');
    Py_XDECREF((PyObject *)line);
    return ret;
}

/* A flat copy, as in NumPy. */
static PyObject *
flatiter_copy(PyObject *self, PyObject *Py_UNUSED(noargs))
{
    return (PyObject *)gnp_flatiter_copy(self);
}

/* The array, also where it is a view of another one. */
static PyObject *
flatiter_base(PyObject *self, void *Py_UNUSED(closure))
{
    return Py_NewRef((PyObject *)((FlatIter *)self)->array);
}

/* The position of the next element. */
static PyObject *
flatiter_index(PyObject *self, void *Py_UNUSED(closure))
{
    return PyLong_FromLongLong(((FlatIter *)self)->next);
}

/* The position as one index per axis, from the last axis to the first. */
static PyObject *
flatiter_coords(PyObject *self, void *Py_UNUSED(closure))
{
    FlatIter *it = (FlatIter *)self;
    int64_t coords[GNP_MAX_DIMS];
    int64_t i = it->next;
    for (int k = it->array->ndim - 1; k >= 0; k--) {
        int64_t length = gnp_shape(it->array)[k];
        coords[k] =
            k == 0 || length == 0 ? i : i % length; /* one past the end is an index beyond axis 0 */
        i = length == 0 ? 0 : i / length;
    }
    return gnp_tuple_from_ints(it->array->ndim, coords);
}

static PyMethodDef methods[] = {
    {"copy", flatiter_copy, METH_NOARGS,
     "copy($self, /)\n--\n\n"
     "Return a one-dimensional copy of the elements.\n\n"
     "Returns\n-------\n"
     "ndarray\n    One-dimensional array in C order."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef getset[] = {
    {"base", flatiter_base, NULL, "Array that is iterated over.", NULL},
    {"index", flatiter_index, NULL, "Flat index of the next element, in C order.", NULL},
    {"coords", flatiter_coords, NULL, "Coordinates of the next element.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, (void *)(uintptr_t)"Iterates over an array's elements in C order."},
    {Py_tp_dealloc, flatiter_dealloc},
    {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, flatiter_next},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {Py_mp_length, flatiter_length},
    {Py_mp_subscript, flatiter_subscript},
    {Py_mp_ass_subscript, flatiter_ass_subscript},
    {0, NULL},
};

static PyType_Spec spec = {"gpunp.flatiter", sizeof(FlatIter), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

/* The type is stored in gnp_state, which owns it. */
int
gnp_flatiter_init(PyObject *module)
{
    gnp_state.flatiter_type = PyType_FromModuleAndSpec(module, &spec, NULL);
    if (gnp_state.flatiter_type == NULL) {
        return -1;
    }
    return PyModule_AddObjectRef(module, "flatiter", gnp_state.flatiter_type);
}

/* The type cannot be subclassed. */
int
gnp_flatiter_check(PyObject *object)
{
    return Py_TYPE(object) == (PyTypeObject *)gnp_state.flatiter_type;
}

/* Starts at the first element. */
PyObject *
gnp_flatiter_new(GnpArray *a)
{
    PyTypeObject *type = (PyTypeObject *)gnp_state.flatiter_type;
    FlatIter *self = (FlatIter *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->array = (GnpArray *)Py_NewRef((PyObject *)a);
        self->next = 0;
    }
    return (PyObject *)self;
}

/* Through a[0], a[1] ...: views of the rows. */
PyObject *
gnp_array_iter(PyObject *self)
{
    if (((GnpArray *)self)->ndim == 0) {
        PyErr_SetString(PyExc_TypeError, "iteration over a 0-d array");
        return NULL;
    }
    return PySeqIter_New(self);
}
