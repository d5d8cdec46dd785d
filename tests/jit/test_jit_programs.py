"""Kernels as people write them, in Python: each beside NumPy."""

import cmath
import math

import numpy as np
import pytest
from check import assert_same

import gpunp as cp
from gpunp import jit


def blocks(n, threads=64):
    return (n + threads - 1) // threads


@jit.rawkernel()
def block_sum(x, out):
    s = jit.shared_memory(cp.float64, 128)
    tid = jit.threadIdx.x
    i = jit.blockIdx.x * jit.blockDim.x + tid
    s[tid] = x[i] if i < len(x) else 0.0
    jit.syncthreads()
    half = jit.blockDim.x // 2
    while half > 0:
        if tid < half:
            s[tid] += s[tid + half]
        jit.syncthreads()
        half //= 2
    if tid == 0:
        out[jit.blockIdx.x] = s[0]


def test_tree_reduction(rng):
    x = rng.integers(0, 100, 1000).astype("f8")
    out = cp.zeros(8)
    block_sum[8, 128](cp.asarray(x), out)
    padded = np.pad(x, (0, 24)).reshape(8, 128)
    assert_same(out, padded.sum(axis=1))


@jit.rawkernel(device=True)
def warp_sum(value):
    for k in (16, 8, 4, 2, 1):
        value += jit.shfl_down_sync(0xFFFFFFFF, value, k)
    return value


@jit.rawkernel()
def row_norms(x, out):
    row = jit.blockIdx.x
    lane = jit.laneid()
    total = cp.float32(0)
    for j in range(lane, x.shape[1], jit.warpsize):
        total += x[row, j] ** 2
    total = warp_sum(total)
    if lane == 0:
        out[row] = cp.sqrt(total)


def test_warp_reduction(rng):
    x = rng.random((5, 77), np.float32)
    out = cp.zeros(5, "f4")
    row_norms[5, 32](cp.asarray(x), out)
    np.testing.assert_allclose(out.get(), np.linalg.norm(x, axis=1), rtol=1e-6)


@jit.rawkernel()
def heat(u, new, c):
    i, j = jit.grid(2)
    n, m = u.shape
    if 0 < i < n - 1 and 0 < j < m - 1:
        lap = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4 * u[i, j]
        new[i, j] = u[i, j] + c * lap
    elif i < n and j < m:
        new[i, j] = u[i, j]


def test_stencil(rng):
    u = rng.random((19, 23))
    new = cp.zeros_like(cp.asarray(u))
    heat[(3, 3), (8, 8)](cp.asarray(u), new, 0.1)
    expected = u.copy()
    lap = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
    expected[1:-1, 1:-1] += 0.1 * lap
    np.testing.assert_allclose(new.get(), expected, rtol=1e-14)


@jit.rawkernel()
def histogram(x, bins, low, width):
    local = jit.shared_memory(cp.int32, 32)
    tid = jit.threadIdx.x
    if tid < 32:
        local[tid] = 0
    jit.syncthreads()
    for i in range(jit.grid(1), x.size, jit.gridsize(1)):
        b = int((x[i] - low) / width)
        jit.atomic_add(local, min(max(b, 0), 31), 1)
    jit.syncthreads()
    if tid < 32:
        jit.atomic_add(bins, tid, local[tid])


def test_histogram(rng):
    x = rng.random(3000) * 32
    bins = cp.zeros(32, "i4")
    histogram[4, 64](cp.asarray(x), bins, 0.0, 1.0)
    assert_same(bins, np.histogram(x, 32, (0, 32))[0].astype("i4"))


@jit.rawkernel()
def inclusive_scan(x, out):
    a = jit.shared_memory(cp.int64, 64)
    tid = int(jit.threadIdx.x)
    a[tid] = x[tid]
    jit.syncthreads()
    step = 1
    while step < jit.blockDim.x:
        other = a[tid - step] if tid >= step else 0
        jit.syncthreads()
        a[tid] += other
        jit.syncthreads()
        step <<= 1
    out[tid] = a[tid]


