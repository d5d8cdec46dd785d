/* Structured dtypes and void: their numbers, their fields, and copies of elements.
 *
 * Every structured dtype in use gets a number of its own, so that arrays carry it like any other.
 * No kernel knows one: elements are moved as words (core.h), fields are views of other dtypes, and
 * what is left to compute is refused where a kernel or an operand is asked for.
 *
 * Entries are added and never removed, so a number stays valid for the life of the process. All of
 * it is guarded by the GIL.
 */
#include "core/core_internal.h"

#include <stdlib.h>
#include <string.h>

enum { WIDEST_WORD = 16, DEEPEST = 64 }; /* bytes; structures in structures */

/* Structures in structures recur here, at one level after the other. */
static GnpDtype dtype_of_structure(PyObject *descr, int depth);

typedef struct {
    GnpDtype dtype; /* of the innermost elements */
    int ndim;       /* of a subarray */
    int64_t offset, *shape;
} Field;

/* Bytes [begin, end) of an element. */
typedef struct {
    int64_t begin, end;
} Range;

typedef struct {
    int nfields; /* 0: void */
    int depth;   /* of structures in it, itself counted */
    Field *field;
    int nranges; /* what the fields cover: assignments leave the rest alone. 0: see below */
    Range *range;
} Structure;

static Structure structures[GNP_MAX_DTYPES - GNP_STRUCTURED];
static int nstructures;

static const Structure *
structure_of(int dtype)
{
    assert(gnp_is_structured(dtype));
    return &structures[dtype - GNP_STRUCTURED];
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* `descr` is a field's; its element and the shape of its subarray are filled in. */
static int
read_field_type(PyObject *whole, PyObject *name, Field *field, PyObject *descr, int depth)
{
    PyObject *sub = NULL; /* owned */
    int64_t shape[GNP_MAX_DIMS];
    int ret = -1;
    GNP_NEW(sub, PyObject_GetAttrString(descr, "subdtype"));
    if (PyTuple_Check(sub) && PyTuple_GET_SIZE(sub) == 2) {
        descr = PyTuple_GET_ITEM(sub, 0);
        field->ndim = gnp_shape_from_object(PyTuple_GET_ITEM(sub, 1), shape);
        GNP_TRY(field->ndim);
        field->shape = malloc((size_t)(field->ndim + 1) * sizeof *shape);
        if (field->shape == NULL) {
            PyErr_NoMemory();
            goto fail;
        }
        memcpy(field->shape, shape, (size_t)field->ndim * sizeof *shape);
    }
    field->dtype = gnp_npy_is_structured(descr) ? dtype_of_structure(descr, depth + 1)
                                                : gnp_dtype_from_descr(descr);
    if (field->dtype == GNP_NO_DTYPE) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError,
                     "%R is not supported: its field %R is %R, and gpunp arrays hold numbers, "
                     "times and structures of them in native byte order",
                     whole, name, descr);
        goto fail;
    }
    ret = 0;
fail:
    Py_XDECREF(sub);
    return ret;
}

static int
read_field(PyObject *whole, PyObject *fields, PyObject *name, Field *field, int depth)
{
    PyObject *entry = NULL; /* owned: (dtype, offset) or (dtype, offset, title) */
    int ret = -1;
    GNP_NEW(entry, PyObject_GetItem(fields, name));
    GNP_TRY(gnp_int64_from_object(PyTuple_GET_ITEM(entry, 1), "offset", &field->offset));
    GNP_TRY(read_field_type(whole, name, field, PyTuple_GET_ITEM(entry, 0), depth));
    ret = 0;
fail:
    Py_XDECREF(entry);
    return ret;
}

