"""A program: a kernel and the functions it calls, as one text in CUDA C++."""

import inspect
import re

from . import _types as t
from ._statements import FunctionCompiler, flatten
from ._types import Const, Data, Tuple


class Program:
    """Functions that are compiled together.

    Parameters
    ----------
    kernel_name : str, optional
        Name of the kernel, reserved for it; without a kernel there is none.
    with_lines : bool
        If True, emit `#line` directives, so that the emulated device's checks show lines of Python.
    """

    def __init__(self, kernel_name=None, with_lines=False):
        self.kernel_name = kernel_name
        self.with_lines = with_lines
        self.includes = {"user/jit.cuh": None}  # in order
        self.is_cooperative = False
        self._functions = {}
        self._active = []

    def is_kernel(self, name):
        """Whether the function of that C++ name is the kernel."""
        return name == self.kernel_name

    def compile(self, function, mode, arguments):
        """Compile a function for its arguments; gives the compiler that did."""
        compiler = FunctionCompiler(self, function, mode, arguments, self.kernel_name)
        self._active.append(function)
        compiler.compile()
        self._active.pop()
        return compiler

    def device_function(self, function, mode, args, keywords):
        """The function that a call needs, compiled; and what the call passes to it."""
        return self.specialised(function, mode, bind_arguments(function, args, keywords))

    def specialised(self, function, mode, arguments):
        """The function for arguments by name, compiled; and what is passed to it."""
        if function in self._active:
            raise NotImplementedError(
                f"{function.__name__} calls itself: recursion is not supported"
            )
        key = (function, mode, tuple((name, _key(value)) for name, value in arguments))
        found = self._functions.get(key)
        if found is None:
            name = f"{plain_name(function.__name__)}_{len(self._functions)}"
            found = FunctionCompiler(self, function, mode, arguments, name)
            self._active.append(function)
            try:
                found.compile()
            finally:
                self._active.pop()
            self._functions[key] = found
        return found, [data for _, data in flatten(arguments)]

    def text(self, compiler):
        """The source of a kernel: what it needs, in the order it needs it."""
        body = self.body(compiler)
        heads = [f"#include {n}" if n[0] == "<" else f'#include "{n}"' for n in self.headers(body)]
        return "\n".join(heads) + "\n\n" + body + "\n"

    def headers(self, body):
        """Names of the headers that functions need."""
        headers = list(self.includes)
        if re.search(r"\bc(64|128)\b", body):
            headers.append("complex.cuh")
        return headers

    def body(self, *compilers):
        """Functions, behind those that they call."""
        ordered = []

        def visit(function):
            for callee in function.callees:
                visit(callee)
            if function not in ordered:
                ordered.append(function)

        for compiler in compilers:
            visit(compiler)
        return "\n\n".join(function.text for function in ordered)


def bind_arguments(function, args, keywords):
    """[(name, value)] of a call, with the defaults of what is not given."""
    signature = inspect.signature(function)
    bound = signature.bind(*args, **keywords)
    arguments = []
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            raise NotImplementedError("** among the parameters of a kernel is not supported")
        if parameter.kind is parameter.VAR_POSITIONAL:
            arguments.append((parameter.name, Tuple(bound.arguments.get(parameter.name, ()))))
        elif parameter.name in bound.arguments:
            arguments.append((parameter.name, bound.arguments[parameter.name]))
        else:
            arguments.append((parameter.name, Const(parameter.default)))
    return arguments


def _key(value):
    """What tells the arguments of one compiled function from another's."""
    if isinstance(value, Data):
        return value.type
    if isinstance(value, Tuple):
        return tuple(_key(item) for item in value.items)
    if isinstance(value, Const):
        constant = value.value
        if value.is_number or isinstance(constant, (str, tuple, type(None))):
            return type(constant), repr(constant)
        return type(constant), id(constant)
    return id(value)


def plain_name(name):
    """A name of Python's in the letters of C++."""
    found = re.sub(r"\W|[^\x00-\x7f]", "_", name)
    return found if found[:1].isalpha() else f"f{found}"


def kernel_name(function):
    """The name of a function's kernel in C++: with a trailing _, so that no other has it."""
    return f"{plain_name(function.__name__)}_"


_PYTHON_TYPES = {
    "bool": t.Scalar(t.BOOL),
    "int32": t.Scalar(t.INT32),
    "int64": t.Scalar(t.INT64),
    "uint64": t.Scalar(t.UINT64),
    "float": t.Weak(float, t.FLOAT64),
    "complex": t.Weak(complex, t.COMPLEX128),
}


def argument_value(description, mode):
    """The value of an argument that csrc/user/dispatch.c describes."""
    kind = description[0]
    if kind == "none":
        return Const(None)
    if kind == "array":
        return Data("", t.ArrayType(*description[1:]))
    if kind == "scalar":
        return Data("", description[1])
    if kind == "int32" and mode == "numpy":
        return Data("", t.Weak(int, t.INT32))
    return Data("", _PYTHON_TYPES[kind])
