// Knobs of random_ties.cu as the host writes them; these make the file complete on its own.
#include "random.cuh"
typedef Philox Origin;
enum { BLOCK = 256 };
