/* mma, wmma, ldmatrix, stmatrix, movmatrix: the shape, the element types and the registers of the
 * fragments; how many registers each fragment must have follows from the shape.
 *
 * The handlers (exec_matrix.c) trust what is checked here: shape, types and numbers of registers.
 * Every operation is emitted as a warp call (EMU_WARP_CALL) with a full member mask as its last
 * source.
 */
#include "emu/ptx/decode.h"

#include <stdlib.h>
#include <string.h>

static const Type type_b32 = {'b', 32, 0};
static const Type type_u32 = {'u', 32, 0};
static const Type type_b64 = {'b', 64, 0};

/* Element types by the modifiers that name them; bits are those of memory and of packed registers.
 */
static const struct {
    char name[6];
    uint8_t element, bits;
} names[] = {
    {"f16", EMU_ELEMENT_F16, 16},  {"bf16", EMU_ELEMENT_BF16, 16}, {"tf32", EMU_ELEMENT_TF32, 32},
    {"f32", EMU_ELEMENT_F32, 32},  {"f64", EMU_ELEMENT_F64, 64},   {"s8", EMU_ELEMENT_S8, 8},
    {"u8", EMU_ELEMENT_U8, 8},     {"s4", EMU_ELEMENT_S4, 4},      {"u4", EMU_ELEMENT_U4, 4},
    {"b1", EMU_ELEMENT_B1, 1},     {"s32", EMU_ELEMENT_S32, 32},   {"e4m3", EMU_ELEMENT_E4M3, 8},
    {"e5m2", EMU_ELEMENT_E5M2, 8},
};

enum { KIND_MMA, KIND_WMMA, KIND_SPARSE };

/* Shapes by the element type of a and b: {m, n, k} in multiples that the adder tree takes. */
typedef struct {
    uint8_t m, n;
    uint16_t k;
    uint8_t bits; /* of an element of a */
    uint8_t kind;
    uint8_t selectors; /* of mma.sp */
} Shape;

static const Shape shapes[] = {
    /* mma.sync */
    {8, 8, 4, 16, KIND_MMA, 0},
    {16, 8, 8, 16, KIND_MMA, 0},
    {16, 8, 16, 16, KIND_MMA, 0},
    {16, 8, 4, 32, KIND_MMA, 0},
    {16, 8, 8, 32, KIND_MMA, 0},
    {8, 8, 4, 64, KIND_MMA, 0},
    {16, 8, 4, 64, KIND_MMA, 0},
    {16, 8, 8, 64, KIND_MMA, 0},
    {16, 8, 16, 64, KIND_MMA, 0},
    {8, 8, 16, 8, KIND_MMA, 0},
    {16, 8, 16, 8, KIND_MMA, 0},
    {16, 8, 32, 8, KIND_MMA, 0},
    {8, 8, 32, 4, KIND_MMA, 0},
    {16, 8, 32, 4, KIND_MMA, 0},
    {16, 8, 64, 4, KIND_MMA, 0},
    {8, 8, 128, 1, KIND_MMA, 0},
    {16, 8, 128, 1, KIND_MMA, 0},
    {16, 8, 256, 1, KIND_MMA, 0},
    /* wmma */
    {16, 16, 16, 16, KIND_WMMA, 0},
    {32, 8, 16, 16, KIND_WMMA, 0},
    {8, 32, 16, 16, KIND_WMMA, 0},
    {16, 16, 16, 8, KIND_WMMA, 0},
    {32, 8, 16, 8, KIND_WMMA, 0},
    {8, 32, 16, 8, KIND_WMMA, 0},
    {16, 16, 8, 32, KIND_WMMA, 0},
    {8, 8, 4, 64, KIND_WMMA, 0},
    {8, 8, 32, 4, KIND_WMMA, 0},
    {8, 8, 128, 1, KIND_WMMA, 0},
    /* mma.sp; the first k of 8 bits is not for floats */
    {16, 8, 16, 16, KIND_SPARSE, 4},
    {16, 8, 32, 16, KIND_SPARSE, 2},
    {16, 8, 8, 32, KIND_SPARSE, 4},
    {16, 8, 16, 32, KIND_SPARSE, 2},
    {16, 8, 32, 8, KIND_SPARSE, 2},
    {16, 8, 64, 8, KIND_SPARSE, 1},
    {16, 8, 64, 4, KIND_SPARSE, 2},
    {16, 8, 128, 4, KIND_SPARSE, 1},
};

static int
refuse(Decoder *dc)
{
    return decode_fail(dc, "unsupported instruction '%.*s'", (int)dc->opcode.length, dc->opcode.at);
}

/* The k-th element type among the modifiers: index into `names`, or -1. */
static int
element_at(const Decoder *dc, unsigned k)
{
    for (size_t i = 0; i < dc->nmods; i++) {
        for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
            if (decode_is_mod(dc, i, names[n].name) && k-- == 0) {
                return (int)n;
            }
        }
    }
    return -1;
}

