"""cuRAND under its own names: generators and functions that fill memory by its address.

Functions are called as CuPy's of this name: `generateUniform(generator, address, count)`; they run
in the current stream. Those that the loaded library lacks are absent: the emulated device's
generates integers alone. The numbers of generators serve `gpunp.random.RandomState(method=...)`.
"""

from gpunp._C import CURANDError

from ._binding import Binding, current_stream

__all__ = [
    "CURANDError",
    "CURAND_ORDERING_PSEUDO_BEST",
    "CURAND_ORDERING_PSEUDO_DEFAULT",
    "CURAND_ORDERING_PSEUDO_SEEDED",
    "CURAND_ORDERING_QUASI_DEFAULT",
    "CURAND_RNG_PSEUDO_DEFAULT",
    "CURAND_RNG_PSEUDO_MRG32K3A",
    "CURAND_RNG_PSEUDO_MT19937",
    "CURAND_RNG_PSEUDO_MTGP32",
    "CURAND_RNG_PSEUDO_PHILOX4_32_10",
    "CURAND_RNG_PSEUDO_XORWOW",
    "CURAND_RNG_QUASI_DEFAULT",
    "CURAND_RNG_QUASI_SCRAMBLED_SOBOL32",
    "CURAND_RNG_QUASI_SCRAMBLED_SOBOL64",
    "CURAND_RNG_QUASI_SOBOL32",
    "CURAND_RNG_QUASI_SOBOL64",
    "check_status",
]

CURAND_RNG_PSEUDO_DEFAULT = 100
CURAND_RNG_PSEUDO_XORWOW = 101
CURAND_RNG_PSEUDO_MRG32K3A = 121
CURAND_RNG_PSEUDO_MTGP32 = 141
CURAND_RNG_PSEUDO_MT19937 = 142
CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161
CURAND_RNG_QUASI_DEFAULT = 200
CURAND_RNG_QUASI_SOBOL32 = 201
CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 = 202
CURAND_RNG_QUASI_SOBOL64 = 203
CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 = 204
CURAND_ORDERING_PSEUDO_BEST = 100
CURAND_ORDERING_PSEUDO_DEFAULT = 101
CURAND_ORDERING_PSEUDO_SEEDED = 102
CURAND_ORDERING_QUASI_DEFAULT = 201

# (names, kinds of their parameters); see _binding.py.
_FUNCTIONS = [
    ("createGenerator", "Pi"),
    ("destroyGenerator", "h"),
    ("getVersion", "I"),
    ("setStream", "hp"),
    ("setPseudoRandomGeneratorSeed setGeneratorOffset", "hl"),
    ("setGeneratorOrdering", "hi"),
    ("generate generateLongLong generateUniform generateUniformDouble", "hpe"),
    ("generateNormal generateLogNormal", "hpeff"),
    ("generateNormalDouble generateLogNormalDouble", "hpedd"),
    ("generatePoisson", "hped"),
]
_TABLE = {
    name: (f"curand{name[0].upper()}{name[1:]}", letters)
    for names, letters in _FUNCTIONS
    for name in names.split()
}
_library = Binding("cuRAND", "", CURANDError, "gpunp.random")


def _set_stream(name):
    """What sets the stream ahead of a function that works on the device."""
    if not name.startswith("generate"):
        return None
    return lambda generator: _library.call("curandSetStream", "hp", generator, current_stream())


def _make(name):
    symbol, letters = _TABLE[name]
    return _library.function(name, symbol, letters, before=_set_stream(name))


__getattr__, __dir__ = _library.attributes(globals(), _make, _TABLE)


def check_status(status) -> None:
    """Raise `CURANDError` for a status that says that a function failed.

    Parameters
    ----------
    status : int
        What a function of cuRAND returned.
    """
    if status:
        raise _library.failure("cuRAND", status)
