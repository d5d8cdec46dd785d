/* nvJitLink's functions over this device's linker.
 *
 * Programs that compile for themselves (Numba, cuda.core) link with nvJitLink, not with the driver,
 * and a real one makes machine code that no CPU runs. This one is found in its place under the name
 * libnvJitLink.so.N in the directory that also holds libcuda.so.1; its "cubin" is PTX. It needs no
 * context. Names, options and codes are those of nvJitLink.h.
 *
 * LTO-IR is NVVM's secret, so the real library, if there is one, turns it into PTX ("-lto -ptx",
 * which needs no driver), and that is linked here.
 *
 * A link belongs to the thread that uses it: like nvJitLink's own handles it has no lock. The
 * functions call none of the driver's entries, so they pass no gate. */
#include "emu/driver/driver.h"
#include "emu/ptx/ptx.h"

#include <dlfcn.h>
#include <link.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Only the codes that are returned here; numbers are those of nvJitLinkResult. */
typedef enum {
    JIT_SUCCESS = 0,
    JIT_UNRECOGNIZED_OPTION = 1,
    JIT_MISSING_ARCH = 2,
    JIT_INVALID_INPUT = 3,
    JIT_PTX_COMPILE = 4,
    JIT_INTERNAL = 6,
    JIT_UNRECOGNIZED_INPUT = 8,
    JIT_NULL_INPUT = 10,
    JIT_INCOMPATIBLE_OPTIONS = 11,
    JIT_INCORRECT_INPUT_TYPE = 12,
    JIT_MISSING_FATBIN = 15,
    JIT_UNRECOGNIZED_ARCH = 16,
    JIT_UNSUPPORTED_ARCH = 17,
    JIT_LTO_NOT_ENABLED = 18
} JitResult;

typedef enum {
    INPUT_CUBIN = 1,
    INPUT_PTX = 2,
    INPUT_LTOIR = 3,
    INPUT_FATBIN = 4,
    INPUT_OBJECT = 5,
    INPUT_LIBRARY = 6,
    INPUT_ANY = 10
} JitInput;

/* JIT_MAGIC at the start of a handle tells a link from other pointers, as far as reading its first
 * word can. */
enum { JIT_MAGIC = 0x6a69746c, ERROR_BYTES = 4096 };

/* Inputs are copied, since nvJitLinkAddData lets the caller free its data at once. */
typedef struct Lto { /* one LTO-IR input */
    struct Lto *next;
    char *name; /* owned; NULL for none */
    size_t bytes;
    char data[];
} Lto;

/* `options` are kept for the real library, which may have to be called when the link is completed.
 */
typedef struct {
    uint32_t magic;
    int lto, complete;
    uint32_t option_count;
    char **options; /* owned */
    Lto *first, **last;
    EmuLinkText linked;
    EmuLog log;
    char errors[ERROR_BYTES];
} Jit;

/* Prefixes: an option is known when it starts with one of them. */
static const char *const known_options[] = {
    "-arch=",
    "-maxrregcount=",
    "-time",
    "-verbose",
    "-lto",
    "-ptx",
    "-O",
    "-g",
    "-lineinfo",
    "-ftz=",
    "-prec-div=",
    "-prec-sqrt=",
    "-fma=",
    "-kernels-used=",
    "-variables-used=",
    "-optimize-unused-variables",
    "-Xptxas=",
    "-Xnvvm=",
    "-split-compile=",
    "-split-compile-extended=",
    "-jump-table-density=",
    "-no-cache",
    "-device-stack-protector",
};

/* Unknown options are refused as the library does, so that a mistake shows here and not first on a
 * GPU. */
static int
is_known(const char *option)
{
    for (size_t i = 0; i < sizeof known_options / sizeof known_options[0]; i++) {
        if (strncmp(option, known_options[i], strlen(known_options[i])) == 0) {
            return 1;
        }
    }
    return 0;
}

/* "sm_90" and the like, with the library's answers (13.0): what is no such word is no option, some
 * architectures are unknown, others too old or too new. What follows the digits is not looked at.
 */
