"""Mathematical morphology of grey and binary images."""

import operator
from typing import Any

from ..._core import umath as um
from ..._core._convert import as_array, as_host, check_device_memory, number_on_host
from ..._core._docstrings import documented_as
from ..._core._warnings import warn
from ..._core.multiarray import asarray, empty, ndarray, where, zeros
from ..._core.numeric import ones
from ...fft import irfftn, rfftn
from ..fft import next_fast_len
from ._components import components, cross, is_neighbourhood
from ._footprints import Window, extreme_filter, flags_of, footprint_step, mask_of
from ._ni_support import axes_of, new_output, numbers, real_image, sequence, through

__all__ = [
    "binary_closing",
    "binary_dilation",
    "binary_erosion",
    "binary_fill_holes",
    "binary_hit_or_miss",
    "binary_opening",
    "binary_propagation",
    "black_tophat",
    "generate_binary_structure",
    "grey_closing",
    "grey_dilation",
    "grey_erosion",
    "grey_opening",
    "iterate_structure",
    "morphological_gradient",
    "morphological_laplace",
    "white_tophat",
]


# ---- structures ----------------------------------------------------------------------------------

_MOST_AXES = 63  # of a structure, as in SciPy


def generate_binary_structure(rank, connectivity) -> ndarray:
    """Make the structure of an element and its neighbours.

    Parameters
    ----------
    rank : int
        Number of axes of the structure.
    connectivity : int
        Along how many axes a neighbour may differ from the element: 1 for those that share a face,
        `rank` for all.

    Returns
    -------
    ndarray of bool
        Structure with three elements along each axis.

    See Also
    --------
    scipy.ndimage.generate_binary_structure

    Examples
    --------
    >>> from gpunp.scipy import ndimage
    >>> ndimage.generate_binary_structure(2, 1)
    array([[False,  True, False],
           [ True,  True,  True],
           [False,  True, False]])
    """
    rank, connectivity = operator.index(rank), number_on_host(connectivity)
    if rank > _MOST_AXES:
        raise ValueError(f"rank must be at most {_MOST_AXES}, not {rank}")
    check_device_memory(*[3] * rank, dtype=bool)
    return asarray(cross(rank, connectivity))


_FEW_DILATIONS = 16  # more than these are done by transforms


def _sum_of(a: ndarray, b: ndarray) -> ndarray:
    """Where sums of an index of `a` and one of `b` fall: the pairs are counted by a convolution,
    whose rounding errors are far below a half for any array that fits into memory.
    """
    shape = [m + n - 1 for m, n in zip(a.shape, b.shape, strict=True)]
    fast = [next_fast_len(n, True) for n in shape]
    axes = range(a.ndim)
    counts = irfftn(rfftn(a, fast, axes) * rfftn(b, fast, axes), fast, axes)
    return counts[tuple(slice(n) for n in shape)] > 0.5


def _sum_of_copies(flags: ndarray, count: int) -> ndarray:
    """Dilations of a structure with itself, of which each copies what is there: doubled for each
    binary digit of the count."""
    shape = [count * (n - 1) + 1 for n in flags.shape]
    flags = flags.reshape([n for n in flags.shape if n > 1])
    result = flags
    for digit in f"{count:b}"[1:]:
        result = _sum_of(result, result)
        if digit == "1":
            result = _sum_of(result, flags)
    return result.reshape(shape)


