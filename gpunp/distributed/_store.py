"""The store: what ranks tell each other beside the data, over a TCP connection of each to rank 0.

A thread of rank 0's process serves it; no other program is needed. It knows who has joined, who
waits at which barrier, how many operations each rank has called, who has left and who has died, and
tells all ranks of failures. Messages are JSON with their length in front, so nothing that is
received is ever executed.
"""

import contextlib
import json
import os
import select
import selectors
import socket
import struct
import threading
import time

__all__ = ["ProcessGroupError", "Server", "Client"]

_HEAD = struct.Struct("!I")
_LONGEST = 1 << 20  # bytes of a message; longer ones are not ours
_SLICE = 0.2  # seconds between two looks at timeouts, and between reports of progress


class ProcessGroupError(RuntimeError):
    """Ranks of a process group cannot work together any more; the message says which and why."""


def listed(ranks):
    """Name ranks in a sentence: "rank 1", "ranks 1, 3 and 4"."""
    names = [str(rank) for rank in sorted(ranks)]
    if len(names) == 1:
        return f"rank {names[0]}"
    return f"ranks {', '.join(names[:-1])} and {names[-1]}" if names else "no rank"


class _Connection:
    """Messages over a socket; `send` may be called by several threads."""

    def __init__(self, sock):
        self.socket = sock
        self.rank = None  # of the client, once it has joined
        self.name = ""
        self._buffer = bytearray()
        self._lock = threading.Lock()
        sock.settimeout(10)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # A machine that is gone does not close its connections: TCP asks after 10 s, three times.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in (("TCP_KEEPIDLE", 10), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 3)):
            if hasattr(socket, option):
                sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)

    def send(self, **message):
        """Send a message; OSError if the other side is gone, or does not read for ten seconds.

        Nothing can be sent after an error, since a part of the message may have been.
        """
        data = json.dumps(message).encode()
        with self._lock:
            self.socket.sendall(_HEAD.pack(len(data)) + data)

    def receive(self):
        """Return the messages that have arrived; EOFError once the other side has closed."""
        data = self.socket.recv(1 << 16)
        if not data:
            raise EOFError
        self._buffer += data
        messages = []
        while len(self._buffer) >= _HEAD.size:
            (length,) = _HEAD.unpack_from(self._buffer)
            if length > _LONGEST:
                raise EOFError
            if len(self._buffer) < _HEAD.size + length:
                break
            messages.append(json.loads(self._buffer[_HEAD.size : _HEAD.size + length]))
            del self._buffer[: _HEAD.size + length]
        return messages

    def shut(self):
        """End the connection: both sides read the end of the stream."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)

    def close(self):
        """End the connection and close the socket, which nobody uses any more."""
        self.shut()
        self.socket.close()


class Server:
    """The thread of rank 0's process that all ranks are connected to.

    Parameters
    ----------
    size : int
        Number of ranks that will join.
    host : str
        Address to listen at.
    port : int
        Port to listen at; 0 chooses a free one, which is `port` then.
    """

    def __init__(self, size, host, port):
        self._size = size
        self._ranks = {}  # rank: connection, of those that are there
        self._joined, self._left = set(), set()
        self._values, self._asked = {}, []  # key: value; (connection, id, key) of open questions
        self._barriers = {}  # name: {rank: id}
        self._counts = {}  # rank: what it has called
        self._failure = None
        # Who finds the queue full tries again after a second.
        self._listener = socket.create_server((host, port), backlog=max(size, 128))
        self._listener.setblocking(False)  # who connects may be gone again before accept()
        self.port = self._listener.getsockname()[1]
        self._wake, self._woken = socket.socketpair()
        self._thread = threading.Thread(target=self._serve, name="gpunp store", daemon=True)
        self._thread.start()

    def close(self):
        """Stop serving."""
        with contextlib.suppress(OSError):
            self._wake.send(b"x")
        self._thread.join(timeout=10)
        self._wake.close()

    def _serve(self):
        with selectors.DefaultSelector() as selector:
            for sock in (self._listener, self._woken):
                selector.register(sock, selectors.EVENT_READ)
            while self._serve_once(selector):
                pass
            for key in list(selector.get_map().values()):
                key.fileobj.close()

    def _serve_once(self, selector):
        for key, _ in selector.select():
            if key.fileobj is self._woken:
                return False
            if key.fileobj is self._listener:
                self._accept(selector)
                continue
            try:
                for message in key.data.receive():
                    self._handle(key.data, message)
            except Exception:  # the connection's end, or what no rank sends
                selector.unregister(key.fileobj)
                self._lost(key.data)
        return True

    def _accept(self, selector):
        try:
            connection = _Connection(self._listener.accept()[0])
        except BlockingIOError:
            return
        except OSError:
            time.sleep(0.01)  # files may have run out: it will be asked again at once
            return
        selector.register(connection.socket, selectors.EVENT_READ, connection)

    def _handle(self, connection, message):
        if connection.rank is None and message["do"] != "join":
            raise ValueError("who has not joined has nothing to say")
        getattr(self, f"_do_{message['do']}")(connection, message)

    def _tell(self, connection, **message):
        # Who cannot be told is noticed when the connection is read, which ends then.
        try:
            connection.send(**message)
        except OSError:
            connection.shut()

    def _tell_all(self, **message):
        for connection in list(self._ranks.values()):
            self._tell(connection, **message)

    def _fail(self, text):
        if self._failure is None:
            self._failure = text
            self._tell_all(failure=text)

    def _lost(self, connection):
        connection.close()
        rank = connection.rank
        if self._ranks.get(rank) is connection:
            del self._ranks[rank]
            if rank not in self._left:
                self._fail(f"rank {rank} ({connection.name}) has died: its connection was lost")

    def _do_join(self, connection, message):
        rank, size = int(message["rank"]), int(message["size"])
        problem = None
        if size != self._size:
            problem = f"rank {rank} has joined for {size} ranks, rank 0 for {self._size}"
        elif not 0 <= rank < size:
            problem = f"rank {rank} is not one of {size} ranks"
        elif rank in self._joined:
            problem = f"two processes have joined as rank {rank}"
        if problem is not None:
            self._fail(problem)
            self._tell(connection, failure=self._failure)
            raise EOFError
        connection.rank, connection.name = rank, str(message["name"])
        self._ranks[rank] = connection
        self._joined.add(rank)
        if self._failure is not None:
            self._tell(connection, failure=self._failure)

    def _do_set(self, connection, message):
        self._values[message["key"]] = message["value"]
        for asked in [a for a in self._asked if a[2] == message["key"]]:
            self._asked.remove(asked)
            self._tell(asked[0], id=asked[1], value=message["value"])

    def _do_get(self, connection, message):
        if message["key"] in self._values:
            self._tell(connection, id=message["id"], value=self._values[message["key"]])
        else:
            self._asked.append((connection, message["id"], message["key"]))

    def _do_barrier(self, connection, message):
        arrived = self._barriers.setdefault(message["name"], {})
        arrived[connection.rank] = message["id"]
        if len(arrived) == self._size:
            del self._barriers[message["name"]]
            for rank, number in arrived.items():
                if rank in self._ranks:
                    self._tell(self._ranks[rank], id=number, value=None)
        elif self._left:
            self._fail(f"{listed(self._left)} left the group, and others wait at a barrier")

    def _do_absent(self, connection, message):
        """Which ranks are not at a barrier, or not there at all."""
        name = message["name"]
        there = set(self._barriers.get(name, ())) if name else self._joined
        absent = sorted(set(range(self._size)) - there)
        self._tell(connection, id=message["id"], value=absent)

    def _do_counts(self, connection, message):
        self._counts[connection.rank] = message["counts"]

    def _do_stuck(self, connection, message):
        """A rank's operation takes too long: name the ranks that have not called it."""
        me, key, number = str(connection.rank), message["key"], message["number"]
        if key == "all":
            late = [r for r in self._joined if self._counts.get(r, {}).get("all", 0) < number]
        else:
            direction, peer = key.split()
            other = f"{'from' if direction == 'to' else 'to'} {me}"
            late = [int(peer)] if self._counts.get(int(peer), {}).get(other, 0) < number else []
        who = (
            f"{listed(late)} {'has' if len(late) == 1 else 'have'} not called it"
            if late
            else "all ranks have called it"
        )
        self._fail(
            f"{message['what']} of rank {me} did not end within {message['timeout']:g} s: {who}"
        )

    def _do_leave(self, connection, message):
        rank = connection.rank
        self._left.add(rank)
        self._counts[rank] = message["counts"]
        self._tell_all(left=rank, counts=message["counts"], reason=message["reason"])
        for arrived in self._barriers.values():
            if rank not in arrived:
                self._fail(
                    f"rank {rank} left the group{message['reason']}; others are at a barrier"
                )
        self._tell(connection, id=message["id"], value=None)

    def _do_fail(self, connection, message):
        self._fail(message["text"])