static int
by_begin(const void *a, const void *b)
{
    const Range *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* The bytes of all fields, those that touch or overlap in one range. None where a field's own
 * structure has gaps: then fields are copied one by one. */
static void
find_ranges(Structure *s)
{
    int n = 0;
    for (int i = 0; i < s->nfields; i++) {
        const Field *f = &s->field[i];
        const int64_t bytes = gnp_dtypes[f->dtype].bytes;
        if (gnp_is_structured(f->dtype)) {
            const Structure *own = structure_of(f->dtype);
            if (own->nranges != 1 || own->range->end - own->range->begin != bytes) {
                return;
            }
        }
        s->range[i] = (Range){f->offset, f->offset + bytes * gnp_layout_size(f->ndim, f->shape)};
    }
    qsort(s->range, (size_t)s->nfields, sizeof *s->range, by_begin);
    for (int i = 1; i < s->nfields; i++) {
        if (s->range[i].begin > s->range[n].end) {
            s->range[++n] = s->range[i];
        }
        else if (s->range[i].end > s->range[n].end) {
            s->range[n].end = s->range[i].end;
        }
    }
    s->nranges = n + 1;
}

/* The fields of `descr`, or none for void. What was allocated is the caller's to free. */
static int
read_structure(PyObject *descr, int32_t bytes, Structure *s, int depth)
{
    PyObject *names = NULL, *fields = NULL; /* owned */
    int ret = -1;
    GNP_NEW(names, PyObject_GetAttrString(descr, "names"));
    GNP_NEW(fields, PyObject_GetAttrString(descr, "fields"));
    s->nfields = PyTuple_Check(names) ? (int)PyTuple_GET_SIZE(names) : 0;
    s->field = calloc((size_t)s->nfields + 1, sizeof *s->field);
    s->range = calloc((size_t)s->nfields + 1, sizeof *s->range);
    if (s->field == NULL || s->range == NULL) {
        PyErr_NoMemory();
        goto fail;
    }
    s->depth = 1;
    for (int i = 0; i < s->nfields; i++) {
        GNP_TRY(read_field(descr, fields, PyTuple_GET_ITEM(names, i), &s->field[i], depth));
        const GnpDtype own = s->field[i].dtype;
        const int below = gnp_is_structured(own) ? structure_of(own)->depth : 0;
        s->depth = s->depth > below ? s->depth : below + 1;
    }
    if (s->nfields > 0) {
        find_ranges(s);
    }
    else { /* void, or a structure without a field */
        s->nranges = 1;
        s->range[0] = (Range){0, bytes};
    }
    ret = 0;
fail:
    Py_XDECREF(names);
    Py_XDECREF(fields);
    return ret;
}

/* Functions recur as deep as structures are nested, so there is a limit. */
static int
check_depth(int depth)
{
    if (depth < DEEPEST) {
        return 0;
    }
    PyErr_Format(PyExc_TypeError, "structures nested more than %d deep are not supported", DEEPEST);
    return -1;
}

/* Enters `descr`; its number, or GNP_NO_DTYPE with an exception. Where two threads enter equal
 * ones, there are two numbers, which gnp_equal_structures() knows. */
static GnpDtype
enter(PyObject *descr, int32_t bytes, int depth)
{
    Structure s = {0};
    PyObject *text = NULL; /* owned */
    char *name = NULL;     /* lives on */
    GnpDtype ret = GNP_NO_DTYPE;

    GNP_TRY(read_structure(descr, bytes, &s, depth)); /* may enter the fields' structures */
    GNP_TRY(check_depth(s.depth - 1));
    GNP_NEW(text, PyObject_Str(descr));
    const char *letters = PyUnicode_AsUTF8(text);
    name = letters == NULL ? NULL : strdup(letters);
    if (name == NULL) {
        if (letters != NULL) {
            PyErr_NoMemory();
        }
        goto fail;
    }
    if (nstructures == GNP_MAX_DTYPES - GNP_STRUCTURED) {
        PyErr_Format(PyExc_TypeError, "%R: more than %d structured dtypes in one process", descr,
                     nstructures);
        free(name);
        goto fail;
    }
    ret = (GnpDtype)(GNP_STRUCTURED + nstructures);
    structures[nstructures++] = s;
    gnp_dtypes[ret] = (GnpDtypeInfo){.letter = 'V',
                                     .cls = 'V',
                                     .dl_code = 255,
                                     .bytes = bytes,
                                     .unaligned = 0,
                                     .name = name,
                                     .device_name = "structure",
                                     .user_name = "structure",
                                     .compute = ret,
                                     .real = GNP_F64,
                                     .complex = GNP_C128}; /* no cast leads to these */
    gnp_dtype_set_object(ret, descr);
fail:
    if (ret == GNP_NO_DTYPE) {
        for (int i = 0; s.field != NULL && i < s.nfields; i++) {
            free(s.field[i].shape);
        }
        free(s.field);
        free(s.range);
    }
    Py_XDECREF(text);
    return ret;
}

/* Equal descriptors may differ in the class of their scalars and in being aligned, which results
 * keep. */
static PyObject *
key_of(PyObject *descr)
{
    PyObject *type = PyObject_GetAttrString(descr, "type");
    PyObject *aligned = type == NULL ? NULL : PyObject_GetAttrString(descr, "isalignedstruct");
    PyObject *key = aligned == NULL ? NULL : PyTuple_Pack(3, descr, type, aligned);
    Py_XDECREF(type);
    Py_XDECREF(aligned);
    return key;
}

/* gnp_state.structured is {key: number}. */
static GnpDtype
dtype_of_structure(PyObject *descr, int depth)
{
    PyObject *key = NULL, *own = NULL, *nbytes = NULL, *number = NULL; /* owned */
    GnpDtype ret = GNP_NO_DTYPE;
    int64_t bytes;

    GNP_NEW(key, key_of(descr));
    PyObject *known = PyDict_GetItemWithError(gnp_state.structured, key);
    if (known != NULL) {
        int64_t n;
        GNP_TRY(gnp_int64_from_object(known, "dtype", &n));
        ret = (GnpDtype)n;
    }
    if (known != NULL || PyErr_Occurred()) {
        goto fail;
    }
    GNP_NEW(nbytes, PyObject_GetAttrString(descr, "itemsize"));
    GNP_TRY(gnp_int64_from_object(nbytes, "itemsize", &bytes));
    GNP_TRY(check_depth(depth));
    if (bytes <= 0 || bytes > INT32_MAX) {
        PyErr_Format(PyExc_TypeError, "%R is not supported: its elements have %lld bytes", descr,
                     (long long)bytes);
        goto fail;
    }
    /* A copy: the program may give the fields of its own other names. Where it does so to this one,
     * by an array's dtype, the key is found no more, and its dtype gets a new number. */
    GNP_NEW(own, gnp_npy_copy_descr(descr));
    Py_SETREF(key, key_of(own));
    const GnpDtype entered = key == NULL ? GNP_NO_DTYPE : enter(own, (int32_t)bytes, depth);
    if (entered == GNP_NO_DTYPE) {
        goto fail;
    }
    GNP_NEW(number, PyLong_FromLong(entered));
    GNP_TRY(PyDict_SetItem(gnp_state.structured, key, number));
    ret = entered;
fail:
    Py_XDECREF(key);
    Py_XDECREF(own);
    Py_XDECREF(nbytes);
    Py_XDECREF(number);
    return ret;
}

GnpDtype
gnp_dtype_of_structure(PyObject *descr)
{
    return dtype_of_structure(descr, 0);
}

int
gnp_equal_structures(int a, int b)
{
    if (a == b || !gnp_is_structured(a) || !gnp_is_structured(b)) {
        return a == b;
    }
    PyObject *one = gnp_dtype_object((GnpDtype)a), *two = gnp_dtype_object((GnpDtype)b);
    const int same = PyObject_RichCompareBool(one, two, Py_EQ);
    PyErr_Clear();
    return same > 0;
}

/* ---- words ----------------------------------------------------------------------------------- */

int64_t
gnp_word_bytes(const GnpArray *a, int64_t begin, int64_t end)
{
    uint64_t bits = (a->data + (CUdeviceptr)begin) | (uint64_t)(end - begin) | WIDEST_WORD;
    for (int i = 0; i < a->ndim; i++) {
        bits |= gnp_shape(a)[i] > 1 ? (uint64_t)gnp_strides(a)[i] : 0;
    }
    return (int64_t)(bits & (~bits + 1));
}

/* Words of 16 bytes are complex128 here, as no integer has them. */
GnpDtype
gnp_word_dtype(int64_t word)
{
    return word == 1   ? GNP_U8
           : word == 2 ? GNP_U16
           : word == 4 ? GNP_U32
           : word == 8 ? GNP_U64
                       : GNP_C128;
}

GnpArray *
gnp_words(GnpArray *a, int64_t begin, int64_t end, int64_t word)
{
    int64_t shape[GNP_MAX_DIMS], strides[GNP_MAX_DIMS];
    const int ndim = a->ndim;
    if (ndim == GNP_MAX_DIMS) {
        PyErr_Format(PyExc_ValueError, "structured arrays of %d axes cannot be copied", ndim);
        return NULL;
    }
    memcpy(shape, gnp_shape(a), (size_t)ndim * sizeof *shape);
    memcpy(strides, gnp_strides(a), (size_t)ndim * sizeof *strides);
    shape[ndim] = (end - begin) / word;
    strides[ndim] = word;
    for (int i = 0; i < ndim; i++) { /* no second element: any stride, and an aligned one */
        strides[i] = shape[i] > 1 ? strides[i] : 0;
    }
    return gnp_array_view(a, a->data + (CUdeviceptr)begin, ndim + 1, shape, strides,
                          gnp_word_dtype(word));
}

GnpArray *
gnp_array_from_words(GNP_STEAL GnpArray *words, GnpDtype dtype)
{
    GnpArray *ret = NULL;
    const int ndim = words->ndim - 1;
    if (words->size > 0 && gnp_shape(words)[ndim] > 1 &&
        gnp_strides(words)[ndim] != gnp_itemsize(words)) {
        GnpArray *dense;
        GNP_NEW(dense, gnp_array_copy(words, 'C'));
        Py_SETREF(words, dense);
    }
    ret = gnp_array_view(words, words->data, ndim, gnp_shape(words), gnp_strides(words), dtype);
    if (ret != NULL && words->base == NULL) {
        Py_CLEAR(ret->base); /* nothing else refers to the words: the result owns their memory */
    }
fail:
    Py_DECREF((PyObject *)words);
    return ret;
}

GnpArray *
gnp_beside_words(GnpArray *a)
{
    int64_t shape[GNP_MAX_DIMS], strides[GNP_MAX_DIMS];
    if (a->ndim == GNP_MAX_DIMS) {
        PyErr_Format(PyExc_ValueError, "structured arrays of %d axes cannot be selected from",
                     a->ndim);
        return NULL;
    }
    memcpy(shape, gnp_shape(a), (size_t)a->ndim * sizeof *shape);
    memcpy(strides, gnp_strides(a), (size_t)a->ndim * sizeof *strides);
    shape[a->ndim] = 1;
    strides[a->ndim] = gnp_itemsize(a);
    return gnp_array_view(a, a->data, a->ndim + 1, shape, strides, (GnpDtype)a->dtype);
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* The field's elements; a subarray's axes are the last ones. */
static GnpArray *
view_field(GnpArray *a, const Field *f)
{
    int64_t shape[GNP_MAX_DIMS], strides[GNP_MAX_DIMS];
    const int ndim = a->ndim;
    if (ndim + f->ndim > GNP_MAX_DIMS) {
        PyErr_Format(PyExc_ValueError, "a field would have more than %d axes", GNP_MAX_DIMS);
        return NULL;
    }
    memcpy(shape, gnp_shape(a), (size_t)ndim * sizeof *shape);
    memcpy(strides, gnp_strides(a), (size_t)ndim * sizeof *strides);
    for (int i = 0; i < f->ndim; i++) {
        shape[ndim + i] = f->shape[i];
    }
    gnp_layout_fill_strides(f->ndim, f->shape, gnp_dtypes[f->dtype].bytes, 'C', strides + ndim);
    return gnp_array_view(a, a->data + (CUdeviceptr)f->offset, ndim + f->ndim, shape, strides,
                          f->dtype);
}

/* By name, or by title: that has the same entry in the descriptor's fields. The names are read
 * anew, since programs may set `a.dtype.names`; their order stays. */
static const Field *
find_field(const GnpArray *a, PyObject *name)
{
    const Structure *s = structure_of(a->dtype);
    PyObject *descr = gnp_dtype_object((GnpDtype)a->dtype);
    PyObject *names = NULL, *fields = NULL, *entry = NULL; /* owned */
    const Field *ret = NULL;
    GNP_NEW(names, PyObject_GetAttrString(descr, "names"));
    GNP_NEW(fields, PyObject_GetAttrString(descr, "fields"));
    if (!PyTuple_Check(names) || (entry = PyObject_GetItem(fields, name)) == NULL) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "no field of name %U", name);
        goto fail;
    }
    for (int i = 0; ret == NULL && i < s->nfields && i < PyTuple_GET_SIZE(names); i++) {
        PyObject *own; /* owned */
        GNP_NEW(own, PyObject_GetItem(fields, PyTuple_GET_ITEM(names, i)));
        ret = own == entry ? &s->field[i] : NULL;
        Py_DECREF(own);
    }
fail:
    Py_XDECREF(names);
    Py_XDECREF(fields);
    Py_XDECREF(entry);
    return ret;
}

