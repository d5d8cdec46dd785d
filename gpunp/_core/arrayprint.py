"""Text of arrays as NumPy prints them.

Elements are copied to the host: of a long array only the corners that are shown.
"""

from typing import Any

import numpy as np
from numpy import (
    format_float_positional,
    format_float_scientific,
    get_printoptions,
    printoptions,
    set_printoptions,
)

from .._C import ndarray
from ._convert import as_array
from ._docstrings import documented_as

__all__ = [
    "array2string",
    "array_repr",
    "array_str",
    "format_float_positional",
    "format_float_scientific",
    "get_printoptions",
    "printoptions",
    "set_printoptions",
]


def _shown(a: ndarray, threshold: int, edgeitems: int) -> tuple[np.ndarray[Any, Any], bool]:
    """Elements that are printed, on the host, and whether the middle was left out."""
    if a.size <= threshold:
        return a.get(), False
    for axis, n in enumerate(a.shape):
        if n > 2 * edgeitems + 1:
            index: list[Any] = [slice(None)] * a.ndim
            index[axis] = slice(0, edgeitems + 1)
            head = a[tuple(index)]
            index[axis] = slice(n - edgeitems, n)
            tail = a[tuple(index)]
            shape = list(a.shape)
            shape[axis] = 2 * edgeitems + 1
            both = ndarray(tuple(shape), a.dtype)
            index[axis] = slice(0, edgeitems + 1)
            both[tuple(index)] = head
            index[axis] = slice(edgeitems + 1, None)
            both[tuple(index)] = tail
            a = both
    return a.get(), True


def array2string(
    a, max_line_width=None, precision=None, suppress_small=None, separator=" ", prefix="", *,
    formatter=None, threshold=None, edgeitems=None, sign=None, floatmode=None, suffix="",
    legacy=None,
) -> str:  # fmt: skip
    """Return the elements of an array as text, formatted as NumPy formats them.

    Parameters
    ----------
    a : array_like
        Array to convert to text. Of large arrays only the elements shown are copied.
    max_line_width : int, optional
        Number of characters after which a line is broken. This and the following default to NumPy's
        print options.
    precision : int, optional
        Number of digits after the decimal point.
    suppress_small : bool, optional
        Write numbers that the precision rounds to zero as zero.
    separator : str, optional
        Text between two elements.
    prefix : str, optional
        Text that the caller writes before; its length counts as part of the first line.
    formatter : dict of callables, optional
        Functions by kind of element that convert a NumPy scalar to text.
    threshold : int, optional
        Number of elements above which the middle is left out.
    edgeitems : int, optional
        Number of elements shown at each end if the middle is left out.
    sign : {'-', '+', ' '}, optional
        What precedes numbers that are not negative.
    floatmode : {'fixed', 'unique', 'maxprec', 'maxprec_equal'}, optional
        Rule that says how many digits of floats are shown.
    suffix : str, optional
        Text that the caller writes after; its length counts as part of the last line.
    legacy : str or False, optional
        NumPy version whose layout is used.

    Returns
    -------
    str
        The text. Waits for the device, as every access to values does.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.array2string(cp.arange(3), separator=",")
    '[0,1,2]'
    """
    options = get_printoptions()
    threshold = options["threshold"] if threshold is None else threshold
    edgeitems = options["edgeitems"] if edgeitems is None else edgeitems
    host, shortened = _shown(as_array(a), threshold, edgeitems)
    return np.array2string(
        host, max_line_width, precision, suppress_small, separator, prefix,
        formatter=formatter, threshold=0 if shortened else max(threshold, host.size),
        edgeitems=edgeitems, sign=sign, floatmode=floatmode, suffix=suffix, legacy=legacy,
    )  # fmt: skip


# Functions set by set_string_function, or None.
text_functions: dict[str, Any] = {"repr": None, "str": None}


def array_str(a, max_line_width=None, precision=None, suppress_small=None) -> str:
    """Return the elements of an array as `str` shows them.

    Parameters
    ----------
    a : array_like
        Array to convert to text.
    max_line_width : int, optional
        Number of characters after which a line is broken.
    precision : int, optional
        Number of digits after the decimal point.
    suppress_small : bool, optional
        Write numbers that the precision rounds to zero as zero.

    Returns
    -------
    str
        The text, without the word `array` and the dtype. Waits for the device.
    """
    a = as_array(a)
    if text_functions["str"] is not None:
        return text_functions["str"](a)
    if a.ndim == 0:
        return np.array_str(a.get(), max_line_width, precision, suppress_small)
    return array2string(a, max_line_width, precision, suppress_small, " ", "")


