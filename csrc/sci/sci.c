/* Adds the functions of this folder to _C. */
#include "sci/sci_internal.h"

int
gnp_sci_init(PyObject *module)
{
    return gnp_line_filter_init(module);
}
