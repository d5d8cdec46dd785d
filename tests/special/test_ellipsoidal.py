"""Ellipsoidal harmonics against SciPy, Lame's equation solved in mpmath's numbers, and their integrals."""

import functools

import mpmath as mp
import numpy as np
import pytest
import scipy.special
from check import check

import gpunp as cp

ours = cp.special
PLACES = [-2.5, 0.0, 1.0, 2.3, 2.9, 40.0]


def special(xp):
    return cp.special if xp is cp else scipy.special


@functools.cache
def coefficients(a, b, n, p):
    """Exponents of s, s^2 - a and s^2 - b, and coefficients of powers of s^2."""
    half = n // 2
    order = [(0, 0)] * (half + 1) + [(1, 0)] * (n - half) + [(0, 1)] * (n - half) + [(1, 1)] * half
    e1, e2 = order[p - 1]
    place = order[: p - 1].count((e1, e2))
    e0 = (n - e1 - e2) % 2
    degree, odd = (n - e0 - e1 - e2) // 2, e0 + e1 + e2
    matrix = mp.zeros(degree + 1)
    for j in range(degree + 1):
        matrix[j, j] = -4 * (a + b) * j * (j - 1)
        matrix[j, j] -= j * ((4 * e0 + 2) * (a + b) + (4 * e1 + 2) * b + (4 * e2 + 2) * a)
        if j < degree:
            matrix[j, j + 1] = a * b * (j + 1) * (4 * j + 4 * e0 + 2)
        if j > 0:
            matrix[j, j - 1] = (
                4 * (j - 1) * (j - 2) + (4 * odd + 6) * (j - 1) - (n - odd) * (n + odd + 1)
            )
    values, vectors = mp.eig(matrix)
    at = sorted(range(degree + 1), key=lambda i: -mp.re(values[i]))[place]
    return (e0, e1, e2), [mp.re(v / vectors[degree, at]) for v in vectors[:, at]]


def exact(h2, k2, n, p, s):
    a, b, s = mp.mpf(h2), mp.mpf(k2), mp.mpf(s)
    (e0, e1, e2), c = coefficients(a, b, n, p)
    factor = s**e0 * mp.sqrt(abs(s * s - a)) ** e1 * mp.sqrt(abs(s * s - b)) ** e2
    return factor * mp.fsum(v * (s * s) ** j for j, v in enumerate(c))


def second(h2, k2, n, p, s):
    def integrand(u):
        if u == 0:
            return mp.mpf(n == 0)
        return 1 / exact(h2, k2, n, p, 1 / u) ** 2 / mp.sqrt((1 - u * u * k2) * (1 - u * u * h2))

    return (2 * n + 1) * exact(h2, k2, n, p, s) * mp.quad(integrand, [0, 1 / mp.mpf(s)])


