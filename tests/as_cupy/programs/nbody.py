"""Forces between bodies by broadcasting, energy conserved."""

import cupy as cp

rng = cp.random.RandomState(7)
position, velocity = rng.normal(size=(16, 3)), cp.zeros((16, 3))
mass, dt = cp.full(16, 1 / 16), 1e-3


def acceleration(p):
    d = p[None] - p[:, None]
    r3 = ((d**2).sum(-1) + 0.1) ** 1.5
    return (mass[None, :, None] * d / r3[..., None]).sum(axis=1)


def energy(p, v):
    d = p[None] - p[:, None]
    pairs = -(mass[:, None] * mass) / cp.sqrt((d**2).sum(-1) + 0.1)
    return float(0.5 * (mass[:, None] * v**2).sum() + cp.triu(pairs, 1).sum())


before = energy(position, velocity)
a = acceleration(position)
for _ in range(50):
    velocity += 0.5 * dt * a
    position += dt * velocity
    a = acceleration(position)
    velocity += 0.5 * dt * a
assert abs(energy(position, velocity) - before) < 1e-5
