"""Statements of Python to C++: one function for one list of argument types.

Types are inferred by repetition. A pass over the body gives every variable the type of all that is
assigned to it so far; when a pass changes no type, its C++ is the result. Types only grow, so this
ends. A variable that is given one constant and nothing else is that constant.
"""

import ast

import numpy as np

from . import _operators as operators
from . import _types as t
from ._builtins import range as jit_range
from ._errors import locate
from ._expressions import Expressions, Unknown, _what, is_foldable
from ._source import find_source
from ._types import Const, Data, Tuple

_MOST_PASSES = 64


class Variable:
    """A local variable: its name in C++ and what is known of its type."""

    def __init__(self, cpp):
        self.cpp = cpp
        self.assigned = None  # dtype of all typed values assigned to it
        self.updated = None  # dtype of the results of `x += y`, if no typed value was assigned
        self.weak = None  # the widest kind of Python number among the values
        self.numbers = set()  # the constants among them
        self.other = None  # the type, when it is no number

    def snapshot(self):
        return (self.assigned, self.updated, self.weak, self.other)

    def type(self, mode):
        if self.other is not None:
            return self.other
        base = self.assigned if self.assigned is not None else self.updated
        if self.weak is None:
            return None if base is None else t.Scalar(base)
        values = [n for n in self.numbers if isinstance(n, self.weak)] or [self.weak]
        alone = t.default_dtype(mode, values[0])
        for value in values[1:]:
            alone = np.promote_types(alone, t.default_dtype(mode, value))
        if base is None or base == t.BOOL:
            return t.Scalar(alone)
        if self.weak is bool:
            return t.Scalar(base)
        if self.weak is int and t.is_integer(base):
            return t.Scalar(
                base
                if all(t.fits(n, base) for n in values if n is not int)
                else np.promote_types(base, alone)
            )
        if t.is_integer(base) or (self.weak is complex and base.kind != "c"):
            return t.Scalar(t.join_dtypes(mode, base, alone))
        return t.Scalar(base)


_WIDTH = {bool: 0, int: 1, float: 2, complex: 3}


