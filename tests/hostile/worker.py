"""Makes hostile calls in this process and says what was wrong: a line of JSON for each finding.

    python worker.py STATE SEED BLOCK FIRST END COUNTER UNTIL [ONLY]
        calls of a seed: those of a block from call FIRST on, then further blocks from the file COUNTER
        (blocks.py) up to call END; none is begun after the time UNTIL
    python worker.py STATE --text CALL [CALL ...]    these calls
    python worker.py STATE --order CALL BASE         whether a difference of classes is one of the order of checks

STATE is a file that always holds the call in progress, for who watches:
`phase<TAB>time<TAB>number of calls finished<TAB>block<TAB>number of its calls finished<TAB>call`.
"""

import contextlib
import faulthandler
import functools
import gc
import io
import itertools
import json
import os
import re
import signal
import sys
import time
import traceback
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

import agreed
import blocks
import calls
import order_of_checks
import refusals
import values

import gpunp as cp

PACKAGE = Path(cp.__file__).resolve().parent
#: Seconds of the processor after which a loop in Python is ended: of a call that may take long, NumPy's
#: and SciPy's among them, and of any other, which is a finding.
SOON, LATE = 2.0, 18.0 * blocks.SLOWER
LIFE = 20_000  # calls of a process at most: to begin takes it as long as some thousand
LIMIT = 1 << 26  # bytes of device memory: what asks for more gets a MemoryError
#: Classes that tell of our own mistakes when they come out of our own code.
LEAKS = (
    AttributeError, KeyError, UnboundLocalError, NameError, AssertionError, RecursionError,
    ZeroDivisionError,
)  # fmt: skip
#: NumPy itself hangs or fills the memory.
ENDLESS_FOR_NUMPY = (
    "selfish",
    "deep(",
    "Lies(",
    "Endless(",
    "2**62",
    "2**53",
    "2**3",
    "2000",
    "1000",
)
#: SciPy's own code writes out of bounds for odd arguments, or copies objects as bytes (`squareform`), and the
#: process ends later, elsewhere.
UNSAFE_FOR_SCIPY = (
    "pro_", "obl_", "mathieu_", "binary_", "eigs", "construct_dist_matrix",
    "distance_transform_cdt", "squareform", "remez",
)  # fmt: skip

#: Of objects with the device's protocol, which are arrays here alone: NumPy refuses each as what it is.
OURS_ALONE = "Interface("

#: Methods of NumPy's Generator that read the flags of any `out`, and may end the process.
UNSAFE_FOR_NUMPY = (
    "xp.random.default_rng(1).random(",
    "xp.random.default_rng(1).standard_",
)
#: NumPy: running sums and products write beyond an output without axes, and end the process later, elsewhere.
RUNNING = "accumulate", "cumsum", "cumprod", "cumulative_", "nancum"
NO_AXES = re.compile(r"xp\.(zeros|ones|empty)\(\(\)|np\.zeros\(\(\)|xp\.array\([\w.'-]+[,)]")


class Watch:
    """The file that says what is being done."""

    def __init__(self, path):
        self.file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        self.made = self.block = self.of_block = self.length = 0

    def say(self, phase, text):
        """Writes over what was said before, with spaces up to its end."""
        place = f"{self.made}\t{self.block}\t{self.of_block}"
        line = f"{phase}\t{time.time():.3f}\t{place}\t{text}\n"
        said = line.encode("utf-8", "backslashreplace")[:8192]
        os.pwrite(self.file, said.ljust(self.length), 0)
        self.length = len(said)


def called(text, xp):
    """The exception of the call, or None."""
    space = values.namespace(xp)
    output = io.StringIO()
    try:
        with (
            contextlib.redirect_stdout(output),
            warnings.catch_warnings(),
            np.errstate(all="ignore"),
        ):
            warnings.simplefilter("ignore")
            result = eval(compile(text, "call", "eval"), space)
            if xp is cp and type(result).__module__.startswith("gpunp"):
                with contextlib.suppress(values.Mine):
                    repr(result)
    except BaseException as error:
        return error
    return None


