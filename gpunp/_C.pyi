# Types of the extension module. Hand-written, but for the block that `make stubs` writes from the
# table of ufuncs.

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, Literal, NamedTuple, Self, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import DTypeLike

from gpunp.typing import _DeviceArray, _Number

_Shape: TypeAlias = SupportsIndex | tuple[SupportsIndex, ...] | list[int]
_Axis: TypeAlias = SupportsIndex | tuple[SupportsIndex, ...] | None
_Operand: TypeAlias = _DeviceArray | _Number  # arrays of a device, Python's and NumPy's scalars
_Order: TypeAlias = Literal["C", "F", "A", "K"] | None
_Casting: TypeAlias = Literal["no", "equiv", "safe", "same_kind", "unsafe", "same_value"]
_Out: TypeAlias = ndarray | tuple[ndarray | None, ...] | None
_Where: TypeAlias = ndarray | bool | np.bool | list[Any]

class flagsobj:
    c_contiguous: bool
    f_contiguous: bool
    owndata: bool
    writeable: bool
    aligned: bool
    fnc: bool
    forc: bool
    def __getitem__(self, key: str) -> bool: ...

class flatiter:
    base: ndarray
    def __getitem__(self, key: Any) -> ndarray: ...
    def __setitem__(self, key: Any, value: Any) -> None: ...
    def __iter__(self) -> Iterator[ndarray]: ...
    def __next__(self) -> ndarray: ...
    def __len__(self) -> int: ...
    def copy(self) -> ndarray: ...