/* ".m16n8k16" -> tile */
static int
read_shape(const Decoder *dc, EmuTile *t)
{
    for (size_t i = 0; i < dc->nmods; i++) {
        const char *p = dc->mods[i].at, *end = p + dc->mods[i].length;
        unsigned v[3] = {0};
        for (unsigned part = 0; part < 3 && p < end && *p == "mnk"[part]; part++) {
            /* Numbers are bounded, so tiles fit into their fields. */
            for (p++; p < end && *p >= '0' && *p <= '9' && v[part] < 1000; p++) {
                v[part] = v[part] * 10 + (unsigned)(*p - '0');
            }
        }
        if (p == end && v[2] != 0) {
            *t = (EmuTile){.m = (uint8_t)v[0], .n = (uint8_t)v[1], .k = (uint16_t)v[2]};
            return 1;
        }
    }
    return 0;
}

/* bits 0: whatever the factors are. */
static const Shape *
known_shape(const EmuTile *t, unsigned bits, unsigned kind)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        /* Shapes exist per kind of instruction and width of the factors (PTX ISA, "Matrix Shape").
         */
        const Shape *s = &shapes[i];
        if (s->m == t->m && s->n == t->n && s->k == t->k && s->kind == kind &&
            (bits == 0 || s->bits == bits)) {
            return s;
        }
    }
    return NULL;
}

/* Registers of a lane's part of a matrix with so many elements. wmma keeps f16 factors in eight
 * registers whatever the shape. */
static unsigned
register_count(unsigned cells, unsigned name, int wmma_factor)
{
    unsigned bits = names[name].bits;
    if (wmma_factor && names[name].element == EMU_ELEMENT_F16) {
        return 8;
    }
    /* A matrix is spread over 32 lanes, whose registers have 32 bits; f64 has registers of 64. */
    return bits == 64 ? cells / 32 : cells * bits / 32 / 32;
}

/* ---- products -------------------------------------------------------------------------------- */

/* Appends the registers of an operand, which must be `count`, to `regs`. */
static unsigned
fragment(Decoder *dc, const Operand *o, unsigned count, unsigned name, int is_target, EmuRow *regs)
{
    Type type = names[name].bits == 64 ? type_b64 : type_b32;
    const Operand *each = o->kind == OPERAND_VECTOR ? o->elements : o;
    unsigned n = o->kind == OPERAND_VECTOR ? o->count : 1;
    /* The number of registers follows from the shape; another number is a mistake of the text. */
    if (n != count) {
        decode_fail(dc, "a fragment of '%.*s' has %u registers, not %u", (int)dc->opcode.length,
                    dc->opcode.at, count, n);
        return 0;
    }
    for (unsigned i = 0; i < n; i++) {
        regs[i] = is_target ? decode_target(dc, &each[i], type) : decode_source(dc, &each[i], type);
    }
    return n;
}

static Instr *
emit_warp(Decoder *dc, EmuWarpFn fn, const EmuRow *regs, unsigned nd, unsigned ns)
{
    Instr *in = decode_emit(dc, emu_run_warp);
    EmuRow *to = in->op;
    /* wmma fragments have more operands than an instruction holds in place. */
    if (nd + ns > EMU_OPERANDS) {
        to = decode_keep(dc, (nd + ns) * sizeof *to);
        if (to == NULL) {
            return NULL;
        }
        in->many = to;
    }
    memcpy(to, regs, (nd + ns) * sizeof *regs);
    /* The function runs once for each warp, when all its lanes have come. */
    in->imm = EMU_WARP_CALL;
    in->ptr = (const void *)fn;
    in->nd = (uint8_t)nd;
    in->ns = (uint8_t)ns;
    return in;
}

/* The types of d, a, b, c as the opcode lists them; wmma leaves out what follows from the rest. */
static int
product_types(const Decoder *dc, int wmma, int *n)
{
    int count = 0;
    /* Types are given as d, a, b, c. */
    while (count < 4 && element_at(dc, (unsigned)count) >= 0) {
        n[count] = element_at(dc, (unsigned)count);
        count++;
    }
    if (count == 4) {
        return 1;
    }
    /* wmma names d and c only when the factors are f16. */
    if (wmma && count == 2) {
        /* .f32.f16: accumulators of f16 factors */
        n[3] = n[1];
        n[1] = n[2] = 0;
        return 1;
    }
    return 0;
}

