"""The folders and what they include: `python tools/graph.py` writes docs/folders.svg and the last
columns of the tables in docs/folders.md.

Read from the #include lines of csrc/ and the imports of gpunp/. What follows from other includes
is left out (transitive reduction): as `core` includes `kernel` and that `rt`, no arrow from `core`
to `rt` is drawn. A test compares the committed files with the tree.
"""

import re
import sys
from collections import namedtuple
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "meta"))
from sources import CSRC, c_files, files, folder_of, imports, includes, python_part  # noqa: E402

PAGE = ROOT / "docs" / "folders.md"
PICTURE = ROOT / "docs" / "folders.svg"
BOX, HEIGHT, GAP, LAYER = 84, 26, 14, 58  # of a box, between boxes, from layer to layer
STYLE = """text { font: 12px system-ui, sans-serif; fill: #333; text-anchor: middle; }
.head { font-weight: 600; font-size: 13px; }
rect { fill: #eef3fa; stroke: #5b7fa8; }
path { fill: none; stroke: #888; }
marker path { fill: #888; stroke: none; }
@media (prefers-color-scheme: dark) {
text { fill: #d0d0d0; }
rect { fill: #1d2a3a; stroke: #6f93bd; }
}"""

# A part of the tree with folders of its own: its title, and {folder: those it includes}.
Panel = namedtuple("Panel", "title edges")


def includes_of_extension():
    """The folders of csrc/ but the emulated device's; module.c is above them."""
    edges = {}
    for path in c_files():
        folder = folder_of(path)
        if folder in {"tables", "emu"}:
            continue
        found = edges.setdefault("module.c" if folder == "module" else folder, set())
        for _, name in includes(path):
            target = name.removeprefix("../").split("/")[0]
            if target not in {folder, "tables"} and "/" in name:
                found.add("kernels" if target == "kernels" else target)
                edges.setdefault(target, set())
    return edges


def includes_of_emulator():
    """The folders of csrc/emu; emu.h is above them and everybody's."""
    edges = {}
    for path in c_files():
        parts = path.relative_to(CSRC).parts
        if parts[0] == "emu" and len(parts) > 2:
            found = edges.setdefault(parts[1], set())
            for _, name in includes(path):
                target = name.split("/")
                if target[0] == "emu" and len(target) > 2 and target[1] != parts[1]:
                    found.add(target[1])
    return edges


def imports_of_package():
    """The parts of gpunp/ but those that everybody may import; `_C` is the extension."""
    edges = {"_C": set()}
    for path in files("gpunp/*.py"):
        part = python_part(path)
        if not part.startswith("__") and part != "_version":
            names = {name for _, name in imports(path)} - {part}
            edges.setdefault(part, set()).update(names - {"__init__", "_version"})
    named = set().union(*edges.values())
    return {name: found for name, found in edges.items() if found or name in named}


def panels():
    """The three graphs of the picture."""
    return [
        Panel("gpunp/", imports_of_package()),
        Panel("csrc/", includes_of_extension()),
        Panel("csrc/emu/", includes_of_emulator()),
    ]


# ---- graphs --------------------------------------------------------------------------------------


def layers(edges):
    """{folder: its layer}, 0 for those that include nothing; ValueError for a cycle."""
    found = {}

    def visit(name, above):
        if name in above:
            raise ValueError(" includes ".join([*above[above.index(name) :], name]))
        if name not in found:
            found[name] = 1 + max((visit(n, [*above, name]) for n in edges[name]), default=-1)
        return found[name]

    for name in sorted(edges):
        visit(name, [])
    return found


def reduced(edges):
    """The edges without those that follow from others."""

    def below(name):
        return edges[name].union(*(below(n) for n in edges[name]))

    return {
        name: {n for n in found if not any(n in below(other) for other in found)}
        for name, found in edges.items()
    }


def rows_of(edges):
    """(layers of the picture, highest first; paths of its arrows), each a list of lists of slots.

    A slot is a folder, or (from, to, layer) where an arrow passes a layer.
    """
    place = layers(edges)
    rows = [[] for _ in range(max(place.values()) + 1)]
    arrows = []
    for name in sorted(edges):
        rows[place[name]].append(name)
    for name, found in sorted(reduced(edges).items()):
        for other in sorted(found):
            passed = [(name, other, k) for k in range(place[name] - 1, place[other], -1)]
            arrows.append([name, *passed, other])
            for slot in passed:
                rows[slot[2]].append(slot)
    return rows[::-1], arrows


