"""Radial basis functions in SciPy's older form: coordinates one by one, no polynomial."""

import inspect
import math
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, shown
from ..._core.multiarray import arange, array, ascontiguousarray, empty, ndarray, zeros
from ...linalg import solve
from ..spatial.distance import cdist
from ._scattered import _matrix_kernel, _value_kernel

__all__ = ["Rbf"]

# Of each name: the function of `RBFInterpolator` and its sign, whether distances are divided by
# epsilon, and the function of distances.
_FUNCTIONS: dict[str, tuple] = {
    "multiquadric": ("multiquadric", -1, True, lambda r: um.sqrt(r * r + 1)),
    "inverse_multiquadric": ("inverse_multiquadric", 1, True, lambda r: 1 / um.sqrt(r * r + 1)),
    "gaussian": ("gaussian", 1, True, lambda r: um.exp(-(r * r))),
    "linear": ("linear", -1, False, lambda r: r),
    "cubic": ("cubic", 1, False, lambda r: r**3),
    "quintic": ("quintic", -1, False, lambda r: r**5),
    "thin_plate": (
        "thin_plate_spline",
        1,
        False,
        lambda r: um.where(r > 0, r * r * um.log(um.where(r > 0, r, 1.0)), 0.0),
    ),
}
_ALIASES = {"inverse": "inverse_multiquadric", "thin-plate": "thin_plate"}


