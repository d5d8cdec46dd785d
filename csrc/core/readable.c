/* Whether kernels of the current device may read an array, or write it.
 *
 * Every function that launches over an operand of the user calls one of these first. Arrays of
 * other devices are refused, since that would hide slow transfers, unless the program has
 * consented: then a copy is returned, as for unaligned arrays.
 */
#include "core/core.h"

GnpArray *
gnp_readable_any(GnpArray *a, const char *function)
{
    const GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return NULL;
    }
    if (GNP_UNLIKELY(gnp_is_structured(a->dtype))) {
        gnp_refuse_unit(function, a->dtype);
        return NULL;
    }
    if (GNP_UNLIKELY(a->device_id != device->id)) {
        GnpArray *brought = (GnpArray *)Py_NewRef((PyObject *)a); /* returned */
        int allowed = gnp_array_bring(&brought);
        if (allowed > 0) {
            return brought;
        }
        Py_DECREF((PyObject *)brought);
        if (allowed < 0) {
            return NULL;
        }
        PyErr_Format(PyExc_ValueError,
                     "%s: the array is on device %d, but the current device is %d; move it with "
                     "cp.asarray or work inside `with cp.cuda.Device(%d)`",
                     function, a->device_id, device->id, a->device_id);
        return NULL;
    }
    return gnp_aligned(a);
}

GnpArray *
gnp_readable(GnpArray *a, const char *function)
{
    if (GNP_UNLIKELY(gnp_has_unit(a->dtype))) {
        gnp_refuse_unit(function, a->dtype);
        return NULL;
    }
    return gnp_readable_any(a, function);
}

int
gnp_write_back(GnpArray *used, PyObject *given)
{
    return used == NULL || (PyObject *)used == given ? 0 : gnp_copy((GnpArray *)given, used);
}
