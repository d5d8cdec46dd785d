"""Run Python with what a task needs: `python3 tools/run.py GROUPS ARGS...`.

GROUPS names extras of pyproject.toml, joined by commas (`test,demo`, or `-` for none). The
interpreter that runs this file is used when it has every package of them; otherwise `.venv` is made
and filled. NVRTC counts as a package when no toolkit has it. Then gpunp is built in place and
`python ARGS...` takes over. The Makefile's tasks all come through here, so each of them works on a
fresh machine, and none of them downloads anything where everything is present.
With NVRTC=wheel, a toolkit's NVRTC does not count: pip's newest is installed and used, as by users
who have no toolkit.

With GPUNP_SANITIZE set, the sanitizer's build is made and run instead (see setup.py).
"""

import ctypes
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nvrtc

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
NEEDS_NVRTC = {"test", "demo", "dev", "docs", "wheel"}


def say(text):
    """Print a line for the person who waits."""
    print(text, file=sys.stderr, flush=True)


def requirements(groups):
    """The requirement strings of the package and of the extras in `groups`, from pyproject.toml."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    found = list(project["dependencies"])
    for group in groups:
        for line in project["optional-dependencies"][group]:
            match = re.fullmatch(r"gpunp\[(.*)\]", line)
            found += requirements(match[1].split(",")) if match else [line]
    return list(dict.fromkeys(found))


def numbers(version):
    """The leading numbers of a version, for comparing."""
    return [int(part) for part in re.findall(r"\d+", version)[:4]]


def missing_here(wanted):
    """Those of the requirement strings that this interpreter does not satisfy."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    missing = []
    for line in wanted:
        pattern = r"([\w.-]+)(?:\[\w+\])?(?:(>=|==)([\d.]+))?"
        name, relation, wanted_version = re.match(pattern, line).groups()
        try:
            there, low = numbers(installed(name)), numbers(wanted_version or "")
            if there < low or (relation == "==" and there != low):
                missing.append(line)
        except PackageNotFoundError:
            missing.append(line)
    return missing


def nvrtc_requirements(groups):
    """NVRTC for the driver of this machine, CUDA 13's unless the driver is older than that; for the
    tests also the headers that kernels of users include."""
    names = ["nvrtc", "runtime", "crt", "cccl"] if "test" in groups else ["nvrtc"]
    try:
        number = ctypes.c_int(0)
        ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(number))
        if 0 < number.value < 13000:
            return [f"nvidia-cuda-{name}-cu12" for name in names if name != "crt"]
    except (OSError, AttributeError):
        pass
    return [f"nvidia-cuda-{name}>=13,<14" for name in names]


def missing_in(python, groups):
    """What the interpreter `python` lacks for `groups`; asks the interpreter itself."""
    done = subprocess.run(
        [str(python), __file__, "--missing", ",".join(groups)], capture_output=True, text=True
    )
    if done.returncode != 0:
        raise SystemExit(f"{python} does not run:\n{done.stderr}")
    return done.stdout.split("\n")[:-1]


def print_missing(groups):
    """Print, one a line, what this interpreter lacks for `groups`."""
    wanted = requirements(groups)
    missing = missing_here(wanted)
    if NEEDS_NVRTC & set(groups) and (os.environ.get("NVRTC") == "wheel" or nvrtc.find() is None):
        missing += missing_here(nvrtc_requirements(groups))
    for line in missing:
        print(line)


def make_venv():
    """Create .venv and return the command that installs packages into it."""
    python = VENV / "bin" / "python"
    if not python.exists():
        say(f"making {VENV.name}/ with {sys.executable}")
        plain = [sys.executable, "-m", "venv", str(VENV)]
        if subprocess.run(plain, capture_output=True).returncode != 0:
            # Debian's Python comes without ensurepip unless python3-venv is installed.
            shutil.rmtree(VENV, ignore_errors=True)
            if subprocess.run([*plain, "--without-pip"], capture_output=True).returncode != 0:
                raise SystemExit(
                    f"{sys.executable} cannot make a virtual environment: "
                    "install python3-venv, or set PYTHON=/path/to/python"
                )
    if subprocess.run([str(python), "-c", "import pip"], capture_output=True).returncode == 0:
        return [str(python), "-m", "pip", "install", "-q"]
    if subprocess.run([sys.executable, "-c", "import pip"], capture_output=True).returncode == 0:
        return [sys.executable, "-m", "pip", "--python", str(python), "install", "-q"]
    raise SystemExit(
        f"neither {sys.executable} nor {VENV.name}/ has pip: install python3-venv "
        "(it brings ensurepip), remove .venv/ and try again"
    )


