"""Runs the benchmark table on gpunp and other libraries: `make bench`.

    python benchmarks/run.py [--mods gpunp,cupy,torch,numpy] [--only PATTERN] [--scale S]
                             [--out results.json] [--record] [--resume] [--markdown page.md]
                             [--part K/N]

Everything runs in one tree of processes, one library at a time and nothing beside it: first the
floor (benchmarks/floor.c: a bare launch, the rate at which the memory copies), then the table on
each library, then cold starts in fresh processes with empty caches. --record keeps the results of a
GPU in benchmarks/results/ and writes the documents from them (report.py). --resume takes the floor
and the libraries that the results file already has from there, after a run that was cut short.
--part 2/4 runs every fourth row from the second; parts.py runs such parts on several GPUs. Host
times are the median of five rounds; device times are the median of up to 15 calls between CUDA
events; the percentage says how much of the copy rate measured in the same run a device case
reaches.
"""

import argparse
import compileall
import importlib.util
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
# gpunp as it was built in place comes last: an installed or a sanitizer's build goes before it.
sys.path[:] = [str(HERE), *sys.path, str(HERE.parent)]
os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, [os.environ.get("PYTHONPATH"), str(HERE.parent)])
)

import cases  # noqa: E402
import children  # noqa: E402
import report  # noqa: E402
from libraries import open_library, version  # noqa: E402

#: Libraries that are measured unless others are asked for; NumPy takes hours at a GPU's sizes.
MODULES = {"emulated": ("gpunp", "torch", "numpy"), "gpu": ("gpunp", "cupy", "torch")}
ELEMENTS = 1 << 28
EMULATED_SCALE = 2.0**-10


def host_us(lib, body):
    """Microseconds of host time per call: the median of five rounds."""
    for _ in range(10):
        body()
    lib.synchronize()
    start = time.perf_counter()
    body()
    lib.synchronize()
    count = max(5, min(500, int(0.02 / max(time.perf_counter() - start, 1e-7))))
    for _ in range(count):  # every cache warm, the memory pool settled
        body()
    lib.synchronize()
    rounds = []
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(count):
            body()
        rounds.append((time.perf_counter() - start) / count * 1e6)
        lib.synchronize()
    return statistics.median(rounds)


def device_ms(lib, body, budget=0.4):
    """Milliseconds of device time: the median of 3 to 15 calls; of one, where it takes long."""
    start = time.perf_counter()
    body()
    lib.synchronize()
    body()
    lib.synchronize()
    if time.perf_counter() - start > budget:
        return lib.device_ms(body)
    times = []
    start = time.perf_counter()
    while len(times) < 15 and (len(times) < 3 or time.perf_counter() - start < budget):
        times.append(lib.device_ms(body))
    return statistics.median(times)


def transfer_ms(lib, body):
    """Milliseconds of wall clock of one transfer: the median of seven."""
    times = []
    for _ in range(9):
        lib.synchronize()
        start = time.perf_counter()
        body()
        lib.synchronize()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times[2:])


def measure(lib, group, case, scale):
    """One cell of the table, as a dict; an error is a cell too."""
    n = max(4096, int(ELEMENTS * scale * case.scale))
    try:
        if group == "host":
            return {"us": round(host_us(lib, case.setup(lib)), 3)}
        if group == "device":
            ms = device_ms(lib, case.setup(lib, n))
            nbytes = case.bytes_per_element * n
        else:
            nbytes = max(1 << 16, n)
            ms = transfer_ms(lib, case.setup(lib, nbytes))
        return {"ms": round(ms, 4), "GBps": round(nbytes / ms / 1e6, 1), "n": n}
    except Exception as error:  # a library that lacks a case shows the reason in the JSON
        return {"error": f"{type(error).__name__}: {error}"[:200]}


def part_of(rows, part):
    """Every Nth of the rows from the Kth on; `part` is "K/N"."""
    first, step = map(int, part.split("/"))
    return rows[first - 1 :: step]


def rows_of(groups, only, part):
    """[(group, case)] of the table's rows that are asked for."""
    rows = [(group, case) for group in groups for case in getattr(cases, group.upper())]
    wanted = [row for row in rows if re.search(only, f"{row[0]}/{row[1].name}")]
    return part_of(wanted, part)


def run_child(name, args):
    """Run the cases on one library from number `args.begin` on; a line of JSON before and after
    each. A child whose device fails ends, since no later case could run in it."""
    lib = open_library(name)
    column = {"library": name, "version": version(lib), "device": lib.device_name()}
    print(json.dumps({"column": column}), flush=True)
    groups = ("host", "device", "transfer", "peer")
    groups = groups if lib.device_count() > 1 else groups[:-1]
    for group, case in rows_of(groups, args.only, args.part)[args.begin :]:
        print(json.dumps({"case": f"{group}/{case.name}"}), flush=True)
        cell = measure(lib, group, case, args.scale)
        print(json.dumps({"cell": cell}), flush=True)
        try:
            lib.synchronize()
            lib.free()
        except Exception as error:
            print(f"{name}: {error}", file=sys.stderr)
            sys.stderr.flush()
            os._exit(1)  # without destructors, which would ask the device again


