"""Runs the planted mistakes on a GPU under compute-sanitizer and prints who finds what.

python sanitize.py [FOLDER [CASE ...]]: needs nvcc, gcc, libcuda and compute-sanitizer; FOLDER
receives what each tool said. All cases take about 90 s on 16 cores. A row per case: what the driver answers without a tool, then what each tool finds in
the wrong kernel; a last column names tools that complain about the right one.
"""

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
TOOLS = {
    "memcheck": ["--leak-check", "full", "--track-stream-ordered-races", "all"],
    "racecheck": ["--racecheck-report", "all"],
    "initcheck": [],
    "synccheck": [],
}
LAST = ("deadlock", "stack_overflow", "missing_fence")  # may hang: one after the other
SECONDS = 20


def toolkit():
    """The folder of the CUDA toolkit."""
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    return Path(nvcc).resolve().parents[1]


def build(folder):
    """Compile kernels and program; return their paths."""
    cuda = toolkit()
    image, program = folder / "planted.cubin", folder / "planted"
    nvcc = [cuda / "bin/nvcc", "-cubin", "-arch=native", "-lineinfo", "--fmad=false"]
    subprocess.run([*map(str, nvcc), str(HERE / "planted.cu"), "-o", str(image)], check=True)
    gcc = ["gcc", "-std=c11", "-D_GNU_SOURCE", "-DWITH_TOOLKIT", f"-I{cuda / 'include'}"]
    gcc += [str(HERE / "planted.c"), "-o", str(program), f"-L{cuda / 'lib64/stubs'}"]
    subprocess.run([*gcc, "-lcuda", "-ldl"], check=True)
    return program, image


def run(command):
    """(output, whether it hung)."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        return process.communicate(timeout=SECONDS)[0], False
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        return process.communicate()[0], True


def findings(text):
    """The number of errors of a summary line, 0 when there is none."""
    found = re.findall(r"(?:ERROR|RACECHECK) SUMMARY: (\d+)", text)
    return sum(map(int, found))


def first_error(text):
    """The first thing a tool says, without its prefix."""
    for line in text.splitlines():
        line = re.sub(r"^=+ ?", "", line)
        if re.search(
            r"Invalid|Misaligned|Race|hazard|Uninit|Barrier|Diverg|Leaked|Stack|free", line
        ):
            return line.strip()
    return ""


def cell(job):
    """One case, wrong or right, under one tool (None: alone)."""
    sanitizer, program, image, case, bug, tool, folder = job
    command = [str(program), str(image), case, str(bug)]
    if tool is not None:
        command = [sanitizer, "--tool", tool, *TOOLS[tool], *command]
    text, hung = run(command)
    (folder / f"{case}-{bug}-{tool or 'alone'}.txt").write_text(text)
    if tool is None:
        return "hangs" if hung else (text.split() or ["?"])[0]
    n = findings(text)
    return ("hangs " if hung and not n else "") + (f"{n}: {first_error(text)[:60]}" if n else "-")


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp())
    sanitizer = shutil.which("compute-sanitizer") or str(toolkit() / "bin" / "compute-sanitizer")
    program, image = build(folder)
    cases = subprocess.run([program, "list"], capture_output=True, text=True, check=True)
    cases = sys.argv[2:] or cases.stdout.split()
    jobs = {}
    for case in cases:
        for bug in (1, 0):
            for tool in (None, *TOOLS):
                jobs[case, bug, tool] = (sanitizer, program, image, case, bug, tool, folder)
    quick = {k: v for k, v in jobs.items() if k[0] not in LAST}
    slow = {k: v for k, v in jobs.items() if k[0] in LAST}
    results = {}
    for some, workers in ((quick, 12), (slow, 5)):
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            results.update(zip(some, pool.map(cell, some.values()), strict=True))
    for case in cases:
        print(f"{case:18} driver {results[case, 1, None]}")
        for tool in TOOLS:
            if results[case, 1, tool] != "-":
                print(f"    {tool:10} {results[case, 1, tool]}")
        wrong = [t or "driver" for t in (None, *TOOLS) if results[case, 0, t] not in ("-", "0")]
        if wrong:
            print(
                "    about the right one:",
                *(f"{t} {results[case, 0, t]}" for t in wrong if t in TOOLS),
            )


if __name__ == "__main__":
    main()
