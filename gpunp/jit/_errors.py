"""Errors that point at the line of Python they are about."""


class Place:
    """Where a function's source is: its file and lines, for messages.

    Parameters
    ----------
    filename : str
        The file, or what stands for it.
    lines : list of str
        The source, whose first line has the number `first`.
    first : int
        Number of the first of `lines` in the file.
    column : int
        How far the source was moved to the left before it was parsed.
    name : str
        The function's name.
    """

    def __init__(self, filename, lines, first, column, name):
        self.filename = filename
        self.lines = lines
        self.first = first
        self.column = column
        self.name = name

    def describe(self, node):
        """Give the lines of a message that show a node."""
        number = node.lineno
        text = f'  File "{self.filename}", line {number}, in {self.name}'
        index = number - self.first
        if not 0 <= index < len(self.lines):
            return text
        line = self.lines[index].rstrip("\n")
        source = line.strip()
        begin = node.col_offset + self.column - (len(line) - len(line.lstrip()))
        end = node.end_col_offset + self.column - (len(line) - len(line.lstrip()))
        if node.end_lineno != number:
            end = len(source)
        caret = " " * max(begin, 0) + "^" * max(end - begin, 1)
        return f"{text}\n    {source}\n    {caret}"


def locate(error, node, place):
    """Add to an exception's text where it arose, once."""
    if getattr(error, "gpunp_located", False) or not hasattr(node, "lineno"):
        return error
    what = error.args[0] if error.args else type(error).__name__
    error.args = (f"{what}\n{place.describe(node)}",)
    error.gpunp_located = True
    return error
