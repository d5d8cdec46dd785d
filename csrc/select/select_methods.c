/* Start-up of select/: its functions, and the methods of arrays and ufuncs that select.
 *
 * Order matters only in that hooks are set before any array is indexed.
 *
 * Called once at import, after core/ and ufunc/ have made their types, which get methods here
 * because core/ must not include a header of a higher folder.
 */
#include "select/select.h"

static PyMethodDef array_methods[] = {
    GNP_ARRAY_METHOD(take, "indices, axis=None, out=None, mode='raise')",
                     "Take elements along an axis by index; see gpunp.take."),
    GNP_ARRAY_METHOD(sort, GNP_TEXT_SORT, "Sort in place along an axis; see gpunp.sort."),
    GNP_ARRAY_METHOD(argsort, GNP_TEXT_SORT,
                     "Return the indices that would sort along an axis; see gpunp.argsort."),
    GNP_ARRAY_METHOD(partition, "kth, axis=-1, kind='introselect', order=None)",
                     "Partition in place along an axis; see gpunp.partition."),
    GNP_ARRAY_METHOD(
        searchsorted, "v, side='left', sorter=None)",
        "Find the indices at which values would be inserted in order; see gpunp.searchsorted."),
    {"nonzero", array_nonzero, METH_NOARGS,
     "nonzero($self, /)\n--\n\nReturn the indices of the nonzero elements; see gpunp.nonzero."},
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(at_doc,
             "at($self, a, indices, b=None, /)\n--\n\n"
             "Update elements in place: a[indices] = ufunc(a[indices], b), once for each index.\n\n"
             "The order of the updates of one element is open: sums of floats may differ in their\n"
             "last bits from run to run. Indices out of bounds wrap around, unless\n"
             "set_index_mode('raise') is on.\n\n"
             "Parameters\n----------\n"
             "a : ndarray\n    Array that is modified in place.\n"
             "indices : array_like, slice or tuple of them\n"
             "    Indices of the elements, as in a[indices].\n"
             "b : array_like, optional\n"
             "    Second operand of a binary ufunc, broadcast against the indices.\n\n"
             "Examples\n--------\n"
             ">>> import gpunp as cp\n"
             ">>> a = cp.zeros(3, int)\n"
             ">>> cp.add.at(a, [0, 0, 2], 1)\n"
             ">>> a\n"
             "array([2, 0, 1])");

/* A method of all ufuncs; the row decides whether it applies. */
static PyMethodDef ufunc_methods[] = {
    {"at", GNP_FAST(gnp_ufunc_at), METH_FASTCALL | METH_KEYWORDS, at_doc},
    {NULL, NULL, 0, NULL},
};

/* Each *_init adds the functions of its file to the module, or sets a hook of core/. */
int
gnp_select_init(PyObject *module)
{
    GNP_TRY(gnp_type_add_methods(gnp_array_type, array_methods));
    GNP_TRY(gnp_type_add_methods(gnp_ufunc_type, ufunc_methods));
    GNP_TRY(gnp_mask_init(module));
    GNP_TRY(gnp_advanced_init(module));
    GNP_TRY(gnp_take_init(module));
    GNP_TRY(gnp_histogram_init(module));
    GNP_TRY(gnp_fill_init(module));
    GNP_TRY(gnp_join_init(module));
    GNP_TRY(gnp_pad_init(module));
    GNP_TRY(gnp_sort_init(module));
    GNP_TRY(gnp_rank_init(module));
    GNP_TRY(gnp_rank_rows_init(module));
    GNP_TRY(gnp_nth_rows_init(module));
    GNP_TRY(gnp_part_rows_init(module));
    GNP_TRY(gnp_search_init(module));
    GNP_TRY(gnp_interp_init(module));
    return 0;
fail:
    return -1;
}
