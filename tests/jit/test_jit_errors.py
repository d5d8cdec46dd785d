"""jit: errors name the line of Python; sources that are in no file."""

import os
import subprocess
import sys
import textwrap
import weakref

import numpy as np
import pytest

import gpunp as cp
from gpunp import jit
from gpunp.jit._source import find_source


def returns_a_value(x):
    return x[0]


def undefined(x):
    x[0] = no_such_name + 1


def used_before(x):
    x[0] = late
    if x[0] > 1:
        x[0] = late


def bad_index(x):
    x[0] = x[1.5]


def many_indices(x):
    x[0, 1] = 2


def a_list(x):
    x[0] = [i for i in range(3)][0]


def a_with(x):
    with open("x"):
        x[0] = 1


def bad_call(x):
    x[0] = np.fft.fft(x)


def bad_operands(x):
    x[0] = (x[0] + 1j) < np.arange(3)


def slices(x):
    x[0] = x[1:2]


def wrong_count(x):
    a, b = 1, 2, 3
    x[0] = a + b


def recursion(x):
    recursion(x)


def else_of_a_loop(x):
    while x[0] > 1:
        x[0] = 1
    else:
        x[0] = 2


def bad_range(x):
    for i in range(2.5):
        x[0] = i


def bad_bits(x):
    x[0] = x[0] & 1


def bad_shared(x):
    s = jit.shared_memory(np.float32, x.size)
    x[0] = s[0]


def bad_atomic(x):
    jit.atomic_inc(x, 0, 1)


def bad_attribute(x):
    x[0] = x.sum()


def no_value(x):
    x[0] = jit.syncthreads()


TABLE = np.ones((2, 2))


def host_array(x):
    x[0] = TABLE[x.size]


def inner(y):
    return y.nothing


def calls_inner(x):
    x[0] = inner(x)


ERRORS = [
    (returns_a_value, TypeError, "a kernel returns nothing", "return x[0]"),
    (undefined, NameError, "'no_such_name' is not defined", "x[0] = no_such_name + 1"),
    (used_before, NameError, "'late'", "x[0] = late"),
    (bad_index, TypeError, "an index must be an integer, not 1.5", "x[0] = x[1.5]"),
    (many_indices, IndexError, "2 indices for 1-dimensional array", "x[0, 1] = 2"),
    (a_list, NotImplementedError, "a list comprehension", "x[0] = [i for i in range(3)][0]"),
    (a_with, NotImplementedError, "with is not part", 'with open("x"):'),
    (bad_call, TypeError, "fft is not supported|cannot be called", "x[0] = np.fft.fft(x)"),
    (bad_operands, TypeError, "a number is needed|cannot be called", "< np.arange(3)"),
    (slices, NotImplementedError, "slices", "x[0] = x[1:2]"),
    (wrong_count, ValueError, "3 values for 2 variables", "a, b = 1, 2, 3"),
    (recursion, NotImplementedError, "recursion", "recursion(x)"),
    (else_of_a_loop, NotImplementedError, "`else` of a loop", "while x[0] > 1:"),
    (bad_range, TypeError, "range.. takes integers, not 2.5", "for i in range(2.5):"),
    (bad_bits, TypeError, "bitwise_and is not defined for float64", "x[0] = x[0] & 1"),
    (bad_shared, TypeError, "size must be known", "jit.shared_memory(np.float32, x.size)"),
    (bad_atomic, TypeError, "atomic_inc is not possible with float64", "jit.atomic_inc(x, 0, 1)"),
    (bad_attribute, AttributeError, "no attribute 'sum' in kernels", "x[0] = x.sum()"),
    (no_value, TypeError, "has no value|number is needed", "x[0] = jit.syncthreads()"),
    (host_array, TypeError, "cannot be part of a kernel: give it", "x[0] = TABLE[x.size]"),
    (calls_inner, AttributeError, "no attribute 'nothing'", "return y.nothing"),
]


@pytest.mark.parametrize(
    ("function", "error", "text", "line"), ERRORS, ids=[row[0].__name__ for row in ERRORS]
)
def test_errors_show_the_line(function, error, text, line):
    with pytest.raises(error, match=text) as caught:
        jit.rawkernel()(function)[1, 1](cp.zeros(3))
    message = str(caught.value)
    assert f'File "{__file__}", line' in message and line in message and "^" in message


def test_the_caret_points():
    with pytest.raises(TypeError) as caught:
        jit.rawkernel()(bad_index)[1, 1](cp.zeros(3))
    lines = str(caught.value).splitlines()
    source, caret = lines[-2:]
    assert source[caret.index("^") :].startswith("x[1.5]") and caret.count("^") == 6


