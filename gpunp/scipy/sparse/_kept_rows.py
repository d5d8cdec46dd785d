"""Products of formats that are computed as compressed rows, whose structure is kept."""

from ..._core.multiarray import ndarray
from .._kept import kept
from . import _sparsetools as tools
from ._sputils import upcast


class KeptRows:
    """Base of bsr and dia. Values are read in place, so that changes of them are seen."""

    data: ndarray
    _kept: tuple | None = None  # the rows

    def _made_of(self) -> tuple:
        """The arrays of the structure, then numbers."""
        raise NotImplementedError

    def _make_rows(self) -> tuple:
        """(indptr, indices, places): where each element of the rows is in the flat `data`."""
        raise NotImplementedError

    def _rows(self) -> tuple:
        return kept(self.__dict__, "_kept", self._made_of(), self._make_measured_rows)

    def _make_measured_rows(self) -> tuple:
        indptr, indices, places = self._make_rows()
        many = indices.size >= tools.ONE_TILE
        return indptr, indices, places, tools.longest_row(indptr) if many else None

    def _times_dense(self, x: ndarray) -> ndarray:
        indptr, indices, places, longest = self._rows()
        matrix = indptr, indices, places, self.data.reshape(-1), longest
        return tools.times_dense(matrix, x, upcast(self.data.dtype, x.dtype))

    def __getstate__(self) -> dict:
        return {name: value for name, value in self.__dict__.items() if name != "_kept"}
