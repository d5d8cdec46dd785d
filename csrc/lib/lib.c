/* Start-up of the room. */
#include "lib/lib.h"

#include "lib/fft.h"
#include "lib/guest.h"

int
gnp_lib_init(PyObject *module)
{
    return gnp_guest_init(module) < 0 ? -1 : gnp_fft_init(module);
}
