// Knobs of elementwise.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
typedef f32 T;
typedef f32 R;
typedef u32 Index;
enum { WIDTH = 4, UNROLL = 1, RESIDENT = 5, BLOCK = 256 };
typedef List<In<f32, f32>, In<f32, f32>, Out<f32, f32>> Operands;
GNP_FN void op(f32 a, f32 b, f32 &r0) { r0 = a + b; }
