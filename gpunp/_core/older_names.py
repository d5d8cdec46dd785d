"""Names that NumPy 2 dropped and CuPy kept: synonyms, so that older programs run unchanged."""

from typing import Any

import numpy as np

from .._C import ndarray
from .fromnumeric import all as _all
from .fromnumeric import any as _any
from .fromnumeric import prod as _prod
from .fromnumeric import round as _round
from .multiarray import asarray, from_dlpack

__all__ = [
    "NAN",
    "NINF",
    "NZERO",
    "PINF",
    "PZERO",
    "DataSource",
    "Inf",
    "Infinity",
    "NaN",
    "alltrue",
    "asfarray",
    "cfloat",
    "complex_",
    "disp",
    "find_common_type",
    "float_",
    "format_parser",
    "fromDlpack",
    "infty",
    "issctype",
    "issubclass_",
    "issubsctype",
    "obj2sctype",
    "product",
    "round_",
    "sctype2char",
    "singlecomplex",
    "sometrue",
    "who",
]

Inf = Infinity = infty = PINF = np.inf
NINF = -np.inf
NaN = NAN = np.nan
PZERO, NZERO = 0.0, -0.0

float_ = np.float64
complex_ = cfloat = np.complex128
singlecomplex = np.complex64

DataSource = np.lib.npyio.DataSource
format_parser = np.rec.format_parser

alltrue, sometrue, product, round_ = _all, _any, _prod, _round


def asfarray(a, dtype=np.float64) -> ndarray:
    """`a` as an array of a floating type; an integer dtype becomes float64.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.asfarray([2, 3])
    array([2., 3.])
    """
    dtype = np.dtype(dtype)
    return asarray(a, dtype if dtype.kind in "fc" else np.float64)


def fromDlpack(dltensor) -> ndarray:
    """Make an array from a DLPack capsule or exporter; `from_dlpack` is the standard's name.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.fromDlpack(cp.arange(3).__dlpack__())
    array([0, 1, 2])
    """
    return from_dlpack(dltensor)


def disp(mesg, device=None, linefeed=True) -> None:
    """Write a message to `device`, an object with a `write` method (None: standard output).

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.disp("ready")
    ready
    """
    print(mesg, end="\n" if linefeed else "", file=device)


def issubclass_(arg1, arg2) -> bool:
    """issubclass that says False, instead of raising, where `arg1` is no class.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.issubclass_(cp.int32, int), cp.issubclass_(cp.float64, float)
    (False, True)
    """
    try:
        return issubclass(arg1, arg2)
    except TypeError:
        return False


def obj2sctype(rep, default=None) -> Any:
    """The scalar type of an array, a dtype or what names one; `default` where there is none.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.obj2sctype("f4")
    <class 'numpy.float32'>
    """
    if isinstance(rep, type) and issubclass(rep, np.generic):
        return rep
    try:
        return np.dtype(getattr(rep, "dtype", rep)).type
    except TypeError:
        return default


def issubsctype(arg1, arg2) -> bool:
    """Whether the scalar type of the first is a subclass of the second's.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.issubsctype(cp.ones(2, "f4"), cp.floating)
    True
    """
    return issubclass(obj2sctype(arg1), obj2sctype(arg2))


def issctype(rep) -> bool:
    """Whether `rep` is a scalar type or a dtype.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.issctype(cp.int32), cp.issctype(2)
    (True, False)
    """
    return isinstance(rep, np.dtype) or issubclass_(rep, np.generic)


def sctype2char(sctype) -> str:
    """The character of a scalar type.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.sctype2char(cp.float32)
    'f'
    """
    found = obj2sctype(sctype)
    if found is None:
        raise ValueError("unrecognized type")
    return np.dtype(found).char


def find_common_type(array_types, scalar_types) -> np.dtype[Any]:
    """The dtype of arrays and scalars together, where scalars count by their kind alone.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.find_common_type([cp.float32], [cp.int64, cp.float64])
    dtype('float32')
    """
    arrays = [np.dtype(t) for t in array_types]
    scalars = [np.dtype(t) for t in scalar_types]
    if not arrays or not scalars:
        return np.result_type(*(arrays or scalars))
    most, other = np.result_type(*arrays), np.result_type(*scalars)
    order = "biufc"
    return other if order.find(other.kind) > order.find(most.kind) else most


def who(vardict=None) -> None:
    """Print the name, shape, bytes and dtype of the arrays in a dictionary (None: the caller's).

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.who({"x": cp.ones(3, "f4"), "y": 3})
    Name    Shape    Bytes    Type
    ===========================================================
    x       3        12       float32
    <BLANKLINE>
    Upper bound on total bytes  =       12
    """
    if vardict is None:
        import sys

        vardict = sys._getframe(1).f_globals
    rows = [
        (name, " x ".join(map(str, a.shape)), str(a.nbytes), str(a.dtype))
        for name, a in vardict.items()
        if isinstance(a, ndarray)
    ]
    total = sum({id(vardict[r[0]]): vardict[r[0]].nbytes for r in rows}.values())
    heads = ("Name", "Shape", "Bytes", "Type")
    width = [max(len(r[k]) for r in [heads, *rows]) + 4 for k in range(3)]
    if rows:
        print("".join(heads[k].ljust(width[k]) for k in range(3)) + heads[3])
        print("=" * 59)
    for r in rows:
        print("".join(r[k].ljust(width[k]) for k in range(3)) + r[3])
    print(f"\nUpper bound on total bytes  = {total:>8}")
