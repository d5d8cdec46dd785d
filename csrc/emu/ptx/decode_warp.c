/* Instructions that threads execute together: barriers, and the operations of a warp.
 *
 * Called by decode_ops.c. Warp operations become emu_run_warp with the operation in imm and the
 * member mask as the last source; barriers become emu_run_bar.
 */
#include "emu/ptx/decode.h"

#include <string.h>

static const Type type_pred = {'p', 1, 0};
static const Type type_b32 = {'b', 32, 0};
static const Type type_u32 = {'u', 32, 0};
static const Type type_b64 = {'b', 64, 0};

/* bar.sync a[, b]; bar.arrive a, b; bar.red.op d, a[, b], {!}p; imm: 0 sync, 1 arrive, 2 popc, 3
 * and, 4 or. Sources: id, count (0: all), predicate. */
int
decode_bar(Decoder *dc)
{
    /* bar.warp.sync has no barrier number: it is a warp operation. */
    if (decode_has(dc, "warp")) {
        if (decode_operands(dc) != 0 || dc->noperands != 1) {
            return decode_fail(dc, "bar.warp.sync takes a mask");
        }
        EmuRow mask = decode_source(dc, &dc->operands[0], type_b32);
        Instr *in = decode_emit(dc, emu_run_warp);
        in->imm = EMU_WARP_SYNC;
        in->ns = 1;
        in->op[0] = mask;
        return dc->status;
    }
    /* barrier.cluster: arrive and wait have no operands that matter. */
    if (decode_has(dc, "cluster")) {
        return decode_bare(dc,
                           decode_has(dc, "wait") ? emu_run_cluster_wait : emu_run_cluster_arrive,
                           EMU_FLOW_NEXT);
    }
    if (decode_operands(dc) != 0) {
        return -1;
    }
    int red = decode_has(dc, "red");
    /* barrier.sync is what remains when nothing else is named. */
    int kind = decode_has(dc, "arrive") ? 1
               : !red                   ? 0
               : decode_has(dc, "popc") ? 2
               : decode_has(dc, "and")  ? 3
                                        : 4;
    size_t n = dc->noperands, k = 0;
    /* The predicate exists in every form, so the handler finds its operands at the same places. */
    EmuRow d = 0, p = decode_constant(dc, 0, 0, 0);
    if (red) {
        if (n < 3) {
            return decode_fail(dc, "bad bar.red");
        }
        /* The destination comes first, the predicate last. */
        d = decode_target(dc, &dc->operands[k++], kind == 2 ? type_u32 : type_pred);
        p = decode_source(dc, &dc->operands[--n], type_pred);
    }
    /* Without operands it is barrier 0 and all threads of the block. */
    EmuRow id =
        n > k ? decode_source(dc, &dc->operands[k], type_u32) : decode_constant(dc, 2, 0, 0);
    EmuRow count = n > k + 1 ? decode_source(dc, &dc->operands[k + 1], type_u32)
                             : decode_constant(dc, 2, 0, 0);
    Instr *in = decode_emit(dc, emu_run_bar);
    /* bar is barrier.aligned (PTX ISA, bar): all threads of a warp execute it together. */
    int aligned = decode_is(dc, "bar") || decode_has(dc, "aligned");
    in->flags = aligned ? EMU_FLAG_ALIGNED : 0;
    in->imm = kind;
    in->nd = (uint8_t)red;
    in->ns = 3;
    in->op[0] = d;
    in->op[red] = id;
    in->op[red + 1] = count;
    in->op[red + 2] = p;
    return dc->status;
}

/* Without .sync where ptxas refuses it; answers -1. */
static int
lacks_sync(Decoder *dc)
{
    const Function *f = dc->fn;
    /* PTX ISA 6.4 removed these forms for sm_70 and later. */
    if (decode_has(dc, "sync") || f->ptx_version < 64 || f->sm_version < 70) {
        return 0;
    }
    int n = (int)dc->mnemonic_length;
    return decode_fail(dc,
                       "'%.*s' without .sync is not supported for sm_70 and later: write "
                       "'%.*s.sync...' with the mask of the lanes as the last operand",
                       n, dc->mnemonic, n, dc->mnemonic);
}

/* shfl.sync.mode.b32 d[|p], a, b, c, mask */
int
decode_shfl(Decoder *dc)
{
    if (lacks_sync(dc) != 0 || decode_operands(dc) != 0) {
        return -1;
    }
    int sync = decode_has(dc, "sync");
    if (dc->noperands != 4u + (unsigned)sync) {
        return decode_fail(dc, "bad shfl");
    }
    EmuRow s[4];
    for (size_t k = 0; k < 3u + (unsigned)sync; k++) {
        s[k] = decode_source(dc, &dc->operands[k + 1], type_b32);
    }
    /* The old form works on all active lanes; a full mask waits for those of the warp that live. */
    if (!sync) {
        s[3] = decode_constant(dc, 2, 0xffffffffu, 0);
    }
    const Operand *o = &dc->operands[0];
    EmuRow d = decode_target(dc, o, type_b32);
    /* The predicate is always computed; without a name it goes to a temporary. */
    EmuRow p = o->second < DECODE_NO_REG - 1 ? o->second : decode_temp(dc, 0);
    Instr *in = decode_emit(dc, emu_run_warp);
    in->imm = decode_has(dc, "up")     ? EMU_WARP_SHFL_UP
              : decode_has(dc, "down") ? EMU_WARP_SHFL_DOWN
              : decode_has(dc, "bfly") ? EMU_WARP_SHFL_BFLY
                                       : EMU_WARP_SHFL_IDX;
    in->nd = 2;
    in->ns = 4;
    in->op[0] = d;
    in->op[1] = p;
    /* The operands are value, lane or distance, clamp and mask. */
    memcpy(in->op + 2, s, sizeof s);
    return dc->status;
}

