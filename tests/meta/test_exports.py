"""What the built libraries export and what they are linked to."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sources import ROOT

pytestmark = pytest.mark.null


def library(name):
    """The built file that this interpreter would load."""
    for folder in [*sys.path, str(ROOT)]:
        found = sorted((Path(folder) / "gpunp").glob(name))
        if found:
            return found[0]
    pytest.fail(f"{name} is not built")


def run(tool, *args):
    """Output of a tool of binutils; the test is skipped where it is not installed."""
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    return subprocess.run([tool, *args], capture_output=True, text=True, check=True).stdout


def exported(path):
    """Names of the defined dynamic symbols."""
    return [line.split()[-1] for line in run("nm", "-D", "--defined-only", str(path)).splitlines()]


def needed(path):
    """Sonames the library is linked to."""
    lines = run("readelf", "-d", str(path)).splitlines()
    return [line.split("[")[1].rstrip("]") for line in lines if "(NEEDED)" in line]


def test_extension_exports_its_init_and_what_pytorch_calls():
    assert sorted(exported(library("_C.*.so"))) == [
        "PyInit__C",
        "gpunp_torch_alloc",
        "gpunp_torch_free",
    ]


def test_emulator_exports_the_driver_and_its_linker_alone():
    names = exported(library("libgpunp_emu.so"))
    assert "cuInit" in names and "cuLaunchKernel" in names and "nvJitLinkCreate" in names
    strangers = [name for name in names if not name.startswith(("cu", "nvJitLink", "__nvJitLink"))]
    assert not strangers


def test_emulated_libraries_export_the_libraries_alone():
    names = exported(library("libgpunp_emu_math.so"))
    assert "cublasCreate_v2" in names and "cusolverDnCreate" in names
    assert not [name for name in names if not name.startswith(("cu", "nccl"))]


@pytest.mark.parametrize("name", ["_C.*.so", "libgpunp_emu.so", "libgpunp_emu_math.so"])
def test_nothing_of_cuda_is_linked(name):
    allowed = (
        "libc.",
        "libm.",
        "libdl.",
        "libpthread.",
        "ld-linux",
        "libgcc_s.",
        "libpython",
        "libasan.",
        "libubsan.",
        "libtsan.",
    )
    strangers = [soname for soname in needed(library(name)) if not soname.startswith(allowed)]
    assert not strangers
