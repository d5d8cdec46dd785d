/* Launches: blocks are made from the module's pool, taken in order by the workers, run, suspended
 * when they only wait for other blocks, and given back.
 *
 * emu_launch_run is called by the thread that executes a stream's work (driver/work.c), which
 * becomes worker 0; further workers are threads that live for one launch. A block belongs to one
 * worker from start to end, so block state needs no lock. Shared between workers are the counters
 * of the Launch (atomics), its fault and print buffer (launch.lock), and the pool of idle blocks
 * (module.pool_lock); neither lock is taken while the other is held.
 */
#include "emu/exec/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#define OUT_OF_MEMORY 2
#define LAUNCH_OUT_OF_RESOURCES 701
#define INVALID_VALUE 1
#define NO_MEMORY 2
#define INVALID_CLUSTER 912
#define GRID_WORKSPACE_BYTES 16
#define RESIDENT 16 /* suspended blocks per worker, unless the launch is cooperative */
/* Idle blocks that a module keeps; more would only hold memory, since blocks of one launch are
 * reused by their worker without the pool. */
#define POOLED 8
#define STACK_MARGIN 512
/* CU_LIMIT_STACK_SIZE of a fresh context. */
#define DEFAULT_STACK 1024
/* Below this many thread-instructions, starting threads costs more than it gains. */
#define WORTH_THREADS (4u << 20)

/* ---- blocks ---------------------------------------------------------------------------------- */

static void
free_frames(Frame *frame)
{
    while (frame != NULL) {
        Frame *next = frame->next_free;
        free(frame->memory);
        free(frame);
        frame = next;
    }
}

static void
free_block(const EmuModule *m, Block *b)
{
    for (size_t i = 0; i < m->nfunctions; i++) {
        free_frames(b->free_frames[i]);
    }
    while (b->groups != NULL) {
        /* a block that faulted: its frames are on chains, freed once by their last user */
        Group *g = b->groups;
        for (Frame *frame = g->frame; frame != NULL;) {
            Frame *parent = frame->parent;
            if (--frame->users == 0) {
                free(frame->memory);
                free(frame);
            }
            frame = parent;
        }
        b->groups = g->next;
        free(g);
    }
    while (b->free_groups != NULL) {
        Group *next = b->free_groups->next;
        free(b->free_groups);
        b->free_groups = next;
    }
    free(b->free_frames);
    free(b->shared);
    free(b->local);
    free(b->arena);
    free(b);
}

/* Called when the module is unloaded, after all launches of it have ended: no lock is needed. */
void
emu_blocks_free(EmuModule *m)
{
    while (m->pool != NULL) {
        Block *next = m->pool->next;
        free_block(m, m->pool);
        m->pool = next;
    }
}

/* The rows of %tid.x, %tid.y and %tid.z. Threads are numbered with x fastest (CUDA Programming
 * Guide, "Thread Hierarchy"); lane and thread number are the same. */
static void
fill_threads(Block *b, const uint32_t *dim)
{
    /* Launches repeat their shape; thread numbers are then still right. */
    if (memcmp(b->dim, dim, sizeof b->dim) == 0) {
        return;
    }
    memcpy(b->dim, dim, sizeof b->dim);
    for (uint32_t i = 0; i < b->width; i++) {
        uint32_t ids[3] = {i % dim[0], i / dim[0] % dim[1], i / dim[0] / dim[1]};
        for (int k = 0; k < 3; k++) {
            memcpy(b->tid[k].lanes + 4 * (size_t)i, &ids[k], 4);
        }
    }
}

/* A block's fixed parts; frames, shared and local memory are allocated when first needed. */
static Block *
make_block(const EmuModule *m, uint32_t width)
{
    Block *b = calloc(1, sizeof *b);
    /* Eight bytes a lane: scratch rows must hold operands of every width. */
    size_t row = (size_t)width * 8, rows = EMU_OPERANDS + 1;
    if (b == NULL) {
        return NULL;
    }
    b->width = width;
    b->free_frames = calloc(m->nfunctions + 1, sizeof(Frame *));
    /* One allocation for all scratch rows: a block is made in one go or not at all. 64: a cache
     * line, and the widest vector. */
    b->arena = aligned_alloc(64, (rows + 3) * row + 1024);
    if (b->free_frames == NULL || b->arena == NULL) {
        free(b->free_frames);
        free(b->arena);
        free(b);
        return NULL;
    }
    unsigned char *at = b->arena;
    for (size_t k = 0; k < EMU_OPERANDS; k++, at += row) {
        b->scratch[k] = at;
    }
    b->address = (uint64_t *)(void *)at;
    at += row;
    /* Thread numbers have four bytes a lane, half of the widest row. */
    for (int k = 0; k < 3; k++, at += row / 2) {
        b->tid[k].lanes = at;
    }
    b->mask = at;
    return b;
}

