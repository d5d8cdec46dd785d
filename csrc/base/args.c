/* Binds METH_FASTCALL arguments by a signature text, as CPython binds those of a Python function.
 *
 * The text is parsed at the first call. A call without keywords costs one loop. Below that,
 * Python's integers as C's: the one place where they are narrowed. */
#include "base/base.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

/* ---- parsing the text ------------------------------------------------------------------------ */

/* The end of the parameter that starts at `p`: the comma or closing bracket at nesting depth zero.
 */
static const char *
parameter_end(const char *p)
{
    int depth = 0;
    char quote = '\0';
    for (; *p != '\0'; p++) {
        if (quote != '\0') {
            quote = *p == quote ? '\0' : quote;
        }
        else if (*p == '\'' || *p == '"') {
            quote = *p;
        }
        else if (strchr("([{", *p) != NULL) {
            depth++;
        }
        else if (depth > 0 && strchr(")]}", *p) != NULL) {
            depth--;
        }
        else if (depth == 0 && (*p == ',' || *p == ')')) {
            break;
        }
    }
    return p;
}

static int
add_parameter(GnpSignature *sig, const char *start, const char *end)
{
    const char *stop = start;
    while (stop < end && (isalnum((unsigned char)*stop) || *stop == '_')) {
        stop++;
    }
    if (sig->nparams == GNP_MAX_PARAMS || stop == start) {
        PyErr_Format(PyExc_SystemError, "bad signature: %s", sig->text);
        return -1;
    }
    PyObject *name = PyUnicode_FromStringAndSize(start, stop - start);
    if (name == NULL) {
        return -1;
    }
    PyUnicode_InternInPlace(&name);
    const char *type = stop + strspn(stop, ": ");
    sig->integer[sig->nparams] = *stop == ':' && type < end ? *type : '\0';
    sig->names[sig->nparams++] = name;
    if (memchr(stop, '=', (size_t)(end - stop)) == NULL) {
        sig->nrequired = sig->nparams;
    }
    return 0;
}

static int
parse(GnpSignature *sig)
{
    const char *p = strchr(sig->text, '(');
    if (p == NULL) {
        PyErr_Format(PyExc_SystemError, "bad signature: %s", sig->text);
        return -1;
    }
    int keyword_only = 0;
    sig->nparams = sig->nrequired = sig->npositional_only = sig->npositional = 0;
    for (p++; *p != ')' && *p != '\0';) {
        while (*p == ' ') {
            p++;
        }
        const char *end = parameter_end(p);
        if (*p == '/') {
            sig->npositional_only = sig->nparams;
        }
        else if (*p == '*') {
            keyword_only = 1;
        }
        else {
            if (add_parameter(sig, p, end) < 0) {
                return -1;
            }
            sig->npositional += !keyword_only;
        }
        p = *end == ',' ? end + 1 : end;
        while (*p == ' ') {
            p++;
        }
    }
    sig->parsed = 1;
    return 0;
}

/* ---- messages -------------------------------------------------------------------------------- */

typedef struct {
    char text[80];
} Name;

static Name
function_name(const GnpSignature *sig)
{
    Name name = {""};
    size_t n = strcspn(sig->text, "(");
    memcpy(name.text, sig->text, n < sizeof name.text ? n : sizeof name.text - 1);
    return name;
}

static int
raise_too_many(const GnpSignature *sig, Py_ssize_t given)
{
    int least = sig->nrequired < sig->npositional ? sig->nrequired : sig->npositional;
    char takes[64];
    if (least == sig->npositional) {
        PyOS_snprintf(takes, sizeof takes, "%d positional argument%s", sig->npositional,
                      sig->npositional == 1 ? "" : "s");
    }
    else {
        PyOS_snprintf(takes, sizeof takes, "from %d to %d positional arguments", least,
                      sig->npositional);
    }
    PyErr_Format(PyExc_TypeError, "%s() takes %s but %zd %s given", function_name(sig).text, takes,
                 given, given == 1 ? "was" : "were");
    return -1;
}

