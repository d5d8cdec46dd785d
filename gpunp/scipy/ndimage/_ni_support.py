"""What functions of images share: modes, sequences with an item for each axis, outputs."""

import itertools
import operator
from typing import Any

import numpy as np
from numpy.exceptions import AxisError

from ..._core._convert import as_array, as_host, number_on_host, numbers_on_host, per_axis, shown
from ..._core._warnings import warn
from ..._core.multiarray import asarray, empty, ndarray, result_type, shares_memory

# SciPy's names of what stands beyond the ends of an axis, and the kernels'.
MODES = {
    "constant": "constant",
    "grid-constant": "constant",
    "nearest": "nearest",
    "reflect": "reflect",
    "grid-mirror": "reflect",
    "mirror": "mirror",
    "wrap": "wrap",
    "grid-wrap": "wrap",
}


_SINGLE = ("float16", "bfloat16", "float32", "complex64")


def loop_type(*dtypes: Any) -> np.dtype:
    """The type in which windows are computed. Integers need float64, to be exact."""
    is_single = all(dtype.name in _SINGLE for dtype in dtypes)
    if any(dtype.kind == "c" for dtype in dtypes):
        return np.dtype("complex64" if is_single else "complex128")
    return np.dtype("float32" if is_single else "float64")


def held_integer(value: Any, dtype: np.dtype) -> int:
    """A number as one of an integer type: what is beyond its ends becomes the nearer end."""
    limits = np.iinfo(dtype)
    return int(min(max(value, limits.min), limits.max))


def extreme_loop(source: np.dtype, target: np.dtype, rule: str, cval: Any) -> tuple[np.dtype, Any]:
    """The type in which elements are compared, and `cval` for it: float64 would round int64."""
    constant = cval if rule == "constant" else 0
    if source.kind not in "iu" or source.itemsize < 8 or constant != constant:
        return loop_type(source, target), constant
    number = held_integer(constant, source)
    if target.kind in "fV" and number != constant:  # which the result shows
        return loop_type(source, target), constant
    return source, number


def rule_of(mode: Any) -> str:
    """The kernels' name of a mode."""
    if isinstance(mode, str) and mode in MODES:
        return MODES[mode]
    raise RuntimeError("boundary mode not supported")


def sequence(value: Any, count: int) -> list:
    """A value for each of `count` axes: one for all, or a sequence of so many."""
    if isinstance(value, str) or not np.iterable(value):
        return [value] * count
    values = list(itertools.islice(value, count + 1))
    if len(values) != count:
        raise RuntimeError("sequence argument must have length equal to input rank")
    return values


def in_order(values: Any, axes: Any, ndim: int) -> list:
    """Values for some axes in the order of the image's; those for all axes are in it already."""
    given = sequence(values, len(axes))
    return given if len(axes) == ndim else [given[k] for k in np.argsort(axes)]


def axis_of(axis: Any, ndim: int) -> int:
    """An axis as an index from 0 on; one beyond a C integer does not exist either."""
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise AxisError(axis, ndim)
    return axis % ndim


def axes_of(axes: Any, ndim: int) -> tuple[int, ...]:
    """Axes as indices from 0 on: all where None."""
    if axes is None:
        return tuple(range(ndim))
    given = per_axis(axes) if np.iterable(axes) else (axes,)
    found = tuple(axis_of(axis, ndim) for axis in given)
    if len(set(found)) != len(found):
        raise ValueError("axes must be unique")
    return found


def real_image(input: Any) -> ndarray:
    """The array of a function that has no complex form."""
    a = as_array(input)
    if a.dtype.kind == "c":
        raise TypeError("Complex type not supported")
    return numbers(a)


def weights_of(weights: Any) -> Any:
    """Weights as floats or complex numbers, on the host unless they are on the device."""
    w = weights if isinstance(weights, ndarray) else numbers_on_host(weights)
    return w if w.dtype.kind in "fc" else w.astype(float)


def is_complex(a: ndarray, weights: Any, cval: Any) -> bool:
    """Whether a correlation is complex; what stands beyond a real image is real then too."""
    if a.dtype.kind == "c" or weights.dtype.kind != "c":
        return a.dtype.kind == "c"
    if as_host(number_on_host(cval)).dtype.kind == "c":
        raise ValueError(f"cval must be real where the input is real, not {shown(cval)}")
    return True


def numbers(a: ndarray) -> ndarray:
    """The array, if it holds numbers."""
    if a.dtype.kind in "mM":
        raise RuntimeError(f"array type {a.dtype!r} not supported")
    return a


def new_output(
    output: Any, a: ndarray, is_complex: bool = False, shape: tuple[int, ...] | None = None
) -> ndarray:
    """The array that a result is written to: a new one, or the user's.

    Parameters
    ----------
    output : ndarray, dtype or None
        Array for the result, or its type; None: that of `a`.
    a : ndarray
        The image.
    is_complex : bool, optional
        Whether the result is complex: a real type is widened.
    shape : tuple of ints, optional
        Shape of the result: by default that of the image.
    """
    shape = a.shape if shape is None else shape
    if isinstance(output, ndarray):
        if output.shape != shape:
            raise RuntimeError("output shape not correct")
        if is_complex and output.dtype.kind != "c":
            raise RuntimeError("output must have complex dtype")
        return _check_real(output, is_complex)
    dtype = a.dtype if output is None else np.dtype(output)
    if isinstance(output, str) and dtype.kind not in "iufcV":  # V: bfloat16
        raise RuntimeError("output must have numeric dtype")
    if is_complex and dtype.kind != "c":
        if isinstance(output, str):
            raise RuntimeError("output must have complex dtype")
        if output is not None:
            warn("promoting specified output dtype to complex", UserWarning)
        dtype = result_type(dtype, np.complex64)
    return _check_real(empty(shape, dtype), is_complex)


def uploaded(weights: Any, dtype: np.dtype) -> ndarray:
    """Weights of the host or the device in a type; those of the host are converted there."""
    return asarray(weights.astype(dtype) if isinstance(weights, np.ndarray) else weights, dtype)


def _check_real(out: ndarray, is_complex: bool) -> ndarray:
    if out.dtype.kind == "c" and not is_complex:
        raise RuntimeError(f"array type {out.dtype!r} not supported")
    return out


def through(a: ndarray, output: ndarray, steps: list) -> ndarray:
    """Apply functions of (source, target) one after the other, the last of which writes `output`.

    Sources and targets are C-contiguous and apart; besides `output` there is one more array.
    """
    source = a.copy("C") if not a.flags.c_contiguous else a
    is_direct = output.flags.c_contiguous and not shares_memory(a, output)
    ends = [output if is_direct else empty(output.shape, output.dtype)]
    if len(steps) > 1:
        ends.append(empty(output.shape, output.dtype))
    for left, step in zip(range(len(steps) - 1, -1, -1), steps, strict=True):
        step(source, ends[left % 2])
        source = ends[left % 2]
    if source is not output:
        output[...] = source
    return output
