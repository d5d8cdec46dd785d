"""Products of sparse arrays of more than two axes, and what changes a matrix in place."""

import numpy as np
import pytest
import scipy.sparse

import gpunp as cp
from gpunp.scipy import sparse

CLASSES = [
    f"{name}_{kind}"
    for name in ("csr", "csc", "coo", "dia", "bsr", "dok", "lil")
    for kind in ("array", "matrix")
]


def dense(rng, shape, dtype="d"):
    return np.where(rng.random(shape) < 0.5, rng.integers(1, 9, shape), 0).astype(dtype)


def outcome(body):
    try:
        return body()
    except Exception as error:
        return error


def assert_like(actual, desired):
    if isinstance(desired, Exception):
        assert isinstance(actual, type(desired)), repr(actual)
        return
    if isinstance(actual, Exception):
        raise actual
    assert sparse.issparse(actual) == scipy.sparse.issparse(desired)
    if sparse.issparse(actual):
        assert type(actual).__name__ == type(desired).__name__
        actual, desired = actual.toarray(), desired.toarray()
    assert actual.shape == desired.shape and actual.dtype == desired.dtype
    np.testing.assert_allclose(actual.get(), desired, rtol=1e-12)


def compare(body, *arrays):
    """`body(sparse module, device array or host array, ...)`; sparse operands it makes itself."""
    actual = outcome(lambda: body(sparse, *map(cp.asarray, arrays)))
    assert_like(actual, outcome(lambda: body(scipy.sparse, *arrays)))


SHAPES = [
    ((2, 3, 4), (4,)),
    ((2, 3, 4), (4, 5)),
    ((2, 3, 4), (2, 4, 3)),
    ((2, 3, 4), (1, 4, 3)),
    ((1, 3, 4), (2, 4, 3)),
    ((3, 4), (2, 4, 3)),
    ((3,), (2, 3, 4)),
    ((2, 1, 3, 4), (5, 4, 2)),
    ((0, 3, 4), (4, 5)),
    ((2, 3, 0), (0, 5)),
    ((2, 3, 4), (3, 4, 3)),
    ((2, 3, 4), (3, 4)),
]


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("which", ["sparse@sparse", "sparse@dense", "dense@sparse"])
def test_matrix_products_of_stacks(which, shapes, rng):
    left, right = (kind == "sparse" for kind in which.split("@"))
    compare(
        lambda s, a, b: (s.coo_array(a) if left else a) @ (s.coo_array(b) if right else b),
        *(dense(rng, shape) for shape in shapes),
    )


AXES = [
    ((2, 3, 4), (4, 5), 1),
    ((2, 3, 4), (4, 5), ([2], [0])),
    ((2, 3, 4), (2, 4, 3), ([0, 2], [0, 1])),
    ((2, 3, 4), (2, 4, 3), ([0, -1], [0, -2])),
    ((2, 3, 4), (2, 3, 4), 3),
    ((2, 3, 4), (3, 4), 2),
    ((2, 3, 4), (4,), 1),
    ((2, 3, 4), (4, 5), 2),
    ((2, 3, 4), (4, 5), 5),
    ((2, 3, 4), (4, 5), ((2,), (0, 1))),
    ((2, 3, 4), (4, 5), ((5,), (0,))),
]


@pytest.mark.parametrize("a, b, axes", AXES, ids=str)
@pytest.mark.parametrize("is_sparse", [True, False])
def test_tensordot(a, b, axes, is_sparse, rng):
    compare(
        lambda s, x, y: s.coo_array(x).tensordot(s.coo_array(y) if is_sparse else y, axes),
        dense(rng, a),
        dense(rng, b),
    )


def test_outer_product(rng):
    """As NumPy's; SciPy refuses it."""
    x, y = dense(rng, (2, 3)), dense(rng, (4, 5))
    actual = sparse.coo_array(cp.asarray(x)).tensordot(sparse.coo_array(cp.asarray(y)), 0)
    np.testing.assert_array_equal(actual.toarray().get(), np.tensordot(x, y, 0))


def test_dot_of_stacks(rng):
    x = dense(rng, (2, 3, 4))
    for other in (dense(rng, (4, 5)), dense(rng, 4), dense(rng, (2, 4, 3))):
        compare(lambda s, a, b: s.coo_array(a).dot(s.coo_array(b)), x, other)
        compare(lambda s, a, b: s.coo_array(a).dot(b), x, other)
    compare(lambda s, a: s.coo_array(a).dot(3), x)


