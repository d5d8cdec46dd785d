"""Twenty small programs, eagerly and in lazy mode: how many kernels each makes and launches.

    python benchmarks/lazy.py [PATTERN]

Each program runs twice in a process of its own, with the kernel cache on, so that the counts are
those of a first run: kernels made (compiled or loaded); then launches and host time of later calls,
when everything is known. The host time is that of the calling thread until all is queued, the least
of seven calls. Results of both modes are compared bit for bit.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def jacobi(xp):
    """Laplace's equation by relaxation, slices assigned."""
    a = xp.zeros((18, 18))
    a[0] = 1.0
    for _ in range(20):
        a[1:-1, 1:-1] = 0.25 * (a[2:, 1:-1] + a[:-2, 1:-1] + a[1:-1, 2:] + a[1:-1, :-2])
    return a


def heat(xp):
    """Explicit steps of the heat equation with a new array for each."""
    u = xp.sin(xp.linspace(0, 3, 64))
    for _ in range(30):
        v = u.copy()
        v[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = v
    return u


def wave(xp):
    """Leapfrog in one dimension."""
    x = xp.linspace(0, 1, 64)
    u = xp.exp(-100 * (x - 0.5) ** 2)
    before = u.copy()
    for _ in range(30):
        after = xp.zeros_like(u)
        after[1:-1] = 2 * u[1:-1] - before[1:-1] + 0.5 * (u[2:] - 2 * u[1:-1] + u[:-2])
        before, u = u, after
    return u


def thomas(xp):
    """A tridiagonal system in each column, row by row."""
    n = 12
    d = xp.ones((n, 32)) + xp.arange(32) / 7
    c = xp.zeros((n, 32))
    c[0] = -1 / 4.0
    d[0] = d[0] / 4.0
    for i in range(1, n):
        m = 4.0 + c[i - 1]
        c[i] = -1.0 / m
        d[i] = (d[i] + d[i - 1]) / m
    for i in range(n - 2, -1, -1):
        d[i] -= c[i] * d[i + 1]
    return d


def gray_scott(xp):
    """Two reacting fields with periodic boundaries."""
    u = xp.ones((16, 16))
    v = xp.zeros((16, 16))
    v[6:10, 6:10] = 0.5
    for _ in range(10):
        lu = xp.roll(u, 1, 0) + xp.roll(u, -1, 0) + xp.roll(u, 1, 1) + xp.roll(u, -1, 1) - 4 * u
        lv = xp.roll(v, 1, 0) + xp.roll(v, -1, 0) + xp.roll(v, 1, 1) + xp.roll(v, -1, 1) - 4 * v
        r = u * v * v
        u += 0.16 * lu - r + 0.035 * (1 - u)
        v += 0.08 * lv + r - 0.1 * v
    return u


def life(xp):
    """Conway's game of life."""
    a = (xp.arange(256).reshape(16, 16) * 7 % 3 == 0).astype("i4")
    for _ in range(10):
        n = sum(xp.roll(xp.roll(a, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1)) - a
        a = ((n == 3) | ((a == 1) & (n == 2))).astype("i4")
    return a


def nbody(xp):
    """Ten bodies, all pairs."""
    x = xp.sin(xp.arange(30.0)).reshape(10, 3)
    v = xp.zeros((10, 3))
    for _ in range(10):
        d = x[None] - x[:, None]
        r = (d * d).sum(axis=2) + 0.01
        v += 0.01 * (d / (r * xp.sqrt(r))[..., None]).sum(axis=1)
        x += 0.01 * v
    return x


def mandelbrot(xp):
    """Escape times with a mask."""
    c = xp.linspace(-2, 1, 24)[None] + 1j * xp.linspace(-1, 1, 16)[:, None]
    z = xp.zeros_like(c)
    n = xp.zeros(c.shape, "i4")
    for _ in range(15):
        z = xp.where(abs(z) < 2, z * z + c, z)
        n += abs(z) < 2
    return n


def kmeans(xp):
    """Two clusters on a line."""
    x = xp.sin(xp.arange(64.0) * 3)
    a, b = x[:1].copy(), x[1:2].copy()
    for _ in range(8):
        near = abs(x - a) < abs(x - b)
        n = near.sum()
        a = (x * near).sum() / xp.maximum(n, 1)
        b = (x * ~near).sum() / xp.maximum(64 - n, 1)
    return a + b


def gradient_descent(xp):
    """Linear least squares by steps."""
    a = xp.sin(xp.arange(60.0)).reshape(20, 3)
    b = a @ xp.asarray([1.0, 2.0, 3.0])
    w = xp.zeros(3)
    for _ in range(20):
        w -= 0.01 * (a.T @ (a @ w - b))
    return w


def conjugate_gradient(xp):
    """A positive definite system; the scalars stay on the device."""
    a = xp.eye(16) * 4 + xp.ones((16, 16)) / 16
    x, r = xp.zeros(16), xp.ones(16)
    p = r.copy()
    s = (r * r).sum()
    for _ in range(10):
        q = a @ p
        alpha = s / (p * q).sum()
        x += alpha * p
        r -= alpha * q
        new = (r * r).sum()
        p = r + (new / s) * p
        s = new
    return x


def softmax(xp):
    """Rows normalised, repeatedly."""
    a = xp.sin(xp.arange(256.0)).reshape(16, 16)
    for _ in range(10):
        e = xp.exp(a - a.max(axis=1, keepdims=True))
        a = a + e / e.sum(axis=1, keepdims=True)
    return a


def black_scholes(xp):
    """Prices of options for growing rates: numbers that differ in each round."""
    s = xp.linspace(50, 150, 64)
    total = xp.zeros(64)
    for i in range(10):
        rate = 0.01 * (i + 1)
        d = (xp.log(s / 100) + rate) / 0.2
        total += s * xp.tanh(d) - 100 * xp.exp(-rate) * xp.tanh(d - 0.2)
    return total


def horner(xp):
    """A polynomial with different coefficients."""
    x = xp.linspace(-1, 1, 64)
    y = xp.zeros(64)
    for i in range(20):
        y = y * x + 1 / (i + 1)
    return y


def edit_distance(xp):
    """Rows of a dynamic program."""
    a, b = xp.arange(20) * 7 % 5, xp.arange(24) * 3 % 5
    row = xp.arange(25)
    for i in range(20):
        left = xp.minimum(row[1:] + 1, row[:-1] + (a[i] != b))
        new = xp.concatenate([xp.full(1, i + 1), left])
        row = xp.minimum.accumulate(new - xp.arange(25)) + xp.arange(25)
    return row


def floyd_warshall(xp):
    """Shortest paths."""
    d = (xp.arange(144.0).reshape(12, 12) * 37) % 11 + 1
    for k in range(12):
        d = xp.minimum(d, d[:, k, None] + d[None, k])
    return d


def runge_kutta(xp):
    """Four stages for many pendulums."""
    x, v = xp.linspace(0, 1, 64), xp.zeros(64)
    h = 0.1
    for _ in range(10):
        k1, l1 = v, -xp.sin(x)
        k2, l2 = v + h / 2 * l1, -xp.sin(x + h / 2 * k1)
        k3, l3 = v + h / 2 * l2, -xp.sin(x + h / 2 * k2)
        k4, l4 = v + h * l3, -xp.sin(x + h * k3)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        v = v + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
    return x


def sobel(xp):
    """Edges of an image."""
    a = xp.sin(xp.arange(400.0)).reshape(20, 20)
    gx = a[:-2, 2:] + 2 * a[1:-1, 2:] + a[2:, 2:] - a[:-2, :-2] - 2 * a[1:-1, :-2] - a[2:, :-2]
    gy = a[2:, :-2] + 2 * a[2:, 1:-1] + a[2:, 2:] - a[:-2, :-2] - 2 * a[:-2, 1:-1] - a[:-2, 2:]
    g = xp.sqrt(gx * gx + gy * gy)
    return (g > g.mean()).astype("i4")


def advection(xp):
    """Upwind transport with a limiter."""
    u = xp.where(abs(xp.linspace(-1, 1, 64)) < 0.3, 1.0, 0.0)
    for _ in range(15):
        d = xp.diff(u)
        left, right = d[:-1], d[1:]
        slope = xp.where(left * right > 0, xp.minimum(abs(left), abs(right)) * xp.sign(left), 0.0)
        flux = u[1:-1] + 0.5 * slope
        u[2:-1] -= 0.4 * (flux[1:] - flux[:-1])
    return u


def power_iteration(xp):
    """The largest eigenvector."""
    a = xp.ones((16, 16)) + xp.eye(16) * 3
    x = xp.arange(1.0, 17.0)
    for _ in range(10):
        x = a @ x
        x = x / xp.sqrt((x * x).sum())
    return x


PROGRAMS = [jacobi, heat, wave, thomas, gray_scott, life, nbody, mandelbrot, kmeans]
PROGRAMS += [gradient_descent, conjugate_gradient, softmax, black_scholes, horner, edit_distance]
PROGRAMS += [floyd_warshall, runge_kutta, sobel, advection, power_iteration]


def child(name, mode):
    """Run a program twice; the marks tell its launches from the rest of the log."""
    import contextlib
    import time

    import gpunp as cp

    function = next(f for f in PROGRAMS if f.__name__ == name)
    for _ in range(2):
        print("mark", file=sys.stderr, flush=True)
        with cp.lazy() if mode == "lazy" else contextlib.nullcontext():
            result = function(cp)
        values = cp.asnumpy(result)
    print("mark", file=sys.stderr, flush=True)
    rounds = []
    for _ in range(7 if os.environ.get("GPUNP_DEBUG", "0") == "0" else 0):
        start = time.thread_time()
        with cp.lazy() if mode == "lazy" else contextlib.nullcontext():
            result = function(cp)
        rounds.append(time.thread_time() - start)
        cp.asnumpy(result)
    print(values.tobytes().hex(), 1e3 * min(rounds, default=0))


def measured(name, mode, cache):
    """(made, launches of the first call, of the second, bytes of the result) of a program."""
    environment = os.environ | {
        "GPUNP_DEBUG": "3",
        "GPUNP_CACHE_DIR": cache,
        "GPUNP_PACK": "off",
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
    }
    command = [sys.executable, __file__, "--child", name, mode]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{name} {mode}: {done.stderr[-2000:]}")
    _, first, second, _ = done.stderr.split("mark\n")
    made = len(re.findall("^gpunp: (?:compiled|loaded)", first, re.MULTILINE))
    launches = [len(re.findall("^gpunp: launch", part, re.MULTILINE)) for part in (first, second)]
    quiet = subprocess.run(
        command, env=environment | {"GPUNP_DEBUG": "0"}, capture_output=True, text=True
    )
    return made, *launches, float(quiet.stdout.split()[1]), done.stdout.split()[0]


def main():
    """Print the table."""
    if sys.argv[1:2] == ["--child"]:
        child(*sys.argv[2:])
        return
    pattern = sys.argv[1] if len(sys.argv) > 1 else ""
    print("| program | kernels, eager | lazy | launches, eager | lazy | host ms, eager | lazy |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as cache:
        for function in PROGRAMS:
            name = function.__name__
            if not re.search(pattern, name):
                continue
            made, _, launches, ms, values = measured(name, "eager", cache)
            lazily, _, lazy_launches, lazy_ms, lazy_values = measured(name, "lazy", cache)
            same = "" if values == lazy_values else " (results differ)"
            print(
                f"| {name}{same} | {made} | {lazily} | {launches} | {lazy_launches} "
                f"| {ms:.2f} | {lazy_ms:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
