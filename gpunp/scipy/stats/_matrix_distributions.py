"""Distributions of matrices: Wishart's, normal and t, and those of the classical groups.

Samples and densities of many matrices are computed together, by the factorisations of
`gpunp.linalg`, which read whether a matrix is positive definite.
"""

import math
from typing import Any, cast

import numpy as np

from ..._core._convert import number_on_host, shape_tuple
from ..._core._docstrings import documented_as
from ..._core.multiarray import array, asarray, ndarray, where, zeros
from ..._core.numeric import moveaxis
from ..._core.raw import RawKernel
from ..._core.reductions import sum
from ..._core.umath import abs, exp, log, log1p, sign, sqrt
from ...lib._twodim_base_impl import diag, eye, tri
from ...linalg import cholesky, det, qr, slogdet
from ..linalg import solve_triangular
from ._multivariate_base import Frozen, Multivariate, Semidefinite, real, squeezed

__all__ = [
    "invwishart",
    "matrix_normal",
    "matrix_t",
    "ortho_group",
    "random_correlation",
    "special_ortho_group",
    "unitary_group",
    "wishart",
]


# ---- Wishart's -----------------------------------------------------------------------------------


def _bartlett(source: Any, count: int, size: int, df: float) -> ndarray:
    """Lower triangles T: T T' has Wishart's distribution of the identity (Bartlett, 1933)."""
    normal = source.standard_normal(size=(count, size, size))
    squares = source.chisquare(asarray(df - np.arange(size)), size=(count, size))
    return where(tri(size, k=-1, dtype=bool), normal, 0.0) + eye(size) * sqrt(squares)[:, None]


def _log_determinant(factor: ndarray) -> ndarray:
    """The logarithm of the determinant of the matrix with a Cholesky factor."""
    return 2 * sum(log(factor.diagonal(axis1=-2, axis2=-1)), axis=-1)


