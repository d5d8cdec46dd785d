/* The grammar of the user's kernels: lists of parameters, and the types that a call gives to their
 * placeholders. A list is "[raw] type name" separated by commas; a type of one letter is a
 * placeholder, which each call determines. Parsing happens once per kernel, the types of a call
 * on every call. All functions need the GIL. */
#include "user/kernel_params.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- the lists ------------------------------------------------------------------------------- */

/* Errors quote the parameter as written, so the place in a long list is found. */
static int
bad_parameter(const char *text, const char *why)
{
    PyErr_Format(PyExc_ValueError, "parameter '%s': %s", text, why);
    return -1;
}

/* The name becomes one of the C++ source, where anything else could break out of the
 * declaration. isalnum gets unsigned values, as a negative char is undefined behaviour. */
static int
is_identifier(const char *name)
{
    if (!isalpha((unsigned char)*name) && *name != '_') {
        return 0;
    }
    for (; *name != '\0'; name++) {
        if (!isalnum((unsigned char)*name) && *name != '_') {
            return 0;
        }
    }
    return 1;
}

/* `i` is the index in all kernels; names with _ are ours (_ind, _raws). */
static int
check_name(const GnpKernelParams *p, const char *name)
{
    if (!is_identifier(name)) {
        return bad_parameter(name, "its name is no C++ identifier");
    }
    /* Otherwise the generated text would declare them twice, and the compiler's message would
     * point into code that the user did not write. */
    if (*name == '_' || strcmp(name, "i") == 0) {
        return bad_parameter(name, "the name i, and those that begin with _, are reserved");
    }
    for (int k = 0; k < p->n; k++) {
        if (strcmp(p->param[k].name, name) == 0) {
            return bad_parameter(name, "the name is used twice");
        }
    }
    return 0;
}

/* Letters are at most 52, fewer than GNP_MAX_PLACEHOLDERS. */
static int
place_of(GnpKernelParams *p, char letter)
{
    for (int k = 0; k < p->nplaceholders; k++) {
        if (p->letter[k] == letter) {
            return k;
        }
    }
    p->letter[p->nplaceholders] = letter;
    return p->nplaceholders++;
}

/* Two letters or more are a dtype's name. */
static int
take_type(GnpKernelParams *p, GnpKernelParam *param, const char *type)
{
    param->type = type;
    param->placeholder = -1;
    if (type[1] == '\0') {
        if (!isalpha((unsigned char)*type)) {
            return bad_parameter(type, "a placeholder of a type is a letter");
        }
        param->dtype = GNP_NO_DTYPE;
        param->placeholder = place_of(p, *type);
        return 0;
    }
    /* By dtype(), so that every spelling that arrays accept is accepted here. */
    PyObject *name = PyUnicode_FromString(type); /* owned */
    if (name == NULL) {
        return -1;
    }
    param->dtype = gnp_dtype_from_object(name);
    Py_DECREF(name);
    return param->dtype == GNP_NO_DTYPE ? -1 : 0;
}

/* "raw float32 x", split into words. */
static int
take_words(GnpKernelParams *p, char *const *word, int nwords, int is_output)
{
    GnpKernelParam param = {.is_const = (char)!is_output, .is_output = (char)is_output};
    /* The last two words are type and name; the words before them are qualifiers. */
    while (nwords > 2) {
        if (strcmp(*word, "raw") == 0) {
            param.is_raw = 1;
        }
        else if (strcmp(*word, "_non_const") == 0) {
            param.is_const = 0;
        }
        else {
            return bad_parameter(*word, "only 'raw' may stand before a type");
        }
        word++;
        nwords--;
    }
    if (nwords != 2) {
        return bad_parameter(nwords == 1 ? *word : "", "a parameter is a type and a name");
    }
    if (take_type(p, &param, word[0]) < 0 || check_name(p, word[1]) < 0) {
        return -1;
    }
    param.name = word[1];
    p->param[p->n++] = param;
    p->nraw += param.is_raw;
    return 0;
}

/* One list; cuts `text` into words. strtok_r writes NULs into `text`, so names and types point into
 * it and need no memory of their own. */
