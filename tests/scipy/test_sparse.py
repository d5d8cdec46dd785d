"""gpunp.scipy.sparse beside scipy.sparse: one table of expressions, over formats and dtypes."""

import importlib
import pickle
import types
import warnings

import numpy as np
import pytest
import scipy.sparse
from check import assert_same

import gpunp as cp
from gpunp.scipy import sparse

FORMATS = [f"{f}_{kind}" for f in ("csr", "csc", "coo") for kind in ("array", "matrix")]
DTYPES = ["?", "i1", "u2", "i4", "i8", "f4", "f8", "F", "D"]

# Expressions in A, B (sparse, 7 x 9), D (dense of that shape), x, X (fit A), y, Y (fit its transpose).
STRUCTURE = [
    "A.tocsr()",
    "A.tocsc()",
    "A.tocoo()",
    "A.T",
    "A.copy()",
    "A.toarray()",
    "A.toarray('F')",
    "A.todense()",
    "A.astype('f4')",
    "A.nnz",
    "A.dtype",
    "A.ndim",
    "A.size",
    "A.format",
    "A.reshape(9,7)",
    "A.reshape((3,-1))",
    "A.reshape({9:0,7:0}.keys())",
    "A.conj()",
    "A.real",
    "A.imag",
    "A.nonzero()",
    "A.transpose(copy=True)",
    "A.asformat('csc')",
]
PRODUCTS = [
    "A@x",
    "A@X",
    "A@X.T.copy().T",
    "A@X[:,:1]",
    "A.T@y",
    "A.T@Y",
    "y@A",
    "Y.T@A",
    "A@B.T",
    "A.T@B",
    "A.dot(x)",
    "A*2",
    "2*A",
    "A@x[::-1]",
    "A@Z",
    "S@S",
    "S**2",
    "A.T.tocsr()@Y",
]
ELEMENTS = [
    "A+B",
    "A-B",
    "A.multiply(B)",
    "A.multiply(D)",
    "A.multiply(D[0])",
    "A.multiply(D[:,:1])",
    "A/2",
    "A/D",
    "A.maximum(B)",
    "A.minimum(B)",
    "A.maximum(D)",
    "A.maximum(1)",
    "A.minimum(1)",
    "A+D",
    "D+A",
    "A-D",
    "D-A",
    "A>1",
    "A<1",
    "A!=B",
    "A==B",
    "A>B",
    "A<=B",
    "A>=B",
    "A<B",
    "A!=0",
    "A==0",
    "A<=2",
    "A>D",
    "A.power(2)",
    "abs(A)",
    "A.sqrt()",
    "A.sin()",
    "A.expm1()",
    "A.sign()",
    "A.multiply(B[:1])",
    "A.multiply(B[:,:1])",
]
REDUCTIONS = [
    "A.sum()",
    "A.sum(0)",
    "A.sum(1)",
    "A.sum(-1)",
    "A.sum(axis=(0,1))",
    "A.mean()",
    "A.mean(0)",
    "A.mean(1)",
    "A.max()",
    "A.min()",
    "A.max(0)",
    "A.max(1)",
    "A.min(axis=0)",
    "A.nanmax()",
    "A.nanmin(1)",
    "A.argmax(0)",
    "A.argmax(1)",
    "A.argmin(0)",
    "A.argmax()",
    "A.argmin()",
    "A.argmin(1)",
    "A.max(0,explicit=True)",
    "A.argmax(1,explicit=True)",
    "A.diagonal()",
    "A.diagonal(2)",
    "A.diagonal(-1)",
    "A.diagonal(99)",
    "A.trace()",
    "A.count_nonzero()",
    "A.count_nonzero(0)",
    "A.count_nonzero(1)",
]
INDEXING = [
    "A[1]",
    "A[-1]",
    "A[:,2]",
    "A[1:4]",
    "A[1:4,2:5]",
    "A[::2]",
    "A[::-1]",
    "A[:,::-1]",
    "A[:,1::3]",
    "A[[1,2,2]]",
    "A[:,[3,1]]",
    "A[[1,2],[3,4]]",
    "A[[[1],[2]],[3,4,4]]",
    "A[A>1]",
    "A[2,3]",
    "A[1,[2,3]]",
    "A[[2,3],1]",
    "A[...]",
    "A[2:2]",
    "A[:,5:5]",
    "A[2,...]",
    "A[[True,False,True,False,True,False,True]]",
    "A[99]",
    "A[:,-99]",
    "A[[99]]",
    "A[1,2,3]",
    "A[None]",
    "A[1:5][:,2:]",
]


