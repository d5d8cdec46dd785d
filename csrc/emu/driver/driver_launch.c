/* Functions: attributes, occupancy, launches.
 *
 * A launch is checked completely on the calling thread and packed into a KernelWork, which owns a
 * copy of the parameters; the stream runs it later (work.c). So errors of the call are returned by
 * the call, as the driver does, and only faults of the kernel itself are asynchronous.
 *
 * Limits are those of compute capability 9.0 (CUDA programming guide, table of technical
 * specifications), whatever architecture the settings name. */
#include "emu/driver/upward.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* SM_SHARED is 228 KiB and BLOCK_SHARED 227 KiB: the system reserves 1 KiB per block. PARAMS_LIMIT
 * is the 32,764 bytes that kernels may take since CUDA 12.1 on compute capability 7.0 and later. */
enum {
    WARP = 32,
    MAX_THREADS = 1024,
    MAX_BLOCK_Z = 64,
    MAX_GRID_YZ = 65535,
    SM_THREADS = 2048,
    SM_SHARED = 233472,
    BLOCK_SHARED = 232448,  /* with opt-in */
    RESERVED_SHARED = 1024, /* per block, by the system */
    PARAMS_LIMIT = 32764
};

/* Functions and kernels are handles of one kind, so both sorts of entries come here. */
CUresult
emu_function_get(CUfunction handle, Function **out)
{
    *out = emu_handle_get(handle, KIND_FUNCTION);
    return *out != NULL ? 0 : CUDA_ERROR_INVALID_HANDLE;
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* Shared by functions and kernels. `value` may be NULL, so it is tested before the attribute. */
static CUresult
get_attribute(int *value, CUfunction_attribute attribute, const Function *function)
{
    const EmuFunctionInfo *info = &function->info;
    if (value == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = info->max_threads;
        return 0;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = (int)info->shared_bytes;
        return 0;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *value = (int)info->const_bytes;
        return 0;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = (int)info->local_bytes;
        return 0;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = info->registers;
        return 0;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        /* PTX version and binary version are given as ten times major plus minor, for example 90.
         */
        *value = info->sm_version;
        return 0;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = 10 * emu_driver_settings()->arch_major + emu_driver_settings()->arch_minor;
        return 0;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = atomic_load(&function->max_dynamic_shared);
        return 0;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = atomic_load(&function->carveout);
        return 0;
    /* Whether the kernel was compiled with --dlcm=ca, of which PTX has no record. */
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
        *value = 0;
        return 0;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
        *value = info->needs_cluster;
        return 0;
    /* The five cluster attributes have consecutive numbers, which index the array. */
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        *value =
            atomic_load(&function->cluster[attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH]);
        return 0;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* Attributes are atomic ints of their own: CUDA lets threads set them while others launch, without
 * an order between the two. */
static CUresult
set_attribute(Function *function, CUfunction_attribute attribute, int value)
{
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        /* Static and dynamic shared memory together must fit what a block may opt in to. */
        if (value < 0 || (size_t)value + function->info.shared_bytes > BLOCK_SHARED) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        atomic_store(&function->max_dynamic_shared, value);
        return 0;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        /* A percentage of the largest carveout, or -1 for the driver's choice
         * (CU_SHAREDMEM_CARVEOUT_DEFAULT). It is a hint, kept to be read back. */
        if (value < -1 || value > 100) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        atomic_store(&function->carveout, value);
        return 0;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        atomic_store(&function->cluster[attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH],
                     value);
        return 0;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* A kernel belongs to a library, not to a context, so its entries ask for none. */
#define EMU_TRY_ENTER_KERNEL(name, handle, function)                                               \
    Function *function;                                                                            \
    EMU_TRY_ENTER(name);                                                                           \
    EMU_TRY(emu_function_get((CUfunction)(handle), &function))
/* Functions, unlike kernels, are asked about in a context that is whole. */
#define EMU_TRY_ENTER_FUNCTION(name, handle, function)                                             \
    Function *function;                                                                            \
    Context *context;                                                                              \
    EMU_TRY_ENTER_CONTEXT(name, context);                                                          \
    EMU_TRY(emu_function_get((CUfunction)(handle), &function))

CUresult
cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction handle)
{
    EMU_TRY_ENTER_FUNCTION(cuFuncGetAttribute, handle, function);
    return get_attribute(value, attribute, function);
}

CUresult
cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value)
{
    EMU_TRY_ENTER_FUNCTION(cuFuncSetAttribute, handle, function);
    return set_attribute(function, attribute, value);
}

CUresult
cuFuncSetCacheConfig(CUfunction handle, CUfunc_cache config)
{
    EMU_TRY_ENTER_FUNCTION(cuFuncSetCacheConfig, handle, function);
    if (config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    atomic_store(&function->cache_config, config);
    return 0;
}

CUresult
cuFuncSetSharedMemConfig(CUfunction handle, CUsharedconfig config)
{
    EMU_TRY_ENTER_FUNCTION(cuFuncSetSharedMemConfig, handle, function);
    /* Bank sizes are fixed since compute capability 5; the call is accepted without effect. */
    return function != NULL && config >= 0 && config <= 2 ? 0 : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuFuncGetModule(CUmodule *out, CUfunction handle)
{
    EMU_TRY_ENTER_FUNCTION(cuFuncGetModule, handle, function);
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = (CUmodule)function->module;
    return 0;
}

CUresult
cuFuncGetName(const char **out, CUfunction handle)
{
    /* A null handle is an invalid value here, where other entries call it an invalid handle. */
    if (handle == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY_ENTER_FUNCTION(cuFuncGetName, handle, function);
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = function->info.name;
    return 0;
}

/* Offsets within the parameter buffer, computed from the PTX declarations when the function was
 * found. */
static CUresult
param_info(const Function *function, size_t index, size_t *offset, size_t *bytes)
{
    if (offset == NULL || index >= function->info.params_count) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *offset = function->params[index].offset;
    if (bytes != NULL) {
        *bytes = function->params[index].bytes;
    }
    return 0;
}

CUresult
cuFuncGetParamInfo(CUfunction handle, size_t index, size_t *offset, size_t *bytes)
{
    if (handle == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY_ENTER_FUNCTION(cuFuncGetParamInfo, handle, function);
    return param_info(function, index, offset, bytes);
}

CUresult
cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction handle)
{
    EMU_TRY_ENTER_FUNCTION(cuFuncIsLoaded, handle, function);
    if (state == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *state =
        function != NULL ? CU_FUNCTION_LOADING_STATE_LOADED : CU_FUNCTION_LOADING_STATE_UNLOADED;
    return 0;
}

/* Under lazy loading the real driver loads the code here. The emulated one decodes it when the
 * function is looked up. */
CUresult
cuFuncLoad(CUfunction handle)
{
    EMU_TRY_ENTER_FUNCTION(cuFuncLoad, handle, function);
    return function != NULL ? 0 : CUDA_ERROR_INVALID_HANDLE; /* decoded when it was found */
}

/* ---- kernels of libraries: the same objects -------------------------------------------------- */

CUresult
cuKernelGetFunction(CUfunction *out, CUkernel handle)
{
    EMU_TRY_ENTER_KERNEL(cuKernelGetFunction, handle, function);
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = (CUfunction)function;
    return 0;
}

CUresult
cuKernelGetLibrary(CUlibrary *out, CUkernel handle)
{
    EMU_TRY_ENTER_KERNEL(cuKernelGetLibrary, handle, function);
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = (CUlibrary)function->module->library;
    return *out != NULL ? 0 : CUDA_ERROR_INVALID_HANDLE;
}

CUresult
cuKernelGetName(const char **out, CUkernel handle)
{
    if (handle == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY_ENTER_KERNEL(cuKernelGetName, handle, function);
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = function->info.name;
    return 0;
}

/* The attribute is the same on all devices, but the device must exist. */
CUresult
cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel handle, CUdevice device)
{
    Device *found;
    EMU_TRY_ENTER_KERNEL(cuKernelGetAttribute, handle, function);
    EMU_TRY(emu_device_get(device, &found));
    return get_attribute(value, attribute, function);
}

CUresult
cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel handle, CUdevice device)
{
    Device *found;
    EMU_TRY_ENTER_KERNEL(cuKernelSetAttribute, handle, function);
    EMU_TRY(emu_device_get(device, &found));
    return set_attribute(function, attribute, value);
}

CUresult
cuKernelGetParamInfo(CUkernel handle, size_t index, size_t *offset, size_t *bytes)
{
    EMU_TRY_ENTER_KERNEL(cuKernelGetParamInfo, handle, function);
    return param_info(function, index, offset, bytes);
}

CUresult
cuKernelSetCacheConfig(CUkernel handle, CUfunc_cache config, CUdevice device)
{
    Device *found;
    EMU_TRY_ENTER_KERNEL(cuKernelSetCacheConfig, handle, function);
    EMU_TRY(emu_device_get(device, &found));
    if (config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    atomic_store(&function->cache_config, config);
    return 0;
}

/* ---- occupancy ------------------------------------------------------------------------------- */

static int
smaller(int a, int b)
{
    return a < b ? a : b;
}

static size_t
smaller_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* All occupancy answers and the limit for cooperative launches come from this number. 0 for a shape
 * that cannot be launched at all. */
static int
blocks_per_sm(const Function *function, int threads, size_t dynamic_shared)
{
    int warps = (threads + WARP - 1) / WARP;
    /* Static, dynamic and the system's share count against the multiprocessor's shared memory. */
    size_t shared = function->info.shared_bytes + dynamic_shared + RESERVED_SHARED;
    /* Registers are given out to warps in units of 256. */
    int registers = (function->info.registers * WARP + 255) / 256 * 256 * warps;
    if (threads <= 0 || threads > MAX_THREADS ||
        dynamic_shared > (size_t)atomic_load(&function->max_dynamic_shared)) {
        return 0;
    }
    /* The least of four limits, as the occupancy calculator of the CUDA toolkit has them: blocks,
     * threads, shared memory and registers of a multiprocessor. */
    int blocks = smaller(EMU_SM_BLOCKS, SM_THREADS / (warps * WARP));
    blocks = smaller(blocks, (int)(SM_SHARED / shared));
    return registers > 0 ? smaller(blocks, EMU_SM_REGISTERS / registers) : blocks;
}

/* Needs a context, as the answer depends on its device. */
static CUresult
max_active_blocks(int *blocks, CUfunction handle, int threads, size_t dynamic_shared)
{
    Context *context;
    Function *function;
    EMU_TRY(emu_context_current(&context));
    EMU_TRY(emu_function_get(handle, &function));
    if (blocks == NULL || threads <= 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *blocks = blocks_per_sm(function, threads, dynamic_shared);
    return 0;
}

CUresult
cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads,
                                            size_t dynamic_shared)
{
    EMU_TRY_ENTER(cuOccupancyMaxActiveBlocksPerMultiprocessor);
    return max_active_blocks(blocks, function, threads, dynamic_shared);
}

CUresult
cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function, int threads,
                                                     size_t dynamic_shared, unsigned int flags)
{
    EMU_TRY_ENTER(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags);
    /* The one flag there is concerns caching of global loads in L1, which changes no answer. */
    if (flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return max_active_blocks(blocks, function, threads, dynamic_shared);
}

typedef struct {
    CUoccupancyB2DSize shared_for; /* NULL: `shared` for all sizes */
    size_t shared;
    int limit; /* largest block wanted; 0 for any */
} BlockQuestion;

/* The largest block size among those that keep most threads resident. */
static CUresult
best_block(int *grid, int *block, CUfunction handle, const BlockQuestion *question)
{
    Function *function;
    EMU_TRY(emu_function_get(handle, &function));
    if (grid == NULL || block == NULL || question->limit < 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    int largest = function->info.max_threads, best = 0, best_resident = 0, best_blocks = 0;
    if (question->limit > 0) {
        largest = smaller(largest, question->limit);
    }
    /* In whole warps: a partial last warp occupies as many registers and threads as a full one.
     * Shared memory may depend on the block size, so the caller's function is asked for each. */
    for (int size = (largest + WARP - 1) / WARP * WARP; size > 0; size -= WARP) {
        int threads = smaller(size, largest);
        size_t shared =
            question->shared_for != NULL ? question->shared_for(threads) : question->shared;
        int blocks = blocks_per_sm(function, threads, shared);
        /* From large to small with `>`: of sizes that keep as many threads resident the largest
         * wins, as the driver answers. */
        if (blocks * threads > best_resident) {
            best = threads;
            best_blocks = blocks;
            best_resident = blocks * threads;
        }
    }
    /* The smallest grid that fills the device. */
    *block = best;
    *grid = best_blocks * emu_driver_settings()->sm_count;
    return 0;
}

CUresult
cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function,
                                 CUoccupancyB2DSize shared_for, size_t shared, int limit)
{
    EMU_TRY_ENTER(cuOccupancyMaxPotentialBlockSize);
    return best_block(grid, block, function, &(BlockQuestion){shared_for, shared, limit});
}

CUresult
cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction function,
                                          CUoccupancyB2DSize shared_for, size_t shared, int limit,
                                          unsigned int flags)
{
    EMU_TRY_ENTER(cuOccupancyMaxPotentialBlockSizeWithFlags);
    if (flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return best_block(grid, block, function, &(BlockQuestion){shared_for, shared, limit});
}

CUresult
cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction handle, int blocks, int threads)
{
    EMU_TRY_ENTER_FUNCTION(cuOccupancyAvailableDynamicSMemPerBlock, handle, function);
    if (bytes == NULL || blocks <= 0 || threads <= 0 ||
        blocks_per_sm(function, threads, 0) < blocks) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* Shared memory is given out in units of 128 bytes. The answer counts on the blocks that are
     * wanted, not on those that would fit. */
    size_t per_block = SM_SHARED / (size_t)blocks / 128 * 128;
    size_t left = per_block - smaller_size(per_block, function->info.shared_bytes);
    *bytes = smaller_size(left, (size_t)atomic_load(&function->max_dynamic_shared));
    return 0;
}

/* Eight blocks is the portable cluster size of the CUDA programming guide; an H100 allows 16 to
 * kernels that ask for non-portable sizes. */
enum { PORTABLE_CLUSTER = 8, LARGEST_CLUSTER = 16 };

static int
largest_cluster(const Function *function)
{
    int at = CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED -
             CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH;
    return atomic_load(&function->cluster[at]) ? LARGEST_CLUSTER : PORTABLE_CLUSTER;
}

/* The cluster that a launch asks for, or else its kernel; zeros when neither does. Precedence is
 * the launch attribute's over the kernel's own: PTX .reqnctapercluster, or the attribute set on the
 * function. */
static CUresult
settle_cluster(const Function *function, const CUlaunchConfig *c, uint32_t *cluster)
{
    uint64_t size = 1;
    for (int k = 0; k < 3; k++) {
        cluster[k] = (uint32_t)atomic_load(&function->cluster[k]);
    }
    for (unsigned i = 0; i < c->numAttrs; i++) {
        if (c->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
            cluster[0] = c->attrs[i].value.clusterDim.x;
            cluster[1] = c->attrs[i].value.clusterDim.y;
            cluster[2] = c->attrs[i].value.clusterDim.z;
            size = 0;
        }
    }
    if (cluster[0] == 0 && size != 0) {
        return 0;
    }
    /* The grid counts blocks, not clusters, so each dimension must be a multiple of the cluster's
     * (cudaLaunchKernelEx, cluster dimension). */
    const uint32_t grid[3] = {c->gridDimX, c->gridDimY, c->gridDimZ};
    for (int k = 0; k < 3; k++) {
        if (cluster[k] == 0 || grid[k] % cluster[k] != 0 || cluster[k] > LARGEST_CLUSTER) {
            return CUDA_ERROR_INVALID_CLUSTER_SIZE;
        }
    }
    size = (uint64_t)cluster[0] * cluster[1] * cluster[2];
    return size > (uint64_t)largest_cluster(function) ? CUDA_ERROR_INVALID_CLUSTER_SIZE : 0;
}

CUresult
cuOccupancyMaxPotentialClusterSize(int *size, CUfunction handle, const CUlaunchConfig *config)
{
    EMU_TRY_ENTER_FUNCTION(cuOccupancyMaxPotentialClusterSize, handle, function);
    if (size == NULL || config == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *size = largest_cluster(function);
    return 0;
}

CUresult
cuOccupancyMaxActiveClusters(int *count, CUfunction handle, const CUlaunchConfig *config)
{
    uint32_t cluster[3];
    EMU_TRY_ENTER_FUNCTION(cuOccupancyMaxActiveClusters, handle, function);
    if (count == NULL || config == NULL || (config->numAttrs > 0 && config->attrs == NULL)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(settle_cluster(function, config, cluster));
    /* How many clusters are resident follows from blocks alone: where the blocks of a cluster lie
     * does not matter here. */
    int threads = (int)(config->blockDimX * config->blockDimY * config->blockDimZ);
    int size = cluster[0] == 0 ? 1 : (int)(cluster[0] * cluster[1] * cluster[2]);
    *count = blocks_per_sm(function, threads, config->sharedMemBytes) *
             emu_driver_settings()->sm_count / size;
    return 0;
}

/* ---- launching ------------------------------------------------------------------------------- */

/* What the driver refuses before it looks at the parameters. Block dimensions are 1024 x 1024 x 64
 * and grids 2^31 - 1 x 65535 x 65535. */
static CUresult
check_shape(const Function *function, const CUlaunchConfig *c)
{
    if (c->gridDimX == 0 || c->gridDimY == 0 || c->gridDimZ == 0 || c->blockDimX == 0 ||
        c->blockDimY == 0 || c->blockDimZ == 0 || c->gridDimX > INT32_MAX ||
        c->gridDimY > MAX_GRID_YZ || c->gridDimZ > MAX_GRID_YZ || c->blockDimX > MAX_THREADS ||
        c->blockDimY > MAX_THREADS || c->blockDimZ > MAX_BLOCK_Z) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    uint64_t threads = (uint64_t)c->blockDimX * c->blockDimY * c->blockDimZ;
    /* Relaxed: a launch that races with cuFuncSetAttribute may see either limit. */
    if (threads > MAX_THREADS ||
        c->sharedMemBytes >
            (unsigned)atomic_load_explicit(&function->max_dynamic_shared, memory_order_relaxed)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* The product of the kernel's .maxntid, or 1024 without one (PTX ISA, performance-tuning
     * directives). */
    return threads > (uint64_t)function->info.max_threads ? CUDA_ERROR_INVALID_VALUE : 0;
}

/* The packed buffer of `extra`; its size must be that of the parameters. `extra` is a list of (key,
 * value) pairs that CU_LAUNCH_PARAM_END, which is NULL, ends. */
static CUresult
copy_extra(const Function *function, void *to, void **extra)
{
    size_t bytes = function->info.params_bytes;
    const void *buffer = NULL;
    const size_t *size = NULL;
    for (; extra[0] != CU_LAUNCH_PARAM_END; extra += 2) {
        if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) {
            buffer = extra[1];
        }
        else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE) {
            size = extra[1];
        }
        else {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    if (size == NULL || (buffer == NULL && bytes > 0)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* A wrong size is a frequent mistake of hand-packed buffers, and the code alone says little;
     * the report names both sizes. */
    if (*size != bytes) {
        char text[300];
        snprintf(text, sizeof text,
                 "kernel %.200s: launched with %zu bytes of parameters, it takes %zu",
                 function->info.name, *size, bytes);
        emu_report_fault(text);
        return *size > bytes ? CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES : CUDA_ERROR_INVALID_VALUE;
    }
    memcpy(to, buffer, bytes);
    return 0;
}

/* Used by launches and by kernel nodes of graphs. On success the work holds a reference to the
 * function, so that its code outlives cuModuleUnload; on failure it owns nothing. */
CUresult
emu_kernel_work(KernelWork *work, Function *function, const CUlaunchConfig *config, void **params,
                void **extra)
{
    size_t bytes = function->info.params_bytes;
    EMU_TRY(check_shape(function, config));
    /* Parameters come in one of two forms, never both. */
    if ((params != NULL && extra != NULL) || bytes > PARAMS_LIMIT ||
        (bytes > 0 && params == NULL && extra == NULL)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *work = (KernelWork){.function = function,
                         .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                         .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                         .shared_bytes = config->sharedMemBytes,
                         .params_bytes = bytes};
    if (bytes > 0) {
        /* Zeroed, so that padding between parameters has a defined value. */
        work->params = calloc(1, bytes);
        if (work->params == NULL) {
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
    }
    CUresult result = 0;
    if (params != NULL) {
        /* The count is the kernel's: the caller's array carries no length, and the driver reads as
         * many pointers as the kernel declares. */
        for (size_t i = 0; i < function->info.params_count && result == 0; i++) {
            if (params[i] == NULL) {
                result = CUDA_ERROR_INVALID_VALUE;
                break;
            }
            memcpy((char *)work->params + function->params[i].offset, params[i],
                   function->params[i].bytes);
        }
    }
    else if (extra != NULL && bytes > 0) {
        result = copy_extra(function, work->params, extra);
    }
    if (result != 0) {
        free(work->params);
        return result;
    }
    emu_handle_ref(function);
    return 0;
}

/* All blocks of a cooperative grid wait for each other, so they must be resident together
 * (cuLaunchCooperativeKernel). The emulated device keeps to the limit of the real one, although it
 * could run more. */
static CUresult
check_cooperative(const Function *function, const CUlaunchConfig *c)
{
    uint64_t blocks = (uint64_t)c->gridDimX * c->gridDimY * c->gridDimZ;
    int threads = (int)(c->blockDimX * c->blockDimY * c->blockDimZ);
    uint64_t resident = (uint64_t)blocks_per_sm(function, threads, c->sharedMemBytes) *
                        (uint64_t)emu_driver_settings()->sm_count;
    return blocks > resident ? CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE : 0;
}

/* Attributes that are hints are accepted by their number; two have an effect, the cooperative one
 * here and the cluster in settle_cluster. */
static CUresult
read_attributes(const CUlaunchConfig *config, int *cooperative)
{
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const CUlaunchAttribute *attribute = &config->attrs[i];
        if (attribute->id < 0 ||
            attribute->id > CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        if (attribute->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
            *cooperative = attribute->value.cooperative;
        }
    }
    return 0;
}

/* The one path of all three launch entries. The order of the tests decides which error a call with
 * several faults returns. */
static CUresult
launch(CUfunction handle, const CUlaunchConfig *config, void **params, void **extra)
{
    Context *context;
    Stream *stream;
    Function *function;
    int cooperative = 0;
    EMU_TRY(emu_context_current(&context));
    EMU_TRY(emu_function_get(handle, &function));
    EMU_TRY(emu_stream_get(context, config->hStream, &stream));
    /* A kernel runs in the context that it was loaded in, so a stream of another one is refused. */
    if (stream->context != function->module->context) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    uint32_t cluster[3];
    EMU_TRY(read_attributes(config, &cooperative));
    EMU_TRY(settle_cluster(function, config, cluster));
    Work work = {.kind = WORK_KERNEL};
    EMU_TRY(emu_kernel_work(&work.kernel, function, config, params, extra));
    work.kernel.cooperative = cooperative;
    /* A captured kernel runs at times unknown now, so the parts of allocations that exist at this
     * moment do not bind it. */
    work.kernel.moment = emu_stream_captures(stream) ? 0 : emu_extent_moment();
    memcpy(work.kernel.cluster, cluster, sizeof cluster);
    CUresult result = cooperative ? check_cooperative(function, config) : 0;
    if (result != 0) {
        emu_work_clear(&work);
        return result;
    }
    return emu_submit(stream, &work, SUBMIT_ONLY);
}

/* The hot entry: it only gathers its arguments. */
CUresult
cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
               unsigned int block_x, unsigned int block_y, unsigned int block_z,
               unsigned int shared_bytes, CUstream stream, void **params, void **extra)
{
    EMU_TRY_ENTER(cuLaunchKernel);
    CUlaunchConfig config = {grid_x,  grid_y,       grid_z, block_x, block_y,
                             block_z, shared_bytes, stream, NULL,    0};
    return launch(function, &config, params, extra);
}

CUresult
cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params, void **extra)
{
    EMU_TRY_ENTER(cuLaunchKernelEx);
    if (config == NULL || (config->numAttrs > 0 && config->attrs == NULL)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return launch(function, config, params, extra);
}

CUresult
cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                          unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                          unsigned int block_z, unsigned int shared_bytes, CUstream stream,
                          void **params)
{
    EMU_TRY_ENTER(cuLaunchCooperativeKernel);
    /* A cooperative launch is an ordinary one with an attribute. */
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
                                   .value = {.cooperative = 1}};
    CUlaunchConfig config = {grid_x,  grid_y,       grid_z, block_x,    block_y,
                             block_z, shared_bytes, stream, &attribute, 1};
    return launch(function, &config, params, NULL);
}
