/* expression.h - what a study computes from results, as text: "this:ipc / base:ipc".
 *
 *   expression = sum [ ("<" | ">") sum ]                  1 where it holds, else 0
 *   sum        = product { ("+" | "-") product }
 *   product    = factor { ("*" | "/") factor }
 *   factor     = "-" factor | number | "(" expression ")" | function | term
 *   function   = ("min" | "max") "(" expression "," expression ")"
 *              | MEAN "_of" "(" words "," expression ")"   over classes of workloads
 *   term       = [ configuration ":" ] name [ "[" argument "]" ]
 *   configuration = word | "{" any text "}"
 *
 * A minus within a word belongs to it ("uv-best"): a difference has spaces around it. */
#ifndef WW_VALIDATION_EXPRESSION_H
#define WW_VALIDATION_EXPRESSION_H

#include "base/status.h"

/* A term as it stands in the text. */
typedef struct ww_term {
    const char *configuration; /* "": none */
    const char *name;
    const char *argument; /* "": none */
} ww_term;

/* Where values come from. Both return a status; a value that cannot be had (nothing to divide by)
 * is NaN. */
typedef struct ww_expression_source {
    ww_status (*term)(void *user, const ww_term *term, double *value, ww_error *err);
    /* mean: "geo", "arith", …; text: the expression, to be evaluated for each workload of the class
     */
    ww_status (*over)(void *user, const char *mean, const char *class_, const char *text,
                      double *value, ww_error *err);
    void *user;
} ww_expression_source;

/**
 * Evaluates an expression.
 * @error EPARSE (what is wrong and where), or as the source fails
 */
WW_NODISCARD ww_status ww_expression_evaluate(const char *text, const ww_expression_source *source,
                                              double *value, ww_error *err);

#endif
