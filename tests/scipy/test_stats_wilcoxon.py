"""The signed-rank test of Wilcoxon, beside SciPy's."""

import warnings

import numpy as np
import pytest
import scipy.stats

import gpunp as cp

stats = cp.scipy.stats
RNG = np.random.default_rng(12)
SAMPLES = {
    "few": RNG.normal(0.4, 1, 9),
    "ties": np.array([1.0, -1, 2, 2, 3, -3, 4, 5, 6]),
    "zeros": np.array([0.0, 0, 1, 2, -2, 3, 5]),
    "nothing": np.zeros(5),
    "one": np.array([2.0]),
    "thirty": RNG.normal(0.2, 1, 30),
    "thirty ties": RNG.integers(-4, 6, 30).astype(float),
    "many": RNG.normal(0.1, 1, 70),
    "float32": RNG.normal(0.4, 1, 20).astype("f4"),
    "integers": np.array([3, -1, 4, 1, 5, -9, 2, 6, 5, 3, 5, 8, 9, 7]),
}


def both(x, y=None, **options):
    arrays = [x] if y is None else [x, y]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = scipy.stats.wilcoxon(*arrays, **options)
    found = stats.wilcoxon(*map(cp.asarray, arrays), **options)
    for name in found._fields:
        ours, theirs = getattr(found, name), np.asarray(getattr(wanted, name))
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
        rtol = 1e-5 if ours.dtype == np.float32 else 1e-11
        np.testing.assert_allclose(ours.get(), theirs, rtol=rtol, err_msg=f"{name} {options}")
    return found, wanted


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
def test_samples(name, zero_method):
    for alternative in ("two-sided", "less", "greater"):
        for method in ("auto", "asymptotic", "exact"):
            if method == "exact" and name == "nothing":
                continue
            both(SAMPLES[name], method=method, alternative=alternative, zero_method=zero_method)


def test_pairs_axes_and_corrections():
    x, y = RNG.normal(size=(3, 12)), RNG.normal(size=(3, 12))
    both(x, y)
    both(x, y, axis=1, correction=True, method="asymptotic")
    both(x[0], y, axis=-1, keepdims=True)
    both(x[:, :5], y[:, :5], axis=None, alternative="less")
    for alternative in ("two-sided", "less", "greater"):
        for sign in (1, -1):
            found, wanted = both(
                sign * x, sign * y, axis=1, method="asymptotic", alternative=alternative,
                correction=True,
            )  # fmt: skip
            np.testing.assert_allclose(found.zstatistic.get(), wanted.zstatistic, rtol=1e-11)
    assert not hasattr(stats.wilcoxon(cp.asarray(x)), "zstatistic")
    both(x, y, axis=1, method="approx")


def test_exact_p_values_of_rows_with_different_counts():
    both(np.array([[0.0, 1, 2, 3], [1, -2, 3, 4], [0, 0, 1, -2]]), axis=1, method="exact")


@pytest.mark.parametrize("policy", ["propagate", "omit"])
def test_nan(policy):
    x = RNG.normal(size=(2, 11))
    x[0, 3] = np.nan
    both(x, axis=1, nan_policy=policy)
    with pytest.raises(ValueError):
        stats.wilcoxon(cp.asarray(x), nan_policy="raise")


def test_samples_without_elements_give_nan():
    assert np.isnan(stats.wilcoxon(cp.zeros(0)).pvalue.get())


def test_errors():
    x = cp.arange(5.0)
    for options in (
        {"zero_method": "x"},
        {"correction": 3},
        {"alternative": "x"},
        {"method": "x"},
        {"y": cp.arange(4.0)},
    ):
        with pytest.raises(ValueError):
            stats.wilcoxon(x, **options)
        with pytest.raises(ValueError):
            host = {k: v.get() if isinstance(v, cp.ndarray) else v for k, v in options.items()}
            scipy.stats.wilcoxon(x.get(), **host)
    with pytest.raises(TypeError):
        stats.wilcoxon(x.astype(complex))