def values(xp, rng, dtype="f8", wide=False):
    """The operands of the table."""
    m, n = (70, 90) if wide else (7, 9)

    def dense(*shape, empty=0.6):
        a = rng.integers(-3 if np.dtype(dtype).kind not in "bu" else 0, 4, shape)
        a = a * (rng.random(shape) > empty)
        return (a * (1 + 1j) if np.dtype(dtype).kind == "c" else a).astype(dtype)

    made = {name: dense(m, n) for name in "ABD"}
    made |= {"S": dense(m, m), "x": dense(n), "y": dense(m), "X": dense(n, 4), "Y": dense(m, 3)}
    made |= {"Z": dense(n, 70)}
    return {name: xp.asarray(a) for name, a in made.items()}


def operands(xp, module, kind, seed, dtype="f8", wide=False):
    found = values(xp, np.random.default_rng(seed), dtype, wide)
    make = getattr(module, kind)
    for name in "ABS":
        found[name] = make(found[name])
    found["D"] = found["D"] + xp.asarray(np.ones((), dtype))
    return found


def outcome(expression, names):
    with warnings.catch_warnings(record=True) as warned, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            result = eval(expression, {}, names)
        except Exception as error:
            return error, []
    return result, [w.category for w in warned if issubclass(w.category, sparse.SparseWarning)]


def assert_like(ours, theirs):
    if isinstance(theirs, tuple):
        for a, b in zip(ours, theirs, strict=True):
            assert_like(a, b)
        return
    if scipy.sparse.issparse(theirs):
        assert type(ours).__name__ == type(theirs).__name__
        assert ours.get().format == theirs.format and ours.get().shape == theirs.shape
    theirs = theirs.toarray() if scipy.sparse.issparse(theirs) else theirs
    ours = ours.toarray() if sparse.issparse(ours) else ours
    ours = ours.get() if isinstance(ours, cp.ndarray) else ours
    if isinstance(theirs, (str, bool, int, np.dtype)):
        assert ours == theirs
        return
    theirs = np.asarray(theirs)
    ours = np.asarray(ours)
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
    tolerance = 1e-5 if theirs.dtype.char in "fF" else 1e-12
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


def compare(expression, kind, dtype="f8", seed=0, wide=False):
    theirs, warned = outcome(expression, operands(np, scipy.sparse, kind, seed, dtype, wide))
    ours, warned_too = outcome(expression, operands(cp, sparse, kind, seed, dtype, wide))
    if isinstance(theirs, Exception):
        assert isinstance(ours, type(theirs)), f"{ours!r} instead of {theirs!r}"
        return
    if isinstance(ours, Exception):
        raise ours
    assert_like(ours, theirs)
    assert bool(warned) == bool(warned_too)


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("expression", STRUCTURE + PRODUCTS + ELEMENTS + REDUCTIONS + INDEXING)
def test_expression_is_scipys(expression, kind):
    compare(expression, kind)


ANY_DTYPE = "A.tocsr() A@x A@X A@B.T A+B A.multiply(B) A.sum(0) A.sum() A*A.dtype.type(1) A.mean(1) A.toarray() A!=B"


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("expression", ANY_DTYPE.split())
def test_dtypes_are_scipys(expression, dtype):
    compare(expression, "csr_array", dtype, seed=3)


OTHER_FORMATS = [
    f"{f}_{kind}" for f in ("dia", "bsr", "dok", "lil") for kind in ("array", "matrix")
]


@pytest.mark.parametrize("kind", OTHER_FORMATS)
@pytest.mark.parametrize(
    "expression",
    [
        "A.tocsr()",
        "A.tocoo()",
        "A.T",
        "A.toarray()",
        "A@x",
        "A@X",
        "x@A.T",
        "A@B.T",
        "A+B",
        "A-B",
        "A*2",
        "A.multiply(B)",
        "A.sum(0)",
        "A.copy()",
        "A.astype('f4')",
        "A.diagonal()",
        "A.reshape(9,7)",
        "abs(A)",
        "A.nnz",
        "A.tocsr().tobsr((7,3))",
        "A>1",
        "A.T@y",
        "A.mean()",
        "A.maximum(B)",
        "A.tolil()",
        "A.todok()",
        "A.todia()",
        "A.count_nonzero()",
        "A/2",
        "A+D",
        "A.conj()",
    ],
)
def test_other_formats_are_scipys(expression, kind):
    compare(expression, kind)


