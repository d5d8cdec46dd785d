"""Matrices by construction: diagonals, triangles, Vandermonde, and their indices."""

import cases
import numpy as np
import pytest
from check import check

import gpunp as cp


def grid(xp, shape=(3, 4), dtype=None):
    size = int(np.prod(shape))
    return xp.arange(size, dtype=dtype).reshape(shape)


TABLE = {
    "eye": lambda xp: xp.eye(3),
    "eye shape": lambda xp: xp.eye(3, 5),
    "eye above": lambda xp: xp.eye(3, 5, 2),
    "eye below": lambda xp: xp.eye(4, 3, -1),
    "eye far": lambda xp: xp.eye(3, 3, 7),
    "eye order": lambda xp: xp.eye(3, 4, 1, order="F"),
    "eye empty": lambda xp: xp.eye(0),
    "eye negative": lambda xp: xp.eye(-1),
    "eye float": lambda xp: xp.eye(2.5),
    "tri": lambda xp: xp.tri(3),
    "tri shape": lambda xp: xp.tri(3, 5, 1),
    "tri below": lambda xp: xp.tri(4, 3, -2, dtype="i4"),
    "tril": lambda xp: xp.tril(grid(xp) + 1),
    "tril above": lambda xp: xp.tril(grid(xp) + 1, 1),
    "tril 3-d": lambda xp: xp.tril(grid(xp, (2, 3, 3)) + 1),
    "tril 1-d": lambda xp: xp.tril(xp.arange(1, 4)),
    "triu": lambda xp: xp.triu(grid(xp) + 1),
    "triu below": lambda xp: xp.triu(grid(xp, (4, 3)) + 1, -1),
    "triu 3-d": lambda xp: xp.triu(grid(xp, (2, 3, 4)) + 1, 1),
    "triu 1-d": lambda xp: xp.triu(xp.arange(1, 4)),
    "diag of vector": lambda xp: xp.diag(xp.arange(1, 4)),
    "diag above": lambda xp: xp.diag(xp.arange(1, 4), 1),
    "diag below": lambda xp: xp.diag(xp.arange(1, 4), -2),
    "diag of matrix": lambda xp: xp.diag(grid(xp)),
    "diag of matrix above": lambda xp: xp.diag(grid(xp), 2),
    "diag of 3-d": lambda xp: xp.diag(grid(xp, (2, 2, 2))),
    "diagflat": lambda xp: xp.diagflat(grid(xp, (2, 2))),
    "diagflat scalar": lambda xp: xp.diagflat(7, 1),
    "diagonal": lambda xp: xp.diagonal(grid(xp, (2, 3, 4)), 1, 2, 1),
    "trace": lambda xp: xp.trace(grid(xp)),
    "trace offset": lambda xp: xp.trace(grid(xp, (2, 3, 4)), 1, dtype="f8"),
    "fliplr": lambda xp: xp.fliplr(grid(xp)),
    "fliplr 1-d": lambda xp: xp.fliplr(xp.arange(3)),
    "flipud": lambda xp: xp.flipud(grid(xp)),
    "flipud 0-d": lambda xp: xp.flipud(xp.array(3)),
    "vander": lambda xp: xp.vander(xp.array([1, 2, 3, 5])),
    "vander increasing": lambda xp: xp.vander(xp.array([1.0, 2, 3, 5]), 3, increasing=True),
    "vander complex": lambda xp: xp.vander(xp.array([1j, 2]), 3),
    "vander none": lambda xp: xp.vander(xp.arange(3), 0),
    "vander 2-d": lambda xp: xp.vander(grid(xp)),
    "tril_indices": lambda xp: xp.tril_indices(3),
    "tril_indices shape": lambda xp: xp.tril_indices(3, 1, 4),
    "triu_indices": lambda xp: xp.triu_indices(3, -1),
    "tril_indices_from": lambda xp: xp.tril_indices_from(grid(xp, (3, 3)), 1),
    "triu_indices_from": lambda xp: xp.triu_indices_from(grid(xp)),
    "triu_indices_from 1-d": lambda xp: xp.triu_indices_from(xp.arange(3)),
    "mask_indices": lambda xp: xp.mask_indices(3, xp.triu, 1),
}


@pytest.mark.parametrize("name", TABLE)
def test_table(name):
    check(TABLE[name])


@pytest.mark.parametrize("dtype", cases.DTYPES, ids=str)
def test_every_dtype(dtype, rng):
    values = cases.values(dtype, (5, 4), rng)
    check(lambda xp: xp.eye(3, 70, 2, dtype))
    check(lambda xp: xp.tri(33, 5, -1, dtype))
    check(lambda xp: xp.tril(xp.asarray(values)))
    check(lambda xp: xp.triu(xp.asarray(values), 1))
    check(lambda xp: xp.diag(xp.asarray(values[0])))


def test_diagonals_are_views():
    a = cp.zeros((3, 3))
    assert cp.shares_memory(cp.diag(a), a)


TRIANGLES = [(70, 130), (3, 4), (2, 3, 40, 64), (5, 0), (1, 9)]


@pytest.mark.parametrize(
    "shape, dtype, layout", cases.crossed(TRIANGLES, cases.DTYPES, [*cases.LAYOUTS])
)
def test_triangles_of_every_dtype_and_layout(shape, dtype, layout, rng):
    values = cases.values(dtype, shape, rng)
    for k in (0, -2, 5):
        check(lambda xp, k=k: xp.tril(cases.arrange(xp, values, layout), k))
        check(lambda xp, k=k: xp.triu(cases.arrange(xp, values, layout), k))


def test_triangles_keep_the_bits_of_what_they_keep(rng):
    bits = rng.integers(0, 2**16, (64, 64)).astype("u2")  # signalling NaNs among them
    for k in (-80, 0, 80, -(2**40), 2**40):
        ours = cp.asnumpy(cp.tril(cp.asarray(bits.view("f2")), k)).view("u2")
        assert (ours == np.tril(bits, k)).all()


@pytest.mark.parametrize("k", [0, -1, 1, -(10**6), 10**6])
@pytest.mark.parametrize("dtype", ["i4", "c16"])
def test_triu_of_a_tall_matrix(k, dtype, rng):
    """Its last rows are zeros, which are not read."""
    values = cases.values(dtype, (2, 1 << 17), rng).T
    check(lambda xp: xp.triu(xp.asarray(values), k))
    check(lambda xp: xp.triu(xp.asarray(values)[:, ::-1], k))
