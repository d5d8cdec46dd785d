/* What libgpunp_emu.so offers beyond the driver's own functions: telling it apart from a GPU, the
 * text of the last device fault, fault injection, and an account of live objects.
 *
 * Found by dlsym, absent from a real driver. Every function may be called from any thread, before
 * cuInit too.
 */
#ifndef GPUNP_EMU_H
#define GPUNP_EMU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Always 1. */
int cuEmuIsEmulated(void);

/* Copies the sentence about the last device fault of the process (kernel, line, block, thread,
 * address), NUL-terminated and cut at `bytes`. Returns its length; 0 when there was none. */
size_t cuEmuLastFault(char *text, size_t bytes);

/* ---- cancelling ------------------------------------------------------------------------------ */

/* Ends what is queued in the streams of the calling thread's context: kernels, copies and fills
 * that have not run do nothing, one that runs stops soon. What they would have written is
 * undefined; nothing is an error. Marks, frees and host functions keep their turns. Returns the
 * number of pieces of work that were not done. */
uint64_t cuEmuCancel(void);
/* For a host function that works in the place of a kernel: whether it may leave the work out. */
void cuEmuIsCancelled(int *cancelled);
/* For such a function that cannot do its work, for want of memory or as data are wrong: the context
 * fails with CUDA_ERROR_LAUNCH_FAILED, as by a fault of a kernel; `what` is cuEmuLastFault's text.
 */
void cuEmuWorkFailed(const char *what);

/* For a library that waits for the whole device: breaks the captures of the calling thread's
 * context that began in other threads. */
void cuEmuBreakCaptures(int *count);

/* ---- checks on request ----------------------------------------------------------------------- */

/* What GPUNP_EMU=init,race,... asks for at start. Out of bounds, misaligned, freed, read-only and
 * foreign addresses, barriers and masks are checked always. */
enum {
    EMU_CHECK_INIT = 1,      /* reads of memory that was never written */
    EMU_CHECK_RACE = 2,      /* accesses of one launch that nothing orders */
    EMU_CHECK_STREAM = 4,    /* work of two streams, on the same bytes, that nothing orders */
    EMU_CHECK_LEAKS = 8,     /* allocations that are left when a context or the process ends */
    EMU_CHECK_COUNT = 16,    /* a table of instructions, lanes and bytes per kernel at exit */
    EMU_CHECK_CONTINUE = 32, /* what init, race, stream and sync find is reported, and no more */
    EMU_CHECK_SYNC = 64      /* barriers and .sync operations that threads skipped by exiting */
};

/* Sets the checks of all work from now on and returns those before. Memory allocated before
 * EMU_CHECK_INIT counts as written, what ran before EMU_CHECK_STREAM as finished. */
unsigned cuEmuChecks(unsigned checks);
/* How many findings the checks above have reported so far. */
uint64_t cuEmuFindings(void);
/* Tells the stream check that the calling thread reads (or writes) page-locked or managed memory
 * itself. Returns 0, or 719 when work that is not waited for is in the way. */
int cuEmuHostAccess(const void *address, size_t bytes, int writes);
/* For a host function that works on device memory in the place of a kernel, as the emulated
 * NVIDIA's libraries do: tells the checks what it reads or writes. It is called by the function
 * itself; `what` names it in findings. */
void cuEmuDeviceAccess(const void *address, size_t bytes, int writes, const char *what);

/* For a program that hands out parts of an allocation: kernels that are launched from now on reach
 * the `bytes` bytes at `address`, which is where a part starts, and of the allocation nothing that
 * was not named so. 0 bytes: the part is handed back. Work that was submitted before keeps what it
 * could reach. */
void cuEmuExtent(uint64_t address, size_t bytes);

/* ---- fault injection ------------------------------------------------------------------------- */

enum {
    EMU_FAIL_ONCE = 0,  /* only the nth call fails */
    EMU_FAIL_AFTER = 1, /* the nth and every later call fails */
    EMU_FAIL_LATE = 2 /* the nth call succeeds, the context breaks: the next synchronising call and
                         all after it return the code */
};

/* From now on the nth call (1, 2, ...) of `entry` (exact symbol, "cuMemAlloc_v2") returns `code`.
 * The entry "*" counts every call that can sensibly fail: all but releases, destructions and error
 * texts. Returns a positive number for the plan, 0 when the entry is unknown or 16 plans are set.
 * The environment variable GPUNP_EMU_FAIL="cuMemAlloc_v2:3=2,once;*:7=700,late" does the same at
 * start; modes are once, after and late. */
int cuEmuFail(const char *entry, uint64_t nth, int code, int mode);
/* How often the plan made a call fail. */
uint64_t cuEmuFailFired(int plan);
/* Forgets all plans. */
void cuEmuFailClear(void);

/* How often `entry` was called so far; "*" sums over what the plan "*" counts. */
uint64_t cuEmuCalls(const char *entry);

/* ---- ledger ---------------------------------------------------------------------------------- */

typedef enum {
    EMU_LIVE_ALLOCATIONS, /* cuMemAlloc, pitch, async and from pools; not a module's variables */
    EMU_LIVE_BYTES,       /* their bytes */
    EMU_LIVE_PINNED,      /* cuMemHostAlloc, cuMemAllocHost */
    EMU_LIVE_PINNED_BYTES,
    EMU_LIVE_REGISTERED,
    EMU_LIVE_MANAGED,
    EMU_LIVE_CONTEXTS,
    EMU_LIVE_STREAMS, /* made by the caller; default streams do not count */
    EMU_LIVE_EVENTS,
    EMU_LIVE_MODULES,
    EMU_LIVE_LIBRARIES,
    EMU_LIVE_LINKS,
    EMU_LIVE_POOLS, /* the devices' default pools do not count */
    EMU_LIVE_GRAPHS,
    EMU_LIVE_GRAPH_EXECS,
    EMU_LIVE_USER_OBJECTS,
    EMU_LIVE_GRAPH_MEMORY, /* allocation nodes and what was captured as such */
    EMU_LIVE_PHYSICAL,     /* cuMemCreate */
    EMU_LIVE_RESERVATIONS, /* cuMemAddressReserve */
    EMU_LIVE_KINDS
} EmuLedgerKind;

/* Live objects of that kind now; 0 for a number that is no kind. */
uint64_t cuEmuLedger(int kind);
/* "allocations", "bytes", ...; NULL past the last. */
const char *cuEmuLedgerName(int kind);

#ifdef __cplusplus
}
#endif

#endif
