"""Keys of sparse matrices and what else SciPy's own tests of them found: SciPy's results."""

import itertools
import operator
import warnings

import numpy as np
import pytest
import scipy.sparse.linalg

import gpunp as cp
import gpunp.scipy.sparse.linalg
from gpunp.scipy import sparse

WHOLE = slice(None)
RNG = np.random.default_rng(41)
DENSE = RNG.integers(1, 9, (4, 5)) * (RNG.random((4, 5)) > 0.4)
SOLID = RNG.integers(1, 9, (3, 4, 5)) * (RNG.random((3, 4, 5)) > 0.4)
KINDS = ["csr_array", "csr_matrix", "csc_array", "csc_matrix", "coo_array"]


def on_host(x):
    """(values, format) of a selection, or the class of an error."""
    form = getattr(x, "format", "dense")
    x = x.toarray() if hasattr(x, "toarray") else x
    return np.asarray(x.get() if isinstance(x, cp.ndarray) else x), form


def outcome(body, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return body(*args)
        except (IndexError, ValueError, TypeError) as error:
            return type(error)


def assert_same(ours, theirs, key):
    if isinstance(theirs, type) or isinstance(ours, type):
        assert ours is theirs, (key, ours, theirs)
        return
    assert ours[1] == theirs[1], key
    np.testing.assert_array_equal(ours[0], theirs[0], err_msg=str(key), strict=True)


NEW_AXES = [
    (None, 1, slice(2, 4)),
    (1, None),
    (None, 1),
    (1, WHOLE, None),
    (1, 2, None),
    (None, 1, 2),
    (None, slice(1, 3), 2),
    (slice(1, 3), None, 2),
    (None, None),
    (None, 1, 2, None),
]
ARRAYS = [
    (1, [[1, 3]]),
    ([[1, 3]], 1),
    ([[1, 3], [0, 2]], 2),
    ([[1, 3], [0, 2]], [[0], [4]]),
    ([1, 2], [0, 1, 2]),
    ([[1], [2]], [[0, 4]]),
    ([True, False, True, True], [True, True, False, False, True]),
    ([True, False, True, True], [True, True, False, False, False]),
    (DENSE > 4).tolist(),
    ((DENSE > 4).tolist(), Ellipsis),
    (Ellipsis, (DENSE > 4).tolist()),
    ([True, False, True], 0),
    [[1, 2], [0]],
]
WRONG = ["no", (2, "no"), (Ellipsis, Ellipsis), (Ellipsis, 1, Ellipsis), ({},), (1, 2, 3)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("key", NEW_AXES + ARRAYS + WRONG, ids=str)
def test_selections_are_scipys(key, kind):
    if kind == "coo_array" and key in NEW_AXES:
        expected = DENSE[key], "dense"
        ours = on_host(sparse.coo_array(cp.asarray(DENSE))[key])
        assert_same((ours[0], "dense"), expected, key)
        return
    theirs = outcome(lambda: on_host(getattr(scipy.sparse, kind)(DENSE)[key]))
    ours = outcome(lambda: on_host(getattr(sparse, kind)(cp.asarray(DENSE))[key]))
    assert_same(ours, theirs, key)


def test_new_axes_beside_arrays_are_where_numpy_has_them():
    for kind in ("csr_array", "csc_array", "coo_array"):
        a = getattr(sparse, kind)(cp.asarray(DENSE))
        for key in [(None, [1, 2], [0, 1]), ([1, 2], None, [0, 1]), (None, 1, [0, 3])]:
            made = a[key]
            made = made.toarray() if sparse.issparse(made) else made
            np.testing.assert_array_equal(made.get(), DENSE[key], strict=True)


def test_sparse_masks_select_where_shapes_agree():
    for kind in ("csr_array", "csc_array"):
        a = getattr(sparse, kind)(cp.asarray(DENSE))
        assert (a[a > 4].get() == DENSE[DENSE > 4]).all()
        for key in [(a > 4, 1), a, sparse.csr_array((4, 4), dtype=bool)]:
            with pytest.raises(IndexError):
                a[key]


PARTS = [0, -2, WHOLE, slice(1, None), slice(None, None, -2), [0, 1], [[1, 0], [2, 1]], None, ...]
SOME = list(itertools.product(PARTS, repeat=3))[3::17] + [(np.array(SOLID > 5),)]


def test_keys_of_three_axes_are_numpys():
    a = sparse.coo_array(cp.asarray(SOLID))
    for key in [
        *SOME,
        (1, [True, False, True, True]),
        (0, SOLID[0] > 3),
        (RNG.random((3, 4)) > 0.5, 2),
    ]:
        theirs = outcome(lambda k=key: (SOLID[k], "dense"))
        ours = outcome(lambda k=key: (on_host(a[k])[0], "dense"))
        assert_same(ours, theirs, key)


def test_assignment_to_three_axes_is_numpys():
    for key, value in [
        ((1, WHOLE, 2), 5),
        ((0,), np.arange(20).reshape(4, 5)),
        (([0, 2], WHOLE, [1, 3]), [[1, 2, 3, 4], [5, 6, 7, 8]]),
        ((SOLID > 6,), 0),
        ((2, 3, 4), 9),
    ]:
        a, b = sparse.coo_array(cp.asarray(SOLID)), SOLID.copy()
        a[key] = cp.asarray(value)
        b[key] = value
        np.testing.assert_array_equal(a.toarray().get(), b)
    with pytest.raises(ValueError):
        a[0] = cp.arange(3)


@pytest.mark.parametrize("kind", ["csr_array", "csc_matrix"])
def test_assignments_that_do_not_fit_are_refused(kind):
    a = getattr(sparse, kind)((4, 5))
    for key, value, error in [
        ((0, 0), 3j, TypeError),
        ((0, 0), [1, 2, 3], ValueError),
        ((WHOLE, 1), list(range(9)), ValueError),
        (([1, 2, 3], [0, 1]), 1.0, IndexError),
    ]:
        with pytest.raises(error):
            a[key] = value


def test_comparison_of_three_axes_with_numbers():
    a = sparse.coo_array(cp.asarray(SOLID))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for compare in (operator.le, operator.eq, operator.gt, operator.ne):
            for number in (0, 3, np.nan):
                made = compare(a, number)
                np.testing.assert_array_equal(made.toarray().get(), compare(SOLID, number))


# ---- extremes, operands, types ------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin", "nanmax"])
def test_extremes_beside_an_empty_last_row(name, axis, kind):
    dense = DENSE.copy()
    dense[-1], dense[:, -1] = 0, 0
    dense[-2, -2], dense[0, 0] = 99, -99
    for explicit in (False, True):
        theirs, ours = (
            on_host(getattr(a, name)(axis=axis, explicit=explicit))
            for a in (
                scipy.sparse.csr_array(dense),
                sparse.csr_array(cp.asarray(dense)).asformat(kind),
            )
        )
        np.testing.assert_array_equal(ours[0], theirs[0])


def test_extremes_of_stored_values_are_of_sums_of_duplicates():
    parts = [3, -1, 4], ([0, 0, 1], [1, 1, 0])
    for name in ("min", "max"):
        theirs = getattr(scipy.sparse.csr_array(parts), name)(explicit=True)
        assert getattr(sparse.coo_array(parts), name)(explicit=True) == theirs
    with pytest.raises(ValueError, match="Cannot apply"):
        sparse.csr_array((2, 2)).argmax(explicit=True)


class Other:
    """An operand with operators of its own."""

    def __add__(self, other):
        return "right"

    def __radd__(self, other):
        return "left"

    __sub__ = __mul__ = __matmul__ = __add__
    __rsub__ = __rmul__ = __rmatmul__ = __rtruediv__ = __radd__

    def __lt__(self, other):
        return "less"

    def __eq__(self, other):
        return "equal"

    __hash__ = None


@pytest.mark.parametrize("kind", ["csr_array", "csc_matrix", "coo_array", "dia_array", "lil_array"])
def test_operators_leave_unknown_operands_to_them(kind):
    a, b = getattr(sparse, kind)(cp.asarray(DENSE)), Other()
    assert a + b == a - b == a * b == a @ b == a / b == "left"
    assert b + a == b - a == b * a == b @ a == "right"
    assert (a > b) == "less" and (a == b) == "equal"
    with pytest.raises(TypeError):
        a + object()


def test_flags_that_a_program_sets_are_believed():
    for module, xp in ((scipy.sparse, np), (sparse, cp)):
        parts = xp.array([1, 1]), xp.array([1, 0]), xp.array([0, 2])
        a = module.csr_array(parts).copy()
        a.has_sorted_indices = True
        assert a.has_sorted_indices
        a.sort_indices()
        assert a.indices.tolist() == [1, 0]
        a = module.csr_array((xp.array([1, 1]), xp.array([0, 0]), xp.array([0, 2])))
        a.has_canonical_format = True
        a.sum_duplicates()
        assert a.has_canonical_format and a.nnz == 2
        a.has_canonical_format = False
        a.sum_duplicates()
        assert a.nnz == 1


def test_axes_of_transposes():
    for form in ("csr", "csc", "coo", "bsr", "dia", "lil", "dok"):
        for kind in ("array", "matrix"):
            for axes in (0, (0, 1), (1,), (0, 1, 2), 1.5):
                for library in (scipy.sparse, sparse):
                    a = getattr(library, f"{form}_{kind}")([[0, 2, 0], [1, 0, 3]])
                    if (form, kind, axes) == ("coo", "array", (0, 1)):
                        continue
                    with pytest.raises(ValueError):
                        a.transpose(axes=axes)
                    assert a.transpose(axes=(1, 0)).toarray().tolist() == [[0, 1], [2, 0], [0, 3]]


@pytest.mark.parametrize("kind", ["bsr_array", "bsr_matrix"])
def test_flags_of_blocks_are_believed(kind):
    for library, xp in ((scipy.sparse, np), (sparse, cp)):
        parts = xp.array([[[1.0]], [[2.0]]]), xp.array([1, 0]), xp.array([0, 2])
        a = getattr(library, kind)(parts)
        assert not a.has_sorted_indices and not a.has_canonical_format
        a.has_canonical_format = True
        assert a.has_sorted_indices and a.has_canonical_format
        a.sort_indices()
        assert a.indices.tolist() == [1, 0]
        a.has_sorted_indices = False
        assert not a.has_sorted_indices and not a.has_canonical_format
        a.sort_indices()
        assert a.has_sorted_indices and a.indices.tolist() == [0, 1]
        assert a.data.ravel().tolist() == [2, 1]


@pytest.mark.parametrize("kind", ["bsr_array", "bsr_matrix"])
def test_blocks_have_no_items(kind):
    for library in (scipy.sparse, sparse):
        a = getattr(library, kind)(np.eye(4).tolist())
        for key in (0, (0, 0), (slice(1), 1)):
            with pytest.raises(NotImplementedError):
                a[key]
            with pytest.raises(NotImplementedError):
                a[key] = 1
        with pytest.raises(NotImplementedError):
            list(a)


@pytest.mark.parametrize("name", ["indices", "indptr"])
def test_index_arrays_of_two_types(name):
    for kind in ("csr_array", "csc_array"):
        a = getattr(sparse, kind)(cp.asarray(DENSE))
        setattr(a, name, getattr(a, name).astype("i8"))
        assert (a[[1, 3]].toarray().get() == DENSE[[1, 3]]).all()
        b = getattr(sparse, kind)(cp.asarray(DENSE))
        setattr(b, name, getattr(b, name).astype("i8"))
        assert ((b @ cp.arange(5)).get() == DENSE @ np.arange(5)).all()
        assert ((b.T @ cp.arange(4)).get() == DENSE.T @ np.arange(4)).all()
        assert ((b + a).toarray().get() == 2 * DENSE).all()


def test_lists_of_large_integers_keep_their_digits():
    a = sparse.csr_array(([2**63 + 1, 1], ([0, 1], [0, 1])), dtype=np.uint64)
    assert a.toarray().tolist() == [[2**63 + 1, 0], [0, 1]]


def test_wide_shapes_have_wide_indices():
    parts = cp.zeros(0), cp.zeros(0, "i4"), cp.zeros(2, "i4")
    assert sparse.csr_array(parts, shape=(1, 2**31)).indptr.dtype == np.int64
    assert sparse.csr_array(parts, shape=(1, 2**31 - 1)).indptr.dtype == np.int32


def test_dense_formats_and_outputs_of_another_shape():
    a = sparse.csr_array(cp.asarray(DENSE))
    assert (a.asformat("array").get() == DENSE).all()
    assert (a.asformat("dense").get() == DENSE).all()
    with pytest.raises(ValueError, match="output parameter"):
        a.mean(out=cp.zeros(1))


# ---- several axes, shapes, blocks ---------------------------------------------------------------

AXES = [None, 0, 1, -1, (0, 1), (0, 2), (2, 1), (0, 1, 2), (-2,)]


@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "nanmin"])
def test_reductions_of_three_axes_are_scipys(name, axis):
    theirs = getattr(scipy.sparse.coo_array(SOLID - 2), name)(axis=axis)
    ours = getattr(sparse.coo_array(cp.asarray(SOLID - 2)), name)(axis=axis)
    (ours, form), (theirs, wanted) = on_host(ours), on_host(theirs)
    assert (form, ours.shape, ours.dtype) == (wanted, theirs.shape, theirs.dtype)
    np.testing.assert_allclose(ours, theirs, rtol=1e-14)


