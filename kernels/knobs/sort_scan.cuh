// Knobs of sort_scan.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
typedef u32 Count;
enum { PASSES = 4 };
