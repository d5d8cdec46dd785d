"""Graphs: work recorded from a stream, and functions that record themselves.

The module is also a decorator: ``@gpunp.cuda.graph`` makes a function replay what it did.
"""

import collections
import functools
import sys
import threading
import types

import numpy as np

from gpunp import _C
from gpunp._C import Graph, get_current_stream

from .stream import Stream

__all__ = ["Graph"]


# ---- arguments and results: nested tuples, lists and dicts of arrays and values


def _map(function, tree):
    """Apply a function to every leaf of nested containers."""
    if type(tree) in (tuple, list):
        return type(tree)(_map(function, item) for item in tree)
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):  # a namedtuple
        return type(tree)(*(_map(function, item) for item in tree))
    if type(tree) is dict:
        return {key: _map(function, item) for key, item in tree.items()}
    return function(tree)


def _leaves(tree):
    found = []
    _map(found.append, tree)
    return found


def _leaf_key(leaf):
    """Key of an argument: a value itself, but the shape, dtype and layout of an array."""
    if isinstance(leaf, _C.ndarray):
        flags = leaf.flags
        return ("array", leaf.shape, leaf.dtype, flags.c_contiguous, flags.f_contiguous)
    if isinstance(leaf, (float, complex, np.generic)):
        return (type(leaf), repr(leaf))  # -0.0 is not 0.0 here, and a nan is itself
    try:
        hash(leaf)
    except TypeError:
        raise TypeError(
            f"a function that replays itself takes arrays of the device and values that can be "
            f"hashed, not {type(leaf).__name__}"
        ) from None
    return (type(leaf), leaf)


def _key(tree):
    if isinstance(tree, (tuple, list)):
        return (type(tree), *map(_key, tree))
    if isinstance(tree, dict):
        return (dict, *((name, _key(item)) for name, item in tree.items()))
    return _leaf_key(tree)


def _read_only(leaf):
    if not isinstance(leaf, _C.ndarray):
        return leaf
    view = leaf.view()
    view.flags.writeable = False
    return view


def _own(leaf):
    """Copy results that are arguments, or views of them."""
    read_only = isinstance(leaf, _C.ndarray) and not leaf.flags.writeable
    return leaf.copy() if read_only else leaf


def _copy(leaf):
    return leaf.copy() if isinstance(leaf, _C.ndarray) else leaf


# ---- recordings


class _Recording:
    """A recorded call of a function: its inputs, its graph, its results."""

    def __init__(self, function, args, kwargs, copy_outputs):
        self.copy_outputs = copy_outputs
        self.stream = get_current_stream()
        inputs = _map(_copy, (args, kwargs))
        self.inputs = [leaf for leaf in _leaves(inputs) if isinstance(leaf, _C.ndarray)]
        stream = Stream(non_blocking=True)
        stream.wait_event(self.stream.record())
        args, kwargs = _map(_read_only, inputs)
        with stream:
            stream.begin_capture()
            self.outputs = function(*args, **kwargs)
            self.graph = stream.end_capture()

    def replay(self, args, kwargs):
        stream = get_current_stream()
        if stream != self.stream:  # the inputs are still in use there
            stream.wait_event(self.stream.record())
            self.stream = stream
        given = (leaf for leaf in _leaves((args, kwargs)) if isinstance(leaf, _C.ndarray))
        for mine, yours in zip(self.inputs, given, strict=True):
            mine[...] = yours
        self.graph.launch(stream)
        return _map(_copy, self.outputs) if self.copy_outputs else self.outputs


class Replayed:
    """Fixed work of the package's own that is done many times in the same arrays: as it is at
    first, and as a graph from the second time on.

    Parameters
    ----------
    is_fixed : bool, optional
        Whether the work is the same launches every time, does not wait for the device and calls no
        code of the program. If False, it is done as it is every time.
    """

    def __init__(self, is_fixed=True):
        self._is_fixed, self._has_run, self._graph = is_fixed, False, None

    def __call__(self, work, *args) -> None:
        """Do the work, ``work(*args)``, in the current stream. It is passed each time, so that it
        may belong to an object that has this one."""
        if self._is_fixed and self._has_run and self._graph is None:
            self._graph = self._record(work, args)
        if self._graph is None:
            self._has_run = True
            work(*args)
        else:
            self._graph.launch(get_current_stream())

    @staticmethod
    def _record(work, args):
        """The graph of the work, or None in a stream that is captured, whose graph has the work."""
        current = get_current_stream()
        if current.is_capturing():
            return None
        stream = Stream(non_blocking=True)
        stream.wait_event(current.record())
        with stream:
            stream._begin_brief_capture()
            work(*args)
            return stream.end_capture()


