"""Writes docs/performance.md, its picture and the README's figures from a benchmark's results.

    python benchmarks/report.py [results.json]

Without an argument the newest file of benchmarks/results/ is taken, so that what is committed there
and in the documents agrees; tests/meta/test_performance.py compares them. Needs nothing installed.
"""

import json
import math
import re
import sys
from pathlib import Path

import chart

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
RESULTS = HERE / "results"
BEGIN, END = "<!-- written by benchmarks/report.py -->", "<!-- to here -->"

TITLES = {
    "host": "What a call costs the host: microseconds, 1000 elements",
    "device": "What the device needs: milliseconds, {elements:,} elements",
    "transfer": "Pageable host memory: GB/s",
    "peer": "Between two devices: GB/s",
    "cold": "Starting cold: seconds in a fresh process",
}
UNITS = {"host": "us", "device": "ms", "transfer": "GBps", "peer": "GBps", "cold": "s"}


def cell_text(cell):
    """One measurement as text."""
    return " ".join(f"{value} {unit}" if unit != "error" else value for unit, value in cell.items())


def value_of(cell, group):
    """The number a group compares, or None."""
    return (cell or {}).get(UNITS[group])


def number(value):
    """A value with three significant digits."""
    if value is None:
        return "–"
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def times(value):
    """A ratio with two digits behind the point."""
    return "–" if value is None else f"{value:.2f}×"


def against_floor(cell, group, floor):
    """The last column: gpunp against the bare launch or the copy rate of the same run."""
    value = value_of(cell, group)
    if value is None or not floor:
        return "–"
    if group == "host":
        return f"{value - floor['launch_us']:+.1f} µs"
    if group == "device" and moved(cell, floor):
        return f"{100 * cell['GBps'] / floor['copy_GBps']:.0f} %"
    return "–"


def moved(cell, floor):
    """GB/s of a device cell; None where no bytes are counted or the result is a view."""
    rate = cell.get("GBps")
    return rate if rate and (not floor or rate < 2 * floor["copy_GBps"]) else None


def speed(cells, group):
    """How many times faster gpunp is than the better of the other GPU libraries, or None."""
    ours = value_of(cells.get("gpunp"), group)
    others = [value_of(cell, group) for name, cell in cells.items() if name in ("cupy", "torch")]
    others = [value for value in others if value is not None]
    if not ours or not others:
        return None
    return ours / max(others) if group in ("transfer", "peer") else min(others) / ours


def row_of(result, key):
    """The cells of one row: {library: cell}."""
    return {name: library["cells"].get(key) for name, library in result["libraries"].items()}


def table(result, group):
    """The lines of one group's table."""
    libraries = result["libraries"]
    names = list(libraries)
    floor = result.get("floor")
    rows = list(
        dict.fromkeys(
            key
            for library in libraries.values()
            for key in library["cells"]
            if key.startswith(f"{group}/")
        )
    )
    if not rows:
        return []
    extra = {"host": ["above a bare launch"], "device": ["gpunp GB/s", "of the copy rate"]}
    heads = [*names, "× best other", *extra.get(group, [])]
    lines = [
        f"## {TITLES[group].format(**result['machine'])}",
        "",
        "| | " + " | ".join(heads) + " |",
        "|---" + "|---:" * len(heads) + "|",
    ]
    for key in rows:
        cells = row_of(result, key)
        line = [number(value_of(cells[name], group)) for name in names]
        line.append(times(speed(cells, group)))
        ours = cells.get("gpunp") or {}
        if group == "device":
            line.append(number(moved(ours, floor)))
        if group in extra:
            line.append(against_floor(ours, group, floor))
        label = f"`{key.split('/', 1)[1]}`".replace("|", "\\|")
        if (
            group == "device"
            and ours.get("n", result["machine"]["elements"]) * 2 <= (result["machine"]["elements"])
        ):
            label += f", 2^{math.log2(ours['n']):.3g}"
        lines.append(f"| {label} | " + " | ".join(line) + " |")
    return [*lines, ""]


