"""Benchmarks, named ranges, the functions of NVTX, traces."""

import json
import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

import gpunp as cp
from gpunp.profiler import _PerfCaseResult, benchmark, profile, time_range


def test_benchmark_counts_and_times():
    calls = []

    def f(x, k=1):
        calls.append(k)
        return x * k

    result = benchmark(f, (cp.arange(10),), {"k": 3}, n_repeat=5, n_warmup=2)
    assert calls == [3] * 7
    assert result.name == "f"
    assert result.cpu_times.shape == (5,) and result.gpu_times.shape == (1, 5)
    assert (result.cpu_times > 0).all() and (result.gpu_times >= 0).all()
    number = r" *\d+\.\d{3}"
    one = rf"{number} us   \+/-{number} \(min:{number} / max:{number}\) us"
    assert re.fullmatch(rf"f {{19}}:    CPU:{one}     GPU-0:{one}", str(result))
    assert repr(result) == str(result)
    assert re.fullmatch(rf"f {{19}}:    CPU:{one}", result.to_str())
    once = benchmark(f, (cp.arange(10),), n_repeat=1, name="once", devices=(0,))
    assert re.fullmatch(rf"once {{16}}:    CPU:{number} us     GPU-0:{number} us", str(once))


def test_printed_form():
    times = np.array([[42.516, 44.0, 53.098], [180.288, 181.0, 188.608]]) * 1e-6
    assert str(_PerfCaseResult("my_func", times, [0])) == (
        "my_func             :    CPU:    46.538 us   +/-  4.678 (min:    42.516 / max:    53.098)"
        " us     GPU-0:   183.299 us   +/-  3.766 (min:   180.288 / max:   188.608) us"
    )


def test_benchmark_ends_in_time():
    result = benchmark(lambda: None, n_repeat=10**9, max_duration=0.01)
    assert 0 < len(result.cpu_times) < 10**6 and result.name == "<lambda>"


@pytest.mark.parametrize(
    "change",
    [
        {"func": 3},
        {"args": [1]},
        {"kwargs": ()},
        {"n_repeat": 0},
        {"n_repeat": 1.5},
        {"n_warmup": -1},
        {"name": 3},
        {"max_duration": "1"},
    ],
)
def test_benchmark_refuses(change):
    with pytest.raises(ValueError):
        benchmark(**{"func": len, "args": ("abc",), "n_repeat": 1, **change})


def test_profile_and_ranges():
    with profile(), time_range("a", color_id=2), time_range("b", argb_color=0xFF00FF00, sync=True):
        x = cp.arange(3)

    @time_range()
    def double(x):
        return x * 2

    @time_range(sync=True)
    def fails():
        raise KeyError

    assert double(x).get().tolist() == [0, 2, 4] and double.__name__ == "double"
    with pytest.raises(KeyError):
        fails()
    with pytest.raises(ValueError):
        time_range("x", color_id=1, argb_color=2)
    with pytest.raises(ValueError, match="message"), time_range():
        pass
    cp.cuda.profiler.start()
    cp.cuda.profiler.stop()


def events(path):
    with open(path) as file:
        return json.load(file)["traceEvents"]


def test_trace(tmp_path):
    path = tmp_path / 'a "trace".json'
    with cp.profiler.trace(path):
        x = cp.arange(1000.0)
        with time_range('quoted "name"\n'):
            y = (cp.sqrt(x) + 1).sum()
        cp.cuda.nvtx.Mark("moment")
        with cp.cuda.Stream(non_blocking=True) as stream:
            stream.begin_capture()
            z = x * 2
            graph = stream.end_capture()
            graph.launch()
            stream.synchronize()
        float(y)
        with pytest.raises(RuntimeError, match="already"):
            cp.profiler.trace(path).__enter__()
    found = events(path)
    names = {e["name"] for e in found if e["ph"] == "X" and e["pid"] == 0}
    device = {e["name"]: e for e in found if e["ph"] == "X" and e["pid"] == 1}
    assert {"sqrt__float64_float64", 'quoted "name"\n', "copy to host", "graph"} <= names
    assert any(name.startswith("test_profiling.py:") for name in names)
    assert {"sqrt__float64_float64", "sum__float64_float64", "graph"} <= set(device)
    assert "multiply__float64_float64_float64" not in device  # captured, not run
    assert all(e["dur"] >= 0 for e in found if e["ph"] == "X")
    assert device["sqrt__float64_float64"]["ts"] <= device["sum__float64_float64"]["ts"]
    assert [e["ph"] for e in found if e["name"] == "moment"] == ["i"]
    assert len({e["tid"] for e in found if e["ph"] == "X" and e["pid"] == 1}) == 2
    del z


def test_trace_of_a_program(tmp_path):
    path = tmp_path / "trace.json"
    program = "import gpunp as cp\nfor i in range(3000): x = cp.arange(3) + i\n"
    subprocess.run(
        [sys.executable, "-c", program], check=True, env={**os.environ, "GPUNP_TRACE": str(path)}
    )
    device = [e for e in events(path) if e["ph"] == "X" and e["pid"] == 1]
    assert len(device) == 6000


def test_trace_that_cannot_be_written(tmp_path):
    with pytest.raises(FileNotFoundError), cp.profiler.trace(tmp_path / "no" / "file"):
        cp.arange(3)
    with cp.profiler.trace(tmp_path / "file"):
        cp.arange(3)
    assert events(tmp_path / "file")


