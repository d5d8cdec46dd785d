"""Einstein summation: `einsum` over the product engine, and `einsum_path`.

Subscripts become lists of labels, one per axis. Repeated labels of an operand are a diagonal view;
labels that no other operand and not the result has are summed first; two operands are then one
product of matrices whose batch, row, column and summed axes are groups of labels, or one
multiplication where nothing is summed. More operands go by pairs.
"""

import builtins
import functools
import math
import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import _C
from .._C import ndarray
from ._convert import as_numbers
from .multiarray import result_type, strided_view

__all__ = ["einsum", "einsum_path"]

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_ELLIPSIS = "..."

# Labels are letters, or ("...", k) for the k-th last axis of an ellipsis.
Labels = tuple[Any, ...]


# ---- subscripts --------------------------------------------------------------------------------


def _split_term(term: str, what: str) -> Labels:
    """Subscripts of one operand as labels, including `...`."""
    labels: list[Any] = []
    i = 0
    while i < len(term):
        c = term[i]
        if c in _LETTERS:
            labels.append(c)
        elif term.startswith(_ELLIPSIS, i) and _ELLIPSIS not in labels:
            labels.append(_ELLIPSIS)
            i += 2
        elif c == ".":
            raise ValueError(
                "einstein sum subscripts string contains a '.' that is not part of an ellipsis "
                f"('...') in {what}"
            )
        else:
            raise ValueError(
                f"invalid subscript '{c}' in einstein sum subscripts string, subscripts must be "
                "letters"
            )
        i += 1
    return tuple(labels)


@functools.lru_cache(maxsize=512)
def _parse_text(text: str, n: int) -> tuple[tuple[Labels, ...], Labels | None]:
    """(labels of each of n operands, of the result or None), from 'ij,jk->ik'."""
    text = text.replace(" ", "")
    inputs, arrow, output = text.partition("->")
    if "-" in inputs or ">" in inputs or "-" in output or ">" in output:
        raise ValueError(
            "einstein sum subscript string does not contain proper '->' output specified"
        )
    terms = inputs.split(",")
    if len(terms) < n:
        raise ValueError(
            "more operands provided to einstein sum function than specified in the subscripts "
            "string"
        )
    if len(terms) > n:
        raise ValueError(
            "fewer operands provided to einstein sum function than specified in the subscripts "
            "string"
        )
    labels = tuple(_split_term(term, f"operand {i}") for i, term in enumerate(terms))
    return labels, _split_term(output, "output") if arrow else None


def _parse_sublist(sublist: Any) -> Labels:
    """[0, Ellipsis, 1] as labels: 0 to 51 stand for the letters A-Z, a-z."""
    labels: list[Any] = []
    for item in sublist:
        if item is Ellipsis:
            labels.append(_ELLIPSIS)
            continue
        try:
            number = operator.index(item)
        except TypeError as error:
            raise TypeError("each subscript must be either an integer or an ellipsis") from error
        if not 0 <= number < 52:
            raise ValueError("subscript is not within the valid range [0, 52)")
        labels.append(chr(ord("A") + number) if number < 26 else chr(ord("a") + number - 26))
    return tuple(labels)


def _take_operands(
    operands: Sequence[Any],
) -> tuple[list[Any], tuple[Labels, ...], Labels | None]:
    """(operands, their labels, labels of the result or None) for either form of a call."""
    if not operands:
        raise ValueError(
            "must specify the einstein sum subscripts string and at least one operand, or at least "
            "one operand and its corresponding subscripts list"
        )
    if isinstance(operands[0], str):
        if len(operands) < 2:
            raise ValueError(
                "must specify the einstein sum subscripts string and at least one operand"
            )
        labels, output = _parse_text(operands[0], len(operands) - 1)
        return list(operands[1:]), labels, output
    pairs = len(operands) // 2
    labels = tuple(_parse_sublist(operands[2 * i + 1]) for i in range(pairs))
    output = _parse_sublist(operands[-1]) if len(operands) % 2 else None
    return list(operands[0 : 2 * pairs : 2]), labels, output


