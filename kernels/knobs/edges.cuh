// Knobs of edges.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
typedef f32 E;
typedef c64 X;
enum { BLOCK = 256 };
