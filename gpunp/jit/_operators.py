"""Operators, conversions and ufuncs on scalars: from typed values to C++ expressions.

What an operation means is a row of csrc/tables/ufuncs.def, so that `a % b` in a kernel is what it
is between arrays. Only which type it is computed in depends on the mode, see `_types`.
"""

import ast
import math
import re

import numpy as np

from .._C import ufunc_table
from . import _types as t
from ._types import Const, Data

_ROWS = {row["name"]: row for row in ufunc_table()}

BINARY = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder",
    ast.Pow: "power",
    ast.BitAnd: "bitwise_and",
    ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor",
    ast.LShift: "left_shift",
    ast.RShift: "right_shift",
}
COMPARE = {
    ast.Eq: "equal",
    ast.NotEq: "not_equal",
    ast.Lt: "less",
    ast.LtE: "less_equal",
    ast.Gt: "greater",
    ast.GtE: "greater_equal",
}
_SYMBOLS = {
    "equal": "==",
    "not_equal": "!=",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
}
COMPARE_SYMBOLS = {operator: _SYMBOLS[name] for operator, name in COMPARE.items()}
UNARY = {ast.USub: "negative", ast.UAdd: "positive", ast.Invert: "invert"}


# ---- literals and conversions --------------------------------------------------------------------


def _float_literal(value, dtype):
    single = dtype != t.FLOAT64
    if math.isnan(value):
        return (
            "__int_as_float(0x7fffffff)" if single else "__longlong_as_double(0x7ff8000000000000ll)"
        )
    if math.isinf(value):
        sign = "-" if value < 0 else ""
        bits = "__int_as_float(0x7f800000)"
        return f"({sign}{bits if single else '__longlong_as_double(0x7ff0000000000000ll)'})"
    if single:
        with np.errstate(over="ignore"):
            narrow = np.float32(value)
        if np.isinf(narrow):
            return _float_literal(float(narrow), dtype)
        return f"({narrow!s}f)" if value < 0 else f"{float(narrow)!r}f"
    return f"({value!r})" if value < 0 else repr(value)


def literal(value, dtype):
    """C++ of a Python or NumPy number as a value of a dtype."""
    name = t.cpp_name(dtype)
    if dtype == t.BOOL:
        return "true" if value else "false"
    if isinstance(value, (complex, np.complexfloating)) and dtype.kind != "c":
        raise TypeError(f"a complex number cannot become {dtype}")
    if dtype.kind == "c":
        value = complex(value)
        part = t.FLOAT32 if dtype == t.COMPLEX64 else t.FLOAT64
        return f"{name}({_float_literal(value.real, part)}, {_float_literal(value.imag, part)})"
    if t.is_float(dtype):
        code = _float_literal(float(value), dtype)
        return code if dtype in (t.FLOAT32, t.FLOAT64) else f"{name}({code})"
    value = int(value)
    if not t.fits(value, dtype):
        raise OverflowError(f"{value} does not fit into {dtype}")
    if dtype == t.INT32 and value != -(2**31):
        return f"({value})" if value < 0 else str(value)
    if dtype == t.UINT32:
        return f"{value}u"
    if dtype == t.UINT64:
        return f"{value}ull"
    if value == -(2**63):
        return f"(i64)({value + 1}ll - 1)"
    return f"({name}){value}" if -(2**31) < value < 2**31 and value >= 0 else f"({name})({value}ll)"


def cast_code(code, source, target):
    """C++ of an expression of dtype `source` as `target`, with the meaning of astype."""
    if source == target:
        return code
    name = t.cpp_name(target)
    plain = source.kind in "biuf" and target.kind in "iuf" and source.name != "float16"
    if plain and target.name != "float16" and not (source.kind == "f" and target.kind in "iu"):
        return f"({name}){code}" if re.fullmatch(r"\w+|\(.*\)", code) else f"({name})({code})"
    return f"cast<{name}>({code})"


def convert(value, dtype):
    """C++ of a scalar value as a dtype."""
    if isinstance(value, Const):
        if not value.is_number:
            raise TypeError(f"{value} is no number")
        if value.is_weak:
            return literal(value.value, dtype)
        value = strong(value)
    return cast_code(value.code, value.type.dtype, dtype)


