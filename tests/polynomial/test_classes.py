"""numpy.polynomial's classes, roots, fits and quadratures: against NumPy."""

import importlib
import operator
import pickle

import numpy as np
import pytest
from check import assert_raises_same, check

import gpunp as cp

CLASSES = ["Polynomial", "Chebyshev", "Legendre", "Laguerre", "Hermite", "HermiteE"]
MODULES = {
    "chebyshev": "cheb",
    "legendre": "leg",
    "laguerre": "lag",
    "hermite": "herm",
    "hermite_e": "herme",
}
CLOSE = {"rtol": 1e-8, "atol": 1e-10, "order": False}
each_class = pytest.mark.parametrize("name", CLASSES)
each_module = pytest.mark.parametrize("module", MODULES)


def make(xp, name, coef=(1.0, 2, 3, -1), **options):
    return getattr(xp.polynomial, name)(xp.asarray(coef), **options)


def parts(series):
    """What a series is made of, for check."""
    return [series.coef, np.asarray(series.domain), np.asarray(series.window), series.symbol]


def function(xp, module, suffix):
    found = importlib.import_module(f"{xp.__name__}.polynomial.{module}")
    return getattr(found, MODULES.get(module, "poly") + suffix)


@each_class
def test_arithmetic(name):
    for operation in (operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod):

        def body(xp, operation=operation):
            a, b = make(xp, name), make(xp, name, (2.0, 1, -1))
            more = [] if operation is operator.mod else [operation(a, 2), operation(3.0, b)]
            return [parts(p) for p in [operation(a, b), operation(b, a), *more]]

        check(body, **CLOSE)
    check(lambda xp: [parts(p) for p in divmod(make(xp, name), make(xp, name, (1.0, 2)))], **CLOSE)
    check(lambda xp: parts(make(xp, name) ** 3), **CLOSE)
    check(lambda xp: parts(-make(xp, name) / 4), **CLOSE)
    check(lambda xp: parts(xp.asarray([1.0, 2.0]) + make(xp, name)), **CLOSE)


@each_class
def test_values_and_calculus(name):
    x = np.linspace(0, 2, 7)
    check(lambda xp: make(xp, name, domain=[0, 4])(xp.asarray(x)), **CLOSE)
    check(lambda xp: make(xp, name)(0.5), **CLOSE)
    check(lambda xp: parts(make(xp, name, domain=[0, 4]).deriv(2)), **CLOSE)
    check(lambda xp: parts(make(xp, name, domain=[0, 4]).integ(2, k=[1, 2], lbnd=1)), **CLOSE)
    check(lambda xp: make(xp, name, domain=[0, 4]).roots() + 0j, **CLOSE)
    check(lambda xp: list(make(xp, name).linspace(5)), **CLOSE)
    check(lambda xp: list(map(float, make(xp, name, domain=[0, 4]).mapparms())))


@each_class
def test_making(name):
    def kind(xp):
        return getattr(xp.polynomial, name)

    x = np.linspace(0, 3, 40)
    y = np.sin(x)
    for options in ({}, {"domain": [0, 4]}, {"domain": []}, {"window": [0, 1]}):
        check(
            lambda xp, o=options: parts(kind(xp).fit(xp.asarray(x), xp.asarray(y), 4, **o)),
            **CLOSE,
        )
    check(lambda xp: parts(kind(xp).fit(xp.asarray(x), xp.asarray(y), [0, 1, 3])), **CLOSE)
    weighted = kind(cp).fit(cp.asarray(x), cp.asarray(y), 2, w=cp.asarray(x), full=True)
    theirs = kind(np).fit(x, y, 2, w=x, full=True)
    cp.testing.assert_allclose(weighted[0].coef, theirs[0].coef, rtol=1e-8)
    assert len(weighted[1]) == 4
    for domain in ([], None, [0, 5]):
        check(lambda xp, d=domain: parts(kind(xp).fromroots([1, 2, 4], domain=d)), **CLOSE)
    check(lambda xp: parts(kind(xp).identity([0, 2], symbol="t")), **CLOSE)
    check(lambda xp: parts(kind(xp).basis(3)), **CLOSE)
    assert_raises_same(lambda xp: kind(xp).basis(-1))


@each_class
def test_conversion(name):
    for other in CLASSES:
        check(
            lambda xp, o=other: parts(make(xp, name).convert(kind=getattr(xp.polynomial, o))),
            **CLOSE,
        )
    check(lambda xp: parts(xp.polynomial.Polynomial.cast(make(xp, name))), **CLOSE)


@each_class
def test_lengths_and_comparison(name):
    check(lambda xp: parts(make(xp, name, (1.0, 2, 1e-9)).trim(1e-6)), **CLOSE)
    check(lambda xp: [parts(make(xp, name).truncate(2)), parts(make(xp, name).cutdeg(0))], **CLOSE)
    p = make(cp, name)
    assert p == p.copy() and p != make(cp, name, (1.0, 2)) and p != make(cp, name, domain=[0, 7])
    assert (p.degree(), len(p), len(list(p))) == (3, 4, 4)
    assert p == pickle.loads(pickle.dumps(p)) and p.has_sametype(p)
    for wrong in (0, 1.5):
        assert_raises_same(lambda xp, w=wrong: make(xp, name).truncate(w))


@each_class
def test_text(name):
    for coef in ([1.0, 2, 3, -1], [0.0], [1e-20, -2.5], [1 + 2j, 3]):
        ours, theirs = make(cp, name, coef), make(np, name, coef)
        assert repr(ours) == repr(theirs) and str(ours) == str(theirs)
        assert f"{ours:ascii}" == f"{theirs:ascii}"
        assert ours._repr_latex_() == theirs._repr_latex_()
    cp.polynomial.set_default_printstyle("ascii")
    try:
        assert str(make(cp, name)) == f"{make(np, name):ascii}"
    finally:
        cp.polynomial.set_default_printstyle("unicode")
    with pytest.raises(ValueError, match="format"):
        format(make(cp, name), "tex")


