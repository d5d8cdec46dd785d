// Knobs of lu_rows.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
typedef f32 T;
enum { WIDTH = 32, BLOCK = 256, EACH = 4 };
