/* gpunp.cuda.Device: an ordinal, and the properties of a device. Constructing one does not open the
 * driver.
 *
 * An object is nothing but the number: two objects of one device are equal and hash alike. The
 * device is opened by the first method or attribute that needs it.
 */
#include "rt/internal.h"

#include <string.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD int id;
} DeviceObject;

static PyTypeObject *device_type;

static GnpDevice *
opened(PyObject *self)
{
    return gnp_device_get(((DeviceObject *)self)->id);
}

/* Whether such a device exists is not checked here: that would open the driver, which constructing
 * a Device must not do. */
static int
id_from_object(PyObject *object, int *out)
{
    if (object == NULL || object == Py_None) {
        *out = gnp_thread.device_id;
        return 0;
    }
    if (PyObject_TypeCheck(object, device_type)) {
        *out = ((DeviceObject *)object)->id;
        return 0;
    }
    PyObject *index = PyNumber_Index(object);
    if (index == NULL) {
        if (PyUnicode_Check(object)) {
            PyErr_Format(PyExc_TypeError, "a device is a number from 0 on, not %R", object);
        }
        return -1;
    }
    int overflow = 0;
    long value = PyLong_AsLongAndOverflow(index, &overflow);
    Py_DECREF(index);
    if (overflow != 0 || value < 0 || value > INT_MAX) {
        PyErr_Format(PyExc_ValueError, "a device is a number from 0 on, not %R", object);
        return -1;
    }
    *out = (int)value;
    return 0;
}

static PyObject *
make(PyTypeObject *type, int id)
{
    DeviceObject *self = (DeviceObject *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->id = id;
    }
    return (PyObject *)self;
}

PyObject *
gnp_device_object(int id)
{
    return make(device_type, id);
}

static PyObject *
device_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static GnpSignature sig = GNP_SIGNATURE("Device(device=None)");
    PyObject *values[GNP_MAX_PARAMS];
    int id = 0;
    if (gnp_args_bind_call(&sig, args, kwargs, values) < 0 || id_from_object(values[0], &id) < 0) {
        return NULL;
    }
    return make(type, id);
}

static void
device_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *
device_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<CUDA Device %d>", ((DeviceObject *)self)->id);
}

/* Also __index__: a Device serves wherever an ordinal is taken. */
static PyObject *
device_int(PyObject *self)
{
    return PyLong_FromLong(((DeviceObject *)self)->id);
}

/* An id is never -1, which would mean an error. */
static Py_hash_t
device_hash(PyObject *self)
{
    return ((DeviceObject *)self)->id;
}

