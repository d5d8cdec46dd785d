"""Special functions in kernels: the ufuncs of csrc/tables/special.def and SciPy's own."""

import functools
import re
import sys

import numpy as np

from .._C import special_table, special_ufuncs
from . import _operators as operators
from . import _types as t
from ._types import Const, Data

_ROWS = {row["name"]: row for row in special_table()}
_UFUNCS = special_ufuncs()


def counterpart(function):
    """Our ufunc for a special function of ours or SciPy's; None for another."""
    name = function.__name__
    if name not in _UFUNCS:
        return None
    if isinstance(function, np.ufunc):
        module = sys.modules.get("scipy.special")
        return _UFUNCS[name] if getattr(module, name, None) is function else None
    return _UFUNCS[name] if function is _UFUNCS[name] else None


def _operand(mode, value):
    """What `_loop_dtypes` takes for a scalar value."""
    kind = t.weak_kind(value)
    if kind is None:
        return t.dtype_of(value)
    return t.BOOL if kind is bool else kind


def emitter(ufunc):
    """Return the function that writes a call of `ufunc`."""
    row = _ROWS[ufunc.__name__]

    def emit(compiler, *values):
        values = [compiler.scalar(value) for value in values]
        if len(values) != row["nin"]:
            raise TypeError(f"{row['name']} takes {row['nin']} arguments, {len(values)} were given")
        if row["nout"] != 1:
            raise NotImplementedError(
                f"{row['name']}, which has {row['nout']} results, is not supported in kernels"
            )
        operands = [_operand(compiler.mode, value) for value in values]
        if not any(isinstance(operand, np.dtype) for operand in operands):
            operands = [t.weak_default(compiler.mode, value) for value in values]
        *loops, out = ufunc._loop_dtypes((*operands, None))
        is_complex = any(dtype.kind == "c" for dtype in (*loops, out))
        header = row["complex_header"] if is_complex and row["complex_header"] else row["header"]
        compiler.program.includes[header] = None
        codes = {
            letter: operators.convert(value, dtype)
            for letter, value, dtype in zip("abcde", values, loops, strict=False)
        }
        code = re.sub(r"\b[abcde]\b", lambda match: codes[match[0]], row["expression"])
        pure = all(isinstance(value, Const) or value.pure for value in values)
        return Data(f"({t.cpp_name(out)})({code})", out, pure)

    return emit


@functools.cache
def special_headers():
    """The header of each function `special::name(...)` of real numbers, by its name."""
    found = {}
    for row in _ROWS.values():
        name = re.fullmatch(r"special::(\w+)\([a-e, ]*\)", row["expression"])
        if name:
            found[name[1]] = row["header"]
    return found
