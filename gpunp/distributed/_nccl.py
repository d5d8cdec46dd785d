"""Collective operations on arrays, by NCCL, and what notices that a rank is missing.

An operation is put into a stream and nothing is waited for. Behind it an event is recorded; the
store's thread looks at the oldest one now and then. If it takes too long, or a rank dies or leaves
too early, the communicator is aborted, which ends what waits on the device, and the wait in
progress (or the next call) raises ProcessGroupError.
"""

import atexit
import contextlib
import functools
import socket
import sys
import threading
import time
import weakref

import gpunp
from gpunp.cuda import CUDADriverError, Device, Event, get_current_stream, nccl
from gpunp.cuda._foreign_work import buffer_of, fail_waits, stream_uses

from ._store import Client, ProcessGroupError, Server

__all__ = ["NCCLBackend"]

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 13333
DEFAULT_TIMEOUT = 600.0

# NCCL's number of a dtype, and how many of those an element has.
_TYPES = {
    "?": (nccl.NCCL_UINT8, 1),
    "b": (nccl.NCCL_INT8, 1),
    "B": (nccl.NCCL_UINT8, 1),
    "i": (nccl.NCCL_INT32, 1),
    "I": (nccl.NCCL_UINT32, 1),
    "l": (nccl.NCCL_INT64, 1),
    "L": (nccl.NCCL_UINT64, 1),
    "q": (nccl.NCCL_INT64, 1),
    "Q": (nccl.NCCL_UINT64, 1),
    "e": (nccl.NCCL_FLOAT16, 1),
    "f": (nccl.NCCL_FLOAT32, 1),
    "d": (nccl.NCCL_FLOAT64, 1),
    "F": (nccl.NCCL_FLOAT32, 2),
    "D": (nccl.NCCL_FLOAT64, 2),
}
_OPS = {
    "sum": nccl.NCCL_SUM,
    "prod": nccl.NCCL_PROD,
    "max": nccl.NCCL_MAX,
    "min": nccl.NCCL_MIN,
    "avg": nccl.NCCL_AVG,
}


@functools.cache  # the name of a dtype takes NumPy several microseconds
def type_of(dtype):
    """NCCL's number of a dtype, and how many of those an element has; TypeError if none."""
    if dtype.name == "bfloat16":
        return nccl.NCCL_BFLOAT16, 1
    if dtype.char not in _TYPES or not dtype.isnative:
        raise TypeError(f"NCCL has no type for arrays of {dtype}")
    return _TYPES[dtype.char]


def op_of(op, dtype):
    """NCCL's number of an operation on elements of a dtype."""
    if op not in _OPS:
        raise RuntimeError(f"op must be one of {', '.join(map(repr, _OPS))}, not {op!r}")
    if dtype.kind == "c" and op not in ("sum", "avg"):
        raise ValueError(f"op is {op!r}; complex numbers can be combined by 'sum' and 'avg' only")
    if dtype.kind == "b" and op in ("sum", "avg"):
        raise ValueError(f"op is {op!r}; bools can be combined by 'max', 'min' and 'prod' only")
    return _OPS[op]


class _Watch:
    """The operations of a rank: how many there were, and whether the oldest has ended.

    `marker` is an event behind an operation that is being looked at; `latest` one behind the last
    operation, which becomes the marker once the marker is done. Two events serve for all.
    `calling` are the facts of an operation that has been called and is not in its stream yet: NCCL
    connects ranks at their first operations, and a call waits on the host for the others then.
    """

    def __init__(self):
        self.counts = {"all": 0}
        self.lock = threading.Lock()
        self.marker = self.latest = None  # (event, facts), facts: what, key and number
        self.calling = None
        self.since = self.called = 0.0

    def count(self, key):
        """Number of the operation that is about to be called, from 1 on."""
        self.counts[key] = self.counts.get(key, 0) + 1
        return self.counts[key]

    def call(self, facts):
        """An operation is about to be called, or, of None, has been."""
        self.called = time.monotonic()
        self.calling = facts

    def record(self, stream, facts):
        """Put an event behind the operation that was called last."""
        with self.lock:
            event = self.latest[0] if self.latest else Event(disable_timing=True)
            event.record(stream)
            self.latest = event, facts
            if self.marker is None:
                self._advance()

    def _advance(self):
        self.marker, self.latest = self.latest, None
        self.since = time.monotonic()

    def overdue(self, timeout):
        """Facts of an operation that has not ended for `timeout` seconds, or None."""
        calling = self.calling
        if calling is not None and time.monotonic() - self.called >= timeout:
            return calling
        with self.lock:
            while self.marker is not None and self.marker[0].done:
                self._advance()
            if self.marker is None or time.monotonic() - self.since < timeout:
                return None
            return self.marker[1]


