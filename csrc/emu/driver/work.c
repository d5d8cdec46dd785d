/* What a piece of stream work does when its turn comes: copies, fills, kernels, host functions.
 *
 * All of it runs on the thread that executes the stream's head (stream.c), nodes of a graph
 * included (graph/graph_exec.c), with no lock held. A result other than 0 becomes the context's
 * sticky error. Memory is looked up again at this time, since the address was valid only when the
 * work was submitted.
 *
 * The checks are separate passes after the operation itself: EMU_CHECK_INIT moves the "never
 * written" bits, EMU_CHECK_STREAM records which bytes were touched (order.c). */
#include "emu/driver/upward.h"
#include "emu/check/check.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- memory that must still be there --------------------------------------------------------- */

/* 0, or 700 with a report when [address, address + bytes) is not inside one live allocation. Ranges
 * were tested when the work was submitted; what freed them since broke stream order. Without the
 * test, a copy into freed memory would end the process by SIGSEGV on a thread that is not the
 * program's. */
static CUresult
check_live(const char *what, uint64_t address, uint64_t bytes)
{
    EmuSpan *span = emu_find_any(address);
    if (bytes == 0 || (span != NULL && bytes <= span->hi - address)) {
        return 0;
    }
    char text[512];
    snprintf(text, sizeof text,
             "%s of %llu bytes at 0x%llx: the memory was freed before the stream got there", what,
             (unsigned long long)bytes, (unsigned long long)address);
    emu_report_fault(text);
    return CUDA_ERROR_ILLEGAL_ADDRESS;
}

/* Bytes from the first to behind the last one touched. Products are in 64 bits: pitches come from
 * the caller and their sum may exceed 32 bits. The last row counts only its width, so a box may end
 * at the end of an allocation whose pitch is larger. */
static uint64_t
box_bytes(size_t width, size_t height, size_t depth, size_t pitch, size_t slice)
{
    if (width == 0 || height == 0 || depth == 0) {
        return 0;
    }
    return width + (height - 1) * (uint64_t)pitch + (depth - 1) * (uint64_t)slice;
}

/* The bytes of a box: each of its rows, or all at once when they are side by side. */
typedef struct {
    uint64_t address;
    size_t pitch, slice;
} Side;

static void
touch_box(EmuFootprint *footprint, const CopyWork *copy, Side side, EmuTouch touch)
{
    for (size_t z = 0; z < copy->depth; z++) {
        for (size_t y = 0; y < copy->height; y++) {
            emu_footprint_add(footprint, side.address + z * side.slice + y * side.pitch,
                              copy->width, touch);
        }
    }
}

/* Copies the bits of what was never written along with the bytes. */
static void
copy_unwritten(const CopyWork *copy)
{
    for (size_t z = 0; z < copy->depth; z++) {
        for (size_t y = 0; y < copy->height; y++) {
            /* Data from host memory or a staged copy counts as written; only device memory carries
             * bits. */
            emu_memory_copied(copy->to + z * copy->to_slice + y * copy->to_pitch,
                              copy->staged == NULL && copy->from_device
                                  ? copy->from + z * copy->from_slice + y * copy->from_pitch
                                  : 0,
                              copy->width);
        }
    }
}

/* Tells the order check which bytes were read and written. Sides in pageable host memory are left
 * out: the host's own accesses are not observed, so they could not be compared. */
static void
touch_copy(const CopyWork *copy, uint64_t bytes)
{
    char what[96];
    EmuFootprint *footprint = emu_footprint_new();
    if (footprint == NULL) {
        return;
    }
    if (copy->to_device) {
        touch_box(footprint, copy, (Side){copy->to, copy->to_pitch, copy->to_slice},
                  EMU_TOUCH_WRITE);
    }
    if (copy->from_device && copy->staged == NULL) {
        touch_box(footprint, copy, (Side){copy->from, copy->from_pitch, copy->from_slice},
                  EMU_TOUCH_READ);
    }
    snprintf(what, sizeof what, "a copy of %llu bytes", (unsigned long long)bytes);
    emu_order_touched(footprint, what);
    emu_footprint_free(footprint);
}

/* One code path for all copies: a linear copy is a box of one row. The pitch of a side may be
 * larger than the width on one side only, so rows are copied one by one. */
