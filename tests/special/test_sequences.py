"""assoc_laguerre and the sequences of parabolic cylinder functions against SciPy."""

import numpy as np
import pytest
import scipy.special

import gpunp as cp


@pytest.mark.parametrize("name", ["pbdv_seq", "pbvv_seq"])
@pytest.mark.parametrize("v", [0, 1, 0.5, 1.0, 2.5, 6, 10.25, -2.5, -1])
def test_sequences_are_scipys(name, v):
    actual = getattr(cp.special, name)(v, 1.25)
    desired = getattr(scipy.special, name)(v, 1.25)
    for k, (a, d) in enumerate(zip(actual, desired, strict=True)):
        last = -1 if k and v < 0 else None  # SciPy's last derivative is 0 there
        assert a.dtype == d.dtype and a.shape == d.shape
        np.testing.assert_allclose(cp.asnumpy(a)[:last], d[:last], rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", ["pbdv_seq", "pbvv_seq"])
def test_sequences_take_scalars(name):
    with pytest.raises(ValueError, match="scalars"):
        getattr(cp.special, name)(1.0, [1.0])
    with pytest.raises(TypeError):
        getattr(cp.special, name)(1.0, 1j)


def test_assoc_laguerre_is_the_generalised_polynomial(rng):
    x = rng.random(7) * 5
    for n, k in [(2, 0.0), (3, 1), (5, 2.5)]:
        actual = cp.special.assoc_laguerre(cp.asarray(x), n, k)
        np.testing.assert_allclose(
            cp.asnumpy(actual), scipy.special.assoc_laguerre(x, n, k), rtol=1e-12
        )
