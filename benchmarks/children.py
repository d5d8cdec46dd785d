"""A library's cells of the table, measured by child processes (`run.py --child`).

A case that crashes, or leaves a device that answers no more, ends its process and loses its own
cell; another process begins with the next case.
"""

import contextlib
import json
import subprocess
import sys
from pathlib import Path

import report

RUN = Path(__file__).resolve().parent / "run.py"


def messages(stream):
    """The lines of JSON in what a child prints; a library may print others."""
    for line in stream:
        if line.startswith("{"):
            with contextlib.suppress(json.JSONDecodeError):
                yield json.loads(line)


def run_cases(name, options, column):
    """Cells of one child, into `column`: (how many cases it began, how it ended)."""
    begin = ["--begin", str(len(column["cells"]))]
    command = [sys.executable, str(RUN), "--child", name, *options, *begin]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    begun, case = 0, None
    for message in messages(child.stdout):
        column.update(message.get("column", {}))
        if "case" in message:
            begun, case = begun + 1, message["case"]
            column["cells"][case] = {"error": "the process ended"}
        if "cell" in message:
            column["cells"][case] = message["cell"]
            print(f"  {name} {case}: {report.cell_text(message['cell'])}", file=sys.stderr)
    return begun, child.wait()


def column_of(name, options):
    """{"library", "version", "device", "cells": {case: cell}} of a library."""
    column = {"cells": {}}
    begun, status = run_cases(name, options, column)
    while status != 0 and begun:
        print(f"{name}: the child process ended with {status}", file=sys.stderr)
        begun, status = run_cases(name, options, column)
    return column
