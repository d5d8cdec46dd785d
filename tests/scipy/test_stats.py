"""scipy.stats's own functions of gpunp, which need no mode of SciPy's."""

import numpy as np
import pytest
import scipy.stats

import gpunp as cp

pytestmark = pytest.mark.filterwarnings("ignore")  # of SciPy, about small samples


def both(name, *arrays, dtype=None, **options):
    """The results of both libraries for the same arrays, compared."""
    host = [np.asarray(x, dtype) if isinstance(x, (list, np.ndarray)) else x for x in arrays]
    device = [cp.asarray(x) if isinstance(x, np.ndarray) else x for x in host]
    wanted = np.asarray(getattr(scipy.stats, name)(*host, **options))
    result = getattr(cp.scipy.stats, name)(*device, **options)
    assert isinstance(result, cp.ndarray)
    assert result.dtype == wanted.dtype and result.shape == wanted.shape
    tolerance = {"e": 2e-3, "f": 2e-5}.get(wanted.dtype.char, 1e-12)
    np.testing.assert_allclose(result.get(), wanted, rtol=tolerance, atol=tolerance)


M = np.random.default_rng(5).gamma(2.0, size=(3, 8))
HOLES = M.copy()
HOLES[0, 2] = HOLES[1, :3] = HOLES[2] = np.nan


@pytest.mark.parametrize("name, before", [("zscore", ()), ("entropy", ()), ("trim_mean", None)])
@pytest.mark.parametrize("axis", [0, 1, -1, None])
def test_axes(name, before, axis):
    both(name, M, *((0.2,) if before is None else before), axis=axis)


@pytest.mark.parametrize("dtype", ["e", "f", "d", "i4", "?"])
def test_dtypes(dtype):
    x = M.astype("i4") if dtype == "i4" else M > 1 if dtype == "?" else M.astype(dtype)
    both("zscore", x, axis=1)
    if dtype in "fd":
        both("entropy", x)
        both("trim_mean", x, 0.34)
        both("boxcox_llf", 0.4, x)


@pytest.mark.parametrize("policy", ["propagate", "omit"])
def test_numbers_that_are_not(policy):
    options = {"axis": 1, "nan_policy": policy}
    both("zscore", HOLES[:2], **options)
    both("zmap", M[:2], HOLES[:2], **options)
    both("entropy", HOLES, **options)
    both("entropy", HOLES, M, **options)
    both("trim_mean", HOLES, 0.2, **options)
    both("boxcox_llf", 0.4, HOLES[:2], **options)


def test_scores():
    both("zscore", M, ddof=1)
    both("zscore", M + 1j * M[::-1], axis=1)
    both("zscore", [[0.1] * 5, [1.0, 2, 3, 4, 5]], axis=1)  # no spread in a row
    both("zscore", np.zeros((0, 3)))
    both("zmap", [1.0, 2], [[1.0, 2], [3, 5]])
    both("zmap", np.ones((2, 3)), np.arange(6.0).reshape(2, 3), axis=None)


def test_entropies():
    both("entropy", [1, 2, 0])
    both("entropy", [1, 2], [1, 0])
    both("entropy", [1, 2], base=2)
    both("entropy", [[1, 2], [3, 4]], [[1], [2]])
    both("entropy", np.ones((2, 3)), np.ones(3))
    both("entropy", np.ones((2, 3)), axis=(0, 1), keepdims=True)
    both("entropy", [0, 0])
    both("entropy", [-1, 2])
    both("entropy", np.ones((0, 3)))
    both("entropy", [np.nan, np.nan], nan_policy="omit")


def test_trimmed_means():
    both("trim_mean", np.arange(10.0), 0.1)
    both("trim_mean", M, 0.2, axis=(0, 1), keepdims=True)
    both("trim_mean", np.ones((0, 3)), 0.1)
    both("trim_mean", [1.0, 2], 0.6)
    with pytest.raises(ValueError):
        cp.scipy.stats.trim_mean(cp.ones(3), -0.5)


@pytest.mark.parametrize("lmb", [0, 1.5, -2, 40.0])
def test_likelihoods(lmb):
    both("boxcox_llf", lmb, M)
    both("boxcox_llf", lmb, M, axis=None)


@pytest.mark.parametrize("lmb", [0, 1.5, -2])
def test_likelihoods_of_a_parameter_on_the_device(lmb):
    function, x, given = cp.scipy.stats.boxcox_llf, cp.asarray(M), cp.asarray(lmb)
    for options in ({}, {"axis": None, "nan_policy": "omit"}):
        expected = function(lmb, x, **options)
        with cp.allow_synchronize(False):
            found = function(given, x, **options)
        np.testing.assert_allclose(found.get(), expected.get(), rtol=1e-14)
    assert function(given.reshape(1), x.astype("f4")).dtype == np.float32
    with pytest.raises(ValueError):
        function(cp.ones(2), x)
    with pytest.raises(TypeError):
        function(cp.ones((), "c16"), x)


@pytest.mark.parametrize(
    "error, call",
    [
        (ValueError, lambda s: s.entropy(cp.ones(2), base=-1)),
        (ValueError, lambda s: s.entropy(cp.ones(2), cp.ones(3))),
        (ValueError, lambda s: s.zscore(cp.ones(2), nan_policy="x")),
        (ValueError, lambda s: s.zscore(cp.array([1, cp.nan]), nan_policy="raise")),
        (ValueError, lambda s: s.zscore(cp.ones(2), axis=3)),
    ],
)
def test_wrong_calls(error, call):
    with pytest.raises(error):
        call(cp.scipy.stats)
