"""Streams where the host has no memory left: the current stream stays what it was."""

import pytest

import gpunp as cp
from gpunp.cuda import Stream

_testcapi = pytest.importorskip("_testcapi")


def run_with_failure(function, number):
    """The exception of a call whose `number`-th allocation fails, or None."""
    _testcapi.set_nomemory(number, number + 1)
    try:
        function()
    except MemoryError as error:
        return error
    finally:
        _testcapi.remove_mem_hooks()
    return None


@pytest.mark.parametrize("number", range(1, 25))
def test_a_with_block_restores_the_stream(number):
    stream, other = Stream(non_blocking=True), Stream(non_blocking=True)

    def block():
        with stream, other:
            pass

    with stream:
        run_with_failure(block, number)
        assert cp.cuda.get_current_stream() == stream
    assert cp.cuda.get_current_stream() == Stream.null


@pytest.mark.parametrize("number", range(1, 25))
def test_use_is_done_or_not(number):
    stream = Stream(non_blocking=True)
    try:
        failed = run_with_failure(stream.use, number)
        assert cp.cuda.get_current_stream() == (Stream.null if failed else stream)
    finally:
        Stream.null.use()
