"""Fresh processes with empty caches: what the first calls of a program cost.

    python benchmarks/cold_start.py [--only PATTERN] [--repeat 3] [--pack FILE] [--out FILE.json]

Each cell is the median of some processes: seconds of importing the library, NumPy being imported
already, and of running the program, whose results come to the host. The columns:

    pack     gpunp with a kernel pack and an empty cache, as from a wheel
    empty    gpunp without a pack, with an empty cache: everything is compiled
    cached   the same program again
    cupy, cupy cached, torch
             the others likewise, where they are installed; torch has no cache

The pack is FILE, or the package's own; where there is none, it is made first (tools/pack.py, for
this device alone; some minutes on few cores). gpunp's bytecode is made before, as an installation
does it. The row `context` is a bare CUDA context by the driver, which is part of every other row on
a GPU. A row is printed when it is known, and the JSON is written anew: a run that is stopped keeps
what it has. It has the seconds of import and program.
"""

import argparse
import compileall
import importlib.util
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:] = [str(Path(__file__).resolve().parent), *sys.path, str(ROOT)]

import cases  # noqa: E402

CONTEXT = """
import ctypes
driver, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
assert driver.cuInit(0) == 0 and driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
"""


class Program(NamedTuple):
    """Statements for gpunp and CuPy, which are `cp` there, and for PyTorch; "": it has no such."""

    name: str
    code: str
    torch: str = ""


TORCH = "d = 'cuda' if torch.cuda.is_available() else 'cpu'; "
SQUARE = "a = cp.eye(64) * 3 + 1; "
TORCH_SQUARE = f"{TORCH}a = torch.eye(64, device=d, dtype=torch.float64) * 3 + 1; "
LINE = "x = cp.linspace(0, 1, 100_000); "
TORCH_LINE = f"{TORCH}x = torch.linspace(0, 1, 100_000, device=d, dtype=torch.float64); "
PROGRAMS = [
    Program("import", "", "pass"),
    Program("ten functions", cases.TEN, cases.TEN_TORCH),
    Program(
        "sums",
        LINE
        + "cp.asnumpy(x.sum()), cp.asnumpy(x.mean()), cp.asnumpy(x.std()), cp.asnumpy(x.max())",
        TORCH_LINE + "x.sum().cpu(), x.mean().cpu(), x.std().cpu(), x.max().cpu()",
    ),
    Program("sort", LINE + "cp.asnumpy(cp.sort(-x))", TORCH_LINE + "torch.sort(-x)[0].cpu()"),
    Program(
        "masks",
        LINE + "cp.asnumpy(x[x > 0.5]), cp.asnumpy(cp.unique(cp.floor(9 * x)))",
        TORCH_LINE + "x[x > 0.5].cpu(), torch.unique(torch.floor(9 * x)).cpu()",
    ),
    Program("product", SQUARE + "cp.asnumpy(a @ a)", TORCH_SQUARE + "(a @ a).cpu()"),
    Program(
        "solve",
        SQUARE + "cp.asnumpy(cp.linalg.solve(a, a[0]))",
        TORCH_SQUARE + "torch.linalg.solve(a, a[0]).cpu()",
    ),
    Program(
        "svd",
        SQUARE + "cp.asnumpy(cp.linalg.svd(a)[1])",
        TORCH_SQUARE + "torch.linalg.svd(a)[1].cpu()",
    ),
    Program(
        "eigh",
        SQUARE + "cp.asnumpy(cp.linalg.eigh(a)[0])",
        TORCH_SQUARE + "torch.linalg.eigh(a)[0].cpu()",
    ),
    Program(
        "solve of 1000",
        "a = cp.eye(1000) * 3 + 1; cp.asnumpy(cp.linalg.solve(a, a[0]))",
        f"{TORCH}a = torch.eye(1000, device=d, dtype=torch.float64) * 3 + 1; "
        "torch.linalg.solve(a, a[0]).cpu()",
    ),
    Program("fft", LINE + "cp.asnumpy(cp.fft.fft(x))", TORCH_LINE + "torch.fft.fft(x).cpu()"),
    Program(
        "random numbers",
        "cp.asnumpy(cp.random.default_rng(1).standard_normal(1000))",
        f"{TORCH}torch.randn(1000, device=d).cpu()",
    ),
    Program(
        "special functions",
        LINE + "import {scipy}.special; f = {scipy}.special; "
        "[cp.asnumpy(g(x + 1)) for g in (f.gamma, f.erf, f.digamma, f.j0, f.ndtri)]",
        TORCH_LINE + "f = torch.special; [g(x + 1).cpu() for g in "
        "(f.gammaln, f.erf, f.digamma, f.bessel_j0, f.ndtri)]",
    ),
    Program(
        "filter of an image",
        LINE + "import {scipy}.ndimage; "
        "cp.asnumpy({scipy}.ndimage.gaussian_filter(x.reshape(250, 400), 2))",
    ),
    Program("own kernel", cases.RAW),
]
SCIPY = {"gpunp": "gpunp.scipy", "cupy": "cupyx.scipy"}


def statements(program, library):
    """The program's code for a library; "" where there is none."""
    if library == "torch":
        return program.torch
    return program.code.replace("{scipy}", SCIPY[library]) or "pass"


def timed(library, code):
    """A process's program: it prints the seconds of the import and of the code."""
    alias = "torch" if library == "torch" else "cp"
    return (
        f"import time, numpy; begin = time.perf_counter(); import {library} as {alias}; "
        f"ready = time.perf_counter(); {code}; end = time.perf_counter(); "
        "print('@', ready - begin, end - ready)"
    )


