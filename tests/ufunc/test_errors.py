"""Operands that are refused, and what the message says to do instead."""

import numpy as np
import pytest

import gpunp as cp


@pytest.mark.parametrize(
    "operand", [np.ones(3), [1, 2, 3], (1.0, 2.0, 3.0)], ids=["numpy", "list", "tuple"]
)
@pytest.mark.parametrize(
    "call",
    [
        lambda a, x: a + x,
        lambda a, x: cp.add(a, x),
        lambda a, x: cp.add(x, a),
        lambda a, x: cp.sin(x),
        lambda a, x: a == x,
        lambda a, x: a.__iadd__(x),
    ],
)
def test_host_sequences_are_refused(call, operand):
    with pytest.raises(TypeError, match="asarray"):
        call(cp.ones(3), operand)


def test_numpy_on_the_left_is_refused():
    with pytest.raises(TypeError):
        np.ones(3) + cp.ones(3)
    with pytest.raises(TypeError):
        np.add(np.ones(3), cp.ones(3))


@pytest.mark.parametrize(
    "operand", ["text", None, object(), {}, np.datetime64("2020-01-01"), np.str_("x")]
)
def test_other_objects_are_refused(operand):
    with pytest.raises(TypeError):
        cp.add(cp.ones(3), operand)
    with pytest.raises(TypeError):
        cp.ones(3) + operand


def test_masks_and_outputs_on_the_host_are_refused():
    with pytest.raises(TypeError, match="asarray"):
        cp.add(cp.ones(3), 1, out=None, where=np.ones(3, bool))
    with pytest.raises(TypeError, match="gpunp"):
        cp.add(cp.ones(3), 1, out=np.ones(3))


def test_huge_broadcast():
    a = cp.broadcast_to(cp.ones(1, "i1"), (2**40,))
    b = cp.broadcast_to(cp.ones((1, 1), "i1"), (2**40, 1))
    with pytest.raises((ValueError, MemoryError)):
        a + b


def test_numpy_scalars_are_strong():
    assert (cp.ones(3, "f4") + np.float64(1)).dtype == np.float64
    assert (cp.ones(3, "f4") + 1.0).dtype == np.float32
    assert (cp.ones(3, "i1") + np.int8(1)).dtype == np.int8


def test_an_error_leaves_nothing_behind():
    a = cp.ones(3)
    for _ in range(3):
        with pytest.raises(TypeError):
            cp.add(a, [1, 2, 3])
        with pytest.raises(ValueError):
            cp.add(a, cp.ones(4))
    assert (a + a).tolist() == [2, 2, 2]
