/* Groups of threads at one program counter: splitting, merging and choosing which one runs.
 *
 * Among the runnable groups the one deepest in calls with the smallest program counter runs, until
 * it reaches another group of the same frame (they merge), splits, or waits. So that threads which
 * wait for others in a loop do not starve them, a group that jumped back many times goes behind the
 * rest: its epoch grows, and lower epochs run first.
 *
 * Everything here runs on the worker that owns the block and needs no lock, except emu_fault, which
 * fills the launch's one fault under launch.lock. A frame is the registers of one call; groups that
 * split share it until they return, and `users` counts them.
 */
#include "emu/exec/block.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- faults ---------------------------------------------------------------------------------- */

/* A thread's %tid from its number in the block, x fastest. */
static void
name_thread(const Block *b, int lane, uint32_t *thread)
{
    uint32_t x = b->dim[0], y = b->dim[1], i = (uint32_t)lane;
    thread[0] = i % x;
    thread[1] = i / x % y;
    thread[2] = i / x / y;
}

void
emu_source_text(const EmuModule *m, const Instr *in, char *text, size_t capacity)
{
    uint32_t file = EMU_SOURCE_FILE(in->source_line);
    int line = EMU_SOURCE_LINE(in->source_line);
    if (line == 0) {
        snprintf(text, capacity, "ptx line %d", in->line);
    }
    else if (file < m->nfiles && m->files[file] != NULL) {
        snprintf(text, capacity, "%s:%d", m->files[file], line);
    }
    else {
        snprintf(text, capacity, "line %d", line);
    }
}

void
emu_fault_describe(const Block *b, const Instr *in, FaultWhat what, const char *message,
                   EmuFault *f)
{
    const Launch *launch = b->launch;
    char *text = f->text;
    size_t size = sizeof f->text, n;
    f->kind = what.kind;
    f->code = what.code;
    f->address = what.address;
    memcpy(f->block, b->block, sizeof f->block);
    n = (size_t)snprintf(text, size, "kernel %s", launch->entry->name);
    if (b->frame != NULL && b->frame->function != launch->entry) {
        n += (size_t)snprintf(text + n, size - n, ", in %s", b->frame->function->name);
    }
    /* Faults of the block as a whole (a race, say) come without an instruction. */
    if (in != NULL) {
        char place[300];
        emu_source_text(launch->module, in, place, sizeof place);
        f->ptx_line = in->line;
        f->source_line = EMU_SOURCE_LINE(in->source_line);
        n += (size_t)snprintf(text + n, size - n, ", %s", place);
        if (f->source_line > 0) {
            n += (size_t)snprintf(text + n, size - n, " (ptx line %d)", in->line);
        }
    }
    n += (size_t)snprintf(text + n, size - n, ", block (%u,%u,%u)", b->block[0], b->block[1],
                          b->block[2]);
    if (what.lane >= 0) {
        name_thread(b, what.lane, f->thread);
        n += (size_t)snprintf(text + n, size - n, ", thread (%u,%u,%u)", f->thread[0], f->thread[1],
                              f->thread[2]);
    }
    snprintf(text + n, size - n, ": %s", message);
}

