"""Many hostile calls in worker processes, watched: `make hostile` (RUNS=1000000 SEED=1 JOBS=2).

A worker that dies, stands still for 20 seconds in one call or takes too much memory is a finding;
the rest of its block goes to a new one. What is found is written to build/hostile/all.jsonl at once. At the end each
crash, hang, SystemError and lost byte is run again alone, with fewer and simpler arguments as long as the same happens, and
written to reproducers.txt as one line; `--again all.jsonl` does that later, with another build. Exit status 1 when anything was found.
"""

import argparse
import ast
import collections
import concurrent.futures
import json
import math
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

import agreed
import blocks

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RESULTS = ROOT / "build" / "hostile"
HANG = 20.0  # seconds
FEWER = 8  # times less where a hang is no finding
PROGRESS = 30.0  # seconds between two lines
LATE = 15.0  # seconds after the end of a run in which a worker finishes its call
SANITIZERS = (
    "runtime error: ",
    "ERROR: AddressSanitizer",
    "CHECK failed",
)  # in the lines of a report


def environment():
    """The variables of a worker, which has one processor: others have workers as well. A cache of
    kernels at its limit would be emptied by one worker while the others fill it. The sanitizer
    keeps three callers of each allocation, not thirty: that is a sixth of the time to compile. It
    writes over freed memory, since it does not see what CPython, NumPy and SciPy read."""
    alone = {
        "GPUNP_EMU_WORKERS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "GPUNP_CACHE_LIMIT": str(1 << 34),
    }
    options = os.environ.get("ASAN_OPTIONS", "") + ":malloc_context_size=3"
    options += ":max_free_fill_size=1024:free_fill_byte=221"
    return {**alone, **os.environ, "PYTHONFAULTHANDLER": "1", "ASAN_OPTIONS": options}


def busy(pid):
    """Seconds of the processors that a process took."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError):
        return 0.0


class State(NamedTuple):
    phase: str
    seconds: float  # since then
    made: int  # finished calls
    place: tuple  # the block, and how many of its calls are finished
    call: str


def read_state(path):
    """What a worker does now."""
    text = path.read_text(errors="replace") if path.exists() else ""
    phase, stamp, made, block, of_block, call = (text.strip().split("\t", 5) + [""] * 5)[:6]
    seconds = time.time() - float(stamp or time.time())
    return State(
        phase or "start", seconds, int(made or 0), (int(block or 0), int(of_block or 0)), call
    )


def patience(phase, call):
    """Seconds of a call: fewer where a hang would not count, the reference's and those in agreed.txt."""
    is_none = phase == "numpy" or agreed.may_hang(call)
    return HANG * blocks.SLOWER / (FEWER if is_none else 1)


def watch(process, state, until):
    """Waits for a worker; (why it was stopped or None, phase, call)."""
    seen, since = "", 0.0
    while True:
        try:
            process.wait(0.5)
        except subprocess.TimeoutExpired:
            pass
        phase, seconds, _, _, call = read_state(state)
        limit = HANG * blocks.SLOWER / FEWER
        if seconds > limit:
            limit = patience(phase, call)
        if seen != call:
            seen, since = call, busy(process.pid)
        if process.returncode is not None:
            return None, phase, call
        if blocks.resident(process.pid) > blocks.MEMORY * blocks.SLOWER:
            why = "memory"
        elif (
            call
            and seconds > limit
            and (
                busy(process.pid) - since > limit / 2
                or seconds > 5 * limit  # on a busy machine too
            )
        ):
            why = "hang"
        elif time.time() > until + LATE:
            why = "late"
        else:
            continue
        process.kill()
        process.wait()
        return why, phase, call


