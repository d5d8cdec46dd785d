/* The lane loops for any processor (x86-64-v2 where it is an x86-64); see build.txt. */
#define EMU_ISA v2
#include "emu/exec/lanes.h"
#include "emu/exec/lanes_memory.h"
