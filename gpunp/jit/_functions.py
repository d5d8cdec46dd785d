"""Functions that kernels may call, and their translations to C++."""

import builtins
import cmath
import inspect
import math
import types

import numpy as np

from .._C import ufunc as ufunc_type
from . import _operators as operators
from . import _special as special
from . import _types as t
from ._types import Const, Data, Tuple


class Builtin:
    """Function that exists in kernels only.

    Parameters
    ----------
    emit : function
        Function of the compiler and the values of the arguments that returns the value of the call.
    """

    def __init__(self, emit):
        self._emit = emit
        signature = inspect.signature(emit)
        rest = list(signature.parameters.values())[1:]
        self.__signature__ = signature.replace(parameters=rest)
        self.__name__ = self.__qualname__ = emit.__name__
        self.__module__ = emit.__module__
        self.__doc__ = emit.__doc__

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f"{self.__name__} works only inside a kernel")

    def __repr__(self):
        return f"<{self.__module__}.{self.__name__}>"

    def emit(self, compiler, args, keywords):
        """Give the value of a call in a kernel."""
        bound = self.__signature__.bind(*args, **keywords)
        for parameter in self.__signature__.parameters.values():
            if parameter.default is not parameter.empty and parameter.name not in bound.arguments:
                bound.arguments[parameter.name] = Const(parameter.default)
        return self._emit(compiler, *bound.args, **bound.kwargs)


def known(value, what, types_=(int,)):
    """The Python object of a value that has to be known while compiling."""
    if not isinstance(value, Const) or not isinstance(value.value, (*types_, np.integer)):
        raise TypeError(f"{what} must be known while compiling")
    return value.value


def known_dtype(value, what="dtype"):
    """The dtype a value names: numpy.float32, cp.int64, 'f4', x.dtype."""
    if not isinstance(value, Const):
        raise TypeError(f"{what} must be known while compiling")
    try:
        dtype = np.dtype(value.value)
        t.cpp_name(dtype)
    except TypeError:
        raise TypeError(f"{what} must be a dtype of numbers, not {value}") from None
    return dtype


# ---- casts ---------------------------------------------------------------------------------------


def cast(compiler, value, dtype):
    """A number as a dtype, typed."""
    value = compiler.scalar(value)
    if isinstance(value, Const) and dtype.kind in "iu" and isinstance(value.value, float):
        value = Const(int(value.value))
    return Data(operators.convert(value, dtype), dtype, isinstance(value, Const) or value.pure)


def _cast_python(kind):
    def emit(compiler, value=None):
        if value is None:
            return Const(kind())
        if isinstance(value, Const) and isinstance(value.value, str):
            return Const(kind(value.value))
        value = compiler.scalar(value)
        if isinstance(value, Const):
            return Const(kind(value.value))
        return cast(compiler, value, t.default_dtype(compiler.mode, kind))

    return emit


def _int(compiler, value=None):
    """int(x): integers keep their type, floats become the mode's integer, wide enough for them."""
    if isinstance(value, Data):
        value = compiler.scalar(value)
        if not isinstance(value.type, t.Weak) and t.is_integer(value.type.dtype):
            return value
        if value.type.dtype == t.FLOAT64:
            return cast(compiler, value, t.INT64)
    return _cast_python(int)(compiler, value)


def _float(compiler, value=None):
    """float(x): floats keep their type, integers become the mode's float."""
    if isinstance(value, Data):
        value = compiler.scalar(value)
        if t.is_float(value.type.dtype):
            return value
    return _cast_python(float)(compiler, value)


# ---- Python's own functions ----------------------------------------------------------------------


def _extreme(name, symbol):
    def emit(compiler, *values):
        if len(values) == 1:
            values = compiler.items(values[0])
        values = [compiler.scalar(value) for value in values]
        if all(isinstance(value, Const) for value in values):
            return Const(getattr(builtins, name)(value.value for value in values))
        result = values[0]
        for value in values[1:]:
            result = _pair(compiler, name, symbol, result, value)
        return result

    return emit


