"""Particles as records: fields, struct arguments of a kernel, order by several fields, sets."""

import cupy as cp
import numpy as np

particle = np.dtype([("cell", "i4"), ("energy", "f4"), ("place", "f4", (2,))], align=True)

rng = np.random.RandomState(3)
host = np.zeros(200, particle)
host["cell"] = rng.randint(0, 9, 200)
host["energy"] = rng.randint(0, 5, 200)
host["place"] = rng.rand(200, 2)
device = cp.asarray(host)

code = r"""
struct Particle { int cell; float energy; float place[2]; };
struct Field { float strength; int cell; };

extern "C" __global__ void drift(Particle *p, Field field, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && p[i].cell == field.cell) {
        p[i].place[0] += field.strength;
    }
}"""
drift = cp.RawKernel(code, "drift")
field = np.array([(0.5, 4)], dtype=[("strength", "f4"), ("cell", "i4")])
drift((2,), (128,), (device, field, np.int32(device.size)))
host["place"][host["cell"] == 4, 0] += np.float32(0.5)
assert (device == cp.asarray(host)).all()

order = cp.argsort(device[["cell", "energy"]], kind="stable")
desired = np.argsort(host[["cell", "energy"]], kind="stable")
cp.testing.assert_array_equal(order, desired)
by_energy = cp.sort(device, order=["energy", "cell"])
cp.testing.assert_array_equal(by_energy["energy"], np.sort(host["energy"]))

keys = cp.zeros(200, [("cell", "i4"), ("energy", "f4")])
keys["cell"], keys["energy"] = device["cell"], device["energy"]
pairs, counts = cp.unique(keys, return_counts=True)
same, number = np.unique(keys.get(), return_counts=True)
assert pairs.get().tolist() == same.tolist() and counts.get().tolist() == number.tolist()
where = cp.searchsorted(pairs, keys)
assert (pairs[where] == keys).all()
print(len(pairs), "pairs of cell and energy")
