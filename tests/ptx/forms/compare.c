/* compare.c - comparisons and selection: what to expect of setp and set is read from the words of
 * the form's name. */
#include <stdio.h>

#include "halves.h"
#include "lane.h"

/* The form whose operands are being compared: lane functions know only values. */
static struct comparison {
    char order[4]; /* eq, ne, lt, ... without u for unordered */
    bool unordered, flushes, combined, halves;
    char type; /* 's'igned, 'u'nsigned, 'f'loating point, 'b'its, 'h'alf */
    unsigned bits;
} now;

static const char *const orders[] = {"eq",  "ne", "lt", "le", "gt", "ge", "num",
                                     "nan", "lo", "ls", "hi", "hs", NULL};

static bool decode(const char *form)
{
    const char *word = strchr(form, '.') + 1;
    size_t n = strcspn(word, ".");
    now.unordered = n == 3 && word[2] == 'u';
    n -= now.unordered;
    if (n >= sizeof now.order) {
        return false;
    }
    memcpy(now.order, word, n);
    now.order[n] = '\0';
    const char *type = form_last(form);
    now.halves = strcmp(type, "f16x2") == 0;
    now.type = strncmp(type, "f16", 3) == 0 ? 'h' : type[0];
    now.bits = (unsigned)strtoul(type + 1, NULL, 10);
    now.flushes = form_has(form, "ftz");
    now.combined = form_has(form, "and");
    for (size_t i = 0; orders[i] != NULL; i++) {
        if (strcmp(orders[i], now.order) == 0) {
            return strchr("sufbh", now.type) != NULL;
        }
    }
    return false;
}

/* -1, 0, 1 as a is below, at or above b; 2: unordered. */
static int relation(double a, double b)
{
    return isnan(a) || isnan(b) ? 2 : a < b ? -1 : a > b;
}

static int relate(lane_value a, lane_value b)
{
    uint64_t mask = now.bits == 64 ? UINT64_MAX : (UINT64_C(1) << now.bits) - 1;
    uint64_t flip = UINT64_C(1) << (now.bits - 1), x = a.u64 & mask, y = b.u64 & mask;
    switch (now.type) {
    case 'f':
        return now.bits == 64 ? relation(a.f64, b.f64)
               : now.flushes  ? relation((double)ieee_flush(a.f32), (double)ieee_flush(b.f32))
                              : relation((double)a.f32, (double)b.f32);
    case 'h':
        return relation(f16_value(a.u16), f16_value(b.u16));
    case 's':
        x ^= flip;
        y ^= flip;
        break;
    default:
        break;
    }
    return x < y ? -1 : x > y;
}

static bool holds(lane_value a, lane_value b)
{
    int r = relate(a, b);
    if (strcmp(now.order, "num") == 0 || strcmp(now.order, "nan") == 0) {
        return (r == 2) == (now.order[1] == 'a');
    }
    if (r == 2) {
        return now.unordered;
    }
    const char *o = now.order;
    return strcmp(o, "eq") == 0                           ? r == 0
           : strcmp(o, "ne") == 0                         ? r != 0
           : strcmp(o, "lt") == 0 || strcmp(o, "lo") == 0 ? r < 0
           : strcmp(o, "le") == 0 || strcmp(o, "ls") == 0 ? r <= 0
           : strcmp(o, "gt") == 0 || strcmp(o, "hi") == 0 ? r > 0
                                                          : r >= 0;
}

/* Both results of d|q, then that of d alone: d = (a ? b) and c, q = !(a ? b) and c. */
static uint64_t want_setp(lane_value a, lane_value b, lane_value c)
{
    bool truth = holds(a, b), with = !now.combined || c.u32 != 0;
    return (truth && with ? 5 : 0) | (!truth && with ? 2 : 0);
}

/* set.CmpOp.dtype.stype: all ones, or 1.0 of a floating-point dtype. */
static uint64_t want_set(lane_value a, lane_value b, lane_value c)
{
    (void)c;
    return holds(a, b) ? UINT32_MAX : 0;
}

static uint64_t want_set_pair(lane_value a, lane_value b, lane_value c)
{
    (void)c;
    lane_value high_a = {.u16 = (uint16_t)(a.u32 >> 16)}, high_b = {.u16 = (uint16_t)(b.u32 >> 16)};
    return (holds(a, b) ? 0x3c00 : 0) | (holds(high_a, high_b) ? 0x3c000000 : 0);
}

static uint64_t want_set_bits(lane_value a, lane_value b, lane_value c)
{
    (void)c;
    lane_value high_a = {.u16 = (uint16_t)(a.u32 >> 16)}, high_b = {.u16 = (uint16_t)(b.u32 >> 16)};
    return (holds(a, b) ? 0xffff : 0) | (holds(high_a, high_b) ? 0xffff0000 : 0);
}

/* Operand's kind for a type's name. */
static char letter(const char *type)
{
    bool half = strncmp(type, "f16", 3) == 0;
    return half                          ? (type[3] != '\0' ? 'x' : 'y')
           : strcmp(type, "f32") == 0    ? 'F'
           : strcmp(type, "f64") == 0    ? 'D'
           : strcmp(type + 1, "16") == 0 ? 'h'
           : strcmp(type + 1, "32") == 0 ? 'w'
                                         : 'l';
}

static void check_setp(const char *form, bool lowered, form_log *log)
{
    char kinds[8], body[400], l = letter(form_last(form));
    const char *with = now.combined ? ", $c" : "";
    snprintf(kinds, sizeof kinds, "w=%c%cp", l, l);
    snprintf(body, sizeof body,
             "%.60s %%p1|%%p2, $a, $b%s; %.60s %%p3, $a, $b%s;\n"
             "selp.u32 %%r20, 1, 0, %%p1; selp.u32 %%r21, 2, 0, %%p2; selp.u32 %%r22, 4, 0, %%p3;\n"
             "or.b32 %%r20, %%r20, %%r21; or.b32 $d, %%r20, %%r22;",
             form, with, form, with);
    lane_check(&(lane_row){form, kinds, want_setp, NULL, body}, lowered, log);
}

static void check_set(const char *form, bool lowered, form_log *log)
{
    char kinds[8], l = letter(form_last(form));
    bool pair = now.halves, bits = form_has(form, "u32");
    snprintf(kinds, sizeof kinds, "w=%c%c", l, l);
    uint64_t (*want)(lane_value, lane_value, lane_value) = !pair  ? want_set
                                                           : bits ? want_set_bits
                                                                  : want_set_pair;
    lane_check(&(lane_row){form, kinds, want, NULL, NULL}, lowered, log);
}

LANE_FUNCTION(selp, c.u32 != 0 ? a.u64 : b.u64)

static bool claims(const char *form)
{
    static const char *const prefixes[] = {"setp.", "set.", "selp.", NULL};
    return form_starts(form, prefixes) && (strncmp(form, "selp.", 5) == 0 || decode(form));
}

static void check(const char *form, bool lowered, form_log *log)
{
    if (strncmp(form, "selp.", 5) == 0) {
        char kinds[8], l = letter(form_last(form));
        snprintf(kinds, sizeof kinds, "%c=%c%cp", l, l, l);
        lane_check(&(lane_row){form, kinds, want_selp, NULL, NULL}, lowered, log);
        return;
    }
    decode(form);
    (strncmp(form, "setp.", 5) == 0 ? check_setp : check_set)(form, lowered, log);
}

const form_family form_compare = {"comparison and selection", claims, check};
