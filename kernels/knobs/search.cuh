// Knobs of search.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
typedef f32 T;
typedef u32 Index;
enum { DESCENDING = 0, RIGHT = 0, SORTER = 0, MEMBER = 0, EITHER = 0, SHARED = 4096, SAMPLED = 1, UNROLL = 4, BLOCK = 256, ITEMS = 1, MATCH = 0 };
