"""Algorithms on sequences in kernels, each done by the thread that calls it: sort, find, scan ...

Iterators come from arrays, whose elements they give in C order::

    @jit.rawkernel()
    def sort_rows(x):
        row = x[jit.grid(1)]
        jit.thrust.sort(jit.thrust.seq, row.begin(), row.end())

``begin + k``, ``end - begin``, comparisons and ``begin[k]`` work on them. What is given as `comp`,
`binary_pred` or `binary_op` is a function that kernels may call, defined outside of the kernel.
The algorithms are those of kernels/user/thrust.cuh, which includes nothing of a toolkit.
"""

import ast
import inspect

from . import _operators as operators
from . import _types as t
from ._functions import Builtin, call_object
from ._types import Const, Data, DeviceValue, Tuple

__all__ = ["device", "make_constant_iterator", "make_counting_iterator", "seq"]

_POLICY = t.Opaque("thrust policy", {})
seq = DeviceValue(Data("seq", _POLICY))
device = DeviceValue(Data("device", _POLICY))

_DEFAULTS = {
    "add": lambda compiler, a, b: compiler.binary(ast.Add, a, b),
    "subtract": lambda compiler, a, b: compiler.binary(ast.Sub, a, b),
    "multiply": lambda compiler, a, b: compiler.binary(ast.Mult, a, b),
    "equal": lambda compiler, a, b: compiler.compare(ast.Eq, a, b),
    "less": lambda compiler, a, b: compiler.compare(ast.Lt, a, b),
}
_TESTS = ("equal", "less")  # their operands are converted to one type, and they give a bool

_SCALARS = {
    "value": "Value that elements are compared with.",
    "old_value": "Value that elements are compared with.",
    "new_value": "Value of the elements that are replaced.",
    "init": "Value to start with; its type is that of the sums. By default 0.",
    "step": "Difference of neighbours, by default 1.",
}
_OPERATIONS = {
    "binary_op": "Function of two values to use in place of the usual operation.",
    "binary_op1": "Function of two values to use in place of the sum.",
    "binary_op2": "Function of two values to use in place of the product.",
    "binary_pred": "Function of two values that says whether they are equal.",
    "pred": "Function of two values that says whether they are equal.",
    "comp": "Function of two values that says whether the first comes before the second.",
}
_ITERATORS = {
    "first": "First element of the sequence.",
    "last": "End of the sequence.",
    "first1": "First element of the first sequence.",
    "last1": "End of the first sequence.",
    "first2": "First element of the second sequence.",
    "last2": "End of the second sequence.",
    "result": "First place for the results.",
    "map": "First of the numbers of places, which count from `result`.",
    "map_first": "First of the numbers of elements, which count from `input_first`.",
    "map_last": "End of the numbers of elements.",
    "input_first": "First element of the input.",
    "keys_first": "First of the keys.",
    "keys_last": "End of the keys.",
    "values_first": "First of the values, of which each key has one.",
    "keys_output": "First place for the keys of the results.",
    "values_output": "First place for the values of the results.",
    "keys_first1": "First of the sorted keys of the first sequence.",
    "keys_last1": "End of the keys of the first sequence.",
    "keys_first2": "First of the sorted keys of the second sequence.",
    "keys_last2": "End of the keys of the second sequence.",
    "values_first1": "First of the values of the first sequence.",
    "values_first2": "First of the values of the second sequence.",
    "keys_result": "First place for the keys of the results.",
    "values_result": "First place for the values of the results.",
}
_TABLES = {"number": _SCALARS, "function": _OPERATIONS, "iterator": _ITERATORS}
_TWO = "first1 last1 first2 last2 result comp=None"
_TWO_KEYS = "keys_first1 keys_last1 keys_first2 keys_last2 values_first1"
_BY_KEY = f"{_TWO_KEYS} values_first2 keys_result values_result comp=None"
_LESS_KEYS = {"comp": "less keys_first keys_first"}
_LESS_TWO = {"comp": "less first1 first2"}
_LESS_TWO_KEYS = {"comp": "less keys_first1 keys_first2"}
_LESS = {"comp": "less first first"}
_EQUAL_VALUE = {"": "equal first value"}
_SET = {
    "set_difference": ("ONLY_FIRST", "those of the first that the second has not"),
    "set_intersection": ("BOTH", "those of the first that the second has too"),
    "set_symmetric_difference": ("ONLY_FIRST | ONLY_SECOND", "those that one alone has"),
    "set_union": ("ONLY_FIRST | BOTH | ONLY_SECOND", "those that any of them has"),
}

