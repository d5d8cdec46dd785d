/* Start-up: makes the module gpunp._C, lets each folder add its part, and makes the array type.
 *
 * The only file that includes every folder's header. Nothing here opens a device. */
#include "base/base.h"
#include "core/core.h"
#include "cuda/cuda.h"
#include "fuse/fuse.h"
#include "lib/lib.h"
#include "sci/sci.h"
#include "signal/signal.h"
#include "sparse/sparse.h"
#include "methods/methods.h"
#include "random/random.h"
#include "rt/rt.h"
#include "user/user.h"

#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#ifndef GNP_VERSION
#define GNP_VERSION "0"
#endif

GnpState gnp_state;

/* ---- state ----------------------------------------------------------------------------------- */

static int
intern_names(void)
{
#define OBJECT(name)
#define OBJECTS(name, count)
#define NAME(name) GNP_NEW(gnp_state.str_##name, PyUnicode_InternFromString(#name));
#include "tables/state.def"
    return 0;
fail:
    return -1;
}

static int
module_traverse(PyObject *Py_UNUSED(module), visitproc visit, void *arg)
{
#define OBJECT(name) Py_VISIT(gnp_state.name);
#define OBJECTS(name, count)                                                                       \
    for (int i = 0; i < count; i++) {                                                              \
        Py_VISIT(gnp_state.name[i]);                                                               \
    }
#define NAME(name) Py_VISIT(gnp_state.str_##name);
#include "tables/state.def"
    return 0;
}

/* The objects stay when the module is cleared: arrays that outlive it still use them, and no second
 * interpreter can take them. Only the user's objects are released. */
static int
module_clear(PyObject *Py_UNUSED(module))
{
    Py_CLEAR(gnp_state.memory_hook);
    return 0;
}

/* ---- search paths of libraries --------------------------------------------------------------- */

static int
is_site_dir(const char *path)
{
    const char *slash = strrchr(path, '/');
    return path[0] == '/' && slash != NULL &&
           (strcmp(slash, "/site-packages") == 0 || strcmp(slash, "/dist-packages") == 0);
}

static int
set_search_path(void)
{
    Dl_info info;
    char package[PATH_MAX] = "";
    GnpText sites = {0};
    PyObject *path = PySys_GetObject("path"); /* borrowed */
    for (Py_ssize_t i = 0; path != NULL && PyList_Check(path) && i < PyList_GET_SIZE(path); i++) {
        PyObject *item = PyList_GET_ITEM(path, i);
        const char *text = PyUnicode_Check(item) ? PyUnicode_AsUTF8(item) : NULL;
        if (text != NULL && is_site_dir(text)) {
            gnp_text_add(&sites, "%s%s", sites.used != 0 ? ":" : "", text);
        }
        PyErr_Clear();
    }
    if (dladdr((void *)&gnp_state, &info) != 0 && info.dli_fname != NULL &&
        strlen(info.dli_fname) < sizeof package) {
        memcpy(package, info.dli_fname, strlen(info.dli_fname) + 1);
        dirname(package);
    }
    if (gnp_text_finish(&sites) < 0) {
        return -1;
    }
    gnp_cuda_set_search_path(sites.text, package);
    gnp_text_clear(&sites);
    return 0;
}

/* ---- the array type -------------------------------------------------------------------------- */

static size_t
count_slots(const PyType_Slot *slots)
{
    size_t n = 0;
    while (slots[n].slot != 0) {
        n++;
    }
    return n;
}

