/* The driver half in a few lines, so that the machine can be tested alone: memory over malloc, logs,
 * settings, and a flat C interface for ctypes. */
#include "emu/check/check.h"
#include "emu/ptx/ptx.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPANS 4096

struct EmuMemory {
    struct {
        uint64_t lo, hi;
        void *block;
    } spans[SPANS];
    size_t count;
    pthread_mutex_t lock;
};

static EmuMemory memory = {.lock = PTHREAD_MUTEX_INITIALIZER};
static EmuSettings settings = {.optimise = 2};

int
emu_memory_find(const EmuMemory *m, uint64_t moment, uint64_t address, uint64_t *lo, uint64_t *hi)
{
    (void)moment;
    int found = 0;
    pthread_mutex_lock(&memory.lock);
    for (size_t i = 0; i < m->count && !found; i++) {
        if (address >= m->spans[i].lo && address < m->spans[i].hi) {
            *lo = m->spans[i].lo;
            *hi = m->spans[i].hi;
            found = 1;
        }
    }
    pthread_mutex_unlock(&memory.lock);
    return found;
}

void
emu_memory_describe(const EmuMemory *m, uint64_t address, char *text, size_t capacity)
{
    (void)m;
    snprintf(text, capacity, "nothing known about 0x%llx", (unsigned long long)address);
}

static size_t largest = SIZE_MAX; /* what one allocation may be; the fuzzer sets less */
static size_t padding = 512;

uint64_t
emu_memory_alloc(EmuMemory *m, size_t bytes)
{
    void *block = NULL;
    size_t size = bytes + padding;
    pthread_mutex_lock(&memory.lock);
    int failed = m->count >= SPANS || bytes > largest || posix_memalign(&block, 256, size) != 0;
    uint64_t address = (uint64_t)(uintptr_t)block;
    if (!failed) {
        memset(block, 0, size);
        m->spans[m->count].lo = address;
        m->spans[m->count].hi = address + bytes;
        m->spans[m->count++].block = block;
    }
    pthread_mutex_unlock(&memory.lock);
    return address;
}

void
emu_memory_free(EmuMemory *m, uint64_t address)
{
    pthread_mutex_lock(&memory.lock);
    for (size_t i = 0; i < m->count; i++) {
        if (m->spans[i].lo == address) {
            free(m->spans[i].block);
            m->spans[i] = m->spans[--m->count];
            break;
        }
    }
    pthread_mutex_unlock(&memory.lock);
}

int
emu_memory_unwritten(const EmuMemory *m, uint64_t address, uint64_t *lo, uint64_t *hi,
                     unsigned char **bits)
{
    *bits = NULL;
    return emu_memory_find(m, 0, address, lo, hi);
}

uint64_t
emu_memory_heap_alloc(EmuMemory *m, size_t bytes, size_t limit, void *owner)
{
    (void)owner;
    return bytes > 0 && bytes <= limit ? emu_memory_alloc(m, bytes) : 0;
}

int
emu_memory_heap_free(EmuMemory *m, uint64_t address)
{
    uint64_t lo, hi;
    if (!emu_memory_find(m, 0, address, &lo, &hi) || lo != address) {
        return -1;
    }
    emu_memory_free(m, address);
    return 0;
}

/* The machine alone has no textures. */
const EmuTexture *
emu_texture_find(uint64_t handle)
{
    (void)handle;
    return NULL;
}

const EmuSettings *
emu_settings(void)
{
    return &settings;
}

/* ---- for ctypes ------------------------------------------------------------------------------ */

void stub_isa(int isa);
void stub_optimise(int level);
void stub_shuffle(uint64_t seed);
void stub_checks(unsigned checks);
void stub_cluster(uint32_t x, uint32_t y, uint32_t z);
uint64_t stub_alloc(size_t bytes);
void stub_free(uint64_t address);
EmuModule *stub_load(const char *text, size_t bytes, char *error, size_t capacity);
int stub_launch(EmuFunction *function, const uint32_t *shape, size_t shared, const void *params,
                int workers, int cooperative, uint64_t watchdog, EmuFault *fault);
