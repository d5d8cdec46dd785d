"""The tables of functions that take addresses, against NVIDIA's headers where a toolkit is installed."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from gpunp.cuda import cublas, curand, cusolver, cusparse

pytestmark = pytest.mark.null

# Module: its headers, and {exported name: letters}.
TABLES = {
    "cublas": (["cublas_v2.h"], dict(cublas._TABLE.values())),
    "cusolver": (["cusolverDn.h", "cusolverSp.h"], dict(cusolver._TABLE.values())),
    "cusparse": (
        ["cusparse.h"],
        dict(cusparse._TABLE.values())
        | {f"cusparse{n[0].upper()}{n[1:]}": kinds for n, (kinds, _) in cusparse._GETTERS.items()},
    ),
    "curand": (["curand.h"], dict(curand._TABLE.values())),
}
VALUES = {"size_t": "e", "double": "d", "float": "f", "int64_t": "l", "long long": "l"}
POINTERS = ("cudaStream_t", "gesvdjInfo_t", "syevjInfo_t", "cusolverDnParams_t")


def include():
    for root in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"):
        if root and (Path(root) / "include" / "cusparse.h").exists():
            return Path(root) / "include"
    pytest.skip("no CUDA toolkit headers here")


def prototypes(headers):
    """{function: list of its parameters} of headers."""
    source = "".join(f"#include <{header}>\n" for header in headers)
    command = [shutil.which("gcc") or "cc", "-E", "-P", "-I", str(include()), "-xc", "-"]
    text = subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout
    found = re.findall(
        r"\b\w+(?:Status_t|Result_t)\s[^;{()]*?(\w+)\s*\(([^;{]*?)\)\s*(?:__attribute__\(\(.*?\)\)\s*)?;",
        text,
        re.S,
    )
    return {name: [" ".join(part.split()) for part in parts.split(",")] for name, parts in found}


def letter(parameter):
    """The letter of a parameter, in small."""
    if "*" in parameter or "[" in parameter:
        return "p"
    kind = re.sub(r"\b(const|unsigned)\b", "", parameter).strip()
    for name, found in VALUES.items():
        if kind.startswith(name):
            return found
    first = kind.split()[0]
    if first.endswith("Handle_t") or first == "curandGenerator_t":
        return "h"
    if first in POINTERS or re.search(r"(Descr|Info)_t$", first):
        return "p"
    return "i"


@pytest.mark.parametrize("module", TABLES)
def test_tables_agree_with_headers(module):
    headers, table = TABLES[module]
    declared = prototypes(headers)
    wrong = {}
    for symbol, kinds in table.items():
        if symbol not in declared:
            wrong[symbol] = "not declared"
            continue
        want = "".join(letter(parameter) for parameter in declared[symbol])
        ours = "".join("p" if kind in "ILPEDX" else kind for kind in kinds)
        if ours != want:
            wrong[symbol] = ours, want
    assert not wrong
