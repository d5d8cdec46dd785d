// Knobs of scatter.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
typedef u32 Index;
typedef i64 I;
typedef u32 Item;
enum { ND = 1, NINDICES = 1, SCALAR = 0, BLOCK = 256, REFUSES = 0 };
