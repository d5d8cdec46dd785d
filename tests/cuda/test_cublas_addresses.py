"""cuBLAS by addresses: every function of gpunp.cuda.cublas against NumPy."""

import numpy as np
import pytest

import gpunp as cp
from gpunp.cuda import cublas

TYPES = dict(zip("sdcz", "fdFD", strict=True))
CODES = dict(zip("fdFDebi", (0, 1, 4, 5, 2, 3, 10), strict=True))  # cudaDataType
N, T, C = cublas.CUBLAS_OP_N, cublas.CUBLAS_OP_T, cublas.CUBLAS_OP_C
LOWER, UPPER = cublas.CUBLAS_FILL_MODE_LOWER, cublas.CUBLAS_FILL_MODE_UPPER


@pytest.fixture
def handle():
    handle = cublas.create()
    yield handle
    cublas.destroy(handle)


def numbers(rng, kind, *shape):
    values = rng.normal(size=shape) + 1j * rng.normal(size=shape)
    return np.asfortranarray(values if kind in "FD" else values.real).astype(kind)


def on_device(values):
    return cp.asarray(np.asfortranarray(values), order="F")


def ptr(array):
    return array.data.ptr if isinstance(array, cp.ndarray) else array.ctypes.data


def close(actual, desired):
    desired = np.asarray(desired)
    eps = np.finfo(desired.dtype).eps if desired.dtype.kind in "fc" else 0
    scale = max(1.0, float(abs(desired).max(initial=0)))
    np.testing.assert_allclose(cp.asnumpy(actual), desired, rtol=0, atol=50 * eps * scale)


def op(a, trans):
    return {N: a, T: a.T, C: a.conj().T}[trans]


@pytest.mark.parametrize(
    "mode", [cublas.CUBLAS_POINTER_MODE_HOST, cublas.CUBLAS_POINTER_MODE_DEVICE]
)
@pytest.mark.parametrize("letter", TYPES)
def test_vectors(handle, rng, letter, mode):
    kind, real = TYPES[letter], TYPES[letter].lower()
    x, y = numbers(rng, kind, 2, 5)
    dx, dy = on_device(x), on_device(y)
    cublas.setPointerMode(handle, mode)
    assert cublas.getPointerMode(handle) == mode
    place = cp if mode == cublas.CUBLAS_POINTER_MODE_DEVICE else np
    prefix = {"c": "sc", "z": "dz"}.get(letter, letter)
    size = abs(x.real) + abs(x.imag)
    for name, dtype, wanted in (
        (f"{prefix}asum", real, size.sum()),
        (f"{prefix}nrm2", real, np.linalg.norm(x)),
        (f"i{letter}amax", "i4", size.argmax() + 1),
        (f"i{letter}amin", "i4", size.argmin() + 1),
    ):
        out = place.zeros(1, dtype)
        getattr(cublas, name)(handle, 5, ptr(dx), 1, ptr(out))
        close(out[0], np.asarray(wanted, dtype))
        getattr(cublas, name)(handle, 5, ptr(dx), -1, ptr(out))  # no elements
        close(out[0], np.zeros((), dtype))
    for name, first in (("dot", x),) if kind in "fd" else (("dotu", x), ("dotc", x.conj())):
        out = place.zeros(1, kind)
        getattr(cublas, letter + name)(handle, 3, ptr(dx), 2, ptr(dy), -1, ptr(out))
        close(out[0], (first[::2] * y[2::-1]).sum())
    factor = numbers(rng, kind, 1)
    alpha = place.asarray(factor)
    getattr(cublas, f"{letter}axpy")(handle, 3, ptr(alpha), ptr(dx), -2, ptr(dy), 1)
    y[:3] += factor * x[::-2]
    close(dy, y)
    getattr(cublas, f"{letter}scal")(handle, 2, ptr(alpha), ptr(dx), 3)
    x[::3] *= factor
    close(dx, x)
    if kind in "FD":
        alpha = place.asarray(factor.real.astype(real))
        getattr(cublas, {"c": "csscal", "z": "zdscal"}[letter])(handle, 5, ptr(alpha), ptr(dx), 1)
        close(dx, x * factor.real)


def test_norm_does_not_overflow(handle):
    for values, wanted in (([3e200, 4e200], 5e200), ([np.inf, 1], np.inf), ([np.nan, 1], np.nan)):
        out = np.zeros(1)
        cublas.dnrm2(handle, 2, ptr(cp.asarray(values, "d")), 1, ptr(out))
        np.testing.assert_allclose(out[0], wanted)