def f(x, n):
    x[0] = n


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda k, x: k[1, 1](x), TypeError, "missing a required argument: 'n'"),
        (lambda k, x: k[1, 1](x, 1, 2), TypeError, "too many"),
        (lambda k, x: k[1, 1](np.zeros(1), 1), TypeError, "gpunp.asarray"),
        (lambda k, x: k[1, 1](x, "text"), TypeError, "argument 1 of kernel f: unsupported type"),
        (lambda k, x: k[1, 1](x, 2**70), OverflowError, "64 bits"),
        (lambda k, x: k[1, 1](x, n=1), TypeError, "by name"),
        (lambda k, x: k[1], ValueError, r"f\[grid, block\]"),
        (lambda k, x: k[1, 2048](x, 1), ValueError, "1024 threads"),
        (lambda k, x: k[-1, 1](x, 1), ValueError, "needs sizes from 0 to 2147483647"),
        (lambda k, x: k(1, 1, x), TypeError, "must be a tuple"),
        (lambda k, x: k.cached_code, RuntimeError, "not compiled yet"),
    ],
)
def test_bad_calls(call, error, text):
    with pytest.raises(error, match=text):
        call(jit.rawkernel()(f), cp.zeros(1))


def test_bad_decorations():
    with pytest.raises(ValueError, match="mode must be"):
        jit.rawkernel(mode="c")
    with pytest.raises(TypeError, match="Python function"):
        jit.rawkernel()(len)
    with pytest.raises(TypeError, match="device"):
        jit.rawkernel(device=1)


# ---- sources -----------------------------------------------------------------------------------------------

PROGRAM = """
import gpunp as cp
from gpunp import jit
@jit.rawkernel()
def f(x):
    x[0] = 3
x = cp.zeros(1)
f[1, 1](x)
print(x.item())
"""


@pytest.mark.parametrize("how", ["argument", "exec", "stdin", "interactive"])
def test_sources_without_a_file(how, tmp_path):
    command = [sys.executable, "-W", "error"]
    script = tmp_path / "script"
    script.write_text(PROGRAM if how == "stdin" else "")
    if how == "argument":
        command += ["-c", PROGRAM]
    elif how == "exec":
        command += ["-c", f"code = {PROGRAM!r}\nexec(code)"]
    elif how == "stdin":
        command += ["-"]
    elif sys.version_info >= (3, 13):
        pytest.skip("the interactive prompt keeps the source itself")
    else:  # readline's history stands in for a terminal
        command += [
            "-c",
            "import readline, code\n"
            f"lines = {PROGRAM.strip().splitlines()!r}\n"
            "for line in lines: readline.add_history(line)\n"
            "import ast\n"
            "body = ast.parse(chr(10).join(lines)).body\n"
            "space = {}\n"
            "for node in body:\n"
            "    one = compile(ast.Interactive([node]), '<stdin>', 'single')\n"
            "    exec(one, space)\n",
        ]
    with script.open() as source:
        done = subprocess.run(command, stdin=source, capture_output=True, text=True)
    assert done.stdout.strip() == "3.0", done.stderr


def test_a_source_that_is_nowhere():
    lines = ["d" + "ef f(x):", "    x[0] = 1"]
    space = {}
    exec(compile("\n".join(lines), "<gone>", "exec"), space)
    with pytest.raises(OSError, match="source of f.*was not found"):
        jit.rawkernel()(space["f"])[1, 1](cp.zeros(1))


def made_of_a_lost_text():
    space = {}
    exec(compile("f = lam" + "bda x: x + 1", "<gone>", "exec"), space)
    return space["f"]


def test_a_search_for_a_source_keeps_no_values():
    """Python before 3.13 copies the local variables of a frame that is asked for them."""

    class Thing:
        pass

    thing = Thing()
    alive, function = weakref.ref(thing), made_of_a_lost_text()
    with pytest.raises(OSError, match="was not found"):
        find_source(function)
    del thing
    assert alive() is None


def test_lambdas_of_one_line():
    one, two = (lambda x: x + 1), (lambda x: x * 2)
    bodies = [find_source(function)[0].body.op for function in (one, two)]
    assert [type(op).__name__ for op in bodies] == ["Add", "Mult"]


def test_indented_and_decorated():
    def deco(function):
        return function

    @deco
    @deco
    def inner(x):
        # A comment that is less indented
        x[0] = 1

    node, place = find_source(inner)
    assert node.name == "inner" and place.filename == __file__
    x = cp.zeros(1)
    jit.rawkernel()(inner)[1, 1](x)
    assert x.item() == 1
    assert textwrap.dedent("".join(place.lines)).startswith("@deco")


def test_typed_into_a_terminal():
    """The prompt itself: what was typed is in readline's history, or kept by Python 3.13."""
    pty = pytest.importorskip("pty")
    pytest.importorskip("readline")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "dumb", "PYTHON_BASIC_REPL": "1", "PYTHONSTARTUP": ""}
    child = subprocess.Popen(
        [sys.executable, "-q"], stdin=theirs, stdout=theirs, stderr=theirs, env=environment
    )
    os.close(theirs)
    typed = PROGRAM.strip().replace("= 3\n", "= 3\n\n") + "\nprint('the ' + 'end')\nexit()\n"
    os.write(ours, typed.encode())
    seen = b""
    try:
        while part := os.read(ours, 4096):
            seen += part
    except OSError:  # the other side is closed
        pass
    os.close(ours)
    assert child.wait() == 0
    assert b"\n3.0" in seen and b"the end" in seen, seen.decode(errors="replace")