@pytest.mark.parametrize("axis", [None, 0, 2, (0, 2), (2, 0)], ids=str)
@pytest.mark.parametrize("explicit", [False, True])
def test_places_of_extremes_of_three_axes_are_scipys(axis, explicit):
    explicit = explicit and axis is not None  # SciPy's is a position among the stored values then
    for name in ("argmax", "argmin"):
        theirs = getattr(scipy.sparse.coo_array(SOLID), name)(axis=axis, explicit=explicit)
        ours = getattr(sparse.coo_array(cp.asarray(SOLID)), name)(axis=axis, explicit=explicit)
        np.testing.assert_array_equal(on_host(ours)[0], theirs)


def test_counts_of_three_axes_are_numpys():
    a = sparse.coo_array(cp.asarray(SOLID))
    for axis in (0, 1, 2):
        expected = np.count_nonzero(SOLID, axis)
        np.testing.assert_array_equal(a.count_nonzero(axis).get(), expected)
    assert int(a.minimum(3).sum()) == np.minimum(SOLID, 3).sum()
    assert (a.maximum(-1).toarray().get() == SOLID).all()


@pytest.mark.parametrize("shape", [(2, 2), (4, 1), (3, 4), (6,), (2,)])
def test_resize_to_another_number_of_axes_keeps_the_order(shape):
    for dense in ([1, 0, 3], [[1, 0, 3], [4, 0, 0]]):
        a, b = sparse.coo_array(dense), np.array(dense)
        if len(shape) == b.ndim:
            continue
        a.resize(shape)
        b.resize(shape, refcheck=False)
        np.testing.assert_array_equal(a.toarray().get(), b, strict=True)


