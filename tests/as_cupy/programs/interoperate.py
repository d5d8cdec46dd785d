"""NumPy's functions, DLPack and the array interface."""

import cupy as cp
import numpy as np

a = cp.random.randn(1, 2, 3, 4).astype(cp.float32)
total = np.sum(a)
assert type(total) is cp.ndarray and str(type(total)) == "<class 'cupy.ndarray'>"
assert isinstance(np.exp(a), cp.ndarray) and isinstance(np.concatenate([a, a]), cp.ndarray)
b = cp.from_dlpack(a)
b[0, 0, 0, 0] = 7
assert float(a[0, 0, 0, 0]) == 7
interface = a.__cuda_array_interface__
assert interface["shape"] == a.shape and interface["data"][0] == a.data.ptr
for operation in (lambda: a + np.ones(4), lambda: np.asarray(a), lambda: cp.add([1], 2)):
    try:
        operation()
    except TypeError:
        pass
    else:
        raise AssertionError("a host array was taken silently")
