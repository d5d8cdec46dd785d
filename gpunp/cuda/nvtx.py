"""Marks and ranges for NVIDIA's tools, such as Nsight Systems, by the NVTX protocol.

A tool that records a program names its library in the environment variable NVTX_INJECTION64_PATH;
the library then fills a table of functions. Without a tool, marks and ranges cost a test each and
do nothing, except that they appear in the file of GPUNP_TRACE. Where the older libnvToolsExt is
installed it is used instead. The layout of the tables is that of NVTX 3's public headers.
"""

import ctypes
import os

from gpunp import _C

__all__ = ["Mark", "MarkC", "RangeEnd", "RangePop", "RangePush", "RangePushC", "RangeStart"]

_VERSION = 3
_COLOR_ARGB = 1
_MESSAGE_ASCII = 1

# Colours of `id_color`, opaque.
_PALETTE = (
    0xFF5587A2,
    0xFFE07A3F,
    0xFF6AA84F,
    0xFFB04A5A,
    0xFF8E7CC3,
    0xFF8C6D46,
    0xFFC27BA0,
    0xFF7F7F7F,
)


class _Attributes(ctypes.Structure):
    """nvtxEventAttributes_t."""

    _fields_ = [
        ("version", ctypes.c_uint16),
        ("size", ctypes.c_uint16),
        ("category", ctypes.c_uint32),
        ("color_type", ctypes.c_int32),
        ("color", ctypes.c_uint32),
        ("payload_type", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
        ("payload", ctypes.c_uint64),
        ("message_type", ctypes.c_int32),
        ("message", ctypes.c_char_p),
    ]


_TAKES_EVENT = [ctypes.POINTER(_Attributes)]

# The core module's functions that are used: number in the table, result, parameters.
_CORE = {
    "nvtxMarkEx": (1, None, _TAKES_EVENT),
    "nvtxRangeStartEx": (4, ctypes.c_uint64, _TAKES_EVENT),
    "nvtxRangeEnd": (7, None, [ctypes.c_uint64]),
    "nvtxRangePushEx": (8, ctypes.c_int, _TAKES_EVENT),
    "nvtxRangePop": (11, ctypes.c_int, []),
}
_CORE_SIZE = 16
_CORE_MODULE = 1


def _from_library():
    """The functions of libnvToolsExt, or an empty dict."""
    try:
        library = ctypes.CDLL("libnvToolsExt.so.1")
        found = {name: getattr(library, name) for name in _CORE}
    except (OSError, AttributeError):
        return {}
    for name, (_, result, parameters) in _CORE.items():
        found[name].restype, found[name].argtypes = result, parameters
    return found


class _Injection:
    """A tool's library, its functions, and the tables it was given, which it may keep."""

    def __init__(self, path):
        pointer, size = ctypes.c_void_p, ctypes.c_uint
        self.slots = (pointer * _CORE_SIZE)()
        address = ctypes.addressof(self.slots)
        step = ctypes.sizeof(pointer)
        self.table = (pointer * (_CORE_SIZE + 1))(
            None, *(address + step * i for i in range(1, _CORE_SIZE)), None
        )
        get_table = ctypes.CFUNCTYPE(
            ctypes.c_int, ctypes.c_int, ctypes.POINTER(pointer), ctypes.POINTER(size)
        )
        self.get_table = get_table(self._get_table)
        self.callbacks = (pointer * 2)(2 * step, ctypes.cast(self.get_table, pointer))
        set_version = ctypes.CFUNCTYPE(None, ctypes.c_uint32)
        self.set_version = set_version(lambda version: None)
        self.version = (pointer * 3)(3 * step, _VERSION, ctypes.cast(self.set_version, pointer))
        self.export = ctypes.CFUNCTYPE(pointer, ctypes.c_uint32)(self._export)
        self.library = ctypes.CDLL(path)
        initialize = self.library.InitializeInjectionNvtx2
        initialize.restype = ctypes.c_int
        self.works = initialize(self.export) != 0

    def _export(self, number):
        if number == 1:
            return ctypes.addressof(self.callbacks)
        return ctypes.addressof(self.version) if number == 3 else None

    def _get_table(self, module, table, size):
        known = module == _CORE_MODULE
        if size:
            size[0] = _CORE_SIZE if known else 0
        if table:
            table[0] = ctypes.addressof(self.table) if known else None
        return int(known)

    def functions(self):
        return {
            name: ctypes.CFUNCTYPE(result, *parameters)(self.slots[number])
            for name, (number, result, parameters) in _CORE.items()
            if self.works and self.slots[number]
        }


def _open():
    """(functions by name, what keeps them alive)."""
    path = os.environ.get("NVTX_INJECTION64_PATH")
    if path:
        try:
            injection = _Injection(path)
            return injection.functions(), injection
        except (OSError, AttributeError):  # not there, or no such tool
            pass
    return _from_library(), None


_functions, _injection = _open()
available = bool(_functions)


def _call(name, *arguments):
    function = _functions.get(name)
    return function(*arguments) if function is not None else 0


def _event(message, color):
    attributes = _Attributes(version=_VERSION, size=ctypes.sizeof(_Attributes))
    attributes.message_type = _MESSAGE_ASCII
    attributes.message = message.encode()
    if color:
        attributes.color_type, attributes.color = _COLOR_ARGB, color & 0xFFFFFFFF
    return ctypes.byref(attributes)


def _of_palette(id_color):
    return _PALETTE[id_color % len(_PALETTE)] if id_color >= 0 else 0


def MarkC(message, color=0) -> None:
    """Mark an instant, in a colour given as ARGB.

    Parameters
    ----------
    message : str
        Text that the tool shows.
    color : int, optional
        Colour as 0xAARRGGBB; 0 lets the tool choose.
    """
    _C._trace_mark(message)
    if available:
        _call("nvtxMarkEx", _event(message, color))


def Mark(message, id_color=-1) -> None:
    """Mark an instant, in one of a few colours.

    Parameters
    ----------
    message : str
        Text that the tool shows.
    id_color : int, optional
        Number of the colour; -1 lets the tool choose.
    """
    MarkC(message, _of_palette(id_color))


def RangePushC(message, color=0) -> None:
    """Start a range of this thread, in a colour given as ARGB; ranges nest.

    Parameters
    ----------
    message : str
        Text that the tool shows.
    color : int, optional
        Colour as 0xAARRGGBB; 0 lets the tool choose.
    """
    _C._trace_push(message)
    if available:
        _call("nvtxRangePushEx", _event(message, color))


def RangePush(message, id_color=-1) -> None:
    """Start a range of this thread, in one of a few colours; ranges nest.

    Parameters
    ----------
    message : str
        Text that the tool shows.
    id_color : int, optional
        Number of the colour; -1 lets the tool choose.
    """
    RangePushC(message, _of_palette(id_color))


def RangePop() -> None:
    """End the range that this thread started last."""
    _C._trace_pop()
    _call("nvtxRangePop")


def RangeStart(message, color=0):
    """Start a range that may end in another thread.

    Parameters
    ----------
    message : str
        Text that the tool shows.
    color : int, optional
        Colour as 0xAARRGGBB; 0 lets the tool choose.

    Returns
    -------
    int
        Identifier of the range, for RangeEnd; 0 without a tool.
    """
    return _call("nvtxRangeStartEx", _event(message, color)) if available else 0


def RangeEnd(range_id) -> None:
    """End a range that RangeStart started.

    Parameters
    ----------
    range_id : int
        Identifier that RangeStart returned.
    """
    _call("nvtxRangeEnd", range_id)