static int
parse_list(GnpKernelParams *p, char *text, int is_output)
{
    const char *blank = " \t\r\n";
    while (text != NULL && text[strspn(text, blank)] != '\0') {
        /* Two qualifiers, type and name are the most that is valid; one more is room for the
         * message. */
        char *word[5], *end = strchr(text, ',');
        int nwords = 0;
        if (end != NULL) {
            *end = '\0';
        }
        char *rest = NULL;
        for (char *w = strtok_r(text, blank, &rest); w != NULL; w = strtok_r(NULL, blank, &rest)) {
            if (nwords == 5) {
                return bad_parameter(word[0], "a parameter is a type and a name");
            }
            word[nwords++] = w;
        }
        if (take_words(p, word, nwords, is_output) < 0) {
            return -1;
        }
        text = end != NULL ? end + 1 : NULL;
    }
    return 0;
}

/* An upper bound for the number of parameters. */
static int
count_commas(const char *text)
{
    int n = 0;
    for (; *text != '\0'; text++) {
        n += *text == ',';
    }
    return n;
}

/* One copy of both lists is cut into words in place; names and types point into it. The array of
 * parameters is allocated once for the largest possible number. */
int
gnp_params_parse(GnpKernelParams *p, PyObject *in_params, PyObject *out_params)
{
    *p = (GnpKernelParams){.n = 0};
    if (!PyUnicode_Check(in_params) || !PyUnicode_Check(out_params)) {
        PyErr_SetString(PyExc_TypeError, "in_params and out_params must be str");
        return -1;
    }
    const char *in = PyUnicode_AsUTF8(in_params), *out = PyUnicode_AsUTF8(out_params);
    if (in == NULL || out == NULL) {
        return -1;
    }
    /* Each with its NUL: the lists stay apart. */
    size_t n = strlen(in), m = strlen(out);
    p->text = malloc(n + m + 2);
    p->param = calloc((size_t)(count_commas(in) + count_commas(out) + 2), sizeof *p->param);
    if (p->text == NULL || p->param == NULL) {
        PyErr_NoMemory();
        goto fail;
    }
    memcpy(p->text, in, n + 1);
    memcpy(p->text + n + 1, out, m + 1);
    GNP_TRY(parse_list(p, p->text, 0));
    p->nin = p->n;
    GNP_TRY(parse_list(p, p->text + n + 1, 1));
    p->nout = p->n - p->nin;
    return 0;
fail:
    gnp_params_clear(p);
    return -1;
}

/* Also valid after a failed parse and on a zeroed struct, so callers need no flag. */
void
gnp_params_clear(GnpKernelParams *p)
{
    free(p->param);
    free(p->text);
    *p = (GnpKernelParams){.n = 0};
}

/* ---- parameters for Python ------------------------------------------------------------------- */

static PyTypeObject *info_type; /* owned, for the life of the process */

static PyStructSequence_Field info_fields[] = {
    {"name", "Name of the kernel."},
    {"dtype", "Its dtype, or None for a placeholder."},
    {"ctype", "The placeholder's letter, or the type's name in C++."},
    {"raw", "Whether the whole array is passed."},
    {"is_const", "Whether the code may not write it."},
    {NULL, NULL},
};

static PyStructSequence_Desc info_desc = {
    .name = "gpunp.ParameterInfo",
    .doc = "A parameter of an ElementwiseKernel or a ReductionKernel.",
    .fields = info_fields,
    .n_in_sequence = 5,
};

/* Called once at import, with the module that owns the type. */
int
gnp_params_init_type(PyObject *module)
{
    info_type = PyStructSequence_NewType(&info_desc);
    return info_type != NULL ? PyModule_AddType(module, info_type) : -1;
}

/* PyStructSequence_SetItem steals its value, and a NULL among them leaves an exception, which is
 * looked for once at the end. */
