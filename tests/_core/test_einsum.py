"""einsum and einsum_path against NumPy's, over forms of subscripts, dtypes, layouts and errors."""

import cases
import numpy as np
import pytest
from check import check
from hypothesis import given, settings
from hypothesis import strategies as st

import gpunp as cp

CLOSE = {"rtol": 1e-4, "atol": 1e-3, "order": False}
SIZES = dict(zip("ijkl", (2, 3, 4, 5), strict=True))


def made(xp, shape, dtype="f8"):
    return xp.asarray(cases.values(dtype, shape, np.random.default_rng(0)))


def both(subscripts, *shapes, dtype="f8", **keywords):
    """einsum of arrays of these shapes, with both modules."""
    check(
        lambda xp: xp.einsum(subscripts, *(made(xp, s, dtype) for s in shapes), **keywords), **CLOSE
    )


@pytest.mark.parametrize(
    "dtype", [*cases.BOOL, *cases.INTEGERS, "f4", "f8", *cases.COMPLEX], ids=str
)
def test_dtypes(dtype):
    both("ij,jk->ik", (3, 4), (4, 5), dtype=dtype)
    both("ij,ij->i", (3, 4), (3, 4), dtype=dtype)
    both("ij->j", (3, 4), dtype=dtype)
    both("i,j->ij", (3,), (4,), dtype=dtype)


@pytest.mark.parametrize(
    ("subscripts", "shapes"),
    [
        ("ii", [(3, 3)]),
        ("ii->i", [(3, 3)]),
        ("iij->ji", [(3, 3, 2)]),
        ("ba", [(2, 3)]),
        ("ij->", [(2, 3)]),
        ("...ij->...ji", [(2, 3, 4)]),
        ("i...->...", [(2, 3, 4)]),
        ("ij...,jk...->ik...", [(2, 3, 5), (3, 4, 5)]),
        ("...ij,...jk", [(6, 1, 2, 3), (7, 3, 4)]),
        ("bij,bjk->bik", [(4, 2, 3), (4, 3, 5)]),
        ("bij,bjk->kbi", [(4, 2, 3), (4, 3, 5)]),
        ("ijkl,lkji->", [(2, 3, 4, 5), (5, 4, 3, 2)]),
        ("ijkl,jl->ik", [(2, 3, 4, 5), (3, 5)]),
        ("i,i", [(1,), (3,)]),
        ("ij,kj->ik", [(2, 1), (3, 4)]),
        ("ij,jk,kl->il", [(2, 30), (30, 4), (4, 50)]),
        ("i,j,k->kji", [(2,), (3,), (4,)]),
        ("ea,fb,abcd,gc,hd->efgh", [(3, 2), (3, 2), (2, 2, 2, 2), (3, 2), (3, 2)]),
        ("A b, b -> A", [(2, 3), (3,)]),
        ("ij,j", [(2, 0), (0,)]),
        ("", [()]),
    ],
)
def test_forms(subscripts, shapes):
    both(subscripts, *shapes)
    both(subscripts, *shapes, optimize=True)
    both(subscripts, *shapes, optimize="optimal")


@pytest.mark.parametrize(
    ("subscripts", "shapes"),
    [
        ("ij,jk", [(2, 3), (4, 2)]),
        ("ij,jk", [(2, 3)]),
        ("ij,", [(2, 3), (2,), (2,)]),
        ("ij", [(2, 3, 4)]),
        ("ijk", [(2, 3)]),
        ("i$", [(2, 3)]),
        ("ij->ijk", [(2, 3)]),
        ("ij->ii", [(2, 3)]),
        ("ii", [(2, 3)]),
        ("ij...->j", [(2, 3, 4)]),
        ("..ij", [(2, 3)]),
        ("ij-", [(2, 3)]),
        ("ij->>i", [(2, 3)]),
        ("ij", []),
    ],
)
def test_errors(subscripts, shapes):
    both(subscripts, *shapes)


def test_sublists():
    check(lambda xp: xp.einsum(made(xp, (2, 3)), [0, 1], made(xp, (3, 4)), [1, 2]), **CLOSE)
    check(lambda xp: xp.einsum(made(xp, (2, 3)), [0, 1], made(xp, (3, 4)), [1, 2], [2, 0]), **CLOSE)
    check(lambda xp: xp.einsum(made(xp, (2, 3)), [..., 1], made(xp, (3, 2)), [1, ...]), **CLOSE)
    check(lambda xp: xp.einsum(made(xp, (2, 3)), [26, 0]), **CLOSE)
    check(lambda xp: xp.einsum(made(xp, (2, 3)), [0, 60]))


