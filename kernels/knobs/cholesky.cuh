// Knobs of cholesky.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
typedef f32 T;
enum { N = 16, UPPER = 0, BLOCK = 128 };
