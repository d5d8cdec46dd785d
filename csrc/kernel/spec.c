/* Kernels by their compile-time parameters: the rows of tables/kernels.def as structs, as text for
 * the compiler, and as keys.
 *
 * A launch fills in the struct of its kernel; its bytes are the key. The text is written and
 * compiled only for a new key. */
#include "kernel/kernel.h"

#include <stdio.h>
#include <string.h>

/* ---- the table ------------------------------------------------------------------------------- */

typedef enum { PARAMETER_INDEX, PARAMETER_TYPE, PARAMETER_UNSIGNED, PARAMETER_INT } ParameterKind;

typedef struct {
    ParameterKind kind;
    const char *name; /* NULL: the end */
    int value;        /* the default */
} Parameter;

#define KERNEL(file, header, parameters, code)                                                     \
    static const Parameter parameters_of_##file[] = {parameters{PARAMETER_INDEX, NULL, 0}};
#define LIKE(file, other, header, code)
#define INDEX {PARAMETER_INDEX, "Index", 0},
#define TYPE(name, dtype) {PARAMETER_TYPE, #name, GNP_##dtype},
#define UNSIGNED(name, bytes) {PARAMETER_UNSIGNED, #name, bytes},
#define INT(name, value) {PARAMETER_INT, #name, value},
#define BYTES(name, n)
#include "tables/kernels.def"

/* In the order of GnpKernelId: both include the same table. */
static const struct {
    const char *file, *header, *code;
    const Parameter *parameters;
} rows[] = {
#define KERNEL(file, header, parameters, code) {#file, header, code, parameters_of_##file},
#define LIKE(file, other, header, code) {#file, header, code, parameters_of_##other},
#define INDEX
#define TYPE(name, dtype)
#define UNSIGNED(name, bytes)
#define INT(name, value)
#define BYTES(name, n)
#include "tables/kernels.def"
};

/* Device types, by dtype. */
static const char *const device_types[] = {
#define DTYPE(id, letter, name, user, device, cls, nbytes, dlcode, compute, real, complex) device,
#include "tables/dtypes.def"
};
static const char device_classes[] = {
#define DTYPE(id, letter, name, user, device, cls, nbytes, dlcode, compute, real, complex) cls,
#include "tables/dtypes.def"
};

/* In the order of the enum Access; their number is fixed by what kernels distinguish. */
const char *const gnp_access_names[] = {"ACCESS_CONTIGUOUS", "ACCESS_BROADCAST",
                                        "ACCESS_SCALAR",     "ACCESS_ROW_BROADCAST",
                                        "ACCESS_STRIDED",    "ACCESS_TRANSPOSED"};

/* The dtype as kernels see it: all units of time, which are numbered beyond the table, are one
 * type. Units differ on the host only: the kernel sees 64-bit integers. */
