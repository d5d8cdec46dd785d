"""Kernels that are compiled ahead in other threads: the same results, errors and ends."""

import os
import subprocess
import sys

import child
import pytest

pytestmark = pytest.mark.null  # programs run in processes of their own

has_two_cores = pytest.mark.skipif(
    len(os.sched_getaffinity(0)) < 2, reason="nothing is compiled ahead on one core"
)
PROGRAM = """
import numpy as np
import gpunp as cp
x = np.random.default_rng(1).random(20000).astype("f4")
a = cp.asarray(x)
"""
SORT = "assert (cp.asnumpy(cp.sort(a)) == np.sort(x)).all()\n"


def python(program, folder, **environment):
    """Run a program with an empty kernel cache in the folder; return the finished process."""
    variables = {"GPUNP_CACHE_DIR": str(folder / "cache"), "GPUNP_DEBUG": "3", "GPUNP_PACK": "off"}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM + program],
        env=child.environment(**variables | environment),
        capture_output=True,
        text=True,
        timeout=child.PATIENCE,
        check=False,
    )


def ahead(process):
    """Files of the kernels that were compiled ahead."""
    assert process.returncode == 0, process.stderr
    lines = process.stderr.splitlines()
    return {line.split()[1] for line in lines if line.endswith(" is compiled ahead")}


@has_two_cores
def test_operations_name_their_kernels(tmp_path):
    program = (
        SORT
        + "assert (cp.asnumpy(a[a > 0.5]) == x[x > 0.5]).all()\n"
        + "many = np.tile(x, 10)\nassert float(cp.median(cp.asarray(many))) == np.median(many)\n"
    )
    program += (
        "assert float(cp.asarray(many).max()) == many.max()\n"
        "from gpunp.scipy import ndimage\n"
        "assert ndimage.label(cp.asarray([[1, 0, 1], [1, 0, 1]]))[1] == 2\n"
    )
    found = ahead(python(program, tmp_path, GPUNP_PLANS="gpu"))
    files = {"sort_pass.cu", "sort_scan.cu", "select_scan.cu", "select.cu", "rank_pick.cu"}
    assert found == {*files, "label.cu", "reduce_columns.cu"}
    assert ahead(python(program, tmp_path, GPUNP_PLANS="gpu")) == found  # from the cache as well


@has_two_cores
def test_solve_names_the_kernels_that_follow_the_factorisation(tmp_path):
    program = (
        "m, b = np.eye(40) * 3 + 1, np.arange(40.0)\n"
        "found = cp.linalg.solve(cp.asarray(m), cp.asarray(b))\n"
        "assert np.allclose(cp.asnumpy(found), np.linalg.solve(m, b))\n"
    )
    found = python(program, tmp_path, GPUNP_PLANS="gpu")
    assert ahead(found) <= {"pivots.cu", "triangle.cu"}
    assert "triangle.cu" in ahead(found)
    # The triangles that were named are those that are used: no third one is compiled.
    assert found.stderr.count(" compiled triangle.cu") == 2


def test_on_one_core_nothing_is_compiled_ahead(tmp_path):
    program = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n" + SORT
    assert ahead(python(program, tmp_path)) == set()


def broken(folder, name):
    """A folder of kernels with one that does not compile."""
    file = folder / "kernels" / "select" / name
    file.parent.mkdir(parents=True)
    file.write_text("this is no kernel\n")
    return str(folder / "kernels")


def test_error_is_raised_by_the_call_that_needs_the_kernel(tmp_path):
    folder = broken(tmp_path, "sort_pass.cu")
    program = """
import os
name = os.path.join(os.environ["GPUNP_KERNELS"], "select", "sort_pass.cu")
for _ in range(2):
    try:
        cp.sort(a)
    except cp.cuda.CompileException as error:
        assert "sort_pass.cu" in str(error), error
        print("refused")
assert (cp.asnumpy(a[a > 0.5]) == x[x > 0.5]).all()
os.remove(name)
"""
    process = python(program + SORT, tmp_path, GPUNP_KERNELS=folder)
    ahead(process)
    assert process.stdout == "refused\n" * 2


def test_program_ends_while_kernels_are_compiled(tmp_path):
    """The first kernel fails at once; those that were asked for are still being compiled."""
    process = python("cp.sort(a)", tmp_path, GPUNP_KERNELS=broken(tmp_path, "sort_histogram.cu"))
    assert process.returncode == 1, process.stderr
    assert "CompileException" in process.stderr and "sort_histogram.cu" in process.stderr


@child.FORKS
def test_child_of_a_fork_ends(tmp_path):
    program = """
import os
import warnings
warnings.simplefilter("ignore", DeprecationWarning)  # of forking a process with threads
cp.sort(a)
child = os.fork()
if child == 0:
    raise SystemExit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""
    ahead(python(program, tmp_path))


def test_threads_that_want_the_same_kernels(tmp_path):
    program = """
import threading
wrong = []
def work(dtype):
    with cp.cuda.Stream(non_blocking=True):
        values = (1000 * x).astype(dtype)
        if not (cp.asnumpy(cp.sort(cp.asarray(values))) == np.sort(values)).all():
            wrong.append(dtype)
threads = [threading.Thread(target=work, args=(dtype,)) for dtype in ("f4", "f4", "i2", "i2")]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert not wrong
"""
    ahead(python(program, tmp_path))
