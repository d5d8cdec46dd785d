"""Products of matrices: matmul, vecdot, matvec, vecmat, @ and the engine below them."""

import pickle

import cases
import numpy as np
import pytest
from check import assert_raises_same, check, to_numpy
from hypothesis import given, settings
from hypothesis import strategies as st

import gpunp as cp

EPS = {"f2": 2**-11, "f4": 2**-24, "f8": 2**-53, "c8": 2**-23, "c16": 2**-52}


def wide(x):
    """The values in a type that multiplies them without error worth speaking of."""
    x = to_numpy(x)
    kind = "c16" if x.dtype.kind == "c" else "i8" if x.dtype.kind in "iu" else "f8"
    return x if x.dtype.kind == "b" else x.astype(kind)


def assert_product(ours, a, b, operation=np.matmul):
    """`ours` is the product of a and b: exact for integers, within k units of rounding for floats."""
    dtype = a.dtype
    ours = to_numpy(ours)
    assert ours.dtype == dtype
    theirs = operation(wide(a), wide(b))
    assert ours.shape == theirs.shape
    if dtype.kind in "b":
        assert np.array_equal(ours, theirs)
        return
    if dtype.kind in "iu":
        assert np.array_equal(ours, theirs.astype(dtype))
        return
    size = operation(np.abs(wide(a)), np.abs(wide(b)))
    k = a.shape[-1]
    unit = EPS.get(dtype.str[1:], 2**-8)  # bfloat16
    summed = unit if unit < 2**-20 else 2**-24
    bound = (k + 4) * summed * size + 2 * unit * np.abs(theirs) + 1e-30
    assert (np.abs(ours.astype(theirs.dtype) - theirs) <= bound).all()


def pair(dtype, left, right, rng):
    return cases.values(dtype, left, rng), cases.values(dtype, right, rng)


# ---- values ------------------------------------------------------------------------------------

SHAPES = [
    ((5, 7), (7, 3)),
    ((64, 64), (64, 64)),
    ((33, 70), (70, 50)),
    ((130, 20), (20, 97)),
    ((3, 4), (4,)),
    ((4,), (4, 3)),
    ((400,), (400,)),
    ((1, 100), (100, 40)),
    ((40, 100), (100, 1)),
    ((20, 3000), (3000, 20)),
    ((9, 5, 5), (9, 5, 5)),
    ((2, 1, 5, 6), (3, 6, 2)),
    ((2, 0), (0, 3)),
    ((0, 2), (2, 3)),
    ((0, 2, 3), (3, 2)),
]


@pytest.mark.parametrize("dtype", cases.DTYPES, ids=str)
def test_matmul_values(dtype, rng):
    for left, right in SHAPES:
        a, b = pair(dtype, left, right, rng)
        assert_product(cp.matmul(cp.asarray(a), cp.asarray(b)), a, b)


@pytest.mark.parametrize(
    "dtype, left, right",
    cases.crossed(
        ["f4", "?", "i1", "f2", "f8", "c8", "c16"],
        [*cases.LAYOUTS],
        ["c", "f", "strided", "reversed"],
        differing=2,
    ),
)
def test_matmul_layouts(dtype, left, right, rng):
    a, b = pair(np.dtype(dtype), (40, 36), (36, 44), rng)
    x, y = cases.arrange(cp, a, left), cases.arrange(cp, b, right)
    assert_product(x @ y, to_numpy(x), to_numpy(y))


@pytest.mark.parametrize("shape", [(129, 140, 4200), (200, 300, 40), (2, 300, 300), (300, 2, 300)])
def test_matmul_by_every_kernel(shape, rng):
    m, n, k = shape
    a, b = pair(np.dtype("f4"), (m, k), (k, n), rng)
    for x in (cp.asarray(a), cp.asarray(np.ascontiguousarray(a.T)).T):
        for y in (cp.asarray(b), cp.asarray(np.ascontiguousarray(b.T)).T):
            assert_product(x @ y, a, b)


def test_long_sums_are_split_and_repeat(rng):
    a = cases.values("f4", 1 << 20, rng)
    x = cp.asarray(a)
    first = cp.vecdot(x, x).get()
    assert_product(first, a, a, np.vecdot)
    assert all(cp.vecdot(x, x).get() == first for _ in range(3))
    b = cases.values("f4", (24, 40000), rng)
    y = cp.asarray(b)
    assert np.array_equal((y @ y.T).get(), (y @ y.T).get())


def test_integers_wrap_around():
    for dtype in cases.INTEGERS:
        top = np.full((3, 3), np.iinfo(dtype).max, dtype)
        check(lambda xp, top=top: xp.matmul(xp.asarray(top), xp.asarray(top)))


def test_not_a_number_and_infinity_spread():
    a = np.eye(40, dtype="f4")
    a[3, 5], a[7, 7] = np.nan, np.inf
    with np.errstate(invalid="ignore"):
        check(lambda xp: xp.matmul(xp.asarray(a), xp.ones((40, 40), "f4")))
        check(lambda xp: xp.matmul(xp.asarray(a[:, :33]), xp.ones((33, 3), "f4")))


