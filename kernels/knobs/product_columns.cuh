// Knobs of product_columns.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
typedef f32 SA;
typedef f32 SB;
typedef f32 SO;
typedef f32 T;
typedef f32 X;
typedef u32 Index;
enum { LOGIC = 0, CONJ_A = 0, CONJ_B = 0, PARTIAL = 0, AXES = 1 };
enum { COLUMNS = 32, WIDTH = 4, UNROLL = 4, B_MOVES = 0, BLOCK = 256 };
