"""What the emulated libraries refuse, against NVIDIA's: a program that runs without a GPU runs with one.

Three kinds of tables. Functions of cuSPARSE's descriptors run without a GPU in NVIDIA's library, so
they are asked of both where a toolkit is installed. Calls that NVIDIA's manual rules out are refused
on both devices. Calls with which NVIDIA's libraries fault or overwrite memory, such as an absent
working space, are made on the emulated device alone, which returns a status.
"""

import ctypes
import itertools
import os
import subprocess
import sys
from pathlib import Path

import child
import numpy as np
import pytest

import gpunp as cp
from gpunp import _C
from gpunp.cuda import cublas, cufft, curand, cusolver, cusparse, runtime

EMULATED = pytest.mark.skipif(
    not cp.cuda.is_emulated(), reason="NVIDIA's library faults or overwrites memory"
)
OK, INVALID, UNSUPPORTED = 0, 3, 10  # statuses of cuSPARSE


# ---- cuSPARSE's descriptors ----------------------------------------------------------------------


def nvidias():
    """The path of NVIDIA's cuSPARSE, or None."""
    for root in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"):
        path = Path(root or "/nowhere") / "lib64" / "libcusparse.so.12"
        if path.exists():
            return path
    return None


class Descriptors:
    """Functions of a copy of cuSPARSE that need no device; nothing is at the addresses."""

    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))

    def __call__(self, name, *values):
        function = getattr(self.library, f"cusparse{name}")
        return function(*(ctypes.c_void_p(v) if isinstance(v, int) else v for v in values))

    def make(self, name, *values):
        """A descriptor."""
        place = ctypes.c_void_p()
        assert self(f"Create{name}", ctypes.byref(place), *values) == OK
        return place

    def sparse(self, kind, **changes):
        return self.make(kind, *sparse_values(kind, **changes))

    def any(self, kind):
        """A descriptor of a kind, of float64."""
        if kind in SPARSE:
            return self.sparse(kind)
        values = {"DnVec": (4, 4096, 1), "DnMat": (4, 6, 4, 4096, 1, 1)}[kind]
        return self.make(kind, *values)


SPARSE, DENSE = ("Csr", "Csc", "Coo"), ("DnVec", "DnMat")
# Descriptor: its getter's results, and who may be asked.
GETTERS = {
    **{f"{kind}Get": (9 if kind == "Coo" else 10, (kind,)) for kind in SPARSE},
    "SpMatGetSize": (3, SPARSE),
    "SpMatGetFormat": (1, SPARSE),
    "SpMatGetIndexBase": (1, SPARSE),
    "SpMatGetValues": (1, SPARSE),
    "DnVecGet": (3, ("DnVec",)),
    "DnMatGet": (6, ("DnMat",)),
    "DnMatGetValues": (1, ("DnMat",)),
}
SETTERS = {
    **{f"{kind}SetPointers": (3, (kind,)) for kind in SPARSE},
    "SpMatSetValues": (1, SPARSE),
    "DnVecSetValues": (1, ("DnVec",)),
    "DnMatSetValues": (1, ("DnMat",)),
}
DESTROYERS = {"DestroySpMat": SPARSE, "DestroyDnVec": ("DnVec",), "DestroyDnMat": ("DnMat",)}


def sparse_values(kind, **changes):
    """Arguments of a descriptor of 4 rows, 6 columns and 5 elements of float64."""
    x = {"rows": 4, "columns": 6, "nnz": 5, "at": (4096, 8192, 12288)}
    x |= {"index": (2, 2), "base": 0, "type": 1} | changes
    index = x["index"][:1] if kind == "Coo" else x["index"]
    return (x["rows"], x["columns"], x["nnz"], *x["at"], *index, x["base"], x["type"])


# Changes of a matrix's descriptor, and the status.
SPARSE_CHANGES = [
    ({}, OK),
    ({"nnz": 0, "at": (0, 0, 0)}, OK),
    ({"at": (0, 0, 0)}, OK),  # memory may come later
    ({"rows": 0, "columns": 0, "nnz": 0}, OK),
    ({"index": (3, 3)}, OK),
    ({"rows": -1}, INVALID),
    ({"columns": -1}, INVALID),
    ({"nnz": -1}, INVALID),
    ({"nnz": 25}, INVALID),  # more than places
    ({"rows": 0}, INVALID),
    ({"base": 2}, INVALID),
    ({"base": -1}, INVALID),
    ({"type": 7}, INVALID),
    ({"type": 8}, INVALID),
    ({"type": 99}, INVALID),
    ({"index": (0, 0)}, INVALID),
    ({"index": (9, 9)}, INVALID),
    ({"at": (4097, 8192, 12288)}, INVALID),
    ({"at": (4096, 8193, 12288)}, INVALID),
    ({"at": (4096, 8192, 12292)}, INVALID),
    ({"at": (4096, 8192, 12296), "type": 5}, INVALID),
    ({"rows": 2**31}, INVALID),  # no number of an index
    ({"rows": 2**31 - 1, "base": 1}, INVALID),
    ({"rows": 2**20, "columns": 2**20, "nnz": 2**31, "index": (3, 3)}, OK),
]
COMPRESSED_CHANGES = [
    ({"index": (3, 2)}, UNSUPPORTED),
    ({"index": (2, 3)}, UNSUPPORTED),
    ({"rows": 2**20, "columns": 2**20, "nnz": 2**31}, INVALID),  # no number of an offset
]
DENSE_CHANGES = [
    ("DnMat", (4, 6, 4, 4096, 1, 1), OK),
    ("DnMat", (4, 6, 6, 0, 1, 2), OK),
    ("DnMat", (0, 6, 0, 0, 1, 1), OK),
    ("DnMat", (-1, 6, 4, 4096, 1, 1), INVALID),
    ("DnMat", (4, -1, 4, 4096, 1, 1), INVALID),
    ("DnMat", (4, 6, 3, 4096, 1, 1), INVALID),
    ("DnMat", (4, 6, 5, 4096, 1, 2), INVALID),
    ("DnMat", (4, 6, 4, 4096, 1, 0), INVALID),
    ("DnMat", (4, 6, 4, 4100, 1, 1), INVALID),
    ("DnMat", (4, 6, 4, 4096, 8, 1), INVALID),
    ("DnVec", (4, 4096, 1), OK),
    ("DnVec", (0, 0, 1), OK),
    ("DnVec", (-1, 4096, 1), INVALID),
    ("DnVec", (4, 4100, 1), INVALID),
    ("DnVec", (4, 4096, 99), INVALID),
]


