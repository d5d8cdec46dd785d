"""gpunp.distributed: collectives on arrays between processes, and ranks that are late, leave or die."""

import sys

import pytest
import rank_runs

pytestmark = pytest.mark.null

GROUP = """
group = distributed.init_process_group(timeout=LIMIT / 2)
me, n = group.rank, int(os.environ["GPUNP_DISTRIBUTED_SIZE"])
"""


def test_operations_between_processes():
    rank_runs.succeed(
        GROUP
        + """
def values(rank, dtype="f8", shape=(3, 4)):
    return (np.arange(12).reshape(shape) + 20 * rank).astype(dtype)

for dtype in "bBiIlLqQefdFD?":
    x, out = cp.asarray(values(me, dtype)), cp.zeros((3, 4), dtype)
    if dtype != "?":
        group.all_reduce(x, out)
        assert (out.get() == sum(values(r, dtype) for r in range(n))).all(), dtype
    group.broadcast(x, root=1)
    assert (x.get() == values(1, dtype)).all()
every = np.stack([values(r) for r in range(n)])
x = cp.asarray(values(me))
for op, expected in (("prod", every.prod(0)), ("max", every.max(0)), ("min", every.min(0)),
                     ("avg", every.mean(0)), ("sum", every.sum(0))):
    out = cp.zeros((3, 4))
    group.all_reduce(x, out, op)
    assert (out.get() == expected).all(), op
    group.reduce(x, out if me == 1 else x, root=1, op=op)
    assert me != 1 or (out.get() == expected).all()
flags = cp.asarray(np.array([me == 0, True, False]))
group.all_reduce(flags, flags, "max")
assert flags.tolist() == [True, True, False]

out = cp.zeros((n, 3, 4))
group.all_gather(x, out, 12)
assert (out.get() == every).all()
rows = cp.asarray(np.arange(n * 5.0).reshape(n, 5) * (me + 1))
out = cp.zeros(5)
group.reduce_scatter(rows, out, 5)
assert (out.get() == np.arange(n * 5.0).reshape(n, 5)[me] * sum(range(1, n + 1))).all()
group.scatter(rows, out, root=1)
assert (out.get() == np.arange(n * 5.0).reshape(n, 5)[me] * 2).all()
full = cp.zeros((n, 3, 4))
group.gather(x, full, root=0)
assert me != 0 or (full.get() == every).all()
out = cp.zeros((n, 5))
group.all_to_all(rows, out)
assert (out.get() == [np.arange(n * 5.0).reshape(n, 5)[me] * (r + 1) for r in range(n)]).all()

right, left = (me + 1) % n, (me - 1) % n
got = cp.zeros(5, "D")
stream = cp.cuda.Stream(non_blocking=True)
with stream:
    given = cp.asarray(np.full(5, me + 1j))
    got = cp.zeros(5, "D")
    if me % 2 == 0:
        group.send(given, right)
        group.recv(got, left, stream=stream)
    else:
        group.recv(got, left)
        group.send(given, right, stream)
    assert (got.get() == left + 1j).all()
if n == 2:
    group.send_recv(x, out := cp.zeros((3, 4)), 1 - me)
    assert (out.get() == values(1 - me)).all()
x = cp.asarray(np.zeros((3, 4), order="F"))
group.broadcast(x)
if me == 0:  # memory that an operation in another stream uses is not given away
    gone = cp.empty(1000)
    address = gone.data.ptr
    group.recv(gone, 1, stream=stream)
    del gone
    assert cp.empty(1000).data.ptr != address
    group.barrier()
    stream.synchronize()
else:
    group.barrier()
    if me == 1:
        group.send(cp.zeros(1000), 0)
group.barrier()
for call, error in (
    (lambda: group.all_reduce(np.zeros(3), x), TypeError),
    (lambda: group.all_reduce(x, cp.zeros(3)), ValueError),
    (lambda: group.all_reduce(x, cp.zeros((3, 4), "f4")), TypeError),
    (lambda: group.all_reduce(x, x, "mean"), RuntimeError),
    (lambda: group.all_reduce(got, got, "max"), ValueError),
    (lambda: group.all_reduce(flags, flags), ValueError),
    (lambda: group.all_reduce(x[:, ::2], x[:, ::2]), RuntimeError),
    (lambda: group.broadcast(x, root=n), ValueError),
    (lambda: group.send(x, -1), ValueError),
    (lambda: group.all_gather(x, x, 12), ValueError),
    (lambda: group.all_to_all(x, x), RuntimeError),
    (lambda: group.broadcast(cp.zeros(3, "i2")), TypeError),
):
    try:
        call()
    except error:
        pass
    else:
        raise AssertionError
assert f"rank {me} of {n}" in repr(group)
if me == 0:
    group.stop()
    try:
        group.broadcast(x)
    except ProcessGroupError as error:
        assert "stopped" in str(error)
    else:
        raise AssertionError
""",
        size=2,
    )


