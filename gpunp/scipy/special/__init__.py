"""`scipy.special`: special functions."""

from ._ufuncs import *
from ._ufuncs import __all__ as _ufunc_names

__all__ = [*_ufunc_names]  # noqa: PLE0604
