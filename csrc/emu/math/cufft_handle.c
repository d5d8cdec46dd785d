/* Look-alike of cuFFT: version and handles. */
#include "emu/math/cufft.h"

static const int version[3] = {12, 0, 0}; /* the interface that is imitated */

EXPORT int
cufftGetProperty(libraryPropertyType type, int *value)
{
    return emu_math_property(type, version, value) < 0 ? CUFFT_INVALID_VALUE : CUFFT_SUCCESS;
}