static JitResult
check_arch(const char *word, int *is_virtual)
{
    static const char *const kinds[] = {"sm_", "compute_", "lto_"};
    static const short known[] = {50, 52, 53, 60, 61, 62, 70,  72,  75, /* libraries of 12.x */
                                  80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121};
    const char *digits = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t n = strlen(kinds[i]);
        if (strncmp(word, kinds[i], n) == 0) {
            digits = word + n;
            *is_virtual |= i > 0;
        }
    }
    /* Fewer than two digits are no architecture. */
    size_t n = digits == NULL ? 0 : strspn(digits, "0123456789");
    if (n < 2) {
        return JIT_UNRECOGNIZED_OPTION;
    }
    long number = n > 4 ? 99999 : strtol(digits, NULL, 10);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i] == number) {
            return JIT_SUCCESS;
        }
    }
    return number < known[0] || number > 999 ? JIT_UNSUPPORTED_ARCH : JIT_UNRECOGNIZED_ARCH;
}

/* What is wrong with the options, if anything. Each error of the real library is reproduced in its
 * order: unknown options, the architecture, then combinations. */
static JitResult
check_options(uint32_t count, const char *const *options)
{
    int arch = 0, lto = 0, ptx = 0, is_virtual = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (options[i] == NULL || !is_known(options[i])) {
            return JIT_UNRECOGNIZED_OPTION;
        }
        if (strncmp(options[i], "-arch=", 6) == 0) {
            JitResult result = check_arch(options[i] + 6, &is_virtual);
            if (result != JIT_SUCCESS) {
                return result;
            }
            arch = 1;
        }
        lto |= strcmp(options[i], "-lto") == 0;
        ptx |= strcmp(options[i], "-ptx") == 0;
    }
    if (!arch) {
        return JIT_MISSING_ARCH;
    }
    /* A virtual architecture has no machine code, and PTX comes from link-time optimisation only.
     */
    return (is_virtual && !(lto && ptx)) || (ptx && !lto) ? JIT_INCOMPATIBLE_OPTIONS : JIT_SUCCESS;
}

/* Frees a link in any state of construction. */
static void
discard(Jit *jit)
{
    for (uint32_t i = 0; i < jit->option_count; i++) {
        free(jit->options[i]);
    }
    free(jit->options);
    while (jit->first != NULL) {
        Lto *next = jit->first->next;
        free(jit->first->name);
        free(jit->first);
        jit->first = next;
    }
    free(jit->linked.text);
    free(jit);
}

static JitResult
create(Jit **out, uint32_t count, const char *const *options)
{
    int lto = 0;
    if (out == NULL || (count > 0 && options == NULL)) {
        return JIT_NULL_INPUT;
    }
    *out = NULL;
    JitResult result = check_options(count, options);
    if (result != JIT_SUCCESS) {
        return result;
    }
    for (uint32_t i = 0; i < count; i++) {
        lto |= strcmp(options[i], "-lto") == 0;
    }
    Jit *jit = calloc(1, sizeof *jit);
    if (jit == NULL) {
        return JIT_INTERNAL;
    }
    jit->magic = JIT_MAGIC;
    jit->lto = lto;
    jit->last = &jit->first;
    jit->log = (EmuLog){.error = jit->errors, .error_capacity = sizeof jit->errors};
    /* The options outlive the caller's array. */
    jit->options = calloc(count + 1, sizeof *jit->options); /* one more for "-ptx" */
    for (; jit->options != NULL && jit->option_count < count; jit->option_count++) {
        jit->options[jit->option_count] = strdup(options[jit->option_count]);
        if (jit->options[jit->option_count] == NULL) {
            break;
        }
    }
    if (jit->option_count < count || jit->options == NULL) {
        discard(jit);
        return JIT_INTERNAL;
    }
    *out = jit;
    return JIT_SUCCESS;
}

static int
is_link(const Jit *jit)
{
    return jit != NULL && jit->magic == JIT_MAGIC;
}

/* The magic number is cleared before the memory goes, so that a second call with the handle is
 * likely to be recognised. */
static JitResult
destroy(Jit **jit)
{
    if (jit == NULL || !is_link(*jit)) {
        return JIT_NULL_INPUT;
    }
    (*jit)->magic = 0;
    discard(*jit);
    *jit = NULL;
    return JIT_SUCCESS;
}

