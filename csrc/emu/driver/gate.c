/* The gate every exported function passes: counts calls, injects faults, traces, refuses calls
 * before cuInit, after fork and inside host functions; and the exported extras of gpunp_emu.h.
 *
 * The fast path is one relaxed increment and one relaxed load (emu_gate in driver.h); anything
 * unusual sets `emu_gate_slow`.
 *
 * A plan is an error to inject: the nth call of an entry, or of any entry, returns a given code. So
 * each error path of a program can be tested without a faulty device. */
#include "emu/driver/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLANS = 16, ANY = -1 };
/* Reasons to leave the fast path, one bit each. The first call finds SLOW_UNINITIALISED set and
 * reads the environment. */
enum { SLOW_UNINITIALISED = 1, SLOW_FORKED = 2, SLOW_TRACE = 4, SLOW_PLAN = 8, SLOW_CALLBACK = 16 };

_Atomic int emu_gate_slow = SLOW_UNINITIALISED;
/* Relaxed counters: they are compared by tests between calls, never used for synchronisation. */
_Atomic uint64_t emu_gate_calls[ENTRIES];

/* The name of an entry is its symbol, so plans and counts are asked for by the names of the driver
 * API. */
static const char *const names[ENTRIES] = {
#define CU(name, params) #name,
#define NVRTC(name, params)
#include "tables/cuda_api.def"
};

/* How a plan stands: `seen` counts matching calls, `fired` those that it made fail. */
typedef struct {
    int entry; /* ANY, or an EmuEntry */
    uint64_t nth, seen, fired;
    int code, mode;
} Plan;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static Plan plans[PLANS];
static int plan_count;
static char last_fault[1536];
static _Atomic uint64_t findings;
/* Set as a whole by cuEmuChecks and read before each launch. */
static _Atomic unsigned checks; /* EMU_CHECK_*, plus CHECKS_KNOWN once they were read */
enum { CHECKS_KNOWN = 1 << 30 };

static pthread_once_t plans_once = PTHREAD_ONCE_INIT;
static void read_environment_plans(void);

/* Per thread: host functions of one stream may run while other threads make calls. */
static _Thread_local int in_callback;
static _Atomic int callbacks_under_way;

