"""The test of Ansari and Bradley, beside SciPy's."""

import numpy as np
import pytest
import scipy.stats

import gpunp as cp

stats = cp.scipy.stats
RNG = np.random.default_rng(3)
SAMPLES = {
    "odd": (RNG.normal(size=8), 2 * RNG.normal(size=9)),
    "even": (RNG.normal(size=20), 3 * RNG.normal(size=14)),
    "ties": (np.array([1.0, 2, 2, 5]), np.array([0.0, 2, 3, 3, 9])),
    "more ties": (RNG.integers(0, 9, 30), RNG.integers(2, 6, 21)),
    "one": (np.array([1.0]), np.array([2.0])),
    "large": (RNG.normal(size=54), RNG.normal(size=50)),
    "many": (RNG.normal(size=70), 2 * RNG.normal(size=20)),
    "float32": (RNG.normal(size=7).astype("f4"), RNG.normal(size=6).astype("f4")),
}


def both(x, y, **options):
    with np.errstate(all="ignore"):
        wanted = scipy.stats.ansari(x, y, **options)
    found = stats.ansari(cp.asarray(x), cp.asarray(y), **options)
    assert found._fields == wanted._fields
    for ours, theirs in zip(found, map(np.asarray, wanted), strict=True):
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
        counted = 20 < x.size + y.size < 2 * 55  # which SciPy does in float32
        rtol = 1e-5 if ours.dtype == np.float32 or counted else 1e-11
        np.testing.assert_allclose(ours.get(), theirs, rtol=rtol)


@pytest.mark.parametrize("name", SAMPLES)
def test_samples(name):
    for alternative in ("two-sided", "less", "greater"):
        both(*SAMPLES[name], alternative=alternative)


def test_axes_and_nan():
    x, y = RNG.normal(size=(3, 8)), RNG.normal(size=(1, 11))
    both(x, y, axis=1, keepdims=True)
    both(x, y, axis=None)
    x[1, 2] = np.nan
    for policy in ("propagate", "omit"):
        both(x, y, axis=1, nan_policy=policy)


def test_errors_and_nothing():
    assert np.isnan(stats.ansari(cp.zeros(0), cp.ones(3)).pvalue.get())
    with pytest.raises(ValueError):
        stats.ansari(cp.ones(3), cp.ones(3), alternative="x")
    with pytest.raises(ValueError):
        stats.ansari(cp.array([1, np.nan]), cp.ones(3), nan_policy="raise")
    with pytest.raises(TypeError):
        stats.ansari(cp.ones(3, complex), cp.ones(3))
