/* Texture and surface instructions: tex, tld4, suld.b, sust.b, sured.b, txq, suq. Handles are
 * values of 64 bits; .texref variables, cubes and samplers of their own are not here. Level and
 * gradient operands are read past: without mipmaps there is one level. PTX ISA, "Texture
 * Instructions" and "Surface Instructions".
 *
 * Called by decode_ops.c. What an instruction is goes into a TexOp that the function keeps;
 * operands are brought into one order (destinations, values of a store, handle, layer,
 * coordinates), which exec_texture.c reads.
 */
#include "emu/ptx/decode.h"

#include <string.h>

static const Type type_b64 = {'b', 64, 0}, type_b32 = {'b', 32, 0}, type_f32 = {'f', 32, 0};

static int
unsupported(Decoder *dc)
{
    return decode_fail(dc, "unsupported instruction '%.*s'", (int)dc->opcode.length, dc->opcode.at);
}

/* The geometry among the modifiers: 0 when there is none that is known. */
static int
read_geometry(const Decoder *dc, TexOp *op)
{
    static const struct {
        const char *name;
        uint8_t dims, layered;
        /* "a1d" and "a2d" have layers, whose index precedes the coordinates. */
    } rows[] = {{"1d", 1, 0}, {"2d", 2, 0}, {"3d", 3, 0}, {"a1d", 1, 1}, {"a2d", 2, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (decode_has(dc, rows[i].name)) {
            op->dims = rows[i].dims;
            op->layered = rows[i].layered;
            return 1;
        }
    }
    return 0;
}

/* Appends the handle, the layer and the coordinates in the brackets to the sources. */
static int
add_place(Decoder *dc, const TexOp *op, const Operand *place, EmuRow *source, size_t *n)
{
    if (place->kind != OPERAND_MEMORY || place->base != OPERAND_REG ||
        /* Vectors may be longer than needed: three-dimensional coordinates are padded to four. */
        place->count < (uint32_t)(op->dims + op->layered)) {
        return decode_fail(dc, "expected [handle, {coordinates}]");
    }
    /* The brackets hold the handle as base and the coordinates as elements. */
    Operand handle = {.kind = OPERAND_REG, .reg = place->reg, .second = DECODE_NO_REG};
    source[(*n)++] = decode_source(dc, &handle, type_b64);
    for (unsigned i = 0; i < (unsigned)(op->dims + op->layered); i++) {
        /* The layer is an unsigned integer, also with float coordinates. */
        int is_layer = op->layered && i == 0;
        source[(*n)++] =
            decode_source(dc, &place->elements[i], op->is_float && !is_layer ? type_f32 : type_b32);
    }
    return dc->status;
}

/* The last two type modifiers: result and coordinates (tex), or the last alone. */
static int
types_of(const Decoder *dc, Type *first, Type *last)
{
    int found = 0;
    for (size_t i = 0; i < dc->nmods; i++) {
        Type type;
        if (decode_type(dc->mods[i].at, dc->mods[i].length, &type)) {
            *(found == 0 ? first : last) = type;
            found++;
        }
    }
    return found;
}

/* The description is copied to memory of the function, since `op` is the caller's. */
static Instr *
emit(Decoder *dc, EmuHandler run, const TexOp *op, const EmuRow *targets, size_t nd,
     const EmuRow *sources, size_t ns)
{
    TexOp *kept = decode_keep(dc, sizeof *kept);
    /* Everything fits: five destinations at most, and four values, a handle, a layer and three
     * coordinates are fewer than ten together. */
    if (kept == NULL || nd + ns > EMU_OPERANDS) {
        decode_fail(dc, "too many operands");
        return NULL;
    }
    *kept = *op;
    Instr *in = decode_emit(dc, run);
    in->ptr = kept;
    in->nd = (uint8_t)nd;
    in->ns = (uint8_t)ns;
    memcpy(in->op, targets, nd * sizeof *targets);
    memcpy(in->op + nd, sources, ns * sizeof *sources);
    return in;
}

/* tex and tld4; level and gradients stand behind the place and are not read. */
static int
decode_sample(Decoder *dc, TexOp *op)
{
    EmuRow targets[5], sources[6];
    size_t nd = 0, ns = 0;
    Type result, coordinate;
    const Operand *d = &dc->operands[0];
    /* Results of 32 bits in four elements; f16x2 results are refused. */
    if (types_of(dc, &result, &coordinate) != 2 || result.bits != 32 || dc->noperands < 2 ||
        d->kind != OPERAND_VECTOR || d->count != 4) {
        return unsupported(dc);
    }
    op->is_float = coordinate.kind == 'f';
    /* tld4 names the component that it gathers, in two dimensions only. */
    if (op->kind == TEXTURE_GATHER) {
        static const char *const names[] = {"r", "g", "b", "a"};
        for (uint8_t i = 0; i < 4; i++) {
            op->component = decode_has(dc, names[i]) ? i : op->component;
        }
        if (op->dims != 2 || !op->is_float) {
            return unsupported(dc);
        }
    }
    if (add_place(dc, op, &dc->operands[1], sources, &ns) != 0) {
        return -1;
    }
    for (uint32_t i = 0; i < 4; i++) {
        targets[nd++] = decode_target(dc, &d->elements[i], result);
    }
    /* "|p": whether the texels are resident. */
    if (d->second < DECODE_NO_REG - 1) {
        op->has_predicate = 1;
        targets[nd++] = d->second;
    }
    return emit(dc, emu_run_texture, op, targets, nd, sources, ns) != NULL ? dc->status : -1;
}

/* .trap is the default of older texts. */
static int
read_surface(const Decoder *dc, TexOp *op)
{
    op->mode = decode_has(dc, "clamp")  ? SURFACE_CLAMP
               : decode_has(dc, "zero") ? SURFACE_ZERO
                                        : SURFACE_TRAP;
    op->reduction = decode_has(dc, "min")   ? REDUCE_MIN
                    : decode_has(dc, "max") ? REDUCE_MAX
                    : decode_has(dc, "and") ? REDUCE_AND
                    : decode_has(dc, "or")  ? REDUCE_OR
                                            : REDUCE_ADD;
    /* Formatted stores (sust.p) are refused. */
    return decode_has(dc, "b");
}

/* suld, sust and sured in their untyped forms (.b). */
static int
decode_surface(Decoder *dc, TexOp *op)
{
    EmuRow targets[4], sources[8];
    size_t nd = 0, ns = 0;
    Type type, other;
    int is_load = op->kind == SURFACE_LOAD;
    if (!read_surface(dc, op) || types_of(dc, &type, &other) != 1 || dc->noperands != 2) {
        return unsupported(dc);
    }
    /* Loads have the value first, stores and reductions the place. */
    const Operand *value = &dc->operands[is_load ? 0 : 1], *place = &dc->operands[is_load ? 1 : 0];
    const Operand *elements = value->kind == OPERAND_VECTOR ? value->elements : value;
    uint32_t count = value->kind == OPERAND_VECTOR ? value->count : 1;
    if (count > 4 || type.is_x2) {
        return unsupported(dc);
    }
    op->values = (uint8_t)count;
    /* Bytes per element; the whole access has values times as many. */
    op->bytes = (uint8_t)(type.bits / 8);
    op->is_signed = type.kind == 's';
    /* Bytes live in 16-bit lanes. */
    Type lane = type.bits == 8 ? (Type){type.kind, 16, 0} : type;
    for (uint32_t i = 0; i < count; i++) {
        if (is_load) {
            targets[nd++] = decode_target(dc, &elements[i], lane);
        }
        else {
            sources[ns++] = decode_source(dc, &elements[i], lane);
        }
    }
    if (add_place(dc, op, place, sources, &ns) != 0) {
        return -1;
    }
    return emit(dc, emu_run_surface, op, targets, nd, sources, ns) != NULL ? dc->status : -1;
}

/* The queried attribute is a modifier; the handle stands alone in brackets. */
static int
decode_query(Decoder *dc)
{
    static const struct {
        const char *name;
        TexQuery query;
    } rows[] = {
        {"width", QUERY_WIDTH},
        {"height", QUERY_HEIGHT},
        {"depth", QUERY_DEPTH},
        {"channel_data_type", QUERY_CHANNEL_TYPE},
        {"channel_order", QUERY_CHANNEL_ORDER},
        {"normalized_coords", QUERY_NORMALIZED},
        {"addr_mode_0", QUERY_MODE_0},
        {"addr_mode_1", QUERY_MODE_1},
        {"addr_mode_2", QUERY_MODE_2},
        {"filter_mode", QUERY_FILTER},
        {"num_mipmap_levels", QUERY_LEVELS},
        {"num_samples", QUERY_SAMPLES},
        {"array_size", QUERY_ARRAY_SIZE},
    };
    /* The first row that matches; forms by level or sample fall through to the end. */
    for (size_t i = 0; i < sizeof rows / sizeof *rows && dc->noperands >= 2; i++) {
        const Operand *place = &dc->operands[1];
        if (!decode_has(dc, rows[i].name) || place->kind != OPERAND_MEMORY ||
            place->base != OPERAND_REG) {
            continue;
        }
        Operand handle = {.kind = OPERAND_REG, .reg = place->reg, .second = DECODE_NO_REG};
        EmuRow source = decode_source(dc, &handle, type_b64);
        EmuRow target = decode_target(dc, &dc->operands[0], type_b32);
        Instr *in = decode_emit(dc, emu_run_texture_query);
        in->imm = rows[i].query;
        in->nd = in->ns = 1;
        in->op[0] = target;
        in->op[1] = source;
        return dc->status;
    }
    return unsupported(dc);
}

static int
is_mnemonic(const Decoder *dc, const char *text)
{
    return dc->mnemonic_length == strlen(text) &&
           memcmp(dc->mnemonic, text, dc->mnemonic_length) == 0;
}

int
decode_texture(Decoder *dc)
{
    TexOp op = {0};
    if (decode_operands(dc) != 0) {
        return -1;
    }
    if (is_mnemonic(dc, "txq") || is_mnemonic(dc, "suq")) {
        return decode_query(dc);
    }
    /* Cubes and multisample textures have no row. */
    if (!read_geometry(dc, &op)) {
        return unsupported(dc);
    }
    op.kind = is_mnemonic(dc, "tex")    ? TEXTURE_SAMPLE
              : is_mnemonic(dc, "tld4") ? TEXTURE_GATHER
              : is_mnemonic(dc, "suld") ? SURFACE_LOAD
              : is_mnemonic(dc, "sust") ? SURFACE_STORE
                                        : SURFACE_REDUCE;
    return op.kind <= TEXTURE_GATHER ? decode_sample(dc, &op) : decode_surface(dc, &op);
}
