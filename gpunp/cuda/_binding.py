"""Functions of NVIDIA's libraries under their names: pointers and sizes go through unchanged.

A table gives each function its parameters, one letter each, so that no integer is cut off:

    h handle    i int    l long long    p address, as an int    e size_t    f float    d double

A capital is a parameter that the function writes to, and that is returned: I, L, P, E, D as above,
and X, a size_t that it also reads.
"""

import ctypes
from collections.abc import Callable
from typing import Any

from gpunp._C import _libraries, _library_handle, get_current_stream, is_emulated

LETTERS: dict[str, Any] = {
    "h": ctypes.c_void_p,
    "i": ctypes.c_int,
    "l": ctypes.c_longlong,
    "p": ctypes.c_void_p,
    "e": ctypes.c_size_t,
    "f": ctypes.c_float,
    "d": ctypes.c_double,
}
RESULTS = "ILPEDX"


class Binding:
    """The functions of one library, found in the copy of it that is loaded.

    Parameters
    ----------
    name : str
        Name of the library, such as "cuBLAS".
    handle : str
        Name by which its handle is known, such as "cublas"; "" where the extension has none.
    error : type
        Exception for a status other than 0.
    instead : str
        Modules that take arrays, which an error names where the emulated library lacks a function.
    """

    def __init__(self, name, handle, error, instead):
        self.name = name
        self.handle = handle
        self.error = error
        self.instead = instead
        self.library = None

    def load(self):
        """Return the library, which a handle makes sure is open."""
        if self.library is None:
            if self.handle:
                _library_handle(self.handle)
            paths = {name: path for name, _, path in _libraries()}
            self.library = ctypes.CDLL(paths[self.name])
        return self.library

    def call(self, symbol, letters, *values) -> None:
        """Call a function by the name that the library exports; see `function`."""
        function = getattr(self.load(), symbol)
        kinds = [LETTERS[letter] for letter in letters]
        status = function(*[kind(value) for kind, value in zip(kinds, values, strict=True)])
        if status:
            raise self.failure(symbol, status)

    def _with_results(self, symbol, letters, values):
        """Call a function; return what it stores, several values as a tuple."""
        given, passed, results = iter(values), [], []
        for letter in letters:
            if letter not in RESULTS:
                passed.append(next(given))
                continue
            kind = LETTERS["e" if letter == "X" else letter.lower()]
            results.append(kind(next(given)) if letter == "X" else kind())
            passed.append(ctypes.addressof(results[-1]))
        kinds = "".join("p" if letter in RESULTS else letter for letter in letters)
        self.call(symbol, kinds, *passed)
        stored = tuple(result.value or 0 for result in results)  # ctypes reads address 0 as None
        return stored[0] if len(stored) == 1 else stored or None

    def failure(self, symbol, status) -> Exception:
        """The exception for a status of a function."""
        error = self.error(f"{symbol}: status {status} of {self.name}")
        error.status = status
        return error

    def function(self, name, symbol, letters, before=None) -> Callable:
        """Return a function that calls the library's.

        Parameters
        ----------
        name : str
            Name of the function returned.
        symbol : str
            Name that the library exports.
        letters : str
            Kinds of the parameters, one letter each.
        before : callable, optional
            Called with the first argument, the handle, ahead of each call.

        Returns
        -------
        callable
            Function of as many arguments as `letters` has, less those that are results.

        Raises
        ------
        AttributeError
            If the library has no such function.
        """
        self.require(symbol)
        count = sum(letter not in RESULTS[:-1] for letter in letters)

        def call(*values):
            if len(values) != count:
                raise TypeError(f"{name} takes {count} arguments, {len(values)} given")
            if before is not None:
                before(values[0])
            return self._with_results(symbol, letters, values)

        call.__name__ = call.__qualname__ = name
        call.__doc__ = f"Call {symbol}; an address is an int."
        return call

    def getter(self, name, symbol, letter) -> Callable:
        """Return a function of a handle that returns what the library's stores; see `function`."""
        self.require(symbol)

        def get(handle) -> int:
            value = LETTERS[letter]()
            self.call(symbol, "hp", handle, ctypes.addressof(value))
            return value.value or 0  # ctypes reads the address 0 as None

        get.__name__ = get.__qualname__ = name
        get.__doc__ = f"Return what {symbol} stores for a handle."
        return get

    def attributes(self, module, make, names) -> tuple:
        """Return `__getattr__` and `__dir__` of a module whose functions are made when needed.

        Parameters
        ----------
        module : dict
            Global names of the module, which take what was made.
        make : callable
            Called with a name; returns the function.
        names : collection of str
            Names that `make` knows.

        Returns
        -------
        tuple of callable
            The two functions.
        """

        def attribute(name):
            if name not in names:
                raise AttributeError(f"module {module['__name__']!r} has no attribute {name!r}")
            function = module[name] = make(name)
            return function

        return attribute, lambda: sorted({*module["__all__"], *names})

    def require(self, symbol) -> None:
        """Raise `AttributeError` if the library does not export the name."""
        if hasattr(self.load(), symbol):
            return
        if is_emulated():
            raise AttributeError(self.absent(f"{self.name} of the emulated device has no {symbol}"))
        raise AttributeError(f"{self.name} at {self.library._name} has no {symbol}")

    def absent(self, what) -> str:
        """The text of an error on the emulated device: what it lacks, and what works there."""
        return f"{what}; on it {self.instead} compute on arrays"


def current_stream() -> int:
    """Return the address of the current stream."""
    return get_current_stream().ptr
