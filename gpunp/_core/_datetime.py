"""datetime64 and timedelta64: what the functions for numbers do not cover."""

import datetime
from typing import Any

import numpy as np
from numpy import datetime_data

from .. import _C
from .._C import ndarray
from ._convert import as_array, as_host, shown

__all__ = ["datetime_as_string", "datetime_data"]


def datetime_as_string(arr, unit=None, timezone="naive", casting="same_kind") -> Any:
    """Convert dates to strings in ISO 8601 format, on the host.

    Parameters
    ----------
    arr : array_like of datetime64
        Array of dates. They are copied to the host, which waits for the device.
    unit : str, optional
        Unit of the least significant part that is written; 'auto' takes the coarsest unit without
        loss.
    timezone : {'naive', 'UTC', 'local'} or tzinfo, optional
        Time zone in which the dates are written.
    casting : str, optional
        Rule that says which casts to `unit` are allowed.

    Returns
    -------
    numpy.ndarray of str
        Strings. They are on the host, as the device has no string type.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.datetime_as_string(cp.arange("2020-02-28", "2020-03-01", dtype="M8[D]"))
    array(['2020-02-28', '2020-02-29'], dtype='<U28')
    """
    return np.datetime_as_string(as_array(arr).get(), unit, timezone, casting)


def is_time(x: Any) -> bool:
    """Whether a number or a dtype is of type datetime64 or timedelta64."""
    if isinstance(x, (np.datetime64, np.timedelta64, datetime.date, datetime.timedelta)):
        return True
    if isinstance(x, (ndarray, np.ndarray)):
        return x.dtype.kind in "mM"
    if not isinstance(x, (str, type, np.dtype)):
        return False
    try:
        return np.dtype(x).kind in "mM"
    except (TypeError, UnicodeEncodeError):  # a date as a string, or other text
        return isinstance(x, str)


def arange_times(start: Any, stop: Any, step: Any, dtype: Any) -> ndarray:
    """Return a range of times in the unit that NumPy determines for the arguments."""
    start, stop, step = (x.get()[()] if isinstance(x, ndarray) else x for x in (start, stop, step))
    _check_text(start, stop, dtype)
    start, stop, step = map(_as_time, (start, stop, 1 if step is None else step))
    kinds = [_kind(x) for x in (start, stop, step)]
    wanted = np.dtype(dtype) if dtype is not None else np.dtype("M8" if "M" in kinds else "m8")
    dates = wanted.kind == "M"
    if stop is None:
        if dates:
            raise ValueError("arange requires both a start and a stop for NumPy datetime64 ranges")
        start, stop = 0, start
    _check_kinds(kinds, wanted)
    unit = _common_unit(wanted, (start, stop, step))
    first, last, by = (_ticks(x, unit) for x in (start, stop, step))
    if dates and _kind(stop) != "M":
        last += first
    if by == 0:
        raise ValueError("arange: step cannot be zero")
    length = max(0, -((first - last) // by))
    ticks = _C.arange_fill(length, first, first + by, np.dtype(np.int64))
    return ticks.view(_as_kind("M" if dates else "m", unit))


def _check_text(start: Any, stop: Any, dtype: Any) -> None:
    ends = [x for x in (start, stop) if x is not None]
    plain = dtype is None and all(isinstance(x, (str, int, float)) for x in ends)
    if any(isinstance(x, str) for x in ends) and (
        plain or (dtype is not None and np.dtype(dtype).kind not in "mM")
    ):
        raise TypeError("arange takes text beside dates only, or with a dtype of dates")


def _as_time(x: Any) -> Any:
    """Return text and Python's dates and spans as NumPy's, anything else as it is."""
    if isinstance(x, (str, datetime.date)):
        return np.datetime64(x)
    return np.timedelta64(x) if isinstance(x, datetime.timedelta) else x


def _check_kinds(kinds: list[str], wanted: np.dtype[Any]) -> None:
    """Refuse kinds of start, stop and step that make no range of the type."""
    dates = wanted.kind == "M"
    if kinds[2] == "M":
        raise ValueError("cannot use a datetime as a step in arange")
    if (kinds[0] == "m" and dates) or ("M" in kinds and not dates):
        raise ValueError(f"Could not convert object to NumPy {wanted.type.__name__}")
    if dates and kinds[0] != "M" and np.datetime_data(wanted)[0] == "generic":
        raise ValueError("Converting an integer to a NumPy datetime requires a specified unit")


def _common_unit(wanted: np.dtype[Any], values: tuple[Any, ...]) -> np.dtype[Any]:
    """Return spans of the type's unit, or of the finest unit of the values if it has none."""
    unit = _as_kind("m", wanted)
    if np.datetime_data(unit)[0] == "generic":
        for x in values:
            if _kind(x) in "mM":
                unit = np.promote_types(unit, _as_kind("m", x.dtype))
    return unit


def _kind(x: Any) -> str:
    return as_host(x).dtype.kind


def _as_kind(kind: str, dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype of a kind, m or M, with the unit of another dtype."""
    return np.dtype(dtype.str[0] + kind + dtype.str[2:])


def _ticks(x: Any, unit: np.dtype[Any]) -> int:
    """Return a time as a count of a unit; numbers are returned unchanged."""
    if _kind(x) not in "mMiu":
        raise ValueError(f"Could not convert {shown(x)} to a time")
    if _kind(x) in "mM":
        if np.isnat(x):
            raise ValueError("arange: cannot use NaT (not-a-time) datetime values")
        x = as_host(x).astype(_as_kind(_kind(x), unit)).view(np.int64)
    return int(x)