class Rbf:
    """Sum of radial functions through values at scattered points; `RBFInterpolator` does more.

    Parameters
    ----------
    *args : array_like
        Coordinates of the points, an array for each, and last the values.
    **kwargs : object
        `function`: 'multiquadric' (default), 'inverse', 'gaussian', 'linear', 'cubic', 'quintic',
        'thin_plate', or a callable of a device array of distances, or of this object and them.
        `epsilon`: divisor of distances in the first three, by default about the distance of
        neighbours, for which the range of the points is read back. `smooth`: subtracted from the
        diagonal, 0 goes through the values. `norm`: a metric of `cdist`, 'euclidean' by default, or
        a callable of two arrays of coordinates. `mode`: '1-D', or 'N-D' for values of shape (n, m).
        Others become attributes.

    Attributes
    ----------
    nodes : ndarray
        Coefficients of the functions at the points.

    Notes
    -----
    With the Euclidean norm and a named function values are summed without a matrix of distances.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import Rbf
    >>> x, y = cp.array([0.0, 1.0, 0.0, 1.0]), cp.array([0.0, 0.0, 1.0, 1.0])
    >>> Rbf(x, y, x + y, function="linear")(1.0, 0.0).round(9)
    array(1.)
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        rows = [as_array(row) for row in args]
        if len(rows) < 2:
            raise ValueError(f"coordinates and values must be given, not {len(rows)} arrays")
        self.mode = kwargs.pop("mode", "1-D")
        if self.mode not in ("1-D", "N-D"):
            raise ValueError(f"mode must be '1-D' or 'N-D', not {shown(self.mode)}")
        self.di = rows[-1].reshape(-1) if self.mode == "1-D" else rows[-1]
        self._target_dim = 1 if self.mode == "1-D" else self.di.shape[-1]
        coordinates = [row.astype("d").reshape(1, -1) for row in rows[:-1]]
        self.N = coordinates[0].shape[1]
        if any(row.shape[1] != self.N for row in coordinates) or self.di.shape[0] != self.N:
            raise ValueError("all arrays must be equal length")
        self.xi = empty((len(coordinates), self.N))
        for k, row in enumerate(coordinates):
            self.xi[k] = row[0]
        self.norm = kwargs.pop("norm", "euclidean")
        self.epsilon = kwargs.pop("epsilon", None)
        if self.epsilon is None:
            edges = (self.xi.max(axis=1) - self.xi.min(axis=1)).get()
            edges = edges[np.nonzero(edges)]
            self.epsilon = float((math.prod(edges) / self.N) ** (1.0 / max(edges.size, 1)))
        self.smooth = kwargs.pop("smooth", 0.0)
        self.function = kwargs.pop("function", "multiquadric")
        for name, value in kwargs.items():
            setattr(self, name, value)
        self._name = self._as_name(self.function)
        sides = self.di.astype(np.result_type(self.di.dtype, np.float64), copy=False)
        self.nodes = solve(self.A, sides)

    @staticmethod
    def _as_name(function: Any) -> Any:
        """The name of a function, None for a callable."""
        if callable(function):
            return None
        name = function.lower().replace(" ", "_") if isinstance(function, str) else function
        name = _ALIASES.get(name, name)
        if name not in _FUNCTIONS:
            raise ValueError(
                f"function must be a callable or one of {', '.join(sorted(_FUNCTIONS))}"
            )
        return name

    @property
    def _is_plain(self) -> bool:
        return self._name is not None and self.norm == "euclidean"

    def _scale(self) -> float:
        return 1 / self.epsilon if _FUNCTIONS[self._name][2] else 1.0

    def _matrix(self, x: ndarray) -> ndarray:
        """The function at the distances of points, of shape (coordinates, n), from the own ones."""
        if callable(self.norm):
            r = self.norm(x[:, :, None], self.xi[:, None, :])
        else:
            r = cdist(x.T, self.xi.T, self.norm)
        if self._name is not None:
            return _FUNCTIONS[self._name][3](r * self._scale())
        takes = [
            one for one in inspect.signature(self.function).parameters.values()
            if one.default is one.empty
        ]  # fmt: skip
        made = self.function(self, r) if len(takes) == 2 else self.function(r)
        if not isinstance(made, ndarray) or made.shape != r.shape:
            raise ValueError("function must return an array of the shape of the distances")
        return made

    @property
    def A(self) -> ndarray:
        """Matrix of the function at the distances of all pairs of points."""
        if self._is_plain:
            made = empty((1, self.N, self.N))
            name, sign = _FUNCTIONS[self._name][:2]
            if made.size:
                points = ascontiguousarray(self.xi.T)[None]
                _matrix_kernel(name)(points, self.N, self.xi.shape[0], self._scale(), made)
            made = made[0] * sign
        else:
            made = self._matrix(self.xi)
        at = arange(self.N)
        made[at, at] -= self.smooth
        return made

    def __call__(self, *args: Any) -> ndarray:
        """Interpolate at points.

        Parameters
        ----------
        *args : array_like
            Coordinates of the points, arrays of one shape.

        Returns
        -------
        ndarray
            Values, of that shape; in mode 'N-D' with the values' axis last.
        """
        rows = [as_array(row).astype("d", copy=False) for row in args]
        if len(rows) != self.xi.shape[0]:
            raise ValueError(f"{self.xi.shape[0]} coordinates are needed, not {len(rows)}")
        shape = rows[0].shape
        if any(row.shape != shape for row in rows):
            raise ValueError("Array lengths must be equal")
        x = empty((len(rows), rows[0].size))
        for k, row in enumerate(rows):
            x[k] = row.reshape(-1)
        tail = () if self.mode == "1-D" else (self._target_dim,)
        if not self._is_plain:
            return (self._matrix(x) @ self.nodes).reshape(shape + tail)
        return self._summed(ascontiguousarray(x.T)).reshape(shape + tail)

    def _summed(self, x: ndarray) -> ndarray:
        """Values at points of shape (n, coordinates), of shape (n, columns)."""
        d = self.xi.shape[0]
        name, sign = _FUNCTIONS[self._name][:2]
        columns = ascontiguousarray(self.nodes.reshape(self.N, -1))
        c = (columns.view("d") if columns.dtype.kind == "c" else columns) * sign
        out = empty((x.shape[0], c.shape[1]))
        if out.size:
            none = zeros((1, d))
            _value_kernel(name)(
                x, ascontiguousarray(self.xi.T), c, none, none, array([0]), self.N, d, 0,
                c.shape[1], self._scale(), False, out,
            )  # fmt: skip
        return out.view(self.nodes.dtype) if columns.dtype.kind == "c" and out.size else out
