"""A process's beginning and end: import, fork, subinterpreters, exit."""

import subprocess
import sys

import child
import pytest

pytestmark = pytest.mark.null  # every test works in processes of its own


def run(program, **environment):
    variables = child.environment(**environment)
    return subprocess.run(
        [sys.executable, "-c", program], env=variables, capture_output=True, text=True, timeout=child.PATIENCE,
        check=False,
    )  # fmt: skip


def check(program, output="", **environment):
    process = run(program, **environment)
    assert (process.returncode, process.stderr) == (0, ""), process.stderr
    assert process.stdout == output


def test_import_touches_no_device():
    check(
        """
import gpunp as cp, gpunp.cuda
from gpunp import _C
cp.cuda.Device(), cp.cuda.Stream.null, cp.cuda.get_current_stream(), cp.get_default_memory_pool()
print(_C._library_paths(), cp.get_default_memory_pool().used_bytes())
""",
        "{'driver': None, 'nvrtc': None} 0\n",
    )


def test_fork_before_use():
    check(
        """
import os, gpunp as cp
pid = os.fork()
if pid == 0:
    os._exit(int((cp.arange(4) + 1).sum()))
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), int(cp.arange(4).sum()))
""",
        "10 6\n",
    )


@pytest.mark.parametrize("seconds", [0, 0.004, 0.01, 0.03])
def test_end_while_the_compiler_is_loaded(tmp_path, seconds):
    """The first process with an empty cache loads NVRTC in a thread, and may end before that has."""
    check(
        f"""
import time, gpunp as cp
cp.cuda.runtime.getDeviceProperties(0)
time.sleep({seconds})
""",
        GPUNP_CACHE_DIR=str(tmp_path),
        GPUNP_PLANS="gpu",
    )


@child.FORKS
def test_fork_after_use():
    """The child gets a clear error at once; arrays it inherited go without a driver call."""
    check(
        """
import gc, os, sys, warnings, gpunp as cp
warnings.simplefilter("ignore", DeprecationWarning)  # of Python 3.12: other threads are about
a = cp.arange(4)
stream, event, pinned = cp.cuda.Stream(), cp.cuda.Event(), cp.cuda.PinnedMemory(100)
with stream:
    b = a + 1
sys.stdout.flush()
pid = os.fork()
if pid == 0:
    for operation in (lambda: a + 1, lambda: cp.arange(3), a.get, stream.synchronize,
                      lambda: cp.cuda.Device().synchronize(), lambda: cp.cuda.runtime.memGetInfo()):
        try:
            operation()
        except RuntimeError as error:
            assert "spawn" in str(error), error
        else:
            os._exit(1)
    del a, b, stream, event, pinned, operation
    gc.collect()
    cp.get_default_memory_pool().free_all_blocks()
    sys.exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), (a + b).tolist())
""",
        "7 [1, 3, 5, 7]\n",
    )


@child.FORKS
def test_objects_that_a_fork_inherits_call_no_library():
    """Destroying them would fail at best: what they refer to is the parent's."""
    done = run(
        """
import os, gpunp as cp
link, generator = cp.cuda.function.LinkState(), cp._C.CurandGenerator(161, 7)
pid = os.fork()
if pid == 0:
    del link, generator
    os._exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
""",
        GPUNP_DEBUG="1",
    )
    assert done.stdout == "3\n"
    assert "Destroy" not in done.stderr, done.stderr


def test_multiprocessing_spawn(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import multiprocessing as mp\n"
        "import gpunp as cp\n"
        "def work(n):\n"
        "    return int(cp.arange(n).sum())\n"
        "if __name__ == '__main__':\n"
        "    cp.arange(3)\n"
        "    with mp.get_context('spawn').Pool(1) as pool:\n"
        "        print(pool.map(work, [5]))\n"
    )
    check(f"import runpy; runpy.run_path({str(script)!r}, run_name='__main__')", "[10]\n")


@pytest.mark.skipif(not hasattr(sys, "_xxsubinterpreters") and sys.version_info >= (3, 13),
                    reason="the module has another name")  # fmt: skip
