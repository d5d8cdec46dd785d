/* What each kernel executed: a row per name, printed on stderr when the process ends.
 *
 * Launches end in any thread, so the rows have a lock; they live as long as the process.
 */
#include "emu/check/watch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One kernel, by name: kernels of the same name in different modules share a row. */
typedef struct Row {
    struct Row *next;
    uint64_t launches, instructions, lanes, bytes;
    char name[];
} Row;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards `rows` */
static Row *rows;
/* Registers the printing once, at the first launch that is counted. */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Most work first; names break ties, so the table is reproducible. */
static int
by_lanes(const void *a, const void *b)
{
    const Row *x = *(const Row *const *)a, *y = *(const Row *const *)b;
    return x->lanes < y->lanes ? 1 : x->lanes > y->lanes ? -1 : strcmp(x->name, y->name);
}

/* Runs at exit, when launches may still end in other threads: hence the lock. */
static void
print(void)
{
    size_t n = 0;
    pthread_mutex_lock(&lock);
    for (const Row *row = rows; row != NULL; row = row->next) {
        n++;
    }
    /* Without memory nothing is printed, not a part. */
    const Row **sorted = malloc((n + 1) * sizeof *sorted);
    n = 0;
    for (const Row *row = rows; sorted != NULL && row != NULL; row = row->next) {
        sorted[n++] = row;
    }
    if (n > 0) {
        qsort(sorted, n, sizeof *sorted, by_lanes);
        fprintf(stderr, "%10s %14s %16s %16s  kernel\n", "launches", "instructions", "of lanes",
                "global bytes");
    }
    for (size_t i = 0; i < n; i++) {
        const Row *row = sorted[i];
        fprintf(stderr, "%10" PRIu64 " %14" PRIu64 " %16" PRIu64 " %16" PRIu64 "  %s\n",
                row->launches, row->instructions, row->lanes, row->bytes, row->name);
    }
    free(sorted);
    pthread_mutex_unlock(&lock);
}

static void
print_at_exit(void)
{
    atexit(print);
}

/* Called when a watched launch ends, by the thread that ran it. */
void
emu_count_add(const Watch *watch)
{
    if (!(watch->checks & EMU_CHECK_COUNT)) {
        return;
    }
    const char *name = watch->launch->entry->name;
    pthread_once(&once, print_at_exit);
    pthread_mutex_lock(&lock);
    /* Linear: a program has few kernels, and a launch costs far more. */
    Row *row = rows;
    while (row != NULL && strcmp(row->name, name) != 0) {
        row = row->next;
    }
    if (row == NULL) {
        row = calloc(1, sizeof *row + strlen(name) + 1);
        if (row != NULL) {
            memcpy(row->name, name, strlen(name) + 1);
            row->next = rows;
            rows = row;
        }
    }
    /* Without memory the launch goes uncounted. */
    if (row != NULL) {
        row->launches++;
        row->instructions += watch->instructions;
        row->lanes += watch->lanes;
        row->bytes += watch->bytes;
    }
    pthread_mutex_unlock(&lock);
}
