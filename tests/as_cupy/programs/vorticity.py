"""Two-dimensional flow by spectra: Runge-Kutta steps of the vorticity, with and without a plan."""

import cupy as cp
import numpy as np
from cupyx.scipy import fft as cufft


def solve(xp, n, steps):
    k = xp.fft.fftfreq(n, 1 / n)
    kx, ky = xp.meshgrid(k, k, indexing="ij")
    square = kx**2 + ky**2
    inverse = xp.where(square == 0, 0, 1 / xp.where(square == 0, 1, square))
    kept = (abs(kx) < n / 3) & (abs(ky) < n / 3)
    x, y = xp.meshgrid(*[xp.linspace(0, 2 * xp.pi, n, endpoint=False)] * 2, indexing="ij")

    def slope(w):
        flow = w * inverse
        u, v, wx, wy = xp.fft.ifft2(
            xp.stack([1j * ky * flow, -1j * kx * flow, 1j * kx * w, 1j * ky * w])
        ).real
        return -1.0 * kept * xp.fft.fft2(u * wx + v * wy) - 1e-3 * square * w

    w, h = xp.fft.fft2(xp.sin(x) * xp.cos(2 * y) + 0.3 * xp.cos(3 * x)), 0.05
    for _ in range(steps):
        a = slope(w)
        b = slope(w + h / 2 * a)
        c = slope(w + h / 2 * b)
        w = w + h / 6 * (a + 2 * b + 2 * c + slope(w + h * c))
    return xp.fft.ifft2(w).real


np.testing.assert_allclose(solve(cp, 16, 4).get(), solve(np, 16, 4), atol=1e-12)

stack = cp.random.rand(3, 16, 16).astype(cp.complex64)
plan = cufft.get_fft_plan(stack, axes=(1, 2))
with plan:
    once = cp.fft.fftn(stack, axes=(1, 2))
again = cufft.fftn(stack, axes=(1, 2), plan=plan)
cp.testing.assert_array_equal(once, again)
np.testing.assert_allclose(once.get(), np.fft.fft2(stack.get()), rtol=1e-4, atol=1e-4)