static int
raise_missing(const GnpSignature *sig, PyObject *const *out)
{
    GnpText names = {0};
    int missing = 0, shown = 0;
    for (int i = 0; i < sig->nrequired; i++) {
        missing += out[i] == NULL;
    }
    for (int i = 0; i < sig->nrequired; i++) {
        if (out[i] == NULL) {
            const char *separator = "";
            if (shown > 0) {
                separator = shown == missing - 1 ? (missing == 2 ? " and " : ", and ") : ", ";
            }
            const char *name = PyUnicode_AsUTF8(sig->names[i]);
            gnp_text_add(&names, "%s'%s'", separator, name != NULL ? name : "?");
            shown++;
        }
    }
    if (gnp_text_finish(&names) == 0) {
        PyErr_Format(PyExc_TypeError, "%s() missing %d required positional argument%s: %s",
                     function_name(sig).text, missing, missing == 1 ? "" : "s", names.text);
    }
    gnp_text_clear(&names);
    return -1;
}

static int
raise_unexpected(const GnpSignature *sig, PyObject *key)
{
    GnpText names = {0};
    for (int i = sig->npositional_only; i < sig->nparams; i++) {
        const char *name = PyUnicode_AsUTF8(sig->names[i]);
        gnp_text_add(&names, "%s%s", names.used == 0 ? "; it takes " : ", ",
                     name != NULL ? name : "?");
    }
    if (gnp_text_finish(&names) == 0) {
        PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'%s",
                     function_name(sig).text, key, names.text);
    }
    gnp_text_clear(&names);
    return -1;
}

/* ---- binding --------------------------------------------------------------------------------- */

/* The index of keyword `key`, or -1 when no parameter has that name. */
static int
find_name(const GnpSignature *sig, PyObject *key)
{
    for (int i = sig->npositional_only; i < sig->nparams; i++) {
        if (sig->names[i] == key) {
            return i;
        }
    }
    for (int i = sig->npositional_only; i < sig->nparams; i++) {
        if (PyUnicode_Compare(sig->names[i], key) == 0) {
            return i;
        }
    }
    return -1;
}

static int
bind_keyword(const GnpSignature *sig, PyObject *key, PyObject *value, PyObject **out)
{
    int i = find_name(sig, key);
    if (i >= 0 && out[i] == NULL) {
        out[i] = value;
        return 0;
    }
    for (int k = 0; i < 0 && k < sig->npositional_only; k++) {
        if (PyUnicode_Compare(sig->names[k], key) == 0) {
            PyErr_Format(PyExc_TypeError,
                         "%s() got some positional-only arguments passed as keyword arguments: "
                         "'%U'",
                         function_name(sig).text, key);
            return -1;
        }
    }
    if (i < 0) {
        return raise_unexpected(sig, key);
    }
    PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'",
                 function_name(sig).text, key);
    return -1;
}

static int
bind_positional(GnpSignature *sig, PyObject *const *args, Py_ssize_t nargs, PyObject **out)
{
    if (!sig->parsed && parse(sig) < 0) {
        return -1;
    }
    if (nargs > sig->npositional) {
        return raise_too_many(sig, nargs);
    }
    for (Py_ssize_t i = 0; i < nargs; i++) {
        out[i] = args[i];
    }
    for (Py_ssize_t i = nargs; i < sig->nparams; i++) {
        out[i] = NULL;
    }
    return 0;
}

static int
check_required(const GnpSignature *sig, PyObject *const *out)
{
    for (int i = 0; i < sig->nrequired; i++) {
        if (GNP_UNLIKELY(out[i] == NULL)) {
            return raise_missing(sig, out);
        }
    }
    return 0;
}

