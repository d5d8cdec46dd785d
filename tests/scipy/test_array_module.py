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
