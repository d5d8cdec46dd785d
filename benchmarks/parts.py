"""Runs the benchmark on all GPUs of a machine at once, each with a part of the rows.

    python benchmarks/parts.py [--mods gpunp,cupy,torch] [--gpus N] [--out FILE.json] [--record]
    python benchmarks/parts.py --join PART.json ... [--out FILE.json] [--record]

Every part has a GPU and processors of its own, and runs its rows on one library after the other, so
the columns of a row are of one GPU. The floor is the first part's. Each part writes its results to
build/parts/ after each library. --join puts together the results of parts that ran before; --record
keeps the results and writes the documents.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import cases
import report
from run import has_gpu, results_file

FOLDER = report.HERE.parent / "build" / "parts"


def gpus():
    """How many GPUs there are, as nvidia-smi lists them."""
    done = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=True)
    return sum(line.startswith("GPU ") for line in done.stdout.splitlines())


def start(part, count, out, mods):
    """The process of one part, on its GPU and its share of the processors."""
    ours = sorted(os.sched_getaffinity(0))
    share = max(1, len(ours) // count)
    cores = ours[(part - 1) * share : part * share]
    command = [sys.executable, str(report.HERE / "run.py"), "--part", f"{part}/{count}"]
    command += ["--out", str(out), *(["--mods", mods] if mods else [])]
    return subprocess.Popen(
        ["taskset", "-c", ",".join(map(str, cores)), *command],
        env=os.environ | {"CUDA_VISIBLE_DEVICES": str(part - 1)},
        stdout=subprocess.DEVNULL,
    )


def run(count, mods, folder):
    """The results of parts that ran side by side; RuntimeError where one failed."""
    outs = [Path(folder) / f"part{k}.json" for k in range(1, count + 1)]
    running = [start(k, count, out, mods) for k, out in enumerate(outs, 1)]
    failed = [k for k, process in enumerate(running, 1) if process.wait() != 0]
    if failed:
        raise RuntimeError(f"parts {failed} failed")
    return [report.load(out) for out in outs]


def order():
    """{row: its place in the table}."""
    groups = ("host", "device", "transfer", "peer")
    names = [f"{group}/{case.name}" for group in groups for case in getattr(cases, group.upper())]
    names += [f"cold/{title}, {kind} cache" for title in cases.COLD for kind in ("empty", "warm")]
    return {name: place for place, name in enumerate(names)}


def join(parts):
    """One result of several parts'; the machine and the floor are the first one's."""
    place = order()
    whole = {key: parts[0][key] for key in ("machine", "floor")} | {"libraries": {}}
    whole["machine"]["parts"] = len(parts)
    for name in dict.fromkeys(name for part in parts for name in part["libraries"]):
        columns = [part["libraries"][name] for part in parts if name in part["libraries"]]
        cells = {row: cell for column in columns for row, cell in column["cells"].items()}
        cells = dict(sorted(cells.items(), key=lambda item: place.get(item[0], len(place))))
        whole["libraries"][name] = columns[0] | {"cells": cells}
    return whole


def main():
    """See the module's text."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mods", help="libraries, comma separated")
    parser.add_argument("--gpus", type=int, help="how many GPUs; default: all")
    parser.add_argument("--join", nargs="+", help="results of parts; nothing is run")
    parser.add_argument("--out", help="write the results as JSON")
    parser.add_argument("--record", action="store_true", help="keep them, write the documents")
    args = parser.parse_args()
    if args.join:
        result = join([report.load(path) for path in args.join])
    elif not has_gpu():
        raise SystemExit("no GPU: benchmarks/run.py measures the emulated device")
    else:
        FOLDER.mkdir(parents=True, exist_ok=True)
        result = join(run(args.gpus or gpus(), args.mods, FOLDER))
    out = args.out or (args.record and results_file(result["libraries"]["gpunp"]["device"]))
    if out:
        report.save(out, result)
    if args.record:
        report.write(result)
    print(report.page(result))


if __name__ == "__main__":
    main()
