"""Pi by random points, from both random interfaces and two bit generators."""

import cupy as cp

cp.random.seed(1)
xy = cp.random.rand(2, 20000)
assert abs(4 * float((xy**2).sum(axis=0).__le__(1).mean()) - cp.pi) < 0.1
for bit_generator in (cp.random.XORWOW(1), cp.random.Philox4x3210(1)):
    rng = cp.random.Generator(bit_generator)
    xy = rng.random((2, 20000), dtype=cp.float32)
    assert abs(4 * float(cp.mean(cp.hypot(xy[0], xy[1]) < 1)) - cp.pi) < 0.1
state = cp.random.RandomState(3)
first = state.standard_normal(4, dtype=cp.float32)
assert (cp.random.RandomState(3).standard_normal(4, dtype=cp.float32) == first).all()
assert set(cp.random.permutation(5).tolist()) == set(range(5))
assert cp.random.choice(5, 3, replace=False).shape == (3,)
