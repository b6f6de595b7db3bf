/* table_fit.c - tables on a terminal: the text of a last column wraps within what is left of its
 * width. libsmartcols does the fitting; what goes to a file or a pipe keeps its bytes (table.c). */
#include <libsmartcols.h>

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "analysis/table.h"

size_t ww_terminal_width(FILE *out)
{
    struct winsize size;
    bool known = ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : 80;
}

static bool is_numeric(const ww_table *t, size_t column)
{
    for (size_t i = t->columns + column; i < t->cells; i += t->columns) {
        if (t->number[i]) {
            return true;
        }
    }
    return false;
}

/* Columns that a text takes up; bytes that are no characters count one each. */
static size_t columns_of(const char *text)
{
    size_t n = mbstowcs(NULL, text, 0);
    return n != (size_t)-1 ? n : strlen(text);
}

/* How a table is cut to a terminal. */
typedef struct layout {
    bool drawn;  /* with the columns that have no head: bars */
    size_t room; /* of the last column */
} layout;

static bool is_shown(const ww_table *t, size_t column, bool drawn)
{
    return drawn || t->cell[column][0] != '\0';
}

/* Of all columns but the last. */
static size_t width_before_last(const ww_table *t, bool drawn)
{
    enum { GAP = 2 };
    size_t used = 0;
    for (size_t c = 0; c + 1 < t->columns; c++) {
        size_t widest = 0;
        for (size_t i = c; i < t->cells; i += t->columns) {
            size_t width = columns_of(t->cell[i]);
            widest = width > widest ? width : widest;
        }
        used += is_shown(t, c, drawn) ? widest + GAP : 0;
    }
    return used;
}

/* Sentences need some room: bars go first. */
static layout fit(const ww_table *t, size_t terminal)
{
    enum { LEAST = 24 };
    bool drawn = width_before_last(t, true) + LEAST <= terminal;
    size_t used = width_before_last(t, drawn);
    return (layout){.drawn = drawn, .room = terminal > used + LEAST ? terminal - used : LEAST};
}

static size_t longest_line(const struct libscols_column *column, const char *text, void *room)
{
    (void)column;
    size_t width = text != NULL ? columns_of(text) : 0, most = *(const size_t *)room;
    return width < most ? width : most;
}

/* Ends the line behind its last whole word; a word that is longer than a line stays whole. Returns
 * what follows, NULL: nothing. */
static char *next_line(const struct libscols_column *column, char *text, void *room)
{
    (void)column;
    if (text == NULL || columns_of(text) <= *(const size_t *)room) {
        return NULL;
    }
    char *space = NULL;
    size_t used = 0;
    for (char *at = text; *at != '\0' && (used <= *(const size_t *)room || space == NULL); used++) {
        space = *at == ' ' ? at : space;
        int bytes = mblen(at, MB_CUR_MAX);
        at += bytes > 0 ? bytes : 1;
    }
    if (space == NULL) {
        return NULL;
    }
    *space = '\0';
    return space + 1;
}

static bool fill(const ww_table *t, layout *cut, struct libscols_table *out)
{
    for (size_t c = 0; c < t->columns; c++) {
        if (!is_shown(t, c, cut->drawn)) {
            continue;
        }
        int flags = is_numeric(t, c) ? SCOLS_FL_RIGHT : c + 1 == t->columns ? SCOLS_FL_WRAP : 0;
        struct libscols_column *column = scols_table_new_column(out, t->cell[c], 0, flags);
        if (column == NULL ||
            (flags == SCOLS_FL_WRAP &&
             scols_column_set_wrapfunc(column, longest_line, next_line, &cut->room) != 0)) {
            return false;
        }
    }
    for (size_t row = 1; row < t->cells / t->columns; row++) {
        struct libscols_line *line = scols_table_new_line(out, NULL);
        for (size_t c = 0, at = 0; c < t->columns; c++) {
            if (is_shown(t, c, cut->drawn) &&
                (line == NULL ||
                 scols_line_set_data(line, at++, t->cell[row * t->columns + c]) != 0)) {
                return false;
            }
        }
    }
    return true;
}

static bool print_fitted(const ww_table *t, FILE *out)
{
    scols_init_debug(0);
    size_t width = ww_terminal_width(out);
    layout cut = fit(t, width);
    struct libscols_table *fitted = scols_new_table();
    bool done = fitted != NULL && scols_table_set_stream(fitted, out) == 0 &&
                scols_table_set_termforce(fitted, SCOLS_TERMFORCE_ALWAYS) == 0 &&
                scols_table_set_termwidth(fitted, width) == 0 &&
                scols_table_set_column_separator(fitted, "  ") == 0 && fill(t, &cut, fitted) &&
                scols_print_table(fitted) == 0;
    scols_unref_table(fitted);
    return done;
}

bool ww_table_print_fitted(const ww_table *t, FILE *out)
{
    if (t->columns == 0 || t->cells <= t->columns || is_numeric(t, t->columns - 1)) {
        return false; /* nothing that may wrap: names and numbers stay in one piece */
    }
    /* The program runs in the C locale, in which libsmartcols takes UTF-8 for bytes to escape. */
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (utf8 == (locale_t)0) {
        return false;
    }
    locale_t before = uselocale(utf8);
    bool done = print_fitted(t, out);
    uselocale(before);
    freelocale(utf8);
    return done;
}
