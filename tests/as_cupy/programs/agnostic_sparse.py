"""One function for SciPy's and CuPy's sparse matrices, and edges of a histogram that stay on the host."""

import cupy
import cupyx.scipy.sparse as sparse
import numpy as np
import scipy.sparse


@cupy._util.memoize(for_each_device=True)
def doubling():
    return cupy.ElementwiseKernel("T x", "T y", "y = 2 * x", "doubled")


def row_means(matrix):
    xp = cupy.get_array_module(matrix)
    data = doubling()(matrix.data) if xp is cupy else 2 * matrix.data
    sums = xp.zeros(matrix.shape[0])
    rows = xp.repeat(xp.arange(matrix.shape[0]), xp.diff(matrix.indptr).tolist())
    xp.add.at(sums, rows, data)
    return sums / 2 / matrix.shape[1]


host = scipy.sparse.random(30, 20, 0.2, format="csr", random_state=0)
device = sparse.csr_matrix(host)
assert cupy.get_array_module(device, host) is cupy and cupy.get_array_module(host) is np
np.testing.assert_allclose(row_means(device).get(), row_means(host))
np.testing.assert_allclose(row_means(host), np.asarray(host.mean(axis=1)).ravel())

edges = np.array([0, 0.1, 0.5, 1])
counts, same = cupy.histogram(device.data, bins=edges)
np.testing.assert_array_equal(counts.get(), np.histogram(host.data, edges)[0])
np.testing.assert_array_equal(same.get(), edges)
