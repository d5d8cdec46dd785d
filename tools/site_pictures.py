"""Pictures of the site: those the examples make, and plots of the benchmark's kept results."""

import io
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "benchmarks"))
import chart  # noqa: E402
import report  # noqa: E402

# Example, and its arguments; {} is the folder of the pictures.
RUNS = {
    "tour.py": ["--width", "320", "--out", "{}"],
    "images.py": ["{}"],
    "spectrogram.py": ["{}/spectrogram.png"],
    "pendulums.py": ["96", "{}/pendulums.png"],
    "lights.py": ["96", "{}/lights.png"],
    "distributions.py": ["{}/distributions.png"],
    "clusters.py": ["{}"],
    "heat.py": ["48", "1500", "{}/heat.png"],
    "series.py": ["{}/series.png"],
}
COLOURS = {**chart.COLOURS, "better": "#3b82c4", "worse": "#d9822b"}


def from_examples(folder):
    """Run the examples whose text changed since their pictures were made; return the pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, words in RUNS.items():
        text = (ROOT / "examples" / name).read_text() + repr(words)
        record = folder / f"{name}.txt"
        if record.exists() and record.read_text() == text:
            continue
        command = [sys.executable, str(ROOT / "examples" / name)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"}
        subprocess.run(
            [*command, *(word.format(folder) for word in words)], check=True, env=environment,
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        record.write_text(text)
    return sorted(folder.glob("*.png"))


def figure(width, height):
    """A figure and its axes without a frame."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(width, height), layout="constrained")
    axes = drawn.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    return drawn, axes


def image(drawn):
    """A figure as the bytes of an SVG file, the same for the same figure."""
    import matplotlib

    data = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "gpunp", "svg.fonttype": "none"}):
        drawn.savefig(data, format="svg", metadata={"Date": None})
    return data.getvalue()


def ratios(results, group):
    """[(name of a row, times faster gpunp is than the better other library)], ascending."""
    cells = {name: library["cells"] for name, library in results["libraries"].items()}
    rows = []
    for key in cells["gpunp"]:
        if key.startswith(f"{group}/"):
            ratio = report.speed({name: found.get(key) for name, found in cells.items()}, group)
            if ratio is not None:
                rows.append((key.split("/", 1)[1], ratio))
    return sorted(rows, key=lambda row: row[1])


def ratio_plot(results, group):
    """A bar for each row of a group of the benchmark, on a logarithmic axis."""
    rows = ratios(results, group)
    drawn, axes = figure(8, 0.6 + 0.145 * len(rows))
    values = [value for _, value in rows]
    colours = [COLOURS["better" if value >= 1 else "worse"] for value in values]
    # From 1 on: a bar to the left is a row in which another library is faster.
    axes.barh(range(len(rows)), [value - 1 for value in values], left=1, color=colours)
    axes.set_yticks(range(len(rows)), [name for name, _ in rows], fontsize=6)
    axes.set(xscale="log", ylim=(-1, len(rows)))
    ticks = [0.5, 1, 2, 5, 10, 50]
    axes.set_xticks(ticks, [f"{tick} ×" for tick in ticks], fontsize=7)
    axes.xaxis.set_minor_formatter("")
    axes.set_xlabel("times faster than the better of CuPy and PyTorch", fontsize=8)
    return image(drawn)


def roofline(results):
    """The rate at which each device row moves its bytes, beside the rate of a copy."""
    floor = results["floor"]
    drawn, axes = figure(8, 4)
    for name in ("torch", "cupy", "gpunp"):
        cells = results["libraries"].get(name, {"cells": {}})["cells"]
        rows = [cell for key, cell in cells.items() if key.startswith("device/")]
        rows = [cell for cell in rows if report.moved(cell, floor) and cell.get("ms")]
        axes.plot(
            [cell["ms"] for cell in rows], [cell["GBps"] for cell in rows], "o", markersize=4,
            alpha=0.75, color=COLOURS[name], label=chart.TITLES[name], markeredgewidth=0,
        )  # fmt: skip
    axes.axhline(floor["copy_GBps"], color="#888", linewidth=1)
    axes.text(
        1, floor["copy_GBps"] * 1.06, "copy", transform=axes.get_yaxis_transform(), ha="right"
    )
    axes.set(
        xscale="log", yscale="log", xlabel="time of the row, ms", ylabel="GB/s", ylim=(5, None)
    )
    axes.legend(frameon=False, loc="lower left")
    return image(drawn)


def plots():
    """(name, bytes) of the plots of the newest kept results."""
    results = report.newest()
    yield "ratios-host.svg", ratio_plot(results, "host")
    yield "ratios-device.svg", ratio_plot(results, "device")
    yield "roofline.svg", roofline(results)


def pictures(folder):
    """(name, bytes) of all pictures."""
    for path in from_examples(folder):
        yield path.name, path.read_bytes()
    yield from plots()
