"""gpunp.scipy.sparse beside scipy.sparse: one table of expressions, over formats and dtypes."""

import warnings

import numpy as np
import pytest
import scipy.sparse

import gpunp as cp
from gpunp.scipy import sparse

FORMATS = [f"{f}_{kind}" for f in ("csr", "csc", "coo") for kind in ("array", "matrix")]
DTYPES = ["?", "i1", "u2", "i4", "i8", "f4", "f8", "F", "D"]

# Expressions in A, B (sparse, 7 x 9), D (dense of that shape), x, X (fit A), y, Y (fit its transpose).
STRUCTURE = ["A.tocsr()", "A.tocsc()", "A.tocoo()", "A.T", "A.copy()", "A.toarray()", "A.toarray('F')", "A.todense()", "A.astype('f4')", "A.nnz", "A.dtype", "A.ndim", "A.size", "A.format", "A.reshape(9,7)", "A.reshape((3,-1))", "A.conj()", "A.real", "A.imag", "A.nonzero()", "A.transpose(copy=True)", "A.asformat('csc')"]
PRODUCTS = ["A@x", "A@X", "A@X.T.copy().T", "A@X[:,:1]", "A.T@y", "A.T@Y", "y@A", "Y.T@A", "A@B.T", "A.T@B", "A.dot(x)", "A*2", "2*A", "A@x[::-1]", "A@Z", "S@S", "S**2", "A.T.tocsr()@Y"]
ELEMENTS = ["A+B", "A-B", "A.multiply(B)", "A.multiply(D)", "A.multiply(D[0])", "A.multiply(D[:,:1])", "A/2", "A/D", "A.maximum(B)", "A.minimum(B)", "A.maximum(D)", "A.maximum(1)", "A.minimum(1)", "A+D", "D+A", "A-D", "D-A", "A>1", "A<1", "A!=B", "A==B", "A>B", "A<=B", "A>=B", "A<B", "A!=0", "A==0", "A<=2", "A>D", "A.power(2)", "abs(A)", "A.sqrt()", "A.sin()", "A.expm1()", "A.sign()", "A.multiply(B[:1])", "A.multiply(B[:,:1])"]
REDUCTIONS = ["A.sum()", "A.sum(0)", "A.sum(1)", "A.sum(-1)", "A.sum(axis=(0,1))", "A.mean()", "A.mean(0)", "A.mean(1)", "A.max()", "A.min()", "A.max(0)", "A.max(1)", "A.min(axis=0)", "A.nanmax()", "A.nanmin(1)", "A.argmax(0)", "A.argmax(1)", "A.argmin(0)", "A.argmax()", "A.argmin()", "A.argmin(1)", "A.max(0,explicit=True)", "A.argmax(1,explicit=True)", "A.diagonal()", "A.diagonal(2)", "A.diagonal(-1)", "A.diagonal(99)", "A.trace()", "A.count_nonzero()", "A.count_nonzero(0)", "A.count_nonzero(1)"]
INDEXING = ["A[1]", "A[-1]", "A[:,2]", "A[1:4]", "A[1:4,2:5]", "A[::2]", "A[::-1]", "A[:,::-1]", "A[:,1::3]", "A[[1,2,2]]", "A[:,[3,1]]", "A[[1,2],[3,4]]", "A[[[1],[2]],[3,4,4]]", "A[A>1]", "A[2,3]", "A[1,[2,3]]", "A[[2,3],1]", "A[...]", "A[2:2]", "A[:,5:5]", "A[2,...]", "A[[True,False,True,False,True,False,True]]", "A[99]", "A[:,-99]", "A[[99]]", "A[1,2,3]", "A[None]", "A[1:5][:,2:]"]


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
