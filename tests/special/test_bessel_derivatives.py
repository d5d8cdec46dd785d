"""Derivatives and sequences of Bessel functions, beside SciPy's and mpmath's."""

import mpmath
import numpy as np
import pytest
import scipy.special as theirs
from check import check

import gpunp as cp

ours = cp.special
REAL = ["jvp", "yvp", "ivp", "kvp"]
HANKEL = ["h1vp", "h2vp"]


def near(name, *arguments, rtol):
    with np.errstate(all="ignore"):
        desired = getattr(theirs, name)(*arguments)
    operands = [cp.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
    actual = getattr(ours, name)(*operands)
    assert actual.dtype == desired.dtype
    np.testing.assert_allclose(cp.asnumpy(actual), desired, rtol=rtol)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize("name", REAL)
def test_derivatives_of_real_arguments(name, n, rng):
    near(name, rng.random(200) * 20 - 8, rng.random(200) * 40 + 0.1, n, rtol=1e-11)


@pytest.mark.parametrize("n", [1, 4])
@pytest.mark.parametrize("name", [*REAL, *HANKEL])
def test_derivatives_of_complex_arguments(name, n, rng):
    z = rng.random(100) * 40 + 1j * rng.standard_normal(100) * 5
    near(name, rng.random(100) * 20 - 8, z, n, rtol=1e-11)


@pytest.mark.parametrize("name", REAL)
def test_values_where_the_argument_is_zero_or_no_number(name):
    v, z = np.meshgrid([0.0, 0.5, 1.0, 2.0, -1.0], [0.0, -1.0, np.inf, np.nan])
    if name == "yvp":
        v[v == 0.5] = 0.7  # SciPy's Y(-0.5, 0) is infinite
    for n in (1, 2):
        near(name, v, z, n, rtol=1e-13)


@pytest.mark.parametrize("dtype", "fdFDil")
@pytest.mark.parametrize("n", [0, 1])
def test_types_of_results(dtype, n):
    z = np.arange(1, 4).astype(dtype)
    near("jvp", 0.5, z, n, rtol=1e-6)
    near("kvp", np.float32(0.5), z, n, rtol=1e-6)
    near("ivp", np.arange(3), z, n, rtol=1e-6)


@pytest.mark.parametrize(
    "name, function",
    [("jvp", mpmath.besselj), ("yvp", mpmath.bessely), ("ivp", mpmath.besseli)],
)
def test_derivatives_are_mpmaths(name, function):
    v, z = np.meshgrid([0.0, 0.3, 2.0, 7.5], [0.2, 1.5, 9.0, 30.0])
    actual = cp.asnumpy(getattr(ours, name)(cp.asarray(v), cp.asarray(z), 3))
    for i in np.ndindex(v.shape):
        exact = float(function(v[i], z[i], derivative=3))
        assert abs(actual[i] - exact) <= 1e-13 * max(abs(exact), z[i] ** -0.5)


def test_orders_that_are_refused():
    for n in (-1, 1.5, "1"):
        check(lambda xp, n=n: (ours if xp is cp else theirs).jvp(0, xp.ones(2), n))
    assert np.isnan(float(ours.jvp(0, cp.ones(1), 1001)[0]))


@pytest.mark.parametrize("name", ["lmbda", "riccati_jn", "riccati_yn"])
def test_sequences_are_uploaded(name):
    for a, b in zip(getattr(ours, name)(3, 1.5), getattr(theirs, name)(3, 1.5), strict=True):
        assert isinstance(a, cp.ndarray)
        np.testing.assert_array_equal(cp.asnumpy(a), b)


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("mathieu_even_coef", (2, 5.0)),
        ("mathieu_odd_coef", (3, 5.0)),
        ("pro_cv_seq", (1, 4, 2.0)),
        ("obl_cv_seq", (1, 4, 2.0)),
    ],
)
def test_coefficients_are_uploaded(name, arguments):
    result = getattr(ours, name)(*arguments)
    assert isinstance(result, cp.ndarray)
    np.testing.assert_array_equal(cp.asnumpy(result), getattr(theirs, name)(*arguments))