static PyObject *
info_of(const GnpKernelParam *param)
{
    PyObject *info = PyStructSequence_New(info_type);
    if (info == NULL) {
        return NULL;
    }
    PyObject *dtype = param->dtype != GNP_NO_DTYPE ? gnp_dtype_object(param->dtype) : Py_None;
    const char *ctype =
        param->dtype != GNP_NO_DTYPE ? gnp_dtypes[param->dtype].user_name : param->type;
    PyStructSequence_SetItem(info, 0, PyUnicode_FromString(param->name));
    PyStructSequence_SetItem(info, 1, Py_XNewRef(dtype));
    PyStructSequence_SetItem(info, 2, PyUnicode_FromString(ctype));
    PyStructSequence_SetItem(info, 3, PyBool_FromLong(param->is_raw));
    PyStructSequence_SetItem(info, 4, PyBool_FromLong(param->is_const));
    if (PyErr_Occurred()) {
        Py_CLEAR(info);
    }
    return info;
}

/* Parameters first..first + n - 1 as a tuple of ParameterInfo. */
PyObject *
gnp_params_tuple(const GnpKernelParams *p, int first, int n)
{
    PyObject *tuple = PyTuple_New(n);
    for (int k = 0; tuple != NULL && k < n; k++) {
        PyObject *info = info_of(&p->param[first + k]);
        if (info == NULL) {
            Py_CLEAR(tuple);
            break;
        }
        PyTuple_SET_ITEM(tuple, k, info);
    }
    return tuple;
}

/* Programs often mix arrays of the host and of the device, so the message tells how to move one. */
int
gnp_params_refuse(PyObject *kernel, const GnpKernelParam *param, PyObject *object)
{
    if (gnp_is_numpy_array(object)) {
        PyErr_Format(PyExc_TypeError,
                     "%U: argument '%s' is a NumPy array, which is on the host: move it to the "
                     "device with gpunp.asarray(x)",
                     kernel, param->name);
    }
    else {
        PyErr_Format(PyExc_TypeError, "%U: argument '%s' must be %s, not %.100s", kernel,
                     param->name, param->is_output ? "a gpunp array" : "a gpunp array or a number",
                     Py_TYPE(object)->tp_name);
    }
    return -1;
}

/* ---- types of a call ------------------------------------------------------------------------- */

/* Kernels convert nothing implicitly: an array of another type is an error, and the message says
 * whether the declaration or another argument determined the type. */
static int
mismatch(const GnpKernelParams *p, PyObject *kernel, int k, GnpDtype got, GnpDtype wanted)
{
    const GnpKernelParam *param = &p->param[k];
    if (param->placeholder < 0) {
        /* `float` is a name of float64 here, and of another type in C++. */
        const char *name = gnp_dtypes[wanted].name;
        const int is_alias = strcmp(param->type, name) != 0;
        PyErr_Format(PyExc_TypeError,
                     "%U: argument '%s' is %s, the kernel takes %s%s%s: convert it with astype",
                     kernel, param->name, gnp_dtypes[got].name, name,
                     is_alias ? ", declared as " : "", is_alias ? param->type : "");
    }
    else {
        PyErr_Format(PyExc_TypeError,
                     "%U: argument '%s' is %s, but its type %c is %s in another argument", kernel,
                     param->name, gnp_dtypes[got].name, p->letter[param->placeholder],
                     gnp_dtypes[wanted].name);
    }
    return -1;
}

/* Kernels have no type for times; they take the integers of a view("i8"). */
static int
refuse_unit(PyObject *kernel, GnpDtype dtype)
{
    const char *name = PyUnicode_AsUTF8(kernel);
    return name == NULL ? -1 : gnp_refuse_unit(name, dtype);
}

/* int8_t holds every dtype, and GNP_NO_DTYPE. */
static inline int
take_array(const GnpKernelParams *p, PyObject *kernel, int k, GnpDtype dtype, int8_t *type)
{
    const GnpKernelParam *param = &p->param[k];
    if (param->placeholder >= 0 && type[param->placeholder] == GNP_NO_DTYPE) {
        if (!gnp_is_number(dtype)) {
            return refuse_unit(kernel, dtype);
        }
        type[param->placeholder] = (int8_t)dtype;
        return 0;
    }
    GnpDtype wanted = gnp_param_dtype(param, type);
    return GNP_LIKELY(wanted == dtype) ? 0 : mismatch(p, kernel, k, dtype, wanted);
}

/* Where no array determined a placeholder, numbers do: NumPy's scalars by their dtypes, Python's by
 * promotion with those. */