def test_reshape_copies_where_it_is_told_to():
    a = sparse.coo_array(cp.asarray(DENSE))
    made = a.reshape((2, 10), copy=True)
    made.data[...] = 0
    assert (a.toarray().get() == DENSE).all()


BLOCKS = [
    "s.kron(s.coo_array([1,2,0]),s.coo_array([[1,0],[2,3]]))",
    "s.kron(s.coo_array([1,2,0]),s.coo_array([2,3]))",
    "s.kron(s.coo_array([[[1,2]]]),s.coo_array([[0,3],[1,1]]),format='coo')",
    "s.block_diag([s.coo_array([1,0,3]),s.coo_array([0,4])])",
    "s.hstack([s.csr_array([1,0,0]),s.csr_array([[5]])])",
    "s.vstack([s.csr_array([1,0,0]),s.csr_array([0,2,0])])",
    "s.vstack([s.coo_array([1,0,0]),s.csr_array([1,0,0])])",
    "s.kronsum(s.coo_array([1,2]),s.coo_array([[1]]))",
    "s.dia_array([1,2,3])",
    "s.eye(3,5,k=-4)",
    "s.eye_array(3,k=4)",
    "s.eye_array(3,k=-3)",
    "s.coo_array([[1,5]]).dot([[[1,2],[3,4]],[[5,6],[7,8]]])",
    "s.csr_matrix([[1,2],[0,3]]).getcol(1)",
    "s.coo_matrix([[1,2],[0,3]]).getcol(1)",
    "s.bsr_matrix([[1,2],[0,3]]).getcol(0)",
    "s.lil_matrix([[1,2],[0,3]]).getcol(0)",
    "s.csr_array([1,2]).sum(axis=1.5)",
    "s.csr_array([[2+3j,4]],dtype='i2')",
    "s.diags([1,2,3],1,(3,5))",
    "s.diags_array([[1,2,3],[4,5]],offsets=[2,-1],shape=(3,6))",
    "s.diags([[1,2,3],[4]],[-1,3],(5,4))",
    "s.diags([[1,2]],[1],(3,5))",
]


