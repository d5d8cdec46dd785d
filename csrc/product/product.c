/* gnp_product: computes a product of operands. Empty sums are filled with zeros. Otherwise cuBLAS
 * is tried first; our own kernels take the types and layouts that it lacks.
 *
 * Called by gufunc.c and by linalg's functions, with the GIL.
 */
#include "product/product.h"

#include <string.h>

/* Set when cuBLAS is available; 1 means that the library took the product. */
GnpProductLibrary gnp_product_library;

/* out = 0, over the strided space the product would write. An empty sum is 0 for every output. */
static int
fill_zero(const GnpProduct *p)
{
    const GnpScalar zero = {.bits = {0, 0}};
    int64_t shape[GNP_MAX_DIMS + 2], strides[GNP_MAX_DIMS + 2];
    int ndim = 0;
    for (int axis = p->batch.naxes - 1; axis >= 0; axis--) {
        shape[ndim] = p->batch.shape[axis];
        strides[ndim++] = p->batch.stride[axis][2];
    }
    shape[ndim] = p->m;
    strides[ndim++] = p->out.row;
    shape[ndim] = p->n;
    strides[ndim++] = p->out.column;
    GnpOperand operands[2] = {
        {.scalar = &zero, .dtype = p->out.dtype, .compute = p->out.dtype},
        {.data = p->out.data,
         .block = p->out.block,
         .strides = strides,
         .dtype = p->out.dtype,
         .compute = p->out.dtype},
    };
    return gnp_elementwise(&gnp_copy_op, operands, ndim, shape);
}

int
gnp_product(const GnpProduct *p)
{
    if (p->m == 0 || p->n == 0 || gnp_axes_size(&p->batch) == 0) {
        return 0;
    }
    if (p->k == 0) {
        return fill_zero(p);
    }
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return -1;
    }
    CUstream stream = gnp_stream_current(device);
    gnp_block_record(p->a.block, stream);
    gnp_block_record(p->b.block, stream);
    gnp_block_record(p->out.block, stream);
    if (gnp_product_library != NULL) {
        int taken = gnp_product_library(p, device, stream);
        if (taken != 0) {
            return taken < 0 ? -1 : 0;
        }
    }
    return gnp_product_run(p, device, stream);
}
