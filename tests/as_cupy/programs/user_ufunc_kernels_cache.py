"""memoize, custom gufuncs, and the synchronisation detector."""

import cupy
import cupyx

calls = []


@cupy.memoize(for_each_device=True)
def make(n):
    calls.append(n)
    return cupy.arange(n)


assert make(3) is make(3) and calls == [3]
cupy.clear_memo()
mean = cupyx.GeneralizedUFunc(lambda x, **kwargs: x.mean(axis=-1), "(n)->()")
assert mean(cupy.ones((2, 3))).tolist() == [1, 1]
with cupyx.allow_synchronize(False):
    x = cupy.ones(3) + 1
    try:
        x.get()
    except cupyx.DeviceSynchronized:
        pass
    else:
        raise AssertionError("the copy to the host was not noticed")
assert cupyx.rsqrt(cupy.array([4.0])).tolist() == [0.5]