class TooSlow(values.Mine):
    """The time of a call is over."""


def too_slow(*_):
    raise TooSlow


def timed(text, xp, seconds=SOON):
    """The exception of the call, or None; a loop in Python is ended after so many seconds, again
    and again where it goes on."""
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 0.5)
    try:
        return called(text, xp)
    except TooSlow as error:  # raised on the way out
        return error
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def where(error):
    """The last frame of the traceback, and whether it is ours."""
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    if last is None:
        return "", False
    name = Path(last.filename).resolve()  # the package under sanitizers consists of links
    return f"{name.name}:{last.lineno}", name.is_relative_to(PACKAGE)


def same_class(ours, theirs):
    if isinstance(ours, MemoryError) and isinstance(theirs, MemoryError):
        return True  # each library has a class of its own
    if type(ours).__name__ == type(theirs).__name__:
        return True  # a warning or an error that a package makes for itself
    return isinstance(ours, type(theirs)) or issubclass(type(theirs), type(ours))


def judge(text, ours, theirs):
    """(kind, detail) of what is wrong, or None. `theirs` is NumPy's exception, None, or Ellipsis
    where NumPy was not asked."""
    if isinstance(ours, values.Mine) or ours is None:
        return None
    place, is_ours = where(ours)
    name = type(ours).__name__
    detail = f"{name}: {refusals.said(ours)[:200]!r} at {place}"
    if isinstance(ours, SystemError):
        return "SystemError", detail
    if "CUDA_ERROR_" in refusals.said(ours) and any(
        word in refusals.said(ours) for word in ("ILLEGAL", "LAUNCH_FAILED", "MISALIGNED", "ASSERT")
    ):
        return "device fault", detail
    if isinstance(ours, RecursionError) and not isinstance(theirs, RecursionError):
        return "leak", detail
    agreed = isinstance(theirs, Exception) and same_class(ours, theirs)
    if isinstance(ours, LEAKS) and is_ours and not agreed:
        return "leak", detail
    if name == "CompileException" and not text.startswith(
        ("cp.Raw", "cp.Elem", "cp.Reduc", "cp.cuda")
    ):
        return "compile", detail
    agreed = agreed or OURS_ALONE in text
    agreed = agreed or refusals.are_alike(text.partition("(")[0], ours, theirs)
    if isinstance(theirs, Exception) and not agreed and not isinstance(theirs, values.Mine):
        return (
            "class",
            f"{name} for {type(theirs).__name__}: {refusals.said(ours)[:150]!r} / {refusals.said(theirs)[:150]!r}",
        )
    return None


def is_portable(text):
    """Whether NumPy or SciPy has the function, and no argument is of ours alone."""
    target = text.partition("(")[0]
    if any(word in text for word in ENDLESS_FOR_NUMPY):
        return False
    if "cp." in text or "managed()" in text or not target.startswith(("xp.", "sp.")):
        return False
    if target.startswith("sp.") and target.rpartition(".")[2].startswith(UNSAFE_FOR_SCIPY):
        return False
    if "out=" in text and text.startswith(UNSAFE_FOR_NUMPY):
        return False
    name = agreed.target_of(text).rpartition(".")[2]
    if name.startswith(RUNNING) and NO_AXES.search(text.rpartition(name)[2]):
        return False
    thing = np if target.startswith("xp") else __import__("scipy")
    try:
        for part in target.split(".")[1:]:
            thing = getattr(thing, part)
    except AttributeError:
        return False
    return callable(thing)