def _expand(labels: Labels, ndim: int, i: int) -> Labels:
    """Labels of an operand with the ellipsis replaced, one label per axis."""
    extra = ndim - len(labels) + (_ELLIPSIS in labels)
    if extra < 0:
        raise ValueError(
            f"einstein sum subscripts string contains too many subscripts for operand {i}"
        )
    if _ELLIPSIS not in labels:
        if extra:
            raise ValueError(
                "operand has more dimensions than subscripts given in einstein sum, but no '...' "
                "ellipsis provided to broadcast the extra dimensions."
            )
        return labels
    at = labels.index(_ELLIPSIS)
    return labels[:at] + tuple((_ELLIPSIS, k - extra) for k in range(extra)) + labels[at + 1 :]


def _output_labels(given: Labels | None, inputs: tuple[Labels, ...]) -> Labels:
    """Labels of the result: as given, or the ellipsis followed by those that occur once, sorted."""
    flat = [label for labels in inputs for label in labels]
    width = builtins.max((-x[1] for x in flat if isinstance(x, tuple)), default=0)
    dots: Labels = tuple((_ELLIPSIS, k - width) for k in range(width))
    if given is None:
        return dots + tuple(
            sorted(x for x in set(flat) if isinstance(x, str) and flat.count(x) == 1)
        )
    if _ELLIPSIS in given:
        at = given.index(_ELLIPSIS)
        given = given[:at] + dots + given[at + 1 :]
    elif width:
        raise ValueError(
            "output has more dimensions than subscripts given in einstein sum, but no '...' "
            "ellipsis provided to broadcast the extra dimensions."
        )
    for label in given:
        if given.count(label) > 1:
            raise ValueError(
                f"einstein sum subscripts string includes output subscript '{label}' multiple times"
            )
        if label not in flat:
            raise ValueError(
                f"einstein sum subscripts string included output subscript '{label}' which never "
                "appeared in an input"
            )
    return given


@functools.lru_cache(maxsize=512)
def _expanded(
    labels: tuple[Labels, ...], given: Labels | None, ndims: tuple[int, ...]
) -> tuple[tuple[Labels, ...], Labels]:
    """(labels of each operand, of the result) for operands with given numbers of axes."""
    inputs = tuple(_expand(x, n, i) for i, (x, n) in enumerate(zip(labels, ndims, strict=True)))
    return inputs, _output_labels(given, inputs)


# ---- one operand -------------------------------------------------------------------------------


def _diagonal(a: ndarray, labels: Labels, i: int) -> tuple[ndarray, Labels]:
    """View with each label once: the diagonal over axes with equal labels."""
    if len(set(labels)) == len(labels):
        return a, labels
    sizes: dict[Any, int] = {}
    strides: dict[Any, int] = {}
    for label, size, stride in zip(labels, a.shape, a.strides, strict=True):
        if sizes.setdefault(label, size) != size:
            raise ValueError(
                f"dimensions in operand {i} for collapsing index '{label}' don't match "
                f"({sizes[label]} != {size})"
            )
        strides[label] = strides.get(label, 0) + stride
    view = strided_view(a, tuple(sizes.values()), tuple(strides.values()))
    return view, tuple(sizes)


def _sizes(operands: list[ndarray], inputs: Sequence[Labels]) -> dict[Any, int]:
    """Size of each label; axes of size one are broadcast."""
    sizes: dict[Any, int] = {}
    for a, labels in zip(operands, inputs, strict=True):
        for label, size in zip(labels, a.shape, strict=True):
            known = sizes.setdefault(label, size)
            if known == size:
                continue
            if known == 1:
                sizes[label] = size
            elif size != 1:
                raise ValueError(
                    "operands could not be broadcast together with remapped shapes "
                    f"[original->remapped]: index '{label}' has sizes {known} and {size}"
                )
    return sizes


def _drop_stretched(a: ndarray, labels: Labels, sizes: dict[Any, int]) -> tuple[ndarray, Labels]:
    """Remove axes of size one that are longer in another operand."""
    if 1 not in a.shape:
        return a, labels
    long = [n != 1 or sizes[x] == 1 for n, x in zip(a.shape, labels, strict=True)]
    if builtins.all(long):
        return a, labels
    key = tuple(slice(None) if keep else 0 for keep in long)
    return a[key], tuple(x for x, keep in zip(labels, long, strict=True) if keep)


