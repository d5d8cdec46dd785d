/* The options of loading and linking, and files. */
#include "emu/driver/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options --------------------------------------------------------------------------------- */

enum { OPTIONS = CU_JIT_SPLIT_COMPILE + 1, CACHE_MODES = 3 };

/* Code is compiled for one target, and this is it; a newer or older one is no source for it. */
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

CUresult
emu_jit_read(EmuJitOptions *jit, unsigned count, const CUjit_option *options, void **values)
{
    memset(jit, 0, sizeof *jit);
    if (count > 0 && (options == NULL || values == NULL)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (unsigned i = 0; i < count; i++) {
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
        default:
            break;
        }
    }
    if (jit->info != NULL && jit->info_capacity > 0) {
        jit->info[0] = '\0';
    }
    if (jit->log.error != NULL && jit->log.error_capacity > 0) {
        jit->log.error[0] = '\0';
    }
    return 0;
}

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
