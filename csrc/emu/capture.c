#include "emu/driver.h"
CUresult emu_capture_refuse(void) { return 0; }
CUresult emu_capture_add(Stream *s, Work *w) { (void)s; emu_work_clear(w); return 801; }
CUresult emu_capture_check_legacy(Context *c) { (void)c; return 0; }
CUresult emu_capture_invalidate(Stream *s) { (void)s; return 900; }
CUresult emu_capture_record(Stream *s, Event *e) { (void)s; (void)e; return 900; }
CUresult emu_capture_wait(Stream *s, Event *e) { (void)s; (void)e; return 900; }
int emu_stream_captures(Stream *s) { (void)s; return 0; }
CUresult emu_graph_exec_run(Context *c, GraphExec *e) { (void)c; (void)e; return 801; }
