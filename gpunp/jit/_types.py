"""Types of values in a kernel, and the rules that combine them.

Two modes say what an operation of numbers gives: "numpy" is NumPy's own answer, "cuda" C++'s. A
Python number is weak in both: beside a typed one it takes its type, as NEP 50 says; alone, in
"cuda" mode, it is an int32, float32 or complex64, in "numpy" mode an int64, float64 or complex128.
"""

from dataclasses import dataclass

import numpy as np

from .._core.dtypes import ROWS, class_of
from .._core.dtypes import compute_dtype as compute_dtype


def cpp_name(dtype):
    """Name of a dtype in kernels/gnp.cuh."""
    if dtype.name not in ROWS:
        raise TypeError(f"dtype {dtype} is not supported in kernels")
    return ROWS[dtype.name]["device"]


def is_float(dtype):
    """Whether a dtype is a real floating type; bfloat16 is one, though NumPy's kind hides it."""
    return class_of(dtype) == "f"


def is_integer(dtype):
    """Whether a dtype is a signed or unsigned integer."""
    return dtype.kind in "iu"


@dataclass(frozen=True)
class Scalar:
    """A number of a dtype."""

    dtype: np.dtype

    @property
    def cpp(self):
        return cpp_name(self.dtype)

    def __str__(self):
        return self.dtype.name


@dataclass(frozen=True)
class Weak:
    """A Python number given to the kernel: held as `dtype`, it adapts to its neighbours."""

    kind: type
    dtype: np.dtype

    @property
    def cpp(self):
        return cpp_name(self.dtype)

    def __str__(self):
        return f"Python {self.kind.__name__}"


@dataclass(frozen=True)
class ArrayType:
    """An array of a dtype."""

    dtype: np.dtype
    ndim: int
    contiguous: bool
    small: bool

    @property
    def cpp(self):
        flag = "true" if self.contiguous else "false"
        index = "i32" if self.small else "i64"
        return f"Array<{cpp_name(self.dtype)}, {self.ndim}, {flag}, {index}>"

    def __str__(self):
        return f"{self.ndim}-dimensional array of {self.dtype.name}"


@dataclass(frozen=True)
class Dim3:
    """threadIdx and its kin."""

    cpp = "dim3"

    def __str__(self):
        return "dim3"


@dataclass(frozen=True)
class Void:
    """The type of a call that gives nothing."""

    cpp = "void"

    def __str__(self):
        return "None"


@dataclass(frozen=True)
class TupleType:
    """Several results of a function."""

    types: tuple

    @property
    def cpp(self):
        return f"Tuple<{', '.join(type_.cpp for type_ in self.types)}>"

    def __str__(self):
        return f"tuple of {len(self.types)}"

    def items(self, code):
        """The values in a variable of this type."""
        return [Data(f"{code}.{'rest.' * k}head", type_) for k, type_ in enumerate(self.types)]


@dataclass(frozen=True)
class Opaque:
    """A C++ object that is only passed around and asked: a group of threads, say."""

    cpp: str
    methods: object  # name -> function of (compiler, data, args, keywords)

    def __str__(self):
        return self.cpp

    def __hash__(self):
        return hash(self.cpp)

    def __eq__(self, other):
        return isinstance(other, Opaque) and self.cpp == other.cpp


ITERATORS = "user/thrust.cuh"  # the header that has them


@dataclass(frozen=True)
class IteratorType:
    """A position in a sequence of numbers of a dtype."""

    dtype: np.dtype
    cpp: str

    def __str__(self):
        return f"iterator of {self.dtype.name}"


@dataclass(frozen=True)
class Storage:
    """Shared memory of C++ objects."""

    element: Opaque
    cpp = None

    def __str__(self):
        return f"shared memory of {self.element}"


BOOL = np.dtype(np.bool_)
INT32, INT64 = np.dtype(np.int32), np.dtype(np.int64)
UINT32, UINT64 = np.dtype(np.uint32), np.dtype(np.uint64)
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
COMPLEX64, COMPLEX128 = np.dtype(np.complex64), np.dtype(np.complex128)
VOID = Void()


# ---- values --------------------------------------------------------------------------------------


class Data:
    """An expression of the kernel: its C++ and its type.

    `pure` tells that evaluating it twice does what once does.
    """

    __slots__ = ("code", "pure", "type")

    def __init__(self, code, type_, pure=True):
        self.code = code
        self.type = Scalar(type_) if isinstance(type_, np.dtype) else type_
        self.pure = pure

    def __str__(self):
        return str(self.type)


class Const:
    """A Python object known while compiling."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    @property
    def is_number(self):
        return isinstance(self.value, (bool, int, float, complex, np.generic))

    @property
    def is_weak(self):
        """Whether it is a Python number, which NumPy's scalars are not (float64 is a float)."""
        return self.is_number and not isinstance(self.value, np.generic)

    def __str__(self):
        return repr(self.value)


