/* Start-up of the room. */
#include "lib/lib.h"

#include "lib/guest.h"

int
gnp_lib_init(PyObject *module)
{
    return gnp_guest_init(module);
}
