/* The linker: several PTX texts become one, which is also its "cubin".
 *
 * Inputs are PTX, fatbins, and host objects and archives that fatbins with PTX are embedded in. The
 * driver's cuLink functions stand here; the same linker under nvJitLink's names in jit_link.c. */
#include "emu/driver.h"
#include "emu/fatbin.h"

#include <stdlib.h>
#include <string.h>

/* A text after the first loses its header directives: one module has one header. */
static void
blank_header(char *text)
{
    static const char *const header[] = {".version", ".target", ".address_size"};
    for (size_t i = 0; i < sizeof header / sizeof header[0]; i++) {
        char *at = strstr(text, header[i]);
        for (; at != NULL && *at != '\0' && *at != '\n'; at++) {
            *at = ' ';
        }
    }
}

/* Adds a text of `bytes` bytes without its NUL. */
static CUresult
add_text(EmuLinkText *link, const char *text, size_t bytes)
{
    while (bytes > 0 && text[bytes - 1] == '\0') {
        bytes--;
    }
    char *grown = realloc(link->text, link->used + bytes + 2);
    if (grown == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    link->text = grown;
    char *start = grown + link->used;
    memcpy(start, text, bytes);
    memcpy(start + bytes, "\n", 2);
    if (link->inputs++ > 0) {
        blank_header(start);
    }
    link->used += bytes + 1;
    return 0;
}

/* Host objects and archives: every fatbin in them lies at a multiple of eight bytes of its section,
 * and sections at a multiple of two of the file. */
static CUresult
add_embedded(EmuLinkText *link, const char *file, size_t bytes, EmuLog *log)
{
    CUresult result = CUDA_ERROR_NO_BINARY_FOR_GPU;
    for (size_t at = 0; at + EMU_FATBIN_HEADER <= bytes; at += 2) {
        if (!emu_fatbin_at(file + at, bytes - at)) {
            continue;
        }
        char *owned = NULL;
        const char *text;
        size_t text_bytes;
        if (emu_image_ptx(file + at, &text, &text_bytes, &owned, NULL) == 0) {
            result = add_text(link, text, text_bytes);
            free(owned);
            EMU_TRY(result);
        }
    }
    if (result != 0) {
        emu_log_error(log, "no PTX in the file: the emulated device takes PTX only\n");
    }
    return result;
}

CUresult
emu_link_add(EmuLinkText *link, const void *image, size_t bytes, EmuLog *log)
{
    const char *file = image;
    int object = bytes > 4 && (memcmp(file,
                                      "\x7f"
                                      "ELF",
                                      4) == 0 ||
                               memcmp(file, "!<ar", 4) == 0);
    if (object) {
        return add_embedded(link, file, bytes, log);
    }
    if (bytes >= EMU_FATBIN_HEADER && memcmp(file, "\x50\xed\x55\xba", 4) == 0 &&
        !emu_fatbin_at(file, bytes)) {
        emu_log_error(log, "the fatbin is cut short\n");
        return CUDA_ERROR_INVALID_IMAGE;
    }
    const char *text;
    char *owned = NULL, *copy = malloc(bytes + 1); /* texts need not end in a NUL */
    size_t text_bytes;
    if (copy == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memcpy(copy, image, bytes);
    copy[bytes] = '\0';
    CUresult result = emu_image_ptx(copy, &text, &text_bytes, &owned, log);
    if (result == 0) {
        result = add_text(link, text, text_bytes);
    }
    free(owned);
    free(copy);
    return result;
}

/* ---- cuLink --------------------------------------------------------------------------------- */

typedef struct {
    EmuHandle head;
    EmuJitOptions jit;
    EmuLinkText linked;
} Link;

static void
link_destroy(void *object)
{
    Link *link = object;
    free(link->linked.text);
}

CUresult
cuLinkCreate_v2(unsigned int count, CUjit_option *options, void **values, CUlinkState *out)
{
    Context *context;
    EMU_TRY_ENTER_CONTEXT(cuLinkCreate_v2, context);
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    Link *link = emu_handle_new(KIND_LINK, sizeof *link, link_destroy);
    if (link == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    CUresult result = emu_jit_read(&link->jit, count, options, values);
    if (result != 0) {
        emu_handle_close(link);
        return result;
    }
    *out = (CUlinkState)link;
    return 0;
}

static CUresult
check_input(CUjitInputType type)
{
    switch (type) {
    case CU_JIT_INPUT_PTX:
    case CU_JIT_INPUT_FATBINARY:
    case CU_JIT_INPUT_OBJECT:
    case CU_JIT_INPUT_LIBRARY:
    case CU_JIT_INPUT_CUBIN: /* what an earlier link resulted in is PTX under that name */
        return 0;
    case CU_JIT_INPUT_NVVM:
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult
cuLinkAddData_v2(CUlinkState handle, CUjitInputType type, void *data, size_t bytes,
                 const char *name, unsigned int count, CUjit_option *options, void **values)
{
    (void)name, (void)count, (void)options, (void)values;
    EMU_TRY_ENTER(cuLinkAddData_v2);
    Link *link = emu_handle_get(handle, KIND_LINK);
    if (link == NULL) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (data == NULL || bytes == 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(check_input(type));
    CUresult result = emu_link_add(&link->linked, data, bytes, &link->jit.log);
    emu_jit_write_sizes(&link->jit);
    return type == CU_JIT_INPUT_CUBIN && result == CUDA_ERROR_INVALID_IMAGE
               ? CUDA_ERROR_NO_BINARY_FOR_GPU
               : result;
}

CUresult
cuLinkAddFile_v2(CUlinkState handle, CUjitInputType type, const char *path, unsigned int count,
                 CUjit_option *options, void **values)
{
    char *file;
    size_t bytes;
    (void)count, (void)options, (void)values;
    EMU_TRY_ENTER(cuLinkAddFile_v2);
    Link *link = emu_handle_get(handle, KIND_LINK);
    if (link == NULL) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    EMU_TRY(check_input(type));
    EMU_TRY(emu_read_file(path, &file, &bytes));
    CUresult result = emu_link_add(&link->linked, file, bytes, &link->jit.log);
    emu_jit_write_sizes(&link->jit);
    free(file);
    return result;
}

CUresult
cuLinkComplete(CUlinkState handle, void **out, size_t *bytes)
{
    EMU_TRY_ENTER(cuLinkComplete);
    Link *link = emu_handle_get(handle, KIND_LINK);
    if (link == NULL) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (link->linked.text == NULL || out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = link->linked.text;
    if (bytes != NULL) {
        *bytes = link->linked.used + 1;
    }
    return 0;
}

CUresult
cuLinkDestroy(CUlinkState handle)
{
    EMU_TRY_ENTER(cuLinkDestroy);
    Link *link = emu_handle_get(handle, KIND_LINK);
    if (link == NULL) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    emu_handle_close(link);
    return 0;
}

/* The names before sizes had 64 bits; they never differed otherwise. */

CUresult
cuLinkCreate(unsigned int count, CUjit_option *options, void **values, CUlinkState *out)
{
    EMU_TRY_ENTER(cuLinkCreate);
    return cuLinkCreate_v2(count, options, values, out);
}

CUresult
cuLinkAddData(CUlinkState link, CUjitInputType type, void *data, size_t bytes, const char *name,
              unsigned int count, CUjit_option *options, void **values)
{
    EMU_TRY_ENTER(cuLinkAddData);
    return cuLinkAddData_v2(link, type, data, bytes, name, count, options, values);
}

CUresult
cuLinkAddFile(CUlinkState link, CUjitInputType type, const char *path, unsigned int count,
              CUjit_option *options, void **values)
{
    EMU_TRY_ENTER(cuLinkAddFile);
    return cuLinkAddFile_v2(link, type, path, count, options, values);
}
