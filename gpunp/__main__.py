"""The diagnosis: `python -m gpunp`, and a few small commands.

python -m gpunp                  driver, devices, NVRTC, libraries, caches, environment
python -m gpunp emulator-path    directory that holds the emulated device as libcuda.so.1
python -m gpunp emulate PROGRAM [ARGUMENT ...]
                                 run a program with the emulated device as its driver
python -m gpunp cache            where compiled kernels lie, and how many
python -m gpunp cache clear      remove them
python -m gpunp warm [-o FILE] [--arch NAME,NAME] SCRIPT [ARGUMENT ...]
                                 run a program and keep the kernels it compiles in a file
python -m gpunp timeline TRACE.JSON PAGE.HTML
                                 a page that shows a trace written by GPUNP_TRACE
"""

import contextlib
import difflib
import os
import platform
import sys
import warnings
from importlib import metadata

from gpunp import _C
from gpunp._version import __version__
from gpunp.cuda import emulator_directory
from gpunp.exceptions import EmulatedDeviceWarning

KERNELS = "gpunp_kernels"  # the folder of the distribution gpunp-kernels
# Variables of the emulated device (docs/emulator.md), of the build and of its tests.
OF_OTHERS = ("GPUNP_EMU", "GPUNP_BUILD_", "GPUNP_SANITIZE", "GPUNP_TEST")
PACKAGE = os.path.dirname(os.path.abspath(__file__))


def emulator_path():
    """Return the path of the emulated device's library."""
    return os.environ.get("GPUNP_EMULATOR") or os.path.join(PACKAGE, "libgpunp_emu.so")


def version_text(number):
    """Turn 13000 into '13.0'."""
    return f"{number // 1000}.{number % 1000 // 10}"


def size_text(size):
    """Turn a number of bytes into a short text."""
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"


def section(title, rows):
    """Print a heading and its rows, a name and a text each."""
    print(f"\n{title}")
    width = max((len(name) for name, _ in rows), default=0)
    for name, text in rows:
        lines = str(text).splitlines() or [""]
        print(f"  {name:<{width}}  {lines[0]}")
        for line in lines[1:]:
            print(f"  {'':<{width}}  {line}")


def program_rows():
    """Versions of the interpreter and of the packages."""
    rows = [
        ("gpunp", f"{__version__} at {PACKAGE}"),
        ("Python", f"{platform.python_version()} at {sys.executable}"),
        ("system", platform.platform()),
    ]
    for package in ("numpy", "scipy", "ml_dtypes"):
        try:
            rows.append((package, metadata.version(package)))
        except metadata.PackageNotFoundError:
            rows.append((package, "not installed"))
    # SciPy reads it at its first import; any text counts, "0" too.
    mode = "on" if os.environ.get("SCIPY_ARRAY_API") else "off"
    rows.append(("SciPy's arrays", f"array API mode {mode} (SCIPY_ARRAY_API); see docs/scipy.md"))
    return rows


def driver_rows():
    """The driver in use, or why there is none."""
    from gpunp.cuda import runtime

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmulatedDeviceWarning)
        try:
            version = runtime.driverGetVersion()
        except (RuntimeError, OSError) as error:
            return [("driver", f"none: {error}")], 0
    rows = [
        ("driver", f"{_C._library_paths()['driver']}, CUDA {version_text(version)}"),
        ("kind", "the emulated device" if _C.is_emulated() else "NVIDIA's"),
    ]
    reason = _C._fallback_reason()
    if reason:
        rows.append(("no GPU", reason))
    return rows, runtime.getDeviceCount()


def device_rows(count):
    """A line for each device."""
    from gpunp.cuda import Device

    rows = []
    for i in range(count):
        try:
            device = Device(i)
            free, total = device.mem_info
            attributes = device.attributes
            text = (
                f"{device.name}, compute capability {device.compute_capability}, "
                f"{attributes['MultiProcessorCount']} SMs, {size_text(total)} "
                f"({size_text(free)} free), PCI {device.pci_bus_id}"
            )
        except RuntimeError as error:
            text = f"cannot be used: {error}"
        rows.append((f"device {i}", text))
    return rows or [("devices", "none")]


def library_rows():
    """NVRTC, the emulated device's library, and NVIDIA's libraries with their versions."""
    from gpunp.cuda import runtime

    try:
        version = runtime.runtimeGetVersion()
        nvrtc = f"{_C._library_paths()['nvrtc']}, {version_text(version)}"
    except RuntimeError as error:
        nvrtc = f"not usable: {error}"
    path = emulator_path()
    emulator = path if os.path.exists(path) else f"{path} (missing)"
    rows = [("NVRTC", nvrtc), ("emulator", emulator)]
    for title, number, where in _C._libraries():
        rows.append((title, f"not usable: {where}" if number is None else f"{where}, {number}"))
    return rows


def cache_rows():
    """Location and size of the kernel cache, and the kernel packs."""
    directory, entries, size = _C._cache_info()
    text = f"{directory}: {entries} entries, {size_text(size)}"
    return [("kernels", text if directory else "kept in memory only"), *pack_rows()]


