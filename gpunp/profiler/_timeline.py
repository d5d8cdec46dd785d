"""Traces as pictures: one HTML file with a timeline, or the output of a notebook's cell."""

import contextlib
import json
import os
import tempfile
from html import escape

from gpunp.cuda.profiler import trace

__all__ = ["Timeline", "timeline"]

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "timeline.html")
HEIGHT = 420  # pixels in a notebook


class Timeline:
    """What a program and its devices did, as a page with a timeline and sums by name.

    Parameters
    ----------
    events : list of dict, optional
        Events in the trace event format, as `gpunp.profiler.trace` writes them.

    Attributes
    ----------
    events : list of dict
        The events.

    See Also
    --------
    timeline : Record a `with` block.
    """

    def __init__(self, events=()):
        self.events = list(events)

    @classmethod
    def from_trace(cls, path):
        """Read a file that `gpunp.profiler.trace` or GPUNP_TRACE has written.

        Parameters
        ----------
        path : path
            Path of the JSON file.

        Returns
        -------
        Timeline
            Its events.
        """
        with open(path, encoding="utf-8") as file:
            return cls(json.load(file)["traceEvents"])

    def rows(self):
        """Sort the slices into the rows of the picture.

        Returns
        -------
        list of dict
            For each thread of the program and each stream of a device its ``label``, whether it is
            a ``device``, and ``slices`` of (name, begin, duration, detail) with times in
            microseconds. Devices stand last.
        """
        labels, found = {}, {}
        for event in self.events:
            place = event["pid"], event.get("tid", 0)
            if event["ph"] == "M":
                key = place if event["name"] == "thread_name" else place[:1]
                labels[key] = event["args"]["name"]
            elif event["ph"] in "Xi":
                detail = ", ".join(f"{k} {v}" for k, v in event.get("args", {}).items())
                found.setdefault(place, []).append(
                    (event["name"], event["ts"], event.get("dur", 0), detail)
                )
        rows = []
        for place in sorted(found):
            is_device = place[0] > 0
            inner = labels.get(place, "") if is_device else f"thread {place[1]}"
            label = f"{labels.get(place[:1], '')} {inner}".strip()
            slices = sorted(found[place], key=lambda item: (item[1], -item[2]))
            rows.append({"label": label, "device": is_device, "slices": slices})
        return rows

    def html(self):
        """Return the page: a document without links to anything outside.

        Returns
        -------
        str
            HTML with the picture, which the mouse moves and enlarges, and a table of sums.
        """
        with open(PAGE, encoding="utf-8") as file:
            page = file.read()
        data = json.dumps(self.rows(), separators=(",", ":")).replace("<", "\\u003c")
        return page.replace("/*ROWS*/[]", data)

    def save(self, path) -> None:
        """Write the page to a file.

        Parameters
        ----------
        path : path
            Path of the HTML file.
        """
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html())

    def _repr_html_(self):
        style = f"width:100%;height:{HEIGHT}px;border:1px solid #8888"
        return f'<iframe style="{style}" srcdoc="{escape(self.html())}"></iframe>'


@contextlib.contextmanager
def timeline(path=None):
    """Record the work of a `with` block as a timeline that a browser or a notebook shows.

    Parameters
    ----------
    path : path, optional
        Path of an HTML file that is written at the end of the block. It is complete in itself.

    Returns
    -------
    context manager
        Context manager whose value is a `Timeline`. After the block it has the events, and a
        notebook shows it as a picture.

    See Also
    --------
    trace : The same events as a file for Perfetto and Chrome.

    Notes
    -----
    Rows are the threads of the program and the streams of the devices; see `trace` for what is
    recorded. The end of the block waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> with cp.profiler.timeline() as shown:
    ...     y = cp.sin(cp.arange(1000.0)).sum()
    >>> [row["label"] for row in shown.rows() if row["device"]]
    ['device 0 stream 0']
    """
    shown = Timeline()
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "trace.json")
        with trace(file):
            yield shown
        shown.events = Timeline.from_trace(file).events
    if path is not None:
        shown.save(path)
