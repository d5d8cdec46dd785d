/* Dtypes: the table of what gpunp holds, NumPy's descriptors of them, promotion and casting.
 *
 * No promotion rule is decided here: NumPy is called once per pair and the result cached.
 */
#include "core/core_internal.h"

#include <string.h>

GnpDtypeInfo gnp_dtypes[GNP_MAX_DTYPES];

/* Copied at start-up: the array itself would be half a megabyte of zeros in the file. */
static const GnpDtypeInfo numbers[GNP_NDTYPES] = {
#define DTYPE(id, letter, name, user, device, cls, nbytes, dlcode, compute, real, complex)         \
    {letter, cls,  dlcode,        nbytes,     (nbytes) - 1, name,                                  \
     device, user, GNP_##compute, GNP_##real, GNP_##complex},
#include "tables/dtypes.def"
};

/* NumPy's descriptors, gnp_state.dtypes, are written once each: at start-up, bfloat16's when
 * ml_dtypes is first needed. */
static_assert(sizeof gnp_state.dtypes / sizeof *gnp_state.dtypes == GNP_MAX_DTYPES,
              "a descriptor for each dtype");

/* _C.dtype_table() */
PyObject *
gnp_dtype_table(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    PyObject *ret = PyList_New(GNP_NDTYPES);
    for (int i = 0; ret != NULL && i < GNP_NDTYPES; i++) {
        const GnpDtypeInfo *d = &gnp_dtypes[i];
        PyObject *row =
            Py_BuildValue("{s:s,s:C,s:C,s:i,s:s,s:s,s:s,s:s,s:s}", "name", d->name, "letter",
                          d->letter, "class", d->cls, "bytes", d->bytes, "device", d->device_name,
                          "user", d->user_name, "compute", gnp_dtypes[d->compute].name, "real",
                          gnp_dtypes[d->real].name, "complex", gnp_dtypes[d->complex].name);
        if (row == NULL) {
            Py_CLEAR(ret);
        }
        else {
            PyList_SET_ITEM(ret, i, row);
        }
    }
    return ret;
}

enum { UNKNOWN = -2 };
/* Guarded by the GIL. Filled in by pairs as they occur: a program meets few of them. */
static signed char promotions[GNP_NDTYPES][GNP_NDTYPES];
/* Bit 2k: the result for casting k is known; bit 2k + 1: the result. */
static unsigned short casts[GNP_NDTYPES][GNP_NDTYPES];

static const char *const casting_names[] = {"no", "equiv", "safe", "same_kind", "unsafe"};

/* Takes a reference of its own; an earlier descriptor is dropped. */
void
gnp_dtype_set_object(GnpDtype dtype, PyObject *descr)
{
    Py_XSETREF(gnp_state.dtypes[dtype], Py_NewRef(descr));
}

/* NumPy has no bfloat16 of its own; the package registers one. Arrays of that type work without it
 * as long as no descriptor is needed. */
static PyObject *
load_bfloat16(void)
{
    PyObject *module = NULL; /* owned */
    PyObject *type = NULL;   /* owned */
    PyObject *descr = NULL;  /* owned */
    PyObject *ret = NULL;

    module = gnp_import_if_installed("ml_dtypes");
    if (module == NULL) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_ImportError,
                            "bfloat16 needs the package ml_dtypes: pip install ml_dtypes");
        }
        goto fail;
    }
    GNP_NEW(type, PyObject_GetAttrString(module, "bfloat16"));
    GNP_NEW(descr, PyObject_CallMethod(gnp_state.numpy, "dtype", "O", type));
    gnp_dtype_set_object(GNP_BF16, descr);
    ret = gnp_state.dtypes[GNP_BF16];
fail:
    Py_XDECREF(module);
    Py_XDECREF(type);
    Py_XDECREF(descr);
    return ret;
}

/* NULL with an exception only for bfloat16. */
PyObject *
gnp_dtype_object(GnpDtype dtype)
{
    PyObject *descr = gnp_state.dtypes[dtype];
    if (GNP_LIKELY(descr != NULL)) {
        return descr;
    }
    return load_bfloat16();
}

/* Before anything reads the table. 0 is a valid answer, so the promotions need a mark of their own
 * for "not asked yet". */
int
gnp_dtype_init(void)
{
    memcpy(gnp_dtypes, numbers, sizeof numbers);
    memset(promotions, UNKNOWN, sizeof promotions);
    memset(casts, 0, sizeof casts);
    return 0;
}

/* Clears the exception of a question to NumPy, after which the caller raises its own. TypeError is
 * NumPy's refusal; anything else, such as MemoryError, may be gone the next time and is not cached.
 */
static int
is_answer(void)
{
    int answered = !PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_TypeError);
    PyErr_Clear();
    return answered;
}

/* Units of time and structured dtypes are not cached: their numbers run beyond the table, and
 * operations on them are rare. */
