"""Compilation of kernels."""

import subprocess
import tempfile
from pathlib import Path

from gpunp._C import CompileException

__all__ = ["CompileException", "compile_with_nvcc"]


def compile_with_nvcc(source, options, arch, to_ptx):
    """Compile CUDA C++ with the toolkit's nvcc.

    Parameters
    ----------
    source : str
        CUDA C++.
    options : sequence of str
        Options of nvcc.
    arch : int
        Compute capability times ten, such as 90.
    to_ptx : bool
        Make PTX instead of a cubin.

    Returns
    -------
    bytes
        The image.

    Raises
    ------
    CompileException
        With what nvcc said, when it refuses the source.
    FileNotFoundError
        When there is no nvcc.
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