def find_python(groups):
    """The interpreter to use: this one if it has everything, else .venv's, filled."""
    if not missing_in(sys.executable, groups):
        return sys.executable
    install = make_venv()
    python = str(VENV / "bin" / "python")
    missing = missing_in(python, groups)
    if missing:
        say(f"installing into {VENV.name}/: {' '.join(missing)}")
        if subprocess.run([*install, *missing]).returncode != 0:
            raise SystemExit(
                "the packages above could not be installed: is a package index "
                "reachable? PYTHON=... may name an interpreter that has them"
            )
    return python


def sanitizer_environment(sanitize):
    """Environment variables under which Python runs the sanitizer's build."""
    names = {"address": "libasan.so", "thread": "libtsan.so", "undefined": "libubsan.so"}
    compiler = os.environ.get("CC", "gcc").split()[-1]
    preload = [
        subprocess.run(
            [compiler, f"-print-file-name={names[word]}"], capture_output=True, text=True
        ).stdout.strip()
        for word in sanitize.split(",")
        if word in names
    ]
    # A sanitizer opens libraries in the program's place, so that an NVRTC of pip's would not find
    # the library beside it.
    below = "lib/python*/site-packages/nvidia/*/lib"
    wheels = [str(f) for place in (VENV, Path(sys.prefix)) for f in place.glob(below)]
    return {
        "LD_PRELOAD": " ".join(preload),
        "LD_LIBRARY_PATH": os.pathsep.join(
            filter(None, [*wheels, os.environ.get("LD_LIBRARY_PATH")])
        ),
        "PYTHONPATH": str(ROOT / "build" / sanitize.replace(",", "-")),
        "PYTHONSAFEPATH": "1",
        "PYTHONMALLOC": "malloc",
        # The C programs of tests/emu link that build of the emulated device, too.
        "EMU_TEST_LIBRARY": str(
            ROOT / "build" / sanitize.replace(",", "-") / "gpunp" / "libgpunp_emu.so"
        ),
        "EMU_TEST_CFLAGS": f"-fsanitize={sanitize}",
        # CPython itself leaves blocks behind at exit, so leaks are counted by the tests instead.
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1:"
        f"suppressions={ROOT / 'tests' / 'emu' / 'tsan.txt'}",
    }


def main():
    """See the module's text."""
    if sys.version_info < (3, 11):  # noqa: UP036  (this file is what says so)
        for name in ["python3.14", "python3.13", "python3.12", "python3.11"]:
            if shutil.which(name):
                os.execvp(name, [name, *sys.argv])
        raise SystemExit("gpunp needs Python 3.11 or newer; this is " + sys.version.split()[0])
    if sys.argv[1] == "--missing":
        return print_missing([name for name in sys.argv[2].split(",") if name not in ("", "-")])
    groups, args = sys.argv[1].split(","), sys.argv[2:]
    python = find_python([name for name in groups if name != "-"])
    done = subprocess.run([python, str(ROOT / "setup.py"), "build_ext", "--inplace"], cwd=ROOT)
    if done.returncode != 0:
        raise SystemExit(done.returncode)
    if not args:
        return
    sanitize = os.environ.get("GPUNP_SANITIZE")
    if sanitize:
        os.environ.update(sanitizer_environment(sanitize))
    else:
        os.environ["PYTHONPATH"] = os.pathsep.join(
            filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])
        )
    os.execv(python, [python, *args])


if __name__ == "__main__":
    main()
