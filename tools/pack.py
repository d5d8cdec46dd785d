"""The list of kernels that wheels carry compiled, `tools/pack.txt`, and packs of it.

    python tools/pack.py record [--keep] [--only PATTERN]
                                            run programs, write the list (--keep: add to it)
    python tools/pack.py record-more        write the second list, `tools/pack_more.txt`
    python tools/pack.py build FILE [TARGET ...]
                                            make a pack, as setup.py does for a wheel
    python tools/pack.py kernels FOLDER [--only PATTERN] [TARGET ...]
                                            packs of the distribution gpunp-kernels, one a target

Recording runs the everyday calls, the examples, programs written for CuPy, the lessons and the
benchmarks on whatever device there is, each with a kernel cache of its own; on the emulated device
once more with the kernels of a GPU (GPUNP_PLANS). What several programs compile comes first; SIZE
is where the list ends. Kernels with code of a program are left out, and so are those of the list
that no kernel file takes any more.

Beside machine code of the list a wheel has PTX of it and of each loop of the special functions
(`wheel_tasks`). The distribution gpunp-kernels has machine code of all that (`named_requests`), and
of the loops on large arrays and each kernel file of images, signals and sparse matrices.
"""

import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT))  # setup.py puts the package that it has built before it

from special_loops import special_loops  # noqa: E402

from gpunp import _C, _pack  # noqa: E402
from gpunp._progress import Bar  # noqa: E402

LIST = ROOT / "tools" / "pack.txt"
MORE = ROOT / "tools" / "pack_more.txt"
SIZE = 1100
COMMENT = """Kernels that wheels carry compiled (setup.py, gpunp/_pack.py): the file in kernels/,
the name of its compile-time parameters, and their text. `python tools/pack.py record` writes it."""
SCIPY = ("ndimage", "signal", "sparse")  # folders of kernels/
LONG_FOLDERS = (*SCIPY, "linalg")
LONG_FILES = {"softmax_rows.cu", "sort_pass.cu"}
LONG_FILES |= {file.name for name in LONG_FOLDERS for file in (ROOT / "kernels" / name).iterdir()}
# Machine code in wheels: that for one architecture runs on later ones of its major version, 8.0's
# on 8.6 and 8.9.
TARGETS = ("sm_80", "sm_90", "sm_100", "sm_120")
LONG_TARGETS = ("sm_80", "sm_90")
# What every GPU and the emulated device take, in a tenth of the room: the driver assembles it. No
# kernel file asks for an architecture, so it says the same as PTX of a newer one.
PTX_TARGET = "compute_75"
MORE_COMMENT = """Kernels of images, signals and sparse matrices in gpunp-kernels beside pack.txt's,
in its form. `python tools/pack.py record-more` writes it."""
COMMON = "tools/pack_common.py"


def is_usable(request):
    """Whether the kernel compiles with these parameters: those of older files may not."""
    return _pack.compile_one(request, "emulated") is not None


def is_long(request):
    """Whether a kernel has much machine code: of SciPy's functions, of linear algebra, of sorts of
    large arrays. Theirs is more than half of the list's.
    """
    return request.file in LONG_FILES or "special::" in request.header


def is_wanted(request, target):
    """Whether the wheel has a kernel of the list for one of the usual targets."""
    return not is_long(request) or target in LONG_TARGETS


def loop_request(loop):
    """The kernel of a loop of special functions."""
    name = f"knobs/{Path(loop.file).stem}.cuh"
    return _pack.Request(loop.file, None, name, loop.header, None, ())


def special_requests():
    """Kernels of each loop of special functions: of arrays, and of numbers and an array."""
    for loop in (*special_loops(), *special_loops(scalars=True)):
        yield loop_request(loop)


def file_requests():
    """Each (folder, request) of the kernel files of SciPy's functions, with default parameters."""
    defaults = _C._kernel_defaults()
    for folder in SCIPY:
        for path in sorted((ROOT / "kernels" / folder).glob("*.cu")):
            names = path.name, None, f"knobs/{path.stem}.cuh"
            yield folder, _pack.Request(*names, defaults[path.stem], None, ())


def named_requests():
    """Each (name, request) of gpunp-kernels, a request once."""
    found = {}
    for options in ({}, {"scalars": True}, {"large": True}):
        for loop in special_loops(**options):
            found.setdefault(loop_request(loop), " ".join(["special", loop.name, *options]))
    for folder, request in file_requests():
        found.setdefault(request, f"{folder} {Path(request.file).stem}")
    for request in (*_pack.read_list(LIST), *_pack.read_list(MORE)):
        found.setdefault(request, f"list {request.file}")
    return [(name, request) for request, name in found.items()]


def build_kernels(folder, targets, only):
    """Write a pack for each target: prints the kernels and bytes of each."""
    requests = [request for name, request in named_requests() if re.search(only, name)]
    if not requests:
        raise SystemExit(f"no kernel's name has {only!r}")
    folder.mkdir(parents=True, exist_ok=True)
    for target in _pack.usable_targets(targets):
        path, bar, begin = folder / f"{target}.pack", Bar(target), time.monotonic()
        count, size, _ = _pack.make([(request, target) for request in requests], path, bar)
        bar.end()
        seconds = time.monotonic() - begin
        print(f"{path}: {count} kernels, {size / 1e6:.2f} MB, {seconds:.0f} s", flush=True)


