/* Error names, the counterparts of entries, and finding entries by name and version.
 *
 * The tables are built from the same rows as the prototypes, so an entry cannot be missing from one
 * of them. Nothing here has state, so nothing takes a lock. */
#include "emu/driver/driver.h"
#include "emu/driver/unsupported.h"

#include <stdio.h>
#include <string.h>

/* ---- error names ----------------------------------------------------------------------------- */

static const struct {
    CUresult code;
    const char *name, *text;
} errors[] = {
#define CUDA_ERROR_ROW(number, name, text) {number, "CUDA_ERROR_" #name, text},
#include "tables/cuda_errors.def"
};

/* Linear, since errors are rare. */
static CUresult
find_error(CUresult code, size_t *index)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        if (errors[i].code == code) {
            *index = i;
            return 0;
        }
    }
    return CUDA_ERROR_INVALID_VALUE;
}

/* Unknown codes give a null pointer and INVALID_VALUE. */
CUresult
cuGetErrorName(CUresult code, const char **name)
{
    size_t index;
    EMU_TRY_ENTER_UNINITIALISED(cuGetErrorName);
    if (name == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *name = NULL;
    EMU_TRY(find_error(code, &index));
    *name = code == 0 ? "CUDA_SUCCESS" : errors[index].name;
    return 0;
}

CUresult
cuGetErrorString(CUresult code, const char **text)
{
    size_t index;
    EMU_TRY_ENTER_UNINITIALISED(cuGetErrorString);
    if (text == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *text = NULL;
    EMU_TRY(find_error(code, &index));
    *text = errors[index].text;
    return 0;
}

/* Private interfaces of NVIDIA's libraries. They are absent, and callers fall back or fail. */
CUresult
cuGetExportTable(const void **table, const CUuuid *id)
{
    EMU_TRY_ENTER_UNINITIALISED(cuGetExportTable);
    if (table == NULL || id == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *table = NULL;
    return CUDA_ERROR_NOT_FOUND; /* undocumented tables: there are none */
}

/* ---- counterparts ---------------------------------------------------------------------------- */

/* The thread-local counter makes NULL mean the per-thread stream for the duration of one call, so
 * the entry itself needs no second version. */
#define PER_THREAD(symbol, entry, params, args)                                                    \
    EMU_EXPORT CUresult symbol params;                                                             \
    CUresult symbol params                                                                         \
    {                                                                                              \
        emu_per_thread_default(1);                                                                 \
        CUresult result = entry args;                                                              \
        emu_per_thread_default(-1);                                                                \
        return result;                                                                             \
    }
#define SAME(symbol, entry, params, args)                                                          \
    EMU_EXPORT CUresult symbol params;                                                             \
    CUresult symbol params                                                                         \
    {                                                                                              \
        return entry args;                                                                         \
    }
#include "emu/driver/counterparts.def"

/* ---- entries by name ------------------------------------------------------------------------- */

/* Not exported: Numba takes symbols of these names for older functions with other parameters. */

/* For the calls of CUDA 13 that name a context: it is pushed for the duration of the call. */
static CUresult
in_context(CUcontext context, CUresult (*call)(void *), void *argument)
{
    CUcontext before;
    EMU_TRY(context != NULL ? cuCtxPushCurrent_v2(context) : 0);
    CUresult result = call(argument);
    if (context != NULL) {
        cuCtxPopCurrent_v2(&before);
    }
    return result;
}

static CUresult
get_device(void *out)
{
    return cuCtxGetDevice(out);
}

static CUresult
get_device_of(CUdevice *out, CUcontext context)
{
    return in_context(context, get_device, out);
}

static CUresult
synchronize(void *nothing)
{
    (void)nothing;
    return cuCtxSynchronize();
}

static CUresult
synchronize_context(CUcontext context)
{
    return in_context(context, synchronize, NULL);
}

/* Entries, counterparts and old names, for cuGetProcAddress. The first two have other parameters
 * than their names without a version. */
static const struct {
    const char *name;
    EmuAnyFunction function;
} entries[] = {
    {"cuCtxGetDevice_v2", (EmuAnyFunction)get_device_of},
    {"cuCtxSynchronize_v2", (EmuAnyFunction)synchronize_context},
#define CU(symbol, params) {#symbol, (EmuAnyFunction)symbol},
#define NVRTC(symbol, params)
#include "tables/cuda_api.def"
#define PER_THREAD(symbol, entry, params, args) {#symbol, (EmuAnyFunction)symbol},
#define SAME(symbol, entry, params, args) {#symbol, (EmuAnyFunction)symbol},
#include "emu/driver/counterparts.def"
};

/* Which symbol a plain name means depends on the CUDA version that the program was built for. */
static const struct {
    const char *name;
    int version;
    const char *symbol;
} versions[] = {
#define VERSION(name, version, symbol) {#name, version, #symbol},
#include "emu/driver/versions.def"
};

/* Unsupported entries are found as well: a program may take their addresses without calling them.
 */
static EmuAnyFunction
find_symbol(const char *name)
{
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        if (strcmp(entries[i].name, name) == 0) {
            return entries[i].function;
        }
    }
    return emu_unsupported_find(name);
}

/* The symbol that `name` means in `version`, or NULL when the name came later; `name` itself when
 * it has no rows. */
static const char *
versioned(const char *name, int version)
{
    const char *best = name;
    int found = 0;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        /* Rows of one name are in ascending order of versions, so the last that fits is the newest.
         */
        if (strcmp(versions[i].name, name) == 0) {
            if (!found) {
                best = NULL;
                found = 1;
            }
            if (versions[i].version <= version) {
                best = versions[i].symbol;
            }
        }
    }
    return best;
}

/* The suffix is _ptsz for entries with a stream and _ptds for those that use the default one. */
static EmuAnyFunction
find_counterpart(const char *symbol)
{
    static const char *const suffixes[] = {"_ptsz", "_ptds"};
    EmuAnyFunction function = NULL;
    for (int i = 0; i < 2 && function == NULL; i++) {
        char variant[128];
        snprintf(variant, sizeof variant, "%s%s", symbol, suffixes[i]);
        function = find_symbol(variant);
    }
    return function;
}

/* Whether the name has an entry for per-thread default streams in some version. */
static int
has_counterpart(const char *name)
{
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        if (strcmp(versions[i].name, name) == 0 && find_counterpart(versions[i].symbol) != NULL) {
            return 1;
        }
    }
    return 0;
}