@pytest.fixture(params=["emulated", "NVIDIA's"], scope="module")
def descriptors(request):
    path = Path(_C.__file__).with_name("libgpunp_emu_math.so")
    if request.param != "emulated":
        path = nvidias()
    if path is None or not path.exists():
        pytest.skip("not installed")
    return Descriptors(path)


@pytest.mark.null
@pytest.mark.parametrize("kind", SPARSE)
def test_descriptors_of_sparse_matrices(descriptors, kind):
    found, wanted = {}, {}
    for changes, status in SPARSE_CHANGES + (COMPRESSED_CHANGES if kind != "Coo" else []):
        place = ctypes.c_void_p()
        key = str(changes)
        values = sparse_values(kind, **changes)
        found[key] = descriptors(f"Create{kind}", ctypes.byref(place), *values)
        wanted[key] = status
        if found[key] == OK:
            assert descriptors("DestroySpMat", place) == OK
    assert found == wanted
    assert descriptors(f"Create{kind}", None, *sparse_values(kind)) == INVALID


@pytest.mark.null
def test_descriptors_of_dense_matrices(descriptors):
    for name, values, status in DENSE_CHANGES:
        place = ctypes.c_void_p()
        found = descriptors(f"Create{name}", ctypes.byref(place), *values)
        assert found == status, (name, values)
        if found == OK:
            assert descriptors(f"Destroy{name}", place) == OK
        assert descriptors(f"Create{name}", None, *values) == INVALID


@pytest.mark.null
@pytest.mark.parametrize("kind", SPARSE + DENSE)
def test_descriptors_of_other_kinds(descriptors, kind):
    """A csc or coo matrix is no csr matrix, no vector is a matrix, and so on."""
    place = descriptors.any(kind)
    found, wanted = {}, {}
    for name, (count, kinds) in GETTERS.items():
        results = [ctypes.byref(ctypes.c_int64()) for _ in range(count)]
        found[name] = descriptors(name, place, *results)
        found[f"{name} to NULL"] = descriptors(name, place, *[None] * count)
        wanted |= {name: OK if kind in kinds else INVALID, f"{name} to NULL": INVALID}
    for name, (count, kinds) in SETTERS.items():
        for address, is_right in ((4096, True), (None, True), (4097, False)):
            key = f"{name} {address}"
            found[key] = descriptors(name, place, *[address] * count)
            wanted[key] = OK if kind in kinds and is_right else INVALID
    for name, kinds in DESTROYERS.items():
        if kind not in kinds:
            found[name], wanted[name] = descriptors(name, place), INVALID
    right = next(name for name, kinds in DESTROYERS.items() if kind in kinds)
    found[right], wanted[right] = descriptors(right, place), OK
    assert found == wanted


@pytest.mark.null
def test_without_a_descriptor_or_a_handle(descriptors):
    for name, (count, _) in {**GETTERS, **SETTERS}.items():
        places = [ctypes.byref(ctypes.c_int64()) for _ in range(count)]
        assert descriptors(name, None, *places) == INVALID, name
    for name in (*DESTROYERS, "Destroy"):
        assert descriptors(name, None) == OK, name
    for name in ("SetStream", "GetStream", "GetVersion", "SetPointerMode", "GetPointerMode"):
        assert descriptors(name, None, None) == INVALID, name
    assert descriptors("Create", None) == INVALID
    for name in ("Xcoo2csr", "Xcsr2coo"):  # NOT_INITIALIZED
        assert descriptors(name, None, 4096, 5, 4, 8192, 0) == 1, name


# ---- cuSPARSE's routines -------------------------------------------------------------------------

TYPES = {"f4": 0, "f8": 1, "F": 4, "D": 5}  # cudaDataType


