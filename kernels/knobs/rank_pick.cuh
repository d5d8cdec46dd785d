// Knobs of rank_pick.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
typedef f32 T;
enum { DESCENDING = 0, RANKS = 2, WIDTH = 2, BLOCK = 256, ITEMS = 1, MATCH = 0 };
