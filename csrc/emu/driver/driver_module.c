/* Modules, libraries and their functions: PTX text in, handles out.
 *
 * The emulated device takes PTX only: as text, inside a fatbin, or as what this linker returned,
 * which is PTX text too. A cubin is refused with NO_BINARY_FOR_GPU. A CUkernel is the same object
 * as the CUfunction of its library's module.
 *
 * A module owns decoded PTX; functions are handles made on demand, one per entry, under the
 * module's lock. A queued kernel refers to its function, the function to the module and the module
 * to the context, so unloading ends the handles at once and frees the code when the last kernel is
 * done. */
#include "emu/driver/upward.h"
#include "emu/ptx/ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A library is context-independent in CUDA. Here it is one module in the context that was current
 * when it was loaded. */
typedef struct Library {
    EmuHandle head;
    Module *module;
} Library;

/* ---- modules --------------------------------------------------------------------------------- */

/* Runs when the handle is closed and no queued kernel or graph node needs it. */
static void
function_destroy(void *object)
{
    Function *function = object;
    free(function->params);
    emu_handle_unref(function->module);
}

/* Functions hold a reference to the module's object, so the code goes with the last of them. Also
 * undoes a half-made module: `code` is NULL when the PTX did not load. */
static void
module_destroy(void *object)
{
    Module *module = object;
    if (module->code != NULL) {
        emu_module_unload(module->code);
    }
    pthread_mutex_destroy(&module->lock);
    emu_handle_unref(module->context);
}

/* The link is a pointer to the pointer that names the module, so removing it needs no search. NULL
 * says that it is in no list. */
static void
module_unlink(Module *module)
{
    pthread_mutex_lock(&module->context->lock);
    if (module->link != NULL) {
        *module->link = module->next;
        if (module->next != NULL) {
            module->next->link = module->link;
        }
        module->link = NULL;
    }
    pthread_mutex_unlock(&module->context->lock);
}

/* Called by cuModuleUnload, by cuLibraryUnload and at the context's end, with no lock held. Closing
 * may free functions, whose destructors take locks. */
void
emu_module_end(Module *module)
{
    module_unlink(module);
    /* The list is taken out under the lock and closed outside of it. */
    pthread_mutex_lock(&module->lock);
    Function *function = module->functions;
    module->functions = NULL;
    pthread_mutex_unlock(&module->lock);
    while (function != NULL) {
        Function *next = function->next;
        emu_handle_close(function);
        function = next;
    }
    emu_handle_close(module);
}

/* Code is decoded when a function is asked for. A text none of whose functions can be is
 * refused at once, as a compiler would. */
static CUresult
check_code(EmuModule *code, EmuLog *log)
{
    CUresult result = 0;
    EmuLog none = {0};
    /* One that decodes is enough: others are refused when they are asked for. Only the first writes
     * to the caller's log, since every failing one would repeat the reason. */
    for (size_t i = 0; i < emu_module_function_count(code); i++) {
        EmuFunctionInfo info;
        CUresult now =
            emu_function_info(emu_module_function_at(code, i), &info, i == 0 ? log : &none);
        if (now == 0) {
            return 0;
        }
        result = result != 0 ? result : now;
    }
    return result;
}

/* The image may be PTX, a fatbin or a linked text; emu_image_ptx finds out which and decompresses
 * into `owned`. */