def test_prefix_sum(rng):
    x = rng.integers(-50, 50, 64)
    out = cp.zeros(64, "i8")
    inclusive_scan[1, 64](cp.asarray(x), out)
    assert_same(out, np.cumsum(x))


def escape(re, im, most):
    """How long a point stays: also runs as Python."""
    zr = zi = 0.0
    for k in range(most):
        zr2, zi2 = zr * zr, zi * zi
        if zr2 + zi2 > 4.0:
            return k
        zr, zi = zr2 - zi2 + re, 2 * zr * zi + im
    return most


@jit.rawkernel(mode="numpy")
def mandelbrot(out, x0, y0, step, most):
    i, j = jit.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = escape(x0 + j * step, y0 + i * step, most)


def test_mandelbrot():
    out = cp.zeros((12, 16), "i4")
    mandelbrot[(2, 2), (8, 8)](out, -2.0, -1.2, 0.2, 50)
    expected = [[escape(-2.0 + j * 0.2, -1.2 + i * 0.2, 50) for j in range(16)] for i in range(12)]
    assert out.get().tolist() == expected


@jit.rawkernel()
def julia(z, c, counts):
    i = jit.grid(1)
    if i < z.size:
        value = z[i]
        n = 0
        while abs(value) < 2 and n < 40:
            value = value * value + c
            n += 1
        counts[i] = n
        z[i] = value


@pytest.mark.parametrize("dtype", ["F", "D"])
def test_complex_iteration(dtype, rng):
    z = (rng.random(50) * 2 - 1 + 1j * (rng.random(50) * 2 - 1)).astype(dtype)
    c = np.dtype(dtype).type(-0.8 + 0.156j)
    ours, counts = cp.asarray(z), cp.zeros(50, "i4")
    julia[1, 64](ours, c, counts)
    expected = []
    for value in z.astype("D") if dtype == "D" else z:
        n = 0
        while abs(value) < 2 and n < 40:
            value, n = value * value + c, n + 1
        expected.append(n)
    near = np.abs(counts.get() - np.array(expected)) <= (0 if dtype == "D" else 1)
    assert near.mean() > 0.9


@jit.rawkernel()
def forces(pos, mass, acc, soft):
    tile = jit.shared_memory(cp.float32, (32, 4))
    i = jit.grid(1)
    tid = jit.threadIdx.x
    n = pos.shape[0]
    ax = ay = az = cp.float32(0)
    for start in range(0, n, jit.blockDim.x):
        j = start + tid
        if j < n:
            for k in range(3):
                tile[tid, k] = pos[j, k]
            tile[tid, 3] = mass[j]
        jit.syncthreads()
        if i < n:
            for k in range(min(jit.blockDim.x, n - start)):
                dx, dy, dz = (
                    tile[k, 0] - pos[i, 0],
                    tile[k, 1] - pos[i, 1],
                    tile[k, 2] - pos[i, 2],
                )
                inverse = 1 / cp.sqrt(dx * dx + dy * dy + dz * dz + soft)
                f = tile[k, 3] * inverse**3
                ax += f * dx
                ay += f * dy
                az += f * dz
        jit.syncthreads()
    if i < n:
        acc[i, 0], acc[i, 1], acc[i, 2] = ax, ay, az


def test_bodies(rng):
    pos, mass = rng.random((50, 3), np.float32), rng.random(50, np.float32)
    acc = cp.zeros((50, 3), "f4")
    forces[2, 32](cp.asarray(pos), cp.asarray(mass), acc, 0.01)
    d = pos[None] - pos[:, None]
    r = 1 / np.sqrt((d**2).sum(-1) + 0.01)
    expected = ((mass * r**3)[..., None] * d).sum(1)
    np.testing.assert_allclose(acc.get(), expected, rtol=2e-5, atol=1e-4)


