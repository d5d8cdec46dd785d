"""Results on the device that later calls read again, on whichever stream these run.

Programs order their own writes and reads of several streams. What a function keeps was written
by a call that the program takes for a read: the order between that call and later ones belongs
here.
"""

from collections.abc import Callable, Hashable
from typing import Any

from ..cuda.stream import get_current_stream


class Kept:
    """A result that was computed on the current stream.

    Parameters
    ----------
    value : object
        Arrays, or what holds them. Work of the current stream up to now computes them.
    """

    __slots__ = ("_computed", "_stream", "_value")

    def __init__(self, value: Any) -> None:
        stream = get_current_stream()
        self._value = value
        self._stream: Any = stream
        self._computed: Any = stream.record()

    def get(self) -> Any:
        """The value; work of the current stream from now on may read it.

        A stream that is being captured cannot wait for work outside: the host does, once.
        """
        if self._computed is None:
            return self._value
        stream = get_current_stream()
        # One handle stands for the default streams of all threads, which are different ones.
        if stream == self._stream and stream.ptr != stream.ptds.ptr:
            return self._value
        if not self._computed.done:
            if not stream.is_capturing():
                stream.wait_event(self._computed)
                return self._value
            self._computed.synchronize()
        self._computed = self._stream = None
        return self._value

    def __reduce__(self) -> tuple:
        return Kept, (self._value,)


def kept(store: dict, name: Hashable, made_of: tuple, make: Callable[[], Any]) -> Any:
    """What `make` returns, from `store` while it is made of the same objects.

    Work that is being captured has not run when the call ends: its results are not kept.

    Parameters
    ----------
    store : dict
        Where results are kept.
    name : hashable
        Key of the result.
    made_of : tuple
        Arrays, which are compared by identity, and integers.
    make : callable
        Computes the result on the current stream.

    Returns
    -------
    object
        The result, ready for work of the current stream.
    """
    entry = store.get(name)
    if entry is not None and _same(entry[0], made_of):
        return entry[1].get()
    value = make()
    if not get_current_stream().is_capturing():
        store[name] = made_of, Kept(value)
    return value


def _same(a: tuple, b: tuple) -> bool:
    return all(x is y or (isinstance(x, int) and x == y) for x, y in zip(a, b, strict=True))


class kept_property:
    """A property that is computed once for each object, like `functools.cached_property`.

    Parameters
    ----------
    make : callable
        Computes the value of an object on the current stream.
    """

    def __init__(self, make: Callable[[Any], Any]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = f"_kept_{name}"

    def __get__(self, owner: Any, _: Any = None) -> Any:
        if owner is None:
            return self
        return kept(owner.__dict__, self._name, (), lambda: self._make(owner))
