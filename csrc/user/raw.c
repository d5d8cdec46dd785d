/* RawModule and RawKernel: the user's CUDA C++, compiled when it is first needed on a device.
 *
 * A RawKernel is a name in a RawModule; one that was made from source has a module of its own.
 * Modules and functions are stored per device in the RawModule: kernels of one name share a
 * function, which takes the driver 10 us and more to look up.
 *
 * Compiling gives up the GIL, so that two threads may make the same module; the one that is stored
 * first is used by both. Functions borrowed from the dicts stay valid because entries are never
 * replaced.
 */
#include "user/function.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <structmember.h>

/* The constructor arguments and, per device, what was made from them. */
typedef struct {
    PyObject_HEAD PyObject *code, *file_path; /* owned: str or None; one of them is a str */
    PyObject *options, *backend;              /* owned: tuple of str, str */
    PyObject *name_expressions;               /* owned: tuple of str, or None */
    PyObject *modules;                        /* owned: dict of device number to Module */
    PyObject *functions;                      /* owned: dict of (device number, name) to Function */
    int cooperative, translate_cucomplex, jitify;
} RawModule;

/* `recent` saves a dict lookup per launch. It is borrowed from `functions`, whose entries are
 * never replaced nor removed. */
typedef struct {
    PyObject_HEAD RawModule *module; /* owned */
    PyObject *name;                  /* owned: str */
    PyObject *functions;             /* owned: dict of device number to Function */
    GnpFunctionObject *recent;       /* borrowed from `functions`: the device of the last launch */
    PyObject *attributes_wanted; /* owned: dict of attributes that were set, for further devices; or
                                    NULL */
    vectorcallfunc vectorcall;
} RawKernel;

static PyTypeObject *raw_module_type, *raw_kernel_type; /* owned, for the life of the process */

/* ---- compiling ------------------------------------------------------------------------------- */

/* A tuple of str as C strings that live as long as the tuple; NULL with an exception. */
static const char **
as_strings(PyObject *tuple)
{
    Py_ssize_t n = tuple == Py_None ? 0 : PyTuple_GET_SIZE(tuple);
    const char **list = PyMem_Calloc((size_t)n + 1, sizeof *list);
    if (list == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        list[i] = PyUnicode_AsUTF8(PyTuple_GET_ITEM(tuple, i));
        if (list[i] == NULL) {
            PyMem_Free(list);
            return NULL;
        }
    }
    return list;
}

/* isalnum is undefined for negative values, hence the cast. */
static int
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The name of the source in messages and reports of faults: that of its first kernel, "scale.cu";
 * "kernel.cu" where none is recognised. A small scanner rather than a regular expression: the last
 * word before the parameter list is the name. */
static void
name_source(const char *source, char *name, size_t capacity)
{
    const char *word = NULL, *at = strstr(source, "__global__");
    size_t length = 0;
    /* A name in any case: it is only for people. */
    snprintf(name, capacity, "kernel.cu");
    for (at = at == NULL ? "" : at + strlen("__global__"); *at != '\0';) {
        if (is_word(*at)) {
            word = at;
            while (is_word(*at)) {
                at++;
            }
            length = (size_t)(at - word);
        }
        else if (*at == '(' && word != NULL && length > 2 && memcmp(word, "__", 2) == 0) {
            /* __launch_bounds__(256) and other attributes come before the name */
            for (int depth = 0; *at != '\0' && (depth > 0 || *at == '('); at++) {
                depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
            }
        }
        else if (strchr(" \t\r\n*&:<>,", *at) == NULL) {
            break;
        }
        else {
            at++;
        }
    }
    if (*at == '(' && word != NULL && length + sizeof ".cu" <= capacity) {
        snprintf(name, capacity, "%.*s.cu", (int)length, word);
    }
}

/* The strings belong to Python objects that self holds. */
static GnpModule *
compile_with_nvrtc(const RawModule *self, GnpDevice *device)
{
    const char **options = NULL, **names = NULL; /* owned */
    char file_name[128];
    GnpModule *ret = NULL;
    const char *text;
    GNP_NEW(text, PyUnicode_AsUTF8(self->code));
    GNP_NEW(options, as_strings(self->options));
    GNP_NEW(names, as_strings(self->name_expressions));
    name_source(text, file_name, sizeof file_name);
    GnpModuleSource source = {.text = text, .file_name = file_name};
    source.options = options;
    source.noptions = (int)PyTuple_GET_SIZE(self->options);
    source.names = names;
    if (self->name_expressions != Py_None) {
        source.nnames = (int)PyTuple_GET_SIZE(self->name_expressions);
    }
    ret = gnp_module_compile(device, &source);
fail:
    PyMem_Free(options);
    PyMem_Free(names);
    return ret;
}

