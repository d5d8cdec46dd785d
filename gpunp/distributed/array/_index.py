"""Which elements a chunk has: a tuple of slices with positive steps, one for each axis."""

import math
from operator import index as as_int

__all__ = ["normalized_map", "overlap", "shape_of"]


def _axis_slice(item, length):
    """A slice with bounds and a positive step; an int is a slice of one element."""
    if isinstance(item, slice):
        start, stop, step = item.indices(length)
        if step <= 0:
            raise ValueError(f"the step of a chunk's index must be positive, not {step}")
        count = len(range(start, stop, step))
        # The last element decides where it stops, so that equal chunks have equal slices.
        return slice(start, start + (count - 1) * step + 1 if count else start, step)
    position = as_int(item)
    if not -length <= position < length:
        raise IndexError(f"index {position} is out of bounds for an axis of length {length}")
    position %= length
    return slice(position, position + 1, 1)


def _normalized(index, shape):
    """One slice for each axis."""
    items = index if isinstance(index, tuple) else (index,)
    if Ellipsis in items:
        at = items.index(Ellipsis)
        missing = len(shape) - len(items) + 1
        items = (*items[:at], *[slice(None)] * missing, *items[at + 1 :])
    if len(items) > len(shape):
        raise IndexError(f"a chunk's index has {len(items)} items for {len(shape)} axes")
    items = (*items, *[slice(None)] * (len(shape) - len(items)))
    return tuple(_axis_slice(item, length) for item, length in zip(items, shape, strict=True))


def normalized_map(index_map, shape):
    """{device: list of tuples of slices}; a single index stands for a list of one.

    Parameters
    ----------
    index_map : dict
        Indices of the chunks of each device.
    shape : tuple of int
        Shape of the whole array.

    Returns
    -------
    dict
        The same with normalised indices.
    """
    return {
        as_int(device): [
            _normalized(index, shape)
            for index in (indices if isinstance(indices, list) else [indices])
        ]
        for device, indices in index_map.items()
    }


def shape_of(index):
    """Shape of the chunk with an index.

    Parameters
    ----------
    index : tuple of slice
        Normalised index.

    Returns
    -------
    tuple of int
        Number of elements along each axis.
    """
    return tuple(len(range(s.start, s.stop, s.step)) for s in index)


def _common(a, b):
    """First common position, step and number of positions of two slices; None if there are none."""
    step = math.lcm(a.step, b.step)
    first = max(a.start, b.start)
    for position in range(first, first + step):
        if (position - a.start) % a.step == 0 and (position - b.start) % b.step == 0:
            count = len(range(position, min(a.stop, b.stop), step))
            return (position, step, count) if count else None
    return None


def overlap(a, b):
    """Where two chunks have the same elements.

    Parameters
    ----------
    a, b : tuple of slice
        Normalised indices of the chunks.

    Returns
    -------
    tuple or None
        Indices into the two chunks themselves, or None if they have no element in common.
    """
    inside_a, inside_b = [], []
    for x, y in zip(a, b, strict=True):
        common = _common(x, y)
        if common is None:
            return None
        position, step, count = common
        for s, inside in ((x, inside_a), (y, inside_b)):
            start = (position - s.start) // s.step
            inside.append(slice(start, start + (count - 1) * (step // s.step) + 1, step // s.step))
    return tuple(inside_a), tuple(inside_b)
