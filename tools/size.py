"""Lines per room against its budget, and the growth since another commit: `make sz [REF=main]`."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUFFIXES = {".c", ".h", ".def", ".cu", ".cuh", ".py", ".pyi"}

# What a room may take when gpunp is complete; a room over it asks to be split or thought over.
BUDGETS = {
    "csrc/base": 1500,
    "csrc/tables": 2500,
    "csrc/cuda": 2000,
    "csrc/rt": 13000,
    "csrc/kernel": 1000,
    "csrc/core": 11000,
    "csrc/ufunc": 3500,
    "csrc/reduce": 3500,
    "csrc/select": 5500,
    "csrc/product": 2200,
    "csrc/random": 2000,
    "csrc/user": 7200,
    "csrc/fuse": 3700,
    "csrc/methods": 700,
    "csrc/lib": 7500,
    "csrc/emu/check": 2300,
    "csrc/emu/driver": 14400,
    "csrc/emu/exec": 11900,
    "csrc/emu/graph": 3900,
    "csrc/emu/libs": 4300,
    "csrc/emu/ptx": 8200,
    "kernels": 6000,
    "gpunp": 25000,
    "tests": 40000,
    "benchmarks": 2000,
    "tools": 2000,
    "examples": 1500,
}


def added_since(ref, room):
    """Lines added minus lines removed in a room since the commit `ref`; 0 without git."""
    done = subprocess.run(
        ["git", "diff", "--numstat", ref, "--", room], cwd=ROOT, capture_output=True, text=True
    )
    total = 0
    for line in done.stdout.splitlines():
        added, removed, _ = line.split("\t")
        total += int(added) - int(removed) if added.isdigit() else 0
    return total


def main():
    """Print the table."""
    ref = os.environ.get("REF", "HEAD")
    print(f"{'room':16} {'files':>6} {'lines':>7} {'budget':>7} {'since ' + ref:>14}")
    totals = [0, 0]
    for room, budget in BUDGETS.items():
        paths = [path for path in (ROOT / room).rglob("*") if path.suffix in SUFFIXES]
        lines = sum(path.read_text().count("\n") for path in paths)
        mark = "  over" if lines > budget else ""
        print(f"{room:16} {len(paths):6} {lines:7} {budget:7} {added_since(ref, room):+14}{mark}")
        totals = [totals[0] + len(paths), totals[1] + lines]
    print(f"{'all':16} {totals[0]:6} {totals[1]:7}")


if __name__ == "__main__":
    main()
