"""Run a part of the suite with the oldest and newest supported versions: `matrix.py [ROW ...]`.

Each row of VERSIONS gets a virtual environment under build/matrix/, into which a wheel of this tree
is installed with the row's Python, NumPy, SciPy and NVRTC. So the installed package is tested, with
nothing of the source tree on the path. A row whose Python is not on this machine is reported and
left out. TESTS names other tests than those of the row.
"""

import glob
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "matrix"


class Row(NamedTuple):
    """A Python, what is installed there besides gpunp's own requirements, and the tests."""

    python: str
    requirements: list[str]
    tests: list[str]


# The kernels of every family, the lessons, and what speaks to NumPy's own C types.
PART = [
    "tests/test_tiny.py",
    *sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("tests/test_lessons*.py")),
    "tests/core/test_numpy_scalars.py",
    "tests/core/test_interop.py",
    "tests/fft/test_transforms.py",
    "tests/linalg",
    "tests/ops",
    "tests/ufunc/test_methods.py",
]
# What compares with functions that releases of SciPy and NumPy change, name for name.
NEWEST = [
    "tests/meta/test_public.py",
    "tests/scipy/test_distance.py",
    "tests/scipy/test_interpolate.py",
    "tests/scipy/test_optimize.py",
    "tests/scipy/test_rationals.py",
    "tests/scipy/test_scipy_linalg.py",
    "tests/scipy/test_signal_peaks.py",
    "tests/scipy/test_signal_waves.py",
    "tests/scipy/test_signal_windows.py",
    "tests/scipy/test_smoothing.py",
    "tests/scipy/test_sparse_functions.py",
    "tests/scipy/test_spatial.py",
    *sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("tests/scipy/test_stats*.py")),
    "tests/scipy/test_triangulation.py",
    "tests/special/test_special_rows.py",
]
VERSIONS = {
    "oldest": Row(
        "3.11", ["numpy==2.0.*", "scipy==1.13.*", "nvidia-cuda-nvrtc-cu12==12.0.*"], PART
    ),
    "cuda12": Row("3.12", ["numpy", "scipy", "nvidia-cuda-nvrtc-cu12"], PART + NEWEST),
    "newest": Row("3.13", ["numpy", "scipy", "nvidia-cuda-nvrtc>=13,<14"], PART + NEWEST),
}


def find_python(version):
    """The path of a CPython `version` that runs, or None."""
    candidates = [shutil.which(f"python{version}"), f"/usr/bin/python{version}", sys.executable]
    candidates += sorted(glob.glob(os.path.expanduser(f"~/.pyenv/versions/{version}.*/bin/python")))
    question = "import sys; print('%d.%d' % sys.version_info[:2])"
    for path in filter(None, candidates):
        if os.path.exists(path):
            done = subprocess.run([path, "-c", question], capture_output=True, text=True)
            if done.stdout.strip() == version:
                return path
    return None


def run(*words, **options):
    """Run a command and end this program when it fails."""
    done = subprocess.run([str(word) for word in words], **options)
    if done.returncode != 0:
        raise SystemExit(f"failed with {done.returncode}: {' '.join(map(str, words))}")


def prepare(name, row, python):
    """Make the row's environment with gpunp's wheel in it; returns its interpreter."""
    folder = BUILD / name
    shutil.rmtree(folder, ignore_errors=True)
    run(python, "-m", "venv", folder)
    inside = folder / "bin" / "python"
    install = [inside, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    run(inside, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder / "wheel", ROOT)
    (wheel,) = (folder / "wheel").glob("*.whl")
    # The versions of the row stand beside the wheel's own requirements, so one solution fits both.
    run(*install, wheel, "pytest", "hypothesis", "mpmath", *row.requirements)
    return inside


def main():
    """Run the rows named on the command line, or all."""
    names = sys.argv[1:] or list(VERSIONS)
    chosen = os.environ.get("TESTS", "").split()
    failed = []
    for name in names:
        row = VERSIONS[name]
        python = find_python(row.python)
        if python is None:
            print(f"{name}: left out, there is no Python {row.python} here", flush=True)
            continue
        print(f"{name}: Python {row.python}, {', '.join(row.requirements)}", flush=True)
        inside = prepare(name, row, python)
        environment = {
            **os.environ,
            "PYTHONSAFEPATH": "1",
            "GPUNP_CACHE_DIR": str(BUILD / "cache"),
        }
        environment.pop("PYTHONPATH", None)
        words = [inside, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(chosen or row.tests)]
        if subprocess.run([str(word) for word in words], cwd=ROOT, env=environment).returncode != 0:
            failed.append(name)
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
