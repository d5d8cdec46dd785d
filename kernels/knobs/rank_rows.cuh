// Knobs of rank_rows.cu as the host writes them; these make the file complete on its own.
#include "math.cuh"
typedef f32 T;
typedef f32 R;
typedef u32 Index;
enum { KEPT = 1, BETWEEN = 2, SORTED = 0, SKIP_NAN = 0, ACROSS = 0 };
enum { DESCENDING = 0, BLOCK = 256, ITEMS = 4, MATCH = 0 };
