/* Physical memory and address ranges that a program puts together by itself (cuMemCreate,
 * cuMemMap).
 *
 * Physical memory is an anonymous file, so that one piece can be mapped at several places and
 * handed to other processes as a file descriptor. Reserved ranges lie in the address space all
 * devices reach: what one device may access here, the others may too. Neighbouring mappings with
 * access are visible as one span, since copies and kernels may run across their borders. */
#include "emu/driver/driver.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* 2 MiB, the granularity of real devices, so that programs compute with the sizes they will meet
 * there. */
static const size_t UNIT = (size_t)2 << 20; /* granularity of sizes and addresses */

typedef struct {
    EmuHandle head; /* one reference for each hold and each mapping */
    _Atomic int holds;
    Device *device;
    size_t bytes;
    int file;
    int imported; /* its memory is counted where it was made */
    CUmemAllocationProp prop;
} Physical;

/* Mappings of a reservation form a list by address. None overlap, and each is all or nothing: it
 * cannot be unmapped in part. */
typedef struct Mapping {
    struct Mapping *next; /* by address */
    uint64_t lo, hi;
    Physical *physical; /* reference */
    CUmemAccess_flags access[EMU_MAX_DEVICES];
} Mapping;

/* Freed by cuMemAddressFree only; it has no lock of its own. */
typedef struct {
    EmuHandle head;
    EmuSpan *range;
    Mapping *mappings;
} Reservation;

/* One lock for all: mapping is rare, and a reservation, its mappings and their physical memory
 * change together. It comes before the memory's lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards mappings and holds */

/* ---- physical memory ------------------------------------------------------------------------- */

/* Runs with the last hold and the last mapping. An imported file's memory is counted by its
 * exporter. */
static void
physical_destroy(void *object)
{
    Physical *physical = object;
    emu_handle_hide(physical);
    close(physical->file);
    if (!physical->imported) {
        emu_memory_charge(physical->device->memory, -(int64_t)physical->bytes);
    }
}

/* The physical memory that the caller may still name. The handle stays valid for mappings after the
 * last cuMemRelease, but the program may not use it any more. */
static Physical *
physical_get(CUmemGenericAllocationHandle handle)
{
    Physical *physical = emu_handle_get((const void *)(uintptr_t)handle, KIND_PHYSICAL);
    return physical != NULL && atomic_load(&physical->holds) > 0 ? physical : NULL;
}

