/* A growing byte string. Running out of memory is remembered and reported once, by finish. */
#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reserves `bytes` more and the NUL; 0, or -1 with the failure remembered. */
static int
reserve(GnpText *t, size_t bytes)
{
    if (t->failed || bytes > SIZE_MAX / 4) {
        t->failed = 1;
        return -1;
    }
    size_t need = t->used + bytes + 1;
    if (need <= t->capacity) {
        return 0;
    }
    size_t capacity = t->capacity != 0 ? t->capacity : 256;
    while (capacity < need) {
        capacity *= 2;
    }
    char *text = realloc(t->text, capacity);
    if (text == NULL) {
        t->failed = 1;
        return -1;
    }
    t->text = text;
    t->capacity = capacity;
    return 0;
}

void
gnp_text_add_bytes(GnpText *t, const void *data, size_t bytes)
{
    if (reserve(t, bytes) < 0) {
        return;
    }
    if (bytes != 0) {
        memcpy(t->text + t->used, data, bytes);
    }
    t->used += bytes;
    t->text[t->used] = '\0';
}

void
gnp_text_add(GnpText *t, const char *format, ...)
{
    if (reserve(t, 0) < 0) {
        return;
    }
    for (int attempt = 0; attempt < 2; attempt++) {
        size_t room = t->capacity - t->used;
        va_list args;
        va_start(args, format);
        int n = vsnprintf(t->text + t->used, room, format, args);
        va_end(args);
        if (n < 0) {
            t->failed = 1;
            return;
        }
        if ((size_t)n < room) {
            t->used += (size_t)n;
            return;
        }
        t->text[t->used] = '\0';
        if (reserve(t, (size_t)n) < 0) {
            return;
        }
    }
}

int
gnp_text_finish(GnpText *t)
{
    if (t->failed || reserve(t, 0) < 0) {
        PyErr_NoMemory();
        return -1;
    }
    t->text[t->used] = '\0';
    return 0;
}

void
gnp_text_clear(GnpText *t)
{
    free(t->text);
    memset(t, 0, sizeof *t);
}
