"""Everyday calls, whose kernels the pack of wheels should have: `tools/pack.py` records them."""

import os

import numpy as np

import gpunp as cp
from gpunp.scipy import interpolate, ndimage, signal, sparse
from gpunp.scipy import special as sp
from gpunp.scipy.spatial import distance

UNARY = ["negative", "absolute", "square", "sign"]
REAL = ["sqrt", "exp", "log", "sin", "cos", "tanh", "log1p", "expm1", "floor", "ceil", "rint"]
REAL += ["isnan", "isfinite", "tan", "arctan", "log2", "log10", "reciprocal"]
BINARY = ["add", "subtract", "multiply", "maximum", "minimum", "power", "floor_divide"]
BINARY += ["remainder", "true_divide", "equal", "not_equal", "less", "less_equal", "greater"]
BINARY += ["greater_equal"]
REDUCTIONS = ["sum", "prod", "min", "max", "mean", "argmin", "argmax", "any", "all"]
ORDERS = ["sort", "argsort", "cumsum", "unique", "nonzero", "flatnonzero"]
# Special functions of one and of two arguments. SINGLE are those that are recorded in single
# precision too, ARRAYS for large arrays too.
SINGLE = ["erf", "erfc", "erfinv", "gamma", "gammaln", "digamma", "ndtr", "ndtri", "expit", "logit"]
SINGLE += ["i0", "j0", "xlogy", "entr"]
ARRAYS = ["gamma", "gammaln", "erf", "erfc", "erfinv", "ndtr", "ndtri", "expit", "i0", "j0"]
SPECIAL = ["gamma", "gammaln", "digamma", "erf", "erfc", "erfinv", "ndtr", "ndtri", "log_ndtr"]
SPECIAL += ["expit", "logit", "i0", "i1", "i0e", "i1e", "j0", "j1", "y0", "y1", "k0", "k1", "exp1"]
SPECIAL += ["expi", "entr", "ellipk", "ellipe", "factorial", "dawsn", "cbrt", "exprel", "erfcinv"]
SPECIAL += ["log_expit", "exp10", "rgamma", "sici", "fresnel", "erfcx"]
SPECIAL_TWO = ["xlogy", "xlog1py", "beta", "betaln", "gammainc", "gammaincc", "jv", "kv", "iv"]
SPECIAL_TWO += ["binom", "kl_div", "rel_entr", "huber", "boxcox", "zeta"]


def elementwise(dtype):
    """Arithmetic between arrays, with numbers, rows and columns."""
    a = cp.arange(1, 13, dtype=dtype).reshape(3, 4)
    b = cp.full((3, 4), 2, dtype)
    for name in BINARY:
        function = getattr(cp, name)
        function(a, b)
        function(a, 2)
    for name in ("add", "subtract", "multiply", "true_divide", "maximum", "less", "greater"):
        function = getattr(cp, name)
        function(a, b[:1])
        function(a, b[:, :1])
    for right, left in ((1, a), (a, 1)):
        _ = left - right, left / right
    a += b
    a -= 1
    a *= 2
    for name in UNARY + (REAL if np.dtype(dtype).kind == "f" else []):
        getattr(cp, name)(a)
    _ = a[:, ::2] + b[:, 1::2], a.T + 1, a[1:-1, 1:-1] * 2, -a[::-1], a.T + b.T
    cp.where(a > b, a, b)
    cp.where(a > b, a, 0)
    cp.clip(a, 1, 3)


def reductions(dtype):
    """Reductions along each axis, statistics, scans."""
    a = cp.ones((64, 65), dtype)
    for name in REDUCTIONS:
        for axis in (None, 0, 1):
            getattr(cp, name)(a, axis=axis)
    for axis in (None, 0, 1):
        cp.mean(a, axis=axis, keepdims=True)
        if np.dtype(dtype).kind == "f":
            cp.std(a, axis=axis)
            cp.var(a, axis=axis)
            cp.nansum(a, axis=axis)
            cp.nanmean(a, axis=axis)
        if axis is not None:
            cp.cumsum(a, axis=axis)
    for name in ORDERS:
        getattr(cp, name)(a[0])
    cp.sort(a, axis=1)
    cp.median(a[0])
    cp.percentile(a[0], [5, 95])


