"""A program that uses SciPy's half of gpunp, for type checkers: mypy --strict and pyright accept it."""

from typing import assert_type

import numpy as np

import gpunp as cp
from gpunp import special
from gpunp.scipy import (
    cluster,
    fft,
    integrate,
    interpolate,
    linalg,
    ndimage,
    optimize,
    signal,
    sparse,
    spatial,
    stats,
)
from gpunp.scipy.sparse import csgraph
from gpunp.scipy.sparse.linalg import LinearOperator, cg, eigsh, spsolve


def poisson(n: int) -> cp.ndarray:
    """Solve a difference equation on a line of n points."""
    matrix = sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n), format="csr")
    right = cp.ones(n)
    x: cp.ndarray
    x, info = cg(matrix, right, rtol=1e-10, maxiter=10 * n)
    assert info == 0 and matrix.nnz == 3 * n - 2
    double = 2 * matrix + matrix @ matrix - matrix.T.tocsc()
    assert double.shape == (n, n) and (matrix[1:, :2] != 0).sum() > 0

    def product(v: cp.ndarray) -> cp.ndarray:
        made: cp.ndarray = matrix @ v
        return made

    operator = LinearOperator((n, n), matvec=product, dtype=matrix.dtype)
    values, _ = eigsh(operator, k=2, which="LM")
    assert values.shape == (2,) and cp.allclose(spsolve(matrix, right), x)
    assert_type(x, cp.ndarray)
    return x


def pictures() -> tuple[int, cp.ndarray]:
    """Filter, label and measure an image."""
    image = cp.zeros((40, 50))
    image[5:9, 5:9] = image[20:30, 30:40] = 1.0
    smooth = ndimage.gaussian_filter(image, sigma=1.0, mode="nearest")
    smooth = ndimage.convolve(smooth, np.full((3, 3), 1 / 9))
    labels, count = ndimage.label(smooth > 0.5)
    sizes = ndimage.sum_labels(image, labels, index=cp.arange(1, count + 1))
    turned = ndimage.rotate(image, 30.0, reshape=False, order=1)
    distance = ndimage.distance_transform_edt(turned > 0.5)
    return int(count), sizes / distance.max()


def spectrum(rate: float = 1000.0) -> cp.ndarray:
    """Filter a signal, and its spectral density."""
    t = cp.arange(4096) / rate
    x = cp.sin(2 * cp.pi * 50 * t) + 0.1 * cp.random.default_rng(1).standard_normal(4096)
    sos = signal.butter(4, [40.0, 60.0], btype="bandpass", fs=rate, output="sos")
    y = signal.sosfiltfilt(sos, x)
    f, density = signal.welch(y, fs=rate, nperseg=512)
    window = signal.windows.hann(512)
    transform = signal.ShortTimeFFT(window, hop=128, fs=rate)
    assert transform.stft(x).shape[0] == transform.f_pts
    peaks, _ = signal.find_peaks(density, height=1e-6)
    assert fft.rfft(x).shape == (2049,) and peaks.size >= 1
    return f[cp.argmax(density)]


def fits() -> float:
    """Interpolate, integrate, optimise, and test hypotheses."""
    x = cp.linspace(0, 3, 20)
    spline = interpolate.CubicSpline(x, cp.sin(x), bc_type="natural")
    tck = interpolate.make_interp_spline(x, cp.cos(x), k=3)
    area = integrate.simpson(spline(x), x=x) + tck(x).sum()

    def decay(t: float, y: cp.ndarray) -> cp.ndarray:
        return -y

    def distance(v: cp.ndarray) -> cp.ndarray:
        return ((v - 1) ** 2).sum()

    solution = integrate.solve_ivp(decay, (0.0, 1.0), cp.ones(3), method="RK45")
    least = optimize.minimize(distance, cp.zeros(3), method="L-BFGS-B")
    assert least.success and solution.y.shape[0] == 3
    test = stats.ttest_ind(x, x + 1)
    density = stats.norm.pdf(x, loc=0.0, scale=2.0)
    frozen = stats.gamma(2.0, scale=3.0)
    tree = spatial.KDTree(cp.stack([x, x], axis=1))
    distances, places = tree.query(cp.zeros((2, 2)), k=3)
    centres, _ = cluster.vq.kmeans2(cp.stack([x, x * x], axis=1), 2, seed=1)
    graph = csgraph.connected_components(sparse.csr_array(cp.eye(3)), directed=False)
    assert distances.shape == places.shape == (2, 3) and centres.shape == (2, 2)
    area += special.erf(x).sum() + special.logsumexp(x) + frozen.cdf(x).sum() + density.sum()
    factors, pivots = linalg.lu_factor(cp.eye(3) * 2)
    area += linalg.lu_solve((factors, pivots), cp.ones(3)).sum()
    return float(area) + float(test.pvalue) + int(graph[0])


if __name__ == "__main__":
    print(float(poisson(50).max()), pictures(), spectrum(), f"{fits():.4f}")
