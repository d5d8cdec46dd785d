/* The tokenizer of PTX text: names (with dots, % and $), numbers, strings and marks. Comments and
 * blanks vanish here; lines are counted.
 *
 * Used by the loader (ptx_module.c) for a whole text and by the decoder for one body at a time. A
 * Lexer is a plain value: copying it saves a place in the text to come back to.
 */
#include "emu/ptx/ptx_lex.h"

#include <stdlib.h>
#include <string.h>

enum { CLASS_OTHER, CLASS_NAME, CLASS_DIGIT, CLASS_BLANK };

/* Bytes outside of ASCII are "other": they are legal in comments and strings only. Directives and
 * opcodes begin with a dot or a letter, registers with a percent sign: all of these are names. */
static int
class_of(char c)
{
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%' ||
        c == '.') {
        return CLASS_NAME;
    }
    if (c >= '0' && c <= '9') {
        return CLASS_DIGIT;
    }
    /* NUL counts as blank, so texts that end early or are padded cause no token. */
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v' || c == '\0'
               ? CLASS_BLANK
               : CLASS_OTHER;
}

/* Comments and blanks; newlines are counted for diagnostics. */
static void
skip_blanks(Lexer *lx)
{
    const char *p = lx->p, *end = lx->end;
    while (p < end) {
        if (*p == '\n') {
            lx->line++;
            p++;
        }
        else if (class_of(*p) == CLASS_BLANK) {
            p++;
        }
        else if (*p == '/' && p + 1 < end && p[1] == '/') {
            const char *stop = memchr(p, '\n', (size_t)(end - p));
            p = stop == NULL ? end : stop;
        }
        else if (*p == '/' && p + 1 < end && p[1] == '*') {
            for (p += 2; p < end && !(*p == '*' && p + 1 < end && p[1] == '/'); p++) {
                lx->line += *p == '\n';
            }
            /* An unterminated comment ends with the text. */
            p = p < end ? p + 2 : end;
        }
        else {
            break;
        }
    }
    lx->p = p;
}

/* `line` is the line on which `text` begins, so that bodies report lines of the whole text. */
void
emu_lex_start(Lexer *lx, const char *text, const char *end, int line)
{
    lx->p = text;
    lx->end = end;
    lx->line = line;
    emu_lex_next(lx);
}

/* Moves to the next token. At the end it stays there, so loops need no other guard. */
void
emu_lex_next(Lexer *lx)
{
    skip_blanks(lx);
    const char *p = lx->p, *end = lx->end;
    lx->token.at = p;
    lx->token.line = lx->line;
    if (p >= end) {
        lx->token.kind = TOKEN_END;
        lx->token.length = 0;
        return;
    }
    int class = class_of(*p);
    if (class == CLASS_NAME) {
        /* ".reg.b16" is two directives */
        int directive = *p == '.';
        do {
            p++;
            /* "shared::cta"; one colon alone ends a label */
            p += end - p > 2 && p[0] == ':' && p[1] == ':' && class_of(p[2]) <= CLASS_DIGIT &&
                         class_of(p[2]) != CLASS_OTHER
                     ? 2
                     : 0;
        } while (p < end && (class_of(*p) == CLASS_NAME || class_of(*p) == CLASS_DIGIT) &&
                 !(directive && *p == '.'));
        lx->token.kind = TOKEN_NAME;
    }
    else if (class == CLASS_DIGIT) {
        /* 0x, 0f and 0d: digits are hexadecimal, and 'e' is one of them. */
        int hex = p[0] == '0' && p + 1 < end && strchr("xXfFdD", p[1]) != NULL;
        p += hex ? 2 : 0;
        /* A number takes letters and dots behind it, so "1.5e-3" and "10U" are one token; what is
         * wrong with it is found when its value is read. */
        while (p < end && *p != '%' &&
               (class_of(*p) == CLASS_DIGIT || class_of(*p) == CLASS_NAME ||
                (!hex && (*p == '-' || *p == '+') && (p[-1] == 'e' || p[-1] == 'E')))) {
            p++;
        }
        lx->token.kind = TOKEN_NUMBER;
    }
    else if (*p == '"') {
        /* Without escapes: a quotation mark always ends the string. */
        for (p++; p < end && *p != '"'; p++) {
        }
        p += p < end;
        lx->token.kind = TOKEN_STRING;
    }
    else {
        /* Everything else is a token of one character. */
        p++;
        lx->token.kind = TOKEN_MARK;
    }
    lx->token.length = (size_t)(p - lx->token.at);
    lx->p = p;
}