int
gnp_args_bind(GnpSignature *sig, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
              PyObject **out)
{
    nargs = PyVectorcall_NARGS((size_t)nargs);
    if (bind_positional(sig, args, nargs, out) < 0) {
        return -1;
    }
    Py_ssize_t nkeywords = kwnames != NULL ? PyTuple_GET_SIZE(kwnames) : 0;
    for (Py_ssize_t i = 0; i < nkeywords; i++) {
        if (bind_keyword(sig, PyTuple_GET_ITEM(kwnames, i), args[nargs + i], out) < 0) {
            return -1;
        }
    }
    return check_required(sig, out);
}

int
gnp_args_bind_call(GnpSignature *sig, PyObject *args, PyObject *kwargs, PyObject **out)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    if (bind_positional(sig, &PyTuple_GET_ITEM(args, 0), PyTuple_GET_SIZE(args), out) < 0) {
        return -1;
    }
    while (kwargs != NULL && PyDict_Next(kwargs, &at, &key, &value)) {
        if (bind_keyword(sig, key, value, out) < 0) {
            return -1;
        }
    }
    return check_required(sig, out);
}

/* ---- integers -------------------------------------------------------------------------------- */

static int
raise_range(PyObject *number, const char *name, int below)
{
    if (below) {
        PyErr_Format(PyExc_ValueError, "%s must not be negative, got %R", name, number);
        return -1;
    }
    PyErr_Format(PyExc_OverflowError, "%s is out of range: %R", name, number);
    return -1;
}

/* low <= *out <= high. */
static int
signed_from_object(PyObject *object, const char *name, int64_t low, int64_t high, int64_t *out)
{
    int overflow = 0;
    PyObject *number = PyNumber_Index(object); /* owned */
    if (number == NULL) {
        return -1;
    }
    *out = PyLong_AsLongLongAndOverflow(number, &overflow);
    int ret = 0;
    if (overflow != 0 || *out < low || *out > high) {
        ret = raise_range(number, name, low == 0 && (overflow < 0 || (overflow == 0 && *out < 0)));
    }
    Py_DECREF(number);
    return ret;
}

int
gnp_int_from_object(PyObject *object, const char *name, int *out)
{
    int64_t value;
    if (signed_from_object(object, name, INT_MIN, INT_MAX, &value) < 0) {
        return -1;
    }
    *out = (int)value;
    return 0;
}

int
gnp_unsigned_from_object(PyObject *object, const char *name, unsigned *out)
{
    int64_t value;
    if (signed_from_object(object, name, 0, UINT_MAX, &value) < 0) {
        return -1;
    }
    *out = (unsigned)value;
    return 0;
}

int
gnp_int64_from_object(PyObject *object, const char *name, int64_t *out)
{
    return signed_from_object(object, name, INT64_MIN, INT64_MAX, out);
}

int
gnp_size_from_object(PyObject *object, const char *name, int64_t *out)
{
    return signed_from_object(object, name, 0, INT64_MAX, out);
}

int
gnp_uint64_from_object(PyObject *object, const char *name, uint64_t *out)
{
    int overflow = 0;
    PyObject *number = PyNumber_Index(object); /* owned */
    if (number == NULL) {
        return -1;
    }
    const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
    int ret = 0;
    *out = (uint64_t)value;
    if (overflow > 0) {
        *out = PyLong_AsUnsignedLongLong(number);
        if (PyErr_Occurred()) {
            PyErr_Clear();
            ret = raise_range(number, name, 0);
        }
    }
    else if (overflow < 0 || value < 0) {
        ret = raise_range(number, name, 1);
    }
    Py_DECREF(number);
    return ret;
}

int
gnp_pointer_from_object(PyObject *object, const char *name, void **out)
{
    uint64_t value;
    if (gnp_uint64_from_object(object, name, &value) < 0) {
        return -1;
    }
    *out = (void *)(uintptr_t)value;
    return 0;
}

int
gnp_truth_from_object(PyObject *object, int *out)
{
    *out = PyObject_IsTrue(object);
    return *out < 0 ? -1 : 0;
}