/* gpunp.ndarray with the slots of core and the operators; each folder adds its methods. */
static int
make_array_type(PyObject *module)
{
    size_t ncore = count_slots(gnp_core_array_slots), noperators = count_slots(gnp_operator_slots);
    PyType_Slot *slots = NULL; /* owned */
    PyType_Spec spec = {
        .name = "gpunp.ndarray",
        .basicsize = sizeof(GnpArray),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    };
    int ret = -1;

    slots = calloc(ncore + noperators + 3, sizeof *slots);
    if (slots == NULL) {
        PyErr_NoMemory();
        goto fail;
    }
    memcpy(slots, gnp_core_array_slots, ncore * sizeof *slots);
    memcpy(slots + ncore, gnp_operator_slots, noperators * sizeof *slots);
    slots[ncore + noperators] = (PyType_Slot){Py_tp_methods, gnp_core_array_methods};
    slots[ncore + noperators + 1] = (PyType_Slot){Py_tp_getset, gnp_core_array_getset};
    spec.slots = slots;
    GNP_NEW(gnp_array_type, (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL));
    ret = PyModule_AddType(module, gnp_array_type);
fail:
    free(slots);
    return ret;
}

/* The folders above the array, lowest first: each adds its functions, types and methods. */
static int (*const folders[])(PyObject *module) = {
    gnp_ufunc_init,  gnp_reduce_init, gnp_select_init, gnp_product_init,
    gnp_random_init, gnp_user_init,   gnp_fuse_init,   gnp_methods_init,
    gnp_lib_init,    gnp_sci_init,    gnp_signal_init, gnp_sparse_init,
};

/* ---- the module ------------------------------------------------------------------------------ */

static int
add_environment(PyObject *module)
{
    PyObject *rows = PyList_New(0); /* owned */
    for (int i = 0; rows != NULL && i < GNP_ENV_COUNT; i++) {
        PyObject *row = Py_BuildValue("(sss)", gnp_env_name((GnpEnv)i), gnp_env_default((GnpEnv)i),
                                      gnp_env_meaning((GnpEnv)i));
        if (row == NULL || PyList_Append(rows, row) < 0) {
            Py_CLEAR(rows);
        }
        Py_XDECREF(row);
    }
    int status = PyModule_AddObjectRef(module, "_environment", rows);
    Py_XDECREF(rows);
    return status;
}

static int
module_exec(PyObject *module)
{
    static int is_loaded;
    if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
        PyErr_SetString(PyExc_ImportError,
                        "gpunp works in the main interpreter only, not in a subinterpreter");
        return -1;
    }
    if (is_loaded) {
        const char *name = PyModule_GetName(module);
        if (name != NULL && strcmp(name, "gpunp._C") == 0) {
            PyErr_SetString(PyExc_ImportError, "gpunp._C cannot be loaded twice in one process");
        }
        else if (name != NULL) { /* a package whose entry in sys.modules is gpunp */
            PyErr_Format(PyExc_ImportError,
                         "%s would load gpunp a second time: `import gpunp.as_cupy` gives gpunp's "
                         "modules CuPy's names, an entry in sys.modules alone does not",
                         name);
        }
        return -1;
    }
    gnp_debug_level = (int)gnp_env_int(GNP_ENV_DEBUG);
    Py_XSETREF(gnp_state.extension, Py_NewRef(module));
    GNP_TRY(intern_names());
    GNP_TRY(set_search_path());
    GNP_TRY(add_environment(module));
    GNP_TRY(PyModule_AddStringConstant(module, "__version__", GNP_VERSION));
    GNP_TRY(gnp_rt_init(module));
    GNP_TRY(gnp_specs_init(module));
    GNP_TRY(gnp_core_init(module));
    GNP_TRY(make_array_type(module));
    GNP_TRY(gnp_core_finish_type());
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        GNP_TRY(folders[i](module));
    }
    is_loaded = 1;
    return 0;
fail:
    return -1;
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, module_exec},
#if PY_VERSION_HEX >= 0x030c0000
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, NULL},
};

static struct PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "gpunp._C",
    .m_doc = "The C core of gpunp; use the package, which documents itself.",
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
};

PyMODINIT_FUNC PyInit__C(void);

PyMODINIT_FUNC
PyInit__C(void)
{
    return PyModuleDef_Init(&module_def);
}