def _sum_axes(a: ndarray, axes: tuple[int, ...], dtype: np.dtype[Any]) -> ndarray:
    if not axes:
        return a
    return _C.any(a, axes) if dtype == np.bool_ else _C.sum(a, axes, dtype)


def _ordered(a: ndarray, labels: Labels, order: Labels) -> ndarray:
    return a if labels == order else a.transpose([labels.index(x) for x in order])


def _aligned(a: ndarray, labels: Labels, order: Labels) -> ndarray:
    """View with an axis for each label of `order`, of size one if `a` lacks it."""
    have = tuple(x for x in order if x in labels)
    view = _ordered(a, labels, have)
    if len(have) == len(order):
        return view
    return view[tuple(slice(None) if x in labels else None for x in order)]


# ---- two operands ------------------------------------------------------------------------------


class _Pair(NamedTuple):
    """Grouping of the labels of two operands."""

    alone_a: tuple[int, ...]  # axes of `a` alone, which the result lacks: summed first
    alone_b: tuple[int, ...]
    a: Labels  # without those
    b: Labels
    batch: Labels  # in both and the result
    rows: Labels  # in a and the result
    columns: Labels
    summed: Labels  # in both only


@functools.lru_cache(maxsize=512)
def _pair(la: Labels, lb: Labels, out: Labels) -> _Pair:
    a = tuple(x for x in la if x in lb or x in out)
    b = tuple(x for x in lb if x in la or x in out)
    return _Pair(
        alone_a=tuple(i for i, x in enumerate(la) if x not in a),
        alone_b=tuple(i for i, x in enumerate(lb) if x not in b),
        a=a,
        b=b,
        batch=tuple(x for x in out if x in a and x in b),
        rows=tuple(x for x in out if x in a and x not in b),
        columns=tuple(x for x in out if x in b and x not in a),
        summed=tuple(x for x in a if x in b and x not in out),
    )


def _by_stride(a: ndarray, labels: Labels, group: Labels) -> Labels:
    """Labels of a group in the order of a's memory, slowest first, so that they can be merged."""
    if len(group) < 2:
        return group
    return tuple(sorted(group, key=lambda x: -abs(a.strides[labels.index(x)])))


def _shaped(a: ndarray, shape: tuple[int, ...]) -> ndarray:
    return a if a.shape == shape else a.reshape(shape)


def _matrices(out: ndarray, order: Labels, groups: Labels, shape: Any) -> ndarray | None:
    """`out` as the batch of matrices that a product writes, or None if it is not one."""
    view = _ordered(out, order, groups)
    if view.shape == shape:
        return view
    try:
        return view.reshape(shape, copy=False)
    except ValueError:
        return None


def _contract(
    a: ndarray,
    la: Labels,
    b: ndarray,
    lb: Labels,
    out_labels: Labels,
    sizes: dict[Any, int],
    dtype: np.dtype[Any],
    out: ndarray | None,
) -> ndarray:
    """Contract two operands to the labels of the result."""
    pair = _pair(la, lb, out_labels)
    a, b = _sum_axes(a, pair.alone_a, dtype), _sum_axes(b, pair.alone_b, dtype)
    if out is None:
        out = _C.empty(tuple([sizes[x] for x in out_labels]), dtype, "C")
    if not pair.summed:
        args = (_aligned(a, pair.a, out_labels), _aligned(b, pair.b, out_labels))
        return _C.multiply(*args, out, dtype=dtype, casting="unsafe")
    batch, rows, columns = pair.batch, pair.rows, pair.columns
    larger, labels = (a, pair.a) if a.size >= b.size else (b, pair.b)
    summed = _by_stride(larger, labels, pair.summed)
    stack = tuple([sizes[x] for x in batch])
    m, k, n = (math.prod([sizes[x] for x in group]) for group in (rows, summed, columns))
    x = _shaped(_ordered(a, pair.a, batch + rows + summed), (*stack, m, k))
    y = _shaped(_ordered(b, pair.b, batch + summed + columns), (*stack, k, n))
    order = batch + rows + columns
    view = _matrices(out, out_labels, order, (*stack, m, n))
    if view is not None:
        _C.matmul(x, y, view, dtype=dtype, casting="unsafe")
        return out
    product = _C.matmul(x, y, dtype=dtype, casting="unsafe")
    out[...] = _ordered(product.reshape(tuple([sizes[x] for x in order])), order, out_labels)
    return out