/* nvcc is a program: Python runs it and returns the image. */
static GnpModule *
compile_with_nvcc(const RawModule *self, GnpDevice *device)
{
    PyObject *compiler = NULL, *image = NULL; /* owned */
    GnpModule *ret = NULL;
    char *bytes;
    Py_ssize_t n;
    GNP_NEW(compiler, PyImport_ImportModule("gpunp.cuda.compiler"));
    GNP_NEW(image,
            PyObject_CallMethod(compiler, "compile_with_nvcc", "OOii", self->code, self->options,
                                device->cc_major * 10 + device->cc_minor, device->emulated));
    GNP_TRY(PyBytes_AsStringAndSize(image, &bytes, &n));
    ret = gnp_module_load(bytes, (size_t)n, "kernel.cu");
fail:
    Py_XDECREF(compiler);
    Py_XDECREF(image);
    return ret;
}

/* An image in a file needs no compiler; gpunp.cuda.Module reads and loads it. */
static PyObject *
load_file(const RawModule *self)
{
    PyObject *done = NULL;                                            /* owned */
    PyObject *ret = PyObject_CallNoArgs((PyObject *)gnp_module_type); /* returned */
    if (ret != NULL) {
        done = PyObject_CallMethod(ret, "load_file", "O", self->file_path);
        if (done == NULL) {
            Py_CLEAR(ret);
        }
    }
    Py_XDECREF(done);
    return ret;
}

/* -1 with an exception unless the name of a kernel is a str. */
static int
check_name(PyObject *name)
{
    if (!PyUnicode_Check(name)) {
        PyErr_Format(PyExc_TypeError, "name must be a str, not %.100s", Py_TYPE(name)->tp_name);
        return -1;
    }
    return 0;
}

/* The Module of the current device, made on first need. Borrowed. */
static PyObject *
current_module(RawModule *self)
{
    PyObject *key = NULL, *object = NULL; /* owned */
    PyObject *ret = NULL;                 /* borrowed */
    GnpDevice *device;
    GNP_NEW(device, gnp_device_current());
    GNP_NEW(key, PyLong_FromLong(device->id));
    /* An image is for one device: each has its own module. */
    ret = PyDict_GetItemWithError(self->modules, key);
    if (ret != NULL || PyErr_Occurred()) {
        goto fail;
    }
    if (self->code == Py_None) {
        GNP_NEW(object, load_file(self));
    }
    else {
        GnpModule *module = PyUnicode_CompareWithASCIIString(self->backend, "nvcc") == 0
                                ? compile_with_nvcc(self, device)
                                : compile_with_nvrtc(self, device);
        if (module == NULL) {
            goto fail;
        }
        GNP_NEW(object, gnp_user_module(module, device));
    }
    /* another thread may have been faster; replacing its module would free what it uses */
    ret = PyDict_SetDefault(self->modules, key, object);
fail:
    Py_XDECREF(key);
    Py_XDECREF(object);
    return ret;
}

/* The Function of a name on the current device, made on first need. Borrowed. It holds the Module
 * and not the RawModule, so there is no cycle of references. */
static GnpFunctionObject *
named_function(RawModule *self, PyObject *name)
{
    PyObject *key = NULL, *made = NULL; /* owned */
    PyObject *ret = NULL;               /* borrowed */
    GnpModuleObject *module;            /* borrowed */
    GNP_TRY(check_name(name));
    GNP_NEW(module, (GnpModuleObject *)current_module(self));
    GNP_NEW(key, Py_BuildValue("iO", module->device->id, name));
    ret = PyDict_GetItemWithError(self->functions, key);
    if (ret != NULL || PyErr_Occurred()) {
        goto fail;
    }
    GNP_NEW(made, (PyObject *)gnp_user_function(module, name));
    if (self->code != Py_None) {
        ((GnpFunctionObject *)made)->source = Py_NewRef(self->code);
    }
    /* a function made by another thread meanwhile stays: kernels borrow it */
    ret = PyDict_SetDefault(self->functions, key, made);
fail:
    Py_XDECREF(key);
    Py_XDECREF(made);
    return (GnpFunctionObject *)ret;
}

