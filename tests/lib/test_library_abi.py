"""Our declarations of NVIDIA's libraries against their headers, where a toolkit is installed."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CSRC = HERE.parents[1] / "csrc"
HEADERS = ("library", "cublas", "cusolver", "cufft", "curand", "nccl")


def toolkit_include():
    for root in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"):
        if root and (Path(root) / "include" / "cusolverDn.h").exists():
            return Path(root) / "include"
    return None


def facts(tmp_path, *flags):
    exe = tmp_path / "facts"
    compiler = shutil.which("gcc") or "cc"
    command = [compiler, "-std=c11", *flags, "-I", CSRC, HERE / "library_abi.c", "-o", exe]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return subprocess.run([exe], check=True, capture_output=True, text=True).stdout.splitlines()


@pytest.mark.null
def test_library_abi_equals_toolkit(tmp_path):
    include = toolkit_include()
    if include is None:
        pytest.skip("no CUDA toolkit headers here")
    ours = facts(tmp_path)
    theirs = facts(tmp_path, "-DNVIDIA", "-isystem", include)
    assert ours == theirs


@pytest.mark.null
def test_every_constant_is_compared():
    compared = set(re.findall(r"VALUE\((\w+)\)", (HERE / "library_facts.def").read_text()))
    for name in HEADERS:
        text = (CSRC / "lib" / f"{name}_abi.h").read_text()
        declared = set(re.findall(r"\b(\w+) = -?\w+[,\s}]", text))
        assert declared <= compared, sorted(declared - compared)
