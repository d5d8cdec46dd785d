"""gpunp-kernels: packs of machine code that a second distribution brings, found without an import."""

import csv
import io
import os
import sys
import zipfile
from pathlib import Path

import pytest
from test_pack import ANSWER, PROGRAM, counts, flip_index, made, python  # noqa: F401

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import distributions
from pack import LIST, MORE, TARGETS, build_kernels, is_usable, named_requests

from gpunp import _pack
from gpunp._version import __version__

pytestmark = pytest.mark.null  # programs run in processes of their own

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def site(made, tmp_path):  # noqa: F811
    """A folder of packages that has the distribution."""
    folder = tmp_path / "site-packages" / "gpunp_kernels"
    folder.mkdir(parents=True)
    _pack.write(folder / "sm_90.pack", *made)
    return folder.parent


def run(site, **variables):
    """The program, with the folder among those of packages, and the packs next to it."""
    path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
    variables = {"GPUNP_PACK": "", "PYTHONPATH": path, **variables}
    return python("-W", "always", "-c", PROGRAM, **variables)


def test_kernels_come_from_it(site, made):  # noqa: F811
    process = run(site)
    assert process.stdout == ANSWER + "\n"
    assert counts(process) == (0, len(made[0]))


def test_off(site):
    assert counts(run(site, GPUNP_PACK="off"))[1] == 0


def test_damage_is_a_warning_and_a_miss(site):
    path = site / "gpunp_kernels" / "sm_90.pack"
    path.write_bytes(flip_index(path.read_bytes()))
    process = run(site)
    assert process.stdout == ANSWER + "\n" and counts(process)[1] == 0
    assert process.stderr.count("sm_90.pack is damaged") == 1


def test_other_architectures_are_not_looked_into(site, made):  # noqa: F811
    """Of such a file the head alone is read: not even its index is checked."""
    entries, version = made
    folder = site / "gpunp_kernels"
    other = folder / "sm_75.pack"
    _pack.write(other, [entry._replace(target="sm_30") for entry in entries], version)
    other.write_bytes(flip_index(other.read_bytes()))
    process = run(site)
    assert counts(process) == (0, len(entries))
    assert "sm_75" not in process.stderr


def test_kernels_of_another_version_are_compiled(site, made):  # noqa: F811
    entries, version = made
    ours = f"gpunp {__version__}".encode()
    other = [e._replace(key=e.key.replace(ours, b"gpunp 9.9.9")) for e in entries]
    assert all(a.key != b.key for a, b in zip(entries, other, strict=True))
    _pack.write(site / "gpunp_kernels" / "sm_90.pack", other, version)
    assert counts(run(site))[1] == 0


def test_names_of_its_kernels():
    """Each loop of a special function: small arrays, numbers and an array, and large arrays."""
    names = [name for name, _ in named_requests()]
    assert len(names) == len({request for _, request in named_requests()})
    for name in ("special gamma d->d", "special jv dd->d scalars", "special jv dd->d large"):
        assert name in names
    assert "ndimage line_filter" in names and "sparse graph_join" in names


def test_second_list_is_of_these_kernels():
    """Kernels that the first list lacks; single ones are compiled with their parameters."""
    more, listed = _pack.read_list(MORE), set(_pack.read_list(LIST))
    assert len(more) > 100 and not listed & set(more)
    for request in more[::25]:
        assert is_usable(request), request.header


def test_wheel(tmp_path):
    packs = tmp_path / "packs"
    build_kernels(packs, ["sm_90"], "special (expit) f->f$")
    wheel = distributions.write_kernels_wheel(packs.glob("*.pack"), tmp_path, 1_700_000_000)
    assert wheel.name == f"gpunp_kernels-{__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        info = f"gpunp_kernels-{__version__}.dist-info"
        assert "gpunp_kernels/sm_90.pack" in names and f"{info}/METADATA" in names
        assert f"Version: {__version__}" in archive.read(f"{info}/METADATA").decode()
        rows = list(csv.reader(io.StringIO(archive.read(f"{info}/RECORD").decode())))
    assert {row[0] for row in rows} == set(names)
    again = distributions.write_kernels_wheel(packs.glob("*.pack"), tmp_path / "2", 1_700_000_000)
    assert again.read_bytes() == wheel.read_bytes()


def test_targets_are_those_of_the_wheel():
    assert set(TARGETS) == {"sm_80", "sm_90", "sm_100", "sm_120"}


def test_extra_asks_for_this_version():
    text = (ROOT / "pyproject.toml").read_text()
    assert f'kernels = ["gpunp-kernels=={__version__}"]' in text


def test_only_that_names_nothing(tmp_path):
    with pytest.raises(SystemExit, match="no kernel's name"):
        build_kernels(tmp_path, ["sm_90"], "no such kernel")
