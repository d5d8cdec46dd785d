"""Plans made ahead of the transforms that use them."""

import math
from typing import Any

import numpy as np

from ..._core._convert import as_array, normalize_axis_index, per_axis, shown
from ..._core.multiarray import empty, ndarray
from ..._core.transforms import fft_axes
from ...cuda import cufft

__all__ = ["Plan", "check_plan", "get_fft_plan"]

_NAMES = {"C2C": ("fftn", "ifftn"), "R2C": ("rfftn", "rfftn"), "C2R": ("irfftn", "irfftn")}
_KINDS = {"C2C": "fc", "R2C": "f", "C2R": "c"}
# cuFFT's numbers and the types of input and output: of single precision, of double.
_TYPES = {
    "C2C": ((cufft.CUFFT_C2C, "F", "F"), (cufft.CUFFT_Z2Z, "D", "D")),
    "R2C": ((cufft.CUFFT_R2C, "f", "F"), (cufft.CUFFT_D2Z, "d", "D")),
    "C2R": ((cufft.CUFFT_C2R, "F", "f"), (cufft.CUFFT_Z2D, "D", "d")),
}


class Plan:
    """A transform of arrays of one shape and dtype: what `get_fft_plan` returns.

    cuFFT's plans for it are in the device's cache (`gpunp.fft.config`). A plan can be passed to the
    functions as `plan=`, and used in a `with` statement, which has no effect. It is a `Plan1d` or a
    `PlanNd` of `gpunp.cuda.cufft`, with their attributes, for arrays of this shape alone.
    """

    def __init__(self, a, s, axes, value_type):
        self.dtype = a.dtype
        self.s = s
        self.axes = axes
        self._given = a.shape
        self._kind = value_type
        lengths = [a.shape[axis] for axis in axes] if s is None else list(s)
        if value_type == "C2R" and s is None:
            lengths[-1] = 2 * (lengths[-1] - 1)
        self._lengths = tuple(lengths)
        self.fft_type, self._input, self._output = _TYPES[value_type][a.dtype.char in "dD"]
        others = [n for axis, n in enumerate(a.shape) if axis not in axes]
        self.batch = math.prod(others)
        self.gpus = None
        self.order, self.last_axis = "C", axes[-1]
        self.last_size = None if value_type == "C2C" else self._sides()[1][-1]

    def fft(self, a, out, direction):
        """Transform `a` into `out`, unscaled: `direction` is -1 forward and 1 back."""
        check_plan(self, a, self.s, self.axes)
        name = _NAMES[self._kind][direction > 0]
        norm = "forward" if name.startswith("i") else "backward"
        out[...] = fft_axes(name, a, self.s, self.axes, norm, False)

    def _result_shape(self, a):
        shape = list(a.shape)
        for axis, length in zip(self.axes, self._sides()[1], strict=True):
            shape[axis] = length
        return tuple(shape)

    def get_output_array(self, a, order="C"):
        """Return a new, uninitialised array for the transform of `a`, of memory order `order`."""
        return empty(self._result_shape(a), self._output, order)

    def check_output_array(self, a, out):
        """Raise ValueError unless `out` can take the transform of `a`."""
        shape = self._result_shape(a)
        if out.shape != shape or out.dtype.char != self._output:
            raise ValueError(
                f"out must be of {np.dtype(self._output)} and shape {shape}, not of "
                f"{out.dtype} and {out.shape}"
            )

    def __repr__(self):
        return (
            f"<plan {self._kind} of {self.dtype} arrays of shape {self._given}, s={self.s}, "
            f"axes={self.axes}>"
        )


class _OneAxis(Plan, cufft.Plan1d):
    @property
    def nx(self):
        """Length of a transform."""
        return self._lengths[0]


class _Axes(Plan, cufft.PlanNd):
    @property
    def shape(self):
        """Length of a transform along each axis."""
        return self._lengths


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
    if x.shape != plan._given or x.dtype != plan.dtype:
        raise ValueError(
            f"the plan is for {plan.dtype} arrays of shape {plan._given}, not for {x.dtype} ones "
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
    return (_OneAxis if len(axes) == 1 else _Axes)(a, s, axes, value_type)