class Sparse:
    """A matrix of 4 rows and 6 columns in all formats and types, and what is multiplied with it."""

    def __init__(self):
        self.handle = cp.cuda.device.get_cusparse_handle()
        self.kept = []
        self.factor = {}
        for name in TYPES:
            self.kept.append(np.ones(1, name))
            self.factor[name] = self.kept[-1].ctypes.data
        self.space = self.keep(cp.zeros(1 << 16, "u1"))

    def keep(self, array):
        self.kept.append(array)
        return array.data.ptr

    def sparse(self, kind="csr", dtype="f8", shape=(4, 6)):
        host = np.zeros(shape, dtype)
        host[np.arange(4) % shape[0], np.arange(4)] = 1
        a = getattr(cp.scipy.sparse, f"{kind}_matrix")(cp.asarray(host))
        first, second = (a.row, a.col) if kind == "coo" else (a.indptr, a.indices)
        places = [self.keep(x.astype("i4")) for x in (first, second)] + [self.keep(a.data)]
        create = getattr(cusparse, f"create{kind.capitalize()}")
        index = [2] * (1 if kind == "coo" else 2)
        return create(*shape, a.nnz, *places, *index, 0, TYPES[dtype])

    def dense(self, rows=6, columns=3, dtype="f8", address=None):
        at = self.keep(cp.zeros((columns, rows), dtype)) if address is None else address
        return cusparse.createDnMat(rows, columns, rows, at, TYPES[dtype], 1)

    def vector(self, size=6, dtype="f8", address=None):
        at = self.keep(cp.zeros(size, dtype)) if address is None else address
        return cusparse.createDnVec(size, at, TYPES[dtype])


@pytest.fixture
def sparse():
    made = Sparse()
    yield made
    made.kept.clear()


def spmv(s, op=0, dtype="f8", kind="csr", compute=None, algorithm=0, **given):
    rows, columns = (4, 6) if op == 0 else (6, 4)
    compute = compute or dtype
    alpha, beta = (given.get(name, s.factor[compute]) for name in ("alpha", "beta"))
    a, x = given.get("a") or s.sparse(kind, dtype), given.get("x") or s.vector(columns, dtype)
    y = given.get("y") or s.vector(rows, dtype)
    return s.handle, op, alpha, a, x, beta, y, TYPES[compute], algorithm


def spmm(s, op=0, op_b=0, dtype="f8", kind="csr", compute=None, algorithm=0, **given):
    rows, columns = (4, 6) if op == 0 else (6, 4)
    compute, sizes = compute or dtype, (columns, 3) if op_b == 0 else (3, columns)
    alpha, beta = (given.get(name, s.factor[compute]) for name in ("alpha", "beta"))
    a, b = given.get("a") or s.sparse(kind, dtype), given.get("b") or s.dense(*sizes, dtype)
    c = given.get("c") or s.dense(rows, 3, dtype)
    return s.handle, op, op_b, alpha, a, b, beta, c, TYPES[compute], algorithm


def to_dense(s, a=None, b=None, kind="csr", algorithm=0):
    return s.handle, a or s.sparse(kind), b or s.dense(4, 6), algorithm


def from_dense(s, a=None, b=None, kind="csr", algorithm=0):
    return s.handle, b or s.dense(4, 6), a or s.sparse(kind), algorithm


def transposed(s, m=4, nnz=4, type=1, action=1, base=0, algorithm=1, at=None):
    zeros = [s.keep(cp.zeros(8, kind)) for kind in ("f8", "i4", "i4", "f8", "i4", "i4")]
    return (s.handle, m, 6, nnz, *(at or zeros), type, action, base, algorithm)


CALLS = {
    "spMV": spmv,
    "spMM": spmm,
    "sparseToDense": to_dense,
    "denseToSparse": from_dense,
    "csr2cscEx2": transposed,
}
PRODUCTS, FORMATS = ("spMV", "spMM"), ("csr", "csc", "coo")


def rows(names, status, **choices):
    """Rows of a table: all combinations of routines and of choices for their parameters."""
    for name, *chosen in itertools.product(names, *choices.values()):
        yield name, dict(zip(choices, chosen, strict=True)), status


