"""docs/migration.md, for programs written for CuPy: `python tools/migration.py`.

CuPy's names are in tools/cupy_names.txt, and what differs where both have a name in
tools/cupy_differences.txt. Whether gpunp has a name is asked of gpunp. A test compares the page.
"""

import importlib
import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("GPUNP_DEVICE", "emulated")

from gpunp._cupy_names import CUPY_VERSION, MODULES, NAMES, RENAMED, counterpart  # noqa: E402

PAGE = ROOT / "docs" / "migration.md"
LISTED = ROOT / "tools" / "cupy_names.txt"
DIFFERENCES = ROOT / "tools" / "cupy_differences.txt"

HEAD = f"""# Coming from CuPy

*This page is written by `python tools/migration.py` from what is installed; do not edit it.*

## Nothing to change

`python -m gpunp.as_cupy program.py` runs a program that imports `cupy`, `cupyx` or
`cupy_backends`, as does `import gpunp.as_cupy` ahead of the first such import. These names then
are gpunp's own modules: `cupy is gpunp`, `cupy.__version__` is "{CUPY_VERSION}", and other
libraries take arrays for CuPy's. It is refused where CuPy itself is loaded, and lasts as long as
the process; processes that it starts need it as well.

## Imports to change

Otherwise `import cupy as cp` becomes `import gpunp as cp`, and `cupyx` becomes `gpunp`: what CuPy
keeps in `cupyx` is in gpunp's main namespace (`cupyx.rsqrt` is `gpunp.rsqrt`, `cupyx.scipy` is
`gpunp.scipy`, `cupyx.jit` is `gpunp.jit`). A program that works with the names that the second
table has needs no other change; the third table has the exceptions.

| CuPy | gpunp |
|---|---|
"""
VARIABLES = {
    "CUPY_CACHE_DIR": "GPUNP_CACHE_DIR",
    "CUPY_CACHE_IN_MEMORY=1": "GPUNP_CACHE_DIR=off",
    "CUPY_GPU_MEMORY_LIMIT": "GPUNP_POOL_LIMIT",
    "CUPY_TF32": "GPUNP_TF32",
    "CUPY_CUDA_PER_THREAD_DEFAULT_STREAM": "GPUNP_PER_THREAD_DEFAULT_STREAM",
    "CUPY_ACCELERATORS": "none: gpunp chooses between its kernels and NVIDIA's libraries",
}

# Absent names that programs might look for, and why they are.
ABSENT = {
    "cupyx.tools.install_library": "NVIDIA's libraries come as packages: `pip install '.[cuda13]'`",
    "cupyx.jit.thrust.host": "kernels cannot call the host's functions, as this policy would",
    "cupyx.cutensor": "nothing uses cuTENSOR; `einsum` and `tensordot` do this work",
    "cupy.cuda.cub.device_reduce": "as all of `cub`, `thrust`, `cutensor`: for CuPy itself",
    "cupy.cuda.cufft.setCallback": "`set_cufft_callbacks` does without: its functions are passes; "
    "cuFFT's own need nvcc and its static library",
    "cupy.cuda.cufft.setJITCallback": "the same: cuFFT's own are LTO-IR, which the emulated device "
    "cannot execute",
    "cupy.cuda.cufft.XtPlanNd": "plans of several devices: transforms run on one device",
    "cupy.cuda.driver.ctxCreate": "gpunp works in each device's primary context",
    "cupy.cuda.jitify": "NVRTC finds headers without it",
    "cupy.ndarray.mdspan": "needs the headers of libcu++",
    "cupyx.linalg.sparse.lschol": "`gpunp.scipy.sparse.linalg.spsolve` solves the same systems",
    "cupyx.scipy.spatial.distance.kl_divergence": "as `hellinger`: CuPy takes them from cuVS",
}


def listed():
    """{module of CuPy: its names}."""
    paragraphs = LISTED.read_text().split("\n\n")[1:]  # after the comment
    words = [paragraph.split() for paragraph in paragraphs]
    return {module: names for module, *names in words}