def _pair(compiler, name, symbol, a, b):
    if isinstance(a, Const) and isinstance(b, Const):
        return Const(getattr(builtins, name)(a.value, b.value))
    dtype = t.common_dtype(compiler.mode, (a, b))
    if dtype.kind == "c":
        raise TypeError(f"{name} of complex numbers is not defined")
    compute = t.compute_dtype(dtype)
    x, y = (operators.cast_code(operators.convert(v, dtype), dtype, compute) for v in (a, b))
    if dtype.itemsize >= 4 or compute != dtype:
        code = f"{name}({x}, {y})"
    else:
        code = f"({y} {symbol} {x} ? {y} : {x})"
    pure = all(isinstance(v, Const) or v.pure for v in (a, b))
    return Data(operators.cast_code(code, compute, dtype), dtype, pure)


def _len(compiler, value):
    if isinstance(value, Data) and isinstance(value.type, t.ArrayType):
        if value.type.ndim == 0:
            raise TypeError("len() of an array without dimensions")
        return Data(f"{value.code}.extent.shape[0]", t.INT64)
    if isinstance(value, Const):
        return Const(len(value.value))
    return Const(len(compiler.items(value)))


def _abs(compiler, value):
    value = compiler.scalar(value)
    if isinstance(value, Const):
        return Const(abs(value.value))
    return operators.call_ufunc(compiler.mode, "absolute", [operators.typed(compiler.mode, value)])


def _pow(compiler, base, exponent):
    import ast

    return compiler.binary(ast.Pow, base, exponent)


def _round(compiler, value):
    value = compiler.scalar(value)
    if isinstance(value, Const):
        return Const(round(value.value))
    if t.is_integer(value.type.dtype):
        return value
    rounded = operators.call_ufunc(compiler.mode, "rint", [value])
    return cast(compiler, rounded, t.INT64 if compiler.mode == "numpy" else t.INT32)


def _divmod(compiler, a, b):
    values = [compiler.scalar(a), compiler.scalar(b)]
    return Tuple(operators.call_ufunc(compiler.mode, "divmod", values))


_FORMATS = {"b": ("%d", "i32"), "i": ("%lld", "i64"), "u": ("%llu", "u64"), "f": ("%g", "f64")}


def _print(compiler, *values, sep=None, end=None):
    """print() is printf: numbers with %lld, %llu and %g, Python's constants as they are."""
    separator = " " if sep is None else known(sep, "sep", (str,))
    texts, args = [], []
    for value in values:
        if isinstance(value, Const):
            texts.append(str(value.value).replace("%", "%%"))
            continue
        value = operators.typed(compiler.mode, compiler.scalar(value))
        dtype = value.type.dtype
        if dtype.kind == "c":
            texts.append("(%g%+gj)")
            args += [f"(f64)({value.code}).re", f"(f64)({value.code}).im"]
            continue
        form, held = _FORMATS["f" if t.is_float(dtype) else dtype.kind]
        texts.append(form)
        args.append(f"({held})({value.code})")
    text = separator.join(texts) + ("\n" if end is None else known(end, "end", (str,)))
    compiler.line(f"printf({', '.join([compiler.c_string(text), *args])});")
    return Data("", t.VOID)


PYTHON = {
    builtins.min: _extreme("min", "<"),
    builtins.max: _extreme("max", ">"),
    builtins.len: _len,
    builtins.abs: _abs,
    builtins.pow: _pow,
    builtins.round: _round,
    builtins.divmod: _divmod,
    builtins.print: _print,
    builtins.int: _int,
    builtins.float: _float,
    builtins.bool: _cast_python(bool),
    builtins.complex: lambda compiler, re=None, im=None: make_complex(compiler, re, im),
}


def make_complex(compiler, re=None, im=None):
    """complex(re, im) of real numbers."""
    parts = [compiler.scalar(Const(0.0) if part is None else part) for part in (re, im)]
    if all(isinstance(part, Const) for part in parts):
        return Const(complex(parts[0].value, parts[1].value))
    if im is None and parts[0].type.dtype.kind == "c":
        return parts[0]
    dtype = t.common_dtype(compiler.mode, parts)
    if dtype.kind == "c":
        raise TypeError("complex() of two numbers takes real ones")
    part = (
        t.FLOAT64
        if dtype == t.FLOAT64 or (t.is_integer(dtype) and dtype.itemsize == 8)
        else t.FLOAT32
    )
    name = "c128" if part == t.FLOAT64 else "c64"
    codes = ", ".join(operators.convert(value, part) for value in parts)
    return Data(f"{name}({codes})", t.COMPLEX128 if name == "c128" else t.COMPLEX64)