# (name, parameters after the policy, operations, results, summary). An operation has a default and
# the names of what it is applied to; that of the name "" is no parameter. Results are "", "count",
# "bool", "init" (a number of that type), or the parameters of whose types the iterators are.
_FUNCTIONS = [
    ("adjacent_difference", "first last result binary_op=None",
     {"binary_op": "subtract first first"}, "result",
     "Store the first element, and the difference of each other one and that before it."),
    ("copy", "first last result", {}, "result", "Copy a sequence."),
    ("count", "first last value", _EQUAL_VALUE, "count", "Count the elements that equal a value."),
    ("equal", "first1 last1 first2 binary_pred=None", {"binary_pred": "equal first1 first2"},
     "bool", "Tell whether two sequences have equal elements."),
    ("equal_range", "first last value comp=None", {"comp": "less first value"}, "first first",
     "Find the part of a sorted sequence that equals a value: its two ends."),
    ("exclusive_scan", "first last result init=None binary_op=None",
     {"binary_op": "add init first"}, "result", "Sum up the elements before each position."),
    ("exclusive_scan_by_key",
     "first1 last1 first2 result init=None binary_pred=None binary_op=None",
     {"binary_pred": "equal first1 first1", "binary_op": "add init first2"}, "result",
     "Sum up the values before each position, anew for each run of equal keys."),
    ("fill", "first last value", {}, "", "Set all elements to a value."),
    ("find", "first last value", _EQUAL_VALUE, "first",
     "Find the first element that equals a value; the end if there is none."),
    ("gather", "map_first map_last input_first result", {}, "result",
     "Copy the elements that integers number."),
    ("inclusive_scan", "first last result binary_op=None", {"binary_op": "add first first"},
     "result", "Sum up the elements up to each position."),
    ("inclusive_scan_by_key", "first1 last1 first2 result binary_pred=None binary_op=None",
     {"binary_pred": "equal first1 first1", "binary_op": "add first2 first2"}, "result",
     "Sum up the values up to each position, anew for each run of equal keys."),
    ("inner_product", "first1 last1 first2 init binary_op1=None binary_op2=None",
     {"binary_op2": "multiply first1 first2", "binary_op1": "add init binary_op2"}, "init",
     "Sum up the products of elements of two sequences."),
    ("is_sorted", "first last comp=None", _LESS, "bool", "Tell whether a sequence is sorted."),
    ("is_sorted_until", "first last comp=None", _LESS, "first",
     "Find the first element that is out of order; the end if there is none."),
    ("mismatch", "first1 last1 first2 pred=None", {"pred": "equal first1 first2"},
     "first1 first2", "Find the first place at which two sequences differ, in both of them."),
    ("reduce", "first last init=None binary_op=None", {"binary_op": "add init first"}, "init",
     "Sum up the elements of a sequence."),
    ("reduce_by_key",
     "keys_first keys_last values_first keys_output values_output binary_pred=None binary_op=None",
     {"binary_pred": "equal keys_first keys_first", "binary_op": "add values_first values_first"},
     "keys_output values_output", "Sum up the values of each run of equal keys."),
    ("remove", "first last value", _EQUAL_VALUE, "first",
     "Move the elements that differ from a value to the front; find their end."),
    ("remove_copy", "first last result value", _EQUAL_VALUE, "result",
     "Copy the elements that differ from a value."),
    ("replace", "first last old_value new_value", {"": "equal first old_value"}, "",
     "Replace the elements that equal a value."),
    ("replace_copy", "first last result old_value new_value", {"": "equal first old_value"},
     "result", "Copy a sequence, with the elements that equal a value replaced."),
    ("reverse", "first last", {}, "", "Reverse the order of the elements."),
    ("reverse_copy", "first last result", {}, "result", "Copy a sequence in reversed order."),
    ("scatter", "first last map result", {}, "", "Copy elements to the places that are numbered."),
    ("sequence", "first last init=None step=None", {}, "", "Set the elements to equal steps."),
    ("sort", "first last comp=None", _LESS, "", "Sort a sequence; equal elements keep order."),
    ("sort_by_key", "keys_first keys_last values_first comp=None", _LESS_KEYS, "",
     "Sort keys, and their values in the same order; equal keys keep order."),
    ("stable_sort", "first last comp=None", _LESS, "",
     "Sort a sequence; equal elements keep their order."),
    ("stable_sort_by_key", "keys_first keys_last values_first comp=None", _LESS_KEYS, "",
     "Sort keys, and their values in the same order; equal keys keep their order."),
    ("swap_ranges", "first1 last1 first2", {}, "first2", "Exchange two sequences."),
    ("unique", "first last binary_pred=None", {"binary_pred": "equal first first"}, "first",
     "Keep the first of each run of equal elements; find their end."),
    ("unique_by_key", "keys_first keys_last values_first binary_pred=None",
     {"binary_pred": "equal keys_first keys_first"}, "keys_first values_first",
     "Keep the first of each run of equal keys, with its value; find both ends."),
    *((name, _TWO, _LESS_TWO, "result",
       f"Merge two sorted sequences: {what}. Elements may occur several times.")
      for name, (_, what) in _SET.items()),
    *((f"{name}_by_key",
       _BY_KEY if name != "set_intersection" else _BY_KEY.replace("values_first2 ", ""),
       _LESS_TWO_KEYS, "keys_result values_result",
       f"Merge two sequences sorted by key: {what}. Keys may occur several times.")
      for name, (_, what) in _SET.items()),
]  # fmt: skip
_SEARCHES = [
    ("binary_search", "bool", "Tell whether a value is in a sorted sequence."),
    ("lower_bound", "first",
     "Find the first place in a sorted sequence for a value: before its equals."),
    ("upper_bound", "first",
     "Find the last place in a sorted sequence for a value: behind its equals."),
]  # fmt: skip