int
gnp_each_field(GnpArray *a, int (*run)(GnpArray *field))
{
    const Structure *s = structure_of(a->dtype);
    for (int i = 0; i < s->nfields; i++) {
        GnpArray *field = view_field(a, &s->field[i]);
        const int status = field == NULL ? -1 : run(field);
        Py_XDECREF((PyObject *)field);
        if (status < 0) {
            return -1;
        }
    }
    return 0;
}

/* NumPy makes the dtype, and raises for names that are missing or there twice. */
static GnpArray *
view_fields(GnpArray *a, PyObject *names)
{
    PyObject *descr = PyObject_GetItem(gnp_dtype_object((GnpDtype)a->dtype), names);
    GnpDtype dtype = descr == NULL ? GNP_NO_DTYPE : gnp_stored_dtype_from_object(descr);
    Py_XDECREF(descr);
    return dtype == GNP_NO_DTYPE
               ? NULL
               : gnp_array_view(a, a->data, a->ndim, gnp_shape(a), gnp_strides(a), dtype);
}

/* An empty list is an index, as in NumPy, but for a list of no names of fields. */
static int
is_list_of_names(PyObject *key)
{
    if (!PyList_Check(key)) {
        return 0;
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(key); i++) {
        if (!PyUnicode_Check(PyList_GET_ITEM(key, i))) {
            return 0;
        }
    }
    return PyList_GET_SIZE(key) > 0;
}