/* Linear over the names; only plans and questions come here. */
static int
find_entry(const char *name)
{
    if (strcmp(name, "*") == 0) {
        return ANY;
    }
    for (int i = 0; i < ENTRIES; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return ENTRIES;
}

/* A failing release leaves its caller nothing to do, so "*" passes over it. */
static int
counts_as_any(EmuEntry entry)
{
    /* By parts of names, so that new entries of these kinds are passed over without a list to
     * maintain. */
    static const char *const exempt[] = {"Free",  "Destroy",    "Unload",   "Release",
                                         "Reset", "Unregister", "GetError", "PopCurrent"};
    for (size_t i = 0; i < sizeof exempt / sizeof exempt[0]; i++) {
        if (strstr(names[entry], exempt[i]) != NULL) {
            return 0;
        }
    }
    return 1;
}

/* The code to fail with now, or 0. */
static CUresult
run_plans(EmuEntry entry)
{
    CUresult code = 0, late = 0;
    pthread_mutex_lock(&lock);
    /* The first plan that fires with a code at once ends the search; later plans do not count this
     * call. */
    for (int i = 0; i < plan_count && code == 0; i++) {
        Plan *plan = &plans[i];
        if (plan->entry != (int)entry && (plan->entry != ANY || !counts_as_any(entry))) {
            continue;
        }
        plan->seen++;
        /* EMU_FAIL_ONCE and EMU_FAIL_LATE fire at call number `nth` alone, EMU_FAIL_AFTER at it and
         * all that follow. */
        if (plan->seen != plan->nth && (plan->mode != EMU_FAIL_AFTER || plan->seen < plan->nth)) {
            continue;
        }
        plan->fired++;
        if (plan->mode == EMU_FAIL_LATE) {
            late = plan->code;
        }
        else {
            code = plan->code;
        }
    }
    pthread_mutex_unlock(&lock);
    Context *context = late != 0 ? emu_context_peek() : NULL;
    /* The call itself succeeds; the next one that synchronises returns the code. */
    if (context != NULL) {
        atomic_store(&context->late, late);
    }
    return code;
}

/* The order matters: the trace shows refused calls too, and plans act only on calls that would have
 * been let through. */
CUresult
emu_gate_check(EmuEntry entry, int needs_init)
{
    /* Not in cuInit alone: entries that work without cuInit can be made to fail as well. */
    pthread_once(&plans_once, read_environment_plans);
    int slow = atomic_load(&emu_gate_slow);
    if (slow & SLOW_TRACE) {
        fprintf(stderr, "gpunp emulated device: %s\n", names[entry]);
    }
    /* Threads and locks of the parent do not exist in the child; nothing but names of errors can
     * be answered. */
    if ((slow & SLOW_FORKED) && entry != ENTRY_cuGetErrorName && entry != ENTRY_cuGetErrorString) {
        return CUDA_ERROR_NOT_INITIALIZED;
    }
    /* A host function must not make CUDA calls (cuLaunchHostFunc): on a GPU it would deadlock or
     * fail, so here it always fails. */
    if (in_callback && needs_init) {
        return CUDA_ERROR_NOT_PERMITTED;
    }
    if ((slow & SLOW_UNINITIALISED) && needs_init) {
        return CUDA_ERROR_NOT_INITIALIZED;
    }
    return (slow & SLOW_PLAN) ? run_plans(entry) : 0;
}

/* Called around each host function, on the thread that runs it. The bit sends all threads to the
 * slow path, where the thread-local flag decides. */
void
emu_gate_in_callback(int inside)
{
    in_callback = inside;
    if (inside) {
        atomic_fetch_add(&callbacks_under_way, 1);
        atomic_fetch_or(&emu_gate_slow, SLOW_CALLBACK);
    }
    else if (atomic_fetch_sub(&callbacks_under_way, 1) == 1) {
        /* A callback starting this instant sets the bit again before it runs user code only if
         * its increment came later; look once more. */
        atomic_fetch_and(&emu_gate_slow, ~SLOW_CALLBACK);
        if (atomic_load(&callbacks_under_way) > 0) {
            atomic_fetch_or(&emu_gate_slow, SLOW_CALLBACK);
        }
    }
}

/* After fork, the driver of the parent is unusable in the child, as with the real one. There is no
 * way back but exec. */
static void
after_fork_in_child(void)
{
    atomic_fetch_or(&emu_gate_slow, SLOW_FORKED);
}

/* Returns the plan's number, from 1, or 0 when it is not valid or there is no room. */
static int
add_plan(const char *entry, uint64_t nth, int code, int mode)
{
    int found = find_entry(entry);
    if (found == ENTRIES || nth == 0 || code == 0 || mode < 0 || mode > EMU_FAIL_LATE) {
        return 0;
    }
    pthread_mutex_lock(&lock);
    int number = 0;
    if (plan_count < PLANS) {
        plans[plan_count] = (Plan){.entry = found, .nth = nth, .code = code, .mode = mode};
        number = ++plan_count;
    }
    pthread_mutex_unlock(&lock);
    if (number != 0) {
        /* Only after the plan is in place: a thread that sees the bit finds the plan. */
        atomic_fetch_or(&emu_gate_slow, SLOW_PLAN);
    }
    return number;
}

/* "name:nth=code,mode;..."; parts that cannot be read are reported and skipped. */
static void
read_plans(const char *text)
{
    char part[128], name[96], mode[16];
    while (*text != '\0') {
        size_t length = strcspn(text, ";");
        snprintf(part, sizeof part, "%.*s", (int)length, text);
        text += length + (text[length] == ';');
        unsigned long long nth;
        int code;
        /* The mode is optional, so it is set before the scan. */
        snprintf(mode, sizeof mode, "once");
        if (sscanf(part, " %95[^:]:%llu=%d,%15s", name, &nth, &code, mode) < 3 ||
            add_plan(name, nth, code,
                     strcmp(mode, "after") == 0  ? EMU_FAIL_AFTER
                     : strcmp(mode, "late") == 0 ? EMU_FAIL_LATE
                                                 : EMU_FAIL_ONCE) == 0) {
            fprintf(stderr, "gpunp emulated device: GPUNP_EMU_FAIL: cannot use '%s'\n", part);
        }
    }
}

/* Runs in the first call of the process, so that cuInit itself can be made to fail. */
static void
read_environment_plans(void)
{
    const EmuDriverSettings *settings = emu_driver_settings();
    read_plans(settings->fail);
    if (settings->trace_calls) {
        atomic_fetch_or(&emu_gate_slow, SLOW_TRACE);
    }
}

/* Under cuInit's lock. The handler is registered once, since cuInit succeeds once. */
void
emu_gate_initialised(void)
{
    pthread_atfork(NULL, NULL, after_fork_in_child);
    atomic_fetch_and(&emu_gate_slow, ~SLOW_UNINITIALISED);
}

int
emu_gate_is_initialised(void)
{
    return (atomic_load(&emu_gate_slow) & SLOW_UNINITIALISED) == 0;
}

/* The lock also keeps lines of several threads apart in the report. */
void
emu_report_fault(const char *text)
{
    const char *where = emu_driver_settings()->report;
    pthread_mutex_lock(&lock);
    snprintf(last_fault, sizeof last_fault, "%s", text);
    if (strcmp(where, "stderr") == 0) {
        fprintf(stderr, "gpunp emulated device: %s\n", text);
    }
    else if (where[0] != '\0') {
        /* Opened for each fault: reports are rare, and the file is complete when the process
         * crashes. */
        FILE *file = fopen(where, "a");
        if (file != NULL) {
            fprintf(file, "%s\n", text);
            fclose(file);
        }
    }
    pthread_mutex_unlock(&lock);
}

/* Read before each launch, hence relaxed and without pthread_once. The settings are read at the
 * first question. */
unsigned
emu_checks(void)
{
    unsigned now = atomic_load_explicit(&checks, memory_order_relaxed);
    if (!(now & CHECKS_KNOWN)) {
        unsigned none = 0;
        /* Exchanged and not stored: cuEmuChecks of another thread may have come first. */
        atomic_compare_exchange_strong(&checks, &none, emu_settings()->checks | CHECKS_KNOWN);
        now = atomic_load(&checks);
    }
    return now & ~(unsigned)CHECKS_KNOWN;
}

/* Every check that finds something ends here, so the count and the text of the latest are in one
 * place. */
int
emu_finding(const char *text)
{
    atomic_fetch_add(&findings, 1);
    emu_report_fault(text);
    return !(emu_checks() & EMU_CHECK_CONTINUE);
}

/* Silent by default: many programs probe for entries and handle their absence. */
void
emu_report_unsupported(const char *name)
{
    if (emu_driver_settings()->log_unsupported) {
        fprintf(stderr, "gpunp emulated device: %s is not supported\n", name);
    }
}

/* ---- gpunp_emu.h ----------------------------------------------------------------------------- */

EMU_EXPORT int
cuEmuIsEmulated(void)
{
    return 1;
}

/* The length without its NUL, also when `text` is NULL or too short, as snprintf counts. */
EMU_EXPORT size_t
cuEmuLastFault(char *text, size_t bytes)
{
    pthread_mutex_lock(&lock);
    size_t length = strlen(last_fault);
    if (text != NULL && bytes > 0) {
        snprintf(text, bytes, "%s", last_fault);
    }
    pthread_mutex_unlock(&lock);
    return length;
}

EMU_EXPORT unsigned
cuEmuChecks(unsigned wanted)
{
    unsigned before = emu_checks(), fresh = wanted & ~before;
    Driver *driver = emu_driver();
    /* A check that begins now must not judge by what it did not see: all memory counts as written
     * and all earlier work as ordered. */
    for (int i = 0; driver != NULL && fresh & EMU_CHECK_INIT && i < driver->device_count; i++) {
        emu_memory_all_written(driver->devices[i].memory);
    }
    if (fresh & EMU_CHECK_STREAM) {
        emu_order_forget();
    }
    atomic_store(&checks, (wanted & ~(unsigned)CHECKS_KNOWN) | CHECKS_KNOWN);
    return before;
}

EMU_EXPORT uint64_t
cuEmuFindings(void)
{
    return atomic_load(&findings);
}

EMU_EXPORT int
cuEmuFail(const char *entry, uint64_t nth, int code, int mode)
{
    return entry != NULL ? add_plan(entry, nth, code, mode) : 0;
}

/* 0 for a number that is not a plan's, among them those from before cuEmuFailClear. */
EMU_EXPORT uint64_t
cuEmuFailFired(int plan)
{
    pthread_mutex_lock(&lock);
    uint64_t fired = plan >= 1 && plan <= plan_count ? plans[plan - 1].fired : 0;
    pthread_mutex_unlock(&lock);
    return fired;
}

EMU_EXPORT void
cuEmuFailClear(void)
{
    pthread_mutex_lock(&lock);
    plan_count = 0;
    pthread_mutex_unlock(&lock);
    atomic_fetch_and(&emu_gate_slow, ~SLOW_PLAN);
}

/* "*" counts what a plan for "*" would match, so a test can count first and then fail each call in
 * turn. */
EMU_EXPORT uint64_t
cuEmuCalls(const char *entry)
{
    int found = entry != NULL ? find_entry(entry) : ENTRIES;
    uint64_t calls = 0;
    for (int i = 0; i < ENTRIES; i++) {
        if (i == found || (found == ANY && counts_as_any((EmuEntry)i))) {
            calls += atomic_load_explicit(&emu_gate_calls[i], memory_order_relaxed);
        }
    }
    return calls;
}

/* Memory is counted where it lies: by device, and the host's once. */
static uint64_t
count_spans(unsigned kinds, int want_bytes)
{
    Driver *driver = emu_driver();
    uint64_t count = 0;
    if (driver == NULL) {
        return 0;
    }
    for (int i = 0; i < driver->device_count; i++) {
        count += emu_memory_count(driver->devices[i].memory, kinds, want_bytes);
    }
    return count + emu_memory_count(driver->host, kinds, want_bytes);
}

/* The ledger tells what a program has left: tests compare it before and after. A kind is counted by
 * spans or by handles, never both. */
static const struct {
    const char *name;
    unsigned spans; /* counted by span kinds, or */
    int bytes;
    EmuKind kind; /* by handle kind */
} ledger[EMU_LIVE_KINDS] = {
    [EMU_LIVE_ALLOCATIONS] = {"allocations", 1u << SPAN_DEVICE | 1u << SPAN_ASYNC, 0, 0},
    [EMU_LIVE_BYTES] = {"bytes", 1u << SPAN_DEVICE | 1u << SPAN_ASYNC, 1, 0},
    [EMU_LIVE_PINNED] = {"pinned", 1u << SPAN_PINNED, 0, 0},
    [EMU_LIVE_PINNED_BYTES] = {"pinned_bytes", 1u << SPAN_PINNED, 1, 0},
    [EMU_LIVE_REGISTERED] = {"registered", 1u << SPAN_REGISTERED, 0, 0},
    [EMU_LIVE_MANAGED] = {"managed", 1u << SPAN_MANAGED, 0, 0},
    [EMU_LIVE_CONTEXTS] = {"contexts", 0, 0, KIND_CONTEXT},
    [EMU_LIVE_STREAMS] = {"streams", 0, 0, KIND_STREAM},
    [EMU_LIVE_EVENTS] = {"events", 0, 0, KIND_EVENT},
    [EMU_LIVE_MODULES] = {"modules", 0, 0, KIND_MODULE},
    [EMU_LIVE_LIBRARIES] = {"libraries", 0, 0, KIND_LIBRARY},
    [EMU_LIVE_LINKS] = {"links", 0, 0, KIND_LINK},
    [EMU_LIVE_POOLS] = {"pools", 0, 0, KIND_POOL},
    [EMU_LIVE_GRAPHS] = {"graphs", 0, 0, KIND_GRAPH},
    [EMU_LIVE_GRAPH_EXECS] = {"graph_execs", 0, 0, KIND_GRAPH_EXEC},
    [EMU_LIVE_USER_OBJECTS] = {"user_objects", 0, 0, KIND_USER_OBJECT},
    [EMU_LIVE_GRAPH_MEMORY] = {"graph_memory", 0, 0, KIND_GRAPH_MEMORY},
    [EMU_LIVE_PHYSICAL] = {"physical", 0, 0, KIND_PHYSICAL},
    [EMU_LIVE_RESERVATIONS] = {"reservations", 0, 0, KIND_RESERVATION},
};

/* Hidden objects, default streams and pools among them, are not counted (handle.c). */
EMU_EXPORT uint64_t
cuEmuLedger(int kind)
{
    if (kind < 0 || kind >= EMU_LIVE_KINDS) {
        return 0;
    }
    return ledger[kind].spans != 0 ? count_spans(ledger[kind].spans, ledger[kind].bytes)
                                   : emu_handle_count(ledger[kind].kind);
}

EMU_EXPORT const char *
cuEmuLedgerName(int kind)
{
    return kind >= 0 && kind < EMU_LIVE_KINDS ? ledger[kind].name : NULL;
}
