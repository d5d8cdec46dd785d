"""Compilation of kernels."""

import re
import subprocess
import tempfile
from pathlib import Path

from gpunp._C import CompileException

__all__ = ["CompileException", "compile_with_nvcc"]


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
            raise CompileException(
                f"nvcc could not compile kernel.cu:\n{done.stderr}{done.stdout}\n"
                f"kernel.cu:\n{numbered}"
            )
        return image.read_bytes() + (b"\0" if to_ptx else b"")


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