# ---- the usual calls ---------------------------------------------------------------------------


class _Single(NamedTuple):
    """What is done to one operand, in this order; None: nothing."""

    groups: list[list[int]] | None  # axes of each label: diagonals
    shape: tuple[int, ...]
    summed: tuple[int, ...]
    order: list[int] | None

    def apply(self, a: ndarray) -> ndarray:
        view = a
        if self.groups is not None:
            steps = a.strides
            strides = tuple([builtins.sum([steps[i] for i in group]) for group in self.groups])
            view = strided_view(a, self.shape, strides)
        view = _sum_axes(view, self.summed, a.dtype)
        if self.order is not None:
            view = view.transpose(self.order)
        return a.view() if view is a else view


@functools.lru_cache(maxsize=512)
def _single_plan(text: str, shape: tuple[int, ...]) -> _Single | None:
    """Plan of one operand; None for diagonals of axes of different sizes, which are refused."""
    (labels,), output = _expanded(*_parse_text(text, 1), (len(shape),))
    names = tuple(dict.fromkeys(labels))
    groups = [[i for i, x in enumerate(labels) if x == name] for name in names]
    if builtins.any(shape[i] != shape[group[0]] for group in groups for i in group):
        return None
    kept = tuple(x for x in names if x in output)
    return _Single(
        groups if len(names) < len(labels) else None,
        tuple(shape[group[0]] for group in groups),
        tuple(i for i, x in enumerate(names) if x not in output),
        None if kept == output else [kept.index(x) for x in output],
    )


class _Elements(NamedTuple):
    """Views of two operands whose product by elements is the result; None: nothing to do."""

    order_a: list[int] | None
    key_a: tuple[Any, ...] | None
    order_b: list[int] | None
    key_b: tuple[Any, ...] | None
    shape: tuple[int, ...]

    def apply(self, a: ndarray, b: ndarray) -> ndarray:
        out = _C.empty(self.shape, a.dtype, "C")
        x, y = a, b
        if self.order_a is not None:
            x = x.transpose(self.order_a)
        if self.key_a is not None:
            x = x[self.key_a]
        if self.order_b is not None:
            y = y.transpose(self.order_b)
        if self.key_b is not None:
            y = y[self.key_b]
        return _C.multiply(x, y, out)


def _element_view(
    labels: Labels, output: Labels
) -> tuple[list[int] | None, tuple[Any, ...] | None]:
    """The transposition and the key that lead from an operand to the axes of the result."""
    have = tuple(x for x in output if x in labels)
    key = tuple(slice(None) if x in labels else None for x in output)
    return (
        None if have == labels else [labels.index(x) for x in have],
        None if len(have) == len(output) else key,
    )


class _Product(NamedTuple):
    """Views of two operands whose product of matrices is the result; None: nothing to do."""

    order_a: list[int] | None
    shape_a: tuple[int, ...] | None
    order_b: list[int] | None
    shape_b: tuple[int, ...] | None
    shape: tuple[int, ...] | None

    def apply(self, a: ndarray, b: ndarray) -> ndarray:
        x, y = _viewed(a, self.order_a, self.shape_a), _viewed(b, self.order_b, self.shape_b)
        product = _C.matmul(x, y)
        return product if self.shape is None else product.reshape(self.shape)


def _view_plan(
    labels: Labels, order: Labels, sizes: dict[Any, int], shape: Any
) -> tuple[list[int] | None, tuple[int, ...] | None]:
    """The transposition and the shape that lead from an operand to matrices."""
    axes = None if labels == order else [labels.index(x) for x in order]
    return axes, None if tuple([sizes[x] for x in order]) == shape else shape


