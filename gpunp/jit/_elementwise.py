"""A Python function as the operation of an ElementwiseKernel, on which `vectorize` is built."""

from .._core.raw import ElementwiseKernel
from ..cuda import is_emulated
from . import _types as t
from ._program import Program, bind_arguments, plain_name
from ._types import Const, Data, Tuple


def elementwise_kernel(function, arguments, out_dtypes=None):
    """Create an ElementwiseKernel that calls a function for each element.

    Parameters
    ----------
    function : function
        Function of numbers that returns a number, or a tuple of numbers.
    arguments : list of (str, object)
        Parameters by name: a dtype for an operand, a `Const` for a constant, a list of these for
        ``*args``.
    out_dtypes : list of dtype, optional
        Types of the results. By default those that the function returns.

    Returns
    -------
    ElementwiseKernel
        Kernel that calls the function.
    """
    program = Program(with_lines=is_emulated())
    values = [(name, _value(argument)) for name, argument in arguments]
    made, passed = program.specialised(function, "numpy", values)
    returned = made.return_type
    if isinstance(returned, t.Void):
        raise TypeError(f"{function.__name__} returns nothing")
    is_tuple = isinstance(returned, t.TupleType)
    types = returned.types if is_tuple else (returned,)
    if not all(isinstance(type_, t.Scalar) for type_ in types):
        raise TypeError(f"{function.__name__} must return numbers, not {returned}")
    dtypes = [type_.dtype for type_ in types] if out_dtypes is None else list(out_dtypes)
    if len(dtypes) != len(types):
        raise ValueError(
            f"{function.__name__} returns {len(types)} values, otypes names {len(dtypes)}"
        )
    ins = [f"{data.type.dtype.name} in{k}" for k, data in enumerate(passed)]
    outs = [f"{dtype.name} out{k}" for k, dtype in enumerate(dtypes)]
    return ElementwiseKernel(
        ", ".join(ins),
        ", ".join(outs),
        _operation(made.name, len(passed), zip(types, dtypes, strict=True), is_tuple),
        name=plain_name(function.__name__),
        preamble=_preamble(program, made),
    )


def device_function(function, arguments, dtype):
    """`device_functions` of one function: its call, its results, and the text."""
    ((call, results),), text = device_functions([function], arguments, dtype)
    return call, results, text


def device_functions(functions, arguments, dtype):
    """Compile functions of the same arguments for a program in CUDA C++.

    Parameters
    ----------
    functions : sequence of function
        Functions of numbers that return a number, or a tuple of numbers.
    arguments : list of str and of list of str
        Code of its arguments, numbers of one type; a list is a tuple.
    dtype : dtype
        Type of the arguments.

    Returns
    -------
    calls : list of (str, list of str)
        For each function the code of its call, and the code of the numbers that the variable
        `result` has, which keeps what the call returns.
    text : str
        Functions that the calls need, to be put into a namespace.
    """
    program = Program(with_lines=is_emulated())

    def value(code):
        if isinstance(code, list):
            return Tuple(map(value, code))
        return Data(code, t.Scalar(dtype))

    made = []
    calls = []
    for function in functions:
        compiler, call = _call_of(program, function, [value(code) for code in arguments])
        made.append(compiler)
        calls.append(call)
    return calls, _functions(program, *made)


def _call_of(program, function, arguments):
    """A compiled function, and the code of its call and of what it returns."""
    bound = bind_arguments(function, arguments, {})
    made, passed = program.specialised(function, "numpy", bound)
    returned = made.return_type
    is_tuple = isinstance(returned, t.TupleType)
    types = returned.types if is_tuple else (returned,)
    if not all(isinstance(type_, t.Scalar) and type_.dtype.kind in "biuf" for type_ in types):
        raise TypeError(f"{function.__name__} must return real numbers, not {returned}")
    results = [
        "(f64)result" + (".rest" * k + ".head" if is_tuple else "") for k in range(len(types))
    ]
    call = f"{made.name}({', '.join(data.code for data in passed)})"
    return made, (call, results)


def _value(argument):
    if isinstance(argument, list):
        return Tuple(_value(item) for item in argument)
    return argument if isinstance(argument, Const) else Data("", t.Scalar(argument))


def _operation(name, count, results, is_tuple):
    arguments = ", ".join(f"in{k}" for k in range(count))
    lines = [f"const auto result = gnp::{name}({arguments});"]
    for k, (type_, dtype) in enumerate(results):
        code = f"result.{'rest.' * k}head" if is_tuple else "result"
        if type_.dtype != dtype:
            cpp = "bool" if dtype == t.BOOL else f"gnp::{t.cpp_name(dtype)}"
            code = f"gnp::cast<{cpp}>({code})"
        lines.append(f"out{k} = {code};")
    return " ".join(lines)


def _preamble(program, made):
    """The functions, in the namespace of our vocabulary, where they hide nothing of the user's."""
    return f"namespace gnp {{\n{_functions(program, made)}\n}}"


def _functions(program, *made):
    """Functions and those that they call, behind the headers that they need."""
    body = program.body(*made)
    includes = "\n".join(f'#include "{name}"' for name in ("names.cuh", *program.headers(body)))
    return f"{includes}\n{body}"
