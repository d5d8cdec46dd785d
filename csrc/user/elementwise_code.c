/* The constructor arguments of ElementwiseKernels, stored once for all equal kernels.
 *
 * Interned because programs make equal kernels again and again, in a loop or for each object: the
 * op's number, by which compiled kernels are found, is the same for all of them. All strings are
 * parts of `identity`, which lives as long as the process.
 */
#include "user/elementwise_kernel.h"

#include <stdlib.h>
#include <string.h>

static struct {
    GnpElementwiseCode **code;
    size_t n, capacity;
} codes; /* guarded by the GIL; entries are never removed */

/* Guarded by the GIL. 64 bits do not wrap within a process. */
static uint64_t next_number = 1;

/* 0 is never given: it is the number of ops of the library's tables. */
uint64_t
gnp_op_number(void)
{
    return next_number++;
}

/* ---- properties of the text ------------------------------------------------------------------ */

/* Whether `word` is a name of ours rather than a variable that the code declares ("for (int i = 0;
 * ..."). The word before the first mention decides: after a type ("int i") it is a declaration. A
 * wrong guess costs a slower kernel or an unused argument, not a wrong result. */
static int
is_ours(const char *code, const char *word)
{
    const char *at = gnp_find_word(code, word);
    if (at == NULL) {
        return 0;
    }
    const char *p = at;
    while (p > code && (p[-1] == ' ' || p[-1] == '\t')) {
        p--;
    }
    if (p == at || p == code) {
        return 1;
    }
    const char *end = p;
    while (p > code && (p[-1] == '_' || (p[-1] >= 'a' && p[-1] <= 'z') ||
                        (p[-1] >= 'A' && p[-1] <= 'Z') || (p[-1] >= '0' && p[-1] <= '9'))) {
        p--;
    }
    size_t n = (size_t)(end - p);
    return n == 0 || (n == 6 && memcmp(p, "return", 6) == 0) ||
           (n == 4 && (memcmp(p, "else", 4) == 0 || memcmp(p, "case", 4) == 0));
}

/* Whether the code uses more of _ind than its size. */
static int
sees_space(const char *code)
{
    for (const char *p = code; (p = gnp_find_word(p, "_ind")) != NULL; p += 4) {
        if (strncmp(p, "_ind.size()", 11) != 0) {
            return 1;
        }
    }
    return 0;
}

/* Whether the code takes the address of an output, for an atomic function: then it must be an
 * address in the output's memory. The engine gives the code a copy of each output in a register, on
 * which an atomic function would not compile or not be seen by others. */
static int
takes_address(const GnpElementwiseCode *c)
{
    if (!c->text.has_atomics) {
        return 0;
    }
    for (int k = c->params.nin; k < c->params.n; k++) {
        const char *p = c->operation;
        for (; (p = gnp_find_word(p, c->params.param[k].name)) != NULL; p++) {
            const char *before = p;
            while (before > c->operation && (before[-1] == ' ' || before[-1] == '(')) {
                before--;
            }
            if (before > c->operation && before[-1] == '&') {
                return 1;
            }
        }
    }
    return 0;
}

/* Marks parameters whose arrays the code uses as a whole, under CuPy's name for them. */
static int
find_whole(GnpElementwiseCode *c)
{
    const char *texts[] = {c->operation, c->loop_prep};
    int nwhole = 0;
    for (int k = 0; k < c->params.n; k++) {
        GnpKernelParam *param = &c->params.param[k];
        for (int j = 0; j < 2 && !param->is_raw && !param->is_whole; j++) {
            const char *at = texts[j];
            while (!param->is_whole && (at = strstr(at, "_raw_")) != NULL) {
                at += strlen("_raw_");
                param->is_whole = gnp_find_word(at, param->name) == at;
            }
        }
        nwhole += param->is_whole;
    }
    return nwhole;
}

/* Code that sees threads or synchronises expects one element per thread and its own loop; the
 * engine handles several elements per thread. */
