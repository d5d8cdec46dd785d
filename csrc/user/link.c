/* gpunp.cuda.function.LinkState: the driver's linker, which makes one image from several inputs.
 * The driver reads the inputs and writes the log and the options' values until the link is
 * destroyed, so all three live in the object (CUDA driver API, "Module Management",
 * cuLinkCreate). Every call of the linker runs without the GIL. An instance is used by one
 * thread at a time: the others get an exception. */
#include "user/function.h"

#include <stdint.h>
#include <string.h>

enum { LOG_BYTES = 4096 };

typedef struct {
    PyObject_HEAD CUlinkState link; /* owned; NULL after complete */
    PyObject *inputs;        /* owned: list of bytes, which the linker may read until the end */
    char log[LOG_BYTES];     /* where the driver writes errors */
    CUjit_option options[2]; /* these two are used by the driver until the end as well */
    void *values[2];
    int is_busy; /* in a call of the linker */
} LinkState;

/* The link belongs to the context of the device that is current now. */
static PyObject *
link_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static GnpSignature sig = GNP_SIGNATURE("LinkState()");
    PyObject *given[1];
    LinkState *self = NULL; /* owned */
    GNP_TRY(gnp_args_bind_call(&sig, args, kwargs, given));
    if (gnp_device_current() == NULL) {
        return NULL;
    }
    GNP_NEW(self, (LinkState *)type->tp_alloc(type, 0));
    GNP_NEW(self->inputs, PyList_New(0));
    self->options[0] = CU_JIT_ERROR_LOG_BUFFER;
    self->options[1] = CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES;
    self->values[0] = self->log;
    self->values[1] = (void *)(uintptr_t)LOG_BYTES;
    CU_TRY_WAIT(cuLinkCreate_v2(2, self->options, self->values, &self->link));
    return (PyObject *)self;
fail:
    Py_XDECREF((PyObject *)self);
    return NULL;
}

/* The link is destroyed before the inputs are released, as the driver may refer to them. */
static void
link_dealloc(PyObject *object)
{
    LinkState *self = (LinkState *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->link != NULL && !gnp_is_closing()) {
        CU_DROP_WAIT(cuLinkDestroy(self->link));
    }
    Py_XDECREF(self->inputs);
    type->tp_free(object);
    Py_DECREF(type);
}

/* The driver's handle is invalid after complete(), and using it would crash; so would two threads
 * that use it at once. */
static int
check_open(const LinkState *self)
{
    if (self->link != NULL && !self->is_busy) {
        return 0;
    }
    PyErr_SetString(PyExc_RuntimeError, self->is_busy
                                            ? "another thread uses the LinkState"
                                            : "the link is complete: make a new LinkState");
    return -1;
}

/* Raises with the linker's log, if it failed. */
static int
check(LinkState *self, CUresult code, const char *call)
{
    GnpText text = {0};
    if (code == 0) {
        return 0;
    }
    self->log[LOG_BYTES - 1] = '\0';
    gnp_text_add(&text, "%s%s%s", call, self->log[0] != '\0' ? ": " : "", self->log);
    if (gnp_text_finish(&text) == 0) {
        gnp_cuda_raise(code, text.text, "LinkState");
    }
    gnp_text_clear(&text);
    return -1;
}

/* The type of a file or text, by its first bytes. PTX is the only input without a mark of its
 * own. */
static CUjitInputType
kind_of(const char *data, size_t bytes)
{
    static const unsigned char fatbin[] = {0x50, 0xed, 0x55, 0xba};
    static const unsigned char elf[] = {0x7f, 'E', 'L', 'F'};
    const size_t machine = 18; /* e_machine: 190 is CUDA, anything else a host object */
    if (bytes >= 8 && memcmp(data, "!<arch>\n", 8) == 0) {
        return CU_JIT_INPUT_LIBRARY;
    }
    if (bytes > 4 && memcmp(data, fatbin, 4) == 0) {
        return CU_JIT_INPUT_FATBINARY;
    }
    if (bytes > machine && memcmp(data, elf, 4) == 0) {
        return (unsigned char)data[machine] == 190 ? CU_JIT_INPUT_CUBIN : CU_JIT_INPUT_OBJECT;
    }
    return CU_JIT_INPUT_PTX;
}

static PyObject *
add_bytes(LinkState *self, PyObject *bytes, const char *name)
{
    char *data = PyBytes_AS_STRING(bytes);
    size_t n = (size_t)PyBytes_GET_SIZE(bytes);
    CUjitInputType kind = kind_of(data, n);
    CUresult code;
    GNP_TRY(check_open(self));
    /* Before the driver sees it: what it was told must not be freed, even when adding fails. */
    GNP_TRY(PyList_Append(self->inputs, bytes));
    self->log[0] = '\0';
    n += kind == CU_JIT_INPUT_PTX; /* with the NUL that every bytes object has */
    self->is_busy = 1;
    CU_WAIT(code, cuLinkAddData_v2(self->link, kind, data, n, name, 0, NULL, NULL));
    self->is_busy = 0;
    GNP_TRY(check(self, code, "cuLinkAddData"));
    Py_RETURN_NONE;
fail:
    return NULL;
}

