"""Bit generators: a seed, a state, and the source of random words that kernels draw from.

Philox counts, on the host: a draw is one launch, needs no memory, and element k of a draw depends
on the seed, on what was drawn before and on k alone. XORWOW and MRG32k3a keep 65,536 sequences in
device memory. All three give the same bits on every device.
"""

import operator
import threading
from typing import Any, ClassVar

import numpy as np
from numpy.random import SeedSequence
from numpy.random.bit_generator import ISeedSequence

from .._core.multiarray import ndarray
from .._core.randomness import RandomStream, checked_seed, random_integers

__all__ = ["BitGenerator", "MRG32k3a", "Philox4x3210", "XORWOW"]


def _seed_sequence(seed: Any) -> Any:
    """What numpy.random.SeedSequence makes of a seed; arrays of any kind count as entropy."""
    if isinstance(seed, ISeedSequence):
        return seed
    if isinstance(seed, ndarray):
        seed = seed.get()
    if isinstance(seed, np.bool_):
        seed = int(seed)
    if isinstance(seed, np.ndarray):
        seed = [operator.index(x) for x in seed.ravel().tolist()]
    return SeedSequence(checked_seed(seed))


class BitGenerator:
    """Base class of the bit generators.

    Parameters
    ----------
    seed : None, int, array_like of ints or SeedSequence, optional
        Seed that is passed to `numpy.random.SeedSequence`; None takes entropy from the operating
        system.
    size : int, optional
        Accepted for compatibility with CuPy and ignored.

    Notes
    -----
    Threads draw in turn, so that they may share a generator; use `lock` for several
    consecutive draws.
    """

    generator: ClassVar[int] = -1  #: the number cuRAND's device interface gives the algorithm
    _origin: ClassVar[str] = ""

    def __init__(self, seed=None, *, size=-1):
        if type(self) is BitGenerator:
            raise NotImplementedError("BitGenerator is a base class and cannot be instantiated")
        self._lock = threading.RLock()
        self.seed_seq = _seed_sequence(seed)
        self._stream = self._start(0)

    @property
    def _seed_seq(self) -> Any:
        """The seed under its older name, from which Dask and others spawn."""
        return self.seed_seq

    @property
    def lock(self) -> Any:
        """Lock for several consecutive draws; single draws need none."""
        return self._lock

    def _start(self, jumps: int) -> RandomStream:
        raise NotImplementedError

    def random_raw(self, size=None, output=True) -> Any:
        """Return raw words of the generator.

        Parameters
        ----------
        size : int or tuple of ints, optional
            Shape of the result; None gives one word.
        output : bool, optional
            If False, draw but return None.

        Returns
        -------
        ndarray of uint32
            Words of 32 bits; None if `output` is False.
        """
        words = random_integers(self._stream, 0, 1 << 32, size, np.uint32)
        return words if output else None

    def spawn(self, n_children) -> list[Any]:
        """Return independent generators, made by `SeedSequence.spawn`.

        Parameters
        ----------
        n_children : int
            Number of generators to return.

        Returns
        -------
        list of BitGenerator
            New bit generators.
        """
        if not hasattr(self.seed_seq, "spawn"):
            raise TypeError("The underlying SeedSequence does not implement spawning.")
        return [type(self)(seed) for seed in self.seed_seq.spawn(n_children)]

    def jumped(self, jumps=1) -> Any:
        """Return a generator whose state is advanced by a very large number of draws.

        Parameters
        ----------
        jumps : int, optional
            Number of jumps; each is longer than any program draws.

        Returns
        -------
        BitGenerator
            New generator. It starts where a fresh generator with the same seed would be after the
            jumps.
        """
        if jumps < 0:
            raise ValueError("jumps must not be negative")
        other = type(self).__new__(type(self))
        other._lock = threading.RLock()
        other.seed_seq = self.seed_seq
        other._stream = self._jump(int(jumps) % 2**32)
        return other

    def _jump(self, jumps: int) -> RandomStream:
        return self._start((self._stream.stream + jumps) % 2**32)

    @property
    def state(self) -> dict[str, Any]:
        """State as a dict of NumPy arrays; assign to it to restore a state."""
        raise NotImplementedError

    @state.setter
    def state(self, value: dict[str, Any]) -> None:
        raise NotImplementedError

    def _check_state(self, value: Any) -> dict[str, Any]:
        """The inner dict of a state that belongs to this kind of generator."""
        name = type(self).__name__
        if not isinstance(value, dict):
            raise TypeError("state must be a dict")
        if value.get("bit_generator") != name:
            raise ValueError(f"state must be for a {name} PRNG")
        return value["state"]

    def __getstate__(self):
        return {"seed_seq": self.seed_seq, "jumps": self._stream.stream, "state": self.state}

    def __setstate__(self, saved):
        self._lock = threading.RLock()
        self.seed_seq = saved["seed_seq"]
        self._stream = self._start(saved["jumps"])
        self.state = saved["state"]

    def __reduce__(self):
        return _new, (type(self),), self.__getstate__()