CONSTRUCTED = [
    "s.diags([1.,2.])",
    "s.diags([[1.,2,3],[1.,2]],[0,1])",
    "s.diags_array([[1,2,3],[1,2]],offsets=[0,1])",
    "s.diags([1.,-2.,1.],[-1,0,1],shape=(4,4))",
    "s.diags([[1.,2.]],[-1])",
    "s.diags([1.,2.],1)",
    "s.diags([[1.,2.]],0)",
    "s.diags_array(d[None],offsets=0)",
    "s.eye(3)",
    "s.eye(3,4,1)",
    "s.eye_array(4,3,k=-1)",
    "s.identity(3,dtype='f4')",
    "s.identity(3,format='csr')",
    "s.eye(3,4,format='csc')",
    "s.kron(a,a)",
    "s.kron(a,a,format='csr')",
    "s.kron(a,b)",
    "s.kron(b,a)",
    "s.kron(a,d[:2,:2])",
    "s.kronsum(a[:4,:4],s.eye_array(2))",
    "s.spdiags(d[:3],[0,-1,2],4,4)",
    "s.hstack([a,b])",
    "s.vstack([a,a])",
    "s.hstack([a.tocsc(),b.tocsc()])",
    "s.hstack([a.tocoo(),b])",
    "s.vstack([m,a])",
    "s.vstack([m,m])",
    "s.bmat([[m,None],[None,m]])",
    "s.block_array([[a,None],[b,a]])",
    "s.block_diag([a,m])",
    "s.block_diag([m,d,3])",
    "s.tril(a)",
    "s.triu(a,1)",
    "s.tril(m,-1,format='csc')",
    "s.find(a)",
    "s.vstack([a,b])",
    "s.vstack([a,a],format='csc',dtype='f4')",
    "s.expand_dims(a,axis=1)",
    "s.swapaxes(a,0,1)",
    "s.permute_dims(a)",
    "s.vstack([a,a[:,:2]])",
    "s.kron(s.csr_array((4,5)),a)",
    "s.issparse(a)",
    "s.isspmatrix(a)",
    "s.isspmatrix_csr(m)",
    "s.csr_array((3,4))",
    "s.coo_array((2,3,4))",
    "s.csr_matrix((d[0],(i,i)))",
    "s.coo_matrix((d[0],(i,i)),shape=(9,9))",
    "s.csr_array((d[0],i,p))",
    "s.csc_array((d[0],i,p),shape=(7,2))",
    "s.csr_array((d[0],i))",
    "s.csr_array(d)",
    "s.csc_matrix(d,dtype='f4')",
    "s.coo_array(d[0])",
    "s.csr_array(d[0])",
    "s.coo_array([[0,1],[2,0]])",
    "s.csr_matrix([1,0,2])",
    "s.dia_array((d[:2],[0,1]),shape=(5,5))",
    "s.bsr_array((d[:,:4].reshape(4,2,2),i[:4],q))",
    "s.csr_array(a.tocoo())",
    "s.csr_array(d,shape=(9,9))",
    "s.csr_array(2)",
    "s.coo_array(d.reshape(2,2,5)).sum(1)",
    "s.coo_array(d.reshape(2,2,5)).toarray()",
    "s.coo_array(d.reshape(2,2,5)).transpose((2,0,1))",
    "s.coo_array(d.reshape(2,2,5)).reshape(4,5)",
    "s.coo_array(d.reshape(2,2,5))+s.coo_array(d.reshape(2,2,5))",
    "s.coo_array(d.reshape(2,2,5))[1]",
    "s.coo_array(d.reshape(2,2,5))[:,1,::2]",
    "s.coo_array(d[0])@s.coo_array(d[1])",
    "s.coo_array(d[0])+s.coo_array(d[1])",
    "a[0]@a.T",
    "a[0]+a[1]",
    "a[0].tocsr()[1:3]",
    "a.tocsr()[:,0]*2",
    "s.csr_array(d[0])[2]",
    "s.csr_array(d[0])@d[1]",
    "a[0].sum()",
    "a[0].max()",
]


