"""Kernels compile alone and are small: that is what makes compiling them at run time pleasant."""

import re
import sys

import pytest
from sources import ROOT

sys.path.insert(0, str(ROOT / "tools"))

import nvrtc

from gpunp import _C

pytestmark = pytest.mark.null

KERNELS = sorted(nvrtc.KERNELS.rglob("*.cu"), key=lambda path: path.stem)
PTX_BYTES = 32 * 1024
OLDER = 1.05  # times that: NVRTC before 13.1 writes longer code for the same kernel


@pytest.fixture(scope="module")
def compiler():
    if nvrtc.find() is None:
        pytest.skip("NVRTC is not installed")
    return nvrtc.Compiler()


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_kernel_is_small(compiler, path):
    headers = nvrtc.kernel_headers()
    ptx = compiler.compile(path.read_text(), "compute_90", path.name, headers)
    assert len(ptx) <= PTX_BYTES * (OLDER if compiler.version < (13, 1) else 1)


def test_types_of_kernels_agree_with_the_table_of_dtypes():
    """Device type, class, computed type and type of a part (GNP_TYPE) of every dtype."""
    rows = re.findall(
        r"^GNP_TYPE\((\w+), '(.)', (\w+), \w+, (\w+)\)$",
        (nvrtc.KERNELS / "gnp.cuh").read_text(),
        re.MULTILINE,
    )
    table = _C.dtype_table()
    device = {row["name"]: row["device"] for row in table}
    assert rows == [
        (row["device"], row["class"], device[row["compute"]], device[row["real"]]) for row in table
    ]


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_kernel_has_one_entry_of_its_name(compiler, path):
    entries = re.findall(
        r'extern "C" __global__ \w+\s+(?:__launch_bounds__\(.*?\)\s*)?(\w+)\(',
        path.read_text(),
        re.DOTALL,
    )
    assert entries == [path.stem]


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_kernel_starts_with_what_it_does(path):
    first = path.read_text().splitlines()[0]
    assert first.startswith("// "), "the first line says what the kernel does"


def test_every_kernel_is_a_row():
    assert sorted(_C._kernel_defaults()) == [path.stem for path in KERNELS]
