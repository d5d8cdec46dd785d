/* gpunp.cuda.Module and gpunp.cuda.Function: an image on one device, and a kernel in it.
 *
 * Creating, loading and querying call the driver without the GIL (CU_TRY_WAIT), since it may wait
 * for the device; launches keep it. A Function holds what it was made from, so it may outlive its
 * Module.
 */
#include "user/function.h"

#include <limits.h>

PyTypeObject *gnp_module_type, *gnp_function_type; /* owned, for the life of the process */

/* ---- modules --------------------------------------------------------------------------------- */

/* Steals the reference to `module`, which is released on failure too. The device is not counted:
 * devices live as long as the process. */
PyObject *
gnp_user_module(GnpModule *module, GnpDevice *device)
{
    GnpModuleObject *self = (GnpModuleObject *)gnp_module_type->tp_alloc(gnp_module_type, 0);
    if (self == NULL) {
        gnp_module_release(module);
        return NULL;
    }
    self->module = module;
    self->device = device;
    return (PyObject *)self;
}

/* Releasing drops the last reference only when no Function uses the image; unloading waits for
 * the device, without the GIL. */
static void
module_dealloc(PyObject *object)
{
    GnpModuleObject *self = (GnpModuleObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    gnp_module_release(self->module);
    type->tp_free(object);
    Py_DECREF(type);
}

/* -1 with an exception when nothing was loaded. */
static int
check_loaded(const GnpModuleObject *self)
{
    if (self->module == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "the module is empty: call load or load_file first");
        return -1;
    }
    return 0;
}

/* What was loaded before goes last: unloading gives up the GIL, and the module has to be complete
 * by then. */
static PyObject *
load_into(GnpModuleObject *self, const void *image, size_t bytes, const char *name)
{
    GnpDevice *device = gnp_device_current();
    GnpModule *module = device == NULL ? NULL : gnp_module_load(image, bytes, name);
    if (module == NULL) {
        return NULL;
    }
    GnpModule *before = self->module;
    self->module = module;
    self->device = device;
    gnp_module_release(before); /* other threads run meanwhile */
    Py_RETURN_NONE;
}

/* The image may be text, PTX, or any bytes-like object. */
static PyObject *
module_load(PyObject *object, PyObject *image)
{
    Py_buffer buffer;
    /* PTX needs the NUL that a bytes object has behind its end. */
    PyObject *bytes = PyUnicode_Check(image) ? PyUnicode_AsUTF8String(image)
                      : PyBytes_Check(image) ? Py_NewRef(image)
                                             : PyBytes_FromObject(image); /* owned */
    if (bytes == NULL || PyObject_GetBuffer(bytes, &buffer, PyBUF_SIMPLE) < 0) {
        Py_XDECREF(bytes);
        return NULL;
    }
    PyObject *ret = load_into((GnpModuleObject *)object, buffer.buf, (size_t)buffer.len, "image");
    PyBuffer_Release(&buffer);
    Py_DECREF(bytes);
    return ret;
}

/* Reads by Python's io.open, which honours path-like objects, audit hooks and its own error
 * messages. The file is closed explicitly, so that errors of closing are raised. */
PyObject *
gnp_read_file(PyObject *path)
{
    PyObject *io = NULL, *file = NULL, *bytes = NULL; /* owned, the last returned */
    GNP_NEW(io, PyImport_ImportModule("io"));
    GNP_NEW(file, PyObject_CallMethod(io, "open", "Os", path, "rb"));
    bytes = PyObject_CallMethod(file, "read", NULL);
    PyObject *closed = PyObject_CallMethod(file, "close", NULL); /* owned */
    if (closed == NULL) {
        Py_CLEAR(bytes);
    }
    Py_XDECREF(closed);
fail:
    Py_XDECREF(io);
    Py_XDECREF(file);
    return bytes;
}