# ---- operations ----------------------------------------------------------------------------------


class _Call:
    """One call: its arguments by name, and the C++ of those that are passed."""

    def __init__(self, compiler, name, arguments):
        self.compiler, self.name, self.arguments = compiler, name, arguments
        self.dtypes = {}  # of numbers and of the results of operations

    def dtype(self, name):
        """The type of the elements of an iterator, or of a number."""
        if name in self.dtypes:
            return self.dtypes[name]
        return self.arguments[name].type.dtype

    def is_given(self, name):
        value = self.arguments[name]
        return not (isinstance(value, Const) and value.value is None)

    def iterator(self, name):
        value = self.arguments[name]
        if not (isinstance(value, Data) and isinstance(value.type, t.IteratorType)):
            raise TypeError(f"{self.name}: {name} must be an iterator, not {value}")
        return value.code

    def number(self, name, beside):
        """A number as it is passed; `beside` is the iterator whose elements it meets."""
        element = self.dtype(beside)
        if not self.is_given(name):
            dtype, value = element, Const(1 if name == "step" else 0)
        else:
            value = self.compiler.scalar(self.arguments[name])
            dtype = t.common_dtype(self.compiler.mode, (Data("", element), value))
            if name == "init" and t.weak_kind(value) is None:
                dtype = t.dtype_of(value)  # the type of a sum is that of what it starts with
            if name == "new_value" or self.name in ("fill", "sequence"):
                dtype = self.dtype("result" if "result" in self.arguments else beside)
        self.dtypes[name] = dtype
        return f"({t.cpp_name(dtype)})({operators.convert(value, dtype)})"

    def operation(self, name, default, *operands):
        """An operation as a C++ function of two values of any types."""
        dtypes = [self.dtype(operand) for operand in operands]
        if default in _TESTS:
            dtypes = [t.common_dtype(self.compiler.mode, [Data("", it) for it in dtypes])] * 2
        values = [Data(word, dtype) for word, dtype in zip(("left", "right"), dtypes, strict=True)]
        count = len(self.compiler.lines)
        if name and self.is_given(name):
            function = self.arguments[name]
            if not isinstance(function, Const):
                raise TypeError(f"{self.name}: {name} must be a function, not {function}")
            result = call_object(self.compiler, function.value, values, {})
        else:
            result = _DEFAULTS[default](self.compiler, *values)
        result = operators.typed(self.compiler.mode, self.compiler.scalar(result))
        if len(self.compiler.lines) != count:
            raise NotImplementedError(f"{self.name}: {name} gives several values")
        self.dtypes[name] = result.type.dtype
        code = operators.truth(result) if default in _TESTS else result.code
        held = " ".join(
            f"const {t.cpp_name(dtype)} {word} = cast<{t.cpp_name(dtype)}>({word}_);"
            for word, dtype in zip(("left", "right"), dtypes, strict=True)
        )
        return f"[&](auto left_, auto right_) {{ {held} return {code}; }}"

    def result(self, kind, code):
        """The value of the call."""
        compiler = self.compiler
        if kind in ("", "count", "bool", "init"):
            types = {"": t.VOID, "count": t.INT64, "bool": t.BOOL}
            return Data(code, types.get(kind) or self.dtypes["init"], pure=False)
        types = tuple(self.arguments[name].type for name in kind.split())
        if len(types) == 1:
            return Data(code, types[0], pure=False)
        pair = t.TupleType(types)
        return Tuple(pair.items(compiler.hoist(code, pair)))


