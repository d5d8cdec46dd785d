/* Parameters of the user's kernels (ElementwiseKernel, ReductionKernel): their grammar, the types a
 * call gives them, and the generated source. */
#ifndef GNP_KERNEL_PARAMS_H
#define GNP_KERNEL_PARAMS_H

#include "user/user.h"

/* Parameters of a kernel, those that are raw included. */
enum { GNP_MAX_PLACEHOLDERS = 64, GNP_MAX_USER_PARAMS = 64 };

/* One of "float32 x, T y, raw S z". */
typedef struct {
    const char *name, *type;                    /* parts of the list's text */
    GnpDtype dtype;                             /* GNP_NO_DTYPE: a placeholder */
    int placeholder;                            /* its number, or -1 */
    char is_raw, is_const, is_output, is_whole; /* is_whole: the code uses _raw_NAME, too */
} GnpKernelParam;

/* Inputs, then outputs. Immutable. */
typedef struct {
    int nin, nout, n;
    int nplaceholders, nraw;
    char letter[GNP_MAX_PLACEHOLDERS];
    GnpKernelParam *param; /* owned */
    char *text;            /* owned: where the names and types are */
} GnpKernelParams;

/* From the two lists. ValueError or TypeError names the parameter. */
int gnp_params_parse(GnpKernelParams *p, PyObject *in_params, PyObject *out_params);
void gnp_params_clear(GnpKernelParams *p);
/* Tuples of gpunp._core ParameterInfo: from `first` on. */
PyObject *gnp_params_tuple(const GnpKernelParams *p, int first, int n);
int gnp_params_init_type(PyObject *module);
/* -1 with TypeError: the argument is neither an array nor a number. */
int gnp_params_refuse(PyObject *kernel, const GnpKernelParam *param, PyObject *object);

/* The dtype of each parameter: `type` has a dtype for every placeholder. */
static inline GnpDtype
gnp_param_dtype(const GnpKernelParam *p, const int8_t *type)
{
    return p->placeholder < 0 ? p->dtype : (GnpDtype)type[p->placeholder];
}

/* The dtype of each placeholder, from the arguments of a call (arrays, numbers, NULL for outputs
 * not given). Arrays determine it, outputs first; where a placeholder has none, NumPy's scalars and
 * then Python's. TypeError names the argument and the kernel. */
int gnp_params_types(const GnpKernelParams *p, PyObject *kernel, PyObject *const *arg,
                     int8_t type[GNP_MAX_PLACEHOLDERS]);

/* `typedef float T;` for each placeholder. */
void gnp_write_typedefs(GnpText *t, const GnpKernelParams *p, const int8_t *type);
/* What belongs to the code beside its own text. Options that define (-D) come last. */
typedef struct {
    const char *name, *preamble;
    const char **options; /* owned */
    int noptions, has_atomics;
} GnpUserText;

/* The text at *at, which moves to the next one: texts lie one behind the other, each with its NUL.
 */
const char *gnp_next_text(const char **at);

/* Reads `n` options from `at`, the compiler's first. -1 with MemoryError. */
int gnp_take_options(GnpUserText *text, const char *at, Py_ssize_t n);
/* The options for the compiler: those that do not define. */
int gnp_compiler_options(const GnpUserText *text);
/* The name in an option that defines one, which has `length` bytes; 0: it has none. */
const char *gnp_defined_name(const char *option, int *length);

/* 1 when any of the types is complex, or the text mentions complex types. */
int gnp_mentions_complex(const GnpKernelParams *p, const int8_t *type, const char *text);
/* The head: the text before our namespace, and the beginning of that. */
void gnp_write_head(GnpText *t, int with_complex);

/* What the text of a kernel consists of, part by part. */

/* After the head: the headers for the user, definitions of the options, placeholders, preamble.
 * `text` is all of the code, to find out what it needs. */
void gnp_write_user_start(GnpText *t, const GnpKernelParams *p, const int8_t *type,
                          const GnpUserText *text, int with_complex);
/* `text` with a #line that names the kernel and the part. */
void gnp_write_part(GnpText *t, const char *name, const char *part, const char *text);
/* The same with `return BEFORE(text);`. */
void gnp_write_expression(GnpText *t, const char *before, const char *name, const char *part,
                          const char *text);
/* `const CArray<T, 2, ...> x(PLACE.x);` */
void gnp_write_raw(GnpText *t, const GnpKernelParam *param, const GnpArray *a, const char *place);
/* How the code accesses a raw argument, as the second of two bytes of a key; the first is a dtype
 * with a spare bit, which tells 64 axes from none. */
void gnp_raw_form(const GnpArray *a, unsigned char form[2]);
/* The placeholder, or the type's name. */
static inline const char *
gnp_param_type(const GnpKernelParam *p)
{
    return p->placeholder >= 0 ? p->type : gnp_dtypes[p->dtype].user_name;
}
/* Keeps the source by the dtypes of the parameters. */
int gnp_keep_source(PyObject *codes, const GnpKernelParams *p, const int8_t *type,
                    const GnpText *text);

/* The only source so far: RuntimeError where there is none, a warning where there are several. */
PyObject *gnp_only_code(PyObject *codes);

/* ---- scanning C++ text ----------------------------------------------------------------------- */

/* The first occurrence of `word` as a whole identifier, outside comments and literals, at or after
 * `from`; NULL if there is none. */
const char *gnp_find_word(const char *from, const char *word);
/* 1 when the code assigns `name` on every path before reading it. */
int gnp_is_overwritten(const char *code, const char *name);

/* Code indexes raw arrays by their strides and loads elements whole, so unaligned ones are replaced
 * by aligned copies, in `array`; after the launch write_back copies into the arrays that were given
 * what the code may have written, unless they are read-only. */
int gnp_params_align_raw(const GnpKernelParams *p, GnpArray **array);
int gnp_params_write_back(const GnpKernelParams *p, GnpArray *const *array, PyObject *const *given);

#endif