int
gnp_field_view(GnpArray *a, PyObject *key, GnpArray **out)
{
    if (PyUnicode_Check(key)) {
        const Field *field = find_field(a, key);
        *out = field == NULL ? NULL : view_field(a, field);
    }
    else if (is_list_of_names(key)) {
        *out = view_fields(a, key);
    }
    else {
        return 0;
    }
    return *out == NULL ? -1 : 1;
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* `a` broadcast to dst's shape, as a view. */
static GnpArray *
broadcast_to(GnpArray *a, const GnpArray *dst)
{
    int64_t strides[GNP_MAX_DIMS];
    gnp_broadcast_strides(a, dst->ndim, gnp_shape(dst), strides);
    return gnp_array_view(a, a->data, dst->ndim, gnp_shape(dst), strides, (GnpDtype)a->dtype);
}

/* Both as words of one size. */
static int
run_words(GnpArray *dst, GnpArray *src, const Range *r, const GnpWordsTask *task)
{
    GnpArray *to = NULL, *from = NULL; /* owned */
    int ret = -1;
    const int64_t a = gnp_word_bytes(dst, r->begin, r->end),
                  b = gnp_word_bytes(src, r->begin, r->end);
    GNP_NEW(to, gnp_words(dst, r->begin, r->end, a < b ? a : b));
    GNP_NEW(from, gnp_words(src, r->begin, r->end, a < b ? a : b));
    ret = task->run(to, from, task->context);
fail:
    Py_XDECREF((PyObject *)to);
    Py_XDECREF((PyObject *)from);
    return ret;
}

int
gnp_each_words(GnpArray *dst, GnpArray *src, const GnpWordsTask *task)
{
    if (!gnp_is_structured(dst->dtype)) {
        return task->run(dst, src, task->context);
    }
    const Structure *s = structure_of(dst->dtype);
    for (int i = 0; i < s->nranges; i++) {
        if (run_words(dst, src, &s->range[i], task) < 0) {
            return -1;
        }
    }
    for (int i = 0; s->nranges == 0 && i < s->nfields; i++) {
        GnpArray *to = view_field(dst, &s->field[i]);
        GnpArray *from = to == NULL ? NULL : view_field(src, &s->field[i]);
        const int status = from == NULL ? -1 : gnp_each_words(to, from, task);
        Py_XDECREF((PyObject *)to);
        Py_XDECREF((PyObject *)from);
        if (status < 0) {
            return -1;
        }
    }
    return 0;
}

static int
run_copy(GnpArray *dst, GnpArray *src, void *Py_UNUSED(context))
{
    return gnp_copy(dst, src);
}

static const GnpWordsTask copy_task = {run_copy, NULL};

/* NumPy's message. */
static int
refuse_cast(const GnpArray *dst, const GnpArray *src)
{
    PyObject *from = gnp_dtype_object((GnpDtype)src->dtype);
    PyObject *to = from == NULL ? NULL : gnp_dtype_object((GnpDtype)dst->dtype);
    if (to != NULL) {
        PyErr_Format(PyExc_TypeError,
                     "Cannot cast array data from %R to %R according to the rule 'unsafe'", from,
                     to);
    }
    return -1;
}

/* The source of field `f`, which is as deep as the field: its own field, or each element for the
 * whole subarray. */
static GnpArray *
source_of_field(GnpArray *src, const Field *f, const Field *own)
{
    if (own != NULL) {
        return view_field(src, own);
    }
    GnpArray *ret = (GnpArray *)Py_NewRef((PyObject *)src);
    for (int i = 0; ret != NULL && i < f->ndim; i++) {
        Py_SETREF(ret, gnp_beside_words(ret));
    }
    return ret;
}

/* Field by field and by position, as NumPy assigns; what is no structure goes to every field. */
static int
copy_fields(GnpArray *dst, GnpArray *src)
{
    const Structure *to = structure_of(dst->dtype);
    const Structure *from = gnp_is_structured(src->dtype) ? structure_of(src->dtype) : NULL;
    if (to->nfields == 0 || (from != NULL && from->nfields != to->nfields)) {
        return refuse_cast(dst, src);
    }
    for (int i = 0; i < to->nfields; i++) {
        const Field *own = from == NULL ? NULL : &from->field[i];
        if (own != NULL && own->ndim != to->field[i].ndim) {
            return refuse_cast(dst, src);
        }
        GnpArray *target = view_field(dst, &to->field[i]);
        GnpArray *source = target == NULL ? NULL : source_of_field(src, &to->field[i], own);
        const int status = source == NULL ? -1 : gnp_copy(target, source);
        Py_XDECREF((PyObject *)target);
        Py_XDECREF((PyObject *)source);
        if (status < 0) {
            return -1;
        }
    }
    return 0;
}

/* A structure of one field is its field. */
static int
copy_only_field(GnpArray *dst, GnpArray *src)
{
    const Structure *from = structure_of(src->dtype);
    if (from->nfields != 1 || from->field[0].ndim > 0) {
        return refuse_cast(dst, src);
    }
    GnpArray *field = view_field(src, &from->field[0]); /* owned */
    const int status = field == NULL ? -1 : gnp_copy(dst, field);
    Py_XDECREF((PyObject *)field);
    return status;
}

/* `whole`: dst is new, and what lies between its fields may be written too. */
int
gnp_copy_structures(GnpArray *dst, GnpArray *src, int whole)
{
    GnpArray *from = NULL; /* owned */
    int ret = -1;
    GNP_NEW(from, broadcast_to(src, dst));
    if (!gnp_is_structured(dst->dtype)) {
        ret = copy_only_field(dst, from);
    }
    else if (!gnp_equal_structures(dst->dtype, src->dtype)) {
        /* Fields that change places are read before the first is written. */
        if (gnp_is_structured(src->dtype) && gnp_may_overlap(dst, from)) {
            Py_SETREF(from, gnp_astype(from, (GnpDtype)from->dtype, 'K'));
        }
        ret = from == NULL ? -1 : copy_fields(dst, from);
    }
    else if (whole) {
        const Range range = {0, gnp_itemsize(dst)};
        ret = run_words(dst, from, &range, &copy_task);
    }
    else {
        ret = gnp_each_words(dst, from, &copy_task);
    }
fail:
    Py_XDECREF((PyObject *)from);
    return ret;
}

/* Zeros in every byte. */
int
gnp_clear_structures(GnpArray *dst)
{
    const GnpScalar zero = {{0, 0}};
    const int64_t end = gnp_itemsize(dst);
    GnpArray *words = gnp_words(dst, 0, end, gnp_word_bytes(dst, 0, end)); /* owned */
    const int status = words == NULL ? -1 : gnp_fill(words, &zero);
    Py_XDECREF((PyObject *)words);
    return status;
}

/* ---- advanced indexing ----------------------------------------------------------------------- */

/* The words' axis comes last and has no index, so it is part of every result. */
PyObject *
gnp_structured_get(const GnpIndex *key)
{
    const GnpDtype dtype = (GnpDtype)key->view->dtype;
    const int64_t end = gnp_itemsize(key->view);
    GnpIndex index = *key;
    index.view = gnp_words(key->view, 0, end, gnp_word_bytes(key->view, 0, end)); /* owned */
    PyObject *words = index.view == NULL ? NULL : gnp_advanced_get(&index);
    Py_XDECREF((PyObject *)index.view);
    return words == NULL ? NULL : (PyObject *)gnp_array_from_words((GnpArray *)words, dtype);
}

static int
run_set(GnpArray *view, GnpArray *value, void *context)
{
    GnpIndex index = *(const GnpIndex *)context;
    index.view = view;
    return gnp_advanced_set(&index, value, NULL);
}

int
gnp_structured_set(const GnpIndex *index, GnpArray *value)
{
    const GnpWordsTask task = {run_set, (void *)(uintptr_t)index};
    GnpArray *same = value->dtype == index->view->dtype
                         ? (GnpArray *)Py_NewRef((PyObject *)value)
                         : gnp_astype(value, (GnpDtype)index->view->dtype, 'K'); /* owned */
    const int status = same == NULL ? -1 : gnp_each_words(index->view, same, &task);
    Py_XDECREF((PyObject *)same);
    return status;
}

/* ---- the host -------------------------------------------------------------------------------- */

PyObject *
gnp_structured_item(GnpArray *a)
{
    PyObject *host = gnp_array_to_numpy(a, 'C');
    PyObject *ret = host == NULL ? NULL : PyObject_CallMethod(host, "item", NULL);
    Py_XDECREF(host);
    return ret;
}

/* ---- what is written in Python --------------------------------------------------------------- */

PyObject *
gnp_structured_call(const char *function, const char *format, ...)
{
    PyObject *home = NULL, *callable = NULL, *args = NULL; /* owned */
    PyObject *ret = NULL;
    va_list list;
    va_start(list, format);
    args = Py_VaBuildValue(format, list);
    va_end(list);
    if (args == NULL) {
        return NULL;
    }
    GNP_NEW(home, PyImport_ImportModule("gpunp._core.structured"));
    GNP_NEW(callable, PyObject_GetAttrString(home, function));
    ret = PyObject_CallObject(callable, args);
fail:
    Py_XDECREF(home);
    Py_XDECREF(callable);
    Py_DECREF(args);
    return ret;
}