def shapes(dtype):
    """Creation, indexing, joining, conversion."""
    a = cp.arange(24, dtype=dtype).reshape(4, 6)
    for make in (cp.zeros, cp.ones, cp.empty):
        make((4, 6), dtype)
    cp.zeros_like(a)
    cp.eye(4, dtype=dtype)
    index = cp.asarray([0, 2])
    _ = a[index], a[:, index], a[a > 3], a[1], a[::2, 1:], a[index, index]
    a[a > 20] = 0
    a[index] = 1
    a[1:3] = 5
    a[:, 0] = a[:, 1]
    a[2:] = a[:-2].copy()
    cp.concatenate([a, a])
    cp.stack([a, a])
    cp.hstack([a, a])
    cp.vstack([a, a])
    cp.roll(a, 1)
    cp.roll(a, 1, axis=0)
    cp.flip(a)
    cp.tile(a, (2, 2))
    cp.repeat(a, 2)
    cp.pad(a, 1)
    cp.diff(a)
    cp.take(a, index)
    cp.ascontiguousarray(a.T)
    a.copy()
    a.ravel()
    a.T.copy()
    cp.array_equal(a, a)
    cp.allclose(a, a)
    for other in ("f4", "f8", "i4", "i8", "?"):
        a.astype(other)
    if dtype != "i4":
        cp.linspace(0, 1, 5, dtype=dtype)
    cp.searchsorted(a[0], a[1])
    cp.tril(a)
    cp.triu(a)
    cp.diag(a[0])
    cp.diagonal(a)
    cp.trace(a)
    cp.outer(a[0], a[1])
    cp.dot(a[0], a[1])
    _ = a @ a.T, a @ a[0]
    cp.einsum("ij,ij->i", a, a)
    float(a.sum())
    cp.asnumpy(a)


def numbers():
    """Random numbers, histograms, small matrices, transforms."""
    rng = cp.random.default_rng(1)
    for dtype in ("f4", "f8"):
        rng.random(100, dtype=dtype)
        rng.standard_normal(100, dtype=dtype)
    rng.normal(0, 1, 100)
    rng.uniform(0, 1, 100)
    rng.integers(0, 10, 100)
    rng.permutation(10)
    cp.random.seed(1)
    cp.random.rand(10)
    cp.random.randn(10)
    cp.random.randint(0, 10, 10)
    cp.bincount(cp.arange(10))
    cp.meshgrid(cp.arange(3.0), cp.arange(4.0))
    for dtype in ("f4", "f8"):
        a = cp.asarray(rng.random((6, 6)), dtype=dtype) + 6 * cp.eye(6, dtype=dtype)
        cp.histogram(a)
        cp.linalg.norm(a)
        cp.linalg.norm(a, axis=1)
        cp.linalg.solve(a, a[0])
        cp.linalg.inv(a)
        cp.linalg.det(a)
        cp.linalg.cholesky(a @ a.T)
        cp.linalg.eigh(a @ a.T)
        cp.linalg.svd(a)
        cp.linalg.qr(a)
        cp.linalg.lstsq(a, a[0])
        cp.fft.ifft(cp.fft.fft(a[0]))
        cp.fft.irfft(cp.fft.rfft(a[0]))
        z = a + 1j * a
        _ = z * z, abs(z), z.real + z.imag, cp.exp(z), z.conj(), z / 2, z.sum()


