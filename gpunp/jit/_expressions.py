"""Expressions of Python to typed C++ expressions."""

import ast
import builtins
import contextlib
import types

import numpy as np

from . import _operators as operators
from . import _types as t
from ._errors import locate
from ._functions import BUILTIN_METHODS, call_object
from ._types import Const, Data, Method, Tuple

_LONGEST_TABLE = 4096  # largest NumPy array whose elements become constants of a kernel


class Unknown(Exception):
    """A variable whose type a later pass will know."""


_FOLD = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
    ast.Pow: lambda a, b: a**b,
    ast.BitAnd: lambda a, b: a & b,
    ast.BitOr: lambda a, b: a | b,
    ast.BitXor: lambda a, b: a ^ b,
    ast.LShift: lambda a, b: a << b,
    ast.RShift: lambda a, b: a >> b,
    ast.USub: lambda a: -a,
    ast.UAdd: lambda a: +a,
    ast.Invert: lambda a: ~a,
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
    ast.Is: lambda a, b: a is b,
    ast.IsNot: lambda a, b: a is not b,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}


def is_foldable(value):
    """Whether an operator may be done now: on anything but NumPy's numbers, which keep a dtype."""
    return isinstance(value, Const) and not isinstance(value.value, np.generic)


def as_value(found):
    """The value of a Python object from outside: itself, or what it stands for in kernels."""
    return found.data if isinstance(found, t.DeviceValue) else Const(found)


