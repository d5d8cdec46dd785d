"""`scipy.constants`: SciPy's numbers and tables, and its conversions of units of device arrays."""

import numbers

import scipy.constants as _theirs

from ._borrowed import borrow as _borrow

_NUMBERS = [n for n in _theirs.__all__ if isinstance(getattr(_theirs, n), numbers.Number)]
_TABLES = ["ConstantWarning", "find", "physical_constants", "precision", "unit", "value"]

__all__, __getattr__, __dir__ = _borrow("constants", same=[*_NUMBERS, *_TABLES])
