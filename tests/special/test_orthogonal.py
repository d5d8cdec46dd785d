"""Orthogonal polynomials as objects, against SciPy's."""

import inspect
import warnings

import mpmath
import numpy as np
import pytest
import scipy.special

import gpunp as cp

PARAMETERS = {
    "jacobi": (0.5, 1.5),
    "sh_jacobi": (3.0, 1.5),
    "genlaguerre": (0.5,),
    "gegenbauer": (1.5,),
}
NAMES = [
    *("legendre", "chebyt", "chebyu", "chebyc", "chebys", "jacobi", "laguerre", "genlaguerre"),
    *("hermite", "hermitenorm", "gegenbauer", "sh_legendre", "sh_chebyt", "sh_chebyu", "sh_jacobi"),
]
POINTS = np.array([-0.9, -0.3, 0.0, 0.3, 0.7, 1.0])


def both(name, n, **kwargs):
    """Our object and SciPy's."""
    arguments = (n, *PARAMETERS.get(name, ()))
    return getattr(cp.special, name)(*arguments, **kwargs), getattr(scipy.special, name)(
        *arguments, **kwargs
    )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("monic", [False, True])
def test_values_and_attributes(name, monic):
    for n in (0, 1, 3, 8):
        ours, theirs = both(name, n, monic=monic)
        values = cp.asnumpy(ours(cp.asarray(POINTS)))
        np.testing.assert_allclose(values, theirs(POINTS), rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(ours.coef, theirs.coef, rtol=1e-12)
        np.testing.assert_array_equal(ours.weights, theirs.weights)
        assert ours.order == theirs.order
        assert ours.limits == theirs.limits
        assert ours.normcoef == theirs.normcoef


@pytest.mark.parametrize("name", NAMES)
def test_errors(name):
    function, parameters = getattr(cp.special, name), PARAMETERS.get(name, ())
    with pytest.raises(ValueError, match="nonnegative"):
        function(-1, *parameters)
    with pytest.raises(ValueError, match="positive integer"):
        function(1.5, *parameters)


def test_high_degrees():
    x = np.array([-0.95, 0.2, 0.5])
    with warnings.catch_warnings(), mpmath.workdps(30):
        warnings.simplefilter("error")
        plain, monic = cp.special.legendre(100), cp.special.legendre(100, monic=True)
        exact = np.array([float(mpmath.legendre(100, mpmath.mpf(v))) for v in x])
        lead = float(mpmath.binomial(200, 100) / mpmath.mpf(2) ** 100)
    np.testing.assert_allclose(cp.asnumpy(plain(cp.asarray(x))), exact, rtol=1e-12)
    np.testing.assert_allclose(cp.asnumpy(monic(cp.asarray(x))), exact / lead, rtol=1e-12)
    assert np.isfinite(plain.coef).all()
    assert plain.coef[0] == pytest.approx(lead, rel=1e-12)


@pytest.mark.filterwarnings("ignore:In the future:FutureWarning")  # by SciPy's object
def test_arithmetic_is_numpys():
    ours, theirs = both("legendre", 3)
    for operation in (
        lambda p: p + 1,
        lambda p: 2 * p,
        lambda p: 1 - p,
        lambda p: -p,
        lambda p: p * p,
        lambda p: p**2,
        lambda p: p / 2,
        lambda p: p.deriv(),
        lambda p: p.integ(),
        lambda p: p(np.poly1d([1, 0])),
    ):
        actual, desired = operation(ours), operation(theirs)
        assert isinstance(actual, np.poly1d)
        np.testing.assert_allclose(actual.coeffs, desired.coeffs)
    assert ours == cp.special.legendre(3)
    assert ours[1] == theirs[1]
    assert repr(ours) == repr(theirs)
    assert str(ours) == str(theirs)
    np.testing.assert_array_equal(np.asarray(ours), np.asarray(theirs))
    np.testing.assert_allclose(complex(ours(0.5j)), theirs(0.5j))


def test_second_names_of_the_nodes():
    assert cp.special.p_roots is cp.special.roots_legendre
    assert cp.special.js_roots is cp.special.roots_sh_jacobi


@pytest.mark.parametrize("n", [10_001, 2**31, 2**64 + 16])
def test_huge_degrees_are_refused(n):
    with pytest.raises(ValueError, match="degrees up to 10000"):
        cp.special.sh_legendre(n)


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("hermite")])
def test_integer_degrees_are_those_of_whole_numbers(name):
    function = getattr(cp.special, f"eval_{name}")
    parameters = PARAMETERS.get(name, ())
    n = cp.arange(12)[:, None]
    x = cp.asarray(POINTS)
    values, others = function(n, *parameters, x), function(n.astype(float), *parameters, x)
    assert cp.array_equal(values, others)


@pytest.mark.parametrize("name", sorted(n for n in dir(scipy.special) if n.startswith("roots_")))
def test_nodes_have_scipys_parameters(name):
    ours, theirs = (inspect.signature(getattr(m, name)) for m in (cp.scipy.special, scipy.special))
    assert str(ours) == str(theirs)
