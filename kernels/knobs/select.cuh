// Knobs of select.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
typedef u32 Index;
typedef u32 Item;
enum { INDICES, COORDINATES, TAKE, PUT };
enum { WHAT = TAKE, ND = 1, BLOCK = 256, TILE = 8192, ALONE = 0 };
