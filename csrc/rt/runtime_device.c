/* gpunp.cuda.runtime: devices, their limits and peers, versions, the profiler.
 *
 * Functions about devices do not make the named device current; only setDevice does. Entries that
 * older drivers lack are NULL in the table and are skipped (profiler).
 */
#include "rt/runtime.h"

#include <string.h>

static PyObject *
getDeviceCount(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    int count = 0;
    return gnp_device_count(&count) < 0 ? NULL : PyLong_FromLong(count);
}

static PyObject *
getDevice(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    return PyLong_FromLong(gnp_thread.device_id);
}

static PyObject *
setDevice(PyObject *Py_UNUSED(module), PyObject *number)
{
    int id = 0;
    if (gnp_int_from_object(number, "device", &id) < 0 || gnp_device_set_current(id) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
deviceSynchronize(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    GnpDevice *device = gnp_device_current();
    if (device == NULL || gnp_wait_device(device) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
deviceGetAttribute(PARAMS)
{
    uint64_t n[2] = {0};
    int value = 0;
    BIND_OR_RETURN("deviceGetAttribute(attrib: int, device: int)")
    RT_TRY(cuDeviceGetAttribute(&value, (int)n[0], (CUdevice)n[1]));
    return PyLong_FromLong(value);
fail:
    return NULL;
}

static PyObject *
deviceName(PARAMS)
{
    uint64_t n[1] = {0};
    char text[256] = "";
    BIND_OR_RETURN("_deviceName(device: int)")
    RT_TRY(cuDeviceGetName(text, (int)sizeof text, (CUdevice)n[0]));
    return PyBytes_FromString(text);
fail:
    return NULL;
}

static PyObject *
deviceUuid(PARAMS)
{
    uint64_t n[1] = {0};
    CUuuid uuid = {{0}};
    BIND_OR_RETURN("_deviceUuid(device: int)")
    RT_TRY(cuDeviceGetUuid_v2(&uuid, (CUdevice)n[0]));
    return PyBytes_FromStringAndSize(uuid.bytes, sizeof uuid.bytes);
fail:
    return NULL;
}

static PyObject *
deviceTotalMem(PARAMS)
{
    uint64_t n[1] = {0};
    size_t bytes = 0;
    BIND_OR_RETURN("_deviceTotalMem(device: int)")
    RT_TRY(cuDeviceTotalMem_v2(&bytes, (CUdevice)n[0]));
    return PyLong_FromSize_t(bytes);
fail:
    return NULL;
}

static PyObject *
deviceGetPCIBusId(PARAMS)
{
    uint64_t n[1] = {0};
    char text[32] = "";
    BIND_OR_RETURN("deviceGetPCIBusId(device: int)")
    RT_TRY(cuDeviceGetPCIBusId(text, (int)sizeof text, (CUdevice)n[0]));
    return PyUnicode_FromString(text);
fail:
    return NULL;
}

static PyObject *
deviceGetByPCIBusId(PyObject *Py_UNUSED(module), PyObject *text)
{
    CUdevice handle = 0;
    int count = 0;
    const char *bus_id = PyUnicode_AsUTF8(text);
    if (bus_id == NULL || gnp_device_count(&count) < 0) {
        return NULL;
    }
    RT_TRY(cuDeviceGetByPCIBusId(&handle, bus_id));
    return PyLong_FromLong(handle);
fail:
    return NULL;
}

static PyObject *
deviceCanAccessPeer(PARAMS)
{
    uint64_t n[2] = {0};
    int can = 0;
    BIND_OR_RETURN("deviceCanAccessPeer(device: int, peerDevice: int)")
    RT_TRY(cuDeviceCanAccessPeer(&can, (CUdevice)n[0], (CUdevice)n[1]));
    return PyLong_FromLong(can);
fail:
    return NULL;
}

static PyObject *
deviceEnablePeerAccess(PARAMS)
{
    uint64_t n[1] = {0};
    BIND_OR_RETURN("deviceEnablePeerAccess(peerDevice: int)")
    GnpDevice *peer = gnp_device_get((int)n[0]);
    if (peer == NULL) {
        return NULL;
    }
    CUresult code = gnp_peer_ask(device, peer);
    if (code != 0) {
        gnp_runtime_raise(code, "deviceEnablePeerAccess");
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
deviceDisablePeerAccess(PARAMS)
{
    uint64_t n[1] = {0};
    BIND_OR_RETURN("deviceDisablePeerAccess(peerDevice: int)")
    GnpDevice *peer = gnp_device_get((int)n[0]);
    if (peer == NULL) {
        return NULL;
    }
    CUresult code = gnp_peer_give_up(device, peer);
    if (code != 0) {
        gnp_runtime_raise(code, "deviceDisablePeerAccess");
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
deviceGetLimit(PARAMS)
{
    uint64_t n[1] = {0};
    size_t value = 0;
    BIND_OR_RETURN("deviceGetLimit(limit: int)")
    RT_TRY(cuCtxGetLimit(&value, (int)n[0]));
    return PyLong_FromSize_t(value);
fail:
    return NULL;
}

static PyObject *
deviceSetLimit(PARAMS)
{
    uint64_t n[2] = {0};
    BIND_OR_RETURN("deviceSetLimit(limit: int, value)")
    RT_TRY_WAIT(cuCtxSetLimit((int)n[0], n[1]));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
driverGetVersion(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    int count = 0;
    return gnp_device_count(&count) < 0 ? NULL : PyLong_FromLong(gnp_cuda_driver()->driver_version);
}

/* The toolkit whose compiler is used: NVRTC's version stands for cudart's, which is not opened. */
static PyObject *
runtimeGetVersion(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    const GnpNvrtc *nvrtc = NULL;
    GNP_NOGIL(nvrtc = gnp_cuda_nvrtc());
    if (nvrtc == NULL) {
        gnp_error_raise_text(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND",
                             gnp_cuda_error_text());
        return NULL;
    }
    return PyLong_FromLong(nvrtc->major * 1000 + nvrtc->minor * 10);
}

/* Without a profiler the driver does nothing; a driver without the entry is treated alike. */
static PyObject *
profilerStart(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    if (gnp_device_current() == NULL) {
        return NULL;
    }
    if (gnp_cu->cuProfilerStart != NULL) {
        RT_TRY(cuProfilerStart());
    }
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
profilerStop(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    if (gnp_device_current() == NULL) {
        return NULL;
    }
    if (gnp_cu->cuProfilerStop != NULL) {
        RT_TRY(cuProfilerStop());
    }
    Py_RETURN_NONE;
fail:
    return NULL;
}

PyMethodDef gnp_runtime_device_functions[] = {
    PLAIN(getDeviceCount, "int\n    Number of devices.", "Return the number of devices."),
    PLAIN(getDevice, "int\n    Ordinal of the device.", "Return the thread's current device."),
    ONE(setDevice, "device", P_device, "None", "Make a device the thread's current one."),
    PLAIN(deviceSynchronize, "None", "Wait until all work on the current device is complete."),
    MANY(deviceGetAttribute, deviceGetAttribute, "attrib, device", P_attrib P_device,
         "int\n    Value of it.", "Return an attribute of a device."),
    {"_deviceName", GNP_FAST(deviceName), METH_FASTCALL | METH_KEYWORDS, NULL},
    {"_deviceUuid", GNP_FAST(deviceUuid), METH_FASTCALL | METH_KEYWORDS, NULL},
    {"_deviceTotalMem", GNP_FAST(deviceTotalMem), METH_FASTCALL | METH_KEYWORDS, NULL},
    MANY(deviceGetPCIBusId, deviceGetPCIBusId, "device", P_device,
         "str\n    Address such as '0000:01:00.0'.", "Return the PCI address of a device."),
    ONE(deviceGetByPCIBusId, "pciBusId", P_pciBusId, "int\n    Ordinal of the device.",
        "Return the device with a PCI address."),
    MANY(deviceCanAccessPeer, deviceCanAccessPeer, "device, peerDevice", P_device P_peerDevice,
         "int\n    1 if it can, otherwise 0.",
         "Return whether a device can access the memory of another."),
    MANY(deviceEnablePeerAccess, deviceEnablePeerAccess, "peerDevice", P_peerDevice, "None",
         "Enable the current device to access the memory of another."),
    MANY(deviceDisablePeerAccess, deviceDisablePeerAccess, "peerDevice", P_peerDevice, "None",
         "Disable access that deviceEnablePeerAccess enabled."),
    MANY(deviceGetLimit, deviceGetLimit, "limit", P_limit, "int\n    Value of it.",
         "Return a limit of the current device, such as the stack size of a thread."),
    MANY(deviceSetLimit, deviceSetLimit, "limit, value", P_limit P_value, "None",
         "Set a limit of the current device."),
    PLAIN(driverGetVersion, "int\n    1000 times the major plus 10 times the minor version.",
          "Return the latest CUDA version that the driver supports."),
    PLAIN(runtimeGetVersion, "int\n    1000 times the major plus 10 times the minor version.",
          "Return the CUDA version of the compiler in use; cudart itself is not used."),
    PLAIN(profilerStart, "None", "Start recording in the attached profiler."),
    PLAIN(profilerStop, "None", "Stop recording in the attached profiler."),
    {NULL, NULL, 0, NULL},
};