def pack_rows():
    """Files of compiled kernels: what each holds, and what this process took from it."""
    rows = []
    for path, *facts in _C._pack_info():
        if len(facts) == 1:
            rows.append(("pack", f"{path} {facts[0]}"))
            continue
        entries, size, major, minor, targets, is_current, hits = facts
        text = f"{path}: {entries} kernels, {size_text(size)}, NVRTC {major}.{minor}"
        text += f"\nfor {', '.join(targets)}; {hits} of them used by this process"
        if not is_current:
            text += "\nmade by another build of gpunp: it is not used"
        rows.append(("pack", text))
    return [*(rows or [("packs", "none")]), *advice_rows()]


def advice_rows():
    """What to install, where special functions have been compiled for a GPU."""
    from gpunp._pack import cached_keys

    for path, *facts in _C._pack_info():
        if len(facts) > 1 and facts[5] and os.path.basename(os.path.dirname(path)) == KERNELS:
            return []
    directory = _C._cache_info()[0]
    keys = cached_keys(directory) if directory else ()
    if any(b"special::" in key and b"=sm_" in key for key in keys):
        text = "special functions have been compiled for this user's first calls;\n"
        return [("advice", text + "pip install 'gpunp[kernels]' brings their machine code")]
    return []


def use_kernels():
    """Run a small sum, so that the report shows where its kernels come from."""
    from gpunp._core.multiarray import arange

    with warnings.catch_warnings(), contextlib.suppress(RuntimeError, OSError):
        warnings.simplefilter("ignore")
        (arange(4.0) + 1).sum()  # what fails here is another section's, such as a missing NVRTC


def environment_rows():
    """Environment variables: value, or the default in brackets, and meaning."""
    rows = []
    for name, default, meaning in _C._environment:
        value = os.environ.get(name)
        shown = f"{value!r}" if value is not None else f"({default or 'not set'})"
        if value and default.isdecimal() and not value.lstrip("-").isdecimal():
            shown += f" is no number, so {default} is used"
        rows.append((name, f"{shown}\n{meaning}"))
    known = [row[0] for row in rows]
    for name in sorted(os.environ):
        if name.startswith("GPUNP_") and name not in known and not name.startswith(OF_OTHERS):
            near = difflib.get_close_matches(name, known, 1)
            hint = f"; is {near[0]} meant?" if near else ""
            rows.append((name, f"{os.environ[name]!r}\nno variable of gpunp{hint}"))
    return rows


def diagnose():
    """Print everything. Return 0 if a device can be used, else 1."""
    section("Programs", program_rows())
    rows, count = driver_rows()
    section("Driver", rows)
    section("Devices", device_rows(count))
    section("Libraries", library_rows())
    if count:
        use_kernels()
    section("Caches", cache_rows())
    section("Environment", environment_rows())
    return 0 if count else 1


def cache(arguments):
    """Show or clear the kernel cache."""
    if arguments == ["clear"]:
        removed = _C._cache_clear()
        print("kernels are kept in memory only" if removed < 0 else f"removed {removed} entries")
        return 0
    if arguments:
        return usage(["cache", *arguments])
    section("Caches", cache_rows())
    return 0


def emulate(command):
    """Replace the process by another program that uses the emulated device as its driver."""
    directory = emulator_directory()
    # The names are loaded ahead of everything: some programs look into other folders first.
    names = ["libcuda.so.1", "libnvJitLink.so.12", "libnvJitLink.so.13"]
    preloaded = [os.path.join(directory, name) for name in names]
    environment = dict(os.environ)
    for variable, added in (("LD_LIBRARY_PATH", [directory]), ("LD_PRELOAD", preloaded)):
        before = environment.get(variable)
        environment[variable] = ":".join(added + ([before] if before else []))
    try:
        os.execvpe(command[0], command, environment)
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr)
        return 127


def timeline(source, target):
    """Write a trace as a page."""
    from gpunp.profiler import Timeline

    try:
        Timeline.from_trace(source).save(target)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def usage(arguments):
    """Print what is wrong with the arguments, and the usage."""
    is_known = f"python -m gpunp {arguments[0]} " in __doc__
    wrong = "wrong arguments of" if is_known else "there is no command"
    print(f"python -m gpunp: {wrong} {arguments[0]!r}\n\n{__doc__.strip()}", file=sys.stderr)
    return 2


def main(arguments):
    """Run one command; return the exit status."""
    if not arguments:
        return diagnose()
    if arguments == ["emulator-path"]:
        print(emulator_directory())
        return 0
    if arguments[0] == "emulate" and len(arguments) > 1:
        return emulate(arguments[1:])
    if arguments[0] == "cache":
        return cache(arguments[1:])
    if arguments[0] == "warm":
        from gpunp import _warm

        return _warm.main(arguments[1:])
    if arguments[0] == "timeline" and len(arguments) == 3:
        return timeline(*arguments[1:])
    if arguments[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0
    return usage(arguments)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BrokenPipeError:  # `python -m gpunp | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
