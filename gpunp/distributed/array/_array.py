"""Arrays whose chunks lie on several devices of one process."""

import math

import numpy as np

import gpunp
from gpunp._core._convert import as_host
from gpunp._core._docstrings import documented_as
from gpunp.cuda import Device

from ._index import normalized_map, overlap, shape_of
from ._modes import MAX, MIN, PROD, REPLICA, SUM, mode_of

__all__ = ["DistributedArray", "distributed_array"]

_REDUCTIONS = {"add": SUM, "multiply": PROD, "maximum": MAX, "minimum": MIN}


def _here(array, device):
    """An array, or a copy of it on another device."""
    return array if array.device.id == device else array.to_device(device)


def _combine(mode, chunk, part, index):
    """chunk[index] = chunk[index] combined with `part`, which may be on another device."""
    with Device(chunk.device.id):
        view = chunk[index]
        if mode is REPLICA:
            view[...] = _here(part, chunk.device.id)
        else:
            getattr(gpunp, mode.name)(view, _here(part, chunk.device.id), out=view)


class DistributedArray(np.lib.mixins.NDArrayOperatorsMixin):
    """An array in chunks on several devices of one process.

    Chunks may overlap. In mode REPLICA they have the same values of elements that they share; in
    another mode an element is the sum, product, minimum or maximum of what the chunks have of it.
    `distributed_array` makes one.

    Parameters
    ----------
    shape : tuple of int
        Shape of the whole array.
    dtype : dtype
        Type of the elements.
    chunks_map : dict
        For each device a list of pairs, a normalised index and the chunk with these elements.
    mode : Mode or None, optional
        What several chunks say together about an element.

    Attributes
    ----------
    shape : tuple of int
        Shape of the whole array.
    dtype : dtype
        Type of the elements.
    """

    __gpunp_ufuncs__ = True  # gpunp's ufuncs ask __array_ufunc__, as NumPy's do

    def __init__(self, shape, dtype, chunks_map, mode=REPLICA):
        self.shape = tuple(shape)
        self.dtype = np.dtype(dtype)
        self._chunks = chunks_map
        self._mode = mode_of(mode)

    # ---- attributes

    @property
    def mode(self):
        """What several chunks say together about an element; None is REPLICA."""
        return self._mode

    @property
    def devices(self):
        """Numbers of the devices that have chunks."""
        return self._chunks.keys()

    @property
    def index_map(self):
        """Indices of the chunks of each device, as tuples of slices."""
        return {device: [index for index, _ in chunks] for device, chunks in self._chunks.items()}

    @property
    def ndim(self):
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self):
        """Number of elements of the whole array."""
        return math.prod(self.shape)

    @property
    def nbytes(self):
        """Bytes of the whole array, overlaps counted once."""
        return self.size * self.dtype.itemsize

    def all_chunks(self):
        """Return the chunks themselves.

        Returns
        -------
        dict
            For each device a list of arrays.
        """
        return {device: [chunk for _, chunk in chunks] for device, chunks in self._chunks.items()}

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of an array without axes")
        return self.shape[0]

    def __repr__(self):
        chunks = sum(map(len, self._chunks.values()))
        return (
            f"<DistributedArray of {self.dtype} and shape {self.shape}: {chunks} chunks on devices "
            f"{sorted(self._chunks)}, mode {self._mode or 'REPLICA'}>"
        )

    # ---- chunks

    def _each(self):
        """(device, index, chunk) of all chunks."""
        return [(d, index, chunk) for d, chunks in self._chunks.items() for index, chunk in chunks]

    def _map(self, function, dtype=None, mode=REPLICA):
        """A new array of the same chunks; `function` makes each from device, index and chunk."""
        chunks = {}
        for device, index, chunk in self._each():
            with Device(device):
                chunks.setdefault(device, []).append((index, function(device, index, chunk)))
        return DistributedArray(self.shape, self.dtype if dtype is None else dtype, chunks, mode)

    def change_mode(self, mode):
        """Return the same array in another mode.

        Parameters
        ----------
        mode : Mode, None or str
            Mode, or its name: "replica", "sum", "prod", "min" or "max".

        Returns
        -------
        DistributedArray
            Array with chunks of its own; the array itself if it is in that mode already.
        """
        mode = mode_of(mode)
        if mode is self._mode:
            return self
        if self._mode is not REPLICA:
            return self._replicated().change_mode(mode)
        made = self._map(lambda device, index, chunk: chunk.copy(), mode=mode)
        if mode.idempotent:
            return made
        # The first chunk that has an element keeps it.
        chunks = made._each()
        for i, (device, index, chunk) in enumerate(chunks):
            for _, other, _ in chunks[:i]:
                common = overlap(index, other)
                if common is not None:
                    with Device(device):
                        chunk[common[0]] = mode.identity(self.dtype)
        return made

    def _replicated(self):
        """All chunks combined where they overlap, in one order: shared elements are equal."""
        if self._mode is REPLICA:
            return self
        identity = self._mode.identity(self.dtype)
        made = self._map(lambda device, index, chunk: gpunp.full(chunk.shape, identity, self.dtype))
        for _, index, chunk in made._each():
            for _, other, values in self._each():
                common = overlap(index, other)
                if common is not None:
                    _combine(self._mode, chunk, values[common[1]], common[0])
        return made

    def reshard(self, index_map):
        """Return the same array in other chunks, in the same mode.

        Parameters
        ----------
        index_map : dict
            Index of the chunk of each device, or list of the indices of its chunks.

        Returns
        -------
        DistributedArray
            Array with chunks of its own.
        """
        source = self._replicated()
        made = _empty(self.shape, self.dtype, normalized_map(index_map, self.shape))
        for _, index, chunk in made._each():
            for _, other, values in source._each():
                common = overlap(index, other)
                if common is not None:
                    _combine(REPLICA, chunk, values[common[1]], common[0])
        return made.change_mode(self._mode)

    def get(self, stream=None, order="C", out=None, blocking=True):
        """Return a copy on the host, which waits for the devices.

        Parameters
        ----------
        stream : None, optional
            Each device's current stream is used.
        order : {'C', 'F'}, optional
            Memory order of the result.
        out : numpy.ndarray, optional
            Array for the result.
        blocking : bool, optional
            Must be True: the call waits for the devices.

        Returns
        -------
        numpy.ndarray
            The whole array. Elements that no chunk has are undefined.
        """
        if stream is not None or not blocking:
            raise ValueError("get() of a DistributedArray takes no stream and is blocking")
        if out is None:
            out = np.zeros(self.shape, self.dtype, order=order)
        elif out.shape != self.shape or out.dtype != self.dtype:
            raise ValueError(f"out is of {out.dtype} and {out.shape}; {self.dtype}, {self.shape}")
        for _, index, chunk in self._replicated()._each():
            out[index] = chunk.get()
        return out

    def __array__(self, dtype=None, copy=None):
        raise TypeError(
            "a DistributedArray is copied to the host by its method get(), never implicitly"
        )

    def astype(self, dtype):
        """Return a copy with elements of another type.

        Parameters
        ----------
        dtype : dtype
            Type of the elements.

        Returns
        -------
        DistributedArray
            Array in the same chunks, in mode REPLICA.
        """
        source = self._replicated()
        return source._map(lambda device, index, chunk: chunk.astype(dtype), dtype)

    # ---- operations

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if ufunc.__name__ == "matmul" and method == "__call__":
            return self._matmul(*inputs, **kwargs)
        own = getattr(gpunp, ufunc.__name__, None)
        if own is None or getattr(ufunc, "signature", None) is not None:
            return NotImplemented
        if method == "reduce" and ufunc.__name__ in _REDUCTIONS and inputs[0] is self:
            return self._reduce(ufunc.__name__, **kwargs)
        return _elementwise(own, inputs, **kwargs) if method == "__call__" else NotImplemented

    def _matmul(self, a, b, out=None, **kwargs):
        from ._linalg import matmul

        return matmul(a, b, None if out is None else out[0], **kwargs)

    def _reduce(self, name, axis=0, dtype=None, out=None, keepdims=False):
        mode = _REDUCTIONS[name]
        if out is not None:
            raise TypeError("reductions of a DistributedArray take no out")
        axes = range(self.ndim) if axis is None else axis
        axes = gpunp.lib.array_utils.normalize_axis_tuple(axes, self.ndim)
        reduce = getattr(gpunp, name).reduce

        def left(items, replaced):
            kept = [replaced if i in axes else item for i, item in enumerate(items)]
            return tuple(item for item in kept if item is not None)

        one = slice(0, 1, 1) if keepdims else None
        chunks, result_type = {}, None
        for device, index, chunk in self.change_mode(mode)._each():
            with Device(device):
                # A chunk without elements has nothing to say; in sums and products it is 0 or 1.
                if chunk.size == 0 and mode.idempotent:
                    continue
                part = reduce(chunk, axis=tuple(axes), dtype=dtype, keepdims=keepdims)
            result_type = part.dtype
            chunks.setdefault(device, []).append((left(index, one), part))
        if result_type is None:
            raise ValueError("reduction of an array without elements has no identity")
        return DistributedArray(
            left(self.shape, 1 if keepdims else None), result_type, chunks, mode
        )

    def sum(self, axis=None, dtype=None, out=None, keepdims=False):
        """Return the sum of the elements over given axes.

        Parameters
        ----------
        axis : int, tuple of int or None, optional
            Axes to sum over, by default all.
        dtype : dtype, optional
            Type of the result and of the sums.
        out : None, optional
            Not taken: the result has chunks of its own.
        keepdims : bool, optional
            If True, the reduced axes are kept with size one.

        Returns
        -------
        DistributedArray
            Array in mode SUM: each device has the sums over its own chunks.
        """
        return self._reduce("add", axis, dtype, out, keepdims)

    def prod(self, axis=None, dtype=None, out=None, keepdims=False):
        """Return the product of the elements over given axes.

        Parameters
        ----------
        axis : int, tuple of int or None, optional
            Axes to multiply over, by default all.
        dtype : dtype, optional
            Type of the result and of the products.
        out : None, optional
            Not taken: the result has chunks of its own.
        keepdims : bool, optional
            If True, the reduced axes are kept with size one.

        Returns
        -------
        DistributedArray
            Array in mode PROD: each device has the products over its own chunks.
        """
        return self._reduce("multiply", axis, dtype, out, keepdims)

    def max(self, axis=None, out=None, keepdims=False):
        """Return the maximum of the elements along given axes.

        Parameters
        ----------
        axis : int, tuple of int or None, optional
            Axes to reduce, by default all.
        out : None, optional
            Not taken: the result has chunks of its own.
        keepdims : bool, optional
            If True, the reduced axes are kept with size one.

        Returns
        -------
        DistributedArray
            Array in mode MAX: each device has the maximum over its own chunks.
        """
        return self._reduce("maximum", axis, None, out, keepdims)

    @documented_as(max)
    def min(self, axis=None, out=None, keepdims=False):
        """Return the minimum of the elements along given axes.

        Returns
        -------
        DistributedArray
            Array in mode MIN: each device has the minimum over its own chunks.
        """
        return self._reduce("minimum", axis, None, out, keepdims)