@pytest.mark.parametrize(
    "types", [("f4", "f8"), ("i1", "u1"), ("i8", "u8"), ("?", "f2"), ("f4", "c8")]
)
def test_mixed_types(types, rng):
    a, b = cases.values(types[0], (6, 5), rng), cases.values(types[1], (5, 4), rng)
    check(lambda xp: xp.matmul(xp.asarray(a), xp.asarray(b)), rtol=1e-5, atol=1e-5)


def test_bfloat16_stays_bfloat16(rng):
    a, b = pair(cases.BFLOAT16, (20, 30), (30, 10), rng)
    assert_product(cp.asarray(a) @ cp.asarray(b), a, b)


def test_vecdot_and_vecmat_conjugate_the_first(rng):
    a, b = pair(np.dtype("c16"), (4, 5), (4, 5), rng)
    check(lambda xp: xp.vecdot(xp.asarray(a), xp.asarray(b)), rtol=1e-12)
    check(lambda xp: xp.vecmat(xp.asarray(a), xp.asarray(b.T)), rtol=1e-12)
    check(lambda xp: xp.matvec(xp.asarray(a), xp.asarray(b[0])), rtol=1e-12)
    check(lambda xp: xp.vecdot(xp.asarray(a), xp.asarray(b), axis=0), rtol=1e-12)
    for axis in [(0,), (0, 1), [0], "a"]:
        check(lambda xp, axis=axis: xp.vecdot(xp.asarray(a), xp.asarray(b), axis=axis))


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_shapes_and_strides(data):
    """Random batches, broadcast, steps and directions against NumPy, in int32: exact."""
    draw = data.draw
    m, n, k = (draw(st.integers(0, 20)) for _ in range(3))
    batch = draw(st.lists(st.integers(0, 3), max_size=3))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))

    def operand(shape):
        ones = [draw(st.booleans()) for _ in batch]
        shape = [1 if one else size for one, size in zip(ones, batch, strict=True)] + shape
        steps = [draw(st.sampled_from([1, 1, 2, -1])) for _ in shape]
        order = draw(st.permutations(range(len(shape))))
        stored = [shape[i] * abs(steps[i]) for i in order]
        values = rng.integers(-9, 9, stored).astype("i4")
        key = tuple(slice(None, None, steps[i]) for i in order)
        back = np.argsort(order)
        return values, lambda x: x[key].transpose(back)[tuple(slice(n) for n in shape)]

    (a, view_a), (b, view_b) = operand([m, k]), operand([k, n])
    check(lambda xp: xp.matmul(view_a(xp.asarray(a)), view_b(xp.asarray(b))), order=False)


# ---- results given ------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "c16"])
def test_out(order, dtype, rng):
    a, b = pair(np.dtype("f8"), (6, 7), (7, 5), rng)

    def body(xp):
        out = xp.zeros((6, 5), dtype, order)
        assert xp.matmul(xp.asarray(a), xp.asarray(b), out=out) is out
        return out

    check(body, rtol=1e-6)


def test_out_of_any_strides_and_larger_batch(rng):
    a, b = pair(np.dtype("f8"), (6, 7), (7, 5), rng)

    def body(xp):
        whole = xp.zeros((3, 12, 10))
        xp.matmul(xp.asarray(a), xp.asarray(b), out=whole[:, ::2, ::-2])
        return whole

    check(body, rtol=1e-12)


def test_out_that_is_an_input(rng):
    a = cases.values("f8", (6, 6), rng)

    def body(xp, view):
        x = xp.asarray(a.copy())
        xp.matmul(x, x, out=view(x))
        return x

    check(lambda xp: body(xp, lambda x: x), rtol=1e-12)
    check(lambda xp: body(xp, lambda x: x.T), rtol=1e-12)


def test_in_place(rng):
    a, b = pair(np.dtype("f8"), (4, 6), (6, 6), rng)

    def body(xp, x, y):
        x, y = xp.asarray(x), xp.asarray(y)
        x @= y
        return x

    check(lambda xp: body(xp, a.copy(), b), rtol=1e-12)
    check(lambda xp: body(xp, a[0].copy(), b), rtol=1e-12)
    check(lambda xp: body(xp, a.copy(), b[:, :5]))
    check(lambda xp: body(xp, b.copy(), a[0]))
    check(lambda xp: body(xp, b.astype("i4"), b))


