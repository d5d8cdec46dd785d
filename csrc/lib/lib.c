/* Start-up of the room. */
#include "lib/lib.h"

#include "lib/fft.h"
#include "lib/guest.h"
#include "lib/multiply.h"
#include "lib/rand.h"
#include "lib/stack.h"

int
gnp_lib_init(PyObject *module)
{
    PyMethodDef *const lists[] = {gnp_factor_functions, gnp_orthogonal_functions,
                                  gnp_spectral_functions};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (PyModule_AddFunctions(module, lists[i]) < 0) {
            return -1;
        }
    }
    gnp_product_library = gnp_multiply;
    if (gnp_guest_init(module) < 0 || gnp_rand_init(module) < 0) {
        return -1;
    }
    return gnp_fft_init(module);
}
