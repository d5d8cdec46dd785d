/* Start-up of the room: each file adds its functions and objects to the module. */
#include "ops/ops.h"

#include "ops/function.h"
#include "ops/random.h"
#include "ops/ufunc.h"

int
gnp_ops_init(PyObject *module)
{
    GNP_TRY(gnp_ufunc_init(module));
    GNP_TRY(gnp_gufunc_init(module));
    GNP_TRY(gnp_interp_init(module));
    GNP_TRY(gnp_slide_init(module));
    GNP_TRY(gnp_slide_plane_init(module));
    GNP_TRY(gnp_where_init(module));
    GNP_TRY(gnp_reduce_init(module));
    GNP_TRY(gnp_scan_init(module));
    GNP_TRY(gnp_histogram_init(module));
    GNP_TRY(gnp_select_init(module));
    GNP_TRY(gnp_fill_init(module));
    GNP_TRY(gnp_formula_init(module));
    GNP_TRY(gnp_join_init(module));
    GNP_TRY(gnp_pad_init(module));
    GNP_TRY(gnp_sort_init(module));
    GNP_TRY(gnp_rank_init(module));
    GNP_TRY(gnp_rank_rows_init(module));
    GNP_TRY(gnp_nth_rows_init(module));
    GNP_TRY(gnp_search_init(module));
    GNP_TRY(gnp_random_init(module));
    GNP_TRY(gnp_function_init(module));
    GNP_TRY(gnp_elementwise_kernel_init(module));
    GNP_TRY(gnp_reduction_kernel_init(module));
    GNP_TRY(gnp_lazy_init(module));
    GNP_TRY(gnp_fuse_init(module));
    return 0;
fail:
    return -1;
}
