// Knobs of update_few.cu as the host writes them; these make the file complete on its own.
#include "math.cuh"
typedef u32 Index;
typedef i64 I;
typedef f32 S;
typedef f32 L;
typedef f32 V;
typedef f32 R;
enum { SWAP, ADD, LEAST, MOST, AND, OR, XOR };
enum { ND = 1, NINDICES = 1, SCALAR = 0, UNARY = 0, HOW = ADD, NEGATED = 0, CELLS = 8192, BLOCK = 512 };
GNP_FN Compute<R> combine(Compute<L> a, Compute<V> b) { return a + b; }