def order_rows(rows, arrows):
    """Sort each row by the mean place of the neighbours below, then above, a few times."""
    joined = {(a, b) for arrow in arrows for a, b in pairwise(arrow)}
    for turn in range(8):
        pairs = pairwise(rows) if turn % 2 else pairwise(rows[::-1])
        for fixed, row in pairs:
            at = {slot: k - len(fixed) / 2 for k, slot in enumerate(fixed)}

            def mean(slot, at=at):
                near = [at[n] for n in at if (slot, n) in joined or (n, slot) in joined]
                return sum(near) / len(near) if near else 0.0

            row.sort(key=lambda slot: (round(mean(slot), 6), str(slot)))


# ---- the picture ---------------------------------------------------------------------------------


def width_of(slot):
    """Pixels of a slot; an arrow that passes takes a fifth of a box."""
    return BOX if isinstance(slot, str) else BOX // 5


def draw(panel, left):
    """(lines of SVG, width, height) of one panel."""
    rows, arrows = rows_of(panel.edges)
    order_rows(rows, arrows)
    widths = [sum(map(width_of, row)) + GAP * (len(row) - 1) for row in rows]
    centre = {}
    for depth, (row, width) in enumerate(zip(rows, widths, strict=True)):
        x = left + (max(widths) - width) / 2
        for slot in row:
            centre[slot] = (x + width_of(slot) / 2, 44 + depth * LAYER)
            x += width_of(slot) + GAP
    out = [f'<text class="head" x="{left + max(widths) / 2:g}" y="18">{panel.title}</text>']
    for arrow in arrows:
        (x, y), *passed, (end, bottom) = (centre[slot] for slot in arrow)
        points = [(x, y + HEIGHT / 2)]
        for x, y in passed:
            points += [(x, y - HEIGHT / 2), (x, y + HEIGHT / 2)]
        points.append((end, bottom - HEIGHT / 2 - 1))
        path = " L".join(f"{x:g} {y:g}" for x, y in points)
        out.append(f'<path d="M{path}" marker-end="url(#head)"/>')
    for slot, (x, y) in centre.items():
        if isinstance(slot, str):
            corner = f'x="{x - BOX / 2:g}" y="{y - HEIGHT / 2:g}"'
            out.append(f'<rect {corner} width="{BOX}" height="{HEIGHT}" rx="4"/>')
            out.append(f'<text x="{x:g}" y="{y + 4:g}">{slot}</text>')
    return out, max(widths), 44 + len(rows) * LAYER


def picture():
    """The text of docs/folders.svg."""
    body, left, bottom = [], 8, 0
    for panel in panels():
        lines, width, height = draw(panel, left)
        body += lines
        left += width + 48
        bottom = max(bottom, height)
    marker = '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
    marker += 'markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 z"/></marker>'
    return "\n".join(
        [
            '<svg xmlns="http://www.w3.org/2000/svg" '
            f'viewBox="0 0 {left - 40:g} {bottom - 20:g}" role="img">',
            "<title>Folders, highest first; an arrow leads to what a folder includes or imports "
            "directly</title>",
            f"<style>\n{STYLE}\n</style>",
            f"<defs>{marker}</defs>",
            *body,
            "</svg>\n",
        ]
    )


# ---- the tables ----------------------------------------------------------------------------------


def page(text):
    """docs/folders.md with the last cell of each row of a folder as the tree has it."""
    for panel in panels():
        for name, found in reduced(panel.edges).items():
            row = re.escape(panel.title + name) + ("" if "." in name else "/?")
            cell = ", ".join(f"`{n}`" for n in sorted(found))
            text = re.sub(
                rf"^(\| `{row}` \|[^|\n]*\|)[^|\n]*\|$", rf"\1 {cell} |", text, flags=re.M
            )
    return re.sub(r"\|  \|$", "| |", text, flags=re.MULTILINE)


def main():
    """Write both files."""
    PAGE.write_text(page(PAGE.read_text()))
    PICTURE.write_text(picture())


if __name__ == "__main__":
    main()
