"""tools/sanitized.py: every test is run, whatever dies or hangs before it."""

import argparse
import json
import sys
import textwrap
import time

import pytest
from sources import ROOT

pytestmark = pytest.mark.null
PLANTED = """
    import os, signal, time
    import pytest

    @pytest.mark.parametrize("i", range(5))
    def test_plain(i): pass
    def test_fails(): assert False
    def test_dies(): os.kill(os.getpid(), signal.SIGKILL)
    def test_after(): pass
    def test_hangs(): time.sleep(600)
"""


@pytest.fixture
def tool(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests"))
    sys.modules.pop("sanitized", None)
    import sanitized

    monkeypatch.setattr(sanitized, "FOLDER", tmp_path)
    for name in ("reports", "output"):
        (tmp_path / name).mkdir()
    return sanitized


def planted(tool, folder, count):
    file = folder / "test_planted.py"
    file.write_text(textwrap.dedent(PLANTED))
    return [tool.Part(str(file), i + 1, count, 1.0) for i in range(count)]


def options():
    return argparse.Namespace(jobs=2, limit=1e9, pytest=["-p", "conftest"])


def run(tool, parts, seconds=1e9):
    return tool.run(parts, options(), time.time() + seconds)


def test_a_part_goes_on_after_a_death_and_ends_at_its_limit(tool, tmp_path):
    (part,) = planted(tool, tmp_path, 1)
    running, result = tool.Running(part, options()), None
    while result is None:
        time.sleep(0.05)
        output = "".join(file.read_text() for file in tmp_path.glob("output/*.out"))
        if "test_hangs" in output:
            running.options.limit = 0
        result = running.step(end=1e12)
    assert result["counts"] == {"passed": 6, "failed": 1}
    bad = [(what, test.partition("::")[2]) for what, test in result["bad"]]
    assert bad == [
        ("failed", "test_fails"),
        ("died with -9", "test_dies"),
        ("timeout", "test_hangs"),
    ]
    (threads,) = tmp_path.glob("output/*-1of1-1.err")
    assert "in test_hangs" in threads.read_text()


def test_parts_have_each_test_once_and_the_rest_is_said(tool, tmp_path):
    parts = planted(tool, tmp_path, 3)
    results = run(tool, parts[:2])
    counts = [sum(result["counts"].values()) for result in results]
    assert counts == [3, 3]
    text = tool.summary(parts, results)
    assert "failed: " in text and f"not begun: {parts[2].path} 3/3" in text
    assert len((tmp_path / "results.jsonl").read_text().splitlines()) == 2


def test_what_was_stopped_is_begun_again(tool, tmp_path):
    parts = planted(tool, tmp_path, 1)
    (tmp_path / "plan.json").write_text(json.dumps(parts))
    (result,) = run(tool, parts, seconds=0.5)
    assert result["outcome"] == "late"
    again, before = tool.planned(argparse.Namespace(resume=True))
    assert again == parts and tool.is_late(before[0])


def test_long_files_are_shared_and_come_first(tool, tmp_path):
    (tmp_path / "seconds.txt").write_text("90.0 tests/test_tiny.py\n")
    parts = tool.plan([str(ROOT / "tests" / "test_tiny.py"), str(ROOT / "tests" / "cuda")])
    assert [part.count for part in parts if part.path == "tests/test_tiny.py"] == [3, 3, 3]
    assert [part.seconds for part in parts] == sorted((p.seconds for p in parts), reverse=True)
    assert len({(part.path, part.number) for part in parts}) == len(parts)
