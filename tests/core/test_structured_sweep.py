"""Every public name, called with structured arrays in every way of test_datetime_sweep.py: it agrees
with NumPy or raises TypeError.
"""

import numpy as np
import pytest
from test_datetime_sweep import CALLS, DIFFERENCES, NAMES, verdict

ELEMENTS = np.zeros(6, [("x", "f4"), ("y", "f8"), ("z", "i2")])
ELEMENTS["x"], ELEMENTS["y"] = [1, 2, 3, 4, 1, 2], np.arange(6)
ELEMENTS["z"] = ELEMENTS["x"] % 2
OTHERS = ELEMENTS[::-1].copy()
OTHERS["x"][2] = ELEMENTS["x"][2]
PARTS = 16
QUICK = ["x", "x,x", "x,1", "b,x,y"]  # all of them with --slow

DIFFERS = {
    **DIFFERENCES,
    ("array_equal", "e,e,3"): "the elements are compared without a look at NaNs",
    ("mintypecode", "e,x"): "NumPy's own function",
    ("ndarray.getfield", "*"): "NumPy from 2.4 on refuses an array as a dtype",
}


def wrong_calls(name, slow):
    for shape in [(6,), (2, 3)] if slow else [(6,)]:
        x, y = ELEMENTS.reshape(shape).copy(), OTHERS.reshape(shape).copy()
        for call in CALLS if slow else QUICK:
            if (name, call) in DIFFERS or (name, "*") in DIFFERS:
                continue
            if name.startswith("ndarray.") and call.startswith("e,"):
                continue  # a method of NumPy's scalar
            found = verdict(name, call, x, y)
            if found is not None and verdict(name, call, x["x"].copy(), y["x"].copy()) is None:
                yield f"{name}({call}): {found}"


@pytest.mark.parametrize("part", range(PARTS))  # a test for each name would take longer around it
def test_agrees_with_numpy_or_raises(part, request):
    slow = request.config.getoption("--slow")
    wrong = [text for name in sorted(NAMES)[part::PARTS] for text in wrong_calls(name, slow)]
    assert not wrong, "\n".join(wrong[:5])
