"""Measurements of the elements of an image by label."""

from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, check_device_memory
from ..._core._docstrings import documented_as
from ..._core.fromnumeric import argsort, searchsorted
from ..._core.function_base import linspace
from ..._core.multiarray import arange, asarray, empty, ndarray, where
from ..._core.numeric import full
from ..._core.raw import ElementwiseKernel
from ..._core.shape_base import stack
from ...lib._arraysetops_impl import unique
from ...lib._histograms_impl import histogram as histogram_of_all
from ...lib._quantile_impl import median as median_of_all
from ._segments import Segments, is_single, labels_of, one_segment, selected

__all__ = [
    "center_of_mass",
    "extrema",
    "find_objects",
    "histogram",
    "labeled_comprehension",
    "maximum",
    "maximum_position",
    "mean",
    "median",
    "minimum",
    "minimum_position",
    "standard_deviation",
    "sum",
    "sum_labels",
    "value_indices",
    "variance",
]


# ---- sums ----------------------------------------------------------------------------------------


def sum_labels(input, labels=None, index=None) -> ndarray:
    """Compute the sum of the elements of each label.

    Parameters
    ----------
    input : ndarray
        Image of any dimension.
    labels : ndarray, optional
        Label of each element, of a shape that broadcasts with that of `input`: by default all
        elements are one object.
    index : scalar or array_like, optional
        Labels to measure, on the host or on the device: by default all labels above zero together.
        It is ignored without `labels`.

    Returns
    -------
    ndarray
        Result for each label of `index`, of its shape; one result without an array of labels.

    Raises
    ------
    ValueError
        If the shapes do not broadcast, or there is no element.
    TypeError
        If `input` is complex and `index` is an array.

    See Also
    --------
    scipy.ndimage.sum_labels

    Notes
    -----
    Sums by an array of labels are float64, as SciPy's. They are added in a fixed order: results
    repeat bit for bit. Up to some thousands of labels are summed in shared memory, more are sorted.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> labels = cp.array([0, 1, 1, 2])
    >>> ndimage.sum_labels(cp.array([5, 1, 2, 7]), labels, [1, 2])
    array([3., 7.])
    """
    a, k = labels_of(input, labels)
    if k is None:
        return a.sum()
    if is_single(index):
        return a.sum(where=selected(k, index))
    by = Segments(a, k, index)
    return by.of_index(by.total())


@documented_as(sum_labels)
def sum(input, labels=None, index=None) -> ndarray:
    """Compute the sum of the elements of each label: another name of `sum_labels`.

    See Also
    --------
    scipy.ndimage.sum

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.sum(cp.array([5, 1, 2, 7]), cp.array([0, 1, 1, 2]), 1)
    array(3)
    """
    return sum_labels(input, labels, index)


@documented_as(sum_labels)
def mean(input, labels=None, index=None) -> ndarray:
    """Compute the mean of the elements of each label, NaN where there are none.

    See Also
    --------
    scipy.ndimage.mean

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.mean(cp.array([5, 1, 2, 7]), cp.array([0, 1, 1, 2]), [1, 2])
    array([1.5, 7. ])
    """
    a, k = labels_of(input, labels)
    if is_single(index) or k is None:
        total, count = _single_total(a, k, index)
        return total / count
    by = Segments(a, k, index)
    return by.of_index(by.total() / by.total("one"))


def _single_total(a: ndarray, k: ndarray | None, index: Any) -> tuple[ndarray, ndarray]:
    """The sum and the number of the elements of one object; the number is float64."""
    if k is None:
        return a.sum(), asarray(float(a.size))
    mask = selected(k, index)
    return a.sum(where=mask), mask.sum(dtype=np.float64)


@documented_as(sum_labels)
def variance(input, labels=None, index=None) -> ndarray:
    """Compute the variance of the elements of each label, NaN where there are none.

    See Also
    --------
    scipy.ndimage.variance

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.variance(cp.array([5, 1, 2, 7]), cp.array([0, 1, 1, 2]), [1, 2])
    array([0.25, 0.  ])
    """
    a, k = labels_of(input, labels)
    if k is None:
        return _variance(a)
    if is_single(index):
        return _variance(a, where=selected(k, index))
    by = Segments(a, k, index)
    count = by.total("one")
    return by.of_index(by.total("square", centres=by.total() / count) / count)


