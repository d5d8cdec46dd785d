"""The kernel of each loop of `gpunp.scipy.special`, as calls ask for it: its parameters as text.

`tools/pack.py` puts them into the pack of wheels, `tools/compile_times.py` measures them. The loops
come from the extension's table (csrc/tables/special.def), so that a new row is in both.
"""

from typing import NamedTuple

from gpunp import _C

__all__ = ["Loop", "elementwise", "special_loops"]

LETTERS = {"f": "f32", "d": "f64", "F": "c64", "D": "c128", "l": "i64"}
BYTES = {"f32": 4, "f64": 8, "c64": 8, "c128": 16, "i64": 8}


class Loop(NamedTuple):
    """A loop of a function: `jv dd->d`, its kernel file, and the file's parameters."""

    name: str
    nin: int
    file: str
    header: str


def operands(types, nin, scalars):
    """The template arguments of Operands: inputs, then outputs; the first ones are scalars."""
    kinds = ["In"] * nin + ["Out"] * (len(types) - nin)
    places = ["SCALAR"] * scalars + ["CONTIGUOUS"] * (len(types) - scalars)
    each = zip(kinds, types, places, strict=True)
    return ", ".join(f"{kind}<{t}, {t}, ACCESS_{place}>" for kind, t, place in each)


def elementwise(header, expression, types, nin, *, large=False, resident=1, scalars=0):
    """The parameters of elementwise kernels for an expression: write_code of core/elementwise.c."""
    names, outs = "abcdefgh"[:nin], [f"r{i}" for i in range(len(types) - nin)]
    body = expression if len(outs) > 1 else f"r0 = {expression}"
    arguments = [f"{t} {n}" for t, n in zip(types[:nin], names, strict=True)]
    arguments += [f"{t} &{n}" for t, n in zip(types[nin:], outs, strict=True)]
    width = max(1, 16 // max(BYTES[t] for t in types)) if large else 1
    unroll = 2 if large and width == 1 else 1
    return (
        f'#include "{header}"\n#include "gnp.cuh"\ntypedef u32 Index;\n'
        f"enum {{ ND = 0, WIDTH = {width}, UNROLL = {unroll}, TILE = 0, RESIDENT = {resident}, "
        "MASKED = 0, BLOCK = 256 };\n"
        f"typedef {types[0]} T;\ntypedef {types[nin]} R;\n"
        f"typedef List<{operands(types, nin, scalars)}> Operands;\n"
        f"GNP_FN void op({', '.join(arguments)}) {{ {body}; }}\n"
    )


def special_loops(*, large=False, scalars=False):
    """Each loop, on contiguous arrays of fewer than 65536 elements, or of more.

    With `scalars` those of several arguments alone, of which the last is an array and the others
    are numbers, as in ``jv(2, x)``.
    """
    for row in _C.special_table():
        leading = row["nin"] - 1 if scalars else 0
        for loop in row["types"] if leading or not scalars else ():
            types = [LETTERS[letter] for letter in loop.replace("->", "")]
            is_complex = any(letter in "FD" for letter in loop)
            header = row["complex_header"] if is_complex else row["header"]
            text = elementwise(
                header, row["expression"], types, row["nin"], large=large, scalars=leading
            )
            file = "elementwise.cu" if large else "elementwise_single.cu"
            yield Loop(f"{row['name']} {loop}", row["nin"], file, text)
