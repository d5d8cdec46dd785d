/* gpunp.cuda.runtime: captures and graphs by their handles. gpunp.cuda.Stream and Graph do more:
 * what is captured here takes memory from the stream's pool like any other work, and nothing keeps
 * it for the graph. */
#include "rt/runtime.h"

/* Not known to graph_capture.c: calls that would break this capture are not rejected beforehand,
 * and fail in the driver. */
static PyObject *
streamBeginCapture(PARAMS)
{
    uint64_t n[2] = {0, CU_STREAM_CAPTURE_MODE_RELAXED};
    BIND_OR_RETURN("streamBeginCapture(stream, mode: int=2)")
    RT_TRY(cuStreamBeginCapture_v2(gnp_stream_of(n[0]), (CUstreamCaptureMode)n[1]));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
streamEndCapture(PARAMS)
{
    uint64_t n[1] = {0};
    CUgraph graph = NULL;
    BIND_OR_RETURN("streamEndCapture(stream)")
    RT_TRY(cuStreamEndCapture(gnp_stream_of(n[0]), &graph));
    return gnp_from_pointer(graph);
fail:
    return NULL;
}

static PyObject *
streamIsCapturing(PARAMS)
{
    uint64_t n[1] = {0};
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    BIND_OR_RETURN("streamIsCapturing(stream)")
    RT_TRY(cuStreamIsCapturing(gnp_stream_of(n[0]), &status));
    return PyBool_FromLong(status != CU_STREAM_CAPTURE_STATUS_NONE);
fail:
    return NULL;
}

static PyObject *
graphInstantiate(PARAMS)
{
    uint64_t n[1] = {0};
    CUgraphExec exec = NULL;
    BIND_OR_RETURN("graphInstantiate(graph)")
    RT_TRY_WAIT(cuGraphInstantiateWithFlags(&exec, gnp_host_of(n[0]), 0));
    return gnp_from_pointer(exec);
fail:
    return NULL;
}

/* Its host functions are not counted when they are queued (host_functions.c copes with that). */
static PyObject *
graphLaunch(PARAMS)
{
    uint64_t n[2] = {0};
    BIND_OR_RETURN("graphLaunch(graphExec, stream)")
    RT_TRY_SUBMIT(gnp_stream_of(n[1]), cuGraphLaunch(gnp_host_of(n[0]), gnp_stream_of(n[1])));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
graphUpload(PARAMS)
{
    uint64_t n[2] = {0};
    BIND_OR_RETURN("graphUpload(graphExec, stream)")
    RT_TRY_QUEUE(cuGraphUpload(gnp_host_of(n[0]), gnp_stream_of(n[1])));
    Py_RETURN_NONE;
fail:
    return NULL;
}

/* The caller must not destroy a graph whose executable form still runs with its memory. */
static PyObject *
graphDestroy(PARAMS)
{
    uint64_t n[1] = {0};
    BIND_OR_RETURN("graphDestroy(graph)")
    RT_TRY_WAIT(cuGraphDestroy(gnp_host_of(n[0])));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
graphExecDestroy(PARAMS)
{
    uint64_t n[1] = {0};
    BIND_OR_RETURN("graphExecDestroy(graphExec)")
    RT_TRY_WAIT(cuGraphExecDestroy(gnp_host_of(n[0])));
    Py_RETURN_NONE;
fail:
    return NULL;
}

/* The only one with a path among its arguments. */
static PyObject *
graphDebugDotPrint(PARAMS)
{
    static GnpSignature sig = GNP_SIGNATURE("graphDebugDotPrint(graph, path, flags)");
    PyObject *values[GNP_MAX_PARAMS], *path = NULL; /* owned */
    int status = -1;
    if (gnp_args_bind(&sig, args, nargs, kwnames, values) < 0 || gnp_device_current() == NULL ||
        PyUnicode_FSConverter(values[1], &path) == 0) {
        return NULL;
    }
    void *graph = NULL;
    unsigned flags = 0;
    GNP_TRY(gnp_pointer_from_object(values[0], "graph", &graph));
    GNP_TRY(gnp_unsigned_from_object(values[2], "flags", &flags));
    RT_TRY_WAIT(cuGraphDebugDotPrint(graph, PyBytes_AS_STRING(path), flags));
    status = 0;
fail:
    Py_DECREF(path);
    return status < 0 ? NULL : Py_NewRef(Py_None);
}

PyMethodDef gnp_runtime_graph_functions[] = {
    MANY(streamBeginCapture, streamBeginCapture, "stream, mode=2", P_stream P_mode, "None",
         "Start to capture work in a stream to a graph, instead of executing it."),
    MANY(streamEndCapture, streamEndCapture, "stream", P_stream, "int\n    Handle of the graph.",
         "End the capture and return the graph."),
    MANY(streamIsCapturing, streamIsCapturing, "stream", P_stream,
         "bool\n    True between streamBeginCapture and streamEndCapture.",
         "Return whether work in a stream is being captured."),
    MANY(graphInstantiate, graphInstantiate, "graph", P_graph,
         "int\n    Handle of the executable graph.", "Create an executable graph from a graph."),
    MANY(graphLaunch, graphLaunch, "graphExec, stream", P_graphExec P_stream, "None",
         "Launch an executable graph in a stream."),
    MANY(graphUpload, graphUpload, "graphExec, stream", P_graphExec P_stream, "None",
         "Prepare the device for the first launch of a graph."),
    MANY(graphDestroy, graphDestroy, "graph", P_graph, "None", "Destroy a graph."),
    MANY(graphExecDestroy, graphExecDestroy, "graphExec", P_graphExec, "None",
         "Destroy an executable graph."),
    MANY(graphDebugDotPrint, graphDebugDotPrint, "graph, path, flags", P_graph P_path P_flags,
         "None", "Write a graph in Graphviz's DOT language."),
    {NULL, NULL, 0, NULL},
};
