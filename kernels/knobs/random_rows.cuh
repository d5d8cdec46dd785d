// Knobs of random_rows.cu as the host writes them; these make the file complete on its own.
#include "random_draws.cuh"
typedef Philox Origin;
enum { WITHOUT_RETURN = 0, BLOCK = 128 };
