/* The lane loops for x86-64-v3; see build.txt for the flags. */
#if defined(__x86_64__)
#define EMU_ISA v3
#include "emu/exec/lanes.h"
#include "emu/exec/lanes_memory.h"
#else
typedef int EmuLanesV3Empty;
#endif
