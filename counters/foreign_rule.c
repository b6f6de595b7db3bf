/* foreign_rule.c - the expressions of name maps: sums of products of numbers and names. */
#include <string.h>

#include "base/num.h"
#include "counters/foreign_parts.h"

typedef struct factor {
    const char *name; /* NULL: a number */
    double number;
} factor;

typedef struct term {
    double sign;
    factor *factors;
    size_t count;
} term;

struct ww__rule {
    term *terms;
    size_t count;
};

/* Splits at the signs: as many terms and factors as there are blanks are enough. */
static size_t count_words(const char *text)
{
    size_t n = 1;
    for (; *text != '\0'; text++) {
        n += *text == ' ';
    }
    return n;
}

static ww_status add_factor(term *t, const char *word, size_t length, ww_arena *arena,
                            ww_error *err)
{
    char *copy = ww_arena_strndup(arena, word, length);
    if (copy == NULL) {
        return ww_no_memory(err);
    }
    factor *f = &t->factors[t->count++];
    if (ww_num_parse_double(copy, &f->number, NULL) != WW_OK) {
        f->name = copy;
    }
    return WW_OK;
}

ww_status ww__rule_parse(const char *text, ww_arena *arena, const ww__rule **out, ww_error *err)
{
    size_t words = count_words(text);
    ww__rule *rule = WW_ARENA_NEW(arena, ww__rule);
    term *terms = WW_ARENA_NEW_ARRAY(arena, term, words);
    factor *factors = WW_ARENA_NEW_ARRAY(arena, factor, words);
    if (rule == NULL || terms == NULL || factors == NULL) {
        return ww_no_memory(err);
    }
    *rule = (ww__rule){.terms = terms, .count = 1};
    terms[0] = (term){.sign = 1, .factors = factors};
    bool operand = true;
    while (*text != '\0') {
        size_t length = strcspn(text, " ");
        term *last = &terms[rule->count - 1];
        if (operand) {
            WW_TRY(add_factor(last, text, length, arena, err));
            factors++;
        } else if (length != 1 || strchr("+-*", *text) == NULL) {
            return ww_fail(err, WW_EINTERNAL, "'%s' should be +, - or *", text);
        } else if (*text != '*') {
            terms[rule->count++] = (term){.sign = *text == '-' ? -1 : 1, .factors = factors};
        }
        operand = !operand;
        text += length;
        text += *text == ' ';
    }
    *out = rule;
    return operand ? ww_fail(err, WW_EINTERNAL, "an expression ends with its sign") : WW_OK;
}

ww_status ww__rule_names(const ww__rule *rule, ww_status (*each)(void *user, const char *name),
                         void *user)
{
    for (size_t t = 0; t < rule->count; t++) {
        for (size_t f = 0; f < rule->terms[t].count; f++) {
            const char *name = rule->terms[t].factors[f].name;
            if (name != NULL) {
                WW_TRY(each(user, name));
            }
        }
    }
    return WW_OK;
}

bool ww__rule_evaluate(const ww__rule *rule, ww__rule_value *value, void *user, double *out)
{
    double sum = 0;
    for (size_t t = 0; t < rule->count; t++) {
        double product = rule->terms[t].sign;
        for (size_t k = 0; k < rule->terms[t].count; k++) {
            const factor *f = &rule->terms[t].factors[k];
            double x = f->number;
            if (f->name != NULL && !value(user, f->name, &x)) {
                return false;
            }
            product *= x;
        }
        sum += product;
    }
    *out = sum;
    return true;
}