def _emit_row(compiler, row, name, arguments):
    """The value of a call of a row of the table, whose arguments are by name."""
    cpp, parameters, operations, kind, _ = row
    policy = arguments.pop("exec_policy")
    if not isinstance(policy, Data) or policy.type != _POLICY:
        raise TypeError(f"{name}: exec_policy must be thrust.seq or thrust.device, not {policy}")
    compiler.program.includes[t.ITERATORS] = None
    call = _Call(compiler, name, arguments)
    names = [parameter.partition("=")[0] for parameter in parameters.split()]
    places = [it for it in names if it not in _SCALARS and it not in _OPERATIONS]
    codes = {it: call.iterator(it) for it in places}
    beside = "first2" if name == "exclusive_scan_by_key" else places[0]
    codes |= {it: call.number(it, beside) for it in names if it in _SCALARS}
    made = {it: call.operation(it, *words.split()) for it, words in operations.items()}
    passed = [codes[it] if it in codes else made[it] for it in names]
    if "" in made:
        passed.append(made[""])
    return call.result(kind, f"{cpp}({', '.join(passed)})")


# ---- definitions ---------------------------------------------------------------------------------


def _signature(parameters):
    kinds = []
    for parameter in f"compiler exec_policy {parameters}".split():
        name, is_optional, _ = parameter.partition("=")
        default = None if is_optional else inspect.Parameter.empty
        kinds.append(
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)
        )
    return inspect.Signature(kinds)


def _described(parameters):
    yield "exec_policy : policy\n        `seq` or `device`: the calling thread does the work."
    for parameter in parameters.split():
        name = parameter.partition("=")[0]
        for table, kind in (
            (_SCALARS, "number"),
            (_OPERATIONS, "function"),
            (_ITERATORS, "iterator"),
        ):
            if name in table:
                optional = ", optional" if "=" in parameter else ""
                yield f"{name} : {kind}{optional}\n        {table[name]}"


