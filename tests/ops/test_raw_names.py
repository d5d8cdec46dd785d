"""A RawModule's source is called after its first kernel, in messages and in reports of faults."""

import os
import re
import subprocess
import sys

import child
import pytest

import gpunp as cp
from gpunp import _C

NAMES = {
    'extern "C" __global__ void scale(float *x) { nonsense }': "scale.cu",
    "__device__ int f() { return 1; }\n__global__ void __launch_bounds__(256, 2) two(int *x) { nonsense }": "two.cu",
    "template <class T>\n__global__ void\nthree (T *x) {} nonsense": "three.cu",
    "__global__ void __cluster_dims__(2, 1, 1) four() { nonsense }": "four.cu",
    "nonsense": "kernel.cu",
    "#define __global__\nnonsense": "kernel.cu",
    f"__global__ void {'long' * 50}() {{ nonsense }}": "kernel.cu",
}


@pytest.mark.parametrize("source", NAMES, ids=NAMES.values())
def test_the_name_of_a_source(source):
    with pytest.raises(cp.cuda.CompileException, match=re.escape(NAMES[source]) + r"\(\d"):
        cp.RawModule(code=source).compile()


PROGRAM = """
import gpunp as cp
modules = [cp.RawModule(code='extern "C" __global__ void %s(int *x)\\n{ x[threadIdx.x] = 1; }' % name)
           for name in ("first", "second")]
x = cp.zeros(40, "i4")
modules[0].get_function("first")((1,), (40,), (x,))
modules[1].get_function("second")((1,), (41,), (x,))
x.get()
"""


@pytest.mark.skipif(not _C.is_emulated(), reason="about reports of the emulated device")
def test_reports_name_the_module():
    environment = {**os.environ, "GPUNP_DEVICE": "emulated"}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=child.PATIENCE
    )
    assert "kernel second, second.cu:2" in done.stderr and "thread (40,0,0)" in done.stderr
