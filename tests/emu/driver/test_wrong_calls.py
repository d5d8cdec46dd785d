"""Wrong calls and questions: the emulated device answers as an H200 did (CUDA 13.0, driver R580).

`wrong_calls.txt` has a line for each row that the programs print: the answer of the real driver, and
where the emulated one differs on purpose, its own behind a tilde and the reason. `crash` is a call
that ended the process with the real driver; here it must only not do that.
"""

import subprocess
from pathlib import Path

import child
import pytest
from test_driver import FLAGS, HERE, LIBRARY, ROOT, compiler, extra_flags

SOURCES = sorted(HERE.glob("wrong_*.c"))
TABLE = HERE / "wrong_calls.txt"


def build(folder, name, sources):
    if not LIBRARY.exists():
        pytest.skip(f"{LIBRARY} is not built")
    path = folder / name
    command = [*compiler(), *FLAGS, *extra_flags(), f"-I{ROOT / 'csrc'}", f"-I{HERE}"]
    command += [*map(str, sources), str(LIBRARY), f"-Wl,-rpath,{LIBRARY.parent}"]
    subprocess.run([*command, "-o", str(path)], check=True)
    return path


@pytest.fixture(scope="session")
def answers(tmp_path_factory):
    """What the emulated device says: {group: [(answer, row)]}, in order."""
    program = build(tmp_path_factory.mktemp("wrong"), "wrong", SOURCES)
    done = subprocess.run(
        [program], capture_output=True, text=True, timeout=child.PATIENCE, check=True
    )
    groups = {}
    for line in done.stdout.splitlines():
        answer, row = line.split("\t", 1)
        groups.setdefault(row.split(":")[0], []).append((answer.replace(" = ", "="), row))
    return groups


def table():
    groups = {}
    for line in TABLE.read_text().splitlines():
        answer, row, *_ = line.split("\t")
        groups.setdefault(row.split(":")[0], []).append((answer, row))
    return groups


@pytest.mark.null
@pytest.mark.parametrize("group", table())
def test_answers(answers, group):
    wanted, given = table()[group], answers[group]
    assert [row for _, row in given] == [row for _, row in wanted]
    wrong = []
    for (answer, row), (ours, _) in zip(wanted, given, strict=True):
        real, _, on_purpose = answer.partition(" ~ ")
        if ours != (on_purpose or real):
            wrong.append(f"{ours}, not {on_purpose or real}: {row}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.null
def test_entries_by_name_and_version(tmp_path):
    """cuGetProcAddress for all names, versions and flags."""
    program = build(tmp_path, "proc_address", [HERE / "proc_address.c"])
    wanted = (HERE / "proc_address.txt").read_text()
    names = "".join(f"{line.split()[0]}\n" for line in wanted.splitlines())
    done = subprocess.run(
        [program], input=names, capture_output=True, text=True, timeout=child.PATIENCE, check=True
    )
    # Two symbols are there for those who ask by version, but not exported: Numba misreads them.
    given = done.stdout.replace("0/other", "0/_v2")
    assert given.splitlines() == wanted.splitlines()


def test_table_is_about_a_real_driver():
    rows = [answer for group in table().values() for answer, _ in group]
    different = [answer for answer in rows if " ~ " in answer]
    assert len(rows) > 2500 and len(different) < len(rows) // 12
    assert Path(TABLE).stat().st_size < 250_000
