// Knobs of join.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
typedef u32 Index;
typedef u32 Item;
enum { PIECES = 4, ROWS = 1, WIDTH = 4, UNROLL = 1, BLOCK = 256 };
