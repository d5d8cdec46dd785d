// Knobs of select_scan.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
enum { BLOCK = 1024 };
