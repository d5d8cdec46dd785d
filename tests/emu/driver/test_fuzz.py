"""A short run of the fuzzer of driver calls; a long one is `tests/emu/driver/fuzz.c` by hand, with
the library built by `make asan` (EMU_TEST_LIBRARY, EMU_TEST_CFLAGS: see test_driver.py)."""

import os
import subprocess

import child
import pytest
from test_driver import HERE
from test_wrong_calls import build


@pytest.fixture(scope="module")
def fuzz(tmp_path_factory):
    return build(tmp_path_factory.mktemp("fuzz"), "fuzz", [HERE / "fuzz.c"])


@pytest.mark.null
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(
    "work,threads,calls", [("0", 1, 30000), ("0", 4, 30000), ("1", 1, 4000), ("2", 2, 4000)]
)
def test_any_calls_in_any_order(fuzz, seed, work, threads, calls):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("GPUNP_EMU")}
    settings = {"GPUNP_EMU_ASYNC": work, "GPUNP_EMU_POISON": "4k", "GPUNP_EMU_MEMORY": "256m"}
    done = subprocess.run(
        [fuzz, str(calls), str(seed), str(threads)],
        env={**clean, **settings},
        capture_output=True,
        text=True,
        timeout=child.PATIENCE,
    )
    assert done.returncode == 0, done.stderr[-3000:]