class Tuple:
    """Several values."""

    __slots__ = ("items",)

    def __init__(self, items):
        self.items = list(items)

    def __str__(self):
        return f"tuple of {len(self.items)}"


class Method:
    """A method of a value, before it is called."""

    __slots__ = ("call", "name")

    def __init__(self, name, call):
        self.name = name
        self.call = call

    def __str__(self):
        return f"method {self.name}"


class DeviceValue:
    """Value that exists in kernels only, such as `threadIdx`.

    Parameters
    ----------
    data : Data
        Value of the object in a kernel.
    """

    def __init__(self, data):
        self.data = data

    def __repr__(self):
        return f"<gpunp.jit.{self.data.code}>"


# ---- rules ---------------------------------------------------------------------------------------


def fits(value, dtype):
    """Whether a Python int is a value of an integer dtype."""
    info = np.iinfo(dtype)
    return info.min <= value <= info.max


def default_dtype(mode, value):
    """The dtype of a Python number that stands alone, or of a `Weak`'s kind."""
    kind = value if isinstance(value, type) else type(value)
    if issubclass(kind, bool):
        return BOOL
    if issubclass(kind, int):
        if value is kind or fits(value, INT32):
            return INT32 if mode == "cuda" else INT64
        if fits(value, INT64):
            return INT64
        if fits(value, UINT64):
            return UINT64
        raise OverflowError(f"{value} does not fit into 64 bits")
    if issubclass(kind, float):
        return FLOAT32 if mode == "cuda" else FLOAT64
    return COMPLEX64 if mode == "cuda" else COMPLEX128


def weak_kind(value):
    """The Python type of a weak value, or None for a typed one."""
    if isinstance(value, Const):
        return type(value.value) if value.is_weak else None
    return value.type.kind if isinstance(value.type, Weak) else None


def dtype_of(value):
    """The dtype of a typed scalar value."""
    return value.value.dtype if isinstance(value, Const) else value.type.dtype


def _promoted(dtype):
    """C++: what is smaller than an int becomes one."""
    return INT32 if dtype.kind in "biu" and dtype.itemsize < 4 else dtype


def _c_pair(a, b):
    """C++'s usual arithmetic conversions, with 16-bit floats below float and complex above all."""
    a, b = _promoted(a), _promoted(b)
    if a == b:
        return a
    if "c" in (a.kind, b.kind):
        double = COMPLEX128 in (a, b) or FLOAT64 in (a, b)
        return COMPLEX128 if double else COMPLEX64
    if is_float(a) or is_float(b):
        if is_float(a) and is_float(b):
            return FLOAT64 if FLOAT64 in (a, b) else FLOAT32
        return a if is_float(a) else b
    if a.itemsize != b.itemsize:
        return a if a.itemsize > b.itemsize else b
    return a if a.kind == "u" else b


def _c_beside_weak(dtype, value, kind):
    """C++'s type of a typed operand beside a Python number."""
    if issubclass(kind, int):  # bool too
        dtype = _promoted(dtype)
        if is_integer(dtype) and isinstance(value, Const) and not fits(value.value, dtype):
            return INT64 if fits(value.value, INT64) else UINT64
        return dtype
    if issubclass(kind, float):
        return FLOAT32 if dtype.kind in "biu" else dtype
    return _c_pair(dtype, COMPLEX64)


def common_dtype(mode, values):
    """The dtype that an arithmetic operation computes scalar values in."""
    strong = [dtype_of(value) for value in values if weak_kind(value) is None]
    weak = [value for value in values if weak_kind(value) is not None]
    if not strong:
        strong = [weak_default(mode, value) for value in weak]
        weak = []
    if mode == "numpy":
        kinds = [weak_kind(value) for value in weak]
        return np.result_type(*strong, *(_EXAMPLE[kind] for kind in kinds))
    result = _promoted(strong[0])
    for dtype in strong[1:]:
        result = _c_pair(result, dtype)
    for value in weak:
        result = _c_beside_weak(result, value, weak_kind(value))
    return result


_EXAMPLE = {bool: False, int: 0, float: 0.0, complex: 0j}


def weak_default(mode, value):
    """The dtype of a weak value that nothing else decides."""
    return default_dtype(mode, value.value if isinstance(value, Const) else value.type.kind)


def join_dtypes(mode, a, b):
    """The dtype of a variable that is given values of two."""
    if a == b:
        return a
    if mode == "cuda" and (is_float(a) or is_float(b) or "c" in (a.kind, b.kind)):
        return _c_pair(a, b)
    return np.promote_types(a, b)
