/* lexer.c - splits PTX text into tokens: names, dotted words, numbers in all of PTX's spellings,
 * strings. */
#include "perf/ptx/parse/lexer.h"

#include <string.h>

#include "base/num.h"

enum { MAX_TOKEN = 1 << 16, MAX_DECIMAL = 64 };

void ww__lexer_init(ptx_lexer *lexer, const char *file, const char *text, size_t length)
{
    *lexer =
        (ptx_lexer){.file = file, .at = text, .end = text + length, .line_start = text, .line = 1};
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$';
}

/* Value of a digit in any base up to 16; 99 otherwise. */
static unsigned digit_value(char c)
{
    if (is_digit(c)) {
        return (unsigned)(c - '0');
    }
    if (c >= 'a' && c <= 'f') {
        return (unsigned)(c - 'a') + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return (unsigned)(c - 'A') + 10;
    }
    return 99;
}

static char peek(const ptx_lexer *lexer, size_t offset)
{
    return (size_t)(lexer->end - lexer->at) > offset ? lexer->at[offset] : '\0';
}

static ptx_loc location(const ptx_lexer *lexer)
{
    return (ptx_loc){lexer->line, (int)(lexer->at - lexer->line_start) + 1};
}

static ww_status fail(const ptx_lexer *lexer, ptx_loc loc, ww_error *err, const char *what,
                      const char *text, size_t length)
{
    int shown = length < 64 ? (int)length : 64;
    return ww_fail_at(err, WW_EPARSE, lexer->file, loc.line, loc.column, "%s '%.*s'", what, shown,
                      text);
}

void ww__lexer_skip_line(ptx_lexer *lexer)
{
    while (lexer->at < lexer->end && *lexer->at != '\n') {
        lexer->at++;
    }
}

static void newline(ptx_lexer *lexer)
{
    lexer->at++;
    lexer->line++;
    lexer->line_start = lexer->at;
}

static ww_status skip_comment(ptx_lexer *lexer, ww_error *err)
{
    ptx_loc loc = location(lexer);
    lexer->at += 2;
    while (lexer->at < lexer->end) {
        if (*lexer->at == '*' && peek(lexer, 1) == '/') {
            lexer->at += 2;
            return WW_OK;
        }
        if (*lexer->at == '\n') {
            newline(lexer);
        } else {
            lexer->at++;
        }
    }
    return ww_fail_at(err, WW_EPARSE, lexer->file, loc.line, loc.column, "comment without end");
}

/* Zero bytes after the text are padding of fatbinary entries, not part of it. */
static bool only_padding_left(const ptx_lexer *lexer)
{
    for (const char *p = lexer->at; p < lexer->end; p++) {
        if (*p != '\0') {
            return false;
        }
    }
    return true;
}

static ww_status skip_space(ptx_lexer *lexer, ww_error *err)
{
    while (lexer->at < lexer->end) {
        char c = *lexer->at;
        if (c == '\n') {
            newline(lexer);
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            lexer->at++;
        } else if (c == '/' && peek(lexer, 1) == '/') {
            ww__lexer_skip_line(lexer);
        } else if (c == '/' && peek(lexer, 1) == '*') {
            WW_TRY(skip_comment(lexer, err));
        } else if (c == '\0' && only_padding_left(lexer)) {
            lexer->at = lexer->end;
        } else {
            break;
        }
    }
    return WW_OK;
}

static void lex_name(ptx_lexer *lexer, ptx_token *token)
{
    token->kind = PTX_TOK_NAME;
    lexer->at++;
    while (lexer->at < lexer->end && is_name_char(*lexer->at)) {
        lexer->at++;
    }
}

/* ".global", ".1d", ".L2::cache_hint" */
static ww_status lex_dot(ptx_lexer *lexer, ptx_token *token, ww_error *err)
{
    token->kind = PTX_TOK_DOT;
    lexer->at++;
    token->text = lexer->at;
    while (lexer->at < lexer->end) {
        if (is_name_char(*lexer->at)) {
            lexer->at++;
        } else if (*lexer->at == ':' && peek(lexer, 1) == ':' && is_name_char(peek(lexer, 2))) {
            lexer->at += 2;
        } else {
            break;
        }
    }
    if (lexer->at == token->text) {
        return fail(lexer, token->loc, err, "a word is missing after", ".", 1);
    }
    return WW_OK;
}

