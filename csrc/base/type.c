/* Types that several folders build: each adds the methods it implements. */
#include "base/base.h"

int
gnp_type_add_methods(PyTypeObject *type, PyMethodDef *methods)
{
    for (PyMethodDef *method = methods; method->ml_name != NULL; method++) {
        PyObject *descriptor = PyDescr_NewMethod(type, method); /* owned */
        /* Not by setattr, which refuses types that users may not change. */
        int status = descriptor == NULL
                         ? -1
                         : PyDict_SetItemString(type->tp_dict, method->ml_name, descriptor);
        Py_XDECREF(descriptor);
        if (status < 0) {
            return -1;
        }
    }
    PyType_Modified(type);
    return 0;
}