/* Bodies of functions are skipped by counting braces, without making tokens. Strings and comments
 * may contain braces. */
int
emu_lex_skip_braces(Lexer *lx, const char **body_end)
{
    const char *p = lx->token.at, *end = lx->end;
    int depth = 0;
    for (; p < end; p++) {
        switch (*p) {
        case '\n':
            lx->line++;
            break;
        case '{':
            depth++;
            break;
        case '}':
            if (--depth == 0) {
                *body_end = p;
                lx->p = p + 1;
                emu_lex_next(lx);
                return 0;
            }
            break;
        case '"':
            for (p++; p < end && *p != '"'; p++) {
            }
            break;
        case '/':
            if (p + 1 < end && p[1] == '/') {
                const char *stop = memchr(p, '\n', (size_t)(end - p));
                p = stop == NULL ? end - 1 : stop - 1;
            }
            else if (p + 1 < end && p[1] == '*') {
                for (p += 2; p + 1 < end && !(*p == '*' && p[1] == '/'); p++) {
                    lx->line += *p == '\n';
                }
            }
            break;
        default:
            break;
        }
    }
    /* The text ended inside: the lexer stands at the end. */
    lx->p = end;
    emu_lex_next(lx);
    return -1;
}

int
emu_lex_is(const Lexer *lx, const char *text)
{
    return strlen(text) == lx->token.length && memcmp(lx->token.at, text, lx->token.length) == 0;
}

/* Goes on only when the token is that text. */
int
emu_lex_accept(Lexer *lx, const char *text)
{
    if (!emu_lex_is(lx, text)) {
        return 0;
    }
    emu_lex_next(lx);
    return 1;
}

static int
hex_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int
emu_lex_number(const Token *token, Number *number)
{
    const char *p = token->at, *end = p + token->length;
    char prefix = token->length > 2 && p[0] == '0' ? (char)(p[1] | 0x20) : '\0';
    number->kind = NUMBER_INT;
    number->bits = 0;
    /* Bit patterns: integers in hexadecimal, 0f for a single and 0d for a double (PTX ISA,
     * "Floating-Point Constants"). */
    if (prefix == 'x' || prefix == 'f' || prefix == 'd') {
        for (p += 2; p < end && hex_value(*p) >= 0; p++) {
            number->bits = number->bits << 4 | (uint64_t)hex_value(*p);
        }
        if (prefix == 'f') {
            uint32_t bits = (uint32_t)number->bits;
            memcpy(&number->single, &bits, 4);
            /* Wide holds the value, single the exact bits. */
            double wide = number->single;
            memcpy(&number->bits, &wide, 8);
            number->kind = NUMBER_SINGLE;
        }
        else if (prefix == 'd') {
            number->kind = NUMBER_DOUBLE;
        }
        return p == end || *p == 'U' ? 0 : -1;
    }
    int is_float = 0;
    for (const char *q = p; q < end; q++) {
        is_float |= *q == '.' || *q == 'e' || *q == 'E';
    }
    /* The text is copied, since strtod needs an end. */
    if (is_float) {
        char text[64];
        size_t n = token->length < sizeof text ? token->length : sizeof text - 1;
        memcpy(text, p, n);
        text[n] = '\0';
        double value = strtod(text, NULL);
        memcpy(&number->bits, &value, 8);
        number->kind = NUMBER_DOUBLE;
        return 0;
    }
    /* A leading 0 means octal, 0b binary. */
    unsigned base = token->length > 1 && *p == '0' ? 8 : 10;
    if (base == 8 && (p[1] == 'b' || p[1] == 'B')) {
        base = 2;
        p += 2;
    }
    /* Digits beyond 64 bits wrap. */
    for (; p < end && *p >= '0' && *p < (char)('0' + base); p++) {
        number->bits = number->bits * base + (uint64_t)(*p - '0');
    }
    return p == end || *p == 'U' || *p == 'u' ? 0 : -1;
}
