"""Captured work: what a launch and a capture cost the host, and a node the device."""

from case import Case


def captured(lib, nodes):
    """A graph of so many additions in a row, and its stream."""
    xp = lib.module
    stream = xp.cuda.Stream(non_blocking=True)
    with stream:
        a = lib.ones((32,))
        xp.add(a, a, out=a)
        stream.synchronize()
        stream.begin_capture()
        for _ in range(nodes):
            xp.add(a, a, out=a)
        graph = stream.end_capture()
        graph.upload()
        stream.synchronize()
    return graph, stream


def launch(lib, nodes=1):
    """Graph.launch of one small kernel."""
    graph, stream = captured(lib, nodes)
    return lambda: graph.launch(stream)


def capture(lib):
    """Ten additions captured, without a launch."""
    return lambda: captured(lib, 10)


def replayed(lib):
    """A function of ten operations as a graph, on the current stream."""
    xp = lib.module

    def step(x):
        for _ in range(5):
            x = xp.tanh(x * 0.5)
        return x

    function = xp.cuda.graph(step)
    x = lib.ones((1000,))
    return lambda: function(x)


def replay(lib, n):
    """A thousand kernels of 32 elements: microseconds are nanoseconds a kernel."""
    graph, stream = captured(lib, 1000)
    null = lib.module.cuda.Stream.null

    def run():
        graph.launch(null)

    stream.synchronize()
    return run


HOST = [
    Case("Graph.launch", launch),
    Case("capture of 10 operations", capture),
    Case("cuda.graph, 10 operations", replayed),
]
DEVICE = [Case("Graph of 1000 small kernels", replay, 0, 2**-23)]