/* 0f or 0d and the bits in hexadecimal. */
static ww_status lex_float_bits(ptx_lexer *lexer, ptx_token *token, unsigned digits, ww_error *err)
{
    lexer->at += 2;
    uint64_t bits = 0;
    unsigned n = 0;
    while (n < digits && digit_value(peek(lexer, 0)) < 16) {
        bits = bits << 4 | digit_value(*lexer->at);
        lexer->at++;
        n++;
    }
    if (n != digits || is_name_char(peek(lexer, 0))) {
        return fail(lexer, token->loc, err,
                    digits == 8 ? "a 0f constant needs 8 hexadecimal digits:"
                                : "a 0d constant needs 16 hexadecimal digits:",
                    token->text, (size_t)(lexer->at - token->text));
    }
    token->kind = digits == 8 ? PTX_TOK_F32 : PTX_TOK_F64;
    token->value = bits;
    return WW_OK;
}

static ww_status lex_integer(ptx_lexer *lexer, ptx_token *token, unsigned base, unsigned prefix,
                             ww_error *err)
{
    lexer->at += prefix;
    const char *first = lexer->at;
    uint64_t value = 0;
    bool overflow = false;
    while (digit_value(peek(lexer, 0)) < base) {
        unsigned digit = digit_value(*lexer->at);
        overflow |= value > (UINT64_MAX - digit) / base;
        value = value * base + digit;
        lexer->at++;
    }
    bool empty = lexer->at == first;
    if (peek(lexer, 0) == 'U') {
        token->is_unsigned = true;
        lexer->at++;
    }
    if (empty || is_name_char(peek(lexer, 0))) {
        return fail(lexer, token->loc, err, "bad number", token->text,
                    (size_t)(lexer->at - token->text) + 1);
    }
    if (overflow) {
        return fail(lexer, token->loc, err, "number does not fit into 64 bits:", token->text,
                    (size_t)(lexer->at - token->text));
    }
    token->kind = PTX_TOK_INT;
    token->value = value;
    token->is_unsigned |= value > INT64_MAX;
    return WW_OK;
}

/* A decimal floating-point constant; `length` bytes look like one. */
static ww_status lex_decimal(ptx_lexer *lexer, ptx_token *token, size_t length, ww_error *err)
{
    char text[MAX_DECIMAL];
    const char *end = NULL;
    double value = 0;
    if (length < sizeof text) {
        memcpy(text, lexer->at, length);
        text[length] = '\0';
    }
    if (length >= sizeof text || !ww_num_scan(text, &end, &value) || *end != '\0') {
        return fail(lexer, token->loc, err, "bad number", lexer->at, length);
    }
    token->kind = PTX_TOK_F64;
    memcpy(&token->value, &value, sizeof value);
    lexer->at += length;
    return WW_OK;
}

/* Length of digits[.digits][e[+-]digits] when it has a fraction or an exponent; 0 for a plain
 * integer. */
static size_t decimal_length(const ptx_lexer *lexer)
{
    size_t n = 0;
    bool real = false;
    while (is_digit(peek(lexer, n))) {
        n++;
    }
    if (peek(lexer, n) == '.' && is_digit(peek(lexer, n + 1))) {
        real = true;
        n++;
        while (is_digit(peek(lexer, n))) {
            n++;
        }
    }
    if (peek(lexer, n) == 'e' || peek(lexer, n) == 'E') {
        size_t e = n + 1;
        if (peek(lexer, e) == '+' || peek(lexer, e) == '-') {
            e++;
        }
        if (is_digit(peek(lexer, e))) {
            real = true;
            while (is_digit(peek(lexer, e))) {
                e++;
            }
            n = e;
        }
    }
    return real ? n : 0;
}

