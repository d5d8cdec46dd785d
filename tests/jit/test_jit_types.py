"""jit: types of operations in both modes, functions of numbers."""

import cmath
import math
import operator

import numpy as np
import pytest
from check import assert_same

import gpunp as cp
from gpunp import jit

DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "F", "D"]
OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
}


def numpy_result(function, *values):
    try:
        with np.errstate(all="ignore"):
            return np.asarray(function(*values))
    except TypeError:
        return None


def program(expression, mode="numpy", count=2):
    """A kernel that stores an expression of a, b into `out`."""
    names = ", ".join("abc"[:count])
    source = f"def f(out, {names}):\n    out[0] = {expression}\n"
    space = {"np": np, "cp": cp, "math": math, "cmath": cmath, "jit": jit}
    exec(source, space)  # `source` is found in this frame
    return jit.rawkernel(mode=mode)(space["f"])


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_are_numpys(name):
    for left in DTYPES:
        for right in ("?", "u1", "i4", "u8", "f2", "f4", "D"):
            a, b = np.dtype(left).type(5), np.dtype(right).type(3)
            if name in ("<", "<=") and "c" in (a.dtype.kind, b.dtype.kind):
                continue
            expected = numpy_result(OPERATORS[name], a, b)
            kernel = program(f"a {name} b")
            if expected is None:
                with pytest.raises(TypeError, match="not defined"):
                    kernel._translate(
                        (
                            ("array", np.dtype("f8"), 1, True, True),
                            ("scalar", a.dtype),
                            ("scalar", b.dtype),
                        ),
                        False,
                    )
                continue
            if (DTYPES.index(left) + ord(name[0])) % 5:  # a fifth of them runs
                continue
            out = cp.zeros(1, expected.dtype)
            kernel[1, 1](out, a, b)
            assert_same(out, expected.reshape(1), ulp=1)


WEAK = [
    "a + 1",
    "a * 2.5",
    "a - 1j",
    "2 ** a",
    "a ** 2",
    "a / 3",
    "1 / a",
    "a // 2",
    "7 % a",
    "-a",
    "+a",
]


@pytest.mark.parametrize("expression", WEAK)
@pytest.mark.parametrize("dtype", ["u1", "i4", "f2", "f4", "f8", "F"])
def test_python_numbers_are_weak(expression, dtype):
    a = np.dtype(dtype).type(3)
    expected = numpy_result(lambda a: eval(expression), a)
    if expected is None:
        return
    out = cp.zeros(1, expected.dtype)
    program(expression, count=1)[1, 1](out, a)
    assert_same(out, expected.reshape(1), ulp=2)


def result_dtype(expression, *types, mode):
    """The dtype an expression has in a kernel, told by its name in the code."""
    source_types = (("array", np.dtype("D"), 1, True, True), *types)
    kernel = program(expression, mode, count=len(types))
    from gpunp.jit._program import Program, argument_value, bind_arguments
    from gpunp.jit._statements import FunctionCompiler

    seen = {}

    class Watching(FunctionCompiler):
        def store(self, target, value):
            seen["dtype"] = value.type.dtype.name
            return super().store(target, value)

    values = [argument_value(d, mode) for d in source_types]
    arguments = bind_arguments(kernel._function, values, {})
    Watching(Program("f"), kernel._function, mode, arguments, "f").compile()
    return seen["dtype"]


def scalar(dtype):
    return ("scalar", np.dtype(dtype))


RESULTS = [  # expression, arguments, in mode "cuda", in mode "numpy"
    ("a + b", (scalar("i1"), scalar("i1")), "int32", "int8"),
    ("a + b", (scalar("i4"), scalar("f4")), "float32", "float64"),
    ("a + b", (scalar("i4"), scalar("u4")), "uint32", "int64"),
    ("a + b", (scalar("i8"), scalar("u8")), "uint64", "float64"),
    ("a * 0.5", (scalar("i4"),), "float32", "float64"),
    ("a * 0.5", (scalar("f8"),), "float64", "float64"),
    ("a + 1", (scalar("u4"),), "uint32", "uint32"),
    ("a + 1", (scalar("u1"),), "int32", "uint8"),
    ("a + b", (scalar("f2"), scalar("f2")), "float16", "float16"),
    ("a + b", (scalar("f4"), ("float",)), "float32", "float32"),
    ("a + b", (scalar("f8"), ("float",)), "float64", "float64"),
    ("a + 1", (("float",),), "float32", "float64"),
    ("a + b", (scalar("u4"), ("int32",)), "uint32", "uint32"),
    ("a / b", (scalar("i4"), scalar("i4")), "float64", "float64"),
    ("a & b", (scalar("?"), scalar("?")), "bool", "bool"),
    ("a + b", (scalar("F"), scalar("f8")), "complex128", "complex128"),
    ("min(a, 1)", (scalar("i8"),), "int64", "int64"),
    ("max(a, b)", (scalar("f4"), scalar("i4")), "float32", "float64"),
    ("a if b else 0", (scalar("f4"), scalar("i4")), "float32", "float32"),
    ("np.sqrt(a)", (scalar("i4"),), "float64", "float64"),
    ("np.sqrt(a)", (scalar("f4"),), "float32", "float32"),
    ("math.sin(a)", (scalar("f4"),), "float32", "float32"),
    ("abs(a)", (scalar("F"),), "float32", "float32"),
    ("a.real", (scalar("F"),), "float32", "float32"),
    ("int(a)", (scalar("f4"),), "int32", "int64"),
    ("float(a)", (scalar("i4"),), "float32", "float64"),
    ("bool(a)", (scalar("i4"),), "bool", "bool"),
    ("cp.float16(a)", (scalar("i4"),), "float16", "float16"),
    ("a.astype(np.int8)", (scalar("i4"),), "int8", "int8"),
    ("a < b", (scalar("i4"), scalar("u8")), "bool", "bool"),
    ("a and b", (scalar("i4"), scalar("i4")), "int32", "int32"),
    ("jit.grid(1) + a", (scalar("i4"),), "int64", "int64"),
    ("jit.threadIdx.x + a", (scalar("u4"),), "uint32", "uint32"),
]


