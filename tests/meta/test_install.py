"""What is installed: a wheel from a clean clone, whole, stripped, and nothing left in the tree."""

import gzip
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import child
import pytest
from sources import ROOT, files

sys.path.insert(0, str(ROOT / "tools"))
import distributions

from gpunp import _pack

pytestmark = [
    pytest.mark.null,
    pytest.mark.skipif("GPUNP_SANITIZE" in os.environ, reason="reads the build in place"),
]


def link_commands(stripped):
    """The link command of each library of a build."""
    program = f"""
import setuptools
setuptools.setup = lambda **options: None
import setup
libraries = [kind(setup.ROOT / "gpunp", setup.BUILD, ["cc"]) for kind in
             (setup.emulator, setup.emulated_libraries, setup.extension)]
for library in libraries:
    library.stripped = {stripped}
    print(" ".join(library.link_command()))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_wheels_are_stripped_and_other_builds_are_not():
    pytest.importorskip("setuptools")
    assert all("--strip-all" in command for command in link_commands(True))
    assert not any("--strip-all" in command for command in link_commands(False))


def archive(order, seconds):
    """A .tar.gz of a few files, added in some order at some time."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name in order:
            member = tarfile.TarInfo(name)
            member.size, member.mtime, member.uname = len(name), seconds, f"user{seconds}"
            tar.addfile(member, io.BytesIO(name.encode()))
    return packed.getvalue()


def test_source_distributions_have_the_same_bytes():
    """Whatever the order and the times in which their files were written."""
    one = distributions.normalised(archive(["a/b", "a/c"], 5), 1_700_000_000)
    assert one == distributions.normalised(archive(["a/c", "a/b"], 7), 1_700_000_000)
    with tarfile.open(fileobj=io.BytesIO(one)) as tar:
        assert [(m.name, m.mtime, m.uname) for m in tar] == [
            ("a/b", 1_700_000_000, ""), ("a/c", 1_700_000_000, ""),
        ]  # fmt: skip
        assert tar.extractfile("a/c").read() == b"a/c"
    assert gzip.decompress(one)[:3] == b"a/b"


def test_wheels_that_are_too_large_are_refused(tmp_path):
    for name, size in (("small", 7_900_000), ("pack", 8_100_000), ("wheel", 9_100_000)):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:  # not deflated
            archive.writestr("gpunp/kernels.pack" if name == "pack" else "gpunp/_C.so", bytes(size))
    distributions.check_wheel(tmp_path / "small")
    with pytest.raises(
        SystemExit, match=r"^gpunp/kernels.pack has 8,100,000 bytes; the limit is 8,000,000$"
    ):
        distributions.check_wheel(tmp_path / "pack")
    with pytest.raises(SystemExit, match=r"^wheel has 9,100,\d+ bytes; the limit is 9,000,000$"):
        distributions.check_wheel(tmp_path / "wheel")


def test_addresses_of_the_project_agree():
    """pyproject.toml, CITATION.cff; and each task of the workflows exists."""
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"repository-code: {urls['Source']}\n" in citation
    assert not re.search("^version:", citation, re.MULTILINE)  # gpunp/_version.py alone has it
    assert urls["Changelog"] == f"{urls['Source']}/blob/main/CHANGELOG.md"
    tasks = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    flows = "".join(path.read_text() for path in (ROOT / ".github" / "workflows").iterdir())
    assert set(re.findall(r"run: make ([\w-]+)", flows)) <= tasks


PROGRAM = "import gpunp as cp; print(int((cp.arange(10) ** 2).sum()), cp.__file__)"


def kernels_of(program, cache):
    """Requests of our kernels that a program compiles."""
    variables = {"GPUNP_CACHE_DIR": str(cache), "GPUNP_PACK": "off", "GPUNP_DEVICE": "emulated"}
    environment = child.environment(**variables)
    subprocess.run(
        [sys.executable, "-c", program], env=environment, check=True, capture_output=True
    )
    found = [_pack.own_kernel(_pack.read_key(key)[2]) for key, _ in _pack.read_cache(cache)]
    assert found and None not in found
    return found


