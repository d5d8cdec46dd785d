"""Plans made ahead of the transforms that use them."""

from typing import Any

import numpy as np

from ..._core._convert import as_array, normalize_axis_index, per_axis, shown
from ..._core.multiarray import ndarray
from ..._core.transforms import fft_axes

__all__ = ["Plan", "check_plan", "get_fft_plan"]

_NAMES = {"C2C": ("fftn", "ifftn"), "R2C": ("rfftn", "rfftn"), "C2R": ("irfftn", "irfftn")}
_KINDS = {"C2C": "fc", "R2C": "f", "C2R": "c"}


class Plan:
    """A transform of arrays of one shape and dtype: what `get_fft_plan` returns.

    cuFFT's plans for it are in the device's cache (`gpunp.fft.config`). A plan can be passed to the
    functions as `plan=`, and used in a `with` statement, which has no effect.
    """

    def __init__(self, shape, dtype, s, axes, value_type):
        self.shape = shape
        self.dtype = dtype
        self.s = s
        self.axes = axes
        self.fft_type = value_type

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None

    def fft(self, a, out, direction):
        """Transform `a` into `out`, unscaled: `direction` is -1 forward and 1 back."""
        check_plan(self, a, self.s, self.axes)
        name = _NAMES[self.fft_type][direction > 0]
        norm = "forward" if name.startswith("i") else "backward"
        out[...] = fft_axes(name, a, self.s, self.axes, norm, False)

    def __repr__(self):
        return (
            f"<plan {self.fft_type} of {self.dtype} arrays of shape {self.shape}, s={self.s}, "
            f"axes={self.axes}>"
        )


def _settled(
    shape: tuple[int, ...], s: Any, axes: Any
) -> tuple[tuple[int, ...] | None, tuple[int, ...]]:
    """`s` and `axes` as tuples; axes count from 0."""
    if axes is None:
        axes = range(len(shape) - (len(shape) if s is None else len(s)), len(shape))
    elif isinstance(axes, (int, np.integer)):
        axes = (axes,)
    axes = tuple(normalize_axis_index(int(axis), len(shape)) for axis in per_axis(axes))
    if isinstance(s, (int, np.integer)):
        s = (s,)
    return None if s is None else tuple(int(n) for n in per_axis(s)), axes


def check_plan(plan: Plan | None, x: ndarray, s: Any, axes: Any) -> None:
    """ValueError unless `plan` is None or was made for this transform."""
    if plan is None:
        return
    if not isinstance(plan, Plan):
        raise TypeError("plan must be what gpunp.scipy.fft.get_fft_plan returns")
    if x.shape != plan.shape or x.dtype != plan.dtype:
        raise ValueError(
            f"the plan is for {plan.dtype} arrays of shape {plan.shape}, not for {x.dtype} ones "
            f"of shape {x.shape}"
        )
    s, axes = _settled(x.shape, s, axes)
    if axes != plan.axes or (s is not None and s != plan.s):
        raise ValueError(f"the plan is for s={plan.s}, axes={plan.axes}, not s={s}, axes={axes}")


def get_fft_plan(a, shape=None, axes=None, value_type="C2C") -> Plan:
    """Create the cuFFT plans of a transform ahead of its use.

    It is not needed for speed: plans are cached after their first use. It helps to choose the time
    at which they are made. The transform is computed once, and its result dropped.

    Parameters
    ----------
    a : ndarray
        Array with the shape and dtype of those to be transformed.
    shape : int or sequence of ints, optional
        Length of the transform along each axis, as `s` of the functions.
    axes : int or sequence of ints, optional
        Axes over which to transform.
    value_type : {"C2C", "R2C", "C2R"}
        Kind of transform: complex to complex, real to complex, complex to real.

    Returns
    -------
    Plan
        Plan for the functions' argument `plan`.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import fft
    >>> x = cp.ones(4, dtype=cp.complex64)
    >>> with fft.get_fft_plan(x):
    ...     fft.fft(x)
    array([4.+0.j, 0.+0.j, 0.+0.j, 0.+0.j], dtype=complex64)
    """
    a = as_array(a)
    if value_type not in _NAMES:
        raise ValueError(f"value_type is {shown(value_type)}; it must be one of {sorted(_NAMES)}")
    if a.dtype.kind not in _KINDS[value_type]:
        raise ValueError(f"{value_type} does not take {a.dtype} arrays")
    s, axes = _settled(a.shape, shape, axes)
    if s is not None and len(s) != len(axes):
        raise ValueError("when given, axes and shape arguments have to be of the same length")
    for name in dict.fromkeys(_NAMES[value_type]):
        fft_axes(name, a, s, axes, None, False)
    return Plan(a.shape, a.dtype, s, axes, value_type)