@pytest.mark.parametrize(("expression", "types", "cuda", "numpy"), RESULTS)
def test_result_types(expression, types, cuda, numpy):
    assert result_dtype(expression, *types, mode="cuda") == cuda
    assert result_dtype(expression, *types, mode="numpy") == numpy


FUNCTIONS = [
    "np.sin(a)", "cp.cos(a)", "np.exp(a)", "np.sqrt(a)", "np.floor(a)", "np.abs(a)", "cp.maximum(a, b)",
    "np.fmin(a, b)", "np.arctan2(a, b)", "np.hypot(a, b)", "np.power(a, b)", "np.where(a > 1, a, b)",
    "np.clip(a, 0, 1)", "np.isnan(a)", "np.sign(a)", "np.add(a, b)", "np.copysign(a, b)", "round(a)",
    "min(a, b)", "max(a, b, 2)", "abs(-a)", "pow(a, 2)", "divmod(a, b)[0]", "divmod(a, b)[1]",
    "np.float32(a) + np.pi", "np.conj(a)", "np.logical_and(a, b)", "np.logaddexp(a, b)", "np.cbrt(a)",
    "np.square(a)", "np.reciprocal(b)", "np.ldexp(a, 2)", "np.rint(a)", "np.deg2rad(a)",
]  # fmt: skip


@pytest.mark.parametrize("expression", FUNCTIONS)
def test_functions(expression):
    a, b = np.float64(1.75), np.float64(-0.5)
    expected = np.asarray(eval(expression.replace("cp.", "np.")))
    out = cp.zeros(1, expected.dtype)
    program(expression)[1, 1](out, a, b)
    assert_same(out, expected.reshape(1), ulp=3)


MATH = ["sqrt", "sin", "cos", "tan", "exp", "log", "log2", "log10", "log1p", "expm1", "atan", "asin", "sinh",
        "tanh", "floor", "ceil", "trunc", "fabs", "erf", "erfc", "gamma", "lgamma", "isnan", "isinf",
        "degrees", "radians"]  # fmt: skip


@pytest.mark.parametrize("name", MATH)
def test_math(name):
    out = cp.zeros(1)
    program(f"math.{name}(a)", count=1)[1, 1](out, 0.75)
    assert out.item() == pytest.approx(float(getattr(math, name)(0.75)), rel=1e-14)


COMPLEX = ["a * b", "a / b", "a ** 2", "abs(a)", "a.conj()", "a.real * 1j", "np.exp(a)", "cmath.sqrt(a)",
           "complex(1, 2) + a", "np.angle(a)", "-a", "a == b", "np.real(a)", "a.imag"]  # fmt: skip


@pytest.mark.parametrize("dtype", ["F", "D"])
@pytest.mark.parametrize("expression", COMPLEX)
def test_complex(expression, dtype):
    a, b = np.array([1 + 2j, 3 - 1j], dtype)
    expected = np.asarray(eval(expression)).astype(dtype)
    out = cp.zeros(1, dtype)
    program(expression)[1, 1](out, a, b)
    np.testing.assert_allclose(out.get(), expected.reshape(1), rtol=1e-6 if dtype == "F" else 1e-14)


SPECIAL = ["float('inf')", "-np.inf", "math.nan", "1e400", "-0.0", "1e-320", "2 ** 40", "0.1", "math.pi",
           "np.finfo(np.float64).max", "-2 ** 63", "True", "np.iinfo(np.int32).min", "0x7fffffff"]  # fmt: skip


@pytest.mark.parametrize("expression", SPECIAL)
def test_constants(expression):
    out = cp.zeros(1)
    program(f"{expression} if a else 0.0", count=1)[1, 1](out, True)
    assert_same(out, np.array([float(eval(expression))]))


def test_accumulators_take_the_type_of_what_they_add():
    @jit.rawkernel()
    def f(x, out):
        total, count, none = 0, 0, 0.0
        for i in range(x.size):
            total += x[i]
            count += 1
        out[0] = total
        out[1] = count + none

    x, out = cp.full(10, 0.1), cp.zeros(2)
    f[1, 1](x, out)
    assert out[0].item() == pytest.approx(1.0, abs=1e-15) and out[1].item() == 10.0
    assert "f64 total_;" in f.cached_code and "i32 count_;" in f.cached_code


def test_a_typed_variable_keeps_its_type_when_updated():
    @jit.rawkernel()
    def f(x, out):
        total = np.float32(0)
        total += x[0]
        out[0] = total

    out = cp.zeros(1)
    f[1, 1](cp.array([0.1]), out)
    assert out.item() == float(np.float32(0.1))