@functools.lru_cache(maxsize=512)
def _pair_plan(text: str, a: tuple[int, ...], b: tuple[int, ...]) -> _Product | _Elements | None:
    """Plan of two operands that need no sums, diagonals or broadcasting before their product.

    One label is summed, since the order of several depends on the operands' memory.
    """
    (la, lb), output = _expanded(*_parse_text(text, 2), (len(a), len(b)))
    sizes = dict(zip(la + lb, a + b, strict=True))
    pair = _pair(la, lb, output)
    batch, rows, columns, summed = pair.batch, pair.rows, pair.columns, pair.summed
    if (
        (pair.a, pair.b) != (la, lb)
        or len(set(la)) < len(la)
        or len(set(lb)) < len(lb)
        or tuple([sizes[x] for x in la]) != a
    ):
        return None
    shape = tuple([sizes[x] for x in output])
    if not summed:
        return _Elements(*_element_view(la, output), *_element_view(lb, output), shape)
    if len(summed) != 1 or batch + rows + columns != output:
        return None
    stack = tuple([sizes[x] for x in batch])
    m, k, n = (math.prod([sizes[x] for x in group]) for group in (rows, summed, columns))
    return _Product(
        *_view_plan(la, batch + rows + summed, sizes, (*stack, m, k)),
        *_view_plan(lb, batch + summed + columns, sizes, (*stack, k, n)),
        None if shape == (*stack, m, n) else shape,
    )


def _viewed(a: ndarray, order: list[int] | None, shape: tuple[int, ...] | None) -> ndarray:
    if order is not None:
        a = a.transpose(order)
    return a if shape is None else a.reshape(shape)


def _planned(text: str, operands: Any) -> ndarray | None:
    """Result for one array or two of one type by a plan that was made before, or None."""
    a = operands[0]
    if type(a) is not ndarray or a.dtype.kind not in "biufc":
        return None
    if len(operands) == 1:
        single = _single_plan(text, a.shape)
        return None if single is None else single.apply(a)
    b = operands[1]
    if type(b) is not ndarray or b.dtype is not a.dtype:
        return None
    plan = _pair_plan(text, a.shape, b.shape)
    return None if plan is None else plan.apply(a, b)


# ---- several operands --------------------------------------------------------------------------


def _stand_ins(operands: Sequence[Any]) -> list[Any]:
    """Host arrays with the shapes of the operands that hold one element each, to find a path."""
    return [
        np.broadcast_to(np.zeros((), np.float64), x.shape) if isinstance(x, ndarray) else x
        for x in operands
    ]


@functools.lru_cache(maxsize=256)
def _path(terms: tuple[Labels, ...], output: Labels, shapes: Any, optimize: Any) -> list[Any]:
    """Order of contraction that NumPy chooses for these labels and shapes."""
    names = {x: i for i, x in enumerate(dict.fromkeys(x for term in terms for x in term))}
    operands: list[Any] = []
    for term, shape in zip(terms, shapes, strict=True):
        operands += [np.broadcast_to(np.zeros(()), shape), [names[x] for x in term]]
    return np.einsum_path(*operands, [names[x] for x in output], optimize=optimize)[0][1:]


def _choose_path(
    inputs: list[Labels], output: Labels, operands: list[ndarray], optimize: Any
) -> Any:
    if isinstance(optimize, (list, tuple)) and optimize and optimize[0] == "einsum_path":
        return list(optimize[1:])
    if optimize is True or optimize is False or optimize is None:
        optimize = "greedy"
    if isinstance(optimize, list):
        optimize = tuple(optimize)
    return _path(tuple(inputs), output, tuple(a.shape for a in operands), optimize)


