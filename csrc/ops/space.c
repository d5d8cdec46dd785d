/* Index spaces of reductions and selection, as kernel parameters; and their compiled kernels by
 * key. */
#include "ops/space.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline int64_t
magnitude(int64_t x)
{
    return x < 0 ? -x : x;
}

/* ---- axes ------------------------------------------------------------------------------------ */

void
gnp_axes_add(GnpAxes *axes, int64_t size, const int64_t *strides)
{
    if (size == 1) {
        return;
    }
    axes->shape[axes->naxes] = size;
    for (int k = 0; k < axes->noperands; k++) {
        axes->stride[axes->naxes][k] = strides[k];
    }
    axes->naxes++;
}

static int
is_faster(const GnpAxes *axes, int b, int a)
{
    int64_t sa = magnitude(axes->stride[a][0]), sb = magnitude(axes->stride[b][0]);
    return sb != 0 && (sa == 0 || sb < sa);
}

static void
move_axis(GnpAxes *axes, int to, int from)
{
    axes->shape[to] = axes->shape[from];
    memcpy(axes->stride[to], axes->stride[from], (size_t)axes->noperands * sizeof(int64_t));
}

void
gnp_axes_sort(GnpAxes *axes)
{
    for (int i = 1; i < axes->naxes; i++) {
        for (int j = i; j > 0 && is_faster(axes, j, j - 1); j--) {
            int64_t shape = axes->shape[j], stride[GNP_AXES_OPERANDS];
            size_t nbytes = (size_t)axes->noperands * sizeof *stride;
            memcpy(stride, axes->stride[j], nbytes);
            move_axis(axes, j, j - 1);
            axes->shape[j - 1] = shape;
            memcpy(axes->stride[j - 1], stride, nbytes);
        }
    }
}

static int
are_one(const GnpAxes *axes, int inner, int outer)
{
    for (int k = 0; k < axes->noperands; k++) {
        if (axes->stride[outer][k] != axes->stride[inner][k] * axes->shape[inner]) {
            return 0;
        }
    }
    return 1;
}

void
gnp_axes_merge(GnpAxes *axes)
{
    int last = 0;
    for (int axis = 1; axis < axes->naxes; axis++) {
        if (are_one(axes, last, axis)) {
            axes->shape[last] *= axes->shape[axis];
        }
        else {
            last++;
            if (last != axis) {
                move_axis(axes, last, axis);
            }
        }
    }
    axes->naxes = axes->naxes > 0 ? last + 1 : 0;
}

int64_t
gnp_axes_size(const GnpAxes *axes)
{
    int64_t size = 1;
    for (int axis = 0; axis < axes->naxes; axis++) {
        size *= axes->shape[axis];
    }
    return size;
}

int64_t
gnp_axes_reach(const GnpAxes *axes, int k)
{
    int64_t reach = 0;
    for (int axis = 0; axis < axes->naxes; axis++) {
        reach += magnitude(axes->stride[axis][k]) * (axes->shape[axis] - 1);
    }
    return reach;
}

uint64_t
gnp_axes_offsets(const GnpAxes *axes, int first)
{
    uint64_t offsets = 0;
    for (int axis = first; axis < axes->naxes; axis++) {
        offsets |= (uint64_t)axes->stride[axis][0];
    }
    return offsets;
}

int
gnp_axes_width(const GnpAxes *axes, int itemsize, int widest, uint64_t others)
{
    if (axes->naxes == 0 || axes->stride[0][0] != itemsize) {
        return 1;
    }
    uint64_t offsets = others | gnp_axes_offsets(axes, 1);
    int width = widest;
    while (width > 1 && offsets % (uint64_t)(width * itemsize) != 0) {
        width /= 2;
    }
    return width;
}

int
gnp_axes_class(int naxes)
{
    static const int classes[] = {1, 2, 3, 4, 6, 8, 16, 32, GNP_MAX_DIMS};
    int i = 0;
    while (classes[i] < naxes) {
        i++;
    }
    return classes[i];
}

/* ---- parameters ------------------------------------------------------------------------------ */

static void *
reserve(GnpParams *p, size_t nbytes)
{
    void *at = p->bytes + p->used;
    p->used += nbytes;
    assert(p->used <= sizeof p->bytes);
    return at;
}

void
gnp_params_add(GnpParams *p, const void *bytes, size_t nbytes)
{
    p->used = (p->used + 15) & ~(size_t)15;
    void *at = reserve(p, nbytes);
    memcpy(at, bytes, nbytes);
    p->arg[p->nargs++] = at;
}

void
gnp_params_more(GnpParams *p, const void *bytes, size_t nbytes)
{
    memcpy(reserve(p, nbytes), bytes, nbytes);
}

static void
put(GnpParams *p, int64_t value)
{
    if (p->wide) {
        memcpy(reserve(p, 8), &value, 8);
    }
    else {
        uint32_t narrow = (uint32_t)(uint64_t)value;
        memcpy(reserve(p, 4), &narrow, 4);
    }
}

void
gnp_params_index(GnpParams *p, int64_t value)
{
    gnp_params_add(p, &value, 0);
    put(p, value);
}

