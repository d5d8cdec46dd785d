"""A bar chart of measured times as SVG text, written by hand: readable on light and on dark pages.

Each row has a bar for each library; its length is the time relative to gpunp's, so shorter is
faster and gpunp's own bars are equally long. Bars beyond LIMIT times are cut off, with a gap.
"""

from html import escape

COLOURS = {"gpunp": "#3b82c4", "cupy": "#9a9a9a", "torch": "#d9822b"}
TITLES = {"gpunp": "gpunp", "cupy": "CuPy", "torch": "PyTorch"}
STYLE = """\
text { font: 12px system-ui, sans-serif; fill: #444; }
.head { font-weight: 600; font-size: 13px; }
.time { font-size: 10px; }
@media (prefers-color-scheme: dark) { text { fill: #c8c8c8; } }"""
LIMIT = 5.0
LEFT, UNIT, BAR, GAP = 200, 90, 9, 8  # pixels: labels, one time of gpunp's, a bar, between rows
WIDTH = LEFT + int(UNIT * LIMIT) + 90


def text(x, y, words, kind="", anchor="start"):
    """A line of text."""
    attributes = f' class="{kind}"' if kind else ""
    attributes += f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text x="{x}" y="{y}"{attributes}>{escape(words)}</text>'


def rectangle(x, y, width, colour):
    """A bar."""
    return f'<rect x="{x}" y="{y}" width="{width:.1f}" height="{BAR}" fill="{colour}"/>'


def bar(y, library, ratio, label):
    """One library's bar and its time; cut off where it is too long."""
    colour, length = COLOURS[library], min(ratio, LIMIT) * UNIT
    lines = [rectangle(LEFT, y, length, colour)]
    end = LEFT + length
    if ratio > LIMIT:
        lines.append(rectangle(end + 3, y, 8, colour))
        end += 11
    lines.append(text(f"{end + 5:.1f}", y + BAR - 0.5, label, "time"))
    return lines


def group(y, heading, rows):
    """A heading and its rows; returns the lines and where the next group begins."""
    lines = [text(0, y + 12, heading, "head")]
    y += 24
    for name, times in rows:
        height = len(times) * (BAR + 2)
        lines.append(text(LEFT - 8, y + height / 2 + 3, name, anchor="end"))
        for library, (value, label) in times.items():
            lines += bar(y, library, value / times["gpunp"][0], label)
            y += BAR + 2
        y += GAP
    return lines, y + GAP


def legend():
    """Which colour is which library."""
    lines = []
    for i, (library, colour) in enumerate(COLOURS.items()):
        x = LEFT + 90 * i
        lines += [rectangle(x, 4, 12, colour), text(x + 18, 4 + BAR, TITLES[library])]
    return lines


def svg(title, groups):
    """The picture. `groups` has a heading and rows: a name and {library: (time, label)}."""
    lines, y = legend(), 24
    for heading, rows in groups:
        more, y = group(y, heading, rows)
        lines += more
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" role="img">',
            f"<title>{escape(title)}</title>",
            f"<style>\n{STYLE}\n</style>",
            *lines,
            "</svg>\n",
        ]
    )
