"""Compilation of kernels."""

import re
import subprocess
import tempfile
from pathlib import Path

from gpunp._C import CompileException, Device, is_emulated

from . import nvrtc

__all__ = [
    "CompileException",
    "compile_using_nvrtc",
    "compile_with_nvcc",
    "is_valid_kernel_name",
]


def compile_with_nvcc(source, options, arch, to_ptx):
    """Compile CUDA C++ with nvcc from the CUDA toolkit.

    Parameters
    ----------
    source : str
        Source code in CUDA C++.
    options : sequence of str
        Command-line options for nvcc.
    arch : int
        Compute capability times ten, such as 90.
    to_ptx : bool
        If True, compile to PTX instead of a cubin.

    Returns
    -------
    bytes
        The cubin or PTX.

    Raises
    ------
    CompileException
        If compilation fails; it has nvcc's messages.
    FileNotFoundError
        If nvcc is not installed.
    """
    from . import get_nvcc_path

    nvcc = get_nvcc_path()
    if nvcc is None:
        raise FileNotFoundError("nvcc was not found: set CUDA_PATH to the toolkit's folder")
    with tempfile.TemporaryDirectory() as folder:
        code = Path(folder, "kernel.cu")
        image = Path(folder, "image")
        code.write_text(source)
        target = ["-ptx", f"-arch=compute_{arch}"] if to_ptx else ["-cubin", f"-arch=sm_{arch}"]
        done = subprocess.run(
            [nvcc, *target, *options, "-o", str(image), str(code)], text=True, capture_output=True
        )
        if done.returncode != 0:
            numbered = "".join(f"{i:4}  {line}\n" for i, line in enumerate(source.splitlines(), 1))
            error = CompileException(
                f"nvcc could not compile kernel.cu:\n{done.stderr}{done.stdout}\n"
                f"kernel.cu:\n{numbered}"
            )
            error.source, error.name, error.options = source, "kernel.cu", tuple(options)
            raise error
        return image.read_bytes() + (b"\0" if to_ptx else b"")


def is_valid_kernel_name(name) -> bool:
    """Return whether a string can be the name of a function in C.

    Parameters
    ----------
    name : str
        Name that is looked at.

    Returns
    -------
    bool
        Whether it is an identifier.
    """
    return re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) is not None


def compile_using_nvrtc(
    source,
    options=(),
    arch=None,
    filename="kern.cu",
    name_expressions=None,
    log_stream=None,
    cache_in_memory=False,
    jitify=None,
    method=None,
):
    """Compile CUDA C++ with NVRTC; `RawModule` keeps what it compiles, this function does not.

    Parameters
    ----------
    source : str
        Source code in CUDA C++.
    options : sequence of str, optional
        Options of the compiler, ahead of the architecture.
    arch : int or str, optional
        Compute capability times ten, such as 90. By default that of the current device.
    filename : str, optional
        Name of the source in messages.
    name_expressions : sequence of str, optional
        Names of functions and templates whose symbols are wanted.
    log_stream : file object, optional
        Where the compiler's messages are written.
    cache_in_memory : bool, optional
        Accepted for compatibility: nothing is kept.
    jitify : bool, optional
        Accepted for compatibility: headers are found without it.
    method : {'ptx', 'cubin', 'lto'}, optional
        What is made. By default a cubin, and PTX for the emulated device.

    Returns
    -------
    bytes
        PTX, cubin or LTO-IR.
    dict of str or None
        Symbols of `name_expressions`; None without those.

    Raises
    ------
    CompileException
        If compilation fails; it has the compiler's messages.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.cuda import compiler
    >>> code = "template <class T> __global__ void f(T *x) { *x = 1; }"
    >>> image, symbols = compiler.compile_using_nvrtc(code, name_expressions=["f<int>"])
    >>> symbols
    {'f<int>': '_Z1fIiEvPT_'}
    """
    method = method or ("ptx" if is_emulated() else "cubin")
    if method not in _IMAGES:
        raise ValueError(f"method must be one of {sorted(_IMAGES)}, not {method!r}")
    arch = Device().compute_capability if arch is None else arch
    target = f"-arch=sm_{arch}" if method == "cubin" else f"-arch=compute_{arch}"
    extra = ["-dlto"] if method == "lto" else []
    given = (*options, target, "-default-device", *extra)
    program = nvrtc.createProgram(source, filename, (), ())
    try:
        for expression in name_expressions or ():
            nvrtc.addNameExpression(program, expression)
        try:
            nvrtc.compileProgram(program, given)
        except nvrtc.NVRTCError as error:
            log = nvrtc.getProgramLog(program)
            refused = CompileException(
                f"NVRTC could not compile {filename}: {error}\n{log}\n{source}"
            )
            refused.source, refused.name, refused.options = source, filename, given
            raise refused from None
        if log_stream is not None:
            log_stream.write(nvrtc.getProgramLog(program))
        symbols = {it: nvrtc.getLoweredName(program, it) for it in name_expressions or ()}
        return _IMAGES[method](program), symbols if name_expressions else None
    finally:
        nvrtc.destroyProgram(program)


_IMAGES = {"ptx": nvrtc.getPTX, "cubin": nvrtc.getCUBIN, "lto": nvrtc.getLTOIR}

_LETTERS = {
    "float": "f",
    "complex<float>": "F",
    "thrust::complex<float>": "F",
    "cuComplex": "F",
    "cuFloatComplex": "F",
    "float2": "F",
    "double": "d",
}
_INTEGER = re.compile(r"((un)?signed|char|short|int|long|size_t|ptrdiff_t|u?int(8|16|32|64)_t| )+")


def _parameter_letters(source, name):
    """The kinds of a kernel's parameters by its source: one letter each, see csrc/user/function.h.
    Empty if the kernel is not found; only plain declarations are understood.

    An empty str when the kernel is not found; only plain declarations are understood.
    """
    source = re.sub(r"/\*.*?\*/|//[^\n]*", " ", source, flags=re.DOTALL)
    for match in re.finditer(rf"\b{re.escape(name)}\s*\(", source):
        end, depth = match.end(), 1
        while depth and end < len(source):
            depth += {"(": 1, ")": -1}.get(source[end], 0)
            end += 1
        if "__global__" in source[: match.start()].rpartition(";")[2].rpartition("}")[2]:
            return "".join(_letter(part) for part in _split(source[match.end() : end - 1]))
    return ""


def _split(text):
    """The parts between commas that are in no brackets."""
    parts, depth = [""], 0
    for char in text:
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(char, 0)
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return parts if text.strip() else []


def _letter(declaration):
    if re.search(r"[*&\[]", declaration):
        return "p"
    words = re.sub(r"\b(const|volatile|__restrict__|__grid_constant__)\b", " ", declaration)
    words = re.sub(r"\s*(<|>|::)\s*", r"\1", words).replace(">", "> ")
    type_ = " ".join(words.split()[:-1])
    return _LETTERS.get(type_, "i" if _INTEGER.fullmatch(type_) else "?")


def _get_message(self):
    """Return the compiler's messages and the source, line by line.

    Returns
    -------
    str
        Text of the exception.
    """
    return str(self)


def _dump(self, f) -> None:
    """Write the compiler's messages and the source to a file.

    Parameters
    ----------
    f : file object
        Text file, which is flushed.
    """
    f.write(f"{self}\n")
    f.flush()


CompileException.get_message = _get_message
CompileException.dump = _dump
