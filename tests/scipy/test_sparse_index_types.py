"""scipy.sparse.get_index_dtype and safely_cast_index_arrays, compared with SciPy's."""

import numpy as np
import pytest
import scipy.sparse

import gpunp as cp
from gpunp.scipy import sparse

ARRAYS = [
    (),
    ([1, 2],),
    (np.array([1], "i8"),),
    (np.array([1], "i2"),),
    (np.array([2**40]),),
    (np.array([-(2**40), 0]),),
    (np.array([1], "u4"),),
    (np.array([2**32 - 1], "u4"),),
    (np.array([], "i8"),),
    (np.array([1.0]),),
    (np.array([1], "i4"), np.array([2], "i8")),
]


@pytest.mark.parametrize("maxval", [None, 2**31 - 1, 2**31])
@pytest.mark.parametrize("check", [False, True])
def test_get_index_dtype(maxval, check):
    for arrays in ARRAYS:
        want = scipy.sparse.get_index_dtype(arrays, maxval, check)
        moved = tuple(cp.asarray(a) if isinstance(a, np.ndarray) else a for a in arrays)
        assert sparse.get_index_dtype(arrays, maxval, check) is want
        assert sparse.get_index_dtype(moved, maxval, check) is want
        if len(moved) == 1 and isinstance(moved[0], cp.ndarray):
            assert sparse.get_index_dtype(moved[0], maxval, check) is want


@pytest.mark.parametrize("kind", ["bsr", "coo", "csc", "csr", "dia", "dok"])
@pytest.mark.parametrize(("column", "n"), [(4, 500), (400, 500), (4, 5)])
@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64])
def test_safely_cast_index_arrays(kind, column, n, dtype):
    def cast(xp, module):
        a = module.coo_array((xp.ones(1), (xp.asarray([0]), xp.asarray([column]))), shape=(3, n))
        try:
            found = module.safely_cast_index_arrays(a.asformat(kind), dtype, "a test")
        except (TypeError, ValueError) as error:
            return type(error), str(error) if kind != "dok" else ""
        found = found if isinstance(found, tuple) else (found,)
        return [(x.dtype, x.tolist()) for x in found]

    assert cast(cp, sparse) == cast(np, scipy.sparse)


def test_arrays_of_the_type_are_returned_as_they_are():
    a = sparse.csr_array(cp.eye(3))
    indices, indptr = sparse.safely_cast_index_arrays(a, a.indices.dtype)
    assert indices is a.indices and indptr is a.indptr
