/* expression.c - a recursive-descent evaluator; nothing is kept between calls. */
#include "validation/expression.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/num.h"

enum { MOST_WORD = 256, MOST_TEXT = 4096, MOST_DEPTH = 32 };

typedef struct parser {
    const char *text, *at;
    const ww_expression_source *source;
    int depth;
    ww_error *err;
} parser;

static ww_status expression(parser *p, double *value);

static void skip_space(parser *p)
{
    p->at += strspn(p->at, " \t\r\n");
}

static ww_status fail(const parser *p, const char *what)
{
    return ww_fail(p->err, WW_EPARSE, "%s at character %d of '%s'", what,
                   (int)(p->at - p->text) + 1, p->text);
}

static bool take(parser *p, char c)
{
    skip_space(p);
    if (*p->at != c) {
        return false;
    }
    p->at++;
    return true;
}

static ww_status expect(parser *p, char c)
{
    char what[] = "expected ' '";
    what[10] = c;
    return take(p, c) ? WW_OK : fail(p, what);
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '-';
}

static ww_status copy(const parser *p, const char *from, size_t n, char *to, size_t room)
{
    if (n >= room) {
        return fail(p, "too long a word");
    }
    memcpy(to, from, n);
    to[n] = '\0';
    return WW_OK;
}

static ww_status word(parser *p, char to[MOST_WORD])
{
    const char *from = p->at;
    while (is_word(*p->at)) {
        p->at++;
    }
    return copy(p, from, (size_t)(p->at - from), to, MOST_WORD);
}

/* What stands between an opening mark, already taken, and its closing one. */
static ww_status enclosed(parser *p, char close, char to[MOST_WORD])
{
    const char *end = strchr(p->at, close), *from = p->at;
    if (end == NULL) {
        return fail(p, "an opened bracket is not closed");
    }
    p->at = end + 1;
    return copy(p, from, (size_t)(end - from), to, MOST_WORD);
}

static ww_status pair(parser *p, bool least, double *value)
{
    double a, b;
    WW_TRY(expression(p, &a));
    WW_TRY(expect(p, ','));
    WW_TRY(expression(p, &b));
    *value = isnan(a) || isnan(b) ? (double)NAN : least ? fmin(a, b) : fmax(a, b);
    return expect(p, ')');
}

/* The text up to the parenthesis that closes the call. */
static ww_status rest_of_call(parser *p, char to[MOST_TEXT])
{
    const char *from = p->at;
    int open = 1;
    while (*p->at != '\0' && open > 0) {
        open += (*p->at == '(') - (*p->at == ')');
        p->at++;
    }
    if (open > 0) {
        return fail(p, "expected ')'");
    }
    return copy(p, from, (size_t)(p->at - 1 - from), to, MOST_TEXT);
}

static ww_status over(parser *p, char name[MOST_WORD], double *value)
{
    char class_[MOST_WORD], text[MOST_TEXT];
    name[strlen(name) - strlen("_of")] = '\0';
    WW_TRY(enclosed(p, ',', class_));
    WW_TRY(rest_of_call(p, text));
    return p->source->over(p->source->user, name, class_, text, value, p->err);
}

static ww_status call(parser *p, char name[MOST_WORD], double *value)
{
    size_t n = strlen(name);
    if (strcmp(name, "min") == 0 || strcmp(name, "max") == 0) {
        return pair(p, name[1] == 'i', value);
    }
    if (n > 3 && strcmp(name + n - 3, "_of") == 0) {
        return over(p, name, value);
    }
    return fail(p, "there is no such function");
}

static ww_status term(parser *p, double *value)
{
    char configuration[MOST_WORD] = "", name[MOST_WORD], argument[MOST_WORD] = "";
    if (take(p, '{')) {
        WW_TRY(enclosed(p, '}', configuration));
        WW_TRY(expect(p, ':'));
        WW_TRY(word(p, name));
    } else {
        WW_TRY(word(p, name));
        if (take(p, ':')) {
            memcpy(configuration, name, sizeof name);
            WW_TRY(word(p, name));
        } else if (take(p, '(')) {
            return call(p, name, value);
        }
    }
    if (name[0] == '\0') {
        return fail(p, "expected a number or a name");
    }
    if (take(p, '[')) {
        WW_TRY(enclosed(p, ']', argument));
    }
    const ww_term t = {configuration, name, argument};
    return p->source->term(p->source->user, &t, value, p->err);
}

static ww_status factor(parser *p, double *value)
{
    skip_space(p);
    if (take(p, '-')) {
        WW_TRY(factor(p, value));
        *value = -*value;
        return WW_OK;
    }
    if (take(p, '(')) {
        WW_TRY(expression(p, value));
        return expect(p, ')');
    }
    const char *end;
    if (ww_num_scan(p->at, &end, value) && !is_word(*end)) {
        p->at = end;
        return WW_OK;
    }
    return term(p, value);
}

static ww_status product(parser *p, double *value)
{
    WW_TRY(factor(p, value));
    for (;;) {
        double right;
        if (take(p, '*')) {
            WW_TRY(factor(p, &right));
            *value *= right;
        } else if (take(p, '/')) {
            WW_TRY(factor(p, &right));
            *value = right != 0 ? *value / right : (double)NAN;
        } else {
            return WW_OK;
        }
    }
}

static ww_status sum(parser *p, double *value)
{
    WW_TRY(product(p, value));
    for (;;) {
        double right;
        if (take(p, '+')) {
            WW_TRY(product(p, &right));
            *value += right;
        } else if (take(p, '-')) {
            WW_TRY(product(p, &right));
            *value -= right;
        } else {
            return WW_OK;
        }
    }
}

static ww_status expression(parser *p, double *value)
{
    double right;
    if (p->depth == MOST_DEPTH) {
        return fail(p, "too many brackets");
    }
    p->depth++;
    WW_TRY(sum(p, value));
    bool less = take(p, '<');
    if (less || take(p, '>')) {
        WW_TRY(sum(p, &right));
        bool known = !isnan(*value) && !isnan(right);
        *value = !known ? (double)NAN : less ? *value < right : *value > right;
    }
    p->depth--;
    return WW_OK;
}

ww_status ww_expression_evaluate(const char *text, const ww_expression_source *source,
                                 double *value, ww_error *err)
{
    parser p = {.text = text, .at = text, .source = source, .err = err};
    WW_TRY(expression(&p, value));
    skip_space(&p);
    return *p.at == '\0' ? WW_OK : fail(&p, "there is more than an expression");
}
