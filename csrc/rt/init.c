/* Start-up of rt/. */
#include "rt/internal.h"

int
gnp_rt_init(PyObject *module)
{
    static int (*const parts[])(PyObject *) = {
        gnp_error_init,  gnp_wait_init,    gnp_device_init,   gnp_stream_init,
        gnp_event_init,  gnp_memory_init,  gnp_graph_init,    gnp_kernel_init,
        gnp_launch_init, gnp_trace_init,   gnp_transfer_init, gnp_peer_init,
        gnp_pinned_init, gnp_runtime_init, gnp_pack_init,     gnp_pack_make_init,
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i](module) < 0) {
            return -1;
        }
    }
    return 0;
}
