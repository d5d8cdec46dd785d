"""Write the generated block of gpunp/_C.pyi: one line for each ufunc of the table and each alias.

python tools/stubs.py [--check]     --check: change nothing, fail when the block is not current
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
STUB = ROOT / "gpunp" / "_C.pyi"
START, END = "# ---- ufuncs: written by `make stubs`", "# ---- end of ufuncs"


def block():
    """The lines between the markers."""
    from gpunp import _C

    names = {row["name"] for row in _C.ufunc_table()} | set(_C.ufunc_aliases())
    return [f"{name}: ufunc" for name in sorted(names) if isinstance(getattr(_C, name), _C.ufunc)]


def renewed(text):
    """The stub's text with the block as the table has it."""
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith(START))
    last = next(i for i, line in enumerate(lines) if line.startswith(END))
    return "\n".join([*lines[: first + 1], *block(), *lines[last:]]) + "\n"


def main():
    text = STUB.read_text()
    new = renewed(text)
    if "--check" in sys.argv:
        return 0 if new == text else "gpunp/_C.pyi is not current: run make stubs"
    STUB.write_text(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