# Calls that the manual rules out: routine, what is passed, status (of cuSPARSE of CUDA 13.0 on an
# H200). A tuple is a descriptor.
RULED_OUT = [
    *rows(["spMM"], INVALID, op=[2], dtype=["f4", "f8"], kind=FORMATS),  # no conjugates of reals
    *rows(["spMV"], INVALID, op=[2], dtype=["f4", "f8"], kind=FORMATS),
    *rows(["spMM"], INVALID, op_b=[2], dtype=["f4", "f8"]),
    *rows(PRODUCTS, INVALID, op=[-1, 3]),
    *rows(CALLS, INVALID, algorithm=[99]),
    *rows(["spMV"], INVALID, algorithm=[1, 4, 5, 6]),  # of other formats
    *rows(["spMV"], INVALID, algorithm=[2, 3], kind=["coo"]),
    *rows(["spMM"], INVALID, algorithm=[1, 2, 3, 5, 13, 14]),
    *rows(["spMM"], INVALID, algorithm=[4, 6, 12], kind=["coo"]),
    ("spMM", {"algorithm": 12, "op": 1}, UNSUPPORTED),
    ("spMM", {"algorithm": 12, "op_b": 2, "dtype": "F"}, UNSUPPORTED),
    ("spMV", {"x": ("vector", 5)}, INVALID),
    ("spMV", {"y": ("vector", 5)}, INVALID),
    ("spMM", {"b": ("dense", 5, 3)}, INVALID),
    ("spMM", {"c": ("dense", 4, 2)}, INVALID),
    ("spMM", {"op_b": 1, "b": ("dense", 6, 3)}, INVALID),
    ("sparseToDense", {"b": ("dense", 4, 5)}, INVALID),
    ("denseToSparse", {"b": ("dense", 6, 4)}, INVALID),
    ("csr2cscEx2", {"m": -1}, INVALID),
    ("csr2cscEx2", {"nnz": -1}, INVALID),
    ("csr2cscEx2", {"base": 2}, INVALID),
    ("csr2cscEx2", {"action": 2}, INVALID),
    ("csr2cscEx2", {"type": 99}, INVALID),
    ("spMV", {"x": ("vector", 6, "f4")}, UNSUPPORTED),
    ("spMV", {"y": ("vector", 4, "D")}, UNSUPPORTED),
    ("spMM", {"b": ("dense", 6, 3, "f4")}, UNSUPPORTED),
    ("spMM", {"a": ("sparse", "csr", "D")}, UNSUPPORTED),
    *rows(PRODUCTS, UNSUPPORTED, compute=["f4", "F"]),
    ("sparseToDense", {"b": ("dense", 4, 6, "f4")}, UNSUPPORTED),
    ("denseToSparse", {"a": ("sparse", "csr", "F")}, UNSUPPORTED),
    *rows(PRODUCTS, INVALID, alpha=[None]),
    *rows(PRODUCTS, INVALID, beta=[None]),
    ("spMV", {"x": ("dense", 6, 1)}, INVALID),
    ("spMV", {"a": ("vector", 6)}, INVALID),
    ("spMM", {"b": ("vector", 6)}, INVALID),
    ("sparseToDense", {"a": ("dense", 4, 6)}, INVALID),
    ("sparseToDense", {"b": ("sparse", "csr")}, INVALID),
    ("denseToSparse", {"a": ("dense", 4, 6)}, INVALID),
]
# Calls that it allows, so that no row above is refused for another reason.
ALLOWED = [
    *rows([*PRODUCTS, "sparseToDense"], OK, kind=FORMATS),
    *rows(PRODUCTS, OK, op=[2], dtype="FD", kind=FORMATS),
    *rows(PRODUCTS, OK, op=[1], dtype=["f4", "f8"], kind=FORMATS),
    *rows(["spMV"], OK, algorithm=[1, 4], kind=["coo"]),
    *rows(["spMV"], OK, algorithm=[2, 3], kind=["csr", "csc"]),
    *rows(["spMM"], OK, algorithm=[1, 2, 3, 5], kind=["coo"]),
    *rows(["spMM"], OK, algorithm=[4, 6], kind=["csr", "csc"]),
    *rows(["spMM"], OK, algorithm=[12], op_b=[0, 1]),
    ("csr2cscEx2", {"nnz": 0}, OK),
]


def values_of(sparse, name, changes):
    """The arguments of a routine, but for its working space."""
    made = {
        key: getattr(sparse, value[0])(*value[1:]) if isinstance(value, tuple) else value
        for key, value in changes.items()
    }
    return CALLS[name](sparse, **made)


def refused(function, *arguments):
    """The status of a call that has to fail."""
    with pytest.raises(cusparse.CuSparseError) as caught:
        function(*arguments)
    return caught.value.status


def runs(name):
    """The functions of a routine that take a working space."""
    if name == "denseToSparse":
        return [cusparse.denseToSparse_analysis, cusparse.denseToSparse_convert]
    return [getattr(cusparse, name)]


def ids(table):
    return [f"{name}-{changes}" for name, changes, _ in table]


@pytest.mark.parametrize("name, changes, status", RULED_OUT, ids=ids(RULED_OUT))
def test_calls_that_the_manual_rules_out(sparse, name, changes, status):
    arguments = values_of(sparse, name, changes)
    for function in runs(name):
        assert refused(function, *arguments, sparse.space) == status
    if name != "csr2cscEx2":  # whose question NVIDIA's library may answer
        assert refused(getattr(cusparse, f"{name}_bufferSize"), *arguments) == status


@pytest.mark.parametrize("name, changes, status", ALLOWED, ids=ids(ALLOWED))
def test_calls_that_the_manual_allows(sparse, name, changes, status):
    arguments = values_of(sparse, name, changes)
    assert getattr(cusparse, f"{name}_bufferSize")(*arguments) <= 1 << 16
    getattr(cusparse, name)(*arguments, sparse.space)
    cp.cuda.get_current_stream().synchronize()


@pytest.fixture
def two_bytes():
    """The address of fewer bytes than any array has."""
    place = runtime.malloc(2)
    yield place
    cp.cuda.get_current_stream().synchronize()
    runtime.free(place)


@EMULATED
@pytest.mark.parametrize("name", CALLS)
def test_working_space_that_is_absent_or_short(sparse, two_bytes, name):
    for kind in ("csr", "csc", "coo") if name != "csr2cscEx2" else ("csr",):
        arguments = CALLS[name](sparse, **({"kind": kind} if name != "csr2cscEx2" else {}))
        size = getattr(cusparse, f"{name}_bufferSize")(*arguments)
        for place in (0, two_bytes):
            for function in runs(name):
                if size:
                    assert refused(function, *arguments, place) == INVALID
                else:
                    function(*arguments, place)


