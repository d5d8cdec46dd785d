// Knobs of jacobi_svd.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
typedef f32 T;
enum { N = 4, VECTORS = 1, BLOCK = 64 };