class FunctionCompiler(Expressions):
    """Compiler of one Python function for one list of argument values.

    Parameters
    ----------
    program : Program
        Program that collects the functions called.
    function : function
        Python function to compile.
    mode : {'cuda', 'numpy'}
        Typing rules, those of C++ or of NumPy.
    arguments : list of (str, value)
        Parameters and their values: Data, Const or Tuple.
    name : str
        Name of the function in C++.
    """

    def __init__(self, program, function, mode, arguments, name):
        self.program = program
        self.mode = mode
        self.function = function
        self.name = name
        self.is_kernel = program.is_kernel(name)
        self.node, self.place = find_source(function)
        self.outer = dict(
            zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        )
        self.bindings = _count_bindings(self.node, [name for name, _ in arguments])
        self.arguments = [
            (name, self._as_parameter(name, value, "" if self.bindings[name] == 1 else "in"))
            for name, value in arguments
        ]
        self.variables = {}
        self.returned = [Variable("")]
        self.returns_tuple = False
        self.callees = []

    def _as_parameter(self, name, value, ending):
        """An argument as the function sees it: under its parameter's name."""
        if isinstance(value, Data):
            return Data(_cpp_identifier(name) + ending, value.type)
        if isinstance(value, Tuple):
            return Tuple(
                self._as_parameter(f"{name}.{k}", item, "in") for k, item in enumerate(value.items)
            )
        return value

    # ---- passes

    def compile(self):
        """Compile the body; `text`, `callees` and `return_type` are there afterwards."""
        before = None
        for _ in range(_MOST_PASSES):
            self.unknown = None
            self._pass()
            after = {name: v.snapshot() for name, v in self.variables.items()}
            after[""] = [v.snapshot() for v in self.returned]
            if after == before:
                break
            before = after
        if self.unknown is not None:
            raise self.unknown
        self.text = self._text()

    def _pass(self):
        self.lines, self.depth, self.counter = [], 1, 0
        self.declarations, self.callees, self.constants = [], [], {}
        self.is_conditional = False
        for name, value in self.arguments:
            if self.bindings[name] == 1:
                self.constants[name] = value
            else:
                self.line(self.bind(name, value))
        body = self.node.body
        if isinstance(self.node, ast.Lambda):
            body = [ast.copy_location(ast.Return(self.node.body), self.node.body)]
        self.block(body)

    @property
    def return_type(self):
        types = tuple(variable.type(self.mode) for variable in self.returned)
        return t.TupleType(types) if self.returns_tuple else types[0] or t.VOID

    def _text(self):
        declared = [
            f"    {type_.cpp} {variable.cpp};"
            for variable in self.variables.values()
            if (type_ := variable.type(self.mode)) is not None and type_.cpp is not None
        ]
        parameters = ", ".join(f"{data.type.cpp} {data.code}" for _, data in self.parameters())
        if self.is_kernel:
            head = f'extern "C" __global__ void {self.name}({parameters})'
        else:
            head = f"static __device__ {self.return_type.cpp} {self.name}({parameters})"
        body = [*(f"    {line}" for line in self.declarations), *declared, *self.lines]
        return "\n".join([head, "{", *body, "}"])

    def parameters(self):
        """(name, Data) of each argument that is passed; constants are not."""
        return flatten(self.arguments)

    # ---- text

    def line(self, text):
        if text:
            self.lines.append("    " * self.depth + text)

    def fresh(self, stem):
        """A name that no variable of the program has."""
        self.counter += 1
        return f"{stem}{self.counter}"

    def hoist(self, code, type_):
        """Evaluate an expression before the statement that it is part of; gives its name."""
        if self.is_conditional:
            raise NotImplementedError(
                "a call that gives several values, in an expression that may not be evaluated or "
                "more than once; put its result into a variable first"
            )
        name = self.fresh("given")
        self.line(f"{type_.cpp} {name} = {code};")
        return name

    def c_string(self, text):
        out = []
        for byte in text.encode():
            char = chr(byte)
            out.append(
                char
                if char.isprintable() and char not in '"\\?' and byte < 128
                else f"\\{byte:03o}"
            )
        return '"' + "".join(out) + '"'

    # ---- variables

    def lookup(self, name):
        if name in self.constants:
            return self.constants[name]
        if name not in self.bindings:
            return self.outer_name(name)
        variable = self.variables.get(name)
        type_ = variable.type(self.mode) if variable is not None else None
        if isinstance(type_, _TupleOf):
            return Tuple(self.lookup(item) for item in type_.names)
        if type_ is None:
            raise Unknown(f"variable {name!r} is used before it has a value")
        return Data(variable.cpp, type_)

    def _variable(self, name):
        if name not in self.variables:
            self.variables[name] = Variable(_cpp_identifier(name))
            self.bindings.setdefault(name, 2)
        return self.variables[name]

    def bind(self, name, value):
        """C++ that assigns a value to a variable."""
        once = self.bindings.get(name) == 1
        if isinstance(value, Data) and isinstance(value.type, t.Void):
            raise TypeError("the call has no value")
        if once and (is_foldable(value) or not isinstance(value, (Data, Tuple))):
            self.constants[name] = value
            return ""
        if once and isinstance(value, Data) and isinstance(value.type, (t.Opaque, t.Storage)):
            self.constants[name] = value
            return ""
        if isinstance(value, Const) and isinstance(value.value, (tuple, list)):
            value = Tuple(self.items(value))
        if isinstance(value, Tuple):
            return self._bind_tuple(name, value)
        if isinstance(value, Data) and isinstance(
            value.type, (t.ArrayType, t.IteratorType, t.Opaque)
        ):
            return self._bind_object(name, value)
        variable = self._variable(name)
        value = self.scalar(value)
        if variable.other is not None:
            raise TypeError(f"variable {name!r} is {variable.other} elsewhere, not {_what(value)}")
        self._learn(variable, value)
        return f"{variable.cpp} = {operators.convert(value, variable.type(self.mode).dtype)};"

    def _learn(self, variable, value):
        kind = t.weak_kind(value)
        if kind is None:
            dtype = value.type.dtype
            old = variable.assigned
            variable.assigned = dtype if old is None else t.join_dtypes(self.mode, old, dtype)
            return
        if variable.weak is None or _WIDTH[kind] > _WIDTH[variable.weak]:
            variable.weak = kind
        if isinstance(value, Const):
            variable.numbers.add(value.value)

    def _bind_object(self, name, value):
        variable = self._variable(name)
        if variable.type(self.mode) not in (None, value.type):
            raise TypeError(
                f"variable {name!r} is {variable.type(self.mode)} elsewhere, not {value.type}"
            )
        variable.other = value.type
        return f"{variable.cpp} = {value.code};"

    def _bind_tuple(self, name, value):
        variable = self._variable(name)
        names = tuple(f"{name}.{k}" for k in range(len(value.items)))
        if variable.type(self.mode) not in (None, _TupleOf(names)):
            raise TypeError(f"variable {name!r} is {variable.type(self.mode)} elsewhere")
        variable.other = _TupleOf(names)
        return " ".join(
            self.bind(item, part) for item, part in zip(names, value.items, strict=True)
        )

    # ---- statements

    def block(self, statements):
        for statement in statements:
            if self.program.with_lines:
                self.lines.append(f"#line {statement.lineno} {self.c_string(self.place.filename)}")
            self.statement(statement)

    def statement(self, node):
        visit = getattr(self, "stmt_" + type(node).__name__, None)
        try:
            if visit is None:
                name = type(node).__name__
                raise NotImplementedError(
                    f"{_STATEMENTS.get(name, name)} is not part of the Python that kernels are "
                    "written in"
                )
            visit(node)
        except Unknown as error:
            if self.unknown is None:
                self.unknown = locate(NameError(str(error)), node, self.place)
        except Exception as error:
            raise locate(error, node, self.place) from None

    def indented(self, statements):
        self.depth += 1
        self.block(statements)
        self.depth -= 1

    def stmt_Pass(self, node):
        pass

    def stmt_Expr(self, node):
        if isinstance(node.value, ast.Constant):
            return
        value = self.value(node.value)
        if isinstance(value, Data) and value.code:
            self.line(
                f"{value.code};" if isinstance(value.type, t.Void) else f"(void)({value.code});"
            )

    def stmt_Assign(self, node):
        value = self.value(node.value)
        if (
            len(node.targets) > 1
            and isinstance(value, Data)
            and not isinstance(value.type, t.Opaque)
        ):
            name = self.fresh("same")
            self.line(f"{value.type.cpp} {name} = {value.code};")
            value = Data(name, value.type)
        for target in node.targets:
            self.assign(target, value)

    def stmt_AnnAssign(self, node):
        if node.value is not None:
            self.assign(node.target, self.value(node.value))

    def assign(self, target, value):
        if isinstance(target, ast.Name):
            self.line(self.bind(target.id, value))
        elif isinstance(target, ast.Subscript):
            self.line(self.store(target, value))
        elif isinstance(target, (ast.Tuple, ast.List)):
            self.unpack(target, value)
        else:
            raise NotImplementedError(f"assignment to {type(target).__name__} is not supported")

    def unpack(self, target, value):
        items = self.items(value)
        if len(items) != len(target.elts):
            raise ValueError(f"{len(items)} values for {len(target.elts)} variables")
        held = []
        for item in items:  # all are evaluated before the first is assigned
            if isinstance(item, Data) and not isinstance(item.type, t.Opaque):
                name = self.fresh("part")
                self.line(f"{item.type.cpp} {name} = {item.code};")
                item = Data(name, item.type)
            held.append(item)
        for element, item in zip(target.elts, held, strict=True):
            self.assign(element, item)

    def place_of(self, target):
        """The array and C++ place of a subscript that is assigned to."""
        array = self.value(target.value)
        if not (isinstance(array, Data) and isinstance(array.type, t.ArrayType)):
            raise TypeError(f"{_what(array)} cannot be assigned to by index")
        indices = self.indices(array, self.value(target.slice))
        if len(indices) < array.type.ndim:
            raise IndexError(f"{len(indices)} indices for {array.type}: only elements are assigned")
        return array, self.reference(array, indices)

    def store(self, target, value):
        array, code = self.place_of(target)
        return f"{code} = {operators.convert(self.scalar(value), array.type.dtype)};"

    def stmt_AugAssign(self, node):
        operator, value = type(node.op), self.value(node.value)
        if isinstance(node.target, ast.Name):
            self._update_name(node.target.id, operator, value)
            return
        if not isinstance(node.target, ast.Subscript):
            raise NotImplementedError("only names and elements of arrays are updated in place")
        array, code = self.place_of(node.target)
        dtype = array.type.dtype
        name = self.fresh("at")
        old = Data(f"({name} != 0)" if dtype == t.BOOL else name, dtype)
        result = self.scalar(self.binary(operator, old, value))
        self.line(
            f"{{ Raw<{t.cpp_name(dtype)}> &{name} = {code}; "
            f"{name} = {operators.convert(result, dtype)}; }}"
        )

    def _update_name(self, name, operator, value):
        old = self.lookup(name)
        result = self.binary(operator, old, value)
        variable = self._variable(name)
        if isinstance(variable.other, t.IteratorType) and result.type == variable.other:
            self.line(f"{variable.cpp} = {result.code};")
            return
        if isinstance(result, Tuple) or variable.other is not None:
            raise TypeError(f"variable {name!r} is no number")
        result = operators.typed(self.mode, self.scalar(result))
        if variable.assigned is None:
            dtype = result.type.dtype
            known = variable.updated
            variable.updated = dtype if known is None else t.join_dtypes(self.mode, known, dtype)
        self.line(f"{variable.cpp} = {operators.convert(result, variable.type(self.mode).dtype)};")

    def stmt_If(self, node):
        condition = self.condition(node.test)
        if isinstance(condition, bool):
            self.block(node.body if condition else node.orelse)
            return
        self.line(f"if ({condition}) {{")
        self.indented(node.body)
        if node.orelse:
            self.line("}")
            self.line("else {")
            self.indented(node.orelse)
        self.line("}")

    def stmt_While(self, node):
        self._refuse_else(node)
        with self.conditionally():
            condition = self.condition(node.test)
        if condition is False:
            return
        self.line(f"while ({'true' if condition is True else condition}) {{")
        self.indented(node.body)
        self.line("}")

    def _refuse_else(self, node):
        if node.orelse:
            raise NotImplementedError("`else` of a loop is not supported in kernels")

    def stmt_For(self, node):
        self._refuse_else(node)
        counted = self._range_of(node.iter)
        if counted is not None:
            self._for_range(node, *counted)
            return
        values = self.items(self.value(node.iter))
        self._for_values(node, values)

    def _range_of(self, node):
        """(bounds, unroll) when a loop runs over range() or jit.range()."""
        if isinstance(node, ast.Call):
            called = self.value(node.func)
            function = called.value if isinstance(called, Const) else None
            if function is not range and function is not jit_range:
                return None
            bounds = []
            for argument in node.args:
                if isinstance(argument, ast.Starred):
                    bounds += self.items(self.value(argument.value))
                else:
                    bounds.append(self.value(argument))
            unroll = None
            for keyword in node.keywords:
                if keyword.arg != "unroll" or function is range:
                    raise TypeError(f"range() has no argument {keyword.arg!r}")
                given = self.value(keyword.value)
                if not isinstance(given, Const) or not isinstance(given.value, (int, type(None))):
                    raise TypeError("unroll must be known while compiling: an int or a bool")
                unroll = given.value
            if not 1 <= len(bounds) <= 3:
                raise TypeError(f"range takes 1 to 3 arguments, {len(bounds)} were given")
            return bounds, unroll
        known = self.value(node)
        if isinstance(known, Const) and isinstance(known.value, range):
            bounds = (known.value.start, known.value.stop, known.value.step)
            return [Const(bound) for bound in bounds], None
        return None

    def _for_range(self, node, bounds, unroll):
        bounds = [self.scalar(bound) for bound in bounds]
        start = bounds[0] if len(bounds) > 1 else Const(0)
        stop = bounds[1] if len(bounds) > 1 else bounds[0]
        step = bounds[2] if len(bounds) > 2 else Const(1)
        dtype = self._counter_dtype((start, stop, step))
        # A stride may carry a 32-bit counter over its last value.
        is_one = isinstance(step, Const) and step.value in (1, -1)
        counter = dtype if is_one or dtype.itemsize == 8 else t.INT64
        cpp = t.cpp_name(counter)
        count, end, by = self.fresh("count"), self.fresh("stop"), self.fresh("step")
        code = [operators.convert(bound, counter) for bound in (start, stop, step)]
        if isinstance(step, Const):
            if step.value == 0:
                raise ValueError("range() needs a step that is not zero")
            test = f"{count} < {end}" if step.value > 0 else f"{count} > {end}"
            constant = f"const {cpp} {end} = {code[1]};"
            by = code[2]
        else:
            test = f"{count} < {end}"
            if dtype.kind == "i" or counter != dtype:
                test = f"({by} < 0 ? {count} > {end} : {count} < {end})"
            constant = f"const {cpp} {end} = {code[1]}, {by} = {code[2]};"
        self.line("{")
        self.depth += 1
        self.line(constant)
        if unroll is not None:
            self.lines.append(_unroll(unroll))
        self.line(f"for ({cpp} {count} = {code[0]}; {test}; {count} += {by}) {{")
        self.depth += 1
        self.assign(node.target, Data(operators.cast_code(count, counter, dtype), dtype))
        self.depth -= 1
        self.indented(node.body)
        self.line("}")
        self.depth -= 1
        self.line("}")

    def _counter_dtype(self, bounds):
        """The type of a loop's counter: of mixed signs, one that holds both."""
        for bound in bounds:
            kind = t.weak_kind(bound)
            if kind not in (None, int) or (kind is None and not t.is_integer(bound.type.dtype)):
                raise TypeError(f"range() takes integers, not {_what(bound)}")
        dtypes = [bound.type.dtype for bound in bounds if t.weak_kind(bound) is None]
        for bound in bounds:
            if isinstance(bound, Const):
                value = bound.value
                if not dtypes or not all(t.fits(value, dtype) for dtype in dtypes):
                    dtypes.append(t.default_dtype(self.mode, value))
            elif isinstance(bound.type, t.Weak):
                dtypes.append(bound.type.dtype)
        common = dtypes[0]
        for dtype in dtypes[1:]:
            common = np.promote_types(common, dtype)
        if common.itemsize < 4:
            common = t.INT32
        return common if common.kind != "f" else t.INT64

    def _for_values(self, node, values):
        """A loop over a tuple: over its values in an array of their common type."""
        if not values:
            return
        values = [operators.typed(self.mode, self.scalar(value)) for value in values]
        dtype = values[0].type.dtype
        for value in values[1:]:
            dtype = t.join_dtypes(self.mode, dtype, value.type.dtype)
        table, count = self.fresh("values"), self.fresh("count")
        codes = ", ".join(operators.convert(value, dtype) for value in values)
        self.line("{")
        self.depth += 1
        self.line(f"const {t.cpp_name(dtype)} {table}[] = {{{codes}}};")
        self.lines.append("#pragma unroll")
        self.line(f"for (i32 {count} = 0; {count} < {len(values)}; {count}++) {{")
        self.depth += 1
        self.assign(node.target, Data(f"{table}[{count}]", dtype))
        self.depth -= 1
        self.indented(node.body)
        self.line("}")
        self.depth -= 1
        self.line("}")

    def stmt_Break(self, node):
        self.line("break;")

    def stmt_Continue(self, node):
        self.line("continue;")

    def stmt_Return(self, node):
        value = Const(None) if node.value is None else self.value(node.value)
        nothing = (isinstance(value, Const) and value.value is None) or (
            isinstance(value, Data) and isinstance(value.type, t.Void)
        )
        if nothing:
            if isinstance(value, Data) and value.code:
                self.line(f"{value.code};")
            self.line("return;")
            return
        if self.is_kernel:
            raise TypeError("a kernel returns nothing: write the result into an array it is given")
        self._return_value(value)

    def _return_value(self, value):
        if isinstance(value, Const) and isinstance(value.value, (tuple, list)):
            value = Tuple(self.items(value))
        if isinstance(value, Tuple) or self.returns_tuple:
            self._return_tuple(value)
            return
        returned = self.returned[0]
        if isinstance(value, Data) and isinstance(value.type, t.ArrayType):
            if returned.type(self.mode) not in (None, value.type):
                raise TypeError(f"{value} is returned, and elsewhere {returned.type(self.mode)}")
            returned.other = value.type
            self.line(f"return {value.code};")
            return
        value = self.scalar(value)
        self._learn(returned, value)
        self.line(f"return {operators.convert(value, returned.type(self.mode).dtype)};")

    def _return_tuple(self, value):
        items = [self.scalar(item) for item in self.items(value)]
        if not self.returns_tuple and self.returned[0].type(self.mode) is None:
            self.returned = [Variable("") for _ in items]
            self.returns_tuple = True
        if not self.returns_tuple or len(items) != len(self.returned):
            raise TypeError("a function returns as many values everywhere")
        code = "{}"
        for item, returned in zip(reversed(items), reversed(self.returned), strict=True):
            self._learn(returned, item)
            code = f"{{{operators.convert(item, returned.type(self.mode).dtype)}, {code}}}"
        self.line(f"return {self.return_type.cpp}{code};")

    def stmt_Assert(self, node):
        condition = self.condition(node.test)
        if condition is True:
            return
        text = ast.unparse(node.test)
        if node.msg is not None:
            message = self.value(node.msg)
            text = str(message.value) if isinstance(message, Const) else text
        code = "false" if condition is False else condition
        where = f"{self.c_string(self.place.filename)}, {node.lineno}"
        name = self.c_string(self.place.name)
        self.line(f"if (!({code})) __assertfail({self.c_string(text)}, {where}, {name}, 1);")

    # ---- functions called

    def call_device(self, function, mode, args, keywords):
        callee, passed = self.program.device_function(function, mode, args, keywords)
        if callee not in self.callees:
            self.callees.append(callee)
        code = ", ".join(data.code for data in passed)
        code, type_ = f"{callee.name}({code})", callee.return_type
        if isinstance(type_, t.TupleType):
            return Tuple(type_.items(self.hoist(code, type_)))
        return Data(code, type_, pure=False)


