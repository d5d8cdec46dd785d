"""Distributions of histograms: densities that are constant in each bin."""

from typing import Any

import numpy as np

from ..._core._convert import as_array
from ..._core._warnings import warn
from ..._core.fromnumeric import searchsorted, take
from ..._core.multiarray import concatenate, zeros
from ..._core.reductions import cumsum, sum
from ...lib._function_base_impl import diff, interp
from ..special import xlogy
from ._distn_user import rv_continuous

__all__ = ["rv_histogram"]


class rv_histogram(rv_continuous):
    """The distribution of a histogram, of constant density within each bin.

    The edges' ends are read, and without `density` whether all bins are equally wide.

    Parameters
    ----------
    histogram : tuple of two array_like
        Contents of the bins, n of them, and the n + 1 edges, as `histogram` returns them.
    *args : object
        Positional arguments of `rv_continuous`.
    density : bool, optional
        If False, contents are counts, which are divided by the widths of the bins; if True they
        are densities, up to a factor. By default bins that differ in width have densities.
    **kwargs : object
        Keyword arguments of `rv_continuous`.

    Examples
    --------
    >>> import gpunp as cp
    >>> counts = cp.histogram(cp.array([1.0, 2, 2, 3, 5]), bins=4)
    >>> dist = cp.scipy.stats.rv_histogram(counts)
    >>> dist.cdf([2.0, 3.0]), dist.ppf(0.5)
    (array([0.2, 0.6]), array(2.75))
    """

    def __init__(self, histogram, *args, density=None, **kwargs) -> None:
        self._histogram, self._density = histogram, density
        if len(histogram) != 2:
            raise ValueError("Expected length 2 for parameter histogram")
        contents, edges = (as_array(part).astype(np.float64) for part in histogram)
        if contents.size + 1 != edges.size:
            raise ValueError(
                "Number of elements in histogram content and histogram boundaries do not match,"
                " expected n and n+1."
            )
        self._hbins, self._hbin_widths = edges, diff(edges)
        if density is None:
            widths = self._hbin_widths
            density = bool((abs(widths - widths[0]) > 1e-8 + 1e-5 * abs(widths[0])).any())
            if density:
                warn(
                    "Bin widths are not constant. Assuming `density=True`. Specify `density`"
                    " explicitly to silence this warning.",
                    RuntimeWarning,
                )
        elif not density:
            contents = contents / self._hbin_widths
        self._hpdf = contents / sum(contents * self._hbin_widths)
        self._hcdf = concatenate([zeros(1), cumsum(self._hpdf * self._hbin_widths)])
        kwargs["a"], kwargs["b"] = (float(end) for end in edges[:: edges.size - 1].get())
        super().__init__(*args, **kwargs)

    def _pdf(self, x: Any) -> Any:
        # The last edge belongs to no bin.
        padded = concatenate([zeros(1), self._hpdf, zeros(1)])
        return take(padded, searchsorted(self._hbins, x, side="right"))

    def _cdf(self, x: Any) -> Any:
        return interp(x, self._hbins, self._hcdf)

    def _ppf(self, q: Any) -> Any:
        return interp(q, self._hcdf, self._hbins)

    def _munp(self, n: Any) -> Any:
        powers = self._hbins ** (n + 1)
        return sum(self._hpdf * diff(powers)) / (n + 1)

    def _entropy(self) -> Any:
        return -sum(xlogy(self._hpdf, self._hpdf) * self._hbin_widths)