class _OfWishart(Multivariate):
    """What Wishart's distribution and its inverse share."""

    def _parameters(self, df: Any, scale: Any) -> tuple[int, float, ndarray]:
        """The size of the matrices, the degrees of freedom and the scale matrix."""
        scale = asarray(1.0) if scale is None else real(scale)
        if scale.ndim < 2:
            scale = scale.reshape(1, 1) if scale.ndim == 0 else diag(scale)
        elif scale.ndim > 2:
            raise ValueError(
                f"Array 'scale' must be at most two-dimensional, but scale.ndim = {scale.ndim}"
            )
        if scale.shape[0] != scale.shape[1]:
            raise ValueError(
                "Array 'scale' must be square if it is two dimensional,"
                f" but scale.shape = {scale.shape}."
            )
        size = scale.shape[0]
        df = size if df is None else df
        df = df.item() if isinstance(df, ndarray) and df.ndim == 0 else df
        if not cast(bool, np.isscalar(df)):
            raise ValueError("Degrees of freedom must be a scalar.")
        if not df > size - 1:
            raise ValueError(
                "Degrees of freedom must be greater than the dimension of scale matrix minus 1."
            )
        return size, float(df), scale

    def _matrices(self, x: Any, size: int) -> ndarray:
        """Matrices along the last two axes, from what SciPy accepts for them: along the first."""
        x = real(x)
        if x.ndim == 0:
            x = x * eye(size)
        elif x.ndim == 1:
            return x.reshape(-1, 1, 1) if size == 1 else diag(x)
        elif x.ndim > 3:
            raise ValueError(
                "Quantiles must be at most two-dimensional with an additional dimension for"
                f" multiple components, but x.ndim = {x.ndim}"
            )
        if x.shape[0] != x.shape[1]:
            raise ValueError(
                "Quantiles must be square in the first two dimensions if they are three"
                f" dimensional, but x.shape = {x.shape}."
            )
        if x.shape[:2] != (size, size):
            raise ValueError(
                f"Quantiles have incompatible dimensions: should be {(size, size)}, got"
                f" {x.shape[:2]}."
            )
        return moveaxis(x, -1, 0) if x.ndim == 3 else x

    def __call__(self, df=None, scale=None, seed=None) -> Any:
        dim, df, scale = self._parameters(df, scale)
        return Frozen(self, seed, df=df, scale=scale, dim=dim)

    def logpdf(self, x, df, scale) -> ndarray:
        """Evaluate the logarithm of the density; reads whether matrices are positive definite.

        Parameters
        ----------
        x : array_like
            Positive definite matrix, or several along the first two axes of three.
        df : float
            Degrees of freedom of the distribution, more than the size of a matrix minus one.
        scale : array_like
            Scale matrix, or its diagonal, or a number.

        Returns
        -------
        ndarray
            Values of type float64.

        Raises
        ------
        LinAlgError
            If a matrix is not positive definite.
        """
        from scipy.special import multigammaln

        size, df, scale = self._parameters(df, scale)
        x = self._matrices(x, size)
        constant = 0.5 * df * size * math.log(2) + float(multigammaln(0.5 * df, size))
        return squeezed(self._log_density(x, df, scale) - constant)

    def _log_density(self, x: ndarray, df: float, scale: ndarray) -> ndarray:
        """The part of the density's logarithm that matrices have."""
        raise NotImplementedError

    @documented_as(logpdf)
    def pdf(self, x, df, scale) -> ndarray:
        """Evaluate the density; reads whether matrices are positive definite."""
        return exp(self.logpdf(x, df, scale))

    @documented_as(logpdf)
    @documented_as(Multivariate.rvs)
    def rvs(self, df, scale, size=1, random_state=None) -> ndarray:
        """Draw samples; reads whether the scale matrix is positive definite.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the samples, before the axes of the matrices.

        Returns
        -------
        ndarray
            Samples; axes of one element are left out.
        """
        p, df, scale = self._parameters(df, scale)
        shape = shape_tuple(size)
        triangles = _bartlett(self._source(random_state), math.prod(shape), p, df)
        root = self._root(triangles, cholesky(scale))
        return squeezed((root @ root.swapaxes(-1, -2)).reshape(*shape, p, p))

    def _root(self, triangles: ndarray, factor: ndarray) -> ndarray:
        """Matrices R for samples R R', of Bartlett's triangles and the scale's factor."""
        raise NotImplementedError

    def _entropy(self, df: Any, scale: Any, power: float) -> ndarray:
        """The entropy; of the scale's determinant there is a power."""
        from scipy.special import multigammaln, psi

        size, df, scale = self._parameters(df, scale)
        determinant = _log_determinant(cholesky(scale)) + power * size * math.log(2)
        slope = float(np.sum(psi(0.5 * (df - np.arange(size)))))
        constant = float(multigammaln(0.5 * df, size)) + 0.5 * size * df
        constant -= 0.5 * (df - power * (size + 1)) * slope
        return squeezed(0.5 * (size + 1) * determinant + constant)


class _Wishart(_OfWishart):
    """Wishart distribution.

    Parameters
    ----------
    df : float, optional
        Degrees of freedom, more than the size of the matrices minus one.
    scale : array_like, optional
        Positive definite scale matrix, or its diagonal, or a number.
    """

    def _log_density(self, x: ndarray, df: float, scale: ndarray) -> ndarray:
        p = scale.shape[0]
        factor = cholesky(scale)
        whitened = solve_triangular(factor, eye(p), lower=True)
        trace = sum(x * (whitened.T @ whitened), axis=(-2, -1))
        determinants = _log_determinant(cholesky(x))
        return 0.5 * ((df - p - 1) * determinants - trace - df * _log_determinant(factor))

    def _root(self, triangles: ndarray, factor: ndarray) -> ndarray:
        return factor @ triangles

    @documented_as(_OfWishart.logpdf)
    def entropy(self, df, scale) -> ndarray:
        """Return the differential entropy; reads whether the scale is positive definite.

        Returns
        -------
        ndarray
            Entropy in nats, without axes.
        """
        return self._entropy(df, scale, 1.0)

    @documented_as(_OfWishart.logpdf)
    def mean(self, df, scale) -> ndarray:
        """Return the expected matrix.

        Returns
        -------
        ndarray
            Expected matrix, a number for matrices of one element.
        """
        _, df, scale = self._parameters(df, scale)
        return squeezed(df * scale)

    @documented_as(_OfWishart.logpdf)
    def mode(self, df, scale) -> ndarray | None:
        """Return the matrix of the largest density.

        Returns
        -------
        ndarray or None
            Mode, which exists for at least as many degrees of freedom as the size plus one.
        """
        size, df, scale = self._parameters(df, scale)
        return squeezed((df - size - 1) * scale) if df >= size + 1 else None

    @documented_as(_OfWishart.logpdf)
    def var(self, df, scale) -> ndarray:
        """Return the variances of the elements.

        Returns
        -------
        ndarray
            Variance of each element of the matrices.
        """
        _, df, scale = self._parameters(df, scale)
        diagonal = scale.diagonal()
        return squeezed(df * (scale**2 + diagonal[:, None] * diagonal))


