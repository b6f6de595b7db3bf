/* form_rules.h - groups of modifiers, and what an opcode demands of them; private to form.c and
 * form_rules.c. */
#ifndef WW_PERF_PTX_FORM_RULES_H
#define WW_PERF_PTX_FORM_RULES_H

#include "perf/ptx/form.h"

/* Groups of modifiers; an opcode's row names the groups it takes, so that a word such as .lo or
 * .and has one meaning. */
enum {
    G_ROUND = 1u << 0,
    G_ROUND_INT = 1u << 1,
    G_FTZ = 1u << 2,
    G_SAT = 1u << 3,
    G_HALVES = 1u << 4, /* .lo .hi .wide */
    G_APPROX = 1u << 5, /* .approx .full */
    G_CC = 1u << 6,
    G_CMP = 1u << 7,
    G_BOOL = 1u << 8,
    G_SPACE = 1u << 9,
    G_VEC = 1u << 10,
    G_CACHE = 1u << 11,
    G_ORDER = 1u << 12, /* memory order */
    G_SCOPE = 1u << 13,
    G_FUNNEL = 1u << 14, /* .l .r */
    G_CLAMP = 1u << 15,
    G_PRMT = 1u << 16,
    G_TO = 1u << 17,
    G_BAR = 1u << 18,
    G_VOTE = 1u << 19,
    G_SHFL = 1u << 20,
    G_ATOM = 1u << 21,
    G_TESTP = 1u << 22,
    G_FENCE = 1u << 23,
    G_SYNC = 1u << 24,
    G_UNI = 1u << 25,
    G_NAN = 1u << 26,
    G_RELU = 1u << 27,
    G_SHIFTAMT = 1u << 28,
    G_LEVEL = 1u << 29,
    G_NOFTZ = 1u << 30,
};

/* Rewrites that leave fewer cases to everyone behind the parser. */
void ww__form_normalize(ptx_form *f);
/* What a normalized form still lacks or has too much of, given its opcode, type and the groups that
 * its modifiers come from; NULL: fine. */
const char *ww__form_lacks(const ptx_form *f, uint32_t groups);

#endif
