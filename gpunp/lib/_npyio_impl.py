"""Input and output of files: NumPy reads and writes them on the host."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from .._core._convert import elsewhere, make_like
from .._core._docstrings import documented_as
from .._core.multiarray import array, asnumpy, ndarray

__all__ = ["genfromtxt", "load", "loadtxt", "save", "savetxt", "savez", "savez_compressed"]


class _Members:
    """The members of an archive as attributes."""

    def __init__(self, archive: "NpzFile") -> None:
        self._archive = archive

    def __getattr__(self, name: str) -> ndarray:
        try:
            return self._archive[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self) -> list[str]:
        return list(self._archive)


class NpzFile(Mapping[str, ndarray]):
    """Open .npz archive, whose members are copied to the device when accessed.

    Attributes
    ----------
    files : list of str
        Names of the members of the archive.
    npz_file : numpy.lib.npyio.NpzFile
        The archive as opened by NumPy.
    """

    def __init__(self, archive: Any) -> None:
        self.npz_file = archive
        self.files: list[str] = archive.files

    @property
    def f(self) -> "_Members":
        """Object that has the members as attributes, made anew: kept, it would be a cycle."""
        return _Members(self)

    def __getitem__(self, key: str) -> ndarray:
        return array(self.npz_file[key])

    def __contains__(self, key: object) -> bool:
        return key in self.npz_file  # names with and without .npy

    def __repr__(self) -> str:
        return repr(self.npz_file)  # names the file and its members

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)

    def __enter__(self) -> "NpzFile":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; arrays already loaded remain valid."""
        self.npz_file.close()

    @property
    def zip(self) -> Any:
        """The zipfile.ZipFile; None if the archive is closed."""
        return self.npz_file.zip

    @property
    def fid(self) -> Any:
        """The file, if NumPy opened it."""
        return self.npz_file.fid


def load(
    file, mmap_mode=None, allow_pickle=False, fix_imports=True, encoding="ASCII", *,
    max_header_size=10000,
):  # fmt: skip
    """Load an array from a .npy file, or an archive of arrays from a .npz file.

    Parameters
    ----------
    file : str, path or file
        File to read, as a name, a path or an open file.
    mmap_mode : str, optional
        Mode of the memory map: only data that is copied is read.
    allow_pickle : bool, optional
        If True, files with pickled objects may be opened. The device has no such arrays: loading
        one raises TypeError.
    fix_imports, encoding : optional
        Options for pickles of Python 2.
    max_header_size : int, optional
        Largest size of the header that is accepted.

    Returns
    -------
    ndarray or NpzFile
        The array, or an archive whose arrays are copied to the device when accessed.

    Examples
    --------
    >>> import gpunp as cp, io
    >>> file = io.BytesIO()
    >>> cp.save(file, cp.arange(3))
    >>> _ = file.seek(0)
    >>> cp.load(file)
    array([0, 1, 2])
    """
    loaded = np.load(
        file, mmap_mode, allow_pickle, fix_imports, encoding, max_header_size=max_header_size
    )
    if isinstance(loaded, ndarray):  # a pickle: what `dump` wrote
        return loaded
    return array(loaded) if isinstance(loaded, np.ndarray) else NpzFile(loaded)


def save(file, arr, allow_pickle=True) -> None:
    """Save an array to a .npy file.

    Parameters
    ----------
    file : str, path or file
        File to write, as a name, a path or an open file.
    arr : array_like
        Array to be saved. Waits for the device.
    allow_pickle : bool, optional
        If True, object arrays of the host may be written.
    """
    np.save(file, asnumpy(arr, order="A"), allow_pickle=allow_pickle)


def savez(file, *args, allow_pickle=True, **kwds) -> None:
    """Save several arrays to an uncompressed .npz file.

    Parameters
    ----------
    file : str, path or file
        File to write, as a name, a path or an open file.
    *args : array_like
        Arrays to be saved, named arr_0, arr_1 and so on. Waits for the device.
    allow_pickle : bool, optional
        If True, object arrays of the host may be written.
    **kwds : array_like
        Arrays to be saved, by name.
    """
    arrays = [asnumpy(a, order="A") for a in args]
    named = {k: asnumpy(a, order="A") for k, a in kwds.items()}
    np.savez(file, *arrays, allow_pickle=allow_pickle, **named)


@documented_as(savez)
def savez_compressed(file, *args, allow_pickle=True, **kwds) -> None:
    """Save several arrays to a compressed .npz file."""
    arrays = [asnumpy(a, order="A") for a in args]
    named = {k: asnumpy(a, order="A") for k, a in kwds.items()}
    np.savez_compressed(file, *arrays, allow_pickle=allow_pickle, **named)


