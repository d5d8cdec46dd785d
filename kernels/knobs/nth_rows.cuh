// Knobs of nth_rows.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
typedef f32 T;
enum { DESCENDING = 0, GIVES = 0, BLOCK = 256, ITEMS = 4, MATCH = 0 };
