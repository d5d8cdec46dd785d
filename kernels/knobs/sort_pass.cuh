// Knobs of sort_pass.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
typedef f32 T;
typedef u32 Count;
typedef u32 Value;
enum { DESCENDING = 0, INDICES = 0, BLOCK = 384, ITEMS = 2, MATCH = 1, RESIDENT = 2 };