/* The compiler's output goes to `stream.write`. */
static PyObject *
compile_now(RawModule *self, PyObject *stream)
{
    GnpModuleObject *module = (GnpModuleObject *)current_module(self);
    if (module == NULL) {
        return NULL;
    }
    /* An empty log is not written, so that a clean build prints nothing. */
    const char *log = gnp_module_log(module->module);
    if (stream != NULL && stream != Py_None && *log != '\0') {
        PyObject *written = PyObject_CallMethod(stream, "write", "s", log);
        if (written == NULL) {
            return NULL;
        }
        Py_DECREF(written);
    }
    Py_RETURN_NONE;
}

/* ---- RawModule ------------------------------------------------------------------------------- */

/* A tuple of str from a sequence of str; a single str is rejected, as it is a common mistake. */
static PyObject *
strings_argument(PyObject *object, const char *what)
{
    PyObject *tuple = NULL; /* returned */
    if (object == NULL) {
        return PyTuple_New(0);
    }
    if (PyUnicode_Check(object)) {
        PyErr_Format(PyExc_TypeError, "%s must be a tuple of str, not a str", what);
        return NULL;
    }
    GNP_NEW(tuple, PySequence_Tuple(object));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++) {
        if (!PyUnicode_Check(PyTuple_GET_ITEM(tuple, i))) {
            PyErr_Format(PyExc_TypeError, "%s must be a tuple of str, but contains %R", what,
                         PyTuple_GET_ITEM(tuple, i));
            goto fail;
        }
    }
    return tuple;
fail:
    Py_XDECREF(tuple);
    return NULL;
}

/* A missing flag is false; -1 with an exception if it has no truth value. */
static int
flag_argument(PyObject *object)
{
    return object == NULL ? 0 : PyObject_IsTrue(object);
}

/* The constructor arguments of RawModule and RawKernel; NULL where not given. */
typedef struct {
    PyObject *code, *path, *options, *backend, *translate, *cooperative, *names, *jitify;
} RawSource;

/* All checks that need no device, so that mistakes are found where the object is made and not at
 * the first launch. */
static int
check_source(const RawSource *s)
{
    int has_code = s->code != NULL && s->code != Py_None;
    int has_path = s->path != NULL && s->path != Py_None;
    /* None counts as not given, as that is the default in the signature. */
    if (has_code == has_path) {
        PyErr_SetString(PyExc_TypeError,
                        "exactly one of `code` and `path` is needed: CUDA C++ source, or a file "
                        "with a cubin, a fat binary or PTX");
        return -1;
    }
    if (has_code && !PyUnicode_Check(s->code)) {
        PyErr_Format(PyExc_TypeError, "code must be a str of CUDA C++, not %.100s",
                     Py_TYPE(s->code)->tp_name);
        return -1;
    }
    if (s->backend != NULL && (!PyUnicode_Check(s->backend) ||
                               (PyUnicode_CompareWithASCIIString(s->backend, "nvrtc") != 0 &&
                                PyUnicode_CompareWithASCIIString(s->backend, "nvcc") != 0))) {
        PyErr_Format(PyExc_ValueError, "backend must be 'nvrtc' or 'nvcc', not %R", s->backend);
        return -1;
    }
    if (s->names != NULL && s->names != Py_None && s->backend != NULL &&
        PyUnicode_CompareWithASCIIString(s->backend, "nvrtc") != 0) {
        PyErr_SetString(PyExc_ValueError, "name_expressions need the backend 'nvrtc'");
        return -1;
    }
    return 0;
}

/* Nothing is compiled here: the device is chosen by the first use. The caller's objects are
 * checked by check_source and then owned. */
