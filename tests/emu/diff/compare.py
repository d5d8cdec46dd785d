"""Runs bundles on two driver libraries at once, in many processes, and says where they differ.

    compare.py snippets --golden libcuda.so.1 --other gpunp/libgpunp_emu.so --out FOLDER
    compare.py programs --first 0 --count 20000 ...
    compare.py bundles PATH... --other ...

FOLDER receives hashes.txt (of the golden library), differences.txt and summary.json. Without --other only the
hashes are made.
"""

import argparse
import collections
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import programs
import snippets

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]


def build(folder):
    """The runner, compiled."""
    target = Path(folder) / "runner"
    compiler = os.environ.get("CC", "gcc").split()
    command = [*compiler, "-std=gnu11", "-O2", str(HERE / "runner.c"), str(HERE / "fill.c")]
    subprocess.run([*command, "-ldl", "-o", str(target)], check=True)
    return target


def last_line(path):
    """What a stopped runner had done."""
    lines = Path(path).read_text().splitlines() if Path(path).exists() else []
    return lines[-1][:80] if lines else "nothing"


def run(runner, library, bundle, hashes, *more):
    """One process; its standard output."""
    env = {**os.environ, "CUDA_CACHE_DISABLE": "1", "GPUNP_EMU_WORKERS": os.environ.get("GPUNP_EMU_WORKERS", "1")}  # fmt: skip
    command = [str(runner), str(library), str(bundle), str(hashes), *map(str, more)]
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return f"runner stopped on {bundle} behind {last_line(hashes)}\n"
    if done.returncode:
        return f"runner failed on {bundle}: {done.returncode}\n{done.stderr[-2000:]}\n"
    return done.stdout + done.stderr[-4000:]


def make(args, folder):
    """Bundles of the work asked for: (path, function that writes it)."""
    if args.what == "snippets":
        ops = [o for o in snippets.instructions.every_op() if re.search(args.only, o.name)]
        step = max(1, -(-len(ops) // (4 * args.jobs)))
        for i in range(0, len(ops), step):
            part = ops[i : i + step]
            yield folder / f"s{i}.bundle", lambda p=part: snippets.bundle(p)
    elif args.what == "programs":
        step = min(args.step, -(-args.count // args.jobs))
        for i in range(args.first, args.first + args.count, step):
            n = min(step, args.first + args.count - i)
            yield folder / f"p{i}.bundle", lambda i=i, n=n: programs.bundle(i, n)
    else:
        for name in args.paths:
            yield Path(name), None


def one(args, runner, path, write, deadline):
    """Golden run, other run, comparison; (hash lines, text of differences)."""
    if time.monotonic() > deadline:
        return "", "", 0, 0
    hashes, raw = path.with_suffix(".hash"), path.with_suffix(".raw")
    if args.out and write is None:
        hashes = Path(args.out) / hashes.name
        raw = Path(args.out) / raw.name
    if write is not None:
        path.write_text(write())
    more = ("--raw", raw) if args.other else ()
    clock = [time.monotonic()]
    level = ("--level", args.level) if args.level >= 0 else ()
    report = run(runner, args.golden, path, hashes, *more, *level)
    clock.append(time.monotonic())
    if args.other:
        report += run(runner, args.other, path, f"{hashes}2", "--compare", raw)
        raw.unlink(missing_ok=True)
    lines = hashes.read_text() if hashes.exists() else ""
    if args.out:
        with (args.out / "progress.txt").open("a") as f:
            f.write(
                f"{path.name} {' '.join(f'{b - a:.1f}' for a, b in itertools.pairwise([*clock, time.monotonic()]))}\n"
            )
    if write is not None:
        path.unlink()
        hashes.unlink(missing_ok=True)
    clock.append(time.monotonic())
    return lines, report, clock[1] - clock[0], clock[2] - clock[1]


def summarise(lines, report):
    """Counts for the eye."""
    status = collections.Counter(x.split()[1] for x in lines if x and x[0] != "#")
    families = collections.Counter()
    for name in {x.split()[0] for x in report if x.endswith(" differ")}:
        families[name.split(".")[0] if name[0] != "P" else "programs"] += 1
    return {
        "cases": sum(status.values()),
        "status": dict(status),
        "differing cases": sum(families.values()),
        "by family": dict(families.most_common(60)),
    }


def main():
    """See the top of the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["snippets", "programs", "bundles"])
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--golden", default="libcuda.so.1")
    parser.add_argument("--other")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--step", type=int, default=250)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument(
        "--level", type=int, default=-1, help="of the golden compiler's optimisation"
    )
    parser.add_argument("--lines", type=int, default=40000)
    args = parser.parse_args()
    start = time.monotonic()
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        runner = build(temporary)
        work = list(make(args, Path(temporary)))
        with ThreadPoolExecutor(args.jobs) as pool:
            results = list(pool.map(lambda w: one(args, runner, *w, start + args.seconds), work))
    lines = "".join(r[0] for r in results).splitlines()
    device = {x for x in lines if x.startswith("#")}
    lines = [x for x in lines if not x.startswith("#")]
    report = [
        x for r in results for x in r[1].splitlines() if not x.endswith(" 0 differing outputs")
    ]
    summary = summarise(lines, report)
    summary["seconds"] = round(time.monotonic() - start, 1)
    summary["busy"] = [round(sum(r[k] for r in results), 1) for k in (2, 3)]
    summary["device"] = sorted(device)
    print(json.dumps(summary))
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        tag = args.what
        (args.out / f"{tag}-hashes.txt").write_text("\n".join([*sorted(device), *lines]) + "\n")
        (args.out / f"{tag}-differences.txt").write_text("\n".join(report[: args.lines]) + "\n")
        (args.out / f"{tag}-summary.json").write_text(json.dumps(summary, indent=1) + "\n")
    else:
        print("\n".join(report[:200]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