static CUresult
check_prop(const CUmemAllocationProp *prop, Device **device)
{
    if (prop == NULL || prop->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
        prop->location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return emu_device_get(prop->location.id, device);
}

CUresult
cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *prop,
                              CUmemAllocationGranularity_flags flags)
{
    EMU_TRY_ENTER(cuMemGetAllocationGranularity);
    if (bytes == NULL || prop == NULL || flags < CU_MEM_ALLOC_GRANULARITY_MINIMUM ||
        flags > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *bytes = UNIT;
    return 0;
}

/* `file` is the caller's until this succeeds. */
static Physical *
physical_new(Device *device, size_t bytes, int file)
{
    Physical *physical = emu_handle_new(KIND_PHYSICAL, sizeof *physical, physical_destroy);
    if (physical != NULL) {
        atomic_store(&physical->holds, 1);
        physical->device = device;
        physical->bytes = bytes;
        physical->file = file;
    }
    return physical;
}

/* Fresh memory shows, as everywhere, that it was never written. Written to the file and not through
 * a mapping, since there is none yet. */
static void
poison(int file, size_t bytes)
{
    char piece[4096];
    size_t most = emu_driver_settings()->poison_bytes;
    memset(piece, 0xCD, sizeof piece);
    for (size_t at = 0; at < bytes && at < most; at += sizeof piece) {
        /* Poison is a help and not a promise: a full disk ends it. */
        if (pwrite(file, piece, sizeof piece, (off_t)at) < 0) {
            return;
        }
    }
}

CUresult
cuMemCreate(CUmemGenericAllocationHandle *out, size_t bytes, const CUmemAllocationProp *prop,
            unsigned long long flags)
{
    Device *device;
    EMU_TRY_ENTER(cuMemCreate);
    EMU_TRY(check_prop(prop, &device));
    if (out == NULL || bytes == 0 || bytes % UNIT != 0 || flags != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* Physical memory counts from its creation, mapped or not. */
    if (!emu_memory_charge(device->memory, (int64_t)bytes)) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    /* The C library may be older than the function; the system call is not. */
    int file =
        (int)syscall(SYS_memfd_create, "gpunp emulated device memory", 1u /* close on exec */);
    Physical *physical = NULL;
    if (file >= 0 && ftruncate(file, (off_t)bytes) == 0) {
        physical = physical_new(device, bytes, file);
    }
    if (physical == NULL) {
        emu_memory_charge(device->memory, -(int64_t)bytes);
        if (file >= 0) {
            close(file);
        }
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    physical->prop = *prop;
    poison(file, bytes);
    *out = (CUmemGenericAllocationHandle)(uintptr_t)physical;
    return 0;
}

/* Each hold is also a reference, so the memory goes with the last of both kinds (cuMemRelease:
 * mappings keep it). */
CUresult
cuMemRelease(CUmemGenericAllocationHandle handle)
{
    EMU_TRY_ENTER(cuMemRelease);
    pthread_mutex_lock(&lock);
    Physical *physical = physical_get(handle);
    if (physical != NULL) {
        atomic_fetch_sub(&physical->holds, 1);
        emu_handle_unref(physical);
    }
    pthread_mutex_unlock(&lock);
    return physical != NULL ? 0 : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *out,
                                       CUmemGenericAllocationHandle handle)
{
    EMU_TRY_ENTER(cuMemGetAllocationPropertiesFromHandle);
    const Physical *physical = physical_get(handle);
    if (out == NULL || physical == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = physical->prop;
    return 0;
}

CUresult
cuMemExportToShareableHandle(void *out, CUmemGenericAllocationHandle handle,
                             CUmemAllocationHandleType type, unsigned long long flags)
{
    EMU_TRY_ENTER(cuMemExportToShareableHandle);
    const Physical *physical = physical_get(handle);
    if (out == NULL || physical == NULL || flags != 0 ||
        type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
        physical->prop.requestedHandleTypes != type) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* The program owns the descriptor it gets, and may close it or send it to another process. */
    int file = dup(physical->file);
    if (file < 0) {
        return CUDA_ERROR_OPERATING_SYSTEM;
    }
    *(int *)out = file;
    return 0;
}

/* The importer gets its own descriptor, so the program may close the one it passed. */
CUresult
cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *out, void *shared,
                               CUmemAllocationHandleType type)
{
    Context *context;
    struct stat about;
    EMU_TRY_ENTER_CONTEXT(cuMemImportFromShareableHandle, context);
    if (out == NULL || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    int file = (int)(intptr_t)shared;
    /* The descriptor may be anything: only a regular file of whole units can be device memory. */
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0 ||
        (size_t)about.st_size % UNIT != 0 || (file = dup(file)) < 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    Physical *physical = physical_new(context->device, (size_t)about.st_size, file);
    if (physical == NULL) {
        close(file);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    /* What the exporter's properties were is not in the file; those of an importable allocation on
     * this device are assumed. */
    physical->imported = 1;
    physical->prop =
        (CUmemAllocationProp){.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                              .requestedHandleTypes = type,
                              .location = {CU_MEM_LOCATION_TYPE_DEVICE, context->device->ordinal}};
    *out = (CUmemGenericAllocationHandle)(uintptr_t)physical;
    return 0;
}

/* ---- address ranges -------------------------------------------------------------------------- */

/* Reservations lie in the host's range, which all devices search. */
static Reservation *
reservation_at(uint64_t address)
{
    EmuSpan *range = emu_range_find(emu_driver()->host, address);
    return range != NULL ? range->owner : NULL;
}

CUresult
cuMemAddressReserve(CUdeviceptr *out, size_t bytes, size_t alignment, CUdeviceptr wish,
                    unsigned long long flags)
{
    (void)wish; /* a wish is all it is */
    EMU_TRY_ENTER(cuMemAddressReserve);
    if (out == NULL || bytes == 0 || bytes % UNIT != 0 || (alignment & (alignment - 1)) != 0 ||
        flags != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* The object exists before the range does, because lookups find it as soon as the range is in
     * the table. */
    Reservation *reservation = emu_handle_new(KIND_RESERVATION, sizeof *reservation, NULL);
    if (reservation == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    pthread_mutex_lock(&lock); /* a thread that guesses the address may not free it yet */
    int made = emu_range_new(emu_driver()->host, bytes, alignment > UNIT ? alignment : UNIT,
                             reservation, &reservation->range);
    if (made == 0) {
        *out = reservation->range->lo;
    }
    pthread_mutex_unlock(&lock);
    if (made < 0) {
        emu_handle_close(reservation);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return 0;
}

/* The whole reservation or nothing, and no mapping may be left in it. */
CUresult
cuMemAddressFree(CUdeviceptr address, size_t bytes)
{
    EMU_TRY_ENTER(cuMemAddressFree);
    pthread_mutex_lock(&lock);
    Reservation *reservation = reservation_at(address);
    if (reservation == NULL || reservation->mappings != NULL || reservation->range->lo != address ||
        reservation->range->hi - address != bytes) {
        pthread_mutex_unlock(&lock);
        return CUDA_ERROR_INVALID_VALUE;
    }
    emu_range_retire(reservation->range);
    emu_handle_close(reservation);
    pthread_mutex_unlock(&lock);
    emu_memory_release_retired(emu_driver()->host); /* it has no pages that work could use */
    return 0;
}

/* Access is kept by device, but one address space serves all: if any device may use the pages, they
 * are accessible. */
static int
is_accessible(const Mapping *mapping)
{
    for (int i = 0; mapping != NULL && i < EMU_MAX_DEVICES; i++) {
        if (mapping->access[i] != CU_MEM_ACCESS_FLAGS_PROT_NONE) {
            return 1;
        }
    }
    return 0;
}

/* Shows every run of accessible mappings as one span and hides the rest. Caller holds the lock. */
static CUresult
show(Reservation *reservation)
{
    EmuSpan *range = reservation->range;
    const Mapping *mapping = reservation->mappings;
    uint64_t hidden = range->lo;
    while (mapping != NULL) {
        if (!is_accessible(mapping)) {
            mapping = mapping->next;
            continue;
        }
        uint64_t lo = mapping->lo, hi = lo;
        int device = mapping->physical->device->ordinal;
        /* Neighbours with access join, whatever devices their memory is on; the first one's device
         * stands for all. */
        for (; is_accessible(mapping) && mapping->lo == hi; mapping = mapping->next) {
            hi = mapping->hi;
        }
        /* A span that is right already keeps its id and its record, so lookups of running kernels
         * are not disturbed. */
        EmuSpan *known = emu_span_find(range->memory, lo);
        if (known == NULL || known->lo != lo || known->hi != hi) {
            EmuSpan *span = emu_range_show(range, lo, hi, SPAN_MAPPED);
            if (span == NULL) {
                return CUDA_ERROR_OUT_OF_MEMORY;
            }
            span->device = device;
        }
        if (hidden < lo) {
            emu_range_hide(range, hidden, lo);
        }
        hidden = hi;
    }
    if (hidden < range->hi) {
        emu_range_hide(range, hidden, range->hi);
    }
    return 0;
}

/* ---- mapping --------------------------------------------------------------------------------- */

/* PROT_NONE until cuMemSetAccess, as a mapping without access rights faults on a GPU. */
static CUresult
map_locked(CUdeviceptr address, size_t bytes, size_t offset, Physical *physical)
{
    Reservation *reservation = reservation_at(address);
    if (reservation == NULL || bytes > reservation->range->hi - address) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* Finds the place in the list; the first mapping that ends above the address is the only one
     * that could overlap. */
    Mapping **at = &reservation->mappings;
    while (*at != NULL && (*at)->hi <= address) {
        at = &(*at)->next;
    }
    if (*at != NULL && (*at)->lo < address + bytes) {
        return CUDA_ERROR_INVALID_VALUE; /* something is there already */
    }
    Mapping *mapping = calloc(1, sizeof *mapping);
    if (mapping == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    /* MAP_FIXED replaces reserved pages only, as the range was tested. */
    if (mmap((void *)(uintptr_t)address, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, physical->file,
             (off_t)offset) == MAP_FAILED) {
        free(mapping);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    emu_handle_ref(physical);
    mapping->physical = physical;
    mapping->lo = address;
    mapping->hi = address + bytes;
    mapping->next = *at;
    *at = mapping;
    return 0;
}

/* An offset into the physical memory is accepted, in whole units, although the driver API documents
 * it as zero. */
CUresult
cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
         unsigned long long flags)
{
    EMU_TRY_ENTER(cuMemMap);
    pthread_mutex_lock(&lock);
    Physical *physical = physical_get(handle);
    CUresult result;
    if (physical == NULL || bytes == 0 || address % UNIT != 0 || flags != 0) {
        result = CUDA_ERROR_INVALID_VALUE;
    }
    else if (bytes % UNIT != 0 || offset % UNIT != 0 || offset > physical->bytes ||
             bytes > physical->bytes - offset) {
        result = CUDA_ERROR_NOT_SUPPORTED;
    }
    else {
        result = map_locked(address, bytes, offset, physical);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

/* The first of the mappings that make up exactly [address, address + bytes); NULL when there is a
 * gap or one is cut. */
static Mapping **
mappings_of(Reservation *reservation, uint64_t address, size_t bytes)
{
    if (reservation == NULL || bytes == 0 || bytes > reservation->range->hi - address) {
        return NULL;
    }
    Mapping **first = &reservation->mappings;
    while (*first != NULL && (*first)->lo < address) {
        first = &(*first)->next;
    }
    uint64_t at = address;
    for (const Mapping *mapping = *first; mapping != NULL && mapping->lo == at;
         mapping = mapping->next) {
        at = mapping->hi;
        if (at >= address + bytes) {
            break;
        }
    }
    return at == address + bytes ? first : NULL;
}

/* Takes away all that is mapped there; a mapping may not be cut. */
static CUresult
unmap_locked(CUdeviceptr address, size_t bytes)
{
    Reservation *reservation = reservation_at(address);
    if (reservation == NULL || bytes == 0 || bytes % UNIT != 0 || address % UNIT != 0 ||
        bytes > reservation->range->hi - address) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    uint64_t end = address + bytes;
    Mapping *gone = NULL, **at = &reservation->mappings;
    /* Tested completely before anything changes, so that a refused call has no effect. */
    for (const Mapping *mapping = *at; mapping != NULL; mapping = mapping->next) {
        int outside = mapping->hi <= address || end <= mapping->lo;
        if (!outside && (mapping->lo < address || end < mapping->hi)) {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    while (*at != NULL && (*at)->lo < end) {
        Mapping *mapping = *at;
        if (mapping->hi <= address) {
            at = &mapping->next;
            continue;
        }
        *at = mapping->next;
        mapping->next = gone;
        gone = mapping;
    }
    /* Lookups must fail before the pages go; a kernel that is still running then gets a fault
     * instead of a crash. */
    CUresult result = show(reservation);
    mmap((void *)(uintptr_t)address, bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    while (gone != NULL) {
        Mapping *mapping = gone;
        gone = mapping->next;
        /* May close the file and with it the memory, when nothing else names it. */
        emu_handle_unref(mapping->physical);
        free(mapping);
    }
    return result;
}

CUresult
cuMemUnmap(CUdeviceptr address, size_t bytes)
{
    EMU_TRY_ENTER(cuMemUnmap);
    Context *context = emu_context_peek();
    if (context != NULL) {
        emu_context_wait(context); /* as the driver does: work under way may use the memory */
    }
    pthread_mutex_lock(&lock);
    CUresult result = unmap_locked(address, bytes);
    pthread_mutex_unlock(&lock);
    return result;
}

/* ---- access ---------------------------------------------------------------------------------- */

static CUresult
check_access(const CUmemAccessDesc *list, size_t count)
{
    if (list == NULL || count == 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < count; i++) {
        Device *device;
        if (list[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
            (list[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE &&
             list[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        EMU_TRY(emu_device_get(list[i].location.id, &device));
    }
    return 0;
}

CUresult
cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *list, size_t count)
{
    EMU_TRY_ENTER(cuMemSetAccess);
    EMU_TRY(check_access(list, count));
    pthread_mutex_lock(&lock);
    Reservation *reservation = reservation_at(address);
    Mapping **first = mappings_of(reservation, address, bytes);
    CUresult result = CUDA_ERROR_INVALID_VALUE;
    /* Rights change for whole mappings, all of which must lie in the range. */
    if (first != NULL) {
        for (Mapping *mapping = *first; mapping != NULL && mapping->lo < address + bytes;
             mapping = mapping->next) {
            for (size_t i = 0; i < count; i++) {
                mapping->access[list[i].location.id] = list[i].flags;
            }
            /* Pages first and visibility second: what is visible is accessible. */
            mprotect((void *)(uintptr_t)mapping->lo, mapping->hi - mapping->lo,
                     is_accessible(mapping) ? PROT_READ | PROT_WRITE : PROT_NONE);
        }
        result = show(reservation);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

static Mapping *
mapping_at(uint64_t address)
{
    Reservation *reservation = reservation_at(address);
    Mapping *mapping = reservation != NULL ? reservation->mappings : NULL;
    while (mapping != NULL && mapping->hi <= address) {
        mapping = mapping->next;
    }
    return mapping != NULL && mapping->lo <= address ? mapping : NULL;
}

/* Ordinary allocations answer that they can be read and written. */
CUresult
cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr address)
{
    Device *device;
    EMU_TRY_ENTER(cuMemGetAccess);
    if (flags == NULL || location == NULL || location->type != CU_MEM_LOCATION_TYPE_DEVICE) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(emu_device_get(location->id, &device));
    pthread_mutex_lock(&lock);
    const Mapping *mapping = mapping_at(address);
    if (mapping == NULL && emu_find_any(address) != NULL) {
        *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE; /* memory of the usual kind */
        pthread_mutex_unlock(&lock);
        return 0;
    }
    if (mapping != NULL) {
        *flags = (unsigned long long)mapping->access[device->ordinal];
    }
    pthread_mutex_unlock(&lock);
    return mapping != NULL ? 0 : CUDA_ERROR_INVALID_VALUE;
}

/* The handle of the memory that is mapped at an address, with one more hold. */
CUresult
cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *out, void *address)
{
    EMU_TRY_ENTER(cuMemRetainAllocationHandle);
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&lock);
    const Mapping *mapping = mapping_at((uintptr_t)address);
    if (mapping != NULL) {
        atomic_fetch_add(&mapping->physical->holds, 1);
        emu_handle_ref(mapping->physical);
        *out = (CUmemGenericAllocationHandle)(uintptr_t)mapping->physical;
    }
    pthread_mutex_unlock(&lock);
    return mapping != NULL ? 0 : CUDA_ERROR_INVALID_VALUE;
}

/* The mapping that holds `address` in a visible span: pointer attributes tell of it. Called by
 * cuPointerGetAttribute for an address in a visible span. */
int
emu_mapping_find(uint64_t address, uint64_t *lo, uint64_t *hi)
{
    pthread_mutex_lock(&lock);
    const Mapping *mapping = mapping_at(address);
    if (mapping != NULL) {
        *lo = mapping->lo;
        *hi = mapping->hi;
    }
    pthread_mutex_unlock(&lock);
    return mapping != NULL;
}

/* Arguments are checked so that wrong ones are told from a missing feature. */
CUresult
cuMemGetHandleForAddressRange(void *out, CUdeviceptr address, size_t bytes,
                              CUmemRangeHandleType type, unsigned long long flags)
{
    enum { PAGE = 4096 };
    EMU_TRY_ENTER(cuMemGetHandleForAddressRange);
    if (out == NULL || flags != 0 || address % PAGE != 0 || bytes % PAGE != 0 ||
        type != CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_ERROR_NOT_SUPPORTED; /* there is no bus that another device could reach it over */
}
