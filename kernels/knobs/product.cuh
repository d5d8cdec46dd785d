// Knobs of product.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
typedef f32 SA;
typedef f32 SB;
typedef f32 SO;
typedef f32 T;
typedef f32 X;
enum { LOGIC = 0, CONJ_A = 0, CONJ_B = 0, PARTIAL = 0, BATCH = 1 };
enum { TILE_M = 64, TILE_N = 64, TILE_K = 16, REG_M = 4, REG_N = 4, UNROLL = 2, BLOCKS = 1 };
enum { WIDTH_A = 4, WIDTH_B = 4, WIDTH_C = 4, ALONG_A = 1, ALONG_B = 0 };