/* d, m, s with n / d = (mulhi(n, m) + n) >> s for n < 2^(bits-1). */
static void
put_divisor(GnpParams *p, int64_t value)
{
    __extension__ typedef unsigned __int128 Wide;
    uint64_t d = (uint64_t)value;
    int s = 0;
    while (((uint64_t)1 << s) < d) {
        s++;
    }
    Wide m = ((Wide)1 << (p->wide ? 64 : 32)) * (((Wide)1 << s) - d) / d + 1;
    put(p, value);
    put(p, (int64_t)(uint64_t)m);
    put(p, s);
}

void
gnp_params_divisor(GnpParams *p, int64_t value)
{
    gnp_params_add(p, &value, 0);
    put_divisor(p, value);
}

void
gnp_params_more_index(GnpParams *p, int64_t value)
{
    put(p, value);
}

void
gnp_params_more_divisor(GnpParams *p, int64_t value)
{
    put_divisor(p, value);
}

void
gnp_params_layout(GnpParams *p, const GnpAxes *axes, int naxes)
{
    gnp_params_add(p, p, 0);
    for (int i = 0; i < naxes; i++) {
        put_divisor(p, i < axes->naxes ? axes->shape[i] : 1);
    }
    for (int i = 0; i < naxes; i++) {
        for (int k = 0; k < axes->noperands; k++) {
            put(p, i < axes->naxes ? axes->stride[i][k] : 0);
        }
    }
}

/* ---- kernels by key -------------------------------------------------------------------------- */

typedef struct {
    GnpKernelKey key;
    GnpKernel *kernel; /* NULL: free */
} Entry;

/* Open addressing, a power of two of entries, at most half full. */
static struct {
    Entry *entries;
    uint64_t capacity, used;
} table;

static uint64_t
hash(const GnpKernelKey *key)
{
    uint64_t h = 0;
    for (int i = 0; i < GNP_KERNEL_KEY_WORDS; i++) {
        h = (h ^ key->word[i]) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    return h;
}

static Entry *
find_entry(Entry *entries, uint64_t capacity, const GnpKernelKey *key)
{
    for (uint64_t i = hash(key);; i++) {
        Entry *e = &entries[i & (capacity - 1)];
        if (e->kernel == NULL || memcmp(&e->key, key, sizeof *key) == 0) {
            return e;
        }
    }
}

GnpKernel *
gnp_kernels_find(const GnpKernelKey *key)
{
    return table.capacity > 0 ? find_entry(table.entries, table.capacity, key)->kernel : NULL;
}

static int
keep(const GnpKernelKey *key, GnpKernel *kernel)
{
    if (2 * table.used >= table.capacity) {
        uint64_t capacity = table.capacity > 0 ? 2 * table.capacity : 128;
        Entry *entries = calloc(capacity, sizeof *entries);
        if (entries == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        for (uint64_t i = 0; i < table.capacity; i++) {
            if (table.entries[i].kernel != NULL) {
                *find_entry(entries, capacity, &table.entries[i].key) = table.entries[i];
            }
        }
        free(table.entries);
        table.entries = entries;
        table.capacity = capacity;
    }
    Entry *e = find_entry(table.entries, table.capacity, key);
    table.used += e->kernel == NULL;
    *e = (Entry){.key = *key, .kernel = kernel};
    return 0;
}

GnpKernel *
gnp_kernels_make(GnpDevice *device, const GnpKernelKey *key, const char *stem, const char *name,
                 GnpText *knobs)
{
    char file[64];
    GnpKernel *kernel = NULL;
    snprintf(file, sizeof file, "%s.cu", stem);
    if (gnp_text_finish(knobs) == 0) {
        GnpKernelSource source = {.file = file,
                                  .entry = stem,
                                  .name = name != NULL ? name : stem,
                                  .knobs = knobs->text,
                                  .knobs_bytes = knobs->used};
        kernel = gnp_kernel_get(device, &source);
        if (kernel != NULL && keep(key, kernel) < 0) {
            kernel = NULL;
        }
    }
    gnp_text_clear(knobs);
    return kernel;
}

const char *
gnp_item_type(int bytes)
{
    switch (bytes) {
    case 1:
        return "u8";
    case 2:
        return "u16";
    case 4:
        return "u32";
    case 8:
        return "u64";
    default:
        return "Vec<u32, 4>";
    }
}

GnpArray *
gnp_readable_any(GnpArray *a, const char *function)
{
    const GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return NULL;
    }
    if (a->device_id != device->id) {
        PyErr_Format(PyExc_ValueError,
                     "%s: the array is on device %d, but the current device is %d; move it with "
                     "cp.asarray or work inside `with cp.cuda.Device(%d)`",
                     function, a->device_id, device->id, a->device_id);
        return NULL;
    }
    return gnp_aligned(a);
}

GnpArray *
gnp_readable(GnpArray *a, const char *function)
{
    if (GNP_UNLIKELY(gnp_has_unit(a->dtype))) {
        gnp_refuse_unit(function, a->dtype);
        return NULL;
    }
    return gnp_readable_any(a, function);
}
