/* The text of the user's kernels: the code that connects theirs with ours, and what can be
 * recognised in C++ text without compiling it.
 *
 * No parser of C++: words are found outside of comments and literals, and where that leaves doubt
 * the answer is the one that leads to slower but correct code.
 *
 * Used by elementwise_source.c and reduction_source.c while they write source, with the GIL.
 */
#include "user/kernel_params.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- text ------------------------------------------------------------------------------------ */

/* Placeholders become typedefs, so the user's text can name them as types (T, S). */
void
gnp_write_typedefs(GnpText *t, const GnpKernelParams *p, const int8_t *type)
{
    for (int k = 0; k < p->nplaceholders; k++) {
        gnp_text_add(t, "typedef %s %c;\n", gnp_dtypes[type[k]].user_name, p->letter[k]);
    }
}

/* A substring is enough: including the header without need costs compile time only. */
int
gnp_mentions_complex(const GnpKernelParams *p, const int8_t *type, const char *text)
{
    for (int k = 0; k < p->n; k++) {
        if (gnp_dtypes[gnp_param_dtype(&p->param[k], type)].cls == 'c') {
            return 1;
        }
    }
    return strstr(text, "complex") != NULL;
}

/* The part before the kernel file, in the namespace gnp. #line 1 restarts the numbering so that
 * messages about the kernel file have its own line numbers. */
void
gnp_write_head(GnpText *t, int with_complex)
{
    gnp_text_add(t, "namespace gnp {\n");
    if (with_complex) {
        gnp_text_add(t, "#include \"names.cuh\"\n#include \"complex.cuh\"\n");
    }
    gnp_text_add(t, "#line 1\n");
}

/* The end of the comment, string or character literal that starts at `p`; `p` itself where code
 * starts. Raw strings (R"(...)") are not known; they are hardly used in device code. */
static const char *
skip_no_code(const char *p)
{
    if (p[0] == '/' && p[1] == '/') {
        return p + strcspn(p, "\n");
    }
    if (p[0] == '/' && p[1] == '*') {
        const char *end = strstr(p + 2, "*/");
        return end != NULL ? end + 2 : p + strlen(p);
    }
    if (*p == '"' || *p == '\'') {
        char quote = *p++;
        while (*p != '\0' && *p != quote) {
            p += p[0] == '\\' && p[1] != '\0' ? 2 : 1;
        }
        return *p != '\0' ? p + 1 : p;
    }
    return p;
}

/* Words are those of C identifiers, digits included, so that `x1` is not found in `x12`. */
static size_t
word_length(const char *p)
{
    size_t n = 0;
    while (isalnum((unsigned char)p[n]) || p[n] == '_') {
        n++;
    }
    return n;
}

/* A word inside a comment, a literal or a longer identifier is not a mention. */
const char *
gnp_find_word(const char *from, const char *word)
{
    size_t length = strlen(word);
    for (const char *p = from; *p != '\0';) {
        const char *code = skip_no_code(p);
        size_t n = word_length(code);
        if (code != p) {
            p = code;
        }
        else if (n == 0) {
            p++;
        }
        else if (n == length && memcmp(p, word, n) == 0) {
            return p;
        }
        else {
            p += n;
        }
    }
    return NULL;
}

/* Keywords after which a statement may not be executed. */
static int
leaves_the_line(const char *word, size_t n)
{
    static const char *const words[] = {"if",     "for",      "while", "do",   "switch",
                                        "return", "continue", "break", "goto", "else"};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        if (strlen(words[k]) == n && memcmp(words[k], word, n) == 0) {
            return 1;
        }
    }
    return 0;
}

/* The first mention of the name has to be an unconditional statement `name = expression without
 * it`. Then the kernel need not read the output first; only a plain assignment is certain. */