def _empty(shape, dtype, index_map):
    """An array of zeros in given chunks."""
    chunks = {}
    for device, indices in index_map.items():
        with Device(device):
            chunks[device] = [(index, gpunp.zeros(shape_of(index), dtype)) for index in indices]
    return DistributedArray(shape, dtype, chunks)


def _elementwise(ufunc, inputs, out=None, **kwargs):
    """A ufunc of each chunk of the first array; the others are brought into such chunks."""
    if "where" in kwargs:
        raise TypeError("operations of a DistributedArray take no where")
    outs = out or ()
    first = next(x for x in (*inputs, *outs) if isinstance(x, DistributedArray))
    operands = [_operand(x, first) for x in inputs]
    if any(not isinstance(x, DistributedArray) or x.index_map != first.index_map for x in outs):
        raise ValueError("out must be a DistributedArray in the chunks of the first operand")
    results = [{} for _ in range(ufunc.nout)]
    for device, chunks in first._chunks.items():
        for i, (index, _) in enumerate(chunks):
            own = [
                x._chunks[device][i][1] if isinstance(x, DistributedArray) else x for x in operands
            ]
            given = {"out": tuple(x._chunks[device][i][1] for x in outs)} if outs else {}
            with Device(device):
                made = ufunc(*own, **given, **kwargs)
            for chunk, result in zip(made if ufunc.nout > 1 else (made,), results, strict=True):
                result.setdefault(device, []).append((index, chunk))
    if outs:
        for x in outs:
            x._mode = REPLICA
        return outs[0] if ufunc.nout == 1 else outs
    arrays = []
    for result in results:
        dtype = next(chunks[0][1].dtype for chunks in result.values() if chunks)
        arrays.append(DistributedArray(first.shape, dtype, result))
    return arrays[0] if ufunc.nout == 1 else tuple(arrays)