# ---- functions of numpy, gpunp and math ----------------------------------------------------------

_MATH_NAMES = {  # where they are not NumPy's own names
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "pow": "power",
    "fabs": "fabs",
}
_WHOLE = {"floor": "floor", "ceil": "ceil", "trunc": "trunc"}  # math's give an int
_CUDA_NAMES = ("erf", "erfc", "lgamma")
_ROWS = {row["name"]: row for row in operators.ufunc_table()}


def _where(compiler, condition, yes, no):
    return compiler.choose(operators.truth(compiler.scalar(condition)), yes, no)


def _cuda_float(name):
    """A function of one float that CUDA has and the tables do not."""

    def emit(compiler, value):
        value = operators.typed(compiler.mode, compiler.scalar(value))
        dtype = value.type.dtype if t.is_float(value.type.dtype) else t.FLOAT64
        compute = t.compute_dtype(dtype)
        code = operators.cast_code(operators.convert(value, dtype), dtype, compute)
        return Data(operators.cast_code(f"{name}({code})", compute, dtype), dtype, value.pure)

    return emit


def _math_function(name):
    if name in _CUDA_NAMES or name == "gamma":
        return _cuda_float("tgamma" if name == "gamma" else name)
    row = _MATH_NAMES.get(name, name)
    if row not in _ROWS:
        return None

    def emit(compiler, *values):
        values = [compiler.scalar(value) for value in values]
        if all(isinstance(value, Const) for value in values):
            return Const(getattr(math, name)(*[value.value for value in values]))
        result = operators.call_ufunc(compiler.mode, row, values)
        if name in _WHOLE and t.is_float(result.type.dtype):
            return cast(compiler, result, t.INT64)
        return result

    return emit


def _functions_by_object():
    table = dict(PYTHON)
    for name in dir(math):
        emit = None if name.startswith("_") else _math_function(name)
        if emit is not None:
            table[getattr(math, name)] = emit
    for name in ("exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh"):
        table[getattr(cmath, name)] = _complex_function(name)
    table[np.where] = _where
    for name in ("clip", "round", "angle", "real", "imag"):
        emit = _ARRAY_FUNCTIONS[name]
        table[getattr(np, name)] = emit
    return table


def _complex_function(name):
    def emit(compiler, value):
        value = operators.typed(compiler.mode, compiler.scalar(value))
        dtype = value.type.dtype
        if dtype.kind != "c":
            wide = dtype == t.FLOAT64 or t.is_integer(dtype)
            value = cast(compiler, value, t.COMPLEX128 if wide else t.COMPLEX64)
        return operators.call_ufunc(compiler.mode, name, [value])

    return emit


def _clip(compiler, value, low, high):
    low, high = compiler.scalar(low), compiler.scalar(high)
    return operators.call_ufunc(compiler.mode, "clip", [compiler.scalar(value), low, high])


def _part(name):
    return lambda compiler, value: compiler.attribute(
        operators.typed(compiler.mode, compiler.scalar(value)), name
    )


def _angle(compiler, value):
    value = operators.typed(compiler.mode, compiler.scalar(value))
    parts = [compiler.attribute(value, name) for name in ("imag", "real")]
    return operators.call_ufunc(compiler.mode, "arctan2", parts)


_ARRAY_FUNCTIONS = {
    "clip": _clip,
    "round": lambda compiler, value: operators.call_ufunc(
        compiler.mode, "rint", [compiler.scalar(value)]
    ),
    "angle": _angle,
    "real": _part("real"),
    "imag": _part("imag"),
}

_TABLE = _functions_by_object()


def _as_known(function):
    """The emitter of a function of ours or NumPy's: by identity, or by the name of a ufunc."""
    try:
        found = _TABLE.get(function)
    except TypeError:
        return None
    if found is not None:
        return found
    name = getattr(function, "__name__", "")
    if isinstance(function, (np.ufunc, ufunc_type)):
        if special.counterpart(function) is not None:
            return special.emitter(special.counterpart(function))
        if name not in _ROWS:
            name = {"fabs": "fabs"}.get(name, name)
        if name in _ROWS:
            return _ufunc_emitter(name)
    if (getattr(function, "__module__", None) or "").startswith("gpunp") and name in (
        "where",
        *_ARRAY_FUNCTIONS,
    ):
        return _where if name == "where" else _ARRAY_FUNCTIONS[name]
    return None


