"""Images for tests of filters, and their comparison with SciPy."""

import numpy as np
import scipy.ndimage as theirs

import gpunp as cp
from gpunp.scipy import ndimage as ours

MODES = ["reflect", "constant", "nearest", "mirror", "wrap", "grid-wrap", "grid-mirror"]


def image(shape, dtype, rng):
    a = rng.normal(size=shape) * 60
    if np.dtype(dtype).kind == "c":
        a = a + 1j * rng.normal(size=shape)
    return (np.abs(a) if np.dtype(dtype).kind == "u" else a).astype(dtype)


def compare(name, a, *args, given=cp.asarray, **kwargs):
    desired = getattr(theirs, name)(a, *args, **kwargs)
    actual = getattr(ours, name)(given(a), *args, **kwargs)
    assert (actual.dtype, actual.shape) == (desired.dtype, desired.shape)
    if desired.dtype.kind in "fc":
        eps = 3e-6 if desired.dtype.char in "fF" or a.dtype.char in "fF" else 1e-12
        limit = eps * np.abs(a.astype(complex)).max(initial=1e-30) * 4
        np.testing.assert_allclose(actual.get(), desired, rtol=eps, atol=limit)
    else:
        np.testing.assert_array_equal(actual.get(), desired)
