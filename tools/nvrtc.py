"""NVRTC through ctypes: finding it, and compiling kernels outside the library.

The tools and the benchmarks' floor use this, so that what they measure or check does not depend on
the code under test.
"""

import ctypes
import glob
import os
import sys
from pathlib import Path

KERNELS = Path(__file__).resolve().parent.parent / "kernels"
OPTIONS = ["-minimal", "--fmad=false"]


def candidates():
    """Paths and sonames where NVRTC may be, in gpunp's order: variable, wheels, toolkit, loader."""
    patterns = [os.environ.get("GPUNP_NVRTC", "")]
    patterns += [f"{folder}/nvidia/*/lib/libnvrtc.so.1?" for folder in sys.path if folder]
    for root in [os.environ.get("CUDA_PATH"), os.environ.get("CUDA_HOME"), "/usr/local/cuda*"]:
        if root:
            patterns += [f"{root}/lib64/libnvrtc.so.1?", f"{root}/lib/libnvrtc.so.1?"]
    for pattern in filter(None, patterns):
        yield from sorted(glob.glob(pattern), reverse=True)
    yield from ["libnvrtc.so.13", "libnvrtc.so.12"]


def find():
    """The opened library, or None."""
    for path in candidates():
        try:
            return ctypes.CDLL(path)
        except OSError:
            continue
    return None


class Compiler:
    """NVRTC, opened: version and compile()."""

    def __init__(self):
        self.library = find()
        if self.library is None:
            raise OSError("NVRTC was not found: pip install 'nvidia-cuda-nvrtc>=13,<14'")
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        self.version = (major.value, minor.value)

    def _text(self, program, what):
        """One of the program's texts: Log, PTX or CUBIN (its size first, then the bytes)."""
        size = ctypes.c_size_t()
        name = "ProgramLog" if what == "Log" else what
        getattr(self.library, f"nvrtcGet{name}Size")(program, ctypes.byref(size))
        data = ctypes.create_string_buffer(size.value or 1)
        getattr(self.library, f"nvrtcGet{name}")(program, data)
        return data.raw[: size.value]

    def compile(self, source, arch, name="kernel.cu", headers=None, options=OPTIONS):
        """Compile for "sm_90" (a cubin) or "compute_90" (PTX); the log is the error's message."""
        headers = headers or {}
        names = (ctypes.c_char_p * len(headers))(*[key.encode() for key in headers])
        texts = (ctypes.c_char_p * len(headers))(*[text.encode() for text in headers.values()])
        program = ctypes.c_void_p()
        self.library.nvrtcCreateProgram(
            ctypes.byref(program), source.encode(), name.encode(), len(headers), texts, names
        )
        words = [f"--gpu-architecture={arch}", *options]
        array = (ctypes.c_char_p * len(words))(*[word.encode() for word in words])
        failed = self.library.nvrtcCompileProgram(program, len(words), array)
        log = self._text(program, "Log").rstrip(b"\0").decode()
        image = b"" if failed else self._text(program, "CUBIN" if arch[:3] == "sm_" else "PTX")
        self.library.nvrtcDestroyProgram(ctypes.byref(program))
        if failed:
            raise ValueError(log)
        return image


def kernel_headers():
    """Every header under kernels/ by its include name, and the default knobs of each kernel."""
    from gpunp import _C

    headers = {
        path.relative_to(KERNELS).as_posix(): path.read_text()
        for path in sorted(KERNELS.rglob("*.cuh"))
    }
    for name, text in _C._kernel_defaults().items():
        headers[f"knobs/{name}.cuh"] = text
    return headers