class _Recorded:
    """A function that is recorded at its second call and replayed from then on."""

    def __init__(self, function, copy_outputs, max_graphs):
        functools.update_wrapper(self, function)
        self._function = function
        self._copy_outputs = copy_outputs
        self._max_graphs = max_graphs
        self._lock = threading.RLock()
        self._recordings: collections.OrderedDict = collections.OrderedDict()

    def __call__(self, *args, **kwargs):
        if get_current_stream().is_capturing():  # part of a larger graph
            return self._function(*args, **kwargs)
        key = (_C.get_device_id(), _key(args), _key(kwargs))
        with self._lock:
            if key not in self._recordings:
                self._remember(key, None)
                return self._run(args, kwargs)
            recording = self._recordings[key]
            if recording is None:
                recording = _Recording(self._function, args, kwargs, self._copy_outputs)
            self._remember(key, recording)
            return recording.replay(args, kwargs)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def _run(self, args, kwargs):
        args, kwargs = _map(_read_only, (args, kwargs))
        return _map(_own, self._function(*args, **kwargs))

    def _remember(self, key, recording):
        self._recordings[key] = recording
        self._recordings.move_to_end(key)
        while len(self._recordings) > self._max_graphs:
            self._recordings.popitem(last=False)

    @property
    def graphs(self):
        """The graphs recorded so far, least recently used first."""
        return [r.graph for r in self._recordings.values() if r is not None]

    def clear(self) -> None:
        """Drop all recordings and free their memory."""
        with self._lock:
            self._recordings.clear()


def _decorate(function=None, /, *, copy_outputs=True, max_graphs=16):
    """Make a function of fixed shapes replay its work as a CUDA graph.

    The first call with arguments of some shapes and dtypes runs the function normally; the second
    one records its work. From then on a call copies its arrays to the inputs of the graph, launches
    the graph and returns copies of its results. Python code of the function does not run again.

    Parameters
    ----------
    function : callable
        Function whose arguments are arrays and other values, also in tuples, lists and dicts. A new
        graph is recorded for each combination of shapes, dtypes and memory layouts of the arrays
        and values of the other arguments. The arrays are read-only within the function.
    copy_outputs : bool, optional
        If False, return the graph's own arrays, which the next call overwrites.
    max_graphs : int, optional
        Number of graphs to keep; the least recently used is dropped.

    Returns
    -------
    callable
        The function, with the attribute `graphs` and the method `clear()`.

    Notes
    -----
    Operations that need values on the host (`get`, `float`, `a[mask]`, `nonzero`) raise during
    recording. Arrays that are not arguments are used in place: writing to them changes the results
    of replays.

    Examples
    --------
    >>> import gpunp as cp
    >>> @cp.cuda.graph
    ... def step(x, v):
    ...     v = v - 0.1 * x
    ...     return x + 0.1 * v, v
    >>> x, v = cp.ones(3), cp.zeros(3)
    >>> for _ in range(3):
    ...     x, v = step(x, v)
    >>> v
    array([-0.29601, -0.29601, -0.29601])
    """
    if function is None:
        return functools.partial(_decorate, copy_outputs=copy_outputs, max_graphs=max_graphs)
    return _Recorded(function, copy_outputs, max_graphs)


class _Module(types.ModuleType):
    """This module, callable."""

    def __call__(self, function=None, /, *, copy_outputs=True, max_graphs=16):
        return _decorate(function, copy_outputs=copy_outputs, max_graphs=max_graphs)


sys.modules[__name__].__class__ = _Module
