"""Connected components of images."""

from typing import Any

import numpy as np

from ..._core._convert import as_array, as_host
from ..._core._filters import label_components, label_numbers
from ..._core.multiarray import array, asarray, empty, ndarray
from ..._core.reductions import cumsum
from ._ni_support import real_image

__all__ = ["label", "watershed_ift"]

_MOST_AXES = 8  # beside those of length 1


def cross(rank: int, connectivity: int = 1) -> np.ndarray:
    """Flags of an element and the neighbours that differ along at most so many axes."""
    most = max(connectivity, 1)
    away = np.zeros((3,) * max(rank, 0), np.int8)
    for axis in range(rank):
        away += np.array([1, 0, 1], np.int8).reshape((3,) + (1,) * axis)
    return np.array(away <= most)


def components(flags: ndarray, structure: np.ndarray) -> tuple[ndarray, ndarray, ndarray]:
    """The first element of each element's component, bits of these, and how many are in each word.

    Parameters
    ----------
    flags : ndarray of bool
        Image; what is false is background, whose first element is -1.
    structure : numpy.ndarray of bool
        Neighbours of an element, three along each axis, symmetric about the middle.
    """
    kept = tuple(axis for axis, n in enumerate(flags.shape) if n != 1) or (0,) * (flags.ndim > 0)
    if len(kept) > _MOST_AXES:
        raise RuntimeError(f"components have {_MOST_AXES} axes at most, not {len(kept)}")
    structure = structure[tuple(slice(None) if i in kept else 1 for i in range(flags.ndim))]
    structure = structure.reshape((3,) * max(len(kept), 1)) if flags.ndim else cross(1)
    image = flags.reshape([flags.shape[axis] for axis in kept] or 1)
    image = image if image.flags.c_contiguous else image.copy("C")
    middle = structure[(1,) * (structure.ndim - 1)]
    parents = empty(flags.shape, np.int32 if flags.size < 2**31 else np.int64)
    words = -(-flags.size // 32)
    roots, counts = empty(words, np.uint32), empty(words, parents.dtype)
    label_components(image, asarray(structure), bool(middle[0]), parents, roots, counts)
    return parents, roots, counts


def is_neighbourhood(structure: Any) -> bool:
    """Whether a structure on the host has three places along each axis and is symmetric."""
    if not isinstance(structure, np.ndarray) or set(structure.shape) - {3}:
        return False
    return bool((structure == structure[(slice(None, None, -1),) * structure.ndim]).all())


def label(input, structure=None, output=None) -> Any:
    """Number the connected components of an image.

    Parameters
    ----------
    input : ndarray
        Image of any dimension; what is zero is background.
    structure : array_like, optional
        Which neighbours are connected, three places along each axis and symmetric about the middle:
        by default those that share a face. It is read on the host.
    output : ndarray or dtype, optional
        Array that the numbers are written to, or their type: by default int32, beyond 2**31
        elements int64.

    Returns
    -------
    labeled_array : ndarray
        Numbers from 1 on in the order of the components' first elements, 0 for background; only
        where `output` is no array.
    num_features : int
        Number of components.

    Raises
    ------
    RuntimeError
        If `structure` has another number of axes, is not symmetric, or the numbers do not fit the
        output's type.
    ValueError
        If `structure` has not three places along each axis, or the output another shape.

    See Also
    --------
    scipy.ndimage.label

    Notes
    -----
    Elements are joined by union-find [1]_. The number of components is read on the host, so that a
    captured stream cannot do it.

    References
    ----------
    .. [1] J. Jaiganesh and M. Burtscher, "A High-Performance Connected Components Implementation
       for GPUs", HPDC 2018.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.label(cp.array([[1, 1, 0, 1], [0, 0, 0, 1], [1, 0, 0, 0]]))
    (array([[1, 1, 0, 2],
           [0, 0, 0, 2],
           [3, 0, 0, 0]], dtype=int32), 3)
    """
    a = real_image(input)
    places = _places(structure, a.ndim)
    out = _output(output, a)
    flags = a if a.dtype.kind == "b" else a.astype(bool)
    parents, roots, counts = components(flags, places)
    counts = cumsum(counts, dtype=counts.dtype)
    count = int(counts[-1]) if a.size else 0
    if out.dtype.kind in "iu" and count > np.iinfo(out.dtype).max:
        raise RuntimeError("insufficient bit-depth in requested output type")
    found = out if out.flags.c_contiguous else empty(out.shape, out.dtype)
    label_numbers(parents, roots, counts, found)
    if found is not out:
        out[...] = found
    return count if isinstance(output, ndarray) else (out, count)


def _places(structure: Any, ndim: int) -> np.ndarray:
    if structure is None:
        return cross(ndim)
    given = structure.get() if isinstance(structure, ndarray) else as_host(structure)
    places = given.astype(bool)
    if places.ndim != ndim:
        raise RuntimeError("structure and input must have equal rank")
    if set(places.shape) - {3}:
        raise ValueError("structure dimensions must be equal to 3")
    if not is_neighbourhood(places):
        raise RuntimeError("structure is not symmetric about its middle")
    return places


def _output(output: Any, a: ndarray) -> ndarray:
    if isinstance(output, ndarray):
        if output.shape != a.shape:
            raise ValueError("output shape not correct")
        dtype = output.dtype
    else:
        dtype = np.dtype(
            (np.int32 if a.size < 2**31 - 2 else np.int64) if output is None else output
        )
    if dtype.kind == "c":
        raise TypeError("Complex output type not supported")
    return output if isinstance(output, ndarray) else empty(a.shape, dtype)


def watershed_ift(input, markers, structure=None, output=None) -> ndarray:
    """Divide an image into the basins around markers, by the image foresting transform.

    SciPy computes on the host, since basins on plateaus follow from the order of its queues: the
    image and the markers are copied there, which waits for the device, and the result back.

    Parameters
    ----------
    input : array_like
        Image of any dimension, of uint8 or uint16.
    markers : array_like of int
        Labels of the elements that floods begin at, in the shape of `input`; negative ones are
        background, which floods after the others.
    structure : array_like, optional
        Neighbours of an element, three along each axis. By default those that share a face.
    output : ndarray or dtype, optional
        Array for the result, or its type. By default that of `markers`.

    Returns
    -------
    ndarray
        Label of each element.

    Raises
    ------
    TypeError
        If `input` has another type.
    RuntimeError
        If `markers` or `output` has another shape or is not of integers, or `structure` has not
        three elements along each axis.

    References
    ----------
    A. X. Falcao, J. Stolfi and R. de Alencar Lotufo, "The image foresting transform: theory,
    algorithms, and applications", IEEE Transactions on Pattern Analysis and Machine Intelligence 26
    (2004).

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> image = cp.array([0, 1, 9, 1, 0], cp.uint8)
    >>> ndimage.watershed_ift(image, cp.array([1, 0, 0, 0, 2]))
    array([1, 1, 2, 2, 2])
    """
    from scipy.ndimage import watershed_ift as host

    image, seeds = as_array(input), as_array(markers)
    if structure is not None:
        structure = structure.get() if isinstance(structure, ndarray) else as_host(structure)
    target = output if isinstance(output, ndarray) else None
    if target is not None and target.shape != image.shape:
        raise RuntimeError("output shape not correct")
    if target is not None and target.dtype.kind not in "iu":
        raise RuntimeError("output should be of integer type")
    labels = host(image.get(), seeds.get(), structure, output if target is None else None)
    if target is None:
        return array(labels)
    target[...] = array(labels)
    return target
