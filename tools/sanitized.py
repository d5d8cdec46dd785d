"""The suite in many processes, under a sanitizer or on a GPU: `make asan JOBS=48`; `make gpu`.

    python tools/sanitized.py [--jobs N] [--seconds S] [--limit L] [--resume] [--kernels LIST]
                              [--pytest OPTIONS] [TESTS ...]

GPUNP_SANITIZE names the sanitizer, and tools/run.py sets its variables; without it the usual build
is run (`make gpu JOBS=8`). A file of tests is a process; a file that takes long is shared among
several, each with a part of its tests. The longest begin first. When a process dies at a test,
another begins with the next test; one that exceeds `--limit` seconds prints where its threads are
and ends. After `--seconds` what still runs is stopped. `--resume` runs what the run before did not
finish or begin, by the plan of that run.

In `build/sanitized/KIND/` there are then `summary.txt`, `results.jsonl` with a line for each part,
`output/` of the parts that did not pass, `reports/` with what the sanitizer reported, and
`seconds.txt`, by which the next run is planned.
"""

import argparse
import collections
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
KIND = os.environ.get("GPUNP_SANITIZE", "").replace(",", "-") or "none"
FOLDER = ROOT / "build" / "sanitized" / KIND
PART = 40.0  # seconds that a part of a file may take
UNKNOWN = 0.3  # seconds of a function of tests that nothing is known of
DEATHS = 20  # of one part's processes, after which it is given up
LATE = 10.0  # seconds in which a process that was told to end has to
DEVICE_LOST = 70  # exit status by tests/conftest.py after a test that left no usable device
PROGRESS = 20.0  # seconds between two lines
# One test's line of `pytest -v`; the result is missing where the process died or was stopped.
LINE = re.compile(
    r"^(\S+?\.py::.+?)(?: <- \S+)? (?:(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b.*)?$"
)


class Part(NamedTuple):
    """A share of a file's tests: block `number` of `count`, from 1 on."""

    path: str
    number: int
    count: int
    seconds: float  # expected

    @property
    def name(self):
        """What its files are called."""
        plain = self.path.removeprefix("tests/").removesuffix(".py").strip("/").replace("/", "-")
        return f"{plain}-{self.number}of{self.count}"


# ---- the plan


def files_of(tests):
    """Paths of the files of tests below these paths, relative to the project."""
    found = []
    for place in (Path(name).resolve() for name in tests):
        found += [place] if place.is_file() else sorted(place.rglob("test_*.py"))
    return list(dict.fromkeys(str(file.relative_to(ROOT)) for file in found))


def known_seconds():
    """{file: seconds} of runs before."""
    known = {}
    if (FOLDER / "seconds.txt").exists():
        for line in (FOLDER / "seconds.txt").read_text().splitlines():
            seconds, path = line.split(maxsplit=1)
            known[path] = float(seconds)
    return known


def expected(path, known):
    """Seconds that a file takes, by a run before or by its length."""
    if path in known:
        return known[path]
    text = (ROOT / path).read_text()
    rows = text.count("def test_") * (1 + 4 * ("parametrize" in text))
    return 8.0 + UNKNOWN * rows


def plan(tests):
    """The parts of all files, those first that take longest."""
    known = known_seconds()
    parts = []
    for path in files_of(tests):
        seconds = expected(path, known)
        count = max(1, math.ceil(seconds / PART))
        parts += [Part(path, i + 1, count, seconds / count) for i in range(count)]
    return sorted(parts, key=lambda part: -part.seconds)


# ---- one part


def environment(part):
    """The variables of a process: its reports are files, and others have processors as well."""
    alone = {
        "GPUNP_EMU_WORKERS": "8" if KIND == "thread" else "2",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONUNBUFFERED": "1",
    }
    made = {**alone, **os.environ}
    log = f":log_path={FOLDER / 'reports' / part.name}"
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
        made[name] = made.get(name, "") + log
    made["ASAN_OPTIONS"] += ":malloc_context_size=8"
    made["TSAN_OPTIONS"] += ":halt_on_error=0:exitcode=0"  # all of them, and the tests go on
    return made


