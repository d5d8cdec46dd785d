"""Small simulations: Ising, reaction and diffusion, lattice Boltzmann, epidemics, all pairs of paths, primes, alignment."""

import cupy as cp
import cupyx.scipy.ndimage
import numpy as np
import scipy.ndimage


def ising(xp, s, u):
    even = (xp.indices(s.shape).sum(axis=0) % 2).astype(bool)
    for k in range(len(u)):
        nb = sum(xp.roll(s, d, ax) for d in (1, -1) for ax in (0, 1))
        flip = (xp.exp(-2 * 0.5 * s * nb) > u[k]) & (even if k % 2 else ~even)
        s = xp.where(flip, -s, s)
    return s.sum(), s


def gray_scott(xp, nd, n=32):
    u, v = xp.ones((n, n)), xp.zeros((n, n))
    v[12:20, 12:20] = 0.5
    u -= v / 2
    for _ in range(10):
        uvv = u * v * v
        u, v = (
            u + 0.16 * nd.laplace(u, mode="wrap") - uvv + 0.06 * (1 - u),
            v + 0.08 * nd.laplace(v, mode="wrap") + uvv - 0.122 * v,
        )
    return u, v


def boltzmann(xp):
    c = xp.array([(x, y) for x in (0, -1, 1) for y in (0, -1, 1)])
    w = xp.full(9, 1 / 36)
    w[xp.linalg.norm(c, axis=1) < 1.1] = 1 / 9
    w[0] = 4 / 9
    fin = w[:, None, None] * (
        1 + 0.1 * xp.sin(xp.arange(20) / 3)[None, :, None] * xp.ones((1, 1, 10))
    )
    for _ in range(5):
        rho = fin.sum(axis=0)
        u = xp.dot(c.T, fin.transpose((1, 0, 2))) / rho
        cu = 3 * xp.dot(c, u.transpose(1, 0, 2))
        usq = 1.5 * (u[0] ** 2 + u[1] ** 2)
        feq = rho * w[:, None, None] * (1 + cu + 0.5 * cu**2 - usq)
        fin = fin - 1.2 * (fin - feq)
        for i in range(9):
            fin[i] = xp.roll(xp.roll(fin[i], int(c[i, 0]), axis=0), int(c[i, 1]), axis=1)
    return fin.sum(axis=0)


def floyd(xp, d):
    d = d.copy()
    for k in range(len(d)):
        xp.minimum(d, d[:, k, None] + d[None, k, :], out=d)
    return d


def sieve(xp, n):
    p = xp.ones(n, dtype=bool)
    p[:2] = False
    for k in range(2, int(n**0.5) + 1):
        if p[k]:
            p[k * k :: k] = False
    return xp.flatnonzero(p)


def sir(xp, days=50):
    y = xp.array([0.99, 0.01, 0.0])
    hist = []

    def f(y):
        return xp.stack([-0.3 * y[0] * y[1], 0.3 * y[0] * y[1] - 0.1 * y[1], 0.1 * y[1]])

    for _ in range(days):
        k1 = f(y)
        k2 = f(y + k1 / 2)
        k3 = f(y + k2 / 2)
        k4 = f(y + k3)
        y = y + (k1 + 2 * k2 + 2 * k3 + k4) / 6
        hist.append(y)
    return xp.asarray(hist) if xp is np else xp.vstack(hist)


def align(xp, a, b):
    n, m = len(a), len(b)
    h = xp.zeros((n + 1, m + 1), dtype=xp.int32)
    for i in range(1, n + 1):
        best = xp.maximum(h[i - 1, :-1] + xp.where(b == a[i - 1], 2, -1), h[i - 1, 1:] - 1)
        best = xp.maximum(best, 0)
        j = xp.arange(m)
        h[i, 1:] = (
            xp.maximum(xp.maximum.accumulate(best + j) - j, 0)
            if hasattr(xp.maximum, "accumulate")
            else best
        )
    return h


def mandel(xp):
    y, x = xp.ogrid[-1.2:1.2:40j, -2:0.6:50j]
    c = x + 1j * y
    z = xp.zeros_like(c)
    n = xp.zeros(c.shape, dtype=int)
    for _ in range(20):
        m = abs(z) <= 2
        z = xp.where(m, z * z + c, z)
        n += m
    return n


def kalman(xp, zs):
    F = xp.array([[1.0, 1], [0, 1]])
    H = xp.array([[1.0, 0]])
    Q = 0.01 * xp.eye(2)
    R = xp.array([[0.5]])
    x = xp.zeros((2, 1))
    P = xp.eye(2)
    out = []
    for z in zs:
        x = F @ x
        P = F @ P @ F.T + Q
        S = H @ P @ H.T + R
        K = P @ H.T @ xp.linalg.inv(S)
        x = x + K @ (xp.reshape(z, (1, 1)) - H @ x)
        P = (xp.eye(2) - K @ H) @ P
        out.append(x[0, 0])
    return xp.stack(out)


rng = np.random.default_rng(0)
s, u = rng.choice([-1, 1], (16, 16)), rng.random((6, 16, 16))
d = rng.random((20, 20))
a, b = rng.integers(0, 4, 12), rng.integers(0, 4, 15)
zs = np.cumsum(rng.normal(1, 0.3, 20))
for name, f in {
    "ising": lambda xp: ising(xp, xp.asarray(s), xp.asarray(u)),
    "gs": lambda xp: gray_scott(xp, scipy.ndimage if xp is np else cupyx.scipy.ndimage),
    "lbm": lambda xp: [boltzmann(xp)],
    "floyd": lambda xp: [floyd(xp, xp.asarray(d))],
    "sieve": lambda xp: [sieve(xp, 200)],
    "sir": lambda xp: [sir(xp)],
    "align": lambda xp: [align(xp, xp.asarray(a), xp.asarray(b))],
    "mandel": lambda xp: [mandel(xp)],
    "kalman": lambda xp: [kalman(xp, xp.asarray(zs))],
}.items():
    for p, q in zip(f(np), f(cp)):
        np.testing.assert_allclose(cp.asnumpy(q), p, rtol=1e-9, atol=1e-12, err_msg=name)