@pytest.mark.parametrize("expression", BLOCKS)
def test_blocks_and_shapes_are_scipys(expression):
    theirs = outcome(lambda: on_host(eval(expression, {"s": scipy.sparse})))
    ours = outcome(lambda: on_host(eval(expression, {"s": sparse})))
    assert_same(ours, theirs, expression)


def test_wide_indices_of_blocks_stay_wide():
    a = sparse.csr_array([[1, 0], [0, 1]])
    a.indptr, a.indices = a.indptr.astype("i8"), a.indices.astype("i8")
    assert sparse.vstack([a, a]).indptr.dtype == np.int64
    assert sparse.block_diag([a, a.tocoo()]).coords[0].dtype == np.int64


def test_dictionaries_of_keys_are_dictionaries():
    a = sparse.dok_matrix([[1, 2], [0, 3]])
    assert a.get((0, 1)) == 2 and a.get((1, 0), 7) == 7
    assert a | {(1, 0): 5} == {(0, 0): 1, (0, 1): 2, (1, 1): 3, (1, 0): 5}
    assert {(1, 0): 5} | a == a | {(1, 0): 5} and a | a == dict(a.items())
    a |= {(1, 0): 5}
    assert a[1, 0] == 5 and list(reversed(a)) == list(reversed(list(a.keys())))
    b = sparse.dok_array((2, 2))
    b.update(a)
    assert (b.toarray() == a.toarray()).all()
    for wrong in (reversed, lambda x: x | x):
        with pytest.raises(TypeError):
            wrong(b)


