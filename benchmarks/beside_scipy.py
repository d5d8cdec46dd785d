"""Times of SciPy on the host beside gpunp's: which sizes are worth a device.

    python benchmarks/beside_scipy.py [--only PATTERN] [--seconds 170] [--limit 0.5] [--out FILE]

Rows are those of the benchmark's table for functions of SciPy, named subject/row; by default those
of `stats`, `spatial`, `interpolate`, `cluster`, `integrate` and `optimize`. SciPy gets a row with
more and more elements, up to the table's size or until a call with more would take --limit seconds.
gpunp gets the last of these sizes and the table's. No row begins after --seconds.
"""

import argparse
import math
import os
import re
import statistics
import sys
import time
import warnings
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).resolve().parent
# gpunp as it was built in place comes last: an installed one goes before it.
sys.path[:] = [str(HERE), *sys.path, str(HERE.parent)]

import report  # noqa: E402
from libraries import open_library, version  # noqa: E402
from run import ELEMENTS  # noqa: E402

SUBJECTS = ["special", "images", "signals", "spectra", "distributions", "stats", "spatial"]
SUBJECTS += ["interpolate", "integrate"]
THIRD_PART = "^(distributions|stats|spatial|interpolate|integrate)/"
FEWEST, STEPS = 4096, (16, 4)
FEW = 16  # where SciPy solves one system after another, or integrates for each number
IN_A_LOOP = "systems|fits of|minima of|levy_stable|studentized_range|poisson_binom"


def timed(lib, body):
    """Milliseconds of wall clock of one call."""
    lib.synchronize()
    begin = time.perf_counter()
    body()
    lib.synchronize()
    return (time.perf_counter() - begin) * 1e3


def next_size(sizes, most, limit_ms):
    """The next size to try, by how the time grew so far; None where it would take too long."""
    (n, ms), (fewer, before) = sizes[-1], sizes[-2] if len(sizes) > 1 else (1, 0)
    power = math.log(ms / before) / math.log(n / fewer) if before > 1 else 1
    for step in STEPS:
        larger = min(n * step, most)
        if ms * (larger / n) ** max(power, 1) <= limit_ms:
            return larger if larger > n else None
    return None


def grown(lib, case, most, limit_ms):
    """The last of growing sizes up to `most` with its time, and the last error."""
    sizes, error = [], None
    n = FEW if re.search(IN_A_LOOP, case.name) else FEWEST
    while n:
        try:
            body = case.setup(lib, n)
            timed(lib, body)  # what is made at the first call
            sizes.append((n, timed(lib, body)))
            n = next_size(sizes, most, limit_ms)
        except Exception as raised:  # too few elements for a row, or more than SciPy's loop takes
            error = f"{type(raised).__name__}: {raised}"[:200]
            n = None if sizes or n == most else min(n * STEPS[0], most)
    return sizes[-1] if sizes else None, error


def median_ms(lib, case, n, budget=0.15):
    """The median of a few calls, after two that compile and warm up."""
    body = case.setup(lib, n)
    times = [timed(lib, body), timed(lib, body)]
    begin = time.perf_counter()
    times = [timed(lib, body)]
    while time.perf_counter() - begin < budget and len(times) < 9:
        times.append(timed(lib, body))
    lib.free()
    return statistics.median(times)


def row(ours, theirs, case, options):
    """One row, as a dict; an error is a row too."""
    most = max(4096, int(ELEMENTS * options.scale * case.scale))
    found, error = grown(theirs, case, most, options.limit * 1e3)
    if not found:
        return {"error": error}
    n, scipy_ms = found
    cell = {"n": n, "scipy_ms": round(scipy_ms, 3)}
    try:
        cell["gpunp_ms"] = round(median_ms(ours, case, n), 4)
        cell["most"] = most
        cell["gpunp_most_ms"] = round(median_ms(ours, case, most), 4) if most > n else None
    except Exception as raised:
        cell["error"] = f"{type(raised).__name__}: {raised}"[:200]
    return cell


def parse_arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", default=THIRD_PART, help="a pattern over subject/row")
    parser.add_argument("--seconds", type=float, default=170, help="no row begins later")
    parser.add_argument("--limit", type=float, default=0.5, help="seconds of a call of SciPy's")
    parser.add_argument("--scale", type=float, default=1, help="fraction of the table's sizes")
    parser.add_argument("--out", help="write the results as JSON")
    return parser.parse_args()


def main():
    """See the module's text."""
    options = parse_arguments()
    begin = time.perf_counter()
    warnings.simplefilter("ignore")
    ours, theirs = open_library("gpunp"), open_library("numpy")
    result = {
        "machine": {
            "device": ours.device_name(),
            "cores": os.cpu_count(),
            "date": time.strftime("%Y-%m-%d"),
            "versions": f"SciPy {import_module('scipy').__version__}, gpunp {version(ours)}",
        },
        "beside": {},
        "left_out": [],
    }
    for subject in SUBJECTS:
        for case in import_module(f"cases_{subject}").DEVICE:
            name = f"{subject}/{case.name}"
            if not re.search(options.only, name):
                continue
            if time.perf_counter() - begin > options.seconds:
                result["left_out"].append(name)
                continue
            result["beside"][name] = cell = row(ours, theirs, case, options)
            print(name, cell, file=sys.stderr, flush=True)
    if options.out:
        report.save(options.out, result)
    print(report.beside([result]))


if __name__ == "__main__":
    main()
