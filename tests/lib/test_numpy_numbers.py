"""Numbers that reductions give, which are arrays without axes, where NumPy takes numbers."""

import numpy as np
import pytest

import gpunp as cp

A, V = np.random.default_rng(5).normal(size=(6, 5)), np.arange(20.0)

# Calls of a module xp with its arrays a and v; k(value) is a number.
CALLS = """
xp.percentile(a, [k(30.0), k(60.0)])
xp.quantile(a, (k(0.3), 0.5))
xp.nanquantile(a, [k(0.3)])
xp.histogram2d(v, v, bins=k(5))[0]
xp.histogram(v, bins=k(5), range=(k(0.0), k(10.0)))[0]
xp.digitize(v, [k(1.0), k(5.0)])
xp.roll(a, (k(1), k(2)), axis=(0, 1))
xp.pad(a, ((k(1), k(2)), (0, 1)), constant_values=k(3.0))
xp.pad(a, 1, constant_values=((k(1.0), 2.0), (0, 0)))
xp.fft.fftshift(a, axes=k(0))
xp.linalg.norm(v, k(3))
xp.linspace(k(0.0), k(1.0), k(5))
xp.full((k(3), 2), k(2.5))
xp.clip(a, k(-0.5), k(0.5))
xp.repeat(v, k(2))
v[k(3) : k(7)]
""".strip().splitlines()


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.partition("(")[0])
def test_numbers(call):
    def run(xp, number):
        names = {"xp": xp, "a": xp.asarray(A), "v": xp.asarray(V), "k": number}
        return cp.asnumpy(eval(call, names))

    wanted, actual = run(np, lambda value: np.asarray(value)[()]), run(cp, cp.asarray)
    assert actual.shape == wanted.shape and actual.dtype == wanted.dtype
    np.testing.assert_allclose(actual, wanted, rtol=1e-12)


@pytest.mark.parametrize("q", [[object()], [[1.0], [cp]]])
def test_lists_of_other_objects(q):
    with pytest.raises((TypeError, ValueError)):
        cp.quantile(cp.asarray(V), q)
