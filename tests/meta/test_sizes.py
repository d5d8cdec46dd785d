"""Size is a feature: files and functions have a limit."""

import ast
import re

import pytest
from sources import CSRC, ROOT, c_files, c_functions, c_parameters, files

pytestmark = pytest.mark.null

FILE_LINES = 1200
C_FUNCTION_LINES = 80
PYTHON_FUNCTION_LINES = 60
PARAMETERS = 6
# Functions whose parameters are NVIDIA's: entries of the driver and of its libraries. API(name, ...)
# is the head of one.
ENTRY = re.compile(r"API|(?:cu|cublas|cublasLt|cufft|curand|cusolver|nccl|nvJitLink)[A-Z]\w*")
# Functions of more parameters. Only take names out: a new one gets a struct.
MANY_PARAMETERS = {
    "core/array.c": {"from_block_as", "gnp_array_view_as"},
    "core/elementwise.c": {"run_on"},
    # After BLAS and LAPACK, whose parameters these have.
    "emu/libs/cublas_solve.c": {"geqrf_batched", "getrf_batched", "getri_batched", "trsm"},
    "emu/libs/cusolver_factor.c": {"potrf_batched"},
    "emu/libs/cusolver_spectral.c": {"syev_size", "syev_work"},
    "emu/libs/lapack.c": {"call_gesvd", "emu_conj_transpose", "emu_gesvd", "emu_syevd"},
    "emu/ptx/decode_texture.c": {"emit"},
    "lib/fft_plan.c": {"run_alone"},
    "product/product_launch.c": {"launch"},
    "reduce/reduce_launch.c": {"launch"},
}
# Interpreters dispatch in one function; splitting the switch would hide it.
EXEMPT_MARK = "/* dispatch: one switch, exempt from the size rule */"


@pytest.mark.parametrize(
    "path",
    [
        p
        for p in files(
            "csrc/*",
            "kernels/*",
            "gpunp/*",
            "tests/*",
            "tools/*",
            "benchmarks/*",
            "examples/*",
            "setup.py",
        )
        if p.suffix in {".c", ".h", ".def", ".cu", ".cuh", ".py"} or p.name == "_C.pyi"
    ],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_file_is_short(path):
    count = path.read_text().count("\n")
    assert count <= FILE_LINES, f"{count} lines; split it by subject"


@pytest.mark.parametrize(
    "path", [p for p in c_files() if p.suffix == ".c"], ids=lambda path: str(path.relative_to(ROOT))
)
def test_c_functions_are_short(path):
    lines = path.read_text().splitlines()
    for name, start, count in c_functions(path):
        above = lines[start - 3 : start]
        if any(EXEMPT_MARK in line for line in above):
            continue
        assert count <= C_FUNCTION_LINES, f"{path.name}:{start}: {name} has {count} lines"


def test_parameters_are_counted(tmp_path):
    path = tmp_path / "functions.c"
    path.write_text(
        "static int\nnone(void)\n{\n}\n\n"
        "int\ntwo(const int *a, /* one, */\n    int (*b)(int, int))\n{\n}\n\n"
        "int declared(int a, int b, int c);\n"
    )
    assert list(c_parameters(path)) == [("none", 0), ("two", 2)]


def test_many_parameters_are_a_struct():
    found = {}
    for path in c_files():
        for name, count in c_parameters(path) if path.suffix == ".c" else ():
            if count > PARAMETERS and not ENTRY.fullmatch(name):
                found.setdefault(path.relative_to(CSRC).as_posix(), set()).add(name)
    assert found == MANY_PARAMETERS


def code_lines(node):
    """Lines of a Python function without its docstring."""
    body = node.body
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:] or body
    return body[-1].end_lineno - body[0].lineno + 1


@pytest.mark.parametrize(
    "path",
    files("gpunp/*.py", "tools/*.py", "benchmarks/*.py", "examples/*.py", "setup.py"),
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_python_functions_are_short(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            count = code_lines(node)
            assert count <= PYTHON_FUNCTION_LINES, f"{path.name}: {node.name} has {count} lines"
