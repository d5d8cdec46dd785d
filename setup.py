"""Builds gpunp: the extension `gpunp._C`, the emulated device `gpunp/libgpunp_emu.so`, and the
emulated libraries of NVIDIA's on it, `gpunp/libgpunp_emu_math.so`.

Beside the device lies `gpunp/emulator/`, the directory that other programs put into their library
path: the device under the names they look for, each a tiny library that is nothing but a reference
(a wheel cannot hold links), and its C header.

`python setup.py build_ext --inplace` is what developers run. It needs nothing but a C compiler, the
Python headers and NumPy (not even setuptools), compiles on all cores what changed since the last
time, and takes a fraction of a second when nothing did. `pip install .` comes through setuptools
and ends in the same functions.

What is compiled follows from the folders: each .c file of a folder is part of its library, and each
file under kernels/ is embedded into the extension, so adding a file needs no line here.

A wheel's libraries are stripped, which leaves a third of their size and every exported symbol;
those in place and the sanitizers' keep theirs for debuggers. Everything between lies under build/.

Environment: CC (for example "ccache gcc"), CFLAGS and LDFLAGS (appended), GPUNP_SANITIZE
("address,undefined" or "thread": a build of its own under build/, for `make asan` and `make tsan`),
GPUNP_BUILD_PACK ("1": a wheel carries the kernels of tools/pack.txt compiled, which takes NVRTC and
some minutes; or the targets to compile for, "sm_90 emulated").
"""

import concurrent.futures
import importlib.util
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parent
BUILD = ROOT / "build"
SANITIZE = os.environ.get("GPUNP_SANITIZE", "")

FOLDERS = ["base", "cuda", "rt", "kernel", "core", "ufunc", "reduce", "select", "product"]
FOLDERS += ["random", "user", "fuse", "methods", "lib", "sci", "signal", "sparse"]
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wstrict-prototypes", "-Wmissing-prototypes"]
WARNINGS += ["-Wundef", "-Wwrite-strings", "-Wvla"]
CFLAGS = ["-std=c11", "-D_GNU_SOURCE=", "-g", "-fPIC", "-fvisibility=hidden"]
CFLAGS += ["-fno-strict-aliasing", "-pthread", *WARNINGS]
SHOWN_LINES = 60  # of a compiler's words about one file; the rest is in its .log
LIBS = ["-ldl", "-lpthread", "-lm"]
NUMPY_DEFINES = [
    "-DNPY_NO_DEPRECATED_API=NPY_2_0_API_VERSION",
    "-DNPY_TARGET_VERSION=NPY_2_0_API_VERSION",
]


class BuildError(Exception):
    """A build that cannot go on, with a sentence for the person who runs it."""


def find_compiler():
    """The compiler command as a list: $CC, Python's own, or the first of cc, gcc, clang."""
    candidates = [os.environ.get("CC"), sysconfig.get_config_var("CC"), "cc", "gcc", "clang"]
    for command in filter(None, candidates):
        words = shlex.split(command)
        if all(shutil.which(word) for word in words if not word.startswith("-")):
            return words
    raise BuildError("no C compiler found: install gcc or clang, or set CC")


def python_include():
    """The folder of Python.h."""
    include = Path(sysconfig.get_paths()["include"])
    if not (include / "Python.h").exists():
        raise BuildError(
            f"{include}/Python.h is missing: install Python's headers (python3-dev, python3-devel)"
        )
    return include


def numpy_include():
    """The folder of NumPy's headers, found without importing NumPy."""
    spec = importlib.util.find_spec("numpy")
    if spec is None:
        raise BuildError("NumPy is needed to build gpunp: pip install 'numpy>=2.0'")
    include = Path(spec.origin).parent / "_core" / "include"
    if not include.exists():
        raise BuildError(f"{include} is missing: gpunp needs NumPy 2.0 or newer")
    return include


def version():
    """The package's version, which lives in gpunp/_version.py alone."""
    text = (ROOT / "gpunp" / "_version.py").read_text()
    return re.search(r'__version__ = "([^"]+)"', text)[1]


def optimisation():
    """Flags that depend on the kind of build."""
    if SANITIZE:
        sanitize = [f"-fsanitize={SANITIZE}", "-fno-sanitize-recover=all"]
        return ["-O1", "-fno-omit-frame-pointer", *sanitize]
    return ["-O2"]


