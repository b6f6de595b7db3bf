/* lane.h - forms that each lane computes for itself: tables of a form's name, the kinds of its
 * operands, and its result as a C expression. */
#ifndef WW_TESTS_PTX_FORMS_LANE_H
#define WW_TESTS_PTX_FORMS_LANE_H

#include "forms.h"

/* An operand in all its readings. */
typedef struct lane_value {
    uint16_t u16;
    int16_t s16;
    uint32_t u32;
    int32_t s32;
    uint64_t u64;
    int64_t s64;
    float f32;
    double f64;
} lane_value;

/* kinds: the letter of the result, '=', those of the operands.
 *   h, w, l  16, 32, 64 bits, integers          n  a shift amount or the like, 32 bits
 *   f, d     f32, f64 by value                  p  predicate
 *   F, D     f32, f64 bit by bit
 *   y, x     f16; two of them                   z  two bf16
 * A result of kind f that is NaN must be 0x7fffffff, the only NaN that f32 arithmetic makes (PTX
 * manual, "Floating-Point Instructions"); of kind g, d, or of the halves, any NaN will do. */
typedef struct lane_row {
    const char *form;
    const char *kinds;
    /* The expected result. */
    uint64_t (*want)(lane_value a, lane_value b, lane_value c);
    /* Or: is this one within the manual's bounds? */
    bool (*accepts)(lane_value a, lane_value b, uint64_t got);
    /* Instructions where the form is not simply `form d, a, b, c;`: $d, $a, $b, $c stand for the
     * operands; %r20... and their like are free. */
    const char *body;
} lane_row;

/** Runs the row over corner cases of its operands' kinds and random values. */
void lane_check(const lane_row *row, bool lowered, form_log *log);

/* The expected result of a row as a function of a, b, c. */
#define LANE_FUNCTION(id, expression)                                                              \
    static uint64_t want_##id(lane_value a, lane_value b, lane_value c)                            \
    {                                                                                              \
        (void)a, (void)b, (void)c;                                                                 \
        return (uint64_t)(expression);                                                             \
    }

/* What a list of X(id, form, kinds, expression[, body]) is expanded with: functions, then rows. */
#define LANE_WANTS(id, form, kinds, expression)            LANE_FUNCTION(id, expression)
#define LANE_WANTS_BODY(id, form, kinds, expression, body) LANE_FUNCTION(id, expression)
#define LANE_ACCEPTS(id, form, kinds, expression)                                                  \
    static bool accepts_##id(lane_value a, lane_value b, uint64_t got)                             \
    {                                                                                              \
        (void)b;                                                                                   \
        return expression;                                                                         \
    }
#define LANE_ROW(id, form, kinds, expression)            {form, kinds, want_##id, NULL, NULL},
#define LANE_ROW_BODY(id, form, kinds, expression, body) {form, kinds, want_##id, NULL, body},
#define LANE_ROW_ACCEPTS(id, form, kinds, expression)    {form, kinds, NULL, accepts_##id, NULL},

/* claims and check of a family that is one table `rows`. */
#define LANE_FAMILY(name, text)                                                                    \
    static const lane_row *find(const char *form)                                                  \
    {                                                                                              \
        for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {                                          \
            if (strcmp(rows[i].form, form) == 0) {                                                 \
                return &rows[i];                                                                   \
            }                                                                                      \
        }                                                                                          \
        return NULL;                                                                               \
    }                                                                                              \
    static bool claims(const char *form)                                                           \
    {                                                                                              \
        return find(form) != NULL;                                                                 \
    }                                                                                              \
    static void check(const char *form, bool lowered, form_log *log)                               \
    {                                                                                              \
        lane_check(find(form), lowered, log);                                                      \
    }                                                                                              \
    const form_family name = {text, claims, check}

#endif