def _new(cls: Any) -> Any:
    """A generator for unpickling, not seeded."""
    return cls.__new__(cls)


class Philox4x3210(BitGenerator):
    """Counter-based generator Philox4x32-10 (Salmon et al., 2011): the default, and the fastest.

    Parameters
    ----------
    seed : None, int, array_like of ints or SeedSequence, optional
        Seed, from which a `SeedSequence` makes the key of 64 bits.
    size : int, optional
        Accepted for compatibility with CuPy and ignored.
    key : int, optional
        The key itself, instead of a seed.
    counter : int, optional
        Number of groups of four words to skip at the start.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.random.Philox4x3210(key=0).random_raw(2)
    array([1713891541, 3781805453], dtype=uint32)
    """

    generator: ClassVar[int] = 2
    _origin = "philox"

    def __init__(self, seed=None, *, size=-1, key=None, counter=0):
        if key is not None and seed is not None:
            raise ValueError("seed and key cannot be both used")
        super().__init__(seed)
        if key is not None:
            self._stream.key = key
        self._stream.position = counter

    def _start(self, jumps: int) -> RandomStream:
        key = int(self.seed_seq.generate_state(1, np.uint64)[0])
        return RandomStream(self._origin, key, 0, jumps)

    def _jump(self, jumps: int) -> RandomStream:
        now = self._stream
        return RandomStream(self._origin, now.key, now.position, (now.stream + jumps) % 2**32)

    @property
    def state(self) -> dict[str, Any]:
        """The state: `counter` (four words, the last of them the jumps) and `key` (two words)."""
        now = self._stream
        low = 0xFFFFFFFF
        counter = [now.position & low, now.position >> 32, 0, now.stream]
        return {
            "bit_generator": type(self).__name__,
            "state": {
                "counter": np.array(counter, np.uint32),
                "key": np.array([now.key & low, now.key >> 32], np.uint32),
            },
        }

    @state.setter
    def state(self, value: dict[str, Any]) -> None:
        inner = self._check_state(value)
        counter = [int(x) for x in inner["counter"]]
        key = [int(x) for x in inner["key"]]
        if len(counter) != 4 or len(key) != 2:
            raise ValueError("the state has a counter of four words and a key of two")
        self._stream.key = key[0] | key[1] << 32
        self._stream.position = counter[0] | counter[1] << 32
        self._stream.stream = counter[3]


class _Kept(BitGenerator):
    """A generator with 65,536 sequences in the memory of the device it was made on."""

    _distance = ""

    def _start(self, jumps: int) -> RandomStream:
        words = self.seed_seq.generate_state(6, np.uint32)
        return RandomStream(self._origin, self._first(words), 0, jumps)

    def _first(self, words: Any) -> list[int]:
        raise NotImplementedError

    @property
    def state(self) -> dict[str, Any]:
        """The state: `words`, a uint32 array (6, 65536); waits for the device."""
        return {"bit_generator": type(self).__name__, "state": {"words": self._stream.states}}

    @state.setter
    def state(self, value: dict[str, Any]) -> None:
        self._stream.states = self._check_state(value)["words"]


class XORWOW(_Kept):
    """Marsaglia's generator XORWOW (2003), the default of cuRAND: sequences 2^67 steps apart.

    Parameters
    ----------
    seed : None, int, array_like of ints or SeedSequence, optional
        Seed, from which a `SeedSequence` makes the six words of the first sequence's state.
    size : int, optional
        Accepted for compatibility with CuPy and ignored.
    """

    generator: ClassVar[int] = 0
    _origin = "xorwow"

    def _first(self, words: Any) -> list[int]:
        values = [int(x) for x in words]
        return values if any(values[:5]) else [1, *values[1:]]  # five zeros would stay zeros


class MRG32k3a(_Kept):
    """L'Ecuyer's combined multiple recursive generator MRG32k3a (1999): sequences 2^76 steps apart.

    Parameters
    ----------
    seed : None, int, array_like of ints or SeedSequence, optional
        Seed, from which a `SeedSequence` makes the six words of the first sequence's state.
    size : int, optional
        Accepted for compatibility with CuPy and ignored.

    Notes
    -----
    Words are uniform on [0, 2^32 - 209): the last 209 values of 32 bits do not occur.
    """

    generator: ClassVar[int] = 1
    _origin = "mrg32k3a"

    def _first(self, words: Any) -> list[int]:
        primes = [4294967087] * 3 + [4294944443] * 3
        values = [int(x) % prime for x, prime in zip(words, primes, strict=True)]
        for half in (0, 3):
            if not any(values[half : half + 3]):
                values[half] = 1
        return values
