"""Runs the C test programs of the driver half: one process per case, so that nothing carries over.

The programs link the emulated device itself, not gpunp. EMU_TEST_LIBRARY names another build of it,
for example one with a sanitizer; EMU_TEST_CFLAGS are added to the compiler's command.
"""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import child
import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
LIBRARY = Path(os.environ.get("EMU_TEST_LIBRARY", ROOT / "gpunp" / "libgpunp_emu.so"))
PROGRAMS = ["memory", "streams", "errors", "graphs", "workers"]
FLAGS = ["-std=c11", "-D_GNU_SOURCE=", "-O1", "-g", "-Wall", "-Wextra", "-pthread"]

# Cases that need a setting of their own.
WORKERS = {"GPUNP_EMU_WORKERS": "8"}
SETTINGS = {
    "atomics_add_up": WORKERS,
    "a_lock_excludes": WORKERS,
    "blocks_wait_for_the_one_before": WORKERS,
    "a_grid_meets": WORKERS,
    "launches_side_by_side": WORKERS,
    "memory_runs_out_and_comes_back": {"GPUNP_EMU_MEMORY": "64m"},
    "two_devices_and_peers": {"GPUNP_EMU_DEVICES": "2"},
    "access_to_a_pool_of_another_device": {"GPUNP_EMU_DEVICES": "2"},
    "devices_that_are_no_peers": {"GPUNP_EMU_DEVICES": "2", "GPUNP_EMU_PEERS": "0"},
    "no_device": {"GPUNP_EMU_DEVICES": "0"},
    "injected_by_the_environment": {"GPUNP_EMU_FAIL": "cuInit:1=100,once;cuMemAlloc_v2:1=2,after"},
}
# What stays true when work runs where it is submitted, and when it runs as late as possible.
MODES = {
    "inline": {"GPUNP_EMU_ASYNC": "0"},
    "lazy": {"GPUNP_EMU_ASYNC": "2"},
    "delayed": {"GPUNP_EMU_DELAY": "300"},
    "checked": {"GPUNP_EMU": "init,race,stream"},
}
MODE_CASES = [
    ("memory", "copies_stay_inside_allocations"),
    ("memory", "boxes"),
    ("streams", "work_of_a_stream_is_in_order"),
    ("streams", "many_threads"),
    ("streams", "one_event_many_threads_one_stream"),
    ("errors", "a_device_fault_is_sticky"),
    ("errors", "injected_faults"),
    ("graphs", "built_by_hand"),
    ("graphs", "capture_forks_and_joins"),
]


def compiler():
    return shlex.split(os.environ.get("CC", "")) or [shutil.which("gcc") or "cc"]


def extra_flags():
    return shlex.split(os.environ.get("EMU_TEST_CFLAGS", ""))


def names(program):
    text = (HERE / f"{program}_test.c").read_text()
    return re.findall(r"^CASE\((\w+)\)", text, re.MULTILINE)


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    """The compiled programs, by name."""
    if not LIBRARY.exists():
        pytest.skip(f"{LIBRARY} is not built")
    folder = tmp_path_factory.mktemp("driver")
    made = {}
    for program in PROGRAMS:
        made[program] = folder / program
        command = [*compiler(), *FLAGS, *extra_flags(), f"-I{ROOT / 'csrc'}", f"-I{HERE}"]
        command += [str(HERE / f"{program}_test.c"), str(LIBRARY), f"-Wl,-rpath,{LIBRARY.parent}"]
        subprocess.run([*command, "-o", str(made[program])], check=True)
    return made


def run(program, case, settings):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("GPUNP_EMU")}
    done = subprocess.run(
        [program, case],
        env={**clean, **settings},
        capture_output=True,
        text=True,
        timeout=child.PATIENCE,
    )
    assert done.returncode == 0, f"{case}: exit {done.returncode}\n{done.stderr[-3000:]}"


@pytest.mark.null
@pytest.mark.parametrize("program,case", [(p, c) for p in PROGRAMS for c in names(p)])
def test_driver(programs, program, case):
    run(programs[program], case, SETTINGS.get(case, {}))


@pytest.mark.null
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program,case", MODE_CASES)
def test_driver_in_other_modes(programs, mode, program, case):
    run(programs[program], case, MODES[mode])


@pytest.mark.null
def test_every_symbol_of_the_real_library_is_exported():
    stub = Path("/usr/local/cuda/lib64/stubs/libcuda.so")
    if not stub.exists() or not LIBRARY.exists() or shutil.which("nm") is None:
        pytest.skip("no stub library, no nm, or nothing built")
    # Numba takes these two for older functions with other parameters.
    withheld = {"cuCtxGetDevice_v2", "cuCtxSynchronize_v2"}
    listed = [
        {
            line.split()[-1]
            for line in subprocess.run(
                ["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True
            ).stdout.splitlines()
        }
        for path in (stub, LIBRARY)
    ]
    theirs = {name for name in listed[0] if re.match("cu[A-Z]", name)}
    assert sorted(theirs - withheld - listed[1]) == []
    assert not withheld & listed[1]
