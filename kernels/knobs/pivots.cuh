// Knobs of pivots.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
typedef i32 P;
enum { BLOCK = 128, SHARED = 4096 };
