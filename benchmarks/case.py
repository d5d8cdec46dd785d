"""A row of the benchmark table, and the ways to write one."""

from typing import NamedTuple


class Case(NamedTuple):
    """A row: its name, the function that sets it up, and the bytes moved per element.

    `scale` is the fraction of the group's number of elements this row works on.
    """

    name: str
    setup: object
    bytes_per_element: float = 0.0
    scale: float = 1.0


def expression(numpy, torch=None, shape=None, dtype="f4", **others):
    """A case that is one expression, in NumPy's names and in PyTorch's (None: the same).

    `xp` is the library, `a` an array of `dtype` full of noise: of the group's number of elements
    (device: n of them; host: 1000), or of a shape, of which -1 is what remains of n. `others` are
    further names: a dtype (another array of `a`'s shape) or an expression of what stands before.
    """

    def setup(lib, n=1000):
        scope = {"xp": lib.module, "lib": lib, "n": n, "a": lib.noise(fit(shape, n), dtype)}
        for name, value in others.items():
            if value in lib.NOISE:
                scope[name] = lib.noise(fit(shape, n), value)
            else:
                scope[name] = eval(value, scope)
        return eval("lambda: " + (torch if torch and lib.name == "torch" else numpy), scope)

    return setup


def fit(shape, n):
    """A shape of about n elements, in which one -1 stands for what remains; None: (n,)."""
    if shape is None:
        return (n,)
    shape = shape(n) if callable(shape) else shape
    known = 1
    for size in shape:
        known *= max(size, 1) if size != -1 else 1
    return tuple(n // known if size == -1 else size for size in shape)
