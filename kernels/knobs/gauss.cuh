// Knobs of gauss.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
typedef f32 T;
enum { SOLVE, INVERT, DET, SLOGDET };
enum { N = 16, OP = SOLVE, EACH = 4, BLOCK = 128 };
