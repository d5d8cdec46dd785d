/* Start-up, devices and their attributes, primary contexts.
 *
 * `driver` holds all devices. It is filled once under start_lock and published by `ready`; from
 * then on it only changes behind the locks of its parts, so no call takes a global lock. Nothing is
 * torn down at exit: threads may still be running. */
#include "emu/driver/upward.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Static and zeroed: `device_count` is 0 before cuInit, so every device number is refused then. */
static Driver driver;
static _Atomic(Driver *) ready;
static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;

/* Acquire pairs with the release in cuInit. */
Driver *
emu_driver(void)
{
    return atomic_load_explicit(&ready, memory_order_acquire);
}

/* At exit, when EMU_CHECK_LEAKS is on: what contexts that never ended have left. */
static void
report_leaks(void)
{
    for (int i = 0; i < driver.device_count && emu_checks() & EMU_CHECK_LEAKS; i++) {
        emu_memory_report_leaks(driver.devices[i].memory, NULL, "the process ended");
    }
    if (emu_checks() & EMU_CHECK_LEAKS) {
        emu_memory_report_leaks(driver.host, NULL, "the process ended");
    }
}

/* Runs once. A failure is final, so what was made until then is not undone. */
static CUresult
start(void)
{
    const EmuDriverSettings *settings = emu_driver_settings();
    if (settings->devices == 0) {
        return CUDA_ERROR_NO_DEVICE;
    }
    /* Host memory is limited by the machine's, device memory by the setting. */
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    driver.host = emu_memory_new((size_t)pages * (size_t)page, -1);
    if (driver.host == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    for (int i = 0; i < settings->devices; i++) {
        Device *device = &driver.devices[i];
        device->ordinal = i;
        pthread_mutex_init(&device->lock, NULL);
        device->memory = emu_memory_new(settings->memory_bytes, i);
        if (device->memory == NULL) {
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        emu_memory_set_host(device->memory, driver.host);
        device->default_pool = device->current_pool = emu_pool_new(device, 1);
        if (device->default_pool == NULL) {
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        /* Counted up one by one, so that a device is never visible half made. */
        driver.device_count = i + 1;
    }
    return 0;
}

/* Calling it again is allowed and returns the first result, from any thread. */
CUresult
cuInit(unsigned int flags)
{
    static CUresult result;
    EMU_TRY_ENTER_UNINITIALISED(cuInit);
    if (flags != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* The lock makes a second thread wait until the first has finished the start. */
    pthread_mutex_lock(&start_lock);
    if (!emu_gate_is_initialised() && result == 0) {
        result = start();
        if (result == 0) {
            /* Release: a thread that finds the device ready sees it whole. Only then do other
             * calls pass the gate. */
            atomic_store_explicit(&ready, &driver, memory_order_release);
            emu_gate_initialised();
            atexit(report_leaks);
        }
    }
    CUresult now = result;
    pthread_mutex_unlock(&start_lock);
    return now;
}

/* Works before cuInit, as the driver API documents. */
CUresult
cuDriverGetVersion(int *version)
{
    EMU_TRY_ENTER_UNINITIALISED(cuDriverGetVersion);
    if (version == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *version = EMU_DRIVER_VERSION;
    return 0;
}

/* The device is borrowed and lives as long as the process. */
CUresult
emu_device_get(CUdevice ordinal, Device **out)
{
    if (ordinal < 0 || ordinal >= driver.device_count) {
        return CUDA_ERROR_INVALID_DEVICE;
    }
    *out = &driver.devices[ordinal];
    return 0;
}

/* Called by checks of arguments and by work that runs; takes no lock of a device. */
EmuSpan *
emu_find_any(uint64_t address)
{
    /* Address ranges of host and devices are disjoint, so the first that knows the address is the
     * one; each look is two comparisons and a load. */
    EmuSpan *span = emu_span_find(driver.host, address);
    for (int i = 0; span == NULL && i < driver.device_count; i++) {
        span = emu_span_find(driver.devices[i].memory, address);
    }
    return span;
}

/* By range alone: a dangling pointer is recognised as one of the device's. */
int
emu_is_ours(uint64_t address)
{
    int ours = emu_memory_contains(driver.host, address);
    for (int i = 0; !ours && i < driver.device_count; i++) {
        ours = emu_memory_contains(driver.devices[i].memory, address);
    }
    return ours;
}

/* Queued work may use memory that an earlier launch of a graph will have allocated by then. */
EmuSpan *
emu_find_planned(uint64_t address, int in_graph)
{
    EmuSpan *span = emu_find_any(address);
    for (int i = 0; span == NULL && i < driver.device_count; i++) {
        /* Ranges in a device's own memory belong to graphs. */
        EmuSpan *range = emu_range_find(driver.devices[i].memory, address);
        if (range != NULL && (in_graph || emu_graph_memory_allocated(range->owner))) {
            span = range;
        }
    }
    return span;
}

/* ---- queries --------------------------------------------------------------------------------- */

/* Placeholders in the table of attributes for values that depend on the settings or the device. */
enum { ATTR_SM_COUNT = -1000, ATTR_MAJOR, ATTR_MINOR, ATTR_ORDINAL };

/* The table is ordered for readers and searched linearly; programs ask for attributes at start. */
static int
read_attribute(const Device *device, CUdevice_attribute attribute, int *value)
{
    static const struct {
        int number, value;
    } rows[] = {
#define CUDA_ATTRIBUTE(number, name, emulated) {number, emulated},
#include "tables/cuda_attributes.def"
    };
    const EmuDriverSettings *settings = emu_driver_settings();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].number == attribute) {
            switch (rows[i].value) {
            case ATTR_SM_COUNT:
                *value = settings->sm_count;
                break;
            case ATTR_MAJOR:
                *value = settings->arch_major;
                break;
            case ATTR_MINOR:
                *value = settings->arch_minor;
                break;
            case ATTR_ORDINAL:
                *value = device->ordinal;
                break;
            default:
                *value = rows[i].value;
            }
            return 1;
        }
    }
    return 0;
}

/* A CUdevice is the ordinal itself, so the call only tests it. */
CUresult
cuDeviceGet(CUdevice *out, int ordinal)
{
    Device *device;
    EMU_TRY_ENTER(cuDeviceGet);
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(emu_device_get(ordinal, &device));
    *out = device->ordinal;
    return 0;
}

CUresult
cuDeviceGetCount(int *count)
{
    EMU_TRY_ENTER(cuDeviceGetCount);
    if (count == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *count = driver.device_count;
    return 0;
}

CUresult
cuDeviceGetName(char *name, int capacity, CUdevice ordinal)
{
    Device *device;
    EMU_TRY_ENTER(cuDeviceGetName);
    EMU_TRY(emu_device_get(ordinal, &device));
    if (name == NULL || capacity <= 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    snprintf(name, (size_t)capacity, "gpunp emulated device");
    return 0;
}

/* The same in each process, so that programs find a device again; the last byte tells devices
 * apart. */
CUresult
cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice ordinal)
{
    Device *device;
    EMU_TRY_ENTER(cuDeviceGetUuid_v2);
    EMU_TRY(emu_device_get(ordinal, &device));
    if (uuid == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    memcpy(uuid->bytes, "gpunp-emulated-", 15);
    uuid->bytes[15] = (char)('0' + device->ordinal);
    return 0;
}

CUresult
cuDeviceGetUuid(CUuuid *uuid, CUdevice ordinal)
{
    EMU_TRY_ENTER(cuDeviceGetUuid);
    return cuDeviceGetUuid_v2(uuid, ordinal);
}

CUresult
cuDeviceGetLuid(char *luid, unsigned int *mask, CUdevice ordinal)
{
    (void)luid, (void)mask, (void)ordinal;
    EMU_TRY_ENTER(cuDeviceGetLuid);
    return CUDA_ERROR_NOT_SUPPORTED; /* as on every system but Windows */
}

/* The limit that the settings give, whether or not it is in use. */
CUresult
cuDeviceTotalMem_v2(size_t *bytes, CUdevice ordinal)
{
    Device *device;
    size_t used;
    EMU_TRY_ENTER(cuDeviceTotalMem_v2);
    EMU_TRY(emu_device_get(ordinal, &device));
    if (bytes == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    emu_memory_usage(device->memory, &used, bytes);
    return 0;
}

CUresult
cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice ordinal)
{
    Device *device;
    EMU_TRY_ENTER(cuDeviceGetAttribute);
    EMU_TRY(emu_device_get(ordinal, &device));
    if (value == NULL || !read_attribute(device, attribute, value)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return 0;
}

CUresult
cuDeviceComputeCapability(int *major, int *minor, CUdevice ordinal)
{
    Device *device;
    EMU_TRY_ENTER(cuDeviceComputeCapability);
    EMU_TRY(emu_device_get(ordinal, &device));
    if (major == NULL || minor == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *major = emu_driver_settings()->arch_major;
    *minor = emu_driver_settings()->arch_minor;
    return 0;
}

/* For values that are in the table in any case. */
static int
attribute_of(const Device *device, CUdevice_attribute attribute)
{
    int value = 0;
    read_attribute(device, attribute, &value);
    return value;
}

/* A struct of the first CUDA versions; everything in it is an attribute today. */
CUresult
cuDeviceGetProperties(CUdevprop *p, CUdevice ordinal)
{
    Device *device;
    EMU_TRY_ENTER(cuDeviceGetProperties);
    EMU_TRY(emu_device_get(ordinal, &device));
    if (p == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    p->maxThreadsPerBlock = attribute_of(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    for (int i = 0; i < 3; i++) {
        p->maxThreadsDim[i] = attribute_of(device, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + i);
        p->maxGridSize[i] = attribute_of(device, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + i);
    }
    p->sharedMemPerBlock = attribute_of(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    p->totalConstantMemory = attribute_of(device, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
    p->SIMDWidth = attribute_of(device, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    p->memPitch = attribute_of(device, CU_DEVICE_ATTRIBUTE_MAX_PITCH);
    p->regsPerBlock = attribute_of(device, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
    p->clockRate = attribute_of(device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
    p->textureAlign = attribute_of(device, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
    return 0;
}

/* The text has a fixed form, domain:bus:device.function. */
CUresult
cuDeviceGetPCIBusId(char *text, int capacity, CUdevice ordinal)
{
    Device *device;
    EMU_TRY_ENTER(cuDeviceGetPCIBusId);
    EMU_TRY(emu_device_get(ordinal, &device));
    if (text == NULL || capacity < (int)sizeof "0000:00:00.0") {
        return CUDA_ERROR_INVALID_VALUE;
    }
    snprintf(text, (size_t)capacity, "0000:%02X:%02X.0",
             attribute_of(device, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID),
             attribute_of(device, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID));
    return 0;
}

/* The domain and the function may be left out. */
CUresult
cuDeviceGetByPCIBusId(CUdevice *out, const char *text)
{
    unsigned domain = 0, bus, slot;
    EMU_TRY_ENTER(cuDeviceGetByPCIBusId);
    if (out == NULL || text == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* The comma resets what a failed first scan may have left in `domain`. */
    if (sscanf(text, "%x:%x:%x", &domain, &bus, &slot) != 3 &&
        (domain = 0, sscanf(text, "%x:%x", &bus, &slot)) != 2) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (int i = 0; i < driver.device_count; i++) {
        const Device *device = &driver.devices[i];
        if (domain == 0 && (int)bus == attribute_of(device, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID) &&
            (int)slot == attribute_of(device, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)) {
            *out = i;
            return 0;
        }
    }
    return CUDA_ERROR_INVALID_DEVICE;
}

/* All devices are in one address space, so each can access each other one unless the setting says
 * otherwise; a device is no peer of itself. */
CUresult
cuDeviceCanAccessPeer(int *can, CUdevice ordinal, CUdevice peer_ordinal)
{
    Device *device, *peer;
    EMU_TRY_ENTER(cuDeviceCanAccessPeer);
    EMU_TRY(emu_device_get(ordinal, &device));
    EMU_TRY(emu_device_get(peer_ordinal, &peer));
    if (can == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *can = device != peer && emu_driver_settings()->peers;
    return 0;
}

/* Rank 0 is the best performance. */
CUresult
cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice ordinal,
                        CUdevice peer_ordinal)
{
    Device *device, *peer;
    EMU_TRY_ENTER(cuDeviceGetP2PAttribute);
    EMU_TRY(emu_device_get(ordinal, &device));
    EMU_TRY(emu_device_get(peer_ordinal, &peer));
    if (value == NULL || device == peer) {
        return value == NULL ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_DEVICE;
    }
    switch (attribute) {
    case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
        *value = emu_driver_settings()->peers;
        return 0;
    case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
    case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
        *value = 0;
        return 0;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* Limits on multiprocessors belong to MPS, which is absent. */
CUresult
cuDeviceGetExecAffinitySupport(int *value, CUexecAffinityType type, CUdevice ordinal)
{
    Device *device;
    EMU_TRY_ENTER(cuDeviceGetExecAffinitySupport);
    EMU_TRY(emu_device_get(ordinal, &device));
    (void)type; /* of no type */
    if (value == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *value = 0;
    return 0;
}

/* There is no profiler to control; the calls need a context nevertheless. */
CUresult
cuProfilerStart(void)
{
    Context *context;
    EMU_TRY_ENTER_CONTEXT(cuProfilerStart, context);
    return 0;
}

CUresult
cuProfilerStop(void)
{
    Context *context;
    EMU_TRY_ENTER_CONTEXT(cuProfilerStop, context);
    return 0;
}

/* ---- primary contexts ------------------------------------------------------------------------ */

/* The context is made under the device's lock: of two threads that retain first, one makes it and
 * both get the same. A primary context is made with the first retain and ended with the last
 * release; a reset ends it whatever the count is. */
CUresult
cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice ordinal)
{
    Device *device;
    CUresult result = 0;
    EMU_TRY_ENTER(cuDevicePrimaryCtxRetain);
    EMU_TRY(emu_device_get(ordinal, &device));
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&device->lock);
    if (device->primary == NULL) {
        result = emu_context_new(&device->primary, device, device->primary_flags, 1);
    }
    if (result == 0) {
        device->primary_refs++;
        *out = (CUcontext)device->primary;
    }
    pthread_mutex_unlock(&device->lock);
    return result;
}

/* Taken out under the lock and ended outside of it: ending waits for work, and its host functions
 * may make other threads retain the device. */
static CUresult
drop_primary(Device *device, int all)
{
    Context *end = NULL;
    CUresult result = 0;
    pthread_mutex_lock(&device->lock);
    /* A release without a retain is an error, a reset never is. */
    if (device->primary_refs == 0 && !all) {
        result = CUDA_ERROR_INVALID_CONTEXT;
    }
    else if (all || --device->primary_refs == 0) {
        end = device->primary;
        device->primary = NULL;
        device->primary_refs = 0;
    }
    pthread_mutex_unlock(&device->lock);
    if (end != NULL) {
        emu_context_end(end);
    }
    return result;
}

/* The last release ends the context even when other threads have it on their stacks; they get
 * CONTEXT_IS_DESTROYED. */
CUresult
cuDevicePrimaryCtxRelease_v2(CUdevice ordinal)
{
    Device *device;
    EMU_TRY_ENTER(cuDevicePrimaryCtxRelease_v2);
    EMU_TRY(emu_device_get(ordinal, &device));
    return drop_primary(device, 0);
}

CUresult
cuDevicePrimaryCtxReset_v2(CUdevice ordinal)
{
    Device *device;
    EMU_TRY_ENTER(cuDevicePrimaryCtxReset_v2);
    EMU_TRY(emu_device_get(ordinal, &device));
    return drop_primary(device, 1);
}

/* Flags apply to the next primary context, also while one is active. */
CUresult
cuDevicePrimaryCtxSetFlags_v2(CUdevice ordinal, unsigned int flags)
{
    Device *device;
    EMU_TRY_ENTER(cuDevicePrimaryCtxSetFlags_v2);
    EMU_TRY(emu_device_get(ordinal, &device));
    if (!emu_context_flags_valid(flags)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&device->lock);
    device->primary_flags = flags;
    pthread_mutex_unlock(&device->lock);
    return 0;
}

/* Does not need a context and makes none. */
CUresult
cuDevicePrimaryCtxGetState(CUdevice ordinal, unsigned int *flags, int *active)
{
    Device *device;
    EMU_TRY_ENTER(cuDevicePrimaryCtxGetState);
    EMU_TRY(emu_device_get(ordinal, &device));
    if (flags == NULL || active == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&device->lock);
    *flags = device->primary_flags;
    *active = device->primary != NULL;
    pthread_mutex_unlock(&device->lock);
    return 0;
}