class Client:
    """A rank's connection to the store, with a thread that listens.

    Parameters
    ----------
    size, rank : int
        Number of ranks, and which one this is.
    host, port : str, int
        Where rank 0's store listens.
    timeout : float
        Seconds that anything may take.
    """

    def __init__(self, size, rank, host, port, timeout):
        self.size, self.rank, self.timeout = size, rank, timeout
        self.failure = None  # a text
        self.on_failing = self.on_failure = lambda *arguments: None
        self.on_left = self.on_tick = lambda *arguments: None
        self._answers, self._number, self._barriers = {}, 0, 0
        self._changed = threading.Condition()
        self._gone = set()  # ranks that have left
        self._is_closing = self._is_over = False  # over: nothing more will be received
        self._connection = _Connection(self._connect(host, port))
        self._thread = threading.Thread(target=self._listen, name="gpunp rank", daemon=True)
        self._thread.start()
        name = f"process {os.getpid()} on {socket.gethostname()}"
        self._send(do="join", rank=rank, size=size, name=name)

    def _connect(self, host, port):
        end = time.monotonic() + self.timeout
        while True:
            try:
                made = socket.create_connection((host, port), timeout=min(self.timeout, 10))
                if made.getsockname() != made.getpeername():
                    return made
                # TCP connects a socket to itself if it was given the port that nobody listens at.
                made.close()
            except OSError as error:
                if time.monotonic() >= end:
                    raise ProcessGroupError(
                        f"rank {self.rank} waited {self.timeout:g} s for rank 0 at {host}:{port}: "
                        f"{error}"
                    ) from error
            time.sleep(0.05)

    # ---- the thread that listens

    def _listen(self):
        reported = None
        poll = select.poll()
        poll.register(self._connection.socket, select.POLLIN)
        try:
            while True:
                ready = poll.poll(_SLICE * 1000)
                for message in self._connection.receive() if ready else ():
                    self._take(message)
                counts = self.on_tick()
                if counts is not None and counts != reported and 0 not in self._gone:
                    reported = counts
                    # What cannot be sent is no matter: what is received, to the end, says why.
                    with contextlib.suppress(ProcessGroupError):
                        self._send(do="counts", counts=counts)
        except (OSError, EOFError, ValueError):
            if not self._is_closing and 0 not in self._gone:
                self._failed("rank 0 has died: the connection to it was lost")
        finally:
            with self._changed:
                self._is_over = True
                self._changed.notify_all()

    def _take(self, message):
        if "failure" in message:
            self._failed(message["failure"])
        elif "left" in message:
            self._gone.add(message["left"])
            self.on_left(message["left"], message["counts"], message["reason"])
        else:
            with self._changed:
                self._answers[message["id"]] = message["value"]
                self._changed.notify_all()

    def _failed(self, text):
        with self._changed:
            if self.failure is not None:
                return
            # Waits first: who is told by one, and asks then, finds the failure, since that takes
            # the lock; who finds it can take back what waits would say.
            self.on_failing(text)
            self.failure = text
            self._changed.notify_all()
        self.on_failure()

    # ---- what the program's threads call

    def check(self):
        """Raise ProcessGroupError if the group has failed."""
        with self._changed:
            if self.failure is not None:
                raise ProcessGroupError(self.failure)

    def _send(self, **message):
        try:
            self._connection.send(**message)
        except OSError:
            self._connection.shut()
            if threading.current_thread() is not self._thread:
                self._thread.join(timeout=10)  # until it has received why
            self._unreachable()

    def _unreachable(self):
        """Raise ProcessGroupError: nothing more will be received."""
        self.check()
        raise ProcessGroupError("rank 0, which has the store, has left the group")

    def _ask(self, timeout, **message):
        """The answer to a message; None and False if there is none in time."""
        with self._changed:
            self._number += 1
            number = self._number
        self._send(id=number, **message)
        with self._changed:
            self._changed.wait_for(
                lambda: number in self._answers or self.failure is not None or self._is_over,
                timeout,
            )
            if number in self._answers:
                return self._answers.pop(number), True
            is_over = self._is_over
        if is_over:
            self._unreachable()
        self.check()
        return None, False

    def set(self, key, value):
        """Store a value, which JSON can express, for other ranks."""
        self._send(do="set", key=key, value=value)

    def get(self, key, owner):
        """Return a value once its owner has stored it."""
        value, is_there = self._ask(self.timeout, do="get", key=key)
        if not is_there:
            raise ProcessGroupError(
                f"rank {self.rank} waited {self.timeout:g} s for {key!r} of rank {owner}"
            )
        return value

    def barrier(self, what="at a barrier"):
        """Wait until all ranks are at their barrier of the same number."""
        name = f"barrier {self._barriers}"
        self._barriers += 1
        if self._ask(self.timeout, do="barrier", name=name)[1]:
            return
        absent, _ = self._ask(5, do="absent", name=name)
        who = listed([0] if absent is None else absent)  # rank 0 has the store
        text = f"rank {self.rank} waited {self.timeout:g} s {what}: {who} did not come"
        self.fail(text)
        raise ProcessGroupError(text)

    def fail(self, text):
        """Tell all ranks that the group cannot go on; this one at once."""
        with contextlib.suppress(ProcessGroupError):
            self._send(do="fail", text=text)
        self._failed(text)

    def stuck(self, **facts):
        """Tell the store that an operation takes too long; all ranks will hear of it."""
        with contextlib.suppress(ProcessGroupError):
            self._send(do="stuck", **facts)

    def leave(self, counts, reason):
        """Say that this rank has called all it will call, and close the connection."""
        if self._is_closing:
            return
        self._is_closing = True
        with contextlib.suppress(ProcessGroupError):
            self._ask(2, do="leave", counts=counts, reason=reason)
        self._connection.shut()
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout=5)  # which may be reading
        self._connection.close()
