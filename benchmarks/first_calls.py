"""First calls of functions in one process with an empty kernel cache: the time of each.

    python benchmarks/first_calls.py [--main FILE] [--kernels FILE] [--large] [--dtype f8]
                                     [--only PATTERN] [--modes none,main,kernels] [--out FILE.json]

Each loop of gpunp.scipy.special is called once, on 1000 elements (--large: 70000), then functions
of ndimage, signal and sparse with their defaults. The context is there and an addition has run; a
time is that of a call and the wait for its result. Three processes, one after the other:

    none     no pack: everything is compiled
    main     the pack of gpunp's wheel: FILE of --main, or the one of the package
    kernels  that and gpunp-kernels: FILE of --kernels, or the installed ones

A mode without a pack of its own is left out, and so is `main` where gpunp-kernels is installed.
Printed are the packs with the number of kernels taken from each, the number of calls, those over
60 ms, the median, the largest, and the slowest calls. `python tools/pack.py kernels FOLDER sm_90`
makes a file for --kernels.
"""

import argparse
import functools
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT))

LIMIT = 60  # ms
SHOWN = 12
SETUP = """
import numpy as np
import gpunp as cp
from gpunp.scipy import ndimage, signal, sparse
from gpunp.scipy.sparse import csgraph, linalg
side = 256 if LARGE else 32
rng = np.random.default_rng(1)
image = cp.asarray(rng.random((side, side)), DTYPE)
mask = image > 0.7
labels = cp.asarray(rng.integers(0, 9, (side, side)).astype(np.int32))
line = cp.asarray(rng.random(side * side), DTYPE)
taps = cp.asarray(np.hanning(9), DTYPE)
dense = rng.random((side, side)) * (rng.random((side, side)) < 0.1) + np.eye(side) * 9
m = sparse.csr_matrix(cp.asarray(dense, DTYPE))
vector = cp.asarray(rng.random(side), DTYPE)
"""
CALLS = """
ndimage.gaussian_filter(image, 2)
ndimage.uniform_filter(image, 5)
ndimage.median_filter(image, 3)
ndimage.maximum_filter(image, 3)
ndimage.grey_dilation(image, 3)
ndimage.binary_erosion(mask)
ndimage.binary_fill_holes(mask)
ndimage.sobel(image)
ndimage.laplace(image)
ndimage.convolve(image, cp.ones((3, 3)))
ndimage.percentile_filter(image, 20, 5)
ndimage.label(mask)[0]
ndimage.sum_labels(image, labels, cp.arange(9))
ndimage.median(image, labels, cp.arange(9))
ndimage.center_of_mass(image)
ndimage.distance_transform_edt(mask)
ndimage.spline_filter(image)
ndimage.zoom(image, 1.5)
ndimage.rotate(image, 30)
ndimage.shift(image, 0.5)
ndimage.affine_transform(image, cp.eye(2))
ndimage.map_coordinates(image, cp.ones((2, 50)))
ndimage.fourier_gaussian(cp.fft.fft2(image), 2)
signal.convolve(line, taps)
signal.fftconvolve(line, taps)
signal.convolve2d(image, cp.ones((3, 3)))
signal.lfilter([1.0], [1.0, -0.5], line)
signal.sosfilt(signal.butter(4, 0.2, output='sos'), line)
signal.filtfilt([0.5, 0.5], [1.0, -0.2], line)
signal.upfirdn(taps, line, 2)
signal.resample_poly(line, 3, 2)
signal.medfilt(line, 5)
signal.medfilt2d(image, 3)
signal.savgol_filter(line, 7, 2)
signal.hilbert(line)
signal.detrend(line)
signal.welch(line)[1]
signal.stft(line)[2]
signal.lombscargle(cp.arange(50.0), line[:50], cp.linspace(0.1, 1, 20))
signal.find_peaks(line)[0]
m @ vector
m @ m
m + m
m.T.tocsr()
m.tocsc()
m.tocoo().tocsr()
m.toarray()
m[1:9]
m.sum(axis=0)
sparse.csr_matrix(image)
linalg.spsolve_triangular(sparse.tril(m).tocsr(), vector)
linalg.cg(m @ m.T, vector)[0]
csgraph.connected_components(m)[1]
csgraph.shortest_path(m)
"""
LETTERS = {"f": "float32", "d": "float64", "F": "complex64", "D": "complex128", "l": "int64"}


