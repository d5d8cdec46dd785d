"""Names that NumPy 2 dropped and CuPy kept: synonyms, so that older programs run unchanged."""

import ast
from typing import Any

import numpy as np

from .._C import flagsobj as Flags
from .._C import ndarray
from . import arrayprint
from .fromnumeric import round as _round
from .multiarray import asarray, from_dlpack
from .reductions import all as _all
from .reductions import any as _any
from .reductions import cumprod as _cumprod
from .reductions import prod as _prod

__all__ = [
    "Flags",
    "set_string_function",
    "safe_eval",
    "make_aligned_dtype",
    "get_array_wrap",
    "cumproduct",
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
cumproduct = _cumprod


def asfarray(a, dtype=np.float64) -> ndarray:
    """`a` as an array of a floating type; an integer dtype becomes float64.

    Parameters
    ----------
    a : array_like
        The array.
    dtype : dtype, optional
        A floating or complex type.

    Returns
    -------
    ndarray

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

    Parameters
    ----------
    dltensor : object
        A capsule, which can be taken once, or an array with `__dlpack__`.

    Returns
    -------
    ndarray
        Of the same memory.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.fromDlpack(cp.arange(3).__dlpack__())
    array([0, 1, 2])
    """
    return from_dlpack(dltensor)


def disp(mesg, device=None, linefeed=True) -> None:
    """Write a message to `device`, an object with a `write` method (None: standard output).

    Parameters
    ----------
    mesg : object
        What is written, as `str` gives it.
    device : file, optional
        Where to.
    linefeed : bool, optional
        End the line.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.disp("ready")
    ready
    """
    print(mesg, end="\n" if linefeed else "", file=device)


def issubclass_(arg1, arg2) -> bool:
    """issubclass that says False, instead of raising, where `arg1` is no class.

    Parameters
    ----------
    arg1 : object
        What is asked about.
    arg2 : type or tuple of types
        The classes.

    Returns
    -------
    bool

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

    Parameters
    ----------
    rep : object
        What has, is or names a type.
    default : object, optional
        The answer where there is none.

    Returns
    -------
    type or default

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

    Parameters
    ----------
    arg1, arg2 : object
        What `obj2sctype` takes.

    Returns
    -------
    bool

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.issubsctype(cp.ones(2, "f4"), cp.floating)
    True
    """
    return issubclass(obj2sctype(arg1), obj2sctype(arg2))


def issctype(rep) -> bool:
    """Whether `rep` is a scalar type or a dtype.

    Parameters
    ----------
    rep : object
        Anything.

    Returns
    -------
    bool

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.issctype(cp.int32), cp.issctype(2)
    (True, False)
    """
    return isinstance(rep, np.dtype) or issubclass_(rep, np.generic)


def sctype2char(sctype) -> str:
    """The character of a scalar type.

    Parameters
    ----------
    sctype : object
        What `obj2sctype` takes.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        It names no type.

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

    Parameters
    ----------
    array_types : sequence of dtype
        The types of arrays.
    scalar_types : sequence of dtype
        The types of scalars: they matter where their kind is higher.

    Returns
    -------
    numpy.dtype

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

    Parameters
    ----------
    vardict : dict, optional
        Names and what they name.

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


def safe_eval(source) -> Any:
    """The value of a literal in Python's notation: numbers, strings, tuples, lists, dicts.

    Parameters
    ----------
    source : str

    Returns
    -------
    object

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.safe_eval("[1, 2.5]")
    [1, 2.5]
    """
    return ast.literal_eval(source)


def set_string_function(f, repr=True) -> None:
    """Set what makes the text of arrays.

    Parameters
    ----------
    f : callable or None
        Takes an array, returns its text. None: gpunp's own again.
    repr : bool, optional
        Whether it is for `repr`, or for `str`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.set_string_function(lambda a: f"<{a.size} numbers>")
    >>> cp.arange(3)
    <3 numbers>
    >>> cp.set_string_function(None)
    >>> cp.arange(3)
    array([0, 1, 2])
    """
    if f is not None and not callable(f):
        raise TypeError("Argument must be callable or None")
    arrayprint.text_functions["repr" if repr else "str"] = f


def get_array_wrap(*args) -> Any:
    """The `__array_wrap__` of the argument that has one and the highest `__array_priority__`.

    Parameters
    ----------
    *args : object
        What a function was given.

    Returns
    -------
    method or None
        None where no argument has one, as gpunp's arrays have none.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.get_array_wrap(cp.ones(2)) is None
    True
    """
    able = [a for a in args if hasattr(a, "__array_wrap__")]
    best = max(able, key=lambda a: getattr(a, "__array_priority__", 0), default=None)
    return None if best is None else best.__array_wrap__


def make_aligned_dtype(dtype, *, alignment=-1, recurse=True) -> np.dtype[Any]:
    """A structured dtype laid out as a C++ struct of kernels: fields on their boundaries.

    Parameters
    ----------
    dtype : dtype
        Any dtype; one without fields is returned as it is.
    alignment : int, optional
        Least alignment of the whole, a power of two; -1 takes that of its fields.
    recurse : bool, optional
        Also lay out structured fields anew.

    Returns
    -------
    numpy.dtype
        The size is a multiple of the alignment. Such a dtype is for arguments of raw kernels;
        arrays of it are not here.

    Examples
    --------
    >>> import gpunp as cp, numpy as np
    >>> made = cp.make_aligned_dtype(np.dtype([("a", "i1"), ("b", "f8")]))
    >>> made.itemsize, made.fields["b"][1]
    (16, 8)
    """
    dtype = np.dtype(dtype)
    if alignment != -1 and (alignment < 1 or alignment & (alignment - 1)):
        raise ValueError(f"alignment must be a power of two, not {alignment}")
    return _aligned(dtype, recurse, alignment)[0]


def _aligned(dtype: np.dtype[Any], recurse: bool, least: int) -> tuple[np.dtype[Any], int]:
    """The dtype laid out, and its alignment."""
    if dtype.subdtype is not None:
        base, align = _aligned(dtype.subdtype[0], recurse, -1)
        return np.dtype((base, dtype.shape)), align
    if dtype.names is None or dtype.fields is None:
        size = dtype.itemsize  # complex numbers of kernels lie as two at once
        return dtype, size if size > 0 and size & (size - 1) == 0 else dtype.alignment
    formats, offsets, end, most = [], [], 0, max(least, 1)
    for name in dtype.names:
        field = dtype.fields[name][0]
        made, align = _aligned(field, recurse, -1)
        made = made if recurse or field.names is None else field
        end = -(-end // align) * align
        formats.append(made)
        offsets.append(end)
        end += made.itemsize
        most = max(most, align)
    size = -(-end // most) * most
    layout: Any = {"names": dtype.names, "formats": formats, "offsets": offsets, "itemsize": size}
    return np.dtype(layout, align=False), most