def _ufunc_emitter(name):
    def emit(compiler, *values):
        values = [compiler.scalar(value) for value in values]
        result = operators.call_ufunc(compiler.mode, name, values)
        return Tuple(result) if isinstance(result, list) else result

    return emit


def call_object(compiler, function, args, keywords):
    """The value of calling a Python object that is known while compiling."""
    if hasattr(type(function), "emit"):  # a Builtin or what a builtin made
        return function.emit(compiler, args, keywords)
    emit = _as_known(function)
    if emit is not None:
        return emit(compiler, *args, **keywords)
    target = getattr(function, "_device_function", None)
    if target is not None or isinstance(function, types.FunctionType):
        module = getattr(target or function, "__module__", None) or ""
        if target is None and module.split(".")[0] in ("gpunp", "numpy"):
            raise TypeError(f"{module}.{function.__name__} is not supported in kernels")
        mode = getattr(function, "_mode", compiler.mode)
        return compiler.call_device(target or function, mode, args, keywords)
    if isinstance(function, type) and issubclass(function, np.generic):
        return _construct(compiler, function, args, keywords)
    are_known = all(isinstance(value, Const) for value in [*args, *keywords.values()])
    if are_known and _is_pure(function):
        names = {name: value.value for name, value in keywords.items()}
        return Const(function(*[value.value for value in args], **names))
    name = getattr(function, "__name__", None) or repr(function)
    raise TypeError(f"{name} cannot be called in a kernel")


_PURE_TYPES = {
    bool,
    bytes,
    complex,
    dict,
    float,
    frozenset,
    int,
    list,
    range,
    set,
    slice,
    str,
    tuple,
}
_PURE_BUILTINS = {abs, all, any, bin, chr, divmod, format, hash, hex, isinstance, issubclass, len}
_PURE_BUILTINS |= {max, min, oct, ord, pow, repr, round, sorted, sum}


def _is_pure(function):
    """Whether a call may be made while compiling: it does nothing but give a value."""
    if isinstance(function, type):
        return function in _PURE_TYPES or function.__module__.split(".")[0] == "numpy"
    if not isinstance(function, types.BuiltinFunctionType):
        return False
    if function.__module__ in ("math", "cmath", "operator", "_operator"):
        return True
    owner = getattr(function, "__self__", None)
    return function in _PURE_BUILTINS or type(owner) in _PURE_TYPES


def _construct(compiler, function, args, keywords):
    if keywords or len(args) > 1:
        raise TypeError(f"{function.__name__}() takes one number")
    dtype = np.dtype(function)
    t.cpp_name(dtype)
    return cast(compiler, args[0] if args else Const(0), dtype)


# ---- methods of numbers --------------------------------------------------------------------------


class _NumberMethod:
    def __init__(self, emit, is_property):
        self.emit = emit
        self.is_property = is_property


def _real(compiler, value):
    if value.type.dtype.kind != "c":
        return value
    return Data(f"({value.code}).re", _part_dtype(value), value.pure)


def _imag(compiler, value):
    if value.type.dtype.kind != "c":
        return Data(operators.literal(0, value.type.dtype), value.type.dtype)
    return Data(f"({value.code}).im", _part_dtype(value), value.pure)


def _part_dtype(value):
    return t.FLOAT32 if value.type.dtype == t.COMPLEX64 else t.FLOAT64


def _conjugate(compiler, value):
    return operators.call_ufunc(compiler.mode, "conjugate", [value])


BUILTIN_METHODS = {
    "real": _NumberMethod(_real, True),
    "imag": _NumberMethod(_imag, True),
    "conj": _NumberMethod(_conjugate, False),
    "conjugate": _NumberMethod(_conjugate, False),
    "astype": _NumberMethod(
        lambda compiler, value, dtype: cast(compiler, value, known_dtype(dtype)), False
    ),
    "item": _NumberMethod(lambda compiler, value: value, False),
}
