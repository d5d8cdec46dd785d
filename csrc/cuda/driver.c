/* Opens the driver: NVIDIA's libcuda, or the emulated device beside the package.
 *
 * Which one follows from GPUNP_DEVICE; once open it stays for the life of the process. */
#include "cuda/cuda.h"
#include "cuda/open.h"

#include "base/base.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OLDEST_DRIVER 12000

pthread_mutex_t gnp_cuda_lock = PTHREAD_MUTEX_INITIALIZER;
char gnp_cuda_message[8192];

static GnpDriver the_driver;                 /* guarded by gnp_cuda_lock until published */
static const GnpDriver *_Atomic open_driver; /* &the_driver once it is complete */

typedef struct {
    const char *name;
    size_t offset;
    int is_required;
} Entry;

static const Entry entries[] = {
#define CU(name, params) {#name, offsetof(GnpDriverApi, name), 1},
#define CU_WAITS(name, params) {#name, offsetof(GnpDriverApi, waits.name), 1},
#define CU_QUEUES(name, params) {#name, offsetof(GnpDriverApi, queues.name), 1},
#define CU_OPTIONAL(name, params) {#name, offsetof(GnpDriverApi, name), 0},
#define CU_OPTIONAL_WAITS(name, params) {#name, offsetof(GnpDriverApi, waits.name), 0},
#define CU_OPTIONAL_QUEUES(name, params) {#name, offsetof(GnpDriverApi, queues.name), 0},
#include "tables/cuda_api.def"
};

const char *
gnp_cuda_error_text(void)
{
    return gnp_cuda_message;
}

/* Acquire pairs with the release in gnp_cuda_driver: whoever sees the pointer sees the table that
 * it points to filled, without the lock. */
const GnpDriver *
gnp_cuda_driver_if_open(void)
{
    return atomic_load_explicit(&open_driver, memory_order_acquire);
}

/* Fills the table; the name of a required entry that is missing, or NULL. */
static const char *
fill_table(GnpDriverApi *api, void *handle)
{
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        void *symbol = dlsym(handle, entries[i].name);
        if (symbol == NULL && entries[i].is_required) {
            return entries[i].name;
        }
        /* Data and function pointers have the same representation on every system with dlsym. */
        memcpy((char *)api + entries[i].offset, &symbol, sizeof symbol);
    }
    return NULL;
}

void *
gnp_cuda_entry(const char *name)
{
    const GnpDriver *driver = gnp_cuda_driver_if_open();
    void *entry = NULL;
    for (size_t i = 0; driver != NULL && i < sizeof entries / sizeof entries[0]; i++) {
        if (strcmp(entries[i].name, name) == 0) {
            memcpy(&entry, (const char *)&driver->api + entries[i].offset, sizeof entry);
        }
    }
    return entry;
}

/* Starts the library behind `handle`. 0, or -1 with a sentence in `why`. */
static int
start(GnpDriver *driver, void *handle, char *why, size_t capacity)
{
    /* Version and cuInit first: an old driver lacks entries, and its version is the better message.
     */
    CUresult (*init)(unsigned int) = NULL;
    CUresult (*get_version)(int *) = NULL;
    *(void **)&init = dlsym(handle, "cuInit");
    *(void **)&get_version = dlsym(handle, "cuDriverGetVersion");
    if (init == NULL || get_version == NULL) {
        snprintf(why, capacity, "%s is no CUDA driver: it lacks cuInit", driver->path);
        return -1;
    }
    CUresult code = init(0);
    if (code == CUDA_ERROR_STUB_LIBRARY) {
        snprintf(why, capacity,
                 "%s is the toolkit's stub, not a driver: remove its folder from LD_LIBRARY_PATH",
                 driver->path);
        return -1;
    }
    if (code != CUDA_SUCCESS) {
        snprintf(why, capacity, "%s: cuInit failed with %s (%s)", driver->path,
                 gnp_cuda_error_name(code), gnp_cuda_error_string(code));
        return -1;
    }
    if (get_version(&driver->driver_version) != CUDA_SUCCESS ||
        driver->driver_version < OLDEST_DRIVER) {
        snprintf(why, capacity,
                 "%s supports CUDA %d.%d; gpunp needs a driver for CUDA 12.0 or newer "
                 "(525.60 on Linux): update the NVIDIA driver",
                 driver->path, driver->driver_version / 1000, driver->driver_version % 1000 / 10);
        return -1;
    }
    const char *missing = fill_table(&driver->api, handle);
    if (missing != NULL) {
        snprintf(why, capacity, "%s lacks the function %s", driver->path, missing);
        return -1;
    }
    return 0;
}