def _variance(a: ndarray, **mask: Any) -> ndarray:
    dtype = np.dtype(complex if a.dtype.kind == "c" else float)
    return a.var(dtype=dtype, **mask).astype(dtype)


@documented_as(sum_labels)
def standard_deviation(input, labels=None, index=None) -> ndarray:
    """Compute the standard deviation of the elements of each label, NaN where there are none.

    See Also
    --------
    scipy.ndimage.standard_deviation

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.standard_deviation(cp.array([5, 1, 2, 7]), cp.array([0, 1, 1, 2]), [1, 2])
    array([0.5, 0. ])
    """
    return um.sqrt(variance(input, labels, index))


@documented_as(sum_labels)
def center_of_mass(input, labels=None, index=None) -> Any:
    """Compute the mean position of the elements of each label, weighted with their values.

    Returns
    -------
    tuple of ndarray, or list of such tuples
        Coordinates as arrays without dimension on the device, which are not waited for; a list with
        a tuple for each label where `index` is an array.

    See Also
    --------
    scipy.ndimage.center_of_mass

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.center_of_mass(cp.array([[0, 1, 1], [0, 1, 1]]))
    (array(0.5), array(1.5))
    """
    a, k = labels_of(input, labels)
    if is_single(index) or k is None:
        options: dict[str, Any] = {} if k is None else {"where": selected(k, index)}
        total = a.sum(**options)
        return tuple(_moment(a, axis, options) / total for axis in range(a.ndim))
    by = Segments(a, k, index)
    total = by.total()
    found = [by.of_index(by.total("moment", axis) / total) for axis in range(a.ndim)]
    return [tuple(row) for row in stack(found).T] if by.shape else tuple(found)


def _moment(a: ndarray, axis: int, options: dict) -> ndarray:
    """The sum of the elements times their index along an axis."""
    others = tuple(k for k in range(a.ndim) if k != axis)
    kind = np.dtype(complex if a.dtype.kind == "c" else float)
    line = a.sum(axis=others, dtype=kind, **options)
    return (line * arange(line.size, dtype=np.float64)).sum()


# ---- extremes ------------------------------------------------------------------------------------


def _extremes(operations: tuple, input: Any, labels: Any, index: Any) -> tuple:
    """Values and flat positions for each operation; the shapes of the image and of the index."""
    a, k = labels_of(input, labels)
    if is_single(index) or k is None:
        if not a.size:
            name = "minimum" if operations[0] == "least" else "maximum"
            raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
        by = one_segment(a, full(a.shape, True) if k is None else selected(k, index))
        found = [by.extreme(operation, "first") for operation in operations]
        return [(value[0], at) for value, at in found], a.shape, ()
    by = Segments(a, k, index)
    found = [by.extreme(operation) for operation in operations]
    return [(by.of_index(value), by.of_index(at)) for value, at in found], a.shape, by.shape


def _values(operation: str, input: Any, labels: Any, index: Any) -> ndarray:
    return _extremes((operation,), input, labels, index)[0][0][0]


def _positions(at: ndarray, image: tuple, index: tuple) -> Any:
    rows = _coordinates(at, image)
    return [tuple(row) for row in rows] if index else tuple(rows[0])


def _coordinates(at: ndarray, shape: tuple[int, ...]) -> ndarray:
    """A row of coordinates for each flat index."""
    flat = at.ravel()
    if not shape:
        return empty((flat.size, 0), np.int64)
    steps = [int(n) for n in np.cumprod((1, *shape[:0:-1]))[::-1]]
    return flat[:, None] // asarray(steps) % asarray(shape)


