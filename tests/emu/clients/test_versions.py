"""cuGetProcAddress knows every name from the version on that NVIDIA's header gives it."""

import ctypes
import re
from pathlib import Path

import pytest

import gpunp as cp

pytestmark = pytest.mark.null

HEADER = Path("/usr/local/cuda/include/cudaTypedefs.h")
LIBRARY = Path(cp.__file__).with_name("libgpunp_emu.so")


def test_names_are_known_from_their_first_version_on():
    if not HEADER.exists():
        pytest.skip("no toolkit")
    driver = ctypes.CDLL(str(LIBRARY))
    names = set(re.findall(r"\*PFN_(cu\w+?)_v(\d+)\)", HEADER.read_text()))
    unknown = []
    for name, version in sorted(names):
        address = ctypes.c_void_p()
        if int(version) <= 13000:
            driver.cuGetProcAddress_v2(
                name.encode(), ctypes.byref(address), int(version), ctypes.c_uint64(0), None
            )
            unknown += [(name, version)] * (address.value is None)
    assert not unknown and len(names) > 400