def pieces(xp, module):
    rng = np.random.default_rng(8)
    d = rng.integers(-3, 4, (4, 5)) * 1.0
    a = np.where(rng.random((4, 5)) < 0.3, d, 0)
    b = np.where(rng.random((4, 6)) < 0.8, 1.0, 0)
    made = {"d": xp.asarray(d), "i": xp.asarray([0, 2, 4, 2, 1]), "q": xp.asarray([0, 2, 4])}
    made |= {"a": module.csr_array(xp.asarray(a)), "b": module.csr_array(xp.asarray(b))}
    return made | {"m": module.csr_matrix(xp.asarray(a)), "s": module, "p": xp.asarray([0, 3, 5])}


@pytest.mark.parametrize("expression", CONSTRUCTED)
def test_construction_is_scipys(expression):
    theirs, _ = outcome(expression, pieces(np, scipy.sparse))
    ours, _ = outcome(expression, pieces(cp, sparse))
    if isinstance(theirs, Exception):
        assert isinstance(ours, type(theirs)), f"{ours!r} instead of {theirs!r}"
        return
    if isinstance(ours, Exception):
        raise ours
    assert_like(ours, theirs)


# ---- structures: unsorted, duplicates, explicit zeros, skewed rows, empty ones ------------------


def rows_of_lengths(lengths, columns, rng, ordered=True):
    """(data, indices, indptr) of rows of these lengths, on the host."""
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype("i4")
    indices = rng.integers(0, columns, indptr[-1]).astype("i4")
    if ordered:
        for i, j in zip(indptr[:-1], indptr[1:], strict=True):
            indices[i:j].sort()
    return rng.integers(-4, 5, indptr[-1]).astype("f8"), indices, indptr


LENGTHS = {
    "even": np.full(600, 16),
    "giant row": np.array([3] * 50 + [9000] + [0] * 400 + [2] * 60),
    "giant rows": np.array([6000, 0, 0, 7000, 5, 4000]),
    "power law": (2000 / np.arange(1, 900)).astype(int),
    "empty rows": np.array([0] * 3000 + [5000] + [0] * 3000),
    "one row": np.array([20000]),
}


@pytest.mark.parametrize("name", LENGTHS)
@pytest.mark.parametrize("kind", ["csr_array", "csc_array"])
def test_products_of_rows_of_any_lengths(name, kind, rng):
    lengths = LENGTHS[name]
    shape = (lengths.size, 777)
    parts = rows_of_lengths(lengths, 777, rng, ordered=False)
    shape = shape if kind == "csr_array" else shape[::-1]
    theirs = getattr(scipy.sparse, kind)(parts, shape=shape)
    ours = getattr(sparse, kind)(tuple(map(cp.asarray, parts)), shape=shape)
    for a, b in ((ours, theirs), (ours.T, theirs.T)):
        x = rng.integers(-3, 4, a.shape[1]).astype("f8")
        y = rng.integers(-3, 4, (a.shape[1], 3)).astype("f8")
        np.testing.assert_array_equal((a @ cp.asarray(x)).get(), b @ x)
        np.testing.assert_array_equal((a @ cp.asarray(y)).get(), b @ y)
        np.testing.assert_array_equal(a.sum(1).get(), b.sum(1))
    np.testing.assert_array_equal((ours + ours).toarray().get(), (theirs + theirs).toarray())


def test_products_repeat_bit_for_bit(rng):
    parts = rows_of_lengths(LENGTHS["power law"], 500, rng)
    a = sparse.csr_array(tuple(map(cp.asarray, parts)), shape=(899, 500))
    a.data = cp.asarray(rng.random(a.nnz))
    x = cp.asarray(rng.random(500))
    first = (a @ x).get()
    for _ in range(3):
        assert (a @ x).get().tobytes() == first.tobytes()