/* A path-like object becomes a str or bytes first, so that its own errors come first. */
static PyObject *
module_load_file(PyObject *object, PyObject *filename)
{
    PyObject *path = NULL, *bytes = NULL, *ret = NULL; /* owned, the last returned */
    GNP_NEW(path, PyOS_FSPath(filename));
    GNP_NEW(bytes, gnp_read_file(path));
    ret = module_load(object, bytes);
fail:
    Py_XDECREF(path);
    Py_XDECREF(bytes);
    return ret;
}

/* A Function holds its own reference to the image, so it stays valid when the Module loads
 * another. */
static PyObject *
module_get_function(PyObject *object, PyObject *name)
{
    return (PyObject *)gnp_user_function((GnpModuleObject *)object, name);
}

/* (address, bytes); gpunp.cuda.function makes a MemoryPointer of it. */
static PyObject *
module_global(PyObject *object, PyObject *name)
{
    GnpModuleObject *self = (GnpModuleObject *)object;
    CUdeviceptr ptr = 0;
    size_t bytes = 0;
    const char *text = PyUnicode_AsUTF8(name);
    if (text == NULL || check_loaded(self) < 0) {
        return NULL;
    }
    /* Another thread may load another image meanwhile. */
    GnpModule *module = gnp_module_retain(self->module);
    int status = gnp_module_global(module, text, &ptr, &bytes);
    gnp_module_release(module);
    if (status < 0) {
        return NULL;
    }
    return Py_BuildValue("(KK)", (unsigned long long)ptr, (unsigned long long)bytes);
}

/* The mangled symbol of a C++ name expression, or the name itself where the image has it as it
 * is. */
static PyObject *
module_symbol(PyObject *object, PyObject *name)
{
    GnpModuleObject *self = (GnpModuleObject *)object;
    const char *text = PyUnicode_AsUTF8(name);
    if (text == NULL || check_loaded(self) < 0) {
        return NULL;
    }
    /* NULL for names that were no expressions. */
    const char *symbol = gnp_module_symbol(self->module, text);
    return PyUnicode_FromString(symbol != NULL ? symbol : text);
}

/* CuPy's form, without the size. */
static PyObject *
module_get_global_var(PyObject *object, PyObject *name)
{
    PyObject *pair = module_global(object, name); /* owned */
    PyObject *ret = pair == NULL ? NULL : Py_NewRef(PyTuple_GET_ITEM(pair, 0));
    Py_XDECREF(pair);
    return ret;
}