class Expressions:
    """The half of the compiler that turns expressions into values.

    The other half, `_statements.FunctionCompiler`, has the variables.
    """

    def value(self, node):
        """Give the value of an expression: Data, Const, Tuple or Method."""
        visit = getattr(self, "expr_" + type(node).__name__, None)
        try:
            if visit is None:
                raise NotImplementedError(
                    f"{_describe(node)} is not part of the Python that kernels are written in"
                )
            return visit(node)
        except (Unknown, RecursionError):
            raise
        except Exception as error:
            raise locate(error, node, self.place) from None

    def scalar(self, value):
        """Ask for a number; an array without dimensions gives its element."""
        if isinstance(value, Data):
            if isinstance(value.type, t.ArrayType) and value.type.ndim == 0:
                return self.element(value, [])
            if isinstance(value.type, (t.Scalar, t.Weak)):
                return value
        elif isinstance(value, Const):
            if value.is_number:
                return operators.strong(value)
            if isinstance(value.value, np.ndarray) and value.value.ndim == 0:
                return operators.strong(Const(value.value[()]))
            if hasattr(value.value, "__cuda_array_interface__"):
                raise TypeError(
                    "an array from outside the function: a kernel reads only the arrays it is given"
                )
        raise TypeError(f"a number is needed here, not {_what(value)}")

    @contextlib.contextmanager
    def conditionally(self):
        """For parts of an expression that may not be evaluated, or more than once."""
        before, self.is_conditional = self.is_conditional, True
        yield
        self.is_conditional = before

    def condition(self, node):
        """C++ condition of a test, or True or False when it is known now."""
        if isinstance(node, ast.BoolOp):
            return self.bool_op(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.condition(node.operand)
            return (not inner) if isinstance(inner, bool) else f"!{_closed(inner)}"
        value = self.value(node)
        if isinstance(value, Tuple):
            return bool(value.items)
        if is_foldable(value):
            return bool(value.value)
        return operators.truth(self.scalar(value))

    def bool_op(self, node):
        """`and` and `or` as a condition, without what is known now."""
        is_and = isinstance(node.op, ast.And)
        parts = []
        for operand in node.values:
            with self.conditionally():
                part = self.condition(operand)
            if isinstance(part, bool):
                if part != is_and:
                    if not parts:
                        return part
                    parts.append("true" if part else "false")
                    break
                continue
            parts.append(part)
        if not parts:
            return is_and
        joined = (" && " if is_and else " || ").join(_closed(part) for part in parts)
        return f"({joined})" if len(parts) > 1 else joined

    # ---- leaves

    def expr_Constant(self, node):
        return Const(node.value)

    def expr_Name(self, node):
        return self.lookup(node.id)

    def outer_name(self, name):
        """What a name means outside the function."""
        if name in self.outer:
            try:
                return as_value(self.outer[name].cell_contents)
            except ValueError:
                raise NameError(f"name {name!r} has no value yet") from None
        if name in self.function.__globals__:
            return as_value(self.function.__globals__[name])
        if hasattr(builtins, name):
            return Const(getattr(builtins, name))
        raise NameError(f"name {name!r} is not defined")

    def expr_Tuple(self, node):
        return self._sequence(node)

    def expr_List(self, node):
        return self._sequence(node)

    def _sequence(self, node):
        items = []
        for element in node.elts:
            if isinstance(element, ast.Starred):
                items += self.items(self.value(element.value))
            else:
                items.append(self.value(element))
        if all(is_foldable(item) for item in items):
            return Const(tuple(item.value for item in items))
        return Tuple(items)

    def items(self, value):
        """The values in a tuple."""
        if isinstance(value, Tuple):
            return value.items
        if isinstance(value, Const) and isinstance(value.value, (tuple, list, range)):
            return [Const(item) for item in value.value]
        if isinstance(value, Data) and isinstance(value.type, t.Dim3):
            return [Data(f"{value.code}.{axis}", t.UINT32) for axis in "xyz"]
        raise TypeError(f"{_what(value)} cannot be taken apart")

    def expr_Attribute(self, node):
        return self.attribute(self.value(node.value), node.attr)

    def attribute(self, owner, name):
        if isinstance(owner, Const):
            on_number = owner.is_number and BUILTIN_METHODS.get(name)
            if not on_number:
                try:
                    return as_value(getattr(owner.value, name))
                except AttributeError as error:
                    raise AttributeError(str(error)) from None
            owner = operators.typed(self.mode, owner)
        if isinstance(owner, Data):
            found = self.data_attribute(owner, name)
            if found is not None:
                return found
        raise AttributeError(f"{_what(owner)} has no attribute {name!r} in kernels")

    def data_attribute(self, owner, name):
        type_ = owner.type
        if isinstance(type_, t.ArrayType):
            if name in ("begin", "end") and type_.ndim > 0:
                return Method(name, lambda: self.iterator(owner, name))
            found = _array_attribute(owner, name)
            if found is not None or type_.ndim > 0:
                return found
            owner, type_ = self.element(owner, []), t.Scalar(type_.dtype)
        if isinstance(type_, t.Dim3) and name in ("x", "y", "z"):
            return Data(f"{owner.code}.{name}", t.UINT32)
        if isinstance(type_, t.Opaque) and name in type_.methods:
            return Method(
                name, lambda *args, **keys: type_.methods[name](self, owner, *args, **keys)
            )
        if isinstance(type_, (t.Scalar, t.Weak)):
            if name == "dtype":
                return Const(type_.dtype)
            if name in BUILTIN_METHODS:
                value = operators.typed(self.mode, owner)
                made = BUILTIN_METHODS[name]
                if made.is_property:
                    return made.emit(self, value)
                return Method(name, lambda *args: made.emit(self, value, *args))
        return None

    # ---- operators

    def expr_BinOp(self, node):
        left, right = self.value(node.left), self.value(node.right)
        return self.binary(type(node.op), left, right)

    def binary(self, operator, left, right):
        if is_foldable(left) and is_foldable(right):
            return Const(_FOLD[operator](left.value, right.value))
        if operator is ast.Add and Tuple in (type(left), type(right)):
            return Tuple(self.items(left) + self.items(right))
        if _iterators(left, right):
            return self.move(operator, left, right)
        if operator not in operators.BINARY:
            raise NotImplementedError("the operator @ is not supported in kernels")
        return operators.binary(self.mode, operator, self.scalar(left), self.scalar(right))

    def expr_UnaryOp(self, node):
        if isinstance(node.op, ast.Not):
            found = self.condition(node)
            return Const(found) if isinstance(found, bool) else Data(found, t.BOOL)
        value = self.value(node.operand)
        if is_foldable(value):
            return Const(_FOLD[type(node.op)](value.value))
        return operators.unary(
            self.mode, type(node.op), operators.typed(self.mode, self.scalar(value))
        )

    def expr_BoolOp(self, node):
        with self.conditionally():
            values = [self.value(operand) for operand in node.values]
        is_and = isinstance(node.op, ast.And)
        while len(values) > 1 and is_foldable(values[0]):
            if bool(values[0].value) != is_and:
                return values[0]
            values.pop(0)
        if len(values) == 1:
            return values[0]
        if all(self._is_bool(value) for value in values):
            found = self.bool_op(node)
            return Const(found) if isinstance(found, bool) else Data(found, t.BOOL, pure=False)
        result = values[-1]
        for value in reversed(values[:-1]):
            first = self.scalar(value)
            if not isinstance(first, Const) and not first.pure:
                raise NotImplementedError(
                    "`and` and `or` of numbers evaluate a number twice; put "
                    "the call's result into a variable first"
                )
            pair = (result, first) if is_and else (first, result)
            result = self.choose(operators.truth(first), *pair)
        return result

    def _is_bool(self, value):
        if isinstance(value, Const):
            return isinstance(value.value, (bool, np.bool_))
        return isinstance(value, Data) and getattr(value.type, "dtype", None) == t.BOOL

    def choose(self, condition, yes, no):
        """`yes if condition else no` of two numbers."""
        yes, no = self.scalar(yes), self.scalar(no)
        weak = [t.weak_kind(value) for value in (yes, no)]
        if None not in weak:
            dtype = t.join_dtypes(
                self.mode, t.weak_default(self.mode, yes), t.weak_default(self.mode, no)
            )
        elif weak == [None, None]:
            dtype = t.join_dtypes(self.mode, yes.type.dtype, no.type.dtype)
        else:
            dtype = self.join_weak(*((yes, no) if weak[0] is None else (no, yes)))
        pure = all(isinstance(value, Const) or value.pure for value in (yes, no))
        code = f"({condition} ? {operators.convert(yes, dtype)} : {operators.convert(no, dtype)})"
        return Data(code, dtype, pure)

    def join_weak(self, typed, weak):
        """The dtype for a typed value or a Python number, whichever comes."""
        dtype, kind = typed.type.dtype, t.weak_kind(weak)
        if kind is bool or (kind is int and dtype != t.BOOL and not t.is_integer(dtype)):
            return dtype
        fits = not isinstance(weak, Const) or kind is not int or not t.is_integer(dtype)
        if kind is int and t.is_integer(dtype) and (fits or t.fits(weak.value, dtype)):
            return dtype
        if kind is float and t.is_float(dtype):
            return dtype
        return t.join_dtypes(self.mode, dtype, t.weak_default(self.mode, weak))

    def expr_IfExp(self, node):
        condition = self.condition(node.test)
        if isinstance(condition, bool):
            return self.value(node.body if condition else node.orelse)
        with self.conditionally():
            yes, no = self.value(node.body), self.value(node.orelse)
        return self.choose(condition, yes, no)

    def expr_Compare(self, node):
        operands = [self.value(part) for part in (node.left, *node.comparators)]
        if any(isinstance(v, Data) and not v.pure for v in operands[1:-1]):
            raise NotImplementedError(
                "a chained comparison evaluates its middle twice; put the call's result into a "
                "variable first"
            )
        parts = []
        for operator, left, right in zip(node.ops, operands, operands[1:], strict=False):
            part = self.compare(type(operator), left, right)
            if not isinstance(part, Const):
                parts.append(part)
            elif not part.value:
                return Const(False)
        if not parts:
            return Const(True)
        if len(parts) == 1:
            return parts[0]
        code = " && ".join(part.code for part in parts)
        return Data(f"({code})", t.BOOL, all(part.pure for part in parts))

    def compare(self, operator, left, right):
        if is_foldable(left) and is_foldable(right):
            return Const(bool(_FOLD[operator](left.value, right.value)))
        if operator in (ast.Is, ast.IsNot):
            constants = [v.value for v in (left, right) if isinstance(v, Const)]
            if None in constants:  # what is only known later is not None
                return Const(operator is ast.IsNot)
        if operator in (ast.In, ast.NotIn):
            options = [self.compare(ast.Eq, left, item) for item in self.items(right)]
            code = " || ".join(operators.truth(option) for option in options) or "false"
            return Data(f"({code})" if operator is ast.In else f"!({code})", t.BOOL)
        if operator not in operators.COMPARE:
            raise NotImplementedError("`is` needs values that are known while compiling")
        if _iterators(left, right) == 2:
            symbol = operators.COMPARE_SYMBOLS[operator]
            return Data(f"({left.code} - {right.code} {symbol} 0)", t.BOOL)
        known = isinstance(left, Const) and isinstance(right, Const)
        if known and not (left.is_number and right.is_number):
            return Const(bool(_FOLD[operator](left.value, right.value)))
        return operators.compare(self.mode, operator, self.scalar(left), self.scalar(right))

    # ---- iterators

    def iterator(self, array, name):
        """`x.begin()` or `x.end()` of an array."""
        self.program.includes[t.ITERATORS] = None
        kind = array.type
        elements = kind.cpp.replace("Array<", "Elements<", 1)
        code = f"thrust_begin({array.code})"
        if name == "end":
            code = f"({code} + {array.code}.size())"
        return Data(code, t.IteratorType(kind.dtype, f"Iterator<{elements}>"), array.pure)

    def move(self, operator, left, right):
        """`begin + 3`, `end - 1` and `end - begin`."""
        if operator is ast.Add and not _iterators(left):
            left, right = right, left
        if operator is ast.Sub and _iterators(left, right) == 2:
            return Data(f"({left.code} - {right.code})", t.INT64, left.pure and right.pure)
        if operator not in (ast.Add, ast.Sub) or not _iterators(left):
            raise TypeError("an iterator takes `+ n` and `- n`, and `-` of another iterator")
        count = operators.typed(self.mode, self.scalar(right))
        if not t.is_integer(count.type.dtype):
            raise TypeError(f"an iterator moves by an integer, not {_what(right)}")
        sign = "+" if operator is ast.Add else "-"
        pure = left.pure and count.pure
        return Data(f"({left.code} {sign} (i64)({count.code}))", left.type, pure)

    # ---- arrays

    def expr_Subscript(self, node):
        owner, index = self.value(node.value), self.value(node.slice)
        if _iterators(owner):
            place = operators.convert(self.scalar(index), t.INT64)
            return Data(f"{owner.code}.get({place})", owner.type.dtype, pure=False)
        if isinstance(owner, Data) and isinstance(owner.type, t.ArrayType):
            indices = self.indices(owner, index)
            if len(indices) < owner.type.ndim:
                return self.view(owner, indices)
            return self.element(owner, indices)
        if isinstance(owner, Data) and isinstance(owner.type, t.Storage):
            place = operators.convert(self.scalar(index), t.INT32)
            return Data(f"{owner.code}[{place}]", owner.type.element)
        if not (isinstance(index, Const) and isinstance(index.value, (int, slice))):
            if isinstance(owner, Const) and is_foldable(index):
                return self._known_item(owner, index)
            return self._table_item(owner, index)
        if isinstance(owner, Const):
            return self._known_item(owner, index)
        items = self.items(owner)
        found = items[index.value]
        return Tuple(found) if isinstance(index.value, slice) else found

    def _table_item(self, owner, index):
        """One of several numbers, chosen while the kernel runs: out of a table."""
        known = owner.value if isinstance(owner, Const) else None
        if isinstance(known, np.ndarray) and known.ndim == 1 and known.size <= _LONGEST_TABLE:
            values = [Const(item) for item in known]
        elif isinstance(known, np.ndarray):
            raise TypeError(
                f"a NumPy array of shape {known.shape} cannot be part of a kernel: give it as an "
                "argument, gpunp.asarray(x)"
            )
        else:
            values = self.items(owner)
        numbers = [v for v in values if isinstance(v, Const) and v.is_number]
        if not numbers or len(numbers) != len(values):
            raise TypeError(f"{_what(owner)} can only be indexed by what is known while compiling")
        index = operators.typed(self.mode, self.scalar(index))
        if not t.is_integer(index.type.dtype):
            raise TypeError(f"an index must be an integer, not {_what(index)}")
        table, dtype = self.table(numbers)
        return Data(f"{table}[{index.code}]", dtype, index.pure)

    def table(self, values):
        """A constant array of numbers: its name and dtype."""
        values = [operators.typed(self.mode, value) for value in values]
        dtype = values[0].type.dtype
        for value in values[1:]:
            dtype = t.join_dtypes(self.mode, dtype, value.type.dtype)
        name = self.fresh("table")
        codes = ", ".join(operators.convert(value, dtype) for value in values)
        self.declarations.append(f"const {t.cpp_name(dtype)} {name}[] = {{{codes}}};")
        return name, dtype

    def _known_item(self, owner, index):
        found = owner.value[index.value]
        return Const(found)

    def expr_Slice(self, node):
        bounds = []
        for part in (node.lower, node.upper, node.step):
            value = Const(None) if part is None else self.value(part)
            if not isinstance(value, Const):
                raise NotImplementedError("slices of arrays are not supported in kernels")
            bounds.append(value.value)
        return Const(slice(*bounds))

    def indices(self, array, index):
        """C++ of the index along each axis that is given."""
        is_many = isinstance(index, Tuple) or (
            isinstance(index, Const) and isinstance(index.value, (tuple, list))
        )
        given = self.items(index) if is_many else [index]
        if len(given) > array.type.ndim:
            raise IndexError(
                f"{len(given)} indices for {array.type}"
                if array.type.ndim
                else f"{array.type} takes the index ()"
            )
        return [self._index(array, axis, value) for axis, value in enumerate(given)]

    def _index(self, array, axis, value):
        if isinstance(value, Const) and isinstance(value.value, slice):
            raise NotImplementedError("slices of arrays are not supported in kernels")
        value = self.scalar(value)
        if isinstance(value, Const):
            if isinstance(value.value, bool) or not isinstance(value.value, int):
                raise TypeError(f"an index must be an integer, not {_what(value)}")
            if not t.fits(value.value, t.INT64):
                raise IndexError(f"index {value.value} is out of bounds")
            if value.value < 0:  # from the end, as it is known now
                return f"{array.code}.extent.shape[{axis}] - {-value.value}"
            return str(value.value)
        if not t.is_integer(value.type.dtype):
            raise TypeError(f"an index must be an integer, not {_what(value)}")
        return value.code

    def element(self, array, indices):
        code = self.reference(array, indices)
        if array.type.dtype == t.BOOL:
            code = f"({code} != 0)"
        return Data(code, array.type.dtype)

    def reference(self, array, indices):
        """C++ of an element's place."""
        return f"{array.code}.at({', '.join(indices)})"

    def view(self, array, indices):
        old = array.type
        rest = t.ArrayType(old.dtype, old.ndim - len(indices), old.contiguous, old.small)
        return Data(f"{array.code}.view({', '.join(indices)})", rest)

    # ---- calls

    def expr_Call(self, node):
        called = self.value(node.func)
        args, keywords = [], {}
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                args += self.items(self.value(argument.value))
            else:
                args.append(self.value(argument))
        for keyword in node.keywords:
            if keyword.arg is None:
                raise NotImplementedError("** in a call is not supported in kernels")
            keywords[keyword.arg] = self.value(keyword.value)
        if isinstance(called, Method):
            return called.call(*args, **keywords)
        if not isinstance(called, Const):
            raise TypeError(f"{_what(called)} is not callable")
        return call_object(self, called.value, args, keywords)

    def expr_Lambda(self, node):
        raise NotImplementedError(
            "a lambda inside a kernel is not supported; define it outside and call it here"
        )


def _iterators(*values):
    """How many of some values are iterators."""
    return sum(isinstance(getattr(v, "type", None), t.IteratorType) for v in values)


def _array_attribute(array, name):
    type_, code = array.type, array.code
    if name == "shape":
        return Tuple(Data(f"{code}.extent.shape[{k}]", t.INT64) for k in range(type_.ndim))
    if name == "strides":
        return Tuple(Data(f"{code}.stride({k})", t.INT64) for k in range(type_.ndim))
    if name == "size":
        return Data(f"{code}.size()", t.INT64)
    if name == "nbytes":
        return Data(f"({code}.size() * {type_.dtype.itemsize})", t.INT64)
    known = {"ndim": type_.ndim, "dtype": type_.dtype, "itemsize": type_.dtype.itemsize}
    return Const(known[name]) if name in known else None


def _closed(code):
    return code if code.startswith("(") or code.replace("_", "").isalnum() else f"({code})"


_WORDS = {
    "DictComp": "a dict comprehension",
    "ListComp": "a list comprehension",
    "SetComp": "a set comprehension",
    "GeneratorExp": "a generator expression",
    "JoinedStr": "an f-string",
    "NamedExpr": "the operator :=",
    "Dict": "a dict",
    "Set": "a set",
    "Await": "await",
    "Yield": "yield",
    "YieldFrom": "yield from",
    "Starred": "a starred expression",
}


def _describe(node):
    return _WORDS.get(type(node).__name__, type(node).__name__)


def _what(value):
    """A value in the words of an error."""
    if isinstance(value, Const):
        found = value.value
        if isinstance(found, types.ModuleType):
            return f"the module {found.__name__}"
        return f"{found!r}" if len(repr(found)) < 60 else f"a {type(found).__name__}"
    return str(value)
