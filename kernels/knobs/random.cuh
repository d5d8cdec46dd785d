// Knobs of random.cu as the host writes them; these make the file complete on its own.
#include "random_draws.cuh"
enum { WORD, NORMAL, PAIRED, DRAWS, BITS, BOUNDED };
typedef f32 R;
typedef f32 F;
typedef f64 P;
typedef u32 Index;
typedef u32 Bound;
typedef Philox Origin;
enum { KIND = NORMAL, NPARAMS = 2, MIXED = 0, ND = 1, BLOCK = 256, UNROLL = 1, STORE = 4 };
GNP_FN auto prepare(const P (&a)[NPARAMS]) { return Nothing(); }
template <class X, class S> GNP_FN F value(X x, const P (&a)[NPARAMS], const S &s) { return (F)a[0] + (F)a[1] * x; }