def test_lists_of_rows_are_added_to_in_place():
    for kind in ("lil_array", "lil_matrix"):
        a = before = getattr(sparse, kind)(DENSE)
        a += sparse.csr_array(cp.asarray(DENSE))
        assert a is before and a.tolil() is a and a.tolil(copy=True) is not a
        assert (a.toarray().get() == 2 * DENSE).all()
        a -= cp.asarray(DENSE)
        assert a is before and (a.toarray().get() == DENSE).all()


def test_dictionaries_of_keys_take_numbers_and_return_themselves():
    a = sparse.dok_array(DENSE)
    made = a + 3
    assert made.format == "dok" and (made.toarray().get() == DENSE + 3).all()
    assert ((a + a).toarray().get() == 2 * DENSE).all()
    assert a.todok() is a and a.todok(copy=True) is not a


@pytest.mark.parametrize("kind", ["csr", "coo", "dok", "lil"])
def test_matrices_can_be_given_a_shape(kind):
    a = getattr(sparse, f"{kind}_matrix")(cp.asarray(DENSE))
    a.shape = (2, 10)
    assert a.shape == a.get_shape() == (2, 10) and a.format == kind
    assert (a.toarray().get() == DENSE.reshape(2, 10)).all()


def test_results_of_whole_matrices_have_two_axes_in_outputs():
    a, out = sparse.csr_matrix(cp.asarray(DENSE)), cp.zeros((1, 1))
    a.mean(out=out)
    np.testing.assert_allclose(out.get(), [[DENSE.mean()]])
    a.sum(out=out)
    assert out.tolist() == [[DENSE.sum()]]
    for out in (cp.zeros(1), cp.zeros((1, 1, 1))):
        with pytest.raises(ValueError, match="output parameter"):
            a.sum(out=out)