def _reduce_pairs(
    operands: list[ndarray],
    inputs: list[Labels],
    output: Labels,
    sizes: dict[Any, int],
    dtype: np.dtype[Any],
    path: Any,
    out: ndarray | None,
) -> ndarray:
    """Contract pairs of operands along the path until one is left."""
    operands, inputs = list(operands), list(inputs)
    for step in path:
        group = [(operands[i], inputs[i]) for i in step]
        for i in sorted(step, reverse=True):
            del operands[i], inputs[i]
        a, la = group[0]
        for j, (b, lb) in enumerate(group[1:], 2):
            others = [*inputs, *(labels for _, labels in group[j:])]
            keep = output
            if others:
                wanted = {*output, *(x for labels in others for x in labels)}
                keep = tuple(x for x in dict.fromkeys(la + lb) if x in wanted)
            a = _contract(a, la, b, lb, keep, sizes, dtype, None if others else out)
            la = keep
        operands.append(a)
        inputs.append(la)
    if len(operands) != 1:
        raise RuntimeError(
            f"Invalid einsum_path is specified: {len(operands) - 1} more operands has to be "
            "contracted."
        )
    if inputs[0] != output:  # a path that ends with a single operand
        return _finish_single(operands[0], inputs[0], output, dtype, None)
    return operands[0]


def _finish_single(
    a: ndarray, labels: Labels, output: Labels, dtype: np.dtype[Any], out: ndarray | None
) -> ndarray:
    """Result for one operand: a view if nothing is summed and nothing is converted."""
    a = _sum_axes(a, tuple(i for i, x in enumerate(labels) if x not in output), dtype)
    view = _ordered(a, tuple(x for x in labels if x in output), output)
    if out is not None:
        out[...] = view
        return out
    return (view.view() if view is a else view) if view.dtype == dtype else view.astype(dtype)


def _check_out(out: Any, shape: tuple[int, ...], dtype: np.dtype[Any], casting: Any) -> None:
    if not isinstance(out, ndarray):
        raise TypeError("out parameter must be a gpunp array for einsum")
    if out.ndim != len(shape):
        raise ValueError(
            f"out parameter does not have the correct number of dimensions, has {out.ndim} but "
            f"should have {len(shape)}"
        )
    if out.shape != shape:
        raise ValueError(
            f"non-broadcastable output operand with shape {out.shape} doesn't match the broadcast "
            f"shape {shape}"
        )
    if not np.can_cast(dtype, out.dtype, casting):
        raise TypeError(
            f"Iterator requested dtype could not be cast from {dtype!r} to {out.dtype!r}, the "
            f"operand dtype, according to the rule '{casting}'"
        )


def _result_dtype(arrays: list[ndarray], dtype: Any, casting: Any) -> np.dtype[Any]:
    """Type in which to compute, if the casting rule allows it for all operands."""
    first = arrays[0].dtype
    if casting != "safe":
        np.can_cast(first, first, casting)  # raises where there is no such rule
    if dtype is None and builtins.all(a.dtype is first for a in arrays):
        return first
    target = np.dtype(result_type(*arrays) if dtype is None else dtype)
    for i, a in enumerate(arrays):
        if not np.can_cast(a.dtype, target, casting):
            raise TypeError(
                f"Iterator operand {i} dtype could not be cast from {a.dtype!r} to {target!r} "
                f"according to the rule '{casting}'"
            )
    return target


