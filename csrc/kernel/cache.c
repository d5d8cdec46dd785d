/* Compiled kernels by key. */
#include "kernel/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