def test_small_integers_become_float32():
    for dtype in "?bBhHiIqQfdFD":
        a = scipy.sparse.csr_matrix(DENSE.astype(dtype))
        assert sparse.csr_matrix(a).asfptype().dtype == a.asfptype().dtype


NORM_AXES = [
    None,
    0,
    1,
    -1,
    (0,),
    (0, 1),
    (1, 0),
    (-2, -1),
    (0, 0),
    (0, 1, 0),
    (),
    1.5,
    [0],
    (0, 2),
    3,
]


@pytest.mark.parametrize("axis", NORM_AXES, ids=str)
@pytest.mark.parametrize("order", [None, 1, -1, np.inf, -np.inf])
def test_norms_over_axes_in_any_order(order, axis):
    dense = DENSE[:, :3] - 4.0
    theirs = outcome(
        lambda: on_host(scipy.sparse.linalg.norm(scipy.sparse.csr_array(dense), order, axis))
    )
    ours = outcome(
        lambda: on_host(sparse.linalg.norm(sparse.csr_array(cp.asarray(dense)), order, axis))
    )
    if isinstance(theirs, type):
        assert ours is theirs
        return
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-13)


def test_norms_of_vectors():
    a = np.array([3.0, 0, -4, 1])
    for order in (None, 1, np.inf, 2):
        for axis in (None, 0):
            made = sparse.linalg.norm(sparse.coo_array(cp.asarray(a)), order, axis)
            np.testing.assert_allclose(made.get(), np.linalg.norm(a, order, axis))


def test_operators_take_lists_and_name_sparse_operands():
    a = sparse.linalg.LinearOperator((2, 2), matvec=lambda x: 3 * x)
    assert a.matvec([1, 2]).tolist() == [3, 6] and a.dot([1, 2]).tolist() == [3, 6]
    assert sparse.linalg.LinearOperator((1, 1), matvec=lambda x: 7.0).matvec([1]).tolist() == [7]
    for body in (lambda: a @ sparse.eye_array(2), lambda: sparse.eye_array(2) @ a):
        with pytest.raises(TypeError, match="Unable to multiply"):
            body()


def test_classes_can_be_subscripted_for_types():
    import types

    from gpunp.scipy import interpolate, signal

    for made in (
        interpolate.BSpline,
        interpolate.PPoly,
        interpolate.CubicSpline,
        interpolate.interp1d,
        interpolate.RBFInterpolator,
        interpolate.KroghInterpolator,
        signal.lti,
        signal.ShortTimeFFT,
        sparse.sparray,
        sparse.csr_matrix,
        sparse.linalg.LinearOperator,
        sparse.linalg.SuperLU,
    ):
        assert isinstance(made[np.float64], types.GenericAlias)
