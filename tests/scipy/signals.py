"""One call with SciPy's signal module and with ours: results agree, or the types of errors do."""

import numpy as np
import pytest
import scipy.signal as theirs

import gpunp as cp
import gpunp.scipy.signal as ours


def agree(result, expected, eps):
    """Numbers, arrays and tuples of them are near; arrays have equal dtypes and shapes."""
    if isinstance(expected, (tuple, list)):
        assert len(result) == len(expected)
        for x, y in zip(result, expected, strict=True):
            agree(x, y, eps)
        return
    if isinstance(expected, dict):
        assert set(result) == set(expected)
        for name in expected:
            agree(result[name], expected[name], eps)
        return
    if expected is None or isinstance(expected, str):
        assert result == expected
        return
    if isinstance(expected, np.ndarray) and expected.ndim:
        assert isinstance(result, cp.ndarray)
        assert result.dtype == expected.dtype and result.shape == expected.shape
    result = result.get() if isinstance(result, cp.ndarray) else np.asarray(result)
    expected = np.asarray(expected)
    if expected.dtype.kind in "?biu":
        assert np.array_equal(result, expected)
        return
    single = expected.dtype.char in "fF"
    size = np.abs(expected[np.isfinite(expected)]).max(initial=1e-30)
    limit = max(eps, 2e-6 if single else 0) * size
    np.testing.assert_allclose(result, expected, rtol=0, atol=limit)


def near(call, *arrays, eps=1e-11, module=None):
    """call(module, arrays...) gives the same with both, or raises the same type of exception."""
    modules = (theirs, ours) if module is None else (getattr(theirs, module), getattr(ours, module))
    device = [cp.asarray(a) for a in arrays]
    try:
        expected = call(modules[0], *arrays)
    except Exception as error:
        with pytest.raises(type(error)):
            call(modules[1], *device)
        return
    agree(call(modules[1], *device), expected, eps)
