"""What is installed: a wheel from a clean clone, whole, stripped, and nothing left in the tree."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from sources import ROOT, files

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


@pytest.mark.slow
def test_wheel_of_a_clean_clone(tmp_path):
    pytest.importorskip("setuptools", minversion="77")
    clone = tmp_path / "clone"
    for path in files():
        target = clone / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    before = {path for path in clone.rglob("*") if path.is_file()}
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "."]
    subprocess.run(
        [*command, "-w", str(tmp_path)], cwd=clone, check=True, capture_output=True,
        env={**os.environ, "CFLAGS": "-O0 -Wno-error"},
    )  # fmt: skip
    left = {path for path in clone.rglob("*") if path.is_file()} - before
    outside = [p for p in left if p.relative_to(clone).parts[0] != "build"]
    assert not outside
    (wheel,) = tmp_path.glob("*.whl")
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    sources = {p.relative_to(ROOT) for p in files("gpunp/*")}
    assert not [name for name in sources if not (site / name).exists()]
    for name in ("libgpunp_emu.so", "libgpunp_emu_math.so", "emulator/libcuda.so.1"):
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