def savetxt(
    fname, X, fmt="%.18e", delimiter=" ", newline="\n", header="", footer="", comments="# ",
    encoding=None,
) -> None:  # fmt: skip
    """Save a vector or a matrix as text.

    Parameters
    ----------
    fname : str, path or file
        File to write, as a name, a path or an open file.
    X : array_like
        Array of one or two dimensions. Waits for the device.
    fmt : str or sequence of str, optional
        Format of the numbers, for all columns or for each.
    delimiter : str, optional
        String that separates columns.
    newline : str, optional
        String that separates rows.
    header, footer : str, optional
        Text written before and after the data.
    comments : str, optional
        String that precedes the header and footer.
    encoding : str, optional
        Encoding of the file.
    """
    np.savetxt(fname, asnumpy(X), fmt, delimiter, newline, header, footer, comments, encoding)


def loadtxt(
    fname, dtype=float, comments="#", delimiter=None, converters=None, skiprows=0, usecols=None,
    unpack=False, ndmin=0, encoding=None, max_rows=None, *, quotechar=None, like=None,
):  # fmt: skip
    """Load a table of numbers from text.

    Parameters
    ----------
    fname : str, path, file or iterable of str
        File to read, as a name, a path, an open file, or an iterable of lines.
    dtype : dtype, optional
        Type of the result; by default it follows from the input.
    comments : str or sequence of str, optional
        String or strings that start a comment.
    delimiter : str, optional
        String that separates columns. By default whitespace.
    converters : dict or callable, optional
        Functions that convert text to numbers, by column or for all.
    skiprows : int, optional
        Number of lines to skip at the start.
    usecols : int or sequence of int, optional
        Index or indices of the columns to read.
    unpack : bool, optional
        If True, the result is transposed, so that columns become rows.
    ndmin : int, optional
        Least number of dimensions of the result.
    encoding : str, optional
        Encoding of the file.
    max_rows : int, optional
        Largest number of rows to read.
    quotechar : str, optional
        Character that encloses quoted fields.
    like : object, optional
        Array of another library. If given, that library's function of the same name creates the
        result (NEP 35).

    Returns
    -------
    ndarray
        Array read on the host by NumPy, then copied to the device.

    Examples
    --------
    >>> import gpunp as cp, io
    >>> cp.loadtxt(io.StringIO("1 2\\n3 4"), dtype=int)
    array([[1, 2],
           [3, 4]])
    """
    if elsewhere(like):
        return make_like(like, "loadtxt", fname, dtype, comments, delimiter)
    table = np.loadtxt(
        fname, dtype, comments, delimiter, converters, skiprows, usecols, unpack, ndmin, encoding,
        max_rows, quotechar=quotechar,
    )  # fmt: skip
    return array(table)


@documented_as(loadtxt)
def genfromtxt(
    fname, dtype=float, comments="#", delimiter=None, skip_header=0, skip_footer=0, converters=None,
    missing_values=None, filling_values=None, usecols=None, names=None, excludelist=None,
    deletechars=" !#$%&'()*+,-./:;<=>?@[\\]^{|}~", replace_space="_", autostrip=False,
    case_sensitive=True, defaultfmt="f%i", unpack=None, usemask=False, loose=True,
    invalid_raise=True, max_rows=None, encoding=None, *, ndmin=0, like=None,
):  # fmt: skip
    """Load a table of numbers from text, with options for missing values.

    Parameters
    ----------
    dtype : dtype, optional
        Type of the result; None determines it from the data.
    comments, delimiter, skip_header, skip_footer, converters : optional
        Format of the text, and the lines to skip.
    missing_values, filling_values : optional
        Strings that stand for missing data, and their replacements.
    usecols, names : optional
        Columns to read, and their names. Tables with named columns are not supported on the device.
    excludelist, deletechars, replace_space, autostrip, case_sensitive, defaultfmt : optional
        Rules for the names of columns.
    usemask : bool, optional
        Must be False: there are no masked arrays.
    loose, invalid_raise : bool, optional
        Treatment of invalid values and rows.
    max_rows, encoding, ndmin : optional
        Largest number of rows, encoding, and least number of dimensions, as for `loadtxt`.
    """
    if elsewhere(like):
        return make_like(like, "genfromtxt", fname, dtype, comments, delimiter)
    table = np.genfromtxt(
        fname, dtype, comments, delimiter, skip_header, skip_footer, converters, missing_values,
        filling_values, usecols, names, excludelist, deletechars, replace_space, autostrip,
        case_sensitive, defaultfmt, unpack, usemask, loose, invalid_raise, max_rows, encoding,
        ndmin=ndmin,
    )  # fmt: skip
    return array(table)