static CUresult
run_copy(const CopyWork *copy)
{
    uint64_t to_bytes =
        box_bytes(copy->width, copy->height, copy->depth, copy->to_pitch, copy->to_slice);
    uint64_t from_bytes =
        box_bytes(copy->width, copy->height, copy->depth, copy->from_pitch, copy->from_slice);
    if (copy->to_device) {
        /* Checked when it runs, not when it is submitted: what matters is whether the memory is
         * still there then. */
        EMU_TRY(check_live("copy to device memory", copy->to, to_bytes));
    }
    if (copy->from_device) {
        EMU_TRY(check_live("copy from device memory", copy->from, from_bytes));
    }
    const char *from = copy->staged != NULL ? copy->staged : (const char *)(uintptr_t)copy->from;
    char *to = (char *)(uintptr_t)copy->to;
    for (size_t z = 0; z < copy->depth; z++) {
        for (size_t y = 0; y < copy->height; y++) {
            /* memmove: a program's copy may overlap itself, which CUDA leaves undefined and must
             * not crash here. */
            memmove(to + z * copy->to_slice + y * copy->to_pitch,
                    from + z * copy->from_slice + y * copy->from_pitch, copy->width);
        }
    }
    if (copy->to_device && emu_checks() & EMU_CHECK_INIT) {
        copy_unwritten(copy);
    }
    if (emu_order_is_watched()) {
        touch_copy(copy, copy->width * copy->height * copy->depth);
    }
    return 0;
}

/* The width is in elements of 1, 2 or 4 bytes, as cuMemsetD8, D16 and D32 name them; the driver
 * tested the alignment of the address when the work was submitted. */
static void
fill_row(char *to, const FillWork *fill)
{
    switch (fill->element_bytes) {
    case 1:
        memset(to, (int)(fill->value & 0xff), fill->width);
        break;
    case 2: {
        uint16_t *at = (uint16_t *)(void *)to;
        for (size_t i = 0; i < fill->width; i++) {
            at[i] = (uint16_t)fill->value;
        }
        break;
    }
    default: {
        uint32_t *at = (uint32_t *)(void *)to;
        for (size_t i = 0; i < fill->width; i++) {
            at[i] = fill->value;
        }
    }
    }
}