@EMULATED
def test_arrays_that_are_absent_or_short(sparse, two_bytes):
    for place in (0, two_bytes):
        vector = {"x": sparse.vector(6, address=place)}, {"y": sparse.vector(4, address=place)}
        matrix = {"b": sparse.dense(6, 3, address=place)}, {"c": sparse.dense(4, address=place)}
        for name, changes in ("spMV", vector), ("spMM", matrix):
            for one in changes:
                assert refused(runs(name)[0], *CALLS[name](sparse, **one), sparse.space) == INVALID
        for kind in ("csr", "csc", "coo"):
            a = sparse.sparse(kind)
            getattr(cusparse, f"{kind}SetPointers")(a, place, place, place)
            for name in ("spMV", "spMM", "sparseToDense"):
                call = CALLS[name](sparse, a=a)
                assert refused(runs(name)[0], *call, sparse.space) == INVALID
        for function in (cusparse.xcoo2csr, cusparse.xcsr2coo):
            for places in ((place, sparse.space), (sparse.space, place)):
                assert refused(function, sparse.handle, places[0], 5, 4, places[1], 0) == INVALID
        assert refused(cusparse.csr2cscEx2, *transposed(sparse, at=[place] * 6), sparse.space) == 3


@EMULATED
@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("factor", ["alpha", "beta"])
def test_factors_on_the_wrong_side(sparse, name, factor):
    on_host, on_device = sparse.factor["f8"], sparse.keep(cp.ones(1))
    sides = (cusparse.CUSPARSE_POINTER_MODE_HOST, on_host, on_device), (
        cusparse.CUSPARSE_POINTER_MODE_DEVICE, on_device, on_host
    )  # fmt: skip
    for mode, right, wrong in sides:
        cusparse.setPointerMode(sparse.handle, mode)
        factors = {"alpha": right, "beta": right}
        try:
            arguments = CALLS[name](sparse, **factors | {factor: wrong})
            assert refused(runs(name)[0], *arguments, sparse.space) == INVALID
            runs(name)[0](*CALLS[name](sparse, **factors), sparse.space)
        finally:
            cusparse.setPointerMode(sparse.handle, cusparse.CUSPARSE_POINTER_MODE_HOST)
    cp.cuda.get_current_stream().synchronize()


@EMULATED
@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
def test_conversion_before_its_analysis(sparse, kind):
    arguments = from_dense(sparse, kind=kind)
    assert refused(cusparse.denseToSparse_convert, *arguments, sparse.space) == INVALID
    cusparse.denseToSparse_analysis(*arguments, sparse.space)
    cusparse.denseToSparse_convert(*arguments, sparse.space)


def test_matrices_without_rows_have_offsets(sparse):
    nothing = transposed(sparse, m=0, nnz=0, at=[0] * 6)
    assert refused(cusparse.csr2cscEx2, *nothing, sparse.space) == INVALID
    offsets = [sparse.keep(cp.zeros(8, "i4")) for _ in "12"]
    cusparse.csr2cscEx2(
        *transposed(sparse, m=0, nnz=0, at=[0, offsets[0], 0, 0, offsets[1], 0]), sparse.space
    )


# ---- arrays of the other libraries ---------------------------------------------------------------

# Each name is an array of the device, which is replaced by none and by one of two bytes; `one` is a
# factor of the host, `work` a working space, which precedes its size.
CUBLAS = {
    "dgemm": (0, 0, 16, 16, 16, "one", "a", 16, "b", 16, "one", "c", 16),
    "dgemv": (0, 16, 16, "one", "a", 16, "b", -1, "one", "c", 2),
    "dger": (16, 16, "one", "a", 1, "b", -2, "c", 16),
    "dsbmv": (0, 16, 2, "one", "a", 3, "b", 1, "one", "c", 1),
    "dsyrk": (0, 0, 16, 16, "one", "a", 16, "one", "c", 16),
    "dgeam": (0, 1, 16, 16, "one", "a", 16, "one", "b", 16, "c", 16),
    "ddgmm": (0, 16, 16, "a", 16, "b", 1, "c", 16),
    "dtpttr": (0, 8, "a", "b", 8),
    "dtrttp": (0, 8, "a", 8, "b"),
    "dtrsm": (0, 0, 0, 0, 16, 16, "one", "a", 16, "b", 16),
    "dgemmStridedBatched": (0, 0, 4, 4, 4, "one", "a", 4, 16, "b", 4, 16, "one", "c", 4, 16, 3),
    "dgemmBatched": (0, 0, 4, 4, 4, "one", "list", 4, "list", 4, "one", "list", 4, 2),
    "dtrsmBatched": (0, 0, 0, 0, 4, 4, "one", "list", 4, "list", 4, 2),
    "dgetrfBatched": (4, "list", 4, "pivots", "b", 2),
    "dgetrsBatched": (0, 4, 1, "list", 4, "pivots", "list", 4, "host", 2),
    "daxpy": (16, "one", "a", 1, "b", -2),
    "dscal": (16, "one", "a", 2),
    "ddot": (16, "a", 1, "b", 1, "host"),
    "dnrm2": (16, "a", 1, "host"),
    "idamax": (16, "a", 1, "host"),
}
CUSOLVER = {
    "dpotrf": (0, 16, "a", 16, "work", 0, "info"),
    "dpotrs": (0, 16, 2, "a", 16, "b", 16, "info"),
    "dpotrfBatched": (0, 4, "list", 4, "info", 2),
    "dgetrf": (16, 16, "a", 16, "work", None, "info"),
    "dgetrs": (0, 16, 2, "a", 16, "pivots", "b", 16, "info"),
    "dgeqrf": (16, 16, "a", 16, "b", "work", 0, "info"),
    "dorgqr": (16, 16, 16, "a", 16, "b", "work", 0, "info"),
    "dormqr": (0, 0, 16, 2, 16, "a", 16, "b", "c", 16, "work", 0, "info"),
    "dsyevd": (1, 0, 16, "a", 16, "b", "work", 0, "info"),
    "dgesvd": (83, 83, 16, 16, "a", 16, "b", "c", 16, "d", 16, "work", 0, 0, "info"),
    "dsyevj": (1, 0, 16, "a", 16, "b", "work", 0, "info", "syevj"),
    "dsyevjBatched": (1, 0, 4, "a", 4, "b", "work", 0, "info", "syevj", 2),
    "dgesvdj": (1, 1, 16, 16, "a", 16, "b", "c", 16, "d", 16, "work", 0, "info", "gesvdj"),
    "dgesvdjBatched": (1, 4, 4, "a", 4, "b", "c", 4, "d", 4, "work", 0, "info", "gesvdj", 2),
}
NOT_ARRAYS = ("one", "host", "syevj", "gesvdj")


