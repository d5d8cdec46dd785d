/* Managed memory: what programs advise about it and where they prefetch it to. Host and devices
 * share one copy here, so nothing moves; what was said is kept for each page and told when asked.
 *
 * Advice is kept from the first call on as one record per page, owned by the span and freed with
 * it. It changes no behaviour; programs read it back by cuMemRangeGetAttribute. */
#include "emu/driver/driver.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

/* Shorts keep a page's record small: an allocation of 1 GiB has 262,144 pages. */
typedef struct {
    short type, id; /* CU_MEM_LOCATION_TYPE_* */
} Place;

/* Of one page. */
typedef struct {
    Place preferred, prefetched;
    uint16_t accessed; /* bit per device, and one for the host */
    uint8_t read_mostly;
} Advice;

/* The host is one bit behind the devices. */
enum { HOST_BIT = EMU_MAX_DEVICES };

/* One lock for all spans: advice is rare. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the advice of all spans */

/* A range must lie in one managed allocation; its pages need not be whole. */
static CUresult
find_managed(uint64_t address, size_t bytes, EmuSpan **out)
{
    EmuSpan *span = emu_find_any(address);
    if (bytes == 0 || span == NULL || span->kind != SPAN_MANAGED || bytes > span->hi - address) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = span;
    return 0;
}