def special_calls(large):
    """(name, function) of each loop of the special functions."""
    import gpunp as cp
    from gpunp import _C
    from gpunp.scipy.special import _ufuncs

    size = 70_000 if large else 1000
    arrays = {
        letter: cp.full(size, 2 if letter == "l" else 0.5, dtype)
        for letter, dtype in LETTERS.items()
    }
    for row in _C.special_table():
        function = getattr(_ufuncs, row["name"])
        for loop in row["types"]:
            given = [arrays[letter] for letter in loop.split("->")[0]]
            yield f"special.{row['name']} {loop}", lambda f=function, given=given: f(*given)


def other_calls(large, dtype):
    """(name, function) of the lines of CALLS."""
    names = {"LARGE": large, "DTYPE": dtype}
    exec(SETUP, names)
    for line in CALLS.strip().splitlines():
        yield line, functools.partial(eval, compile(line, line, "eval"), names)


def measure(large, dtype, only):
    """{call: ms}, or the error's text instead of ms; and the packs in use."""
    import gpunp as cp
    from gpunp import _C

    wait = cp.cuda.Device().synchronize
    cp.add(cp.ones(1000), cp.ones(1000))
    wait()
    times = {}
    for name, call in [*special_calls(large), *other_calls(large, dtype)]:
        if not re.search(only, name):
            continue
        wait()
        begin = time.perf_counter()
        try:
            call()
            wait()
            times[name] = (time.perf_counter() - begin) * 1e3
        except Exception as error:  # shown with the others
            times[name] = f"{type(error).__name__}: {error}"
    packs = [[row[0], row[-1]] for row in _C._pack_info()]
    return {"times": times, "packs": packs, "emulated": _C.is_emulated()}


def is_kernels(path):
    """Whether a pack is of the installed gpunp-kernels."""
    return Path(path).parent.name == "gpunp_kernels"


def packs_of(asked):
    """The paths of the packs that a process opens with GPUNP_PACK as asked."""
    program = (
        "import json; from gpunp import _C; print(json.dumps([p[0] for p in _C._pack_info()]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"GPUNP_PACK": asked},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def modes(args):
    """{mode: GPUNP_PACK} of those that have packs of their own."""
    given = {"main": args.main, "kernels": args.kernels}
    named = {mode: str(Path(path).resolve()) if path else "" for mode, path in given.items()}
    found = {"none": "off"}
    both = ":".join(path for path in (named["kernels"], named["main"]) if path)
    of_main, of_both = packs_of(named["main"]), packs_of(both)
    is_installed = any(map(is_kernels, of_main))
    if of_main and not is_installed:
        found["main"] = named["main"]
    if named["kernels"] or (of_both and is_installed):
        found["kernels"] = both
    return found


def run(asked, args):
    """What `measure` finds in a process of its own, with GPUNP_PACK as asked."""
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"GPUNP_CACHE_DIR": cache, "GPUNP_PACK": asked}
        command = [sys.executable, __file__, "--child", "--only", args.only, "--dtype", args.dtype]
        done = subprocess.run(
            [*command, *(["--large"] if args.large else [])],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    return json.loads(done.stdout.splitlines()[-1])


def report(mode, result):
    """Print the lines of a mode."""
    times = {name: t for name, t in result["times"].items() if not isinstance(t, str)}
    failed = {name: t for name, t in result["times"].items() if isinstance(t, str)}
    packs = ", ".join(f"{path} ({hits})" for path, hits in result["packs"]) or "no pack"
    print(f"{mode}: {packs}")
    if times:
        over = sum(t > LIMIT for t in times.values())
        middle, largest = statistics.median(times.values()), max(times.values())
        counts = f"{len(times)} calls, {over} over {LIMIT} ms"
        print(f"  {counts}, median {middle:.1f}, largest {largest:.0f}")
    for name in sorted(times, key=lambda name: -times[name])[:SHOWN]:
        print(f"  {times[name]:8.1f}  {name}")
    for name, text in failed.items():
        print(f"  failed: {name}: {text}")


def main():
    """See the module's text."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--main", default="", help="the pack of gpunp's wheel")
    parser.add_argument("--kernels", default="", help="a pack of gpunp-kernels")
    parser.add_argument("--large", action="store_true", help="70000 elements")
    parser.add_argument("--dtype", default="f8", help="of images, signals and matrices")
    parser.add_argument("--only", default="", help="regular expression of calls")
    parser.add_argument("--modes", default="none,main,kernels", help="those that run")
    parser.add_argument("--out", type=Path, help="all times as JSON")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        warnings.simplefilter("ignore")
        print(json.dumps(measure(args.large, args.dtype, args.only)))
        return
    results = {}
    for mode, asked in modes(args).items():
        if mode not in args.modes.split(","):
            continue
        results[mode] = run(asked, args)
        report(mode, results[mode])
    if args.out:
        args.out.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
