"""Turns a benchmark's results into tables: `python benchmarks/report.py [results.json] > page.md`.

docs/performance.md is made this way, so no number in it was ever typed.
"""

import json
import math
import sys
from pathlib import Path

TITLES = {
    "host": "What a call costs the host: microseconds, 1000 elements",
    "device": "What the device needs: milliseconds, {elements:,} elements",
    "transfer": "Pageable host memory: GB/s",
    "cold": "Starting cold: seconds in a fresh process",
}
UNITS = {"host": "us", "device": "ms", "transfer": "GBps", "cold": "s"}


def cell_text(cell):
    """One measurement in words."""
    return " ".join(f"{value} {unit}" if unit != "error" else value for unit, value in cell.items())


def value_of(cell, group):
    """The number a group compares, or None."""
    return (cell or {}).get(UNITS[group])


def number(value):
    """Three digits that count."""
    if value is None:
        return "–"
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def against_floor(cell, group, floor):
    """How far gpunp stands from the floor measured in the same run."""
    value = value_of(cell, group)
    if value is None or not floor:
        return "–"
    if group == "host":
        return f"{value - floor['launch_us']:+.1f} µs"
    if group == "device":
        return f"{100 * cell['GBps'] / floor['copy_GBps']:.0f} %" if cell["GBps"] else "–"
    return "–"


def ratio(cells, group, names):
    """How many times the best other GPU library's time gpunp's is faster."""
    ours = value_of(cells.get("gpunp"), group)
    others = [value_of(cells.get(name), group) for name in names if name not in ("gpunp", "numpy")]
    others = [value for value in others if value is not None]
    if ours is None or not others or not ours:
        return "–"
    best = max(others) if group == "transfer" else min(others)
    return f"{ours / best if group == 'transfer' else best / ours:.2f}×"


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
        cells = {name: libraries[name]["cells"].get(key) for name in names}
        line = [number(value_of(cells[name], group)) for name in names]
        line.append(ratio(cells, group, names))
        ours = cells.get("gpunp") or {}
        if group == "device":
            line.append(number(ours.get("GBps") or None))  # 0: the row counts no bytes
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


def page(result):
    """The whole page."""
    machine, floor = result["machine"], result.get("floor")
    devices = {library.get("device") for library in result["libraries"].values()} - {"CPU", None}
    lines = [
        f"Measured on {', '.join(sorted(devices)) or 'the host alone'}, {machine['date']}, "
        f"Python {machine['python']}, {machine['cores']} cores: "
        + ", ".join(
            f"{name} {library.get('version', '?')}" for name, library in result["libraries"].items()
        )
        + ".",
        "",
    ]
    if floor:
        lines += [
            f"The floor in the same run: a bare launch {floor['launch_us']:.2f} µs, copying "
            f"{floor['copy_GBps']:.0f} GB/s (cuMemcpyDtoD {floor['memcpy_GBps']:.0f}), a "
            f"vectorised add of three arrays {floor['add_GBps']:.0f} GB/s.",
            "",
        ]
    for group in TITLES:
        lines += table(result, group)
    return "\n".join(lines)


if __name__ == "__main__":
    head, tail = (
        Path(__file__).with_name(f"performance.{part}.md").read_text() for part in ("head", "tail")
    )
    result = json.loads(Path(sys.argv[1]).read_text()) if len(sys.argv) > 1 else None
    body = page(result) if result else "No run on a GPU has been recorded here yet.\n"
    print(f"{head}\n{body}\n{tail}", end="")