def wheel_tasks():
    """Each (request, target) of the pack of wheels."""
    listed = _pack.read_list(LIST)
    targets = _pack.usable_targets(TARGETS)
    tasks = [(r, target) for target in targets for r in listed if is_wanted(r, target)]
    return tasks + [(r, PTX_TARGET) for r in dict.fromkeys([*listed, *special_requests()])]


def programs():
    """Each program's name and the arguments of Python."""
    found = {COMMON: [COMMON]}
    for path in sorted((ROOT / "examples").glob("*.py")):
        found[path.name] = [str(path)]
    for path in sorted((ROOT / "tests" / "as_cupy" / "programs").glob("*.py")):
        found[path.name] = ["-m", "gpunp.as_cupy", str(path)]
    for path in sorted((ROOT / "tests").glob("test_*.py")):
        found[path.name] = ["-m", "pytest", "-q", str(path)]
    benchmark = ["benchmarks/run.py", "--mods", "gpunp", "--nocold", "--scale", "0.0005"]
    for group in ("host/", "device/(?!.*(special|mathieu|pro_|obl_|sph))"):
        found[f"benchmarks {group}"] = [*benchmark, "--only", group]
    return found


def compiled_by(arguments, plans, *, timeout=900, choose=_pack.own_kernel):
    """Requests of the kernels of ours that a program compiles; what it prints is dropped.

    `choose` takes a request and returns one for the list, or None.
    """
    with tempfile.TemporaryDirectory() as cache:
        variables = {"GPUNP_CACHE_DIR": cache, "GPUNP_PACK": "off", "MPLBACKEND": "agg"}
        variables["GPUNP_PLANS"] = plans
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        environment = os.environ | variables | {"PYTHONPATH": path}
        try:
            done = subprocess.run(
                [sys.executable, *arguments],
                cwd=ROOT,
                env=environment,
                timeout=timeout,
                capture_output=True,
            )
            status = done.returncode
        except subprocess.TimeoutExpired:
            status = "ran too long"
        found = [choose(_pack.read_key(key)[2]) for key, _ in _pack.read_cache(cache)]
    return {request for request in found if request is not None}, status


def record(keep, only):
    """Run the programs and write the list."""
    count = collections.Counter()
    variants = ("auto", "gpu") if _C.is_emulated() else ("auto",)
    for name, arguments in programs().items():
        for plans in variants if re.search(only, name) else ():
            found, status = compiled_by(arguments, plans)
            print(f"{name}: {len(found)} kernels, status {status}", flush=True)
            for request in found:
                count[request] += len(programs()) if name == COMMON else 1
    kept = [request for request in _pack.read_list(LIST) if keep and is_usable(request)]
    ranked = sorted(count, key=lambda request: (-count[request], request))
    chosen = dict.fromkeys([*kept, *ranked[:SIZE]])
    _pack.write_list(LIST, sorted(chosen), COMMENT)
    print(f"{len(chosen)} of {len({*kept, *ranked})} kernels in {LIST.relative_to(ROOT)}")


def own_or_surrounded(request):
    """As `own_kernel`, and kernels with code around them: these programs have none of their own."""
    return _pack.own_kernel(request) or _pack.surrounded_kernel(request)


def record_more():
    """Run those calls of benchmarks/first_calls.py that are no ufuncs; write the second list."""
    program = ["benchmarks/first_calls.py", "--child", "--only", "^(?!special)", "--dtype"]
    found = set()
    for options in (["f4"], ["f8"], ["f4", "--large"], ["f8", "--large"]):
        requests, status = compiled_by([*program, *options], "gpu", choose=own_or_surrounded)
        print(f"{' '.join(options)}: {len(requests)} kernels, status {status}", flush=True)
        found |= requests
    chosen = sorted(found - set(_pack.read_list(LIST)), key=_pack.list_order)
    _pack.write_list(MORE, chosen, MORE_COMMENT)


def main():
    """Run one command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record")
    recording.add_argument("--keep", action="store_true", help="add to the list that there is")
    recording.add_argument("--only", default="", help="regular expression of programs to run")
    commands.add_parser("record-more")
    building = commands.add_parser("build")
    building.add_argument("file")
    building.add_argument("targets", nargs="*", help="sm_90, compute_120, emulated")
    kernels = commands.add_parser("kernels")
    kernels.add_argument("folder", type=Path)
    kernels.add_argument("targets", nargs="*", default=TARGETS, help="sm_90")
    kernels.add_argument("--only", default="", help="regular expression, such as 'special j'")
    args = parser.parse_args()
    if args.command == "kernels":
        build_kernels(args.folder, args.targets, args.only)
        return
    if args.command == "record-more":
        record_more()
        return
    if args.command == "record":
        record(args.keep, args.only)
        return
    bar = Bar("kernels")
    if args.targets:
        count, size, targets = _pack.build(LIST, args.file, args.targets, bar)
    else:
        count, size, targets = _pack.make(wheel_tasks(), args.file, bar)
    bar.end()
    print(f"{args.file}: {count} kernels for {' '.join(targets)}, {size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