def data_of(page):
    """The rows that a timeline's page holds."""
    return json.loads(re.search(r"^const rows = (.*);$", page, re.MULTILINE)[1])


def test_timeline(tmp_path):
    path = tmp_path / "step.html"
    with cp.profiler.timeline(path) as shown:
        with time_range("</script>"):
            y = cp.sqrt(cp.arange(1000.0)).sum()
        float(y)
    page = path.read_text()
    assert page == shown.html() and page.count("</script>") == 1
    assert not re.search(r"(?:src|href)=|url\(|https?:", page)  # complete in itself
    program, device = data_of(page)
    assert program["label"].startswith("program thread ") and not program["device"]
    assert (device["label"], device["device"]) == ("device 0 stream 0", True)
    assert {"</script>", "copy to host"} <= {name for name, *_ in program["slices"]}
    assert [name for name, *_ in device["slices"]][-1] == "sum__float64_float64"
    for row in (program, device):
        begins = [begin for _, begin, _, _ in row["slices"]]
        assert begins == sorted(begins)
    launch = next(item for item in program["slices"] if item[0].startswith("sum"))
    assert "grid" in launch[3]
    assert shown._repr_html_().startswith("<iframe") and "<script>" not in shown._repr_html_()


def test_timeline_of_nothing_and_of_failures(tmp_path):
    with cp.profiler.timeline() as shown:
        pass
    assert shown.rows() == [] and "const rows = [];" in shown.html()
    with pytest.raises(KeyError), cp.profiler.timeline(tmp_path / "page.html"):
        raise KeyError
    assert not (tmp_path / "page.html").exists()
    with cp.profiler.timeline() as shown:  # the failed one has ended
        cp.arange(3)
    assert len(shown.rows()) == 2


def test_page_of_a_trace(tmp_path, capsys):
    from gpunp.__main__ import main

    trace, page = tmp_path / "trace.json", tmp_path / "page.html"
    with cp.profiler.trace(trace):
        cp.arange(3)
    assert main(["timeline", str(trace), str(page)]) == 0
    assert [row["device"] for row in data_of(page.read_text())] == [False, True]
    page.unlink()
    assert main(["timeline", str(tmp_path / "none"), str(page)]) == 1 and not page.exists()
    assert "none" in capsys.readouterr().err


def test_nvtx_without_a_tool():
    nvtx = cp.cuda.nvtx
    nvtx.Mark("a", 3)
    nvtx.MarkC("a", 0xFF112233)
    nvtx.RangePush("a", 1)
    nvtx.RangePushC("a", 0xFF112233)
    nvtx.RangePop()
    nvtx.RangePop()
    nvtx.RangeEnd(nvtx.RangeStart("a", 0))
    assert isinstance(nvtx.available, bool)


TOOL = r"""
#include <stdint.h>
#include <stdio.h>
typedef struct { uint16_t version, size; uint32_t category; int32_t color_type; uint32_t color;
    int32_t payload_type, reserved; uint64_t payload; int32_t message_type; const char *message;
} Event;
typedef struct { size_t size; int (*get)(int, void ****, unsigned *); } Callbacks;
typedef struct { size_t size; uint32_t version, reserved; void (*set)(uint32_t); } Version;
static void show(const char *what, const Event *e) {
    printf("%s %s %x %d %d\n", what, e->message, e->color, e->version, e->size); fflush(stdout);
}
static void mark(const Event *e) { show("mark", e); }
static uint64_t begin(const Event *e) { show("start", e); return 42; }
static void end(uint64_t id) { printf("end %d\n", (int)id); fflush(stdout); }
static int push(const Event *e) { show("push", e); return 0; }
static int pop(void) { printf("pop\n"); fflush(stdout); return 0; }
int InitializeInjectionNvtx2(const void *(*tables)(uint32_t)) {
    const Callbacks *callbacks = tables(1);
    const Version *version = tables(3);
    void ***table; unsigned size = 0;
    if (callbacks->size != sizeof *callbacks || version->version != 3 || tables(9)) return 0;
    version->set(1);
    if (callbacks->get(99, &table, &size) || !callbacks->get(1, &table, &size) || size != 16)
        return 0;
    *table[1] = mark; *table[4] = begin; *table[7] = end; *table[8] = push; *table[11] = pop;
    return 1;
}
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="builds a tool")
def test_nvtx_with_a_tool(tmp_path):
    (tmp_path / "tool.c").write_text(TOOL)
    tool = tmp_path / "tool.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-w", "-o", tool, tmp_path / "tool.c"], check=True)
    program = (
        "import gpunp as cp\n"
        "n = cp.cuda.nvtx\n"
        "assert n.available\n"
        "n.MarkC('a', 0xff112233)\n"
        "with cp.profiler.time_range('b'): pass\n"
        "n.RangeEnd(n.RangeStart('c'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "NVTX_INJECTION64_PATH": str(tool)},
    )
    assert done.stdout.splitlines() == [
        "mark a ff112233 3 48",
        "push b 0 3 48",
        "pop",
        "start c 0 3 48",
        "end 42",
    ]


def test_magic():
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "gpunp.profiler")
    shell.user_ns["cp"] = cp
    result = shell.run_line_magic("gpu_timeit", "-n 3 -w 1 -o cp.arange(10).sum()")
    assert result.name == "run" and result.cpu_times.shape == (3,)
    result = shell.run_cell_magic("gpu_timeit", "-n 2 -o x = cp.arange(4)", "y = x + 1\ny * 2\n")
    assert result.cpu_times.shape == (2,)
