"""What type checkers must report: each line that says so, and no other."""

import numpy as np

import gpunp as cp

a = cp.zeros((3, 3))
b = a[a > 0]
cp.nope  # wrong
b.foo  # wrong
cp.fft.nope  # wrong
cp.linalg.svdd(a)  # wrong
cp.sum("abc")  # wrong
cp.mean(np.ones(3))  # wrong: NumPy's arrays are moved explicitly
cp.sin("x")  # wrong
cp.sin(np.ones(3))  # wrong
cp.sin(a, a, a)  # wrong
cp.add(a)  # wrong
a.reshape("x")  # wrong
a + "x"  # wrong
cp.sum(a, axes=1)  # wrong
cp.sum(a, axis="x")  # wrong
cp.clip(a, 0, 1, order=3.5 + cp.nothing)  # wrong
cp.linalg.svd(a).U.nope  # wrong
cp.random.default_rng().gaussian(3)  # wrong
cp.cuda.Stream(nonblocking=True)  # wrong
cp.cuda.Stream().wait()  # wrong
cp.RawKernel(3, "x")  # wrong
cp.zeros()  # wrong
x: str = a.get()  # wrong
y: float = cp.mean(a)  # wrong: an array without dimensions
cp.unique(a).values  # wrong