@pytest.mark.parametrize(
    "n, limit",
    [
        (0, 1e-15),
        (1, 1e-15),
        (2, 1e-14),
        (7, 1e-13),
        pytest.param(20, 1e-10, marks=pytest.mark.slow),
    ],
)
def test_first_kind_is_exact(n, limit):
    p = np.arange(1, 2 * n + 2, max(n // 3, 1))[:, None]
    actual = cp.asnumpy(ours.ellip_harm(5.0, 8.0, n, cp.asarray(p), cp.asarray(PLACES)))
    with mp.workdps(60):
        for i, j in np.ndindex(actual.shape):
            desired = exact(5, 8, n, int(p[i, 0]), PLACES[j])
            assert abs(actual[i, j] - desired) <= limit * (abs(desired) + 1), (p[i, 0], PLACES[j])


@pytest.mark.parametrize("n", [1, 2, 5])
def test_functions_are_scipys(n):
    p, s = np.arange(1, 2 * n + 2)[:, None], np.array([1.0, 2.5, 4.0, -3.0])
    for h2, k2 in [(5.0, 8.0), (0.5, 20.0)]:
        check(
            lambda xp, h=h2, k=k2: special(xp).ellip_harm(h, k, n, xp.asarray(p), xp.asarray(s)),
            ulp=2000,
        )


@pytest.mark.parametrize("signs", [(-1, 1), (1, -1), (-1, -1), (2, 1)])
def test_signs_are_those_of_the_classes(signs):
    p = np.arange(1, 8)
    check(lambda xp: special(xp).ellip_harm(5, 8, 3, xp.asarray(p), 4.0, *signs), ulp=2000)
    m, n = (np.full(7, float(sign)) for sign in signs)
    check(
        lambda xp: special(xp).ellip_harm(
            5, 8, 3, xp.asarray(p), 4.0, xp.asarray(m), xp.asarray(n)
        ),
        ulp=2000,
    )


def test_types_of_results():
    for dtype in "fdil":
        for order in "fdil":
            check(
                lambda xp, d=dtype, o=order: special(xp).ellip_harm(
                    5, 8, 2, xp.ones(2, o), xp.ones(2, d) * 3
                ),
                ulp=100,
            )
    assert ours.ellip_harm(5, 8, 2, 3, cp.ones(2, "f"), -1).dtype == np.float32
    assert ours.ellip_harm_2(5, 8, 2, 3, cp.ones(2, "f") * 3).dtype == np.float64
    assert ours.ellip_harm(5, 8, 1, 1, [1.0, 2.0]).tolist() == [1.0, 2.0]
    check(lambda xp: special(xp).ellip_harm(5, 8, 1, 1, xp.ones(2, complex)))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n, h2, k2", [(0, 5.0, 8.0), (1, 0.1, 8.0), (3, 7.99, 8.0)])
def test_second_kind_is_the_integral(n, h2, k2):
    p, s = np.arange(1, 2 * n + 2), [2.83, 3.0, 10.0]
    actual = cp.asnumpy(ours.ellip_harm_2(h2, k2, n, cp.asarray(p)[:, None], cp.asarray(s)))
    with mp.workdps(30):
        for i, j in np.ndindex(actual.shape):
            desired = second(mp.mpf(h2), mp.mpf(k2), n, int(p[i]), s[j])
            assert abs(actual[i, j] - desired) <= 1e-12 * abs(desired), (p[i], s[j])
    np.testing.assert_array_equal(
        cp.asnumpy(ours.ellip_harm_2(h2, k2, n, cp.asarray(p), -3.0)),
        actual[:, 1] * np.where(ours.ellip_harm(h2, k2, n, cp.asarray(p), -3.0).get() < 0, 1, -1),
    )


def test_second_kind_at_the_focal_length():
    k = np.sqrt(9.0)
    values = cp.asnumpy(ours.ellip_harm_2(5.0, 9.0, 2, cp.arange(1, 6), k))
    near = cp.asnumpy(ours.ellip_harm_2(5.0, 9.0, 2, cp.arange(1, 4), k + 1e-13))
    np.testing.assert_allclose(values[:3], near, rtol=1e-5)
    assert np.isnan(values[3:]).all()
    assert np.isnan(float(ours.ellip_harm_2(5.0, 9.0, 2, 1, cp.array(2.9))))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n", [0, 1, 3])
def test_constants_are_scipys(n):
    p = np.arange(1, 2 * n + 2)
    for h2, k2 in [(5.0, 8.0), (0.05, 3.0)]:
        actual = cp.asnumpy(ours.ellip_normal(h2, k2, n, cp.asarray(p)))
        np.testing.assert_allclose(actual, scipy.special.ellip_normal(h2, k2, n, p), rtol=1e-7)


def test_constants_of_low_degree_are_exact():
    # 4 pi, and 4 pi / 3 times the products of the squares of the other two semi-axes' differences.
    h2, k2 = 5.0, 8.0
    desired = 4 * np.pi * np.array([1, h2 * k2 / 3, h2 * (k2 - h2) / 3, k2 * (k2 - h2) / 3])
    actual = [ours.ellip_normal(h2, k2, 0, 1), *ours.ellip_normal(h2, k2, 1, cp.arange(1, 4))]
    np.testing.assert_allclose([float(a) for a in actual], desired, rtol=1e-14)


def test_arguments_outside_of_the_domain():
    for arguments in [
        (5, 8, -1, 1, 2.0),
        (5, 8, 1, 0, 2.0),
        (5, 8, 1, 4, 2.0),
        (8, 5, 2, 1, 2.0),
        (-1, 5, 2, 1, 2.0),
        (5, 8, 1, 1, np.nan),
    ]:
        values = [cp.asarray(float(a)) for a in arguments]
        for result in (
            ours.ellip_harm(*values),
            ours.ellip_harm_2(*values),
            ours.ellip_normal(*values[:4]) if arguments[4] == 2 else cp.array(np.nan),
        ):
            assert np.isnan(float(result))