static ww_status lex_number(ptx_lexer *lexer, ptx_token *token, ww_error *err)
{
    if (peek(lexer, 0) == '0') {
        switch (peek(lexer, 1)) {
        case 'f':
        case 'F':
            return lex_float_bits(lexer, token, 8, err);
        case 'd':
        case 'D':
            return lex_float_bits(lexer, token, 16, err);
        case 'x':
        case 'X':
            return lex_integer(lexer, token, 16, 2, err);
        case 'b':
        case 'B':
            return lex_integer(lexer, token, 2, 2, err);
        default:
            break;
        }
    }
    size_t real = decimal_length(lexer);
    if (real > 0) {
        return lex_decimal(lexer, token, real, err);
    }
    bool octal = peek(lexer, 0) == '0' && is_digit(peek(lexer, 1));
    return lex_integer(lexer, token, octal ? 8 : 10, 0, err);
}

static ww_status lex_string(ptx_lexer *lexer, ptx_token *token, ww_error *err)
{
    token->kind = PTX_TOK_STRING;
    lexer->at++;
    token->text = lexer->at;
    while (lexer->at < lexer->end && *lexer->at != '"' && *lexer->at != '\n') {
        lexer->at +=
            *lexer->at == '\\' && lexer->end - lexer->at > 1 && lexer->at[1] != '\n' ? 2 : 1;
    }
    if (lexer->at >= lexer->end || *lexer->at != '"') {
        return ww_fail_at(err, WW_EPARSE, lexer->file, token->loc.line, token->loc.column,
                          "string without end");
    }
    token->length = (size_t)(lexer->at - token->text);
    lexer->at++;
    return WW_OK;
}

static ww_status lex_punct(ptx_lexer *lexer, ptx_token *token, ww_error *err)
{
    static const struct {
        char text[3];
        int punct;
    } pairs[] = {{"<<", PTX_P_SHL}, {">>", PTX_P_SHR}, {"<=", PTX_P_LE},  {">=", PTX_P_GE},
                 {"==", PTX_P_EQ},  {"!=", PTX_P_NE},  {"&&", PTX_P_AND}, {"||", PTX_P_OR}};
    token->kind = PTX_TOK_PUNCT;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (lexer->at[0] == pairs[i].text[0] && peek(lexer, 1) == pairs[i].text[1]) {
            token->punct = pairs[i].punct;
            lexer->at += 2;
            return WW_OK;
        }
    }
    char c = *lexer->at;
    if (c == '\0' || strchr("{}()[]<>,;:=+-*/%&|^~!?@", c) == NULL) {
        return ww_fail_at(err, WW_EPARSE, lexer->file, token->loc.line, token->loc.column,
                          c >= ' ' && c < 127 ? "unexpected character '%c'"
                                              : "unexpected byte in the text (%d)",
                          c);
    }
    token->punct = c;
    lexer->at++;
    return WW_OK;
}

ww_status ww__lexer_next(ptx_lexer *lexer, ptx_token *token, ww_error *err)
{
    *token = (ptx_token){0};
    WW_TRY(skip_space(lexer, err));
    token->loc = location(lexer);
    token->text = lexer->at;
    if (lexer->at >= lexer->end) {
        token->kind = PTX_TOK_END;
        return WW_OK;
    }
    ww_status status = WW_OK;
    char c = *lexer->at;
    /* A bare % is the remainder operator of constant expressions. */
    if (is_name_start(c) && !(c == '%' && !is_name_char(peek(lexer, 1)))) {
        lex_name(lexer, token);
    } else if (is_digit(c)) {
        status = lex_number(lexer, token, err);
    } else if (c == '.') {
        status = lex_dot(lexer, token, err);
    } else if (c == '"') {
        return lex_string(lexer, token, err);
    } else {
        status = lex_punct(lexer, token, err);
    }
    token->length = (size_t)(lexer->at - token->text);
    if (status == WW_OK && token->length > MAX_TOKEN) {
        return fail(lexer, token->loc, err, "word is too long:", token->text, token->length);
    }
    return status;
}