def work(name, *arguments, kept=os.devnull, until=math.inf):
    """Runs a worker to its end: (findings, totals of its calls or None, the phase it was stopped in).

    What it reports is written to the file `kept` at once, so that a run that is stopped has it.
    """
    RESULTS.mkdir(parents=True, exist_ok=True)
    state, errors = RESULTS / f"{name}.state", RESULTS / f"{name}.err"
    state.unlink(missing_ok=True)
    with open(errors, "w") as stderr:
        process = subprocess.Popen(
            [sys.executable, str(HERE / "worker.py"), str(state), *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            env=environment(),
        )
        lines = []

        def read():
            for line in process.stdout:
                lines.append(line)
                if line.startswith("{") and '"kind": "done"' not in line:
                    with open(kept, "a") as file:
                        file.write(line)

        reader = threading.Thread(target=read)
        reader.start()
        why, phase, call = watch(process, state, until)
        reader.join()
        process.stdout.close()
    findings = [json.loads(line) for line in lines if line.startswith("{")]
    done = findings and findings[-1]["kind"] == "done"
    if done:
        return findings[:-1], json.loads(findings[-1]["detail"]), None
    if why is None and process.returncode != 9:
        why = "crash"
    if why == "late":
        return findings, {"called": read_state(state).made}, None
    if why is not None:
        with open(RESULTS / "stopped.txt", "a") as file:
            file.write(f"{why}\t{phase}\t{call}\n")
        if why == "crash":
            shutil.copy(errors, RESULTS / f"crash-{time.time():.0f}-{name}.txt")
    if why is not None and phase != "numpy":
        text = errors.read_text(errors="replace").partition("Extension modules: ")[0]
        said = [line for line in text.splitlines() if any(word in line for word in SANITIZERS)][:1]
        detail = "\n".join([f"{process.returncode}, {phase}:", *said, text[-1500:]])
        findings.append({"kind": why, "call": call, "detail": detail})
        with open(kept, "a") as file:
            file.write(json.dumps(findings[-1]) + "\n")
    return findings, None, phase


# ---- reduction


def kinds(name, calls):
    return {(f["kind"], f["call"]) for f in work(name, "--text", *calls)[0]}


def simpler(text):
    """Texts with an argument less, or with a simple one in its place."""
    call = ast.parse(text, mode="eval").body
    if not isinstance(call, ast.Call):
        return
    function = ast.unparse(call.func)
    args = [ast.unparse(a) for a in call.args] + [
        f"{k.arg}={ast.unparse(k.value)}" for k in call.keywords
    ]
    for i in reversed(range(len(args))):
        yield f"{function}({', '.join(args[:i] + args[i + 1 :])})"
    for i, arg in enumerate(args):
        name = arg.partition("=")[0]
        keyword = f"{name}=" if i >= len(call.args) else ""
        for simple in ("0", "None", "xp.ones(3)"):
            if len(simple) < len(arg) - len(keyword):
                yield f"{function}({', '.join([*args[:i], keyword + simple, *args[i + 1 :]])})"


def reduce_call(name, kind, text, budget=25):
    """The shortest text found that still does the same; None when it does not do it alone."""
    if not any(k == kind for k, _ in kinds(name, [text])):
        return None
    again = True
    while again and budget > 0:
        again = False
        try:
            candidates = list(simpler(text))
        except SyntaxError:
            return text
        for candidate in candidates:
            budget -= 1
            if budget <= 0:
                break
            if any(k == kind for k, _ in kinds(name, [candidate])):
                text, again = candidate, True
                break
    return text


# ---- the whole


def job(number, seed, end, only, until):
    """Findings and totals of workers, one after the other, until no block is left."""
    findings, totals = [], collections.Counter()
    name, counter = f"job-{number}", RESULTS / "next"
    place = blocks.take(counter), 0
    while blocks.length(place[0], end) and time.time() < until:
        arguments = seed, *place, end, counter, until, *([only] if only else [])
        found, done, phase = work(name, *arguments, kept=RESULTS / "all.jsonl", until=until)
        findings += found
        if done is not None:
            totals.update(done)
            place = blocks.take(counter), 0
            continue
        state = read_state(RESULTS / f"{name}.state")
        totals.update({"called": state.made + 1, f"workers stopped in {phase}": 1})
        place = state.place[0], state.place[1] + 1
    for suffix in ("state", "err"):
        (RESULTS / f"{name}.{suffix}").unlink(missing_ok=True)
    return findings, totals


def say_progress(began, first, end):
    """Prints the calls handed out, and the findings by kind, agreed ones among them."""
    calls = min(int((RESULTS / "next").read_text() or first) * blocks.CALLS, end) - first
    kept = RESULTS / "all.jsonl"
    lines = kept.read_text().splitlines() if kept.exists() else []
    counts = dict(collections.Counter(line.split('"', 4)[3] for line in lines))
    print(f"{calls} calls, {time.time() - began:.0f} s: {counts}", flush=True)


def campaign(runs, seed, jobs, only=None, seconds=math.inf, first=0):
    """(findings, totals) of `runs` calls from block `first` on.

    After so many seconds workers stop, each when its call ends.
    """
    findings, totals = [], collections.Counter()
    began, until = time.time(), time.time() + seconds
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "all.jsonl").unlink(missing_ok=True)
    (RESULTS / "next").write_text(str(first))
    end = first * blocks.CALLS + runs
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = [pool.submit(job, i, seed, end, only, until) for i in range(jobs)]
        while concurrent.futures.wait(running, PROGRESS).not_done:
            say_progress(began, first * blocks.CALLS, end)
        for ended in running:
            found, counted = ended.result()
            findings += found
            totals.update(counted)
    return findings, totals