class _TupleOf:
    """The type of a variable that holds a tuple: the variables of its items."""

    cpp = None

    def __init__(self, names):
        self.names = names

    def __eq__(self, other):
        return isinstance(other, _TupleOf) and other.names == self.names

    def __hash__(self):
        return hash(self.names)

    def __str__(self):
        return f"tuple of {len(self.names)}"


def flatten(arguments):
    """(name, Data) of each argument, tuples item by item, without what is known."""
    for name, value in arguments:
        if isinstance(value, Data):
            yield name, value
        elif isinstance(value, Tuple):
            yield from flatten((f"{name}.{k}", item) for k, item in enumerate(value.items))


def _cpp_identifier(name):
    """A variable's name in C++: with a trailing _, so that it hides nothing of the vocabulary."""
    plain = "".join(
        c if c.isascii() and (c.isalnum() or c == "_") else f"u{ord(c):x}" for c in name
    )
    return plain.replace(".", "_") + "_"


def _count_bindings(node, names):
    """How many times each local name is given a value."""
    count = dict.fromkeys(names, 1)

    def bind(name, times=1):
        count[name] = count.get(name, 0) + times

    def targets(target, times):
        if isinstance(target, ast.Name):
            bind(target.id, times)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for element in target.elts:
                targets(element, times)

    if isinstance(node, ast.Lambda):
        return count
    for statement in ast.walk(ast.Module(node.body, [])):
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                targets(target, 1)
        elif isinstance(statement, ast.AnnAssign):
            targets(statement.target, 1)
        elif isinstance(statement, (ast.AugAssign, ast.For)):
            targets(statement.target, 2)
    return count


def _unroll(unroll):
    if unroll is True:
        return "#pragma unroll"
    return f"#pragma unroll {max(int(unroll), 1)}"


_STATEMENTS = {
    "FunctionDef": "a function inside a kernel",
    "ClassDef": "a class",
    "AsyncFunctionDef": "async",
    "With": "with",
    "Try": "try",
    "Raise": "raise",
    "Import": "import",
    "ImportFrom": "import",
    "Global": "global",
    "Nonlocal": "nonlocal",
    "Delete": "del",
    "Match": "match",
}
