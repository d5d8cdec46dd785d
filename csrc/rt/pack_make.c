/* What gpunp/_pack.py needs to write kernel packs: compiling for any architecture, and hashes. */
#include "rt/internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- arguments ------------------------------------------------------------------------------- */

/* The texts of a tuple of str; NULL with an exception. The caller frees the list. */
static const char **
texts_from_tuple(PyObject *tuple, int *n)
{
    if (!PyTuple_Check(tuple)) {
        PyErr_SetString(PyExc_TypeError, "options and names must be tuples of str");
        return NULL;
    }
    *n = (int)PyTuple_GET_SIZE(tuple);
    const char **list = calloc((size_t)*n + 1, sizeof *list); /* owned */
    if (list == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (int i = 0; i < *n; i++) {
        list[i] = PyUnicode_AsUTF8(PyTuple_GET_ITEM(tuple, i));
        if (list[i] == NULL) {
            free(list);
            return NULL;
        }
    }
    return list;
}

/* A str as text, None as NULL; -1 with an exception. */
static int
text_or_none(PyObject *object, const char **out)
{
    *out = object == Py_None ? NULL : PyUnicode_AsUTF8(object);
    return object != Py_None && *out == NULL ? -1 : 0;
}

/* "sm_90" or "compute_90". */
static int
target_from_text(const char *text, GnpTarget *target)
{
    static const char *const kinds[] = {"compute_", "sm_"};
    for (int cubin = 0; cubin < 2; cubin++) {
        const size_t n = strlen(kinds[cubin]);
        if (strncmp(text, kinds[cubin], n) == 0 && atoi(text + n) > 0) {
            target->arch = atoi(text + n);
            target->makes_cubin = cubin;
            return 0;
        }
    }
    PyErr_Format(PyExc_ValueError, "a target is sm_90 or compute_90, got %s", text);
    return -1;
}

/* ---- compiling ------------------------------------------------------------------------------- */

static GnpSignature compile_signature = GNP_SIGNATURE(
    "_compile_for(file, source, header_name, header, options, names, target, emulated)");

/* The texts belong to the arguments; a source of None is that of our file of that name, options of
 * None are those of our kernels. */
static int
request_from_arguments(PyObject *const *arg, GnpCompileRequest *request, GnpTarget *target)
{
    const char *name;
    GNP_NEW(request->file_name, PyUnicode_AsUTF8(arg[0]));
    GNP_TRY(text_or_none(arg[1], &request->source));
    GNP_TRY(text_or_none(arg[2], &request->extra_name));
    GNP_TRY(text_or_none(arg[3], &request->extra_text));
    GNP_NEW(name, PyUnicode_AsUTF8(arg[6]));
    GNP_TRY(target_from_text(name, target));
    GNP_TRY(gnp_truth_from_object(arg[7], &request->is_emulated));
    if (request->source == NULL) {
        request->source = gnp_source_text(request->file_name);
    }
    if (request->source == NULL) {
        PyErr_Format(PyExc_ValueError, "there is no kernel file %s", request->file_name);
        return -1;
    }
    request->may_be_stored = 1;
    return 0;
fail:
    return -1;
}

static PyObject *
compile_for(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *arg[8], *ret = NULL;
    GnpCompileRequest request = {.cc = 0};
    GnpTarget target = {.arch = 0};
    GnpCompiled compiled = {.nnames = 0};
    GnpText key = {0}, stored = {0};             /* owned */
    const char **options = NULL, **names = NULL; /* owned */
    int status = -1;

    GNP_TRY(gnp_args_bind(&compile_signature, args, nargs, kwnames, arg));
    GNP_TRY(request_from_arguments(arg, &request, &target));
    request.options = gnp_kernel_options;
    request.noptions = GNP_KERNEL_OPTIONS;
    if (arg[4] != Py_None) {
        GNP_NEW(options, texts_from_tuple(arg[4], &request.noptions));
        request.options = options;
    }
    GNP_NEW(names, texts_from_tuple(arg[5], &request.nnames));
    request.names = names;
    GNP_NOGIL(status = gnp_compile_for(&target, &request, &key, &stored, &compiled));
    if (status != 0) {
        gnp_raise_compile_error(&compiled, &request);
        goto fail;
    }
    GNP_TRY(gnp_text_finish(&key));
    GNP_TRY(gnp_text_finish(&stored));
    ret = Py_BuildValue("(y#y#)", key.text, (Py_ssize_t)key.used, stored.text,
                        (Py_ssize_t)stored.used);
fail:
    gnp_compiled_clear(&compiled);
    gnp_text_clear(&key);
    gnp_text_clear(&stored);
    free(options);
    free(names);
    return ret;
}

/* ---- facts ----------------------------------------------------------------------------------- */

static PyObject *
hash_of(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    char *data;
    Py_ssize_t bytes;
    uint64_t seed;
    if (nargs != 2 || PyBytes_AsStringAndSize(args[0], &data, &bytes) < 0) {
        return nargs == 2 ? NULL : PyErr_Format(PyExc_TypeError, "_hash64 takes data and a seed");
    }
    if (gnp_uint64_from_object(args[1], "seed", &seed) < 0) {
        return NULL;
    }
    return PyLong_FromUnsignedLongLong(gnp_hash64(data, (size_t)bytes, seed));
}

static PyObject *
pack_hash(PyObject *Py_UNUSED(module), PyObject *key)
{
    uint64_t hash[GNP_PACK_HASHES];
    char *data;
    Py_ssize_t bytes;
    if (PyBytes_AsStringAndSize(key, &data, &bytes) < 0) {
        return NULL;
    }
    gnp_pack_hash(data, (size_t)bytes, hash);
    return Py_BuildValue("(KK)", (unsigned long long)hash[0], (unsigned long long)hash[1]);
}

static PyObject *
list_of_numbers(const int *numbers, int n)
{
    PyObject *list = PyList_New(n);
    for (int i = 0; list != NULL && i < n; i++) {
        PyObject *number = PyLong_FromLong(numbers[i]);
        if (number == NULL) {
            Py_CLEAR(list);
            break;
        }
        PyList_SET_ITEM(list, i, number);
    }
    return list;
}

static PyObject *
compiler(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    int n = 0, archs[128];
    const GnpNvrtc *nvrtc = NULL;
    GNP_NOGIL(nvrtc = gnp_cuda_nvrtc());
    if (nvrtc == NULL) {
        gnp_error_raise_text(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND",
                             gnp_cuda_error_text());
        return NULL;
    }
    if (nvrtc->api.nvrtcGetNumSupportedArchs(&n) != 0 || n > 128 ||
        nvrtc->api.nvrtcGetSupportedArchs(archs) != 0) {
        n = 0;
    }
    return Py_BuildValue("(iiN)", nvrtc->major, nvrtc->minor, list_of_numbers(archs, n));
}

static PyObject *
pack_origin(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    GnpText text = {0};
    gnp_compile_origin(&text);
    PyObject *ret = gnp_text_finish(&text) < 0 ? NULL : PyUnicode_FromString(text.text);
    gnp_text_clear(&text);
    return ret;
}

static PyObject *
lzma(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    char *data;
    Py_ssize_t bytes;
    int64_t wanted;
    if (nargs != 2) {
        return PyErr_Format(PyExc_TypeError, "_lzma takes data and the size of the result");
    }
    if (PyBytes_AsStringAndSize(args[0], &data, &bytes) < 0 ||
        gnp_size_from_object(args[1], "size", &wanted) < 0) {
        return NULL;
    }
    PyObject *out = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)wanted);
    if (out != NULL && gnp_lzma(data, (size_t)bytes, PyBytes_AS_STRING(out), (size_t)wanted) != 0) {
        Py_SETREF(out, Py_NewRef(Py_None));
    }
    return out;
}

