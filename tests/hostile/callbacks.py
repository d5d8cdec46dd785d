"""Runs operations while a Python function is pending in a stream; a hang ends with a traceback.

    python callbacks.py same|null|other [name ...]

The function sleeps without the GIL and then needs it again: whoever waits for its stream with the
GIL held waits for ever. "same": it is in the stream the operation works on; "null": in the legacy
default stream; "other": in a blocking stream, while the operation works on the default one.
"""

import faulthandler
import gc
import sys
import time
import warnings

from operations import OPERATIONS, Operation, cp

LIMIT = 25  # seconds for one operation
warnings.simplefilter("ignore")


def wait(_):
    for _ in range(3):
        time.sleep(0.004)


def main(where, names):
    worker, other = cp.cuda.Stream(), cp.cuda.Stream()
    kernel = cp.RawKernel('extern "C" __global__ void nothing() {}', "nothing")
    pending = {"same": worker, "null": cp.cuda.Stream.null, "other": other}[where]
    stream = cp.cuda.Stream.null if where == "other" else worker
    operations = {name: op for name, op in OPERATIONS.items() if isinstance(op, Operation)}
    for name in names or operations:
        print(name, flush=True)
        faulthandler.dump_traceback_later(LIMIT, exit=True)
        # Once before: the second time kernels are compiled and libraries open, so that the operation
        # is under way while the function sleeps.
        operation = operations[name]
        with stream:
            operation.act(operation.prepare())
            made = operation.prepare()
            for waited in (worker, other, cp.cuda.Stream.null):
                waited.synchronize()
            with pending:
                kernel((1,), (1,), ())
            pending.launch_host_func(wait, 0)
            operation.act(made)
        cp.cuda.Stream.null.use()
        made = None
        for waited in (worker, other, cp.cuda.Stream.null):
            waited.synchronize()
        faulthandler.cancel_dump_traceback_later()
    gc.collect()
    print("done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