@pytest.mark.parametrize("index", ["i4", "i8"])
@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_unsorted_duplicates_and_zeros(kind, index, rng):
    data = np.array([1.0, 2, 0, 4, 5, 6, -6, 8])
    indices, indptr = np.array([3, 1, 1, 0, 3, 2, 2, 2], index), np.array([0, 3, 3, 5, 8], index)

    def both(body):
        results = []
        for xp, module in ((np, scipy.sparse), (cp, sparse)):
            parts = tuple(xp.asarray(part.copy()) for part in (data, indices, indptr))
            results.append(body(getattr(module, f"{kind}_array")(parts, shape=(4, 4)), xp))
        theirs, ours = results
        assert_like(ours, theirs)

    def in_place(name):
        def body(a, xp):
            getattr(a, name)()
            return a.data, a.indices, a.indptr

        return body

    for name in ("sum_duplicates", "sort_indices"):
        both(in_place(name))
    for body in (
        lambda a, xp: a.toarray(),
        lambda a, xp: a + a,
        lambda a, xp: a @ a,
        lambda a, xp: a[[0, 3, 0]],
        lambda a, xp: a.tocoo(),
        lambda a, xp: a.max(axis=0),
        lambda a, xp: a[2, 3],
        lambda a, xp: a.diagonal(),
        lambda a, xp: a.T.tocsr() @ xp.ones(4),
        lambda a, xp: a.indices.dtype,
        lambda a, xp: a.has_sorted_indices or a.has_canonical_format,
        lambda a, xp: (a.sum_duplicates(), a.eliminate_zeros(), a.nnz)[2],
    ):
        both(body)


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0), (3, 4)])
@pytest.mark.parametrize("kind", FORMATS)
def test_empty_matrices(shape, kind):
    def body(xp, module):
        a = getattr(module, kind)(shape)
        x, y = xp.ones(shape[1]), xp.ones((shape[1], 2))
        made = [a.toarray(), a @ x, a @ y, a + a, a.T, a @ a.T, a.tocsc(), a.sum(1), a.sum()]
        return tuple(made)

    assert_like(body(cp, sparse), body(np, scipy.sparse))


ASSIGNMENTS = {
    "element": ((1, 2), 5.0),
    "row": ((1, slice(None)), 3.0),
    "rows": ((slice(0, 4, 2), slice(1, 5)), 2.0),
    "pairs": (([0, 3, 6], [1, 1, 8]), [1.0, 2.0, 3.0]),
    "column": ((slice(None), 4), np.arange(7.0)),
    "array": ((slice(2, 4), slice(0, 9)), np.arange(18.0).reshape(2, 9)),
    "negative": ((-1, [-1, 0]), 7.0),
}


@pytest.mark.parametrize("name", ASSIGNMENTS)
@pytest.mark.parametrize("kind", FORMATS[:4] + ["lil_array", "dok_array"])
@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
def test_assignment(name, kind):
    key, value = ASSIGNMENTS[name]

    def body(xp, module):
        a = operands(xp, module, kind, 2)["A"]
        a[key] = xp.asarray(value) if isinstance(value, (np.ndarray, list)) else value
        return a.toarray()

    assert_like(body(cp, sparse), body(np, scipy.sparse))


def test_setdiag_and_resize():
    for change in (
        lambda a, xp: a.setdiag(xp.asarray([1.0, 2.0, 3.0]), 1),
        lambda a, xp: a.setdiag(4.0),
        lambda a, xp: a.resize(4, 12),
        lambda a, xp: a.resize((9, 3)),
    ):
        for kind in ("csr_array", "csc_matrix", "coo_array"):
            results = []
            for xp, module in ((np, scipy.sparse), (cp, sparse)):
                a = operands(xp, module, kind, 4)["A"]
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    change(a, xp)
                results.append(a.toarray())
            assert_like(*results[::-1])


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "dok", "lil", "bsr"])
@pytest.mark.parametrize("k", [0.5, 1.0, float("nan")])
def test_the_place_of_a_diagonal_is_a_whole_number(kind, k):
    a = getattr(sparse, f"{kind}_array")(cp.eye(3))
    with pytest.raises(TypeError):
        a.diagonal(k)
    if kind != "lil" and kind != "dok":
        with pytest.raises(TypeError):
            a.setdiag(4.0, k)


# ---- exchange ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FORMATS + OTHER_FORMATS)
def test_scipys_matrices_come_and_go(kind):
    theirs = operands(np, scipy.sparse, kind, 5)["A"]
    ours = getattr(sparse, kind)(theirs)
    assert type(ours.get()) is type(theirs) and ours.shape == theirs.shape
    np.testing.assert_array_equal(ours.get().toarray(), theirs.toarray())
    assert repr(ours).splitlines()[0] == repr(theirs).splitlines()[0]
    again = pickle.loads(pickle.dumps(ours))
    assert type(again) is type(ours)
    np.testing.assert_array_equal(again.toarray().get(), theirs.toarray())


