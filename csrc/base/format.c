/* Messages that contain the user's objects: %R, %S and %A run their code. An exception raised by
 * that code must not replace the one that is being raised, so the message then shows the text
 * alone. */
#include "base/base.h"

#undef PyErr_Format

#include <ctype.h>
#include <string.h>

/* `format` with "..." for every conversion. */
static void
text_alone(GnpText *out, const char *format)
{
    for (const char *p = format; *p != '\0'; p++) {
        if (*p != '%') {
            gnp_text_add_bytes(out, p, 1);
        }
        else if (p[1] == '%') {
            gnp_text_add_bytes(out, ++p, 1);
        }
        else {
            p++;
            p += strspn(p, "0123456789.-lzjt");
            gnp_text_add(out, "...");
            if (*p == '\0') {
                return;
            }
        }
    }
}

PyObject *
gnp_error_format(PyObject *type, const char *format, ...)
{
    va_list arguments;
    GnpText text = {0};
    va_start(arguments, format);
    PyErr_FormatV(type, format, arguments);
    va_end(arguments);
    if (PyErr_ExceptionMatches(type) || !PyErr_ExceptionMatches(PyExc_Exception)) {
        return NULL; /* as it should be, or an interrupt */
    }
    PyErr_Clear();
    text_alone(&text, format);
    if (gnp_text_finish(&text) == 0) {
        PyErr_SetString(type, text.text);
    }
    gnp_text_clear(&text);
    return NULL;
}

PyObject *
gnp_shown(PyObject *Py_UNUSED(module), PyObject *object)
{
    PyObject *text = PyObject_Repr(object);
    if (text == NULL && PyErr_ExceptionMatches(PyExc_Exception)) {
        PyErr_Clear();
        text = PyUnicode_FromFormat("<%.200s object>", Py_TYPE(object)->tp_name);
    }
    if (text != NULL && PyUnicode_GET_LENGTH(text) > 500) {
        PyObject *head = PyUnicode_Substring(text, 0, 500);
        Py_SETREF(text, head == NULL ? NULL : PyUnicode_FromFormat("%U...", head));
        Py_XDECREF(head);
    }
    return text;
}