class _InverseWishart(_OfWishart):
    """Inverse Wishart distribution.

    Parameters
    ----------
    df : float, optional
        Degrees of freedom, more than the size of the matrices minus one.
    scale : array_like, optional
        Positive definite scale matrix, or its diagonal, or a number.
    """

    def _log_density(self, x: ndarray, df: float, scale: ndarray) -> ndarray:
        p = scale.shape[0]
        factor, own = cholesky(scale), cholesky(x)
        trace = sum(solve_triangular(own, factor, lower=True) ** 2, axis=(-2, -1))
        determinants = _log_determinant(own)
        return 0.5 * (df * _log_determinant(factor) - (df + p + 1) * determinants - trace)

    def _root(self, triangles: ndarray, factor: ndarray) -> ndarray:
        return solve_triangular(triangles, factor.T, lower=True).swapaxes(-1, -2)

    @documented_as(_OfWishart.logpdf)
    def entropy(self, df, scale) -> ndarray:
        """Return the differential entropy; reads whether the scale is positive definite.

        Returns
        -------
        ndarray
            Entropy in nats, without axes.
        """
        return self._entropy(df, scale, -1.0)

    @documented_as(_OfWishart.logpdf)
    def mean(self, df, scale) -> ndarray | None:
        """Return the expected matrix.

        Returns
        -------
        ndarray or None
            Expected matrix, which exists for more degrees of freedom than the size plus one.
        """
        size, df, scale = self._parameters(df, scale)
        return squeezed(scale / (df - size - 1)) if df > size + 1 else None

    @documented_as(_OfWishart.logpdf)
    def mode(self, df, scale) -> ndarray:
        """Return the matrix of the largest density.

        Returns
        -------
        ndarray
            Mode, a number for matrices of one element.
        """
        size, df, scale = self._parameters(df, scale)
        return squeezed(scale / (df + size + 1))

    @documented_as(_OfWishart.logpdf)
    def var(self, df, scale) -> ndarray | None:
        """Return the variances of the elements.

        Returns
        -------
        ndarray or None
            Variances, which exist for more degrees of freedom than the size plus three.
        """
        size, df, scale = self._parameters(df, scale)
        if not df > size + 3:
            return None
        diagonal, rest = scale.diagonal(), df - size
        squares = (rest + 1) * scale**2 + (rest - 1) * diagonal[:, None] * diagonal
        return squeezed(squares / (rest * (rest - 1) ** 2 * (rest - 3)))


# ---- normal and t --------------------------------------------------------------------------------


