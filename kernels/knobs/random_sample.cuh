// Knobs of random_sample.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
typedef u32 Index;
enum { BLOCK = 256, ROUNDS = 8 };
