/* Adds the functions of this folder to _C. */
#include "signal/signal_internal.h"

/* At import; -1 with an exception. */
int
gnp_signal_init(PyObject *module)
{
    int (*const parts[])(PyObject *) = {gnp_frames_init, gnp_harmonics_init, gnp_recurrence_init,
                                        gnp_feedback_init, gnp_upfirdn_init};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (parts[i](module) < 0) {
            return -1;
        }
    }
    return 0;
}