@pytest.mark.parametrize(
    "keywords",
    [
        {"axes": [(0, 1), (0, 1), (1, 0)]},
        {"axes": [(-1, -2), (1, 0), (0, 1)]},
        {"dtype": "f4"},
        {"dtype": "c16"},
        {"dtype": "i4"},
        {"dtype": "i4", "casting": "unsafe"},
        {"signature": "ff->f"},
        {"order": "F"},
        {"axis": 1},
        {"keepdims": True},
        {"axes": [(0, 1), (0, 1)]},
        {"axes": [(0, 1), 0, (0, 1)]},
        {"axes": [(0, 0), (0, 1), (0, 1)]},
        {"axes": ((0, 1), (0, 1), (0, 1))},
        {"where": True},
        {"nothing": 1},
    ],
    ids=str,
)
def test_matmul_keywords(keywords, rng):
    a, b = pair(np.dtype("f8"), (3, 3), (3, 3), rng)
    check(lambda xp: xp.matmul(xp.asarray(a), xp.asarray(b), **keywords), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "keywords",
    [
        {"axis": 0},
        {"axis": 0, "keepdims": True},
        {"axis": 5},
        {"axes": [0, 0]},
        {"axes": [0, 0, ()]},
        {"axes": [1, 1, -1], "keepdims": True},
        {"axes": [1, 1, 1]},
        {"axes": [1, 1], "axis": 1},
        {"axes": [1]},
    ],
    ids=str,
)
def test_vecdot_keywords(keywords, rng):
    a, b = pair(np.dtype("f8"), (4, 4), (4, 4), rng)
    check(lambda xp: xp.vecdot(xp.asarray(a), xp.asarray(b), **keywords), rtol=1e-12)


# ---- errors -------------------------------------------------------------------------------------

BAD = [
    lambda xp: xp.matmul(xp.ones((2, 3)), 2),
    lambda xp: 2 @ xp.ones((2, 3)),
    lambda xp: xp.matmul(xp.ones((2, 3)), xp.ones((2, 3))),
    lambda xp: xp.matmul(xp.ones((2, 3, 3)), xp.ones((3, 3, 3))),
    lambda xp: xp.matmul(xp.ones((2, 3)), xp.ones((3, 4)), out=xp.ones((2, 5))),
    lambda xp: xp.matmul(xp.ones((2, 2, 3)), xp.ones((3, 4)), out=xp.ones((5, 2, 4))),
    lambda xp: xp.matmul(xp.ones((2, 2, 3)), xp.ones((3, 4)), out=xp.ones((2, 4))),
    lambda xp: xp.matmul(xp.ones((2, 3)), xp.ones((3, 4)), keepdims=True),
    lambda xp: xp.matmul(xp.ones((2, 3)), xp.ones((3, 4)), axis=1),
    lambda xp: xp.vecdot(xp.ones((2, 3)), xp.ones((2, 3)), axes=[1, 1, 1]),
    lambda xp: xp.matvec(xp.ones((2, 3)), xp.ones(4)),
    lambda xp: xp.vecmat(xp.ones(3), xp.ones(4)),
    lambda xp: xp.matmul.reduce(xp.ones(3)),
    lambda xp: xp.matmul.outer(xp.ones(3), xp.ones(3)),
    lambda xp: xp.matmul.at(xp.ones(3), [0], xp.ones(3)),
    lambda xp: xp.matmul(xp.ones(3)),
]


def words(body, xp):
    """What the exception says."""
    try:
        body(xp)
    except Exception as error:
        return str(error)
    raise AssertionError("nothing raised")


@pytest.mark.parametrize("i", range(len(BAD)))
def test_errors_in_numpys_words(i):
    assert_raises_same(BAD[i])
    assert words(BAD[i], cp) == words(BAD[i], np)


def test_host_operands_are_refused():
    for other in (np.ones((2, 2)), [[1.0]]):
        with pytest.raises(TypeError, match="asarray"):
            cp.ones((2, 2)) @ other
        with pytest.raises(TypeError, match="asarray"):
            cp.matmul(other, cp.ones((2, 2)))


def test_numpys_own_function_arrives_here():
    x = cp.ones((2, 2))
    assert isinstance(np.matmul(x, x), cp.ndarray)
    assert isinstance(np.vecdot(x, x), cp.ndarray)


# ---- the objects --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["matmul", "vecdot", "matvec", "vecmat"])
def test_attributes(name):
    ours, theirs = getattr(cp, name), getattr(np, name)
    assert isinstance(ours, cp.ufunc)
    assert repr(ours) == repr(theirs)
    for attribute in ("nin", "nout", "nargs", "identity", "signature", "__name__"):
        assert getattr(ours, attribute) == getattr(theirs, attribute)
    assert "dd->d" in ours.types
    assert pickle.loads(pickle.dumps(ours)) is ours
    assert "numpy." + name in ours.__doc__


@pytest.mark.parametrize("casting", ["no", "equiv", "safe"])
def test_casting_of_inputs(casting):
    ones = np.ones((2, 2))
    for a, b in (("i4", "f8"), ("f8", "f8"), ("f4", "f8")):
        body = lambda xp: xp.matmul(  # noqa: E731
            xp.asarray(ones.astype(a)), xp.asarray(ones.astype(b)), casting=casting
        )
        if casting == "safe" or a == b:
            check(body)
        else:
            assert_raises_same(body)
