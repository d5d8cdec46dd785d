/* Adds the functions of this folder to _C, and reads the names that they share.
 * gpunp.scipy.ndimage calls these functions with arguments that it has checked, in the calling
 * thread with the GIL; none of them waits for the device. */
#include "sci/sci_internal.h"

static const char *const rules[] = {"constant", "nearest", "wrap", "mirror", "reflect"};

/* The index of a name. The order is that of the enumerations in kernels/ndimage. */
int
gnp_name_from_object(PyObject *text, const char *const *names, int count, int *out)
{
    for (*out = 0; *out < count; ++*out) {
        if (PyUnicode_Check(text) && PyUnicode_CompareWithASCIIString(text, names[*out]) == 0) {
            return 0;
        }
    }
    PyErr_Format(PyExc_ValueError, "filter: unknown name %R", text);
    return -1;
}

int
gnp_pad_rule_from_object(PyObject *text, int *out)
{
    return gnp_name_from_object(text, rules, 5, out);
}

int
gnp_sci_init(PyObject *module)
{
    int (*const parts[])(PyObject *) = {
        gnp_footprint_filter_init, gnp_fourier_init, gnp_interpolate_init, gnp_label_init,
        gnp_line_filter_init,      gnp_nearest_init, gnp_plane_lines_init, gnp_segments_init,
        gnp_spline_filter_init,
    };
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (parts[i](module) < 0) {
            return -1;
        }
    }
    return 0;
}
