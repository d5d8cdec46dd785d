"""Bit generator that uses a cuRAND generator, for RandomState(method=...)."""

from typing import Any

import numpy as np

from .._core.multiarray import ndarray
from .._core.randomness import CurandGenerator, RandomStream
from ..cuda import curand
from .bit_generator import BitGenerator

__all__ = ["Curand"]

_METHODS = {
    getattr(curand, name): name
    for name in (
        "CURAND_RNG_PSEUDO_XORWOW",
        "CURAND_RNG_PSEUDO_MRG32K3A",
        "CURAND_RNG_PSEUDO_MTGP32",
        "CURAND_RNG_PSEUDO_MT19937",
        "CURAND_RNG_PSEUDO_PHILOX4_32_10",
    )
}
_TYPE_ERROR = 103  # CURAND_STATUS_TYPE_ERROR


def _generator(method: int, seed: int) -> CurandGenerator:
    """A generator of the library, or its refusal with the names of those it has."""
    try:
        return CurandGenerator(method, seed)
    except RuntimeError as error:
        if getattr(error, "status", 0) == _TYPE_ERROR:
            names = [name for number, name in _METHODS.items() if _exists(number)]
            error.args = (
                f"{error}: no generator {_METHODS.get(method, method)} here; "
                f"there are {', '.join(names)}",
            )
        raise


def _exists(method: int) -> bool:
    try:
        CurandGenerator(method, 0)
    except RuntimeError:
        return False
    return True


class Curand(BitGenerator):
    """Bit generator whose words come from curandGenerate.

    Parameters
    ----------
    seed : None, int, array_like of ints or SeedSequence, optional
        Seed. An int below 2^64 is passed to cuRAND; from others a `SeedSequence` makes one.
    method : int
        cuRAND's number of the generator, from `gpunp.cuda.curand`.
    """

    def __init__(self, seed=None, *, method):
        if method not in _METHODS:
            names = ", ".join(_METHODS.values())
            raise ValueError(f"{method} is no pseudorandom generator of cuRAND; there are {names}")
        self.method = method
        whole = isinstance(seed, (int, np.integer)) and 0 <= int(seed) < 1 << 64
        super().__init__(seed)
        made = int(self.seed_seq.generate_state(1, np.uint64)[0])
        self._seed = int(seed) if whole else made
        self._offset = 0
        self._source = _generator(method, self._seed)

    def _start(self, jumps: int) -> RandomStream:
        return RandomStream("given", self._words)

    def _words(self, n: int) -> ndarray:
        words = self._source.words(n)
        self._offset += n
        return words

    def spawn(self, n_children) -> list["Curand"]:
        return [type(self)(seed, method=self.method) for seed in self.seed_seq.spawn(n_children)]

    def jumped(self, jumps=1) -> Any:
        raise NotImplementedError("cuRAND's generators do not jump")

    @property
    def state(self) -> dict[str, Any]:
        """The state: cuRAND's seed, and how many words were drawn."""
        return {
            "bit_generator": type(self).__name__,
            "state": {"method": self.method, "seed": self._seed, "offset": self._offset},
        }

    @state.setter
    def state(self, value: dict[str, Any]) -> None:
        inner = self._check_state(value)  # type: ignore[attr-defined]
        source = _generator(inner["method"], inner["seed"])
        source.set_offset(inner["offset"])
        self._source = source
        self.method, self._seed, self._offset = inner["method"], inner["seed"], inner["offset"]