@documented_as(sum_labels)
def minimum(input, labels=None, index=None) -> ndarray:
    """Compute the least element of each label.

    Returns
    -------
    ndarray
        Result for each label of `index`, of the type of `input`; 0 where there is no element.

    Raises
    ------
    ValueError
        If the shapes do not broadcast, or there is no element.

    See Also
    --------
    scipy.ndimage.minimum

    Notes
    -----
    As in SciPy, NaN is above all numbers where `index` is an array; otherwise the result is NaN as
    soon as one of the elements is. A label without elements has the result 0 also where `index` is
    a scalar, since the device is not waited for.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.minimum(cp.array([5, 1, 2, 7]), cp.array([0, 1, 1, 2]), [1, 2])
    array([1, 7])
    """
    return _values("least", input, labels, index)


@documented_as(minimum)
def maximum(input, labels=None, index=None) -> ndarray:
    """Compute the greatest element of each label.

    See Also
    --------
    scipy.ndimage.maximum

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.maximum(cp.array([5, 1, 2, 7]), cp.array([0, 1, 1, 2]), [1, 2])
    array([2, 7])
    """
    return _values("most", input, labels, index)


@documented_as(minimum)
def minimum_position(input, labels=None, index=None) -> Any:
    """Find the position of the least element of each label, of equal ones the first.

    Returns
    -------
    tuple of ndarray, or list of such tuples
        Coordinates as arrays without dimension on the device, which are not waited for; a list with
        a tuple for each label where `index` is an array.

    See Also
    --------
    scipy.ndimage.minimum_position

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.minimum_position(cp.array([[5, 1, 2], [0, 3, 4]]))
    (array(1), array(0))
    """
    ((_, at),), *shapes = _extremes(("least",), input, labels, index)
    return _positions(at, *shapes)


@documented_as(minimum_position)
def maximum_position(input, labels=None, index=None) -> Any:
    """Find the position of the greatest element of each label.

    See Also
    --------
    scipy.ndimage.maximum_position

    Notes
    -----
    Of equal elements the first is taken, or the last where `index` is an array.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.maximum_position(cp.array([[5, 1, 2], [0, 3, 4]]))
    (array(0), array(0))
    """
    ((_, at),), *shapes = _extremes(("most",), input, labels, index)
    return _positions(at, *shapes)


@documented_as(minimum)
def extrema(input, labels=None, index=None) -> tuple:
    """Compute the least and the greatest element of each label, and where they are.

    Returns
    -------
    minimums, maximums : ndarray
        Results as those of `minimum` and `maximum`.
    min_positions, max_positions : tuple or list of tuples
        Results as those of `minimum_position` and `maximum_position`.

    See Also
    --------
    scipy.ndimage.extrema

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.extrema(cp.array([5, 1, 2, 7]))
    (array(1), array(7), (array(1),), (array(3),))
    """
    ((low, first), (high, last)), *shapes = _extremes(("least", "most"), input, labels, index)
    return low, high, _positions(first, *shapes), _positions(last, *shapes)


# ---- order and counts ----------------------------------------------------------------------------


@documented_as(sum_labels)
def median(input, labels=None, index=None) -> ndarray:
    """Compute the median of the elements of each label, NaN where there are none.

    Raises
    ------
    ValueError
        If the shapes do not broadcast, or there is no element.

    See Also
    --------
    scipy.ndimage.median

    Notes
    -----
    The elements are sorted. NaN is above all numbers where `index` is an array; otherwise the
    result is NaN as soon as one of the elements is.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.median(cp.array([5, 1, 2, 7]), cp.array([0, 1, 1, 2]), [1, 2])
    array([1.5, 7. ])
    """
    a, k = labels_of(input, labels)
    a = a.astype(np.float64) if a.dtype.kind in "biu" else a
    if k is None:
        return median_of_all(a)
    if not is_single(index):
        by = Segments(a, k, index)
        return by.of_index(_medians(by))
    mask = selected(k, index)
    if not a.size:
        return full((), np.nan, a.dtype)
    return where(
        (um.isnan(a) & mask).any(), a.dtype.type(np.nan), _medians(one_segment(a, mask))[0]
    )


