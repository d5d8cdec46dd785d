/* Text that loading leaves for the program: errors and remarks, cut at its buffers' ends. */
#include "emu/ptx/ptx.h"

#include <stdarg.h>
#include <stdio.h>

/* vsnprintf returns the length that it would have needed; what is counted is what fits. */
static void
append(char *buffer, size_t capacity, size_t *used, const char *format, va_list arguments)
{
    if (buffer == NULL || *used + 1 >= capacity) {
        return;
    }
    int written = vsnprintf(buffer + *used, capacity - *used, format, arguments);
    if (written > 0) {
        *used += (size_t)written < capacity - *used ? (size_t)written : capacity - *used - 1;
    }
}

void
emu_log_error(EmuLog *log, const char *format, ...)
{
    /* A caller without interest in messages passes NULL. */
    if (log != NULL) {
        va_list arguments;
        va_start(arguments, format);
        append(log->error, log->error_capacity, &log->error_used, format, arguments);
        va_end(arguments);
    }
}
