/* One launch whose parameters are the addresses of some arrays, and then values: what most kernels
 * outside of elementwise ones and reductions take. Nothing is allocated; the driver copies the
 * parameters. */
#include "core/core.h"

int
gnp_launch_arrays(const GnpArrayLaunch *l)
{
    CUdeviceptr data[GNP_LAUNCH_ARRAYS];
    void *args[GNP_LAUNCH_ARRAYS + GNP_LAUNCH_VALUES];
    GnpDevice *device = gnp_device_current();
    GnpKernel *kernel =
        device != NULL ? gnp_kernel_find(device, l->spec, l->writer, l->context) : NULL;
    if (kernel == NULL) {
        return -1;
    }
    CUstream stream = gnp_stream_current(device);
    for (int k = 0; k < l->narrays; k++) {
        GnpArray *array = l->array[k];
        data[k] = 0;
        args[k] = &data[k];
        if (array != NULL) {
            data[k] = array->data;
            gnp_block_record(array->block, stream);
        }
    }
    for (int k = 0; k < GNP_LAUNCH_VALUES && l->value[k] != NULL; k++) {
        args[l->narrays + k] = (void *)(uintptr_t)l->value[k];
    }
    if (l->shared_bytes == 0) {
        return gnp_launch_blocks(kernel, l->blocks, l->threads, stream, args);
    }
    if (l->blocks > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "array is too big for one launch");
        return -1;
    }
    const unsigned grid[3] = {(unsigned)l->blocks, 1, 1}, block[3] = {(unsigned)l->threads, 1, 1};
    return gnp_kernel_allow_shared(kernel, l->shared_bytes) < 0
               ? -1
               : gnp_launch(kernel, grid, block, (unsigned)l->shared_bytes, stream, args);
}