/* A fill touches memory as a copy without a source does, so the same helpers serve its checks. */
static CUresult
run_fill(const FillWork *fill)
{
    EMU_TRY(
        check_live("fill", fill->to,
                   box_bytes(fill->width * fill->element_bytes, fill->height, 1, fill->pitch, 0)));
    for (size_t y = 0; y < fill->height; y++) {
        fill_row((char *)(uintptr_t)fill->to + y * fill->pitch, fill);
    }
    CopyWork box = {.to = fill->to,
                    .width = fill->width * fill->element_bytes,
                    .height = fill->height,
                    .depth = 1,
                    .to_pitch = fill->pitch};
    if (emu_checks() & EMU_CHECK_INIT) {
        copy_unwritten(&box);
    }
    EmuFootprint *footprint = emu_order_is_watched() ? emu_footprint_new() : NULL;
    if (footprint != NULL) {
        touch_box(footprint, &box, (Side){box.to, box.to_pitch, 0}, EMU_TOUCH_WRITE);
        emu_order_touched(footprint, "a fill");
        emu_footprint_free(footprint);
    }
    return 0;
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* Small grids are not worth the hand-over to other threads. The limit of 16384 threads is where
 * waking helpers costs about as much as they save. A cooperative launch keeps its helpers at any
 * size, since its blocks may wait for each other. */
static int
workers_for(const KernelWork *kernel)
{
    uint64_t blocks = (uint64_t)kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
    uint64_t threads = blocks * kernel->block[0] * kernel->block[1] * kernel->block[2];
    uint64_t workers = (uint64_t)emu_driver_settings()->workers;
    if (threads < 16384 && !kernel->cooperative) {
        return 1;
    }
    return (int)(blocks < workers ? blocks : workers);
}

/* Called only under EMU_CHECK_CONTINUE (check/check.c): the finding is counted and reported, and
 * the launch goes on. Otherwise a finding ends the launch as a fault. */
static void
report_finding(void *context, const EmuFault *finding)
{
    (void)context;
    emu_finding(finding->text);
}

/* The launch refers to memory of this frame only: emu_launch_run returns when all helper threads
 * are through. */
static CUresult
run_kernel(Context *context, const KernelWork *kernel)
{
    const EmuDriverSettings *settings = emu_driver_settings();
    uint64_t number;
    EmuLaunch launch = {
        .function = kernel->function->code,
        .memory = context->device->memory,
        .grid = {kernel->grid[0], kernel->grid[1], kernel->grid[2]},
        .block = {kernel->block[0], kernel->block[1], kernel->block[2]},
        .shared_bytes = kernel->shared_bytes,
        .moment = kernel->moment,
        .params = kernel->params,
        .cooperative = kernel->cooperative,
        .cluster = {kernel->cluster[0], kernel->cluster[1], kernel->cluster[2]},
        .sm_count = settings->sm_count,
        .workers = workers_for(kernel),
        .watchdog = settings->watchdog,
        .cancels = emu_stream_cancels(&number),
        /* Limits are read when the kernel starts, not when it was submitted, so a cuCtxSetLimit in
         * between applies. */
        .stack_bytes = atomic_load(&context->limits[CU_LIMIT_STACK_SIZE]),
        .heap_bytes = atomic_load(&context->limits[CU_LIMIT_MALLOC_HEAP_SIZE]),
        .printf_bytes = atomic_load(&context->limits[CU_LIMIT_PRINTF_FIFO_SIZE]),
        .checks = emu_checks(),
        .observer = &emu_check_observer,
        .footprint = emu_order_is_watched() ? emu_footprint_new() : NULL,
        .report = report_finding,
        .print = emu_context_print,
        .print_context = context,
    };
    launch.number = number;
    EmuFault fault;
    fault.kind = EMU_FAULT_NONE;
    fault.text[0] = '\0';
    CUresult result = emu_launch_run(&launch, &fault);
    if (result != 0) {
        emu_report_fault(fault.text);
    }
    /* Also after a fault: what the kernel touched until then may be the cause. */
    if (launch.footprint != NULL) {
        char what[128];
        snprintf(what, sizeof what, "kernel %.100s", kernel->function->info.name);
        emu_order_touched(launch.footprint, what);
        emu_footprint_free(launch.footprint);
    }
    return result;
}

/* ---- memory operations of streams ------------------------------------------------------------ */

/* Stream memory operations (cuStreamWaitValue32 and its relatives) exchange values with kernels and
 * with host threads that poll the same word. */
static int
is_wide(const CUstreamBatchMemOpParams *op)
{
    return op->operation == CU_STREAM_MEM_OP_WAIT_VALUE_64 ||
           op->operation == CU_STREAM_MEM_OP_WRITE_VALUE_64;
}

/* Release order: the program may poll the word with an acquire load, and then sees all that the
 * stream did before. CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER would allow less. */
static CUresult
run_write(const CUstreamBatchMemOpParams *op)
{
    void *at = (void *)(uintptr_t)op->writeValue.address;
    EMU_TRY(check_live("stream write", op->writeValue.address, is_wide(op) ? 8 : 4));
    if (is_wide(op)) {
        __atomic_store_n((uint64_t *)at, op->writeValue.value64, __ATOMIC_RELEASE);
    }
    else {
        __atomic_store_n((uint32_t *)at, op->writeValue.value, __ATOMIC_RELEASE);
    }
    return 0;
}

/* Acquire order: what was written before the value is visible to the work behind the wait. */
static int
is_satisfied(const CUstreamBatchMemOpParams *op)
{
    const void *at = (const void *)(uintptr_t)op->waitValue.address;
    int wide = is_wide(op);
    uint64_t have = wide ? __atomic_load_n((const uint64_t *)at, __ATOMIC_ACQUIRE)
                         : __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE);
    uint64_t want = wide ? op->waitValue.value64 : op->waitValue.value;
    switch (op->waitValue.flags) {
    case CU_STREAM_WAIT_VALUE_GEQ: /* cyclic, so that counters may wrap */
        return wide ? (int64_t)(have - want) >= 0 : (int32_t)((uint32_t)have - (uint32_t)want) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ:
        return have == want;
    case CU_STREAM_WAIT_VALUE_AND:
        return (have & want) != 0;
    /* CU_STREAM_WAIT_VALUE_NOR: satisfied when some bit is set neither in the value nor in the
     * operand. */
    default:
        return wide ? ~(have | want) != 0 : (uint32_t)~(have | want) != 0;
    }
}