def large(dtype):
    """Arrays of a million elements, for which a GPU has other kernels."""
    a = cp.ones((1024, 1025), dtype)
    b = cp.ones((1024, 1025), dtype)
    for name in ("add", "subtract", "multiply", "true_divide", "maximum", "less", "greater"):
        getattr(cp, name)(a, b)
        getattr(cp, name)(a, 2)
    for name in ("sqrt", "exp", "log", "sin", "cos", "tanh", "negative", "absolute"):
        getattr(cp, name)(a)
    a += b
    a *= 2
    _ = a + b[:1], a + b[:, :1], a.T + 1, a[1:-1, 1:-1] * 2, a.copy(), a.astype("f4")
    cp.where(a > b, a, b)
    for name in REDUCTIONS:
        for axis in (None, 0, 1):
            getattr(cp, name)(a, axis=axis)
    for name in ("sort", "argsort", "cumsum", "unique"):
        getattr(cp, name)(a.ravel())
    _ = a[a > 1], cp.sort(a, axis=1), cp.cumsum(a, axis=0), cp.std(a), cp.median(a)


def special(dtype):
    """The special functions that programs use most."""
    x = cp.linspace(0.1, 0.9, 64, dtype=dtype)
    y = x + 1
    is_single = np.dtype(dtype).itemsize == 4
    for name in SINGLE if is_single else [*SPECIAL, *SPECIAL_TWO]:
        getattr(sp, name)(*((x, y) if name in SPECIAL_TWO else (x,)))
    sp.logsumexp(x)
    sp.softmax(x.reshape(8, 8), axis=1)
    sp.log_softmax(x.reshape(8, 8), axis=1)
    cp.sinc(x)
    if is_single:
        return
    sp.jv(2, x)
    sp.gammainc(2, x)
    sp.betainc(x, y, x)
    sp.polygamma(1, x)
    sp.comb(5, 2)
    sp.lambertw(x)
    cp.i0(x)


def images(dtype):
    """Filters, interpolation and measurements of an image."""
    image = cp.arange(24 * 20, dtype=dtype).reshape(24, 20) % 17
    ndimage.gaussian_filter(image, 1.5)
    ndimage.uniform_filter(image, 3)
    ndimage.median_filter(image, size=3)
    ndimage.maximum_filter(image, size=3)
    ndimage.minimum_filter(image, size=3)
    ndimage.sobel(image)
    ndimage.laplace(image)
    ndimage.convolve(image, cp.ones((3, 3), dtype))
    ndimage.correlate1d(image, [1, 2, 1])
    for order in (1, 3):
        ndimage.zoom(image, 2, order=order)
        ndimage.rotate(image, 10, order=order)
        ndimage.shift(image, 0.5, order=order)
        ndimage.map_coordinates(image, cp.ones((2, 5)), order=order)
        ndimage.affine_transform(image, cp.eye(2), order=order)
    labels, count = ndimage.label(image > 9)
    ndimage.sum_labels(image, labels, cp.arange(1, count + 1))
    ndimage.center_of_mass(image)
    for name in ("binary_erosion", "binary_dilation", "binary_opening", "binary_fill_holes"):
        getattr(ndimage, name)(image > 9)
    ndimage.distance_transform_edt(image > 9)


def signals(dtype):
    """Filters, spectra and peaks of a signal."""
    x = cp.sin(cp.arange(512, dtype=dtype))
    b, a = signal.butter(3, 0.2)
    signal.lfilter(b, a, x)
    signal.filtfilt(b, a, x)
    signal.sosfiltfilt(signal.butter(4, 0.2, output="sos"), x)
    signal.convolve(x, x[:9], mode="same")
    signal.fftconvolve(x, x)
    signal.correlate(x, x)
    signal.welch(x)
    signal.spectrogram(x)
    signal.stft(x)
    signal.find_peaks(x)
    signal.savgol_filter(x, 7, 2)
    signal.medfilt(x, 5)
    signal.resample(x, 300)
    signal.resample_poly(x, 3, 2)
    signal.decimate(x, 2)
    signal.detrend(x)
    signal.hilbert(x)
    signal.windows.hann(64)
    signal.convolve2d(x.reshape(16, 32), x[:9].reshape(3, 3))


