/* Where the CUDA toolkit's headers are, for user source that includes them.
 *
 * The toolkit is optional: our own kernels need none of its headers, and user source only what it
 * includes. The environment variables are those that NVIDIA's installers and CuPy use.
 */
#include "rt/internal.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_OPTIONS = 3 };

/* Written once, under the GIL. */
static char text[MAX_OPTIONS][PATH_MAX + 64];
static const char *list[MAX_OPTIONS];
static int found = -1;

/* `folder` joined with up to two more parts, as a search option, when `header` is in it. A name
 * that does not fit is taken for a folder that does not exist. */
static int
try_folder(const char *folder, const char *below, const char *header)
{
    char path[PATH_MAX + 64];
    int n = snprintf(path, sizeof path, "%s%s/%s", folder, below, header);
    if (n < 0 || (size_t)n >= sizeof path || access(path, R_OK) != 0) {
        return 0;
    }
    snprintf(text[found], sizeof text[found], "-I%s%s", folder, below);
    list[found] = text[found];
    found++;
    return 1;
}

/* NVRTC is in lib/, lib64/ or targets/.../lib beside include/, in toolkits and in NVIDIA's wheels
 * (whose runtime headers have a folder of their own before CUDA 13). */
static int
try_beside_nvrtc(void)
{
    static const char *const below[] = {"/../include", "/../../include", "/../../../include",
                                        "/../../cuda_runtime/include"};
    char folder[PATH_MAX];
    const GnpNvrtc *nvrtc = gnp_cuda_nvrtc();
    if (nvrtc == NULL) {
        return 0;
    }
    snprintf(folder, sizeof folder, "%s", nvrtc->path);
    char *slash = strrchr(folder, '/');
    if (slash == NULL) {
        return 0;
    }
    *slash = '\0';
    for (size_t i = 0; i < sizeof below / sizeof below[0]; i++) {
        if (try_folder(folder, below[i], "cuda_fp16.h")) {
            return 1;
        }
    }
    return 0;
}

/* CUDA 13 keeps cuda/std, cub and thrust one folder below `include`; NVIDIA's wheels of CUDA 12
 * have folders of their own for these and for cuRAND. */
static void
find_further(const char *include)
{
    if (!try_folder(include, "/cccl", "cuda/std/version")) {
        try_folder(include, "/../../cuda_cccl/include", "cuda/std/version");
    }
    try_folder(include, "/../../curand/include", "curand_kernel.h");
}

int
gnp_toolkit_includes(const char *const **options)
{
    if (found < 0) {
        const char *path = gnp_env_foreign("CUDA_PATH"), *home = gnp_env_foreign("CUDA_HOME");
        found = 0;
        if ((path == NULL || !try_folder(path, "/include", "cuda_fp16.h")) &&
            (home == NULL || !try_folder(home, "/include", "cuda_fp16.h")) && !try_beside_nvrtc()) {
            try_folder("/usr/local/cuda", "/include", "cuda_fp16.h");
        }
        if (found == 1) {
            find_further(text[0] + 2);
        }
    }
    *options = list;
    return found;
}
