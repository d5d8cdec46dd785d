"""Kernels compile alone, small and fast: that is what makes compiling them at run time pleasant."""

import re
import sys
import time

import pytest
from sources import ROOT

sys.path.insert(0, str(ROOT / "tools"))

import nvrtc

pytestmark = pytest.mark.null

KERNELS = sorted(nvrtc.KERNELS.glob("*.cu"))
PTX_BYTES = 32 * 1024
# How many times an empty file's compile time a kernel may take with its default knobs. Both are
# measured here and now, so the machine does not matter; the best of five, so its load does not.
TIMES_EMPTY = 8


@pytest.fixture(scope="module")
def compiler():
    if nvrtc.find() is None:
        pytest.skip("NVRTC is not installed")
    return nvrtc.Compiler()


def best_seconds(compiler, source, name, headers):
    """(the best of five compile times, the PTX)."""
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        ptx = compiler.compile(source, "compute_90", name, headers)
        best = min(best, time.perf_counter() - start)
    return best, ptx


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_kernel_is_small_and_fast(compiler, path):
    empty, _ = best_seconds(compiler, "", "empty.cu", {})
    seconds, ptx = best_seconds(compiler, path.read_text(), path.name, nvrtc.kernel_headers())
    assert len(ptx) <= PTX_BYTES
    assert seconds <= TIMES_EMPTY * empty, (
        f"{seconds * 1e3:.0f} ms; an empty file {empty * 1e3:.0f}"
    )


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


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_kernel_has_default_knobs(path):
    knobs = nvrtc.KERNELS / "knobs" / f"{path.stem}.cuh"
    assert knobs.exists(), "an editor and `make kernels` need kernels/knobs/ to hold defaults"