/* An operation of a warp: destination d, the lanes' value s and the mask m of who takes part. */
static Instr *
emit_warp(Decoder *dc, int operation, EmuRow d, EmuRow s, EmuRow m)
{
    Instr *in = decode_emit(dc, emu_run_warp);
    in->imm = operation;
    in->nd = 1;
    in->ns = 2;
    in->op[0] = d;
    in->op[1] = s;
    in->op[2] = m;
    return in;
}

/* vote.sync.mode d, {!}p, mask   match.mode.sync.type d[|p], a, mask   redux.sync.op.type d, a,
 * mask: destinations d (and p for match.all), sources value and mask */
int
decode_vote(Decoder *dc)
{
    if (lacks_sync(dc) != 0 || decode_operands(dc) != 0) {
        return -1;
    }
    int sync = decode_has(dc, "sync");
    if (dc->noperands != 2u + (unsigned)sync) {
        return decode_fail(dc, "bad vote");
    }
    int ballot = decode_has(dc, "ballot");
    EmuRow s = decode_source(dc, &dc->operands[1], type_pred);
    EmuRow m = sync ? decode_source(dc, &dc->operands[2], type_b32)
                    : decode_constant(dc, 2, 0xffffffffu, 0);
    EmuRow d = decode_target(dc, &dc->operands[0], ballot ? type_b32 : type_pred);
    emit_warp(dc,
              ballot                  ? EMU_WARP_BALLOT
              : decode_has(dc, "all") ? EMU_WARP_ALL
              : decode_has(dc, "any") ? EMU_WARP_ANY
                                      : EMU_WARP_UNI,
              d, s, m);
    return dc->status;
}

/* match.any has no predicate, but the handler writes one in both forms. */
int
decode_match(Decoder *dc)
{
    if (decode_operands(dc) != 0 || dc->noperands != 3) {
        return decode_fail(dc, "bad match");
    }
    Type type = decode_has(dc, "b64") ? type_b64 : type_b32;
    EmuRow s = decode_source(dc, &dc->operands[1], type);
    EmuRow m = decode_source(dc, &dc->operands[2], type_b32);
    const Operand *o = &dc->operands[0];
    EmuRow d = decode_target(dc, o, type_b32);
    EmuRow p = o->second < DECODE_NO_REG - 1 ? o->second : decode_temp(dc, 0);
    Instr *in =
        emit_warp(dc, decode_has(dc, "all") ? EMU_WARP_MATCH_ALL : EMU_WARP_MATCH_ANY, d, p, s);
    in->nd = 2; /* p is a destination too */
    in->op[3] = m;
    return dc->status;
}

/* redux.sync of integers and bits. */
int
decode_redux(Decoder *dc)
{
    static const char *const names[] = {"add", "min", "max", "and", "or", "xor"};
    if (decode_operands(dc) != 0 || dc->noperands != 3) {
        return decode_fail(dc, "bad redux");
    }
    int op = -1;
    for (int k = 0; k < 6; k++) {
        op = decode_has(dc, names[k]) ? k : op;
    }
    /* redux.f32 belongs to later architectures. */
    if (op < 0 || decode_has(dc, "f32")) {
        return decode_unsupported(dc);
    }
    EmuRow s = decode_source(dc, &dc->operands[1], type_b32);
    EmuRow m = decode_source(dc, &dc->operands[2], type_b32);
    EmuRow d = decode_target(dc, &dc->operands[0], type_b32);
    /* The operations stand in the order of EMU_WARP_REDUX_*. */
    Instr *in = emit_warp(dc, EMU_WARP_REDUX_ADD + op, d, s, m);
    in->flags = decode_has(dc, "s32") ? EMU_FLAG_SIGNED : 0;
    return dc->status;
}

/* No member mask: it only asks which lanes are here. */
int
decode_activemask(Decoder *dc)
{
    if (decode_operands(dc) != 0) {
        return -1;
    }
    EmuRow d = decode_target(dc, &dc->operands[0], type_b32);
    Instr *in = decode_emit(dc, emu_run_activemask);
    in->nd = 1;
    in->op[0] = d;
    return dc->status;
}

/* elect.sync d|p, mask: the lowest lane of the mask. The predicate tells the leader; d is its lane
 * number. */
int
decode_elect(Decoder *dc)
{
    if (decode_operands(dc) != 0 || dc->noperands != 2) {
        return decode_fail(dc, "bad elect");
    }
    const Operand *o = &dc->operands[0];
    EmuRow m = decode_source(dc, &dc->operands[1], type_b32);
    EmuRow d = decode_target(dc, o, type_b32);
    EmuRow p = o->second < DECODE_NO_REG - 1 ? o->second : decode_temp(dc, 0);
    Instr *in = decode_emit(dc, emu_run_warp);
    in->imm = EMU_WARP_ELECT;
    in->nd = 2;
    in->ns = 1;
    in->op[0] = d;
    in->op[1] = p;
    in->op[2] = m;
    return dc->status;
}