/* Grows without copying: shared and local memory have no contents that survive a launch. */
static int
reserve(unsigned char **memory, size_t *capacity, size_t bytes)
{
    if (*capacity >= bytes && *memory != NULL) {
        return 0;
    }
    /* Whole pages, so aligned_alloc's rule that the size be a multiple of the alignment holds. */
    size_t n = (bytes + 4095) / 4096 * 4096;
    free(*memory);
    *memory = aligned_alloc(4096, n);
    *capacity = *memory == NULL ? 0 : n;
    return *memory == NULL ? -1 : 0;
}

/* A block with memory for this launch, from the pool where one fits. The pool's lock covers the
 * list only: everything else about the block is the caller's once it is unlinked. */
static Block *
take_block(Launch *launch)
{
    EmuModule *m = launch->module;
    const EmuLaunch *spec = launch->spec;
    uint32_t threads = spec->block[0] * spec->block[1] * spec->block[2];
    uint32_t width = (threads + EMU_WARP - 1) / EMU_WARP * EMU_WARP;
    pthread_mutex_lock(&m->pool_lock);
    Block **at = &m->pool, *b = NULL;
    /* Rows have the width they were made for, so only a block of the same width fits. */
    while (*at != NULL && (*at)->width != width) {
        at = &(*at)->next;
    }
    if (*at != NULL) {
        b = *at;
        *at = b->next;
    }
    pthread_mutex_unlock(&m->pool_lock);
    if (b == NULL) {
        b = make_block(m, width);
    }
    if (b == NULL) {
        return NULL;
    }
    b->launch = launch;
    b->nthreads = threads;
    b->nwarps = width / EMU_WARP;
    b->shared_bytes = launch->entry->shared_bytes;
    /* Dynamic shared memory starts behind the static part, at the alignment of the largest extern
     * array. */
    size_t align = launch->entry->dynamic_align;
    b->dynamic_base = (b->shared_bytes + align - 1) / align * align;
    if (spec->shared_bytes > 0) {
        b->shared_bytes = b->dynamic_base + spec->shared_bytes;
    }
    b->local_bytes = launch->local_bytes;
    b->loops = emu_memory_lanes();
    b->optimise = (uint8_t)emu_settings()->optimise;
    b->trace = emu_settings()->trace != 0 ? EMU_TRACE_PTX : 0;
    b->is_line = spec->block[1] * spec->block[2] == 1;
    /* Spans found in an earlier launch may have been freed since. */
    memset(b->cache, 0, sizeof b->cache);
    /* One byte more: an area of no bytes still has an address of its own. */
    if (reserve(&b->shared, &b->shared_capacity, b->shared_bytes + 1) != 0 ||
        reserve(&b->local, &b->local_capacity, b->local_bytes * width + 1) != 0) {
        free_block(m, b);
        return NULL;
    }
    fill_threads(b, spec->block);
    if (launch->watch != NULL && spec->observer->take(b) != 0) {
        spec->observer->give(b);
        free_block(m, b);
        return NULL;
    }
    return b;
}

static void
return_block(Launch *launch, Block *b)
{
    EmuModule *m = launch->module;
    size_t pooled = 0;
    if (b->watch != NULL) {
        emu_observer(b)->give(b);
    }
    pthread_mutex_lock(&m->pool_lock);
    /* The list is short (POOLED), so it is counted rather than accompanied by a counter. */
    for (const Block *p = m->pool; p != NULL; p = p->next) {
        pooled++;
    }
    /* A block with groups left ended by a fault or by cancellation; its frames are still in use, so
     * it is not reusable. */
    int keep = b->groups == NULL && pooled < POOLED;
    if (keep) {
        b->next = m->pool;
        m->pool = b;
    }
    pthread_mutex_unlock(&m->pool_lock);
    if (!keep) {
        free_block(m, b);
    }
}