static PyObject *
raw_module_make(PyTypeObject *type, const RawSource *s)
{
    RawModule *self = NULL; /* owned */
    GNP_TRY(check_source(s));
    GNP_NEW(self, (RawModule *)type->tp_alloc(type, 0));
    self->code = Py_NewRef(s->code != NULL ? s->code : Py_None);
    if (s->path != NULL && s->path != Py_None) {
        GNP_NEW(self->file_path, PyOS_FSPath(s->path));
    }
    else {
        self->file_path = Py_NewRef(Py_None);
    }
    GNP_NEW(self->options, strings_argument(s->options, "options"));
    GNP_NEW(self->backend,
            s->backend != NULL ? Py_NewRef(s->backend) : PyUnicode_FromString("nvrtc"));
    if (s->names != NULL && s->names != Py_None) {
        GNP_NEW(self->name_expressions, strings_argument(s->names, "name_expressions"));
    }
    else {
        self->name_expressions = Py_NewRef(Py_None);
    }
    GNP_TRY(self->translate_cucomplex = flag_argument(s->translate));
    GNP_TRY(self->cooperative = flag_argument(s->cooperative));
    /* Accepted and kept for CuPy's programs. */
    GNP_TRY(self->jitify = flag_argument(s->jitify == Py_None ? NULL : s->jitify));
    GNP_NEW(self->modules, PyDict_New());
    GNP_NEW(self->functions, PyDict_New());
    return (PyObject *)self;
fail:
    Py_XDECREF((PyObject *)self);
    return NULL;
}

/* Keywords only, as in CuPy: two of them are texts that are easily confused. */
static PyObject *
raw_module_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static GnpSignature sig =
        GNP_SIGNATURE("RawModule(*, code=None, path=None, options=(), backend='nvrtc', "
                      "translate_cucomplex=False, enable_cooperative_groups=False, "
                      "name_expressions=None, jitify=None)");
    PyObject *given[8];
    if (gnp_args_bind_call(&sig, args, kwargs, given) < 0) {
        return NULL;
    }
    const RawSource source = {given[0], given[1], given[2], given[3],
                              given[4], given[5], given[6], given[7]};
    return raw_module_make(type, &source);
}

/* Modules of kernels that still exist are held by their functions. */
static void
raw_module_dealloc(PyObject *object)
{
    RawModule *self = (RawModule *)object;
    PyTypeObject *type = Py_TYPE(object);
    Py_XDECREF(self->code);
    Py_XDECREF(self->file_path);
    Py_XDECREF(self->options);
    Py_XDECREF(self->backend);
    Py_XDECREF(self->name_expressions);
    Py_XDECREF(self->functions);
    Py_XDECREF(self->modules);
    type->tp_free(object);
    Py_DECREF(type);
}

/* Without it the first use compiles; programs call it to see the log or to have the delay early. */
static PyObject *
raw_module_compile(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature sig = GNP_SIGNATURE("compile(log_stream=None)");
    PyObject *given[1];
    if (gnp_args_bind(&sig, args, nargs, kwnames, given) < 0) {
        return NULL;
    }
    return compile_now((RawModule *)self, given[0]);
}

static PyObject *make_kernel(PyTypeObject *type, RawModule *module, PyObject *name);

/* The Function is looked up only to raise now if there is none of that name. */
static PyObject *
raw_module_get_function(PyObject *object, PyObject *name)
{
    RawModule *self = (RawModule *)object;
    return named_function(self, name) == NULL ? NULL : make_kernel(raw_kernel_type, self, name);
}

/* The Python function makes a MemoryPointer that holds a reference to the Module, because the
 * variable's memory is part of the image. */
static PyObject *
raw_module_get_global(PyObject *object, PyObject *name)
{
    PyObject *functions = NULL; /* owned */
    PyObject *module = current_module((RawModule *)object);
    if (module == NULL) {
        return NULL;
    }
    GNP_NEW(functions, PyImport_ImportModule("gpunp.cuda.function"));
    PyObject *ret = PyObject_CallMethod(functions, "global_pointer", "OO", module, name);
    Py_DECREF(functions);
    return ret;
fail:
    return NULL;
}

/* A new reference to a Module that the RawModule stores as well. */
static PyObject *
raw_module_get_module(PyObject *self, void *Py_UNUSED(closure))
{
    return Py_XNewRef(current_module((RawModule *)self));
}

/* What a getter of either type returns: a field of the RawModule. `closure` is the offset of the
 * field; 0, where PyObject_HEAD lies, stands for the flag. */
static PyObject *
field_of(const RawModule *self, const void *closure)
{
    if (closure == NULL) {
        return PyBool_FromLong(self->cooperative);
    }
    return Py_NewRef(*(PyObject *const *)((const char *)self + (uintptr_t)closure));
}

/* `closure` is the field's offset, see FIELD. */
static PyObject *
raw_module_get_field(PyObject *self, void *closure)
{
    return field_of((const RawModule *)self, closure);
}

