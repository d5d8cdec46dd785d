/* The options of loading and linking, and files.
 *
 * Shared by modules, libraries and linkers. Option values are passed as pointers: a number is in
 * the pointer itself, while a log is a pointer to the caller's buffer. */
#include "emu/driver/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options --------------------------------------------------------------------------------- */

/* Options beyond the last known number are refused. */
enum { OPTIONS = CU_JIT_SPLIT_COMPILE + 1, CACHE_MODES = 3 };

/* Code is compiled for one target, and this is it; a newer or older one is no source for it. The
 * second list tells a target that exists elsewhere from a number that is none: their errors differ.
 */
static CUresult
check_target(unsigned target)
{
    static const unsigned char known[] = {30, 32, 35, 37, 50, 52, 53,  60,  61,  62,  70,  72,
                                          75, 80, 86, 87, 89, 90, 100, 101, 103, 110, 120, 121};
    const EmuDriverSettings *settings = emu_driver_settings();
    if (target == (unsigned)(10 * settings->arch_major + settings->arch_minor)) {
        return 0;
    }
    for (size_t i = 0; i < sizeof known; i++) {
        if (known[i] == target) {
            return CUDA_ERROR_INVALID_SOURCE;
        }
    }
    return CUDA_ERROR_INVALID_IMAGE;
}

/* Keeps pointers into the caller's arrays, which must live until emu_jit_write_sizes, or, for a
 * linker, until its last call. */
CUresult
emu_jit_read(EmuJitOptions *jit, unsigned count, const CUjit_option *options, void **values)
{
    memset(jit, 0, sizeof *jit);
    if (count > 0 && (options == NULL || values == NULL)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (unsigned i = 0; i < count; i++) {
        /* The same word is a number or a buffer; which it is follows from the option. */
        unsigned number = (unsigned)(uintptr_t)values[i];
        if (options[i] < 0 || options[i] >= OPTIONS) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        switch (options[i]) {
        case CU_JIT_INFO_LOG_BUFFER:
            jit->info = values[i];
            break;
        case CU_JIT_ERROR_LOG_BUFFER:
            jit->log.error = values[i];
            break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
            /* On return the driver overwrites the value of a size option by how much it wrote,
             * hence the address of the slot. */
            jit->info_capacity = number;
            jit->info_size = &values[i];
            break;
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
            jit->log.error_capacity = number;
            jit->error_size = &values[i];
            break;
        case CU_JIT_TARGET:
            EMU_TRY(check_target(number));
            break;
        case CU_JIT_CACHE_MODE:
            if (number >= CACHE_MODES) {
                return CUDA_ERROR_INVALID_VALUE;
            }
            break;
        /* Register counts, optimisation and debug options have no effect on an interpreter. */
        default:
            break;
        }
    }
    /* Logs are empty strings even when nothing is written later. */
    if (jit->info != NULL && jit->info_capacity > 0) {
        jit->info[0] = '\0';
    }
    if (jit->log.error != NULL && jit->log.error_capacity > 0) {
        jit->log.error[0] = '\0';
    }
    return 0;
}

/* Reports the info log as empty. Called once per operation, also after a failure. */
void
emu_jit_write_sizes(const EmuJitOptions *jit)
{
    if (jit->info_size != NULL) {
        *jit->info_size = NULL;
    }
    if (jit->error_size != NULL) {
        *jit->error_size = (void *)(uintptr_t)jit->log.error_used;
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Reads to the end and does not ask for the size first, so that pipes and files that grow are read
 * too. */
CUresult
emu_read_file(const char *path, char **out, size_t *bytes)
{
    if (path == NULL || path[0] == '\0') {
        return CUDA_ERROR_INVALID_VALUE;
    }
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return CUDA_ERROR_FILE_NOT_FOUND;
    }
    size_t used = 0, capacity = 65536;
    char *text = malloc(capacity + 1);
    while (text != NULL) {
        size_t got = fread(text + used, 1, capacity - used, file);
        used += got;
        if (got == 0) {
            break;
        }
        if (used == capacity) {
            char *grown = realloc(text, 2 * capacity + 1);
            if (grown == NULL) {
                free(text);
            }
            text = grown;
            capacity *= 2;
        }
    }
    if (text != NULL && ferror(file)) { /* a directory, for example */
        free(text);
        text = NULL;
    }
    fclose(file);
    if (text == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    text[used] = '\0';
    *out = text;
    if (bytes != NULL) {
        *bytes = used;
    }
    return 0;
}