@documented_as(array_str)
def array_repr(arr, max_line_width=None, precision=None, suppress_small=None) -> str:
    """Return an array as `repr` shows it.

    Parameters
    ----------
    arr : array_like
        Array to convert to text.

    Returns
    -------
    str
        The text, with the dtype, and with the shape if elements are left out. Waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.array_repr(cp.zeros(2, cp.float32))
    'array([0., 0.], dtype=float32)'
    """
    arr = as_array(arr)
    if text_functions["repr"] is not None:
        return text_functions["repr"](arr)
    options = get_printoptions()
    name = "array" if type(arr) is ndarray else type(arr).__name__
    if arr.size <= options["threshold"]:
        host = arr.get()
        if type(arr) is not ndarray:  # NumPy writes the name of a subclass
            host = host.view(type(name, (np.ndarray,), {}))
        return np.array_repr(host, max_line_width, precision, suppress_small)
    # NumPy would write the shape of the shortened array, so the last line is formatted here.
    width = options["linewidth"] if max_line_width is None else max_line_width
    body = array2string(
        arr, width, precision, suppress_small, separator=", ", prefix=f"{name}(", suffix=")"
    )
    extras = [f"shape={arr.shape}"]
    if not _implied(arr.dtype):
        extras.append(f"dtype={_dtype_text(arr.dtype)}")
    tail = ", ".join(extras) + ")"
    text = f"{name}({body},"
    last_line = len(text) - (text.rfind("\n") + 1)
    return (
        text + (" " if last_line + len(tail) + 1 <= width else "\n" + " " * len(f"{name}(")) + tail
    )


def _implied(dtype: np.dtype[Any]) -> bool:
    return dtype in (np.dtype(np.bool_), np.dtype(np.intp), np.dtype(float), np.dtype(complex))


def _dtype_text(dtype: np.dtype[Any]) -> str:
    return dtype.name


# ---- notebooks -----------------------------------------------------------------------------------

ROWS, COLUMNS = 5, 8  # of the corner that a notebook shows
DIGITS = 6  # behind the point, at most
CELL = '<td style="padding:0 .5em;text-align:right">'
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def _size_text(size: int) -> str:
    """Turn a number of bytes into a short text: '512 B', '3.8 MiB'."""
    number, units = float(size), ["B", "KiB", "MiB", "GiB", "TiB"]
    while number >= 1024 and len(units) > 1:
        number /= 1024
        units.pop(0)
    return f"{size} B" if units[0] == "B" else f"{number:.1f} {units[0]}"


def _texts(values: np.ndarray[Any, Any]) -> list[str]:
    """Each element as NumPy prints it among the others, in C order."""
    if values.size == 0:
        return []
    text = np.array2string(
        values.ravel(), separator="|", threshold=values.size, max_line_width=64 * values.size,
        precision=min(DIGITS, get_printoptions()["precision"]),
    )  # fmt: skip
    return [part.strip() for part in text[1:-1].split("|")]


def _corner_html(a: ndarray) -> str:
    """Table of the first elements; only these are copied to the host."""
    corner = a[(0,) * max(a.ndim - 2, 0)]
    rows = corner[None] if corner.ndim == 1 else corner.reshape(1, 1) if a.ndim == 0 else corner
    shown = rows[:ROWS, :COLUMNS]
    texts, width = _texts(shown.get()), shown.shape[1]
    dots_right = f"{CELL}…</td>" if rows.shape[1] > COLUMNS else ""
    lines = []
    for start in range(0, len(texts), width):
        cells = "".join(
            f"{CELL}{text.translate(_ENTITIES)}</td>" for text in texts[start : start + width]
        )
        lines.append(f"<tr>{cells}{dots_right}</tr>")
    if rows.shape[0] > ROWS:
        last = f"{CELL}⋱</td>" if dots_right else ""
        lines.append(f"<tr>{f'{CELL}⋮</td>' * width}{last}</tr>")
    place = f"<caption>[{', '.join(['0'] * (a.ndim - 2))}]</caption>" if a.ndim > 2 else ""
    return f'<table style="margin:.3em 0">{place}{"".join(lines)}</table>'


def array_html(a: ndarray) -> str:
    """Return what notebooks show of an array: its properties and a corner of its values."""
    device = f"device {a.device.id}, {a.device.name}"
    facts = [f"shape {a.shape}", str(a.dtype), _size_text(a.nbytes), device]
    head = " · ".join(facts).translate(_ENTITIES)
    return f"<div><b>{type(a).__name__}</b> {head}</div>{_corner_html(a) if a.size else ''}"
