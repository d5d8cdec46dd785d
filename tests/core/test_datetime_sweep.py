"""The wall around datetime64 and timedelta64: every public name, called with arrays of them in every
way that comes to mind, agrees with NumPy (values, dtype with its unit, NaT, what it writes to) or
raises. Half a dtype would be worse than none.

A call that differs from NumPy with the integers behind the times too is another test's business.
"""

import inspect
import warnings

import numpy as np
import pytest

import gpunp as cp

DAYS = np.array(
    ["2020-03-01", "1969-12-31", "NaT", "2020-02-29", "1969-12-31", "2400-01-01"], "M8[D]"
)
HOURS = np.array(
    ["2020-03-01T05", "1969-12-31", "2001-01-01", "NaT", "1960-01-01T01", "2020-02-29"], "M8[h]"
)
SECONDS = np.array([5, -7, "NaT", 0, 5, 1000], "m8[s]")
MILLIS = np.array([5000, 3, -2, "NaT", 1001, 17], "m8[ms]")
LATE = np.array([0, 1, 3, 4, 5, 0])  # elements of DAYS and SECONDS that are times
OTHER = np.array([0, 1, 2, 4, 5, 0])

# x and y: two arrays of one kind and of different units.
TIMES = {
    "dates": (DAYS, HOURS),
    "matrix of dates": (DAYS[LATE].reshape(2, 3), HOURS[OTHER].reshape(2, 3)),
    "date": (DAYS[0], HOURS[0]),
    "spans": (SECONDS, MILLIS),
    "square of spans": (SECONDS[LATE[:4]].reshape(2, 2), MILLIS[OTHER[:4]].reshape(2, 2)),
}
QUICK = ["dates", "square of spans"]  # of these one a name; all of TIMES with --slow

# i: 0 and 1, f: floats, b: a mask, of the shape of x; e: x's first element as NumPy's scalar.
CALLS = """
x | x,x | x,y | x,1 | x,2.5 | x,i | i,x | x,b | b,x | x,f | f,x | x,e | e,x | x,None | [x,x] | [x,y]
x,x,x | b,x,y | x,i,x | x,b,x | x,1,0 | x,i,0 | i,i,x | f,f,x | x,x,i | x,(1,1) | x,[0.25,0.5]
x,'i8' | x,'f8' | x,'m8[h]' | 3,x | [b,b],[x,y] | i,[x,x] | 'i,i',x,x | 'ij,jk',x,x | 'ij->ji',x
e,e,3 | (lambda v: v + v),0,x
""".replace("\n", " | ").split(" | ")
CALLS = [call for call in CALLS if call]

# Names that need no device array, ask for files, or return what nobody wrote.
SKIP = {
    "save", "savez", "savez_compressed", "savetxt", "load", "loadtxt", "genfromtxt", "fromfile",
    "show_config", "show_runtime", "info", "seterr", "seterrcall", "setbufsize", "errstate",
    "set_printoptions", "printoptions", "memmap", "fromregex", "fromstring", "from_dlpack",
    "frombuffer", "fromfunction", "fromiter", "empty", "empty_like", "nested_iters",
}  # fmt: skip
OPERATORS = {
    "__add__", "__sub__", "__mul__", "__truediv__", "__floordiv__", "__mod__", "__divmod__", "__pow__",
    "__and__", "__eq__", "__ne__", "__lt__", "__ge__", "__iadd__", "__isub__", "__imul__", "__neg__",
    "__itruediv__", "__abs__", "__invert__", "__matmul__", "__contains__", "__bool__", "__int__",
    "__float__", "__complex__", "__len__", "__copy__", "__radd__", "__rsub__", "__rmul__",
    "__rtruediv__", "__getitem__",
}  # fmt: skip
OF_THE_HOST = {"base", "data", "device", "ctypes", "tofile", "dump", "dumps"}
METHODS = sorted(
    name
    for name in (set(dir(cp.ndarray)) & set(dir(np.ndarray))) - OF_THE_HOST
    if not name.startswith("__") or name in OPERATORS
)

# (name, call): why it differs. A call of "*" is all of them.
DIFFERENCES = {
    ("nanmax", "[x,x]"): "NumPy's own gives something else for a list than for an array",
    ("nanmin", "[x,x]"): "NumPy's own gives something else for a list than for an array",
    ("nanmax", "[x,y]"): "NumPy's own gives something else for a list than for an array",
    ("nanmin", "[x,y]"): "NumPy's own gives something else for a list than for an array",
    ("ndarray.__eq__", "x,None"): "None is no NaT: NumPy compares objects",
    ("ndarray.__ne__", "x,None"): "None is no NaT: NumPy compares objects",
    ("ndarray.__contains__", "x,None"): "None is no NaT: NumPy compares objects",
    ("searchsorted", "*"): "what is searched has to be sorted: test_datetime.py",
    ("ndarray.searchsorted", "*"): "what is searched has to be sorted: test_datetime.py",
    ("promote_types", "*"): "an array stands for its dtype here",
    ("datetime_data", "*"): "NumPy's own function; an array has a dtype",
    ("arange", "i,x"): "an array without dimensions is a number",
    ("arange", "x,i"): "an array without dimensions is a number",
    ("full_like", "x,2.5"): "NumPy up to 2.4 takes a float for a span, later ones refuse it",
    ("nan_to_num", "f,f,x"): "a number instead of NaN that no number needs",
}


