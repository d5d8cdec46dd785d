/* fuse: a Python function recorded once in lazy mode, then replayed (fuse.c). */
#ifndef GNP_TRACE_H
#define GNP_TRACE_H

#include "fuse/lazy.h"

/* Receives the program that is being recorded. */
typedef struct {
    int is_broken; /* something ran that was not recorded, or more than one program */
    int is_taken;
    GnpLazyProgram program;
} GnpLazyTrace;

/* Takes ownership of the program, which is empty afterwards. */
void gnp_lazy_trace_take(GnpLazyTrace *trace, GnpLazyProgram *program);
/* Records until gnp_lazy_leave; nested calls count. `trace` may be NULL. */
int gnp_lazy_enter(GnpLazyTrace *trace);
int gnp_lazy_leave(GnpLazyTrace *trace);
int gnp_lazy_is_on(void);
/* 1 when another thread is in lazy mode, which only one can be. */
int gnp_lazy_is_elsewhere(void);

#endif