/* Any object with the buffer protocol is copied into bytes, which cannot change while the linker
 * reads them. */
static PyObject *
link_add_ptr_data(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature sig = GNP_SIGNATURE("add_ptr_data(data, name)");
    PyObject *given[2], *ret = NULL; /* ret: returned */
    PyObject *bytes = NULL;          /* owned */
    GNP_TRY(gnp_args_bind(&sig, args, nargs, kwnames, given));
    GNP_NEW(bytes, PyUnicode_Check(given[0]) ? PyUnicode_AsUTF8String(given[0])
                                             : PyBytes_FromObject(given[0]));
    const char *name;
    GNP_NEW(name, PyUnicode_AsUTF8(given[1]));
    ret = add_bytes((LinkState *)object, bytes, name);
fail:
    Py_XDECREF(bytes);
    return ret;
}

/* Read here rather than by cuLinkAddFile, so that the type is found by content. */
static PyObject *
link_add_ptr_file(PyObject *object, PyObject *filename)
{
    PyObject *path = NULL, *bytes = NULL, *ret = NULL; /* owned, the last returned */
    const char *name;
    GNP_NEW(path, PyOS_FSPath(filename));
    GNP_NEW(bytes, gnp_read_file(path));
    GNP_NEW(name, PyUnicode_Check(path) ? PyUnicode_AsUTF8(path) : PyBytes_AsString(path));
    ret = add_bytes((LinkState *)object, bytes, name);
fail:
    Py_XDECREF(path);
    Py_XDECREF(bytes);
    return ret;
}

/* The image is copied before the link is destroyed, which frees it. */
static PyObject *
link_complete(PyObject *object, PyObject *Py_UNUSED(noargs))
{
    LinkState *self = (LinkState *)object;
    PyObject *ret = NULL; /* returned */
    void *image = NULL;
    size_t bytes = 0;
    CUresult code;
    GNP_TRY(check_open(self));
    self->log[0] = '\0';
    self->is_busy = 1;
    CU_WAIT(code, cuLinkComplete(self->link, &image, &bytes));
    self->is_busy = 0;
    GNP_TRY(check(self, code, "cuLinkComplete"));
    ret = PyBytes_FromStringAndSize(image, (Py_ssize_t)bytes);
    /* Closed first: destroying it releases the GIL. */
    CUlinkState link = self->link;
    self->link = NULL;
    CU_DROP_WAIT(cuLinkDestroy(link)); /* the image was its memory */
fail:
    return ret;
}

static PyObject *
link_get_ptr(PyObject *self, void *Py_UNUSED(closure))
{
    return PyLong_FromVoidPtr((void *)((LinkState *)self)->link);
}

static PyMethodDef link_methods[] = {
    {"add_ptr_data", GNP_FAST(link_add_ptr_data), METH_FASTCALL | METH_KEYWORDS,
     "add_ptr_data($self, data, name)\n--\n\n"
     "Add PTX, a cubin, a fat binary, an object file or a library.\n\n"
     "Parameters\n----------\n"
     "data : bytes or str\n    PTX or an image.\n"
     "name : str\n    Name that messages use.\n\n"
     "Returns\n-------\n"
     "None"},
    {"add_ptr_file", link_add_ptr_file, METH_O,
     "add_ptr_file($self, path, /)\n--\n\n"
     "Add a file that contains one of these.\n\n"
     "Parameters\n----------\n"
     "path : str\n    File with PTX or an image.\n\n"
     "Returns\n-------\n"
     "None"},
    {"complete", link_complete, METH_NOARGS,
     "complete($self, /)\n--\n\n"
     "Link and return the image, for Module.load.\n\n"
     "Returns\n-------\n"
     "bytes\n    Image for `Module.load`."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef link_getset[] = {
    {"ptr", link_get_ptr, NULL, "Handle of the driver, as an int; 0 after complete().", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot link_slots[] = {
    {Py_tp_doc, GNP_DOC("LinkState()\n--\n\n"
                        "The driver's linker, which combines PTX and images.")},
    {Py_tp_new, link_new},
    {Py_tp_dealloc, link_dealloc},
    {Py_tp_methods, link_methods},
    {Py_tp_getset, link_getset},
    {0, NULL},
};

static PyType_Spec link_spec = {
    .name = "gpunp.cuda.function.LinkState",
    .basicsize = sizeof(LinkState),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = link_slots,
};

/* The module holds the only lasting reference to the type. */
int
gnp_link_init(PyObject *module)
{
    PyObject *type = PyType_FromModuleAndSpec(module, &link_spec, NULL); /* owned */
    int status = type == NULL ? -1 : PyModule_AddType(module, (PyTypeObject *)type);
    Py_XDECREF(type);
    return status;
}