def write_if_changed(path, text):
    """Write `text` unless the file holds it already, so that its time stamp means something."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def embed_kernels(folder):
    """Write the C file that holds every file under kernels/ as a string; return its path."""
    rows = []
    for path in sorted((ROOT / "kernels").rglob("*.cu*")):
        data = path.read_bytes()
        text = data.decode("utf-8")
        text = text.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?")
        lines = '\\n"\n     "'.join(text.split("\n"))
        name = path.relative_to(ROOT / "kernels").as_posix()
        rows.append(f'    {{"{name}",\n     "{lines}",\n     {len(data)}}},\n')
    if len(rows) > 500:
        raise SystemExit("more kernels than MAX_HEADERS of csrc/rt/compile.c takes")
    target = folder / "embedded_kernels.c"
    write_if_changed(
        target,
        '/* Generated from kernels/ by setup.py. */\n#include "rt/rt.h"\n\n'
        "const GnpEmbeddedFile gnp_embedded_files[] = {\n"
        f"{''.join(rows)}    {{NULL, NULL, 0}},\n}};\n",
    )
    return target


def emulator_variants():
    """Read csrc/emu/build.txt: {path below csrc/emu: [(object name, flags)]}.

    A line is `folder/file.c [machine] -> object: flags`. The machine (x86_64, aarch64) and the
    object name are optional; a file may have several lines and becomes one object for each. A file
    whose lines all name other machines is left out; a file without a line is compiled once, no
    extra flags.
    """
    variants = {}
    table = ROOT / "csrc" / "emu" / "build.txt"
    for line in table.read_text().splitlines() if table.exists() else []:
        line = line.split("#")[0].strip()
        if not line:
            continue
        match = re.fullmatch(r"(\S+\.c)\s*(?:\[(\w+)\])?\s*(?:->\s*(\w+)\s*)?:(.*)", line)
        if match is None:
            raise BuildError(f"csrc/emu/build.txt: cannot read the line {line!r}")
        rows = variants.setdefault(match[1], [])
        if match[2] in (None, platform.machine()):
            rows.append((match[3] or Path(match[1]).stem, shlex.split(match[4])))
    return variants


class Library:
    """One shared library: the objects it needs, the commands that make them, and the link."""

    def __init__(self, target, folder, compiler):
        self.target = target
        self.stripped = False
        self.folder = folder
        self.compiler = compiler
        self.objects = []  # (object, source, command)
        self.link_flags = []
        self.aliases = []  # (file, soname, prefix): libraries with symbols of this one

    def add(self, source, name, flags):
        """Add one object compiled from `source`."""
        obj = self.folder / f"{name}.o"
        command = [*self.compiler, *CFLAGS, *optimisation(), *flags, f"-I{ROOT / 'csrc'}"]
        command += shlex.split(os.environ.get("CFLAGS", ""))
        command += ["-MMD", "-MF", f"{obj}.d", "-c", str(source), "-o", str(obj)]
        self.objects.append((obj, source, command))

    def link_command(self):
        """The command that links the objects."""
        command = [*self.compiler, "-shared", "-pthread"]
        if SANITIZE:
            command.append(f"-fsanitize={SANITIZE}")
        if self.stripped:
            command.append("-Wl,--strip-all")
        command += [str(obj) for obj, _, _ in self.objects]
        command += [*self.link_flags, *LIBS, *shlex.split(os.environ.get("LDFLAGS", ""))]
        return [*command, "-o", str(self.target)]

    def alias_source(self, prefix):
        """Write the names of this library that have `prefix`, as functions; return the file.

        Programs are linked against them. At run time the loader takes each name from this library
        itself, of which the alias is a filter.
        """
        command = [os.environ.get("NM", "nm"), "-D", "--defined-only", str(self.target)]
        listed = subprocess.run(command, capture_output=True, text=True)
        if listed.returncode != 0:
            raise BuildError(f"{' '.join(command)} failed:\n{listed.stderr}")
        names = sorted(line.split()[-1] for line in listed.stdout.splitlines())
        rows = [f"int {name}(void) {{ return 999; }}\n" for name in names if prefix in name]
        path = self.folder / f"names-{prefix}.c"
        write_if_changed(path, "".join(rows))
        return path

    def alias_command(self, file, soname, source):
        """The command that links an alias: names, and where the library is."""
        command = [*self.compiler, "-shared", "-nostdlib", "-s", "-w", "-fno-builtin", str(source)]
        command += [f"-Wl,-soname,{soname}", f"-Wl,--filter,{self.target.name}"]
        # The system's own search would come first with RUNPATH for what the alias filters.
        return [*command, "-Wl,-rpath,$ORIGIN/..", "-Wl,--disable-new-dtags", "-o", str(file)]


def extension(package, folder, compiler):
    """The library gpunp._C."""
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    library = Library(package / f"_C{suffix}", folder / "ext", compiler)
    python = ["-isystem", str(python_include()), f'-DGNP_VERSION="{version()}"']
    sources = sorted((ROOT / "csrc").glob("*.c"))
    for part in FOLDERS:
        sources += sorted((ROOT / "csrc" / part).rglob("*.c"))
    for source in sources:
        name = "-".join(source.relative_to(ROOT / "csrc").with_suffix("").parts)
        flags = list(python)
        if name == "core-npy":
            flags += ["-isystem", str(numpy_include()), *NUMPY_DEFINES]
        library.add(source, name, flags)
    library.add(embed_kernels(folder), "embedded_kernels", python)
    return library


# What programs open by name: (file, soname, what its symbols contain). nvJitLink's are here since
# its own makes machine code.
EMULATOR_ALIASES = [
    ("libcuda.so.1", "libcuda.so.1", "cu"),
    ("libcuda.so", "libcuda.so.1", "cu"),
    ("libnvJitLink.so.12", "libnvJitLink.so.12", "nvJitLink"),
    ("libnvJitLink.so.13", "libnvJitLink.so.13", "nvJitLink"),
]


def emulator(package, folder, compiler):
    """The library that stands in for the CUDA driver."""
    library = Library(package / "libgpunp_emu.so", folder / "emu", compiler)
    variants = emulator_variants()
    emu = ROOT / "csrc" / "emu"
    for source in sorted(emu.glob("*/*.c")):
        if source.parent.name == "libs":
            continue  # a library of its own
        for name, flags in variants.get(source.relative_to(emu).as_posix(), [(source.stem, [])]):
            library.add(source, name, flags)
    if not SANITIZE:
        library.link_flags.append("-Wl,-z,defs")
    directory = package / "emulator"
    for name, soname, prefix in EMULATOR_ALIASES:
        library.aliases.append((directory / name, soname, prefix))
    return library


def emulated_libraries(package, folder, compiler):
    """The emulated cuBLAS, cuSOLVER, cuFFT and cuRAND of the emulated device."""
    library = Library(package / "libgpunp_emu_math.so", folder / "emu_libs", compiler)
    for source in sorted((ROOT / "csrc" / "emu" / "libs").glob("*.c")):
        library.add(source, source.stem, [])
    if not SANITIZE:
        library.link_flags.append("-Wl,-z,defs")
    return library


def modified(path, seen):
    """The time stamp of `path`, or infinity when it is gone; `seen` saves repeated questions."""
    if path not in seen:
        try:
            seen[path] = os.stat(path).st_mtime_ns
        except OSError:
            seen[path] = float("inf")
    return seen[path]


def recorded(command):
    """The command in words, as kept beside what it made; ccache changes nothing about that."""
    return shlex.join(command[1:] if command[0] == "ccache" else command)


def is_stale(obj, command, seen):
    """Whether an object must be compiled: its command, source or one of its headers changed."""
    try:
        made = os.stat(obj).st_mtime_ns
        depends = Path(f"{obj}.d").read_text().replace("\\\n", " ").split(":", 1)[1]
        if Path(f"{obj}.cmd").read_text() != recorded(command):
            return True
    except OSError:
        return True
    return any(modified(path, seen) > made for path in shlex.split(depends))


def compile_one(item):
    """Compile one object; keep the compiler's words beside it. Return (source, words, ok)."""
    obj, source, command = item
    done = subprocess.run(command, capture_output=True, text=True)
    Path(f"{obj}.log").write_text(done.stderr)
    if done.returncode == 0:
        Path(f"{obj}.cmd").write_text(recorded(command))
    else:
        Path(f"{obj}.cmd").unlink(missing_ok=True)
    return source, done.stderr, done.returncode == 0