int32_t
emu_fault(Block *b, const Instr *in, FaultWhat what, const char *format, ...)
{
    Launch *launch = b->launch;
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    pthread_mutex_lock(&launch->lock);
    /* The first fault of a launch is the one reported; workers that fault meanwhile only stop. */
    if (launch->fault->kind == EMU_FAULT_NONE) {
        emu_fault_describe(b, in, what, message, launch->fault);
    }
    pthread_mutex_unlock(&launch->lock);
    /* Other workers look at `stop` between time slices, so a fault ends the launch soon, not at
     * once. */
    atomic_store(&launch->stop, 1);
    return EMU_EVENT_FAULT;
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* Rows begin at cache lines: vector loads of a row never straddle two. */
static size_t
padded(size_t n)
{
    return (n + 63) / 64 * 64;
}

static Frame *
make_frame(Block *b, Function *fn)
{
    size_t rows = fn->nregs + fn->nconstants, bytes = 64,
           header = sizeof(Frame) + rows * sizeof(Reg);
    for (size_t i = 0; i < rows; i++) {
        unsigned shift = i < fn->nregs ? fn->reg_shift[i] : fn->constants[i - fn->nregs].shift;
        bytes += padded((size_t)b->width << shift);
    }
    /* Endless recursion ends here where the stack does not end it before: without calls that take
     * local memory, say. */
    if (header + bytes > EMU_FRAME_LIMIT - b->frame_bytes) {
        return NULL;
    }
    Frame *frame = calloc(1, header);
    unsigned char *memory = aligned_alloc(64, bytes);
    if (frame == NULL || memory == NULL) {
        free(frame);
        free(memory);
        return NULL;
    }
    b->frame_bytes += header + bytes;
    frame->function = fn;
    frame->memory = memory;
    frame->width = b->width;
    for (size_t i = 0; i < rows; i++) {
        Reg *r = &frame->regs[i];
        r->lanes = memory;
        /* Constants are rows behind the registers, always uniform, so operands need no second
         * kind. */
        r->tag = EMU_TAG_LANES;
        if (i >= fn->nregs) {
            const Constant *c = &fn->constants[i - fn->nregs];
            r->base = c->value;
            r->shift = c->shift;
            r->tag = EMU_TAG_UNIFORM;
        }
        else {
            r->shift = fn->reg_shift[i];
        }
        memory += padded((size_t)b->width << r->shift);
    }
    return frame;
}

/* The frames of a function are kept per block and per function, so a call in a loop allocates once.
 */
Frame *
emu_frame_new(Block *b, Function *fn)
{
    /* Frames are reused as they are. Registers keep values of an earlier call, which a correct
     * program never reads. */
    Frame *frame = b->free_frames[fn->index];
    if (frame != NULL) {
        b->free_frames[fn->index] = frame->next_free;
    }
    else {
        frame = make_frame(b, fn);
    }
    if (frame != NULL) {
        frame->users = 0;
        frame->parent = NULL;
        frame->depth = 0;
        frame->local_base = 0;
        frame->top = 0;
    }
    return frame;
}

/* Back to the block's list: memory is freed with the block (exec.c), never during a launch. */
void
emu_frame_release(Block *b, Frame *frame)
{
    frame->next_free = b->free_frames[frame->function->index];
    b->free_frames[frame->function->index] = frame;
}

/* Groups that split share their frames, callers' included, until one of them returns past the
 * place where they parted. */
static void
hold_chain(Frame *frame)
{
    for (; frame != NULL; frame = frame->parent) {
        frame->users++;
    }
}

static void
drop_chain(Block *b, Frame *frame)
{
    while (frame != NULL) {
        Frame *parent = frame->parent;
        if (--frame->users == 0) {
            emu_frame_release(b, frame);
        }
        frame = parent;
    }
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* Groups come zeroed from the block's own list, so divergence allocates only when it is deeper than
 * ever before. */
Group *
emu_group_new(Block *b)
{
    Group *g = b->free_groups;
    if (g != NULL) {
        b->free_groups = g->next;
    }
    else {
        g = malloc(sizeof *g);
        if (g == NULL) {
            return NULL;
        }
    }
    memset(g, 0, sizeof *g);
    g->budget = EMU_BUDGET;
    g->next = b->groups;
    b->groups = g;
    b->ngroups++;
    return g;
}

/* Groups are few, so a singly linked list and a search suffice. */
static void
unlink_group(Block *b, Group *g)
{
    Group **at = &b->groups;
    while (*at != g) {
        at = &(*at)->next;
    }
    *at = g->next;
    b->ngroups--;
    g->next = b->free_groups;
    b->free_groups = g;
}

/* Removes a group whose lanes are gone. */
void
emu_group_drop(Block *b, Group *g)
{
    drop_chain(b, g->frame);
    unlink_group(b, g);
}

/* Unpacks a group into the fields that handlers use. Called whenever the running group or its lanes
 * have changed. */
void
emu_group_load(Block *b, Group *g)
{
    uint32_t first = b->nwarps, last = 0, total = 0;
    /* The lowest and highest warp with lanes. */
    for (uint32_t w = 0; w < b->nwarps; w++) {
        if (g->bits[w] != 0) {
            first = first == b->nwarps ? w : first;
            last = w;
            total += emu_popcount(g->bits[w]);
        }
    }
    /* Handlers work on lanes lo .. lo + n. When all of them belong to the group (dense), no mask
     * is needed, the common case after a merge. */
    b->lo = EMU_WARP * first + (uint32_t)__builtin_ctz(g->bits[first]);
    b->n = EMU_WARP * last + 32 - (uint32_t)__builtin_clz(g->bits[last]) - b->lo;
    b->dense = total == b->n;
    b->masked = 0;
    b->group = g;
    b->frame = g->frame;
    b->regs = g->frame->regs;
    b->code = g->frame->function->code;
    /* Lanes outside the group hold values that no other group can ask for, so a whole row, or its
     * tag, may be overwritten. */
    b->exclusive = g->frame->users == 1;
    b->scalar = b->exclusive && b->optimise > 0;
}

/* Lanes `bits` of the running group go to `pc`, as a group of their own. */
void
emu_group_split(Block *b, const uint32_t *bits, int32_t pc)
{
    Group *g = b->group, *other = emu_group_new(b);
    memcpy(other->bits, bits, sizeof other->bits);
    for (uint32_t w = 0; w < b->nwarps; w++) {
        g->bits[w] &= ~bits[w];
    }
    other->frame = g->frame;
    other->pc = pc;
    other->epoch = g->epoch;
    other->budget = g->budget; /* or lanes that part and meet again could loop for ever unseen */
    /* Each frame of the chain has one more user from now on. */
    hold_chain(other->frame);
}

/* Lanes `bits` of the running group have left the kernel. The caller removes the group when no lane
 * is left, and checks the barriers. */
void
emu_group_retire(Block *b, const uint32_t *bits)
{
    for (uint32_t w = 0; w < b->nwarps; w++) {
        b->group->bits[w] &= ~bits[w];
        b->alive[w] &= ~bits[w];
    }
}

/* The order of scheduling: fairness first (epoch), then the choice that makes groups meet soonest.
 */
static int
is_before(const Group *a, const Group *b)
{
    if (a->epoch != b->epoch) {
        return a->epoch < b->epoch;
    }
    /* Deepest first: threads in a function come back before the others go on, so that they meet
     * again behind the call. Smallest program counter first: compilers lay out code so that the
     * point where branches meet comes last. */
    if (a->frame->depth != b->frame->depth) {
        return a->frame->depth > b->frame->depth;
    }
    if (a->frame->function != b->frame->function) {
        return a->frame->function->index < b->frame->function->index;
    }
    return a->pc < b->pc;
}

/* The next group to run, merged with all that stand at the same place; NULL when none can run. */
static Group *
choose(Block *b)
{
    Group *best = NULL;
    for (Group *g = b->groups; g != NULL; g = g->next) {
        if (g->state == EMU_GROUP_RUN && (best == NULL || is_before(g, best))) {
            best = g;
        }
    }
    if (best == NULL) {
        return NULL;
    }
    /* The group may run without looking around until it comes to the next group of its frame. */
    b->limit = INT32_MAX;
    for (Group *g = b->groups, *next; g != NULL; g = next) {
        next = g->next;
        if (g == best || g->state != EMU_GROUP_RUN || g->frame != best->frame) {
            continue;
        }
        if (g->pc == best->pc) {
            for (uint32_t w = 0; w < b->nwarps; w++) {
                best->bits[w] |= g->bits[w];
            }
            /* The lower epoch and budget: a merged group must not run longer than its most
             * impatient part. */
            best->epoch = best->epoch < g->epoch ? best->epoch : g->epoch;
            best->budget = best->budget < g->budget ? best->budget : g->budget;
            emu_group_drop(b, g);
        }
        else if (g->pc > best->pc && g->pc < b->limit) {
            b->limit = g->pc;
        }
    }
    return best;
}

/* Whether the launch has stood still for too long. */
void
emu_progress(Block *b)
{
    Launch *launch = b->launch;
    uint64_t limit = launch->spec->limit;
    if (emu_launch_is_cancelled(launch)) {
        atomic_store(&launch->stop, 1);
        return;
    }
    /* Backward jumps alone are counted, in portions of the budget, so the counter that all workers
     * share is rarely touched. */
    if (limit > 0 && atomic_fetch_add(&launch->spent, EMU_BUDGET) + EMU_BUDGET > limit) {
        emu_fault(b, &b->code[b->group->pc], (FaultWhat){EMU_FAULT_TIMEOUT, 702, (int)b->lo, 0},
                  "more than %llu jumps backwards", (unsigned long long)limit);
        return;
    }
    /* Progress is a change of memory, a barrier or the end of a thread; a loop that only reads
     * makes none. */
    if (b->progress_count != b->progress_seen) {
        atomic_store(&launch->stalled, 0);
        b->progress_seen = b->progress_count;
        return;
    }
    uint64_t spent = atomic_fetch_add(&launch->stalled, EMU_BUDGET) + EMU_BUDGET;
    if (spent > launch->watchdog) {
        const Instr *in = &b->code[b->group->pc];
        emu_fault(b, in, (FaultWhat){EMU_FAULT_TIMEOUT, 702, (int)b->lo, 0},
                  "no progress in %llu instructions: these threads wait in a loop",
                  (unsigned long long)spent);
    }
}

/* A jump backwards: 0 to go on, else the group must let others run. Called by handlers of branches.
 * Every EMU_BUDGET rounds the group goes to the next epoch, behind all others, so that every
 * runnable group has its turn; a loop that polls spends its budget 256 times as fast. */
int
emu_group_backward(Block *b, int32_t target)
{
    Group *g = b->group;
    /* A loop that polls memory probably waits for threads that cannot run before this group
     * yields. */
    g->budget -= b->polled ? EMU_BUDGET / 256 : 1;
    if (g->budget > 0) {
        b->polled = 0;
        return 0;
    }
    g->budget = EMU_BUDGET;
    g->epoch++;
    g->pc = target;
    emu_progress(b);
    if (b->polled) {
        b->polled = 0;
        /* Every group had its turn and still polls: what they wait for is up to another block. A
         * suspended block leaves the worker to others (exec.c). */
        if (++b->rotations > b->ngroups) {
            b->rotations = 0;
            b->suspended = 1;
        }
    }
    return 1;
}

/* "0-31,40": the threads of a group by their number in the block. */
static size_t
list_threads(const Block *b, const Group *g, char *text, size_t capacity)
{
    size_t n = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < b->nthreads && n + 16 < capacity; i++) {
        if (!((g->bits[i / EMU_WARP] >> (i % EMU_WARP)) & 1)) {
            continue;
        }
        uint32_t last = i;
        while (last + 1 < b->nthreads &&
               ((g->bits[(last + 1) / EMU_WARP] >> ((last + 1) % EMU_WARP)) & 1)) {
            last++;
        }
        n += (size_t)snprintf(text + n, capacity - n, last > i ? "%s%u-%u" : "%s%u",
                              n > 0 ? "," : "", i, last);
        i = last;
    }
    return n;
}

/* What a group waits for: "barrier 1, 32 of 64 threads there". */
static void
describe_wait(const Block *b, const Group *g, char *text, size_t capacity)
{
    const Barrier *bar = &b->barriers[g->barrier];
    uint32_t arrived = bar->extra, alive = 0;
    if (g->state != EMU_GROUP_BARRIER) {
        snprintf(text, capacity, "%s",
                 g->state == EMU_GROUP_CLUSTER ? "the cluster's barrier"
                                               : "the other threads of its warp");
        return;
    }
    for (uint32_t w = 0; w < b->nwarps; w++) {
        arrived += emu_popcount(bar->arrived[w]);
        alive += emu_popcount(b->alive[w]);
    }
    snprintf(text, capacity, "barrier %u, %u of %u threads there", g->barrier, arrived,
             bar->expected != 0 ? bar->expected : alive);
}

static int
first_thread(const Block *b, const Group *g)
{
    uint32_t w = 0;
    while (w + 1 < b->nwarps && g->bits[w] == 0) {
        w++;
    }
    return (int)(EMU_WARP * w) + (g->bits[w] != 0 ? __builtin_ctz(g->bits[w]) : 0);
}

/* The group whose first thread is the next after `thread`; NULL when there is none. */
static Group *
next_by_thread(const Block *b, int thread)
{
    Group *best = NULL;
    for (Group *g = b->groups; g != NULL; g = g->next) {
        int first = first_thread(b, g);
        if (first > thread && (best == NULL || first < first_thread(b, best))) {
            best = g;
        }
    }
    return best;
}

/* No group can run and none will: names the groups with their places, in the order of their threads
 * so that reports are reproducible. */
static void
deadlock(Block *b)
{
    char text[800];
    size_t n = 0;
    Group *first = next_by_thread(b, -1);
    /* Groups may be many and the text is not: the list is cut. */
    for (const Group *g = first; g != NULL && n + 300 < sizeof text;
         g = next_by_thread(b, first_thread(b, g))) {
        char place[100], threads[80], wait[80];
        unsigned count = 0;
        for (uint32_t w = 0; w < b->nwarps; w++) {
            count += emu_popcount(g->bits[w]);
        }
        emu_source_text(b->launch->module, &g->frame->function->code[g->pc], place, sizeof place);
        list_threads(b, g, threads, sizeof threads);
        describe_wait(b, g, wait, sizeof wait);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%u threads wait for %s, at %s (%s)",
                              n == 0 ? "" : "; ", count, wait, place, threads);
    }
    emu_group_load(b, first);
    const Instr *in = &b->code[first->pc];
    if (first->state == EMU_GROUP_WARP) {
        emu_fault(b, in, (FaultWhat){EMU_FAULT_BAD_MASK, 719, (int)b->lo, 0},
                  "the mask of a .sync operation names threads that never arrive: %s", text);
        return;
    }
    emu_fault(b, in, (FaultWhat){EMU_FAULT_DEADLOCK, 719, (int)b->lo, 0}, "deadlock: %s", text);
}

