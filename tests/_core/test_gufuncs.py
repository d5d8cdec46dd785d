"""GeneralizedUFunc: functions of small arrays on stacks of them."""

import numpy as np
import pytest

import gpunp as cp


def matmul(**options):
    return cp.GeneralizedUFunc(lambda a, b: a @ b, "(m,n),(n,p)->(m,p)", **options)


def total(**options):
    return cp.GeneralizedUFunc(lambda a: a.sum(-1), "(n)->()", supports_batched=True, **options)


@pytest.mark.parametrize("batched", [False, True])
def test_stacks_are_broadcast(batched, rng):
    a, b = rng.random((4, 1, 2, 3)), rng.random((5, 3, 2))
    found = matmul(supports_batched=batched)(cp.asarray(a), cp.asarray(b))
    np.testing.assert_allclose(found.get(), a @ b, rtol=1e-12)


def test_axes(rng):
    a = rng.random((3, 2, 4))
    x = cp.asarray(a)
    for axis in (0, 1, -1):
        cp.testing.assert_allclose(total()(x, axis=axis), a.sum(axis))
        cp.testing.assert_allclose(total()(x, axis=axis, keepdims=True), a.sum(axis, keepdims=True))
    cp.testing.assert_allclose(total()(x, axes=[(1,), ()]), a.sum(1))
    b = rng.random((2, 4, 3))
    found = matmul()(x, cp.asarray(b), axes=[(0, 1), (0, 2), (1, 2)])
    expected = np.matmul(a, b, axes=[(0, 1), (0, 2), (1, 2)])
    cp.testing.assert_allclose(found, expected)


def test_several_results_and_out():
    both = cp.GeneralizedUFunc(
        lambda a: (a.min(-1), a.max(-1)), "(n)->(),()", supports_batched=True
    )
    low, high = both(cp.arange(6).reshape(2, 3))
    assert low.tolist() == [0, 3] and high.tolist() == [2, 5]
    out = cp.zeros(2)
    assert total()(cp.ones((2, 3)), out=out) is out and out.tolist() == [3, 3]
    assert total()(cp.ones((2, 3)), out).tolist() == [3, 3]
    with pytest.raises(TypeError, match="cast"):
        total()(cp.ones((2, 3)), out=cp.zeros(2, int))


def test_dtypes():
    f = total(signatures=["f->f", "d->d"])
    assert f(cp.ones((2, 3), "f4")).dtype == "f4" and f(cp.ones((2, 3), "f2")).dtype == "f4"
    assert f(cp.ones((2, 3), int)).dtype == "f8"
    with pytest.raises(TypeError, match="loop"):
        f(cp.ones((2, 3), complex))
    assert total()(cp.ones((2, 3)), dtype="f4").dtype == "f4"
    assert total()(cp.ones((2, 3)), signature="f->d", casting="unsafe").dtype == "f8"
    assert total()(cp.ones((2, 3), "f2"), signature=("f", "d")).dtype == "f8"


def test_errors():
    with pytest.raises(ValueError, match="signature"):
        cp.GeneralizedUFunc(abs, "(n)")
    for args in [(cp.ones((2, 3)), cp.ones((2, 3))), (cp.ones(3), cp.ones((3, 2)))]:
        with pytest.raises(ValueError, match="dimension"):
            matmul()(*args)
    with pytest.raises(TypeError, match="inputs"):
        matmul()(cp.ones((2, 2)))
    with pytest.raises(TypeError, match="both"):
        total()(cp.ones(3), axis=0, axes=[(0,), ()])


def test_names_and_the_fast_way():
    f = total(
        name="total", doc="Adds.", try_fastcall_func=lambda a: "fast" if a.ndim == 1 else None
    )
    assert (f.__name__, f.__doc__) == ("total", "Adds.") and "total" in repr(f)
    assert f(cp.ones(3)) == "fast" and f(cp.ones((1, 3))).tolist() == [3]
