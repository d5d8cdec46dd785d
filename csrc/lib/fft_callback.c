/* Callbacks of transforms: functions of the caller that elements pass through on their way in and
 * out (gpunp/fft/_callback.py, which compiles and launches them).
 *
 * While a thread has any, gnp_state.fft_callback is a function of Python that is asked at each
 * transform. It answers NotImplemented where the thread that asks has none, and for the transform
 * that it makes itself.
 */
#include "lib/fft.h"

PyObject *
gnp_fft_with_callbacks(GnpArray *a, const GnpFftCall *call)
{
    static const char *const kinds[] = {
        [GNP_FFT_C2C] = "C2C", [GNP_FFT_R2C] = "R2C", [GNP_FFT_C2R] = "C2R"};
    PyObject *axes = NULL, *lengths = NULL; /* owned */
    PyObject *out = call->out != NULL ? (PyObject *)call->out : Py_None;
    PyObject *ret = NULL;
    int64_t numbers[GNP_MAX_DIMS];
    for (int i = 0; i < call->axes.naxes; i++) {
        numbers[i] = call->axes.axes[i];
    }
    GNP_NEW(axes, gnp_tuple_from_ints(call->axes.naxes, numbers));
    GNP_NEW(lengths, gnp_tuple_from_ints(call->axes.naxes, call->n));
    ret = PyObject_CallFunction(gnp_state.fft_callback, "OsiiOOiO", a, kinds[call->axes.kind],
                                call->axes.inverse, call->hermitian, lengths, axes, (int)call->norm,
                                out);
fail:
    Py_XDECREF(axes);
    Py_XDECREF(lengths);
    return ret;
}

PyDoc_STRVAR(callback_doc,
             "fft_callback($module, function, /)\n--\n\n"
             "Set the function that is asked at each transform, or None.\n\n"
             "It takes the array, the kind, whether the transform is inverse and Hermitian, the\n"
             "lengths, the axes, the number of the norm and the array for the result or None.");

static PyObject *
fft_callback(PyObject *Py_UNUSED(module), PyObject *function)
{
    Py_XSETREF(gnp_state.fft_callback, function == Py_None ? NULL : Py_NewRef(function));
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"fft_callback", fft_callback, METH_O, callback_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_fft_callback_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
