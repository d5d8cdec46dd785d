// Knobs of slide_plane.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
typedef f32 SA;
typedef f32 SB;
typedef f32 SO;
typedef f32 T;
typedef f32 X;
enum { LOGIC = 0, CONJ_A = 0, CONJ_B = 0, TILE = 32, REG = 4, CHUNK = 16 };
