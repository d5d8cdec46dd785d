"""NVRTC, the run-time compiler, under its own names. A program is an int."""

import ctypes
import functools

from gpunp._C import _library_paths

from . import runtime

__all__ = [
    "NVRTCError",
    "addNameExpression",
    "check_status",
    "compileProgram",
    "createProgram",
    "destroyProgram",
    "getCUBIN",
    "getLTOIR",
    "getLoweredName",
    "getPTX",
    "getProgramLog",
    "getSupportedArchs",
    "getVersion",
]


@functools.cache
def _library():
    runtime.runtimeGetVersion()  # opens it
    library = ctypes.CDLL(_library_paths()["nvrtc"])
    library.nvrtcGetErrorString.restype = ctypes.c_char_p
    return library


class NVRTCError(RuntimeError):
    """A function of NVRTC failed.

    Parameters
    ----------
    status : int
        What the function returned.
    """

    def __init__(self, status):
        self.status = status
        super().__init__(_library().nvrtcGetErrorString(status).decode())

    def __reduce__(self):
        return type(self), (self.status,)


def check_status(status) -> None:
    """Raise `NVRTCError` for a status that says that a function failed.

    Parameters
    ----------
    status : int
        What a function of NVRTC returned.
    """
    if status:
        raise NVRTCError(status)


def _string(value):
    if not isinstance(value, str):
        raise TypeError(f"NVRTC takes a str, not {type(value).__name__}")
    return value.encode()


def _strings(values):
    """An array of C strings."""
    if isinstance(values, str):
        raise TypeError("NVRTC takes a sequence of str, not one str")
    encoded = [_string(value) for value in values]
    return (ctypes.c_char_p * len(encoded))(*encoded)


def getVersion():
    """Return the version of NVRTC.

    Returns
    -------
    tuple of int
        Major and minor version.
    """
    version = runtime.runtimeGetVersion()
    return version // 1000, version % 1000 // 10


def getSupportedArchs():
    """Return the architectures that NVRTC compiles for.

    Returns
    -------
    list of int
        Compute capabilities times ten, ascending.
    """
    count = ctypes.c_int()
    check_status(_library().nvrtcGetNumSupportedArchs(ctypes.byref(count)))
    archs = (ctypes.c_int * count.value)()
    check_status(_library().nvrtcGetSupportedArchs(archs))
    return list(archs)


def createProgram(src, name, headers, include_names):
    """Create a program from its source.

    Parameters
    ----------
    src : str
        Source code in CUDA C++.
    name : str
        Name of the source in messages.
    headers : sequence of str
        Texts of headers that the source includes.
    include_names : sequence of str
        Names by which the source includes them.

    Returns
    -------
    int
        The program; see `destroyProgram`.

    Examples
    --------
    >>> from gpunp.cuda import nvrtc
    >>> program = nvrtc.createProgram("__global__ void f() {}", "f.cu", (), ())
    >>> nvrtc.compileProgram(program, ("-arch=compute_90",))
    >>> b".entry" in nvrtc.getPTX(program)
    True
    >>> nvrtc.destroyProgram(program)
    """
    if len(headers) != len(include_names):
        raise ValueError(f"{len(headers)} headers and {len(include_names)} names of them")
    program = ctypes.c_void_p()
    status = _library().nvrtcCreateProgram(
        ctypes.byref(program),
        _string(src),
        _string(name),
        len(headers),
        _strings(headers),
        _strings(include_names),
    )
    check_status(status)
    return program.value


def destroyProgram(prog) -> None:
    """Destroy a program.

    Parameters
    ----------
    prog : int
        Program that `createProgram` returned.
    """
    check_status(_library().nvrtcDestroyProgram(ctypes.byref(ctypes.c_void_p(prog))))


def compileProgram(prog, options) -> None:
    """Compile a program.

    Parameters
    ----------
    prog : int
        Program that `createProgram` returned.
    options : sequence of str
        Options of the compiler.

    Raises
    ------
    NVRTCError
        If compilation fails; `getProgramLog` has the messages.
    """
    program = ctypes.c_void_p(prog)
    check_status(_library().nvrtcCompileProgram(program, len(options), _strings(options)))


def _text(what, prog):
    """What two functions return, the first of them the size, its final zero included."""
    size, program = ctypes.c_size_t(), ctypes.c_void_p(prog)
    check_status(getattr(_library(), f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
    buffer = ctypes.create_string_buffer(size.value)
    check_status(getattr(_library(), f"nvrtcGet{what}")(program, buffer))
    return buffer.raw


def getPTX(prog):
    """Return the PTX of a compiled program.

    Parameters
    ----------
    prog : int
        Program that was compiled.

    Returns
    -------
    bytes
        Text of the PTX.
    """
    return _text("PTX", prog).rstrip(b"\0")


def getCUBIN(prog):
    """Return the machine code of a program that was compiled for one architecture.

    Parameters
    ----------
    prog : int
        Program compiled with an option such as "-arch=sm_90".

    Returns
    -------
    bytes
        The cubin.
    """
    return _text("CUBIN", prog)


def getLTOIR(prog):
    """Return the intermediate code of a program for the linker.

    Parameters
    ----------
    prog : int
        Program compiled with the option "-dlto".

    Returns
    -------
    bytes
        The intermediate code.
    """
    return _text("LTOIR", prog)


def getProgramLog(prog):
    """Return the messages of the compiler.

    Parameters
    ----------
    prog : int
        Program that `createProgram` returned.

    Returns
    -------
    str
        Warnings and errors.
    """
    return _text("ProgramLog", prog).rstrip(b"\0").decode()


def addNameExpression(prog, name) -> None:
    """Ask for the mangled name of a function or variable, before compilation.

    Parameters
    ----------
    prog : int
        Program that was not compiled yet.
    name : str
        Expression that names it, such as "f<float>".
    """
    check_status(_library().nvrtcAddNameExpression(ctypes.c_void_p(prog), _string(name)))


def getLoweredName(prog, name):
    """Return the mangled name of a function or variable.

    Parameters
    ----------
    prog : int
        Program that was compiled.
    name : str
        Expression given to `addNameExpression`.

    Returns
    -------
    str
        Name in the compiled code.
    """
    lowered, program = ctypes.c_char_p(), ctypes.c_void_p(prog)
    status = _library().nvrtcGetLoweredName(program, _string(name), ctypes.byref(lowered))
    check_status(status)
    return lowered.value.decode()
