"""Errors of special functions, measured: `python tools/special_errors.py [NAME...]`.

Writes docs/special.md: for each function of csrc/tables/special.def and each region of its test
points (tests/special/points_*.py) how many results lie within half a unit, one, two and four units
in the last place of mpmath's value, and the largest error beside SciPy's own at the same points.
With names it prints their lines instead.
"""

import math
import sys
from pathlib import Path

import mpmath
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "special"), str(ROOT)]
import rows  # noqa: E402

import gpunp as cp  # noqa: E402

PAGE = ROOT / "docs" / "special.md"
MOST = 200  # points of a region
BOUNDS = (0.5, 1, 2, 4)
HEAD = """# Errors of special functions

Measured by `python tools/special_errors.py` on {device} against mpmath, {versions}. A line is
one region of a function's test points: how many points were finite, the share of results within
½, 1, 2 and 4 units in the last place (ulp) of the exact value, the largest error, and SciPy's
at the same points. `stated` is what the row of `csrc/tables/special.def` promises and the tests
hold. Errors of oscillating functions are relative to their envelope. Functions without a line are
compared with SciPy alone, as mpmath has no function for them or none that is quick.

| function | arguments | points | ≤ ½ | ≤ 1 | ≤ 2 | ≤ 4 | largest | SciPy's | stated |
|---|---|---:|---:|---:|---:|---:|---:|---:|---:|
"""


def span(values):
    """The range of an argument, in words."""
    finite = [v for v in np.ravel(values).tolist() if math.isfinite(v)]
    low, high = min(finite), max(finite)
    return f"{low:.4g}" if low == high else f"{low:.4g} … {high:.4g}"


def errors_of(name, columns, functions):
    """For each function the errors in ulp of its outputs, where the exact value is a number."""
    limits = rows.LIMITS.get(name, {})
    found = [[] for _ in functions]
    with np.errstate(all="ignore"):
        outputs = [f(*columns) for f in functions]
    outputs = [[*map(np.asarray, o if isinstance(o, tuple) else (o,))] for o in outputs]
    for i in range(columns[0].size):
        point = [float(c[i]) for c in columns]
        scale = float(abs(limits["scale"](*point))) if "scale" in limits else 0.0
        for k, value in enumerate(rows.exact_outputs(name, point) or ()):
            if 1e-300 < abs(value) < 1e300:
                for errors, results in zip(found, outputs, strict=True):
                    errors.append(rows.error_in_ulps(float(results[k][i]), value, scale))
    return [np.array(errors) for errors in found]


def on_device(name):
    """The function on the device, for NumPy arrays."""

    def call(*columns):
        result = rows.ours(name)(*[cp.asarray(c) for c in columns])
        return tuple(map(cp.asnumpy, result)) if isinstance(result, tuple) else cp.asnumpy(result)

    return call


def number(x):
    """An error as text."""
    return "∞" if math.isinf(x) else f"{x:.1f}" if x < 100 else f"{x:.2g}"


def lines_of(name):
    """The lines of a function, one for each region."""
    for lists in rows.POINTS.get(name, []):
        if any(np.iscomplexobj(values) for values in lists):
            continue
        grids = np.meshgrid(*[np.ravel(v).astype(float) for v in lists], indexing="ij")
        columns = [g.ravel() for g in grids]
        keep = np.all([np.isfinite(c) for c in columns], axis=0)
        columns = [c[keep][:: keep.sum() // MOST + 1] for c in columns]
        if not columns[0].size:
            continue
        with mpmath.workdps(40):
            ours, theirs = errors_of(name, columns, [on_device(name), rows.theirs(name)])
        if ours.size:
            shares = " | ".join(f"{100 * np.mean(ours <= bound):.0f} %" for bound in BOUNDS)
            regions = "; ".join(
                f"{p} = {span(v)}"
                for p, v in zip(rows.ROWS[name]["parameters"].split(", "), lists, strict=True)
            )
            stated = rows.LIMITS.get(name, {}).get("f64", rows.ROWS[name]["ulp"])
            yield (
                f"| `{name}` | {regions} | {ours.size} | {shares} | {number(ours.max())} | "
                f"{number(theirs.max())} | {stated} |"
            )


def main(names):
    """Print the lines of functions, or write the page."""
    chosen = names or [n for n in sorted(rows.REFERENCE) if n in rows.ROWS]
    lines = []
    for name in chosen:
        for line in lines_of(name):
            lines.append(line)
            print(line, flush=True)
    if not names:
        import scipy

        device = "the emulated device" if cp.cuda.is_emulated() else "a GPU"
        versions = f"beside SciPy {scipy.__version__}"
        PAGE.write_text(HEAD.format(device=device, versions=versions) + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
