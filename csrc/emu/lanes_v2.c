/* The lane loops for any processor (x86-64-v2 where it is an x86-64); see build.txt. */
#define EMU_ISA v2
#include "lanes.h"
#include "lanes_memory.h"
