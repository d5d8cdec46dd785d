"""Hostile arguments: objects that raise, lie, contain themselves or change under one's hands.

`TEXTS` lists them as Python expressions over the names of `namespace(xp)`, so a call made of them
is one line that anybody can run again.
"""

import ctypes
import io
import operator
import tempfile
from pathlib import Path

import numpy as np

import gpunp as cp
import gpunp.scipy

DTYPES = "?bhilqBHILQefdFD"
FOLDER = Path(tempfile.gettempdir()) / "gpunp-hostile"


class Mine(Exception):
    """What hostile objects raise: it may come out of any call."""


def _raise(*args, **kwargs):
    raise Mine("on purpose")


PROTOCOL = [
    "__len__",
    "__getitem__",
    "__iter__",
    "__next__",
    "__index__",
    "__int__",
    "__float__",
    "__complex__",
    "__bool__",
    "__eq__",
    "__ne__",
    "__lt__",
    "__gt__",
    "__le__",
    "__ge__",
    "__hash__",
    "__repr__",
    "__str__",
    "__contains__",
    "__call__",
    "__add__",
    "__radd__",
    "__mul__",
    "__rmul__",
    "__sub__",
    "__rsub__",
    "__array__",
    "__array_ufunc__",
    "__array_function__",
    "__dlpack__",
    "__dlpack_device__",
    "__enter__",
    "__exit__",
    "__fspath__",
    "__format__",
    "__reduce__",
    "__cuda_stream__",
    "__del_item__",
    "__setitem__",
    "__neg__",
    "__abs__",
    "__round__",
]

#: Every special method raises.
Raises = type("Raises", (), dict.fromkeys(PROTOCOL, _raise))
#: Attributes too.
RaisesDeep = type("RaisesDeep", (), {"__getattr__": _raise})


class Lies:
    """A sequence of endless length that holds itself; a number of every size."""

    def __len__(self):
        return 2**62

    def __getitem__(self, i):
        return self

    def __index__(self):
        return 2**100

    def __float__(self):
        return float("nan")

    def __eq__(self, other):
        return "maybe"

    def __bool__(self):
        return True

    def __hash__(self):
        return id(self) >> 4

    def __repr__(self):
        return "lies"


class Endless:
    """An iterator that does not end by itself, but for a test's sake after a while."""

    def __init__(self, n=100_000):
        self.left = n

    def __iter__(self):
        return self

    def __next__(self):
        self.left -= 1
        if self.left < 0:
            raise Mine("more was taken than anybody needs")
        return 1


class BadRepr:
    def __repr__(self):
        raise Mine("no repr")


class Vanishing(list):
    """A list that is empty once it was looked into."""

    def __getitem__(self, i):
        item = list.__getitem__(self, i)
        self.clear()
        return item

    def __iter__(self):
        items = list(list.__iter__(self))
        self.clear()
        return iter(items)

    def __len__(self):
        n = list.__len__(self)
        self.clear()
        return n


class Reshapes:
    """An index that changes the shape of an array when it is asked for its value."""

    def __init__(self, array, value=0):
        self.array, self.value = array, value

    def __index__(self):
        try:
            self.array.shape = (self.array.size,)
        except (AttributeError, ValueError):
            pass
        return self.value

    __int__ = __index__


class Array:
    """__array__ returns something else."""

    def __init__(self, what):
        self.what = what

    def __array__(self, dtype=None, copy=None):
        return self.what


class Interface:
    def __init__(self, **fields):
        self.__cuda_array_interface__ = fields


class Pack:
    def __init__(self, capsule, device=(2, 0)):
        self.capsule, self.device = capsule, device

    def __dlpack__(self, **kwargs):
        return self.capsule

    def __dlpack_device__(self):
        return self.device


class StreamLike:
    def __init__(self, pair):
        self.pair = pair

    def __cuda_stream__(self):
        return self.pair


class Number(int):
    """An int that compares as nothing else does."""

    def __eq__(self, other):
        return False

    __hash__ = int.__hash__

    def __lt__(self, other):
        return True


class Text(str):
    def __eq__(self, other):
        return True

    __hash__ = str.__hash__


class Sub(cp.ndarray):
    """A subclass of the device array."""


class NumpySub(np.ndarray):
    """A subclass of the host array."""


def selfish(depth=2):
    """A list that contains itself."""
    items = []
    items += [items] * depth
    return items


def selfish_dict():
    d = {}
    d["a"] = d
    return d


def selfish_tuple():
    items = []
    result = (items, items)
    items.append(result)
    return result


def deep(n=3000):
    items = 1
    for _ in range(n):
        items = [items]
    return items


def capsule(name=b"dltensor", address=64):
    make = ctypes.pythonapi.PyCapsule_New
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    KEPT.append(name)
    return make(address, name, None)


KEPT = []


def readonly(xp, *args):
    a = xp.ones(*args)
    if xp is np:
        a.flags.writeable = False
        return a
    return cp.broadcast_to(a, a.shape)