def measured_on(result):
    """Device, date and versions in one sentence."""
    machine, libraries = result["machine"], result["libraries"]
    devices = {library.get("device") for library in libraries.values()} - {"CPU", None}
    beside = machine.get("parts", 1)
    spread = f" (rows shared out to {beside} of them)" if beside > 1 else ""
    return (
        f"Measured on {', '.join(sorted(devices)) or 'the host alone'}{spread}, {machine['date']}, "
        f"Python {machine['python']}, {machine['cores']} cores: "
        + ", ".join(f"{name} {library.get('version', '?')}" for name, library in libraries.items())
        + "."
    )


def page(result):
    """The tables of one run."""
    floor = result.get("floor")
    lines = [measured_on(result), ""]
    if "note" in result["machine"]:
        lines += [f"Note: {result['machine']['note']}.", ""]
    if floor:
        lines += [
            f"The same run: a bare launch {floor['launch_us']:.2f} µs, copying "
            f"{floor['copy_GBps']:.0f} GB/s (cuMemcpyDtoD {floor['memcpy_GBps']:.0f}), a "
            f"vectorised add of three arrays {floor['add_GBps']:.0f} GB/s.",
            "",
        ]
    for group in TITLES:
        lines += table(result, group)
    return "\n".join(lines)


# ---- rows in which another library is faster ---------------------------------------------------

BEHIND = 0.95  # a ratio below this counts as slower
REASONS = {
    r"^irfft2": "one pass more, as for input that is not Hermitian",
    r"^rfft2|^rfftn": "the result is in C order here",
    r"solve_triangular": "zeros on the diagonal are looked for",
    r"lstsq": "singular values, as in NumPy; PyTorch takes QR",
    r"^(logit|log_ndtr) f4": "formulas for two ranges, so that at most 3 ulp are lost",
    r"add f4 \+ i4": "the result is float64, as in NumPy, and takes twice the memory",
    r"\*\* ": "whole powers are correctly rounded in nearly all cases",
}


def reason(key):
    """Why a row is slower, where that is known."""
    name = key.split("/", 1)[1]
    return next((why for pattern, why in REASONS.items() if re.search(pattern, name)), "")


def ratios(result):
    """{row: ratio} of the run, rows named group/case as in the results."""
    found = {}
    for key in result["libraries"]["gpunp"]["cells"]:
        value = speed(row_of(result, key), key.split("/", 1)[0])
        if value is not None:
            found[key] = value
    return found


def sweep_ratios(result, sweeps):
    """{row: (text, date)} of the sweeps' slower rows that this run has not measured."""
    measured = result["libraries"]["gpunp"]["cells"]
    found = {}
    for sweep in sweeps:
        date = sweep["machine"]["date"]
        for name, row in sweep["times"].items():
            others = [row[library] for library in row if library != "gpunp"]
            if others and min(others) / row["gpunp"] < BEHIND:
                found[f"device/{name}"] = times(min(others) / row["gpunp"]), date
        found |= {f"device/{name}": (f"{text}×", date) for name, text in sweep["ratios"].items()}
    return {key: value for key, value in found.items() if key not in measured}


def behind(result, sweeps):
    """The section of rows in which another library is faster."""
    rows = [
        (key, times(value), result["machine"]["date"])
        for key, value in ratios(result).items()
        if value < BEHIND
    ]
    rows += [(key, text, date) for key, (text, date) in sweep_ratios(result, sweeps).items()]
    lines = [
        "## Where another library is faster",
        "",
        f'Rows below {BEHIND} of the better library\'s speed. `make bench B="^device/diff"` '
        "measures such a row again. The first rows are of the run above, the others of sweeps over "
        "about 2,300 shapes and of runs of single subjects; a range is that of several shapes.",
        "",
        "| | × best other | measured | reason |",
        "|---|---:|---|---|",
    ]
    lines += [f"| `{key}` | {text} | {date} | {reason(key)} |" for key, text, date in rows]
    return "\n".join([*lines, ""])


