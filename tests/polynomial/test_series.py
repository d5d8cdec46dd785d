"""numpy.polynomial's functions in every basis: against NumPy."""

import doctest
import importlib
import inspect
import pickle
import re

import cases
import numpy as np
import pytest
from check import check

import gpunp as cp

BASES = {
    "polynomial": "poly",
    "chebyshev": "cheb",
    "legendre": "leg",
    "laguerre": "lag",
    "hermite": "herm",
    "hermite_e": "herme",
}
CLOSE = {"rtol": 1e-9, "atol": 1e-9, "order": False}


def made(xp, shape, dtype="f8", seed=0):
    return xp.asarray(cases.values(dtype, shape, np.random.default_rng(seed)))


def function(xp, basis, suffix):
    module = importlib.import_module(f"{xp.__name__}.polynomial.{basis}")
    return getattr(module, BASES[basis] + suffix)


def compare(basis, suffix, body, **tolerance):
    check(lambda xp: body(xp, function(xp, basis, suffix)), **{**CLOSE, **tolerance})


each_basis = pytest.mark.parametrize("basis", BASES)


@each_basis
@pytest.mark.parametrize("n", [1, 2, 3, 7])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "c16"])
def test_val(basis, n, dtype):
    tolerance = {"rtol": 1e-2, "atol": 1e-2} if dtype == "f4" else {"rtol": 1e-9, "atol": 1e-6}
    compare(basis, "val", lambda xp, f: f(made(xp, (3, 4)), made(xp, n, dtype)), **tolerance)
    compare(basis, "val", lambda xp, f: f(2.0, made(xp, n, dtype)), **tolerance)
    compare(basis, "val", lambda xp, f: f([1, 2], made(xp, n, dtype)), **tolerance)


@each_basis
def test_val_of_several_series(basis):
    close = {"atol": 1e-6}
    compare(basis, "val", lambda xp, f: f(made(xp, 4), made(xp, (5, 4))), **close)
    compare(basis, "val", lambda xp, f: f(made(xp, 4), made(xp, (5, 4)), tensor=False), **close)
    compare(basis, "val2d", lambda xp, f: f(made(xp, 4), made(xp, 4), made(xp, (3, 2))), **close)
    compare(basis, "val2d", lambda xp, f: f(made(xp, 4), made(xp, 3), made(xp, (3, 2))), **close)
    compare(
        basis,
        "val3d",
        lambda xp, f: f(made(xp, 4), made(xp, 4), made(xp, 4, seed=1), made(xp, (3, 2, 2))),
        **close,
    )
    compare(basis, "grid2d", lambda xp, f: f(made(xp, 4), made(xp, 3), made(xp, (3, 2))), **close)
    compare(
        basis,
        "grid3d",
        lambda xp, f: f(made(xp, 4), made(xp, 3), made(xp, 2), made(xp, (3, 2, 2))),
        **close,
    )


@each_basis
def test_valnd_is_val_of_as_many_variables(basis):
    """NumPy has valnd from 2.5 on."""
    module = importlib.import_module(f"gpunp.polynomial.{basis}")
    val, val2d, val3d, valnd = (
        getattr(module, f"{BASES[basis]}{name}") for name in ("val", "val2d", "val3d", "valnd")
    )
    points, c = made(cp, (3, 4)), made(cp, (3, 2, 2, 5))
    for found, wanted in [
        (valnd(points, c), val3d(*points, c)),
        (valnd(list(points[:2]), c), val2d(*points[:2], c)),
        (valnd((points[0],), c), val(points[0], c)),
    ]:
        np.testing.assert_array_equal(cp.asnumpy(found), cp.asnumpy(wanted))
    with pytest.raises(ValueError, match="x, y are incompatible"):
        valnd((points[0], points[1, :2]), c)
    with pytest.raises(ValueError, match="pts"):
        valnd((), c)


@each_basis
@pytest.mark.parametrize("degree", [0, 1, 2, 5, -1, 2.5])
def test_vander(basis, degree):
    compare(basis, "vander", lambda xp, f: f(made(xp, (3, 2)), degree), atol=1e-6)
    compare(basis, "vander", lambda xp, f: f(made(xp, 3, "i4"), degree), atol=1e-6)


