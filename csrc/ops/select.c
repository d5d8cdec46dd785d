/* Selection: which elements are true, and the elements at given places. */
#include "ops/methods.h"

int
gnp_select_init(PyObject *module)
{
    (void)module;
    return 0;
}