def cold_starts(name, args):
    """Seconds of a fresh process, from an empty cache and from a filled one."""
    compileall.compile_dir(HERE.parent / "gpunp", quiet=2)  # as an installation leaves it
    table = cases.COLD_TORCH if name == "torch" else cases.COLD
    alias = "torch" if name == "torch" else "cp"
    found = {}
    wanted = [title for title in table if re.search(args.only, f"cold/{title}")]
    for title in part_of(wanted, args.part):
        code = table[title]
        code = code.replace("cp.asnumpy", "cp.asarray") if name == "numpy" else code
        program = (
            f"import time, numpy; begin = time.perf_counter(); import {name} as {alias}; "
            f"ready = time.perf_counter(); {code}; end = time.perf_counter(); "
            "print('@', ready - begin, end - ready)"
        )
        folder = tempfile.mkdtemp()
        environment = dict(
            os.environ,
            HOME=folder,
            XDG_CACHE_HOME=folder,
            CUPY_CACHE_DIR=f"{folder}/cupy",
            GPUNP_CACHE_DIR=f"{folder}/gpunp",
            CUDA_CACHE_PATH=f"{folder}/cuda",
        )
        for kind in ["empty cache", "warm cache"]:
            done = subprocess.run(
                [sys.executable, "-c", program], env=environment, text=True, capture_output=True
            )
            match = re.search(r"@ (\S+) (\S+)", done.stdout)
            if not match:
                last = (done.stderr.strip().splitlines() or ["no output"])[-1]
                found[f"cold/{title}, {kind}"] = {"error": last[:200]}
            else:
                seconds = float(match[1]) if title == "import" else float(match[2])
                found[f"cold/{title}, {kind}"] = {"s": round(seconds, 4)}
        shutil.rmtree(folder, ignore_errors=True)
    return found


def run_library(name, args):
    """One library's column: what its child processes measured, and its cold starts."""
    options = ["--scale", str(args.scale), "--only", args.only, "--part", args.part]
    column = children.column_of(name, options)
    if not args.nocold:
        column["cells"].update(cold_starts(name, args))
    return column


def measure_floor(emulated, scale):
    """floor.py in a process of its own; None where it cannot run, with the reason on stderr."""
    nbytes = max(1 << 16, int(4 * ELEMENTS * scale) & ~255)
    done = subprocess.run(
        [sys.executable, str(HERE / "floor.py"), "emulated" if emulated else "cuda", str(nbytes)],
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        print("the floor could not be measured:", done.stderr.strip()[-400:], file=sys.stderr)
        return None
    return json.loads(done.stdout)


def has_gpu():
    """Whether a CUDA device answers; asked in another process."""
    code = (
        "import ctypes as c; d = c.CDLL('libcuda.so.1'); n = c.c_int(0); "
        "raise SystemExit(d.cuInit(0) or d.cuDeviceGetCount(c.byref(n)) or n.value == 0)"
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


def parse_arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mods", help="libraries, comma separated")
    parser.add_argument("--only", default="", help="a pattern over group/case, e.g. host/")
    parser.add_argument("--scale", type=float, help="fraction of 2^28 elements; default 1 on a GPU")
    parser.add_argument("--out", help="write the results as JSON")
    parser.add_argument(
        "--record", action="store_true", help="keep the results, write the documents"
    )
    parser.add_argument("--resume", action="store_true", help="keep what the results file has")
    parser.add_argument("--markdown", help="write the tables as Markdown")
    parser.add_argument("--nocold", action="store_true", help="leave the cold starts out")
    parser.add_argument("--part", default="1/1", help="K/N: every Nth row from the Kth on")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--begin", type=int, default=0, help=argparse.SUPPRESS)
    return parser.parse_args()


def results_file(device):
    """Where the results of a device are kept: "NVIDIA H200" gives h200.json."""
    name = device.lower().removeprefix("nvidia ")
    return report.RESULTS / (re.sub(r"[^a-z0-9]+", "-", name) + ".json")


def gpu_name():
    """The name of the first device, from the driver."""
    code = (
        "import ctypes as c; d = c.CDLL('libcuda.so.1'); b = c.create_string_buffer(200); "
        "d.cuInit(0); d.cuDeviceGetName(b, 200, 0); print(b.value.decode())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def choose_out(args, emulated):
    """The results file; --record without --out names it by the device."""
    if args.record and (emulated or args.only or args.scale != 1.0 or args.part != "1/1"):
        raise SystemExit("--record is for the whole table on a GPU")
    if args.out or not args.record:
        return Path(args.out) if args.out else None
    return results_file(gpu_name())


def main():
    """See the module's text."""
    args = parse_arguments()
    if args.child:
        return run_child(args.child, args)
    device = os.environ.get("GPUNP_DEVICE", "auto")
    emulated = device.startswith("emulated") or (device == "auto" and not has_gpu())
    if emulated:
        os.environ["GPUNP_DEVICE"] = device if device != "auto" else "emulated"
    if args.scale is None:
        args.scale = EMULATED_SCALE if emulated else 1.0
    names = args.mods.split(",") if args.mods else MODULES["emulated" if emulated else "gpu"]
    names = [name for name in names if importlib.util.find_spec(name)]
    out = choose_out(args, emulated)
    before = json.loads(out.read_text()) if args.resume and out and out.exists() else {}
    kept = before.get("libraries", {})
    result = {
        "machine": {
            "cpu": platform.processor() or platform.machine(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "emulated": emulated,
            "elements": int(ELEMENTS * args.scale),
            "date": time.strftime("%Y-%m-%d"),
        },
        "floor": before.get("floor") or measure_floor(emulated, args.scale),
        "libraries": {},
    }
    for name in names:
        result["libraries"][name] = kept.get(name) or run_library(name, args)
        if out:  # after each library: a run that is cut short keeps what it has
            report.save(out, result)
    if args.record:
        report.write(result)
    page = report.page(result)
    if args.markdown:
        Path(args.markdown).write_text(page)
    print(page)


if __name__ == "__main__":
    main()