def managed():
    return cp.ndarray(4, "f8", cp.cuda.malloc_managed(32))


def destroyed_stream():
    """The number of a stream that is gone."""
    number = cp.cuda.runtime.streamCreate()
    cp.cuda.runtime.streamDestroy(number)
    return cp.cuda.ExternalStream(number)


def graph():
    stream = cp.cuda.Stream(non_blocking=True)
    a = cp.zeros(3)
    with stream:
        stream.begin_capture()
        a += 1
        return stream.end_capture()


def generator():
    yield from (1, 2, 3)


def path(name="file.npy"):
    FOLDER.mkdir(exist_ok=True)
    return str(FOLDER / name)


def typed(array):
    """`array` as a view of the subclass of its kind."""
    return array.view(Sub if isinstance(array, cp.ndarray) else NumpySub)


def namespace(xp):
    """What the texts are evaluated with."""
    names = {k: v for k, v in globals().items() if not k.startswith("_")}
    sp = cp.scipy if xp is cp else __import__("scipy")
    return {**names, **KERNELS, "xp": xp, "sp": sp, "operator": operator, "io": io}


def _jitted(x, n):
    i = cp.jit.threadIdx.x
    if i < n:
        x[i] = i


_COPY = "if (i < x.size() && i < z.size()) z[i] = x[i]"  # raw arrays have any size
KERNELS = {  # they touch no memory but through arrays that are checked
    "EK": cp.ElementwiseKernel("T x, T y", "T z", "z = x + y", "hostile_elementwise"),
    "EKRAW": cp.ElementwiseKernel("raw T x, int32 k", "raw T z", _COPY, "hostile_raw"),
    "RK": cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "hostile_reduction"),
    "RAW": cp.RawKernel('extern "C" __global__ void k(float *x, int n, double d) {}', "k"),
    "FUSED": cp.fuse(lambda x, y: x * y + 1),
    "JIT": cp.jit.rawkernel()(_jitted),
    "VEC": cp.vectorize(lambda x, y: x + 2 * y),
}

INTS = [
    "0", "1", "2", "3", "5", "-1", "-2", "-7", "64", "65", "1000", "2**31-1", "2**31", "2**32",
    "2**32+1", "2**53", "2**62", "2**63-1", "2**63", "2**64-1", "2**64", "2**64+16", "-2**31-1",
    "-2**63", "-2**63-1", "-2**64", "10**30", "-10**30", "True", "False", "Number(3)",
    "np.int8(-1)", "np.uint64(2**64-1)", "np.int64(-2**63)", "np.bool_(True)",
]  # fmt: skip
FLOATS = [
    "0.0", "-0.0", "0.5", "1.5", "-3.7", "1e30", "-1e30", "1e308", "5e-324", "float('nan')",
    "float('inf')", "-float('inf')", "np.float16(2)", "np.float32('nan')", "1j", "complex('nan')",
    "np.complex64(1+1j)", "np.float64(0.25)",
]  # fmt: skip
FOREIGN = [
    "np.longdouble(1)", "np.clongdouble(1)", "np.str_('a')", "np.bytes_(b'a')", "np.void(b'ab')",
    "np.datetime64('2020-01-01')", "np.timedelta64(5, 's')", "np.datetime64('NaT')",
    "np.timedelta64(1)", "np.array(None)", "np.array(1.0)", "np.zeros((), 'f4,i4')[()]",
]  # fmt: skip
TEXT = ["''", "'a'", "'f4'", "'abc'*100", "b'ab'", "bytearray(4)", "memoryview(b'abcd')",
        "Text('x')", "'\\ud800'", "'\\0'", "'C'", "'clip'"]  # fmt: skip
