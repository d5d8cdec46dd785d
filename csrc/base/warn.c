/* Warnings are attributed to the user's line: that of the innermost Python frame outside the
 * package, however many of the package's own functions lie between. And which package called. */
#include "base/base.h"

#include <stdarg.h>
#include <string.h>

/* Whether a frame belongs to a package, by its module's name. */
static int
is_of(PyFrameObject *frame, const char *package)
{
    const size_t n = strlen(package);
    PyObject *globals = PyFrame_GetGlobals(frame); /* owned */
    PyObject *name = globals != NULL ? PyDict_GetItemString(globals, "__name__") : NULL;
    const char *text = name != NULL && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
    int found = text != NULL && strncmp(text, package, n) == 0 && (text[n] == '.' || !text[n]);
    Py_XDECREF(globals);
    return found;
}

int
gnp_caller_is(const char *const *packages, const char *between)
{
    PyFrameObject *frame = (PyFrameObject *)Py_XNewRef((PyObject *)PyEval_GetFrame()); /* owned */
    int found = 0;
    while (frame != NULL && is_of(frame, between)) {
        PyFrameObject *back = PyFrame_GetBack(frame);
        Py_DECREF(frame);
        frame = back;
    }
    for (; frame != NULL && *packages != NULL && !found; packages++) {
        found = is_of(frame, *packages);
    }
    Py_XDECREF(frame);
    return found;
}

/* Whether the warnings module skips a frame when it counts stack levels. */
static int
is_of_importing(PyFrameObject *frame)
{
    PyCodeObject *code = PyFrame_GetCode(frame); /* owned */
    const char *file = PyUnicode_AsUTF8(code->co_filename);
    int found =
        file != NULL && strstr(file, "importlib") != NULL && strstr(file, "_bootstrap") != NULL;
    Py_DECREF(code);
    return found;
}

/* The stack level of the innermost frame that is not ours; 1 where all are. */
static Py_ssize_t
level_outside(void)
{
    Py_ssize_t level = 1;
    PyFrameObject *frame = (PyFrameObject *)Py_XNewRef((PyObject *)PyEval_GetFrame()); /* owned */
    while (frame != NULL && is_of(frame, "gpunp")) {
        do {
            PyFrameObject *back = PyFrame_GetBack(frame);
            Py_DECREF(frame);
            frame = back;
        } while (frame != NULL && is_of_importing(frame));
        level++;
    }
    PyErr_Clear(); /* a name that is not UTF-8 */
    if (frame == NULL) {
        return 1;
    }
    Py_DECREF(frame);
    return level;
}

int
gnp_warn(PyObject *category, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    PyObject *message = PyUnicode_FromFormatV(format, args); /* owned */
    va_end(args);
    int ret = message != NULL ? PyErr_WarnFormat(category, level_outside(), "%U", message) : -1;
    Py_XDECREF(message);
    return ret;
}
