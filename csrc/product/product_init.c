/* Start-up of product/. */
#include "product/product.h"

/* The hook gnp_product_library is set later, by lib/, which is a higher folder. */
int
gnp_product_init(PyObject *module)
{
    GNP_TRY(gnp_gufunc_init(module));
    GNP_TRY(gnp_correlate_init(module));
    GNP_TRY(gnp_cross_init(module));
    GNP_TRY(gnp_correlate2d_init(module));
    return 0;
fail:
    return -1;
}