def make(libraries):
    """Bring the libraries up to date."""
    seen = {}
    stale = []
    for library in libraries:
        library.folder.mkdir(parents=True, exist_ok=True)
        stale += [item for item in library.objects if is_stale(item[0], item[2], seen)]
    failed = set()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    with concurrent.futures.ThreadPoolExecutor(cores) as pool:
        for source, words, ok in pool.map(compile_one, stale):
            print(f"  {'cc' if ok else 'FAILED'} {os.path.relpath(source, ROOT)}", flush=True)
            lines = words.splitlines(keepends=True)
            sys.stderr.write("".join(lines[:SHOWN_LINES]))
            if len(lines) > SHOWN_LINES:
                print(f"  ... {len(lines) - SHOWN_LINES} more lines", file=sys.stderr)
            if not ok:
                failed.add(source)
    for library in libraries:
        if any(source in failed for _, source, _ in library.objects):
            continue
        link(library)
    if failed:
        raise BuildError(f"{len(failed)} file(s) did not compile")


def link(library):
    """Link one library and its aliases if an object is newer or the command changed."""
    newest = max(os.stat(obj).st_mtime_ns for obj, _, _ in library.objects)
    link_one(library.target, library.link_command(), library.folder, newest)
    for file, soname, prefix in library.aliases:
        file.parent.mkdir(exist_ok=True)
        source = library.alias_source(prefix)
        command = library.alias_command(file, soname, source)
        link_one(file, command, library.folder, source.stat().st_mtime_ns)


