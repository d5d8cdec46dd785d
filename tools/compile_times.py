"""CPU time of compiling kernels for a GPU, as first calls do: docs/compiling.md has the table.

    python tools/compile_times.py [--only PATTERN] [--rounds 3] [--arch sm_90] [--large]
                                  [--out FILE.json] [--before FILE.json]
    python tools/compile_times.py --read FILE.json [--before FILE.json] [--write]

gpunp's own code compiles, with the options that a GPU gets; no GPU is needed. There is a kernel
for each loop of a special function, as a first call on a small contiguous array compiles it
(--large: on one of many elements), and one for each kernel file of ndimage, signal and sparse with
its default parameters. What counts is CPU time, the least of the rounds, which other work on the
machine changes little: of all threads of the process, and of the thread that called alone, since
the assembler uses several for special functions. Two kernels are for comparison with other
machines: `empty`, which does nothing, and `add`, the sum of two arrays of float32.

--read takes the times from a file that --out wrote; --write replaces the section of
docs/compiling.md; --before gives earlier times that are shown beside.
"""

import argparse
import datetime
import json
import os
import re
import statistics
import sys
import time
from pathlib import Path

os.environ.update(GPUNP_CACHE_DIR="off", GPUNP_PACK="off")
sys.path.append(str(Path(__file__).resolve().parent.parent))

from pack import file_requests
from special_loops import elementwise, special_loops

from gpunp import _C

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "compiling.md"
BEGIN, END = "<!-- written by tools/compile_times.py -->\n", "<!-- to here -->\n"
LIMIT = 3  # times `add`, which takes 20 ms on a current processor of a server
SHOWN = 20


def special_kernels(large):
    """(name, file, source, header) of each loop of the special functions."""
    for loop in special_loops(large=large):
        yield loop.name, loop.file, None, loop.header


def file_kernels():
    """(name, file, source, header) of each kernel file of SciPy's folders."""
    for folder, request in file_requests():
        yield f"{folder}/{Path(request.file).stem}", request.file, None, request.header


def comparisons():
    """(name, file, source, header) of the two kernels that other machines are compared by."""
    yield "empty", "empty.cu", 'extern "C" __global__ void empty() {}\n', ""
    add = elementwise("math.cuh", "a + b", ["f32"] * 3, 2, resident=5)
    yield "add", "elementwise.cu", None, add


def compile_once(kernel, arch):
    """CPU seconds of all threads and of this one, bytes of the result: compiling one kernel."""
    _, file, source, header = kernel
    name = f"knobs/{Path(file).stem}.cuh"
    everyone, own = time.process_time(), time.thread_time()
    _, stored = _C._compile_for(file, source, name, header, None, (), arch, False)
    return time.process_time() - everyone, time.thread_time() - own, len(stored)


def measure(kernels, arch, rounds):
    """{name: (ms of all threads, ms of the calling one, bytes)}, each time the least."""
    found = {}
    for kernel in kernels:
        everyone, own, size = zip(*(compile_once(kernel, arch) for _ in range(rounds)), strict=True)
        found[kernel[0]] = (round(min(everyone) * 1e3, 1), round(min(own) * 1e3, 1), size[0])
    return found


def measure_all(args):
    """What --out writes: the compiler's version, the date, the times."""
    kernels = [*special_kernels(args.large), *file_kernels()]
    kernels = [kernel for kernel in kernels if re.search(args.only, kernel[0])]
    measure(comparisons(), args.arch, 3)  # the first compilation of a process takes longer
    times = measure(comparisons(), args.arch, 15) | measure(kernels, args.arch, args.rounds)
    return {"nvrtc": _C._compiler()[:2], "date": str(datetime.date.today()), "times": times}


# ---- the page --------------------------------------------------------------------------------


def groups(times):
    """Names of kernels by what they are."""
    found = {"special functions, real": [], "special functions, complex": []}
    for name in times:
        if "/" in name:
            found.setdefault(f"{name.split('/')[0]}, default parameters", []).append(name)
        elif "->" in name:
            kind = "complex" if re.search("[FD]", name.rsplit(" ", 1)[1]) else "real"
            found[f"special functions, {kind}"].append(name)
    return found


HEAD = """Milliseconds of CPU time, NVRTC {version} for sm_90, {date}, on a machine where an empty
kernel takes {empty:.0f} and `add` of float32 {add:.0f}. The aim is {aim} times `add`, {limit:.0f}
here: 60 where `add` takes 20. *Caller* is what the calling thread does, the least that other cores
leave of it.

| kernels | count | within the aim | median | largest | largest, caller |
|---|---:|---:|---:|---:|---:|
"""


def section(result, before):
    """The text between the marks of docs/compiling.md."""
    times, old = result["times"], before["times"]
    empty, add, limit = times["empty"][0], times["add"][0], LIMIT * times["add"][0]
    version = ".".join(map(str, result["nvrtc"]))
    date = result["date"]
    text = HEAD.format(version=version, date=date, empty=empty, add=add, aim=LIMIT, limit=limit)
    for group, names in groups(times).items():
        cpu, own = ([times[name][i] for name in names] for i in (0, 1))
        cells = [
            len(names),
            sum(t <= limit for t in cpu),
            statistics.median(cpu),
            max(cpu),
            max(own),
        ]
        text += f"| {group} | {' | '.join(f'{cell:.0f}' for cell in cells)} |\n"
    text += "\n| the slowest | all threads | caller |\n|---|---:|---:|\n"
    for name in firsts(times, lambda name: -times[name][0]):
        text += f"| `{name}` | {times[name][0]:.0f} | {times[name][1]:.0f} |\n"
    changed = {name for name in times if name in old and old[name][2] != times[name][2]}
    text += "\n| shorter code | before | now |\n|---|---:|---:|\n" if changed else ""
    for name in firsts(changed, lambda name: times[name][0] / old[name][0]):
        text += f"| `{name}` | {old[name][0]:.0f} | {times[name][0]:.0f} |\n"
    return text


def firsts(names, order):
    """The first kernel of each function of SciPy, or kernel file, in an order."""
    found = {}
    for name in sorted(names, key=order):
        found.setdefault(name.split()[0], name)
    return list(found.values())[:SHOWN]


def write_page(text):
    """Replace what is between the marks."""
    page = PAGE.read_text()
    head, rest = page.split(BEGIN)
    PAGE.write_text(head + BEGIN + text + END + rest.split(END, 1)[1])


def main():
    """Measure or read, print the slowest last."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="regular expression of names")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--large", action="store_true", help="the kernels of large arrays")
    parser.add_argument("--out", help="write the times there as JSON")
    parser.add_argument("--read", help="take the times from there")
    parser.add_argument("--before", help="earlier times")
    parser.add_argument("--write", action="store_true", help="replace the table of the page")
    args = parser.parse_args()
    result = json.loads(Path(args.read).read_text()) if args.read else measure_all(args)
    before = json.loads(Path(args.before).read_text()) if args.before else result
    if args.out:
        Path(args.out).write_text(json.dumps(result))
    if args.write:
        write_page(section(result, before))
    for name, (cpu, own, size) in sorted(result["times"].items(), key=lambda item: item[1][0]):
        old = f" {before['times'][name][0]:7.1f} before" if args.before else ""
        print(f"{name:36} {cpu:7.1f} ms CPU {own:7.1f} ms caller {size:7} bytes{old}")


if __name__ == "__main__":
    main()