static int
open_real(GnpDriver *driver, char *why, size_t capacity)
{
    static const char *const sonames[] = {"libcuda.so.1", NULL};
    char tried[4096];
    const char *asked = gnp_env(GNP_ENV_DRIVER);
    void *handle = *asked != '\0'
                       ? gnp_cuda_open_exactly(gnp_env_name(GNP_ENV_DRIVER), asked, driver->path,
                                               sizeof driver->path, tried, sizeof tried)
                       : gnp_cuda_open_library(sonames, NULL, driver->path, sizeof driver->path,
                                               tried, sizeof tried);
    if (handle == NULL) {
        snprintf(why, capacity,
                 "the NVIDIA driver's library libcuda.so.1 was not found; looked at:\n%s"
                 "Install NVIDIA's driver (it comes with the GPU's driver package, not with the "
                 "CUDA toolkit)",
                 tried);
        return -1;
    }
    driver->emulated = 0;
    return start(driver, handle, why, capacity);
}

static int
open_emulated(GnpDriver *driver, char *why, size_t capacity)
{
    char file[1100], tried[2048];
    const char *asked = gnp_env(GNP_ENV_EMULATOR);
    if (*asked == '\0') {
        snprintf(file, sizeof file, "%s/libgpunp_emu.so", gnp_cuda_package_dir());
        asked = file;
    }
    void *handle = gnp_cuda_open_exactly(gnp_env_name(GNP_ENV_EMULATOR), asked, driver->path,
                                         sizeof driver->path, tried, sizeof tried);
    if (handle == NULL) {
        snprintf(why, capacity, "the emulated device's library could not be opened:\n%s", tried);
        return -1;
    }
    driver->emulated = 1;
    *(void **)&driver->last_fault = dlsym(handle, "cuEmuLastFault");
    *(void **)&driver->device_access = dlsym(handle, "cuEmuDeviceAccess");
    *(void **)&driver->is_cancelled = dlsym(handle, "cuEmuIsCancelled");
    *(void **)&driver->work_failed = dlsym(handle, "cuEmuWorkFailed");
    *(void **)&driver->break_captures = dlsym(handle, "cuEmuBreakCaptures");
    *(void **)&driver->cancel = dlsym(handle, "cuEmuCancel");
    *(void **)&driver->extent = dlsym(handle, "cuEmuExtent");
    return start(driver, handle, why, capacity);
}

typedef enum { MODE_AUTO, MODE_CUDA, MODE_EMULATED, MODE_BAD } Mode;

static Mode
parse_mode(const char *text, int *arch)
{
    *arch = 0;
    if (strcmp(text, "auto") == 0) {
        return MODE_AUTO;
    }
    if (strcmp(text, "cuda") == 0) {
        return MODE_CUDA;
    }
    if (strncmp(text, "emulated", 8) != 0) {
        return MODE_BAD;
    }
    if (text[8] == '\0') {
        return MODE_EMULATED;
    }
    char *end = NULL;
    if (strncmp(text + 8, ":sm_", 4) != 0) {
        return MODE_BAD;
    }
    *arch = (int)strtol(text + 12, &end, 10);
    return *end == '\0' && *arch >= 50 && *arch <= 200 ? MODE_EMULATED : MODE_BAD;
}

/* Under gnp_cuda_lock. */
static int
open_by_mode(GnpDriver *driver)
{
    char why[6000];
    int arch = 0;
    const char *text = gnp_env(GNP_ENV_DEVICE);
    Mode mode = parse_mode(text, &arch);
    memset(driver, 0, sizeof *driver);
    if (mode == MODE_BAD) {
        snprintf(gnp_cuda_message, sizeof gnp_cuda_message,
                 "GPUNP_DEVICE is '%s'; it must be auto, cuda, emulated or emulated:sm_90", text);
        return -1;
    }
    if (mode != MODE_EMULATED) {
        if (open_real(driver, why, sizeof why) == 0) {
            return 0;
        }
        if (mode == MODE_CUDA) {
            snprintf(gnp_cuda_message, sizeof gnp_cuda_message,
                     "no CUDA device can be used: %s.\nGPUNP_DEVICE=emulated runs without a GPU.",
                     why);
            return -1;
        }
        memset(driver, 0, sizeof *driver);
        snprintf(driver->fallback, sizeof driver->fallback, "%.1000s", why);
    }
    driver->arch = arch;
    if (arch != 0) {
        char name[16];
        snprintf(name, sizeof name, "sm_%d", arch);
        gnp_env_set_foreign("GPUNP_EMU_ARCH", name); /* it is read when the library starts */
    }
    if (open_emulated(driver, why, sizeof why) < 0) {
        snprintf(gnp_cuda_message, sizeof gnp_cuda_message, "%s%s%s",
                 driver->fallback[0] != '\0' ? driver->fallback : "",
                 driver->fallback[0] != '\0' ? ".\nAlso, " : "", why);
        return -1;
    }
    return 0;
}

const GnpDriver *
gnp_cuda_driver(void)
{
    const GnpDriver *driver = gnp_cuda_driver_if_open();
    if (driver != NULL) {
        return driver;
    }
    pthread_mutex_lock(&gnp_cuda_lock);
    driver = gnp_cuda_driver_if_open();
    if (driver == NULL && open_by_mode(&the_driver) == 0) {
        driver = &the_driver;
        atomic_store_explicit(&open_driver, driver, memory_order_release);
    }
    pthread_mutex_unlock(&gnp_cuda_lock);
    return driver;
}