static int
device_dtype(int dtype)
{
    return dtype < GNP_NDTYPES ? dtype : GNP_TIME;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Moving elements needs their size only, so all dtypes of a size share a kernel. */
const char *
gnp_item_type(int bytes)
{
    switch (bytes) {
    case 1:
        return "u8";
    case 2:
        return "u16";
    case 4:
        return "u32";
    case 8:
        return "u64";
    default:
        return "Vec<u32, 4>";
    }
}

/* Times have operators of their own, in a header that is included before the row's; so have complex
 * numbers where the expression calls functions. The parameters' values follow the head in the
 * struct, as 32-bit numbers in the order of the row; `Index` has none, since it is spec->wide. */
static const char *
first_header(const char *header, const GnpSpec *spec, const Parameter *p)
{
    const int calls = strcmp(header, "math.cuh") == 0 || strcmp(header, "accumulators.cuh") == 0;
    const char *first = NULL;
    const int32_t *value = (const int32_t *)(spec + 1);
    for (; p->name != NULL; p++) {
        if (p->kind == PARAMETER_TYPE && device_classes[device_dtype(*value)] == 'm') {
            return "datetime.cuh";
        }
        if (p->kind == PARAMETER_TYPE && device_classes[device_dtype(*value)] == 'c' && calls) {
            first = "complex.cuh";
        }
        value += p->kind != PARAMETER_INDEX;
    }
    return first;
}

static void
write_types(GnpText *out, const GnpSpec *spec, const Parameter *p)
{
    const int32_t *value = (const int32_t *)(spec + 1); /* all parameters, one behind the other */
    for (; p->name != NULL; p++) {
        if (p->kind == PARAMETER_INDEX) {
            gnp_text_add(out, "typedef %s Index;\n", spec->wide ? "u64" : "u32");
            continue;
        }
        if (p->kind == PARAMETER_TYPE) {
            gnp_text_add(out, "typedef %s %s;\n", device_types[device_dtype(*value)], p->name);
        }
        else if (p->kind == PARAMETER_UNSIGNED) {
            gnp_text_add(out, "typedef %s %s;\n", gnp_item_type(*value), p->name);
        }
        value++;
    }
}

static void
write_numbers(GnpText *out, const GnpSpec *spec, const Parameter *p)
{
    const int32_t *value = (const int32_t *)(spec + 1);
    const char *before = "enum { ";
    for (; p->name != NULL; p++) {
        if (p->kind == PARAMETER_INT) {
            gnp_text_add(out, "%s%s = %d", before, p->name, *value);
            before = ", ";
        }
        value += p->kind != PARAMETER_INDEX;
    }
    if (*before == ',') {
        gnp_text_add(out, " };\n");
    }
}

/* Types before numbers: the texts of kernels may use both, in any order, behind them. */
static void
write_text(GnpText *out, const GnpSpec *spec, const char *header, const char *code, size_t bytes)
{
    const Parameter *parameters = rows[spec->kernel].parameters;
    const char *first =
        header == NULL ? first_header(rows[spec->kernel].header, spec, parameters) : header;
    if (first != NULL) {
        gnp_text_add(out, "#include \"%s\"\n", first);
    }
    gnp_text_add(out, "#include \"%s\"\n", rows[spec->kernel].header);
    write_types(out, spec, parameters);
    write_numbers(out, spec, parameters);
    gnp_text_add_bytes(out, code, bytes);
}

/* ---- compiling ------------------------------------------------------------------------------- */

/* Structured dtypes have no type in kernels, and their items no size that kernels move. A kernel
 * whose key names one is never made, so that a caller that forgot to refuse it does no harm. */
static int
check_types(const GnpSpec *spec)
{
    const int32_t *value = (const int32_t *)(spec + 1);
    for (const Parameter *p = rows[spec->kernel].parameters; p->name != NULL; p++) {
        const int odd = p->kind == PARAMETER_UNSIGNED &&
                        (*value < 1 || *value > 16 || (*value & (*value - 1)) != 0);
        if (odd || (p->kind == PARAMETER_TYPE && *value >= GNP_STRUCTURED)) {
            PyErr_Format(PyExc_TypeError, "%s is not supported for structured arrays",
                         rows[spec->kernel].file);
            return -1;
        }
        value += p->kind != PARAMETER_INDEX;
    }
    return 0;
}

/* The writer runs before compiling, so it may fail with an exception of its own. The kernel is
 * kept under the key; that of the source is kept in rt/kernel.c too, where another key may
 * lead to it. */
static GnpKernel *
make(GnpDevice *device, const GnpSpec *spec, GnpKernelWriter writer, const void *context)
{
    const char *file = rows[spec->kernel].file;
    GnpKernelText text = {.header = NULL}; /* owned */
    GnpText knobs = {0};                   /* owned */
    GnpKernel *kernel = NULL;
    char path[64];

    GNP_TRY(check_types(spec));
    snprintf(path, sizeof path, "%s.cu", file);
    if (writer != NULL) {
        GNP_TRY(writer(&text, context));
    }
    GNP_TRY(gnp_text_finish(&text.code));
    GNP_TRY(gnp_text_finish(&text.name));
    write_text(&knobs, spec, text.header, text.code.text, text.code.used);
    GNP_TRY(gnp_text_finish(&knobs));
    GnpKernelSource source = {.file = path,
                              .entry = file,
                              .name = text.name.used > 0 ? text.name.text : file,
                              .knobs = knobs.text,
                              .knobs_bytes = knobs.used,
                              .user = text.user};
    GNP_NEW(kernel, gnp_kernel_get(device, &source));
    if (gnp_kernel_keep(spec, kernel) < 0) {
        kernel = NULL;
    }
fail:
    gnp_text_clear(&text.code);
    gnp_text_clear(&text.name);
    gnp_text_clear(&knobs);
    return kernel;
}

/* One lookup on the path of every launch. */
GnpKernel *
gnp_kernel_find(GnpDevice *device, GnpSpec *spec, GnpKernelWriter writer, const void *context)
{
    spec->device = device->id;
    GnpKernel *kernel = gnp_kernel_known(spec);
    if (GNP_LIKELY(kernel != NULL)) {
        return GNP_UNLIKELY(gnp_ahead_is_asking()) ? NULL : kernel;
    }
    return make(device, spec, writer, context);
}

typedef struct {
    GnpDevice *device;
    GnpSpec *const *specs;
    int n;
} Specs;

/* For gnp_ahead_begin. */
static void
ask_for_others(void *context)
{
    const Specs *s = context;
    for (int i = 1; i < s->n; i++) {
        (void)gnp_kernel_find(s->device, s->specs[i], NULL, NULL);
    }
}

int
gnp_kernels_find(GnpDevice *device, GnpSpec *const *specs, GnpKernel **kernels, int n)
{
    Specs all = {device, specs, n};
    const GnpAhead ahead = {ask_for_others, &all}, *before = gnp_ahead_begin(&ahead);
    int ret = -1;
    for (int i = 0; i < n; i++) {
        GNP_NEW(kernels[i], gnp_kernel_find(device, specs[i], NULL, NULL));
    }
    ret = 0;
fail:
    gnp_ahead_end(before);
    return ret;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* 2^31 - 1 is the limit of the grid's first axis; kernels with several elements per thread reach it
 * only beyond the memory of a device. */
int
gnp_launch_blocks(const GnpKernel *kernel, int64_t blocks, int threads, CUstream stream, void **arg)
{
    if (blocks > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "array is too big for one launch");
        return -1;
    }
    const unsigned grid[3] = {(unsigned)blocks, 1, 1}, block[3] = {(unsigned)threads, 1, 1};
    return gnp_launch(kernel, grid, block, 0, stream, arg);
}

/* ---- for Python ------------------------------------------------------------------------------ */

/* {file: text}: the parameters' defaults, with which every kernel compiles alone. */
static PyObject *
kernel_defaults(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    PyObject *ret = PyDict_New(); /* returned */
    for (size_t i = 0; ret != NULL && i < sizeof rows / sizeof *rows; i++) {
        struct {
            GnpSpec head;
            int32_t value[64];
            /* Large enough for the longest row: the text is written from the row, not from a struct
             * of its own. */
        } spec = {.head.kernel = i};
        GnpText text = {0}; /* owned */
        int32_t *value = spec.value;
        for (const Parameter *p = rows[i].parameters; p->name != NULL; p++) {
            if (p->kind != PARAMETER_INDEX) {
                *value++ = p->value;
            }
        }
        write_text(&text, &spec.head, NULL, rows[i].code, strlen(rows[i].code));
        PyObject *words = gnp_text_finish(&text) < 0 ? NULL : PyUnicode_FromString(text.text);
        if (words == NULL || PyDict_SetItemString(ret, rows[i].file, words) < 0) {
            Py_CLEAR(ret);
        }
        Py_XDECREF(words);
        gnp_text_clear(&text);
    }
    return ret;
}

static PyMethodDef functions[] = {
    {"_kernel_defaults", kernel_defaults, METH_NOARGS,
     "The default compile-time parameters of each kernel, as text."},
    {NULL, NULL, 0, NULL},
};

int
gnp_specs_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
