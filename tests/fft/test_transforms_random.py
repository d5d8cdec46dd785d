"""Transforms of arrays that hypothesis makes up: shape, order of memory, steps, axes, lengths."""

import hypothesis
import numpy as np
from hypothesis import strategies as st

import gpunp as cp


@st.composite
def problems(draw):
    """(name, values, permutation, steps, axes, s, norm)."""
    name = draw(st.sampled_from(["fftn", "ifftn", "rfftn", "irfftn"]))
    ndim = draw(st.integers(1, 5))
    shape = draw(st.lists(st.integers(1, 7), min_size=ndim, max_size=ndim))
    order = draw(st.permutations(range(ndim)))
    steps = draw(st.lists(st.sampled_from([1, 1, 1, 2, -1]), min_size=ndim, max_size=ndim))
    count = draw(st.integers(1, ndim))
    axes = draw(st.permutations(range(ndim)))[:count]
    s = draw(st.none() | st.lists(st.integers(1, 9), min_size=count, max_size=count))
    if name == "irfftn" and s is None:
        s = [4] * count
    norm = draw(st.sampled_from([None, "ortho", "forward"]))
    dtype = draw(st.sampled_from("fdhFD" if name != "rfftn" else "fdh?"))
    return name, shape, dtype, order, steps, axes, s, norm, draw(st.integers(0, 99))


@hypothesis.settings(max_examples=200)
@hypothesis.given(problems())
def test_any_array(problem):
    name, shape, dtype, order, steps, axes, s, norm, seed = problem
    rng = np.random.default_rng(seed)
    values = rng.normal(0, 2, shape) + (1j * rng.normal(0, 2, shape) if dtype in "FD" else 0)
    values = values.astype(dtype)

    def body(xp):
        x = xp.asarray(values).transpose(order)[tuple(slice(None, None, k) for k in steps)]
        return getattr(xp.fft, name)(x, s, axes, norm)

    ours, theirs = body(cp).get(), body(np)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    eps = 2e-6 if theirs.dtype.char in "fF" else 1e-14
    limit = eps * np.abs(theirs).max(initial=1e-30) * 10
    assert np.abs(ours - theirs).max(initial=0) <= limit
