"""Many hostile calls in worker processes, watched: `make hostile` (RUNS=1000000 SEED=1 JOBS=2).

A worker that dies, stands still for 20 seconds in one call or takes too much memory is a finding;
the rest of its share goes to a new one. What is found is written to build/hostile/all.jsonl at once. At the end each
crash, hang, SystemError and lost byte is run again alone, with fewer and simpler arguments as long as the same happens, and
written to reproducers.txt as one line; `--again all.jsonl` does that later, with another build. Exit status 1 when anything was found.
"""

import argparse
import ast
import collections
import concurrent.futures
import fnmatch
import json
import math
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RESULTS = ROOT / "build" / "hostile"
SHARE = 10_000  # calls of one process at most: to begin takes it as long as some thousand calls
HANG = 20.0  # seconds
SLOWER = 2.0 if os.environ.get("GPUNP_SANITIZE") else 1.0
LATE = 15.0  # seconds after the end of a run in which a worker finishes its call
MEMORY = 6 << 30  # bytes of a process
SANITIZERS = "runtime error: ", "ERROR: AddressSanitizer: "  # a report begins so


def environment():
    """The variables of a worker, which has one processor: others have workers as well. A cache of
    kernels at its limit would be emptied by one worker while the others fill it. The sanitizer
    keeps three callers of each allocation, not thirty: that is a sixth of the time to compile."""
    alone = {
        "GPUNP_EMU_WORKERS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "GPUNP_CACHE_LIMIT": str(1 << 34),
    }
    options = os.environ.get("ASAN_OPTIONS", "") + ":malloc_context_size=3"
    return {**alone, **os.environ, "PYTHONFAULTHANDLER": "1", "ASAN_OPTIONS": options}


def resident(pid):
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096
    except (OSError, IndexError):
        return 0


def busy(pid):
    """Seconds of the processors that a process took."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError):
        return 0.0


def read_state(path):
    """(phase, seconds, finished calls, call) of what a worker does now."""
    text = path.read_text(errors="replace") if path.exists() else ""
    phase, stamp, made, call = (text.strip().split("\t", 3) + [""] * 3)[:4]
    return phase or "start", time.time() - float(stamp or time.time()), int(made or 0), call


def patience(phase, call):
    """Seconds of a call: fewer where a hang would not count, the reference's and those in agreed.txt."""
    hang = {"kind": "hang", "call": call, "detail": ""}
    return HANG * SLOWER / (4 if phase == "numpy" or is_agreed(hang, agreed_rows()) else 1)


def watch(process, state, until):
    """Waits for a worker; (why it was stopped or None, phase, call)."""
    seen, since = "", 0.0
    while True:
        try:
            process.wait(0.5)
        except subprocess.TimeoutExpired:
            pass
        phase, seconds, _, call = read_state(state)
        limit = HANG * SLOWER / 4
        if seconds > limit:
            limit = patience(phase, call)
        if seen != call:
            seen, since = call, busy(process.pid)
        if process.returncode is not None:
            return None, phase, call
        if resident(process.pid) > MEMORY * SLOWER:
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
        made = read_state(state)[2]
        return findings, {"called": made}, None
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


def agreed_rows():
    """Rows of agreed.txt: kind, target, the beginning of the detail, reason."""
    for line in (HERE / "agreed.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            yield [part.strip() for part in line.split("|")]


def target_of(text):
    """What is called: `a.b([1]).c` of `a.b([1]).c(d)`."""
    try:
        call = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):  # a crash's text is cut off where it is long
        return text.partition("(")[0]
    return ast.unparse(call.func) if isinstance(call, ast.Call) else text


def is_agreed(finding, rows):
    target = target_of(finding["call"])
    return any(
        finding["kind"] == kind
        and fnmatch.fnmatchcase(target, pattern)
        and fnmatch.fnmatchcase(finding["detail"], detail)
        for kind, pattern, detail, _ in rows
    )


def share(seed, first, count, only, until):
    """All findings of calls first..first+count, with as many workers as it takes."""
    findings, totals = [], collections.Counter()
    end = first + count
    name = f"{seed}-{first}"
    while first < end and time.time() < until:
        arguments = seed, first, end - first, until, *([only] if only else [])
        found, done, phase = work(name, *arguments, kept=RESULTS / "all.jsonl", until=until)
        findings += found
        if done is not None:
            totals.update(done)
            break
        made = read_state(RESULTS / f"{name}.state")[2] + 1
        totals.update({"called": made, f"workers stopped in {phase}": 1})
        first += made
    for suffix in ("state", "err"):
        (RESULTS / f"{name}.{suffix}").unlink(missing_ok=True)
    return findings, totals


def campaign(runs, seed, jobs, only=None, seconds=math.inf):
    """(findings, totals) of `runs` calls; each job has two shares, or more of SHARE calls.

    After so many seconds workers stop, each when its call ends.
    """
    per = min(SHARE, -(-runs // (2 * jobs)))
    shares = [(seed + i, 0, min(per, runs - i * per), only) for i in range((runs + per - 1) // per)]
    findings, totals = [], collections.Counter()
    began = time.time()
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "all.jsonl").unlink(missing_ok=True)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = [pool.submit(share, *s, began + seconds) for s in shares]
        for k, ended in enumerate(concurrent.futures.as_completed(running)):
            found, counted = ended.result()
            findings += found
            totals.update(counted)
            if not counted:
                continue  # not begun in time
            took = time.time() - began
            counts = dict(collections.Counter(f["kind"] for f in findings))
            print(
                f"{k + 1}/{len(shares)} shares, {totals['called']} calls, {took:.0f} s: {counts}",
                flush=True,
            )
    return findings, totals


def serious_of(findings):
    """(what must not be, other classes than NumPy's) without what is agreed upon."""
    rows = list(agreed_rows())
    left = [f for f in findings if not is_agreed(f, rows)]
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
        key = finding["kind"], target_of(finding["call"])
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
        print(f"{options.runs} calls, seeds from {options.seed}", flush=True)
        findings, totals = campaign(
            options.runs, options.seed, options.jobs, options.only, options.seconds
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
    sys.path.insert(0, str(HERE))
    raise SystemExit(main())
