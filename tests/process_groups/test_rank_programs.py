"""The programs of examples/ for several ranks give what one rank gives."""

import re
import shutil
import subprocess
import sys

import pytest
import rank_runs

pytestmark = pytest.mark.null


def run(*command):
    """What a command prints."""
    status, out, err = rank_runs.run_program(*command)
    assert status == 0, err
    return out


def launched(count, program, *arguments):
    command = [sys.executable, "-m", "gpunp.distributed", "--nproc", str(count)]
    return run(*command, f"examples/{program}", *arguments)


CHECK_KMEANS = """
import sys
sys.path.insert(0, "examples")
import numpy as np
import gpunp as cp
from gpunp import distributed
from ranks_kmeans import blobs, kmeans, share
group = distributed.init_process_group()
points = np.random.default_rng(1).normal(size=(301, 3)) + 9 * (np.arange(301) % 4)[:, None]
mine = share(301, group.rank, group.size)
centres = kmeans(group, cp.asarray(points[mine]), cp.asarray(points[:4]), 6).get()
expected = points[:4]
for _ in range(6):
    nearest = ((points[:, None] - expected) ** 2).sum(2).argmin(1)
    expected = np.stack([points[nearest == i].mean(0) for i in range(4)])
assert np.allclose(centres, expected)
assert blobs(10, 2, 3, group.rank, group.size).shape == (5, 2)
"""

CHECK_STENCIL = """
import sys
sys.path.insert(0, "examples")
import numpy as np
import gpunp as cp
import ranks_stencil
by = ranks_stencil.ByMpi if "--mpi" in sys.argv else ranks_stencil.ByNccl
ranks = by()
mine = ranks_stencil.run(ranks, 20, 30).get()
plate = np.zeros((20, 20), "f4")
plate[0] = 100
for _ in range(30):
    flow = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
    plate[1:-1, 1:-1] += np.float32(0.2) * (flow - 4 * plate[1:-1, 1:-1])
first = 18 * ranks.rank // ranks.size
assert np.allclose(mine[1:-1], plate[first + 1 : first + len(mine) - 1], rtol=1e-4), mine
ranks.barrier()
"""


@pytest.mark.parametrize("check", [CHECK_KMEANS, CHECK_STENCIL], ids=["kmeans", "stencil"])
def test_two_ranks_compute_what_numpy_does(check, tmp_path):
    script = tmp_path / "check.py"
    script.write_text(check)
    run(sys.executable, "-m", "gpunp.distributed", "--nproc", "2", str(script))


@pytest.mark.slow
def test_the_programs_run():
    for program, sizes in (("ranks_kmeans.py", "400 3 2 2"), ("ranks_stencil.py", "16 3")):
        assert re.search(r"2", launched(2, program, *sizes.split()))


def takes_device_memory():
    """Whether Open MPI says that it was built with CUDA."""
    info = shutil.which("ompi_info")
    if info is None:
        return False
    said = subprocess.run([info, "--parsable", "--all"], capture_output=True, text=True).stdout
    return "mpi_built_with_cuda_support:value:true" in said


def test_halo_exchange_by_mpi(tmp_path):
    pytest.importorskip("mpi4py", reason="mpi4py is not installed")
    mpirun = shutil.which("mpirun") or shutil.which("mpiexec")
    if mpirun is None:
        pytest.skip("there is no mpirun")
    if rank_runs.DEVICE != "emulated" and not takes_device_memory():
        pytest.skip("this MPI was built without CUDA")
    script = tmp_path / "check.py"
    script.write_text(CHECK_STENCIL)
    flags = ["--allow-run-as-root", "--oversubscribe"] if "mpirun" in mpirun else []
    run(mpirun, *flags, "-n", "2", sys.executable, str(script), "--mpi")