static PyObject *
kernel_source(PyObject *Py_UNUSED(module), PyObject *name)
{
    const char *text = PyUnicode_AsUTF8(name);
    if (text == NULL) {
        return NULL;
    }
    text = gnp_source_text(text);
    return text != NULL ? PyUnicode_FromString(text) : Py_NewRef(Py_None);
}

static PyMethodDef functions[] = {
    {"_compile_for", GNP_FAST(compile_for), METH_FASTCALL | METH_KEYWORDS,
     "Compile for an architecture; the cache's key and what it would store."},
    {"_hash64", (PyCFunction)(void (*)(void))hash_of, METH_FASTCALL, "Hash of bytes and a seed."},
    {"_pack_hash", pack_hash, METH_O, "The hashes of a key in a kernel pack."},
    {"_compiler", compiler, METH_NOARGS,
     "Major and minor version of NVRTC, and the architectures it knows."},
    {"_pack_origin", pack_origin, METH_NOARGS, "What packs that are made here say of themselves."},
    {"_lzma", (PyCFunction)(void (*)(void))lzma, METH_FASTCALL,
     "A raw LZMA stream unpacked, or None when the result has another size or is damaged."},
    {"_kernel_source", kernel_source, METH_O, "Text of a file of kernels/, or None."},
    {NULL, NULL, 0, NULL},
};

int
gnp_pack_make_init(PyObject *module)
{
    PyObject *options = PyTuple_New(GNP_KERNEL_OPTIONS); /* owned */
    for (int i = 0; options != NULL && i < GNP_KERNEL_OPTIONS; i++) {
        PyObject *text = PyUnicode_FromString(gnp_kernel_options[i]);
        if (text == NULL) {
            Py_CLEAR(options);
            break;
        }
        PyTuple_SET_ITEM(options, i, text);
    }
    if (options == NULL || PyModule_AddObjectRef(module, "_kernel_options", options) < 0) {
        Py_XDECREF(options);
        return -1;
    }
    Py_DECREF(options);
    return PyModule_AddFunctions(module, functions);
}
