"""Scans whose operation is a long function: small code, quickly compiled, on every device."""

import time

import numpy as np
import pytest

import gpunp as cp
from gpunp import _C


@pytest.mark.parametrize("name", ("logaddexp", "logaddexp2", "hypot"))
@pytest.mark.parametrize("dtype", ("f4", "f8"))
@pytest.mark.parametrize("shape", ((5000,), (40, 300), (1_000_000,)))
def test_accumulate(name, dtype, shape):
    x = np.random.default_rng(1).random(shape).astype(dtype)
    begin = time.process_time()
    got = getattr(cp, name).accumulate(cp.asarray(x))
    assert got.dtype == dtype
    if _C.is_emulated():
        assert time.process_time() - begin < 30  # it was 8 s of compiling, and then refused
    want = getattr(np, name).accumulate(x.astype("f8"))
    np.testing.assert_allclose(got.get(), want, rtol=1e-5 if dtype == "f4" else 1e-12)


@pytest.mark.parametrize("name", ("logaddexp", "logaddexp2"))
def test_infinities(name):
    """Equal infinities, opposite ones, and values that are not numbers."""
    values = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1e300, -1e300, 5, 5])
    a, b = np.meshgrid(values, values)
    with np.errstate(invalid="ignore"):
        want = getattr(np, name)(a, b)
    got = getattr(cp, name)(cp.asarray(a), cp.asarray(b)).get()
    np.testing.assert_allclose(got, want, rtol=1e-15)
