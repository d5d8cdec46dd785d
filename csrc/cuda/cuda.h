/* The CUDA driver and NVRTC as tables of function pointers, filled by dlopen.
 *
 * No other folder depends on whether NVIDIA's driver or the emulated device was opened. This one
 * returns CUresult values and text; it sets no Python exception and calls no Python API.
 */
#ifndef GNP_CUDA_H
#define GNP_CUDA_H

#include "cuda/cuda_abi.h"

#include <stddef.h>
#include <stdint.h>

/* One pointer per row of tables/cuda_api.def; optional entries may be NULL. Entries that may wait
 * for the device, and those that put work into a stream, are in structs of their own: CU_TRY and
 * CU_DROP of rt/rt.h do not compile with them, only the macros that release the GIL do. */
typedef struct {
#define CU(name, params) CUresult(*name) params;
#define CU_WAITS(name, params)
#define CU_QUEUES(name, params)
#define CU_OPTIONAL_WAITS(name, params)
#define CU_OPTIONAL_QUEUES(name, params)
#include "tables/cuda_api.def"
    struct {
#define CU_WAITS(name, params) CUresult(*name) params;
#define CU_OPTIONAL_WAITS(name, params) CUresult(*name) params;
#define CU_QUEUES(name, params)
#define CU_OPTIONAL_QUEUES(name, params)
#include "tables/cuda_api.def"
    } waits;
    struct {
#define CU_QUEUES(name, params) CUresult(*name) params;
#define CU_OPTIONAL_QUEUES(name, params) CUresult(*name) params;
#define CU_WAITS(name, params)
#define CU_OPTIONAL_WAITS(name, params)
#include "tables/cuda_api.def"
    } queues;
} GnpDriverApi;

typedef struct {
#define NVRTC(name, params) nvrtcResult(*name) params;
#include "tables/cuda_api.def"
} GnpNvrtcApi;

typedef struct {
    GnpDriverApi api;
    int emulated;        /* 1: the emulated device */
    int driver_version;  /* 13000 for CUDA 13.0 */
    char path[1024];     /* of the library, absolute where known */
    int arch;            /* 80 when selected by GPUNP_DEVICE=emulated:sm_80, or 0 */
    char fallback[1024]; /* why `auto` took the emulated device; empty otherwise */
    /* Writes the report of the emulated device's last fault, NUL-terminated and truncated; returns
     * its length, 0 when there was none. The pointer is NULL for a real driver. */
    size_t (*last_fault)(char *text, size_t capacity);
    /* cuEmuDeviceAccess of the emulated device (emu/gpunp_emu.h); NULL for a real driver. */
    void (*device_access)(const void *address, size_t bytes, int writes, const char *what);
    void (*is_cancelled)(int *cancelled);  /* the same: cuEmuIsCancelled */
    void (*work_failed)(const char *what); /* the same: cuEmuWorkFailed */
    void (*break_captures)(int *count);    /* the same: cuEmuBreakCaptures */
    uint64_t (*cancel)(void);              /* the same: cuEmuCancel */
    /* cuEmuExtent of the emulated device: which part of an allocation is handed out; NULL for a
     * real driver. */
    void (*extent)(uint64_t address, size_t bytes);
} GnpDriver;

/* The driver, opened and cuInit-ed on first use (thread-safe). NULL when there is none: then
 * gnp_cuda_error_text() is a complete message of what was looked for, where, and what to install.
 */
const GnpDriver *gnp_cuda_driver(void);
/* Whether the first call has succeeded already; opens nothing. */
const GnpDriver *gnp_cuda_driver_if_open(void);
/* The entry of that name (a row of tables/cuda_api.def) of the open driver; NULL without one. */
void *gnp_cuda_entry(const char *name);

typedef struct {
    GnpNvrtcApi api;
    int major, minor;
    char path[1024];
} GnpNvrtc;

const GnpNvrtc *gnp_cuda_nvrtc(void); /* the same rules */
const GnpNvrtc *gnp_cuda_nvrtc_if_open(void);
/* "NVRTC_ERROR_COMPILATION"; never NULL. */
const char *gnp_cuda_nvrtc_error_name(nvrtcResult code);

/* The message of the last failed gnp_cuda_driver() or gnp_cuda_nvrtc() of this process. */
const char *gnp_cuda_error_text(void);

/* "CUDA_ERROR_OUT_OF_MEMORY", or "unknown error 1234"; never NULL. */
const char *gnp_cuda_error_name(CUresult code);
const char *gnp_cuda_error_string(CUresult code);

/* A shared library by the search order: already loaded, NVIDIA's wheels, conda, toolkit, loader
 * path; never the working directory. `sonames` ends with NULL; `wheel_dirs` are colon separated and
 * relative to site-packages, or NULL for a library that only the system has. Returns a dlopen
 * handle or NULL; `path` receives what was opened, `tried` one line for each place looked at. */
void *gnp_cuda_open_library(const char *const *sonames, const char *wheel_dirs, char *path,
                            size_t path_capacity, char *tried, size_t tried_capacity);
/* Directories that may hold `nvidia/...` wheels (site-packages), colon separated; the directory of
 * libgpunp_emu.so. Called once by module start-up. */
void gnp_cuda_set_search_path(const char *site_packages, const char *package_dir);
/* An explicitly named library: the path must be absolute. NULL with a sentence in `tried`. */
void *gnp_cuda_open_exactly(const char *variable, const char *value, char *path,
                            size_t path_capacity, char *tried, size_t tried_capacity);
const char *gnp_cuda_package_dir(void);
/* The folders of installed packages, separated by colons. */
const char *gnp_cuda_site_dirs(void);

#endif
