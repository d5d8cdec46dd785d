"""Products of distributed matrices, block by block."""

import gpunp
from gpunp.cuda import Device

from ._array import DistributedArray, _here
from ._index import overlap
from ._modes import SUM

__all__ = ["make_2d_index_map", "matmul"]


def make_2d_index_map(i_partitions, j_partitions, devices):
    """Return an index map of a matrix in blocks.

    Parameters
    ----------
    i_partitions : list of int
        Where blocks begin along the rows, and the number of rows.
    j_partitions : list of int
        Where blocks begin along the columns, and the number of columns.
    devices : list of list of set of int
        Devices of each block: one list for each row of blocks.

    Returns
    -------
    dict
        For each device the list of its blocks' indices.

    Examples
    --------
    >>> from gpunp.distributed.array import make_2d_index_map
    >>> make_2d_index_map([0, 2, 4], [0, 3], [[{0}], [{1}]])[1]
    [(slice(2, 4, 1), slice(0, 3, 1))]
    """
    for name, partitions in (("i_partitions", i_partitions), ("j_partitions", j_partitions)):
        if not partitions or partitions[0] != 0 or sorted(partitions) != list(partitions):
            raise RuntimeError(f"{name} must be an ascending list from 0 on, not {partitions!r}")
    if len(devices) != len(i_partitions) - 1 or any(
        len(row) != len(j_partitions) - 1 for row in devices
    ):
        raise RuntimeError("devices must have one item for each block")
    index_map = {}
    for i, row in enumerate(devices):
        for j, owners in enumerate(row):
            block = (
                slice(i_partitions[i], i_partitions[i + 1], 1),
                slice(j_partitions[j], j_partitions[j + 1], 1),
            )
            for device in owners if isinstance(owners, (set, frozenset, list)) else {owners}:
                index_map.setdefault(device, []).append(block)
    return index_map


def _blocks(name, array):
    """[(index, {device: chunk})] of a matrix: distinct blocks, none of which overlap."""
    found = []
    for device, index, chunk in array._replicated()._each():
        if any(s.step != 1 for s in index):
            raise RuntimeError(f"a chunk of {name} has steps: reshard it into blocks")
        same = next((owners for other, owners in found if other == index), None)
        if same is not None:
            same.setdefault(device, chunk)
            continue
        if any(overlap(index, other) is not None for other, _ in found):
            raise RuntimeError(f"blocks of {name} overlap in part: reshard it into blocks")
        found.append((index, {device: chunk}))
    return found


def matmul(a, b, out=None, **kwargs):
    """Return the product of two distributed matrices.

    A device multiplies the blocks that it has of both. Where no device has two blocks that are to
    be multiplied, that of `b` is copied to one that has the other. Products are not added across
    devices before something reads the result.

    Parameters
    ----------
    a, b : DistributedArray
        Matrices in blocks that are disjoint or equal.
    out : None, optional
        Not taken: the result has chunks of its own.
    **kwargs
        Further arguments of `gpunp.matmul`, such as `dtype`.

    Returns
    -------
    DistributedArray
        Matrix in mode SUM.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.distributed.array import distributed_array, matmul
    >>> halves = [(slice(2), slice(0, 2)), (slice(2), slice(2, 4))]
    >>> a = distributed_array(cp.ones((2, 4)), {0: halves})
    >>> b = distributed_array(cp.ones((4, 2)), {0: slice(None)})
    >>> matmul(a, b).get()
    array([[4., 4.],
           [4., 4.]])
    """
    if not isinstance(a, DistributedArray) or not isinstance(b, DistributedArray):
        raise TypeError("matmul takes two distributed arrays: see distributed_array")
    if out is not None:
        raise TypeError("matmul of distributed arrays takes no out")
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        raise ValueError(
            f"a and b must be matrices that fit, not arrays of shapes {a.shape} and {b.shape}"
        )
    load, sums = {}, {}  # work given to a device; {(device, rows, columns): product}
    blocks_b = _blocks("b", b)
    for index_a, owners_a in _blocks("a", a):
        for index_b, owners_b in blocks_b:
            common = overlap((index_a[1],), (index_b[0],))
            if common is None:
                continue
            device = min(
                owners_a.keys() & owners_b.keys() or owners_a, key=lambda d: load.get(d, 0)
            )
            load[device] = load.get(device, 0) + owners_a[device].size
            (inside_a,), (inside_b,) = common
            right = owners_b.get(device, next(iter(owners_b.values())))
            key = (device, (index_a[0].start, index_a[0].stop), (index_b[1].start, index_b[1].stop))
            with Device(device):
                part = gpunp.matmul(
                    owners_a[device][:, inside_a], _here(right, device)[inside_b], **kwargs
                )
                sums[key] = sums[key] + part if key in sums else part
    chunks = {}
    for (device, rows, columns), product in sums.items():
        chunks.setdefault(device, []).append(((slice(*rows, 1), slice(*columns, 1)), product))
    dtype = next(iter(sums.values())).dtype if sums else gpunp.result_type(a.dtype, b.dtype)
    return DistributedArray((a.shape[0], b.shape[1]), dtype, chunks, SUM)
