/* The object behind `a.flags`: NumPy's names as attributes and as keys.
 *
 * The object refers to its array, so it shows the flags as they are now, not as they were.
 */
#include "core/core_internal.h"

#include <string.h>

/* Holds its array, so it may outlive every other reference to it. */
typedef struct {
    PyObject_HEAD GnpArray *array; /* owned */
} Flags;

/* What the names ask about; several names are one fact. */
enum Fact { C, F, FNC, FORC, OWN, WRITE, ALIGNED, WRITEBACK, BEHAVED, CARRAY, FARRAY };

/* One row per name; the short ones are keys only. */
static const struct {
    const char *key;
    const char *attribute;
    enum Fact fact;
} names[] = {
    {"C_CONTIGUOUS", "c_contiguous", C},
    {"F_CONTIGUOUS", "f_contiguous", F},
    {"OWNDATA", "owndata", OWN},
    {"WRITEABLE", "writeable", WRITE},
    {"ALIGNED", "aligned", ALIGNED},
    {"WRITEBACKIFCOPY", "writebackifcopy", WRITEBACK},
    {"CONTIGUOUS", "contiguous", C},
    {"FORTRAN", "fortran", F},
    {"FNC", "fnc", FNC},
    {"FORC", "forc", FORC},
    {"BEHAVED", "behaved", BEHAVED},
    {"CARRAY", "carray", CARRAY},
    {"FARRAY", "farray", FARRAY},
    {"C", NULL, C},
    {"F", NULL, F},
    {"O", NULL, OWN},
    {"W", NULL, WRITE},
    {"A", NULL, ALIGNED},
    {"X", NULL, WRITEBACK},
    {"B", NULL, BEHAVED},
    {"CA", NULL, CARRAY},
    {"FA", NULL, FARRAY},
};
enum { NSHOWN = 6, NATTRIBUTES = 13, NNAMES = sizeof names / sizeof *names };

/* WRITEBACKIFCOPY is always false: there are no such copies here. */
static int
fact_value(const GnpArray *a, enum Fact fact)
{
    int c = (a->flags & GNP_C_CONTIGUOUS) != 0;
    int f = (a->flags & GNP_F_CONTIGUOUS) != 0;
    int behaved = (a->flags & GNP_WRITEABLE) && (a->flags & GNP_ALIGNED);
    switch (fact) {
    case C:
        return c;
    case F:
        return f;
    case FNC:
        return f && !c;
    case FORC:
        return f || c;
    case OWN:
        /* A view may outlive its base's array object, but never owns the memory. */
        return a->base == NULL;
    case WRITE:
        return (a->flags & GNP_WRITEABLE) != 0;
    case ALIGNED:
        return (a->flags & GNP_ALIGNED) != 0;
    case BEHAVED:
        return behaved;
    case CARRAY:
        return behaved && c;
    case FARRAY:
        return behaved && f && !c;
    case WRITEBACK:
        break;
    }
    return 0;
}

/* The type is a heap type, so instances hold a reference to it. */
static void
flags_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF((PyObject *)((Flags *)self)->array);
    type->tp_free(self);
    Py_DECREF((PyObject *)type);
}

/* The closure is the row's number, see gnp_flags_init. */
static PyObject *
flags_attribute(PyObject *self, void *row)
{
    return PyBool_FromLong(fact_value(((Flags *)self)->array, names[(intptr_t)row].fact));
}

/* Only WRITEABLE can be set; to True only where the owner of the memory is writeable. */
static int
set_writeable(GnpArray *a, PyObject *value)
{
    int on = value == NULL ? -1 : PyObject_IsTrue(value);
    if (on < 0) {
        if (value == NULL) {
            PyErr_SetString(PyExc_AttributeError, "flags cannot be deleted");
        }
        return -1;
    }
    /* A view must not give a right that its base has not. */
    if (on && a->base != NULL) {
        int base_writeable =
            gnp_array_check(a->base) && ((GnpArray *)a->base)->flags & GNP_WRITEABLE;
        if (!base_writeable && !(a->flags & GNP_WRITEABLE)) {
            PyErr_SetString(PyExc_ValueError, "cannot set WRITEABLE flag to True of this array");
            return -1;
        }
    }
    a->flags = (int16_t)(on ? a->flags | GNP_WRITEABLE : a->flags & ~GNP_WRITEABLE);
    return 0;
}

/* Memory of other libraries is writeable only if its exporter said so, which the base cannot
 * tell. */
static int
flags_set_writeable(PyObject *self, PyObject *value, void *Py_UNUSED(row))
{
    return set_writeable(((Flags *)self)->array, value);
}