/* Puts the block at its first instruction, as block number `index` of the grid. */
static int
start_block(Block *b, uint64_t index)
{
    const EmuLaunch *spec = b->launch->spec;
    /* Nearly all grids are lines, and this saves four 64-bit divisions per block. */
    if (index < spec->grid[0]) {
        b->block[0] = (uint32_t)index;
        b->block[1] = b->block[2] = 0;
    }
    else {
        b->block[0] = (uint32_t)(index % spec->grid[0]);
        b->block[1] = (uint32_t)(index / spec->grid[0] % spec->grid[1]);
        b->block[2] = (uint32_t)(index / spec->grid[0] / spec->grid[1]);
    }
    if (b->barriers_used) {
        memset(b->barriers, 0, sizeof b->barriers);
        b->barriers_used = 0;
    }
    /* The observer learns of the new block before any of its instructions runs. */
    if (b->watch != NULL) {
        emu_observer(b)->start(b);
    }
    if (b->cluster_used) {
        memset(b->cluster_arrived, 0, sizeof b->cluster_arrived);
        b->cluster_used = 0;
    }
    b->finished = b->blocked = 0;
    b->waiting = 0;
    b->rotations = 0;
    b->polled = b->suspended = 0;
    for (uint32_t w = 0; w < b->nwarps; w++) {
        uint32_t left = b->nthreads - EMU_WARP * w;
        /* Lanes behind the last thread of a partial warp never live: they take part in row
         * operations, and no result of theirs is seen. */
        b->alive[w] = left >= EMU_WARP ? ~0u : (1u << left) - 1;
    }
    Group *g = emu_group_new(b);
    Frame *frame = emu_frame_new(b, b->launch->entry);
    if (g == NULL || frame == NULL) {
        return -1;
    }
    /* All threads start as one group in one frame: divergence is what splits them. */
    frame->users = 1;
    g->frame = frame;
    memcpy(g->bits, b->alive, sizeof g->bits);
    return 0;
}

/* ---- workers --------------------------------------------------------------------------------- */

/* The order of clusters (of blocks, without clusters): as they come, or shuffled by a bijection on
 * the next power of two. */
static int
next_index(Launch *launch, uint64_t *index)
{
    const EmuSettings *settings = emu_settings();
    for (;;) {
        /* Workers take one block at a time: blocks differ in length, and the counter is no
         * bottleneck next to running one. */
        uint64_t i = atomic_fetch_add(&launch->next_block, 1);
        if (!settings->shuffle) {
            *index = i;
            return i < launch->nclusters;
        }
        uint64_t size = 1;
        while (size < launch->nclusters) {
            size <<= 1;
        }
        if (i >= size) {
            return 0;
        }
        uint64_t v = (i * 0x9e3779b97f4a7c15ull + settings->seed) & (size - 1);
        /* Xor-shift, multiplication by an odd number and addition are bijections modulo a power of
         * two, so each block comes exactly once; numbers beyond the grid are skipped. */
        v ^= (v >> 3) & (size - 1);
        v = (v * 5 + 1) & (size - 1);
        if (v < launch->nclusters) {
            *index = v;
            return 1;
        }
    }
}

/* Everything a worker owns. No other thread touches it while the worker runs. */
typedef struct {
    Worker worker;
    Block *first, *last; /* suspended blocks, oldest first */
    uint64_t count;
    Block *idle; /* one block kept for the next index */
    Cluster *clusters;
} WorkerQueue;

static Block *
pop(WorkerQueue *queue)
{
    Block *b = queue->first;
    if (b != NULL) {
        queue->first = b->next;
        queue->last = queue->first == NULL ? NULL : queue->last;
        queue->count--;
    }
    return b;
}

static void
push(WorkerQueue *queue, Block *b)
{
    b->next = NULL;
    if (queue->last != NULL) {
        queue->last->next = b;
    }
    else {
        queue->first = b;
    }
    queue->last = b;
    queue->count++;
}

/* The host ran out of memory while the launch was under way: the launch fails like one that lacks
 * resources. Only the first fault of a launch is kept. */
static void
no_memory(Launch *launch)
{
    pthread_mutex_lock(&launch->lock);
    if (launch->fault->kind == EMU_FAULT_NONE) {
        launch->fault->kind = EMU_FAULT_STACK_OVERFLOW;
        launch->fault->code = LAUNCH_OUT_OF_RESOURCES;
        snprintf(launch->fault->text, sizeof launch->fault->text,
                 "kernel %s: no host memory for a block; its threads have %zu registers each",
                 launch->entry->name, launch->entry->nregs);
    }
    pthread_mutex_unlock(&launch->lock);
    atomic_store(&launch->stop, 1);
}

