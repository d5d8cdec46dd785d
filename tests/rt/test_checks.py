"""gpunp under the emulated device's checks: every kernel is clean, and what is not becomes an
exception that says where."""

import re
import subprocess
import sys
from pathlib import Path

import child
import numpy as np
import pytest

import gpunp as cp
from gpunp import _C
from gpunp.cuda import Stream

ROOT = Path(__file__).resolve().parents[2]
INIT, RACE, STREAM, CONTINUE = 1, 2, 4, 32

pytestmark = pytest.mark.skipif(not _C.is_emulated(), reason="asks the emulated device")

# Something for every file in kernels/, in shapes that reach its branches; nothing is computed from
# memory that was not written, and no two streams share what they do not wait for.
SWEEP = """
import numpy as np, gpunp as cp
rng = np.random.default_rng(1)
small, flat = cp.asarray(rng.random((70, 33))), cp.asarray(rng.random(50_000))
numbers = cp.asarray(rng.integers(0, 1000, 40_000))
single = cp.asarray(rng.random((300, 200), np.float32))
for a in (small, flat, single, small[::2, ::-3], small.T, small[:, 1:]):
    a + a, a * 2, cp.exp(a), a > 0.5, a.astype(np.complex64), a.copy()
    a.sum(), a.max(0), a.mean(-1), a.argmax(), a.any(), a.std()
    a.cumsum(), a.cumsum(0), a.cumprod(-1), a[a > 0.5], cp.nonzero(a > 0.9)
    b = a.copy()
    b[b > 0.5] = 0
    b += b[0]
    cp.cumsum(b, 0, out=b)
small + small.T[0, 0], small.T + cp.ones((33, 70)), cp.where(small > 0.5, small, 0)
cp.add(single.T, single[0, 0]), cp.ascontiguousarray(single.T), single.T.copy() + single.T
cp.arange(1000), cp.linspace(0, 1, 77), cp.eye(20), cp.full((3, 4), 7), cp.zeros(9), cp.ones(5)
numbers[numbers % 40_000], small[[1, 2, 3]], small[:, [4, 5]], cp.take(flat, numbers)
flat[cp.arange(0, 50_000, 3)] = 1
small[[1, 2]] = small[[3, 4]]
cp.sort(numbers), cp.argsort(numbers), cp.sort(small), cp.sort(small, 0), cp.sort(single, -1)
cp.sort(numbers.astype(np.uint8)), cp.sort(flat)[::-1], cp.argsort(single[0])
cp.searchsorted(cp.sort(flat), small), cp.unique(numbers), cp.isin(numbers[:99], numbers[50:70])
cp.interp(small, cp.arange(10.0), cp.arange(10.0) ** 2)
cp.concatenate([small, small]), cp.roll(small, 1, 1), cp.stack([flat, flat]), cp.hstack([small, small[:, :1]])
small @ small.T, single @ single.T, flat @ flat, small @ small[0], cp.inner(single, single)
cp.einsum("ij,kj->ik", small, small), cp.matmul(cp.ones((5, 8, 9)), cp.ones((5, 9, 4)))
cp.vecdot(small, small), cp.vecdot(small, small, axis=0), cp.ones(70) @ small, cp.outer(flat[:50], flat[:60])
cp.vdot(flat, flat), cp.ones((4, 100_000)) @ cp.ones(100_000), cp.ones(100_000) @ cp.ones((100_000, 4))
cp.subtract.accumulate(small), cp.add.reduceat(flat, [0, 10, 500]), cp.maximum.accumulate(small, 1)
cp.convolve(flat, flat[:9]), cp.add.at(flat, numbers, 1.0), cp.maximum.at(small, [1, 1], 2.0)
cp.add.at(flat[:1000], numbers, flat[:40_000]), cp.searchsorted(cp.sort(flat), flat)
cp.power.reduce(small[:4, :4]), cp.divide.reduce(small, 0), cp.linalg.norm(small)
cp.bincount(numbers), cp.histogram(flat, 20), cp.histogram(numbers, [0, 5, 900]), cp.digitize(flat, cp.arange(3.0))
cp.median(cp.asarray(rng.random(300_000))), cp.percentile(flat, [10, 90]), cp.quantile(small, 0.3, axis=0)
from gpunp.scipy import fft, linalg, signal
signal.convolve2d(small, small[:5, :4]), signal.correlate2d(single, single[:3, :7], boundary="symm")
signal.stft(flat, nperseg=100), signal.welch(single, nperseg=60, detrend="linear"), signal.welch(flat, nperseg=1000)
signal.lombscargle(flat[:300], flat[300:600], cp.linspace(1, 9, 20)), signal.istft(signal.stft(flat)[2])
for rows in (flat, small, cp.asarray(rng.random((9, 3000))), cp.asarray(rng.random((4100, 7)))):
    signal.sosfilt([[0.2, 0.1, 0, 1, -0.5, 0.1]], rows), signal.lfilter([1.0], [1.0, -1.5], rows, 0)
signal.lfilter([1.0], [1.0] + [0.01] * 40, small), signal.upfirdn(flat[:20], small, 3, 2, mode="line")
linalg.lu(small), linalg.expm(small[:33]), linalg.toeplitz(flat[:20]), cp.linalg.lstsq(small, flat[:70])
for a in (
    small[:33] + cp.eye(33), cp.stack([small[:33] + cp.eye(33)] * 3), cp.stack([single[:140, :140]] * 2),
    single[:19, :19].T, cp.stack([single[:9, :9]] * 30),
):
    cp.linalg.inv(a), cp.linalg.solve(a, a), cp.linalg.svd(a), cp.linalg.qr(a), cp.linalg.det(a)
    linalg.solve_triangular(a, a), cp.linalg.slogdet(a), cp.linalg.svdvals(a[..., :7])
    cp.linalg.eigh(a), cp.linalg.eig(a), cp.linalg.cholesky(a @ a.swapaxes(-1, -2) + cp.eye(a.shape[-1]))
few = cp.asarray(rng.random((5, 7, 7)))
even = few @ few.swapaxes(-1, -2) + 7 * cp.eye(7)
cp.linalg.inv(few), cp.linalg.solve(few, few[0]), cp.linalg.det(few), cp.linalg.slogdet(few)
cp.linalg.eigh(even), cp.linalg.eigvalsh(even), cp.linalg.cholesky(even)
for kind in (1, 2, 3, 4):
    fft.dctn(small, kind), fft.idst(single[:, 1:], kind)
cp.fft.ifft(cp.fft.fft(small), axis=0) + 1, cp.fft.irfft2(cp.fft.rfft2(small)) + 1
for size in (1000, 1001):
    dice = cp.random.default_rng(1)
    dice.random(size), dice.standard_normal(size), dice.integers(0, 77, size), dice.gamma(2.5, size=size)
    dice.permutation(size), dice.permuted(cp.ones((size, 3)), axis=0), dice.choice(size, 5, replace=False)
    dice.multinomial(9, [0.2, 0.3, 0.5], size), dice.dirichlet([1.0, 2.0], size)
dice.choice(70_000, 5, replace=False), dice.permutation(70_000)
reverse = cp.ElementwiseKernel("T x, raw T y", "T z", "z = x + y[_ind.size() - 1 - i]", "reverse")
from gpunp.scipy import ndimage
ndimage.sum_labels(flat[:9000], numbers[:9000] % 9, cp.arange(9)), ndimage.extrema(small, numbers[:2310].reshape(70, 33) % 7, cp.arange(7))
ndimage.label(small > 0.5), ndimage.label(small > 0.3, cp.ones((3, 3))), ndimage.label(flat[:5000] > 0.5)
ndimage.mean(flat[:9000], numbers[:9000] % 300, cp.arange(299, -1, -1))
ndimage.median_filter(small, (9, 11)), ndimage.median_filter(flat[:2000], 71), ndimage.median_filter(small > 0.5, 8)
ndimage.maximum(flat[:9000], numbers[:9000] * 8, cp.arange(8000)), ndimage.variance(flat[:900], numbers[:900], [1, 3, 5])
length = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "length")
reverse(flat, flat), reverse(small, small)
length(flat), length(small, axis=0), length(small, axis=1), length(single.T, axis=0), length(small, axis=(0, 1))
length(cp.ones((3, 100_000)), axis=1), length(cp.ones((100_000, 3)), axis=0)
from gpunp.scipy import ndimage
for order, mode in ((1, "constant"), (3, "nearest"), (5, "mirror")):
    ndimage.rotate(small, 20, order=order, mode=mode), ndimage.zoom(single, 1.2, order=order, mode=mode)
    ndimage.map_coordinates(single, small[:2] * 300, order=order, mode=mode)
ndimage.fourier_shift(small, 2.5), ndimage.fourier_gaussian(single, 3), ndimage.fourier_ellipsoid(small, 3)
cp._C._lazy_mode(2)  # compiles at first sight
with cp.lazy():
    powers = cp.exp(single - single.max(axis=1, keepdims=True))
    shares = powers / powers.sum(axis=1, keepdims=True)
    waves = cp.tanh(cp.sin(flat) + 0.1 * flat)
shares.sum(), waves.sum()
cp.cuda.Device().synchronize()
from gpunp.scipy import sparse
sparse._sparsetools.MANY = 1  # rows of coordinates are sorted first
sparse.coo_array((flat[:3000].astype("f"), (numbers[:3000] % 300, numbers[3000:6000] % 50)), shape=(300, 50)).tocsr()
sparse._ranges.LEAST = 1
sparse.coo_array((flat[:3000], (numbers[:3000] % 300, numbers[3000:6000] % 50)), shape=(300, 50)).tocsc()
sparse.coo_array((flat[:3000].astype("f"), (numbers[:3000] % 300, numbers[3000:6000] % 50)), shape=(300, 50)).tocsr()
m = sparse.csr_array(small * (small > 0.7))
m + m.T.tocsr().T, m @ small[0], m @ small.T, m.T @ small, m @ m.T, m[[1, 3, 1]], m.diagonal(), m.tocsc().sum(0)
skewed = sparse.csr_array((flat[:9000], numbers[:9000] % 50, cp.asarray([0, 8000, 8001, 8001, 9000])), shape=(4, 50))
skewed @ flat[:50], skewed.sum(1)
skewed.sort_indices()
skewed + skewed
from gpunp.scipy.sparse import linalg as solvers
steps = cp.tril(single[:60, :60] * (single[:60, :60] > 0.8)) + 2 * cp.eye(60, dtype="f4")
for right in (single[:60, 0], single[:60, :40]):
    solvers.spsolve_triangular(sparse.csr_array(steps), right)
    solvers.spsolve_triangular(sparse.csr_array(steps.T), right, lower=False, unit_diagonal=True)
grid = sparse.diags_array([flat[:4999], 3 + flat[:5000], flat[:4999]], offsets=[-1, 0, 1]).tocsr()
solvers.cg(grid, flat[:5000], M=sparse.diags_array(flat[:5000] + 1), maxiter=2)
solvers.gmres(grid, flat[:5000], restart=3, maxiter=1)
solvers.spsolve(grid[:301, :301], flat[:602].reshape(301, 2))
graph = sparse.csr_array((flat[:900], numbers[:900] % 300, cp.arange(0, 901, 3)), shape=(300, 300))
for connection in ("weak", "strong"):
    sparse.csgraph.connected_components(graph, connection=connection)
graph = abs(graph)
for method in ("dijkstra", "bellman_ford", "floyd_warshall"):
    getattr(sparse.csgraph, method)(graph[:90, :90], return_predecessors=True)
sparse.csgraph.breadth_first_order(graph, 0), sparse.csgraph.minimum_spanning_tree(graph)
fan = sparse.coo_array((flat[:3000], (cp.arange(3000) // 1500 * cp.arange(3000) % 1500, cp.arange(3000) % 1500)))
sparse.csgraph.breadth_first_order(fan, 0)
from gpunp.scipy import optimize
optimize._minimize.FEW = 0
for many, box in ((flat[:5000], None), (flat[:5000], [(0, 0.9)] * 5000), (single[0, :70], None)):
    bowl = lambda x: ((x**4 - x * many).sum(), 4 * x**3 - many)
    optimize.minimize(bowl, cp.full_like(many, 0.5), jac=True, method="L-BFGS-B", bounds=box, options={"maxiter": 4})
"""