def _operand(x, first):
    """An operand in the chunks of the first array and with the true values; a number stays one."""
    if isinstance(x, DistributedArray):
        if x.shape != first.shape:
            raise ValueError(f"operands must have equal shapes, not {first.shape} and {x.shape}")
        x = x._replicated()
        return x if x.index_map == first.index_map else x.reshard(first.index_map)
    if isinstance(x, (bool, int, float, complex, np.generic)):
        return x
    raise TypeError(
        "the other operand of a DistributedArray must be one as well or a number, not "
        f"{type(x).__name__}: see distributed_array"
    )


def distributed_array(array, index_map, mode=REPLICA):
    """Distribute an array over devices.

    Parameters
    ----------
    array : DistributedArray, ndarray or array_like
        Values. Those of a host array go to each device directly.
    index_map : dict
        For each device the index of its chunk, or a list of indices: ints, slices with positive
        steps, tuples of both. Chunks may overlap, and should have all elements.
    mode : Mode, None or str, optional
        What the chunks will say together about elements that they share.

    Returns
    -------
    DistributedArray
        Array with chunks of its own.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.distributed.array import distributed_array
    >>> a = distributed_array(cp.arange(6.0).reshape(2, 3), {0: [slice(0, 1), slice(1, 2)]})
    >>> (a + 1).sum(axis=0).get()
    array([5., 7., 9.])
    """
    if isinstance(array, DistributedArray):
        return array.reshard(index_map).change_mode(mode)
    if not isinstance(array, gpunp.ndarray):
        array = as_host(array)
    made = _empty(array.shape, array.dtype, normalized_map(index_map, array.shape))
    for device, index, chunk in made._each():
        with Device(device):
            part = array[(*index, ...)]
            chunk[...] = (
                gpunp.asarray(part) if isinstance(part, np.ndarray) else _here(part, device)
            )
    return made.change_mode(mode)
