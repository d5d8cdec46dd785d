"""The site: its settings and lists of pages, its code cells, and, with --slow, the whole of it."""

import os
import re
import subprocess
import sys
import tomllib
import zlib
from importlib import metadata
from pathlib import Path

import notebooks
import numpy as np
import pytest

sys.path.insert(0, str(notebooks.ROOT / "tools"))
import docstrings
import reference

ROOT, DOCS = notebooks.ROOT, notebooks.DOCS
QUICK = {"own_kernels", "streams_and_graphs"}  # run in the default suite


def requirements():
    """The lines of the extra `docs`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return project["optional-dependencies"]["docs"]


def settings():
    """The settings of docs/conf.py; there is a version beside it where the site is built."""
    text = (DOCS / "conf.py").read_text().replace('HERE / "_version.py"', "VERSION")
    names = {"__file__": str(DOCS / "conf.py"), "VERSION": ROOT / "gpunp" / "_version.py"}
    exec(compile(text, "conf.py", "exec"), names)
    return names


@pytest.mark.null
def test_settings_name_what_is_installed_and_there():
    found = settings()
    assert found["release"] == re.search('"(.+)"', (ROOT / "gpunp/_version.py").read_text())[1]
    pinned = {re.split("[=>]", line)[0].replace("-", "_") for line in requirements()}
    assert {*found["extensions"], found["html_theme"]} <= pinned
    for name in found["html_css_files"]:
        assert (DOCS / "_static" / name).exists()


def listed(path):
    """The pages that a page's lists of contents name."""
    blocks = re.findall(r"```\{toctree\}\n(.*?)```", path.read_text(), re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    lines = [line for line in lines if line and not line.startswith(":")]
    return [re.sub(r"^.*<(.*)>$", r"\1", line) for line in lines]  # with a title, or without


@pytest.mark.null
def test_every_page_is_listed_once():
    pages = {path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")}
    pages = {name for name in pages if not name.startswith("reference/")}
    found = []
    for path in DOCS.rglob("*.md"):
        folder = path.parent.relative_to(DOCS)
        found += [os.path.normpath(folder / name) for name in listed(path)]
    made = {"reference/index", "changelog", "contributing"}
    assert sorted(found) == sorted((pages - {"index"}) | made)


@pytest.mark.null
def test_cards_and_pictures_lead_somewhere():
    import site_pictures

    runs = set(site_pictures.RUNS)
    for path in DOCS.rglob("*.md"):
        text = path.read_text()
        links = dict.fromkeys(re.findall(r":link: (\S+)\n:link-type: doc", text))
        links.pop("reference/index", None)
        for target in links:
            assert (path.parent / f"{target}.md").exists(), f"{path.name}: {target}"
        labels = set(re.findall(r"^\((\S+)\)=$", text, re.MULTILINE))
        assert set(re.findall(r":link: (\S+)\n:link-type: ref", text)) <= labels
        for name in re.findall(r"literalinclude\} \.\./(examples/\S+)", text):
            assert (ROOT / name).exists() and Path(name).name in runs


@pytest.mark.null
def test_plots_are_drawn_from_the_results():
    pytest.importorskip("matplotlib")
    import report
    import site_pictures

    results = report.newest()
    rows = dict(site_pictures.ratios(results, "host"))
    cells = {name: library["cells"] for name, library in results["libraries"].items()}
    times = {name: cells[name]["host/a + b"]["us"] for name in ("gpunp", "cupy", "torch")}
    assert rows["a + b"] == min(times["cupy"], times["torch"]) / times["gpunp"]
    assert list(rows.values()) == sorted(rows.values())
    plot = site_pictures.roofline(results)
    assert plot == site_pictures.roofline(results) and plot.startswith(b"<?xml")


def test_prose_keeps_code_as_it_is():
    pytest.importorskip("numpydoc")
    import site_reference

    text = "Sum |x| of *args, see [1]_ and gpunp_.\n\n``a*b``::\n\n    x | y\n\n>>> x*2\n\n.. [1] A. B."
    assert site_reference.prose(text) == (
        "Sum \\|x\\| of \\*args, see [1] and gpunp\\_.\n\n``a*b``::\n\n    x | y\n\n>>> x*2\n\n[1] A. B."
    )


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[] if path.stem in QUICK else pytest.mark.slow, id=path.stem)
        for path in notebooks.pages()
    ],
)
def test_cells_of_a_page_run(path, tmp_path, monkeypatch):
    """Warnings are errors, as everywhere in the suite."""
    matplotlib = pytest.importorskip("matplotlib") if "pyplot" in path.read_text() else None
    if matplotlib is not None:
        matplotlib.use("agg")
    monkeypatch.chdir(tmp_path)
    notebooks.run(path, tmp_path).clear()
    if matplotlib is not None:
        sys.modules["matplotlib.pyplot"].close("all")


# ---- the whole site ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def site():
    """The folder of the site, built anew as far as something changed; no page may warn."""
    for line in requirements():
        name, version = re.match(r"([\w-]+)(?:\[\w+\])?[=>]=(\S+)", line).groups()
        try:
            installed = metadata.version(name)
        except metadata.PackageNotFoundError:
            pytest.skip(f"{name} is not installed")
        if "==" in line and installed != version:
            pytest.skip(f"{name} {version} is not installed")
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "website.py")], capture_output=True, text=True,
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return ROOT / "build" / "site" / "html"


def pages(site):
    """The files of the site's pages; the theme has templates beside them."""
    return [path for path in site.rglob("*.html") if "_static" not in path.parts]


def inventory(site):
    """{object: address} of everything that is described, as Sphinx lists it for other sites."""
    data = (site / "objects.inv").read_bytes()
    lines = zlib.decompress(data.split(b"zlib.\n", 1)[1]).decode().splitlines()
    return {line.split()[0]: line.split()[3] for line in lines if " py:" in line}


@pytest.mark.slow
def test_pages_link_to_pages_and_to_nothing_outside(site):
    targets = {}
    for page in pages(site):
        text = page.read_text()
        assert not re.search(r'<(?:script|link|img)[^>]+(?:src|href)="(?:https?:)?//', text), (
            page.name
        )
        targets[page] = set(re.findall(r'(?:href|src)="([^"#?:]+)(?:[?#][^"]*)?"', text))
    assert len(targets) > 100
    for page, links in targets.items():
        for link in links:
            assert (page.parent / link).exists(), f"{page.relative_to(site)}: {link}"


@pytest.mark.slow
def test_every_public_function_is_in_the_index(site):
    import importlib

    known = set(inventory(site))
    for name in docstrings.modules():
        module = importlib.import_module(name)
        for key in reference.public(module):
            value = getattr(module, key)
            home = (getattr(value, "__module__", None) or name).split(".")[0]
            if callable(value) and home == "gpunp":
                assert any(full.endswith(f".{key}") for full in known), f"{name}.{key}"


@pytest.mark.slow
def test_search_knows_names_of_numpy_and_cupy(site):
    """Each is an object of the reference, or a word on some page (where it says what is absent)."""
    names = {key for key in np.__all__ if not key.startswith("_")}
    table = (ROOT / "tools" / "cupy_names.txt").read_text()
    lines = [line for line in table.splitlines() if line.startswith(" ")]
    names |= {word.rsplit(".", 1)[-1] for line in lines for word in line.split()}
    objects = {full.rsplit(".", 1)[-1] for full in inventory(site)}
    words = set()
    for page in pages(site):
        words |= set(re.findall(r"\w+", re.sub(r"<[^>]+>", " ", page.read_text())))
    assert not {name for name in names - objects if name not in words}
