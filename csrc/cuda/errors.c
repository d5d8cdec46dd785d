/* Names and texts of error codes, available without a driver. */
#include "cuda/cuda.h"

#include <stdio.h>

typedef struct {
    int code;
    const char *name, *text;
} ErrorRow;

static const ErrorRow rows[] = {
#define CUDA_ERROR_ROW(number, name, text) {number, "CUDA_ERROR_" #name, text},
#include "tables/cuda_errors.def"
};

static const ErrorRow *
find_row(CUresult code)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].code == code) {
            return &rows[i];
        }
    }
    return NULL;
}

const char *
gnp_cuda_error_name(CUresult code)
{
    static _Thread_local char unknown[32];
    const ErrorRow *row = find_row(code);
    if (row != NULL) {
        return code == CUDA_SUCCESS ? "CUDA_SUCCESS" : row->name;
    }
    const GnpDriver *driver = gnp_cuda_driver_if_open();
    const char *name = NULL;
    if (driver != NULL && driver->api.cuGetErrorName(code, &name) == 0 && name != NULL) {
        return name;
    }
    snprintf(unknown, sizeof unknown, "unknown error %d", code);
    return unknown;
}

const char *
gnp_cuda_error_string(CUresult code)
{
    const ErrorRow *row = find_row(code);
    if (row != NULL) {
        return row->text;
    }
    const GnpDriver *driver = gnp_cuda_driver_if_open();
    const char *text = NULL;
    if (driver != NULL && driver->api.cuGetErrorString(code, &text) == 0 && text != NULL) {
        return text;
    }
    return "no description";
}

const char *
gnp_cuda_nvrtc_error_name(nvrtcResult code)
{
    /* The numbers of nvrtc.h, in order from 0. */
    static const char *const names[] = {
        "NVRTC_SUCCESS",
        "NVRTC_ERROR_OUT_OF_MEMORY",
        "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
        "NVRTC_ERROR_INVALID_INPUT",
        "NVRTC_ERROR_INVALID_PROGRAM",
        "NVRTC_ERROR_INVALID_OPTION",
        "NVRTC_ERROR_COMPILATION",
        "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
        "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
        "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
        "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
        "NVRTC_ERROR_INTERNAL_ERROR",
        "NVRTC_ERROR_TIME_FILE_WRITE_FAILED",
        "NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED",
        "NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED",
        "NVRTC_ERROR_PCH_CREATE",
        "NVRTC_ERROR_CANCELLED",
    };
    if (code >= 0 && (size_t)code < sizeof names / sizeof names[0]) {
        return names[code];
    }
    return "unknown NVRTC error";
}
