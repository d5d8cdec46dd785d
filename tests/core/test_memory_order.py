"""Where results lie in memory: strides as NumPy's, over broadcast, permuted and reversed arrays."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpunp as cp


def make(xp, layout):
    """An array of float32: a dense one sliced, transposed, reversed, then broadcast."""
    lengths, steps, axes, reverse, stretched = layout
    shape = [n * step for n, step in zip(lengths, steps, strict=True)]
    a = xp.arange(int(np.prod(shape)), dtype="f4").reshape(shape)
    a = a[tuple(slice(None, None, step) for step in steps)].transpose(axes)
    a = a[tuple(slice(None, None, -1 if r else 1) for r in reverse)]
    for axis, n in stretched:
        axis = min(axis, a.ndim)
        a = xp.broadcast_to(xp.expand_dims(a, axis), [*a.shape[:axis], n, *a.shape[axis:]])
    return a


@st.composite
def layouts(draw):
    ndim = draw(st.integers(1, 3))
    return (
        draw(st.lists(st.integers(1, 3), min_size=ndim, max_size=ndim)),
        draw(st.lists(st.integers(1, 2), min_size=ndim, max_size=ndim)),
        draw(st.permutations(range(ndim))),
        draw(st.lists(st.booleans(), min_size=ndim, max_size=ndim)),
        draw(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 3)), max_size=2)),
    )


# One function for each way in which a result's memory is chosen. What follows the order of
# iteration, where an axis of stride 0 has no opinion:
ITERATED = {
    "negative": lambda xp, a: -a,
    "add": lambda xp, a: a + 1,
    "add an array": lambda xp, a: a + xp.ones_like(a),
    "equal": lambda xp, a: a == 1,
    "equal None": lambda xp, a: a == None,  # noqa: E711 -- the operator's own answer
    "rint": lambda xp, a: a.round(),
    "where": lambda xp, a: xp.where(a > 1, a, 0),
    "clip": lambda xp, a: xp.clip(a, 0, 2),
    "isclose": lambda xp, a: xp.isclose(a, 1.0),
    "cumsum": lambda xp, a: a.cumsum(0),
    "accumulate": lambda xp, a: xp.maximum.accumulate(a, axis=-1),
    "reduceat": lambda xp, a: xp.add.reduceat(a, [0, 0], axis=0),
    "sum": lambda xp, a: a.sum(0),
    "sum of the last": lambda xp, a: a.sum(-1),
    "keepdims": lambda xp, a: a.max(0, keepdims=True),
    "mean": lambda xp, a: a.mean(-1),
    "var": lambda xp, a: a.var(0),
    "all": lambda xp, a: a.all(0),
    "ravel": lambda xp, a: a.ravel("K"),
    "flatten": lambda xp, a: a.flatten("K"),
}
# The order of a copy, where strides of 0 are the smallest:
COPIED = {
    "copy": lambda xp, a: a.copy("K"),
    "array": lambda xp, a: xp.array(a),
    "astype": lambda xp, a: a.astype("f8"),
    "zeros_like": lambda xp, a: xp.zeros_like(a),
    "full_like": lambda xp, a: xp.full_like(a, 2, dtype="i8"),
    "sort": lambda xp, a: xp.sort(a, 0),
    "nan_to_num": lambda xp, a: xp.nan_to_num(a),
    "nansum": lambda xp, a: xp.nansum(a, 0),
    "concatenate": lambda xp, a: xp.concatenate([a, a]),
    "concatenate the last": lambda xp, a: xp.concatenate([a, a], -1),
}
# C order, or Fortran order of what is in that order alone:
EITHER = {
    "round": lambda xp, a: a.round(1),
    "copy A": lambda xp, a: a.copy("A"),
    "argmax": lambda xp, a: a.argmax(0),
    "argsort": lambda xp, a: xp.argsort(a, 0),
    "select": lambda xp, a: xp.select([a > 1], [a]),
    "choose": lambda xp, a: xp.choose(a > 1, [a, a]),
    "take": lambda xp, a: a.take([0, 0], 0),
    "repeat": lambda xp, a: xp.repeat(a, 2, 0),
    "fft": lambda xp, a: xp.fft.fft(a, axis=0),
    "stack": lambda xp, a: xp.stack([a, a], -1),
}
FUNCTIONS = ITERATED | COPIED | EITHER


def steps(a):
    """The strides in elements that matter: of axes longer than one."""
    return [s // a.itemsize for n, s in zip(a.shape, a.strides, strict=True) if n > 1]


def assert_same_steps(function, layout):
    expected = function(np, make(np, layout))
    actual = function(cp, make(cp, layout))
    a = make(np, layout)
    about = f"of shape {a.shape}, strides {a.strides}"
    assert actual.shape == expected.shape, about
    assert steps(actual) == steps(expected), about
    np.testing.assert_allclose(actual.get(), expected, rtol=1e-5, atol=1e-5, err_msg=about)


@settings(max_examples=12, deadline=None, derandomize=True)
@given(layout=layouts())
def test_results_have_the_strides_of_numpy(layout):
    for function in FUNCTIONS.values():
        assert_same_steps(function, layout)


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
@settings(max_examples=300, deadline=None, derandomize=True)
@given(layout=layouts())
def test_each_result_has_the_strides_of_numpy(name, layout):
    assert_same_steps(FUNCTIONS[name], layout)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(
    "shape",
    [(2, 4, 3), (3, 1, 3), (1, 3)],
    ids=str,
)
def test_axes_of_stride_zero_keep_c_order(name, shape):
    layout = ([3], [1], [0], [False], [(0, n) for n in reversed(shape[:-1])])
    assert_same_steps(FUNCTIONS[name], layout)


def test_ravel_k_of_broadcast_rows():
    rows = cp.broadcast_to(cp.arange(1, 4), (2, 4, 3))
    assert rows.ravel("K").tolist() == [1, 2, 3] * 8
    assert rows.flatten("K").tolist() == [1, 2, 3] * 8


@pytest.mark.parametrize("order", ["K", "A", "C", "F"])
def test_ravel_is_a_view_where_numpys_is(order):
    b = {xp: xp.arange(24).reshape(2, 3, 4) for xp in (np, cp)}
    for view in (
        lambda b: b,
        lambda b: b.T,
        lambda b: b.transpose(1, 0, 2),
        lambda b: b.transpose(2, 0, 1),
        lambda b: b[::-1],
        lambda b: b[:, :, ::2],
        lambda b: b[:, :1].transpose(1, 0, 2),
        lambda b: b[:, :0].transpose(1, 0, 2),
    ):
        expected, actual = (view(b[xp]).ravel(order) for xp in (np, cp))
        assert cp.shares_memory(actual, b[cp]) == np.shares_memory(expected, b[np])
        assert actual.tolist() == expected.tolist()
        flat = view(b[cp]).flatten(order)
        assert not cp.shares_memory(flat, b[cp])
        assert flat.tolist() == expected.tolist()


def test_ravel_k_writes_through_a_view():
    a = cp.zeros((2, 3, 4))
    a.transpose(2, 0, 1).ravel("K")[...] = cp.arange(24.0)
    assert a.ravel().tolist() == list(range(24))
