"""dot, vdot, inner, tensordot and numpy.linalg's products."""

import cases
import numpy as np
import pytest
from check import check

CLOSE = {"rtol": 1e-5, "atol": 1e-4}


def made(xp, shape, dtype="f8"):
    return xp.asarray(cases.values(dtype, shape, np.random.default_rng(0)))


@pytest.mark.parametrize("dtype", cases.NUMPY_DTYPES, ids=str)
def test_dot_of_every_dtype(dtype):
    tolerance = {"rtol": 2e-2, "atol": 1e-1} if dtype == "f2" else CLOSE
    check(lambda xp: xp.dot(made(xp, (5, 6), dtype), made(xp, (6, 4), dtype)), **tolerance)
    check(lambda xp: xp.vdot(made(xp, (5, 6), dtype), made(xp, (6, 5), dtype)), **tolerance)


@pytest.mark.parametrize(
    "shapes",
    [
        ((2, 3), (3, 2)),
        ((2, 3), (3,)),
        ((3,), (3, 2)),
        ((3,), (3,)),
        ((), (3, 2)),
        ((3,), ()),
        ((2, 3, 4), (5, 4, 2)),
        ((4,), (5, 4, 2)),
        ((2, 3, 4), (4,)),
        ((2, 3, 4), (2, 1, 4, 3)),
        ((2, 0), (0, 3)),
        ((2, 3), (2, 3)),
        ((2, 3, 4), (5, 3, 2)),
    ],
    ids=str,
)
def test_dot_and_inner_shapes(shapes):
    left, right = shapes
    check(lambda xp: xp.dot(made(xp, left), made(xp, right)), **CLOSE)
    check(lambda xp: made(xp, left).dot(made(xp, right)), **CLOSE)
    turned = right[:-2] + right[:-3:-1] if len(right) > 1 else right
    check(lambda xp: xp.inner(made(xp, left), made(xp, turned)), **CLOSE)
    check(lambda xp: xp.inner(made(xp, left), made(xp, right)), **CLOSE)
    check(lambda xp: xp.vdot(made(xp, left), made(xp, right)), **CLOSE)


@pytest.mark.parametrize(
    "out", [((2, 2), "f8"), ((2, 2), "f4"), ((2, 3), "f8"), ((4,), "f8")], ids=str
)
def test_dot_out(out):
    def body(xp):
        result = xp.zeros(*out)
        assert xp.dot(made(xp, (2, 3)), made(xp, (3, 2)), out=result) is result
        return result

    check(body, **CLOSE)


def test_vdot_conjugates_and_flattens():
    check(lambda xp: xp.vdot(made(xp, (2, 3), "c8"), made(xp, (3, 2), "c8")), **CLOSE)
    check(lambda xp: xp.vdot(made(xp, (2, 3)), made(xp, (4,))))
    check(lambda xp: xp.vdot(2, 3))


@pytest.mark.parametrize(
    "axes",
    [
        0,
        1,
        2,
        3,
        ([2, 1], [0, 2]),
        (1, 2),
        ([0, 1], [0]),
        ([-1], [0]),
        ([0, 0], [0, 1]),
        ([7], [0]),
    ],
    ids=str,
)
def test_tensordot(axes):
    check(lambda xp: xp.tensordot(made(xp, (2, 3, 4)), made(xp, (4, 5, 3)), axes), **CLOSE)
    check(lambda xp: xp.tensordot(made(xp, (5, 3, 4)), made(xp, (3, 4, 2)), axes), **CLOSE)
    check(lambda xp: xp.linalg.tensordot(made(xp, (2, 2)), made(xp, (2, 2)), axes=axes), **CLOSE)


def test_dot_of_transposed_arrays():
    check(lambda xp: xp.dot(made(xp, (6, 5)).T, made(xp, (4, 6)).T), order=False, **CLOSE)
    check(
        lambda xp: xp.dot(made(xp, (6, 5))[::2].T, made(xp, (4, 6))[:, ::-2].T),
        order=False,
        **CLOSE,
    )


# ---- numpy.linalg ---------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 2.5])
@pytest.mark.parametrize("shape", [(2, 2), (4, 3, 3), (2, 3), (2,)], ids=str)
def test_matrix_power(n, shape):
    check(lambda xp: xp.linalg.matrix_power(made(xp, shape), n), rtol=1e-10, atol=1e-8)
    check(lambda xp: xp.linalg.matrix_power(made(xp, shape, "i4"), n))


@pytest.mark.parametrize(
    "shapes",
    [
        [(2, 3)],
        [(2, 3), (3, 4)],
        [(2, 3), (3, 40), (40, 5)],
        [(2, 30), (30, 4), (4, 50), (50, 6)],
        [(2,), (2, 4), (4, 5), (5,)],
        [(2,), (2, 4), (4, 5)],
        [(3, 2), (2, 4), (4,)],
        [(3, 2), (2, 4, 4), (4, 2)],
    ],
    ids=str,
)
def test_multi_dot(shapes):
    check(lambda xp: xp.linalg.multi_dot([made(xp, s) for s in shapes]), **CLOSE)


def test_multi_dot_out():
    def body(xp, shape):
        out = xp.zeros(shape)
        xp.linalg.multi_dot([made(xp, s) for s in [(3, 2), (2, 4), (4, 5)]], out=out)
        return out

    check(lambda xp: body(xp, (3, 5)), **CLOSE)
    check(lambda xp: body(xp, (5, 3)))


@pytest.mark.parametrize(
    "body",
    [
        lambda xp: xp.linalg.outer(made(xp, 2), made(xp, 3)),
        lambda xp: xp.linalg.outer(made(xp, (2, 2)), made(xp, 3)),
        lambda xp: xp.linalg.cross(made(xp, (2, 3)), made(xp, (2, 3))),
        lambda xp: xp.linalg.cross(made(xp, (3, 2)), made(xp, (3, 2)), axis=0),
        lambda xp: xp.linalg.cross(made(xp, (2, 2)), made(xp, (2, 2))),
        lambda xp: xp.linalg.trace(made(xp, (4, 3, 3)), offset=1),
        lambda xp: xp.linalg.trace(made(xp, (4, 3, 3), "i1"), dtype="f4"),
        lambda xp: xp.linalg.diagonal(made(xp, (4, 3, 2)), offset=-1),
        lambda xp: xp.linalg.vecdot(made(xp, (4, 3), "c8"), made(xp, (4, 3), "c8"), axis=0),
        lambda xp: xp.linalg.matmul(made(xp, (4, 3)), made(xp, (3, 2))),
    ],
)
def test_linalg_namespace(body):
    check(body, **CLOSE)