class _Joining:
    """A communicator that is being made, in a thread: signals do not interrupt that one, and reach
    who waits for it.

    NCCL documents a way to end this for non-blocking communicators only, each of whose operations
    would have to be asked for until it is in its stream. So where a rank does not come the thread
    is left alone: it ends what it makes after all, and ends with the process at the latest.
    """

    def __init__(self, device, *arguments):
        self.comm = self.error = None
        self._lock, self._is_given_up = threading.Lock(), False
        self.is_over = threading.Event()  # it is made, or it is known that it will not be
        threading.Thread(
            target=self._make, args=(device, arguments), name="gpunp joins", daemon=True
        ).start()

    def _make(self, device, arguments):
        comm = error = None
        try:
            with Device(device):
                comm = nccl.NcclCommunicator(*arguments)
        except BaseException as caught:
            error = caught
        with self._lock:
            self.comm, self.error = comm, error
            is_given_up = self._is_given_up
        self.is_over.set()
        if is_given_up:
            _abort(comm)

    def give_up(self):
        """Nobody waits for it any more."""
        with self._lock:
            self._is_given_up = True
        self.is_over.set()
        _abort(self.comm)


def _abort(comm):
    """End a communicator, if it is made, and the work that waits for other ranks."""
    if comm is None:
        return
    if comm._is_captured:  # it returns when the last graph is gone, which is not waited for
        threading.Thread(target=_abort_now, args=(comm,), name="gpunp aborts", daemon=True).start()
    else:
        _abort_now(comm)


def _abort_now(comm):
    with contextlib.suppress(nccl.NcclError):
        comm.abort()


def _call_together(calls, stream):
    """Calls of NCCL with a stream's address, several as one group."""
    if len(calls) == 1:
        calls[0](stream)
        return
    nccl.groupStart()
    try:
        for call in calls:
            call(stream)
    finally:
        nccl.groupEnd()