@pytest.mark.parametrize("kind", FORMATS + ["dia_array", "bsr_array"])
def test_files_are_scipys(kind, tmp_path):
    a = operands(cp, sparse, kind, 6)["A"]
    sparse.save_npz(tmp_path / "a.npz", a)
    again = sparse.load_npz(tmp_path / "a.npz")
    assert type(again) is type(a)
    assert_like(again, scipy.sparse.load_npz(tmp_path / "a.npz"))


def test_torchs_matrices():
    host = operands(np, scipy.sparse, "csr_array", 7)["A"]
    stand_in = types.SimpleNamespace(
        layout="torch.sparse_csr",
        shape=host.shape,
        values=lambda: cp.asarray(host.data),
        col_indices=lambda: cp.asarray(host.indices.astype("i8")),
        crow_indices=lambda: cp.asarray(host.indptr.astype("i8")),
    )
    assert_like(sparse.csr_array(stand_in), host)


def test_numbers_and_arrays_defer_to_matrices():
    a = sparse.csr_array(cp.eye(3))
    for made in (np.float64(2) * a, 2 * a, cp.float32(2) * a):
        assert sparse.issparse(made) and made.nnz == 3
    assert isinstance(cp.ones((3, 3)) + a, cp.ndarray)
    assert isinstance(cp.ones((2, 3)) @ a, cp.ndarray)
    with pytest.raises(ValueError, match="Scalar"):
        a @ 3


def test_modules_of_matrices():
    module = importlib.import_module("gpunp.scipy")
    assert module.get_array_module(sparse.eye_array(3)) is module


def test_host_operands_are_refused_by_name():
    a = sparse.csr_array(cp.eye(3))
    for body in (lambda: a @ np.ones(3), lambda: np.ones(3) @ a, lambda: a + np.ones((3, 3))):
        with pytest.raises(TypeError, match="asarray"):
            body()
    for body in (
        lambda: a @ scipy.sparse.eye_array(3),
        lambda: a + scipy.sparse.csr_array((3, 3)),
        lambda: scipy.sparse.eye_array(3).tocsr() @ a,
        lambda: np.asarray(a),
    ):
        with pytest.raises(TypeError, match="device|host"):
            body()


def test_random_places_are_different():
    for density in (0.1, 0.7, 1.0):
        a = sparse.random_array((40, 30), density=density, rng=3)
        assert a.nnz == round(1200 * density)
        a.sum_duplicates()
        assert a.nnz == round(1200 * density)
    a = sparse.random(20, 30, 0.2, format="csr", dtype="f4", rng=1)
    assert isinstance(a, sparse.csr_matrix) and a.dtype == np.float32 and a.nnz == 120


def test_lessons_listing(capsys):
    rows, cols = cp.array([0, 0, 1, 2, 2, 2]), cp.array([0, 2, 2, 0, 1, 2])
    vals = cp.array([1, 2, 3, 4, 5, 6], dtype=cp.float32)
    listing = importlib.import_module("gpunp.scipy").sparse
    s = listing.coo_matrix((vals, (rows, cols)), shape=(3, 3)).tocsr()
    assert s.dot(cp.array([1, 2, 3], dtype=cp.float32)).tolist() == [7.0, 9.0, 32.0]


@pytest.mark.parametrize("width", [3, 40, 200])
def test_products_of_sparse_matrices_of_any_lengths(width, rng):
    """Rows of few products in shared memory; all products at once where a row has many."""
    a = scipy.sparse.random_array((60, 300), density=width / 300, rng=rng).tocsr()
    b = scipy.sparse.random_array((300, 90), density=0.2, rng=rng).tocsr()
    theirs = a @ b
    ours = sparse.csr_array(a) @ sparse.csr_array(b)
    assert ours.has_canonical_format and ours.nnz == theirs.nnz
    np.testing.assert_allclose(ours.toarray().get(), theirs.toarray(), rtol=1e-12)
    again = sparse.csr_array(a) @ sparse.csr_array(b)
    assert again.data.tolist() == ours.data.tolist()