class Running:
    """The process that runs a part, from the test after `after` on."""

    def __init__(self, part, options):
        self.part, self.options = part, options
        self.began = time.time()
        self.counts = collections.Counter()
        self.bad, self.after, self.deaths = [], None, 0
        self.told = None  # when it was told to end, and why
        self.start()

    def start(self):
        """Begin a process."""
        self.place = FOLDER / "output" / f"{self.part.name}-{self.deaths}"
        command = [sys.executable, "-m", "pytest", "-v", "--color=no", "--tb=short"]
        command += ["-p", "no:cacheprovider", f"--part={self.part.number}/{self.part.count}"]
        command += [f"--after={self.after.partition('::')[2]}"] if self.after else []
        with open(f"{self.place}.out", "w") as out, open(f"{self.place}.err", "w") as err:
            self.process = subprocess.Popen(
                [*command, *self.options.pytest, self.part.path],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                cwd=ROOT,
                env=environment(self.part),
                start_new_session=True,
            )

    def read(self):
        """Count the finished tests of this process; the one it was at when it ended, or None."""
        at = None
        for line in Path(f"{self.place}.out").read_text(errors="replace").split("\n"):
            match = LINE.match(line)
            if match is None:
                continue
            at = None if match[2] else match[1]
            if match[2]:
                self.counts[match[2].lower()] += 1
                self.after = match[1]
            if match[2] in ("FAILED", "ERROR"):
                self.bad.append((match[2].lower(), match[1]))
        return at

    def signal(self, number):
        """Send a signal to the process and to those it started."""
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass

    def tell(self, why):
        """Let the process print where its threads are and end; kill it where it does not."""
        if self.told is None:
            self.told = time.time(), why
            if why == "late":
                self.signal(signal.SIGKILL)
            else:
                self.process.send_signal(signal.SIGABRT)
        elif time.time() - self.told[0] > LATE:
            self.signal(signal.SIGKILL)

    def step(self, end):
        """Look after the process; its result when nothing is left of the part, else None."""
        if self.process.poll() is None:
            if time.time() > end:
                self.tell("late")
            elif time.time() - self.began > self.options.limit:
                self.tell("timeout")
            return None
        self.signal(signal.SIGKILL)  # what the tests started and left
        at, status = self.read(), self.process.returncode
        at = self.after if status == DEVICE_LOST else at
        if self.told is None and status in (0, 1, 5):
            return self.result("failed" if self.bad else "passed")
        if self.told is not None:
            self.bad += [("timeout", at or self.part.path)] * (self.told[1] == "timeout")
            return self.result(self.told[1])
        self.bad.append((f"died with {status}", at or self.part.path))
        self.after, self.deaths = at, self.deaths + 1
        if at is None or self.deaths == DEATHS:
            return self.result("died")
        self.start()
        return None

    def result(self, outcome):
        """A line of results.jsonl."""
        if outcome == "passed":
            for file in FOLDER.glob(f"output/{self.part.name}-*"):
                file.unlink()
        return {
            **self.part._asdict(),
            "outcome": outcome,
            "took": round(time.time() - self.began, 1),
            "counts": dict(self.counts),
            "bad": self.bad,
        }


# ---- the whole


def run(parts, options, end):
    """Results of the parts that were begun before the end, written as they come."""
    waiting, running, results = collections.deque(parts), [], []
    said = time.time()
    while running or (waiting and time.time() < end):
        while waiting and len(running) < options.jobs and time.time() < end:
            running.append(Running(waiting.popleft(), options))
        time.sleep(0.1)
        for one in list(running):
            result = one.step(end)
            if result is not None:
                running.remove(one)
                results.append(result)
                with open(FOLDER / "results.jsonl", "a") as file:
                    file.write(json.dumps(result) + "\n")
        if time.time() - said > PROGRESS:
            said = time.time()
            bad = sum(len(result["bad"]) for result in results)
            print(f"{len(results)} of {len(parts)} parts, {bad} bad tests", flush=True)
    return results


