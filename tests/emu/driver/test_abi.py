"""Our declarations of the CUDA ABI against NVIDIA's headers, where a toolkit is installed."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CSRC = HERE.parents[2] / "csrc"


def toolkit_include():
    for root in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"):
        if root and (Path(root) / "include" / "cuda.h").exists():
            return Path(root) / "include"
    return None


def facts(tmp_path, *flags):
    exe = tmp_path / "facts"
    compiler = shutil.which("gcc") or "cc"
    subprocess.run(
        [compiler, "-std=c11", *flags, "-I", CSRC, HERE / "abi_facts.c", "-o", exe], check=True
    )
    return subprocess.run([exe], check=True, capture_output=True, text=True).stdout.splitlines()


@pytest.mark.null
def test_abi_equals_toolkit(tmp_path):
    include = toolkit_include()
    if include is None:
        pytest.skip("no CUDA toolkit headers here")
    ours = facts(tmp_path)
    theirs = facts(tmp_path, "-DNVIDIA", "-I", include)
    assert ours == theirs
    assert len(ours) > 700
