"""get_array_module: code for SciPy and for the device."""

import numpy as np
import scipy

import gpunp as cp
import gpunp.scipy


def test_array_module():
    assert gpunp.scipy.get_array_module(np.ones(2), 3) is scipy
    assert gpunp.scipy.get_array_module(np.ones(2), cp.ones(2)) is gpunp.scipy
    module = gpunp.scipy.get_array_module(cp.ones(2))
    assert module.fft.fft(cp.ones(4))[0] == 4


def test_sparse_arrays_are_of_the_device():
    import gpunp.scipy.sparse as sparse

    for array in (sparse.eye_array(2), sparse.eye(2, format="csr"), sparse.coo_matrix((2, 3))):
        assert cp.get_array_module(np.ones(2), array) is cp
        assert gpunp.scipy.get_array_module(array) is gpunp.scipy
    assert cp.get_array_module(scipy.sparse.eye_array(2)) is np
