"""Nothing that functions share between calls ties two streams that do not wait for each other."""

import warnings

import good_calls
import numpy as np

import gpunp as cp
import gpunp.scipy as sp
from gpunp.cuda import Stream


def test_calls_of_one_kind_on_two_streams(stream_check):
    first, second = Stream(non_blocking=True), Stream(non_blocking=True)
    tied = []
    for line in good_calls.lines():
        cp.cuda.Device().synchronize()
        findings, results = stream_check.findings(), []
        for stream in (first, second, first):
            with stream, warnings.catch_warnings(action="ignore"):
                results.append(eval(line, {"xp": cp, "cp": cp, "sp": sp, "np": np}))
        cp.cuda.Device().synchronize()
        if stream_check.findings() != findings:
            tied.append((line, stream_check.last_fault()))
    assert not tied