static PyObject *
device_richcompare(PyObject *self, PyObject *other, int op)
{
    if (!PyObject_TypeCheck(other, device_type)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    Py_RETURN_RICHCOMPARE(((DeviceObject *)self)->id, ((DeviceObject *)other)->id, op);
}

/* ---- methods --------------------------------------------------------------------------------- */

static PyObject *
device_use(PyObject *self, PyObject *Py_UNUSED(noargs))
{
    if (gnp_device_set_current(((DeviceObject *)self)->id) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* The stack is per thread and of fixed size, so leaving a block cannot fail for lack of memory. */
static PyObject *
device_enter(PyObject *self, PyObject *Py_UNUSED(noargs))
{
    int before = gnp_thread.device_id;
    if (gnp_thread.depth == (int)sizeof gnp_thread.entered_from) {
        PyErr_SetString(PyExc_RuntimeError, "with Device(...): nested more than 64 deep");
        return NULL;
    }
    if (gnp_device_set_current(((DeviceObject *)self)->id) < 0) {
        return NULL;
    }
    gnp_thread.entered_from[gnp_thread.depth++] = (unsigned char)before;
    return Py_NewRef(self);
}

static PyObject *
device_exit(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(args))
{
    if (gnp_thread.depth == 0) {
        PyErr_SetString(PyExc_RuntimeError, "Device.__exit__ without __enter__");
        return NULL;
    }
    /* Only stored: leaving a `with` block does not open a device that was never used. */
    gnp_thread.device_id = gnp_thread.entered_from[--gnp_thread.depth];
    gnp_thread.device = NULL;
    Py_RETURN_NONE;
}

static PyObject *
device_synchronize(PyObject *self, PyObject *Py_UNUSED(noargs))
{
    GnpDevice *device = opened(self);
    if (device == NULL || gnp_wait_device(device) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* For the driver a handle is the ordinal. */
static PyObject *
device_from_pci_bus_id(PyObject *type, PyObject *text)
{
    int total = 0;
    CUdevice handle = 0;
    const char *bus_id = PyUnicode_AsUTF8(text);
    if (bus_id == NULL || gnp_device_count(&total) < 0) {
        return NULL;
    }
    CU_TRY(cuDeviceGetByPCIBusId(&handle, bus_id));
    return make((PyTypeObject *)type, handle);
fail:
    return NULL;
}

/* ---- attributes ------------------------------------------------------------------------------ */

static PyObject *
device_get_compute_capability(PyObject *self, void *Py_UNUSED(closure))
{
    GnpDevice *device = opened(self);
    if (device == NULL) {
        return NULL;
    }
    return PyUnicode_FromFormat("%d%d", device->cc_major, device->cc_minor);
}

/* What the driver has left: memory that our pools hold counts as used. */
static PyObject *
device_get_mem_info(PyObject *self, void *Py_UNUSED(closure))
{
    GnpDevice *device = opened(self);
    size_t available = 0, total = 0;
    if (device == NULL || gnp_device_enter(device) < 0) {
        return NULL;
    }
    CU_TRY(cuMemGetInfo_v2(&available, &total));
    return Py_BuildValue("(KK)", (unsigned long long)available, (unsigned long long)total);
fail:
    return NULL;
}

static PyObject *
device_get_pci_bus_id(PyObject *self, void *Py_UNUSED(closure))
{
    GnpDevice *device = opened(self);
    char text[32] = "";
    if (device == NULL) {
        return NULL;
    }
    CU_TRY(cuDeviceGetPCIBusId(text, (int)sizeof text, device->handle));
    return PyUnicode_FromString(text);
fail:
    return NULL;
}

static PyObject *
device_get_name(PyObject *self, void *Py_UNUSED(closure))
{
    GnpDevice *device = opened(self);
    char text[256] = "";
    if (device == NULL) {
        return NULL;
    }
    CU_TRY(cuDeviceGetName(text, (int)sizeof text, device->handle));
    return PyUnicode_FromString(text);
fail:
    return NULL;
}

/* MAX_THREADS_PER_BLOCK -> MaxThreadsPerBlock, as cudart names its attributes; and the names that
 * differ in cudart. In the driver's naming a digit does not end a word ("TEXTURE2D_WIDTH"), in
 * cudart's it does: after a digit the next letter is upper case. */
static PyObject *
runtime_attribute_name(int number, const char *name)
{
    static const struct {
        int number;
        const char *name;
    } others[] = {
        {16, "MultiProcessorCount"},
        {39, "MaxThreadsPerMultiProcessor"},
        {47, "MaxTexture3DWidthAlt"},
        {48, "MaxTexture3DHeightAlt"},
        {49, "MaxTexture3DDepthAlt"},
        {52, "MaxTextureCubemapWidth"},
        {53, "MaxTextureCubemapLayeredWidth"},
        {54, "MaxTextureCubemapLayeredLayers"},
        {66, "MaxSurfaceCubemapWidth"},
        {67, "MaxSurfaceCubemapLayeredWidth"},
        {68, "MaxSurfaceCubemapLayeredLayers"},
        {84, "IsMultiGpuBoard"},
        {85, "MultiGpuBoardGroupID"},
        {113, "HostRegisterReadOnlySupported"},
        {116, "GPUDirectRDMASupported"},
        {117, "GPUDirectRDMAFlushWritesOptions"},
        {118, "GPUDirectRDMAWritesOrdering"},
        {119, "MemoryPoolSupportedHandleTypes"},
        {125, "IpcEventSupport"},
    };
    char text[128];
    size_t n = 0;
    int upper = 1;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (others[i].number == number) {
            return PyUnicode_FromString(others[i].name);
        }
    }
    if (strncmp(name, "MAXIMUM_", 8) == 0) {
        memcpy(text, "Max", n = 3);
        name += 8;
    }
    for (; *name != '\0' && n < sizeof text; name++) {
        if (*name == '_') {
            upper = 1;
        }
        else {
            text[n++] = upper ? *name : (char)Py_TOLOWER(*name);
            upper = *name >= '0' && *name <= '9';
        }
    }
    return PyUnicode_FromStringAndSize(text, (Py_ssize_t)n);
}

static PyObject *
device_get_attributes(PyObject *self, void *Py_UNUSED(closure))
{
    static const struct {
        int number;
        const char *name;
    } rows[] = {
#define CUDA_ATTRIBUTE(number, name, emulated) {number, #name},
#include "tables/cuda_attributes.def"
    };
    PyObject *dict = NULL, *key = NULL, *value = NULL; /* owned */
    GnpDevice *device = opened(self);
    if (device == NULL) {
        return NULL;
    }
    GNP_NEW(dict, PyDict_New());
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int number = 0;
        CUresult code = gnp_cu->cuDeviceGetAttribute(&number, rows[i].number, device->handle);
        if (code != 0 && code != CUDA_ERROR_INVALID_VALUE && code != CUDA_ERROR_NOT_SUPPORTED) {
            gnp_cuda_raise(code, "cuDeviceGetAttribute", "Device.attributes");
            goto fail;
        }
        /* An attribute newer than the driver is not an error but absent. */
        if (code == 0) {
            GNP_NEW(key, runtime_attribute_name(rows[i].number, rows[i].name));
            GNP_NEW(value, PyLong_FromLong(number));
            GNP_TRY(PyDict_SetItem(dict, key, value));
            Py_CLEAR(key);
            Py_CLEAR(value);
        }
    }
    return dict;
fail:
    Py_XDECREF(dict);
    Py_XDECREF(key);
    Py_XDECREF(value);
    return NULL;
}

/* ---- the type -------------------------------------------------------------------------------- */

static PyMethodDef device_methods[] = {
    {"use", device_use, METH_NOARGS,
     "use()\n--\n\n"
     "Make this the current device of the thread.\n\n"
     "Returns\n-------\n"
     "None"},
    {"synchronize", device_synchronize, METH_NOARGS,
     "synchronize()\n--\n\n"
     "Wait until all work on the device is complete.\n\n"
     "Returns\n-------\n"
     "None"},
    {"__enter__", device_enter, METH_NOARGS, NULL},
    {"__exit__", device_exit, METH_VARARGS, NULL},
    {"from_pci_bus_id", device_from_pci_bus_id, METH_O | METH_CLASS,
     "from_pci_bus_id(pci_bus_id)\n--\n\n"
     "Return the device with a PCI address such as '0000:01:00.0'.\n\n"
     "Parameters\n----------\n"
     "pci_bus_id : str\n    Domain, bus, device and function.\n\n"
     "Returns\n-------\n"
     "Device\n    Device with this address."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef device_getset[] = {
    {"compute_capability", device_get_compute_capability, NULL,
     "Compute capability as a string such as '90'.", NULL},
    {"mem_info", device_get_mem_info, NULL, "Free and total memory of the device in bytes.", NULL},
    {"pci_bus_id", device_get_pci_bus_id, NULL, "PCI address as a string.", NULL},
    {"name", device_get_name, NULL, "Name of the product.", NULL},
    {"attributes", device_get_attributes, NULL,
     "Attributes of the device by their names in cudart.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef device_members[] = {
    {"id", T_INT, offsetof(DeviceObject, id), READONLY, "Ordinal of the device."},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot device_slots[] = {
    {Py_tp_doc, GNP_DOC("Device(device=None)\n--\n\n"
                        "CUDA device; without an argument the thread's current one.\n\n"
                        "Used as a context manager, it is the current device within the block.\n\n"
                        "Parameters\n----------\n"
                        "device : int or Device, optional\n    Ordinal of the device. By default "
                        "the current one.")},
    {Py_tp_new, device_new},
    {Py_tp_dealloc, device_dealloc},
    {Py_tp_repr, device_repr},
    {Py_tp_hash, device_hash},
    {Py_tp_richcompare, device_richcompare},
    {Py_tp_methods, device_methods},
    {Py_tp_getset, device_getset},
    {Py_tp_members, device_members},
    {Py_nb_int, device_int},
    {Py_nb_index, device_int},
    {0, NULL},
};

static PyType_Spec device_spec = {
    .name = "gpunp.cuda.Device",
    .basicsize = sizeof(DeviceObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = device_slots,
};

static PyObject *
get_device_id(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    return PyLong_FromLong(gnp_thread.device_id);
}

static PyObject *
is_emulated(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    int total = 0;
    if (gnp_device_count(&total) < 0) {
        return NULL;
    }
    return PyBool_FromLong(gnp_cuda_driver()->emulated);
}

/* _warn(message, category): for the Python modules. */
static PyObject *
warn(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    if (nargs != 2) {
        PyErr_SetString(PyExc_TypeError, "_warn takes a message and a category");
        return NULL;
    }
    if (gnp_warn(args[1], "%S", args[0]) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"_warn", GNP_FAST(warn), METH_FASTCALL, "Warn at the line outside this package."},
    {"get_device_id", get_device_id, METH_NOARGS,
     "get_device_id()\n--\n\n"
     "Return the ordinal of the thread's current device.\n\n"
     "Returns\n-------\n"
     "int\n    Ordinal, as in `Device.id`."},
    {"is_emulated", is_emulated, METH_NOARGS,
     "is_emulated()\n--\n\n"
     "Return whether the emulated device is in use instead of a GPU.\n\n"
     "Returns\n-------\n"
     "bool\n    False on a GPU."},
    {NULL, NULL, 0, NULL},
};

int
gnp_device_init(PyObject *module)
{
    PyObject *warning = PyErr_NewExceptionWithDoc(
        "gpunp.exceptions.EmulatedDeviceWarning",
        "No GPU can be used, and the emulated device answers instead.\n\n"
        "Given once a process, by the first operation; `python -m gpunp` says what was looked "
        "for.",
        PyExc_RuntimeWarning, NULL); /* owned by the state */
    if (warning == NULL) {
        return -1;
    }
    Py_XSETREF(gnp_state.EmulatedDeviceWarning, warning);
    if (PyModule_AddObjectRef(module, "EmulatedDeviceWarning", warning) < 0) {
        return -1;
    }
    device_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &device_spec, NULL);
    if (device_type == NULL || PyModule_AddType(module, device_type) < 0) {
        return -1;
    }
    const char *ptds = gnp_env(GNP_ENV_PTDS);
    gnp_default_stream = ptds[0] != '\0' && ptds[0] != '0' ? CU_STREAM_PER_THREAD : NULL;
    return PyModule_AddFunctions(module, functions);
}