def test_matrix_transpose():
    a = scipy.sparse.random_array((3, 4), density=0.5, random_state=1)
    result = sparse.matrix_transpose(sparse.coo_array(a))
    assert np.array_equal(result.toarray().get(), a.T.toarray())
    assert sparse.matrix_transpose(A=result).shape == (3, 4)
    with pytest.raises(ValueError, match="2-dimensional"):
        sparse.matrix_transpose(sparse.coo_array(cp.ones(3)))


@pytest.mark.parametrize(
    ("each", "columns", "dtype"), [(10, 90, "F"), (16, 300, "f4"), (30, 1 << 24, "f8")]
)
def test_products_of_rows_that_one_block_sorts(each, columns, dtype, rng):
    """100 products of a row are sorted by a warp, 900 by a block; wide columns need wider keys."""
    a, b = (
        scipy.sparse.csr_array(
            (
                rng.integers(1, 5, 40 * each).astype(dtype),
                rng.integers(0, n, 40 * each, dtype="i4"),
                np.arange(0, 40 * each + 1, each, dtype="i4"),
            ),
            shape=(40, n),
        )
        for n in (40, columns)
    )
    theirs, ours = a @ b, (sparse.csr_array(a) @ sparse.csr_array(b)).get()
    theirs.sort_indices()
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))


def rows_with_duplicates(shape, count, rng, dtype="f4"):
    """A csr array of sorted elements, of which several may have one position."""
    places = np.sort(rng.integers(0, shape[0] * shape[1], count))
    indptr = np.searchsorted(places, np.arange(shape[0] + 1) * shape[1])
    parts = rng.integers(-2, 3, count).astype(dtype), places % shape[1], indptr
    return scipy.sparse.csr_array(parts, shape=shape)


@pytest.mark.parametrize(
    ("shape", "counts"),
    [
        ((3, 1000), (2500, 2000)),  # rows longer than a tile
        ((1, 3000), (2000, 5)),
        ((20000, 30), (900, 1500)),  # more rows than elements of a tile, most of them empty
        ((700, 5), (3000, 3000)),
        ((300, 300), (0, 2000)),
        ((2, 3), (900, 900)),  # more duplicates than one thread sums
    ],
)
def test_merge_of_sorted_rows(shape, counts, rng):
    theirs = [rows_with_duplicates(shape, n, rng) for n in counts]
    ours = [sparse.csr_array(a) for a in theirs]
    for operation in (
        lambda a, b: a + b,
        lambda a, b: a - b,
        lambda a, b: a.maximum(b),
        lambda a, b: a != b,
    ):
        desired, actual = operation(*theirs).tocsr(), operation(*ours)
        desired.sort_indices()
        assert actual.has_canonical_format and actual.dtype == desired.dtype
        for name in ("indptr", "indices", "data"):
            np.testing.assert_array_equal(getattr(actual, name).get(), getattr(desired, name))


@pytest.mark.parametrize(
    ("shape", "count", "dtype"),
    [
        ((20000, 30), 900, "f4"),  # more rows than elements of a tile
        ((1, 3000), 5000, "F"),
        ((1 << 20, 1 << 20), 5000, "f4"),
        ((2, 2), 3000, "f4"),  # more duplicates than one thread sums
        ((1025, 1), 1024, "f4"),
    ],
)
def test_duplicates_of_coordinates_are_summed(shape, count, dtype, rng):
    coords = tuple(rng.integers(0, n, count, dtype="i4") for n in shape)
    data = rng.integers(-3, 4, count).astype(dtype)
    theirs = scipy.sparse.coo_array((data, coords), shape=shape)
    actual, desired = sparse.coo_array(theirs).tocsr().get(), theirs.tocsr()
    desired.sum_duplicates()
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(actual, name), getattr(desired, name))


@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_columns_become_rows_by_way_of_coordinates(kind, rng):
    host = rng.integers(0, 3, (6, 5))
    a = getattr(sparse, f"csc_{kind}")(cp.asarray(host))
    assert a.has_canonical_format
    assert a.tocoo().tocsr().toarray().tolist() == host.tolist()
    assert a.tocoo().tocsc().toarray().tolist() == host.tolist()


