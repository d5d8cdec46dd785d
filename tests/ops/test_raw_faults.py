"""What a bad kernel or a bad launch leaves: a clear exception, and host data that can be read."""

import os
import subprocess
import sys

import pytest

import gpunp as cp


def test_too_much_shared_memory_of_its_own():
    source = 'extern "C" __global__ void f(int *x) { __shared__ int s[20000]; s[threadIdx.x] = 1; *x = s[0]; }'
    with pytest.raises(
        (cp.cuda.CUDADriverError, cp.cuda.CompileException), match="(?i)shared|ptxas|0x"
    ):
        cp.RawKernel(source, "f")((1,), (1,), (cp.zeros(1, "i4"),))


def test_launch_bounds_are_kept():
    source = 'extern "C" __global__ void __launch_bounds__(64) f(int *x) { *x = 1; }'
    x = cp.zeros(1, "i4")
    with pytest.raises(ValueError, match="at most 64 threads"):
        cp.RawKernel(source, "f")((1,), (128,), (x,))


def test_a_name_that_is_not_there():
    with pytest.raises(cp.cuda.CUDADriverError, match="NOT_FOUND.*no kernel of that name; C"):
        cp.RawKernel('extern "C" __global__ void f() {}', "g")((1,), (1,), ())


def test_a_mangled_name_is_not_there():
    with pytest.raises(cp.cuda.CUDADriverError, match="NOT_FOUND"):
        cp.RawKernel("__global__ void f() {}", "f")((1,), (1,), ())


def test_an_array_of_another_kind_is_refused_by_type():
    kernel = cp.RawKernel('extern "C" __global__ void f(int n) {}', "f")
    with pytest.raises(TypeError, match="address"):
        kernel((1,), (1,), (cp.zeros(1),))


PROGRAM = r"""
import gpunp as cp
host = cp.arange(4).get()
ready = cp.ones(3)
kernel = cp.RawKernel(r'''
extern "C" __global__ void broken(int *x, int how)
{
    if (how == 0) { asm("trap;"); }
    if (how == 1) { *(int *)16 = 3; }
    if (how == 2) { *(int *)((char *)x + 1) = 3; }
}
''', "broken")
x = cp.zeros(4, "i4")
kernel((1,), (1,), (x, HOW))
seen = []
for call in (cp.cuda.Device().synchronize, lambda: x.get(), lambda: kernel((1,), (1,), (x, 9)),
             lambda: cp.arange(3) + 1):
    try:
        call()
    except cp.cuda.CUDADriverError as error:
        seen.append(str(error))
print(len(seen), "|", seen[0].splitlines()[0][:60], "|", all("CUDA_ERROR" in s for s in seen))
print("broken" in seen[0], host.sum())
"""


@pytest.mark.parametrize("how", [0, 1, 2], ids=["trap", "bad address", "misaligned"])
def test_after_a_fault_every_call_says_so(how):
    """The device's context is lost; host arrays are not, and the program goes on."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("HOW", str(how))],
        capture_output=True,
        text=True,
        env=os.environ.copy(),
    )
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert lines[0].startswith("4 | CUDA_ERROR_") and lines[0].endswith("| True"), lines
    assert lines[1] == "True 6"
