/* Look-alike of cuRAND: version and handles. */
#include "emu/math/curand.h"

static const int version[3] = {10, 4, 0}; /* the interface that is imitated */

EXPORT int
curandGetProperty(libraryPropertyType type, int *value)
{
    return emu_math_property(type, version, value) < 0 ? CURAND_STATUS_OUT_OF_RANGE
                                                       : CURAND_STATUS_SUCCESS;
}
