"""The store of a process group: order of messages, ends of connections, and callers it has not asked for."""

import contextlib
import json
import socket
import struct
import threading

import pytest

from gpunp.distributed._launch import reserved_port
from gpunp.distributed._store import Client, ProcessGroupError, Server

pytestmark = pytest.mark.null

HOST, LONG = "127.0.0.1", 200


def framed(*messages):
    """Messages as they are sent."""
    texts = [json.dumps(message).encode() for message in messages]
    return b"".join(struct.pack("!I", len(text)) + text for text in texts)


@contextlib.contextmanager
def scripted_store(answer):
    """A rank 1 whose store sends `answer` once it is asked for anything, and ends."""

    def serve():
        connection = listener.accept()[0]
        with connection:
            received = b""
            while received.count(b'"do"') < 2:  # that it joins, and a question
                received += connection.recv(4096)
            connection.sendall(answer)

    with socket.create_server((HOST, 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        client = Client(2, 1, *listener.getsockname(), LONG)
        try:
            yield client
        finally:
            client._connection.shut()
            thread.join()
            client._thread.join()
            client._connection.close()


@contextlib.contextmanager
def group(size):
    """A store and its clients."""
    server = Server(size, HOST, 0)
    clients = []
    try:
        clients += [Client(size, rank, HOST, server.port, LONG) for rank in range(size)]
        yield server, clients
    finally:
        for client in clients:
            client._is_closing = True
            client._connection.shut()
            client._thread.join()
            client._connection.close()
        server.close()


def together(*functions):
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_a_barrier_that_completed_returns_though_the_group_failed_then():
    said = "rank 0 (process 1) has died: its connection was lost"
    with scripted_store(framed({"id": 1, "value": None}, {"failure": said})) as client:
        client.barrier()
        client._thread.join(LONG)
        with pytest.raises(ProcessGroupError, match="has died: its"):
            client.check()


@pytest.mark.parametrize(
    "last, said",
    [
        ({"failure": "rank 3 did not come"}, "rank 3 did not come"),
        ({"left": 0, "counts": {}, "reason": ""}, "rank 0, which has the store, has left"),
        ({"id": 99, "value": 0}, "rank 0 has died: the connection to it was lost"),
    ],
)
def test_what_the_store_said_before_its_end_is_the_reason(last, said):
    """Also for calls that only send, which fail before what was received has been read."""
    with scripted_store(framed(last)) as client:
        with pytest.raises(ProcessGroupError, match=said):
            client.barrier()
        with pytest.raises(ProcessGroupError, match=said):
            for _ in range(1000):  # the first ones may not notice
                client.set("key", "value" * 1000)


def test_strangers_do_not_end_the_store():
    with group(2) as (server, clients):
        deep = b"[" * 100_000
        for data in (b"", b"GET / HTTP/1.0\r\n\r\n", b"\0\0\0\2[]", b"\0\0\0\1{", b"\0",
                     struct.pack("!I", len(deep)) + deep,
                     framed({"do": "set", "key": "x", "value": 1}),
                     framed({"do": "join", "rank": float("inf"), "size": 2, "name": ""})):  # fmt: skip
            with socket.create_connection((HOST, server.port)) as stranger:
                stranger.sendall(data)
        silent = socket.create_connection((HOST, server.port))  # and says nothing
        half = socket.create_connection((HOST, server.port))
        half.sendall(framed({"do": "join"})[:6])
        with silent, half:
            together(*(client.barrier for client in clients))
            clients[0].set("key", [1, 2])
            assert clients[1].get("key", owner=0) == [1, 2]
            for client in clients:
                client.check()


def test_a_store_that_cannot_accept_goes_on(monkeypatch):
    """When files have run out, it asks again."""
    accept, failures = socket.socket.accept, []

    def failing(listener):
        if len(failures) < 3:
            failures.append(OSError(24, "Too many open files"))
            raise failures[-1]
        return accept(listener)

    monkeypatch.setattr(socket.socket, "accept", failing)
    with group(2) as (_, clients):
        together(*(client.barrier for client in clients))
    assert len(failures) == 3


def test_a_reserved_port_is_given_to_nobody_but_who_names_it():
    with reserved_port() as port:
        with socket.socket() as other, pytest.raises(OSError):
            other.bind((HOST, port))
        with pytest.raises(OSError):
            socket.create_connection((HOST, port), timeout=LONG)
        server = Server(1, HOST, port)
        assert server.port == port
        Client(1, 0, HOST, port, LONG).leave({}, "")
        server.close()


def test_a_socket_that_is_connected_to_itself_is_no_store(monkeypatch):
    """Which TCP makes of one that was given the very port at which nobody listens yet."""
    server = Server(1, HOST, 0)
    connect, made = socket.create_connection, []

    def create_connection(address, timeout):
        if not made:
            made.append(socket.socket())
            made[0].bind((HOST, 0))
            made[0].connect(made[0].getsockname())
            return made[0]
        return connect(address, timeout)

    monkeypatch.setattr(socket, "create_connection", create_connection)
    client = Client(1, 0, HOST, server.port, LONG)
    client.barrier()
    assert made[0].fileno() == -1
    client.leave({}, "")
    server.close()