def test_a_rank_that_does_not_come_is_named(tmp_path):
    body = """
here, count, seconds = WAITING
open(os.path.join(here, os.environ["GPUNP_DISTRIBUTED_RANK"]), "w").close()
while len(os.listdir(here)) < count:  # Python starts when it starts
    time.sleep(0.01)
try:
    distributed.init_process_group(timeout=seconds)
except ProcessGroupError as error:
    print(error)
"""
    here, alone = tmp_path / "two", tmp_path / "one"
    here.mkdir(), alone.mkdir()
    with rank_runs.reserved_port() as port:
        waiting = body.replace("WAITING", repr((str(here), 2, 5)))
        ranks = [rank_runs.start(waiting, rank, 3, port) for rank in (0, 2)]
        for status, out, err in rank_runs.finish(ranks):
            assert status == 0 and "rank 1 did not come" in out, (out, err)
    with rank_runs.reserved_port() as port:
        waiting = body.replace("WAITING", repr((str(alone), 1, 1)))
        (status, out, err) = rank_runs.finish([rank_runs.start(waiting, 1, 2, port)])[0]
    assert status == 0 and "rank 1 waited 1 s for rank 0" in out, (out, err)


DEATHS = """
x = cp.zeros(1000)
group.all_reduce(x, x)
x.get()
if me == VICTIM:  # once the others have their results: a wait in progress would be told as well
    for other in set(range(n)) - {me}:
        group._client.get(f"rank {other} has its result", owner=other)
    os._exit(7)
group._client.set(f"rank {me} has its result", True)
caught = []
for i in range(2):
    try:
        if i == 0:
            WAIT
        group.all_reduce(x, x)
        x.get()
    except ProcessGroupError as error:
        caught.append(str(error))
assert len(caught) == 2 and caught[0] == caught[1] and f"rank {VICTIM}" in caught[0], caught
assert "died" in caught[0]
cp.ones(3).get()  # the device still works
print("told")
"""


@pytest.mark.parametrize(
    "wait, victim",
    [
        ("pass", 1),
        ("group.barrier()", 0),
        pytest.param("pass", 0, marks=pytest.mark.slow),
        pytest.param("group.barrier()", 1, marks=pytest.mark.slow),
    ],
)
def test_a_rank_that_dies_is_an_error_on_all_others(victim, wait):
    body = GROUP + DEATHS.replace("VICTIM", str(victim)).replace("WAIT", wait)
    results = rank_runs.run(body, size=rank_runs.MOST if wait == "pass" else 2)
    for rank, (status, out, err) in enumerate(results):
        if rank == victim:
            assert status == 7
        else:
            assert (status, out) == (0, "told\n"), err
            assert err == ""


# Rank 1 does not come to make the communicator; rank 0 is late in a call of NCCL until it knows.
UNMADE = """
import threading
from gpunp.cuda import nccl
from gpunp.distributed import _nccl
told = threading.Event()
failing = _nccl.NCCLBackend._abort
_nccl.NCCLBackend._abort = lambda group: told.set() or failing(group)
call = getattr(nccl, "LATE", None)
if os.environ["GPUNP_DISTRIBUTED_RANK"] == "1":
    _nccl.NCCLBackend._join = lambda group: os._exit(7)
elif call is not None:
    setattr(nccl, "LATE", lambda *given: (told.wait(), time.sleep(0.2), call(*given))[2])
for attempt in range(2):
    try:
        if attempt == 0:
            distributed.init_process_group(timeout=LIMIT / 2)
        nccl.NcclCommunicator(1, nccl.get_unique_id(), 0).destroy()
    except ProcessGroupError as error:
        print(error)
"""


