"""The PTX fuzzer for a second, without sanitizers; `make fuzz` is the real thing."""

import shutil
import subprocess
from pathlib import Path

import child
import fuzz
import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[2]

pytestmark = pytest.mark.null


def objects():
    """The machine half as the release build compiled it."""
    found = []
    for folder in sorted((ROOT / "build").glob("release-*/emu")):
        names = [source.stem for source in fuzz.harness.machine_sources()]
        found = [folder / f"{name}.o" for name in names if (folder / f"{name}.o").exists()]
    return found


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    made = objects()
    compiler = shutil.which("gcc") or shutil.which("cc")
    if not made or compiler is None:
        pytest.skip("no compiler, or nothing built")
    target = tmp_path_factory.mktemp("fuzz") / "fuzz_ptx"
    command = [compiler, "-std=gnu11", "-O1", "-DFUZZ_MAIN", f"-I{ROOT / 'csrc'}"]
    command += [str(HERE / "fuzz_ptx.c"), *map(str, made), "-lm", "-pthread", "-o", str(target)]
    subprocess.run(command, check=True)
    return target


def seeds():
    return sorted(str(path) for path in (HERE / "seeds").iterdir())


def test_changed_texts_do_no_harm(program, tmp_path):
    done = subprocess.run(
        [program, "1500", "7", *seeds()],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=child.PATIENCE,
    )
    assert (done.returncode, done.stdout) == (0, "1500 executions\n"), done.stderr[-2000:]


@pytest.mark.parametrize("path", seeds(), ids=lambda path: Path(path).name)
def test_seeds_themselves_are_harmless(program, tmp_path, path):
    done = subprocess.run(
        [program, "0", "1", path],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=child.PATIENCE,
    )
    assert done.returncode == 0, done.stderr[-2000:]