class _Around(Multivariate):
    """What distributions of matrices about a mean share."""

    _words: tuple[str, str]  # names of the parameters of rows and columns

    def _place(self, mean: Any, rows: Any, columns: Any) -> tuple[ndarray, ndarray, ndarray]:
        """The mean and both covariances; sizes follow from each other."""
        if mean is not None:
            mean = real(mean)
            if mean.ndim != 2:
                raise ValueError("Array `mean` must be two dimensional.")
            if 0 in mean.shape:
                raise ValueError("Array `mean` has invalid shape.")
        found = []
        for axis, (name, value) in enumerate(zip(self._words, (rows, columns), strict=True)):
            value = real(value)
            if value.ndim == 0:
                value = value * eye(1 if mean is None else mean.shape[axis])
            value = diag(value) if value.ndim == 1 else value
            if value.ndim != 2:
                raise ValueError(f"Array `{name}` must be a scalar or a 2D array.")
            if value.shape[0] != value.shape[1]:
                raise ValueError(f"Array `{name}` must be square.")
            if mean is not None and mean.shape[axis] != value.shape[0]:
                what = ("rows", "columns")[axis]
                raise ValueError(f"Arrays `mean` and `{name}` must have the same number of {what}.")
            found.append(value)
        if mean is None:
            mean = zeros((found[0].shape[0], found[1].shape[0]))
        return mean, found[0], found[1]

    def _whitened(self, x: Any, mean: ndarray, rows: Any, columns: Any) -> ndarray:
        """Matrices less the mean, whose rows and columns are not correlated."""
        x = real(x)
        if x.ndim < 2 or x.shape[-2:] != mean.shape:
            raise ValueError(
                "The shape of array `X` is not compatible with the distribution parameters."
            )
        return rows.whitening.T @ (x - mean) @ columns.whitening

    def _normal(self, mean: ndarray, size: Any, random_state: Any) -> tuple[Any, int, ndarray]:
        """The source of random numbers, the number of samples, and normal numbers."""
        source, count = self._source(random_state), int(size)
        return source, count, source.standard_normal(size=(count, *mean.shape))


class _MatrixNormal(_Around):
    """Matrix normal distribution.

    Parameters
    ----------
    mean : array_like, optional
        Mean of the distribution, by default zeros.
    rowcov, colcov : array_like, optional
        Covariance of the rows and of the columns: a matrix, its diagonal, or one variance.
    """

    _words = ("rowcov", "colcov")

    def __call__(self, mean=None, rowcov=1, colcov=1, seed=None) -> Any:
        mean, rowcov, colcov = self._place(mean, rowcov, colcov)
        Semidefinite(rowcov, False), Semidefinite(colcov, False)
        return Frozen(self, seed, mean=mean, rowcov=rowcov, colcov=colcov, dims=mean.shape)

    def logpdf(self, X, mean=None, rowcov=1, colcov=1) -> ndarray:
        """Evaluate the logarithm of the density; the covariances' eigenvalues are read.

        Parameters
        ----------
        X : array_like
            Matrices, along the last two axes.
        mean : array_like, optional
            Mean of the distribution, by default zeros.
        rowcov, colcov : array_like, optional
            Covariance of the rows and of the columns: a matrix, its diagonal, or one variance.

        Returns
        -------
        ndarray
            Values of type float64.
        """
        mean, rowcov, colcov = self._place(mean, rowcov, colcov)
        rows, columns = Semidefinite(rowcov, False), Semidefinite(colcov, False)
        distance = sum(self._whitened(X, mean, rows, columns) ** 2, axis=(-2, -1))
        m, n = mean.shape
        constant = m * n * math.log(2 * math.pi)
        constant += n * rows.log_pdet + m * columns.log_pdet
        return squeezed(-0.5 * (constant + distance))

    @documented_as(logpdf)
    def pdf(self, X, mean=None, rowcov=1, colcov=1) -> ndarray:
        """Evaluate the density; the covariances' eigenvalues are read."""
        return exp(self.logpdf(X, mean, rowcov, colcov))

    @documented_as(logpdf)
    @documented_as(Multivariate.rvs)
    def rvs(self, mean=None, rowcov=1, colcov=1, size=1, random_state=None) -> ndarray:
        """Draw samples; reads whether the covariances are positive definite.

        Parameters
        ----------
        size : int, optional
            Number of samples, which come along a first axis if there are several.

        Returns
        -------
        ndarray
            Samples of type float64.
        """
        mean, rowcov, colcov = self._place(mean, rowcov, colcov)
        _, count, normal = self._normal(mean, size, random_state)
        samples = mean + cholesky(rowcov) @ normal @ cholesky(colcov).T
        return samples[0] if count == 1 else samples

    @documented_as(logpdf)
    def entropy(self, rowcov=1, colcov=1) -> ndarray:
        """Return the differential entropy; the covariances' eigenvalues are read.

        Returns
        -------
        ndarray
            Entropy in nats, without axes.
        """
        _, rowcov, colcov = self._place(None, rowcov, colcov)
        rows, columns = Semidefinite(rowcov, False), Semidefinite(colcov, False)
        m, n = rowcov.shape[0], colcov.shape[0]
        total = m * n * (1 + math.log(2 * math.pi))
        return asarray(0.5 * (total + n * rows.log_pdet + m * columns.log_pdet))