int
gnp_is_overwritten(const char *code, const char *name)
{
    const char *first = gnp_find_word(code, name), *start = code;
    if (first == NULL) {
        return 0;
    }
    /* Anything before it that may skip the statement makes it conditional. */
    for (const char *p = code; p < first;) {
        const char *next = skip_no_code(p);
        size_t n = word_length(p);
        if (next != p) {
            p = next;
            continue;
        }
        if ((n > 0 && leaves_the_line(p, n)) || *p == '#') {
            return 0;
        }
        p += n > 0 ? n : 1;
        if (p[-1] == ';' || p[-1] == '}' || p[-1] == '{') {
            start = p;
        }
    }
    while (start < first) { /* only blanks and comments before it in its statement */
        const char *next = skip_no_code(start);
        if (next == start && !isspace((unsigned char)*start)) {
            return 0;
        }
        start = next != start ? next : start + 1;
    }
    const char *equals = first + strlen(name);
    equals += strspn(equals, " \t\r\n");
    if (equals[0] != '=' || equals[1] == '=') {
        return 0;
    }
    const char *again = gnp_find_word(equals, name), *end = strchr(equals, ';');
    return again == NULL || (end != NULL && again > end);
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* -D and --define-macro are the two spellings that NVRTC and nvcc accept. */
static int
is_definition(const char *option)
{
    return strncmp(option, "-D", 2) == 0 || strncmp(option, "--define-macro", 14) == 0;
}

/* Points into `option`; *length excludes the value. */
const char *
gnp_defined_name(const char *option, int *length)
{
    const char *name = option + (option[1] == 'D' ? 2 : strcspn(option, "="));
    name += strspn(name, "= ");
    *length = (int)strcspn(name, "=");
    return name;
}

/* -DNAME=VALUE as a #define in the user's text: as an option it would apply to our code too. */
static void
write_definition(GnpText *t, const char *option)
{
    int length;
    const char *name = gnp_defined_name(option, &length);
    const char *value = strchr(name, '=');
    gnp_text_add(t, "#define %.*s %s\n", length, name, value != NULL ? value + 1 : "1");
}

const char *
gnp_next_text(const char **at)
{
    const char *text = *at;
    *at += strlen(text) + 1;
    return text;
}

/* Two passes keep the order within each kind: options for the compiler, then definitions. */
int
gnp_take_options(GnpUserText *text, const char *at, Py_ssize_t n)
{
    text->options = calloc((size_t)n + 1, sizeof *text->options);
    if (text->options == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (int pass = 0; pass < 2; pass++) {
        const char *next = at;
        for (Py_ssize_t k = 0; k < n; k++) {
            const char *option = gnp_next_text(&next);
            if (is_definition(option) == pass) {
                text->options[text->noptions++] = option;
            }
        }
    }
    return 0;
}

/* Options are sorted, so the compiler's are a prefix of the list. */
int
gnp_compiler_options(const GnpUserText *text)
{
    int n = 0;
    while (n < text->noptions && !is_definition(text->options[n])) {
        n++;
    }
    return n;
}

/* #line needs a name without quotes. Errors of the compiler then name the user's kernel and line
 * instead of the generated file. */
static void
write_place(GnpText *t, const char *name, const char *part)
{
    gnp_text_add(t, "#line 1 \"");
    for (const char *p = name; *p != '\0'; p++) {
        if (*p != '"' && *p != '\\' && *p != '\n') {
            gnp_text_add_bytes(t, p, 1);
        }
    }
    gnp_text_add(t, "%s%s\"\n", *part != '\0' ? ", " : "", part);
}

/* The semicolon ends a text that was given without one. */
void
gnp_write_part(GnpText *t, const char *name, const char *part, const char *text)
{
    if (*text != '\0') {
        write_place(t, name, part);
        gnp_text_add(t, "%s\n;\n#line 1 \"generated\"\n", text);
    }
}

/* An expression is returned in parentheses on lines of its own, so a trailing comment in the
 * text does not swallow the parenthesis, and errors have the user's line numbers. */
void
gnp_write_expression(GnpText *t, const char *before, const char *name, const char *part,
                     const char *text)
{
    gnp_text_add(t, "return %s(\n", before);
    write_place(t, name, part);
    gnp_text_add(t, "%s\n);\n#line 1 \"generated\"\n", text);
}

/* What precedes the user's functions: our headers, their macros, the placeholders' typedefs and
 * the preamble. M_PI is defined because NVRTC has no <math.h>. */
void
gnp_write_user_start(GnpText *t, const GnpKernelParams *p, const int8_t *type,
                     const GnpUserText *text, int with_complex)
{
    gnp_text_add(t, "#include \"user/user.cuh\"\n%s",
                 with_complex ? "#include \"user/user_complex.cuh\"\n" : "");
    if (text->has_atomics) {
        gnp_text_add(t, "#include \"user/user_atomic.cuh\"\n");
    }
    for (int k = 0; k < text->noptions; k++) {
        if (is_definition(text->options[k])) {
            write_definition(t, text->options[k]);
        }
        else {
            /* Part of the text so that kernels of different options are not taken as equal. */
            gnp_text_add(t, "// option %s\n", text->options[k]);
        }
    }
    if (strstr(text->preamble, "M_PI") == NULL) { /* as in the C library */
        gnp_text_add(t, "#define M_PI 3.14159265358979323846\n");
    }
    gnp_write_typedefs(t, p, type);
    if (*text->preamble != '\0') {
        write_place(t, text->name, "preamble");
        gnp_text_add(t, "%s\n#line 1 \"generated\"\n", text->preamble);
    }
}

/* 65536 less than 2**31: the number of bytes or elements that the last grid step may add before
 * the comparison with the end, so that a 32-bit index does not overflow. */
static int
is_small(int64_t x)
{
    return x < ((int64_t)1 << 31) - 65536;
}

/* Two bytes of a kernel's key that tell forms of a raw array apart: the axes, whether it is
 * C-contiguous, and whether 32 bits index it. GNP_MAX_DIMS is 64, which takes seven bits, so the
 * seventh is the top bit of the dtype's byte. */
void
gnp_raw_form(const GnpArray *a, unsigned char form[2])
{
    static_assert(GNP_MAX_DIMS == 64 && GNP_UNITS <= 128, "the bits of a form");
    if (a == NULL) { /* a number: no array has this form */
        form[0] |= 0x80;
        form[1] = 0xff;
        return;
    }
    form[0] |= (unsigned char)(a->ndim >> 6 << 7);
    form[1] = (unsigned char)((a->ndim & 63) << 2 | is_small(a->size) << 1 |
                              ((a->flags & GNP_C_CONTIGUOUS) != 0));
}

/* The array under the parameter's name, as a CArray with CuPy's interface; the flags select
 * cheaper index arithmetic at compile time. A number, for which `a` is NULL, is its value. */
void
gnp_write_raw(GnpText *t, const GnpKernelParam *param, const GnpArray *a, const char *place)
{
    if (a == NULL) {
        const char *type = gnp_param_type(param);
        gnp_text_add(t, "const %s %s = gnp::slot_value<%s>(%s.%s);\n", type, param->name, type,
                     place, param->name);
        return;
    }
    gnp_text_add(t, "const CArray<%s, %d, %s, %s> %s(%s.%s);\n", gnp_param_type(param), a->ndim,
                 a->flags & GNP_C_CONTIGUOUS ? "true" : "false",
                 is_small(a->size) ? "true" : "false", param->name, place, param->name);
}

/* Stores the source under the tuple of dtypes, for `cached_codes`. It is the text before
 * preprocessing, since that is what the user recognises. */
int
gnp_keep_source(PyObject *codes, const GnpKernelParams *p, const int8_t *type, const GnpText *text)
{
    PyObject *key = PyTuple_New(p->n), *value = NULL; /* owned */
    int ret = -1;
    for (int k = 0; key != NULL && k < p->n; k++) {
        PyObject *dtype = gnp_dtype_object(gnp_param_dtype(&p->param[k], type));
        if (dtype == NULL) {
            goto fail;
        }
        PyTuple_SET_ITEM(key, k, Py_NewRef(dtype));
    }
    if (key != NULL && text->text != NULL) {
        GNP_NEW(value, PyUnicode_DecodeUTF8(text->text, (Py_ssize_t)text->used, "replace"));
        ret = PyDict_SetItem(codes, key, value);
    }
fail:
    Py_XDECREF(key);
    Py_XDECREF(value);
    return ret;
}

/* CuPy's attribute `cached_code`: the only entry, or one of several with a warning. Borrowed
 * objects of the dict are returned as a new reference. */
PyObject *
gnp_only_code(PyObject *codes)
{
    PyObject *key, *value = NULL;
    Py_ssize_t at = 0;
    if (PyDict_Size(codes) == 0) {
        PyErr_SetString(PyExc_RuntimeError, "the kernel was not called yet: there is no code");
        return NULL;
    }
    if (PyDict_Size(codes) > 1 &&
        gnp_warn(PyExc_UserWarning,
                 "the kernel was compiled for several dtypes; cached_codes has all of them") < 0) {
        return NULL;
    }
    (void)PyDict_Next(codes, &at, &key, &value);
    return Py_NewRef(value);
}
