"""`python -m gpunp warm`: run a program and make a pack of the kernels it compiles.

The program runs with a kernel cache of its own, empty at the start, which afterwards holds every
kernel that this process and those it starts have compiled; kernels that include files of the
user's are left out, as in the cache. The pack serves machines that have no compiler, no writable
home, or no time.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from gpunp import _pack
from gpunp._progress import Bar

SECONDS_BETWEEN = 0.1  # two looks at how many kernels there are


def parse(arguments):
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m gpunp warm",
        description="Run a program and keep the kernels it compiles in a file (a kernel pack).",
    )
    parser.add_argument("-o", "--output", help="file to write; default: the program's name + .pack")
    parser.add_argument(
        "--arch",
        help="architectures to compile for, such as sm_80,sm_90,emulated, whatever the device here "
        "is; default: this device's",
    )
    parser.add_argument("-m", dest="module", action="store_true", help="SCRIPT is a module's name")
    parser.add_argument("script", metavar="SCRIPT", help="program to run")
    rest = parser.add_argument(
        "arguments", nargs=argparse.REMAINDER, help="arguments of the program"
    )
    rest.required = False  # Python 3.11 names them among what is missing
    return parser.parse_args(arguments)


def run(args, cache):
    """Run the program with an empty cache; return its exit status."""
    command = [sys.executable, *(["-m"] if args.module else []), args.script, *args.arguments]
    variables = {"GPUNP_CACHE_DIR": cache, "GPUNP_PACK": "off", "GPUNP_PROGRESS": "0"}
    bar = Bar("kernels compiled by the program:")
    process = subprocess.Popen(command, env=os.environ | variables)
    while process.poll() is None:
        time.sleep(SECONDS_BETWEEN)
        bar(len(list(Path(cache).glob("*.kernel"))), None)
    bar.end()
    return process.returncode


def entries_for(cache, wanted):
    """Entries of the pack and the version of NVRTC that compiled them."""
    found = [(key, stored, *_pack.read_key(key)) for key, stored in _pack.read_cache(cache)]
    if wanted is None:
        version = found[0][2] if found else (0, 0)
        entries = [
            _pack.Entry(f"compute_{_pack.EMULATED_ARCH}" if t == "emulated" else t, r.file, k, s)
            for k, s, _, t, r in found
        ]
        return entries, version
    requests = list(dict.fromkeys(request for *_, request in found))
    bar = Bar("kernels")
    entries = _pack.compile_all([(r, target) for target in wanted for r in requests], bar)
    bar.end()
    return entries, _pack.compiler()[:2]


def targets(text):
    """Names of architectures; SystemExit for those that NVRTC does not know."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",") if name.strip()]
    known = _pack.compiler()[2]
    for name in names:
        kind, _, number = name.partition("_")
        fits = kind in ("sm", "compute") and number.isdigit() and int(number) in known
        if not fits and name != "emulated":
            choice = ", ".join(["emulated", *(f"sm_{arch}" for arch in known)])
            raise SystemExit(f"gpunp warm: {name!r} is no architecture; NVRTC knows {choice}")
    return names


def check_output(path):
    """SystemExit where no file can be written, before the program runs."""
    folder = Path(path).resolve().parent
    if not folder.is_dir():
        raise SystemExit(f"gpunp warm: there is no folder {folder} for {path}")
    if Path(path).is_dir():
        raise SystemExit(f"gpunp warm: {path} is a folder; -o wants the name of a file")
    if not os.access(folder, os.W_OK):
        raise SystemExit(f"gpunp warm: {folder} cannot be written to; -o names another file")


def main(arguments):
    """Run the command; return the exit status."""
    args = parse(arguments)
    wanted = targets(args.arch)
    output = args.output or f"{Path(args.script).stem}.pack"
    check_output(output)
    with tempfile.TemporaryDirectory(prefix="gpunp-warm-") as cache:
        status = run(args, cache)
        if status != 0:
            print(f"the program failed with status {status}; no pack was made", file=sys.stderr)
            return status if status > 0 else 1
        entries, version = entries_for(cache, wanted)
        if not entries:
            print("the program compiled no kernels; no pack was made", file=sys.stderr)
            return 1
        size = _pack.write(output, entries, version)
    names = sorted({entry.target for entry in entries}, key=_pack.target_order)
    print(f"{output}: {len(entries)} kernels for {', '.join(names)}, {size / 1024:.0f} KiB")
    print(f"To use it, set GPUNP_PACK={Path(output).resolve()}, or copy it to {_package()}/")
    return 0


def _package():
    return Path(__file__).resolve().parent
