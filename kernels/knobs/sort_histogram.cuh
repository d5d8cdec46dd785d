// Knobs of sort_histogram.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
typedef f32 T;
typedef u32 Count;
enum { DESCENDING = 0, WIDTH = 2, COPIES = 4, BLOCK = 512, ITEMS = 1, MATCH = 0 };