/* The layouts are the first two of .row and .col. */
static uint8_t
product_flags(const Decoder *dc)
{
    unsigned seen = 0, flags = 0;
    for (size_t i = 0; i < dc->nmods; i++) {
        int col = decode_is_mod(dc, i, "col");
        if (col || decode_is_mod(dc, i, "row")) {
            /* The first layout is a's, the second b's; later ones cannot occur. */
            flags |= col && seen < 2 ? (unsigned)EMU_MATRIX_A_COLUMN << seen : 0;
            seen++;
        }
    }
    flags |= decode_has(dc, "satfinite") ? EMU_MATRIX_SATURATE : 0;
    flags |= decode_has(dc, "and") ? EMU_MATRIX_AND : 0;
    return (uint8_t)flags;
}

/* The last two operands of mma.sp: the indices, and which lanes' indices count. */
static int
sparse_operands(Decoder *dc, const Shape *shape, EmuRow *reg, uint8_t *selector)
{
    /* The selector says which lanes of a quad hold the indices; how many there are depends on the
     * shape. */
    const Operand *which = &dc->operands[5];
    uint64_t number = which->kind == OPERAND_NUMBER ? decode_number(which, type_u32) : UINT64_MAX;
    if (number >= shape->selectors) {
        return decode_fail(dc, "the selector of '%.*s' is not a constant below %u",
                           (int)dc->opcode.length, dc->opcode.at, shape->selectors);
    }
    *reg = decode_source(dc, &dc->operands[4], type_b32);
    *selector = (uint8_t)number;
    return 0;
}

int
decode_mma(Decoder *dc)
{
    int sparse = decode_has(dc, "sp") || decode_has(dc, "sp::ordered_metadata");
    unsigned kind = dc->mnemonic[0] == 'w' ? KIND_WMMA : sparse ? KIND_SPARSE : KIND_MMA;
    int n[4] = {0};
    const Shape *shape = NULL;
    uint8_t selector = 0;
    EmuTile t = {0};
    /* Eight registers for each of four fragments, the indices and the mask. */
    EmuRow regs[40];
    if (decode_operands(dc) != 0) {
        return -1;
    }
    /* Every condition on the form comes before the operands are made into registers. */
    if (read_shape(dc, &t) && product_types(dc, kind == KIND_WMMA, n) &&
        dc->noperands == (sparse ? 6 : 4) && names[n[1]].bits == names[n[2]].bits &&
        !decode_has(dc, "block_scale")) {
        shape = known_shape(&t, names[n[1]].bits, kind);
    }
    /* Index 0 stands for types that were not found; the shape is missing then. */
    t.d = names[n[0]].element;
    t.a = names[n[1]].element;
    t.b = names[n[2]].element;
    t.c = names[n[3]].element;
    if (shape == NULL ||
        /* 8-bit floats have no sparse form with k = 32. */
        (sparse && t.k == 32 && (t.a == EMU_ELEMENT_E4M3 || t.a == EMU_ELEMENT_E5M2))) {
        return refuse(dc);
    }
    /* m8n8k4 of f16 is four products, one for each pair of quads, so a warp holds four matrices of
     * each kind. */
    unsigned quads = t.k == 4 && t.a == EMU_ELEMENT_F16, wmma = kind == KIND_WMMA;
    unsigned cells_a = quads ? 128 : (unsigned)t.m * t.k >> sparse,
             cells_b = quads ? 128 : (unsigned)t.n * t.k;
    unsigned cells_c = quads ? 256 : (unsigned)t.m * t.n;
    unsigned nd = fragment(dc, &dc->operands[0], register_count(cells_c, (unsigned)n[0], 0),
                           (unsigned)n[0], 1, regs);
    unsigned na = fragment(dc, &dc->operands[1], register_count(cells_a, (unsigned)n[1], wmma),
                           (unsigned)n[1], 0, regs + nd);
    unsigned nb = fragment(dc, &dc->operands[2], register_count(cells_b, (unsigned)n[2], wmma),
                           (unsigned)n[2], 0, regs + nd + na);
    unsigned nc = fragment(dc, &dc->operands[3], register_count(cells_c, (unsigned)n[3], 0),
                           (unsigned)n[3], 0, regs + nd + na + nb);
    unsigned total = nd + na + nb + nc;
    if (dc->status != 0 || (sparse && sparse_operands(dc, shape, &regs[total++], &selector) != 0)) {
        return -1;
    }
    /* The .aligned form: all lanes of the warp take part. */
    regs[total] = decode_constant(dc, 2, 0xffffffffu, 0);
    Instr *in = emit_warp(dc, emu_matrix_product, regs, nd, total + 1 - nd);
    if (in == NULL) {
        return -1;
    }
    in->tile = t;
    /* Fields of the memory instructions hold the numbers of registers here (parts_of in
     * exec_matrix.c). */
    in->count = (uint8_t)na;
    in->size = (uint8_t)nb;
    in->space = selector;
    in->flags = (uint8_t)(product_flags(dc) | (sparse ? EMU_MATRIX_SPARSE : 0));
    return dc->status;
}

