// Knobs of interp.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
typedef f64 F;
enum { BLOCK = 256 };
