"""Error handling: NumPy's floating-point settings, and a setting for linear algebra."""

from contextlib import ContextDecorator
from contextvars import ContextVar
from typing import Any

import numpy as np

from ._convert import shown

__all__ = ["errstate", "geterr", "seterr"]

_linalg: ContextVar[str] = ContextVar("linalg", default="raise")


def _checked(linalg: str) -> str:
    if linalg not in ("raise", "ignore"):
        raise ValueError(f"linalg must be 'raise' or 'ignore', not {shown(linalg)}")
    return linalg


def linalg_is_checked() -> bool:
    """Whether linear algebra reads back the status of its factorizations."""
    return _linalg.get() == "raise"


class errstate(ContextDecorator):
    """Context manager for error handling: NumPy's settings, and `linalg`.

    Parameters
    ----------
    linalg : {'raise', 'ignore'}, optional
        With 'raise', the default, the status of each factorisation is read back, which waits for
        the device, and `LinAlgError` is raised if it failed. With 'ignore' nothing waits or raises;
        the results of matrices that failed are NaN.
    call, all, divide, over, under, invalid : optional
        Passed on to `numpy.errstate`; device code raises no such errors.

    Examples
    --------
    >>> import gpunp as cp
    >>> with cp.errstate(linalg="ignore"):
    ...     cp.linalg.inv(cp.zeros((1, 1)))
    array([[nan]])
    """

    def __init__(self, *, linalg: str | None = None, **kwargs: Any):
        self._kwargs = kwargs
        self._linalg = None if linalg is None else _checked(linalg)
        self._entered: list[tuple[Any, Any]] = []

    def __enter__(self) -> None:
        host = np.errstate(**self._kwargs)
        host.__enter__()
        token = None if self._linalg is None else _linalg.set(self._linalg)
        self._entered.append((host, token))

    def __exit__(self, *exception: Any) -> None:
        host, token = self._entered.pop()
        if token is not None:
            _linalg.reset(token)
        host.__exit__(*exception)


def geterr() -> dict[str, str]:
    """Return the current error handling: NumPy's, and that of linear algebra.

    Returns
    -------
    dict of str
        'divide', 'over', 'under' and 'invalid', which are NumPy's and concern computations on the
        host, and 'linalg', which says whether failures in `gpunp.linalg` raise.
    """
    return {**dict[str, Any](np.geterr()), "linalg": _linalg.get()}


def seterr(
    all=None, divide=None, over=None, under=None, invalid=None, *, linalg=None
) -> dict[str, str]:
    """Set error handling permanently; `errstate` sets it for a block.

    Parameters
    ----------
    all : {'ignore', 'warn', 'raise', 'call', 'print', 'log'}, optional
        Treatment of all of NumPy's four kinds of errors that are not given. It concerns
        computations on the host; the device never stops for a floating-point exception.
    divide, over, under, invalid : str, optional
        Treatment of one kind of NumPy's errors.
    linalg : {'ignore', 'raise'}, optional
        Whether a singular matrix raises LinAlgError, which has to wait for the device, or gives
        NaN.

    Returns
    -------
    dict of str
        The settings before the call, as returned by `geterr`.

    Raises
    ------
    ValueError
        If a setting is unknown.
    """
    before = geterr()
    if linalg is not None:
        _linalg.set(_checked(linalg))
    np.seterr(all=all, divide=divide, over=over, under=under, invalid=invalid)
    return before