@jit.rawkernel()
def upper(text, count):
    i = jit.grid(1)
    if i < text.size:
        c = text[i]
        if ord_a <= c <= ord_z:
            text[i] = c - 32
        if c == 32 or c == 10:
            jit.atomic_add(count, 0, 1)


ord_a, ord_z = ord("a"), ord("z")


def test_bytes_of_text():
    text = b"the quick brown Fox\njumps over 13 lazy dogs"
    data, count = cp.asarray(np.frombuffer(text, "u1").copy()), cp.zeros(1, "i4")
    upper[1, 64](data, count)
    assert data.get().tobytes() == text.upper() and count.item() == len(text.split()) - 1


@jit.rawkernel()
def half_axpy(a, x, y):
    i = jit.grid(1)
    if i < x.size:
        y[i] = a * x[i] + y[i]


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_axpy_of_any_float(dtype):
    x = np.arange(50).astype(dtype) / 8
    y = cp.ones(50, dtype)
    half_axpy[1, 64](np.dtype(dtype).type(1.5), cp.asarray(x), y)
    assert_same(y, (np.dtype(dtype).type(1.5) * x + 1).astype(dtype), ulp=1)


@jit.rawkernel()
def bitonic(x):
    i = jit.threadIdx.x
    n = x.size
    k = 2
    while k <= n:
        j = k // 2
        while j > 0:
            other = i ^ j
            if other > i:
                up = (i & k) == 0
                if (x[i] > x[other]) == up:
                    x[i], x[other] = x[other], x[i]
            jit.syncthreads()
            j //= 2
        k *= 2


def test_bitonic_sort(rng):
    x = rng.permutation(64).astype("i4")
    ours = cp.asarray(x)
    bitonic[1, 64](ours)
    assert_same(ours, np.sort(x))


@jit.rawkernel()
def csr_matvec(data, indices, indptr, x, y):
    row = jit.grid(1)
    if row < y.size:
        total = 0.0
        for k in range(indptr[row], indptr[row + 1]):
            total += data[k] * x[indices[k]]
        y[row] = total


def test_sparse_product(rng):
    from scipy import sparse

    a = sparse.random(40, 30, 0.2, "csr", random_state=0)
    x = rng.random(30)
    y = cp.zeros(40)
    csr_matvec[1, 64](*[cp.asarray(v) for v in (a.data, a.indices, a.indptr, x)], y)
    np.testing.assert_allclose(y.get(), a @ x, rtol=1e-13)


@jit.rawkernel()
def knn(points, queries, out):
    q = jit.grid(1)
    if q >= queries.shape[0]:
        return
    best, where = math.inf, -1
    for p in range(points.shape[0]):
        d = 0.0
        for k in range(points.shape[1]):
            d += (points[p, k] - queries[q, k]) ** 2
        if d < best:
            best, where = d, p
    out[q] = where


def test_nearest_neighbour(rng):
    points, queries = rng.random((40, 3)), rng.random((20, 3))
    out = cp.zeros(20, "i8")
    knn[1, 32](cp.asarray(points), cp.asarray(queries), out)
    d = ((points[None] - queries[:, None]) ** 2).sum(-1)
    assert_same(out, d.argmin(1))


@jit.rawkernel()
def convolve(x, weights, out):
    i = jit.grid(1)
    radius = weights.size // 2
    if i < x.size:
        total = 0.0
        for k in jit.range(-radius, radius + 1):
            at = i + k
            if at >= 0 and at < x.size:
                total += x[at] * weights[k + radius]
        out[i] = total


def test_convolution(rng):
    x, w = rng.random(100), rng.random(5)
    out = cp.zeros(100)
    convolve[2, 64](cp.asarray(x), cp.asarray(w), out)
    np.testing.assert_allclose(out.get(), np.convolve(x, w[::-1], "same"), rtol=1e-13)


@jit.rawkernel()
def collatz(out):
    i = jit.grid(1)
    if i < out.size:
        n = cp.int64(i + 1)
        steps = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        out[i] = steps


