"""Files: NumPy reads and writes them on the host, and the data is moved to or from the device."""

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
    """An open .npz archive whose members come to the device when asked for.

    Attributes
    ----------
    files : list of str
        The names of the members.
    f : object
        The members as attributes.
    npz_file : numpy.lib.npyio.NpzFile
        The archive as NumPy opened it.
    """

    def __init__(self, archive: Any) -> None:
        self.npz_file = archive
        self.files: list[str] = archive.files
        self.f = _Members(self)

    def __getitem__(self, key: str) -> ndarray:
        return array(self.npz_file[key])

    def __contains__(self, key: object) -> bool:
        return key in self.npz_file  # with and without .npy

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
        """Close the file; arrays already loaded stay."""
        self.npz_file.close()

    @property
    def zip(self) -> Any:
        """The zipfile.ZipFile; None when the archive is closed."""
        return self.npz_file.zip

    @property
    def fid(self) -> Any:
        """The file, where NumPy opened it."""
        return self.npz_file.fid


def load(
    file, mmap_mode=None, allow_pickle=False, fix_imports=True, encoding="ASCII", *,
    max_header_size=10000,
):  # fmt: skip
    """Load an array from a .npy file, or an archive of arrays from a .npz file.

    Parameters
    ----------
    file : str, path or file
        Where from.
    mmap_mode : str, optional
        How NumPy opens the file: only what is copied is read.
    allow_pickle : bool, optional
        Whether files with objects may be opened. There is nothing on the device for them: such an
        array is a TypeError in the end.
    fix_imports, encoding : optional
        For pickles of Python 2.
    max_header_size : int, optional
        The longest header that is believed.

    Returns
    -------
    ndarray or NpzFile
        The arrays of an archive come to the device when they are asked for.

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
        Where to.
    arr : array_like
        The array. Waits for the device.
    allow_pickle : bool, optional
        Whether objects of the host may be written.
    """
    np.save(file, asnumpy(arr, order="A"), allow_pickle=allow_pickle)


def savez(file, *args, allow_pickle=True, **kwds) -> None:
    """Save several arrays to an uncompressed .npz file.

    Parameters
    ----------
    file : str, path or file
        Where to.
    *args : array_like
        Arrays, named arr_0, arr_1 and so on. Waits for the device.
    allow_pickle : bool, optional
        Whether objects of the host may be written.
    **kwds : array_like
        Arrays by name.
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
        Where to.
    X : array_like
        Of one or two dimensions. Waits for the device.
    fmt : str or sequence of str, optional
        How numbers are written, for all or by column.
    delimiter : str, optional
        Between columns.
    newline : str, optional
        Between rows.
    header, footer : str, optional
        Text before and after.
    comments : str, optional
        What stands before its lines.
    encoding : str, optional
        Of the file.
    """
    np.savetxt(fname, asnumpy(X), fmt, delimiter, newline, header, footer, comments, encoding)


def loadtxt(
    fname, dtype=float, comments="#", delimiter=None, converters=None, skiprows=0, usecols=None,
    unpack=False, ndmin=0, encoding=None, max_rows=None, *, quotechar=None, like=None,
):  # fmt: skip
    """Read a table of numbers from text.

    Parameters
    ----------
    fname : str, path, file or iterable of str
        Where from.
    dtype : dtype, optional
        Of the result.
    comments : str or sequence of str, optional
        What begins a comment.
    delimiter : str, optional
        Between columns; by default spaces.
    converters : dict or callable, optional
        Functions that make numbers of columns, or of all.
    skiprows : int, optional
        Lines to leave out first.
    usecols : int or sequence of int, optional
        Columns to read.
    unpack : bool, optional
        Return columns as rows.
    ndmin : int, optional
        The least number of dimensions.
    encoding : str, optional
        Of the file.
    max_rows : int, optional
        Rows to read at most.
    quotechar : str, optional
        What encloses a field.
    like : object, optional
        An array of another library, whose own function of the name is called then.

    Returns
    -------
    ndarray
        Read on the host by NumPy, then copied.

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
    """Read a table of numbers from text, with missing values handled as told.

    Parameters
    ----------
    dtype : dtype, optional
        Of the result; None finds one for all.
    comments, delimiter, skip_header, skip_footer, converters : optional
        What is text and what is data.
    missing_values, filling_values : optional
        What stands for nothing, and what to put there.
    usecols, names : optional
        Which columns, and their names. A table with named columns is no array here.
    excludelist, deletechars, replace_space, autostrip, case_sensitive, defaultfmt : optional
        How names are made from what stands in the file.
    usemask : bool, optional
        There are no masked arrays here: leave it False.
    loose, invalid_raise : bool, optional
        What faults may be.
    max_rows, encoding, ndmin : optional
        As for `loadtxt`.
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