def apart(result, sweeps):
    """The sections of rows that an earlier run measured and this one did not; may be empty."""
    measured = {key.split("/", 1)[1] for key in result["libraries"]["gpunp"]["cells"]}
    parts = []
    for sweep in sweeps:
        rows = {name: row for name, row in sweep["times"].items() if name not in measured}
        if not rows:
            continue
        machine = sweep["machine"]
        lines = [
            f"## Measured apart{machine.get('subject', '')}: milliseconds",
            "",
            f"{machine['device']}, {machine['date']}, {machine['versions']}; {machine['method']}. "
            "The rows are in the benchmark by these names, and the next recorded run replaces "
            "them.",
            "",
            "| | gpunp | cupy | torch |",
            "|---|---:|---:|---:|",
        ]
        for name, row in rows.items():
            cells = " | ".join(number(row.get(library)) for library in ("gpunp", "cupy", "torch"))
            lines.append(f"| `{name}` | {cells} |")
        parts.append("\n".join([*lines, ""]))
    return "\n".join(parts)


def proportion(cell):
    """How many times faster gpunp is at the table's size, SciPy's time taken in proportion."""
    most = cell.get("gpunp_most_ms")
    return most and cell["scipy_ms"] * cell["most"] / cell["n"] / most


def beside(results):
    """The sections of SciPy's times on the host beside gpunp's (beside_scipy.py); may be empty."""
    parts = []
    for result in results:
        machine = result["machine"]
        lines = [
            "## Beside SciPy on the host: milliseconds",
            "",
            f"{machine['device']} and a host of {machine['cores']} cores, {machine['date']}, "
            f"{machine['versions']}; wall clock of a call, gpunp's the median of up to nine. SciPy "
            "gets the largest size that it does in about half a second, gpunp this one and the "
            "table's; the last column takes SciPy's time in proportion to the elements.",
            "",
            "| | elements | SciPy | gpunp | × SciPy | elements | gpunp | × SciPy |",
            "|---|---:|---:|---:|---:|---:|---:|---:|",
        ]
        for name, cell in result["beside"].items():
            if "error" in cell:
                lines.append(f"| `{name}` | {cell['error']} |" + " |" * 6)
                continue
            more = cell["gpunp_most_ms"]
            cells = [
                f"{cell['n']:,}",
                number(cell["scipy_ms"]),
                number(cell["gpunp_ms"]),
                times(cell["scipy_ms"] / cell["gpunp_ms"]),
                f"{cell['most']:,}" if more else "",
                number(more) if more else "",
                times(proportion(cell)) if more else "",
            ]
            lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
        if result["left_out"]:
            lines += ["", "Left out for want of time: " + ", ".join(result["left_out"]) + "."]
        parts.append("\n".join([*lines, ""]))
    return "\n".join(parts)


# ---- the README and the picture ----------------------------------------------------------------

HOST_PICK = ["a + b", "a.sum()", "a[mask]", "a @ b", "sort", "fft of 1024", "svd f4 8"]
DEVICE_PICK = [
    "add f4",
    "a.T + b",
    "sum axis 1, n x 100",
    "cumsum axis 0, square",
    "sort f4",
    "sort square axis 1",
    "matmul f2 4096",
    "matmul n of 16",
    "svd f4 1024",
    "eigh f4 1024",
    "svd f4 n of 32",
    "fft, rows of 4096",
    "rfft2",
    "normal f4",
]


def picked(result):
    """(heading, [(row, {library: (value, text)})]) for each group, rows that the run has."""
    groups = []
    for heading, group, unit, names in [
        ("Host time of a call, 1000 elements", "host", "µs", HOST_PICK),
        ("Device time of large arrays", "device", "ms", DEVICE_PICK),
    ]:
        rows = []
        for name in names:
            cells = row_of(result, f"{group}/{name}")
            values = {
                library: (value_of(cell, group), f"{number(value_of(cell, group))} {unit}")
                for library, cell in cells.items()
                if library in chart.COLOURS and value_of(cell, group) is not None
            }
            if "gpunp" in values:
                rows.append((name, values))
        groups.append((heading, rows))
    return groups


