// Knobs of fold.cu as the host writes them; these make the file complete on its own.
#include "math.cuh"
typedef f32 S;
typedef f32 T;
typedef f32 V;
typedef f32 R;
typedef Compute<T> A;
typedef Compute<V> B;
typedef u32 Index;
enum { KEPT = 1, LANES = 1, ACCUMULATE = 0, SEGMENTS = 0, MASKED = 0, INITIAL = 0, BLOCK = 128 };
GNP_FN A combine(A a, B b) { return a - b; }