/* ---- moves ----------------------------------------------------------------------------------- */

/* wmma.load.a.sync.aligned.row.shape[.space].type r, [p] [, stride];  wmma.store.d ... [p], r, ...
 */
static int
wmma_move(Decoder *dc, int stores)
{
    EmuTile t;
    EmuRow regs[40];
    int n = element_at(dc, 0);
    if (decode_operands(dc) != 0) {
        return -1;
    }
    /* The fragment's letter is the second modifier; stores are always of d. */
    char which = stores ? 'c' : dc->nmods > 1 ? *dc->mods[1].at : '?';
    if (n < 0 || !read_shape(dc, &t) || (which != 'a' && which != 'b' && which != 'c') ||
        dc->noperands < 2 || known_shape(&t, which == 'c' ? 0 : names[n].bits, KIND_WMMA) == NULL) {
        return refuse(dc);
    }
    /* Elements of the fragment's matrix. */
    unsigned cells = which == 'a'   ? (unsigned)t.m * t.k
                     : which == 'b' ? (unsigned)t.n * t.k
                                    : (unsigned)t.m * t.n;
    unsigned count =
        fragment(dc, &dc->operands[stores], register_count(cells, (unsigned)n, which != 'c'),
                 (unsigned)n, !stores, regs);
    int column = decode_has(dc, "col");
    /* Without a stride the matrix is dense in its layout. */
    unsigned rows = which == 'b' ? t.k : t.m, cols = which == 'a' ? t.k : t.n;
    regs[count] = decode_address(dc, decode_space(dc), &dc->operands[!stores]);
    regs[count + 1] = dc->noperands > 2 ? decode_source(dc, &dc->operands[2], type_u32)
                                        : decode_constant(dc, 2, column ? rows : cols, 0);
    regs[count + 2] = decode_constant(dc, 2, 0xffffffffu, 0);
    if (dc->status != 0) {
        return -1;
    }
    Instr *in = emit_warp(dc, emu_matrix_move, regs, stores ? 0 : count, 3 + (stores ? count : 0));
    if (in == NULL) {
        return -1;
    }
    in->tile = t;
    /* The tile has the element type and the letter where products have types (matrix_letter in
     * exec_matrix.c). */
    in->tile.a = names[n].element;
    in->tile.b = (uint8_t)(which - 'a');
    in->count = (uint8_t)count;
    in->flags = column ? EMU_MATRIX_A_COLUMN : 0;
    in->space = (uint8_t)decode_space(dc);
    return dc->status;
}

int
decode_wmma(Decoder *dc)
{
    return decode_has(dc, "mma")     ? decode_mma(dc)
           : decode_has(dc, "load")  ? wmma_move(dc, 0)
           : decode_has(dc, "store") ? wmma_move(dc, 1)
                                     : refuse(dc);
}

/* ldmatrix.sync.aligned.m8n8.xN[.trans][.space].b16 r, [p];   stmatrix ... [p], r */
int
decode_matrix_rows(Decoder *dc)
{
    int stores = dc->mnemonic[0] == 's';
    EmuRow regs[6];
    unsigned count = decode_has(dc, "x4") ? 4 : decode_has(dc, "x2") ? 2 : 1;
    if (decode_operands(dc) != 0) {
        return -1;
    }
    if (dc->noperands != 2 || !decode_has(dc, "m8n8") || !decode_has(dc, "b16")) {
        /* Forms of other element sizes belong to later architectures. */
        return refuse(dc);
    }
    /* 3 is the row of f32 in `names`: registers of 32 bits. */
    fragment(dc, &dc->operands[stores], count, 3, !stores, regs);
    regs[count] = decode_address(dc, decode_space(dc), &dc->operands[!stores]);
    regs[count + 1] = decode_constant(dc, 2, 0xffffffffu, 0);
    Instr *in = emit_warp(dc, emu_matrix_rows, regs, stores ? 0 : count, stores ? count + 2 : 2);
    if (in == NULL || dc->status != 0) {
        return -1;
    }
    in->count = (uint8_t)count;
    in->flags = decode_has(dc, "trans") ? EMU_MATRIX_A_COLUMN : 0;
    in->space = (uint8_t)decode_space(dc);
    return dc->status;
}

/* movmatrix.sync.aligned.m8n8.trans.b16 d, a */
int
decode_matrix_turn(Decoder *dc)
{
    EmuRow regs[3];
    if (decode_operands(dc) != 0 || dc->noperands != 2) {
        return refuse(dc);
    }
    regs[0] = decode_target(dc, &dc->operands[0], type_b32);
    regs[1] = decode_source(dc, &dc->operands[1], type_b32);
    regs[2] = decode_constant(dc, 2, 0xffffffffu, 0);
    return emit_warp(dc, emu_matrix_transpose, regs, 1, 2) == NULL ? -1 : dc->status;
}