/* NUMA nodes of the host all count as the host. */
static CUresult
check_location(CUmemLocation location)
{
    Device *device;
    switch (location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
        return emu_device_get(location.id, &device) != 0 ? CUDA_ERROR_INVALID_VALUE : 0;
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
        return 0;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* The location that the older calls name by a device's number. CU_DEVICE_CPU, which is -1, names
 * the host there. */
static CUresult
location_of(CUdevice device, CUmemLocation *out)
{
    Device *found;
    *out = (CUmemLocation){.type = device == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST
                                                           : CU_MEM_LOCATION_TYPE_DEVICE,
                           .id = device == CU_DEVICE_CPU ? 0 : device};
    return device == CU_DEVICE_CPU ? 0 : emu_device_get(device, &found);
}

/* The pages of [address, address + bytes); NULL without memory, or when nothing was said yet and
 * nothing is to be noted. The lock is held. A page belongs to the range if any byte of it does. */
static Advice *
pages_of(EmuSpan *span, uint64_t address, size_t bytes, int notes, size_t *count)
{
    size_t all = (span->hi - span->lo + PAGE - 1) / PAGE;
    if (span->advice == NULL && notes) {
        span->advice = calloc(all, sizeof(Advice));
    }
    size_t first = (address - span->lo) / PAGE;
    *count = (address + bytes - span->lo + PAGE - 1) / PAGE - first;
    return span->advice == NULL ? NULL : (Advice *)span->advice + first;
}

static void
note(Advice *page, CUmem_advise advice, Place place)
{
    int bit = place.type == CU_MEM_LOCATION_TYPE_DEVICE ? place.id : HOST_BIT;
    switch (advice) {
    case CU_MEM_ADVISE_SET_READ_MOSTLY:
    case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
        page->read_mostly = advice == CU_MEM_ADVISE_SET_READ_MOSTLY;
        break;
    case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
        page->preferred = place;
        break;
    case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
        page->preferred = (Place){0, 0};
        break;
    case CU_MEM_ADVISE_SET_ACCESSED_BY:
        page->accessed |= (uint16_t)(1u << bit);
        break;
    default:
        page->accessed &= (uint16_t)~(1u << bit);
    }
}

/* advice 0: the pages were prefetched there. */
static CUresult
note_all(uint64_t address, size_t bytes, CUmem_advise advice, CUmemLocation location)
{
    EmuSpan *span;
    size_t count;
    /* The host has no number, so equal places compare equal byte by byte. */
    Place place = {(short)location.type, (short)location.id};
    if (location.type == CU_MEM_LOCATION_TYPE_HOST) {
        place.id = 0;
    }
    EMU_TRY(find_managed(address, bytes, &span));
    pthread_mutex_lock(&lock);
    Advice *pages = pages_of(span, address, bytes, 1, &count);
    for (size_t i = 0; pages != NULL && i < count; i++) {
        if (advice == 0) {
            pages[i].prefetched = place;
        }
        else {
            note(&pages[i], advice, place);
        }
    }
    pthread_mutex_unlock(&lock);
    return pages != NULL ? 0 : CUDA_ERROR_OUT_OF_MEMORY;
}

static int
is_advice(CUmem_advise advice)
{
    return advice >= CU_MEM_ADVISE_SET_READ_MOSTLY && advice <= CU_MEM_ADVISE_UNSET_ACCESSED_BY;
}

/* The older form has a device's number where the newer has a location. */
CUresult
cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device)
{
    EmuSpan *span;
    CUmemLocation location = {0};
    EMU_TRY_ENTER(cuMemAdvise);
    EMU_TRY(find_managed(address, bytes, &span));
    if (!is_advice(advice)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* Read-mostly advice ignores the device, which may then be any number. */
    if (advice > CU_MEM_ADVISE_UNSET_READ_MOSTLY) {
        EMU_TRY(location_of(device, &location));
    }
    return note_all(address, bytes, advice, location);
}

CUresult
cuMemAdvise_v2(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation location)
{
    EmuSpan *span;
    EMU_TRY_ENTER(cuMemAdvise_v2);
    EMU_TRY(find_managed(address, bytes, &span));
    if (!is_advice(advice)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (advice > CU_MEM_ADVISE_UNSET_READ_MOSTLY) {
        EMU_TRY(check_location(location));
    }
    return note_all(address, bytes, advice, location);
}

/* The stream is tested but not used: a prefetch moves nothing, so it is done at once. */
CUresult
cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device, CUstream handle)
{
    Context *context;
    Stream *stream;
    EmuSpan *span;
    CUmemLocation location;
    EMU_TRY_ENTER_CONTEXT(cuMemPrefetchAsync, context);
    EMU_TRY(find_managed(address, bytes, &span));
    EMU_TRY(location_of(device, &location));
    EMU_TRY(emu_stream_get(context, handle, &stream));
    return note_all(address, bytes, 0, location);
}

CUresult
cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned int flags,
                      CUstream handle)
{
    Context *context;
    Stream *stream;
    EmuSpan *span;
    EMU_TRY_ENTER_CONTEXT(cuMemPrefetchAsync_v2, context);
    EMU_TRY(find_managed(address, bytes, &span));
    EMU_TRY(check_location(location));
    if (flags != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(emu_stream_get(context, handle, &stream));
    return note_all(address, bytes, 0, location);
}

/* ---- questions ------------------------------------------------------------------------------- */

/* What all pages of a range have in common. An attribute that differs between pages has no common
 * value and reads as unknown, as cuMemRangeGetAttribute documents. */
static CUresult
common_advice(uint64_t address, size_t bytes, Advice *out)
{
    EmuSpan *span;
    size_t count;
    *out = (Advice){0};
    EMU_TRY(find_managed(address, bytes, &span));
    pthread_mutex_lock(&lock);
    const Advice *pages = pages_of(span, address, bytes, 0, &count);
    if (pages != NULL) {
        *out = pages[0];
    }
    for (size_t i = 1; pages != NULL && i < count; i++) {
        /* Compared as bytes: the struct has no padding. */
        if (memcmp(&out->preferred, &pages[i].preferred, sizeof out->preferred) != 0) {
            out->preferred = (Place){0, 0};
        }
        if (memcmp(&out->prefetched, &pages[i].prefetched, sizeof out->prefetched) != 0) {
            out->prefetched = (Place){0, 0};
        }
        out->accessed &= pages[i].accessed;
        out->read_mostly &= pages[i].read_mostly;
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

/* A place as the older attributes tell it. Places without an older name, such as a NUMA node, read
 * as no device. */
static int
device_of(Place place)
{
    return place.type == CU_MEM_LOCATION_TYPE_DEVICE ? place.id
           : place.type == CU_MEM_LOCATION_TYPE_HOST ? CU_DEVICE_CPU
                                                     : CU_DEVICE_INVALID;
}

/* Fills the rest of the array with invalid devices, as the attribute documents. */
static void
list_accessed(unsigned accessed, int *values, size_t capacity)
{
    size_t n = 0;
    for (int i = 0; i <= HOST_BIT && n < capacity; i++) {
        if (accessed >> i & 1) {
            values[n++] = i == HOST_BIT ? CU_DEVICE_CPU : i;
        }
    }
    while (n < capacity) {
        values[n++] = CU_DEVICE_INVALID;
    }
}

/* Sizes are multiples of an int; only ACCESSED_BY takes an array. */
CUresult
cuMemRangeGetAttribute(void *data, size_t data_bytes, CUmem_range_attribute attribute,
                       CUdeviceptr address, size_t bytes)
{
    Advice common;
    EMU_TRY_ENTER(cuMemRangeGetAttribute);
    /* The range is tested first, then what the attribute needs. */
    EMU_TRY(common_advice(address, bytes, &common));
    if (data == NULL || data_bytes < sizeof(int) || data_bytes % sizeof(int) != 0 ||
        (data_bytes != sizeof(int) && attribute != CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    int *values = data;
    switch (attribute) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
        values[0] = common.read_mostly;
        return 0;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
        values[0] = device_of(common.preferred);
        return 0;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
        values[0] = device_of(common.prefetched);
        return 0;
    case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
        list_accessed(common.accessed, values, data_bytes / sizeof(int));
        return 0;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
        values[0] = common.preferred.type;
        return 0;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
        values[0] = common.prefetched.type;
        return 0;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
        values[0] = common.preferred.id;
        return 0;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
        values[0] = common.prefetched.id;
        return 0;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* Stops at the first attribute that fails; earlier ones have been written. */
CUresult
cuMemRangeGetAttributes(void **data, size_t *data_bytes, CUmem_range_attribute *attributes,
                        size_t count, CUdeviceptr address, size_t bytes)
{
    EMU_TRY_ENTER(cuMemRangeGetAttributes);
    if (data == NULL || data_bytes == NULL || attributes == NULL || count == 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < count; i++) {
        EMU_TRY(cuMemRangeGetAttribute(data[i], data_bytes[i], attributes[i], address, bytes));
    }
    return 0;
}
