"""Modules that are imported inside a call: only their own absence becomes a hint to install them."""

import os
import subprocess
import sys

import child
import pytest

PROGRAM = """
import sys, pathlib
folder = pathlib.Path(sys.argv[1])
name, body, call = sys.argv[2:]
package = folder / name.split(".")[0]
if body != "absent":
    module = folder.joinpath(*name.split("."))
    for part in [module, *module.parents]:
        if part == folder:
            break
        part.mkdir(parents=True, exist_ok=True)
        (part / "__init__.py").touch()
    (module / "__init__.py").write_text(body)
    sys.path.insert(0, str(folder))
else:
    class Absent:
        def find_spec(self, wanted, path=None, target=None):
            if wanted.split(".")[0] == name.split(".")[0]:
                raise ModuleNotFoundError(f"No module named {wanted!r}", name=wanted)
    sys.meta_path.insert(0, Absent())
import gpunp as cp
try:
    eval(compile(call, "call", "eval"))
except BaseException as error:
    print(type(error).__name__, error)
"""

SOLVE = ("scipy.linalg.cython_blas", "cp.linalg.qr(cp.ones((40, 40)))")
BF16 = ("ml_dtypes", "cp.zeros(3, 'bfloat16')")


def run(tmp_path, name, body, call):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path), name, body, call],
        env={**os.environ, "GPUNP_DEVICE": "emulated"},  # whose LAPACK is SciPy's
        capture_output=True,
        text=True,
        timeout=child.PATIENCE,
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize("name, call", [SOLVE, BF16], ids=["scipy", "ml_dtypes"])
@pytest.mark.parametrize(
    "body, expected",
    [
        ("raise KeyboardInterrupt('now')", "KeyboardInterrupt now"),
        ("raise MemoryError('none left')", "MemoryError none left"),
        ("raise ImportError('a broken build')", "ImportError a broken build"),
        ("import surely_not_there", "ModuleNotFoundError No module named 'surely_not_there'"),
        ("raise SystemExit(3)", "SystemExit 3"),
        ("1 / 0", "ZeroDivisionError division by zero"),
    ],
)
def test_errors_inside_go_through(tmp_path, name, call, body, expected):
    assert run(tmp_path, name, body, call).strip() == expected


@pytest.mark.parametrize("name, call", [SOLVE, BF16], ids=["scipy", "ml_dtypes"])
def test_absence_is_a_hint(tmp_path, name, call):
    said = run(tmp_path, name, "absent", call)
    assert said.startswith("ImportError") and "pip install" in said


def test_the_counterpart_of_a_function_is_not_forgotten_over_an_error(tmp_path):
    """numpy.linalg.norm of our array asks for gpunp.linalg; an interrupt there is no 'no'."""
    call = (
        "[__import__('sys').modules.pop(m) for m in list(sys.modules) if m == 'gpunp.linalg'], "
        "__import__('numpy').linalg.norm(cp.ones(3))"
    )
    program = PROGRAM.replace(
        "import gpunp as cp",
        "import gpunp as cp\n"
        "class Stop:\n"
        "    def find_spec(self, wanted, path=None, target=None):\n"
        "        if wanted == 'gpunp.linalg': raise KeyboardInterrupt('in ' + wanted)\n"
        "sys.meta_path.insert(0, Stop())",
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path), "unused", "", call],
        capture_output=True,
        text=True,
        timeout=child.PATIENCE,
        check=True,
    )
    assert done.stdout.strip() == "KeyboardInterrupt in gpunp.linalg"