static CUresult
load_ptx(Module **out, Context *context, const void *image, EmuLog *log)
{
    char *owned = NULL;
    const char *text;
    size_t bytes;
    EMU_TRY(emu_image_ptx(image, &text, &bytes, &owned, log));
    Module *module = emu_handle_new(KIND_MODULE, sizeof *module, module_destroy);
    if (module == NULL) {
        free(owned);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    pthread_mutex_init(&module->lock, NULL);
    emu_handle_ref(context);
    module->context = context;
    /* Loading places the variables of the module in device memory and copies their initial values.
     */
    CUresult result = emu_module_load(&module->code, text, bytes, context->device->memory, log);
    free(owned);
    if (result != 0) {
        module->code = NULL;
        emu_handle_close(module);
        return result;
    }
    result = check_code(module->code, log);
    if (result != 0) {
        emu_handle_close(module);
        return result;
    }
    /* Listed only when all has succeeded: the context's end walks the list and may run at any time.
     */
    pthread_mutex_lock(&context->lock);
    module->next = context->modules;
    module->link = &context->modules;
    if (module->next != NULL) {
        module->next->link = &module->next;
    }
    context->modules = module;
    pthread_mutex_unlock(&context->lock);
    *out = module;
    return 0;
}

/* Programs tend to drop the log of refused PTX; GPUNP_EMU_LOG=1 shows them. Gives the log a
 * buffer when the caller has none. */
typedef struct {
    EmuLog *log, own;
    size_t before;
    char text[1024];
} Listener;

/* Uses the caller's log when there is one, so the text appears in both places. */
static EmuLog *
overhear(Listener *listener, EmuLog *log)
{
    listener->log = log;
    if (emu_driver_settings()->log_unsupported && (log == NULL || log->error == NULL)) {
        listener->own = (EmuLog){.error = listener->text, .error_capacity = sizeof listener->text};
        listener->text[0] = '\0';
        listener->log = &listener->own;
    }
    /* Only what this load adds is printed: the buffer of a linker may hold earlier text. */
    listener->before = listener->log != NULL ? listener->log->error_used : 0;
    return listener->log;
}

static CUresult
heard(const Listener *listener, CUresult result)
{
    const EmuLog *log = listener->log;
    if (result != 0 && log != NULL && emu_driver_settings()->log_unsupported) {
        fprintf(stderr, "gpunp emulated device: %s\n",
                log->error != NULL ? log->error + listener->before : "");
    }
    return result;
}

/* The path of all entries that load. `values` are written to on the way out: they receive the sizes
 * of the logs. */
static CUresult
load(Module **out, const void *image, unsigned count, CUjit_option *options, void **values)
{
    Context *context;
    EmuJitOptions jit;
    EMU_TRY(emu_context_current(&context));
    if (image == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(emu_jit_read(&jit, count, options, values));
    Listener listener;
    CUresult result =
        heard(&listener, load_ptx(out, context, image, overhear(&listener, &jit.log)));
    emu_jit_write_sizes(&jit);
    return result;
}

CUresult
cuModuleLoadData(CUmodule *out, const void *image)
{
    Module *module;
    Context *context;
    EMU_TRY_ENTER_CONTEXT(cuModuleLoadData, context);
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(load(&module, image, 0, NULL, NULL));
    *out = (CUmodule)module;
    return 0;
}

/* Options select optimisation levels, registers and the like; emu_jit_read checks them and keeps
 * the logs. */
CUresult
cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned int count, CUjit_option *options,
                   void **values)
{
    Module *module;
    Context *context;
    EMU_TRY_ENTER_CONTEXT(cuModuleLoadDataEx, context);
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(load(&module, image, count, options, values));
    *out = (CUmodule)module;
    return 0;
}

/* A fatbin is recognised by its magic number, so the entry is the same as for other images. */
CUresult
cuModuleLoadFatBinary(CUmodule *out, const void *image)
{
    Module *module;
    Context *context;
    EMU_TRY_ENTER_CONTEXT(cuModuleLoadFatBinary, context);
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(load(&module, image, 0, NULL, NULL));
    *out = (CUmodule)module;
    return 0;
}

CUresult
cuModuleLoad(CUmodule *out, const char *path)
{
    Module *module;
    char *text;
    Context *context;
    EMU_TRY_ENTER_CONTEXT(cuModuleLoad, context);
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(emu_read_file(path, &text, NULL));
    /* The file is copied into the module, so its text is freed at once. */
    CUresult result = load(&module, text, 0, NULL, NULL);
    free(text);
    if (result == 0) {
        *out = (CUmodule)module;
    }
    return result;
}

CUresult
cuModuleUnload(CUmodule handle)
{
    Context *context;
    /* Refused during a capture, since unloading synchronises. */
    EMU_TRY_ENTER_UNCAPTURED(cuModuleUnload, context);
    Module *module = emu_handle_get(handle, KIND_MODULE);
    if (module == NULL) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    /* The module of a library goes with its library (cuLibraryGetModule). */
    if (module->library != NULL) {
        return CUDA_ERROR_NOT_PERMITTED;
    }
    /* As the driver does, unloading waits for work that may use the module's variables, which go
     * with it. */
    emu_context_wait(module->context);
    emu_module_end(module);
    return 0;
}

CUresult
cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    EMU_TRY_ENTER(cuModuleGetLoadingMode);
    if (mode == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* Functions are decoded at their first request, which is what lazy loading means. */
    *mode = CU_MODULE_LAZY_LOADING;
    return 0;
}

/* ---- functions of modules -------------------------------------------------------------------- */

/* Reads what a launch needs to know; the first time, this decodes the code. The caller holds the
 * module's lock: decoding happens once per function. */
static CUresult
describe(Function *function, EmuLog *log)
{
    Listener listener;
    log = overhear(&listener, log);
    EMU_TRY(heard(&listener, emu_function_info(function->code, &function->info, log)));
    size_t count = function->info.params_count;
    function->params = calloc(count > 0 ? count : 1, sizeof *function->params);
    if (function->params == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    /* Offsets are kept in 32 bits: a kernel's parameters have 32,764 bytes at most. */
    for (size_t i = 0; i < count; i++) {
        size_t offset, bytes;
        if (!emu_function_param(function->code, i, &offset, &bytes)) {
            return CUDA_ERROR_INVALID_PTX;
        }
        function->params[i].offset = (uint32_t)offset;
        function->params[i].bytes = (uint32_t)bytes;
    }
    return 0;
}

/* The handle for `code`, made at the first request. Caller holds the module's lock. */
static CUresult
function_for(Function **out, Module *module, EmuFunction *code)
{
    for (Function *function = module->functions; function != NULL; function = function->next) {
        if (function->code == code) {
            *out = function;
            return 0;
        }
    }
    /* The text goes to cuEmuLastFault, since cuModuleGetFunction has no log buffer. */
    char refusal[512] = "";
    EmuLog log = {.error = refusal, .error_capacity = sizeof refusal};
    Function *function = emu_handle_new(KIND_FUNCTION, sizeof *function, function_destroy);
    if (function == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    /* The reference that keeps the code while the function exists. */
    emu_handle_ref(module);
    function->module = module;
    function->code = code;
    CUresult result = describe(function, &log);
    /* 48 KiB is the static limit of every architecture; more is dynamic shared memory, with opt-in
     * (CUDA programming guide, shared memory). ptxas refuses such a kernel, and so does this, in
     * its words. */
    enum { SHARED_WITHOUT_ASKING = 49152 };
    if (result == 0 && function->info.shared_bytes > SHARED_WITHOUT_ASKING) {
        snprintf(
            refusal, sizeof refusal,
            "ptxas error: Entry function '%.200s' uses too much shared data (0x%zx bytes, 0x%x "
            "max)",
            function->info.name, function->info.shared_bytes, SHARED_WITHOUT_ASKING);
        result = CUDA_ERROR_INVALID_PTX;
    }
    if (result != 0) {
        emu_report_fault(refusal);
        emu_handle_close(function);
        return result;
    }
    /* What is left of 48 KiB may be asked for dynamically without cuFuncSetAttribute. */
    size_t left = function->info.shared_bytes < SHARED_WITHOUT_ASKING
                      ? SHARED_WITHOUT_ASKING - function->info.shared_bytes
                      : 0;
    atomic_store(&function->max_dynamic_shared, (int)left);
    atomic_store(&function->carveout, -1);
    /* Clusters that the PTX prescribes are the initial values of the attributes. */
    for (int k = 0; k < 3; k++) {
        atomic_store(&function->cluster[k], (int)function->info.cluster[k]);
    }
    function->next = module->functions;
    module->functions = function;
    *out = function;
    return 0;
}

/* An empty name is a wrong value and not a name that is missing. */
static CUresult
find_function(Function **out, Module *module, const char *name)
{
    if (name == NULL || name[0] == '\0') {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&module->lock);
    EmuFunction *code = emu_module_function(module->code, name);
    CUresult result = code != NULL ? function_for(out, module, code) : CUDA_ERROR_NOT_FOUND;
    pthread_mutex_unlock(&module->lock);
    return result;
}

/* Enumerating decodes all functions, up to the first that is refused. */
static CUresult
list_functions(Module *module, CUfunction *functions, unsigned count)
{
    CUresult result = 0;
    pthread_mutex_lock(&module->lock);
    for (unsigned i = 0; i < count && i < emu_module_function_count(module->code); i++) {
        Function *function;
        result = function_for(&function, module, emu_module_function_at(module->code, i));
        if (result != 0) {
            break;
        }
        functions[i] = (CUfunction)function;
    }
    pthread_mutex_unlock(&module->lock);
    return result;
}

CUresult
cuModuleGetFunction(CUfunction *out, CUmodule handle, const char *name)
{
    Context *context;
    Function *function;
    EMU_TRY_ENTER(cuModuleGetFunction);
    Module *module = emu_handle_get(handle, KIND_MODULE);
    if (module == NULL) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    EMU_TRY(emu_context_current(&context));
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(find_function(&function, module, name));
    *out = (CUfunction)function;
    return 0;
}

CUresult
cuModuleGetFunctionCount(unsigned int *count, CUmodule handle)
{
    EMU_TRY_ENTER(cuModuleGetFunctionCount);
    Module *module = emu_handle_get(handle, KIND_MODULE);
    if (module == NULL) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (count == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *count = (unsigned)emu_module_function_count(module->code);
    return 0;
}

CUresult
cuModuleEnumerateFunctions(CUfunction *functions, unsigned int count, CUmodule handle)
{
    EMU_TRY_ENTER(cuModuleEnumerateFunctions);
    Module *module = emu_handle_get(handle, KIND_MODULE);
    if (module == NULL) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    return functions != NULL ? list_functions(module, functions, count) : CUDA_ERROR_INVALID_VALUE;
}

/* Either output may be NULL, but not both. A name that is a function's gives another error than one
 * that does not exist. */
static CUresult
find_global(Module *module, CUdeviceptr *address, size_t *bytes, const char *name)
{
    uint64_t at;
    size_t size;
    if (name == NULL || (address == NULL && bytes == NULL)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!emu_module_global(module->code, name, &at, &size)) {
        return emu_module_function(module->code, name) != NULL ? CUDA_ERROR_INVALID_VALUE
                                                               : CUDA_ERROR_NOT_FOUND;
    }
    if (address != NULL) {
        *address = at;
    }
    if (bytes != NULL) {
        *bytes = size;
    }
    return 0;
}

/* The address stays valid until the module is unloaded. */
CUresult
cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule handle, const char *name)
{
    Context *context;
    EMU_TRY_ENTER_CONTEXT(cuModuleGetGlobal_v2, context);
    Module *module = emu_handle_get(handle, KIND_MODULE);
    return module != NULL ? find_global(module, address, bytes, name) : CUDA_ERROR_INVALID_HANDLE;
}

/* ---- libraries ------------------------------------------------------------------------------- */

/* Needs a current context, unlike the real entry, which loads the code into a context when a kernel
 * is first used. */
static CUresult
library_new(CUlibrary *out, const void *image, unsigned count, CUjit_option *options, void **values)
{
    Module *module;
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(load(&module, image, count, options, values));
    Library *library = emu_handle_new(KIND_LIBRARY, sizeof *library, NULL);
    if (library == NULL) {
        emu_module_end(module);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    /* The two name each other without references: each side is looked up by its handle before it is
     * followed. */
    library->module = module;
    module->library = library;
    /* The module of a library is not the program's, so the ledger does not count it. */
    emu_handle_hide(module);
    *out = (CUlibrary)library;
    return 0;
}

/* Options are checked and have no further effect: the image is always copied, and host tables do
 * not exist. */
static CUresult
check_library_options(const CUlibraryOption *options, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (options == NULL || options[i] < 0 || options[i] > CU_LIBRARY_BINARY_IS_PRESERVED) {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return 0;
}

CUresult
cuLibraryLoadData(CUlibrary *out, const void *image, CUjit_option *options, void **values,
                  unsigned int count, CUlibraryOption *library_options, void **library_values,
                  unsigned int library_count)
{
    (void)library_values; /* the image is copied in any case */
    EMU_TRY_ENTER(cuLibraryLoadData);
    EMU_TRY(check_library_options(library_options, library_count));
    return library_new(out, image, count, options, values);
}

CUresult
cuLibraryLoadFromFile(CUlibrary *out, const char *path, CUjit_option *options, void **values,
                      unsigned int count, CUlibraryOption *library_options, void **library_values,
                      unsigned int library_count)
{
    char *text;
    (void)library_values;
    EMU_TRY_ENTER(cuLibraryLoadFromFile);
    EMU_TRY(check_library_options(library_options, library_count));
    EMU_TRY(emu_read_file(path, &text, NULL));
    CUresult result = library_new(out, text, count, options, values);
    free(text);
    return result;
}

/* Libraries outlive contexts, so their entries need none. */
#define EMU_TRY_ENTER_LIBRARY(name, handle, library)                                               \
    EMU_TRY_ENTER(name);                                                                           \
    Library *library = emu_handle_get(handle, KIND_LIBRARY);                                       \
    if (library == NULL) {                                                                         \
        return CUDA_ERROR_INVALID_HANDLE;                                                          \
    }

CUresult
cuLibraryUnload(CUlibrary handle)
{
    EMU_TRY_ENTER_LIBRARY(cuLibraryUnload, handle, library);
    /* The context may have ended, and the module with it. The library names its module by a handle
     * that may be stale; emu_handle_get and the back pointer tell whether the slot still holds that
     * module. */
    Module *module = emu_handle_get(library->module, KIND_MODULE);
    if (module != NULL && module->library == library) {
        emu_context_wait(module->context);
        emu_module_end(module);
    }
    emu_handle_close(library);
    return 0;
}

/* The error of a library whose context has ended. */
static CUresult
library_module(const Library *library, Module **out)
{
    *out = emu_handle_get(library->module, KIND_MODULE);
    return *out != NULL && (*out)->library == library ? 0 : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult
cuLibraryGetKernel(CUkernel *out, CUlibrary handle, const char *name)
{
    Function *function;
    Module *module;
    EMU_TRY_ENTER_LIBRARY(cuLibraryGetKernel, handle, library);
    EMU_TRY(library_module(library, &module));
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(find_function(&function, module, name));
    *out = (CUkernel)function;
    return 0;
}

CUresult
cuLibraryGetModule(CUmodule *out, CUlibrary handle)
{
    Module *module;
    EMU_TRY_ENTER_LIBRARY(cuLibraryGetModule, handle, library);
    EMU_TRY(library_module(library, &module));
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = (CUmodule)module;
    return 0;
}

CUresult
cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary handle, const char *name)
{
    Module *module;
    EMU_TRY_ENTER_LIBRARY(cuLibraryGetGlobal, handle, library);
    EMU_TRY(library_module(library, &module));
    return find_global(module, address, bytes, name);
}

/* Managed variables are variables of the module: host and devices reach all memory of the emulated
 * device. */
CUresult
cuLibraryGetManaged(CUdeviceptr *address, size_t *bytes, CUlibrary handle, const char *name)
{
    Module *module;
    EMU_TRY_ENTER_LIBRARY(cuLibraryGetManaged, handle, library);
    EMU_TRY(library_module(library, &module));
    return find_global(module, address, bytes, name);
}

CUresult
cuLibraryGetKernelCount(unsigned int *count, CUlibrary handle)
{
    Module *module;
    EMU_TRY_ENTER_LIBRARY(cuLibraryGetKernelCount, handle, library);
    EMU_TRY(library_module(library, &module));
    if (count == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *count = (unsigned)emu_module_function_count(module->code);
    return 0;
}

CUresult
cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int count, CUlibrary handle)
{
    Module *module;
    EMU_TRY_ENTER_LIBRARY(cuLibraryEnumerateKernels, handle, library);
    EMU_TRY(library_module(library, &module));
    return kernels != NULL ? list_functions(module, (CUfunction *)(void *)kernels, count)
                           : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuLibraryGetUnifiedFunction(void **out, CUlibrary handle, const char *name)
{
    EMU_TRY_ENTER_LIBRARY(cuLibraryGetUnifiedFunction, handle, library);
    if (out == NULL || name == NULL || library == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_ERROR_INVALID_VALUE; /* such functions come with compiled programs only */
}
