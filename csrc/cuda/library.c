/* Finds shared libraries: already loaded, NVIDIA's wheels, conda, toolkit, loader path.
 *
 * Invariant: nothing is ever opened from the working directory. Bare names are given to dlopen only
 * when LD_LIBRARY_PATH holds no empty or relative component, which the loader takes for the working
 * directory.
 */
#include "cuda/cuda.h"

#include "base/base.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *site_dirs;        /* colon separated; written once at start-up */
static char package[PATH_MAX]; /* the folder of libgpunp_emu.so */

/* One search: where to write the path that was opened and the list of places looked at. */
typedef struct {
    const char *const *sonames;
    char *path;
    size_t path_capacity;
    char *tried;
    size_t tried_capacity;
} Search;

void
gnp_cuda_set_search_path(const char *site_packages, const char *package_dir)
{
    free(site_dirs);
    site_dirs = strdup(site_packages);
    if (realpath(package_dir, package) == NULL) {
        snprintf(package, sizeof package, "%s", package_dir);
    }
}

const char *
gnp_cuda_site_dirs(void)
{
    return site_dirs != NULL ? site_dirs : "";
}

const char *
gnp_cuda_package_dir(void)
{
    return package;
}

static void
note(char *tried, size_t capacity, const char *place, const char *why)
{
    size_t used = strlen(tried);
    if (used < capacity) {
        snprintf(tried + used, capacity - used, "  %s: %s\n", place, why);
    }
}

/* The file of a handle, or the name it was opened by. */
static void
describe(void *handle, const char *asked, char *path, size_t capacity)
{
    struct link_map *map = NULL;
    const char *name = asked;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != NULL && map->l_name[0] != '\0') {
        name = map->l_name;
    }
    snprintf(path, capacity, "%s", name);
}

static void *
open_in(Search *search, const char *dir)
{
    char file[PATH_MAX];
    if (dir[0] != '/') {
        return NULL;
    }
    for (int i = 0; search->sonames[i] != NULL; i++) {
        int n = snprintf(file, sizeof file, "%s/%s", dir, search->sonames[i]);
        if (n < 0 || (size_t)n >= sizeof file || access(file, F_OK) != 0) {
            continue;
        }
        void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        if (handle != NULL) {
            describe(handle, file, search->path, search->path_capacity);
            return handle;
        }
        const char *why = dlerror();
        note(search->tried, search->tried_capacity, file, why != NULL ? why : "cannot be loaded");
    }
    note(search->tried, search->tried_capacity, dir, "not there");
    return NULL;
}

/* Each of the colon separated `dirs`, below `root` when that is given. */
static void *
open_in_each(Search *search, const char *root, const char *dirs)
{
    char dir[PATH_MAX];
    while (dirs != NULL && *dirs != '\0') {
        size_t length = strcspn(dirs, ":");
        int n = root != NULL ? snprintf(dir, sizeof dir, "%s/%.*s", root, (int)length, dirs)
                             : snprintf(dir, sizeof dir, "%.*s", (int)length, dirs);
        /* A wheel that is not installed is the normal case: its folder is not listed. */
        if (n > 0 && (size_t)n < sizeof dir && access(dir, F_OK) == 0) {
            void *handle = open_in(search, dir);
            if (handle != NULL) {
                return handle;
            }
        }
        dirs += length + (dirs[length] == ':');
    }
    return NULL;
}

static void *
open_in_wheels(Search *search, const char *wheel_dirs)
{
    char site[PATH_MAX];
    const char *sites = site_dirs;
    while (sites != NULL && *sites != '\0') {
        size_t length = strcspn(sites, ":");
        if (length < sizeof site) {
            memcpy(site, sites, length);
            site[length] = '\0';
            void *handle = open_in_each(search, site, wheel_dirs);
            if (handle != NULL) {
                return handle;
            }
        }
        sites += length + (sites[length] == ':');
    }
    note(search->tried, search->tried_capacity, "NVIDIA's wheels in site-packages", "none");
    return NULL;
}

static void *
open_in_toolkit(Search *search)
{
    static const char *const variables[] = {"CONDA_PREFIX", "CUDA_PATH", "CUDA_HOME"};
    static const char layout[] = "lib64:lib:targets/x86_64-linux/lib:targets/sbsa-linux/lib";
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *root = gnp_env_foreign(variables[i]);
        if (root != NULL && root[0] == '/') {
            void *handle = open_in_each(search, root, layout);
            if (handle != NULL) {
                return handle;
            }
        }
    }
    return open_in_each(search, "/usr/local/cuda", layout);
}

/* Whether the loader would look into the working directory for a bare name. */
static int
loader_path_is_unsafe(const char *dirs)
{
    if (dirs == NULL) {
        return 0;
    }
    for (;; dirs++) {
        if (*dirs != '/') {
            return 1; /* empty or relative component */
        }
        dirs = strchr(dirs, ':');
        if (dirs == NULL) {
            return 0;
        }
    }
}

static void *
open_by_loader(Search *search)
{
    const char *dirs = gnp_env_foreign("LD_LIBRARY_PATH");
    if (loader_path_is_unsafe(dirs)) {
        void *handle = open_in_each(search, NULL, dirs);
        return handle != NULL
                   ? handle
                   : open_in_each(search, NULL,
                                  "/usr/lib64:/lib64:/usr/lib/x86_64-linux-gnu:"
                                  "/lib/x86_64-linux-gnu:/usr/lib/aarch64-linux-gnu:/usr/lib:"
                                  "/usr/lib/wsl/lib:/usr/local/lib");
    }
    for (int i = 0; search->sonames[i] != NULL; i++) {
        void *handle = dlopen(search->sonames[i], RTLD_NOW | RTLD_LOCAL);
        if (handle != NULL) {
            describe(handle, search->sonames[i], search->path, search->path_capacity);
            return handle;
        }
        const char *why = dlerror();
        note(search->tried, search->tried_capacity, "the loader's path",
             why != NULL ? why : "not found");
    }
    return NULL;
}

void *
gnp_cuda_open_library(const char *const *sonames, const char *wheel_dirs, char *path,
                      size_t path_capacity, char *tried, size_t tried_capacity)
{
    Search search = {sonames, path, path_capacity, tried, tried_capacity};
    tried[0] = '\0';
    for (int i = 0; sonames[i] != NULL; i++) {
        /* A copy that another package has loaded (PyTorch, say) saves a second one of some hundred
         * megabytes. */
        void *handle = dlopen(sonames[i], RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
        if (handle != NULL) {
            describe(handle, sonames[i], path, path_capacity);
            return handle;
        }
    }
    if (wheel_dirs != NULL) {
        void *handle = open_in_wheels(&search, wheel_dirs);
        if (handle == NULL) {
            handle = open_in_toolkit(&search);
        }
        if (handle != NULL) {
            return handle;
        }
    }
    return open_by_loader(&search);
}

void *
gnp_cuda_open_exactly(const char *variable, const char *value, char *path, size_t path_capacity,
                      char *tried, size_t tried_capacity)
{
    tried[0] = '\0';
    if (value[0] != '/') {
        snprintf(tried, tried_capacity, "  %s=%s: must be an absolute path\n", variable, value);
        return NULL;
    }
    void *handle = dlopen(value, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        const char *why = dlerror();
        snprintf(tried, tried_capacity, "  %s=%s: %s\n", variable, value,
                 why != NULL ? why : "cannot be loaded");
        return NULL;
    }
    describe(handle, value, path, path_capacity);
    return handle;
}
