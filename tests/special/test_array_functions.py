"""Functions of scipy.special that are made of ufuncs and reductions, beside SciPy's."""

import mpmath
import numpy as np
import pytest

import gpunp as cp

theirs = pytest.importorskip("scipy.special")
ours = cp.special


def near(call, *arrays, rtol=1e-12, smallest=0.0):
    """call(module, arrays ...) gives the same with both."""
    with np.errstate(all="ignore"):
        desired = call(theirs, *arrays)
    actual = call(ours, *(cp.asarray(a) if isinstance(a, np.ndarray) else a for a in arrays))
    pairs = zip(actual, desired, strict=True) if isinstance(desired, tuple) else [(actual, desired)]
    for a, d in pairs:
        assert a.dtype == d.dtype
        limit = {"float16": 5e-3, "float32": 2e-6, "complex64": 2e-6}.get(d.dtype.name, rtol)
        smallest = smallest or (2e-6 if d.dtype == np.float16 else 0)
        np.testing.assert_allclose(cp.asnumpy(a), d, rtol=limit, atol=smallest)


# ---- sums of exponentials -------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["e", "f", "d", "i", "F", "D"])
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 2)])
@pytest.mark.parametrize("name", ["logsumexp", "softmax", "log_softmax"])
def test_sums_of_exponentials(name, axis, dtype, rng):
    x = (rng.standard_normal((4, 5, 6)) * 4).astype(dtype)
    if dtype in "FD":
        if name != "logsumexp":
            pytest.skip("SciPy orders complex numbers")
        x = x + x.dtype.type(1j) * rng.standard_normal(x.shape).astype(dtype)
    # SciPy's logarithms near zero have the errors of sums near one.
    smallest = {"e": 2e-3, "f": 2.5e-7, "F": 2.5e-7}.get(dtype, 1e-15) if "log" in name else 0.0
    near(lambda sp, x: getattr(sp, name)(x, axis=axis), x, smallest=smallest)