@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize("dtype", ["?", "i2", "f4", "f8", "F", "D"])
@pytest.mark.parametrize("shape", [(500, 700), (1 << 20, 1 << 19), (3, 3)])
def test_many_elements_to_rows(shape, dtype, ascending, rng):
    n = 9000
    rows, columns = rng.integers(0, shape[0], n), rng.integers(0, shape[1], n)
    if ascending:
        order = np.lexsort((columns, rows))
        rows, columns = rows[order], columns[order]
    host = scipy.sparse.coo_array((rng.integers(0, 3, n).astype(dtype), (rows, columns)), shape)
    found, theirs = sparse.coo_array(host).tocsr(), host.tocsr()
    theirs.sum_duplicates()
    for part in ("indptr", "indices", "data"):
        assert_same(getattr(found, part), getattr(theirs, part).astype(getattr(found, part).dtype))
    theirs = theirs.tocsc()
    assert_same(found.tocsc().indices, theirs.indices.astype(found.indices.dtype))
    assert_same(found.tocsc().data, theirs.data)


def test_indices_of_the_device_wrap_around():
    """As of dense arrays: looking at them would wait, reading beyond the matrix would be a fault."""
    a = cp.arange(20.0).reshape(4, 5)
    made = sparse.csr_array(a)
    far = cp.array([9, -77, 10**12])
    assert (made[far, far].get() == a.get()[far.get() % 4, far.get() % 5]).all()
    assert (made[far].toarray().get() == a.get()[far.get() % 4]).all()
    for shape, key in [((3, 0), (slice(None), far)), ((0, 3), far), ((3, 0), (far, far))]:
        with pytest.raises(IndexError):
            sparse.csr_array(shape)[key]


@pytest.mark.parametrize("dtype", ["?", "i2", "f", "d", "F", "D"])
def test_quotients_by_numbers(dtype):
    a = np.array([[0, 1, 1], [1, 0, 1]]).astype(dtype)
    for number in (2, -4.0, 1j, np.float32(2), np.float64(2), np.complex64(1 + 1j)):
        desired, actual = (
            scipy.sparse.csr_array(a) / number,
            sparse.csr_array(cp.asarray(a)) / number,
        )
        assert actual.dtype == desired.dtype, number
        np.testing.assert_allclose(actual.toarray().get(), desired.toarray(), rtol=1e-6)
    for zero in (0, 0.0, 0j):
        with pytest.raises(ZeroDivisionError):
            sparse.csr_array(cp.asarray(a)) / zero


@pytest.mark.parametrize("form", ["coo", "csr", "csc", "dia", "bsr", "dok", "lil"])
def test_text_and_transpose(form):
    """`maxprint` limits what str() shows; `mT` and `device` are those of a dense array."""
    values = np.arange(60.0).reshape(6, 10)
    for kind in ("array", "matrix"):
        name = f"{form}_{kind}"
        ours = getattr(sparse, name)(cp.asarray(values), maxprint=6)
        assert str(ours) == str(getattr(scipy.sparse, name)(values, maxprint=6))
        assert (ours.maxprint, ours.device) == (6, cp.cuda.Device())
        np.testing.assert_array_equal(ours.mT.toarray().get(), values.T)
    assert ours.getmaxprint() == 6


@pytest.mark.parametrize("index", ["i4", "i8"])
@pytest.mark.parametrize("outside", [4, -1, 2**30])
def test_products_leave_elements_outside_of_the_matrix_out(index, outside):
    data, indptr = cp.arange(1.0, 7.0), cp.array([0, 2, 3, 6], dtype=index)
    indices = cp.array([0, outside, 2, 1, 3, 2], dtype=index)
    a = sparse.csr_matrix((data, indices, indptr), shape=(3, 4))
    right = sparse.csr_matrix(
        (cp.array([1.0, 0.0, 3.0, 4.0, 5.0, 6.0]), cp.array([0, 0, 2, 1, 3, 2]), indptr),
        shape=(3, 4),
    )
    for shape in [(4,), (4, 3), (4, 40)]:
        x = cp.arange(1.0, 1 + np.prod(shape)).reshape(shape)
        x[0] = cp.inf  # what an index outside must not meet
        np.testing.assert_array_equal(cp.asnumpy(a @ x)[1:], cp.asnumpy(right @ x)[1:])
        assert not np.isnan(cp.asnumpy(a @ x)).any()
    with pytest.raises(ValueError, match="indices must be"):  # it waits for the device anyway
        a @ sparse.csr_matrix(cp.eye(4))