size_t stub_printed(char *text, size_t capacity);
int stub_decode(EmuFunction *function, EmuFunctionInfo *info, char *error, size_t capacity);

EmuFunction *stub_function(EmuModule *module, const char *name);
EmuFunction *stub_function_at(EmuModule *module, size_t i);
size_t stub_function_count(const EmuModule *module);
void stub_unload(EmuModule *module);

static char printed[1 << 16];
static size_t printed_used;

void
stub_isa(int isa)
{
    settings.isa = isa;
}

void
stub_optimise(int level)
{
    settings.optimise = level;
}

void
stub_checks(unsigned checks)
{
    settings.checks = checks;
}

void
stub_shuffle(uint64_t seed)
{
    settings.shuffle = seed != 0;
    settings.seed = seed;
}

static uint32_t cluster[3];

/* Of all launches that follow; zeros: as the kernel says. */
void
stub_cluster(uint32_t x, uint32_t y, uint32_t z)
{
    cluster[0] = x;
    cluster[1] = y;
    cluster[2] = z;
}

uint64_t
stub_alloc(size_t bytes)
{
    return emu_memory_alloc(&memory, bytes);
}

void
stub_free(uint64_t address)
{
    emu_memory_free(&memory, address);
}

EmuModule *
stub_load(const char *text, size_t bytes, char *error, size_t capacity)
{
    EmuLog log = {.error = error, .error_capacity = capacity};
    EmuModule *m = NULL;
    error[0] = '\0';
    int r = emu_module_load(&m, text, bytes, &memory, &log);
    if (r != 0) {
        size_t n = strlen(error);
        snprintf(error + n, capacity - n, " [%d]", r);
    }
    return m;
}

int
stub_decode(EmuFunction *function, EmuFunctionInfo *info, char *error, size_t capacity)
{
    EmuLog log = {.error = error, .error_capacity = capacity};
    error[0] = '\0';
    return emu_function_info(function, info, &log);
}

static void
keep(void *context, const char *text, size_t bytes)
{
    (void)context;
    bytes = bytes < sizeof printed - printed_used ? bytes : sizeof printed - printed_used;
    memcpy(printed + printed_used, text, bytes);
    printed_used += bytes;
}

size_t
stub_printed(char *text, size_t capacity)
{
    size_t n = printed_used < capacity ? printed_used : capacity;
    memcpy(text, printed, n);
    printed_used = 0;
    return n;
}

int
stub_launch(EmuFunction *function, const uint32_t *shape, size_t shared, const void *params,
            int workers, int cooperative, uint64_t watchdog, EmuFault *fault)
{
    EmuLaunch launch = {
        .function = function,
        .memory = &memory,
        .grid = {shape[0], shape[1], shape[2]},
        .block = {shape[3], shape[4], shape[5]},
        .shared_bytes = shared,
        .params = params,
        .cooperative = cooperative,
        .cluster = {cluster[0], cluster[1], cluster[2]},
        .sm_count = 4,
        .workers = workers,
        .watchdog = watchdog,
        .checks = settings.checks,
        .observer = &emu_check_observer,
        .print = keep,
    };
    return emu_launch_run(&launch, fault);
}

/* The machine's own functions may be compiled hidden: these are their visible names. */

EmuFunction *
stub_function(EmuModule *module, const char *name)
{
    return emu_module_function(module, name);
}

EmuFunction *
stub_function_at(EmuModule *module, size_t i)
{
    return emu_module_function_at(module, i);
}

size_t
stub_function_count(const EmuModule *module)
{
    return emu_module_function_count(module);
}

void
stub_unload(EmuModule *module)
{
    emu_module_unload(module);
}