def modules():
    for name in ("", "linalg", "fft", "lib.stride_tricks", "emath"):
        ours, theirs = cp, np
        for part in name.split(".") if name else ():
            ours, theirs = getattr(ours, part), getattr(theirs, part)
        yield f"{name}." if name else "", ours, theirs


def public_names():
    """name: what calls it, given the module of arrays and the arguments."""
    found = {}
    for prefix, ours, theirs in modules():
        for name in sorted(set(dir(ours)) & set(dir(theirs)) - SKIP):
            if name.startswith("_") or not callable(getattr(ours, name)):
                continue
            if isinstance(getattr(ours, name), type):
                continue
            pair = {cp: getattr(ours, name), np: getattr(theirs, name)}
            found[prefix + name] = lambda xp, *args, pair=pair: pair[xp](*args)
    for name in METHODS:
        found[f"ndarray.{name}"] = lambda xp, x, *args, name=name: (
            getattr(x, name)(*args) if callable(getattr(x, name)) else getattr(x, name)
        )
    for name in ("add", "subtract", "multiply", "maximum", "fmin", "less", "divmod", "isnat"):
        for method in ("reduce", "accumulate", "reduceat", "outer", "at"):
            found[f"{name}.{method}"] = lambda xp, *args, name=name, method=method: getattr(
                getattr(xp, name), method
            )(*args)
    return found


NAMES = public_names()


def to_host(value):
    if isinstance(value, (tuple, list)):
        return [to_host(v) for v in value]
    if isinstance(value, cp.ndarray):
        return value.get()
    return np.asarray(value) if isinstance(value, np.generic) else value


def is_same(a, b):
    if isinstance(a, list) or isinstance(b, list):
        both = isinstance(a, list) and isinstance(b, list) and len(a) == len(b)
        return both and all(is_same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        a, b = np.asarray(a), np.asarray(b)
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        if a.dtype.kind in "fc":
            return np.allclose(a, b, rtol=1e-6, equal_nan=True)
        return bool(np.all((a == b) | ((a != a) & (b != b))))
    if inspect.isgenerator(a) or type(a).__module__.startswith("gpunp") or callable(a):
        return True
    try:
        return bool(a == b)
    except Exception:
        return type(a).__name__ == type(b).__name__


def outcome(xp, function, call, x, y):
    """("value", it, the arguments after the call), ("error", it), or None: no such arguments."""
    n = x.size
    host = {
        "x": x,
        "y": y,
        "i": np.arange(n) % 2,
        "f": np.arange(n) * 0.7 - 1,
        "b": np.arange(n) % 3 == 0,
    }
    known = {k: xp.asarray(np.array(v).reshape(x.shape)) for k, v in host.items()}
    known["e"] = x.ravel()[0]
    arguments = eval(f"({call},)", {}, known)
    try:
        value = to_host(function(xp, *arguments))
    except Exception as error:
        return "error", error
    return "value", value, to_host([known[k] for k in host])


def verdict(name, call, x, y):
    """None, or what is wrong."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = outcome(np, NAMES[name], call, x, y)
        ours = outcome(cp, NAMES[name], call, x, y)
    if ours[0] == "error":
        refusals = (TypeError, ValueError, IndexError) if theirs[0] == "error" else (TypeError,)
        if isinstance(ours[1], refusals) or (
            theirs[0] == "error" and isinstance(ours[1], type(theirs[1]))
        ):
            return None
        return f"gpunp raises {ours[1]!r}, NumPy: {theirs[1]!r}"
    if theirs[0] == "error":
        return f"gpunp gives {ours[1]!r}, NumPy raises {theirs[1]!r}"
    if not is_same(ours[1], theirs[1]):
        return f"gpunp gives {ours[1]!r}, NumPy {theirs[1]!r}"
    return (
        None if is_same(ours[2], theirs[2]) else f"arguments: {ours[2]!r}, NumPy's: {theirs[2]!r}"
    )


def numbers(times):
    """The integers behind times, NaT a small one."""
    return np.where(np.isnat(times), -99, np.asarray(times).view("i8"))


@pytest.mark.parametrize("name", sorted(NAMES))
def test_agrees_with_numpy_or_raises(name, request):
    wrong = []
    quick = [QUICK[sorted(NAMES).index(name) % 2]]
    for label in TIMES if request.config.getoption("--slow") else quick:
        x, y = map(np.asarray, TIMES[label])
        for call in CALLS:
            if (name, call) in DIFFERENCES or (name, "*") in DIFFERENCES:
                continue
            if name.startswith("ndarray.") and call.startswith("e,"):
                continue  # a method of NumPy's scalar
            found = verdict(name, call, x, y)
            if found is not None and verdict(name, call, numbers(x), numbers(y)) is None:
                wrong.append(f"{name}({call}) of {label}: {found}")
    assert not wrong, "\n".join(wrong[:5])