def own_module(module):
    """gpunp's module for one of CuPy, or None; `cupyx` itself is the main namespace."""
    name = "gpunp" if module == "cupyx" else counterpart(module)
    return importlib.import_module(name) if name else None


# Classes some of whose attributes are in their objects alone, and how to make one.
OBJECTS = {
    "csr_matrix": lambda sparse: sparse.csr_matrix((2, 2)),
    "coo_matrix": lambda sparse: sparse.coo_matrix((2, 2)),
}


def has(module, name):
    """Whether gpunp has a name of a module of CuPy."""
    own = own_module(module)
    if own is None:
        return False
    first, _, rest = name.partition(".")
    if first not in dir(own) and not hasattr(own, first):
        return counterpart(f"{module}.{first}") is not None
    if not rest or hasattr(getattr(own, first), rest):
        return True
    return first in OBJECTS and hasattr(OBJECTS[first](own), rest)


def differences():
    """[(names, text)] of tools/cupy_differences.txt."""
    lines = DIFFERENCES.read_text().splitlines()
    rows = [line.split(" | ", 1) for line in lines if line and not line.startswith("#")]
    return [(names.split(", "), text) for names, text in rows]


def split(full):
    """(module, name) of a full name; a module's own name is in its package."""
    module, _, name = full.rpartition(".")
    return module, name


def renamed():
    """Rows of the table of modules and names that have another name in gpunp."""
    rows = [("cupy", "gpunp"), ("cupyx", "gpunp"), ("cupyx.scipy", "gpunp.scipy")]
    rows += [("cupy_backends.cuda.api", "gpunp.cuda"), ("cupy_backends.cuda.libs", "gpunp.cuda")]
    rows += [(name, own) for name, own in MODULES.items() if own and name != "cupy"]
    for module in ("cupy._core.core", "cupy._core._kernel", "cupy._core._reduction", "cupy._util"):
        rows += [(f"{module}.{name}", f"gpunp.{name}") for name in NAMES[module].split()]
    rows += [(".".join(key), own) for key, own in RENAMED.items()]
    return rows


def counts():
    """Rows (module, gpunp's module, how many names it has, how many CuPy has, absent ones)."""
    for module, names in listed().items():
        own = own_module(module)
        absent = [name for name in names if not has(module, name)]
        yield module, own, len(names) - len(absent), len(names), absent


def shortened(absent):
    """Absent names; those of an absent class are left out."""
    classes = {name for name in absent if "." not in name}
    return [name for name in absent if name.partition(".")[0] not in classes or name in classes]


def page():
    """The text of the page."""
    lines = [HEAD + "\n".join(f"| `{old}` | `{new}` |" for old, new in renamed()), ""]
    lines += ["Environment variables:", "", "| CuPy | gpunp |", "|---|---|"]
    for old, new in VARIABLES.items():
        lines.append(f"| `{old}` | {new if ' ' in new else f'`{new}`'} |")
    rows = list(counts())
    have, total = sum(row[2] for row in rows), sum(row[3] for row in rows)
    lines += ["", "## Names", "", f"Of {total:,} public names of CuPy, gpunp has {have:,}. Those"]
    lines += ["that are absent raise `AttributeError` or `ImportError`."]
    lines += ["", "| CuPy | gpunp | names | absent |", "|---|---|---|---|"]
    for module, own, found, count, absent in rows:
        name = f"`{own.__name__}`" if own else "–"
        shown = " ".join(f"`{n}`" for n in shortened(absent)) if own else "all"
        lines.append(f"| `{module}` | {name} | {found} of {count} | {shown if absent else ''} |")
    lines += ["", "Why some are absent:", "", "| CuPy | reason |", "|---|---|"]
    lines += [f"| `{name}` | {reason} |" for name, reason in ABSENT.items()]
    lines += ["", "## Differences", "", "| CuPy | difference in gpunp |", "|---|---|"]
    for names, text in differences():
        lines.append(f"| {', '.join(f'`{name}`' for name in names)} | {text} |")
    lines += ["", "[differences.md](differences.md) compares with NumPy and SciPy, row by row.", ""]
    return re.sub(r" +\n", "\n", "\n".join(lines))


if __name__ == "__main__":
    PAGE.write_text(page())
