"""Scalars, dtypes and constants of the main namespace."""

import cupy as cp
import numpy as np

assert cp.float32 is np.float32 and cp.int64 is np.int64
assert cp.pi == np.pi and cp.newaxis is None and np.isnan(cp.nan)
assert cp.dtype("f4") == cp.float32 and cp.result_type(cp.int8, cp.float32) == cp.float32
size = cp.uint32(2**12)
x = cp.random.normal(size=(size,), dtype=cp.float32)
assert x.shape == (4096,) and x.dtype == cp.float32
assert cp.iinfo(cp.int8).max == 127 and cp.finfo("f").eps > 0
assert isinstance(cp.asarray(2.5).item(), float)
assert cp.isscalar(3) and cp.can_cast("i4", "f8")
assert cp.get_array_module(x) is cp and cp.get_array_module(x.get()) is np