def picture(result):
    """The chart of the picked rows."""
    return chart.svg(f"Time relative to gpunp. {measured_on(result)}", picked(result))


def tally(result, sweeps):
    """In how many rows another library is faster."""
    every = ratios(result)
    slower = sum(ratio < BEHIND for ratio in every.values())
    more = len(sweep_ratios(result, sweeps))
    return (
        f"Of {len(every)} rows that CuPy or PyTorch have too, gpunp is slower than the better of "
        f"them by more than {100 * (1 - BEHIND):.0f} % in {slower}"
        + (f"; sweeps over other shapes found {more} more. " if more else ". ")
        + "[The page](docs/performance.md#where-another-library-is-faster) names them."
    )


def readme_block(result, sweeps):
    """The figures of the README."""
    cell = result["libraries"]["gpunp"]["cells"].get("device/matmul f2 4096", {})
    lines = [
        BEGIN,
        "![Time of selected calls, relative to gpunp](docs/performance.svg)",
        "",
        "Times relative to gpunp's; shorter bars are faster. " + measured_on(result),
        "`f2` and `f4` are float16 and float32; `n of 32` is a stack of matrices of 32 rows.",
        "",
    ]
    for heading, rows in picked(result):
        lines += [f"| {heading} | gpunp | CuPy | PyTorch |", "|---|---:|---:|---:|"]
        for name, values in rows:
            texts = [values[key][1] if key in values else "–" for key in chart.COLOURS]
            lines.append(f"| `{name}` | " + " | ".join(texts) + " |")
        lines.append("")
    if "ms" in cell:
        lines.append(
            f"`matmul f2 4096` runs at {2 * 4096**3 / cell['ms'] / 1e9:.0f} TFLOPS. "
            "Every row is in [docs/performance.md](docs/performance.md)."
        )
    return "\n".join([*lines, tally(result, sweeps), END])


def with_block(readme, block):
    """The README's text with its figures replaced."""
    before, rest = readme.split(BEGIN)
    return before + block + rest.split(END)[1]


def documents(result, sweeps):
    """{path: text} of everything that is written from results."""
    head = (HERE / "performance.head.md").read_text()
    shown = "![Time of selected calls, relative to gpunp](performance.svg)\n"
    parts = [head, shown, page(result), behind(result, sweeps), apart(result, sweeps)]
    parts.append(beside(beside_kept()))
    readme = ROOT / "README.md"
    return {
        ROOT / "docs" / "performance.md": "\n".join(filter(None, parts)),
        ROOT / "docs" / "performance.svg": picture(result),
        readme: with_block(readme.read_text(), readme_block(result, sweeps)),
    }


def load(path):
    """A results file."""
    return json.loads(Path(path).read_text())


def save(path, result):
    """Write a results file, a line for each measurement."""
    text = json.dumps(result, indent=1)
    flat = re.sub(r"\{[^{}]*\}", lambda match: re.sub(r"\s+", " ", match[0]), text)
    Path(path).write_text(flat + "\n")


def is_table(path):
    """Whether a results file is of the whole table."""
    return not re.search("sweeps|beside", path.name)


def newest():
    """The results of the latest run that is kept."""
    kept = [load(path) for path in sorted(RESULTS.glob("*.json")) if is_table(path)]
    return max(kept, key=lambda result: result["machine"]["date"])


def sweeps_kept():
    """The results of sweeps and of runs of single subjects that are kept."""
    return [load(path) for path in sorted(RESULTS.glob("*-sweeps*.json"))]


def beside_kept():
    """The results of beside_scipy.py that are kept."""
    return [load(path) for path in sorted(RESULTS.glob("*-beside*.json"))]


def write(result):
    """Write the documents."""
    for path, text in documents(result, sweeps_kept()).items():
        path.write_text(text)


if __name__ == "__main__":
    write(load(sys.argv[1]) if len(sys.argv) > 1 else newest())
