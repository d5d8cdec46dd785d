// Knobs of jacobi.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
typedef f32 T;
enum { N = 8, VECTORS = 1, UPPER = 0, BLOCK = 128 };