/* The worker's own idle block is preferred: it has the right shape and warm memory. */
static Block *
ready_block(Launch *launch, WorkerQueue *queue, uint64_t index)
{
    Block *b = queue->idle;
    queue->idle = NULL;
    if (b == NULL) {
        b = take_block(launch);
    }
    if (b == NULL || start_block(b, index) != 0) {
        no_memory(launch);
        if (b != NULL) {
            return_block(launch, b);
        }
        return NULL;
    }
    b->worker = &queue->worker;
    return b;
}

/* Gives back all blocks of a cluster. They are freed together, since a block may still address the
 * shared memory of another (distributed shared memory) until the last one ends. */
static void
return_cluster(Launch *launch, Cluster *c)
{
    for (unsigned i = 0; i < launch->cluster_size; i++) {
        if (c->members[i] != NULL) {
            c->members[i]->cluster = NULL;
            return_block(launch, c->members[i]);
        }
    }
    /* Unlinking through the address of the predecessor's pointer: a worker holds several clusters
     * when the blocks of one are all suspended. */
    *c->link = c->next;
    if (c->next != NULL) {
        c->next->link = c->link;
    }
    free(c);
}

/* Starts all blocks of cluster `index`; the first is returned, the others wait in the queue. */
static Block *
new_cluster(Launch *launch, WorkerQueue *queue, uint64_t index)
{
    /* Clusters tile the grid and are numbered with x fastest, like blocks; %cluster_ctarank counts
     * in the same order inside one (PTX ISA, special registers). */
    const uint32_t *grid = launch->spec->grid, *dim = launch->cluster;
    uint64_t wide = grid[0] / dim[0], high = grid[1] / dim[1];
    uint64_t x = index % wide * dim[0], y = index / wide % high * dim[1],
             z = index / wide / high * dim[2];
    Cluster *c = calloc(1, sizeof *c);
    if (c == NULL) {
        no_memory(launch);
        return NULL;
    }
    c->next = queue->clusters;
    c->link = &queue->clusters;
    if (c->next != NULL) {
        c->next->link = &c->next;
    }
    queue->clusters = c;
    c->size = c->left = launch->cluster_size;
    for (uint32_t rank = 0; rank < c->size; rank++) {
        uint64_t bx = x + rank % dim[0], by = y + rank / dim[0] % dim[1],
                 bz = z + rank / dim[0] / dim[1];
        Block *b = ready_block(launch, queue, bx + grid[0] * (by + grid[1] * bz));
        /* ready_block has reported the fault; the worker's loop ends and its cleanup gives back the
         * cluster as far as it was built. */
        if (b == NULL) {
            return NULL;
        }
        b->cluster = c;
        b->rank = rank;
        c->members[rank] = b;
    }
    for (uint32_t rank = 1; rank < c->size; rank++) {
        push(queue, c->members[rank]);
    }
    return c->members[0];
}

static Block *
new_block(Launch *launch, WorkerQueue *queue)
{
    uint64_t index;
    if (!next_index(launch, &index)) {
        return NULL;
    }
    if (launch->cluster_size > 1) {
        return new_cluster(launch, queue, index);
    }
    Block *b = ready_block(launch, queue, index);
    if (b != NULL) {
        b->cluster = NULL;
        b->rank = 0;
    }
    return b;
}

/* A block has ended, by itself or by a fault. */
static void
finish(Launch *launch, WorkerQueue *queue, Block *b, int event)
{
    /* Blocks of a cluster are marked and kept; a peer that addresses one of them gets a fault. */
    if (b->cluster != NULL) {
        b->finished = 1;
        /* The end of a block is progress, so the watchdog starts anew. */
        atomic_store(&launch->stalled, 0);
        if (--b->cluster->left == 0) {
            return_cluster(launch, b->cluster);
        }
    }
    else if (event == EMU_EVENT_DONE && queue->idle == NULL) {
        atomic_store(&launch->stalled, 0);
        queue->idle = b;
    }
    else {
        return_block(launch, b);
    }
}

/* The loop of one worker: run a block until it ends or can only wait, then take the next. Fresh
 * blocks come before suspended ones, so blocks that wait for each other in global memory all
 * advance as long as RESIDENT of them suffice. */