class Arrays:
    """What stands for the names of a call."""

    def __init__(self):
        matrices = [cp.asarray(np.eye(16)) for _ in range(4)]
        self.values = dict(zip("abcd", matrices, strict=True))
        self.values |= {
            "list": cp.asarray([x.data.ptr for x in matrices[:2]], "u8"),
            "work": cp.zeros(1 << 14),
            "info": cp.zeros(2, "i4"),
            "pivots": cp.asarray(np.arange(16) % 4 + 1, "i4"),
        }
        self.host = {"one": np.ones(1), "host": np.zeros(1)}

    def places(self):
        return {name: x.data.ptr for name, x in self.values.items()} | {
            name: x.ctypes.data for name, x in self.host.items()
        }


def call(function, handle, arguments, places):
    function(handle, *(places.get(x, x) if isinstance(x, str) else x for x in arguments))
    cp.cuda.get_current_stream().synchronize()


def each_array(arguments):
    return [k for k, x in enumerate(arguments) if isinstance(x, str) and x not in NOT_ARRAYS]


def wrong_places(arguments, two_bytes):
    """NULL and a place of two bytes for each array. Without pivots no rows are exchanged."""
    for k in each_array(arguments):
        if arguments[k] != "pivots":
            yield k, 0
        yield k, two_bytes


@pytest.fixture
def blas():
    handle = cublas.create()
    yield handle
    cublas.destroy(handle)


@EMULATED
@pytest.mark.parametrize("name", CUBLAS)
def test_cublas_arrays(blas, two_bytes, name):
    function, arguments, arrays = getattr(cublas, name), CUBLAS[name], Arrays()
    for k, place in wrong_places(arguments, two_bytes):
        wrong = (*arguments[:k], place, *arguments[k + 1 :])
        with pytest.raises(cublas.CUBLASError) as caught:
            call(function, blas, wrong, arrays.places())
        assert caught.value.status == 7, (k, place)
    call(function, blas, arguments, arrays.places())


@EMULATED
@pytest.mark.parametrize("name", [name for name, x in CUBLAS.items() if {"one", "host"} & {*x}])
def test_cublas_factors_and_results(blas, name):
    """Not at NULL, and where the pointer mode says; a status is the host's in both modes."""
    function, arguments, arrays = getattr(cublas, name), CUBLAS[name], Arrays()
    on_device, on_host = arrays.values["d"].data.ptr, arrays.host["one"].ctypes.data
    is_status = name.endswith("Batched")
    for k, x in enumerate(arguments):
        if x == "one" or (x == "host" and not is_status):
            for mode, place in ((0, 0), (0, on_device), (1, 0), (1, on_host)):
                cublas.setPointerMode(blas, mode)
                right = {} if mode == 0 else {"one": on_device}
                right |= {} if mode == 0 or is_status else {"host": on_device}
                wrong = (*arguments[:k], place, *arguments[k + 1 :])
                with pytest.raises(cublas.CUBLASError) as caught:
                    call(function, blas, wrong, arrays.places() | right)
                assert caught.value.status == 7
        elif x == "host":
            cublas.setPointerMode(blas, 0)
            with pytest.raises(cublas.CUBLASError):
                call(function, blas, (*arguments[:k], 0, *arguments[k + 1 :]), arrays.places())


def solver_space(name, arguments, places):
    """The size that a function asks for, with its own arguments."""
    bounds = {"dgesvd": arguments[2:4], "dgeqrf": arguments[:4]}
    head = bounds.get(name, arguments[: arguments.index("work")])
    tail = [x for x in arguments if x in ("syevj", "gesvdj")]
    tail += [2] if name.endswith("Batched") else []
    values = [places.get(x, x) for x in (*head, *tail)]
    handle = cp.cuda.device.get_cusolver_handle()
    return getattr(cusolver, f"{name}_bufferSize")(handle, *values)