/* Kept until nvJitLinkComplete: the real library needs all LTO-IR inputs at once. */
static JitResult
add_lto(Jit *jit, const void *data, size_t bytes, const char *name)
{
    if (!jit->lto) {
        return JIT_LTO_NOT_ENABLED;
    }
    Lto *input = malloc(sizeof *input + bytes);
    if (input == NULL) {
        return JIT_INTERNAL;
    }
    *input = (Lto){.bytes = bytes, .name = name != NULL ? strdup(name) : NULL};
    memcpy(input->data, data, bytes);
    *jit->last = input;
    jit->last = &input->next;
    return JIT_SUCCESS;
}

/* All other types are recognised by their content, so the type given decides only between LTO-IR
 * and the rest. */
static JitResult
add_data(Jit *jit, int type, const void *data, size_t bytes, const char *name)
{
    if (!is_link(jit) || data == NULL) {
        return JIT_NULL_INPUT;
    }
    switch (type) {
    case INPUT_LTOIR:
        return add_lto(jit, data, bytes, name);
    case INPUT_CUBIN: /* what an earlier link resulted in is PTX under that name */
    case INPUT_PTX:
    case INPUT_FATBIN:
    case INPUT_OBJECT:
    case INPUT_LIBRARY:
    case INPUT_ANY:
        break;
    default:
        return JIT_UNRECOGNIZED_INPUT;
    }
    /* Codes of the driver become those of nvJitLink. */
    switch (emu_link_add(&jit->linked, data, bytes, &jit->log)) {
    case 0:
        return JIT_SUCCESS;
    case CUDA_ERROR_OUT_OF_MEMORY:
        return JIT_INTERNAL;
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
        return JIT_MISSING_FATBIN;
    default:
        return JIT_INVALID_INPUT;
    }
}

/* The path serves as the input's name in messages. */
static JitResult
add_file(Jit *jit, int type, const char *path)
{
    char *file = NULL;
    size_t bytes;
    if (!is_link(jit) || path == NULL) {
        return JIT_NULL_INPUT;
    }
    if (emu_read_file(path, &file, &bytes) != 0) {
        emu_log_error(&jit->log, "%s cannot be read\n", path);
        return JIT_INVALID_INPUT;
    }
    JitResult result = add_data(jit, type, file, bytes, path);
    free(file);
    return result;
}

/* ---- the real library, for LTO-IR ------------------------------------------------------------ */

typedef struct {
    int (*create)(void **, uint32_t, const char *const *);
    int (*destroy)(void **);
    int (*add_data)(void *, int, const void *, size_t, const char *);
    int (*complete)(void *);
    int (*ptx_size)(void *, size_t *);
    int (*ptx)(void *, char *);
    int (*error_size)(void *, size_t *);
    int (*error)(void *, char *);
} RealLibrary;

/* The version of the library does not matter as long as it reads the input's LTO-IR; the newest is
 * tried first. */
static void *
open_file(const char *folder, int folder_length, const char *below)
{
    static const char *const names[] = {"libnvJitLink.so.13", "libnvJitLink.so.12"};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%.*s%s/%s", folder_length, folder, below, names[i]);
        /* RTLD_LOCAL: the library exports the names that this file defines. */
        void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (handle != NULL) {
            return handle;
        }
    }
    return NULL;
}

/* Beside the compilers that the process has loaded: NVRTC lies in the same folder, NVVM in the
 * toolkit's or the wheels' nvvm/lib64. A callback of dl_iterate_phdr for each loaded object; a
 * result other than 0 ends the walk. */
static int
look_beside(struct dl_phdr_info *info, size_t size, void *out)
{
    static const struct {
        const char *name, *below;
    } neighbours[] = {{"/libnvrtc.so", ""},
                      {"/libnvvm.so", ""},
                      {"/libnvvm.so", "/../../lib"},
                      {"/libnvvm.so", "/../../lib64"},
                      {"/libnvvm.so", "/../../nvjitlink/lib"}};
    (void)size;
    for (size_t i = 0; i < sizeof neighbours / sizeof neighbours[0]; i++) {
        const char *at = strstr(info->dlpi_name, neighbours[i].name);
        if (at != NULL && *(void **)out == NULL) {
            *(void **)out =
                open_file(info->dlpi_name, (int)(at - info->dlpi_name), neighbours[i].below);
        }
    }
    return *(void **)out != NULL;
}

/* By absolute paths only: the bare name would find this library again. */
static void *
open_real(void)
{
    void *handle = NULL;
    const char *home = emu_driver_settings()->toolkit;
    dl_iterate_phdr(look_beside, &handle);
    if (handle == NULL && home[0] != '\0') {
        handle = open_file(home, INT_MAX, "/lib64");
    }
    return handle != NULL ? handle : open_file("/usr/local/cuda/lib64", INT_MAX, "");
}

