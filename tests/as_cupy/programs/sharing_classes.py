"""Subclasses, pickles and files."""

import io
import pickle

import cupy as cp

x = cp.arange(12.0).reshape(3, 4)
assert (pickle.loads(pickle.dumps(x)) == x).all()
buffer = io.BytesIO()
cp.save(buffer, x)
buffer.seek(0)
assert (cp.load(buffer) == x).all()
buffer = io.BytesIO()
cp.savez(buffer, x=x, y=x.T)
buffer.seek(0)
with cp.load(buffer) as archive:
    assert (archive["y"] == x.T).all()


class Named(cp.ndarray):
    pass


named = x.view(Named)
assert isinstance(named, Named) and isinstance(named, cp.ndarray)