#define FIELD(name, get, doc) {#name, get, NULL, doc, (void *)offsetof(RawModule, name)}
#define FIELDS(get)                                                                                \
    FIELD(code, get, "Source code, or None."),                                                     \
        FIELD(file_path, get, "Path of the image, or None."),                                      \
        FIELD(options, get, "Compiler options."), FIELD(backend, get, "'nvrtc' or 'nvcc'."),       \
    {                                                                                              \
        "enable_cooperative_groups", get, NULL, "Whether all blocks can synchronize.", NULL        \
    }

static PyGetSetDef raw_module_getset[] = {
    FIELDS(raw_module_get_field),
    FIELD(name_expressions, raw_module_get_field, "C++ names of kernels and variables, or None."),
    {"module", raw_module_get_module, NULL, "Module of the current device.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef raw_module_methods[] = {
    {"compile", GNP_FAST(raw_module_compile), METH_FASTCALL | METH_KEYWORDS,
     "compile($self, log_stream=None)\n--\n\n"
     "Compile for the current device now.\n\n"
     "Parameters\n----------\n"
     "log_stream : file, optional\n"
     "    File to which the compiler's messages are written.\n\n"
     "Returns\n-------\n"
     "None"},
    {"get_function", raw_module_get_function, METH_O,
     "get_function($self, name, /)\n--\n\n"
     "Return the RawKernel with a name or name expression.\n\n"
     "Parameters\n----------\n"
     "name : str\n"
     "    Name in the source for `extern \"C\"` kernels, otherwise one of the module's\n"
     "    `name_expressions`.\n\n"
     "Returns\n-------\n"
     "RawKernel\n    Kernel, compiled with the module."},
    {"get_global", raw_module_get_global, METH_O,
     "get_global($self, name, /)\n--\n\n"
     "Return a pointer to a global or constant variable.\n\n"
     "Parameters\n----------\n"
     "name : str\n    Name of the variable in the source.\n\n"
     "Returns\n-------\n"
     "cuda.MemoryPointer\n    Pointer, which keeps the module loaded."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot raw_module_slots[] = {
    {Py_tp_doc,
     GNP_DOC("RawModule(*, code=None, path=None, options=(), backend='nvrtc',\n"
             "          translate_cucomplex=False, enable_cooperative_groups=False,\n"
             "          name_expressions=None, jitify=None)\n--\n\n"
             "Module of several kernels, as CUDA C++ source or an image in a file.\n\n"
             "Parameters\n----------\n"
             "code : str\n    Source in CUDA C++, compiled when a device first needs it.\n"
             "path : str\n    File with a cubin, fat binary or PTX, instead of `code`.\n"
             "options : tuple of str\n    Compiler options, such as '-std=c++17' or '-I...'.\n"
             "backend : {'nvrtc', 'nvcc'}\n    Compiler that is used.\n"
             "translate_cucomplex : bool\n"
             "    Accepted for compatibility; cuComplex.h works unchanged.\n"
             "enable_cooperative_groups : bool\n"
             "    If True, kernels are launched so that all blocks can synchronize.\n"
             "name_expressions : sequence of str\n"
             "    C++ names, including template instances, for `get_function` and `get_global`.\n"
             "jitify : bool\n"
             "    Accepted for compatibility; the toolkit's C++ headers are found without it.\n\n"
             "Examples\n--------\n"
             ">>> import gpunp as cp\n"
             ">>> module = cp.RawModule(\n"
             "...     code='template<class T> __global__ void one(T *x) { *x = 1; }',\n"
             "...     name_expressions=['one<float>'])\n"
             ">>> x = cp.zeros(1, 'f4')\n"
             ">>> module.get_function('one<float>')((1,), (1,), (x,))\n"
             ">>> x\n"
             "array([1.], dtype=float32)")},
    {Py_tp_new, raw_module_new},
    {Py_tp_dealloc, raw_module_dealloc},
    {Py_tp_methods, raw_module_methods},
    {Py_tp_getset, raw_module_getset},
    {0, NULL},
};

static PyType_Spec raw_module_spec = {
    .name = "gpunp.RawModule",
    .basicsize = sizeof(RawModule),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = raw_module_slots,
};

/* ---- RawKernel ------------------------------------------------------------------------------- */

static PyObject *raw_kernel_vectorcall(PyObject *object, PyObject *const *args, size_t nargsf,
                                       PyObject *kwnames);

/* The instance holds the RawModule, so its images stay loaded while kernels exist. */
static PyObject *
make_kernel(PyTypeObject *type, RawModule *module, PyObject *name)
{
    RawKernel *self = NULL; /* owned */
    GNP_TRY(check_name(name));
    GNP_NEW(self, (RawKernel *)type->tp_alloc(type, 0));
    self->module = (RawModule *)Py_NewRef((PyObject *)module);
    self->name = Py_NewRef(name);
    self->vectorcall = raw_kernel_vectorcall;
    GNP_NEW(self->functions, PyDict_New());
    return (PyObject *)self;
fail:
    Py_XDECREF((PyObject *)self);
    return NULL;
}

/* A RawKernel owns a RawModule of its own, with the same checks and the same cache. */
static PyObject *
raw_kernel_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static GnpSignature sig =
        GNP_SIGNATURE("RawKernel(code, name, options=(), backend='nvrtc', *, "
                      "translate_cucomplex=False, enable_cooperative_groups=False, jitify=None)");
    PyObject *given[7];
    if (gnp_args_bind_call(&sig, args, kwargs, given) < 0) {
        return NULL;
    }
    const RawSource source = {.code = given[0],
                              .options = given[2],
                              .backend = given[3],
                              .translate = given[4],
                              .cooperative = given[5],
                              .jitify = given[6]};
    PyObject *module = raw_module_make(raw_module_type, &source); /* owned */
    PyObject *ret = module == NULL ? NULL : make_kernel(type, (RawModule *)module, given[1]);
    Py_XDECREF(module);
    return ret;
}

/* `recent` is borrowed from `functions` and needs no release. */
static void
raw_kernel_dealloc(PyObject *object)
{
    RawKernel *self = (RawKernel *)object;
    PyTypeObject *type = Py_TYPE(object);
    Py_XDECREF((PyObject *)self->module);
    Py_XDECREF(self->name);
    Py_XDECREF(self->functions);
    Py_XDECREF(self->attributes_wanted);
    type->tp_free(object);
    Py_DECREF(type);
}

/* Attributes set on one device apply to functions made on others later, so a kernel behaves
 * alike on all of them. */
static int
apply_wanted(const RawKernel *self, GnpFunctionObject *function)
{
    for (const GnpFunctionAttribute *a = gnp_function_attributes;
         a->name != NULL && self->attributes_wanted != NULL; a++) {
        /* Owned: setting it may run code that changes the dictionary. */
        PyObject *value = Py_XNewRef(PyDict_GetItemString(self->attributes_wanted, a->name));
        const int status = value != NULL ? gnp_function_set(function, a, value) : 0;
        Py_XDECREF(value);
        if (status < 0) {
            return -1;
        }
    }
    return 0;
}

/* The Function on a device that has not launched this kernel yet. */
static GnpFunctionObject *
find_function(RawKernel *self, GnpDevice *device)
{
    PyObject *key = NULL;     /* owned */
    GnpFunctionObject *found; /* borrowed */
    GnpFunctionObject *ret = NULL;
    GNP_NEW(key, PyLong_FromLong(device->id));
    found = (GnpFunctionObject *)PyDict_GetItemWithError(self->functions, key);
    if (found == NULL) {
        if (PyErr_Occurred()) {
            goto fail;
        }
        GNP_NEW(found, named_function(self->module, self->name));
        GNP_TRY(apply_wanted(self, found));
        GNP_TRY(PyDict_SetItem(self->functions, key, (PyObject *)found));
    }
    ret = self->recent = found;
fail:
    Py_XDECREF(key);
    return ret;
}

/* One device is the common case, found without a dict. */
static GnpFunctionObject *
current_function(RawKernel *self)
{
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return NULL;
    }
    /* Devices live as long as the process, so the pointers can be compared. */
    if (GNP_LIKELY(self->recent != NULL && self->recent->device == device)) {
        return self->recent;
    }
    return find_function(self, device);
}

/* The flag of a call overrides the module's; None keeps it. */
static PyObject *
raw_kernel_vectorcall(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    static GnpSignature sig =
        GNP_SIGNATURE("RawKernel(grid, block, args, *, shared_mem=0, stream=None, "
                      "enable_cooperative_groups=None, cluster=None)");
    RawKernel *self = (RawKernel *)object;
    PyObject *given[7];
    if (gnp_args_bind(&sig, args, PyVectorcall_NARGS(nargsf), kwnames, given) < 0) {
        return NULL;
    }
    GnpFunctionObject *f = current_function(self);
    if (f == NULL) {
        return NULL;
    }
    GnpLaunchCall call = {
        given[0], given[1], given[2], given[3], given[4], given[6], self->module->cooperative};
    if (given[5] != NULL && given[5] != Py_None) {
        call.cooperative = PyObject_IsTrue(given[5]);
        if (call.cooperative < 0) {
            return NULL;
        }
    }
    return gnp_function_launch(f, &call);
}

/* Also makes the Function, so that a wrong kernel name is an error now. */
static PyObject *
raw_kernel_compile(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature sig = GNP_SIGNATURE("compile(log_stream=None)");
    RawKernel *self = (RawKernel *)object;
    PyObject *given[1];
    if (gnp_args_bind(&sig, args, nargs, kwnames, given) < 0) {
        return NULL;
    }
    PyObject *ret = compile_now(self->module, given[0]);
    /* The module may be fine and still have no kernel of that name. */
    if (ret != NULL && current_function(self) == NULL) {
        Py_CLEAR(ret);
    }
    return ret;
}

/* Read from the driver each time, for the current device. */
static PyObject *
raw_kernel_get_attribute(PyObject *self, void *closure)
{
    GnpFunctionObject *f = current_function((RawKernel *)self);
    return f == NULL ? NULL : gnp_function_get(f, closure);
}

/* On the current device now, and on devices that get the kernel later, by apply_wanted. Another
 * device that has it already keeps its value. */
static int
raw_kernel_set_attribute(PyObject *object, PyObject *value, void *closure)
{
    RawKernel *self = (RawKernel *)object;
    const GnpFunctionAttribute *attribute = closure;
    GnpFunctionObject *f = current_function(self);
    if (f == NULL || gnp_function_set(f, attribute, value) < 0) {
        return -1;
    }
    if (self->attributes_wanted == NULL && (self->attributes_wanted = PyDict_New()) == NULL) {
        return -1;
    }
    return PyDict_SetItemString(self->attributes_wanted, attribute->name, value);
}

/* Of the current device; one call of the driver for each, so it is not for hot paths. */
static PyObject *
raw_kernel_get_attributes(PyObject *object, void *Py_UNUSED(closure))
{
    GnpFunctionObject *f = current_function((RawKernel *)object);
    PyObject *ret = f == NULL ? NULL : PyDict_New(); /* returned */
    for (const GnpFunctionAttribute *a = gnp_function_attributes; ret != NULL && a->name != NULL;
         a++) {
        PyObject *value = gnp_function_get(f, a); /* owned */
        if (value == NULL || PyDict_SetItemString(ret, a->name, value) < 0) {
            Py_CLEAR(ret);
        }
        Py_XDECREF(value);
    }
    return ret;
}

/* Makes the function where this is the first use on the device. */
static PyObject *
raw_kernel_get_kernel(PyObject *self, void *Py_UNUSED(closure))
{
    return Py_XNewRef((PyObject *)current_function((RawKernel *)self));
}

/* As it was given: a C++ name expression stays one. */
static PyObject *
raw_kernel_get_name(PyObject *self, void *Py_UNUSED(closure))
{
    return Py_NewRef(((RawKernel *)self)->name);
}

/* The fields are those of the kernel's module. */
static PyObject *
raw_kernel_get_field(PyObject *self, void *closure)
{
    return field_of(((RawKernel *)self)->module, closure);
}

/* A kernel is pickled as its source; one taken from a module has none of its own and cannot be
 * pickled. */
static PyObject *
raw_kernel_reduce(PyObject *object, PyObject *Py_UNUSED(noargs))
{
    RawKernel *self = (RawKernel *)object;
    RawModule *m = self->module;
    if (m->code == Py_None || m->name_expressions != Py_None) {
        PyErr_SetString(PyExc_TypeError, "only a RawKernel made from source can be pickled");
        return NULL;
    }
    return Py_BuildValue("O(OOOO)N", Py_TYPE(object), m->code, self->name, m->options, m->backend,
                         PyBool_FromLong(m->cooperative));
}

/* Keyword-only arguments of the constructor. */
static PyObject *
raw_kernel_setstate(PyObject *object, PyObject *state)
{
    int cooperative = PyObject_IsTrue(state);
    if (cooperative < 0) {
        return NULL;
    }
    ((RawKernel *)object)->module->cooperative = cooperative;
    Py_RETURN_NONE;
}

static PyMethodDef raw_kernel_methods[] = {
    {"compile", GNP_FAST(raw_kernel_compile), METH_FASTCALL | METH_KEYWORDS,
     "compile($self, log_stream=None)\n--\n\n"
     "Compile for the current device now.\n\n"
     "Parameters\n----------\n"
     "log_stream : file, optional\n"
     "    File to which the compiler's messages are written.\n\n"
     "Returns\n-------\n"
     "None"},
    {"__reduce__", raw_kernel_reduce, METH_NOARGS, NULL},
    {"__setstate__", raw_kernel_setstate, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

enum { NATTRIBUTES = 10, NOTHERS = 9 };
static PyGetSetDef raw_kernel_getset[NATTRIBUTES + NOTHERS + 1] = {
    FIELDS(raw_kernel_get_field),
    {"name", raw_kernel_get_name, NULL, "Name of the kernel.", NULL},
    {"__name__", raw_kernel_get_name, NULL, "Name of the kernel.", NULL},
    {"kernel", raw_kernel_get_kernel, NULL, "Function of the current device.", NULL},
    {"attributes", raw_kernel_get_attributes, NULL, "Attributes of the kernel by name.", NULL},
};

static PyMemberDef raw_kernel_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(RawKernel, vectorcall), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot raw_kernel_slots[] = {
    {Py_tp_doc,
     GNP_DOC("RawKernel(code, name, options=(), backend='nvrtc', *, translate_cucomplex=False,\n"
             "          enable_cooperative_groups=False, jitify=None)\n--\n\n"
             "Kernel written in CUDA C++.\n\n"
             "Calling it launches it: kernel(grid, block, args, *, shared_mem=0, stream=None,\n"
             "enable_cooperative_groups=None, cluster=None). `grid`, `block` and `cluster` are\n"
             "tuples of one to three sizes; `args` are arrays (their address), NumPy scalars,\n"
             "Python numbers (64 bits wide), None (a null pointer), objects with a `ptr`, and\n"
             "what offers its bytes. Their number and sizes are compared with the kernel's.\n\n"
             "Parameters\n----------\n"
             "code : str\n"
             "    Source in CUDA C++ with an extern \"C\" kernel, compiled at the first launch.\n"
             "name : str\n    Name of the kernel.\n"
             "options : tuple of str\n    Options of the compiler, as a tuple.\n"
             "backend : {'nvrtc', 'nvcc'}\n    Compiler that is used.\n"
             "translate_cucomplex, jitify : bool\n"
             "    Accepted for compatibility; neither is needed.\n"
             "enable_cooperative_groups : bool\n"
             "    If True, the kernel is launched so that all blocks can synchronize.\n\n"
             "Examples\n--------\n"
             ">>> import gpunp as cp\n"
             ">>> twice = cp.RawKernel('''\n"
             "... extern \"C\" __global__ void twice(float *x) { x[threadIdx.x] *= 2; }\n"
             "... ''', 'twice')\n"
             ">>> x = cp.arange(3, dtype='f4')\n"
             ">>> twice((1,), (3,), (x,))\n"
             ">>> x\n"
             "array([0., 2., 4.], dtype=float32)")},
    {Py_tp_new, raw_kernel_new},
    {Py_tp_dealloc, raw_kernel_dealloc},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_methods, raw_kernel_methods},
    {Py_tp_getset, raw_kernel_getset},
    {Py_tp_members, raw_kernel_members},
    {0, NULL},
};

static PyType_Spec raw_kernel_spec = {
    .name = "gpunp.RawKernel",
    .basicsize = sizeof(RawKernel),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    .slots = raw_kernel_slots,
};

int
gnp_raw_init(PyObject *module)
{
    /* The table is static and filled at import, since its rows refer to gnp_function_attributes. */
    int n = NOTHERS;
    for (const GnpFunctionAttribute *a = gnp_function_attributes; a->name != NULL; a++) {
        raw_kernel_getset[n++] = (PyGetSetDef){a->name, raw_kernel_get_attribute,
                                               a->writeable ? raw_kernel_set_attribute : NULL,
                                               a->doc, (void *)(uintptr_t)a};
    }
    raw_module_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &raw_module_spec, NULL);
    raw_kernel_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &raw_kernel_spec, NULL);
    if (raw_module_type == NULL || raw_kernel_type == NULL ||
        PyModule_AddType(module, raw_module_type) < 0 ||
        PyModule_AddType(module, raw_kernel_type) < 0) {
        return -1;
    }
    return 0;
}
