"""Names that NumPy 2 removed and CuPy kept, so that older programs run unchanged."""

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
    """Convert to an array of a floating-point type; an integer dtype becomes float64.

    Parameters
    ----------
    a : array_like
        Array, or nested lists of numbers.
    dtype : dtype, optional
        Floating or complex type of the result.

    Returns
    -------
    ndarray
        Array with the shape of `a`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.asfarray([2, 3])
    array([2., 3.])
    """
    dtype = np.dtype(dtype)
    return asarray(a, dtype if dtype.kind in "fc" else np.float64)


def fromDlpack(dltensor) -> ndarray:
    """Create an array from a DLPack capsule or exporter; see `from_dlpack`.

    Parameters
    ----------
    dltensor : object
        Capsule, which can be consumed once, or an array with `__dlpack__`.

    Returns
    -------
    ndarray
        Array that shares the memory.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.fromDlpack(cp.arange(3).__dlpack__())
    array([0, 1, 2])
    """
    return from_dlpack(dltensor)


def disp(mesg, device=None, linefeed=True) -> None:
    """Print a message to a file-like object.

    Parameters
    ----------
    mesg : object
        Object whose `str` is printed.
    device : file, optional
        Object with a `write` method. By default standard output.
    linefeed : bool, optional
        If True, end with a newline.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.disp("ready")
    ready
    """
    print(mesg, end="\n" if linefeed else "", file=device)


def issubclass_(arg1, arg2) -> bool:
    """Return whether a class is a subclass of another one; False if `arg1` is not a class.

    Parameters
    ----------
    arg1 : object
        Object to be tested, usually a class.
    arg2 : type or tuple of types
        Class, or tuple of classes.

    Returns
    -------
    bool
        True if `arg1` is a class derived from one of `arg2`.

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
    """Return the scalar type of an array, a dtype or the name of one.

    Parameters
    ----------
    rep : object
        Object that has, is or names a type.
    default : object, optional
        Value returned if there is no such type.

    Returns
    -------
    type or default
        The scalar type, or `default`.

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
    """Return whether the scalar type of `arg1` is a subclass of that of `arg2`.

    Parameters
    ----------
    arg1, arg2 : object
        Objects that `obj2sctype` accepts.

    Returns
    -------
    bool
        True if the one is a subclass of the other.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.issubsctype(cp.ones(2, "f4"), cp.floating)
    True
    """
    return issubclass(obj2sctype(arg1), obj2sctype(arg2))


def issctype(rep) -> bool:
    """Return whether an object is a scalar type or a dtype.

    Parameters
    ----------
    rep : object
        Object of any type.

    Returns
    -------
    bool
        True for scalar types and dtypes.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.issctype(cp.int32), cp.issctype(2)
    (True, False)
    """
    return isinstance(rep, np.dtype) or issubclass_(rep, np.generic)


def sctype2char(sctype) -> str:
    """Return the character code of a scalar type.

    Parameters
    ----------
    sctype : object
        Object that `obj2sctype` accepts.

    Returns
    -------
    str
        One character, such as 'f'.

    Raises
    ------
    ValueError
        If it does not name a type.

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
    """Return the common dtype of arrays and scalars, where scalars count by their kind alone.

    Parameters
    ----------
    array_types : sequence of dtype
        Data types of the arrays.
    scalar_types : sequence of dtype
        Data types of the scalars, which count if their kind is higher.

    Returns
    -------
    numpy.dtype
        The common dtype.

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
    """Print the name, shape, size in bytes and dtype of the arrays in a dictionary.

    Parameters
    ----------
    vardict : dict, optional
        Dictionary of arrays by name. By default the caller's global variables.

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
    """Evaluate a literal in Python's notation: numbers, strings, tuples, lists, dicts.

    Parameters
    ----------
    source : str
        Text of the literal.

    Returns
    -------
    object
        Value of the literal.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.safe_eval("[1, 2.5]")
    [1, 2.5]
    """
    return ast.literal_eval(source)


def set_string_function(f, repr=True) -> None:
    """Set the function that converts arrays to text.

    Parameters
    ----------
    f : callable or None
        Function that takes an array and returns its text. None restores the default.
    repr : bool, optional
        If True, the function is used for `repr`, otherwise for `str`.

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
    """Return the `__array_wrap__` of the argument with the highest `__array_priority__`.

    Parameters
    ----------
    *args : object
        Arguments of a function.

    Returns
    -------
    method or None
        None if no argument has one; gpunp's arrays do not.

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
    """Return a structured dtype with the layout of a C++ struct in kernels: fields aligned.

    Parameters
    ----------
    dtype : dtype
        Data type to align; without fields it is returned unchanged.
    alignment : int, optional
        Least alignment of the entire structure, a power of two; -1 uses that of its fields.
    recurse : bool, optional
        If True, nested structured fields are aligned as well.

    Returns
    -------
    numpy.dtype
        Aligned dtype, whose size is a multiple of the alignment. It describes arguments of raw
        kernels; arrays of it are not supported.

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
        size = dtype.itemsize  # complex numbers are aligned to their size in kernels
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