@pytest.fixture(scope="module")
def clean_wheel(tmp_path_factory):
    """The wheel of a clone of what git knows, and the files that its build left in the clone."""
    pytest.importorskip("setuptools", minversion="77")
    folder = tmp_path_factory.mktemp("wheel")
    clone = folder / "clone"
    for path in files():
        target = clone / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    # Compiling the whole list would take minutes.
    _pack.write_list(clone / "tools" / "pack.txt", kernels_of(PROGRAM, folder / "cache"), "few")
    before = {path for path in clone.rglob("*") if path.is_file()}
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "."]
    variables = {"CFLAGS": "-O0 -Wno-error", "GPUNP_BUILD_PACK": "emulated sm_90"}
    subprocess.run(
        [*command, "-w", str(folder)], cwd=clone, check=True, capture_output=True,
        env={**os.environ, **variables},
    )  # fmt: skip
    (wheel,) = folder.glob("*.whl")
    left = {path for path in clone.rglob("*") if path.is_file()} - before
    return wheel, [path.relative_to(clone) for path in left]


@pytest.mark.slow
def test_wheel_of_a_clean_clone(clean_wheel, tmp_path):
    wheel, left = clean_wheel
    assert not [path for path in left if path.parts[0] != "build"]
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    sources = {p.relative_to(ROOT) for p in files("gpunp/*")}
    assert not [name for name in sources if not (site / name).exists()]
    for name in (
        "kernels.pack",
        "libgpunp_emu.so",
        "libgpunp_emu_math.so",
        "emulator/libcuda.so.1",
    ):
        assert (site / "gpunp" / name).exists()
    for library in site.rglob("*.so"):
        sections = subprocess.run(["readelf", "-SW", str(library)], capture_output=True, text=True)
        assert ".symtab" not in sections.stdout and ".dynsym" in sections.stdout, library.name
    program = "import gpunp, gpunp.linalg; print(gpunp.__file__)"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(site)},
    )  # fmt: skip
    assert (done.stderr, Path(done.stdout.strip()).is_relative_to(site)) == ("", True)


@pytest.mark.slow
def test_installed_wheel_needs_no_tools_and_leaves_nothing(clean_wheel, tmp_path):
    """In a virtual environment with what gpunp requires; no program is on the path."""
    wheel, _ = clean_wheel
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path)], check=True)
    python = tmp_path / "bin" / "python"
    (site,) = tmp_path.glob("lib/python*/site-packages")
    before = set(site.rglob("*"))
    pip = [sys.executable, "-m", "pip", "--python", str(python)]
    subprocess.run(
        [*pip, "install", "-q", "--no-deps", "--no-index", str(wheel)], check=True,
        capture_output=True,
    )  # fmt: skip
    # What gpunp requires, as links: the interpreter's own folder may hold a gpunp as well.
    for name in ("numpy", "numpy.libs", "scipy", "scipy.libs", "ml_dtypes", "nvidia"):
        for folder in filter(None, sys.path):
            if (Path(folder) / name).is_dir() and not (site / name).exists():
                (site / name).symlink_to(Path(folder) / name)
    environment = {"HOME": str(tmp_path), "PATH": str(tmp_path / "no-programs")}
    environment["GPUNP_DEVICE"] = "emulated"
    # The wheel's pack has the kernels, and no compiler is opened.
    program = f"{PROGRAM}; print(cp._C._library_paths().get('nvrtc') is None)"
    for pack in ("", "off"):
        done = subprocess.run(
            [str(python), "-W", "error", "-c", program], cwd=tmp_path, capture_output=True,
            text=True, env=environment | {"GPUNP_PACK": pack},
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")
        total, file, is_without_compiler = done.stdout.split()
        assert (total, is_without_compiler) == ("285", str(pack == ""))
        assert Path(file).is_relative_to(site)
    subprocess.run([*pip, "uninstall", "-q", "-y", "gpunp"], check=True, capture_output=True)
    left = {path for path in site.rglob("*") if not path.is_symlink()} - before
    assert not left
    shutil.rmtree(tmp_path / ".cache", ignore_errors=True)