/* The handle is never closed, as unloading NVIDIA's libraries is not safe at exit. Functions are
 * stored through memcpy, since ISO C has no conversion between object and function pointers. */
static int
find_real(RealLibrary *real)
{
    void *handle = open_real();
    if (handle == NULL) {
        return 0;
    }
    const struct {
        void *slot;
        const char *name;
    } names[] = {
        {&real->create, "nvJitLinkCreate"},
        {&real->destroy, "nvJitLinkDestroy"},
        {&real->add_data, "nvJitLinkAddData"},
        {&real->complete, "nvJitLinkComplete"},
        {&real->ptx_size, "nvJitLinkGetLinkedPtxSize"},
        {&real->ptx, "nvJitLinkGetLinkedPtx"},
        {&real->error_size, "nvJitLinkGetErrorLogSize"},
        {&real->error, "nvJitLinkGetErrorLog"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *symbol = dlsym(handle, names[i].name);
        if (symbol == NULL) {
            return 0;
        }
        memcpy(names[i].slot, &symbol, sizeof symbol);
    }
    return 1;
}

/* Takes over the real library's log. */
static void
copy_error(Jit *jit, const RealLibrary *real, void *handle)
{
    size_t bytes = 0;
    char *text = NULL;
    if (real->error_size(handle, &bytes) == 0 && bytes > 0) {
        text = calloc(bytes + 1, 1);
    }
    if (text != NULL && real->error(handle, text) == 0) {
        emu_log_error(&jit->log, "%s", text);
    }
    free(text);
}

/* The PTX that results is one more input of this device's linker. */
static int
make_ptx(Jit *jit, const RealLibrary *real, void *handle)
{
    size_t bytes = 0;
    int result = 0;
    for (const Lto *input = jit->first; result == 0 && input != NULL; input = input->next) {
        result = real->add_data(handle, INPUT_LTOIR, input->data, input->bytes, input->name);
    }
    if (result == 0) {
        result = real->complete(handle);
    }
    if (result == 0) {
        result = real->ptx_size(handle, &bytes);
    }
    if (result != 0) {
        return result;
    }
    char *text = calloc(bytes + 1, 1);
    result = text != NULL ? real->ptx(handle, text) : JIT_INTERNAL;
    if (result == 0 && emu_link_add(&jit->linked, text, strlen(text), &jit->log) != 0) {
        result = JIT_INTERNAL;
    }
    free(text);
    return result;
}

/* A handle of the real library is made for this one link and destroyed at once. */
static JitResult
link_lto(Jit *jit)
{
    RealLibrary real;
    void *handle = NULL;
    int asks_ptx = 0;
    if (!find_real(&real)) {
        emu_log_error(&jit->log, "LTO-IR needs NVIDIA's libnvJitLink, which was not found beside "
                                 "NVRTC, NVVM, or under CUDA_HOME\n");
        return JIT_INTERNAL;
    }
    for (uint32_t i = 0; i < jit->option_count; i++) {
        asks_ptx |= strcmp(jit->options[i], "-ptx") == 0;
    }
    /* There is room for one more option (create). */
    if (!asks_ptx) {
        jit->options[jit->option_count] = strdup("-ptx");
        jit->option_count += jit->options[jit->option_count] != NULL;
    }
    int result = real.create(&handle, jit->option_count, (const char *const *)jit->options);
    if (result == 0) {
        result = make_ptx(jit, &real, handle);
        if (result != 0) {
            copy_error(jit, &real, handle);
        }
        real.destroy(&handle);
    }
    return (JitResult)result;
}

/* ---- results --------------------------------------------------------------------------------- */

/* Completing twice is allowed and does the work once. */
static JitResult
complete(Jit *jit)
{
    if (!is_link(jit)) {
        return JIT_NULL_INPUT;
    }
    if (jit->first != NULL && !jit->complete) {
        JitResult result = link_lto(jit);
        if (result != 0) {
            return result;
        }
    }
    if (jit->linked.text == NULL) {
        return JIT_INVALID_INPUT;
    }
    jit->complete = 1;
    return JIT_SUCCESS;
}

/* The size counts the final NUL, which PTX texts need when they are loaded. */
static JitResult
linked_size(Jit *jit, size_t *bytes)
{
    if (!is_link(jit) || bytes == NULL) {
        return JIT_NULL_INPUT;
    }
    if (!jit->complete) {
        return JIT_INVALID_INPUT;
    }
    *bytes = jit->linked.used + 1;
    return JIT_SUCCESS;
}

static JitResult
linked_text(Jit *jit, void *out)
{
    if (!is_link(jit) || out == NULL) {
        return JIT_NULL_INPUT;
    }
    if (!jit->complete) {
        return JIT_INVALID_INPUT;
    }
    memcpy(out, jit->linked.text, jit->linked.used + 1);
    return JIT_SUCCESS;
}

/* 0 when there is no message; otherwise with its NUL. */
static JitResult
error_size(Jit *jit, size_t *bytes)
{
    if (!is_link(jit) || bytes == NULL) {
        return JIT_NULL_INPUT;
    }
    *bytes = jit->log.error_used > 0 ? jit->log.error_used + 1 : 0;
    return JIT_SUCCESS;
}

static JitResult
error_text(Jit *jit, char *out)
{
    if (!is_link(jit) || out == NULL) {
        return JIT_NULL_INPUT;
    }
    if (jit->log.error_used > 0) {
        memcpy(out, jit->errors, jit->log.error_used + 1);
    }
    return JIT_SUCCESS;
}

/* There is nothing to inform about. */
static JitResult
info_size(Jit *jit, size_t *bytes)
{
    if (!is_link(jit) || bytes == NULL) {
        return JIT_NULL_INPUT;
    }
    *bytes = 0;
    return JIT_SUCCESS;
}

static JitResult
info_text(Jit *jit, char *out)
{
    return is_link(jit) && out != NULL ? JIT_SUCCESS : JIT_NULL_INPUT;
}

/* ---- the exported names ---------------------------------------------------------------------- */

/* A library of CUDA N exports each function under its own name, which is found by dlsym, and with
 * N's version behind it, which is what programs compiled with its header are linked to. */
#define EXPORT_AS(symbol, function, params, args)                                                  \
    EMU_EXPORT int symbol params;                                                                  \
    int symbol params                                                                              \
    {                                                                                              \
        return (int)function args;                                                                 \
    }
#define NVJITLINK(name, function, params, args)                                                    \
    EXPORT_AS(nvJitLink##name, function, params, args)                                             \
    EXPORT_AS(__nvJitLink##name##_12_0, function, params, args)                                    \
    EXPORT_AS(__nvJitLink##name##_13_0, function, params, args)

NVJITLINK(Create, create, (Jit * *a, uint32_t b, const char *const *c), (a, b, c))
NVJITLINK(Destroy, destroy, (Jit * *a), (a))
NVJITLINK(AddData, add_data, (Jit * a, int b, const void *c, size_t d, const char *e),
          (a, b, c, d, e))
NVJITLINK(AddFile, add_file, (Jit * a, int b, const char *c), (a, b, c))
NVJITLINK(Complete, complete, (Jit * a), (a))
NVJITLINK(GetLinkedCubinSize, linked_size, (Jit * a, size_t *b), (a, b))
NVJITLINK(GetLinkedCubin, linked_text, (Jit * a, void *b), (a, b))
NVJITLINK(GetLinkedPtxSize, linked_size, (Jit * a, size_t *b), (a, b))
NVJITLINK(GetLinkedPtx, linked_text, (Jit * a, char *b), (a, b))
NVJITLINK(GetErrorLogSize, error_size, (Jit * a, size_t *b), (a, b))
NVJITLINK(GetErrorLog, error_text, (Jit * a, char *b), (a, b))
NVJITLINK(GetInfoLogSize, info_size, (Jit * a, size_t *b), (a, b))
NVJITLINK(GetInfoLog, info_text, (Jit * a, char *b), (a, b))

/* From the version of the driver, which the library's versions follow. */
static JitResult
version(unsigned *major, unsigned *minor)
{
    if (major == NULL || minor == NULL) {
        return JIT_NULL_INPUT;
    }
    *major = EMU_DRIVER_VERSION / 1000;
    *minor = EMU_DRIVER_VERSION % 1000 / 10;
    return JIT_SUCCESS;
}

EXPORT_AS(nvJitLinkVersion, version, (unsigned *a, unsigned *b), (a, b))