/* What it was not able to find, the status tells; the code only speaks of wrong questions. The
 * symbol is in the tables under its versioned name; programs ask for the plain one. */
static CUresult
get_address(const char *name, void **out, int version, cuuint64_t flags,
            CUdriverProcAddressQueryResult *status)
{
    CUdriverProcAddressQueryResult ignored;
    if (status == NULL) {
        status = &ignored;
    }
    if (name == NULL || out == NULL || version > EMU_DRIVER_VERSION ||
        flags >
            (CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = NULL;
    *status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    const char *symbol = versioned(name, version);
    if (symbol == NULL) {
        *status = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
        return 0;
    }
    if ((flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) && version < 7000 &&
        has_counterpart(name)) {
        *status = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT; /* before there were such streams */
        return 0;
    }
    EmuAnyFunction function = NULL;
    if (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) {
        function = find_counterpart(symbol);
    }
    /* An entry without a stream has no counterpart and is found under its own name in both modes.
     */
    if (function == NULL) {
        function = find_symbol(symbol);
    }
    if (function == NULL) {
        return 0;
    }
    /* ISO C has no conversion from a function pointer to void *. */
    memcpy(out, &function, sizeof function);
    *status = CU_GET_PROC_ADDRESS_SUCCESS;
    return 0;
}

CUresult
cuGetProcAddress_v2(const char *name, void **out, int version, cuuint64_t flags,
                    CUdriverProcAddressQueryResult *status)
{
    EMU_TRY_ENTER_UNINITIALISED(cuGetProcAddress_v2);
    return get_address(name, out, version, flags, status);
}

/* The older form has no status, so a missing name is an error of the call. */
CUresult
cuGetProcAddress(const char *name, void **out, int version, cuuint64_t flags)
{
    EMU_TRY_ENTER_UNINITIALISED(cuGetProcAddress);
    EMU_TRY(get_address(name, out, version, flags, NULL));
    return *out != NULL ? 0 : CUDA_ERROR_NOT_FOUND;
}
