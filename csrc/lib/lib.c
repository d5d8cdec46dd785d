/* The folder's functions and exceptions, added to the module at start-up. gnp_lib_init runs
 * once, at import, with the GIL. It opens no library: that happens at the first call that needs
 * one. gnp_product_library is the hook by which product/, a lower folder, reaches the
 * multiplication here. */
#include "lib/lib.h"

#include "lib/fft.h"
#include "lib/load.h"
#include "lib/multiply.h"
#include "lib/nccl.h"
#include "lib/rand.h"
#include "lib/small.h"

PyDoc_STRVAR(handle_doc,
             "_library_handle(name)\n--\n\n"
             "Return this thread's 'cublas' or 'cusolver' handle for the current device and\n"
             "stream, as an int.");

/* For users who call cuBLAS or cuSOLVER themselves. The handle belongs to this thread and stays
 * valid until the thread ends. */
static PyObject *
library_handle(PyObject *Py_UNUSED(module), PyObject *name)
{
    GnpDevice *device = gnp_device_current();
    if (device == NULL || !PyUnicode_Check(name)) {
        return device == NULL ? NULL : PyErr_Format(PyExc_TypeError, "name must be a str");
    }
    CUstream stream = gnp_stream_current(device);
    void *handle = PyUnicode_CompareWithASCIIString(name, "cublas") == 0
                       ? (void *)gnp_cublas_handle(device, stream)
                       : (void *)gnp_cusolver_handle(device, stream);
    return handle != NULL ? PyLong_FromVoidPtr(handle) : NULL;
}

static PyMethodDef functions[] = {
    {"_library_handle", library_handle, METH_O, handle_doc},
    {"_products", gnp_set_products, METH_O,
     "_products(which)\n--\n\n"
     "Set which code multiplies matrices, 'own', 'best' or 'library'; return the setting before."},
    {"_allow_tf32", gnp_set_tf32, METH_O,
     "_allow_tf32(on)\n--\n\nWhether TF32 was allowed; True or False sets it, None asks."},
    {NULL, NULL, 0, NULL},
};

/* The lists are static tables, one for each file with Python functions. */
int
gnp_lib_init(PyObject *module)
{
    PyMethodDef *const lists[] = {functions,
                                  gnp_factor_functions,
                                  gnp_orthogonal_functions,
                                  gnp_spectral_functions,
                                  gnp_small_functions,
                                  gnp_triangle_functions};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (PyModule_AddFunctions(module, lists[i]) < 0) {
            return -1;
        }
    }
    /* From here on product/ asks gnp_multiply first. */
    gnp_product_library = gnp_multiply;
    if (gnp_library_init(module) < 0 || gnp_rand_init(module) < 0 || gnp_nccl_init(module) < 0) {
        return -1;
    }
    return gnp_fft_init(module);
}