/* Polls, since nothing announces a store to the word. It yields for a while, because another stream
 * usually writes soon, and then sleeps for 50 us, so that a wait for the host does not occupy a
 * core. The address is tested on each round: it may be freed meanwhile. */
static CUresult
run_wait(Context *context, const CUstreamBatchMemOpParams *op)
{
    for (unsigned tries = 0;; tries++) {
        EMU_TRY(check_live("stream wait", op->waitValue.address, is_wide(op) ? 8 : 4));
        if (is_satisfied(op)) {
            emu_order_await_value();
            /* A stream that waits for a value nobody will write must still end when the context has
             * failed or the program cancelled it. */
            return 0;
        }
        if (atomic_load(&context->error) != 0 || emu_stream_is_cancelled()) {
            return 0;
        }
        if (tries < 100) {
            sched_yield();
        }
        else {
            usleep(50);
        }
    }
}

/* Operations of one batch run in the order of the list, as cuStreamBatchMemOp requires. */
static CUresult
run_values(Context *context, const Work *work)
{
    for (unsigned i = 0; i < work->values.count; i++) {
        const CUstreamBatchMemOpParams *op = &work->values.list[i];
        switch (op->operation) {
        case CU_STREAM_MEM_OP_WAIT_VALUE_32:
        case CU_STREAM_MEM_OP_WAIT_VALUE_64:
            EMU_TRY(run_wait(context, op));
            break;
        case CU_STREAM_MEM_OP_WRITE_VALUE_32:
        case CU_STREAM_MEM_OP_WRITE_VALUE_64:
            EMU_TRY(run_write(op));
            break;
        default:
            /* CU_STREAM_MEM_OP_BARRIER; driver_values.c refuses all that has no case here. */
            atomic_thread_fence(memory_order_seq_cst);
        }
    }
    return 0;
}

/* ---- all kinds ------------------------------------------------------------------------------- */

/* What a cancelled queue leaves out. Marks, frees and host functions keep their meaning. A host
 * function may release what its submitter allocated, and a record has waiters; both must run. */
static int
may_be_left_out(WorkKind kind)
{
    return kind == WORK_KERNEL || kind == WORK_COPY || kind == WORK_FILL || kind == WORK_CONDITION;
}

/* The driver's errors of a piece are reported asynchronously: the caller, run_next, stores the
 * result in the context. */
CUresult
emu_work_run(Context *context, Work *work)
{
    if (may_be_left_out(work->kind) && emu_stream_is_cancelled()) {
        return 0;
    }
    switch (work->kind) {
    case WORK_EMPTY:
        return 0;
    case WORK_KERNEL:
        return run_kernel(context, &work->kernel);
    case WORK_COPY:
        return run_copy(&work->copy);
    case WORK_FILL:
        return run_fill(&work->fill);
    case WORK_HOST:
        /* The order check is told first, since the function may signal other threads; the gate
         * refuses driver calls on this thread until it returns (CUDA_ERROR_NOT_PERMITTED). */
        emu_order_host_function();
        emu_gate_in_callback(1);
        work->host.run(work->host.data);
        emu_gate_in_callback(0);
        return 0;
    case WORK_CALLBACK:
        emu_order_host_function();
        emu_gate_in_callback(1);
        /* Callbacks, unlike host functions, receive the status of the stream and run in a broken
         * context too. */
        work->host.callback(work->host.stream, atomic_load(&context->error), work->host.data);
        emu_gate_in_callback(0);
        return 0;
    case WORK_RECORD:
        /* A record inside a graph has generation 0, which fits any. */
        emu_event_ran(work->record.event, work->record.generation);
        return 0;
    case WORK_VALUES:
        return run_values(context, work);
    case WORK_FREE:
        /* The order check reads the span, which another thread may release as soon as it is
         * retired. */
        emu_order_freed(work->span);
        emu_pool_span_freed(work->span);
        return 0;
    case WORK_AWAIT:
        return 0; /* the launch of its graph waited */
    case WORK_ALLOCATE:
        return emu_graph_memory_open(work->memory);
    case WORK_RELEASE:
        emu_graph_memory_close(work->memory);
        return 0;
    case WORK_CONDITION:
        return emu_condition_run(context, work);
    case WORK_GRAPH:
        /* The cells of conditional nodes start anew with each launch, also when one program is
         * queued twice. */
        emu_program_start(work->program);
        return emu_program_run(context, work->program);
    }
    return CUDA_ERROR_UNKNOWN;
}

