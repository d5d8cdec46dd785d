"""The source text of a function, from its file or from where it was entered.

A file is read through `linecache`, where IPython, doctest and the REPL of Python 3.13 leave what
was typed. Without a file there are other places: the history of the older REPL, the text after
`-c`, standard input that is a file, strings of the frames that called `exec`. A candidate counts
only when compiling it gives the very code of the function.
"""

import ast
import linecache
import os
import stat
import sys
import types
import weakref

from .._core._convert import shown
from ._errors import Place

_known: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # function: (tree, place)
_FUTURE = 0x1FF0000  # flags of `from __future__` imports in co_flags


def find_source(function):
    """Find the syntax tree of a function.

    Parameters
    ----------
    function : function
        Python function or lambda to look up.

    Returns
    -------
    ast.FunctionDef or ast.Lambda
        Its line numbers are those of the file.
    Place
        Source location, for error messages.

    Raises
    ------
    OSError
        If the source cannot be found.
    TypeError
        If it is no Python function.
    """
    if not hasattr(function, "__code__"):
        raise TypeError(f"a kernel is compiled from a Python function, not {shown(function)}")
    found = _known.get(function) or _find(function.__code__, function.__globals__)
    if found is None:
        code = function.__code__
        raise OSError(
            f"the source of {function.__qualname__}, which {code.co_filename!r} line "
            f"{code.co_firstlineno} defines, was not found: a kernel is compiled from its text. "
            "Put the function into a file, a notebook cell, or the REPL of Python 3.13 or newer"
        )
    _known[function] = found
    return found


def remember_source(function):
    """Store the source of a function that is not in a file, while the frames that have it exist.

    Parameters
    ----------
    function : function
        Function that was just defined.
    """
    if not linecache.getlines(function.__code__.co_filename, function.__globals__):
        found = _find(function.__code__, function.__globals__)
        if found is not None:
            _known[function] = found


def _find(code, namespace):
    found = _find_in_file(code, linecache.getlines(code.co_filename, namespace))
    if found is not None:
        return found
    for text in _typed_texts(code):
        found = _find_in_text(code, text)
        if found is not None:
            return found
    return None


def _first_line(node):
    """Number of the line a code object says it begins at: that of the first decorator."""
    decorators = getattr(node, "decorator_list", None)
    return decorators[0].lineno if decorators else node.lineno


def _same_code(a, b):
    """Whether two code objects do the same, wherever they stand."""
    if (a.co_name, a.co_code, a.co_names, a.co_varnames, a.co_freevars) != (
        b.co_name,
        b.co_code,
        b.co_names,
        b.co_varnames,
        b.co_freevars,
    ):
        return False
    if len(a.co_consts) != len(b.co_consts):
        return False
    for x, y in zip(a.co_consts, b.co_consts, strict=True):
        if isinstance(x, types.CodeType) and isinstance(y, types.CodeType):
            if not _same_code(x, y):
                return False
        elif type(x) is not type(y) or repr(x) != repr(y):
            return False
    return True


def _codes(code):
    """Each code object inside one."""
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _codes(constant)


def _nodes(tree, name, line):
    wanted = ast.Lambda if name == "<lambda>" else ast.FunctionDef
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, wanted)
        and _first_line(node) == line
        and getattr(node, "name", name) == name
    ]


def _block(lines):
    """The lines of one definition: as far as they are indented more than its first, by tokens."""
    import inspect

    return inspect.getblock(lines)


def _find_in_file(code, lines):
    """The function in the file's lines, parsing no more of it than its own block if possible."""
    first = code.co_firstlineno - 1
    if not 0 <= first < len(lines):
        return None
    block = _block(lines[first:])
    indent = len(block[0]) - len(block[0].lstrip())
    text = "".join(line[indent:] if line[:indent].isspace() else line for line in block)
    try:
        tree = ast.parse(text)
    except SyntaxError:
        tree = None
    if tree is not None:
        ast.increment_lineno(tree, first)
        nodes = _nodes(tree, code.co_name, first + 1)
        if len(nodes) == 1:
            return nodes[0], Place(code.co_filename, block, first + 1, indent, code.co_name)
    return _find_in_text(code, "".join(lines))


def _find_in_text(code, text):
    """The function in a text that compiles to its code; lambdas of one line are told apart."""
    try:
        tree = ast.parse(text)
        whole = compile(
            text, code.co_filename, "exec", flags=code.co_flags & _FUTURE, dont_inherit=True
        )
    except (SyntaxError, ValueError):
        return None
    same = [found for found in _codes(whole) if _same_code(found, code)]
    for found in same:
        nodes = _nodes(tree, code.co_name, found.co_firstlineno)
        if len(nodes) > 1:
            nodes = [node for node in nodes if _holds(node, found)]
            nodes.sort(key=lambda node: node.end_col_offset - node.col_offset)
        if nodes:
            lines = text.splitlines(keepends=True)
            return nodes[0], Place(code.co_filename, lines, 1, 0, code.co_name)
    return None


def _holds(node, code):
    """Whether a lambda's syntax spans its code; Python 3.11 keeps columns."""
    body = node.body
    spans = [
        (line, column, end)
        for line, _, column, end in getattr(code, "co_positions", list)()
        if line == body.lineno == body.end_lineno and column is not None and end
    ]
    return all(body.col_offset <= column and end <= body.end_col_offset for _, column, end in spans)


# ---- texts that are in no file -------------------------------------------------------------------


def _typed_texts(code):
    yield from _command_line()
    if code.co_filename == "<stdin>":
        yield from _standard_input()
        yield from _history(code)
    yield from _strings_of_frames()


def _command_line():
    """The text after `python -c`."""
    words = getattr(sys, "orig_argv", [])
    if "-c" in words[:-1]:
        yield words[words.index("-c") + 1]


def _standard_input():
    """A script that was given to Python as its input, when that is a file."""
    try:
        status = os.fstat(0)
        if stat.S_ISREG(status.st_mode):
            yield os.pread(0, status.st_size, 0).decode()
    except (OSError, UnicodeDecodeError):
        return


def _history(code):
    """What was typed into the REPL, from each line that might begin the function to the end."""
    try:
        import readline
    except ImportError:
        return
    count = readline.get_current_history_length()
    lines = [readline.get_history_item(i + 1) or "" for i in range(count)]
    for begin in range(count - 1, -1, -1):
        if code.co_name in lines[begin] or "lambda" in lines[begin]:
            while begin > 0 and lines[begin - 1].lstrip().startswith("@"):
                begin -= 1
            for end in range(begin + 1, min(count, begin + 400) + 1):
                if end == count or not lines[end][:1].isspace():
                    yield "\n".join(lines[begin:end]) + "\n"


def _strings_of_frames():
    """Strings at hand where `exec` may have been called. Local variables of other functions are
    not read: Python before 3.13 would keep them alive as long as the function runs."""
    frame = sys._getframe(1)
    while frame is not None:
        values = [*frame.f_code.co_consts]
        if {"exec", "eval"} & {*frame.f_code.co_names}:
            values += frame.f_locals.values()
        if frame.f_code.co_name == "<module>":
            values += list(frame.f_globals.values())
        for value in values:
            if type(value) is str and ("def " in value or "lambda" in value):
                yield value
        frame = frame.f_back
