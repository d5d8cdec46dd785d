"""`%gpu_timeit` of IPython."""

from IPython.core.magic import Magics, line_cell_magic, magics_class

from ._time import benchmark

__all__ = ["GPUTimeitMagics"]


@magics_class
class GPUTimeitMagics(Magics):
    """The magics `%gpu_timeit` and `%%gpu_timeit`."""

    @line_cell_magic
    def gpu_timeit(self, line="", cell=None, local_ns=None):
        """Time a statement, or a cell, on the host and the devices.

        ``%gpu_timeit [-n N] [-w W] [-d S] [-o] statement``, or the same with ``%%`` over a cell,
        whose first line is a setup that is not timed.

        Options: -n repetitions (10000 at most for 5 seconds), -w warm-up calls (10), -d seconds
        after which it ends, -o return the result instead of printing it.
        """
        options, statement = self.parse_options(line, "n:w:d:o", posix=False, strict=False)
        namespace = dict(self.shell.user_ns)
        if local_ns is not None:
            namespace.update(local_ns)
        transform = self.shell.transform_cell
        if cell is not None:
            exec(compile(transform(statement), "<gpu_timeit setup>", "exec"), namespace)
            statement = cell
        code = compile(transform(statement), "<gpu_timeit>", "exec")
        result = benchmark(
            lambda: exec(code, namespace),
            n_repeat=int(options.get("n", 10000)),
            n_warmup=int(options.get("w", 10)),
            max_duration=float(options.get("d", 5.0)),
            name="run",
        )
        if "o" in options:
            return result
        print(result)
        return None
