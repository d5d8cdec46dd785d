// Knobs of select_count.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
enum { BLOCK = 256, TILE = 8192 };
