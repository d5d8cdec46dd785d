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
#define RT_TRY_WAIT(call)                                                                          \
    do {                                                                                           \
        GNP_TRY(gnp_context_wait_ready());                                                         \
        RT_TRY_BY(CU_WAIT, call, #call);                                                           \
    } while (0)
#define RT_TRY_QUEUE(call) RT_TRY_BY(CU_QUEUE, call, #call)
/* Work for a stream: waits here for room in its queue, where Ctrl-C is handled (queue.c). */
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
#define BIND_OR_RETURN(text)                                                                       \
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

/* Descriptions of parameters, by name. */
#define P_advice "advice : int\n    Advice, one of the constants `cudaMemAdvise...`.\n"
#define P_attr "attr : int\n    Attribute, one of the constants `cudaMemPoolAttr...`.\n"
#define P_attrib "attrib : int\n    Attribute, one of the constants `cudaDevAttr...`.\n"
#define P_count "count : int\n    Size of the memory in bytes.\n"
#define P_depth "depth : int\n    Number of layers, or 0.\n"
#define P_descPtr "descPtr : int\n    Address of a ChannelFormatDescriptor.\n"
#define P_device "device : int\n    Ordinal of the device in question.\n"
#define P_devPtr "devPtr : int\n    Address in device memory.\n"
#define P_dpitch "dpitch : int\n    Distance between rows of dst in bytes.\n"
#define P_dst "dst : int\n    Address of the destination.\n"
#define P_dstDevice "dstDevice : int\n    Ordinal of the destination; -1 is the host.\n"
#define P_end "end : int\n    Handle of the later event.\n"
#define P_event "event : int\n    Handle of the event.\n"
#define P_flags "flags : int\n    Combination of the flags that are constants of this module.\n"
#define P_graph "graph : int\n    Handle of the graph.\n"
#define P_graphExec "graphExec : int\n    Handle of the executable graph.\n"
#define P_handle "handle : bytes\n    Handle made by the other process.\n"
#define P_height "height : int\n    Number of rows to copy, or of the array.\n"
#define P_hOffset "hOffset : int\n    Row of the array at which the copy starts.\n"
#define P_kind                                                                                     \
    "kind : int\n    Direction, one of the constants `memcpy...`; `memcpyDefault` infers it from " \
    "the addresses.\n"
#define P_limit "limit : int\n    Limit, one of the constants `cudaLimit...`.\n"
#define P_Memcpy3DParmsPtr "Memcpy3DParmsPtr : int\n    Address of a cudaMemcpy3DParms.\n"
#define P_mode "mode : int\n    Mode, one of the constants `streamCaptureMode...`.\n"
#define P_path "path : str\n    Path of the file to write.\n"
#define P_pciBusId "pciBusId : str\n    Address such as '0000:01:00.0'.\n"
#define P_peerDevice "peerDevice : int\n    Ordinal of the other device.\n"
#define P_pool "pool : int\n    Handle of the memory pool.\n"
#define P_priority "priority : int\n    Priority of the stream; lower numbers are more urgent.\n"
#define P_ptr "ptr : int\n    Address in host or device memory.\n"
#define P_ResDescPtr "ResDescPtr : int\n    Address of a ResourceDescriptor.\n"
#define P_size "size : int\n    Size of the memory in bytes.\n"
#define P_spitch "spitch : int\n    Distance between rows of src in bytes.\n"
#define P_src "src : int\n    Address of the source.\n"
#define P_srcDevice "srcDevice : int\n    Ordinal of the source device.\n"
#define P_start "start : int\n    Handle of the earlier event.\n"
#define P_status "status : int\n    Status returned by a function of cudart.\n"
#define P_stream "stream : int\n    Handle of the stream; 0 is the default stream.\n"
#define P_surfObject "surfObject : int\n    Handle of the surface object.\n"
#define P_TexDescPtr "TexDescPtr : int\n    Address of a TextureDescriptor.\n"
#define P_texObject "texObject : int\n    Handle of the texture object.\n"
#define P_value "value : int\n    Value that is set.\n"
#define P_width "width : int\n    Width in bytes of the rows, or in elements of an array.\n"
#define P_wOffset                                                                                  \
    "wOffset : int\n    Offset in bytes in a row of the array at which the copy starts.\n"

/* Rows of the function tables: `described` is the Parameters section, `returns` the entry of the
 * Returns section. */
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
