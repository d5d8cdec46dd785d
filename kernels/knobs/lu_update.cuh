// Knobs of lu_update.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
typedef f32 T;
enum { WIDTH = 32, TILE = 64, EACH = 4 };