@pytest.mark.parametrize("dtype", ["e", "f", "d"])
@pytest.mark.parametrize("n", [1, 2, 7, 33, 256, 1000, 4099, 16384, 16400])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_of_rows(name, n, dtype, rng):
    """Rows in the registers of a part of a warp, of warps, of a block, and longer ones."""
    x = (rng.standard_normal((33 if n < 300 or n == 4099 else 3, n)) * 4).astype(dtype)
    x[0, n // 2 :] = x[0].max()  # several largest ones
    x[-1, 0] = 80
    smallest = {"e": 2e-3, "f": 2.5e-7}.get(dtype, 1e-15) if "log" in name else 0.0
    near(lambda sp, x: getattr(sp, name)(x, axis=1), x, smallest=smallest)
    near(lambda sp, x: getattr(sp, name)(x[:, n // 2 :], axis=-1), x, smallest=smallest)
    near(lambda sp, x: getattr(sp, name)(x.T, axis=0), x, smallest=smallest)
    near(lambda sp, x: getattr(sp, name)(x[0]), x, smallest=smallest)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_of_infinities(name):
    x = np.zeros((7, 70))
    x[0, 3], x[1, 3], x[2], x[3, 5] = np.nan, -np.inf, -np.inf, np.inf
    x[4, :2], x[5], x[5, 1] = [np.inf, np.nan], -np.inf, 2
    near(lambda sp, x: getattr(sp, name)(x, axis=1), x, smallest=1e-15)
    near(lambda sp, x: getattr(sp, name)(x, axis=0), x.T, smallest=1e-15)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("return_sign", [False, True])
def test_logsumexp_with_factors(keepdims, return_sign, rng):
    a, b = rng.standard_normal((4, 5)) * 10, rng.standard_normal(5)
    b[2] = 0
    keywords = {"axis": 1, "keepdims": keepdims, "return_sign": return_sign}
    near(lambda sp, a, b: sp.logsumexp(a, b=b, **keywords), a, b, rtol=1e-11)
    near(lambda sp, a, b: sp.logsumexp(a, b=b, **keywords), a.astype("f"), b.astype("f"))


@pytest.mark.parametrize(
    "values",
    [[-np.inf] * 3, [np.inf, 1.0], [np.nan, 1.0], [np.inf, -np.inf], [0.0, np.inf, np.inf]],
    ids=str,
)
def test_logsumexp_of_infinities(values):
    near(lambda sp, x: sp.logsumexp(x), np.array(values))


def test_logsumexp_of_large_and_small_terms():
    x = np.array([[1000.0, 1000.0], [-1000.0, -1001.0], [0.0, -700.0], [1e-300, -40.0]])
    near(lambda sp, x: sp.logsumexp(x, axis=1), x, rtol=2e-15)
    near(lambda sp, x: sp.log_softmax(x, axis=1), x, rtol=2e-15, smallest=5e-18)


def test_softmax_of_nothing_raises():
    with pytest.raises(ValueError):
        theirs.softmax(np.zeros((0,)))
    with pytest.raises(ValueError):
        ours.softmax(cp.zeros((0,)))
    assert float(ours.logsumexp(cp.zeros((0,)))) == -np.inf


# ---- gamma's relatives ----------------------------------------------------------------------------


@pytest.mark.parametrize("d", [1, 2, 5])
def test_multigammaln(d):
    near(lambda sp, a: sp.multigammaln(a, d), np.array([2.5, 3.0, 10.0, 200.0]))


def test_multigammaln_of_many_dimensions():
    near(lambda sp, a: sp.multigammaln(a, 1000), np.array([500.0, 1e4]))
    assert np.isnan(cp.asnumpy(ours.multigammaln(cp.array([0.4, np.nan]), 1 << 24))).all()
    for d in (2**24 + 1, 10**30, 1e308):
        with pytest.raises(ValueError, match=r"at most 2\*\*24"):
            ours.multigammaln(cp.array(3.0), d)


def test_multigammaln_outside_of_its_domain():
    assert np.isnan(cp.asnumpy(ours.multigammaln(cp.array([0.4, 1.0]), 3))).all()
    for d in (0, 1.5, -1):  # SciPy takes 0 and -1
        with pytest.raises(ValueError, match="positive integer"):
            ours.multigammaln(cp.array(3.0), d)


def test_polygamma():
    x = np.array([0.1, 0.5, 1.0, 2.5, 30.0])
    near(lambda sp, n, x: sp.polygamma(n, x), np.arange(5)[:, None], x)


def test_zeta():
    x, q = np.array([1.5, 2.0, 3.7, 20.0]), np.array([[0.3], [1.0], [12.5]])
    near(lambda sp, x, q: sp.zeta(x, q), x, q)
    near(lambda sp, x: sp.zeta(x), np.array([-3.5, -2.0, 0.0, 0.5, 1.0, 2.0, 50.0]))
    out = cp.zeros(4)
    assert ours.zeta(cp.asarray(x), out=out) is out


# ---- combinatorics --------------------------------------------------------------------------------


def test_comb_and_perm():
    n, k = np.arange(-1, 12)[:, None], np.arange(-1, 8)
    near(lambda sp, n, k: sp.comb(n, k), n, k)
    near(lambda sp, n, k: sp.perm(n, k), n, k)
    near(lambda sp, n, k: sp.comb(n, k, repetition=True), n[2:], k[2:])


def test_stirling2():
    n, k = np.arange(-1, 51)[:, None], np.arange(-1, 52)
    near(lambda sp, n, k: sp.stirling2(n, k), n, k)
    near(lambda sp, n, k: sp.stirling2(n, k), n.astype("i4"), 3)
    for n in (51, 80, 217, 500, 1000):
        k = [k for k in (0, 1, 2, 3, 12, 13, n // 3, n // 2, n - 13, n - 1, n, n + 1) if k > 0]
        exact = theirs.stirling2(n, np.array(k), exact=True)
        desired = [float(e) if e < 10**308 else np.inf for e in exact.tolist()]
        np.testing.assert_allclose(
            cp.asnumpy(ours.stirling2(n, cp.asarray(k))), desired, rtol=1e-12
        )
    for call in (lambda sp: sp.stirling2(5.5, 2), lambda sp: sp.stirling2(5, [2.0])):
        for module in (theirs, ours):
            with pytest.raises(TypeError, match="must contain only integers"):
                call(module)


def test_softplus():
    x = np.array([-np.inf, -800, -1.5, 0, 2, 800, np.inf, np.nan])
    for dtype in (np.float32, np.float64):
        near(lambda sp, x: sp.softplus(x), x.astype(dtype))
    near(lambda sp, x: sp.softplus(x), np.arange(5))


@pytest.mark.null
def test_exact_numbers_are_python_integers():
    for n, k in [(10, 3), (5, 7), (60, 30), (4, -1)]:
        for keywords in ({}, {"repetition": True}):
            if n >= 0 <= k:
                assert ours.comb(n, k, exact=True, **keywords) == theirs.comb(
                    n, k, exact=True, **keywords
                )
        assert ours.perm(n, k, exact=True) == theirs.perm(n, k, exact=True)
        assert ours.stirling2(n, k, exact=True) == theirs.stirling2(n, k, exact=True)
    for n in (0, 1, 5, 25):
        assert ours.factorial(n, exact=True) == theirs.factorial(n, exact=True)
        assert ours.factorial2(n, exact=True) == theirs.factorial2(n, exact=True)
        assert ours.factorialk(n, 3, exact=True) == theirs.factorialk(n, 3, exact=True)


def test_exact_numbers_of_arrays_are_refused():
    for call in (
        lambda: ours.comb(cp.arange(3), 1, exact=True),
        lambda: ours.factorial(cp.arange(3), exact=True),
    ):
        with pytest.raises(TypeError, match="exact=True takes integers of the host"):
            call()


def test_exact_numbers_of_floats_and_lists_are_refused():
    for call in (
        lambda sp: sp.comb(3.4, 4, exact=True),
        lambda sp: sp.perm([1, 2], [4, 5], exact=True),
        lambda sp: sp.factorial(0.5, exact=True),
        lambda sp: sp.factorial2(2.5, exact=True),
    ):
        for library in (theirs, ours):
            with pytest.raises(ValueError):
                call(library)


def test_factorials():
    n = np.arange(-3, 30)
    near(lambda sp, n: sp.factorial(n), n)
    near(lambda sp, n: sp.factorial2(n), n)
    near(lambda sp, n: sp.factorialk(n, 3), n)
    near(lambda sp, n: sp.factorial(n), np.array([-1.5, 0.5, 3.3, np.nan]))
    near(lambda sp, n: sp.factorial(n, extend="complex"), np.array([-1.5, 0.5]))


def test_factorials_continued():
    for n in (
        np.array([-3.5, -2, -1, 0.25, 4, 7.5]),
        np.array([0.5 - 2j, -3, 4 + 1j]),
        np.arange(5),
    ):
        near(lambda sp, n: sp.factorial(n, extend="complex"), n)
        near(lambda sp, n: sp.factorial2(n, extend="complex"), n)
        near(lambda sp, n: sp.factorialk(n, 3, extend="complex"), n)
    near(lambda sp, n: sp.factorialk(n, 2.5, extend="complex"), np.array([1.5, 6]))
    near(lambda sp, n: sp.factorialk(n, -0.7, extend="complex"), np.array([2.9, 6, -1.5]))
    near(lambda sp, n: sp.factorialk(n, 1 + 2j, extend="complex"), np.array([1.5 + 0j, 6]))
    for name, n in (("factorial", 1j), ("factorial2", 2.5), ("factorial2", np.array([4.0]))):
        for library, values in ((theirs, n), (ours, cp.asarray(n))):
            with pytest.raises(ValueError, match="extend"):
                getattr(library, name)(values)


def test_factorial_checks_its_arguments():
    for keywords in ({"extend": "other"}, {"exact": True, "extend": "complex"}):
        with pytest.raises(ValueError):
            theirs.factorial(3, **keywords)
        with pytest.raises(ValueError):
            ours.factorial(3, **keywords)


def test_diric():
    x = np.concatenate([np.linspace(-20, 20, 101), np.pi * np.arange(-4, 5)])
    near(lambda sp, x, n: sp.diric(x, n), x, np.array([[1], [2], [5], [0], [-3]]), rtol=1e-9)


def test_lambertw():
    z = np.array([1.0, -0.2, 3.0, 0.0, 1 + 2j, -5.0 + 0.1j])
    for k in (0, -1, 2):
        near(lambda sp, z, k=k: sp.lambertw(z, k), z)
    near(lambda sp, z: sp.lambertw(z, np.array([0]) if sp is theirs else cp.array([0])), z)
    near(lambda sp, z: sp.lambertw(z), z.real.astype("f"))


@pytest.mark.parametrize("shape", [(), (3,), (0,), (2, 0)], ids=str)
def test_sums_of_exponentials_of_few(shape):
    """Arrays without axes count as one element; of nothing the sum is zero. Numbers are weak."""
    for dtype in ("f", "d", "i4"):
        a = np.ones(shape, dtype)
        for options in ({"axis": -1}, {"axis": -1, "keepdims": True}, {"axis": -1, "b": 2.0}):
            with np.errstate(divide="ignore"):
                desired = np.asarray(theirs.logsumexp(a, **options))
            actual = cp.special.logsumexp(cp.asarray(a), **options)
            assert (actual.dtype, actual.shape) == (desired.dtype, desired.shape)
            np.testing.assert_allclose(actual.get(), desired, rtol=1e-6)
        if shape in [(), (3,)]:
            for name in ("softmax", "log_softmax"):
                desired = getattr(theirs, name)(a, axis=-1)
                actual = getattr(cp.special, name)(cp.asarray(a), axis=-1)
                assert actual.shape == desired.shape
                np.testing.assert_allclose(actual.get(), desired, rtol=1e-6)


def test_combinations_of_nothing_with_repetition():
    n, k = np.array([0, 0, 3, 2]), np.array([0, 1, 0, 2])
    actual = cp.special.comb(cp.asarray(n), cp.asarray(k), repetition=True)
    np.testing.assert_array_equal(actual.get(), theirs.comb(n, k, repetition=True))
    assert cp.special.comb(0, 0, exact=True, repetition=True) == 1


def test_zeta_of_complex_arguments():
    zero = 0.5 + 14.134725141734693j  # the first zero of the critical line
    s = np.array([zero, zero.conjugate(), 2 + 300j, -4 + 0j, -4 + 1e-9j, 1 + 1e-9j, 60 + 1j])
    expected = [complex(mpmath.zeta(z)) for z in s]
    actual = cp.special.zeta(cp.asarray(s)).get()
    np.testing.assert_allclose(actual, expected, rtol=1e-13, atol=1e-15)
    assert abs(actual[-1].imag / expected[-1].imag - 1) < 1e-13
    single = cp.special.zeta(cp.asarray(s, "F"))
    assert single.dtype == np.complex64
    np.testing.assert_allclose(single.get()[2:], expected[2:], rtol=2e-4)
    # 1e9 terms are too many; at Re s = 5 few of them count
    far = cp.special.zeta(cp.array([0.5 + 1e9j, -2 + 1e20j, 5 + 1e20j, 1 + np.inf * 1j])).get()
    assert np.isnan(far).tolist() == [True, True, False, True]
    assert (cp.special.zeta(cp.array([1 + 0j, 2 + 0j])).get() == [np.inf, np.pi**2 / 6]).all()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "pair",
    [
        (-np.inf, np.inf),
        (complex(np.inf, 0.75), -np.inf),
        (complex(np.inf, 2.4), 3),
    ],
)
def test_sums_of_infinite_complex_exponents(pair):
    near(lambda sp, a: sp.logsumexp(a), np.array(pair, complex))
    near(lambda sp, a: sp.logsumexp(a, axis=0, keepdims=True), np.array([pair, (1 + 2j, -3j)]))


def test_polynomials_of_polynomials():
    inner = [2.0, -1.0]
    for name in ("legendre", "hermite", "chebyt"):
        found = getattr(ours, name)(3)(cp.poly1d(cp.asarray(inner)))
        np.testing.assert_allclose(found.coeffs, getattr(theirs, name)(3)(np.poly1d(inner)).coeffs)


def test_spherical_bessel_functions_at_complex_infinities():
    """They oscillate along the real axis and grow without bounds away from it."""
    inf = np.inf
    z = cp.asarray([complex(inf, inf), complex(-inf, -inf), complex(inf, 1), complex(-inf, 0)])
    for name in ("spherical_jn", "spherical_yn"):
        for n in (0, 1, 4):
            found = getattr(cp.scipy.special, name)(n, z).get()
            assert np.isinf(found[:2].real).all() and np.isinf(found[:2].imag).all()
            assert (found[2:] == 0).all()


def test_hypergeometric_function_of_zero_has_no_pole():
    for c in (-10.0, 0.0, 2.5):
        for zero in (0.0, 0j):
            assert cp.scipy.special.hyp2f1(0.5, 0.2, c, cp.asarray(zero)).item() == 1