def others(dtype):
    """Interpolation, sparse matrices and distances."""
    x = cp.arange(12, dtype=dtype)
    y, at = cp.cos(x), x[:-1] + 0.5
    cp.interp(at, x, y)
    for make in (interpolate.CubicSpline, interpolate.PchipInterpolator, interpolate.interp1d):
        make(x, y)(at)
    interpolate.make_interp_spline(x, y)(at)
    grid = interpolate.RegularGridInterpolator((x, x), y[:, None] * y)
    grid(cp.stack([at, at], axis=1))
    dense = cp.eye(12, dtype=dtype) + cp.eye(12, k=1, dtype=dtype)
    matrix = sparse.csr_matrix(dense)
    _ = matrix @ x, matrix @ dense, matrix @ matrix, matrix + matrix, matrix.T.tocsr(), 2 * matrix
    _ = matrix.toarray(), matrix.sum(), matrix.sum(axis=0), matrix.diagonal(), matrix[1:3]
    row, column = cp.nonzero(dense)
    sparse.coo_matrix((dense[row, column], (row, column)), shape=(12, 12)).tocsr()
    sparse.diags([x[1:], x], [1, 0])
    symmetric = sparse.csr_matrix(dense @ dense.T)
    sparse.linalg.cg(symmetric, x)
    sparse.linalg.gmres(symmetric, x)
    sparse.linalg.spsolve(matrix, x)
    sparse.linalg.eigsh(symmetric, k=2)
    points = cp.stack([x, y], axis=1)
    for metric in ("euclidean", "sqeuclidean", "cityblock", "cosine"):
        distance.cdist(points, points, metric)
    distance.pdist(points)


def large_special(dtype):
    """Special functions of arrays that a GPU has other kernels for."""
    x = cp.full(1 << 17, 0.5, dtype)
    for name in ARRAYS:
        getattr(sp, name)(x)


def middle(dtype):
    """Arrays of 100,000 elements, matrices of 64 rows."""
    x = cp.linspace(0, 1, 100_000).astype(dtype)
    for name in ("sum", "mean", "std", "min", "max"):
        getattr(x, name)()
    cp.sort(-x)
    _ = x[x > 0.5], cp.unique(cp.floor(9 * x)), x + x, x * x, cp.sin(x), cp.exp(x), cp.sqrt(x)
    sp.digamma(x + 1)
    cp.fft.fft(x)
    a = cp.eye(64, dtype=dtype) * 3 + 1
    _ = a @ a, cp.linalg.solve(a, a[0]), cp.linalg.svd(a), cp.linalg.eigh(a)


def main():
    """Call everything."""
    if not cp.cuda.is_emulated() or os.environ.get("GPUNP_PLANS") == "gpu":
        for dtype in ("f4", "f8"):
            large(dtype)
        large_special("f8")
    for dtype in ("f4", "f8"):
        middle(dtype)
    for dtype in ("f4", "f8", "i4", "i8"):
        elementwise(dtype)
        reductions(dtype)
        shapes(dtype)
    mask = cp.asarray([True, False, True])
    _ = mask & mask, mask | mask, ~mask, mask ^ mask, mask.sum(), mask.any(), mask.all()
    _ = cp.logical_and(mask, mask), cp.logical_not(mask), cp.nonzero(mask), mask.mean()
    image = cp.arange(48, dtype="u1").reshape(4, 4, 3)
    _ = image.astype("f4") / 255, image.mean(axis=2), image.sum(), 255 - image, image[..., 0] > 3
    numbers()
    for dtype in ("f8", "f4"):
        special(dtype)
        images(dtype)
    signals("f8")
    others("f8")


if __name__ == "__main__":
    main()