class _MatrixT(_Around):
    """Matrix t distribution.

    Parameters
    ----------
    mean : array_like, optional
        Mean of the distribution, by default zeros.
    row_spread, col_spread : array_like, optional
        Spread of the rows and of the columns: a matrix, its diagonal, or one number.
    df : float, optional
        Degrees of freedom, which are positive; by default 1.
    """

    _words = ("row_spread", "col_spread")

    def __call__(self, mean=None, row_spread=1, col_spread=1, df=None, seed=None) -> Any:
        mean, rows, columns = self._place(mean, row_spread, col_spread)
        Semidefinite(rows, False), Semidefinite(columns, False)
        df = self._degrees(df)
        return Frozen(
            self, seed, mean=mean, row_spread=rows, col_spread=columns, df=df, dims=mean.shape
        )

    def _degrees(self, df: Any) -> float:
        df = 1 if df is None else df
        if not cast(bool, np.isscalar(df)):
            raise ValueError("Degrees of freedom must be a scalar.")
        if df <= 0:
            raise ValueError("Degrees of freedom must be positive.")
        return float(df)

    def logpdf(self, X, mean=None, row_spread=1, col_spread=1, df=1) -> ndarray:
        """Evaluate the logarithm of the density; the spreads' eigenvalues are read.

        Parameters
        ----------
        X : array_like
            Matrices, along the last two axes.
        mean : array_like, optional
            Mean of the distribution, by default zeros.
        row_spread, col_spread : array_like, optional
            Spread of the rows and of the columns: a matrix, its diagonal, or one number.
        df : float, optional
            Degrees of freedom of the distribution.

        Returns
        -------
        ndarray
            Values of type float64.
        """
        from scipy.special import multigammaln

        mean, row_spread, col_spread = self._place(mean, row_spread, col_spread)
        df = self._degrees(df)
        rows, columns = Semidefinite(row_spread, False), Semidefinite(col_spread, False)
        m, n = mean.shape
        y = self._whitened(X, mean, rows, columns)
        y = y if m <= n else y.swapaxes(-1, -2)
        half = 0.5 * (df + m + n - 1)
        if min(m, n) == 1:
            terms = log1p(sum(y * y, axis=(-2, -1)))
        else:
            terms = slogdet(eye(min(m, n)) + y @ y.swapaxes(-1, -2))[1]
        gammas = multigammaln(half, n) - multigammaln(0.5 * (df + n - 1), n)
        constant = 0.5 * (n * rows.log_pdet + m * columns.log_pdet)
        constant += 0.5 * m * n * math.log(math.pi) - float(gammas)
        return squeezed(-half * terms - constant)

    @documented_as(logpdf)
    def pdf(self, X, mean=None, row_spread=1, col_spread=1, df=1) -> ndarray:
        """Evaluate the density; the spreads' eigenvalues are read."""
        return exp(self.logpdf(X, mean, row_spread, col_spread, df))

    @documented_as(logpdf)
    @documented_as(Multivariate.rvs)
    def rvs(
        self, mean=None, row_spread=1, col_spread=1, df=1, size=1, random_state=None
    ) -> ndarray:
        """Draw samples; reads whether the spreads are positive definite.

        Parameters
        ----------
        size : int, optional
            Number of samples, which come along a first axis if there are several.

        Returns
        -------
        ndarray
            Samples of type float64.

        Notes
        -----
        Normal matrices, the covariance of whose columns is of an inverse Wishart distribution (A.
        K. Gupta, D. K. Nagar, "Matrix Variate Distributions", 2000, section 4.2).
        """
        mean, rows, columns = self._place(mean, row_spread, col_spread)
        df = self._degrees(df)
        source, count, normal = self._normal(mean, size, random_state)
        n = mean.shape[1]
        triangles = _bartlett(source, count, n, df + n - 1)
        root = solve_triangular(triangles, cholesky(columns).T, lower=True)
        samples = mean + cholesky(rows) @ normal @ root
        return samples[0] if count == 1 else samples