@each_basis
def test_vander_of_several_variables(basis):
    compare(basis, "vander2d", lambda xp, f: f(made(xp, 4), made(xp, 4), (2, 3)), rtol=1e-7)
    compare(
        basis,
        "vander3d",
        lambda xp, f: f(made(xp, 4), made(xp, 4), made(xp, 4), [1, 2, 1]),
        rtol=1e-7,
    )
    compare(basis, "vander2d", lambda xp, f: f(made(xp, 4), made(xp, 4), (2,)))


@each_basis
def test_sums(basis):
    for suffix in ("add", "sub"):
        compare(basis, suffix, lambda xp, f: f(made(xp, 4), made(xp, 2)))
        compare(basis, suffix, lambda xp, f: f(made(xp, 2, "i4"), made(xp, 4, "c8")))
        compare(basis, suffix, lambda xp, f: f(xp.asarray([1.0, 2, 3]), xp.asarray([1, -2, -3])))
        compare(basis, suffix, lambda xp, f: f(xp.ones(0), xp.ones(2)))
        compare(basis, suffix, lambda xp, f: f(xp.ones((2, 2)), xp.ones(2)))


@each_basis
@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_mulx_and_line(basis, n):
    compare(basis, "mulx", lambda xp, f: f(made(xp, n)))
    compare(basis, "mulx", lambda xp, f: f(xp.zeros(n)))
    compare(basis, "line", lambda xp, f: f(n, 2.5))
    compare(basis, "line", lambda xp, f: f(n, 0))


def power(suffix, body, **tolerance):
    compare("polynomial", suffix, body, **tolerance)


@each_basis
@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 12, 20])
@pytest.mark.parametrize("size", [1, 2, 4])
def test_powers(basis, n, size):
    compare(basis, "pow", lambda xp, f: f(made(xp, size) / 4, n))


def test_products_of_power_series():
    power("mul", lambda xp, f: f(made(xp, 4), made(xp, 3)))
    power("div", lambda xp, f: f(made(xp, 5), made(xp, 3)))
    power("div", lambda xp, f: f(made(xp, 5), made(xp, 1)))
    power("div", lambda xp, f: f(made(xp, 2), made(xp, 3)))
    power("div", lambda xp, f: f(made(xp, 2), xp.zeros(1)))
    for n in (0, 1, 3, -1, 2.5):
        power("pow", lambda xp, f, n=n: f(made(xp, 3), n))
    power("pow", lambda xp, f: f(made(xp, 3), 5, 4))


@pytest.mark.parametrize("m", [0, 1, 2, 9, -1, 1.5])
def test_derivatives_and_integrals(m):
    power("der", lambda xp, f: f(made(xp, 6), m))
    power("der", lambda xp, f: f(made(xp, (3, 4), "i4"), m, 2, axis=1))
    power("int", lambda xp, f: f(made(xp, 6), m))
    power("int", lambda xp, f: f(made(xp, (3, 4)), m, [1] * min(max(int(m), 0), 3), -1, 2, 1))
    power("int", lambda xp, f: f(made(xp, 6), m, [1, 2, 3, 4]))


def test_roots_and_companion():
    power("fromroots", lambda xp, f: f(made(xp, 7)), rtol=1e-6)
    power("fromroots", lambda xp, f: f(xp.ones(0)))
    power("companion", lambda xp, f: f(made(xp, 5)))
    power("companion", lambda xp, f: f(made(xp, 2)))
    power("companion", lambda xp, f: f(made(xp, 1)))
    power("valfromroots", lambda xp, f: f(made(xp, 4), made(xp, (3, 2))))
    power("valfromroots", lambda xp, f: f(made(xp, 2), made(xp, (3, 2)), tensor=False))
    power("valfromroots", lambda xp, f: f(2.0, made(xp, 3, "i4")))


def root_function(xp, basis, name):
    """A function whose name does not begin with the basis's."""
    module = importlib.import_module(f"{xp.__name__}.polynomial.{basis}")
    return getattr(module, name)


others = pytest.mark.parametrize("basis", [b for b in BASES if b != "polynomial"])


