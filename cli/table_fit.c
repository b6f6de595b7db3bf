/* table_fit.c - tables on a terminal: the text of a last column wraps within what is left of its
 * width. libsmartcols does the fitting; what goes to a file or a pipe keeps its bytes (table.c). */
#include <libsmartcols.h>

#include "cli/table.h"

static bool is_numeric(const ww_table *t, size_t column)
{
    for (size_t i = t->columns + column; i < t->cells; i += t->columns) {
        if (t->number[i]) {
            return true;
        }
    }
    return false;
}

static bool fill(const ww_table *t, struct libscols_table *out)
{
    for (size_t c = 0; c < t->columns; c++) {
        int flags = is_numeric(t, c) ? SCOLS_FL_RIGHT : c + 1 == t->columns ? SCOLS_FL_WRAP : 0;
        if (scols_table_new_column(out, t->cell[c], 0, flags) == NULL) {
            return false;
        }
    }
    for (size_t row = 1; row < t->cells / t->columns; row++) {
        struct libscols_line *line = scols_table_new_line(out, NULL);
        for (size_t c = 0; c < t->columns; c++) {
            if (line == NULL || scols_line_set_data(line, c, t->cell[row * t->columns + c]) != 0) {
                return false;
            }
        }
    }
    return true;
}

bool ww_table_print_fitted(const ww_table *t, FILE *out)
{
    if (t->columns == 0 || t->cells <= t->columns || is_numeric(t, t->columns - 1)) {
        return false; /* nothing that may wrap: names and numbers stay in one piece */
    }
    scols_init_debug(0);
    struct libscols_table *fitted = scols_new_table();
    bool done = fitted != NULL && scols_table_set_stream(fitted, out) == 0 &&
                scols_table_set_column_separator(fitted, "  ") == 0 && fill(t, fitted) &&
                scols_print_table(fitted) == 0;
    scols_unref_table(fitted);
    return done;
}
