"""GeneralizedUFunc: a function of small arrays, applied to stacks of them."""

import itertools
import operator
import re
from typing import Any

import numpy as np

from .._C import broadcast_to
from ._convert import as_array, normalize_axis_index, shown
from .multiarray import empty, ndarray
from .numeric import moveaxis

__all__ = ["GeneralizedUFunc"]

_OPERAND = re.compile(r"\(\s*([^()]*?)\s*\)")


def _parse(signature: str) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Names of the core dimensions of inputs and outputs, from "(m,n),(n)->(m)"."""
    if not isinstance(signature, str):
        raise TypeError(f"signature must be a str, not {type(signature).__name__}")
    sides = signature.split("->")
    if len(sides) != 2:
        raise ValueError(f"not a valid gufunc signature: {signature}")
    parsed = []
    for side in sides:
        groups = _OPERAND.findall(side)
        if _OPERAND.sub("", side).strip(" ,") or not groups:
            raise ValueError(f"not a valid gufunc signature: {signature}")
        parsed.append([tuple(n.strip() for n in g.split(",") if n.strip()) for g in groups])
    return parsed[0], parsed[1]


class GeneralizedUFunc:
    """Function of arrays with given core dimensions, applied to all such subarrays.

    Parameters
    ----------
    func : callable
        Function that takes arrays with the core dimensions alone, or, with `supports_batched`,
        arrays with leading batch dimensions.
    signature : str
        Core dimensions of the operands, such as ``"(m,n),(n)->(m)"``.
    name, doc : str, optional
        Name and docstring of the object. By default those of `func`.
    supports_batched : bool, optional
        If True, `func` takes entire stacks, broadcast against each other.
    supports_out : bool, optional
        If True, `func` takes the keyword argument `out`.
    signatures : sequence of str, optional
        Loops of `func` as character codes, one for each operand, such as ``"ff->f"``. The first to
        which the inputs can be cast is used.
    try_fastcall_func : callable, optional
        Function that is tried first, with the arguments as given; its result is used unless it is
        None.

    Notes
    -----
    Without `supports_batched`, `func` is called once for each element of the batch.

    Examples
    --------
    >>> import gpunp as cp
    >>> inner = cp.GeneralizedUFunc(lambda a, b: (a * b).sum(-1), "(n),(n)->()",
    ...                             supports_batched=True)
    >>> inner(cp.ones((2, 3)), cp.arange(3.0))
    array([3., 3.])
    """

    def __init__(
        self,
        func,
        signature,
        *,
        name=None,
        doc=None,
        supports_batched=False,
        supports_out=False,
        signatures=None,
        try_fastcall_func=None,
    ):
        self._func = func
        self.signature = signature
        self._in, self._out = _parse(signature)
        self.__name__ = name or getattr(func, "__name__", "gufunc")
        self.__doc__ = doc or getattr(func, "__doc__", None)
        self._batched = supports_batched
        self._takes_out = supports_out
        self._types = [self._parse_types(t) for t in signatures or ()]
        self._fast = try_fastcall_func

    def __repr__(self) -> str:
        return f"<gufunc '{self.__name__}' {self.signature}>"

    @staticmethod
    def _parse_types(text: str) -> tuple[str, str]:
        inputs, _, outputs = text.partition("->")
        return inputs, outputs

    # ---- axes ----------------------------------------------------------------------------------

    def _core_axes(self, axes: Any, axis: Any, keepdims: bool) -> tuple[list[Any], list[Any]]:
        """Core axes of each operand, from `axes` or `axis`."""
        nin, nout = len(self._in), len(self._out)
        ndims = [len(core) for core in [*self._in, *self._out]]
        if keepdims:  # the results have as many core axes as the operands, of length one
            ndims[nin:] = [n or ndims[0] for n in ndims[nin:]]
        if axis is not None:
            if axes is not None:
                raise TypeError("cannot specify both 'axis' and 'axes'")
            shared = {name for core in self._in for name in core}
            if len(shared) != 1 or any(n > 1 for n in ndims[:nin]):
                raise TypeError("axis can only be used with a single shared core dimension")
            axes = [(axis,) if n else () for n in ndims]
        if axes is None:
            axes = [tuple(range(-n, 0)) for n in ndims]
        axes = [tuple(np.atleast_1d(a).tolist()) if not isinstance(a, tuple) else a for a in axes]
        if len(axes) == nin and (keepdims or all(n == 0 for n in ndims[nin:])):
            axes += [tuple(range(-n, 0)) for n in ndims[nin:]]
        if len(axes) != nin + nout:
            raise ValueError("axes should be a list with an entry for all inputs and outputs")
        for given, n in zip(axes, ndims, strict=True):
            if len(given) != n:
                raise ValueError(f"an entry of axes has {len(given)} numbers, not {n}")
        return axes[:nin], axes[nin:]

    def _sizes(self, operands: list[ndarray]) -> dict[str, int]:
        """Sizes of the core dimensions by name; a name that is a number must be of that size."""
        sizes: dict[str, int] = {}
        for core, a in zip(self._in, operands, strict=True):
            if a.ndim < len(core):
                raise ValueError(
                    f"{self.__name__}: an operand has {a.ndim} dimensions, {self.signature} "
                    f"asks for {len(core)}"
                )
            for name, size in zip(core, a.shape[a.ndim - len(core) :], strict=True):
                wanted = int(name) if name.isdigit() else sizes.setdefault(name, size)
                if wanted != size:
                    raise ValueError(
                        f"{self.__name__}: core dimension {name} is {wanted} and {size} "
                        f"({self.signature})"
                    )
        return sizes

    # ---- dtypes --------------------------------------------------------------------------------

    def _loop(self, operands: list[ndarray], dtype: Any, signature: Any) -> tuple[Any, Any]:
        """Types of inputs and outputs, None where they are unchanged."""
        if signature is not None:
            if isinstance(signature, str):
                return self._parse_types(signature)
            return signature[: len(operands)], signature[len(operands) :]
        if dtype is not None:
            return (dtype,) * len(operands), (dtype,) * len(self._out)
        for inputs, outputs in self._types:
            pairs = zip(operands, inputs, strict=True)
            if all(np.can_cast(a.dtype, np.dtype(t)) for a, t in pairs):
                return inputs, outputs
        if self._types:
            raise TypeError(f"{self.__name__} has no loop for {[str(a.dtype) for a in operands]}")
        return (None,) * len(operands), (None,) * len(self._out)

    # ---- the call ------------------------------------------------------------------------------

    def _run(self, operands: list[ndarray], stack: tuple[int, ...], out: Any) -> list[ndarray]:
        """One result for each output, core axes last."""
        if self._batched:
            extra = {"out": out} if self._takes_out and out is not None else {}
            found = self._func(*operands, **extra)
            return list(found) if isinstance(found, tuple) else [found]
        made: list[ndarray] = []
        for index in itertools.product(*map(range, stack)):
            parts = self._func(*(a[index] for a in operands))
            parts = parts if isinstance(parts, tuple) else (parts,)
            parts = [as_array(p) for p in parts]
            if not made:
                made = [empty((*stack, *p.shape), p.dtype) for p in parts]
            for whole, part in zip(made, parts, strict=True):
                whole[index] = part
        if not made:
            raise ValueError(f"{self.__name__}: an empty stack, whose results have no shape")
        return made

    def __call__(
        self,
        *args,
        axes=None,
        axis=None,
        keepdims=False,
        casting="same_kind",
        dtype=None,
        signature=None,
        order="K",
        out=None,
    ):
        """Apply the function to every subarray with the core dimensions.

        Parameters
        ----------
        *args : array_like
            Inputs, optionally followed by the outputs.
        axes : list of tuples, optional
            Core axes of each operand, if they are not the last ones.
        axis : int, optional
            Single core axis that all operands share.
        keepdims : bool, optional
            If True, the core axes that the results lack are kept with size one.
        casting : str, optional
            Rule that says which casts of inputs and outputs are allowed.
        dtype, signature : optional
            Types in which to compute.
        order : str, optional
            Memory layout of the results.
        out : ndarray or tuple of them, optional
            Arrays into which the results are written.

        Returns
        -------
        ndarray or tuple of them
            One array for each output: its batch dimensions are those of the inputs after
            broadcasting.
        """
        if self._fast is not None:
            plain = axes is None and axis is None and not keepdims and out is None
            found = self._fast(*args) if plain else None
            if found is not None:
                return found
        args = tuple(as_array(a) for a in args)
        nin, nout = len(self._in), len(self._out)
        if len(args) > nin and out is None:
            args, out = args[:nin], args[nin:]
        if len(args) != nin:
            raise TypeError(f"{self.__name__} takes {nin} inputs, {len(args)} are given")
        outs = out if isinstance(out, tuple) else (out,) * (nout == 1) or (None,) * nout
        if len(outs) != nout:
            raise TypeError(f"{self.__name__} has {nout} outputs, out has {len(outs)}")
        in_axes, out_axes = self._core_axes(axes, axis, keepdims)
        types, out_types = self._loop(args, dtype, signature)
        operands = [_ready(*each, casting) for each in zip(args, in_axes, types, strict=True)]
        self._sizes(operands)
        cores = [len(core) for core in self._in]
        loops = [a.shape[: a.ndim - n] for a, n in zip(operands, cores, strict=True)]
        stack = np.broadcast_shapes(*loops)
        operands = [
            broadcast_to(a, (*stack, *a.shape[a.ndim - n :]))
            for a, n in zip(operands, cores, strict=True)
        ]
        results = self._run(operands, stack, outs[0] if nout == 1 else None)
        if len(results) != nout:
            raise ValueError(f"{self.__name__} returned {len(results)} results, not {nout}")
        finished = tuple(
            _finished(*each, keepdims, casting, order)
            for each in zip(results, self._out, out_axes, outs, out_types, strict=True)
        )
        return finished[0] if nout == 1 else finished


def _ready(a: ndarray, axes: Any, dtype: Any, casting: Any) -> ndarray:
    """Input with its core axes last, in the dtype of the loop."""
    axes = [normalize_axis_index(operator.index(x), a.ndim) for x in axes]
    a = moveaxis(a, axes, range(a.ndim - len(axes), a.ndim))
    if dtype is None:
        return a
    if not np.can_cast(a.dtype, np.dtype(dtype), casting):
        raise TypeError(f"cannot cast {a.dtype} to {np.dtype(dtype)} by {shown(casting)}")
    return a.astype(dtype, copy=False)


def _finished(
    result: Any,
    core: Any,
    axes: Any,
    out: Any,
    dtype: Any,
    keepdims: bool,
    casting: Any,
    order: str,
) -> ndarray:
    """Result with its core axes moved to their positions, in `out` if given."""
    result = as_array(result)
    if dtype is not None:
        result = result.astype(dtype, copy=False)
    if keepdims and not core:
        result = result.reshape(result.shape + (1,) * len(axes))
    if len(axes) and (core or keepdims):
        result = moveaxis(result, range(result.ndim - len(axes), result.ndim), axes)
    if out is None:
        return result if order in "KA" else result.astype(result.dtype, order, copy=False)
    if result is not out:
        if not np.can_cast(result.dtype, out.dtype, casting):
            raise TypeError(f"cannot cast {result.dtype} to {out.dtype} by {shown(casting)}")
        out[...] = result
    return out
