// Knobs of join.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
typedef u32 Item;
enum { PIECES = 16, BLOCK = 256 };