static void
work(Launch *launch, WorkerQueue *queue)
{
#if defined(__x86_64__)
    unsigned saved = _mm_getcsr();
#endif
    /* Cooperative launches promise that all blocks are resident at once, so no number of suspended
     * blocks may keep a fresh one from starting. */
    uint64_t most = launch->spec->cooperative ? UINT64_MAX : RESIDENT;
    /* The thread may be the program's own: its rounding mode is put back at the end. */
    emu_float_mode(0);
    /* A cancelled launch ends without a fault of its own. */
    while (!atomic_load(&launch->stop) && !emu_launch_is_cancelled(launch)) {
        /* A new block before a suspended one: what waits may wait for one that has not started. */
        Block *b = queue->count < most ? new_block(launch, queue) : NULL;
        if (b == NULL) {
            b = pop(queue);
        }
        if (b == NULL) {
            break;
        }
        int event = emu_block_run(b);
        /* The suspended block goes to the end of the queue: suspended blocks run in turn. */
        if (event == EMU_EVENT_SWITCH) {
            push(queue, b);
        }
        else {
            finish(launch, queue, b, event);
        }
    }
    /* After a fault: blocks of clusters are given back with their cluster, each once. */
    for (Block *b = pop(queue); b != NULL; b = pop(queue)) {
        if (b->cluster == NULL) {
            return_block(launch, b);
        }
    }
    while (queue->clusters != NULL) {
        return_cluster(launch, queue->clusters);
    }
    if (queue->idle != NULL) {
        return_block(launch, queue->idle);
    }
#if defined(__x86_64__)
    _mm_setcsr(saved);
#endif
}

static void *
work_thread(void *queue_)
{
    WorkerQueue *queue = queue_;
    work(queue->worker.launch, queue);
    return NULL;
}

/* ---- launches -------------------------------------------------------------------------------- */

static CUresult
refuse(EmuFault *fault, CUresult code, const char *name, const char *why)
{
    fault->code = code;
    snprintf(fault->text, sizeof fault->text, "kernel %s: %s", name, why);
    return code;
}

/* Output of printf in kernels is kept until the launch ends, as on a GPU, where it appears at the
 * next synchronisation. */
static void
deliver_print(Launch *launch)
{
    if (launch->print_used > 0) {
        if (launch->spec->print != NULL) {
            launch->spec->print(launch->spec->print_context, launch->print, launch->print_used);
        }
        else {
            fwrite(launch->print, 1, launch->print_used, stdout);
            fflush(stdout);
        }
    }
    free(launch->print);
}

/* Queues live on this stack frame: all threads are joined before it returns, and the join also
 * orders their writes (fault, print buffer) before the reads that follow. */