@pytest.mark.parametrize("letter", TYPES)
def test_matrices_and_vectors(handle, rng, letter):
    kind = TYPES[letter]
    a, alpha, beta = numbers(rng, kind, 4, 3), numbers(rng, kind, 1), numbers(rng, kind, 1)
    da = on_device(a)
    for trans in (N, T, C):
        m, n = op(a, trans).shape
        x, y = numbers(rng, kind, 2 * n), numbers(rng, kind, m)
        dx, dy = on_device(x), on_device(y)
        head = (handle, trans, 4, 3, ptr(alpha), ptr(da), 4, ptr(dx), 2)
        getattr(cublas, f"{letter}gemv")(*head, ptr(beta), ptr(dy), -1)
        close(dy, (alpha * (op(a, trans) @ x[::2]) + beta * y[::-1])[::-1])
        dy[...] = np.nan  # which beta = 0 does not read
        getattr(cublas, f"{letter}gemv")(*head, ptr(np.zeros(1, kind)), ptr(dy), 1)
        close(dy, alpha * (op(a, trans) @ x[::2]))
    x, y = numbers(rng, kind, 4), numbers(rng, kind, 6)
    dx, dy = on_device(x), on_device(y)
    for name, row in (("ger", y),) if kind in "fd" else (("geru", y), ("gerc", y.conj())):
        da = on_device(a)
        tail = (ptr(dx), 1, ptr(dy), 2, ptr(da), 4)
        getattr(cublas, letter + name)(handle, 4, 3, ptr(alpha), *tail)
        close(da, a + alpha * np.outer(x, row[::2]))