class ndarray:
    def __new__(
        cls,
        shape: _Shape,
        dtype: Any = ...,
        memptr: Any = None,
        strides: Any = None,
        order: str = "C",
        *,
        buffer: ndarray | None = None,
        offset: int = 0,
    ) -> ndarray: ...
    # What it is
    shape: tuple[int, ...]
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def ndim(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def itemsize(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def flags(self) -> flagsobj: ...
    @property
    def base(self) -> Any: ...
    @property
    def data(self) -> Any: ...
    @property
    def device(self) -> Any: ...
    @property
    def cstruct(self) -> Any: ...
    @property
    def flat(self) -> flatiter: ...
    @property
    def _c_contiguous(self) -> bool: ...
    @property
    def _f_contiguous(self) -> bool: ...
    @property
    def T(self) -> ndarray: ...
    @property
    def mT(self) -> ndarray: ...
    real: ndarray
    imag: ndarray
    # Views and copies
    def reshape(self, *shape: _Shape, order: _Order = "C", copy: bool | None = None) -> ndarray: ...
    def ravel(self, order: str = "C") -> ndarray: ...
    def flatten(self, order: str = "C") -> ndarray: ...
    def transpose(self, *axes: _Shape | None) -> ndarray: ...
    def swapaxes(self, axis1: int, axis2: int, /) -> ndarray: ...
    def squeeze(self, axis: _Axis = None) -> ndarray: ...
    def byteswap(self, inplace: bool = False) -> ndarray: ...
    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> ndarray: ...
    def view(self, dtype: Any = None, type: Any = None) -> Self: ...
    def copy(self, order: str = "C") -> ndarray: ...
    def astype(
        self,
        dtype: Any,
        order: str = "K",
        casting: str = "unsafe",
        subok: bool = True,
        copy: bool = True,
    ) -> ndarray: ...
    def fill(self, value: Any, /) -> None: ...
    def repeat(self, repeats: Any, axis: int | None = None) -> ndarray: ...
    def take(
        self, indices: Any, axis: int | None = None, out: ndarray | None = None, mode: str = "raise"
    ) -> ndarray: ...
    def dot(self, b: Any, out: ndarray | None = None) -> ndarray: ...
    def put(self, ind: Any, v: Any, mode: str = "raise") -> None: ...
    def choose(self, choices: Any, out: ndarray | None = None, mode: str = "raise") -> ndarray: ...
    def sort(
        self,
        axis: int = -1,
        kind: str | None = None,
        order: None = None,
        *,
        stable: bool | None = None,
        descending: bool | None = None,
    ) -> None: ...
    def argsort(
        self,
        axis: int | None = -1,
        kind: str | None = None,
        order: None = None,
        *,
        stable: bool | None = None,
        descending: bool | None = None,
    ) -> ndarray: ...
    def compress(
        self, condition: Any, axis: int | None = None, out: ndarray | None = None
    ) -> ndarray: ...
    def partition(
        self, kth: Any, axis: int = -1, kind: str = "introselect", order: None = None
    ) -> None: ...
    def argpartition(
        self, kth: Any, axis: int | None = -1, kind: str = "introselect", order: None = None
    ) -> ndarray: ...
    def searchsorted(
        self, v: Any, side: str = "left", sorter: ndarray | None = None
    ) -> ndarray: ...
    def nonzero(self) -> tuple[ndarray, ...]: ...
    def clip(self, min: Any = None, max: Any = None, out: ndarray | None = None) -> ndarray: ...
    def round(self, decimals: int = 0, out: ndarray | None = None) -> ndarray: ...
    def __round__(self, ndigits: int | None = None) -> Any: ...
    def conj(self, /, out: ndarray | None = None) -> ndarray: ...
    def conjugate(self, /, out: ndarray | None = None) -> ndarray: ...
    def cumsum(
        self, axis: Any = None, dtype: Any = None, out: ndarray | None = None
    ) -> ndarray: ...
    def cumprod(
        self, axis: Any = None, dtype: Any = None, out: ndarray | None = None
    ) -> ndarray: ...
    # Reductions
    def sum(
        self,
        axis: _Axis = None,
        dtype: Any = None,
        out: ndarray | None = None,
        keepdims: bool = False,
        **options: Any,
    ) -> ndarray: ...
    def prod(
        self,
        axis: _Axis = None,
        dtype: Any = None,
        out: ndarray | None = None,
        keepdims: bool = False,
        **options: Any,
    ) -> ndarray: ...
    def mean(
        self,
        axis: _Axis = None,
        dtype: Any = None,
        out: ndarray | None = None,
        keepdims: bool = False,
        **options: Any,
    ) -> ndarray: ...
    def var(
        self,
        axis: _Axis = None,
        dtype: Any = None,
        out: ndarray | None = None,
        ddof: float = 0,
        keepdims: bool = False,
        **options: Any,
    ) -> ndarray: ...
    def std(
        self,
        axis: _Axis = None,
        dtype: Any = None,
        out: ndarray | None = None,
        ddof: float = 0,
        keepdims: bool = False,
        **options: Any,
    ) -> ndarray: ...
    def max(
        self, axis: _Axis = None, out: ndarray | None = None, keepdims: bool = False, **options: Any
    ) -> ndarray: ...
    def min(
        self, axis: _Axis = None, out: ndarray | None = None, keepdims: bool = False, **options: Any
    ) -> ndarray: ...
    def all(
        self, axis: _Axis = None, out: ndarray | None = None, keepdims: bool = False, **options: Any
    ) -> ndarray: ...
    def any(
        self, axis: _Axis = None, out: ndarray | None = None, keepdims: bool = False, **options: Any
    ) -> ndarray: ...
    def argmax(
        self, axis: int | None = None, out: ndarray | None = None, **options: Any
    ) -> ndarray: ...
    def argmin(
        self, axis: int | None = None, out: ndarray | None = None, **options: Any
    ) -> ndarray: ...
    def ptp(self, *args: Any, **kwargs: Any) -> ndarray: ...
    def scatter_add(self, slices: Any, value: Any) -> None: ...
    def scatter_max(self, slices: Any, value: Any) -> None: ...
    def scatter_min(self, slices: Any, value: Any) -> None: ...
    def getfield(self, dtype: Any, offset: int = 0) -> ndarray: ...
    def setfield(self, val: Any, dtype: Any, offset: int = 0) -> None: ...
    def setflags(
        self, write: bool | None = None, align: bool | None = None, uic: bool | None = None
    ) -> None: ...
    def resize(self, *new_shape: Any, refcheck: bool = True) -> None: ...
    def trace(self, *args: Any, **options: Any) -> ndarray: ...
    # To and from the host and other libraries
    def get(
        self, stream: Any = None, order: str = "C", out: Any = None, blocking: bool = True
    ) -> np.ndarray[Any, Any]: ...
    def set(self, arr: Any, stream: Any = None) -> None: ...
    def to_numpy(self) -> np.ndarray[Any, Any]: ...
    def to_device(self, device: Any, /, *, stream: Any = None) -> ndarray: ...
    def item(self, *args: Any) -> Any: ...
    def tolist(self) -> Any: ...
    def tobytes(self, order: str = "C") -> bytes: ...
    def tofile(self, fid: Any, sep: str = "", format: str = "%s") -> None: ...
    def dump(self, file: Any) -> None: ...
    def dumps(self) -> bytes: ...
    def toDlpack(self) -> Any: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def __dlpack__(self, **options: Any) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]: ...
    def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType: ...
    # Python's protocols
    def __getitem__(self, key: Any) -> ndarray: ...
    def __setitem__(self, key: Any, value: Any) -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[ndarray]: ...
    def __contains__(self, value: Any) -> bool: ...
    def __bool__(self) -> bool: ...
    def __int__(self) -> int: ...
    def __float__(self) -> float: ...
    def __complex__(self) -> complex: ...
    def __index__(self) -> int: ...
    def __neg__(self) -> ndarray: ...
    def __pos__(self) -> ndarray: ...
    def __abs__(self) -> ndarray: ...
    def __invert__(self) -> ndarray: ...
    def __eq__(self, other: _Operand) -> ndarray: ...  # type: ignore[override]
    def __ne__(self, other: _Operand) -> ndarray: ...  # type: ignore[override]
    def __lt__(self, other: _Operand) -> ndarray: ...
    def __le__(self, other: _Operand) -> ndarray: ...
    def __gt__(self, other: _Operand) -> ndarray: ...
    def __ge__(self, other: _Operand) -> ndarray: ...
    __hash__: None  # type: ignore[assignment]
    def __add__(self, other: _Operand) -> ndarray: ...
    def __radd__(self, other: _Operand) -> ndarray: ...
    def __sub__(self, other: _Operand) -> ndarray: ...
    def __rsub__(self, other: _Operand) -> ndarray: ...
    def __mul__(self, other: _Operand) -> ndarray: ...
    def __matmul__(self, other: ndarray) -> ndarray: ...
    def __imatmul__(self, other: ndarray) -> ndarray: ...
    def __rmul__(self, other: _Operand) -> ndarray: ...
    def __truediv__(self, other: _Operand) -> ndarray: ...
    def __rtruediv__(self, other: _Operand) -> ndarray: ...
    def __floordiv__(self, other: _Operand) -> ndarray: ...
    def __rfloordiv__(self, other: _Operand) -> ndarray: ...
    def __mod__(self, other: _Operand) -> ndarray: ...
    def __rmod__(self, other: _Operand) -> ndarray: ...
    def __divmod__(self, other: _Operand) -> tuple[ndarray, ndarray]: ...
    def __rdivmod__(self, other: _Operand) -> tuple[ndarray, ndarray]: ...
    def __pow__(self, other: _Operand) -> ndarray: ...
    def __rpow__(self, other: _Operand) -> ndarray: ...
    def __lshift__(self, other: _Operand) -> ndarray: ...
    def __rlshift__(self, other: _Operand) -> ndarray: ...
    def __rshift__(self, other: _Operand) -> ndarray: ...
    def __rrshift__(self, other: _Operand) -> ndarray: ...
    def __and__(self, other: _Operand) -> ndarray: ...
    def __rand__(self, other: _Operand) -> ndarray: ...
    def __or__(self, other: _Operand) -> ndarray: ...
    def __ror__(self, other: _Operand) -> ndarray: ...
    def __xor__(self, other: _Operand) -> ndarray: ...
    def __rxor__(self, other: _Operand) -> ndarray: ...

class ufunc:
    __name__: str
    @property
    def name(self) -> str: ...
    @property
    def nin(self) -> int: ...
    @property
    def nout(self) -> int: ...
    @property
    def nargs(self) -> int: ...
    @property
    def ntypes(self) -> int: ...
    @property
    def types(self) -> list[str]: ...
    @property
    def identity(self) -> Any: ...
    @property
    def signature(self) -> None: ...
    def __call__(self, *operands: _Operand, **options: Any) -> Any: ...
    def outer(self, A: _Operand, B: _Operand, /, **options: Any) -> Any: ...
    def at(self, a: ndarray, indices: Any, b: _Operand = ..., /) -> None: ...
    def reduce(
        self,
        array: _Operand,
        axis: _Axis = 0,
        dtype: DTypeLike | None = None,
        out: _Out = None,
        keepdims: bool = False,
        initial: _Number | None = ...,
        where: _Where = True,
    ) -> ndarray: ...
    def accumulate(
        self, array: _Operand, axis: int = 0, dtype: DTypeLike | None = None, out: _Out = None
    ) -> ndarray: ...
    def reduceat(
        self,
        array: _Operand,
        indices: Any,
        axis: int = 0,
        dtype: DTypeLike | None = None,
        out: _Out = None,
    ) -> ndarray: ...

# Ufuncs by their numbers of operands and results: at runtime all are of the class above.
class _Ufunc11(ufunc):
    def __call__(  # type: ignore[override]
        self,
        x: _Operand,
        /,
        out: _Out = None,
        *,
        where: _Where = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
        signature: Any = None,
    ) -> ndarray: ...

class _Ufunc12(ufunc):
    def __call__(  # type: ignore[override]
        self,
        x: _Operand,
        /,
        out: tuple[ndarray | None, ndarray | None] = (None, None),
        *,
        where: _Where = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
        signature: Any = None,
    ) -> tuple[ndarray, ndarray]: ...

class _Ufunc21(ufunc):
    def __call__(  # type: ignore[override]
        self,
        x1: _Operand,
        x2: _Operand,
        /,
        out: _Out = None,
        *,
        where: _Where = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
        signature: Any = None,
    ) -> ndarray: ...
    def outer(self, A: _Operand, B: _Operand, /, **options: Any) -> ndarray: ...

class _Ufunc22(ufunc):
    def __call__(  # type: ignore[override]
        self,
        x1: _Operand,
        x2: _Operand,
        /,
        out: tuple[ndarray | None, ndarray | None] = (None, None),
        *,
        where: _Where = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
        signature: Any = None,
    ) -> tuple[ndarray, ndarray]: ...

class _Ufunc31(ufunc):
    def __call__(  # type: ignore[override]
        self,
        a: _Operand,
        a_min: _Operand,
        a_max: _Operand,
        /,
        out: _Out = None,
        *,
        where: _Where = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
        signature: Any = None,
    ) -> ndarray: ...

class gufunc(ufunc):
    @property
    def signature(self) -> str: ...  # type: ignore[override]
    def __call__(  # type: ignore[override]
        self,
        x1: _Operand,
        x2: _Operand,
        /,
        out: _Out = None,
        *,
        axes: Any = ...,
        axis: int = ...,
        keepdims: bool = False,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
        signature: Any = None,
    ) -> ndarray: ...

def correlate(a: ndarray, v: ndarray, dtype: Any, before: int, n: int, /) -> ndarray: ...
def correlate2d(
    a: ndarray,
    v: ndarray,
    dtype: Any,
    before_y: int,
    before_x: int,
    rows: int,
    columns: int,
    outside: int,
    fill: Any,
    /,
) -> ndarray: ...

matmul: gufunc
vecdot: gufunc
matvec: gufunc
vecmat: gufunc

def interp(x: ndarray, xp: ndarray, fp: ndarray, left: ndarray, right: ndarray, /) -> ndarray: ...

class CurandGenerator:
    def __new__(cls, method: int, seed: int) -> CurandGenerator: ...
    def set_offset(self, offset: int, /) -> None: ...
    def words(self, n: int, /) -> ndarray: ...

class RandomStream:
    key: int
    position: int
    stream: int
    states: Any
    def __new__(cls, origin: str, key: Any, position: int = 0, stream: int = 0) -> RandomStream: ...

def random_distributions() -> list[tuple[str, str, str]]: ...
def random_draw(
    stream: RandomStream,
    distribution: int,
    size: Any,
    dtype: Any,
    out: Any,
    /,
    *parameters: Any,
) -> ndarray: ...
def random_integers(
    stream: RandomStream, low: Any, count: Any, size: Any, dtype: Any, /
) -> ndarray: ...
def random_permutation(stream: RandomStream, keys: ndarray, /) -> ndarray: ...
def random_sample(keys: ndarray, n: int, count: int, /) -> ndarray: ...
def random_rows(
    stream: RandomStream, without_return: bool, totals: ndarray, weights: ndarray, rows: int, /
) -> ndarray: ...

class allow_host_copy:
    def __enter__(self) -> allow_host_copy: ...
    def __exit__(self, *exc: object) -> None: ...

# Creation
def array(
    object: Any,
    dtype: Any = None,
    copy: bool | None = True,
    order: str = "K",
    subok: bool = False,
    ndmin: int = 0,
    *,
    blocking: bool = False,
) -> ndarray: ...
def empty(shape: _Shape, dtype: Any = ..., order: str = "C") -> ndarray: ...
def zeros(shape: _Shape, dtype: Any = ..., order: str = "C") -> ndarray: ...
def ones(shape: _Shape, dtype: Any = None, order: str = "C") -> ndarray: ...
def full(shape: _Shape, fill_value: Any, dtype: Any = None, order: str = "C") -> ndarray: ...
def empty_like(
    prototype: ndarray, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None
) -> ndarray: ...
def zeros_like(
    a: ndarray, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None
) -> ndarray: ...
def ones_like(
    a: ndarray, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None
) -> ndarray: ...
def full_like(
    a: ndarray,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
) -> ndarray: ...
def arange_fill(length: int, first: Any, second: Any, dtype: Any) -> ndarray: ...
def join(arrays: Any, axis: Any, new_axis: bool) -> ndarray | None: ...
def pad(
    a: ndarray, before: tuple[int, ...], shape: tuple[int, ...], rule: str, value: Any
) -> ndarray: ...
def linspace_fill(
    num: int, start: Any, step: Any, stop: Any, div: int, fix_last: bool, work: Any, dtype: Any
) -> ndarray: ...
def eye(rows: int, columns: int, k: int, dtype: Any, order: str = "C") -> ndarray: ...
def tri(rows: int, columns: int, k: int, dtype: Any) -> ndarray: ...
def take_along(a: ndarray, indices: ndarray, axis: int) -> ndarray: ...
def put(a: ndarray, indices: ndarray, values: ndarray, wraps: bool) -> None: ...
def triangle(m: ndarray, k: int, lower: bool) -> ndarray: ...
def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> ndarray: ...

# Views, copies, selection
def as_strided(
    x: ndarray,
    shape: Any = None,
    strides: Any = None,
    subok: bool = False,
    writeable: bool = True,
) -> ndarray: ...
def broadcast_to(array: ndarray, shape: _Shape, subok: bool = False) -> ndarray: ...
def copyto(dst: ndarray, src: Any, casting: str = "same_kind", where: Any = True) -> None: ...
def isclose(
    a: _Operand, b: _Operand, rtol: _Operand, atol: _Operand, equal_nan: bool, work: Any
) -> ndarray: ...
def nan_to_num(a: ndarray, nan: Any, posinf: Any, neginf: Any, in_place: bool) -> ndarray: ...
def pack_words(words: ndarray, big: bool) -> ndarray: ...
def index_mode_raises() -> bool: ...
def round_scaled(a: ndarray, scale: float, is_up: bool) -> ndarray: ...
def where(condition: Any, x: Any, y: Any) -> ndarray: ...
def may_share_memory(a: Any, b: Any, /, max_work: Any = None) -> bool: ...
def shares_memory(a: Any, b: Any, /, max_work: Any = None) -> bool: ...
def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]: ...