static void
run_workers(Launch *launch, unsigned workers)
{
    /* 64 is the limit of EmuLaunch.workers, applied in emu_launch_run. */
    WorkerQueue queues[64];
    pthread_t threads[64];
    unsigned started = 1;
    memset(queues, 0, sizeof queues);
    for (unsigned i = 0; i < workers; i++) {
        queues[i].worker.launch = launch;
        queues[i].worker.id = i;
    }
    for (; started < workers; started++) {
        /* Fewer threads than asked for only take longer. */
        if (pthread_create(&threads[started], NULL, work_thread, &queues[started]) != 0) {
            break;
        }
    }
    work(launch, &queues[0]);
    for (unsigned i = 1; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
}

/* The cluster that launch and kernel ask for; 0, or an error with its reason. */
static CUresult
settle_cluster(Launch *launch, const char **why)
{
    const EmuLaunch *spec = launch->spec;
    const Function *f = launch->entry;
    /* A launch attribute and .reqnctapercluster may both give the shape and must then agree (PTX
     * ISA, .reqnctapercluster). */
    int asked = spec->cluster[0] > 0, fixed = f->cluster[0] > 0;
    launch->cluster_explicit = asked || fixed;
    launch->cluster_size = 1;
    if (f->explicit_cluster && !asked && !fixed) {
        *why = "the kernel must be launched with a cluster";
        return INVALID_CLUSTER;
    }
    for (int k = 0; k < 3; k++) {
        launch->cluster[k] = asked ? spec->cluster[k] : fixed ? f->cluster[k] : 1;
        /* The hardware schedules whole clusters: the grid is a multiple of the cluster in each
         * dimension. */
        if (launch->cluster[k] == 0 || launch->cluster[k] > EMU_CLUSTER ||
            spec->grid[k] % launch->cluster[k] != 0 ||
            (asked && fixed && spec->cluster[k] != f->cluster[k])) {
            *why = "the grid is no multiple of the cluster, or the kernel asks for another cluster";
            return INVALID_CLUSTER;
        }
        launch->cluster_size *= launch->cluster[k];
    }
    *why = "more than 16 blocks in a cluster";
    return launch->cluster_size > EMU_CLUSTER ? INVALID_CLUSTER : 0;
}

/* Runs one grid to its end and returns its error; `fault` receives the details. Checks that need
 * the decoded kernel are made here, the others by the driver before the launch is queued. */
CUresult
emu_launch_run(const EmuLaunch *spec, EmuFault *fault)
{
    Function *entry = spec->function->function;
    char text[600] = "";
    EmuLog log = {.error = text, .error_capacity = sizeof text};
    memset(fault, 0, sizeof *fault);
    /* Decoding happens at the first launch. The decoder takes the module's lock, and a second call
     * returns at once. */
    if (entry->module->decode(entry, &log) != 0) {
        fault->kind = EMU_FAULT_UNSUPPORTED;
        return refuse(fault, 218, entry->name, text);
    }
    uint64_t threads = (uint64_t)spec->block[0] * spec->block[1] * spec->block[2];
    uint64_t blocks = (uint64_t)spec->grid[0] * spec->grid[1] * spec->grid[2];
    if (threads == 0 || blocks == 0) {
        return refuse(fault, INVALID_VALUE, entry->name, "an empty grid or block");
    }
    /* What .maxntid or the architecture allows. Numbers above the limit of every kernel are an
     * invalid argument; smaller ones lack resources. */
    if (threads > (uint64_t)entry->max_threads) {
        return refuse(fault, threads > EMU_LANES ? INVALID_VALUE : LAUNCH_OUT_OF_RESOURCES,
                      entry->name, "more threads in a block than the kernel allows");
    }
    size_t stack = spec->stack_bytes > 0 ? spec->stack_bytes : DEFAULT_STACK;
    Launch launch = {
        .spec = spec,
        .entry = entry,
        .module = entry->module,
        .fault = fault,
        .nblocks = blocks,
        .watchdog = spec->watchdog > 0 ? spec->watchdog : UINT64_MAX,
        .params = spec->params,
        .params_bytes = entry->params_bytes,
        .stack_bytes = stack,
        /* A recursive kernel may use more local memory here than on a GPU: the limit on `stack`
         * (CU_LIMIT_STACK_SIZE) decides in enter() (exec_control.c), and local memory must not run
         * out before it. */
        .local_bytes =
            (entry->stack_need + STACK_MARGIN + (entry->recursive ? 8 * stack : 0) + 15) / 16 * 16,
    };
    const char *why = "";
    CUresult refused = settle_cluster(&launch, &why);
    if (refused != 0) {
        return refuse(fault, refused, entry->name, why);
    }
    launch.nclusters = blocks / launch.cluster_size;
    if (spec->cooperative) {
        launch.grid_workspace = emu_memory_alloc(spec->memory, GRID_WORKSPACE_BYTES);
        if (launch.grid_workspace == 0) {
            return refuse(fault, OUT_OF_MEMORY, entry->name, "no memory for the grid's barrier");
        }
    }
    pthread_mutex_init(&launch.lock, NULL);
    /* Fewer blocks than workers would leave threads without work from the start. */
    unsigned workers = spec->workers < 1 ? 1 : spec->workers > 64 ? 64 : (unsigned)spec->workers;
    if (launch.nclusters < workers) {
        workers = (unsigned)launch.nclusters;
    }
    /* A cooperative launch needs all its blocks resident, whatever it costs. */
    if (!spec->cooperative && blocks * threads * (uint64_t)entry->ninstrs < WORTH_THREADS) {
        workers = 1;
    }
    CUresult status = 0;
    if (spec->observer != NULL) {
        launch.watch = spec->observer->begin(&launch, &status);
    }
    if (status != 0) {
        return refuse(fault, status, entry->name, "no host memory for the checks");
    }
    /* Observers keep their state without locks. */
    workers = launch.watch != NULL ? 1 : workers;
    run_workers(&launch, workers);
    if (launch.watch != NULL) {
        spec->observer->end(launch.watch);
    }
    deliver_print(&launch);
    if (launch.grid_workspace != 0) {
        emu_memory_free(spec->memory, launch.grid_workspace);
    }
    pthread_mutex_destroy(&launch.lock);
    return fault->code;
}
