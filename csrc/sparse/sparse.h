/* Sparse matrices: the launches of kernels/sparse_*.cu on the arrays that gpunp.scipy.sparse
 * passes.
 */
#ifndef GNP_SPARSE_H
#define GNP_SPARSE_H

#include "select/select.h"

int gnp_sparse_init(PyObject *module);

#endif