def run(program, **environment):
    """What a process of its own prints as errors."""
    variables = child.environment(**environment)
    process = subprocess.run(
        [sys.executable, "-c", program], env=variables, capture_output=True, text=True, timeout=child.PATIENCE,
        check=False,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    return process.stderr


def test_every_kernel_is_clean():
    """With the pool off, so that each array is memory that nobody has written."""
    checks = "init,race,stream,continue,count"
    said = run(SWEEP, GPUNP_EMU=checks, GPUNP_EMU_REPORT="stderr", GPUNP_POOL="off")
    found = [line for line in said.splitlines() if "gpunp emulated device" in line]
    assert found == []
    launched = set(re.findall(r"^(?: +\d+){4}  (\w+)$", said, re.MULTILINE))
    kernels = {path.stem for path in (ROOT / "kernels").rglob("*.cu")}
    missing = kernels - launched
    # A kernel may come before its operation here, but not stay without one.
    assert len(missing) <= len(kernels) // 10, f"add operations to SWEEP that launch {missing}"


def test_a_race_becomes_an_exception():
    """Two values for one place: which stays is open, and the check says so."""
    program = (
        "import gpunp as cp, sys\n"
        "a = cp.zeros(10)\n"
        "try: a[cp.asarray([1] * 64)] = cp.arange(64.0); cp.cuda.Device().synchronize()\n"
        "except cp.cuda.CUDADriverError as error: print(error, file=sys.stderr)"
    )
    said = run(program, GPUNP_EMU="race")
    assert "CUDA_ERROR_LAUNCH_FAILED" in said and "kernel scatter, scatter.cu:" in said
    assert "race: the 8-byte write of global memory" in said and "by block (0,0,0), thread" in said
    assert run(program) == ""


def test_an_uninitialised_read_becomes_an_exception():
    program = (
        "import gpunp as cp, sys\n"
        "try: cp.empty(100) + 1; cp.cuda.Device().synchronize()\n"
        "except cp.cuda.CUDADriverError as error: print(error, file=sys.stderr)"
    )
    said = run(program, GPUNP_EMU="init", GPUNP_POOL="off")
    assert (
        "uninitialised memory" in said
        and "kernel elementwise_single, elementwise_single.cu:" in said
    )


def test_streams_that_do_not_wait_are_found(stream_check):
    first, second = Stream(non_blocking=True), Stream(non_blocking=True)
    a = cp.zeros(1000)
    cp.cuda.Device().synchronize()
    findings = stream_check.findings()
    with first:
        a += 1
    with second:
        a += 1
    cp.cuda.Device().synchronize()
    assert stream_check.findings() > findings
    assert "stream order: kernel elementwise" in stream_check.last_fault()


def test_streams_that_wait_are_silent(stream_check):
    first, second = Stream(non_blocking=True), Stream(non_blocking=True)
    a = cp.zeros(1000)
    cp.cuda.Device().synchronize()
    findings = stream_check.findings()
    with first:
        a[:500] += 1
        event = first.record()
    with second:
        a[500:] += 1  # other bytes
        second.wait_event(event)
        a += 1
    second.synchronize()
    a += 1
    assert (a.get() == 3).all()
    b = [cp.full(100, i) for i in range(5)]
    for i, stream in enumerate((first, second, Stream(), Stream(), first)):
        stream.wait_event(Stream.null.record())
        with stream:
            b[i] = (b[i] + i) * 2
        stream.synchronize()
    del b
    cp.cuda.Device().synchronize()
    assert stream_check.findings() == findings


def test_what_was_not_watched_counts_as_written_and_waited_for(emulator):
    before = emulator.checks(INIT | STREAM | CONTINUE)
    try:
        first, second = Stream(non_blocking=True), Stream(non_blocking=True)
        big = cp.empty(5_000_000)  # a segment of its own, unwritten
        with first:
            big[:100] = 1
        emulator.checks(CONTINUE)
        first.synchronize()
        big[...] = 2
        cp.cuda.Device().synchronize()
        emulator.checks(INIT | STREAM | CONTINUE)
        findings = emulator.findings()
        with second:
            big[:1000] += 1
        second.synchronize()
        assert (big[:1000].get() == 3).all()
        assert emulator.findings() == findings
    finally:
        emulator.checks(before)


def test_checks_are_switched_while_running(emulator):
    before = emulator.checks(INIT | RACE | CONTINUE)
    try:
        findings = emulator.findings()
        a = cp.zeros(10)
        a[cp.asarray([1] * 64)] = cp.arange(64.0)
        cp.cuda.Device().synchronize()
        assert emulator.findings() == findings + 1
        assert emulator.checks(0) == INIT | RACE | CONTINUE
        a[cp.asarray([1] * 64)] = cp.arange(64.0)
        assert np.isin(a.get()[1], np.arange(64))
        assert emulator.findings() == findings + 1
    finally:
        emulator.checks(before)
