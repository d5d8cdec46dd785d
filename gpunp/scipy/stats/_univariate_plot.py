"""Plots of the functions of random variables, on the host."""

from typing import Any

import numpy as np

from ..._core._convert import as_host
from ..._core.multiarray import asarray

__all__ = ["plotted"]

_QUANTILES = ("x", "icdf", "iccdf", "ilogcdf", "ilogccdf")
_RUNNING = (*_QUANTILES, "cdf", "ccdf", "logcdf", "logccdf")
_SHOWN = (*_RUNNING, "pdf", "logpdf", "pmf", "logpmf")


def _limits(variable: Any, t: Any) -> tuple[str, np.ndarray]:
    """The name of what runs, and the quantiles at its limits, on the first axis."""
    name = "cdf" if t is None else t[0]
    if name not in _RUNNING:
        raise ValueError(
            f"Argument `t` of `{type(variable).__name__}.plot` must name one of {set(_RUNNING)}"
        )
    low, high = (end.get() for end in variable.support())
    usual = (0.0 if np.isfinite(low).all() else 0.0005, 1.0 if np.isfinite(high).all() else 0.9995)
    given = as_host(list(usual if t is None else t[1:]), np.float64)
    ends = given.reshape((2,) + (1,) * len(variable._shape))
    if name not in _QUANTILES:
        ends = getattr(variable, f"i{name}")(asarray(ends)).get()
    if not np.isfinite(ends).all():
        raise ValueError(
            f"`{type(variable).__name__}.plot` received invalid input for `t`: its limits {given}"
            f" are at {ends}"
        )
    return name, ends


def _points(variable: Any, ends: np.ndarray, is_whole: bool) -> np.ndarray:
    """Quantiles between the limits, along the first axis."""
    if is_whole:
        return np.arange(ends[0].min(), ends[1].max() + 1).reshape((-1,) + (1,) * (ends.ndim - 1))
    shares = np.linspace(0, 1, 300).reshape((-1,) + (1,) * (ends.ndim - 1))
    points = ends[0] + (ends[1] - ends[0]) * shares
    return np.round(points) if variable._discrete else points


def plotted(variable: Any, x: str, y: str | None, t: Any, ax: Any) -> Any:
    """Axes with a curve for each set of parameters."""
    y = ("pmf" if variable._discrete else "pdf") if y is None else y
    names = {"x": x, "y": y}
    _, ends = _limits(variable, t)
    for axis, name in names.items():
        if name not in _SHOWN:
            raise ValueError(
                f"Argument `{axis}` of `{type(variable).__name__}.plot` must be one of"
                f" {set(_SHOWN)}, got {name!r}"
            )
    if len(variable._shape) > 1:
        raise ValueError("To use `plot`, parameters must be numbers or arrays of one dimension.")
    import matplotlib.pyplot as plt

    ax = plt.gca() if ax is None else ax
    is_whole = variable._discrete and x in _QUANTILES
    points = _points(variable, ends, is_whole)
    curves = [
        points if name in _QUANTILES else getattr(variable, name)(asarray(points)).get()
        for name in names.values()
    ]
    columns = np.broadcast_arrays(*(np.atleast_2d(curve.T) for curve in curves))
    for across, up in zip(*columns, strict=True):
        if is_whole and y == "pmf":
            ax.bar(across, up, alpha=np.sqrt(1 / len(columns[0])))
        elif is_whole:
            ax.stairs(up, np.append(across, across[-1] + 1), baseline=None)
        else:
            ax.plot(across, up)
    ax.set_xlabel(f"${x}$")
    ax.set_ylabel(f"${y}$")
    ax.set_title(str(variable))
    return ax