GnpDtype
gnp_promote(GnpDtype a, GnpDtype b)
{
    if (a == b && !gnp_is_structured(a)) {
        return a; /* NumPy packs the fields of structures, of one alone as well */
    }
    if (GNP_UNLIKELY(!gnp_is_number(a) || !gnp_is_number(b))) {
        PyObject *da = gnp_dtype_object(a), *db = da == NULL ? NULL : gnp_dtype_object(b);
        GnpDtype found = db == NULL ? GNP_NO_DTYPE : gnp_npy_promote(da, db);
        PyErr_Clear();
        return found;
    }
    signed char *known = &promotions[a][b];
    if (*known == UNKNOWN) {
        PyObject *da = gnp_dtype_object(a);
        PyObject *db = da == NULL ? NULL : gnp_dtype_object(b);
        GnpDtype found = db == NULL ? GNP_NO_DTYPE : gnp_npy_promote(da, db);
        if (!is_answer()) {
            return GNP_NO_DTYPE;
        }
        *known = (signed char)found;
    }
    return (GnpDtype)*known;
}

/* A refusal is an answer too, and cached. */
int
gnp_can_cast(GnpDtype from, GnpDtype to, GnpCasting casting)
{
    const int structured = gnp_is_structured(from) || gnp_is_structured(to);
    if (from == to || (casting == GNP_CAST_UNSAFE && !structured)) {
        return 1;
    }
    if (GNP_UNLIKELY(!gnp_is_number(from) || !gnp_is_number(to))) {
        PyObject *df = gnp_dtype_object(from), *dt = df == NULL ? NULL : gnp_dtype_object(to);
        int allowed = dt != NULL && gnp_npy_can_cast(df, dt, casting);
        PyErr_Clear();
        return allowed;
    }
    unsigned short *known = &casts[from][to];
    unsigned shift = 2u * (unsigned)casting;
    if (!(*known >> shift & 1)) {
        PyObject *df = gnp_dtype_object(from);
        PyObject *dt = df == NULL ? NULL : gnp_dtype_object(to);
        int answer = dt != NULL && gnp_npy_can_cast(df, dt, casting);
        if (!is_answer()) {
            return 0;
        }
        *known |= (unsigned short)((1u | (unsigned)answer << 1) << shift);
    }
    return *known >> (shift + 1) & 1;
}

/* Of what is no real number only the truth of complex numbers is asked. */
int
gnp_warn_discarded(GnpDtype to)
{
    const char cls = gnp_dtypes[to].cls;
    return cls != 'f' && cls != 'i' && cls != 'u'
               ? 0
               : gnp_warn(gnp_state.ComplexWarning,
                          "Casting complex values to real discards the imaginary part");
}

/* NumPy's five names, in the order of GnpCasting. */
int
gnp_casting_from_object(PyObject *object, GnpCasting *out)
{
    if (!PyUnicode_Check(object)) {
        PyErr_Format(PyExc_TypeError, "casting must be a str, not %.200s",
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    for (int i = 0; i <= GNP_CAST_UNSAFE; i++) {
        if (PyUnicode_CompareWithASCIIString(object, casting_names[i]) == 0) {
            *out = (GnpCasting)i;
            return 0;
        }
    }
    PyErr_Format(PyExc_ValueError,
                 "casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe' (got '%U')",
                 object);
    return -1;
}

/* Either case of a letter, as NumPy accepts; 0, or -1 with an exception. */
int
gnp_order_from_object(PyObject *object, char fallback, char *out)
{
    if (object == NULL || object == Py_None) {
        *out = fallback;
        return 0;
    }
    if (!PyUnicode_Check(object)) {
        PyErr_Format(PyExc_TypeError, "order must be str, not %.200s", Py_TYPE(object)->tp_name);
        return -1;
    }
    if (PyUnicode_GET_LENGTH(object) == 1) {
        /* Upper case of an ASCII letter. */
        Py_UCS4 letter = PyUnicode_READ_CHAR(object, 0) & ~(Py_UCS4)0x20;
        if (letter == 'C' || letter == 'F' || letter == 'A' || letter == 'K') {
            *out = (char)letter;
            return 0;
        }
    }
    PyErr_Format(PyExc_ValueError, "order must be one of 'C', 'F', 'A', or 'K' (got '%U')", object);
    return -1;
}

/* NEP 50: a Python number takes the dtype of what it stands beside, if that is of its kind or
 * above. */
GnpDtype
gnp_weak_promote(GnpWeak weak, GnpDtype other)
{
    if (other != GNP_NO_DTYPE && !gnp_is_number(other)) { /* no number promotes to these */
        other = GNP_NO_DTYPE;
    }
    char cls = other == GNP_NO_DTYPE ? '?' : gnp_dtypes[other].cls;
    switch (weak) {
    case GNP_WEAK_BOOL:
        return other == GNP_NO_DTYPE ? GNP_BOOL : other;
    case GNP_WEAK_INT:
        return cls == '?' ? GNP_I64 : other;
    case GNP_WEAK_FLOAT:
        return cls == 'f' || cls == 'c' ? other : GNP_F64;
    case GNP_WEAK_COMPLEX:
        return other == GNP_NO_DTYPE ? GNP_C128 : gnp_dtypes[other].complex;
    case GNP_WEAK_NONE:
        break;
    }
    return other;
}
