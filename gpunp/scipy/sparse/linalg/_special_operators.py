"""Operators of known eigenvalues."""

from math import prod
from typing import Any

import numpy as np

from ...._core import umath
from ...._core._convert import per_axis, whole
from ...._core.multiarray import arange, ndarray, where, zeros
from .._construct import diags_array, eye_array, kron
from ._interface import LinearOperator

__all__ = ["LaplacianNd"]

KINDS = ("dirichlet", "neumann", "periodic")


class LaplacianNd(LinearOperator):
    """Laplacian of a regular grid with any number of axes, with its eigenvalues and eigenvectors.

    Parameters
    ----------
    grid_shape : tuple of int
        Numbers of points along the axes.
    boundary_conditions : {'neumann', 'dirichlet', 'periodic'}, optional
        Which conditions hold at the ends of each axis.
    dtype : dtype, optional
        Type of the elements, by default int8.

    Notes
    -----
    Products with vectors are differences of neighbouring points: no matrix is stored.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.sparse.linalg import LaplacianNd
    >>> LaplacianNd((4,), boundary_conditions="dirichlet") @ cp.array([0.0, 1.0, 4.0, 9.0])
    array([  1.,   2.,   2., -14.])
    """

    def __init__(
        self, grid_shape: Any, *, boundary_conditions: str = "neumann", dtype: Any = np.int8
    ) -> None:
        if boundary_conditions not in KINDS:
            raise ValueError(
                f"Unknown value {boundary_conditions!r} is given for 'boundary_conditions' "
                "parameter. The valid options are 'dirichlet', 'periodic', and 'neumann' (default)."
            )
        self.grid_shape = grid_shape
        self.boundary_conditions = boundary_conditions
        self._sizes = tuple(whole(n, "a length in grid_shape") for n in per_axis(grid_shape))
        super().__init__(dtype, (prod(self._sizes),) * 2)

    def _along(self, n: int, j: ndarray) -> ndarray:
        """Eigenvalues `j` of one axis, the largest first."""
        if self.boundary_conditions == "dirichlet":
            angles = np.pi * (j + 1) / (2 * (n + 1))
        elif self.boundary_conditions == "neumann":
            angles = np.pi * j / (2 * n)
        else:
            angles = np.pi * ((j + 1) // 2) / n
        return -4 * umath.sin(angles) ** 2

    def _ordered(self, m: Any) -> tuple[ndarray, ndarray]:
        """The m largest eigenvalues in ascending order, and their places."""
        found = zeros(self._sizes)
        for axis, n in enumerate(self._sizes):
            shape = [-1 if k == axis else 1 for k in range(len(self._sizes))]
            found = found + self._along(n, arange(n)).reshape(shape)
        found = found.reshape(-1)
        order = found.argsort(kind="stable")
        order = order[order.size - min(int(m), order.size) :] if m is not None else order
        return found[order], order

    def eigenvalues(self, m: Any = None) -> ndarray:
        """Compute eigenvalues from their formula.

        Parameters
        ----------
        m : int, optional
            Number of the largest ones, all by default.

        Returns
        -------
        ndarray
            Eigenvalues in ascending order, of float64.
        """
        return self._ordered(m)[0]

    def _vectors_along(self, n: int, j: ndarray) -> ndarray:
        """Eigenvectors `j` of one axis, as rows."""
        j, i = j[:, None], arange(n)
        if self.boundary_conditions == "dirichlet":
            return (2 / (n + 1)) ** 0.5 * umath.sin(np.pi * (i + 1) * (j + 1) / (n + 1))
        if self.boundary_conditions == "neumann":
            size = umath.sqrt(where(j == 0, 1.0, 2.0) / n)
            return size * umath.cos(np.pi * (i + 0.5) * j / n)
        angles = np.pi * ((2 * i + 1) * ((j + 1) // 2)) / n
        wave = (2 / n) ** 0.5 * where(j % 2 == 1, umath.sin(angles), umath.cos(angles))
        wave = where(j == 0, n**-0.5, wave)
        signs = (1.0 - 2.0 * (i % 2)) * n**-0.5
        return where((j == n - 1) & (n % 2 == 0), signs, wave)

    def eigenvectors(self, m: Any = None) -> ndarray:
        """Compute eigenvectors from their formula.

        Parameters
        ----------
        m : int, optional
            Number of those with the largest eigenvalues, all by default.

        Returns
        -------
        ndarray
            Eigenvectors of float64 as columns, in the order of the eigenvalues.
        """
        rest = self._ordered(m)[1]
        count = rest.size
        found: Any = None
        for n in self._sizes[::-1]:
            along = self._vectors_along(n, rest % n)
            rest = rest // n
            found = along if found is None else along[:, :, None] * found[:, None, :]
            found = found.reshape(count, -1)
        return found.T

    def tosparse(self) -> Any:
        """Return the Laplacian as a sparse matrix.

        Returns
        -------
        dia_array
            Matrix of the type of this operator.
        """
        found: Any
        sizes, found = self._sizes, None
        for axis, n in enumerate(sizes):
            line = self._line(n)
            before, after = prod(sizes[:axis]), prod(sizes[axis + 1 :])
            part = kron(kron(self._unit(before), line), self._unit(after))
            found = part if found is None else found + part
        return found.todia().astype(self.dtype)

    def _unit(self, n: int) -> Any:
        return eye_array(n, dtype=self.dtype, format="coo")

    def _line(self, n: int) -> Any:
        """The matrix of one axis."""
        middle = zeros(n, self.dtype) - self.dtype.type(2)
        if self.boundary_conditions == "neumann":
            middle[0] += 1
            middle[-1] += 1
        one = zeros(max(n - 1, 0), self.dtype) + self.dtype.type(1)
        line = diags_array([one, middle, one], offsets=[-1, 0, 1], shape=(n, n)).tocoo()
        if self.boundary_conditions == "periodic":
            corner = zeros(1, self.dtype) + self.dtype.type(1)
            for k in (n - 1, 1 - n):
                line = line + diags_array([corner], offsets=[k], shape=(n, n))
        return line.astype(self.dtype).tocoo()

    def toarray(self) -> ndarray:
        """Return the Laplacian as a dense matrix.

        Returns
        -------
        ndarray
            Matrix of the type of this operator.
        """
        return self.tosparse().toarray()

    def _matvec(self, x: ndarray) -> ndarray:
        return self._matmat(x.reshape(-1, 1)).reshape(x.shape)

    def _matmat(self, X: ndarray) -> ndarray:
        grid = X.reshape(*self._sizes, -1)
        found = grid * X.dtype.type(-2 * len(self._sizes))
        for axis, n in enumerate(self._sizes):
            at = _Slices(axis)
            found[at[1:]] += grid[at[:-1]]
            found[at[:-1]] += grid[at[1:]]
            if self.boundary_conditions == "neumann":
                found[at[0]] += grid[at[0]]
                found[at[n - 1]] += grid[at[n - 1]]
            elif self.boundary_conditions == "periodic":
                found[at[0]] += grid[at[n - 1]]
                found[at[n - 1]] += grid[at[0]]
        return found.reshape(X.shape)

    _rmatvec = _matvec
    _rmatmat = _matmat

    def _adjoint(self) -> Any:
        return self

    _transpose = _adjoint


class _Slices:
    """Indices along one axis."""

    def __init__(self, axis: int) -> None:
        self._before = (slice(None),) * axis

    def __getitem__(self, index: Any) -> tuple:
        return (*self._before, index)
