"""Planted mistakes: each is found and named, and its correct counterpart is silent.

planted.cu has the kernels, planted.c launches them through the driver's functions; a process per
case. The same two files run on a GPU under compute-sanitizer (sanitize.py).
"""

import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import child
import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
LIBRARY = Path(os.environ.get("EMU_TEST_LIBRARY", ROOT / "gpunp" / "libgpunp_emu.so"))
SOURCE = (HERE / "planted.cu").read_text()

pytestmark = pytest.mark.null


@dataclass
class Bug:
    """What the report of a case must say."""

    code: int | None  # None: 700 or 719, whichever stream comes first
    says: str
    checks: str = ""
    kernel: str | None = None
    block: int = 0
    threads: tuple = (0,)


BUGS = {
    # always looked for
    "read_outside": Bug(
        700, r"4-byte load.*0 bytes past the end of the allocation of 1024", block=1, threads=(127,)
    ),
    "write_outside": Bug(
        700, r"4-byte store.*0 bytes past the end of the allocation of 400", block=3, threads=(4,)
    ),
    "misaligned": Bug(716, r"misaligned 4-byte store"),
    "use_after_free": Bug(700, r"0 bytes into a freed allocation of 4194304", kernel="touch"),
    "host_pointer": Bug(700, r"host memory", kernel="touch"),
    "write_constant": Bug(700, r"store to address .* which is constant"),
    "local_overrun": Bug(700, r"4-byte store to local address"),
    "shared_overrun": Bug(700, r"4-byte store to shared address 0x100.*256 dynamic", threads=(56,)),
    "stack_overflow": Bug(700, r"stack overflow calling .*depth"),
    "free_twice": Bug(719, r"free of .*freed before", threads=(3,)),
    "wrong_parameters": Bug(1, r"12 bytes of parameters.*takes 24", kernel="parameters"),
    "divergent_barrier": Bug(
        719, r"divergent barrier: 12 threads of warp 1 are here, 20 have gone around", threads=(32,)
    ),
    "other_barrier": Bug(
        719,
        r"divergent barrier: 16 threads of warp 0 are here, 16 (wait at|have gone)",
        threads=(0, 1),
    ),
    "deadlock": Bug(
        719, r"deadlock: .*barrier 1, 32 of 64 threads.*0-31.*barrier 2, 32 of 64.*32-63"
    ),
    "shuffle_mask": Bug(719, r"mask 0x0000ffff", threads=(16,)),
    "destroyed_texture": Bug(700, r"is no texture object, or one that was", kernel="read_texture"),
    "freed_array": Bug(700, r"memory of the texture object .* was freed", kernel="read_texture"),
    "surface_outside": Bug(700, r"surface access of 4 bytes at byte 0, row 4"),
    "copy_outside_array": Bug(1, ""),
    # on request
    "shuffle_from_nowhere": Bug(
        719,
        r"a shuffle reads a lane that takes no part.*1 lanes .*0x00008000",
        "init",
        threads=(15,),
    ),
    "missing_barrier": Bug(719, r"race: .*read of shared memory.*write by", "race"),
    "missing_syncwarp": Bug(719, r"race: .*read of shared memory.*write by", "race"),
    "racy_histogram": Bug(719, r"race: .*write of global memory", "race", threads=range(64)),
    "missing_fence": Bug(
        719, r"race: .*read of global memory.*write by block \(0,0,0\)", "race", block=1
    ),
    "unwritten_global": Bug(719, r"uninitialised.*allocation of 256", "init"),
    "unwritten_shared": Bug(719, r"shared memory at 0xfc that was never written", "init"),
    "two_streams": Bug(719, r"stream order: kernel fill .*writes what kernel fill", "stream"),
    "freed_elsewhere": Bug(None, r"stream order: freeing .*what kernel fill|freed", "stream"),
    "missing_event": Bug(
        719, r"stream order: .*(kernel unwritten_global|copy of 4000 bytes)", "stream"
    ),
    "early_look": Bug(719, r"stream order: the program reads what a copy of 4000", "stream"),
    "unwritten_array": Bug(719, r"uninitialised", "init", kernel="read_texture"),
    "racy_surface": Bug(719, r"race: .*write of global memory", "race", threads=range(32)),
    "early_texture": Bug(719, r"stream order: .*(kernel read_texture|copy)", "stream"),
    "leak": Bug(0, r"leak.*12345 bytes", "leaks"),
}
STREAMS = {"two_streams", "freed_elsewhere", "missing_event", "early_look", "leak"}
STREAMS |= {"early_texture", "copy_outside_array"}


def line_of(case):
    """The line of planted.cu that carries the case's name."""
    for number, line in enumerate(SOURCE.splitlines(), 1):
        if line.endswith(f"// at: {case}"):
            return number
    return None


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    """The compiled program, and the kernels' PTX."""
    import harness

    if not LIBRARY.exists() or harness.nvrtc() is None:
        pytest.skip("the emulated device or NVRTC is missing")
    folder = tmp_path_factory.mktemp("planted")
    image = folder / "planted.ptx"
    options = ("--minimal", "-no-cache", "--fmad=false", "-lineinfo")
    image.write_text(harness.ptx(SOURCE, options, name="planted.cu"))
    compiler = shlex.split(os.environ.get("CC", "")) or [shutil.which("gcc") or "cc"]
    command = [*compiler, "-std=c11", "-D_GNU_SOURCE=", "-O1", "-g", "-Wall", "-Wextra", "-pthread"]
    command += shlex.split(os.environ.get("EMU_TEST_CFLAGS", ""))
    command += [f"-I{ROOT / 'csrc'}", str(HERE / "planted.c"), str(LIBRARY), "-ldl"]
    command += [f"-Wl,-rpath,{LIBRARY.parent}", "-o", str(folder / "planted")]
    subprocess.run(command, check=True)
    return folder / "planted", image


def run(program, case, bug, **settings):
    """(code, text) of one case."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("GPUNP_EMU")}
    done = subprocess.run(
        [*map(str, program), case, str(bug)],
        env={**clean, **settings},
        capture_output=True,
        text=True,
        timeout=child.PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    code, _, text = done.stdout.strip().partition(" ")
    return int(code), text


def test_every_case_is_here(program):
    listed = subprocess.run([program[0], "list"], capture_output=True, text=True, check=True)
    assert set(listed.stdout.split()) == set(BUGS) and len(BUGS) >= 20


@pytest.mark.parametrize("level", ["0", "2"])
@pytest.mark.parametrize("case", BUGS)
def test_found_and_named(program, case, level):
    bug = BUGS[case]
    code, text = run(program, case, 1, GPUNP_EMU=bug.checks, GPUNP_EMU_OPT=level)
    assert code in ((700, 719) if bug.code is None else (bug.code,)), text
    assert re.search(bug.says, text), text
    if case not in STREAMS:
        assert f"kernel {bug.kernel or case}" in text
    at = line_of(bug.kernel or case)
    if at is not None:
        assert f"planted.cu:{at}" in text, text
        assert f"block ({bug.block},0,0)" in text
        assert any(f"thread ({t},0,0)" in text for t in bug.threads), text


@pytest.mark.parametrize("case", BUGS)
def test_correct_counterpart_is_silent(program, case):
    code, text = run(program, case, 0, GPUNP_EMU="init,race,stream,leaks")
    assert (code, text) == (0, "")
