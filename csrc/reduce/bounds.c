/* Out-of-bounds integer indices: wrapped around by the kernels, or rejected after reading the
 * extremes, which waits for the device. set_index_mode chooses; GPUNP_INDEX_MODE is the mode at
 * start.
 *
 * NumPy raises IndexError; a device finds a bad index only while it runs, and telling the host
 * needs a wait. So wrapping is the default, and raising is for debugging. Indices that are on the
 * host are always checked.
 */
#include "reduce/reduce.h"

#include <string.h>

typedef enum { MODE_UNKNOWN, MODE_WRAP, MODE_RAISE } Mode;
static Mode mode; /* guarded by the GIL; unknown: the environment was not read yet */

/* Read at the first use rather than at import, so that a program may set the variable first. */
static Mode
current_mode(void)
{
    if (mode == MODE_UNKNOWN) {
        mode = strcmp(gnp_env(GNP_ENV_INDEX_MODE), "raise") == 0 ? MODE_RAISE : MODE_WRAP;
    }
    return mode;
}

int
gnp_index_mode_raises(void)
{
    return current_mode() == MODE_RAISE;
}

/* In int64: a uint64 index beyond it turns negative, and is out of bounds either way. */
static int
read_extreme(GnpArray *index, GnpReductionId which, int64_t *out)
{
    PyObject *const arg[GNP_REDUCE_NARGS] = {NULL};
    GnpArray *extreme = NULL, *wide = NULL; /* owned */
    GnpScalar element;
    int ret = -1;
    GNP_NEW(extreme, (GnpArray *)gnp_reduce_call(which, (PyObject *)index, arg));
    GNP_NEW(wide, gnp_astype(extreme, GNP_I64, 'C'));
    GNP_TRY(gnp_array_read_element(wide, &element));
    *out = element.i;
    ret = 0;
fail:
    Py_XDECREF((PyObject *)extreme);
    Py_XDECREF((PyObject *)wide);
    return ret;
}

/* Two reductions and two waits: nothing that a program in production should turn on. */
int
gnp_index_check(GnpArray *index, int64_t size, int axis)
{
    int64_t least, most;
    if (current_mode() == MODE_WRAP || index->size == 0) {
        return 0;
    }
    if (read_extreme(index, REDUCE_min, &least) < 0 || read_extreme(index, REDUCE_max, &most) < 0) {
        return -1;
    }
    if (least < -size || most >= size) {
        PyErr_Format(PyExc_IndexError, "index %lld is out of bounds for axis %d with size %lld",
                     (long long)(least < -size ? least : most), axis, (long long)size);
        return -1;
    }
    return 0;
}

PyDoc_STRVAR(set_index_mode_doc,
             "set_index_mode($module, mode, /)\n--\n\n"
             "Set what integer-array indices out of bounds do, and return the mode before.\n\n"
             "'wrap' counts around the axis; 'raise' raises IndexError, for which every indexing\n"
             "with arrays waits for the device. In that mode gpunp.random looks at parameters in\n"
             "device arrays as well, and raises ValueError for those out of range.\n\n"
             "Parameters\n----------\n"
             "mode : {'wrap', 'raise'}\n    Mode to use from now on.\n\n"
             "Returns\n-------\n"
             "str\n    The mode before.");

/* For all threads: the mode is a property of the program. */
static PyObject *
set_index_mode(PyObject *Py_UNUSED(module), PyObject *text)
{
    PyObject *before = PyUnicode_FromString(current_mode() == MODE_RAISE ? "raise" : "wrap");
    int wraps = PyUnicode_Check(text) && PyUnicode_CompareWithASCIIString(text, "wrap") == 0;
    int raises = PyUnicode_Check(text) && PyUnicode_CompareWithASCIIString(text, "raise") == 0;
    if (!wraps && !raises) {
        PyErr_Format(PyExc_ValueError, "mode must be 'wrap' or 'raise', not %R", text);
        Py_CLEAR(before);
    }
    else if (before != NULL) {
        mode = wraps ? MODE_WRAP : MODE_RAISE;
    }
    return before;
}

static PyObject *
index_mode_raises(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    return PyBool_FromLong(gnp_index_mode_raises());
}

static PyMethodDef functions[] = {
    {"index_mode_raises", index_mode_raises, METH_NOARGS,
     "index_mode_raises($module, /)\n--\n\nWhether the mode of set_index_mode is 'raise'."},
    {"set_index_mode", set_index_mode, METH_O, set_index_mode_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_bounds_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
