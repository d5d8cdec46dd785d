/* Constant expressions of whole numbers (PTX ISA, "Constant Expressions"), as ptxas evaluates them:
 * 64 bits wide, signed unless an operand is not; `~` and `%` give unsigned results, comparisons and
 * the logical operators signed ones, and shifts count modulo 64.
 *
 * Precedence climbing over the lexer: `binary` parses operators of at least the given rank, `unary`
 * and `ternary` the rest. Values are folded while parsing, so there is no tree. Called by
 * decode_operands.c for literals that are more than one token.
 */
#include "emu/ptx/ptx_lex.h"

#include <string.h>

/* Nesting beyond this is refused: recursion would exhaust the stack on a text made for it. */
enum { DEEPEST = 64 };

typedef struct {
    uint64_t bits;
    int is_unsigned;
} Value;

static const struct {
    char text[3];
    uint8_t rank; /* binds the tighter the larger */
    /* Ranks are those of C. Two-character operators stand before their prefixes, so the first match
     * is right. */
} operators[] = {
    {"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7},
    {"<<", 8}, {">>", 8}, {"|", 3},  {"^", 4},  {"&", 5},  {"<", 7},
    {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10},
};

/* The operator that starts at the current token: its row, or -1. Marks are single characters. */
static int
operator_at(const Lexer *lx)
{
    const char *p = lx->token.at;
    if (lx->token.kind != TOKEN_MARK && !(lx->token.kind == TOKEN_NAME && *p == '%')) {
        return -1;
    }
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        size_t n = strlen(operators[i].text);
        if ((size_t)(lx->end - p) >= n && memcmp(p, operators[i].text, n) == 0) {
            return (int)i;
        }
    }
    return -1;
}

/* Goes behind an operator, also where the lexer took "%3" for a name. */
static void
skip_operator(Lexer *lx, int row)
{
    lx->p = lx->token.at + strlen(operators[row].text);
    emu_lex_next(lx);
}

/* Applies a binary operator to *a; -1 for a division by zero. */
static int
combine(const char *op, Value *a, Value b)
{
    int is_unsigned = a->is_unsigned || b.is_unsigned;
    uint64_t x = a->bits, y = b.bits;
    int64_t sx = (int64_t)x, sy = (int64_t)y;
    /* truth stays -1 for operators that give a number, and else holds the signed 0 or 1. */
    int less = is_unsigned ? x < y : sx < sy, truth = -1;
    switch (*op) {
    case '|':
        truth = op[1] ? x != 0 || y != 0 : -1;
        x |= y;
        break;
    case '&':
        truth = op[1] ? x != 0 && y != 0 : -1;
        x &= y;
        break;
    case '^':
        x ^= y;
        break;
    case '=':
        truth = x == y;
        break;
    case '!':
        truth = x != y;
        break;
    case '<':
    case '>':
        if (op[1] == op[0]) {
            /* A shift's sign is its left operand's. */
            is_unsigned = a->is_unsigned;
            x = *op == '<'    ? x << (y & 63)
                : is_unsigned ? x >> (y & 63)
                              : (uint64_t)(sx >> (y & 63));
            break;
        }
        truth = *op == '<' ? less || (op[1] && x == y) : !less && (op[1] || x != y);
        break;
    case '+':
        x += y;
        break;
    case '-':
        x -= y;
        break;
    case '*':
        x *= y;
        break;
    default:
        if (y == 0) {
            return -1;
        }
        /* The quotient of the smallest number by -1 overflows in C; as a negation modulo 2^64 it is
         * defined. */
        x = *op == '%' ? x % y : is_unsigned ? x / y : sy == -1 ? 0 - x : (uint64_t)(sx / sy);
        is_unsigned |= *op == '%';
    }
    *a = truth >= 0 ? (Value){(uint64_t)truth, 0} : (Value){x, is_unsigned};
    return 0;
}

static int ternary(Lexer *lx, Value *v, int depth);

/* Parentheses, casts, signs and literals. */
static int
unary(Lexer *lx, Value *v, int depth)
{
    if (depth > DEEPEST) {
        return -1;
    }
    if (emu_lex_accept(lx, "(")) {
        /* (.u64) and (.s64) change the interpretation, not the bits. */
        int to_unsigned = emu_lex_is(lx, ".u64");
        if (to_unsigned || emu_lex_is(lx, ".s64")) {
            emu_lex_next(lx);
            int r = emu_lex_accept(lx, ")") ? unary(lx, v, depth + 1) : -1;
            v->is_unsigned = to_unsigned;
            return r;
        }
        return ternary(lx, v, depth + 1) == 0 && emu_lex_accept(lx, ")") ? 0 : -1;
    }
    char op = lx->token.kind == TOKEN_MARK && strchr("+-~!", *lx->token.at) ? *lx->token.at : '\0';
    if (op != '\0') {
        emu_lex_next(lx);
        if (unary(lx, v, depth + 1) != 0) {
            return -1;
        }
        *v = op == '-'   ? (Value){0 - v->bits, v->is_unsigned}
             : op == '~' ? (Value){~v->bits, 1}
             : op == '!' ? (Value){v->bits == 0, 0}
                         : *v;
        return 0;
    }
    Number n;
    if (lx->token.kind != TOKEN_NUMBER || emu_lex_number(&lx->token, &n) != 0 ||
        n.kind != NUMBER_INT) {
        return -1;
    }
    /* Literals are unsigned with a U, or when they do not fit into 63 bits (PTX ISA, "Integer
     * Constants"). */
    *v = (Value){n.bits, n.bits >> 63 || (lx->token.at[lx->token.length - 1] | 0x20) == 'u'};
    emu_lex_next(lx);
    return 0;
}

/* Operators of one rank associate to the left: the right operand only takes tighter ones. */
static int
binary(Lexer *lx, Value *v, unsigned rank, int depth)
{
    if (unary(lx, v, depth) != 0) {
        return -1;
    }
    for (int row; (row = operator_at(lx)) >= 0 && operators[row].rank >= rank;) {
        Value right = {0, 0};
        skip_operator(lx, row);
        if (binary(lx, &right, operators[row].rank + 1u, depth + 1) != 0 ||
            combine(operators[row].text, v, right) != 0) {
            return -1;
        }
    }
    return 0;
}

/* Both branches are evaluated; only errors of syntax or division by zero could tell. */
static int
ternary(Lexer *lx, Value *v, int depth)
{
    if (depth > DEEPEST || binary(lx, v, 1, depth) != 0) {
        return -1;
    }
    if (emu_lex_accept(lx, "?")) {
        Value yes = {0, 0}, no = {0, 0};
        if (ternary(lx, &yes, depth + 1) != 0 || !emu_lex_accept(lx, ":") ||
            ternary(lx, &no, depth + 1) != 0) {
            return -1;
        }
        *v = v->bits != 0 ? yes : no;
    }
    return 0;
}

int
emu_lex_expression(Lexer *lx, uint64_t *value)
{
    Value v = {0, 0};
    int r = ternary(lx, &v, 0);
    *value = v.bits;
    return r;
}
