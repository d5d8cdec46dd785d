"""Errors that refer to the line of Python code at fault."""


class Place:
    """Source location of a function: its file and lines, for error messages.

    Parameters
    ----------
    filename : str
        Name of the file, or a placeholder for it.
    lines : list of str
        Lines of the source, of which the first has the number `first`.
    first : int
        Line number in the file of the first of `lines`.
    column : int
        Number of columns by which the source was dedented before parsing.
    name : str
        Name of the function.
    """

    def __init__(self, filename, lines, first, column, name):
        self.filename = filename
        self.lines = lines
        self.first = first
        self.column = column
        self.name = name

    def describe(self, node):
        """Return the lines of a message that show a syntax node."""
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