# ---- groups --------------------------------------------------------------------------------------


class _Group(Multivariate):
    """Haar's measure: the factor Q of normal matrices, R's diagonal made positive (Mezzadri, 2007).

    Parameters
    ----------
    dim : int, optional
        Number of rows and columns of the matrices.
    """

    def __call__(self, dim=None, seed=None) -> Any:
        return Frozen(self, seed, dim=_dimension(dim))

    @documented_as(Multivariate.rvs)
    def rvs(self, dim, size=1, random_state=None) -> ndarray:
        """Draw matrices.

        Parameters
        ----------
        dim : int
            Number of rows and columns of the matrices.
        size : int, optional
            Number of samples, which come along a first axis if there are several.

        Returns
        -------
        ndarray
            Samples, of type float64 or complex128.
        """
        dim, count = _dimension(dim), int(size)
        source = self._source(random_state)
        shape = (count, dim, dim) if count > 1 else (dim, dim)
        return self._drawn(source, shape)

    def _drawn(self, source: Any, shape: tuple[int, ...]) -> ndarray:
        """Samples of a shape with the axes of the matrices last."""
        q, r = qr(source.standard_normal(size=shape))
        return q * sign(r.diagonal(axis1=-2, axis2=-1))[..., None, :]


def _dimension(dim: Any) -> int:
    if dim is None or not cast(bool, np.isscalar(dim)) or dim < 0 or int(dim) != dim:
        raise ValueError(
            "Dimension of rotation must be specified, and must be a scalar nonnegative integer,"
            f" got {dim!r}"
        )
    return int(dim)


class _OrthogonalGroup(_Group):
    __doc__ = (
        "Uniform distribution of orthogonal matrices.\n" + str(_Group.__doc__).split("\n", 1)[1]
    )


class _SpecialOrthogonalGroup(_Group):
    __doc__ = "Uniform distribution of rotations.\n" + str(_Group.__doc__).split("\n", 1)[1]

    def _drawn(self, source: Any, shape: tuple[int, ...]) -> ndarray:
        q = super()._drawn(source, shape)
        if shape[-1]:
            q[..., 0] *= sign(det(q))[..., None]
        return q


class _UnitaryGroup(_Group):
    __doc__ = "Uniform distribution of unitary matrices.\n" + str(_Group.__doc__).split("\n", 1)[1]

    def _drawn(self, source: Any, shape: tuple[int, ...]) -> ndarray:
        parts = source.standard_normal(size=(*shape, 2))
        q, r = qr(parts.view(np.complex128)[..., 0])
        diagonal = r.diagonal(axis1=-2, axis2=-1)
        return q * (diagonal / abs(diagonal))[..., None, :]