def strong(value):
    """A NumPy scalar of the program as a typed literal; other values stay."""
    if isinstance(value, Const) and isinstance(value.value, np.generic):
        return Data(literal(value.value, value.value.dtype), value.value.dtype)
    return value


def typed(mode, value):
    """A scalar value with a dtype of its own: a weak one takes the mode's."""
    value = strong(value)
    if isinstance(value, Const) or isinstance(value.type, t.Weak):
        dtype = t.weak_default(mode, value)
        return Data(convert(value, dtype), dtype)
    return value


def truth(value):
    """C++ condition of a scalar value."""
    value = strong(value)
    if isinstance(value, Const):
        return "true" if value.value else "false"
    dtype = value.type.dtype
    return value.code if dtype == t.BOOL else cast_code(value.code, dtype, t.BOOL)


# ---- rows ----------------------------------------------------------------------------------------


def _substitute(expression, names):
    return re.sub(r"\b(?:[abcTR])\b", lambda match: names[match[0]], expression)


def call_row(name, loop, out, values):
    """Return one operation in the dtype `loop`, its result converted to `out`.

    Parameters
    ----------
    name : str
        Name of a row of ufuncs.def with one output.
    loop : dtype or sequence of dtypes
        Type to which the inputs are converted.
    out : dtype
        Type of the result.
    values : sequence
        Scalar operands of the operation.
    """
    loops = [loop] * len(values) if isinstance(loop, np.dtype) else list(loop)
    names = {"T": t.cpp_name(loops[0]), "R": t.cpp_name(out)}
    for letter, value, dtype in zip("abc", values, loops, strict=False):
        code = cast_code(convert(value, dtype), dtype, t.compute_dtype(dtype))
        names[letter] = code
    expression = _ROWS[name]["expression"]
    if name in _SYMBOLS and loops[0] == loops[-1] and loops[0].kind != "c":
        expression = f"a {_SYMBOLS[name]} b"  # what the row's function does with these
    code = _substitute(expression, names)
    if not re.fullmatch(r"[\w<>]+\(.*\)", expression):
        code = f"({code})"
    given = _row_result(name, loops[0], out)
    pure = all(isinstance(value, Const) or value.pure for value in values)
    return Data(_narrow(code, given, out), out, pure)


def _row_result(name, loop, out):
    """The C++ type an expression has, as a dtype; None when it need not be that of `out`."""
    kind = _ROWS[name]["result"]
    if kind in ("TEST", "COMPARE"):
        return t.BOOL
    if out.itemsize < 4 or name in ("absolute", "bitwise_count") or out == t.BOOL:
        return None
    return t.compute_dtype(out) if kind != "LDEXP" else t.compute_dtype(loop)


def _narrow(code, given, out):
    if given == out:
        return code
    if t.is_float(out) and out.itemsize == 2:
        return f"{t.cpp_name(out)}({code})"
    return f"({t.cpp_name(out)}){code}"


def resolve(mode, name, values):
    """The dtypes a ufunc computes in: those of its inputs and of its outputs, as NumPy decides."""
    theirs = getattr(np, name, None) if name != "clip" else np._core.umath.clip
    if not isinstance(theirs, np.ufunc):
        theirs = np._core.umath.clip
    operands = []
    dtypes = {t.dtype_of(value) for value in values if t.weak_kind(value) is None}
    for value in values:
        kind = t.weak_kind(value)
        if kind is None:
            operands.append(t.dtype_of(value))
        elif kind is bool:
            operands.append(t.BOOL)
        elif not dtypes:
            operands.append(t.weak_default(mode, value))
        elif len(dtypes) == 1 and next(iter(dtypes)).name == "bfloat16" and kind is not complex:
            operands.append(next(iter(dtypes)))  # NumPy does not know it as a float
        else:
            operands.append(kind)
    try:
        found = theirs.resolve_dtypes((*operands, *[None] * theirs.nout))
    except TypeError as error:
        names = ", ".join(getattr(o, "name", getattr(o, "__name__", "")) for o in operands)
        raise TypeError(f"{name} is not defined for {names}") from error
    return found[: theirs.nin], found[theirs.nin :]


