/* Start-up of user/. */
#include "user/elementwise_kernel.h"
#include "user/function.h"
#include "user/reduction_kernel.h"

/* Function comes first: the types of the kernels refer to it. */
int
gnp_user_init(PyObject *module)
{
    GNP_TRY(gnp_function_init(module));
    GNP_TRY(gnp_elementwise_kernel_init(module));
    GNP_TRY(gnp_reduction_kernel_init(module));
    return 0;
fail:
    return -1;
}
