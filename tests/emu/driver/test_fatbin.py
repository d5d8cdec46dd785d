"""A fatbin as nvcc 13 writes it by default: its PTX is packed with zstd."""

import base64
import ctypes
import subprocess
import sys

import pytest
from test_driver import LIBRARY

FATBIN = """
UO1VugEAEAAIAgAAAAAAAAEAAQFQAAAAuAEAAAAAAAC0AQAAQAAAAAAACQBaAAAAAAAAAAAAAAARgAAAAAAAAAAAAA
AAAAAAOAQAAAAAAABIAAAAAAAAAAAAAAAAAAAAKLUv/WA4A1UNAEbTPRdAexaOXoyHPk5UsDl+Y1sYlddHRYcajDYA
NgA2AMd1eXgvZsYg9rEx38HD6i9Dn7H/so7s9oL92pEXSfrfO5bv4VwgiUvPfazM98gODsWO/P7MNwZCZvHLHUtz70
pt5lMELzeQD8vEj8timbHy1C63KmxoM/fvXgXqe+FRAn0BI0mWMed/vuwlbhcV3MuPr7fw570VZC8Ljw4NbRsCjQLu
/o8I0t7LS/8vR6yqJC9PjE3m3rHLd9J979D8mdhIAsDlGPsZli4/Dq1HH+ax9HvRhuIgunEQ3TDNwjSLsout7GLzZF
M2feztMBIM3BQD6d999KWn6QpVoIForWZmknIrwxiQAhEzmwfpsld3iziCkxdz2EEw/Ka2pBUZedlgOcqvUFgnQ0jQ
16bCChQE3LGWPgWHI8jwa8rIXa1sEjaAAejYejBp+3DQZW8in8GTGYkBseMHfBuBOH65JMi0RcRojQ9mPUSyxmwAkf
ZDSR7qig6lbySO5bpX8BzKbYsPhGSGmzJhCTBrvSQWaINffr40O/UlBXrqcEQGKAEGlkT6B6866ZhxNwAAAAA=
"""
PROGRAM = """
import ctypes, sys
lib = ctypes.CDLL(sys.argv[1])
context, module, function = (ctypes.c_void_p() for _ in range(3))
lib.cuInit(0)
lib.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
lib.cuCtxSetCurrent(context)
image = sys.stdin.buffer.read()
code = lib.cuModuleLoadData(ctypes.byref(module), image)
print(code, code or lib.cuModuleGetFunction(ctypes.byref(function), module, b"k2"))
"""


def load(image):
    command = [sys.executable, "-c", PROGRAM, str(LIBRARY)]
    return subprocess.run(command, input=image, capture_output=True, check=True).stdout.split()


def has_zstd():
    try:
        ctypes.CDLL("libzstd.so.1")
    except OSError:
        return False
    return True


@pytest.mark.null
def test_zstd():
    image = base64.b64decode(FATBIN)
    assert load(image) == ([b"0", b"0"] if has_zstd() else [b"209", b"209"])
    at = image.index(b"\x28\xb5\x2f\xfd")
    broken = image[: at + 60] + bytes(40) + image[at + 100 :]
    assert load(broken)[0] != b"0"