@EMULATED
@pytest.mark.parametrize("name", CUSOLVER)
def test_cusolver_arrays_and_working_space(two_bytes, name):
    function, arguments, arrays = getattr(cusolver, name), list(CUSOLVER[name]), Arrays()
    handle, places = cp.cuda.device.get_cusolver_handle(), arrays.places()
    settings = {"syevj": cusolver.createSyevjInfo(), "gesvdj": cusolver.createGesvdjInfo()}
    places |= settings
    wrong = []
    if name == "dgetrf":  # takes no size; NULL for pivots means none
        arguments[5] = 0
    elif "work" in arguments:
        at = arguments.index("work") + 1
        arguments[at] = solver_space(name, arguments, places)
        wrong = [(at, size) for size in (-1, 0, arguments[at] - 1)]
    wrong += wrong_places(arguments, two_bytes)
    wrong += [(k, 0) for k, x in enumerate(arguments) if x in settings]
    for k, value in wrong:
        with pytest.raises(cusolver.CUSOLVERError) as caught:
            call(function, handle, (*arguments[:k], value, *arguments[k + 1 :]), places)
        assert caught.value.status == 3, (k, value)
    call(function, handle, arguments, places)
    cusolver.destroySyevjInfo(settings["syevj"])
    cusolver.destroyGesvdjInfo(settings["gesvdj"])


@EMULATED
def test_cusolver_working_space_of_any_type(two_bytes):
    handle, params = cp.cuda.device.get_cusolver_handle(), cusolver.createParams()
    a, values, info = cp.asarray(np.eye(4)), cp.zeros(4), cp.zeros(1, "i4")
    head = (handle, params, 1, 0, 4, 1, a.data.ptr, 4, 1, values.data.ptr, 1)
    device, host = cusolver.xsyevd_bufferSize(*head)
    work, space = cp.zeros(device, "u1"), np.zeros(host, "u1")
    right = (work.data.ptr, device, space.ctypes.data, host)
    for k, value in ((0, 0), (0, two_bytes), (1, device - 1), (2, 0), (3, host - 1)):
        wrong = (*right[:k], value, *right[k + 1 :])
        with pytest.raises(cusolver.CUSOLVERError) as caught:
            cusolver.xsyevd(*head, *wrong, info.data.ptr)
        assert caught.value.status == 31, k
    cusolver.xsyevd(*head, *right, info.data.ptr)
    assert info.get() == [0]
    cusolver.destroyParams(params)


@pytest.mark.parametrize("kind", "fdFD")
def test_factors_without_pivots(blas, kind):
    """Where there is no place for pivots, rows are not exchanged."""
    rng, letter, n = np.random.default_rng(3), {"f": "s", "d": "d", "F": "c", "D": "z"}[kind], 5
    matrices = rng.normal(size=(2, n, n)).astype(kind)
    if kind in "FD":
        matrices += 1j * rng.normal(size=(2, n, n))
    right = np.ones((2, n), kind)
    matrices[:, range(n), range(n)] += 3  # rows would be exchanged with pivots all the same
    matrices[:, 2, 0] = 9
    a, b, info = cp.asarray(matrices), cp.asarray(right), cp.zeros(2, "i4")  # columns of transposes
    kept = [cp.asarray([y.data.ptr for y in x], "u8") for x in (a, b)]
    lists = [x.data.ptr for x in kept]
    getattr(cublas, f"{letter}getrfBatched")(blas, n, lists[0], n, 0, info.data.ptr, 2)
    factors = a.get().transpose(0, 2, 1)
    lower, upper = np.tril(factors, -1) + np.eye(n), np.triu(factors)
    tolerance = 1e-4 if kind in "fF" else 1e-12
    np.testing.assert_allclose(lower @ upper, matrices.transpose(0, 2, 1), tolerance, tolerance)
    status = np.zeros(1, "i4")
    getattr(cublas, f"{letter}getrsBatched")(
        blas, 0, n, 1, lists[0], n, 0, lists[1], n, status.ctypes.data, 2
    )
    desired = np.linalg.solve(matrices.transpose(0, 2, 1), right[..., None])[..., 0]
    np.testing.assert_allclose(b.get(), desired, 100 * tolerance, tolerance)
    x, y = cp.asarray(matrices[0]), cp.asarray(right[0])
    handle = cp.cuda.device.get_cusolver_handle()
    size = getattr(cusolver, f"{letter}getrf_bufferSize")(handle, n, n, x.data.ptr, n)
    work = cp.zeros(size, kind)
    getattr(cusolver, f"{letter}getrf")(
        handle, n, n, x.data.ptr, n, work.data.ptr, 0, info.data.ptr
    )
    np.testing.assert_allclose(x.get().T, factors[0], 10 * tolerance, tolerance)
    getattr(cusolver, f"{letter}getrs")(
        handle, 0, n, 1, x.data.ptr, n, 0, y.data.ptr, n, info.data.ptr
    )
    np.testing.assert_allclose(y.get(), desired[0], 100 * tolerance, tolerance)
    assert not info.get().any()