def call_ufunc(mode, name, values):
    """A ufunc on scalar values: a value, or a list of them when it has two outputs."""
    row = _ROWS[name]
    if len(values) != row["nin"]:
        raise TypeError(f"{name} takes {row['nin']} arguments, {len(values)} were given")
    inputs, outputs = resolve(mode, name, values)
    if name == "divmod":
        return [
            call_row(part, inputs[0], out, values)
            for part, out in zip(("floor_divide", "remainder"), outputs, strict=True)
        ]
    if row["nout"] != 1:
        raise NotImplementedError(f"{name}, which has two results, is not supported in kernels")
    loops = inputs
    if name == "ldexp":
        loops = [inputs[0], t.INT32]
    return call_row(name, loops, outputs[0], values)


# ---- operators -----------------------------------------------------------------------------------


def binary(mode, operator, left, right):
    """`left operator right` on scalar values that are not both Python numbers."""
    name = BINARY[operator]
    values = (left, right)
    if operator is ast.Pow and isinstance(right, Const) and right.is_weak:
        typed_left = not isinstance(left, Const) and isinstance(left.type, t.Scalar)
        if right.value == 2 and typed_left and left.pure and left.type.dtype != t.BOOL:
            return binary(mode, ast.Mult, left, left)
        if isinstance(right.value, int) and right.value < 0:
            right = Const(float(right.value))  # as Python has it: 1 / x
            values = (left, right)
    if mode == "numpy":
        inputs, outputs = resolve(mode, name, values)
        return call_row(name, inputs[0], outputs[0], values)
    dtype = t.common_dtype(mode, values)
    are_bools = all(not isinstance(v, Const) and v.type.dtype == t.BOOL for v in values)
    if are_bools and operator in (ast.BitAnd, ast.BitOr, ast.BitXor):
        dtype = t.BOOL
    if operator is ast.Div and not t.is_float(dtype) and dtype.kind != "c":
        dtype = t.FLOAT64
    if operator in (ast.LShift, ast.RShift) and not isinstance(left, Const):
        dtype = t.common_dtype(mode, (left,))
    _check_kind(name, dtype)
    return call_row(name, dtype, dtype, values)


def _check_kind(name, dtype):
    letter = {"b": "?", "V": "f"}.get(dtype.kind, dtype.kind)
    if letter not in _ROWS[name]["classes"] + ("f" if name == "divide" else ""):
        raise TypeError(f"{name} is not defined for {dtype}")


def compare(mode, operator, left, right):
    """A comparison of scalar values, exact between integers of any two types."""
    name = COMPARE[operator]
    values = (left, right)
    kinds = {t.dtype_of(v).kind for v in values if t.weak_kind(v) is None}
    weak = [v for v in values if t.weak_kind(v) is not None]
    if kinds <= set("biu"):
        if all(t.weak_kind(v) in (int, bool) for v in weak):
            return call_row(name, _integer_loops(values), t.BOOL, values)
        dtype = t.common_dtype(mode, values)
    elif mode == "cuda":
        dtype = t.common_dtype(mode, values)
    else:
        inputs, _ = resolve(mode, name, values)
        dtype = inputs[0]
    return call_row(name, dtype, t.BOOL, values)


def _integer_loops(values):
    """Types in which integers are compared as the numbers they are."""
    dtypes = [t.dtype_of(v) for v in values if t.weak_kind(v) is None]
    for value in values:
        if t.weak_kind(value) is None:
            continue
        if isinstance(value, Const):
            number = int(value.value)
            if any(t.is_integer(d) and t.fits(number, d) for d in dtypes):
                continue
            dtypes.append(t.default_dtype("numpy", number))
        else:
            dtypes.append(value.type.dtype)
    common = dtypes[0]
    for dtype in dtypes[1:]:
        common = np.promote_types(common, dtype)
    if common.kind != "f":
        return [common] * 2
    return [
        t.dtype_of(v)
        if t.weak_kind(v) is None
        else t.default_dtype("numpy", v.value)
        if isinstance(v, Const)
        else v.type.dtype
        for v in values
    ]


def unary(mode, operator, value):
    """`-x`, `+x`, `~x` of a scalar value that is no Python number."""
    name = UNARY[operator]
    dtype = value.type.dtype
    if mode == "cuda" and dtype != t.BOOL:
        dtype = t.common_dtype(mode, (value,))
    elif mode == "cuda" and operator is not ast.Invert:
        dtype = t.INT32
    else:
        resolve(mode, name, (value,))  # NumPy's refusals
    _check_kind(name, dtype)
    return call_row(name, dtype, dtype, (value,))