/* GPUNP_EMU_TRACE=ptx: the line of the text that is about to run, and for whom. The module's text
 * is searched from its start: slow, and only used for tracing. */
static void
trace(const Block *b, const Instr *in)
{
    const char *p = b->launch->module->text;
    for (int line = 1; line < in->line && (p = strchr(p, '\n')) != NULL; line++) {
        p++;
    }
    p = p == NULL ? "" : p + strspn(p, " \t");
    fprintf(stderr, "%s (%u,%u,%u) lanes %u+%u%s ptx %d: %.*s\n", b->launch->entry->name,
            b->block[0], b->block[1], b->block[2], b->lo, b->n, b->dense ? "" : " (some)", in->line,
            (int)strcspn(p, "\n"), p);
}

static void
observe(Block *b, const Instr *in)
{
    if (b->trace & EMU_TRACE_PTX) {
        trace(b, in);
    }
    if (b->trace & EMU_TRACE_COUNT) {
        emu_observer(b)->instruction(b);
    }
}

/* Runs the block until it ends (EMU_EVENT_DONE), is suspended (EMU_EVENT_SWITCH) or a fault. Called
 * by the worker (exec.c), again after every suspension. A fault ends the launch, not the block
 * alone. */
int
emu_block_run(Block *b)
{
    b->suspended = 0;
    while (b->groups != NULL) {
        Group *g = choose(b);
        if (g == NULL) {
            /* choose() finds nothing when all groups wait: a barrier may have become complete
             * because threads left. */
            emu_barrier_check(b);
            g = choose(b);
        }
        if (g == NULL) {
            if (b->groups == NULL) {
                break;
            }
            /* Threads at different .sync instructions may still agree, and a cluster waits for
             * other blocks; whatever is left is a deadlock. */
            if (emu_warp_cross(b)) {
                continue;
            }
            if (!emu_cluster_blocked(b)) {
                return EMU_EVENT_SWITCH;
            }
            deadlock(b);
            return EMU_EVENT_FAULT;
        }
        emu_group_load(b, g);
        /* `limit` is where another group of this frame stands: from there on both may go together.
         */
        int32_t pc = g->pc, limit = b->limit;
        do {
            const Instr *in = &b->code[pc];
            /* The inner loop of the interpreter: one indirect call per instruction and one
             * comparison; everything that is rare is an event below 0 or a flag tested outside. */
            b->count++;
            if (__builtin_expect(b->trace, 0)) {
                observe(b, in);
            }
            pc = in->run(b, in, pc);
        } while (pc >= 0 && pc < limit);
        if (pc >= 0) {
            b->group->pc = pc;
        }
        else if (pc == EMU_EVENT_FAULT) {
            return EMU_EVENT_FAULT;
        }
        if (b->suspended) {
            return EMU_EVENT_SWITCH;
        }
        /* Relaxed: only a hint to end early; what a fault wrote is read after the workers are
         * joined. */
        if (atomic_load_explicit(&b->launch->stop, memory_order_relaxed)) {
            return EMU_EVENT_FAULT;
        }
    }
    return EMU_EVENT_DONE;
}
