"""Methods of the array that are not functions of the namespace; see csrc/methods/delegate.c."""

import math
import operator
import sys
from typing import Any

import numpy as np

from .. import _C
from . import fromnumeric
from ._convert import per_axis
from .multiarray import ndarray, zeros


def __round__(self, ndigits=None) -> Any:
    """round(a): an int, which waits for the device; with `ndigits`, an array without dimensions."""
    if self.ndim > 0 or self.dtype.kind in "bc":
        what = f"an array of {self.ndim} dimensions" if self.ndim > 0 else self.dtype
        raise TypeError(f"type gpunp.ndarray doesn't define __round__ method for {what}")
    if ndigits is None:
        return round(self.item())
    return fromnumeric.round(self, operator.index(ndigits))


def clip(self, min=None, max=None, out=None, **kwargs) -> ndarray:
    """Values limited to a range, on one side or both; see gpunp.clip."""
    return fromnumeric.clip(self, min, max, out, **kwargs)


def choose(self, *choices, out=None, mode="raise", **named) -> ndarray:
    """Elements from several arrays; see gpunp.choose.

    Several positional arguments are the choices, as with NumPy, unless the first is a list of
    choices and an array or None follows: then they are `choices`, `out` and `mode`.
    """
    listed = len(choices) > 1 and isinstance(choices[0], (list, tuple))
    if listed and (choices[1] is None or isinstance(choices[1], ndarray)):
        return fromnumeric.choose(self, *choices)
    if choices:
        named["choices"] = choices[0] if len(choices) == 1 else choices
    return fromnumeric.choose(self, out=out, mode=mode, **named)


def getfield(self, dtype, offset=0) -> ndarray:
    """View of a part of each element as another dtype; a complex number has its real part at 0.

    Parameters
    ----------
    dtype : dtype
        Type of the elements of the view.
    offset : int, optional
        Number of bytes from the start of an element; a multiple of the size of `dtype`.

    Returns
    -------
    ndarray
        A view of the input.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.array([1 + 2j, 3 + 4j]).getfield(cp.float64, offset=8)
    array([2., 4.])
    """
    dtype = np.dtype(dtype)
    if dtype.itemsize == 0:
        raise ValueError(f"elements of type {dtype} have no size")
    if offset < 0:
        raise ValueError("offset is negative")
    if offset + dtype.itemsize > self.dtype.itemsize:
        raise ValueError(
            f"Need 0 <= offset <= {self.dtype.itemsize - dtype.itemsize} for requested type but "
            f"received offset = {offset}"
        )
    if issubclass(self.dtype.type, np.void) or issubclass(
        dtype.type, np.void
    ):  # anywhere in an element: a field of that place
        place = {"names": ["part"], "formats": [dtype], "offsets": [offset]}
        return self.view(
            np.dtype({**place, "itemsize": self.dtype.itemsize})  # type: ignore[call-overload]
        )["part"]
    if offset % dtype.itemsize or self.dtype.itemsize % dtype.itemsize:
        raise ValueError(f"a {dtype} at offset {offset} does not lie on its boundary")
    count = self.dtype.itemsize // dtype.itemsize
    lined = self[..., None].view(dtype) if count > 1 else self.view(dtype)[..., None]
    return lined[..., offset // dtype.itemsize]


def setfield(self, val, dtype, offset=0) -> None:
    """Assign values to a part of each element; see `getfield`."""
    getfield(self, dtype, offset)[...] = val


def setflags(self, write=None, align=None, uic=None) -> None:
    """Set whether the array is writeable.

    Parameters
    ----------
    write : bool, optional
        If False, the array becomes read-only.
    align, uic : bool, optional
        Accepted as NumPy accepts them: elements are always aligned (False is refused), and there
        are no copies to be written back.

    Examples
    --------
    >>> import gpunp as cp
    >>> a = cp.ones(2)
    >>> a.setflags(write=False)
    >>> a.flags.writeable
    False
    """
    if align is not None and not align and self.flags.aligned:
        raise ValueError("cannot set the aligned flag of a gpunp array to False")
    if uic:
        raise ValueError("cannot set WRITEBACKIFCOPY flag to True")
    if write is not None:
        self.flags.writeable = bool(write)


def resize(self, *new_shape, refcheck=True) -> None:
    """Change the shape and size of the array in place; new elements are zero.

    Parameters
    ----------
    *new_shape : ints, or one tuple of them
        New shape of the array.
    refcheck : bool, optional
        If True, raise ValueError if anything else refers to the array: views would keep the old
        memory.

    Examples
    --------
    >>> import gpunp as cp
    >>> a = cp.array([[0, 1], [2, 3]])
    >>> a.resize((2, 3), refcheck=False)
    >>> a
    array([[0, 1, 2],
           [3, 0, 0]])
    """
    shape: Any = new_shape[0] if len(new_shape) == 1 and np.iterable(new_shape[0]) else new_shape
    shape = tuple(operator.index(n) for n in per_axis(shape))
    if any(n < 0 for n in shape):
        raise ValueError("all elements of `new_shape` must be non-negative")
    if not (self.flags.c_contiguous or self.flags.f_contiguous):
        raise ValueError("resize only works on single-segment arrays")
    rows_first = self.flags.c_contiguous
    if rows_first and math.prod(shape) == self.size:  # no other memory, so views may do it too
        self.shape = shape
        return
    if not self.flags.owndata:
        raise ValueError("cannot resize this array: it does not own its data")
    # The caller's name, this call's arguments and getrefcount's own are four.
    if refcheck and sys.getrefcount(self) > 4:
        raise ValueError("cannot resize an array that references or is referenced by another array")
    made = zeros(shape, self.dtype, order="C" if rows_first else "F")
    kept = min(made.size, self.size)
    (made if rows_first else made.T).reshape(-1)[:kept] = self.ravel(order="K")[:kept]
    _C._exchange(self, made)
