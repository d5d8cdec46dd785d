/* Host memory to device and back. */
#include "rt/internal.h"

int
gnp_copy_h2d(CUdeviceptr dst, const void *src, size_t bytes, CUstream stream)
{
    CUresult code = 0;
    if (bytes == 0) {
        return 0;
    }
    GNP_NOGIL(code = gnp_cu->cuMemcpyHtoDAsync_v2(dst, src, bytes, stream));
    if (code != 0) {
        return gnp_cuda_raise(code, "cuMemcpyHtoDAsync_v2", __func__);
    }
    return gnp_wait_stream(stream, __func__);
}

int
gnp_copy_d2h(void *dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
    CUresult code = 0;
    if (bytes == 0) {
        return 0;
    }
    /* Waiting first: the driver's copy to pageable memory would wait where Ctrl-C cannot reach. */
    if (gnp_wait_stream(stream, __func__) < 0) {
        return -1;
    }
    GNP_NOGIL(code = gnp_cu->cuMemcpyDtoHAsync_v2(dst, src, bytes, stream));
    if (code != 0) {
        return gnp_cuda_raise(code, "cuMemcpyDtoHAsync_v2", __func__);
    }
    return gnp_wait_stream(stream, __func__);
}

int
gnp_transfer_init(PyObject *Py_UNUSED(module))
{
    return 0;
}
