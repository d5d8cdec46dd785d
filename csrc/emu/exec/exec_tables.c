/* Which loops this processor runs, and the lookup of a lane operation by its key. Both are decided
 * once per process.
 *
 * Called by the decoder for each instruction, from any thread that loads or launches. The tables
 * are written once under pthread_once, which orders the writes before every later reader, and never
 * change.
 */
#include "emu/exec/block.h"

#include <string.h>

/* A power of two, several times the number of entries: probing stays short. */
#define BUCKETS 4096

typedef struct {
    const LaneTable *lanes;
    const MemoryLanes *memory;
    const LaneEntry *buckets[BUCKETS];
} Tables;

static Tables tables;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static uint32_t
hash(const char *key)
{
    /* FNV-1a. */
    uint32_t h = 2166136261u;
    for (; *key; key++) {
        h = (h ^ (unsigned char)*key) * 16777619u;
    }
    return h ^ (h >> 15);
}

static void
choose(void)
{
    tables.lanes = &emu_lanes_v2;
    tables.memory = &emu_memory_v2;
#if defined(__x86_64__)
    /* GPUNP_EMU_ISA lowers the choice, for tests of every set on one processor; it never raises
     * it. */
    int wish = emu_settings()->isa, limit = wish == 0 ? 4 : wish;
    __builtin_cpu_init();
    /* The sets follow the x86-64 psABI's levels; lanes_v3.c and lanes_v4.c are compiled for exactly
     * these features. */
    int v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
             __builtin_cpu_supports("bmi2");
    int v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
             __builtin_cpu_supports("avx512cd");
    if (v4 && limit >= 4) {
        tables.lanes = &emu_lanes_v4;
        tables.memory = &emu_memory_v4;
    }
    else if (v3 && limit >= 3) {
        tables.lanes = &emu_lanes_v3;
        tables.memory = &emu_memory_v3;
    }
#endif
    /* Open addressing with linear probing; keys are string literals that live for the process. */
    for (size_t i = 0; i < tables.lanes->count; i++) {
        const LaneEntry *entry = &tables.lanes->entries[i];
        uint32_t slot = hash(entry->key) % BUCKETS;
        while (tables.buckets[slot] != NULL) {
            slot = (slot + 1) % BUCKETS;
        }
        tables.buckets[slot] = entry;
    }
}

/* The entry whose key is equal, or NULL. */
static const LaneEntry *
exact(const char *key)
{
    for (uint32_t slot = hash(key) % BUCKETS; tables.buckets[slot] != NULL;
         slot = (slot + 1) % BUCKETS) {
        if (strcmp(tables.buckets[slot]->key, key) == 0) {
            return tables.buckets[slot];
        }
    }
    return NULL;
}

/* Replaces the letter of every type in the key ("s32" -> "u32") that is one of `from`. */
static void
retype(char *key, const char *from, char to)
{
    for (char *p = key; *p; p++) {
        if (*p == '.' && p[1] != '\0' && strchr(from, p[1]) != NULL && p[2] >= '1' && p[2] <= '9') {
            p[1] = to;
        }
    }
}

/* Types are tried from the exact one to the unsigned and then the bit type, so a row of ptx.def
 * covers all types with the same result. */
const LaneEntry *
emu_lane_find(const char *key)
{
    pthread_once(&once, choose);
    const LaneEntry *entry = exact(key);
    char other[80];
    if (entry != NULL || strlen(key) >= sizeof other) {
        return entry;
    }
    memcpy(other, key, strlen(key) + 1);
    /* Where signedness does not matter ptx.def has the unsigned row alone, and where no type
     * matters the bit row. */
    retype(other, "sb", 'u');
    entry = exact(other);
    if (entry == NULL) {
        retype(other, "suf", 'b');
        entry = exact(other);
    }
    return entry;
}

const MemoryLanes *
emu_memory_lanes(void)
{
    pthread_once(&once, choose);
    return tables.memory;
}