# Counting
def bincount(x: ndarray, weights: ndarray | None, minlength: int) -> ndarray: ...
def count_in_bins(
    a: ndarray,
    edges: ndarray,
    are_uniform: bool,
    weights: ndarray | None = None,
    ulps: float = 0,
) -> ndarray: ...
def uniform_edges(extent: ndarray, nbins: int, dtype: Any) -> ndarray: ...
def extent(
    a: ndarray,
    axis: _Axis = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> ndarray: ...

# Scans
def cumsum(
    a: ndarray, axis: Any = None, dtype: Any = None, out: ndarray | None = None
) -> ndarray: ...
def cumprod(
    a: ndarray, axis: Any = None, dtype: Any = None, out: ndarray | None = None
) -> ndarray: ...
def nancumsum(
    a: ndarray, axis: Any = None, dtype: Any = None, out: ndarray | None = None
) -> ndarray: ...
def nancumprod(
    a: ndarray, axis: Any = None, dtype: Any = None, out: ndarray | None = None
) -> ndarray: ...
def cummax(
    a: ndarray, axis: Any = None, dtype: Any = None, out: ndarray | None = None
) -> ndarray: ...
def cummin(
    a: ndarray, axis: Any = None, dtype: Any = None, out: ndarray | None = None
) -> ndarray: ...

# Reductions
def sorted_copy(
    a: ndarray,
    axis: int = -1,
    kind: str | None = None,
    order: None = None,
    *,
    stable: bool | None = None,
    descending: bool | None = None,
) -> ndarray: ...

class DeviceSynchronized(RuntimeError): ...

def _allow_waits(allow: bool, /) -> bool: ...
def _exchange(a: ndarray, b: ndarray, /) -> None: ...
def search_either(sequence: ndarray, values: ndarray, right: bool, /) -> ndarray: ...
def is_member(sorted: ndarray, values: ndarray, invert: bool, /) -> ndarray: ...
def run_starts(sorted: ndarray, equal_nan: bool, /) -> ndarray: ...
def select_ranks(a: ndarray, ranks: ndarray, /) -> ndarray: ...
def nth_rows(a: ndarray, ranks: list[int], gives: int, /) -> ndarray | None: ...
def rank_rows(
    a: ndarray,
    ranks: list[tuple[int, int, float]],
    between: int,
    dtype: Any,
    is_sorted: bool,
    skip_nan: bool,
    /,
) -> ndarray: ...
def sorted_pairs(a: ndarray) -> tuple[ndarray, ndarray]: ...
def sorted_places(a: ndarray) -> tuple[ndarray, ndarray]: ...
def sorted_values(keys: ndarray, values: ndarray | None, bits: int) -> tuple[ndarray, ndarray]: ...
def sorted_words(
    keys: ndarray, low: ndarray, above: ndarray | None, first: int, bits: int
) -> tuple[ndarray, ndarray]: ...
def count_nonzero(a: ndarray, axis: _Axis = None, *, keepdims: bool = False) -> ndarray: ...
def sum(
    a: ndarray,
    axis: _Axis = None,
    dtype: Any = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> ndarray: ...
def prod(
    a: ndarray,
    axis: _Axis = None,
    dtype: Any = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> ndarray: ...
def max(
    a: ndarray,
    axis: _Axis = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> ndarray: ...
def min(
    a: ndarray,
    axis: _Axis = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> ndarray: ...
def nansum(
    a: ndarray, axis: _Axis = None, dtype: Any = None, out: ndarray | None = None, **options: Any
) -> ndarray: ...
def nanprod(
    a: ndarray, axis: _Axis = None, dtype: Any = None, out: ndarray | None = None, **options: Any
) -> ndarray: ...
def nanmax(
    a: ndarray, axis: _Axis = None, out: ndarray | None = None, **options: Any
) -> ndarray: ...
def nanmin(
    a: ndarray, axis: _Axis = None, out: ndarray | None = None, **options: Any
) -> ndarray: ...
def nanmean(
    a: ndarray,
    axis: _Axis = None,
    dtype: Any = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    **options: Any,
) -> ndarray: ...
def nanvar(
    a: ndarray,
    axis: _Axis = None,
    dtype: Any = None,
    out: ndarray | None = None,
    ddof: float = 0,
    **options: Any,
) -> ndarray: ...
def nanstd(
    a: ndarray,
    axis: _Axis = None,
    dtype: Any = None,
    out: ndarray | None = None,
    ddof: float = 0,
    **options: Any,
) -> ndarray: ...
def norm_zero(
    a: ndarray, axis: _Axis = None, *, keepdims: bool = False, **options: Any
) -> ndarray: ...
def norm_one(
    a: ndarray, axis: _Axis = None, *, keepdims: bool = False, **options: Any
) -> ndarray: ...
def norm_two(
    a: ndarray, axis: _Axis = None, *, keepdims: bool = False, **options: Any
) -> ndarray: ...
def norm_three(
    a: ndarray, axis: _Axis = None, *, keepdims: bool = False, **options: Any
) -> ndarray: ...
def norm_max(
    a: ndarray, axis: _Axis = None, *, keepdims: bool = False, **options: Any
) -> ndarray: ...
def norm_min(
    a: ndarray, axis: _Axis = None, *, keepdims: bool = False, **options: Any
) -> ndarray: ...
def _warn(message: str, category: type[Warning], /) -> None: ...
def _fallback_reason() -> str: ...

# Tables
def dtype_table() -> list[dict[str, Any]]: ...
def ufunc_table() -> list[dict[str, Any]]: ...
def ufunc_aliases() -> dict[str, str]: ...

# What gpunp.cuda is made of: types and functions it documents itself.
def __getattr__(name: str) -> Any: ...

# ---- ufuncs: written by `make stubs`
abs: _Ufunc11
absolute: _Ufunc11
acos: _Ufunc11
acosh: _Ufunc11
add: _Ufunc21
arccos: _Ufunc11
arccosh: _Ufunc11
arcsin: _Ufunc11
arcsinh: _Ufunc11
arctan: _Ufunc11
arctan2: _Ufunc21
arctanh: _Ufunc11
asin: _Ufunc11
asinh: _Ufunc11
atan: _Ufunc11
atan2: _Ufunc21
atanh: _Ufunc11
bitwise_and: _Ufunc21
bitwise_count: _Ufunc11
bitwise_invert: _Ufunc11
bitwise_left_shift: _Ufunc21
bitwise_not: _Ufunc11
bitwise_or: _Ufunc21
bitwise_right_shift: _Ufunc21
bitwise_xor: _Ufunc21
cbrt: _Ufunc11
ceil: _Ufunc11
clip: _Ufunc31
conj: _Ufunc11
conjugate: _Ufunc11
copysign: _Ufunc21
cos: _Ufunc11
cosh: _Ufunc11
deg2rad: _Ufunc11
degrees: _Ufunc11
divide: _Ufunc21
divmod: _Ufunc22
equal: _Ufunc21
exp: _Ufunc11
exp2: _Ufunc11
expm1: _Ufunc11
fabs: _Ufunc11
float_power: _Ufunc21
floor: _Ufunc11
floor_divide: _Ufunc21
fmax: _Ufunc21
fmin: _Ufunc21
fmod: _Ufunc21
frexp: _Ufunc12
gcd: _Ufunc21
greater: _Ufunc21
greater_equal: _Ufunc21
heaviside: _Ufunc21
hypot: _Ufunc21
invert: _Ufunc11
isfinite: _Ufunc11
isinf: _Ufunc11
isnan: _Ufunc11
isnat: _Ufunc11
lcm: _Ufunc21
ldexp: _Ufunc21
left_shift: _Ufunc21
less: _Ufunc21
less_equal: _Ufunc21
log: _Ufunc11
log10: _Ufunc11
log1p: _Ufunc11
log2: _Ufunc11
logaddexp: _Ufunc21
logaddexp2: _Ufunc21
logical_and: _Ufunc21
logical_not: _Ufunc11
logical_or: _Ufunc21
logical_xor: _Ufunc21
maximum: _Ufunc21
minimum: _Ufunc21
mod: _Ufunc21
modf: _Ufunc12
multiply: _Ufunc21
negative: _Ufunc11
nextafter: _Ufunc21
not_equal: _Ufunc21
positive: _Ufunc11
pow: _Ufunc21
power: _Ufunc21
rad2deg: _Ufunc11
radians: _Ufunc11
reciprocal: _Ufunc11
remainder: _Ufunc21
right_shift: _Ufunc21
rint: _Ufunc11
sign: _Ufunc11
signbit: _Ufunc11
sin: _Ufunc11
sinh: _Ufunc11
spacing: _Ufunc11
sqrt: _Ufunc11
square: _Ufunc11
subtract: _Ufunc21
tan: _Ufunc11
tanh: _Ufunc11
true_divide: _Ufunc21
trunc: _Ufunc11
# ---- end of ufuncs

class Module:
    """An image on one device."""

    def __init__(self) -> None: ...
    @property
    def ptr(self) -> int: ...
    def load(self, cubin: Any, /) -> None: ...
    def load_file(self, filename: Any, /) -> None: ...
    @property
    def mapping(self) -> dict[str, str]: ...
    def get_function(self, name: str, /) -> Function: ...
    def get_global_var(self, name: str, /) -> int: ...
    def _global(self, name: str, /) -> tuple[int, int]: ...
    def _symbol(self, name: str, /) -> str: ...

class LinkState:
    """The driver's linker."""

    def __init__(self) -> None: ...
    @property
    def ptr(self) -> int: ...
    def add_ptr_data(self, data: Any, name: str) -> None: ...
    def add_ptr_file(self, path: Any, /) -> None: ...
    def complete(self) -> bytes: ...

class Function:
    """A kernel on one device."""

    def __init__(self, module: Module, funcname: str) -> None: ...
    @property
    def ptr(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def module(self) -> Module: ...
    def __call__(
        self,
        grid: Any,
        block: Any,
        args: Any,
        shared_mem: int = 0,
        stream: Any = None,
        enable_cooperative_groups: bool = False,
        cluster: Any = None,
    ) -> None: ...
    def linear_launch(
        self,
        size: int,
        args: Any,
        shared_mem: int = 0,
        block_max_size: int = 128,
        stream: Any = None,
        enable_cooperative_groups: bool = False,
    ) -> None: ...

class RawModule:
    """CUDA C++ source, or an image in a file, with several kernels."""

    def __init__(
        self,
        *,
        code: str | None = None,
        path: Any = None,
        options: Any = (),
        backend: str = "nvrtc",
        translate_cucomplex: bool = False,
        enable_cooperative_groups: bool = False,
        name_expressions: Any = None,
        jitify: bool | None = None,
    ) -> None: ...
    code: str | None
    file_path: str | None
    options: tuple[str, ...]
    backend: str
    enable_cooperative_groups: bool
    name_expressions: tuple[str, ...] | None
    @property
    def module(self) -> Module: ...
    def compile(self, log_stream: Any = None) -> None: ...
    def get_function(self, name: str, /) -> RawKernel: ...
    def get_global(self, name: str, /) -> Any: ...

class Dispatch:
    """A kernel for each list of argument types; a subclass compiles them."""

    def __new__(cls, name: str) -> Self: ...
    def __call__(
        self, grid: Any, block: Any, args: Any, shared_mem: int = 0, stream: Any = None
    ) -> None: ...
    def __getitem__(self, key: Any, /) -> Callable[..., None]: ...

class ParameterInfo(NamedTuple):
    """A parameter of an ElementwiseKernel or a ReductionKernel."""

    name: str
    dtype: Any
    ctype: str
    raw: bool
    is_const: bool

class ElementwiseKernel:
    """A function of the user's own, in CUDA C++, for each element of its arguments."""

    def __init__(
        self,
        in_params: str,
        out_params: str,
        operation: str,
        name: str = "kernel",
        reduce_dims: bool = True,
        preamble: str = "",
        no_return: bool = False,
        return_tuple: bool = False,
        **kwargs: Any,
    ) -> None: ...
    in_params: tuple[ParameterInfo, ...]
    out_params: tuple[ParameterInfo, ...]
    params: tuple[ParameterInfo, ...]
    nin: int
    nout: int
    nargs: int
    operation: str
    name: str
    reduce_dims: bool
    preamble: str
    no_return: bool
    return_tuple: bool
    kwargs: dict[str, Any]
    cached_codes: dict[tuple[Any, ...], str]
    cached_code: str
    def __call__(
        self, *args: Any, size: Any = None, stream: Any = None, block_size: int | None = None
    ) -> Any: ...

class FusedFunction:
    """A function whose elementwise work runs in few kernels; see gpunp.fuse."""

    def __init__(self, function: Callable[..., Any], name: str) -> None: ...
    kernel_name: str
    _nkernels: int
    def clear_cache(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

def _lazy_enter() -> None: ...
def _lazy_leave() -> None: ...
def _lazy_mode(mode: int, /) -> int: ...
def _lazy_run() -> None: ...
def _set_block_tuner(function: Callable[..., int] | None, /) -> None: ...
def _set_fused_host_call(function: Callable[..., Any], /) -> None: ...

class ReductionKernel:
    """A reduction of the user's own, in CUDA C++."""

    def __init__(
        self,
        in_params: str,
        out_params: str,
        map_expr: str,
        reduce_expr: str,
        post_map_expr: str,
        identity: Any,
        name: str = "reduce_kernel",
        reduce_type: str | None = None,
        reduce_dims: bool = True,
        preamble: str = "",
        options: Any = (),
    ) -> None: ...
    in_params: tuple[ParameterInfo, ...]
    out_params: tuple[ParameterInfo, ...]
    params: tuple[ParameterInfo, ...]
    nin: int
    nout: int
    nargs: int
    map_expr: str
    reduce_expr: str
    post_map_expr: str
    identity: str
    name: str
    reduce_type: str | None
    reduce_dims: bool
    preamble: str
    options: tuple[str, ...]
    cached_codes: dict[tuple[Any, ...], str]
    cached_code: str
    def __call__(
        self,
        *args: Any,
        axis: Any = None,
        out: Any = None,
        keepdims: bool = False,
        dtype: Any = None,
        stream: Any = None,
        block_size: int | None = None,
    ) -> Any: ...

class RawKernel:
    """A kernel written in CUDA C++."""

    def __init__(
        self,
        code: str,
        name: str,
        options: Any = (),
        backend: str = "nvrtc",
        *,
        translate_cucomplex: bool = False,
        enable_cooperative_groups: bool = False,
        jitify: bool | None = None,
    ) -> None: ...
    name: str
    code: str | None
    file_path: str | None
    options: tuple[str, ...]
    backend: str
    enable_cooperative_groups: bool
    attributes: dict[str, int]
    max_threads_per_block: int
    shared_size_bytes: int
    const_size_bytes: int
    local_size_bytes: int
    num_regs: int
    ptx_version: int
    binary_version: int
    cache_mode_ca: int
    max_dynamic_shared_size_bytes: int
    preferred_shared_memory_carveout: int
    @property
    def kernel(self) -> Function: ...
    def compile(self, log_stream: Any = None) -> None: ...
    def __call__(
        self,
        grid: Any,
        block: Any,
        args: Any,
        *,
        shared_mem: int = 0,
        stream: Any = None,
        enable_cooperative_groups: bool | None = None,
        cluster: Any = None,
    ) -> None: ...

class EmulatedDeviceWarning(RuntimeWarning): ...

# NVIDIA's libraries (csrc/lib)
class CUBLASError(RuntimeError):
    status: int

class CUSOLVERError(RuntimeError):
    status: int

class CuFFTError(RuntimeError):
    status: int

class CURANDError(RuntimeError):
    status: int

def _libraries() -> list[tuple[str, str | None, str]]: ...
def _library_handle(name: str) -> int: ...
def _products(which: str) -> str: ...
def _allow_tf32(on: bool | None) -> bool: ...
def lapack_potrf(a: ndarray, upper: bool) -> ndarray: ...
def lapack_getrf(
    a: ndarray, method: str | None = None, columns: int = 0
) -> tuple[ndarray, ndarray]: ...
def lapack_triangle(
    a: ndarray, b: ndarray, lower: bool, trans: int, unit: bool
) -> tuple[ndarray, ndarray] | None: ...
def small_cholesky(a: ndarray, upper: bool) -> tuple[ndarray, ndarray]: ...
def small_eigh(
    a: ndarray, vectors: bool, upper: bool
) -> tuple[ndarray, ndarray | None, ndarray]: ...
def small_svd(a: ndarray, vectors: bool, full: bool) -> tuple[Any, ndarray, Any, ndarray]: ...
def small_gauss(a: ndarray, b: ndarray | None, what: str) -> tuple[ndarray, Any, Any]: ...
def lapack_getrs(lu: ndarray, pivots: ndarray, b: ndarray, trans: int) -> None: ...
def lapack_getri(lu: ndarray, pivots: ndarray) -> ndarray: ...
def lapack_order(pivots: ndarray, rows: int) -> tuple[ndarray, ndarray]: ...
def lapack_trsm(
    a: ndarray, b: ndarray, upper: bool, trans: int, unit: bool, right: bool
) -> None: ...
def lapack_geqrf(a: ndarray) -> ndarray: ...
def lapack_orgqr(a: ndarray, tau: ndarray) -> None: ...
def lapack_ormqr(a: ndarray, tau: ndarray, c: ndarray, trans: bool) -> None: ...
def lapack_syev(
    a: ndarray, vectors: bool, upper: bool, method: str | None = None
) -> tuple[ndarray, ndarray]: ...
def lapack_geev(a: ndarray, vectors: bool) -> tuple[ndarray, ndarray, ndarray]: ...
def lapack_svd(
    a: ndarray, vectors: bool, full: bool, method: str | None = None
) -> tuple[ndarray, ndarray, ndarray, int, ndarray]: ...

# Fourier transforms (csrc/lib/fft_functions.c)
def fft(
    a: Any, n: Any = None, axis: Any = -1, norm: str | None = None, out: ndarray | None = None
) -> ndarray: ...
def ifft(
    a: Any, n: Any = None, axis: Any = -1, norm: str | None = None, out: ndarray | None = None
) -> ndarray: ...
def rfft(
    a: Any, n: Any = None, axis: Any = -1, norm: str | None = None, out: ndarray | None = None
) -> ndarray: ...
def irfft(
    a: Any, n: Any = None, axis: Any = -1, norm: str | None = None, out: ndarray | None = None
) -> ndarray: ...
def hfft(
    a: Any, n: Any = None, axis: Any = -1, norm: str | None = None, out: ndarray | None = None
) -> ndarray: ...
def ihfft(
    a: Any, n: Any = None, axis: Any = -1, norm: str | None = None, out: ndarray | None = None
) -> ndarray: ...
def fft2(
    a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, out: ndarray | None = None
) -> ndarray: ...
def ifft2(
    a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, out: ndarray | None = None
) -> ndarray: ...
def rfft2(
    a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, out: ndarray | None = None
) -> ndarray: ...
def irfft2(
    a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, out: ndarray | None = None
) -> ndarray: ...
def fftn(
    a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: ndarray | None = None
) -> ndarray: ...
def ifftn(
    a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: ndarray | None = None
) -> ndarray: ...
def rfftn(
    a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: ndarray | None = None
) -> ndarray: ...
def irfftn(
    a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: ndarray | None = None
) -> ndarray: ...
def fft_axes(
    name: str, a: Any, s: Any, axes: Any, norm: str | None, overwrites: bool
) -> ndarray: ...
def fft_callback(function: Callable[..., Any] | None, /) -> None: ...
def fft_cache_info(device: int, /) -> tuple[int, int, int, int, int, int]: ...
def fft_cache_list(device: int, /) -> list[tuple[str, tuple[int, ...], int, int]]: ...
def fft_cache_limit(device: int, max_plans: int, max_bytes: int) -> None: ...
def fft_cache_clear(device: int, /) -> None: ...
def fft_length(n: int, /) -> int: ...
def fft_whole(whole: bool, /) -> bool: ...
def cosine_transform(
    x: ndarray, type: int, is_sine: bool, scale: float, orthogonal: bool
) -> ndarray: ...