@EMULATED
def test_inverses_without_pivots(blas):
    a = cp.asarray(np.tril(np.full((4, 4), 0.5)) + np.eye(4))
    out, info = cp.zeros((4, 4)), cp.ones(2, "i4")
    kept = [cp.asarray([x.data.ptr], "u8") for x in (a, out)]
    lists = [x.data.ptr for x in kept]
    desired = np.linalg.inv(a.get())
    cublas.dgetrfBatched(blas, 4, lists[0], 4, 0, info.data.ptr, 1)
    cublas.dgetriBatched(blas, 4, lists[0], 4, 0, lists[1], 4, info.data.ptr, 1)
    np.testing.assert_allclose(out.get(), desired, 1e-13, 1e-13)
    assert info.get()[0] == 0


LISTED = [
    *((cublas, name) for name, x in CUBLAS.items() if "list" in x),
    (cusolver, "dpotrfBatched"),
]


@EMULATED
@pytest.mark.parametrize("module, name", LISTED, ids=[row[1] for row in LISTED])
def test_a_list_with_an_address_of_zero_fails_the_context(module, name):
    """As a kernel that reads there; before, the process ended."""
    arguments = (CUBLAS if module is cublas else CUSOLVER)[name]
    program = LIST.format(module=module.__name__.rsplit(".", 1)[1], name=name, arguments=arguments)
    command = [sys.executable, "-c", program]
    settings = child.environment(GPUNP_DEVICE="emulated")
    done = subprocess.run(command, env=settings, capture_output=True, text=True)
    assert "an address of 0" in done.stdout, done.stdout + done.stderr


LIST = """
import numpy as np, gpunp as cp
from gpunp.cuda import cublas, cusolver, {module} as module

handle = cublas.create() if module is cublas else cp.cuda.device.get_cusolver_handle()
a, b, one, host = cp.zeros(64), cp.zeros(64), np.ones(1), np.zeros(1)
pivots, addresses = cp.ones(8, "i4"), cp.asarray([a.data.ptr, 0], "u8")
places = dict(a=a.data.ptr, b=b.data.ptr, info=b.data.ptr, pivots=pivots.data.ptr,
              one=one.ctypes.data, host=host.ctypes.data, list=addresses.data.ptr)
try:
    module.{name}(handle, *(places.get(x, x) for x in {arguments}))
    a.get()
except cp.cuda.driver.CUDADriverError as error:
    print(error)
"""


# ---- cuRAND and cuFFT ----------------------------------------------------------------------------


@EMULATED
def test_curand_places(two_bytes):
    generator = curand.createGenerator(curand.CURAND_RNG_PSEUDO_DEFAULT)
    out = cp.zeros(8, "u4")
    for place in (0, two_bytes, out.data.ptr + 1):
        with pytest.raises(curand.CURANDError) as caught:
            curand.generate(generator, place, 4)
        assert caught.value.status == 201
    curand.generate(generator, 0, 0)
    curand.generate(generator, out.data.ptr, 8)
    curand.destroyGenerator(generator)


@EMULATED
def test_order_of_cufft_and_curand():
    """A plan is made once and executed after that; what was destroyed is no handle."""
    paths = {name: path for name, _, path in _C._libraries()}
    fft, random = ctypes.CDLL(paths["cuFFT"]), ctypes.CDLL(paths["cuRAND"])
    plan, size, n = ctypes.c_int(), ctypes.c_size_t(), (ctypes.c_longlong * 1)(64)
    x = cp.zeros(64, "D")
    place = ctypes.c_void_p(x.data.ptr)
    many = (1, n, None, *map(ctypes.c_longlong, (1, 64)), None, *map(ctypes.c_longlong, (1, 64)))
    many += (cufft.CUFFT_Z2Z, ctypes.c_longlong(1), ctypes.byref(size))
    assert fft.cufftCreate(ctypes.byref(plan)) == 0
    assert fft.cufftXtExec(plan, place, place, -1) == 1  # INVALID_PLAN
    assert fft.cufftSetAutoAllocation(plan, 0) == 0
    assert fft.cufftMakePlanMany64(plan, *many) == 0
    assert fft.cufftMakePlanMany64(plan, *many) == 1
    assert fft.cufftXtExec(plan, place, place, -1) == 13  # NO_WORKSPACE
    area = cp.zeros(size.value, "u1")
    assert fft.cufftSetWorkArea(plan, ctypes.c_void_p(area.data.ptr)) == 0
    assert fft.cufftXtExec(plan, None, place, -1) == 4  # INVALID_VALUE
    assert fft.cufftXtExec(plan, place, place, 0) == 4
    assert fft.cufftXtExec(plan, place, place, -1) == 0
    cp.cuda.get_current_stream().synchronize()
    assert fft.cufftDestroy(plan) == 0
    assert fft.cufftDestroy(plan) == 1
    assert fft.cufftXtExec(plan, place, place, -1) == 1
    for name in ("SetStream", "SetPseudoRandomGeneratorSeed", "SetGeneratorOffset"):
        assert getattr(random, f"curand{name}")(None, None) == 101  # NOT_INITIALIZED
    assert random.curandGenerate(None, place, ctypes.c_size_t(4)) == 101