class NCCLBackend:
    """One rank of a process group whose ranks communicate by NCCL.

    Each rank is a process (or a thread) that uses one device, the current one when the group is
    made. `init_process_group` is the usual way to make one.

    Parameters
    ----------
    n_devices : int
        Number of ranks in the group.
    rank : int
        Which rank this is, from 0 on.
    host : str, optional
        Address of the machine of rank 0.
    port : int, optional
        Port at which rank 0 listens.
    use_mpi : bool, optional
        If True, ranks find rank 0 by mpi4py; `host` and `port` are not used.
    timeout : float, optional
        Seconds after which a rank that does not come, or an operation that does not end, is an
        error on all ranks.

    Attributes
    ----------
    rank : int
        Which rank this is.
    size : int
        Number of ranks in the group.
    """

    def __init__(
        self,
        n_devices,
        rank,
        host=DEFAULT_HOST,
        port=DEFAULT_PORT,
        use_mpi=False,
        *,
        timeout=DEFAULT_TIMEOUT,
    ):
        if n_devices < 1 or not 0 <= rank < n_devices:
            raise ValueError(f"rank is {rank} and n_devices {n_devices}; 0 <= rank < n_devices")
        self.rank, self.size, self._timeout = int(rank), int(n_devices), float(timeout)
        self._device = Device().id
        self._server = self._comm = self._joining = None
        self._watch, self._departed = _Watch(), {}
        if use_mpi:
            host, port = self._meet_by_mpi()
        elif rank == 0:
            self._server = Server(n_devices, host, port)
        self._client = Client(n_devices, rank, host, port, timeout)
        self._client.on_failing = lambda text: fail_waits(ProcessGroupError(text))
        self._client.on_failure = self._abort
        self._client.on_left = self._peer_left
        self._client.on_tick = self._tick
        _at_exit(self)
        try:
            self._client.barrier("for all ranks to join")
            self._join()
        except ProcessGroupError:
            fail_waits(None)  # this exception says it
            raise
        except BaseException as error:
            if isinstance(error, nccl.NcclError):
                self._check()  # a failure of the group is the cause
            said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            self._client.fail(f"rank {rank} could not make a communicator: {said}")
            fail_waits(None)
            raise

    def _meet_by_mpi(self):
        """Rank 0's address and port, which mpi4py tells all ranks."""
        from mpi4py import MPI

        world = MPI.COMM_WORLD
        place = None
        if self.rank == 0:
            self._server = Server(self.size, "", 0)
            place = socket.gethostname(), self._server.port
        return world.bcast(place, root=0)

    def _join(self):
        """Make the communicator; not longer than `timeout`, nor after a failure."""
        if self.rank == 0:
            identifier = nccl.get_unique_id()
            self._client.set("nccl", list(identifier))
        else:
            identifier = tuple(self._client.get("nccl", owner=0))
        self._check()
        self._joining = _Joining(self._device, self.size, identifier, self.rank)
        try:
            self._check()  # later failures give it up by themselves
            is_over = self._joining.is_over.wait(self._timeout)
            self._check()
            if not is_over:
                text = f"rank {self.rank} waited {self._timeout:g} s for NCCL to connect all ranks"
                self._client.fail(text)
                raise ProcessGroupError(text)
            if self._joining.error is not None:
                raise self._joining.error
            self._comm = self._joining.comm
        except BaseException:
            self._joining.give_up()
            raise

    # ---- failures

    def _abort(self):
        """Once the group has failed: end what waits on the device, or for ranks to join."""
        joining = self._joining
        if joining is not None:
            joining.give_up()

    def _peer_left(self, rank, counts, reason):
        """In the store's thread: an operation that needs a rank that has left will never end."""
        self._departed[rank] = counts, reason
        missing = self._missing(rank)
        if missing:
            self._client.fail(missing)

    def _missing(self, rank):
        """A sentence if this rank has called what a rank that has left has not; else None."""
        theirs, reason = self._departed[rank]
        keys = (("all", "all"), (f"to {rank}", f"from {self.rank}"))
        for mine, other in (*keys, (f"from {rank}", f"to {self.rank}")):
            count = self._watch.counts.get(mine, 0)
            if count > theirs.get(other, 0):
                return (
                    f"rank {rank} left the group{reason} after {theirs.get(other, 0)} operations; "
                    f"rank {self.rank} has called {count} that need it"
                )
        return None

    def _tick(self):
        """In the store's thread, now and then: look at operations, return their counts."""
        comm = self._comm
        if comm is not None and comm.comm and self._client.failure is None:
            try:
                comm.check_async_error()
                facts = self._watch.overdue(self._timeout)
            except nccl.NcclError as error:
                self._client.fail(f"rank {self.rank}: {error}")
            except CUDADriverError:
                pass  # a device that fails says so to whoever waits for it
            else:
                if facts is not None:
                    self._client.stuck(timeout=self._timeout, **facts)
        return dict(self._watch.counts)

    def _run(self, what, calls, stream, arrays, peers=None):
        """Put NCCL's calls, functions of a stream's address, into the stream as one group.

        `arrays` are those whose addresses the calls have. `peers` is None for an operation of all
        ranks, else (direction, rank) of each message.
        """
        if self._comm is None or not self._comm.comm:
            self._check()  # it was aborted after a failure
            raise ProcessGroupError("the process group was stopped")
        self._check()
        for key in ("all",) if peers is None else [f"{how} {rank}" for how, rank in peers]:
            facts = {"what": what, "key": key, "number": self._watch.count(key)}
        if self._departed:
            self._check_departed()
        with Device(self._device):
            stream = get_current_stream() if stream is None else stream
            for array in arrays:
                stream_uses(array, stream)
            submitting = self._submitting(stream, facts)
            if nccl._is_grouping():  # a group of the program: it begins when that ends
                _call_together(calls, stream.ptr)
                nccl._around_group_end(submitting)
            else:
                with submitting:
                    _call_together(calls, stream.ptr)

    @contextlib.contextmanager
    def _submitting(self, stream, facts):
        """Around the call that puts an operation into its stream, which may wait for other ranks.

        The call and then the operation are watched. A failure of the group, which ends both, is
        what is raised.
        """
        self._watch.call(facts)
        try:
            yield
        except nccl.NcclError:
            self._check()
            raise
        finally:
            self._watch.call(None)
        if not stream.is_capturing():
            with Device(self._device):
                self._watch.record(stream, facts)

    def _check_departed(self):
        """Raise an error if a rank that has left is needed by what has been called."""
        for missing in map(self._missing, list(self._departed)):
            if missing:
                self._client.fail(missing)
        self._check()

    def _check(self):
        """Raise the group's failure, if there is one; the next wait need not do it then."""
        try:
            self._client.check()
        except ProcessGroupError:
            fail_waits(None)
            raise

    # ---- arrays

    def _checked(self, name, array):
        """Address, type and count of an array that NCCL can take."""
        if not isinstance(array, gpunp.ndarray):
            raise TypeError(f"{name} must be an array of gpunp, not {type(array).__name__}")
        address, device, is_contiguous = buffer_of(array)
        if device != self._device:
            raise ValueError(f"{name} is on device {device}, rank {self.rank} is on {self._device}")
        if not is_contiguous:
            raise RuntimeError(f"{name} is not contiguous; NCCL needs C or Fortran order")
        kind, per_element = type_of(array.dtype)
        return address, kind, array.size * per_element

    def _pair(self, in_array, out_array, in_parts=1, out_parts=1):
        """Two arrays of one dtype, of which one has as many elements as a part of the other."""
        source, kind, n_in = self._checked("in_array", in_array)
        if in_array is out_array and in_parts == out_parts:
            return source, source, kind, n_in
        target, _, n_out = self._checked("out_array", out_array)
        if in_array.dtype != out_array.dtype:
            raise TypeError(f"in_array is of {in_array.dtype}, out_array of {out_array.dtype}")
        if n_in * out_parts != n_out * in_parts:
            raise ValueError(
                f"in_array has {in_array.size} elements and out_array {out_array.size}, where the "
                f"proportion must be {in_parts} to {out_parts}"
            )
        return source, target, kind, n_in

    def _blocks(self, name, array, block):
        """Views of an array's `n_devices` items along its first axis, each like `block`."""
        self._checked(name, array)
        if array.ndim == 0 or array.shape[0] != self.size:
            raise RuntimeError(
                f"the first axis of {name} must have {self.size} items, one for each rank; its "
                f"shape is {array.shape}"
            )
        if array.size != block.size * self.size or array.dtype != block.dtype:
            raise ValueError(
                f"{name} must have an item for each rank of shape {block.shape} and {block.dtype}; "
                f"it is of shape {array.shape} and {array.dtype}"
            )
        if not array.flags.c_contiguous:
            raise RuntimeError(f"{name} is not C-contiguous")
        return [array[i] for i in range(self.size)]

    def _root(self, root):
        if not 0 <= root < self.size:
            raise ValueError(f"root must be one of {self.size} ranks, not {root}")
        return root

    def _sends(self, array, peer):
        address, kind, count = self._checked("the array", array)
        return lambda stream: self._comm.send(address, count, kind, peer, stream)

    def _recvs(self, array, peer):
        address, kind, count = self._checked("the array", array)
        return lambda stream: self._comm.recv(address, count, kind, peer, stream)

    # ---- operations

    def all_reduce(self, in_array, out_array, op="sum", stream=None) -> None:
        """Combine the arrays of all ranks element by element; each rank receives the result.

        Parameters
        ----------
        in_array : ndarray
            Array of this rank.
        out_array : ndarray
            Array for the result; it may be `in_array`.
        op : {'sum', 'prod', 'max', 'min', 'avg'}, optional
            How elements are combined.
        stream : Stream, optional
            Stream to work in, by default the current one.
        """
        source, target, kind, count = self._pair(in_array, out_array)
        number = op_of(op, in_array.dtype)
        self._run(
            "all_reduce",
            [lambda s: self._comm.allReduce(source, target, count, kind, number, s)],
            stream,
            (in_array, out_array),
        )

    def reduce(self, in_array, out_array, root=0, op="sum", stream=None) -> None:
        """Combine the arrays of all ranks element by element; the root receives the result.

        Parameters
        ----------
        in_array : ndarray
            Array of this rank.
        out_array : ndarray
            Array for the result; on other ranks than the root it is not used.
        root : int, optional
            Rank that receives the result.
        op : {'sum', 'prod', 'max', 'min', 'avg'}, optional
            How elements are combined.
        stream : Stream, optional
            Stream to work in, by default the current one.
        """
        root = self._root(root)
        if self.rank == root:
            source, target, kind, count = self._pair(in_array, out_array)
        else:
            source, kind, count = self._checked("in_array", in_array)
            target = source
        number = op_of(op, in_array.dtype)
        self._run(
            "reduce",
            [lambda s: self._comm.reduce(source, target, count, kind, number, root, s)],
            stream,
            (in_array, out_array) if self.rank == root else (in_array,),
        )

    def broadcast(self, in_out_array, root=0, stream=None) -> None:
        """Copy the root's array to the arrays of all ranks.

        Parameters
        ----------
        in_out_array : ndarray
            Array that is sent by the root and written on the other ranks.
        root : int, optional
            Rank whose array is sent to all.
        stream : Stream, optional
            Stream to work in, by default the current one.
        """
        address, kind, count = self._checked("in_out_array", in_out_array)
        root = self._root(root)
        self._run(
            "broadcast",
            [lambda s: self._comm.broadcast(address, address, count, kind, root, s)],
            stream,
            (in_out_array,),
        )

    def reduce_scatter(self, in_array, out_array, count, op="sum", stream=None) -> None:
        """Combine the arrays of all ranks; each rank receives a block of the result.

        Parameters
        ----------
        in_array : ndarray
            Array of `n_devices` blocks of `count` elements.
        out_array : ndarray
            Array for the block of this rank.
        count : int
            Number of elements of a block.
        op : {'sum', 'prod', 'max', 'min', 'avg'}, optional
            How elements are combined.
        stream : Stream, optional
            Stream to work in, by default the current one.
        """
        source, target, kind, n = self._counted(in_array, out_array, count, self.size, 1)
        number = op_of(op, in_array.dtype)
        self._run(
            "reduce_scatter",
            [lambda s: self._comm.reduceScatter(source, target, n, kind, number, s)],
            stream,
            (in_array, out_array),
        )

    def all_gather(self, in_array, out_array, count, stream=None) -> None:
        """Join the arrays of all ranks in the order of ranks; each rank receives the result.

        Parameters
        ----------
        in_array : ndarray
            Array of this rank, of `count` elements.
        out_array : ndarray
            Array for the result, of `n_devices` blocks of `count` elements.
        count : int
            Number of elements of a block.
        stream : Stream, optional
            Stream to work in, by default the current one.
        """
        source, target, kind, n = self._counted(in_array, out_array, count, 1, self.size)
        self._run(
            "all_gather",
            [lambda s: self._comm.allGather(source, target, n, kind, s)],
            stream,
            (in_array, out_array),
        )

    def _counted(self, in_array, out_array, count, in_parts, out_parts):
        """Addresses, type and NCCL's count of arrays that have parts of `count` elements."""
        source, kind, n_in = self._checked("in_array", in_array)
        if in_array is out_array and in_parts == out_parts:
            return source, source, kind, n_in
        target, _, n_out = self._checked("out_array", out_array)
        if in_array.dtype != out_array.dtype:
            raise TypeError(f"in_array is of {in_array.dtype}, out_array of {out_array.dtype}")
        n = int(count) * type_of(in_array.dtype)[1]
        if n < 0 or n_in < n * in_parts or n_out < n * out_parts:
            raise ValueError(
                f"count is {count}; in_array of {in_array.size} and out_array of {out_array.size} "
                f"elements have less than {in_parts} and {out_parts} times as many"
            )
        return source, target, kind, n

    def send(self, array, peer, stream=None) -> None:
        """Send an array to another rank, which calls `recv`.

        Parameters
        ----------
        array : ndarray
            Array that the peer receives.
        peer : int
            Rank that receives the array.
        stream : Stream, optional
            Stream to work in, by default the current one.
        """
        peer = self._peer(peer)
        self._run("send", [self._sends(array, peer)], stream, (array,), [("to", peer)])

    def recv(self, out_array, peer, stream=None) -> None:
        """Receive an array that another rank sends.

        Parameters
        ----------
        out_array : ndarray
            Array for what the peer sends.
        peer : int
            Rank that sends the array.
        stream : Stream, optional
            Stream to work in, by default the current one.
        """
        peer = self._peer(peer)
        self._run("recv", [self._recvs(out_array, peer)], stream, (out_array,), [("from", peer)])

    def send_recv(self, in_array, out_array, peer, stream=None) -> None:
        """Send an array to another rank and receive one from it, at once.

        Parameters
        ----------
        in_array : ndarray
            Array that the peer receives.
        out_array : ndarray
            Array for what the peer sends.
        peer : int
            Rank that does the same with this one.
        stream : Stream, optional
            Stream to work in, by default the current one.
        """
        peer = self._peer(peer)
        self._run(
            "send_recv",
            [self._sends(in_array, peer), self._recvs(out_array, peer)],
            stream,
            (in_array, out_array),
            [("to", peer), ("from", peer)],
        )

    def _peer(self, peer):
        if not 0 <= peer < self.size:
            raise ValueError(f"peer must be one of {self.size} ranks, not {peer}")
        return peer

    def scatter(self, in_array, out_array, root=0, stream=None) -> None:
        """Send the items of the root's array, one to each rank.

        Parameters
        ----------
        in_array : ndarray
            Array with `n_devices` items along its first axis; used on the root only.
        out_array : ndarray
            Array for the item of this rank.
        root : int, optional
            Rank whose array is sent to all.
        stream : Stream, optional
            Stream to work in, by default the current one.
        """
        calls = [self._recvs(out_array, self._root(root))]
        if self.rank == root:
            items = self._blocks("in_array", in_array, out_array)
            calls += [self._sends(item, peer) for peer, item in enumerate(items)]
        arrays = (in_array, out_array) if self.rank == root else (out_array,)
        self._run("scatter", calls, stream, arrays)

    def gather(self, in_array, out_array, root=0, stream=None) -> None:
        """Collect the arrays of all ranks in an array of the root.

        Parameters
        ----------
        in_array : ndarray
            Array of this rank.
        out_array : ndarray
            Array with `n_devices` items along its first axis; used on the root only.
        root : int, optional
            Rank that receives the arrays.
        stream : Stream, optional
            Stream to work in, by default the current one.
        """
        calls = [self._sends(in_array, self._root(root))]
        if self.rank == root:
            items = self._blocks("out_array", out_array, in_array)
            calls += [self._recvs(item, peer) for peer, item in enumerate(items)]
        arrays = (in_array, out_array) if self.rank == root else (in_array,)
        self._run("gather", calls, stream, arrays)

    def all_to_all(self, in_array, out_array, stream=None) -> None:
        """Send an item to each rank and receive one from each.

        Parameters
        ----------
        in_array : ndarray
            Array whose item `i` along the first axis goes to rank `i`.
        out_array : ndarray
            Array whose item `i` along the first axis comes from rank `i`.
        stream : Stream, optional
            Stream to work in, by default the current one.
        """
        sent = self._blocks("in_array", in_array, in_array[:1])
        received = self._blocks("out_array", out_array, in_array[:1])
        calls = [self._sends(item, peer) for peer, item in enumerate(sent)]
        calls += [self._recvs(item, peer) for peer, item in enumerate(received)]
        self._run("all_to_all", calls, stream, (in_array, out_array))

    def barrier(self) -> None:
        """Wait on the host until all ranks have called it; work of devices is not waited for."""
        self._check()
        try:
            self._client.barrier()
        except ProcessGroupError:
            fail_waits(None)  # this exception says it
            raise

    def stop(self) -> None:
        """Leave the group: this rank calls nothing any more.

        Work that is in streams still runs. A rank that ends does it by itself. For other ranks it
        is an error if they have called operations that need this rank and that it has not called.
        """
        _departing.discard(self)
        last = getattr(sys, "last_value", None)
        reason = f" ({type(last).__name__}: {last})" if last is not None else ""
        self._client.leave(dict(self._watch.counts), reason)
        comm, self._comm, self._joining = self._comm, None, None
        if comm is not None and not comm._is_captured:  # else the last graph ends it
            comm.destroy()
        if self._server is not None:
            self._server.close()

    def __repr__(self):
        return f"<NCCLBackend: rank {self.rank} of {self.size} on device {self._device}>"


_departing: weakref.WeakSet = weakref.WeakSet()


def _at_exit(backend):
    """Let a rank leave when its process ends."""
    if not _departing:
        atexit.register(_stop_all)
    _departing.add(backend)


def _stop_all():
    for backend in list(_departing):
        backend.stop()
