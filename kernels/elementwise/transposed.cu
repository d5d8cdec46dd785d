// transposed: out[z, y, x] = op(in[z, y, x]...) where x is the output's fast axis and y the fast axis of
// inputs with ACCESS_TRANSPOSED: those go through tiles in shared memory, so that both sides move whole
// lines.
// Knobs: as elementwise.cu, and TILE, the side of the square tile, a multiple of WIDTH; ND axes z.
// Launch: one block per tile, tiles along x first.
#include "knobs/transposed.cuh"
#include "operands.cuh"

// One tile per transposed operand, as (x, y); the padding puts the elements of a column into different banks.
template <class L> struct Tiles;
template <> struct Tiles<List<>> {
    GNP_FN void fill(const Slot *, const Stride *, const Stride *, const Stride *, Index, Index) {}
    template <class R> GNP_FN void read(R &, int, int) {}
};
template <class A, class... Rest> struct Tiles<List<A, Rest...>> {
    typedef Raw<typename A::Stored> Element;
    enum {
        is_transposed = A::follow == ACCESS_TRANSPOSED,
        side = is_transposed ? TILE : 1,
        pad = sizeof(Element) < 4 ? 4 / sizeof(Element) : 1,
    };
    Element tile[side][side + pad];
    Tiles<List<Rest...>> others;

    // Reads lines along y. `at` is the tile's corner; nx, ny what is left of the axes there.
    GNP_FN void fill(const Slot *s, const Stride *at, const Stride *along_x, const Stride *along_y, Index nx, Index ny)
    {
        if constexpr (is_transposed) {
            const int per_line = TILE / WIDTH, lines = BLOCK / per_line, passes = TILE / lines;
            int y = (int)threadIdx.x % per_line * WIDTH, x = (int)threadIdx.x / per_line;
            int count = ny <= y ? 0 : ny - y < WIDTH ? (int)(ny - y) : WIDTH;
            const char *p = (const char *)s->lo + *at + x * *along_x + y * *along_y;
            Vec<Element, WIDTH> line[passes];
#pragma unroll
            for (int pass = 0; pass < passes; pass++) {
                if (x + pass * lines < nx && count > 0) {
                    read_line(line[pass], p + pass * lines * *along_x, *along_y, count);
                }
            }
#pragma unroll
            for (int pass = 0; pass < passes; pass++) {
#pragma unroll
                for (int v = 0; v < WIDTH; v++) {
                    tile[x + pass * lines][y + v] = line[pass].at[v];
                }
            }
        }
        others.fill(s + 1, at + 1, along_x + 1, along_y + 1, nx, ny);
    }

    GNP_FN static void read_line(Vec<Element, WIDTH> &line, const char *p, Stride step, int count)
    {
        if (count == WIDTH) {
            line = *(const Vec<Element, WIDTH> *)p;
        }
        else {
#pragma unroll
            for (int v = 0; v < WIDTH; v++) {
                line.at[v] = *(const Element *)(p + (v < count ? v : 0) * step);
            }
        }
    }

    // Elements (x .. x + WIDTH, y) into the operand's registers.
    template <class R> GNP_FN void read(R &registers, int x, int y)
    {
        if constexpr (is_transposed) {
#pragma unroll
            for (int v = 0; v < WIDTH; v++) {
                registers.mine.at[v] = tile[x + v][y];
            }
        }
        others.read(registers.others, x, y);
    }
};

extern "C" __global__ void __launch_bounds__(BLOCK)
transposed(const Slots<Operands::size> slots, const Layout<Index, ND, Operands::size> outer,
       const Offsets<Index, Operands::size> along_x, const Offsets<Index, Operands::size> along_y,
       const Divisor<Index> tiles_x, const Divisor<Index> tiles_y, const Index nx, const Index ny)
{
    const int N = Operands::size;
    __shared__ Tiles<Operands> tiles;
    Index line = tiles_x.quotient(blockIdx.x);
    Index z = tiles_y.quotient(line);
    Index x0 = (blockIdx.x - line * tiles_x.d) * TILE, y0 = (line - z * tiles_y.d) * TILE;
    Offsets<Index, N> corner = outer.at(z);

#pragma unroll
    for (int j = 0; j < N; j++) {
        corner.at[j] += (Stride)x0 * along_x.at[j] + (Stride)y0 * along_y.at[j];
    }
    tiles.fill(slots.at, corner.at, along_x.at, along_y.at, nx - x0, ny - y0);
    __syncthreads();

    const int per_line = TILE / WIDTH, lines = BLOCK / per_line;
    int x = (int)threadIdx.x % per_line * WIDTH;
    int count = nx - x0 <= x ? 0 : nx - x0 - x < WIDTH ? (int)(nx - x0 - x) : WIDTH;
#pragma unroll 1
    for (int pass = 0; pass < TILE / lines; pass++) {
        int y = (int)threadIdx.x / per_line + pass * lines;
        if (y < ny - y0 && count > 0) {
            Registers<Operands, WIDTH> r;
            Offsets<Index, N> at;
#pragma unroll
            for (int j = 0; j < N; j++) {
                at.at[j] = corner.at[j] + x * along_x.at[j] + y * along_y.at[j];
            }
            r.load(slots.at, Scattered{at.at, along_x.at}, count);
            tiles.read(r, x, y);
#pragma unroll
            for (int v = 0; v < WIDTH; v++) {
                r.apply(v);
            }
            r.store(slots.at, Scattered{at.at, along_x.at}, count);
        }
    }
}