@pytest.mark.parametrize("dtype", ["f", "F", "i"])
def test_dtypes_of_stacks(dtype, rng):
    a, b = dense(rng, (2, 3, 4), dtype), dense(rng, (2, 4, 3), dtype)
    compare(lambda s, x, y: s.coo_array(x) @ s.coo_array(y), a, b)
    compare(lambda s, x, y: s.coo_array(x) @ y, a, b)


# ---- in place ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize(
    "dtype, factor", [("d", 2.5), ("i", 2), ("i", 2.5), ("F", 2j)], ids=lambda v: str(v)
)
@pytest.mark.parametrize("operation", ["__imul__", "__itruediv__"])
def test_scaling_in_place(name, dtype, factor, operation, rng):
    def body(s, x):
        made = getattr(s, name)(x)
        assert getattr(made, operation)(factor) is made
        return made

    compare(body, dense(rng, (4, 6), dtype))


def test_scaling_by_an_array_makes_another():
    a = b = sparse.csr_array(cp.eye(3))
    a *= cp.arange(3.0)
    assert a is not b
    cp.testing.assert_array_equal(b.toarray(), cp.eye(3))


@pytest.mark.parametrize("name", ["dia_array", "bsr_array", "csr_array", "coo_matrix"])
@pytest.mark.parametrize("shape", [(2, 4), (8, 8), (4, 2), (6, 4)])
def test_resize(name, shape, rng):
    def body(s, x):
        made = getattr(s, name)(x)
        made.resize(*shape)
        return made

    compare(body, dense(rng, (4, 6)))


def test_resize_to_no_multiple_of_a_block():
    a = sparse.bsr_array(cp.ones((4, 4)), blocksize=(2, 2))
    with pytest.raises(ValueError, match="divisible"):
        a.resize(3, 4)


def blocks(s, xp):
    data = xp.arange(16.0).reshape(4, 2, 2)
    return s.bsr_array((data, xp.asarray([1, 0, 1, 1]), xp.asarray([0, 2, 4])), shape=(4, 4))


def test_order_of_blocks():
    for change in ("sort_indices", "sum_duplicates", "prune", "check_format"):
        ours, theirs = blocks(sparse, cp), blocks(scipy.sparse, np)
        assert not ours.has_sorted_indices and not ours.has_canonical_format
        getattr(ours, change)()
        getattr(theirs, change)()
        if change != "prune":
            assert ours.has_canonical_format == (change == "sum_duplicates")
        for part in ("data", "indices", "indptr") if change != "check_format" else ():
            np.testing.assert_array_equal(getattr(ours, part).get(), getattr(theirs, part))
    assert blocks(sparse, cp).sorted_indices().has_sorted_indices
    wrong = blocks(sparse, cp)
    wrong.indices[0] = 7
    with pytest.raises(ValueError):
        wrong.check_format()


def test_dictionary_of_keys(rng):
    x = dense(rng, (3, 4))
    ours, theirs = sparse.dok_array(cp.asarray(x)), scipy.sparse.dok_array(x)
    key = next(iter(theirs.keys()))
    steps = [
        lambda d: list(d.keys()),
        lambda d: list(d.values()),
        lambda d: [value for _, value in d.items()],
        lambda d: key in d,
        lambda d: d.setdefault(key, 5),
        lambda d: d.pop(key),
        lambda d: d.setdefault(key, 5),
        lambda d: d.pop((7, 7), None),
        lambda d: d.popitem(),
        lambda d: d.update({(0, 0): 4.0}),
        len,
        lambda d: d.__delitem__((0, 0)),
        lambda d: d.toarray().tolist(),
        lambda d: d.clear(),
        len,
    ]
    for step in steps:
        actual, desired = step(ours), step(theirs)
        assert actual == desired
    made = sparse.dok_array.fromkeys([(0, 1), (2, 3)], 4.0)
    assert isinstance(made, sparse.dok_array) and made.shape == (3, 4)


def test_classes_take_a_parameter():
    assert repr(sparse.csr_array[int]).endswith("csr_array[int]")