/* Symbols of C++ are mangled; this has those of the name expressions given to the compiler. */
static PyObject *
module_get_mapping(PyObject *object, void *Py_UNUSED(closure))
{
    const GnpModuleObject *self = (const GnpModuleObject *)object;
    PyObject *dict = PyDict_New(); /* returned */
    const char *name, *symbol;
    for (int i = 0;
         dict != NULL && self->module != NULL && gnp_module_name(self->module, i, &name, &symbol);
         i++) {
        PyObject *value = PyUnicode_FromString(symbol); /* owned */
        if (value == NULL || PyDict_SetItemString(dict, name, value) < 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(value);
    }
    return dict;
}

/* The driver's CUmodule as an int; 0 while nothing is loaded, as in CuPy. */
static PyObject *
module_get_ptr(PyObject *object, void *Py_UNUSED(closure))
{
    const GnpModuleObject *self = (const GnpModuleObject *)object;
    return PyLong_FromVoidPtr(self->module != NULL ? (void *)gnp_module_handle(self->module)
                                                   : NULL);
}

static PyMethodDef module_methods[] = {
    {"load", module_load, METH_O,
     "load($self, cubin, /)\n--\n\n"
     "Load an image: a cubin, a fat binary, or PTX.\n\n"
     "Parameters\n----------\n"
     "cubin : bytes\n    Contents of the image.\n\n"
     "Returns\n-------\n"
     "None"},
    {"load_file", module_load_file, METH_O,
     "load_file($self, filename, /)\n--\n\n"
     "Load an image from a file.\n\n"
     "Parameters\n----------\n"
     "filename : str\n    Path of the file.\n\n"
     "Returns\n-------\n"
     "None"},
    {"get_function", module_get_function, METH_O,
     "get_function($self, name, /)\n--\n\n"
     "Return the kernel with a name, or a name expression.\n\n"
     "Parameters\n----------\n"
     "name : str\n    Name in the image, or a name expression.\n\n"
     "Returns\n-------\n"
     "cuda.Function\n    The kernel."},
    {"get_global_var", module_get_global_var, METH_O,
     "get_global_var($self, name, /)\n--\n\n"
     "Return the address of a global or constant variable, as an int.\n\n"
     "Parameters\n----------\n"
     "name : str\n    Name in the image, or a name expression.\n\n"
     "Returns\n-------\n"
     "int\n    Address, which is valid while the module is loaded."},
    {"_global", module_global, METH_O, NULL},
    {"_symbol", module_symbol, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef module_getset[] = {
    {"ptr", module_get_ptr, NULL, "Handle of the driver, as an int.", NULL},
    {"mapping", module_get_mapping, NULL, "Symbols by name expression.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot module_slots[] = {
    {Py_tp_doc,
     GNP_DOC("Module()\n--\n\nKernels and variables of an image, loaded on one device.")},
    {Py_tp_dealloc, module_dealloc},
    {Py_tp_methods, module_methods},
    {Py_tp_getset, module_getset},
    {0, NULL},
};

static PyType_Spec module_spec = {
    .name = "gpunp.cuda.Module",
    .basicsize = sizeof(GnpModuleObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = module_slots,
};

/* ---- functions ------------------------------------------------------------------------------- */

/* One more parameter: 1, 0 behind the last, -1 with an exception. CUDA_ERROR_INVALID_VALUE is the
 * driver's way to say that there is none of that number; every other error is one. If we counted
 * too few, the kernel would read beyond the arguments of a launch, so the end is accepted only if
 * the driver answers another query about the function, and then gives the same result again. */
static int
read_parameter(GnpFunctionObject *self, int n)
{
    const CUfunction f = self->kernel.function;
    size_t offset = 0, bytes = 0;
    CUresult code = 0;
    int registers = 0;
    CU_WAIT(code, cuFuncGetParamInfo(f, (size_t)n, &offset, &bytes));
    if (code == CUDA_ERROR_INVALID_VALUE) {
        CU_TRY_WAIT(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
        CU_WAIT(code, cuFuncGetParamInfo(f, (size_t)n, &offset, &bytes));
    }
    if (code == CUDA_ERROR_INVALID_VALUE) {
        return 0;
    }
    if (code != 0) {
        gnp_cuda_raise(code, "cuFuncGetParamInfo", __func__);
        goto fail;
    }
    void *grown = PyMem_Realloc(self->parameter, ((size_t)n + 1) * sizeof *self->parameter);
    if (grown == NULL) {
        PyErr_NoMemory();
        goto fail;
    }
    self->parameter = grown;
    self->parameter[n] = (GnpParameter){.offset = offset, .bytes = bytes};
    return 1;
fail:
    return -1;
}

/* Sizes of the parameters, so that a launch can be checked against them. */
static int
read_parameters(GnpFunctionObject *self)
{
    int n = 0, more = 1;
    /* Drivers before CUDA 12.4 have no cuFuncGetParamInfo: then sizes are not compared. */
    self->nparameters = -1;
    if (gnp_cu->waits.cuFuncGetParamInfo == NULL) {
        return 0;
    }
    while ((more = read_parameter(self, n)) > 0) {
        n++;
    }
    self->nparameters = n;
    return more;
}

/* The limits that each launch is checked against, cached so that a launch does not query the
 * driver. The driver computes them for the function from its registers and shared memory. */
static int
read_limits(GnpFunctionObject *self)
{
    CUfunction f = self->kernel.function;
    CU_TRY_WAIT(
        cuFuncGetAttribute(&self->kernel.max_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
    CU_TRY_WAIT(cuFuncGetAttribute(&self->kernel.registers, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
    CU_TRY_WAIT(cuFuncGetAttribute(&self->static_shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f));
    CU_TRY_WAIT(cuFuncGetAttribute(&self->dynamic_shared,
                                   CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f));
    return 0;
fail:
    return -1;
}

/* The same text as an object that is never freed: errors name the last kernel a thread launched,
 * which may have been deallocated. Interned in gnp_state, so equal names share one object and
 * the table grows by distinct names only. */
static PyObject *
lasting_name(PyObject *name)
{
    if (gnp_state.kernel_names == NULL && (gnp_state.kernel_names = PyDict_New()) == NULL) {
        return NULL;
    }
    return Py_XNewRef(PyDict_SetDefault(gnp_state.kernel_names, name, name));
}

/* Makes a Function; `device` is borrowed, since devices are never freed. The kernel struct lies
 * in the object, as each launch passes its address to rt/. */
GnpFunctionObject *
gnp_user_function(GnpModuleObject *module, PyObject *name)
{
    GnpFunctionObject *self = NULL; /* owned */
    const char *text = PyUnicode_AsUTF8(name);
    if (text == NULL || check_loaded(module) < 0) {
        return NULL;
    }
    GNP_NEW(self, (GnpFunctionObject *)gnp_function_type->tp_alloc(gnp_function_type, 0));
    self->module = Py_NewRef((PyObject *)module);
    /* The image of this moment: the Module may load another one later. */
    self->loaded = gnp_module_retain(module->module);
    GNP_NEW(self->name, lasting_name(name));
    self->device = module->device;
    self->kernel.device_id = module->device->id;
    self->kernel.name = PyUnicode_AsUTF8(self->name);
    /* Raises for a wrong name; what follows only reads. */
    GNP_TRY(gnp_module_function(self->loaded, text, &self->kernel.function));
    GNP_TRY(read_limits(self));
    GNP_TRY(read_parameters(self));
    return self;
fail:
    Py_XDECREF((PyObject *)self);
    return NULL;
}

/* A kernel of a subclass is a plain Function, too: `type` is not used. */
static PyObject *
function_new(PyTypeObject *Py_UNUSED(type), PyObject *args, PyObject *kwargs)
{
    static GnpSignature sig = GNP_SIGNATURE("Function(module, funcname)");
    PyObject *given[2];
    if (gnp_args_bind_call(&sig, args, kwargs, given) < 0) {
        return NULL;
    }
    if (!PyObject_TypeCheck(given[0], gnp_module_type)) {
        PyErr_Format(PyExc_TypeError, "module must be a gpunp.cuda.Module, not %.100s",
                     Py_TYPE(given[0])->tp_name);
        return NULL;
    }
    return (PyObject *)gnp_user_function((GnpModuleObject *)given[0], given[1]);
}

/* The image is unloaded here if this is the last reference to it. */
static void
function_dealloc(PyObject *object)
{
    GnpFunctionObject *self = (GnpFunctionObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    gnp_module_release(self->loaded);
    Py_XDECREF(self->module);
    Py_XDECREF(self->name);
    Py_XDECREF(self->source);
    PyMem_Free(self->parameter);
    type->tp_free(object);
    Py_DECREF(type);
}

/* ---- launching ------------------------------------------------------------------------------- */

/* Up to three sizes from an int, a tuple or a list. Sizes that are not given are 1, and so are
 * those of zero: programs for CuPy compute sizes from the lengths of arrays, which may be empty,
 * and their kernels compare the thread's index with the length. Objects with __index__ are
 * accepted, such as NumPy integers. */
static int
read_sizes(const GnpFunctionObject *f, PyObject *object, const char *what, unsigned out[3])
{
    PyObject *const *item = &object;
    Py_ssize_t n = 1;
    if (PyList_Check(object)) {
        /* A tuple of its own: an __index__ may change the list. */
        PyObject *fixed = PyList_AsTuple(object); /* owned */
        int status = fixed != NULL ? read_sizes(f, fixed, what, out) : -1;
        Py_XDECREF(fixed);
        return status;
    }
    out[0] = out[1] = out[2] = 1;
    if (PyTuple_Check(object)) {
        item = PySequence_Fast_ITEMS(object);
        n = PySequence_Fast_GET_SIZE(object);
    }
    /* An empty tuple would make one block or thread unnoticed. */
    if (n < 1 || n > 3) {
        PyErr_Format(PyExc_ValueError, "%s of kernel %U needs 1 to 3 sizes, not %zd", what, f->name,
                     n);
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *index = PyNumber_Index(item[i]); /* owned */
        if (index == NULL) {
            return -1;
        }
        int64_t size = PyLong_AsLongLong(index);
        Py_DECREF(index);
        /* Also where PyLong_AsLongLong failed and gave -1. */
        if (size < 0 || size > INT_MAX) {
            PyErr_Clear();
            return gnp_launch_refuse("%s of kernel %U needs sizes from 0 to 2147483647, got %R",
                                     what, f->name, object);
        }
        out[i] = size == 0 ? 1 : (unsigned)size;
    }
    return 0;
}

/* Raises a message with the sizes; the limits of grids along y and z are 65535 (CUDA C++
 * Programming Guide, "Compute Capabilities", technical specifications). */
static int
check_sizes(const GnpFunctionObject *f, const unsigned grid[3], const unsigned block[3])
{
    /* In 64 bits: a product of three sizes may exceed 32. */
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    /* Limits of every device of compute capability 2.0 and later; the driver would only say
     * INVALID_VALUE. */
    if (GNP_UNLIKELY(threads > (uint64_t)f->kernel.max_threads || block[0] > 1024 ||
                     block[1] > 1024 || block[2] > 64)) {
        gnp_launch_refuse(
            "block (%u, %u, %u) of kernel %U: it can run with at most %d threads a block, "
            "at most 64 of them along the third axis",
            block[0], block[1], block[2], f->name, f->kernel.max_threads);
        return -1;
    }
    if (GNP_UNLIKELY(grid[1] > 65535 || grid[2] > 65535)) {
        gnp_launch_refuse(
            "grid (%u, %u, %u) of kernel %U: the second and third size are at most 65535", grid[0],
            grid[1], grid[2], f->name);
        return -1;
    }
    return 0;
}

/* More dynamic shared memory than the default has to be enabled for the function. 48 KiB without
 * asking. Set once and never lowered: the attribute is a limit, not a reservation. */
static int
allow_shared(GnpFunctionObject *f, int64_t bytes)
{
    int most = f->device->optin_shared_bytes;
    if (bytes <= f->dynamic_shared) {
        return 0;
    }
    if (bytes > most - f->static_shared) {
        gnp_launch_refuse(
            "kernel %U: %lld bytes of dynamic shared memory asked for; the device has %d "
            "bytes a block, of which the kernel's own variables take %d",
            f->name, (long long)bytes, most, f->static_shared);
        return -1;
    }
    CU_TRY_WAIT(cuFuncSetAttribute(f->kernel.function,
                                   CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes));
    f->dynamic_shared = (int)bytes;
    return 0;
fail:
    return -1;
}

/* 0 bytes need no attribute. The value is compared with the device's limit before the driver
 * sees it, so that the error names the kernel and the sizes. */
static int
read_shared(GnpFunctionObject *f, PyObject *object, unsigned *out)
{
    int64_t bytes = 0;
    *out = 0;
    if (object == NULL) {
        return 0;
    }
    if (gnp_int64_from_object(object, "shared_mem", &bytes) < 0) {
        return -1;
    }
    if (bytes < 0) {
        PyErr_Format(PyExc_ValueError, "shared_mem of kernel %U must not be negative, got %lld",
                     f->name, (long long)bytes);
        return -1;
    }
    *out = (unsigned)bytes;
    return allow_shared(f, bytes);
}

/* A capture keeps the function alive as long as its graph. It also checks everything that does
 * not depend on the arguments, so that errors in the grid are raised before arguments are
 * converted. */
int
gnp_launch_shape_init(GnpLaunchShape *shape, GnpFunctionObject *f, const GnpLaunchCall *call)
{
    shape->cluster[0] = shape->cluster[1] = shape->cluster[2] = 0;
    shape->cooperative = call->cooperative;
    if (read_sizes(f, call->grid, "grid", shape->grid) < 0 ||
        read_sizes(f, call->block, "block", shape->block) < 0 ||
        check_sizes(f, shape->grid, shape->block) < 0 ||
        read_shared(f, call->shared_mem, &shape->shared) < 0 ||
        (call->cluster != NULL && call->cluster != Py_None &&
         read_sizes(f, call->cluster, "cluster", shape->cluster) < 0)) {
        return -1;
    }
    if (gnp_stream_from_object(call->stream, f->device, &shape->stream) < 0) {
        return -1;
    }
    return gnp_capture_keep(shape->stream, (PyObject *)f);
}

/* The ordinary launch uses cuLaunchKernel; clusters and cooperative launches need attributes and
 * therefore the longer path of cuLaunchKernelEx. */
int
gnp_launch_shape_run(const GnpLaunchShape *shape, const GnpFunctionObject *f, void **arg)
{
    if (GNP_LIKELY(!shape->cooperative && shape->cluster[0] == 0)) {
        return gnp_launch(&f->kernel, shape->grid, shape->block, shape->shared, shape->stream, arg);
    }
    return gnp_launch_special(&(GnpLaunch){.kernel = &f->kernel,
                                           .grid = shape->grid,
                                           .block = shape->block,
                                           .shared_bytes = shape->shared,
                                           .stream = shape->stream,
                                           .args = arg,
                                           .cooperative = shape->cooperative,
                                           .cluster = shape->cluster});
}

/* The launch is asynchronous: it returns as soon as the driver has copied the arguments.
 * GnpArguments is cleared afterwards, which releases exported buffers. */
PyObject *
gnp_function_launch(GnpFunctionObject *f, const GnpLaunchCall *call)
{
    GnpLaunchShape shape;
    GnpArguments arguments;
    PyObject *args = NULL, *ret = NULL; /* owned, the last returned */
    const unsigned guests = gnp_peer_guests_begin();
    GNP_TRY(gnp_launch_shape_init(&shape, f, call));
    /* reading an argument may run Python code, which must not empty the list meanwhile */
    GNP_NEW(args, PyList_Check(call->args) ? PyList_AsTuple(call->args) : Py_NewRef(call->args));
    GNP_TRY(gnp_capture_keep(shape.stream, args)); /* textures, memory pointers */
    if (gnp_arguments_init(&arguments, f, args, shape.stream) == 0 &&
        gnp_launch_shape_run(&shape, f, arguments.arg) == 0) {
        ret = Py_NewRef(Py_None);
    }
    gnp_arguments_clear(&arguments);
fail:
    gnp_peer_guests_end(guests);
    Py_XDECREF(args);
    return ret;
}

/* The keyword order is CuPy's, so that positional calls of its programs keep their meaning. */
static PyObject *
function_call(PyObject *object, PyObject *args, PyObject *kwargs)
{
    static GnpSignature sig =
        GNP_SIGNATURE("Function(grid, block, args, shared_mem=0, stream=None, "
                      "enable_cooperative_groups=False, cluster=None)");
    PyObject *given[7];
    if (gnp_args_bind_call(&sig, args, kwargs, given) < 0) {
        return NULL;
    }
    GnpLaunchCall call = {given[0], given[1], given[2], given[3], given[4], given[6], 0};
    if (given[5] != NULL) {
        call.cooperative = PyObject_IsTrue(given[5]);
        if (call.cooperative < 0) {
            return NULL;
        }
    }
    return gnp_function_launch((GnpFunctionObject *)object, &call);
}

PyDoc_STRVAR(linear_launch_doc,
             "linear_launch($self, size, args, shared_mem=0, block_max_size=128, stream=None,\n"
             "              enable_cooperative_groups=False)\n--\n\n"
             "Launch enough blocks for `size` threads along the first axis.\n\n"
             "Parameters\n----------\n"
             "size : int\n    Least number of threads.\n"
             "args : tuple\n    Arguments of the kernel.\n"
             "shared_mem : int, optional\n    Number of bytes of dynamic shared memory.\n"
             "block_max_size : int, optional\n    Largest number of threads in a block.\n"
             "stream : Stream, optional\n"
             "    Stream in which the kernel is launched. By default the current one.\n"
             "enable_cooperative_groups : bool, optional\n"
             "    If True, launch all blocks at once, so that the grid can synchronize.\n\n"
             "Returns\n-------\n"
             "None");

/* Rounds the number of blocks up, so the last block has surplus threads: the kernel compares its
 * index with the size. This is CuPy's contract for linear_launch. */
static PyObject *
function_linear_launch(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature sig =
        GNP_SIGNATURE("linear_launch(size, args, shared_mem=0, block_max_size=128, stream=None, "
                      "enable_cooperative_groups=False)");
    PyObject *given[6], *ret = NULL;      /* ret: returned */
    PyObject *grid = NULL, *block = NULL; /* owned */
    int64_t most = 128;
    GNP_TRY(gnp_args_bind(&sig, args, nargs, kwnames, given));
    int64_t size;
    GNP_TRY(gnp_int64_from_object(given[0], "size", &size));
    if (given[3] != NULL) {
        GNP_TRY(gnp_int64_from_object(given[3], "block_max_size", &most));
    }
    if (size < 1 || most < 1) {
        PyErr_SetString(PyExc_ValueError, "size and block_max_size must be positive");
        goto fail;
    }
    /* A small launch gets one block of just that size. */
    int64_t threads = size < most ? size : most;
    GNP_NEW(block, PyLong_FromLongLong(threads));
    /* Written so that it cannot overflow, unlike (size + threads - 1) / threads. */
    GNP_NEW(grid, PyLong_FromLongLong((size - 1) / threads + 1));
    GnpLaunchCall call = {grid, block, given[1], given[2], given[4], NULL, 0};
    if (given[5] != NULL) {
        GNP_TRY(call.cooperative = PyObject_IsTrue(given[5]));
    }
    ret = gnp_function_launch((GnpFunctionObject *)object, &call);
fail:
    Py_XDECREF(grid);
    Py_XDECREF(block);
    return ret;
}

/* ---- attributes ------------------------------------------------------------------------------ */

const GnpFunctionAttribute gnp_function_attributes[] = {
    {"max_threads_per_block", "Largest number of threads in a block.",
     CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0},
    {"shared_size_bytes", "Size of static shared memory in bytes.",
     CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 0},
    {"const_size_bytes", "Size of user-defined constant memory in bytes.",
     CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, 0},
    {"local_size_bytes", "Size of local memory of a thread in bytes.",
     CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 0},
    {"num_regs", "Number of registers of a thread.", CU_FUNC_ATTRIBUTE_NUM_REGS, 0},
    {"ptx_version", "PTX version it was compiled for, times 10.", CU_FUNC_ATTRIBUTE_PTX_VERSION, 0},
    {"binary_version", "Architecture it was compiled for, times 10.",
     CU_FUNC_ATTRIBUTE_BINARY_VERSION, 0},
    {"cache_mode_ca", "Whether global loads are cached in L1.", CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, 0},
    {"max_dynamic_shared_size_bytes",
     "Bytes of dynamic shared memory a launch may ask for; a launch that asks for more raises it.",
     CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1},
    {"preferred_shared_memory_carveout", "Percentage of the L1 cache used as shared memory.",
     CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 1},
    {NULL, NULL, 0, 0},
};

/* Not cached: a launch or another thread may have changed the attribute. */
PyObject *
gnp_function_get(GnpFunctionObject *f, const GnpFunctionAttribute *attribute)
{
    int value = 0;
    CU_TRY_WAIT(
        cuFuncGetAttribute(&value, (CUfunction_attribute)attribute->attribute, f->kernel.function));
    return PyLong_FromLong(value);
fail:
    return NULL;
}

/* Without a check of its own: the driver knows the limits, and its error is raised. */
int
gnp_function_set(GnpFunctionObject *f, const GnpFunctionAttribute *attribute, PyObject *value)
{
    if (value == NULL) {
        PyErr_Format(PyExc_AttributeError, "%s cannot be deleted", attribute->name);
        return -1;
    }
    int number;
    if (gnp_int_from_object(value, attribute->name, &number) < 0) {
        return -1;
    }
    CU_TRY_WAIT(
        cuFuncSetAttribute(f->kernel.function, (CUfunction_attribute)attribute->attribute, number));
    /* Setting one attribute may change others, on which launches are checked. */
    return read_limits(f);
fail:
    return -1;
}

/* A CUfunction, for programs that call the driver themselves. */
static PyObject *
function_get_ptr(PyObject *object, void *Py_UNUSED(closure))
{
    return PyLong_FromVoidPtr((void *)((GnpFunctionObject *)object)->kernel.function);
}

/* The one it was taken from; it may have loaded another image since. */
static PyObject *
function_get_module(PyObject *object, void *Py_UNUSED(closure))
{
    return Py_NewRef(((GnpFunctionObject *)object)->module);
}

/* As it was asked for, not the mangled symbol. */
static PyObject *
function_get_name(PyObject *object, void *Py_UNUSED(closure))
{
    return Py_NewRef(((GnpFunctionObject *)object)->name);
}

static PyMethodDef function_methods[] = {
    {"linear_launch", GNP_FAST(function_linear_launch), METH_FASTCALL | METH_KEYWORDS,
     linear_launch_doc},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef function_getset[] = {
    {"ptr", function_get_ptr, NULL, "Handle of the driver, as an int.", NULL},
    {"module", function_get_module, NULL, "Module that contains the kernel.", NULL},
    {"name", function_get_name, NULL, "Name of the kernel.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot function_slots[] = {
    {Py_tp_doc, GNP_DOC("Function(module, funcname)\n--\n\n"
                        "Kernel of a module.\n\n"
                        "Calling it launches it: f(grid, block, args, shared_mem=0, stream=None,\n"
                        "enable_cooperative_groups=False, cluster=None).\n\n"
                        "Parameters\n----------\n"
                        "module : Module\n    Module that contains the kernel.\n"
                        "funcname : str\n    Name of the kernel in the image.")},
    {Py_tp_new, function_new},
    {Py_tp_dealloc, function_dealloc},
    {Py_tp_call, function_call},
    {Py_tp_methods, function_methods},
    {Py_tp_getset, function_getset},
    {0, NULL},
};

static PyType_Spec function_spec = {
    .name = "gpunp.cuda.Function",
    .basicsize = sizeof(GnpFunctionObject),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = function_slots,
};

/* Registers the two types, and those of the files that build on them. */
int
gnp_function_init(PyObject *module)
{
    gnp_module_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &module_spec, NULL);
    gnp_function_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &function_spec, NULL);
    if (gnp_module_type == NULL || gnp_function_type == NULL ||
        PyModule_AddType(module, gnp_module_type) < 0 ||
        PyModule_AddType(module, gnp_function_type) < 0) {
        return -1;
    }
    GNP_TRY(gnp_raw_init(module));
    GNP_TRY(gnp_dispatch_init(module));
    GNP_TRY(gnp_link_init(module));
    return 0;
fail:
    return -1;
}