def link_one(target, command, folder, newest):
    """Run a command that links `target`, if the file is older than `newest` or made by another."""
    record = folder / f"{target.name}.cmd"
    fresh = target.exists() and target.stat().st_mtime_ns >= newest
    if fresh and record.exists() and record.read_text() == recorded(command):
        return
    # Written beside and renamed: a process that has the old library mapped keeps it whole.
    temporary = target.with_name(f"{target.name}.new")
    done = subprocess.run([*command[:-1], str(temporary)], capture_output=True, text=True)
    sys.stderr.write(done.stderr)
    if done.returncode != 0:
        raise BuildError(f"{target.name} did not link")
    os.replace(temporary, target)
    record.write_text(recorded(command))
    print(f"  ld {os.path.relpath(target, ROOT)}", flush=True)


def sanitizer_package(folder):
    """A package folder whose libraries are the sanitizer's and whose Python files are links."""
    package = folder / "gpunp"
    package.mkdir(parents=True, exist_ok=True)
    for path in (ROOT / "gpunp").iterdir():
        if path.suffix == ".so" or path.name in ("__pycache__", "emulator"):
            continue
        if not (package / path.name).exists():
            (package / path.name).symlink_to(path)
    return package


def build(package, stripped=False):
    """Build the libraries into the folder `package`, without the symbols of debuggers if asked."""
    compiler = find_compiler()
    tag = sysconfig.get_config_var("SOABI") or "python"
    kind = SANITIZE.replace(",", "-") or "release"
    folder = BUILD / f"{kind}-{tag}"
    if SANITIZE:
        package = sanitizer_package(BUILD / kind)
    kinds = [emulator, emulated_libraries, extension]
    libraries = [kind(package, folder, compiler) for kind in kinds]
    for library in libraries:
        library.stripped = stripped and not SANITIZE
    make([library for library in libraries if library.objects])
    header = ROOT / "csrc" / "emu" / "gpunp_emu.h"
    write_if_changed(package / "emulator" / header.name, header.read_text())


def make_pack(package, wanted):
    """Put compiled kernels beside the extension.

    `package` is complete: it compiles its own kernels. No GPU is needed. What was compiled before
    is kept under build/, or where GPUNP_CACHE_DIR says, for a wheel of another Python.
    """
    variables = {"PYTHONPATH": str(package.parent), "GPUNP_PACK": "off"}
    if "GPUNP_CACHE_DIR" not in os.environ:
        variables["GPUNP_CACHE_DIR"] = str(BUILD / "pack-cache")
    command = [sys.executable, str(ROOT / "tools" / "pack.py"), "build"]
    command += [str(package / "kernels.pack"), *([] if wanted == "1" else wanted.split())]
    # PTX names its sources in the folder where it was compiled: the same one for every build.
    done = subprocess.run(
        command, env=os.environ | variables, cwd="/", capture_output=True, text=True
    )
    if done.returncode != 0:
        raise BuildError(f"no kernels could be compiled for the wheel:\n{done.stderr}")
    print(f"  {done.stdout.strip()}", flush=True)


def build_with_setuptools():
    """The road of pip: a wheel or an editable install."""
    from setuptools import Extension, setup
    from setuptools.command.build_ext import build_ext

    class BuildExt(build_ext):
        """Hands over to build(); setuptools only learns where the results lie."""

        def run(self):
            package = ROOT if self.inplace else Path(self.build_lib).resolve()
            (package / "gpunp").mkdir(parents=True, exist_ok=True)
            build(package / "gpunp", stripped=not self.inplace)
            wanted = os.environ.get("GPUNP_BUILD_PACK", "0")
            if wanted not in ("", "0") and not self.inplace:
                make_pack(package / "gpunp", wanted)

    BUILD.mkdir(exist_ok=True)
    setup(
        ext_modules=[Extension("gpunp._C", sources=[])],
        cmdclass={"build_ext": BuildExt},
        options={"egg_info": {"egg_base": str(BUILD)}},  # nothing beside the sources
    )


if __name__ == "__main__" and sys.argv[1:] == ["build_ext", "--inplace"]:
    try:
        build(ROOT / "gpunp")
    except BuildError as error:
        sys.exit(f"setup.py: {error}")
else:
    build_with_setuptools()
