// Knobs of pad.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
typedef u32 Index;
typedef u32 Item;
enum { CONSTANT, EDGE, WRAP, REFLECT, SYMMETRIC };
enum { ND = 2, RULE = CONSTANT, WIDTH = 4, BLOCK = 256 };