def write_seconds(results):
    """Keep how long each file took, where all of its parts ended."""
    took = collections.defaultdict(list)
    for result in results:
        if result["outcome"] in ("passed", "failed"):
            took[result["path"], result["count"]].append(result["took"])
    known = known_seconds()
    known |= {path: sum(all_) for (path, count), all_ in took.items() if len(all_) == count}
    lines = [f"{known[path]:.1f} {path}" for path in sorted(known, key=lambda p: -known[p])]
    (FOLDER / "seconds.txt").write_text("\n".join(lines) + "\n")


def first_lines(report):
    """What a report says and where: its headline and the first functions that are named."""
    lines = [line.strip() for line in report.read_text(errors="replace").splitlines()]
    head = [line for line in lines if re.search(r"runtime error|WARNING: |ERROR: |CHECK", line)]
    calls = [re.sub(r"0x\w+ (?:in )?", "", line) for line in lines if re.match(r"#[0-3] ", line)]
    return f"{report.name}: {len(head)} reports; {(head or lines or [''])[0]} | " + " | ".join(
        calls[:4]
    )


def summary(parts, results):
    """The text of summary.txt."""
    counts, outcomes = collections.Counter(), collections.Counter()
    for result in results:
        counts.update(result["counts"])
        outcomes[result["outcome"]] += 1
    done = {(result["path"], result["number"]) for result in results}
    missing = [part for part in parts if (part.path, part.number) not in done]
    lines = [f"{KIND}: {len(results)} of {len(parts)} parts: {dict(outcomes)}; {dict(counts)}"]
    lines += [f"{what}: {test}" for result in results for what, test in result["bad"]]
    lines += [f"stopped: {r['path']} {r['number']}/{r['count']}" for r in results if is_late(r)]
    lines += [f"not begun: {part.path} {part.number}/{part.count}" for part in missing]
    lines += [first_lines(report) for report in sorted((FOLDER / "reports").iterdir())]
    return "\n".join(lines) + "\n"


def is_late(result):
    """Whether a part was stopped by the end of the run, so that `--resume` begins it again."""
    return result["outcome"] == "late"


def planned(options):
    """(all parts, results of runs before): a new plan, or that of the run that is resumed."""
    file = FOLDER / "plan.json"
    if options.resume and file.exists():
        lines = (FOLDER / "results.jsonl").read_text().splitlines()
        results = [json.loads(line) for line in lines]
        return [Part(*row) for row in json.loads(file.read_text())], results
    for name in ("reports", "output"):
        shutil.rmtree(FOLDER / name, ignore_errors=True)
        (FOLDER / name).mkdir(parents=True)
    (FOLDER / "results.jsonl").write_text("")
    parts = plan(options.tests)
    file.write_text(json.dumps(parts))
    return parts, []


def arguments():
    """The options of the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("tests", nargs="*", default=["tests"])
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seconds", type=float, default=math.inf, help="of the whole")
    parser.add_argument("--limit", type=float, default=240.0, help="seconds of a process")
    parser.add_argument("--resume", action="store_true", help="what a run before left")
    parser.add_argument("--kernels", help="list of kernels that are compiled before")
    parser.add_argument("--pytest", type=str.split, default=[], help="options of pytest")
    return parser.parse_args()


def main():
    """See the module's text."""
    options = arguments()
    end = time.time() + options.seconds
    FOLDER.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("GPUNP_CACHE_DIR", str(ROOT / "build" / "test-cache"))
    # At its limit one process would empty the cache while the others fill it.
    os.environ.setdefault("GPUNP_CACHE_LIMIT", str(1 << 34))
    if options.kernels:
        program = str(ROOT / "tests" / "hostile" / "kernel_list.py")
        subprocess.run([sys.executable, program, "compile", options.kernels], check=True)
    parts, before = planned(options)
    ended = [result for result in before if not is_late(result)]
    done = {(result["path"], result["number"]) for result in ended}
    left = [part for part in parts if (part.path, part.number) not in done]
    print(f"{len(left)} of {len(parts)} parts of files, {options.jobs} processes", flush=True)
    results = ended + run(left, options, end)
    write_seconds(results)
    text = summary(parts, results)
    (FOLDER / "summary.txt").write_text(text)
    print(text, end="")
    return 1 if any(r["bad"] for r in results) or any((FOLDER / "reports").iterdir()) else 0


if __name__ == "__main__":
    raise SystemExit(main())
