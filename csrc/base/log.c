/* One line on stderr, when GPUNP_DEBUG includes its level. */
#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>

int gnp_debug_level = 0;

void
gnp_log(int level, const char *format, ...)
{
    if (gnp_debug_level < level) {
        return;
    }
    /* Formatted first and written in one call, so that lines of two threads do not mix. */
    char line[2048];
    va_list args;
    va_start(args, format);
    int used = vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    if (used < 0) {
        return;
    }
    size_t n = (size_t)used < sizeof line - 1 ? (size_t)used : sizeof line - 2;
    line[n] = '\n';
    line[n + 1] = '\0';
    fprintf(stderr, "gpunp: %s", line);
}