def _medians(by: Segments) -> ndarray:
    """The medians of the labels of the table."""
    values = by.a.ravel()
    order = argsort(values)
    inner = Segments(by.a.ravel()[order], by.labels.ravel()[order], by.table)
    places, starts = inner.sorted()
    ordered = inner.a[places]
    first, count = starts[:-1], starts[1:] - starts[:-1]
    last = values.size - 1
    low = ordered[um.minimum(first + (count - 1) // 2, last)]
    high = ordered[um.minimum(first + count // 2, last)]
    half = (low + high) / values.dtype.type(2)
    return where(count > 0, half, values.dtype.type(np.nan))


# The cell of an element, in rows of bins for each label, or -1; in `place` is the number of edges
# up to the element. The last edge belongs to the last bin.
_CELLS = ElementwiseKernel(
    "T a, int32 key, raw float64 edges, int64 bins, int64 labels",
    "int64 place",
    """
    const long long bin = place == bins + 1 && is_equal(a, edges[bins]) ? bins - 1 : place - 1;
    place = bin >= 0 && bin < bins && key < labels ? key * bins + bin : -1;
    """,
    "histogram_cells",
    preamble="""
    __device__ bool is_equal(double a, double b) { return a == b; }
    template <typename F>
    __device__ bool is_equal(complex<F> a, double b) { return a.real() == b && a.imag() == 0; }
    """,
)


def histogram(input, min, max, bins, labels=None, index=None) -> ndarray:
    """Count the elements of each label in bins of equal width.

    Parameters
    ----------
    input : ndarray
        Image of any dimension.
    min, max : float
        Lower edge of the first bin and upper edge of the last.
    bins : int
        Number of bins, all of one width.
    labels : ndarray, optional
        Label of each element, of a shape that broadcasts with that of `input`: by default all
        elements are one object.
    index : scalar or array_like, optional
        Labels to measure, on the host or on the device: by default all labels above zero together.

    Returns
    -------
    ndarray of int64
        Counts, the bins along the last axis; the axes before it are those of `index`.

    Raises
    ------
    ValueError
        If the shapes do not broadcast, or there is no element.

    See Also
    --------
    scipy.ndimage.histogram

    Notes
    -----
    SciPy returns an array of arrays where `index` is an array, with None for absent labels; here
    the result is one array, with counts of 0.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.histogram(cp.array([5, 1, 2, 7]), 0, 8, 4, cp.array([1, 1, 1, 2]), [1, 2])
    array([[1, 1, 1, 0],
           [0, 0, 0, 1]])
    """
    a, k = labels_of(input, labels)
    edges = linspace(min, max, bins + 1)
    if k is None:
        return histogram_of_all(a, edges)[0]
    by = one_segment(a, selected(k, index)) if is_single(index) else Segments(a, k, index)
    cells = by.table.size * bins
    place = searchsorted(edges, by.a, side="right").astype(np.int64, copy=False)
    _CELLS(by.a, by.keys(), edges, bins, by.table.size, place)
    bounds = arange(cells + 1, dtype=np.float64)
    counts = um.count_in_bins(place.ravel(), bounds, True) if cells else empty(0, np.int64)
    counts = counts.reshape(by.table.size, bins)
    return counts[0] if is_single(index) else by.of_index(counts)


def labeled_comprehension(
    input, labels, index, func, out_dtype, default, pass_positions=False
) -> Any:
    """Apply a function to the elements of each label.

    Parameters
    ----------
    input : ndarray
        Image of any dimension.
    labels : ndarray or None
        Label of each element, of a shape that broadcasts with that of `input`; None: all elements
        are one object.
    index : scalar, array_like or None
        Labels to which the function is applied; None: all labels above zero together.
    func : callable
        Function of a 1-d array on the device, the elements of a label, that returns a number.
    out_dtype : dtype
        Type of the results of an index.
    default : scalar
        Result of labels without elements.
    pass_positions : bool, optional
        If True, the function is given the flat indices of the elements as a second argument.

    Returns
    -------
    ndarray
        Result for each label of `index`; what the function returns where `index` is None.

    Raises
    ------
    ValueError
        If there is an index, but no labels.

    See Also
    --------
    scipy.ndimage.labeled_comprehension

    Notes
    -----
    The elements are sorted by label, and where each label starts is read on the host, which waits
    for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> labels = cp.array([0, 1, 1, 2])
    >>> ndimage.labeled_comprehension(
    ...     cp.array([5, 1, 2, 7]), labels, [1, 2, 3], lambda x: x.max(), float, -1
    ... )
    array([ 2.,  7., -1.])
    """
    k: Any
    a, k = labels_of(input, labels)
    places = arange(a.size).reshape(a.shape) if pass_positions else None
    if k is None and index is not None:
        raise ValueError("index without defined labels")
    if index is None:
        taken = [x if k is None else x[k > 0] for x in (a, places) if x is not None]
        return func(*(x.ravel() for x in taken))
    by = Segments(a, k, index)
    out = full(by.shape, default, np.float64 if out_dtype is None else out_dtype)
    order, starts = by.sorted()
    values, flat = by.a.ravel()[order], out.ravel()
    bounds = starts.get()
    where_in_table = range(out.size) if by.places is None else by.places.get()
    for i, place in enumerate(where_in_table):
        part = slice(int(bounds[place]), int(bounds[place + 1]))
        if part.stop > part.start:
            flat[i] = func(values[part], *([order[part]] if pass_positions else []))
    return flat.reshape(by.shape)


# ---- objects and values --------------------------------------------------------------------------


def find_objects(input, max_label=0) -> list:
    """Find the bounding box of each label.

    Parameters
    ----------
    input : ndarray of int
        Labels of an image; those of 0 and less are no objects.
    max_label : int, optional
        Greatest label to look for: by default, and where it is below 1, the greatest there is.

    Returns
    -------
    list of tuple of slice
        Slices of the box of label i at place i - 1, None where there is no such label.

    Raises
    ------
    TypeError
        If `input` does not have integers.
    ValueError
        If there is no element and no `max_label`.

    See Also
    --------
    scipy.ndimage.find_objects

    Notes
    -----
    Slices are objects of the host: the boxes are read, which waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.find_objects(cp.array([[0, 1, 1], [0, 0, 1]]))
    [(slice(0, 2, None), slice(1, 3, None))]
    """
    a = as_array(input)
    if a.dtype.kind not in "iu":
        raise TypeError(f"labels must be integers, not {a.dtype}")
    count = int(max_label) if max_label >= 1 else int(a.max())
    if count < 1:
        return []
    if not a.size:
        return [None] * count
    check_device_memory(count)
    by = Segments(a, a, np.arange(1, count + 1))
    found = [by.total("one").astype(np.int64)]
    for axis in range(a.ndim):
        found += [by.coordinates(which, axis)[0] for which in ("least", "most")]
    boxes = []
    for elements, *ends in stack(found, axis=1).get().tolist():
        box = tuple(slice(low, high + 1) for low, high in zip(ends[::2], ends[1::2], strict=True))
        boxes.append(box if elements else None)
    return boxes


def value_indices(arr, *, ignore_value=None) -> dict:
    """Find the indices of each value of an array of integers.

    Parameters
    ----------
    arr : ndarray of int
        Array of any dimension.
    ignore_value : int, optional
        Value that is left out of the result.

    Returns
    -------
    dict
        For each value a tuple of index arrays, one for each axis.

    Raises
    ------
    ValueError
        If `arr` does not have integers.

    See Also
    --------
    scipy.ndimage.value_indices

    Notes
    -----
    The values are keys on the host: they are read, which waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.value_indices(cp.array([3, 7, 3]))[3]
    (array([0, 2]),)
    """
    a = as_array(arr)
    if a.dtype.kind not in "iu":
        raise ValueError("Parameter 'arr' must be an integer array")
    if not a.size:
        return {}
    flat = a.ravel()
    order = argsort(flat)
    values, counts = (x.get() for x in unique(flat, return_counts=True))
    ends = np.cumsum(counts).tolist()
    rows = _coordinates(order, a.shape).T.copy("C")
    found = {}
    for value, start, end in zip(values, [0, *ends], ends, strict=False):
        if ignore_value is None or value != ignore_value:
            found[value] = tuple(rows[axis, start:end] for axis in range(a.ndim))
    return found