@pytest.mark.parametrize(
    "keywords",
    [
        {"dtype": "f4"},
        {"dtype": "f4", "casting": "unsafe"},
        {"dtype": "c16"},
        {"order": "C"},
        {"order": "F"},
        {"optimize": ["einsum_path", (0, 1)]},
        {"optimize": "nobody"},
        {"nothing": 1},
    ],
    ids=str,
)
def test_keywords(keywords):
    both("ij,jk->ki", (2, 3), (3, 4), **keywords)


@pytest.mark.parametrize(
    ("shape", "dtype"), [((3, 2), "f8"), ((3, 2), "f4"), ((2, 3), "f8"), ((6,), "f8")]
)
def test_out(shape, dtype):
    def body(xp):
        out = xp.zeros(shape, dtype)
        assert xp.einsum("ij,jk->ki", made(xp, (2, 4)), made(xp, (4, 3)), out=out) is out
        return out

    check(body, **CLOSE)


def test_out_that_is_an_operand():
    def body(xp):
        x = made(xp, (3, 3))
        xp.einsum("ij,jk->ik", x, x, out=x)
        return x

    check(body, **CLOSE)


def test_a_view_where_nothing_is_summed():
    x = cp.zeros((3, 3))
    cp.einsum("ii->i", x)[...] = 1
    assert x.get().tolist() == np.eye(3).tolist()
    cp.einsum("ij->ji", x)[0, 1] = 7
    assert x.get()[1, 0] == 7


@pytest.mark.parametrize("optimize", [False, True, "greedy", "optimal", ("greedy", 100)], ids=str)
def test_path_is_numpys(optimize):
    def path(xp):
        operands = [xp.ones(s) for s in [(3, 2), (3, 2), (2, 2, 2, 2), (3, 2), (3, 2)]]
        return xp.einsum_path("ea,fb,abcd,gc,hd->efgh", *operands, optimize=optimize)

    assert path(cp) == path(np)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_subscripts(data):
    """Random terms, ellipses, stretched axes and results against NumPy, in integers: exact."""
    draw = data.draw
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    terms, operands = [], []
    for _ in range(draw(st.integers(1, 3))):
        term = "".join(draw(st.lists(st.sampled_from("ijkl"), max_size=3)))
        shape = [1 if draw(st.integers(0, 15)) == 0 else SIZES[c] for c in term]
        if draw(st.integers(0, 3)) == 0:
            at = draw(st.integers(0, len(term)))
            extra = draw(st.sampled_from([[], [3], [2, 3], [1, 3]]))
            term, shape = term[:at] + "..." + term[at:], shape[:at] + extra + shape[at:]
        terms.append(term)
        dtype = draw(st.sampled_from(["i4", "i8", "?", "u1"]))
        operands.append(rng.integers(0, 5, shape).astype(dtype))
    subscripts = ",".join(terms)
    if draw(st.booleans()):
        letters = sorted(set("".join(terms)) - {"."})
        out = "".join(draw(st.permutations(letters))[: draw(st.integers(0, len(letters)))])
        at = draw(st.integers(0, len(out)))
        subscripts += "->" + (out[:at] + "..." + out[at:] if "..." in subscripts else out)
    check(lambda xp: xp.einsum(subscripts, *(xp.asarray(x) for x in operands)), order=False)


@pytest.mark.parametrize("order", ["K", "C", "F", "A"])
@pytest.mark.parametrize(
    "subscripts, shape",
    [
        ("ij", (2, 3)),
        ("ij->ij", (2, 3)),
        ("ij->ji", (2, 3)),
        ("ii->i", (3, 3)),
        ("...ii->...i", (2, 3, 3)),
        ("iij->ji", (3, 3, 2)),
        ("ijk->kji", (2, 3, 1)),
        ("...", (2, 3)),
        ("iii->i", (3, 3, 3)),
        ("ij->i", (2, 3)),
    ],
)
def test_one_operand_is_a_view_where_numpys_is(subscripts, shape, order):
    def look(xp):
        a = xp.zeros(shape)
        result = xp.einsum(subscripts, a, order=order)
        is_view = bool(xp.shares_memory(a, result))
        if is_view:
            result[...] = 1
        return is_view, result.strides if is_view else None, a

    (ours, our_strides, a), (theirs, their_strides, b) = look(cp), look(np)
    assert (ours, our_strides) == (theirs, their_strides)
    assert a.tolist() == b.tolist()
