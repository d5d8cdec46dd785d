"""Eight threads do everything at once, with Python functions in their streams.

    python thread_mix.py seconds [seed]

Six threads run operations of the table, some of them beside a pending function; two capture graphs,
which nothing that the others do may break. A hang ends with a traceback of all threads. Under the thread
sanitizer operations marked `unordered` run in streams that wait for the legacy one, so that what it
reports is the package's.
"""

import faulthandler
import gc
import os
import random
import sys
import threading
import time
import traceback
import warnings

from operations import OPERATIONS, Operation, cp

warnings.simplefilter("ignore")
UNSUPPORTED = 900  # what has to wait for a captured stream says so
# They change settings of the process, or capture by handles that gpunp does not know of.
LEFT_OUT = [
    "cuda.set_allocator",
    "cuda.set_pinned_memory_allocator",
    "cuda.profile",
    "profiler.start",
    "use.trace",
    "runtime.profilerStart",
    "runtime.profilerStop",
    "runtime.streamBeginCapture",
    "runtime.streamEndCapture",
    "runtime.deviceSetLimit",
    "runtime.deviceSetMemPool",
    "Stream.use",
    "use.garbage",
    "runtime.graphDestroy",
    "runtime.graphDebugDotPrint",
    "runtime.graphInstantiate",
    "runtime.graphExecDestroy",
    "runtime.graphLaunch",
    "runtime.graphUpload",
    "runtime.hostRegister",
    "runtime.hostUnregister",
]
ONLY_ORDERED = os.environ.get("GPUNP_SANITIZE") == "thread"
SLOW = {"use.compile", "use.fft of a new length", "use.large array of the host"}


class Mix:
    def __init__(self, seconds, seed):
        self.end = time.monotonic() + seconds
        self.seed = seed
        self.failures = []
        self.counts = {"operations": 0, "captures": 0, "refused": 0}
        self.shared = cp.cuda.Stream()
        self.names = [
            name
            for name, row in OPERATIONS.items()
            if isinstance(row, Operation) and name not in LEFT_OUT
        ]

    def goes_on(self):
        return time.monotonic() < self.end and not self.failures

    def one(self, rng, stream):
        name = rng.choice(self.names)
        if name in SLOW and rng.random() < 0.9:
            return
        operation = OPERATIONS[name]
        streams = [cp.cuda.Stream.null, self.shared]
        if not (operation.unordered and ONLY_ORDERED):
            streams.append(stream)
        try:
            with rng.choice(streams):
                made = operation.prepare()
                if rng.random() < 0.5:
                    pending = rng.choice([stream, cp.cuda.Stream.null, self.shared])
                    pending.launch_host_func(lambda _: time.sleep(0.001), 0)
                operation.act(made)
        except cp.cuda.CUDADriverError as error:
            if error.status != UNSUPPORTED:
                raise RuntimeError(name) from error
            self.counts["refused"] += 1
        except Exception as error:
            raise RuntimeError(name) from error
        self.counts["operations"] += 1

    def work(self, number):
        rng = random.Random(self.seed * 100 + number)
        stream = cp.cuda.Stream(non_blocking=number % 2 == 0)
        while self.goes_on():
            self.one(rng, stream)

    def capture(self, number):
        stream = cp.cuda.Stream(non_blocking=True)
        x = cp.zeros(100)
        cp.cuda.Stream.null.synchronize()
        while self.goes_on():
            with stream:
                stream.begin_capture()
                for _ in range(5):
                    x += 1
                    time.sleep(0.0005)
                graph = stream.end_capture()
                graph.launch()
                stream.synchronize()
            self.counts["captures"] += 1
            time.sleep(0.001)

    def guarded(self, function, number):
        try:
            function(number)
        except BaseException as error:
            self.failures.append((number, error, error.__cause__))

    def run(self):
        threads = [
            threading.Thread(target=self.guarded, args=(self.work if i < 6 else self.capture, i))
            for i in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def main(seconds, seed):
    faulthandler.dump_traceback_later(seconds + 40, exit=True)
    mix = Mix(seconds, seed)
    mix.run()
    print(mix.counts, flush=True)
    for number, error, cause in mix.failures:
        print(f"thread {number}: {error!r}: {cause!r}", flush=True)
        traceback.print_exception(error)
    if not mix.failures:
        gc.collect()
        cp.cuda.Device().synchronize()
    return 1 if mix.failures else 0


if __name__ == "__main__":
    status = main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    print("done", flush=True)
    raise SystemExit(status)
