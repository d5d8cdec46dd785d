"""docs/performance.md, its picture and the README's figures are what the kept results say."""

import json
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest
from sources import ROOT

sys.path.append(str(ROOT / "benchmarks"))  # behind tests/, which has a `cases` too
import chart
import children
import report

pytestmark = pytest.mark.null
SWEEPS = report.sweeps_kept()


def test_documents_are_written_from_the_newest_results():
    for path, text in report.documents(report.newest(), SWEEPS).items():
        assert path.read_text() == text, f"{path.relative_to(ROOT)} is stale: make figures"


def test_report_needs_nothing_installed():
    program = "import sys; sys.path.insert(0, sys.argv[1]); import report; report.newest()"
    command = [sys.executable, "-I", "-S", "-c", program, str(ROOT / "benchmarks")]
    subprocess.run(command, check=True)


def test_readme_has_no_figures_of_its_own():
    """Times and rates stand between the markers, or in the demo's dated output."""
    text = (ROOT / "README.md").read_text()
    text = report.with_block(text, "")
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    assert not re.findall(r"\d+(?:\.\d+)?\s*(?:[mµu]s|TFLOPS|[GT]B/s)\b", text)


@pytest.fixture(scope="module")
def names():
    """Names of the benchmark's rows; in another process, as the suite has its own `cases`."""
    program = (
        "import json, cases; "
        "print(json.dumps({g: [c.name for c in getattr(cases, g)] for g in ('HOST', 'DEVICE')}))"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command, cwd=ROOT / "benchmarks", capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_rows_of_the_sweeps_are_in_the_benchmark(names):
    for sweep in SWEEPS:
        assert {*sweep["times"], *sweep["ratios"]} <= set(names["DEVICE"])


def test_rows_of_the_readme_are_in_the_benchmark(names):
    assert set(report.HOST_PICK) <= set(names["HOST"])
    assert set(report.DEVICE_PICK) <= set(names["DEVICE"])


def test_results_are_named_by_the_device():
    program = "import run; print(run.results_file('NVIDIA H200').name)"
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command, cwd=ROOT / "benchmarks", capture_output=True, text=True, check=True
    )
    assert done.stdout == "h200.json\n"


def test_rows_have_names_of_their_own(names):
    for group in names.values():
        assert len(group) == len(set(group))


def sample(seconds):
    """A small result of two libraries, in which one row has no bytes and another fails."""
    machine = {"date": "2026-01-02", "python": "3.12.0", "cores": 4, "elements": 1 << 28}
    cells = {
        "host/a + b": {"us": 4.0},
        "device/add f4": {"ms": 1.0, "GBps": 3000.0, "n": 1 << 28},
        "device/flip": {"ms": 0.001, "GBps": 1e6, "n": 1 << 28},
        "cold/import": {"s": seconds},
    }
    other = {"host/a + b": {"us": 8.0}, "device/add f4": {"error": "x"}, "cold/import": {"s": 0.5}}
    floor = {"launch_us": 3.0, "copy_GBps": 3000.0, "memcpy_GBps": 2900.0, "add_GBps": 3100.0}
    libraries = {
        "gpunp": {"version": "1", "device": "NVIDIA X", "cells": cells},
        "cupy": {"version": "2", "device": "NVIDIA X", "cells": other},
    }
    return {"machine": machine, "floor": floor, "libraries": libraries}


def test_tables_of_a_small_result():
    page = report.page(sample(1.0))
    assert "| `a + b` | 4 | 8 | 2.00× | +1.0 µs |" in page
    assert "| `add f4` | 1 | – | – | 3000 | 100 % |" in page
    assert "| `flip` | 0.001 | – | – | – | – |" in page  # a view moves nothing
    assert "NVIDIA X, 2026-01-02" in page


def test_slower_rows_are_listed():
    none = [{"machine": SWEEPS[0]["machine"], "times": {}, "ratios": {}}]
    assert "| `cold/import` | 0.50× | 2026-01-02 |" in report.behind(sample(1.0), none)
    assert "cold/import" not in report.behind(sample(0.4), none)
    assert report.apart(sample(1.0), none) == ""


def test_section_beside_scipy():
    cells = {"n": 4096, "scipy_ms": 8.0, "gpunp_ms": 0.5, "most": 1 << 20, "gpunp_most_ms": 2.0}
    whole = {
        "n": 1 << 20,
        "scipy_ms": 30.0,
        "gpunp_ms": 2.0,
        "most": 1 << 20,
        "gpunp_most_ms": None,
    }
    machine = {"device": "NVIDIA X", "cores": 4, "date": "2026-01-02", "versions": "SciPy 1.18"}
    rows = {"stats/a": cells, "stats/b": whole, "stats/c": {"error": "ValueError: x"}}
    page = report.beside([{"machine": machine, "beside": rows, "left_out": ["stats/d"]}])
    assert "| `stats/a` | 4,096 | 8 | 0.5 | 16.00× | 1,048,576 | 2 | 1024.00× |" in page
    assert "| `stats/b` | 1,048,576 | 30 | 2 | 15.00× |  |  |  |" in page
    assert "ValueError: x" in page and "want of time: stats/d." in page
    assert report.beside([]) == ""


def test_picture_is_xml_and_cuts_long_bars():
    rows = [("row", {"gpunp": (1.0, "1 ms"), "torch": (100.0, "100 ms")})]
    root = ElementTree.fromstring(chart.svg("<title>", [("head", rows)]))
    bars = [float(e.get("width")) for e in root if e.tag.endswith("rect")]
    assert max(bars) == chart.LIMIT * chart.UNIT and "100 ms" in "".join(root.itertext())


def test_results_are_numbers_of_known_rows():
    for path in report.RESULTS.glob("*.json"):
        if not report.is_table(path):
            continue
        result = json.loads(path.read_text())
        assert not result["machine"]["emulated"] and result["machine"]["elements"] == 1 << 28
        for library in result["libraries"].values():
            assert all(isinstance(cell, dict) for cell in library["cells"].values())


class Child:
    """A process that prints what it is given and ends so."""

    def __init__(self, lines, status):
        self.stdout, self.status = lines, status

    def wait(self):
        return self.status


def test_a_library_goes_on_after_a_child_that_ended(monkeypatch):
    processes = [
        Child(
            [
                '{"column": {"version": "1"}}',
                '{"case": "a"}',
                "{words",
                '{"cell": 1}',
                '{"case": "b"}',
            ],
            3,
        ),
        Child(['{"case": "c"}', '{"cell": 3}'], 0),
    ]
    begins = []

    def popen(command, **options):
        begins.append(command[command.index("--begin") + 1])
        return processes.pop(0)

    monkeypatch.setattr(children.subprocess, "Popen", popen)
    monkeypatch.setattr(children.report, "cell_text", str)
    column = children.column_of("gpunp", [])
    assert begins == ["0", "2"]
    assert column == {
        "version": "1",
        "cells": {"a": 1, "b": {"error": "the process ended"}, "c": 3},
    }
