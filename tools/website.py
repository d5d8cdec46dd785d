"""The site: `make site` writes it to build/site/html, without a network.

Sphinx reads a folder that is gathered first, build/site/source: the pages of docs/, the reference
from docstrings and tables, pictures made by the examples, plots of the benchmark's results. Pages
with code cells run on the emulated device, and their outputs are part of the page; what did not
change, neither the page nor the package, is taken from build/site/cache. Warnings are errors.

    python tools/website.py [--source]      --source: gather the pages only
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "build" / "site"
SOURCE = SITE / "source"

# Pages that stand elsewhere in the repository, and how their links change.
MOVED = {
    "CHANGELOG.md": ("changelog.md", [("(docs/", "(")]),
    ".github/CONTRIBUTING.md": (
        "contributing.md", [("(../docs/", "("), ("(../CHANGELOG.md", "(changelog.md")],
    ),
}  # fmt: skip


def put(path, data):
    """Write a file unless it has these bytes already, so that Sphinx reads again what changed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_bytes() != data:
        path.write_bytes(data)
    return path


def written_pages():
    """The pages of docs/, and those that stand elsewhere."""
    for path in sorted((ROOT / "docs").rglob("*")):
        name = path.relative_to(ROOT / "docs")
        if path.is_file() and name.parts[0] != "reference" and "__pycache__" not in name.parts:
            data = path.read_bytes()
            if path.suffix == ".md":  # a link whose text is a file's name gets the page's title
                data = re.sub(rb"\[\w+\.md\]\((\w+\.md[^)]*)\)", rb"[](\1)", data)
            yield put(SOURCE / name, data)
    for origin, (name, changes) in MOVED.items():
        text = (ROOT / origin).read_text()
        for old, new in changes:
            text = text.replace(old, new)
        yield put(SOURCE / name, text.encode())
    for path in sorted((ROOT / "examples").glob("*.py")):
        yield put(SOURCE / "examples" / path.name, path.read_bytes())
    yield put(SOURCE / "_version.py", (ROOT / "gpunp" / "_version.py").read_bytes())


def made_pages():
    """The reference, the gallery's pictures and the plots."""
    import reference
    import site_pictures
    import site_reference

    for name, text in site_reference.pages():
        yield put(SOURCE / "reference" / f"{name}.rst", text.encode())
    for name, text in reference.table_pages():
        yield put(SOURCE / "reference" / f"{name}.md", text.encode())
    for name, data in site_pictures.pictures(SITE / "pictures"):
        yield put(SOURCE / "_pictures" / name, data)


def gather():
    """Bring build/site/source up to date; files that are made no longer are removed."""
    kept = {*written_pages(), *made_pages()}
    for path in SOURCE.rglob("*"):
        if path.is_file() and path not in kept:
            path.unlink()


def drop_old_outputs():
    """Cells run again when the package is another one than that which made their outputs."""
    digest = hashlib.sha256()
    for folder in ("gpunp", "csrc", "kernels"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in {".py", ".c", ".h", ".def", ".cu", ".cuh", ".html"}:
                digest.update(path.read_bytes())
    record, key = SITE / "made-with.txt", digest.hexdigest()
    if not record.exists() or record.read_text() != key:
        for name in ("cache", "doctrees"):
            shutil.rmtree(SITE / name, ignore_errors=True)
        record.write_text(key)


def main():
    """See the module's text."""
    os.environ.setdefault("GPUNP_DEVICE", "emulated")
    os.environ.setdefault("GPUNP_PROGRESS", "0")
    gather()
    if "--source" in sys.argv[1:]:
        return 0
    drop_old_outputs()
    options = ["-W", "--keep-going", "-q", "-j", "auto", "-b", "html"]
    options += ["-d", str(SITE / "doctrees"), "-D", f"nb_execution_cache_path={SITE / 'cache'}"]
    shutil.rmtree(SITE / "html", ignore_errors=True)
    command = [sys.executable, "-m", "sphinx", *options, str(SOURCE), str(SITE / "html")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as sphinx:
        for line in sphinx.stderr:
            if not line.startswith("[IPKernelApp]"):  # how it talks to the process of a page
                sys.stderr.write(line)
    status = sphinx.returncode
    if status == 0:
        print(f"{(SITE / 'html' / 'index.html').relative_to(ROOT)}")
    return status


if __name__ == "__main__":
    sys.exit(main())