class Worker:
    def __init__(self, state, output=sys.stdout):
        self.watch = Watch(state)
        self.output = output
        self.pool = cp.get_default_memory_pool()
        self.pool.set_limit(size=LIMIT)
        self.called = self.compared = 0

    def report(self, kind, text, detail):
        base = getattr(text, "base", "")
        json.dump({"kind": kind, "call": text, "detail": detail, "base": base}, self.output)
        self.output.write("\n")
        self.output.flush()

    def settle(self, text):
        """Waits, and compares what is held now with what was held before."""
        try:
            cp.cuda.Device().synchronize()
        except Exception as error:
            self.report("device fault", text, refusals.said(error)[:300])
            raise SystemExit(9) from None  # the context is gone
        if cp.cuda.Device().id != 0 or cp.cuda.get_current_stream() != cp.cuda.Stream.null:
            self.report("state", text, "another device or stream is current")
            cp.cuda.Stream.null.use()

    def one(self, text):
        before = self.pool.used_bytes()
        self.watch.say("ours", text)
        may_hang = agreed.may_hang(text)
        ours = timed(text, cp, SOON if may_hang else LATE)
        self.settle(text)
        is_late = isinstance(ours, TooSlow)
        if is_late and not may_hang:
            self.report("hang", text, "".join(traceback.format_tb(ours.__traceback__))[-1000:])
        theirs = ...
        self.watch.say("numpy", text)
        is_refused = isinstance(ours, Exception) and not isinstance(ours, values.Mine)
        if is_refused and is_portable(text):
            base = getattr(text, "base", text)  # a text alone is always compared
            if isinstance(ours, LEAKS):
                base = text  # as NumPy's own, or a mistake
            if base == text or (base and is_portable(base) and timed(base, np) is None):
                theirs = timed(text, np)
                self.compared += 1
        found = judge(text, ours, theirs)
        if found is not None and found[0] == "class" and base != text:
            # Of two arguments that are refused here, another one is refused first there.
            self.watch.say("base", text)
            found = None if timed(base, cp, LATE) is not None else found
            self.settle(text)
        if found is not None:
            self.report(found[0], text, found[1])
        del ours, theirs
        self.watch.say("after", text)
        if self.pool.used_bytes() > before:
            gc.collect()
            if self.pool.used_bytes() > before and not is_late:
                self.report("lost", text, f"{self.pool.used_bytes() - before} bytes")
        self.called += 1
        self.watch.made = self.called
        self.watch.of_block += 1

    def block(self, supply, number, first, count, until):
        """Calls first..count of a block."""
        self.watch.block, self.watch.of_block = number, first
        for text in itertools.islice(supply.block(number, count), first, None):
            if time.time() > until:
                break
            self.one(text)

    def blocks(self, supply, number, first, end, counter, until):
        """Blocks until there are none, or the process is old or large."""
        while count := blocks.length(number, end):
            self.block(supply, number, first, count, until)
            is_large = blocks.resident(os.getpid()) > blocks.MEMORY * blocks.SLOWER / 3
            if time.time() > until or self.called > LIFE or is_large:
                break
            number, first = blocks.take(counter), 0

    def order(self, text, base):
        self.watch.say("order", text)  # where the reference dies or hangs nothing is proved
        errors = called(text, cp), called(text, np)
        are_alike = functools.partial(refusals.are_alike, text.partition("(")[0])
        if all(isinstance(error, Exception) for error in errors) and order_of_checks.is_proved(
            text, base, errors, called, same_class, are_alike
        ):
            self.report("order", text, "")


def main(arguments):
    faulthandler.enable()
    state, *rest = arguments
    np.seterr(all="ignore")
    sys.setrecursionlimit(1000)
    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a call prints is not ours
    signal.signal(signal.SIGVTALRM, too_slow)
    worker = Worker(state, output)
    if rest[0] == "--text":
        for text in rest[1:]:
            worker.one(text)
    elif rest[0] == "--order":
        worker.order(*rest[1:])
    else:
        seed, number, first, end = map(int, rest[:4])
        supply = calls.Calls(seed, *rest[6:])
        gc.collect()
        gc.freeze()  # what was imported is no garbage: collections take a tenth of the time
        worker.blocks(supply, number, first, end, rest[4], float(rest[5]))
    worker.report("done", "", json.dumps({"called": worker.called, "compared": worker.compared}))


if __name__ == "__main__":
    main(sys.argv[1:])
