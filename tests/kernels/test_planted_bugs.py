"""The programs of examples/bugs: each is found on the emulated device, with its place."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gpunp as cp

ROOT = Path(__file__).resolve().parents[2]
PLACE = r"kernel {name}, {name}.cu:{line} .*block \(\d+,0,0\), thread \(\d+,0,0\)"
FOUND = [  # program, settings, kernel, its line, what is said
    ("out_of_bounds", {"GPUNP_POOL": "off"}, "shift", 6, r"4-byte store to address 0x[0-9a-f]+"),
    ("missing_barrier", {"GPUNP_EMU": "race"}, "reverse", 6, r"race: .* at 0x[0-9a-f]+ .*:5"),
    ("racy_histogram", {"GPUNP_EMU": "race"}, "histogram", 10, r"race: .* at 0x[0-9a-f]+ .*:10"),
    (
        "uninitialised_read",
        {"GPUNP_EMU": "init", "GPUNP_POOL": "off"},
        "accumulate",
        8,
        r"read of uninitialised memory: nobody has written 0x[0-9a-f]+",
    ),
]


def run(program, settings):
    environment = {**os.environ, "GPUNP_DEVICE": "emulated", **settings}
    return subprocess.run(
        [sys.executable, *program], capture_output=True, text=True, env=environment
    )


@pytest.mark.parametrize(("program", "settings", "name", "line", "text"), FOUND)
def test_planted_bug_is_found(program, settings, name, line, text):
    done = run([ROOT / "examples" / "bugs" / f"{program}.py"], settings)
    assert done.returncode == 1 and "CUDADriverError" in done.stderr, done.stderr
    assert re.search(PLACE.format(name=name, line=line) + ".*" + text, done.stderr), done.stderr


@pytest.mark.parametrize("program", [row[0] for row in FOUND])
def test_every_bug_has_its_test(program):
    assert {path.stem for path in (ROOT / "examples" / "bugs").glob("*.py")} == {
        row[0] for row in FOUND
    }


JIT = """
import gpunp as cp
from gpunp import jit

@jit.rawkernel()
def bad(x):
    i = jit.grid(1)
    if i <= x.size:
        x[i] = 1  # line 9

bad[2, 1024](cp.empty(1024, "i4"))
cp.cuda.Device().synchronize()
"""


def test_jit_kernels_show_the_line_of_python(tmp_path):
    path = tmp_path / "bad_program.py"
    path.write_text(JIT)
    done = run([path], {"GPUNP_POOL": "off"})
    assert re.search(
        r"kernel bad_, \S*bad_program.py:9 .*block \(1,0,0\), thread \(0,0,0\)", done.stderr
    ), done.stderr


GRID = """
import gpunp as cp
from gpunp import jit

@jit.rawkernel()
def meet(x, out):
    grid = jit.cg.this_grid()
    jit.atomic_add(x, 0, 1)
    grid.sync()
    out[grid.thread_rank()] = x[0]

x, out = cp.zeros(1, 'i4'), cp.zeros(12, 'i4')
meet[3, 4](x, out)
print(out.tolist() == [12] * 12)
"""


def test_a_barrier_of_the_grid_is_no_race():
    """Its arrival is one atomic with .release, which orders what the block did before."""
    done = run(["-c", GRID], {"GPUNP_EMU": "race"})
    assert done.stdout == "True\n", done.stderr


def test_printf_and_assert_of_raw_kernels(capfd):
    source = r"""
    extern "C" __global__ void talk(int n, double x, const char *unused)
    {
        assert(n > 2);
        printf("%d %.2f %s|%5u%%|%lld\n", n + (int)threadIdx.x, x, "text", 7u, 1ll << 40);
    }
    """
    cp.RawKernel(source, "talk")((1,), (2,), (3, 2.5, None))
    cp.cuda.Device().synchronize()
    lines = capfd.readouterr().out.splitlines()
    assert lines == ["3 2.50 text|    7%|1099511627776", "4 2.50 text|    7%|1099511627776"]


ASSERT = """
import gpunp as cp
cp.RawKernel(r'''
extern "C" __global__ void check(int n) { assert(n > 2 && "too small"); }
''', "check")((1,), (2,), (1,))
try:
    cp.cuda.Device().synchronize()
except cp.cuda.CUDADriverError as error:
    print(error)
    print("CUDA_ERROR_ASSERT" in str(error))
"""


def test_a_failed_assertion_is_an_exception():
    done = subprocess.run([sys.executable, "-c", ASSERT], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "True", done.stderr
    assert "n > 2" in done.stdout + done.stderr and "check" in done.stdout + done.stderr
