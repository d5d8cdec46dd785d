/* What the driver calls in graph/, which stands above it.
 *
 * Graphs are made of the driver's work, and the driver's streams in turn capture into graphs and
 * run them, so some calls must go up. They are these and no others: tests/meta/test_emu_folders.py
 * compares this list with what the objects refer to.
 */
#ifndef EMU_UPWARD_H
#define EMU_UPWARD_H

#include "emu/driver/driver.h"

/* ---- capture (graph/capture.c) --------------------------------------------------------------- */

/* 0, or 900 when the calling thread may not make unsafe calls because of a capture. */
CUresult emu_capture_refuse(void);
/* The same for calls that touch all streams of a context: 900 in every mode. */
CUresult emu_capture_refuse_all(const Context *context);
/* A question about an event that was recorded in a capture: 907, or 1 when that has ended. */
CUresult emu_capture_ask(Event *event);
/* Adds work to the stream's capture. */
CUresult emu_capture_add(Stream *stream, Work *work);
/* 0, or 906 when work on the legacy stream would depend on a capturing stream. */
CUresult emu_capture_check_legacy(Context *context);
/* Breaks the stream's capture because of a call that is not allowed in it; returns 900. */
CUresult emu_capture_invalidate(Stream *stream);
/* The stream is being destroyed: a capture that began in it ends without a graph. */
void emu_capture_abandon(Stream *stream);
CUresult emu_capture_record(Stream *stream, Event *event);
CUresult emu_capture_wait(Stream *stream, Event *event);
/* An allocation or a release of the graph's memory as the stream's next node. */
CUresult emu_capture_allocate(Stream *stream, size_t bytes, CUdeviceptr *out);
CUresult emu_capture_release(Stream *stream, CUdeviceptr address);
int emu_stream_captures(Stream *stream);

/* As EMU_TRY_ENTER_CONTEXT, for calls that are refused while the thread captures a stream. */
#define EMU_TRY_ENTER_UNCAPTURED(name, ctx)                                                        \
    EMU_TRY_ENTER_CONTEXT(name, ctx);                                                              \
    EMU_TRY(emu_capture_refuse())

/* ---- programs: what executable graphs do (graph/graph_exec.c) -------------------------------- */

CUresult emu_program_run(Context *context, Program *program);
/* Runs the bodies of a condition as its cell says. */
CUresult emu_condition_run(Context *context, const Work *work);
/* Sets the cells of conditions that have a value to start with. */
void emu_program_start(Program *program);
void emu_program_ref(Program *program);
void emu_program_unref(Program *program);

/* ---- memory of graphs (graph/graph_memory.c) ------------------------------------------------- */

/* The graph memory that begins at `address`, or NULL. */
GraphMemory *emu_graph_memory_at(uint64_t address);
CUresult emu_graph_memory_open(GraphMemory *memory);
void emu_graph_memory_close(GraphMemory *memory);
/* Whether queued work leaves it allocated; sets that to `now` and returns what it was. */
int emu_graph_memory_allocated(GraphMemory *memory);
int emu_graph_memory_exchange(GraphMemory *memory, int now);

#endif
