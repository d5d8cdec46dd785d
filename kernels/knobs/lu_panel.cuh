// Knobs of lu_panel.cu as the host writes them; these make the file complete on its own.
#include "gnp.cuh"
typedef f32 T;
enum { WIDTH = 16 };
