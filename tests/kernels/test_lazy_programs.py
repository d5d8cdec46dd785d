"""The programs of benchmarks/lazy.py give the bits of eager mode, recorded as well as replayed."""

import runpy
from pathlib import Path

import pytest

import gpunp as cp
from gpunp import _C

PROGRAMS = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "lazy_programs.py"))[
    "PROGRAMS"
]


def results_of(name, calls, lazily):
    """Bytes of the results after each call; arrays that change are those of the call before."""
    function, size, _ = PROGRAMS[name]
    run = function(cp, size)
    found = []
    for _ in range(calls):
        if lazily:
            with cp.lazy():
                result = run()
        else:
            result = run()
        result = result if isinstance(result, tuple) else (result,)
        found.append([(x.dtype, x.shape, x.get().tobytes()) for x in result])
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_bits_of_eager_mode(name):
    """Three calls: of commands one by one, grouped, and by the groups that are known."""
    before = _C._lazy_mode(1)
    try:
        assert results_of(name, 3, lazily=True) == results_of(name, 3, lazily=False)
    finally:
        _C._lazy_mode(before)