static int
take_numbers(const GnpKernelParams *p, PyObject *kernel, PyObject *const *arg, int8_t *type)
{
    int8_t weak[GNP_MAX_PLACEHOLDERS] = {GNP_WEAK_NONE}, strong[GNP_MAX_PLACEHOLDERS];
    memset(strong, GNP_NO_DTYPE, sizeof strong);
    for (int k = 0; k < p->nin; k++) {
        int place = p->param[k].placeholder;
        GnpDtype dtype = GNP_NO_DTYPE;
        if (place < 0 || type[place] != GNP_NO_DTYPE || arg[k] == NULL) {
            continue;
        }
        int found = gnp_numpy_scalar_dtype(arg[k], &dtype);
        if (found < 0) {
            return -1;
        }
        if (found > 0) {
            if (!gnp_is_number(dtype)) {
                return refuse_unit(kernel, dtype);
            }
            strong[place] = strong[place] == GNP_NO_DTYPE
                                ? (int8_t)dtype
                                : (int8_t)gnp_promote((GnpDtype)strong[place], dtype);
        }
        else if ((int8_t)gnp_weak_kind(arg[k]) > weak[place]) {
            weak[place] = (int8_t)gnp_weak_kind(arg[k]);
        }
    }
    for (int k = 0; k < p->n; k++) {
        int place = p->param[k].placeholder;
        if (place < 0 || type[place] != GNP_NO_DTYPE) {
            continue;
        }
        if (weak[place] != GNP_WEAK_NONE) {
            type[place] = (int8_t)gnp_weak_promote((GnpWeak)weak[place], (GnpDtype)strong[place]);
        }
        else {
            type[place] = strong[place];
        }
        if (type[place] == GNP_NO_DTYPE) {
            PyErr_Format(PyExc_TypeError,
                         "%U: the type %c of argument '%s' cannot be told from the arguments: pass "
                         "an array for it",
                         kernel, p->letter[place], p->param[k].name);
            return -1;
        }
    }
    return 0;
}

/* Arrays are read first because they are exact; numbers fill placeholders that no array
 * determined. */
int
gnp_params_types(const GnpKernelParams *p, PyObject *kernel, PyObject *const *arg,
                 int8_t type[GNP_MAX_PLACEHOLDERS])
{
    for (int k = 0; k < p->nplaceholders; k++) {
        type[k] = GNP_NO_DTYPE;
    }
    /* Outputs that are passed decide, as their dtype cannot be changed. */
    for (int j = 0; j < p->n; j++) { /* outputs first */
        int k = j < p->nout ? p->nin + j : j - p->nout;
        if (arg[k] != NULL && gnp_array_check(arg[k]) &&
            take_array(p, kernel, k, ((GnpArray *)arg[k])->dtype, type) < 0) {
            return -1;
        }
    }
    for (int k = 0; k < p->nplaceholders; k++) {
        if (GNP_UNLIKELY(type[k] == GNP_NO_DTYPE)) {
            return take_numbers(p, kernel, arg, type);
        }
    }
    return 0;
}

/* ---- raw arrays ------------------------------------------------------------------------------ */

int
gnp_params_align_raw(const GnpKernelParams *p, GnpArray **array)
{
    for (int k = 0; p->nraw > 0 && k < p->n; k++) {
        if (array[k] == NULL || !p->param[k].is_raw || (array[k]->flags & GNP_ALIGNED)) {
            continue;
        }
        GnpArray *aligned = gnp_aligned(array[k]); /* owned */
        if (aligned == NULL) {
            return -1;
        }
        Py_SETREF(array[k], aligned);
    }
    return 0;
}

int
gnp_params_write_back(const GnpKernelParams *p, GnpArray *const *array, PyObject *const *given)
{
    for (int k = 0; p->nraw > 0 && k < p->n; k++) {
        GnpArray *to = (GnpArray *)given[k];
        if (given[k] != NULL && array[k] != NULL && array[k] != to && p->param[k].is_raw &&
            (to->flags & GNP_WRITEABLE) && gnp_copy(to, array[k]) < 0) {
            return -1;
        }
    }
    return 0;
}
