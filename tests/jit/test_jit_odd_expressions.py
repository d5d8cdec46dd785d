"""Odd Python in kernels: each is compiled, or refused by an error that shows the line."""

import linecache

import pytest

import gpunp as cp
from gpunp import jit

EXPRESSIONS = """
'a'.upper() | ''.join(x) | 'a' | b'a' | 'a' + 'b' | f'{x[0]}' | '%d' % 3 | 'a' * 3 | x[0] == 'a'
x[0].real | x.foo | x.foo() | x[0].upper() | x.__class__ | ().__class__ | x.T | x.sum() | x.shape
[1, 2] | {1: 2} | {1, 2} | (1, 2)[0] | [i for i in range(3)] | lambda: 1 | (y := 3) | {} | () | (1,)
None | ... | x[0] is None | x[0:1] | x[::2] | x[0, 0] | x[0.5] | x[x] | x['a'] | x[None] | x[[1, 2]]
x[10**30] | x[-10**30] | 2**100 | 10**400 | 1e400 | 2**64 | 1 << 100 | 1 // 0 | 1 % 0 | cp.int8(300)
open('a') | print | input() | exec('1') | eval('1') | super() | object() | globals() | __import__('os')
Exception() | type(x[0]) | sorted(x) | sum(x) | isinstance(x[0], int) | undefined | undefined() | *x
max() | max(x[0]) | abs('a') | int('3') | float() | divmod(x[0], 2) | complex(1, 'a') | round(x[0])
x[0] @ x[0] | x[0] in x | not x | -'a' | ~x[0] | x[0] << 1 | 1 < x[0] < 2 | x[0] and x | x or 1
jit | jit.foo | jit.grid() | jit.grid(9) | jit.threadIdx | jit.threadIdx.q | jit.atomic_add(x)
jit.atomic_add(x, 0, 'a') | jit.shared_memory(cp.float32, 'a') | jit.shared_memory() | jit.laneid(3)
cp.sin() | cp.sin(1, 2, 3) | cp.foo(1) | cp.zeros(3) | cp.float32('a') | cp.linalg.norm(x) | cp.linalg
"""
FORMS = ["x[0] = {}", "x[{}] = 1", "for i in {}: x[0] = 1"]
MORE = ["y = {}", "{}", "if {}: x[0] = 1", "return {}"]  # with --slow
DOCUMENTED = (
    AttributeError, IndexError, NameError, NotImplementedError, OverflowError, SyntaxError,
    TypeError, ValueError, ZeroDivisionError,
)  # fmt: skip
CASES = [e.strip() for line in EXPRESSIONS.strip().splitlines() for e in line.split(" | ")]


def kernel(text, name):
    """The function of a source that inspect can find, and its file's name."""
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope = {"cp": cp, "jit": jit}
    exec(compile(text, name, "exec"), scope)
    return jit.rawkernel()(scope["f"])


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("expression", CASES)
def test_compiled_or_refused_at_its_line(expression, request, tmp_path, monkeypatch):
    forms = FORMS + MORE if request.config.getoption("--slow") else FORMS
    monkeypatch.chdir(tmp_path)
    x = cp.zeros(64, "f4")[:4]  # some of them store behind its end
    for number, form in enumerate(forms):
        name = f"<odd {expression} {number}>"
        text = f"def f(x):\n    {form.format(expression)}\n"
        try:
            f = kernel(text, name)
        except SyntaxError:  # no Python at all
            continue
        try:
            f((1,), (1,), (x,))
        except DOCUMENTED as error:
            assert f'File "{name}", line 2' in str(error), (form, error)
            for word in ("NoneType", "_C.", "NVRTC", "internal"):
                assert word not in str(error).partition("\n")[0], (form, error)
    cp.cuda.Stream.null.synchronize()


def test_host_functions_are_not_called(tmp_path):
    """A call of a known function is made while compiling only if it does nothing else."""
    file = tmp_path / "made"
    f = kernel(f"def f(x):\n    x[0] = open({str(file)!r}, 'w')\n", "<odd open>")
    with pytest.raises(TypeError, match="open cannot be called in a kernel"):
        f((1,), (1,), (cp.zeros(1),))
    assert not file.exists()