def test_subinterpreter_gets_an_import_error():
    check(
        """
import _xxsubinterpreters as sub
import gpunp
from gpunp import _C
interpreter = sub.create()
sub.run_string(interpreter, f'''
import importlib.util
spec = importlib.util.spec_from_file_location("gpunp._C", {_C.__file__!r})
try:
    importlib.util.module_from_spec(spec).__spec__.loader.exec_module(
        importlib.util.module_from_spec(spec))
except ImportError as error:
    print("ImportError", "interpreter" in str(error), flush=True)
try:
    import gpunp
except ImportError as error:
    print("ImportError", flush=True)
''')
sub.destroy(interpreter)
print(int(gpunp.arange(3).sum()))
""",
        "ImportError True\nImportError\n3\n",
    )


def test_second_load():
    check(
        """
import sys, gpunp as cp
del sys.modules["gpunp._C"], sys.modules["gpunp"].__dict__["_C"]
try:
    import gpunp._C
except ImportError as error:
    print(error)
print(int(cp.arange(3).sum()))
""",
        "gpunp._C cannot be loaded twice in one process\n3\n",
    )


def test_a_second_name():
    """What imports a module by it says how the names are given."""
    check(
        """
import sys, gpunp
sys.modules["cupy"] = gpunp
import cupy
print(int(cupy.arange(3).sum()))
try:
    from cupy.cuda import texture
except ImportError as error:
    print(error)
""",
        "3\ncupy._C would load gpunp a second time: `import gpunp.as_cupy` gives gpunp's modules "
        "CuPy's names, an entry in sys.modules alone does not\n",
    )


EXITS = {
    "globals": "a = cp.arange(10); s = cp.cuda.Stream(); e = s.record(); p = cp.cuda.PinnedMemory(9)",
    "cycle": "class A: pass\nx = A(); x.x = x; x.a = cp.arange(10); x.s = cp.cuda.Stream()",
    "work in flight": "a = cp.ones(1 << 20)\nfor _ in range(5): a = a + 1",
    "atexit": "import atexit\natexit.register(lambda: print(int(cp.arange(4).sum())))",
    "atexit after": "a = cp.arange(4)\nimport atexit\natexit.register(lambda: print(int(a.sum())))",
    "in a stream": "s = cp.cuda.Stream().use(); a = cp.arange(10)",
    "pools": "p = cp.cuda.MemoryPool(); cp.cuda.set_allocator(p.malloc); a = cp.arange(10)",
    "hook": "h = cp.cuda.MemoryHook(); h.__enter__(); a = cp.arange(10)",
    "managed": "cp.cuda.set_allocator(cp.cuda.malloc_managed); a = cp.arange(10)",
    "async pool": "cp.cuda.set_allocator(cp.cuda.malloc_async); a = cp.arange(10)",
    "daemon": "import threading\n"
    "def f():\n    while True: cp.arange(10) + 1\n"
    "threading.Thread(target=f, daemon=True).start(); import time; time.sleep(0.1)",
    "callback": "s = cp.cuda.Stream(); s.launch_host_func(print, 'x'); s.synchronize()",
    "os._exit": "a = cp.arange(10); import os; os._exit(0)",
    "sys.exit": "a = cp.arange(10); import sys; sys.exit(0)",
    "module gone": "a = cp.arange(10); import sys; del sys.modules['gpunp'], cp",
    "using_allocator": "m = cp.cuda.using_allocator(cp.cuda.malloc_managed); m.__enter__(); "
    "a = cp.arange(10)",
    "staged": "from gpunp import _C; _C._stage_always(True); import numpy as np; "
    "a = cp.asarray(np.zeros(5 << 20, np.uint8)); a.get()",
}
OUTPUTS = {"atexit": "6\n", "atexit after": "6\n", "callback": "x\n"}


@pytest.mark.parametrize("name", EXITS)
def test_exit_is_silent(name):
    check("import gpunp as cp\n" + EXITS[name], OUTPUTS.get(name, ""))


def test_exception_at_exit_is_the_only_one():
    process = run("import gpunp as cp\na = cp.arange(10)\nraise KeyError('mine')")
    assert process.returncode == 1
    assert process.stderr.splitlines()[-1] == "KeyError: 'mine'"
    assert process.stderr.count("Error") == 1