@others
@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_products_of_series(basis, n):
    compare(basis, "mul", lambda xp, f: f(made(xp, n), made(xp, 4, seed=1)))
    compare(basis, "mul", lambda xp, f: f(made(xp, 5, "c16"), made(xp, n)))
    compare(basis, "div", lambda xp, f: f(made(xp, 5), made(xp, n, seed=1)), rtol=1e-7, atol=1e-7)
    compare(basis, "pow", lambda xp, f: f(made(xp, 3), n - 1), rtol=1e-7, atol=1e-7)
    compare(basis, "pow", lambda xp, f: f(made(xp, 3), n, 2), rtol=1e-7, atol=1e-7)
    compare(basis, "fromroots", lambda xp, f: f(made(xp, n)), rtol=1e-6, atol=1e-6)
    compare(basis, "2poly", lambda xp, f: f(made(xp, n)), rtol=1e-7)
    check(
        lambda xp: root_function(xp, basis, "poly2" + BASES[basis])(made(xp, n)),
        rtol=1e-7,
        atol=1e-9,
    )


@each_basis
@pytest.mark.parametrize("m", [0, 1, 2, 9])
def test_calculus_of_series(basis, m):
    compare(basis, "der", lambda xp, f: f(made(xp, 6), m))
    if m < 4:  # beyond the degree NumPy's hermeder leaves the axes moved
        compare(basis, "der", lambda xp, f: f(made(xp, (3, 4), "i4"), m, 2, axis=1))
        compare(basis, "int", lambda xp, f: f(made(xp, 6), m, [1] * m, -1, 2), atol=1e-6)
        compare(basis, "int", lambda xp, f: f(made(xp, (3, 2)), m, axis=1), atol=1e-6)
        compare(basis, "int", lambda xp, f: f(xp.zeros(1), m, [2] * m))


UTILS = {
    "trimseq": lambda u, xp: u.trimseq(xp.asarray([1, 2, 0, 0])),
    "trimseq of zeros": lambda u, xp: u.trimseq(xp.asarray([0, 0])),
    "trimcoef": lambda u, xp: u.trimcoef(xp.asarray([0.0, 1e-3, 3, 1e-9]), 1e-6),
    "trimcoef of zeros": lambda u, xp: u.trimcoef(xp.zeros(3)),
    "trimcoef negative": lambda u, xp: u.trimcoef(xp.zeros(3), -1),
    "as_series": lambda u, xp: u.as_series([xp.asarray([1, 2, 0]), xp.asarray([1.5])]),
    "as_series whole": lambda u, xp: u.as_series([xp.asarray([1, 2, 0])], trim=False),
    "as_series 2-d": lambda u, xp: u.as_series([xp.ones((2, 2))]),
    "getdomain": lambda u, xp: u.getdomain(made(xp, 9)),
    "getdomain complex": lambda u, xp: u.getdomain(made(xp, 9, "c16")),
    "mapparms": lambda u, xp: [xp.asarray(x) for x in u.mapparms((-1, 1), (0, 5))],
    "mapdomain": lambda u, xp: u.mapdomain(made(xp, 9), (-1, 1), (0, 5)),
}


@pytest.mark.parametrize("name", UTILS)
def test_polyutils(name):
    def body(xp):
        return UTILS[name](importlib.import_module(f"{xp.__name__}.polynomial.polyutils"), xp)

    check(body, **CLOSE)


def test_the_namespace_loads_when_asked_for():
    assert cp.polynomial.chebyshev.chebval(1.0, cp.array([1.0, 2.0])).item() == 3


@each_basis
def test_functions_have_the_names_of_their_module(basis):
    ours, theirs = (importlib.import_module(f"{m}.polynomial.{basis}") for m in ("gpunp", "numpy"))
    for name in theirs.__all__:
        found = getattr(ours, name)
        if not name.startswith(BASES[basis]) or not inspect.isroutine(found):
            continue
        if not name.endswith("trim"):  # polyutils', in NumPy too
            assert (found.__name__, found.__module__) == (name, ours.__name__)
        assert pickle.loads(pickle.dumps(found)) is found
        assert str(inspect.signature(found)).split(" ->")[0] == str(
            inspect.signature(getattr(theirs, name))
        )
        assert basis == "legendre" or not re.search("Legendre|legendre|leg[a-z0-9]", found.__doc__)


@each_basis
def test_examples_of_the_functions(basis):
    module = importlib.import_module(f"gpunp.polynomial.{basis}")
    runner = doctest.DocTestRunner()
    for name in module.__all__:
        for test in doctest.DocTestFinder(recurse=False).find(
            getattr(module, name), name, module=False, globs={}
        ):
            assert test.examples
            runner.run(test)
    assert runner.summarize().failed == 0