OBJECTS = [
    "None", "...", "object()", "Raises()", "RaisesDeep()", "Lies()", "BadRepr()", "Endless()",
    "generator()", "selfish()", "selfish(1)", "selfish_dict()", "selfish_tuple()", "deep()",
    "Vanishing([1, 2, 3])", "Vanishing([])", "[]", "()", "{}", "set()", "[[]]", "[None]", "[1, 2]",
    "[1.5, None]", "[[1, 2], [3]]", "[1, 'a']", "['a', 'b']", "(0, 1)", "(1, 1)", "(-1,)", "(0, 0)",
    "(2**63, 1)", "[2**64]", "(1,)*65", "(2,)*64", "(2**31,)*3", "range(3)", "range(2**62)",
    "slice(None)", "slice(0, 2)", "slice('a', None)", "slice(2**64, None, -1)", "slice(None, None, 0)",
    "int", "float", "complex", "str", "object", "type", "np.float32", "np.longdouble", "np.ndarray",
    "cp.ndarray", "np", "cp", "lambda *a, **k: None", "len", "lambda x: x", "NotImplemented",
    "iter([1])", "map(int, '12')", "{1: 2}", "{'a': [1]}", "frozenset({1})", "io.BytesIO(b'x')",
    "np.dtype('f8')", "np.dtype('O')", "np.dtype('>f4')", "np.dtype('U3')", "'i4,f4'", "np.nan",
]  # fmt: skip
PROTOCOLS = [
    "Array(None)", "Array(np.zeros(3))", "Array(5)", "Array(Raises())", "Interface()",
    "Interface(shape=(2,), typestr='<f8', data=(64, False), version=3)",
    "Interface(shape=(-1,), typestr='<f8', data=(0, False), version=3)",
    "Interface(shape=(2**62, 4), typestr='<f8', data=(64, False), version=3)",
    "Interface(shape='x', typestr=5, data=None, version='three')",
    "Interface(shape=(0,), typestr='<f8', data=(0, False), version=3, strides=(8,))",
    "Interface(shape=(2,), typestr='<f8', data=(cp.zeros(2).data.ptr, False), stream=-1)",
    "Pack(None)", "Pack(capsule(b'x'))", "Pack(5)", "Pack(None, None)", "Pack(None, (2, 2**40))",
    "Pack(None, (1, 0))", "Pack(None, 'ab')", "StreamLike(None)", "StreamLike((0, -1))",
    "StreamLike((0, 'a'))", "destroyed_stream()", "managed()", "cp.cuda.Stream()",
    "cp.cuda.Stream.null", "cp.cuda.Event()", "cp.zeros(4).data", "cp.cuda.Device(0)",
    "cp.random.default_rng(1)", "Reshapes(xp.zeros((2, 3)))",
]  # fmt: skip
HOST = [
    "np.zeros(3)", "np.zeros((2, 3), 'f4')", "np.array(['a'])", "np.array([None, 1])",
    "np.zeros(3, 'i4,f4')", "np.ma.zeros(3)", "np.zeros(3).view(NumpySub)", "np.matrix([[1, 2]])",
    "np.zeros(3, '>f8')", "np.zeros((0, 3))", "np.zeros((1,)*64)", "np.zeros(3, 'g')",
    "np.zeros(2, 'M8[s]')", "np.random.default_rng(1)",
]  # fmt: skip
SHAPES = [
    "xp.zeros(3)", "xp.ones((2, 3))", "xp.arange(6)", "xp.arange(24.).reshape(2, 3, 4)",
    "xp.eye(3)", "xp.zeros(0)", "xp.zeros((0, 3))", "xp.zeros((3, 0, 2), 'i4')", "xp.array(2.5)",
    "xp.array(True)", "xp.zeros((1,)*64)", "xp.zeros((1,)*33, 'i1')", "xp.ones((1,)*64)[None:0]",
    "xp.arange(24.).reshape(4, 6)[::2, ::-3]", "xp.arange(12.).reshape(3, 4).T",
    "xp.broadcast_to(xp.arange(3.), (4, 3))", "readonly(xp, 3)", "xp.ones((3, 3), 'F')",
    "xp.full(4, xp.nan)", "xp.array([1., xp.inf, -xp.inf, xp.nan])", "xp.array([True, False, True])",
    "xp.ones((2, 2, 2, 2))", "xp.arange(5)[::-1]", "typed(xp.ones(3))", "xp.array([[1, 2], [3, 4]])",
    "xp.array([0, 5, -9])", "xp.array([2**63-1, -2**63])", "xp.array([2**64-1], 'u8')",
    "xp.zeros(1)", "xp.zeros(1100)", "xp.array(5)", "xp.zeros((2, 2), 'M8[D]')",
    "xp.ones(3, 'm8[ns]')", "xp.array(['NaT'], 'M8[s]')", "xp.ones((4, 4), 'D')[1:, 1:]",
    "xp.lib.stride_tricks.as_strided(xp.zeros(4), (3, 3), (8, 0))",
]  # fmt: skip
STRUCTURED = [
    "xp.ones(3, 'i4,f8')", "xp.zeros((2, 3), [('x', 'f4'), ('s', 'i2', (3,))])", "xp.zeros(3, 'V5')",
    "xp.ones((3, 3), 'f4,f4,f4,f4').T", "xp.zeros((), 'i1,c16')", "xp.zeros((0, 2), 'i4,i4')",
    "xp.ones((4, 2), 'i4,i4,f8')[['f2', 'f0']]", "xp.ones(5, [('a', 'f4'), ('n', 'i1,f8', (2,))])[::-2]",
    "xp.ones(3, 'f4,f8')['f1']", "xp.zeros(4, 'V16')", "readonly(xp, 3, 'i4,f4')",
]  # fmt: skip
PLAIN = [f"xp.ones({shape}, '{d}')" for d, shape in zip(
    DTYPES, ["3", "(2, 2)", "(2, 3)", "(1, 4)", "5", "(3, 1)"] * 4, strict=False)]  # fmt: skip
ARRAYS = SHAPES + STRUCTURED + PLAIN

TEXTS = INTS + FLOATS + FOREIGN + TEXT + OBJECTS + PROTOCOLS + HOST + ARRAYS
