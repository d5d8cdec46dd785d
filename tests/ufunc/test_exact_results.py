"""Results that are numbers of the type come out as those, not one unit beside."""

import numpy as np
import pytest
from check import check

import gpunp as cp


@pytest.mark.parametrize("dtype, most", [("f4", 38), ("f8", 307)])
def test_log10_of_powers_of_ten(dtype, most):
    k = np.arange(-most + 1, most + 1)
    x = np.array([float(f"1e{n}") for n in k]).astype(dtype)
    found = cp.log10(cp.asarray(x)).get()
    exact = k if dtype == "f8" else k[(k >= 0) & (k <= 10)]
    assert np.array_equal(found[np.isin(k, exact)], exact.astype(dtype))
    assert np.abs(found - k).max() <= np.spacing(np.array(most, dtype))


def test_log10_of_everything_else():
    odd = np.array([0.0, -0.0, -1, np.inf, -np.inf, np.nan, 5e-324, 1e-310, 1.7e308, 1])
    for x in (odd, odd[:7].astype("f4"), np.array([1e-45, 1e-40, 3e38, 1], "f4")):
        with np.errstate(all="ignore"):
            check(lambda xp, x=x: xp.log10(xp.asarray(x)), ulp=2)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
def test_hypotenuses_of_whole_triangles(dtype):
    sides = [
        (3, 4, 5),
        (5, 12, 13),
        (8, 15, 17),
        (7, 24, 25),
        (20, 21, 29),
        (28, 45, 53),
        (65, 72, 97),
    ]
    a, b, c = (np.outer(x, np.arange(1, 60)).ravel().astype("f8") for x in zip(*sides, strict=True))
    if dtype == "c16":
        assert np.array_equal(cp.abs(cp.asarray(a + 1j * b)).get(), c)
        return
    for x, y in ((a, b), (b, -a)):
        found = cp.hypot(cp.asarray(x.astype(dtype)), cp.asarray(y.astype(dtype)))
        assert np.array_equal(found.get(), c.astype(dtype))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_hypot_of_everything_else(dtype):
    x = np.array([0.0, -0.0, 1, -2, np.inf, -np.inf, np.nan, 6e-8, 6e4]).astype(dtype)
    if dtype == "f8":
        x = np.concatenate([x, [5e-324, 1e-200, 1e200, 1e308, 1e-300]])
    check(lambda xp: xp.hypot(xp.asarray(x)[:, None], xp.asarray(x)), ulp=2)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_whole_powers(dtype):
    base = np.arange(-200, 201)
    for n in (0, 1, 2, 3, 4, 5, 7):
        exact = base.astype(object) ** n
        fits = np.array([int(np.dtype(dtype).type(int(v))) == v for v in exact])
        for power in (n, np.full(base.shape, n, dtype)):
            found = (
                cp.asarray(base.astype(dtype))
                ** (power if np.ndim(power) == 0 else cp.asarray(power))
            ).get()
            assert np.array_equal(found[fits], exact[fits].astype(dtype)), n
    tens = np.arange(0, 23 if dtype == "f8" else 11)
    assert np.array_equal(
        cp.power(10.0, cp.asarray(tens.astype(dtype))).get(), (10.0**tens).astype(dtype)
    )
    roots = np.arange(0, 200, dtype=dtype)
    assert np.array_equal((cp.asarray(roots * roots) ** 1.5).get(), roots**3)
    assert np.array_equal((cp.asarray(roots * roots) ** 0.5).get(), roots)


@pytest.mark.parametrize("n", [1, -1.0, 2, -2.0, 3, -3.0, 4, -4.0, 5, -5])
def test_whole_powers_of_every_float16(n):
    """A power in double precision, rounded; of few factors it is what the exact one rounds to."""
    a = np.arange(1 << 16, dtype="u2").view("f2")
    exponent = np.array(n, "f2")
    with np.errstate(all="ignore"):
        expected = (a.astype("f8") ** float(n)).astype("f4").astype("f2")
    found = cp.power(cp.asarray(a), cp.asarray(exponent)).get()
    assert np.array_equal(found, expected, equal_nan=True)
    assert np.array_equal(np.signbit(found[a == a]), np.signbit(expected[a == a]))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_powers_of_everything_else(dtype):
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 2, -2, 0.5, 3, -7, 6e4, 6e-5]).astype(
        dtype
    )
    y = np.array([*x, 1.5, -1.5, -0.5, 2.5, 11, -11, 1023, 1024, 1025, -1024, 0.3, 6e4]).astype(
        dtype
    )
    with np.errstate(all="ignore"):
        check(lambda xp: xp.power(xp.asarray(x)[:, None], xp.asarray(y)), ulp=3)


def test_degrees_of_single_precision():
    angles = (np.arange(-12, 13) * (np.pi / 12)).astype("f4")
    check(lambda xp: xp.degrees(xp.asarray(angles)))