@pytest.mark.parametrize("letter", "sd")
@pytest.mark.parametrize("uplo", [LOWER, UPPER])
def test_bands_and_packed_triangles(handle, rng, letter, uplo):
    kind, n, k = TYPES[letter], 6, 2
    band = numbers(rng, kind, k + 1, n)
    dense = np.zeros((n, n), kind)
    for d in range(k + 1):
        for j in range(n - d):
            dense[j + d, j] = dense[j, j + d] = band[d, j] if uplo == LOWER else band[k - d, j + d]
    x, y, alpha, beta = (numbers(rng, kind, size) for size in (n, n, 1, 1))
    dy, db, dx = on_device(y), on_device(band), on_device(x)
    tail = (ptr(dx), 1, ptr(beta), ptr(dy), 1)
    getattr(cublas, f"{letter}sbmv")(handle, uplo, n, k, ptr(alpha), ptr(db), k + 1, *tail)
    close(dy, alpha * dense @ x + beta * y)
    columns = on_device(numbers(rng, kind, n + 1, n))
    packed, back = cp.zeros(n * (n + 1) // 2, kind), cp.zeros((n + 1, n), kind, order="F")
    getattr(cublas, f"{letter}trttp")(handle, uplo, n, ptr(columns), n + 1, ptr(packed))
    getattr(cublas, f"{letter}tpttr")(handle, uplo, n, ptr(packed), ptr(back), n + 1)
    square = columns.get()[:n]
    triangle = np.tril(square) if uplo == LOWER else np.triu(square)
    close(back[:n], triangle)
    rows = [square[j:, j] if uplo == LOWER else square[: j + 1, j] for j in range(n)]
    close(packed, np.concatenate(rows))


@pytest.mark.parametrize("letter", TYPES)
def test_products(handle, rng, letter):
    """With leading dimensions of more than the rows, alone and in batches of both kinds."""
    kind, m, n, k, count = TYPES[letter], 4, 3, 5, 2
    alpha, beta = numbers(rng, kind, 1), numbers(rng, kind, 1)
    for trans_a, trans_b in ((N, N), (T, C), (C, T), (N, T), (C, N)):
        a = [numbers(rng, kind, *((m, k) if trans_a == N else (k, m))) for _ in range(count)]
        b = [numbers(rng, kind, *((k, n) if trans_b == N else (n, k))) for _ in range(count)]
        c = [numbers(rng, kind, m + 2, n) for _ in range(count)]
        wanted = [z.copy() for z in c]
        for x, y, z in zip(a, b, wanted, strict=True):
            z[:m] = alpha * (op(x, trans_a) @ op(y, trans_b)) + beta * z[:m]
        stacks = [cp.asarray(np.stack([v.T for v in one])) for one in (a, b, c)]
        lds = [a[0].shape[0], b[0].shape[0], m + 2]
        head = (handle, trans_a, trans_b, m, n, k, ptr(alpha))
        one = [stack[0].copy() for stack in stacks]
        getattr(cublas, f"{letter}gemm")(
            *head, ptr(one[0]), lds[0], ptr(one[1]), lds[1], ptr(beta), ptr(one[2]), lds[2]
        )
        close(one[2].T, wanted[0])
        lists = [cp.asarray([ptr(v) for v in stack], "u8") for stack in stacks]
        third = stacks[2].copy()
        getattr(cublas, f"{letter}gemmBatched")(
            *head,
            ptr(lists[0]),
            lds[0],
            ptr(lists[1]),
            lds[1],
            ptr(beta),
            ptr(lists[2]),
            lds[2],
            count,
        )
        close(stacks[2], np.stack([z.T for z in wanted]))
        steps = [stack[0].size for stack in stacks]
        getattr(cublas, f"{letter}gemmStridedBatched")(
            *head, ptr(stacks[0]), lds[0], steps[0], ptr(stacks[1]), lds[1], steps[1],
            ptr(beta), ptr(third), lds[2], steps[2], count,
        )  # fmt: skip
        close(third, np.stack([z.T for z in wanted]))


def test_products_of_one_inner_element(handle):
    """A transposed matrix of one row has leading dimension 1."""
    a, b, c = cp.arange(1.0, 4), cp.asarray([2.0]), cp.zeros(3)
    one, zero = np.ones(1), np.zeros(1)
    cublas.dgemm(handle, T, N, 3, 1, 1, ptr(one), ptr(a), 1, ptr(b), 1, ptr(zero), ptr(c), 3)
    assert c.get().tolist() == [2, 4, 6]


@pytest.mark.parametrize("types", ["ee", "ef", "bi", "ff", "dd", "FF", "DD"])
def test_products_of_mixed_types(handle, rng, types):
    kinds = {"b": "i1", "i": "i4", "e": "f2"}
    (low, high), (m, n, k) = types, (4, 4, 8)
    a, b = (np.asfortranarray(rng.integers(-4, 5, size)) for size in ((m, k), (k, n)))
    compute, scale = {"bi": (72, "i4"), "dd": (70, "d"), "DD": (70, "D"), "FF": (68, "F")}.get(
        types, (68, "f")
    )
    one, zero = np.ones(1, scale), np.zeros(1, scale)
    da, db = (on_device(v.astype(kinds.get(low, low))) for v in (a, b))
    dc = cp.zeros((m, n), kinds.get(high, high), order="F")
    left = (ptr(da), CODES[low], m)
    right, result = (ptr(db), CODES[low], k), (ptr(dc), CODES[high], m)
    head = (handle, N, N, m, n, k, ptr(one))
    if types != "bi":  # tensor cores alone take bytes, transposed
        cublas.gemmEx(*head, *left, *right, ptr(zero), *result, compute, -1)
        close(dc, (a @ b).astype(dc.dtype))
    at = on_device(a.T.astype(kinds.get(low, low)))
    turned = (handle, T, N, m, n, k, ptr(one))
    cublas.gemmStridedBatchedEx(
        *turned, ptr(at), CODES[low], k, 0, *right, 0, ptr(zero), *result, 0, 1, compute, -1
    )
    close(dc, (a @ b).astype(dc.dtype))
    if compute == 68 and scale == "f":
        dc[...] = 0
        cublas.sgemmEx(*head, *left, *right, ptr(zero), *result)
        close(dc, (a @ b).astype(dc.dtype))


def test_types_that_do_not_go_together(handle):
    one, a = np.ones(1, "f"), cp.zeros((4, 4), "f")
    for types, compute in (((0, 1, 0), 68), ((0, 0, 2), 68), ((0, 0, 0), 70)):
        x, y, z = ((ptr(a), code, 4) for code in types)
        with pytest.raises(cublas.CUBLASError):
            cublas.gemmEx(handle, N, N, 4, 4, 4, ptr(one), *x, *y, ptr(one), *z, compute, -1)


@pytest.mark.parametrize("letter", TYPES)
def test_matrices(handle, rng, letter):
    kind, n, k = TYPES[letter], 4, 3
    alpha, beta = numbers(rng, kind, 1), numbers(rng, kind, 1)
    a, c = numbers(rng, kind, n, k), numbers(rng, kind, n, n)
    for uplo, part in ((LOWER, np.tril), (UPPER, np.triu)):
        for trans in (N, T):
            da, dc = on_device(op(a, trans)), on_device(c)
            tail = (ptr(da), da.shape[0], ptr(beta), ptr(dc), n)
            getattr(cublas, f"{letter}syrk")(handle, uplo, trans, n, k, ptr(alpha), *tail)
            close(dc, np.where(part(np.ones((n, n))), alpha * (a @ a.T) + beta * c, c))
    b, out = numbers(rng, kind, k, n), cp.zeros((n, k), kind, order="F")
    da, db = on_device(a), on_device(b)
    tail = (ptr(beta), ptr(db), k, ptr(out), n)
    getattr(cublas, f"{letter}geam")(handle, N, C, n, k, ptr(alpha), ptr(da), n, *tail)
    close(out, alpha * a + beta * b.conj().T)
    for side, size in ((cublas.CUBLAS_SIDE_LEFT, n), (cublas.CUBLAS_SIDE_RIGHT, k)):
        x = numbers(rng, kind, size)
        getattr(cublas, f"{letter}dgmm")(
            handle, side, n, k, ptr(da), n, ptr(on_device(x)), 1, ptr(out), n
        )
        close(out, x[:, None] * a if side == cublas.CUBLAS_SIDE_LEFT else a * x)


@pytest.mark.parametrize(
    "mode", [cublas.CUBLAS_POINTER_MODE_HOST, cublas.CUBLAS_POINTER_MODE_DEVICE]
)
@pytest.mark.parametrize("letter", TYPES)
def test_solutions(handle, rng, letter, mode):
    kind, n = TYPES[letter], 4
    a = numbers(rng, kind, n, n) + (3 * np.eye(n)).astype(kind)
    b, alpha = numbers(rng, kind, n, 2), numbers(rng, kind, 1)
    cublas.setPointerMode(handle, mode)
    factor = cp.asarray(alpha) if mode == cublas.CUBLAS_POINTER_MODE_DEVICE else alpha
    da, db = on_device(a), on_device(b)
    head = (handle, cublas.CUBLAS_SIDE_LEFT, UPPER, N, cublas.CUBLAS_DIAG_NON_UNIT, n, 2)
    getattr(cublas, f"{letter}trsm")(*head, ptr(factor), ptr(da), n, ptr(db), n)
    close(np.triu(a) @ db.get(), alpha * b)
    for trans in (N, C):
        da, db = on_device(a), on_device(b)
        lists = [cp.asarray([ptr(v)], "u8") for v in (da, db)]
        pivots, info, status = cp.zeros(n, "i4"), cp.zeros(1, "i4"), np.ones(1, "i4")
        getattr(cublas, f"{letter}getrfBatched")(
            handle, n, ptr(lists[0]), n, ptr(pivots), ptr(info), 1
        )
        getattr(cublas, f"{letter}getrsBatched")(
            handle, trans, n, 2, ptr(lists[0]), n, ptr(pivots), ptr(lists[1]), n, ptr(status), 1
        )
        close(op(a, trans) @ db.get(), b)
        assert status[0] == 0


def test_settings(handle):
    for mode in (cublas.CUBLAS_DEFAULT_MATH, 2, 3):
        cublas.setMathMode(handle, mode)
        assert cublas.getMathMode(handle) == mode
    with pytest.raises(cublas.CUBLASError):
        cublas.setPointerMode(handle, 2)
    with cp.cuda.Stream() as stream:
        cublas.setStream(handle, stream.ptr)
        assert cublas.getStream(handle) == stream.ptr


# Faults for which NVIDIA's pages on these functions name CUBLAS_STATUS_INVALID_VALUE.
WRONG = {
    "dgemm": (N, N, 4, 4, 4, "one", "a", 3, "a", 4, "one", "a", 4),
    "dger": (4, 4, "one", "a", 1, "a", 1, "a", 3),
    "dsbmv": (LOWER, 4, 2, "one", "a", 2, "a", 1, "one", "a", 1),
    "dsyrk": (5, N, 4, 4, "one", "a", 4, "one", "a", 4),
    "dgeam": (N, N, -1, 4, "one", "a", 4, "one", "a", 4, "a", 4),
    "ddgmm": (0, -1, 4, "a", 4, "a", 1, "a", 4),
    "dtrttp": (LOWER, 4, "a", 3, "a"),
    "dtrsm": (0, 0, 0, 0, 4, 4, "one", "a", 3, "a", 4),
}
# Faults that the emulated device finds, and NVIDIA's library may compute with. Its dgemv of CUDA 13.0
# returns success for -1 rows, against its page.
WRONG_EMULATED = {
    "dgemv rows": (N, -1, 4, "one", "a", 4, "a", 1, "one", "a", 1),
    "dgemv": (N, 4, 4, "one", "a", 4, "a", 0, "one", "a", 1),
    "dgeam": (N, 7, 4, 4, "one", "a", 4, "one", "a", 4, "a", 4),
}


def is_refused(handle, name, arguments):
    one, a = np.ones(1), cp.zeros((4, 4))
    places = {"one": ptr(one), "a": ptr(a)}
    with pytest.raises(cublas.CUBLASError, match=f"{name[1:]}.*: status 7"):
        getattr(cublas, name)(handle, *(places.get(value, value) for value in arguments))


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(handle, name):
    is_refused(handle, name, WRONG[name])


@pytest.mark.skipif(not cp.cuda.is_emulated(), reason="NVIDIA's library may compute with these")
@pytest.mark.parametrize("name", WRONG_EMULATED)
def test_wrong_arguments_of_the_emulated_device(handle, name):
    is_refused(handle, name.split()[0], WRONG_EMULATED[name])


def test_every_name_is_there():
    names = {*cublas._TABLE, *cublas._GETTERS}
    assert all(hasattr(cublas, name) for name in names)