/* Called once per piece, by its queue's or its graph node's owner, with no lock held. Sets the kind
 * to WORK_EMPTY so that a second call does nothing. */
void
emu_work_clear(Work *work)
{
    switch (work->kind) {
    case WORK_KERNEL:
        /* The reference to the function is what keeps the code of an unloaded module alive under a
         * running kernel. */
        emu_handle_unref(work->kernel.function);
        free(work->kernel.params);
        break;
    case WORK_COPY:
        free(work->copy.staged);
        break;
    case WORK_AWAIT:
    /* Both kinds hold an event in the same field. */
    case WORK_RECORD:
        emu_handle_unref(work->record.event);
        break;
    case WORK_VALUES:
        free(work->values.list);
        break;
    case WORK_ALLOCATE:
    case WORK_RELEASE:
        emu_handle_unref(work->memory);
        break;
    case WORK_CONDITION:
        for (int i = 0; i < work->condition.count; i++) {
            emu_program_unref(work->condition.bodies[i]);
        }
        free(work->condition.bodies);
        break;
    case WORK_GRAPH:
        emu_program_unref(work->program);
        break;
    default:
        break;
    }
    work->kind = WORK_EMPTY;
}

/* malloc(0) may return NULL, which would read as an error; hence one byte at least. */
static void *
copy_block(const void *from, size_t bytes)
{
    void *to = malloc(bytes > 0 ? bytes : 1);
    if (to != NULL && bytes > 0) {
        memcpy(to, from, bytes);
    }
    return to;
}

/* Bodies are NULL in a node of a graph and present in an executable graph. */
static CUresult
copy_condition(Work *to, const Work *from)
{
    if (from->condition.bodies == NULL) {
        return 0;
    }
    size_t count = (size_t)from->condition.count;
    to->condition.bodies = copy_block(from->condition.bodies, count * sizeof(Program *));
    if (to->condition.bodies == NULL) {
        to->kind = WORK_EMPTY;
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        emu_program_ref(to->condition.bodies[i]);
    }
    return 0;
}

/* Used when a graph is cloned or instantiated: nodes and programs own their parameters
 * independently. On failure `to` is left empty, so that clearing it is harmless. */
CUresult
emu_work_copy(Work *to, const Work *from)
{
    *to = *from;
    switch (from->kind) {
    case WORK_KERNEL:
        to->kernel.params = NULL;
        if (from->kernel.params_bytes > 0) {
            to->kernel.params = copy_block(from->kernel.params, from->kernel.params_bytes);
            if (to->kernel.params == NULL) {
                to->kind = WORK_EMPTY;
                return CUDA_ERROR_OUT_OF_MEMORY;
            }
        }
        emu_handle_ref(to->kernel.function);
        return 0;
    case WORK_AWAIT:
    /* Events in a graph are kept alive by its nodes even after cuEventDestroy. */
    case WORK_RECORD:
        emu_handle_ref(to->record.event);
        return 0;
    case WORK_VALUES:
        to->values.list =
            copy_block(from->values.list, from->values.count * sizeof *from->values.list);
        if (to->values.list == NULL) {
            to->kind = WORK_EMPTY;
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        return 0;
    case WORK_ALLOCATE:
    case WORK_RELEASE:
        emu_handle_ref(to->memory);
        return 0;
    case WORK_CONDITION:
        return copy_condition(to, from);
    case WORK_GRAPH:
        emu_program_ref(to->program);
        return 0;
    default:
        return 0; /* graphs hold no staged copies */
    }
}
