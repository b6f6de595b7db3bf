/* rules.h - groups of modifiers, and what an opcode demands of them; private to form.c and
 * rules.c. */
#ifndef WW_PERF_PTX_FORM_RULES_H
#define WW_PERF_PTX_FORM_RULES_H

#include "perf/ptx/form/form.h"

/* Groups of modifiers; an opcode's row names the groups it takes, so that a word such as .lo or
 * .and has one meaning. */
#define G_ROUND       (UINT64_C(1) << 0)
#define G_ROUND_INT   (UINT64_C(1) << 1)
#define G_FTZ         (UINT64_C(1) << 2)
#define G_SAT         (UINT64_C(1) << 3)
#define G_HALVES      (UINT64_C(1) << 4) /* .lo .hi .wide */
#define G_APPROX      (UINT64_C(1) << 5) /* .approx .full */
#define G_CC          (UINT64_C(1) << 6)
#define G_CMP         (UINT64_C(1) << 7)
#define G_BOOL        (UINT64_C(1) << 8)
#define G_SPACE       (UINT64_C(1) << 9)
#define G_VEC         (UINT64_C(1) << 10)
#define G_CACHE       (UINT64_C(1) << 11)
#define G_ORDER       (UINT64_C(1) << 12) /* memory order */
#define G_SCOPE       (UINT64_C(1) << 13)
#define G_FUNNEL      (UINT64_C(1) << 14) /* .l .r */
#define G_CLAMP       (UINT64_C(1) << 15)
#define G_PRMT        (UINT64_C(1) << 16)
#define G_TO          (UINT64_C(1) << 17)
#define G_BAR         (UINT64_C(1) << 18)
#define G_VOTE        (UINT64_C(1) << 19)
#define G_SHFL        (UINT64_C(1) << 20)
#define G_ATOM        (UINT64_C(1) << 21)
#define G_TESTP       (UINT64_C(1) << 22)
#define G_FENCE       (UINT64_C(1) << 23)
#define G_SYNC        (UINT64_C(1) << 24)
#define G_UNI         (UINT64_C(1) << 25)
#define G_NAN         (UINT64_C(1) << 26)
#define G_RELU        (UINT64_C(1) << 27)
#define G_SHIFTAMT    (UINT64_C(1) << 28)
#define G_LEVEL       (UINT64_C(1) << 29)
#define G_NOFTZ       (UINT64_C(1) << 30)
#define G_HINT        (UINT64_C(1) << 31) /* cache-policy hints: no effect on results */
#define G_SATFINITE   (UINT64_C(1) << 32)
#define G_POLICY      (UINT64_C(1) << 33) /* .L2::cache_hint: an operand more, the policy */
#define G_MATRIX      (UINT64_C(1) << 34) /* .m8n8 .trans */
#define G_FENCE_SPACE (UINT64_C(1) << 35) /* of fence: what it is about */

/* What an opcode's row demands beside the groups that it takes. */
#define N_HALVES                                                                                   \
    (UINT64_C(1) << 48) /* of integers: .lo, .hi or .wide, a product of 64 bits no .wide */
#define N_NARROW   (UINT64_C(1) << 49) /* and here none has it */
#define N_ROUNDING (UINT64_C(1) << 50) /* of floats: .approx or a rounding mode */
#define N_MODE     (UINT64_C(1) << 51) /* which of its variants */
#define N_ATOMIC   (UINT64_C(1) << 52) /* an operation, and memory that others see */
#define N_RETURNS  (UINT64_C(1) << 53) /* no operation that is for its result alone */
#define N_COMPARE  (UINT64_C(1) << 54)
#define N_CONVERT  (UINT64_C(1) << 55) /* types that go together */
#define N_MATRIX   (UINT64_C(1) << 56)
#define N_INDEX    (UINT64_C(1) << 57) /* .idx */
#define N_SPACE    (UINT64_C(1) << 58) /* a state space */
#define N_WRITABLE (UINT64_C(1) << 60) /* a space that can be written */

/* Rewrites that leave fewer cases to everyone behind the parser. */
void ww__form_normalize(ptx_form *f);
/* What a normalized form still lacks or has too much of, given its type, the demands of its
 * opcode's row (N_*) and the groups that its modifiers come from; NULL: fine. */
const char *ww__form_lacks(const ptx_form *f, uint64_t demands, uint64_t groups);

#endif