def run_once(source, environment):
    """The numbers that a process printed; RuntimeError with its last words."""
    done = subprocess.run(
        [sys.executable, "-c", source], env=environment, text=True, capture_output=True
    )
    match = re.search(r"^@ (.*)", done.stdout, re.MULTILINE)
    if match is None:
        raise RuntimeError((done.stderr.strip().splitlines() or ["no output"])[-1][:200])
    return [float(word) for word in match[1].split()]


def environment_in(folder, pack):
    """Variables of a process whose caches lie in a folder."""
    variables = {"HOME": folder, "XDG_CACHE_HOME": folder, "CUPY_CACHE_DIR": f"{folder}/cupy"}
    variables |= {"GPUNP_CACHE_DIR": f"{folder}/gpunp", "CUDA_CACHE_PATH": f"{folder}/cuda"}
    path = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(ROOT)]))
    return os.environ | variables | {"GPUNP_PACK": pack, "PYTHONPATH": path}


def cells(library, source, pack, repeat):
    """{column: seconds of import and program} of a library: empty caches, then filled ones."""
    found = {}
    for _ in range(repeat):
        with tempfile.TemporaryDirectory() as folder:
            for column in columns_of(library):
                if column == "pack":
                    with tempfile.TemporaryDirectory() as other:
                        row = run_once(source, environment_in(other, pack))
                else:
                    row = run_once(source, environment_in(folder, "off"))
                found.setdefault(column, []).append(row)
    medians = {}
    for column, rows in found.items():
        seconds = [round(statistics.median(part), 4) for part in zip(*rows, strict=True)]
        medians[column] = dict(zip(("import", "program"), seconds, strict=True))
    return medians


def columns_of(library):
    """Names of a library's columns, in the order in which they are run."""
    if library == "gpunp":
        return ["pack", "empty", "cached"]
    return ["cupy", "cupy cached"] if library == "cupy" else ["torch"]


def context_seconds(repeat):
    """Seconds of a bare context; None without a GPU."""
    source = f"import time; a = time.perf_counter(){CONTEXT}\nprint('@', time.perf_counter() - a)"
    try:
        rows = [run_once(source, os.environ) for _ in range(repeat)]
    except RuntimeError:
        return None
    return round(statistics.median(row[0] for row in rows), 4)


def find_pack(folder):
    """The package's own pack, or one that is made for this device."""
    own = list((ROOT / "gpunp").glob("*.pack"))
    if own:
        return str(own[0])
    code = (
        "import gpunp as cp; d = cp.cuda.Device(); "
        "print('emulated' if cp.cuda.is_emulated() else f'sm_{d.compute_capability}')"
    )
    environment = environment_in(folder, "off")
    target = subprocess.run(
        [sys.executable, "-c", code], env=environment, text=True, stdout=subprocess.PIPE, check=True
    ).stdout.strip()
    print(f"making the kernel pack for {target}", file=sys.stderr)
    path = f"{folder}/kernels.pack"
    command = [sys.executable, str(ROOT / "tools" / "pack.py"), "build", path, target]
    subprocess.run(command, env=environment, cwd=folder, check=True, stdout=sys.stderr)
    return path


def header(columns):
    """The first line of the table, in seconds: import and program together."""
    return f"{'seconds':20}" + "".join(f"{name:>13}" for name in columns)


def line(name, row, columns):
    """A row as text."""
    texts = []
    for column in columns:
        cell = row.get(column, {})
        total = cell.get("import", 0) + cell.get("program", 0)
        texts.append("error" if "error" in cell else f"{total:.3f}" if cell else "-")
    return f"{name:20}" + "".join(f"{text:>13}" for text in texts)


def measured(program, libraries, pack, repeat):
    """The row of a program; what a library cannot run is reported and marked."""
    row = {}
    for library in libraries:
        code = statements(program, library)
        try:
            row |= cells(library, timed(library, code), pack, repeat) if code else {}
        except RuntimeError as error:
            row |= {column: {"error": str(error)} for column in columns_of(library)}
            print(f"{library}, {program.name}: {error}", file=sys.stderr)
    return row


def write(path, result):
    """The results so far as JSON, in one step: a reader never finds half of them."""
    part = Path(f"{path}.part")
    part.write_text(json.dumps(result, indent=1) + "\n")
    part.replace(path)


def main():
    """See the module's text."""
    parser = argparse.ArgumentParser(description="Seconds of the first calls of fresh processes.")
    parser.add_argument("--only", default="", help="regular expression of rows")
    parser.add_argument("--repeat", type=int, default=3, help="processes for each cell")
    parser.add_argument("--pack", help="kernel pack of the column `pack`")
    parser.add_argument("--out", help="write the results as JSON, after each row")
    args = parser.parse_args()
    libraries = [name for name in ("gpunp", "cupy", "torch") if name == "gpunp" or installed(name)]
    compileall.compile_dir(ROOT / "gpunp", quiet=2)
    columns = [name for library in libraries for name in columns_of(library)]
    result = {"context": context_seconds(args.repeat), "rows": {}}
    with tempfile.TemporaryDirectory() as folder:
        pack = args.pack or find_pack(folder)
        context = result["context"]
        print(f"bare context: {'no GPU' if context is None else f'{context:.3f}'}")
        print(header(columns), flush=True)
        for program in PROGRAMS:
            if re.search(args.only, program.name):
                row = measured(program, libraries, pack, args.repeat)
                result["rows"][program.name] = row
                if args.out:
                    write(args.out, result)
                print(line(program.name, row, columns), flush=True)


def installed(name):
    """Whether a library can be imported and has a GPU to run on."""
    return importlib.util.find_spec(name) is not None and "emulated" not in os.environ.get(
        "GPUNP_DEVICE", ""
    )


if __name__ == "__main__":
    main()
