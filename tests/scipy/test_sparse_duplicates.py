"""Elements that are stored in parts: functions see their sums, as SciPy's do."""

import numpy as np
import pytest
import scipy.sparse
from check import assert_same

import gpunp as cp
from gpunp.scipy import sparse

FORMATS = ["csr_array", "csc_matrix", "coo_array", "coo_matrix", "bsr_array"]
VALUES = np.array([1.5, 2, -7, 4, 0.25, -0.5, 3, -3])
FUNCTIONS = [
    "abs(A)",
    "round(A)",
    "A.power(2)",
    "A.power(2, dtype='D')",
    "A.multiply(A)",
    "A.sin()",
    "A.floor()",
    "A.sign()",
    "A.deg2rad()",
    "(A * 1j).real",
    "(A * (1 - 2j)).imag",
    "(A * 1j).imag @ x",
    "A.T.real",
    "A.maximum(A.T)",
    "A.minimum(0)",
    "A / 2",
    "A.multiply(D)",
    "A > 1",
    "A != A.T",
    "A.max(axis=0)",
    "A.min()",
    "A.count_nonzero()",
    "A.tocsr().count_nonzero(axis=0)",
    "A.tocsc().count_nonzero(axis=1)",
    "A.nonzero()",
    "A.sum(0)",
    "A.mean(1)",
    "A.argmax(axis=1)",
    "A.diagonal()",
    "A.tocsr()[1]",
    "A.tocsr()[:, [0, 1]]",
    "A.astype('i4')",
    "A.tocoo().tocsr()",
    "A.todia()",
    "A.tolil()",
    "A @ A",
    "A @ x",
]


def stored_in_parts(xp, module, name):
    """A matrix of three rows: unsorted, three elements in several parts, one of sum zero."""
    rows = xp.asarray([0, 0, 1, 1, 2, 2, 0, 0], dtype=np.int32)
    columns = xp.asarray([2, 2, 1, 1, 0, 2, 0, 0], dtype=np.int32)
    coo = module.coo_array((xp.asarray(VALUES), (rows, columns)), shape=(3, 3))
    if name.startswith("coo"):
        return getattr(module, name)(coo)
    indptr = xp.asarray([0, 4, 6, 8], dtype=np.int32)
    order = xp.asarray([0, 1, 6, 7, 2, 3, 4, 5])
    values = coo.data[order]
    if name.startswith("bsr"):
        values = values.reshape(-1, 1, 1)
    return getattr(module, name)((values, columns[order], indptr), shape=(3, 3))


def outcome(xp, module, name, expression):
    """What an expression gives, sparse results as dense ones, or the type of its exception."""
    dense = xp.arange(9.0).reshape(3, 3)
    names = {"A": stored_in_parts(xp, module, name), "D": dense, "x": dense[0]}
    try:
        found = eval(expression, names)
    except (NotImplementedError, TypeError, AttributeError, ValueError) as error:
        return type(error).__name__
    return found.toarray() if module.issparse(found) else found


@pytest.mark.parametrize("expression", FUNCTIONS)
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
def test_elements_in_parts(name, expression):
    theirs = outcome(np, scipy.sparse, name, expression)
    theirs = np.asarray(theirs) if isinstance(theirs, np.matrix) else theirs
    ours = outcome(cp, sparse, name, expression)
    assert_same(ours, theirs, atol=1e-15 * ("mean" in expression), order=False, zero_sign=False)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda xp, sp: sp.bsr_array(xp.ones(3)),
        lambda xp, sp: sp.bsr_array(xp.ones((2, 2, 2))),
        lambda xp, sp: sp.coo_array(xp.ones(3)).todia(),
        lambda xp, sp: sp.coo_array(xp.ones(3)).tobsr(),
        lambda xp, sp: sp.coo_array(xp.ones((2, 2, 2))).todia(),
        lambda xp, sp: sp.coo_array(xp.ones(3)).diagonal(),
        lambda xp, sp: sp.csr_array(xp.ones(3)).diagonal(),
    ],
)
def test_other_numbers_of_axes(wrong):
    with pytest.raises(ValueError, match="two|2|support|1d"):
        wrong(np, scipy.sparse)
    with pytest.raises(ValueError, match="two dimensions|must be 2D"):
        wrong(cp, sparse)


@pytest.mark.parametrize("blocksize", [(1, 1), (1, 1, 1), (2, 4)])
def test_blocks_of_another_size_than_the_values(blocksize):
    for xp, module in ((np, scipy.sparse), (cp, sparse)):
        parts = xp.ones((2, 2, 2)), xp.arange(2), xp.asarray([0, 2])
        with pytest.raises(ValueError, match="blocksize"):
            module.bsr_array(parts, blocksize=blocksize)
        assert module.bsr_array(parts, blocksize=[2, 2]).blocksize == (2, 2)


@pytest.mark.parametrize(
    "function",
    [
        lambda xp, sp: sp.permute_dims(sp.coo_array(xp.eye(2)), axes=(0, 1)),
        lambda xp, sp: sp.permute_dims(sp.coo_array(xp.eye(2)), axes=(1, 0)),
        lambda xp, sp: sp.expand_dims(sp.coo_array(xp.eye(2)), axis=1),
        lambda xp, sp: sp.expand_dims(sp.coo_array(xp.eye(2)).T, axis=1),
    ],
)
def test_order_of_coordinates_is_known_after(function):
    ours, theirs = function(cp, sparse), function(np, scipy.sparse)
    assert ours.has_canonical_format == theirs.has_canonical_format
    assert_same(ours.toarray(), theirs.toarray(), order=False)