@pytest.mark.parametrize(
    "late",
    [
        "",
        "NcclCommunicator",
        pytest.param("get_unique_id", marks=pytest.mark.slow),
    ],
)
def test_a_rank_that_dies_while_the_communicator_is_made(late):
    (status, out, err), (other, _, _) = rank_runs.run(UNMADE.replace("LATE", late))
    assert (status, other) == (0, 7) and "rank 1" in out and "died" in out, (out, err)
    assert out.count("\n") == 1 and err == ""


def test_an_exception_while_the_communicator_is_made_is_told():
    """Ctrl-C on rank 0, which waits for rank 1 in NCCL."""
    body = """
import signal, threading
from gpunp.distributed import _nccl
def interrupt():
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)
if os.environ["GPUNP_DISTRIBUTED_RANK"] == "1":
    _nccl.NCCLBackend._join = lambda group: group._client.get("what nobody sets", owner=0)
else:
    make = _nccl.nccl.NcclCommunicator
    def make_interrupted(*given):
        threading.Thread(target=interrupt, daemon=True).start()
        return make(*given)
    _nccl.nccl.NcclCommunicator = make_interrupted
try:
    distributed.init_process_group(timeout=LIMIT / 2)
except (KeyboardInterrupt, ProcessGroupError) as error:
    print(type(error).__name__, error)
cp.ones(3).get()
"""
    (status, out, err), (other, other_out, other_err) = rank_runs.run(body)
    assert (status, other) == (0, 0), (err, other_err)
    assert out.startswith("KeyboardInterrupt") and err == "", (out, err)
    said = "rank 0 could not make a communicator: KeyboardInterrupt"
    assert said in other_out, (other_out, other_err)


@pytest.mark.slow
def test_ranks_that_nccl_does_not_connect_are_an_error_in_time():
    body = """
from gpunp.distributed import _nccl
join = _nccl.NCCLBackend._join
def join_for_seconds(group):
    group._timeout = 2.0  # of NCCL; ranks may take longer to come
    join(group)
if os.environ["GPUNP_DISTRIBUTED_RANK"] == "1":
    _nccl.NCCLBackend._join = lambda group: group._client.get("what nobody sets", owner=0)
else:
    _nccl.NCCLBackend._join = join_for_seconds
try:
    distributed.init_process_group(timeout=LIMIT / 2)
except ProcessGroupError as error:
    print(error)
"""
    for status, out, err in rank_runs.run(body):
        assert status == 0, err
        assert out == "rank 0 waited 2 s for NCCL to connect all ranks\n", (out, err)


def test_an_exception_on_one_rank_is_told_to_the_others():
    body = """
x = cp.zeros(10)
group.all_reduce(x, x)
if me == 1:
    raise KeyError("an error of the program")
try:
    group.all_reduce(x, x)
    x.get()
except ProcessGroupError as error:
    print(error)
"""
    (status, out, err), (other, _, other_err) = rank_runs.run(GROUP + body)
    assert status == 0 and "rank 1 left the group (KeyError" in out, (out, err)
    assert other == 1 and "ProcessGroupError" not in other_err


def assert_named(body, what):
    """Both ranks tell that an operation of rank 0 waited too long for rank 1."""
    for status, out, err in rank_runs.run(body):
        assert status == 0, err
        said = f"{what} of rank 0 did not end within 2 s: rank 1 has not called it\n"
        assert out == said, (out, err)


def test_operations_that_do_not_fit_end_in_time_and_name_the_rank():
    body = """
group = distributed.init_process_group(timeout=LIMIT / 2)
group._timeout = 2.0  # of operations; ranks may take longer to come
x = cp.zeros(10)
try:
    while group.rank == 1 and group._client.failure is None:
        time.sleep(0.05)  # for too long
    group.all_reduce(x, x)
    x.get()
except ProcessGroupError as error:
    print(error)
else:
    raise AssertionError
"""
    assert_named(body, "all_reduce")


CALLS = {
    "alone": """group._run("all_reduce", [waits], None, ())""",
    "in a group": """
nccl.groupStart()
group.all_reduce(x, x)
nccl._nccl_group_end = waits
nccl.groupEnd()
""",
}