static int
needs_loop(const GnpElementwiseCode *c)
{
    static const char *const words[] = {"threadIdx", "blockIdx",   "blockDim",
                                        "gridDim",   "__shared__", "extern",
                                        "goto",      "_sync",      "__syncthreads"};
    if (c->params.nraw > 0 || *c->loop_prep != '\0' || *c->after_loop != '\0' ||
        sees_space(c->operation) || takes_address(c)) {
        return 1;
    }
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        if (strstr(c->operation, words[k]) != NULL) {
            return 1;
        }
    }
    return 0;
}

/* Heavy code gets fewer elements per thread: registers are worth more than accesses in flight. */
static int
is_heavy(const GnpElementwiseCode *c)
{
    return strlen(c->operation) > 400 || *c->text.preamble != '\0' ||
           gnp_find_word(c->operation, "for") != NULL ||
           gnp_find_word(c->operation, "while") != NULL;
}

/* Everything that follows from the texts alone, computed once so that calls only read it. A
 * kernel without outputs runs in the loop, since the engine writes at least one. */
static int
read_code(GnpElementwiseCode *c)
{
    const GnpKernelParams *p = &c->params;
    c->text.has_atomics =
        strstr(c->operation, "atomic") != NULL || strstr(c->text.preamble, "atomic") != NULL ||
        strstr(c->loop_prep, "atomic") != NULL || strstr(c->after_loop, "atomic") != NULL;
    c->needs_loop = find_whole(c) > 0 || needs_loop(c);
    c->sees_index = is_ours(c->operation, "i");
    c->sees_space =
        gnp_find_word(c->operation, "_ind") != NULL || gnp_find_word(c->loop_prep, "_ind") != NULL;
    c->sees_count = is_ours(c->operation, "n") || c->sees_space;
    c->is_overwritten = calloc((size_t)p->nout + 1, 1);
    c->codes = PyDict_New();
    if (c->is_overwritten == NULL || c->codes == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (int k = 0; k < p->nout; k++) {
        c->is_overwritten[k] =
            (unsigned char)gnp_is_overwritten(c->operation, p->param[p->nin + k].name);
    }
    c->op = (GnpElementOp){.name = c->text.name,
                           .expression = "",
                           .nin = p->nin + c->sees_index + c->sees_count,
                           .nout = p->nout,
                           .heavy = is_heavy(c),
                           .number = gnp_op_number(),
                           .write = gnp_elementwise_write};
    c->needs_loop |= c->op.nin + c->op.nout > GNP_MAX_OPERANDS || p->nout == 0;
    return 0;
}

/* ---- interning ------------------------------------------------------------------------------- */

/* Linear, because kernels are constructed far less often than they are called. */
static GnpElementwiseCode *
find(const char *identity, size_t bytes)
{
    for (size_t k = 0; k < codes.n; k++) {
        if (codes.code[k]->identity_bytes == bytes &&
            memcmp(codes.code[k]->identity, identity, bytes) == 0) {
            return codes.code[k];
        }
    }
    return NULL;
}

/* Doubling makes the copies linear in the number of kernels. */
static int
keep(GnpElementwiseCode *c)
{
    if (codes.n == codes.capacity) {
        size_t capacity = codes.capacity > 0 ? 2 * codes.capacity : 64;
        GnpElementwiseCode **grown = realloc(codes.code, capacity * sizeof *grown);
        if (grown == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        codes.code = grown;
        codes.capacity = capacity;
    }
    codes.code[codes.n++] = c;
    return 0;
}

/* The NULs between texts make the concatenation unambiguous, so a text must not contain one. */
static int
add_text(GnpText *t, PyObject *text, const char *what)
{
    Py_ssize_t n = 0;
    const char *s = "";
    if (text != NULL && !PyUnicode_Check(text)) {
        PyErr_Format(PyExc_TypeError, "%s must be a str, not %.100s", what, Py_TYPE(text)->tp_name);
        return -1;
    }
    if (text != NULL && (s = PyUnicode_AsUTF8AndSize(text, &n)) == NULL) {
        return -1;
    }
    if (strlen(s) != (size_t)n) {
        PyErr_Format(PyExc_ValueError, "%s has a null character", what);
        return -1;
    }
    gnp_text_add_bytes(t, s, (size_t)n);
    gnp_text_add_bytes(t, "", 1);
    return 0;
}

/* All texts of the constructor arguments, concatenated with their NULs. */
static int
identify(GnpText *t, const GnpElementwiseArguments *m)
{
    GNP_TRY(add_text(t, m->in_params, "in_params"));
    GNP_TRY(add_text(t, m->out_params, "out_params"));
    GNP_TRY(add_text(t, m->operation, "operation"));
    GNP_TRY(add_text(t, m->name, "name"));
    GNP_TRY(add_text(t, m->preamble, "preamble"));
    GNP_TRY(add_text(t, m->loop_prep, "loop_prep"));
    GNP_TRY(add_text(t, m->after_loop, "after_loop"));
    gnp_text_add(t, "%d", m->reduce_dims);
    gnp_text_add_bytes(t, "", 1);
    for (Py_ssize_t k = 0; m->options != NULL && k < PyTuple_GET_SIZE(m->options); k++) {
        GNP_TRY(add_text(t, PyTuple_GET_ITEM(m->options, k), "an option"));
    }
    return gnp_text_finish(t);
fail:
    return -1;
}

/* Only for a code that failed before it was stored: stored ones are never freed. */
static void
free_code(GnpElementwiseCode *c)
{
    if (c != NULL) {
        gnp_params_clear(&c->params);
        Py_XDECREF(c->codes);
        free(c->text.options);
        free(c->is_overwritten);
        free(c->identity);
        free(c);
    }
}

/* On success the code owns the text of `identity`; on failure free_code releases it. */
static GnpElementwiseCode *
make(const GnpElementwiseArguments *m, GnpText *identity)
{
    GnpElementwiseCode *c = calloc(1, sizeof *c);
    if (c == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    c->identity = identity->text;
    c->identity_bytes = identity->used;
    *identity = (GnpText){0};
    /* In the order of identify(). */
    const char *at = c->identity;
    (void)gnp_next_text(&at);
    (void)gnp_next_text(&at);
    c->operation = gnp_next_text(&at);
    c->text.name = gnp_next_text(&at);
    c->text.preamble = gnp_next_text(&at);
    c->loop_prep = gnp_next_text(&at);
    c->after_loop = gnp_next_text(&at);
    (void)gnp_next_text(&at);
    c->reduce_dims = m->reduce_dims;
    GNP_TRY(gnp_take_options(&c->text, at, m->options != NULL ? PyTuple_GET_SIZE(m->options) : 0));
    GNP_TRY(gnp_params_parse(&c->params, m->in_params, m->out_params));
    if (c->params.n > GNP_MAX_USER_PARAMS || c->params.n - c->params.nraw > GNP_MAX_OPERANDS) {
        PyErr_Format(PyExc_ValueError, "%s: a kernel has at most %d parameters, %d of them not raw",
                     c->text.name, GNP_MAX_USER_PARAMS, GNP_MAX_OPERANDS);
        goto fail;
    }
    GNP_TRY(read_code(c));
    GNP_TRY(keep(c));
    return c;
fail:
    free_code(c);
    return NULL;
}

/* Borrowed by the caller for the life of the process. */
GnpElementwiseCode *
gnp_elementwise_code(const GnpElementwiseArguments *m)
{
    GnpText identity = {0}; /* owned */
    GnpElementwiseCode *ret = NULL;
    GNP_TRY(identify(&identity, m));
    ret = find(identity.text, identity.used);
    if (ret == NULL) {
        /* Takes the text of `identity`. */
        ret = make(m, &identity);
    }
fail:
    gnp_text_clear(&identity);
    return ret;
}