/* 22 names, compared one by one: nobody reads flags in a loop. */
static int
find_key(PyObject *key)
{
    for (int i = 0; i < NNAMES && PyUnicode_Check(key); i++) {
        if (PyUnicode_CompareWithASCIIString(key, names[i].key) == 0) {
            return i;
        }
    }
    PyErr_SetString(PyExc_KeyError, "Unknown flag");
    return -1;
}

/* NumPy's keys, such as a.flags["C"]. */
static PyObject *
flags_subscript(PyObject *self, PyObject *key)
{
    int row = find_key(key);
    return row < 0 ? NULL : PyBool_FromLong(fact_value(((Flags *)self)->array, names[row].fact));
}

/* NumPy can set WRITEBACKIFCOPY and ALIGNED too, which have no effect here. */
static int
flags_ass_subscript(PyObject *self, PyObject *key, PyObject *value)
{
    int row = find_key(key);
    if (row < 0) {
        return -1;
    }
    if (names[row].fact != WRITE) {
        PyErr_Format(PyExc_ValueError, "flag %s cannot be set", names[row].key);
        return -1;
    }
    return set_writeable(((Flags *)self)->array, value);
}

/* The first rows, in NumPy's order. */
static PyObject *
flags_repr(PyObject *self)
{
    GnpText text = {NULL, 0, 0, 0};
    PyObject *ret = NULL;
    for (int i = 0; i < NSHOWN; i++) {
        gnp_text_add(&text, "  %s : %s\n", names[i].key,
                     fact_value(((Flags *)self)->array, names[i].fact) ? "True" : "False");
    }
    if (gnp_text_finish(&text) == 0) {
        ret = PyUnicode_FromString(text.text);
    }
    gnp_text_clear(&text);
    return ret;
}

/* The value of NumPy's `flags.num`, which some programs test. */
static PyObject *
flags_num(PyObject *self, void *Py_UNUSED(row))
{
    const GnpArray *a = ((Flags *)self)->array; /* NumPy's bit values */
    return PyLong_FromLong(fact_value(a, C) * 0x1 | fact_value(a, F) * 0x2 |
                           fact_value(a, OWN) * 0x4 | fact_value(a, ALIGNED) * 0x100 |
                           fact_value(a, WRITE) * 0x400);
}

/* By value, as NumPy's. */
static PyObject *
flags_richcompare(PyObject *self, PyObject *other, int op)
{
    if (Py_TYPE(other) != Py_TYPE(self) || (op != Py_EQ && op != Py_NE)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    /* The shown ones decide: the others follow from them. */
    int equal = 1;
    for (int i = 0; i < NSHOWN; i++) {
        equal &= fact_value(((Flags *)self)->array, names[i].fact) ==
                 fact_value(((Flags *)other)->array, names[i].fact);
    }
    return PyBool_FromLong(op == Py_EQ ? equal : !equal);
}

static PyGetSetDef getset[NATTRIBUTES + 2]; /* filled from `names` at start-up */

static PyType_Slot slots[] = {
    {Py_tp_doc, (void *)(uintptr_t)"Memory layout of an array, by NumPy's names."},
    {Py_tp_dealloc, flags_dealloc},
    {Py_tp_repr, flags_repr},
    {Py_tp_richcompare, flags_richcompare},
    {Py_tp_hash, PyObject_HashNotImplemented},
    {Py_tp_getset, getset},
    {Py_mp_subscript, flags_subscript},
    {Py_mp_ass_subscript, flags_ass_subscript},
    {0, NULL},
};

static PyType_Spec spec = {"gpunp._C.flagsobj", sizeof(Flags), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

/* The table of getters is static; the type needs it before it is made. */
int
gnp_flags_init(PyObject *module)
{
    for (intptr_t i = 0; i < NATTRIBUTES; i++) {
        /* The row's number is the closure of its getter. */
        getset[i] =
            (PyGetSetDef){names[i].attribute, flags_attribute,
                          names[i].fact == WRITE ? flags_set_writeable : NULL, NULL, (void *)i};
    }
    getset[NATTRIBUTES] = (PyGetSetDef){"num", flags_num, NULL, NULL, NULL};
    gnp_state.flags_type = PyType_FromModuleAndSpec(module, &spec, NULL);
    return gnp_state.flags_type == NULL
               ? -1
               : PyModule_AddObjectRef(module, "flagsobj", gnp_state.flags_type);
}

/* A new object for each access, as in NumPy. */
PyObject *
gnp_flags_new(const GnpArray *a)
{
    PyTypeObject *type = (PyTypeObject *)gnp_state.flags_type;
    Flags *self = (Flags *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->array = (GnpArray *)Py_NewRef((PyObject *)(uintptr_t)a);
    }
    return (PyObject *)self;
}
