"""Wronskians of the modified Mathieu functions, DLMF 28.20.21."""

import numpy as np
import pytest

import gpunp as cp


def both(name, *arguments):
    return [cp.asnumpy(r) for r in getattr(cp.special, name)(*map(cp.asarray, arguments))]


@pytest.mark.parametrize("kind", ["cem", "sem"])
@pytest.mark.parametrize("left", [False, True], ids=["right of 0", "left of 0"])
def test_wronskian_is_two_over_pi(kind, left, rng):
    size = 60
    m = rng.integers(1, 6 if left else 40, size).astype(float)
    q = 10 ** rng.uniform(0.5 if left else -2, 2.5, size)
    x = rng.uniform(-1.5, 0, size) if left else rng.uniform(0, 3, size)
    first, second = (both(f"mathieu_mod{kind}{k}", m, q, x) for k in (1, 2))
    actual = first[0] * second[1] - first[1] * second[0]
    np.testing.assert_allclose(actual, 2 / np.pi, rtol=1e-9 if left else 1e-12)