def test_collatz():
    out = cp.zeros(30, "i4")
    collatz[1, 32](out)

    def steps(n):
        return 0 if n == 1 else 1 + steps(n // 2 if n % 2 == 0 else 3 * n + 1)

    assert out.tolist() == [steps(n) for n in range(1, 31)]


@jit.rawkernel()
def monte_carlo(hits, rounds):
    i = jit.grid(1)
    state = cp.uint32(i * 747796405 + 2891336453)
    count = 0
    for _ in range(rounds):
        state = state * cp.uint32(1664525) + cp.uint32(1013904223)
        x = (state >> 8) * (1.0 / 16777216)
        state = state * cp.uint32(1664525) + cp.uint32(1013904223)
        y = (state >> 8) * (1.0 / 16777216)
        if x * x + y * y < 1:
            count += 1
    hits[i] = count


def test_random_points():
    hits = cp.zeros(64, "i4")
    monte_carlo[1, 64](hits, 500)
    assert abs(4 * hits.sum().item() / 32000 - math.pi) < 0.05


@jit.rawkernel()
def fourier(x, out):
    k = jit.grid(1)
    n = x.size
    if k < n:
        total = 0j
        for i in range(n):
            total += x[i] * cmath.exp(-2j * math.pi * ((k * i) % n) / n)
        out[k] = total


def test_fourier_sum(rng):
    x = rng.random(24) + 1j * rng.random(24)
    out = cp.zeros(24, "D")
    fourier[1, 32](cp.asarray(x), out)
    np.testing.assert_allclose(out.get(), np.fft.fft(x), rtol=1e-5, atol=1e-5)


@jit.rawkernel()
def game_of_life(old, new):
    i, j = jit.grid(2)
    n, m = old.shape
    if i < n and j < m:
        alive = 0
        for di in (-1, 0, 1):
            for dj in (-1, 0, 1):
                if not (di == 0 and dj == 0):
                    alive += old[(i + di + n) % n, (j + dj + m) % m]
        new[i, j] = alive == 3 or (alive == 2 and old[i, j])


def test_game_of_life(rng):
    old = rng.random((10, 13)) < 0.4
    new = cp.zeros((10, 13), bool)
    game_of_life[(2, 2), (8, 8)](cp.asarray(old), new)
    shifted = [
        np.roll(old.astype(int), (di, dj), (0, 1))
        for di in (-1, 0, 1)
        for dj in (-1, 0, 1)
        if (di, dj) != (0, 0)
    ]
    alive = sum(shifted)
    assert_same(new, (alive == 3) | ((alive == 2) & old))


@jit.rawkernel()
def interpolate(table, x, out):
    i = jit.grid(1)
    if i < x.size:
        at = x[i] * (table.size - 1)
        low = min(math.floor(at), table.size - 2)
        t = at - low
        out[i] = (1 - t) * table[low] + t * table[low + 1]


def test_table_lookup(rng):
    table, x = rng.random(20), rng.random(64)
    out = cp.zeros(64)
    interpolate[1, 64](cp.asarray(table), cp.asarray(x), out)
    np.testing.assert_allclose(out.get(), np.interp(x * 19, np.arange(20), table), rtol=1e-12)


@jit.rawkernel()
def softmax_rows(x, out):
    row = jit.grid(1)
    if row < x.shape[0]:
        line = x[row]
        top = line[0]
        for j in range(1, len(line)):
            top = max(top, line[j])
        total = 0.0
        for j in range(len(line)):
            total += math.exp(line[j] - top)
        for j in range(len(line)):
            out[row, j] = math.exp(line[j] - top) / total


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_softmax(dtype, rng):
    x = rng.standard_normal((10, 33)).astype(dtype)
    out = cp.zeros((10, 33), dtype)
    softmax_rows[1, 32](cp.asarray(x), out)
    e = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(out.get(), e / e.sum(1, keepdims=True), rtol=2e-6)
