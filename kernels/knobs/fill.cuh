// Knobs of fill.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
typedef f32 R;
typedef f64 P;
typedef u32 Index;
enum { WIDTH = 4, BLOCK = 256 };
GNP_FN P value(Index i, P a, P b, P c, Index d) { return P(a + P(P(i) * P(b - a))); }