def einsum(*operands, out=None, optimize=False, **kwargs) -> ndarray:
    """Evaluate a sum of products in Einstein's notation.

    Parameters
    ----------
    *operands : str and arrays, or arrays and lists of axis labels
        Subscripts such as 'ij,jk->ik', with `...` for broadcast axes, and the arrays they refer to.
        Without `->` the result has the labels that occur once, in alphabetical order. Alternatively
        arrays, each followed by the list of its labels.
    out : gpunp.ndarray, optional
        Array into which the result is written.
    optimize : bool, 'greedy', 'optimal' or a path of `einsum_path`, optional
        Order of contraction, for three or more operands.
    **kwargs
        Keyword arguments `dtype`, `order` ('K') and `casting` ('safe'), as in NumPy.

    Returns
    -------
    gpunp.ndarray
        The sum of products; a view of a single operand if nothing is summed.

    Differences
    -----------
    Three operands or more are always contracted by pairs; without `optimize` in the order that
    'greedy' gives, so rounding may differ from NumPy's single loop.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.einsum("ij,j->i", cp.arange(6).reshape(2, 3), cp.arange(3))
    array([ 5, 14])
    """
    if not kwargs and out is None and 2 <= len(operands) <= 3 and type(operands[0]) is str:
        result = _planned(operands[0], operands[1:])
        if result is not None:
            return result
    dtype, order, casting = (kwargs.pop(k, v) for k, v in _DEFAULTS)
    if kwargs:
        name = next(iter(kwargs))
        raise TypeError(f"einsum() got an unexpected keyword argument '{name}'")
    if order is not None and not isinstance(order, str):
        raise TypeError(f"order must be str, not {type(order).__name__}")
    if order is not None and order.upper() not in ("C", "F", "A", "K"):
        raise ValueError(f"order must be one of 'C', 'F', 'A' or 'K', not {order!r}")
    given, labels, wanted = _take_operands(operands)
    arrays = [as_numbers(a, "einsum") for a in given]
    if order in ("A", "a"):
        order = "F" if builtins.all(a.flags.f_contiguous for a in arrays) else "C"
    inputs, output = _expanded(labels, wanted, tuple([a.ndim for a in arrays]))
    target = _result_dtype(arrays, dtype, casting)
    views = [_diagonal(a, x, i) for i, (a, x) in enumerate(zip(arrays, inputs, strict=True))]
    arrays, seen = [v for v, _ in views], [x for _, x in views]
    sizes = _sizes(arrays, seen)
    if out is not None:
        _check_out(out, tuple([sizes[x] for x in output]), target, casting)
    result = _evaluate(arrays, seen, output, sizes, target, optimize, out)
    if out is None and order not in (None, "K", "k") and not _is_view(result, given):
        return _C.array(result, None, None, order)
    return result


def _is_view(result: ndarray, operands: Any) -> bool:
    """Whether the result is a view of a single operand, which keeps its memory layout."""
    return len(operands) == 1 and result.base is not None


_DEFAULTS = (("dtype", None), ("order", "K"), ("casting", "safe"))


def _evaluate(
    arrays: list[ndarray],
    inputs: list[Labels],
    output: Labels,
    sizes: dict[Any, int],
    dtype: np.dtype[Any],
    optimize: Any,
    out: ndarray | None,
) -> ndarray:
    if len(arrays) == 1:
        return _finish_single(arrays[0], inputs[0], output, dtype, out)
    path = [(0, 1)] if len(arrays) == 2 else _choose_path(inputs, output, arrays, optimize)
    pairs = [_drop_stretched(a, labels, sizes) for a, labels in zip(arrays, inputs, strict=True)]
    arrays, inputs = [a for a, _ in pairs], [labels for _, labels in pairs]
    shared = out is not None and builtins.any(_C.may_share_memory(out, a) for a in arrays)
    result = _reduce_pairs(arrays, inputs, output, sizes, dtype, path, None if shared else out)
    if out is not None and result is not out:
        out[...] = result
        return out
    return result


def einsum_path(*operands, optimize="greedy", einsum_call=False) -> Any:
    """Return the order in which `einsum` contracts its operands, and a report: NumPy's own answer.

    Only shapes matter; nothing is computed on the device.

    Parameters
    ----------
    *operands : str and array_likes, or array_likes and lists of int
        Operands as for `einsum`; only their shapes are used.
    optimize : {'greedy', 'optimal', True, False} or tuple, optional
        Search algorithm; a pair (name, largest size of an intermediate) bounds the memory.
    einsum_call : bool, optional
        If True, return NumPy's internal form of the path.

    Returns
    -------
    path : list
        'einsum_path', and one tuple of operand positions per contraction.
    text : str
        Human-readable summary of the costs.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.einsum_path("ij,jk,kl->il", cp.ones((2, 9)), cp.ones((9, 3)), cp.ones((3, 4)))[0]
    ['einsum_path', (0, 1), (0, 1)]
    """
    return np.einsum_path(*_stand_ins(operands), optimize=optimize, einsum_call=einsum_call)
