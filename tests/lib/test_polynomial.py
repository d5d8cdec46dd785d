"""poly1d and the functions of polynomials given by their coefficients: against NumPy."""

import cases
import numpy as np
import pytest
from check import assert_raises_same, check

import gpunp as cp

CLOSE = {"rtol": 1e-9, "atol": 1e-9}


def coefficients(p):
    """The coefficients of whatever a function of polynomials gives."""
    if isinstance(p, tuple):
        return tuple(coefficients(x) for x in p)
    return p.coeffs if isinstance(p, (cp.poly1d, np.poly1d)) else p


def made(xp, n, dtype="f8", seed=0):
    return xp.asarray(cases.values(dtype, n, np.random.default_rng(seed)))


P, Q = [3, 0, -1, 2], [0, 0, 2, 5]

FUNCTIONS = {
    "poly": lambda xp: xp.poly(xp.asarray([1.0, 2, 3])),
    "poly of integers": lambda xp: xp.poly(xp.asarray([1, 2, 3])),
    "poly float32": lambda xp: xp.poly(xp.asarray([1, 2], "f4")),
    "poly of pairs": lambda xp: xp.poly(xp.asarray([1j, -1j, 2])),
    "poly of complex": lambda xp: xp.poly(xp.asarray([1j, 2])),
    "poly of nothing": lambda xp: xp.poly(xp.ones(0)),
    "poly 2-d": lambda xp: xp.poly(xp.ones((2, 3))),
    "polyval": lambda xp: xp.polyval(xp.asarray(P), xp.arange(5)),
    "polyval mixed": lambda xp: xp.polyval(xp.asarray([1, 2.5]), xp.arange(3)),
    "polyval 2-d": lambda xp: xp.polyval(made(xp, 4), made(xp, (3, 4))),
    "polyval of nothing": lambda xp: xp.polyval(xp.ones(0), xp.arange(3)),
    "polyval complex": lambda xp: xp.polyval(made(xp, 4, "c16"), made(xp, 5)),
    "polyval scalar": lambda xp: xp.polyval(xp.asarray(P), 2.0),
    "polyval of poly1d": lambda xp: xp.polyval(xp.poly1d(xp.asarray(P)), xp.arange(3)),
    "polyval in poly1d": lambda xp: xp.polyval(xp.asarray(P), xp.poly1d(xp.asarray([1, 2]))),
    "polyadd": lambda xp: xp.polyadd(xp.asarray(P), xp.asarray([1, 2])),
    "polyadd types": lambda xp: xp.polyadd(xp.asarray(P), xp.asarray([1.5, 2])),
    "polysub": lambda xp: xp.polysub(xp.asarray([1, 2]), xp.asarray(P)),
    "polymul": lambda xp: xp.polymul(xp.asarray(P), xp.asarray(Q)),
    "polymul poly1d": lambda xp: xp.polymul(xp.poly1d(xp.asarray(P)), xp.asarray(Q)),
    "polydiv": lambda xp: xp.polydiv(made(xp, 6), made(xp, 3)),
    "polydiv exact": lambda xp: xp.polydiv(xp.asarray([1, 3, 2]), xp.asarray([1, 1])),
    "polydiv short": lambda xp: xp.polydiv(xp.asarray([1]), xp.asarray([1, 1])),
    "polydiv complex": lambda xp: xp.polydiv(xp.asarray([1, 2, 3]), xp.asarray([2j, 1])),
    "polyder": lambda xp: xp.polyder(xp.asarray(P)),
    "polyder twice": lambda xp: xp.polyder(made(xp, 6), 2),
    "polyder to nothing": lambda xp: xp.polyder(xp.asarray(P), 9),
    "polyder back": lambda xp: xp.polyder(xp.asarray(P), -1),
    "polyint": lambda xp: xp.polyint(xp.asarray(P)),
    "polyint twice": lambda xp: xp.polyint(made(xp, 6), 2, [1, 2]),
    "polyint constant": lambda xp: xp.polyint(made(xp, 6), 3, 4),
    "polyint far": lambda xp: xp.polyint(made(xp, 6), 400, 4),
    "polyint far, complex": lambda xp: xp.polyint(made(xp, 6) * 1j, 330),
    "polyint constants": lambda xp: xp.polyint(made(xp, 6), 4, [1, 2j, 3, 4]),
    "polyint never": lambda xp: xp.polyint(made(xp, 6), 0),
    "polyint too few": lambda xp: xp.polyint(made(xp, 6), 3, [1, 2]),
    "polyint back": lambda xp: xp.polyint(xp.asarray(P), -1),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    check(lambda xp: coefficients(FUNCTIONS[name](xp)), **CLOSE)


def p(xp, *given):
    return xp.poly1d(xp.asarray(given or P))


CLASS = {
    "leading zeros": lambda xp: p(xp, 0, 0, 1, 2),
    "zero": lambda xp: p(xp, 0, 0),
    "scalar": lambda xp: xp.poly1d(3),
    "list": lambda xp: xp.poly1d([1, 2.5]),
    "roots": lambda xp: xp.poly1d(xp.asarray([1.0, 2]), True),
    "copy": lambda xp: xp.poly1d(p(xp)),
    "2-d": lambda xp: xp.poly1d(xp.ones((1, 1))),
    "neg": lambda xp: -p(xp),
    "pos": lambda xp: +p(xp),
    "add": lambda xp: p(xp) + p(xp, 1, 2),
    "add scalar": lambda xp: p(xp) + 1,
    "scalar add": lambda xp: 1 + p(xp),
    "add list": lambda xp: p(xp) + [1, 2],
    "sub": lambda xp: p(xp) - p(xp, 1, 2),
    "scalar sub": lambda xp: 1.5 - p(xp),
    "cancel": lambda xp: p(xp) - p(xp),
    "mul": lambda xp: p(xp) * p(xp, 1, 2),
    "mul scalar": lambda xp: p(xp) * 2.5,
    "scalar mul": lambda xp: 2 * p(xp),
    "list mul": lambda xp: [1, 2] * p(xp),
    "div": lambda xp: p(xp) / p(xp, 1, 2),
    "div scalar": lambda xp: p(xp) / 2,
    "scalar div": lambda xp: 2 / p(xp, 1, 2, 3),
    "power": lambda xp: p(xp) ** 3,
    "power 0": lambda xp: p(xp) ** 0,
    "power half": lambda xp: p(xp) ** 0.5,
    "power below": lambda xp: p(xp) ** -1,
    "call": lambda xp: p(xp)(xp.arange(4)),
    "call of poly1d": lambda xp: p(xp)(p(xp, 1, 2)),
    "deriv": lambda xp: p(xp).deriv(2),
    "integ": lambda xp: p(xp).integ(2, [1, 2]),
    "item": lambda xp: p(xp)[1],
    "item beyond": lambda xp: p(xp)[9],
    "item below": lambda xp: p(xp)[-1],
    "order": lambda xp: xp.asarray(p(xp).o),
    "length": lambda xp: xp.asarray(len(p(xp))),
    "words": lambda xp: str(p(xp)) + repr(p(xp)) + str(xp.poly1d([1, 2.5], variable="z")),
    "variable": lambda xp: xp.poly1d(xp.poly1d([1], variable="t")).variable,
    "equal": lambda xp: str(bool(p(xp) == p(xp))) + str(p(xp) != p(xp, 1)) + str(p(xp) == 3),
    "iteration": lambda xp: [xp.asarray(x) for x in p(xp)],
    "array times poly1d": lambda xp: p(xp) * xp.asarray([1, 2]),
}


@pytest.mark.parametrize("name", CLASS)
def test_poly1d(name):
    check(lambda xp: coefficients(CLASS[name](xp)), **CLOSE)


def test_setting_items():
    def body(xp):
        q = p(xp)
        q[0], q[5] = 9, 7
        return q.coeffs

    check(body)
    assert_raises_same(lambda xp: p(xp).__setitem__(-1, 0))
    assert_raises_same(lambda xp: setattr(p(xp), "coeffs", [1]))
    assert_raises_same(lambda xp: hash(p(xp)))


def test_get_and_set():
    q = p(cp)
    assert isinstance(q.get(), np.poly1d)
    q.set(np.poly1d([1, 2, 3, 4], variable="t"))
    assert q.get() == np.poly1d([1, 2, 3, 4])
    assert q.variable == "t"
    with pytest.raises(TypeError):
        q.set([1, 2])


# ---- roots and fits ----------------------------------------------------------------------------


def sorted_roots(xp, p):
    found = xp.roots(xp.asarray(p))
    return xp.sort_complex(found) if found.size else found


@pytest.mark.parametrize(
    "p",
    [
        [1.0, -6, 11, -6],
        [2, 0, 1],
        [0, 0, 1, 3, 0, 0],
        [1j, 2, 3],
        [5.0],
        [0.0],
        [],
        [0, 0, 3.0, 0],
    ],
    ids=str,
)
def test_roots(p):
    check(lambda xp: sorted_roots(xp, np.asarray(p)), rtol=1e-8, atol=1e-10)


def test_roots_of_poly1d():
    p = cp.poly1d([1.0, 0, -4])
    np.testing.assert_array_equal(np.sort_complex(p.r.get()), np.sort_complex(p.roots.get()))
    assert p.r.size == 2
    assert p.__cupy_get_ndarray__() is p.coeffs
    with pytest.raises(TypeError):
        np.asarray(p)
    assert_raises_same(lambda xp: xp.roots(xp.ones((2, 2))))


def test_poly_of_a_matrix(rng):
    a = rng.normal(size=(4, 4))
    check(lambda xp: xp.poly(xp.asarray(a)), rtol=1e-9)
    check(lambda xp: xp.poly(xp.asarray(a + a.T)), rtol=1e-9)


@pytest.mark.parametrize("columns", [None, 3])
@pytest.mark.parametrize("deg", [0, 1, 4])
def test_polyfit(deg, columns, rng):
    x = np.linspace(-1, 2, 30)
    y = rng.normal(size=30 if columns is None else (30, columns))
    w = rng.random(30) + 0.5

    def fit(xp, **options):
        return xp.polyfit(xp.asarray(x), xp.asarray(y), deg, **options)

    check(lambda xp: fit(xp), rtol=1e-9, atol=1e-12)
    check(lambda xp: fit(xp, w=xp.asarray(w)), rtol=1e-9, atol=1e-12)
    for cov in (True, "unscaled"):
        check(lambda xp, c=cov: fit(xp, cov=c), rtol=1e-8, atol=1e-12)
    ours, theirs = fit(cp, full=True), fit(np, full=True)
    for k in (0, 1, 3):
        cp.testing.assert_allclose(ours[k], theirs[k], rtol=1e-9, atol=1e-12)
    assert int(ours[2]) == theirs[2] and ours[4] == theirs[4]


def test_polyfit_errors():
    for x, y, deg, w in [
        (np.ones(3), np.ones(3), -1, None),
        (np.ones((3, 1)), np.ones(3), 1, None),
        (np.ones(0), np.ones(0), 1, None),
        (np.ones(3), np.ones((3, 1, 1)), 1, None),
        (np.ones(3), np.ones(4), 1, None),
        (np.ones(3), np.ones(3), 1, np.ones((3, 1))),
        (np.ones(3), np.ones(3), 1, np.ones(2)),
    ]:
        assert_raises_same(
            lambda xp, x=x, y=y, d=deg, w=w: xp.polyfit(
                xp.asarray(x), xp.asarray(y), d, w=None if w is None else xp.asarray(w)
            )
        )
    with pytest.warns(cp.RankWarning):
        cp.polyfit(cp.ones(3), cp.ones(3), 2)
