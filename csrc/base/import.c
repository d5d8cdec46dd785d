/* Modules that may not be installed: only the absence of the module itself counts as absence. An
 * error or an interrupt inside it, or the absence of something that it needs, is raised as it is.
 */
#include "base/base.h"

#include <string.h>

/* Whether the pending ModuleNotFoundError is about `name` or a package that holds it. */
static int
is_about(const char *name)
{
    PyObject *type, *value, *trace, *missing = NULL; /* owned */
    int found = 0;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    missing = value != NULL ? PyObject_GetAttrString(value, "name") : NULL;
    if (missing != NULL && PyUnicode_Check(missing)) {
        Py_ssize_t n;
        const char *text = PyUnicode_AsUTF8AndSize(missing, &n);
        found = text != NULL && strncmp(name, text, (size_t)n) == 0 &&
                (name[n] == '\0' || name[n] == '.');
    }
    Py_XDECREF(missing);
    PyErr_Clear();
    PyErr_Restore(type, value, trace);
    return found;
}

PyObject *
gnp_import_if_installed(const char *name)
{
    PyObject *module = PyImport_ImportModule(name);
    if (module == NULL && PyErr_ExceptionMatches(PyExc_ModuleNotFoundError) && is_about(name)) {
        PyErr_Clear();
    }
    return module;
}