def test_operands_that_do_not_fit():
    for body in (
        lambda xp: make(xp, "Chebyshev") + make(xp, "Legendre"),
        lambda xp: make(xp, "Chebyshev") + make(xp, "Chebyshev", domain=[0, 1]),
        lambda xp: make(xp, "Chebyshev") + make(xp, "Chebyshev", window=[0, 1]),
        lambda xp: make(xp, "Chebyshev") + make(xp, "Chebyshev", symbol="t"),
        lambda xp: make(xp, "Chebyshev") / make(xp, "Chebyshev"),
        lambda xp: make(xp, "Chebyshev") + "text",
        lambda xp: make(xp, "Chebyshev") // 0,
        lambda xp: make(xp, "Chebyshev", domain=[1]),
        lambda xp: make(xp, "Chebyshev", symbol="2x"),
        lambda xp: make(xp, "Chebyshev", symbol=3),
        lambda xp: make(xp, "Chebyshev", [[1.0]]),
    ):
        assert_raises_same(body)


def test_interpolation():
    def body(xp):
        kind = xp.polynomial.Chebyshev
        return [
            parts(kind.interpolate(lambda x: xp.tanh(x) + 0.5, 5)),
            parts(kind.interpolate(lambda x, a: xp.exp(a * x), 6, [0, 2], (0.5,))),
        ]

    check(body, **CLOSE)
    for suffix in ("pts1", "pts2"):
        check(lambda xp, s=suffix: function(xp, "chebyshev", s)(7), **CLOSE)
        assert_raises_same(lambda xp, s=suffix: function(xp, "chebyshev", s)(0))


@each_module
def test_companion_and_roots(module):
    for coef in ([1.0, 2], [3.0, -1, 2], [1.0, 0, 2, 4, 1], [0.0, 0, 0, 1], [1j, 2, 1]):
        check(lambda xp, c=coef: function(xp, module, "companion")(xp.asarray(c)), **CLOSE)
        # Real or complex as NumPy's version has them.
        check(
            lambda xp, c=coef: function(xp, module, "roots")(xp.asarray(c)) + 0j,
            rtol=1e-6, atol=1e-7,
        )  # fmt: skip
    check(lambda xp: function(xp, module, "roots")(xp.asarray([2.0])))
    assert_raises_same(lambda xp: function(xp, module, "companion")(xp.asarray([1.0])))


@each_module
@pytest.mark.parametrize("n", [1, 2, 3, 8, 40])
def test_quadrature(module, n):
    for k in range(2):
        check(
            lambda xp, k=k: function(xp, module, "gauss")(n)[k], rtol=1e-9, atol=1e-13, order=False
        )


@each_module
def test_weights_and_errors(module):
    x = np.linspace(0.1, 0.9, 5)
    check(lambda xp: function(xp, module, "weight")(xp.asarray(x)), rtol=1e-12)
    assert_raises_same(lambda xp: function(xp, module, "gauss")(0))


@pytest.mark.parametrize("module", ["polynomial", *MODULES])
def test_fit(module, rng):
    x, y, w = np.linspace(-1, 1, 25), rng.normal(size=(25, 2)), rng.random(25) + 0.1
    for deg in (3, [1, 3]):
        check(
            lambda xp, d=deg: function(xp, module, "fit")(xp.asarray(x), xp.asarray(y), d), **CLOSE
        )
    check(
        lambda xp: function(xp, module, "fit")(
            xp.asarray(x), xp.asarray(y[:, 0]), 2, w=xp.asarray(w)
        ),
        **CLOSE,
    )
    for args in [(x, y, -1), (x, y, 1.5), (y, y, 1), (x[:0], y[:0], 1), (x, y[:3], 1), (x, y, [])]:
        assert_raises_same(
            lambda xp, a=args: function(xp, module, "fit")(xp.asarray(a[0]), xp.asarray(a[1]), a[2])
        )
    with pytest.warns(cp.RankWarning):
        function(cp, module, "fit")(cp.ones(4), cp.ones(4), 2)


@pytest.mark.parametrize("module", ["polynomial", *MODULES])
def test_constants(module):
    for suffix in ("zero", "one", "x", "domain"):
        ours, theirs = function(cp, module, suffix), function(np, module, suffix)
        assert isinstance(ours, cp.ndarray) and ours.tolist() == theirs.tolist()
    with pytest.raises(AttributeError):
        function(cp, module, "nothing")


def test_roots_of_a_power_series():
    for coef in ([2.0, -3, 1], [1.0], [1.0, 2], [1.0, 0, 1]):
        check(lambda xp, c=coef: function(xp, "polynomial", "roots")(xp.asarray(c)) + 0j, **CLOSE)


@each_class
def test_domain_and_window_of_a_class(name):
    ours, theirs = getattr(cp.polynomial, name), getattr(np.polynomial, name)
    assert np.array_equal(ours.domain, theirs.domain)
    assert np.array_equal(ours.window, theirs.window)
    p = ours([1, 2, 3])
    q = p.copy()
    p.domain[0] = -7  # a series has its own
    assert q.domain[0] == ours.domain[0] == theirs.domain[0]


def test_a_basis_of_more_terms_than_memory():
    pool = cp.get_default_memory_pool()
    limit = pool.get_limit()
    pool.set_limit(size=1 << 26)
    try:
        with pytest.raises(MemoryError):
            cp.polynomial.Polynomial.basis(2**31)
    finally:
        pool.set_limit(size=limit)