# A block, of which each step makes an element of the diagonal 1 by a rotation of two coordinates,
# the second of which has its element on the other side of 1. Rows and columns of others follow.
_ROTATIONS = RawKernel(
    r"""
extern "C" __global__ void unit_diagonal(double *a, const long long size)
{
    __shared__ long long other;
    for (long long i = 0; i + 1 < size; i++) {
        const double own = a[i * size + i];
        if (threadIdx.x == 0) other = size;
        __syncthreads();
        if (own != 1) {
            // The first on the other side: each thread looks for its own, the least one wins.
            for (long long j = i + 1 + threadIdx.x; j < size; j += blockDim.x) {
                const double d = a[j * size + j];
                if ((own - 1) * (d - 1) < 0) {
                    atomicMin(&other, j);
                    break;
                }
            }
        }
        __syncthreads();
        const long long j = other;
        if (j == size) {
            __syncthreads();
            continue;
        }
        // The root t = tan of (ajj - 1) t^2 + 2 aij t + aii - 1 = 0 of the smaller angle.
        const double p = a[i * size + j], q = a[j * size + j];
        const double root = sqrt(fmax(p * p - (own - 1) * (q - 1), 0.0));
        const double t = (own - 1) / -(p + copysign(root, p));
        const double c = 1 / sqrt(1 + t * t), s = c * t;
        __syncthreads();
        for (long long k = threadIdx.x; k < size; k += blockDim.x) {
            const double x = a[i * size + k], y = a[j * size + k];
            a[i * size + k] = c * x + s * y;
            a[j * size + k] = c * y - s * x;
        }
        __syncthreads();
        for (long long k = threadIdx.x; k < size; k += blockDim.x) {
            const double x = a[k * size + i], y = a[k * size + j];
            a[k * size + i] = c * x + s * y;
            a[k * size + j] = c * y - s * x;
        }
        __syncthreads();
        if (threadIdx.x == 0) a[i * size + i] = 1;
        __syncthreads();
    }
}
""",
    "unit_diagonal",
)


class _RandomCorrelation(Multivariate):
    """Correlation matrices of given eigenvalues.

    Parameters
    ----------
    eigs : array_like
        Eigenvalues, which are not negative and add up to their number.
    seed : None, int, Generator or RandomState, optional
        Source of random numbers of the frozen distribution.
    tol : float, optional
        How far the sum of the eigenvalues may be from their number.
    diag_tol : float, optional
        How far elements of the diagonal may be from 1.

    Returns
    -------
    frozen distribution
        Object with the same methods, without the parameters.
    """

    def __call__(self, eigs, seed=None, tol=1e-13, diag_tol=1e-7) -> Any:
        return Frozen(self, seed, eigs=_eigenvalues(eigs, tol), tol=tol, diag_tol=diag_tol)

    @documented_as(Multivariate.rvs)
    def rvs(self, eigs, random_state=None, tol=1e-13, diag_tol=1e-7) -> ndarray:
        """Draw a matrix; the eigenvalues and the resulting diagonal are read.

        Parameters
        ----------
        eigs : array_like
            Eigenvalues, which are not negative and add up to their number.
        tol : float, optional
            How far the sum of the eigenvalues may be from their number.
        diag_tol : float, optional
            How far elements of the diagonal may be from 1.

        Returns
        -------
        ndarray
            Correlation matrix of type float64.

        Raises
        ------
        RuntimeError
            If the diagonal is not 1 to the tolerance.

        Notes
        -----
        A random matrix of the eigenvalues, which rotations of two coordinates give a diagonal of
        ones (P. I. Davies, N. J. Higham, BIT 40, 2000). They follow each other in one block.
        """
        values = _eigenvalues(eigs, tol)
        q = ortho_group.rvs(values.size, random_state=self._source(random_state))
        matrix = array((q * values) @ q.T, order="C")
        _ROTATIONS((1,), (256,), (matrix, np.int64(values.size)))
        if np.abs(matrix.diagonal().get() - 1.0).max() > float(diag_tol):
            raise RuntimeError("Failed to generate a valid correlation matrix")
        return matrix


def _eigenvalues(eigs: Any, tol: float) -> ndarray:
    """The eigenvalues on the device, after they were read."""
    eigs, tol = real(eigs), number_on_host(tol)
    host = eigs.get()
    if host.ndim != 1 or host.size <= 1:
        raise ValueError("Array 'eigs' must be a vector of length greater than 1.")
    if not math.isclose(host.sum(), host.size, rel_tol=0, abs_tol=tol):
        raise ValueError("Sum of eigenvalues must equal dimensionality.")
    if (host < -tol).any():
        raise ValueError("All eigenvalues must be non-negative.")
    return eigs


wishart = _Wishart()
invwishart = _InverseWishart()
matrix_normal = _MatrixNormal()
matrix_t = _MatrixT()
ortho_group = _OrthogonalGroup()
special_ortho_group = _SpecialOrthogonalGroup()
unitary_group = _UnitaryGroup()
random_correlation = _RandomCorrelation()