_RESULTS = {
    "count": "int\n        Number of elements.",
    "bool": "bool\n        Whether it is so.",
    "init": "number\n        Sum of the elements.",
}


def _define(row):
    name, parameters, operations, kind, summary = row
    cpp = f"thrust_{name.removeprefix('stable_')}"
    for stem, (parts, _) in _SET.items():
        if name in (stem, f"{stem}_by_key"):
            cpp = f"thrust_set{name.removeprefix(stem)}<{parts}>"

    def emit(compiler, *values):
        arguments = dict(zip(list(signature.parameters)[1:], values, strict=True))
        return _emit_row(compiler, (cpp, parameters, operations, kind, summary), name, arguments)

    signature = _signature(parameters)
    emit.__signature__ = signature
    emit.__name__ = name
    blocks = "\n    ".join(_described(parameters))
    emit.__doc__ = f"{summary}\n\n    Parameters\n    ----------\n    {blocks}\n"
    if kind:
        two = "iterator, iterator\n        Ends of the results, or the two places."
        one = "iterator\n        End of the results, or the place."
        text = _RESULTS.get(kind, two if " " in kind else one)
        emit.__doc__ += f"\n    Returns\n    -------\n    {text}\n    "
    return Builtin(emit)


def _define_search(name, kind, summary):
    one = (f"thrust_{name}", "first last value comp=None", {"comp": "less first value"}, kind, "")
    each = (
        f"thrust_{name}_each",
        "first last values_first values_last output comp=None",
        {"comp": "less first values_first"},
        "output",
        "",
    )

    def emit(compiler, exec_policy, first, last, *args):
        is_many = bool(args) and isinstance(getattr(args[0], "type", None), t.IteratorType)
        row = each if is_many else one
        names = [it.partition("=")[0] for it in row[1].split()]
        given = [exec_policy, first, last, *args]
        if len(given) == len(names):
            given.append(Const(None))
        if len(given) != len(names) + 1:
            raise TypeError(f"{name} takes {len(names)} or {len(names) + 1} arguments in all")
        return _emit_row(
            compiler, row, name, dict(zip(["exec_policy", *names], given, strict=True))
        )

    emit.__name__ = name
    emit.__doc__ = f"""{summary}

    Parameters
    ----------
    exec_policy : policy
        `seq` or `device`: the calling thread does the work.
    first : iterator
        First element of the sorted sequence.
    last : iterator
        End of the sorted sequence.
    *args
        A value and, optionally, a function that says whether one comes before another; or the
        first and the end of several values, the first place for their results, and the function.

    Returns
    -------
    bool or iterator
        Answer for the value; the end of the results where there are several values.
    """
    return Builtin(emit)


def _source(compiler, cpp, x, i):
    value = operators.typed(compiler.mode, compiler.scalar(x))
    compiler.program.includes[t.ITERATORS] = None
    type_ = t.IteratorType(value.type.dtype, f"Iterator<{cpp}<{value.type.cpp}>>")
    start = "0"
    if not (isinstance(i, Const) and i.value is None):
        start = operators.convert(compiler.scalar(i), t.INT64)
    return Data(f"{type_.cpp}{{{{{value.code}}}, {start}}}", type_, value.pure)


@Builtin
def make_constant_iterator(compiler, x, i=None):
    """Return an iterator whose elements are all one value.

    Parameters
    ----------
    x : number
        Value of all elements.
    i : int, optional
        Position of the iterator, by default 0.
    """
    return _source(compiler, "Constant", x, i)


@Builtin
def make_counting_iterator(compiler, x, i=None):
    """Return an iterator whose elements are a number and those that follow it, one by one.

    Parameters
    ----------
    x : number
        First element of the sequence.
    i : int, optional
        Position of the iterator, by default 0.
    """
    return _source(compiler, "Counting", x, i)


_BUILTINS = {row[0]: _define(row) for row in _FUNCTIONS}
_BUILTINS |= {row[0]: _define_search(*row) for row in _SEARCHES}
globals().update(_BUILTINS)
__all__ += list(_BUILTINS)
