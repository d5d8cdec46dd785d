"""The one table of benchmark cases. Each row runs on every library.

HOST: what one call costs the host, for 1000 elements; the device is never the limit.
DEVICE: what the device needs for n elements (2^28 at scale 1), and the bytes that must move.
TRANSFER: pageable host memory to the device and back.
PEER: from one device to another one, where there are two.
COLD: a fresh process, with nothing compiled yet.

A row's body gets the adapter of a library (see libraries.py) and returns the function to be timed.
A library that lacks what a row needs shows a dash.
"""

import cases_devices
import cases_distributions
import cases_elementwise
import cases_fft
import cases_graphs
import cases_images
import cases_integrate
import cases_interpolate
import cases_kernels
import cases_linalg
import cases_product
import cases_random
import cases_reduce
import cases_scan
import cases_signals
import cases_sort
import cases_sparse
import cases_spatial
import cases_special
import cases_spectra
import cases_stats
import cases_sweeps
import numpy as np
from case import Case

SUBJECTS = [
    cases_elementwise,
    cases_reduce,
    cases_product,
    cases_linalg,
    cases_sort,
    cases_scan,
    cases_random,
    cases_kernels,
    cases_graphs,
    cases_fft,
    cases_special,
    cases_distributions,
    cases_sparse,
    cases_images,
    cases_integrate,
    cases_interpolate,
    cases_spatial,
    cases_signals,
    cases_spectra,
    cases_stats,
    cases_sweeps,
]
HOST = [case for subject in SUBJECTS for case in subject.HOST]
DEVICE = [case for subject in SUBJECTS for case in subject.DEVICE]


def to_device(lib, nbytes):
    """Pageable host memory to the device."""
    a = np.ones(nbytes // 4, dtype="f4")
    return lambda: lib.from_host(a)


def to_host(lib, nbytes):
    """The device to fresh pageable memory."""
    a = lib.ones((nbytes // 4,))
    return lambda: lib.to_host(a)


TRANSFER = [Case("host to device", to_device), Case("device to host", to_host)]
PEER = cases_devices.PEER

TEN = (
    "x = cp.arange(1, 11, dtype='f4'); y = cp.sin(x); y = cp.exp(y); y = y + x; y = y * x; "
    "y = y - x; y = cp.sqrt(y); y = cp.tanh(y); y = cp.cos(y); m = y > x; y = cp.maximum(y, x); "
    "cp.asnumpy(y); cp.asnumpy(m)"
)
TEN_TORCH = (
    "d = 'cuda' if torch.cuda.is_available() else 'cpu'; "
    "x = torch.arange(1, 11, dtype=torch.float32, device=d); y = torch.sin(x); "
    "y = torch.exp(y); y = y + x; y = y * x; y = y - x; y = torch.sqrt(y); "
    "y = torch.tanh(y); y = torch.cos(y); m = y > x; y = torch.maximum(y, x); "
    "y.cpu(); m.cpu()"
)

RAW = (
    "x = cp.zeros(32, dtype='f4'); "
    "cp.RawKernel('extern \"C\" __global__ void f(float *x) { x[threadIdx.x] += 1; }', 'f')"
    "((1,), (32,), (x,)); cp.asnumpy(x)"
)

COLD = {
    "import": "pass",
    "first add": "x = cp.arange(10, dtype='f4'); cp.asnumpy(x + x)",
    "ten ufuncs": TEN,
    "first RawKernel": RAW,
    "first solve": "a = cp.eye(8); cp.asnumpy(cp.linalg.solve(a, a[0]))",
}
COLD_TORCH = {
    "import": "pass",
    "first add": (
        "d = 'cuda' if torch.cuda.is_available() else 'cpu'; "
        "x = torch.arange(10, dtype=torch.float32, device=d); (x + x).cpu()"
    ),
    "ten ufuncs": TEN_TORCH,
    "first solve": (
        "d = 'cuda' if torch.cuda.is_available() else 'cpu'; "
        "a = torch.eye(8, device=d, dtype=torch.float64); torch.linalg.solve(a, a[0]).cpu()"
    ),
}