def iterate_structure(structure, iterations, origin=None) -> Any:
    """Dilate a structure with itself.

    Parameters
    ----------
    structure : array_like
        Structure of any dimension, of flags.
    iterations : int
        Number of dilations, the structure itself included.
    origin : int or sequence of int, optional
        Shift of the structure, which the result's is computed from.

    Returns
    -------
    structure : ndarray of bool
        Structure that does in one step what the given one does in `iterations`.
    origin : list of int
        Shift of the result, only where `origin` is given.

    See Also
    --------
    scipy.ndimage.iterate_structure

    Examples
    --------
    >>> from gpunp.scipy import ndimage
    >>> cross = ndimage.generate_binary_structure(2, 1)
    >>> ndimage.iterate_structure(cross, 2).astype(int)
    array([[0, 0, 1, 0, 0],
           [0, 1, 1, 1, 0],
           [1, 1, 1, 1, 1],
           [0, 1, 1, 1, 0],
           [0, 0, 1, 0, 0]])
    """
    s = asarray(structure)
    if iterations < 2:
        return s.copy()
    more = iterations - 1
    result = zeros(
        [n + more * (n - 1) for n in s.shape], bool
    )  # MemoryError before the work begins
    if more > _FEW_DILATIONS and s.size > 1:
        result = _sum_of_copies(s != 0, iterations)
    else:
        result[tuple(slice(more * (n // 2), more * (n // 2) + n) for n in s.shape)] = s != 0
        result = binary_dilation(result, s, more)
    if origin is None:
        return result
    return result, [iterations * shift for shift in sequence(origin, s.ndim)]


# ---- grey images ---------------------------------------------------------------------------------


def _check_given(size: Any, footprint: Any, structure: Any) -> None:
    if size is None and footprint is None and structure is None:
        raise ValueError("size, footprint, or structure must be specified")


def _values(structure: Any) -> Any:
    """Heights of a structure as float64, on the host unless they are on the device."""
    if structure is None:
        return None
    return (structure if isinstance(structure, ndarray) else as_host(structure)).astype(float)


def _reversed(array: Any) -> Any:
    return None if array is None else array[(slice(None, None, -1),) * array.ndim]


def grey_erosion(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
) -> ndarray:
    """Compute the grey erosion: the least element of a window, less the structure's heights.

    Parameters
    ----------
    input : ndarray
        Image of any dimension.
    size : int or sequence of int, optional
        Lengths of a flat window along the axes.
    footprint : array_like, optional
        Places of the window that count, in place of `size`.
    structure : array_like, optional
        Heights of a structure that is not flat, in place of `size`.
    output : ndarray or dtype, optional
        Array that the result is written to, or its type: by default that of `input`.
    mode : str or sequence of str, optional
        What stands beyond the ends of each axis, as for `correlate1d`. A footprint with places
        that do not count, and a structure, have one mode for all axes.
    cval : scalar, optional
        What stands beyond the ends in mode 'constant'.
    origin : int or sequence of int, optional
        By how many elements the window is shifted to lower indices.
    axes : int or sequence of int, optional
        Axes over which the window extends: by default all.

    Returns
    -------
    ndarray
        Result of the shape of `input`.

    Raises
    ------
    RuntimeError
        If the window has another number of axes.
    ValueError
        If there is neither a size nor a footprint nor a structure, or `origin` places the window
        beside its element.

    See Also
    --------
    scipy.ndimage.grey_erosion

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.grey_erosion(cp.array([3, 9, 1, 7, 5]), 3)
    array([3, 1, 1, 1, 5])
    """
    _check_given(size, footprint, structure)
    heights = _values(structure)
    heights = None if heights is None else -heights
    return extreme_filter(
        "minimum", input, size, footprint, output, mode, cval, origin, axes, heights
    )


@documented_as(grey_erosion)
def grey_dilation(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
) -> ndarray:
    """Compute the grey dilation: the greatest element of a reversed window with added heights.

    See Also
    --------
    scipy.ndimage.grey_dilation

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.grey_dilation(cp.array([3, 9, 1, 7, 5]), 3)
    array([9, 9, 9, 7, 7])
    """
    _check_given(size, footprint, structure)
    taken = axes_of(axes, as_array(input).ndim)
    heights = _reversed(_values(structure))
    flags = None if footprint is None else _reversed(flags_of(footprint))
    shape = next((a.shape for a in (flags, heights) if a is not None), None)
    sizes = sequence(size, len(taken)) if shape is None else shape
    origins = sequence(origin, len(taken))
    if len(sizes) == len(origins):
        origins = [-k - (n % 2 == 0) for k, n in zip(origins, sizes, strict=True)]
    return extreme_filter("maximum", input, size, flags, output, mode, cval, origins, axes, heights)


def _then(first: Any, second: Any, input: Any, window: tuple, output: Any, rest: Any) -> ndarray:
    """Apply two of the filters above, the second with the output."""
    if window[0] is not None and window[1] is not None:
        warn("ignoring size because footprint is set", UserWarning)
        window = (None, *window[1:])
    *rest, axes = rest
    a = first(input, *window, None, *rest, axes=axes)
    return second(a, *window, output, *rest, axes=axes)


@documented_as(grey_erosion)
def grey_opening(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
) -> ndarray:
    """Compute the grey opening: an erosion, then a dilation, which removes small bright details.

    See Also
    --------
    scipy.ndimage.grey_opening

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.grey_opening(cp.array([1, 1, 9, 1, 7, 7, 7]), 3)
    array([1, 1, 1, 1, 7, 7, 7])
    """
    window, rest = (size, footprint, structure), (mode, cval, origin, axes)
    return _then(grey_erosion, grey_dilation, input, window, output, rest)


@documented_as(grey_erosion)
def grey_closing(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
) -> ndarray:
    """Compute the grey closing: a dilation, then an erosion, which removes small dark details.

    See Also
    --------
    scipy.ndimage.grey_closing

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.grey_closing(cp.array([9, 9, 1, 9, 3, 3, 3]), 3)
    array([9, 9, 9, 9, 3, 3, 3])
    """
    window, rest = (size, footprint, structure), (mode, cval, origin, axes)
    return _then(grey_dilation, grey_erosion, input, window, output, rest)


def _combined(combine: Any, parts: tuple, output: Any) -> ndarray:
    """Combine arrays into the user's output, or a new array."""
    if not isinstance(output, ndarray):
        return combine(*parts)
    if output.shape != parts[0].shape:
        raise RuntimeError("output shape not correct")
    return combine(*parts, out=output, casting="unsafe")


@documented_as(grey_erosion)
def morphological_gradient(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
) -> ndarray:
    """Compute the morphological gradient: the grey dilation less the grey erosion.

    See Also
    --------
    scipy.ndimage.morphological_gradient

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.morphological_gradient(cp.array([1, 1, 1, 5, 5, 5]), 3)
    array([0, 0, 4, 4, 0, 0])
    """
    window, rest = (size, footprint, structure), (mode, cval, origin)
    dilated = grey_dilation(input, *window, None, *rest, axes=axes)
    eroded = grey_erosion(input, *window, None, *rest, axes=axes)
    return _combined(um.subtract, (dilated, eroded), output)


@documented_as(grey_erosion)
def morphological_laplace(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
) -> ndarray:
    """Compute the sum of the grey dilation and the grey erosion, less twice the image.

    See Also
    --------
    scipy.ndimage.morphological_laplace

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.morphological_laplace(cp.array([1, 1, 1, 5, 5, 5]), 3)
    array([ 0,  0,  4, -4,  0,  0])
    """
    window, rest = (size, footprint, structure), (mode, cval, origin)
    a = as_array(input)
    total = grey_dilation(a, *window, None, *rest, axes=axes)
    total = um.add(total, grey_erosion(a, *window, None, *rest, axes=axes), out=total)
    return _combined(um.subtract, (um.subtract(total, a), a), output)


def _type_of(output: Any) -> Any:
    """The type that a user asks for, None where the output is an array."""
    return None if isinstance(output, ndarray) else output


def _difference(a: ndarray, b: ndarray, output: Any, middle: ndarray) -> ndarray:
    """The first less the second array: of the type of `middle`, one of them, for an output's."""
    is_binary = a.dtype.kind == b.dtype.kind == "b"
    combine = um.bitwise_xor if is_binary else um.subtract
    if _type_of(output) is not None:
        return combine(a, b, out=middle)
    if output is not None:
        new_output(output, a)  # its type and shape
    return _combined(combine, (a, b), output)


@documented_as(grey_erosion)
def white_tophat(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
) -> ndarray:
    """Compute the image less its grey opening: small bright details.

    See Also
    --------
    scipy.ndimage.white_tophat

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.white_tophat(cp.array([1, 1, 9, 1, 7, 7, 7]), 3)
    array([0, 0, 8, 0, 0, 0, 0])
    """
    a = as_array(input)
    window, rest = (size, footprint, structure), (mode, cval, origin, axes)
    opened = _then(grey_erosion, grey_dilation, a, window, _type_of(output), rest)
    return _difference(a, opened, output, opened)


@documented_as(grey_erosion)
def black_tophat(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
) -> ndarray:
    """Compute the grey closing of an image less the image: small dark details.

    See Also
    --------
    scipy.ndimage.black_tophat

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.black_tophat(cp.array([9, 9, 1, 9, 3, 3, 3]), 3)
    array([0, 0, 8, 0, 0, 0, 0])
    """
    a = as_array(input)
    window, rest = (size, footprint, structure), (mode, cval, origin, axes)
    closed = _then(grey_dilation, grey_erosion, a, window, _type_of(output), rest)
    return _difference(closed, a, output, closed)


# ---- binary images -------------------------------------------------------------------------------

_AT_ONCE = 16  # steps until it is asked whether anything has changed
_MANY = 1000  # steps: of more, those that come back to an earlier image are left out


def _structure(structure: Any, count: int, origin: Any) -> tuple[Any, list]:
    """Flags of a structure, and an origin for each of its axes."""
    flags = cross(count) if structure is None else flags_of(structure)
    if flags.ndim != count:
        raise RuntimeError("structure and input must have same dimensionality")
    if flags.size < 1:
        raise RuntimeError("structure must not be empty")
    return flags, sequence(origin, count)


def _refuse_complex(output: Any) -> None:
    if isinstance(output, ndarray) and output.dtype.kind == "c":
        raise TypeError("Complex output type not supported")


def _repeat(operation, input, flags, origins, iterations, mask, output, border_value, axes):
    """Apply an erosion ('minimum') or a dilation ('maximum') a number of times, or to the end."""
    try:
        iterations = operator.index(iterations)
    except TypeError:
        raise TypeError("iterations parameter should be an integer") from None
    a = real_image(input)
    border = bool(operator.index(border_value))
    chosen = None if mask is None else as_array(mask).astype(bool)
    if chosen is not None and chosen.shape != a.shape:
        raise RuntimeError("mask and input must have equal sizes")
    _refuse_complex(output)
    out = new_output(output if isinstance(output, ndarray) else bool, a)
    window = Window(a.ndim, axes, flags.shape, origins, "invalid origin")
    step = footprint_step(window, operation, "constant", border, mask_of(flags))

    def once(x: ndarray) -> ndarray:
        y = through(x, empty(x.shape, bool), [step])
        return y if chosen is None else where(chosen, y, x)

    x = a.astype(bool)
    if iterations < 1 and a.ndim == flags.ndim and is_neighbourhood(flags) and not any(origins):
        x = _propagated(once, x, flags, chosen, operation == "minimum")
    elif iterations < 1:
        x = _until_it_stays(once, x)
    else:
        x = _repeated(once, x, iterations)
    if isinstance(output, ndarray):
        out[...] = x
        return out
    return x


def _propagated(once: Any, x: ndarray, flags: Any, mask: Any, is_erosion: bool) -> ndarray:
    """The end of all dilations: the mask's components that the first one meets become true.

    An erosion is the dilation of the complement."""
    reached = once(x) != is_erosion
    places = ones(x.shape, bool) if mask is None else mask
    parents = components(places, flags)[0]
    seeds = where(places & reached, parents, x.size)
    hits = zeros(x.size + 1, bool)
    hits[seeds] = True
    found = where(places, hits[parents], x != is_erosion)
    return ~found if is_erosion else found


def _repeated(once: Any, x: ndarray, iterations: int) -> ndarray:
    """So many steps. Of more than _MANY, it is asked now and then whether an earlier image came
    back, as one does sooner or later (Brent, 1980): whole periods are left out then.
    """
    kept, since, power = x, 0, 1
    while iterations > _MANY:
        for _ in range(_AT_ONCE):
            x = once(x)
        iterations -= _AT_ONCE
        since += 1
        if bool((x == kept).all()):
            iterations %= since * _AT_ONCE
            break
        if since == power:
            kept, since, power = x, 0, 2 * power
    for _ in range(iterations):
        x = once(x)
    return x


def _until_it_stays(once: Any, x: ndarray) -> ndarray:
    while x.size:
        for _ in range(_AT_ONCE):
            before, x = x, once(x)
        if bool((before == x).all()):
            break
    return x


def binary_erosion(
    input,
    structure=None,
    iterations=1,
    mask=None,
    output=None,
    border_value=0,
    origin=0,
    brute_force=False,
    *,
    axes=None,
) -> ndarray:
    """Erode a binary image: true where the whole structure lies on true elements.

    Parameters
    ----------
    input : array_like
        Image of any dimension; what is not zero is true.
    structure : array_like, optional
        Structure, of flags, with as many axes as `axes` names: by default an element and the
        neighbours that share a face with it.
    iterations : int, optional
        How often it is done; below 1: until nothing changes. More than 1,000 iterations wait for
        the device now and then, to leave out those that repeat earlier ones.
    mask : array_like, optional
        Elements that may change, of the shape of `input`.
    output : ndarray or dtype, optional
        Array that the result is written to. A dtype has no effect, as in SciPy.
    border_value : int, optional
        What stands beyond the ends of the image: 0 or 1.
    origin : int or sequence of int, optional
        By how many elements the structure is shifted to lower indices.
    brute_force : bool, optional
        Without effect here: every step visits all elements.
    axes : int or sequence of int, optional
        Axes over which the structure extends: by default all.

    Returns
    -------
    ndarray of bool
        Result of the shape of `input`.

    Raises
    ------
    RuntimeError
        If `structure` has another number of axes or no elements, or `mask` another shape.
    TypeError
        If the image or `output` is complex, or `iterations` no integer.
    ValueError
        If `origin` places the structure beside its element.

    See Also
    --------
    scipy.ndimage.binary_erosion

    Notes
    -----
    Where `iterations` is below 1, components are labelled if the structure is symmetric with three
    places along each axis; otherwise a flag is read on the host after every 16 steps.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.binary_erosion(cp.array([0, 1, 1, 1, 1, 0, 1])).astype(int)
    array([0, 0, 1, 1, 0, 0, 0])
    """
    taken = axes_of(axes, as_array(input).ndim)
    flags, origins = _structure(structure, len(taken), origin)
    return _repeat("minimum", input, flags, origins, iterations, mask, output, border_value, taken)


@documented_as(binary_erosion)
def binary_dilation(
    input,
    structure=None,
    iterations=1,
    mask=None,
    output=None,
    border_value=0,
    origin=0,
    brute_force=False,
    *,
    axes=None,
) -> ndarray:
    """Dilate a binary image: true where the reversed structure meets a true element.

    See Also
    --------
    scipy.ndimage.binary_dilation

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.binary_dilation(cp.array([0, 0, 1, 0, 0, 0, 1])).astype(int)
    array([0, 1, 1, 1, 0, 1, 1])
    """
    taken = axes_of(axes, as_array(input).ndim)
    flags, origins = _structure(structure, len(taken), origin)
    origins = [-k - (n % 2 == 0) for k, n in zip(origins, flags.shape, strict=True)]
    flags = _reversed(flags)
    return _repeat("maximum", input, flags, origins, iterations, mask, output, border_value, taken)


@documented_as(binary_erosion)
def binary_opening(
    input,
    structure=None,
    iterations=1,
    output=None,
    origin=0,
    mask=None,
    border_value=0,
    brute_force=False,
    *,
    axes=None,
) -> ndarray:
    """Open a binary image: erosions, then as many dilations, which remove small objects.

    See Also
    --------
    scipy.ndimage.binary_opening

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.binary_opening(cp.array([0, 1, 0, 1, 1, 1, 0])).astype(int)
    array([0, 0, 0, 1, 1, 1, 0])
    """
    rest = (border_value, origin, brute_force)
    a = binary_erosion(input, structure, iterations, mask, None, *rest, axes=axes)
    return binary_dilation(a, structure, iterations, mask, output, *rest, axes=axes)


@documented_as(binary_erosion)
def binary_closing(
    input,
    structure=None,
    iterations=1,
    output=None,
    origin=0,
    mask=None,
    border_value=0,
    brute_force=False,
    *,
    axes=None,
) -> ndarray:
    """Close a binary image: dilations, then as many erosions, which fill small gaps.

    See Also
    --------
    scipy.ndimage.binary_closing

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.binary_closing(cp.array([0, 1, 1, 0, 1, 1, 0])).astype(int)
    array([0, 1, 1, 1, 1, 1, 0])
    """
    rest = (border_value, origin, brute_force)
    a = binary_dilation(input, structure, iterations, mask, None, *rest, axes=axes)
    return binary_erosion(a, structure, iterations, mask, output, *rest, axes=axes)


def binary_hit_or_miss(
    input, structure1=None, structure2=None, output=None, origin1=0, origin2=None, *, axes=None
) -> ndarray:
    """Find where one structure lies on true elements and another one on false elements.

    Parameters
    ----------
    input : array_like
        Image of any dimension; what is not zero is true.
    structure1 : array_like, optional
        Structure that lies on true elements: by default an element and the neighbours that share
        a face with it.
    structure2 : array_like, optional
        Structure that lies on false elements: by default the complement of `structure1`.
    output : ndarray or dtype, optional
        Array that the result is written to. A dtype has no effect, as in SciPy.
    origin1 : int or sequence of int, optional
        By how many elements the first structure is shifted to lower indices.
    origin2 : int or sequence of int, optional
        The same for the second one: by default `origin1`.
    axes : int or sequence of int, optional
        Axes over which the structures extend: by default all.

    Returns
    -------
    ndarray of bool
        Result of the shape of `input`.

    See Also
    --------
    scipy.ndimage.binary_hit_or_miss

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> a = cp.array([0, 1, 0, 1, 1, 0])
    >>> ndimage.binary_hit_or_miss(a, [0, 1, 0], [1, 0, 1]).astype(int)
    array([0, 1, 0, 0, 0, 0])
    """
    a = real_image(input)
    taken = axes_of(axes, a.ndim)
    first, origins = _structure(structure1, len(taken), origin1)
    second = ~first if structure2 is None else structure2
    hit = _repeat("minimum", a, first, origins, 1, None, None, 0, taken)
    second, origins = _structure(second, len(taken), origin1 if origin2 is None else origin2)
    miss = _repeat("minimum", a == 0, second, origins, 1, None, None, 1, taken)
    if not isinstance(output, ndarray):
        return hit & miss
    _refuse_complex(output)
    out = new_output(output, a)
    out[...] = hit & miss
    return out


@documented_as(binary_erosion)
def binary_propagation(
    input, structure=None, mask=None, output=None, border_value=0, origin=0, *, axes=None
) -> ndarray:
    """Dilate a binary image within a mask until nothing changes.

    See Also
    --------
    scipy.ndimage.binary_propagation

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> a, mask = cp.array([0, 1, 0, 0, 0, 0]), cp.array([1, 1, 1, 0, 1, 1])
    >>> ndimage.binary_propagation(a, mask=mask).astype(int)
    array([1, 1, 1, 0, 0, 0])
    """
    return binary_dilation(input, structure, -1, mask, output, border_value, origin, axes=axes)


@documented_as(binary_erosion)
def binary_fill_holes(input, structure=None, output=None, origin=0, *, axes=None) -> ndarray:
    """Fill the holes of a binary image: false elements that no path connects with the border.

    Parameters
    ----------
    structure : array_like, optional
        Structure that a path follows: by default from an element to those that share a face.

    See Also
    --------
    scipy.ndimage.binary_fill_holes

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.binary_fill_holes(cp.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]])).all()
    array(True)
    """
    a = numbers(as_array(input))
    _refuse_complex(output)
    outside = binary_dilation(
        zeros(a.shape, bool), structure, -1, a == 0, None, 1, origin, axes=axes
    )
    if not isinstance(output, ndarray):
        return ~outside
    out = new_output(output, a)
    out[...] = ~outside
    return out