def serious_of(findings):
    """(what must not be, other classes than NumPy's) without what is agreed upon."""
    left = [f for f in findings if not agreed.is_agreed(f)]
    return [f for f in left if f["kind"] != "class"], [f for f in left if f["kind"] == "class"]


def without_order_of_checks(classes, jobs=1):
    """The differences of class that are not proved to be one of the order of checks alone."""

    def is_order(numbered):
        i, finding = numbered
        found, _, _ = work(f"order-{i}", "--order", finding["call"], finding.get("base", ""))
        return any(f["kind"] == "order" for f in found)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        proved = list(pool.map(is_order, enumerate(classes)))
    return [f for f, is_proved in zip(classes, proved, strict=True) if not is_proved]


def reproducers(serious, reduces):
    """Prints a call for each kind of finding and target, reduced if it is asked for."""
    seen = set()
    for finding in serious:
        key = finding["kind"], agreed.target_of(finding["call"])
        if key in seen:
            continue
        seen.add(key)
        line = finding["call"]
        if reduces:
            line = reduce_call("reduce", finding["kind"], finding["call"]) or f"{line}  # not alone"
        with open(RESULTS / "reproducers.txt", "a") as file:
            file.write(f"{finding['kind']}\t{line}\n")
        print(finding["kind"], line, finding["detail"][:200], sep="\t", flush=True)


def write_findings(findings):
    with open(RESULTS / "findings.jsonl", "w") as file:
        for finding in findings:
            file.write(json.dumps(finding) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runs", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="block of 250 calls to begin with")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", help="targets whose text contains this")
    parser.add_argument("--seconds", type=float, default=math.inf, help="no call begins later")
    parser.add_argument("--no-reduce", action="store_true", help="no proofs of order, no reduction")
    parser.add_argument("--again", help="file of findings to prove and reduce, instead of calls")
    options = parser.parse_args()
    if options.again:
        lines = Path(options.again).read_text().splitlines()
        findings, totals = [json.loads(line) for line in lines], {}
    else:
        print(f"{options.runs} calls of seed {options.seed}", flush=True)
        findings, totals = campaign(
            options.runs, options.seed, options.jobs, options.only, options.seconds, options.first
        )
    serious, classes = serious_of(findings)
    write_findings(serious + classes)
    differences = len(classes)
    print(
        f"{dict(totals)}: {len(serious)} findings, {differences} differences of class", flush=True
    )
    if not options.no_reduce:
        classes = without_order_of_checks(classes, options.jobs)
        write_findings(serious + classes)
        print(f"{differences - len(classes)} of them are proved to be of the order of checks")
    reproducers(serious, not options.no_reduce)
    return 1 if serious or classes else 0


if __name__ == "__main__":
    raise SystemExit(main())
