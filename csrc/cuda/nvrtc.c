/* Opens NVRTC, which both devices need: it turns kernels into cubins and PTX. */
#include "cuda/cuda.h"
#include "cuda/open.h"

#include "base/base.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static GnpNvrtc the_nvrtc;                 /* guarded by gnp_cuda_lock until published */
static const GnpNvrtc *_Atomic open_nvrtc; /* &the_nvrtc once it is complete */

typedef struct {
    const char *name;
    size_t offset;
    int is_required;
} Entry;

static const Entry entries[] = {
#define NVRTC(name, params) {#name, offsetof(GnpNvrtcApi, name), 1},
#define NVRTC_OPTIONAL(name, params) {#name, offsetof(GnpNvrtcApi, name), 0},
#include "tables/cuda_api.def"
};

/* Acquire pairs with the release in gnp_cuda_nvrtc, as for the driver's table. */
const GnpNvrtc *
gnp_cuda_nvrtc_if_open(void)
{
    return atomic_load_explicit(&open_nvrtc, memory_order_acquire);
}

/* A driver loads the output of compilers up to its own version of CUDA; so that version comes
 * first. */
static void *
find(GnpNvrtc *nvrtc, char *tried, size_t capacity)
{
    static const char *const newest_first[] = {"libnvrtc.so.13", "libnvrtc.so.12", NULL};
    static const char *const twelve_first[] = {"libnvrtc.so.12", "libnvrtc.so.13", NULL};
    static const char wheels[] = "nvidia/cu13/lib:nvidia/cuda_nvrtc/lib";
    const char *asked = gnp_env(GNP_ENV_NVRTC);
    if (*asked != '\0') {
        return gnp_cuda_open_exactly(gnp_env_name(GNP_ENV_NVRTC), asked, nvrtc->path,
                                     sizeof nvrtc->path, tried, capacity);
    }
    const GnpDriver *driver = gnp_cuda_driver_if_open();
    int twelve = driver != NULL && !driver->emulated && driver->driver_version < 13000;
    return gnp_cuda_open_library(twelve ? twelve_first : newest_first, wheels, nvrtc->path,
                                 sizeof nvrtc->path, tried, capacity);
}

/* Under gnp_cuda_lock. */
static int
open_it(GnpNvrtc *nvrtc)
{
    char tried[6000];
    memset(nvrtc, 0, sizeof *nvrtc);
    void *handle = find(nvrtc, tried, sizeof tried);
    if (handle == NULL) {
        snprintf(
            gnp_cuda_message, sizeof gnp_cuda_message,
            "NVRTC, NVIDIA's run-time compiler (libnvrtc.so.13 or .12), was not found; looked "
            "at:\n%sInstall it with `pip install 'gpunp[cuda13]'` (or cuda12, or emulator), or "
            "set %s to its path.",
            tried, gnp_env_name(GNP_ENV_NVRTC));
        return -1;
    }
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        void *symbol = dlsym(handle, entries[i].name);
        if (symbol == NULL && entries[i].is_required) {
            snprintf(gnp_cuda_message, sizeof gnp_cuda_message, "%s lacks the function %s",
                     nvrtc->path, entries[i].name);
            return -1;
        }
        memcpy((char *)&nvrtc->api + entries[i].offset, &symbol, sizeof symbol);
    }
    if (nvrtc->api.nvrtcVersion(&nvrtc->major, &nvrtc->minor) != 0 || nvrtc->major < 12) {
        snprintf(gnp_cuda_message, sizeof gnp_cuda_message,
                 "%s is NVRTC %d.%d; gpunp needs 12.0 or newer", nvrtc->path, nvrtc->major,
                 nvrtc->minor);
        return -1;
    }
    return 0;
}

const GnpNvrtc *
gnp_cuda_nvrtc(void)
{
    const GnpNvrtc *nvrtc = gnp_cuda_nvrtc_if_open();
    if (nvrtc != NULL) {
        return nvrtc;
    }
    pthread_mutex_lock(&gnp_cuda_lock);
    nvrtc = gnp_cuda_nvrtc_if_open();
    if (nvrtc == NULL && open_it(&the_nvrtc) == 0) {
        nvrtc = &the_nvrtc;
        atomic_store_explicit(&open_nvrtc, nvrtc, memory_order_release);
    }
    pthread_mutex_unlock(&gnp_cuda_lock);
    return nvrtc;
}
