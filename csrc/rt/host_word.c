/* Words of page-locked memory that kernels store and the host reads after a wait.
 *
 * A number that decides on the size of a result would otherwise be copied by the driver, which
 * takes a GPU longer than the kernel that counts. The words are those of one page, taken and given
 * back with the GIL. A word that a kernel may still store into, after a wait that failed or was
 * interrupted, is not used again. Without a free word or page-locked memory, device memory takes
 * its place.
 */
#include "rt/internal.h"

enum { WORDS = 512 };

static volatile int64_t *page; /* WORDS of them, for the life of the process; NULL: not yet */
static int is_refused;         /* there is no page-locked memory */
static unsigned char is_taken[WORDS];
static int next; /* where the search for a free word begins */

/* Another thread may have made the page while the driver made one without the GIL. This one may be
 * capturing another stream in a strict mode, in which the driver rejects allocations. */
static void
make_page(void)
{
    void *ptr = NULL;
    CUresult code;
    const CUstreamCaptureMode mode = gnp_capture_relax();
    CU_WAIT(code, cuMemHostAlloc(&ptr, WORDS * sizeof *page, CU_MEMHOSTALLOC_PORTABLE));
    gnp_capture_restore(mode);
    if (code != 0) {
        is_refused = 1;
        return;
    }
    if (page != NULL) {
        CU_DROP_WAIT(cuMemFreeHost(ptr));
        return;
    }
    page = ptr;
}

/* From 1; 0 when all are taken. */
static int
take_free(void)
{
    for (int k = 0; page != NULL && k < WORDS; k++) {
        const int place = (next + k) % WORDS;
        if (!is_taken[place]) {
            is_taken[place] = 1;
            next = place + 1;
            return place + 1;
        }
    }
    return 0;
}

static void
give_back(GnpHostWord *w)
{
    is_taken[w->number - 1] = 0;
    w->number = 0;
}

int
gnp_host_word_take(GnpHostWord *w, GnpDevice *device, CUstream stream)
{
    if (page == NULL && !is_refused) {
        make_page();
    }
    *w = (GnpHostWord){.stream = stream, .number = take_free()};
    if (w->number != 0) {
        /* Such memory has one address for the host and for all devices. */
        w->ptr = (CUdeviceptr)(uintptr_t)(page + w->number - 1);
        return 0;
    }
    w->block = gnp_block_new(device, sizeof *page, stream);
    if (w->block == NULL) {
        return -1;
    }
    w->ptr = w->block->ptr;
    return 0;
}

int
gnp_host_word_read(GnpHostWord *w, int64_t *value)
{
    if (w->number == 0) {
        return gnp_copy_d2h(value, w->ptr, sizeof *value, w->stream);
    }
    if (gnp_wait_stream(w->stream, "a value for the host") < 0) {
        return -1;
    }
    *value = page[w->number - 1];
    give_back(w);
    return 0;
}

void
gnp_host_word_release(GnpHostWord *w)
{
    if (w->number != 0 && gnp_captures == NULL && gnp_cu->cuStreamQuery(w->stream) == 0) {
        give_back(w);
    }
    gnp_block_release(w->block);
    *w = (GnpHostWord){0};
}