@pytest.mark.parametrize("call", CALLS)
def test_a_call_that_waits_on_the_host_ends_in_time(call):
    """As NCCL's first operation, which connects the ranks, where one does not come."""
    body = """
import threading
from gpunp.cuda import nccl
group = distributed.init_process_group(timeout=LIMIT / 2)
group._timeout = 2.0
x = cp.zeros(10)
aborted, abort = threading.Event(), group._client.on_failure
def waits(stream=None):
    assert aborted.wait(LIMIT / 2)
    raise nccl.NcclError(2)
group._client.on_failure = lambda: aborted.set() or abort()
try:
    if group.rank == 0:
        exec(CALL)
    while group._client.failure is None:
        time.sleep(0.05)  # for too long
    group.barrier()
except ProcessGroupError as error:
    print(error)
"""
    assert_named(body.replace("CALL", repr(CALLS[call])), "all_reduce")


def test_an_operation_in_a_group_ends_in_time():
    """The program's own group: the operation begins when that ends, and is looked at from then."""
    body = """
from gpunp.cuda import nccl
group = distributed.init_process_group(timeout=LIMIT / 2)
group._timeout = 2.0  # of operations; ranks may take longer to come
x, y = cp.zeros(10), cp.zeros(10)
try:
    if group.rank == 0:
        nccl.groupStart()
        group.send_recv(x, y, 1)
        nccl.groupEnd()
        y.get()
    else:
        while group._client.failure is None:
            time.sleep(0.05)  # for too long
        group.barrier()
except ProcessGroupError as error:
    print(error)
"""
    assert_named(body, "send_recv")


def test_ranks_that_leave_when_they_are_done_are_no_error():
    rank_runs.succeed(
        GROUP
        + """
x = cp.ones(5)
group.all_reduce(x, x)
if me == 1:
    time.sleep(0.5)  # rank 0, which has the store, is gone
assert x.tolist() == [2] * 5
"""
    )


@pytest.mark.slow
def test_wrong_sizes_and_ranks_are_errors():
    body = """
try:
    distributed.init_process_group(timeout=LIMIT / 2)
except ProcessGroupError as error:
    print(error)
"""
    with rank_runs.reserved_port() as port:
        ranks = [rank_runs.start(body, 0, 2, port), rank_runs.start(body, 1, 3, port)]
        (_, out0, err0), (_, out1, err1) = rank_runs.finish(ranks)
    for out, err in ((out0, err0), (out1, err1)):
        assert "rank 1 has joined for 3 ranks, rank 0 for 2" in out, err


LAUNCHED = """
import sys
import gpunp as cp
from gpunp import distributed
group = distributed.init_process_group()
x = cp.ones(3) * (group.rank + 1)
group.all_reduce(x, x)
assert x.tolist() == [3, 3, 3] and sys.argv[1:] == ["--flag", "a b"]
assert cp.cuda.Device().id == group.rank
if len(sys.argv) > 9 or FAILS and group.rank == 1:
    sys.exit(5)
if FAILS:
    group.all_reduce(x, x)
    x.get()
"""


LAUNCHER = """
import sys
from gpunp.distributed import _launch
_launch.GRACE = SECONDS
sys.exit(_launch.main(sys.argv[1:]))
"""


@pytest.mark.parametrize("fails", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_the_launcher_starts_ranks_and_ends_them(fails, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(LAUNCHED.replace("FAILS", str(fails)))
    launcher = LAUNCHER.replace("SECONDS", str(rank_runs.LIMIT))  # a rank may take long to raise
    command = [sys.executable, *(("-c", launcher) if fails else ("-m", "gpunp.distributed"))]
    status, _, err = rank_runs.run_program(*command, "--nproc", "2", script, "--flag", "a b")
    if fails:
        assert status in (1, 5) and "rank 1 left the group" in err, err
    else:
        assert status == 0, err


def test_the_launcher_ends_ranks_that_would_go_on(tmp_path):
    """A rank that is killed ends the program, though the other one never communicates again."""
    script = tmp_path / "script.py"
    script.write_text(
        "import os, signal, time\n"
        "if os.environ['GPUNP_DISTRIBUTED_RANK'] == '1':\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "time.sleep(600)\n"
    )
    command = [sys.executable, "-c", LAUNCHER.replace("SECONDS", "0.5")]
    assert rank_runs.run_program(*command, "--nproc", "2", script)[0] == 128 + 9
