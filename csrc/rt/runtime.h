/* What the files of gpunp.cuda.runtime share: how a cudart name becomes a driver call.
 *
 * Handles and addresses are ints there, as in cudart's own bindings. */
#ifndef GNP_RUNTIME_H
#define GNP_RUNTIME_H

#include "rt/internal.h"

/* Test a driver call; raise with cudart's name of the code. */
#define RT_TRY(call)                                                                               \
    do {                                                                                           \
        CUresult rt_code = gnp_cu->call;                                                           \
        if (rt_code != 0) {                                                                        \
            gnp_runtime_raise(rt_code, #call);                                                     \
            goto fail;                                                                             \
        }                                                                                          \
    } while (0)

/* The same for entries marked CU_WAITS and CU_QUEUES. */
#define RT_TRY_BY(how, call, text)                                                                 \
    do {                                                                                           \
        CUresult rt_code;                                                                          \
        how(rt_code, call);                                                                        \
        if (rt_code != 0) {                                                                        \
            gnp_runtime_raise(rt_code, text);                                                      \
            goto fail;                                                                             \
        }                                                                                          \
    } while (0)
#define RT_TRY_WAIT(call) RT_TRY_BY(CU_WAIT, call, #call)
#define RT_TRY_QUEUE(call) RT_TRY_BY(CU_QUEUE, call, #call)
/* Work for a stream: room for it is waited for here, where Ctrl-C is heard (queue.c). */
#define RT_TRY_SUBMIT_BY(how, stream, call, text)                                                  \
    do {                                                                                           \
        GNP_TRY(gnp_queue_room(stream));                                                           \
        RT_TRY_BY(how, call, text);                                                                \
    } while (0)
#define RT_TRY_SUBMIT(stream, call) RT_TRY_SUBMIT_BY(CU_QUEUE, stream, call, #call)
#define RT_TRY_SUBMIT_COPY(stream, call) RT_TRY_SUBMIT_BY(CU_COPY, stream, call, #call)
#define RT_TRY_SUBMIT_WAIT(stream, call) RT_TRY_SUBMIT_BY(CU_WAIT, stream, call, #call)

#define PARAMS                                                                                     \
    PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames

/* Binds a signature of integers to n[0..]: "device: int", "flags: unsigned", else 64 bits without
 * a sign; what is out of range raises. A parameter that is not given keeps its value in `n`. Then
 * a device is made current. */
#define BIND(text)                                                                                 \
    static GnpSignature sig = GNP_SIGNATURE(text);                                                 \
    GnpDevice *device = gnp_runtime_bind(&sig, args, nargs, kwnames, n);                           \
    if (device == NULL) {                                                                          \
        return NULL;                                                                               \
    }

GNP_BORROW GnpDevice *gnp_runtime_bind(GnpSignature *sig, PyObject *const *args, Py_ssize_t nargs,
                                       PyObject *kwnames, uint64_t *n);

static inline CUstream
gnp_stream_of(uint64_t number)
{
    return (CUstream)(uintptr_t)number;
}

static inline CUevent
gnp_event_of(uint64_t number)
{
    return (CUevent)(uintptr_t)number;
}

static inline void *
gnp_host_of(uint64_t number)
{
    return (void *)(uintptr_t)number;
}

static inline PyObject *
gnp_from_pointer(const void *pointer)
{
    return PyLong_FromUnsignedLongLong((uintptr_t)pointer);
}

/* What a parameter means, wherever it has that name. */
#define P_advice "advice : int\n    A `cudaMemAdvise...`.\n"
#define P_attr "attr : int\n    A `cudaMemPoolAttr...`.\n"
#define P_attrib "attrib : int\n    A `cudaDevAttr...`.\n"
#define P_count "count : int\n    Bytes.\n"
#define P_depth "depth : int\n    Layers.\n"
#define P_descPtr "descPtr : int\n    Address of a ChannelFormatDescriptor.\n"
#define P_device "device : int\n    Number of the device.\n"
#define P_devPtr "devPtr : int\n    The address.\n"
#define P_dpitch "dpitch : int\n    Bytes from row to row of dst.\n"
#define P_dst "dst : int\n    Where to.\n"
#define P_dstDevice "dstDevice : int\n    Number of the device; -1 is the host.\n"
#define P_end "end : int\n    The later event.\n"
#define P_event "event : int\n    The event.\n"
#define P_flags "flags : int\n    Bits that the constants of this module name.\n"
#define P_graph "graph : int\n    The graph.\n"
#define P_graphExec "graphExec : int\n    The executable graph.\n"
#define P_handle "handle : bytes\n    What the other process got.\n"
#define P_height "height : int\n    Rows.\n"
#define P_hOffset "hOffset : int\n    Rows above the piece of the array.\n"
#define P_kind "kind : int\n    A `memcpy...`, the direction; `memcpyDefault` finds it out.\n"
#define P_limit "limit : int\n    A `cudaLimit...`.\n"
#define P_Memcpy3DParmsPtr "Memcpy3DParmsPtr : int\n    Address of a cudaMemcpy3DParms.\n"
#define P_mode "mode : int\n    A `streamCaptureMode...`.\n"
#define P_path "path : str\n    The file.\n"
#define P_pciBusId "pciBusId : str\n    Such as '0000:01:00.0'.\n"
#define P_peerDevice "peerDevice : int\n    Number of the other device.\n"
#define P_pool "pool : int\n    The pool.\n"
#define P_priority "priority : int\n    The lower, the sooner.\n"
#define P_ptr "ptr : int\n    The address.\n"
#define P_ResDescPtr "ResDescPtr : int\n    Address of a ResourceDescriptor.\n"
#define P_size "size : int\n    Bytes.\n"
#define P_spitch "spitch : int\n    Bytes from row to row of src.\n"
#define P_src "src : int\n    Where from.\n"
#define P_srcDevice "srcDevice : int\n    Number of the device.\n"
#define P_start "start : int\n    The earlier event.\n"
#define P_status "status : int\n    What a function of cudart returned.\n"
#define P_stream "stream : int\n    The stream; 0 is the default one.\n"
#define P_surfObject "surfObject : int\n    The surface object.\n"
#define P_TexDescPtr "TexDescPtr : int\n    Address of a TextureDescriptor.\n"
#define P_texObject "texObject : int\n    The texture object.\n"
#define P_value "value : int\n    The new value.\n"
#define P_width "width : int\n    Bytes of a row, or elements of an array.\n"
#define P_wOffset "wOffset : int\n    Bytes to the left of the piece of the array.\n"

/* Rows of the function tables: `described` are the parameters' words, `returns` is the result and
 * what it is. */
#define RETURNS(returns, summary) ")\n--\n\n" summary "\n\nReturns\n-------\n" returns
#define TAKES(described, returns, summary)                                                         \
    ")\n--\n\n" summary "\n\nParameters\n----------\n" described "\nReturns\n-------\n" returns
#define PLAIN(name, returns, summary)                                                              \
    {#name, name, METH_NOARGS, #name "(" RETURNS(returns, summary)}
#define ONE(name, parameter, described, returns, summary)                                          \
    {#name, name, METH_O, #name "(" parameter TAKES(described, returns, summary)}
#define MANY(name, function, parameters, described, returns, summary)                              \
    {#name, GNP_FAST(function), METH_FASTCALL | METH_KEYWORDS,                                     \
     #name "(" parameters TAKES(described, returns, summary)}

PyObject *gnp_release_texture(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
extern PyMethodDef gnp_runtime_device_functions[]; /* all end with a NULL name */
extern PyMethodDef gnp_runtime_memory_functions[];
extern PyMethodDef gnp_runtime_copy_functions[];
extern PyMethodDef gnp_runtime_stream_functions[];
extern PyMethodDef gnp_runtime_texture_functions[];
extern PyMethodDef gnp_runtime_graph_functions[];

#endif
