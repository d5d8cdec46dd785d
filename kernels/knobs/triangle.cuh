// Knobs of triangle.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
typedef f32 T;
enum { LOWER = 1, UNIT = 0, CONJ = 0, ALONG = 1, EACH = 1, BLOCK = 256 };
