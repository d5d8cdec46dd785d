/* Start-up of product/. */
#include "product/product.h"

int
gnp_product_init(PyObject *module)
{
    GNP_TRY(gnp_gufunc_init(module));
    GNP_TRY(gnp_correlate_init(module));
    GNP_TRY(gnp_correlate2d_init(module));
    return 0;
fail:
    return -1;
}
