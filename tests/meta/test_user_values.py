"""Values of users reach NumPy by functions of one file, which look for lists that contain themselves."""

import re

import pytest
from sources import ROOT

pytestmark = pytest.mark.null

ALLOWED = {  # files whose calls are about values of our own
    "gpunp/_core/_convert.py",  # these functions
    "gpunp/_core/multiarray.py",  # asnumpy and arange: what NumPy makes of one object
    "gpunp/lib/_vectorize_impl.py",
}
OTHER = re.compile(r"gpunp/(testing|profiler|jit)/")


def test_numpy_asarray_of_users_values_is_as_host():
    pattern = re.compile(
        r"(?<![\w.])np\.(asarray|ndim|shape|iscomplexobj|isrealobj)\((?!np\.|as_host)"
    )
    for path in sorted((ROOT / "gpunp").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if name in ALLOWED or OTHER.match(name):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            assert not pattern.search(line), f"{name}:{number}: use as_host, host_ndim, host_shape"
