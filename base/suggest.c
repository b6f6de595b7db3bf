/* suggest.c - optimal string alignment distance, and the nearest candidate by it. */
#include "base/suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MAX_CHARS = 64 };

static char lower_at(const char *s, size_t i)
{
    return (char)tolower((unsigned char)s[i]);
}

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

size_t ww_edit_distance(const char *a, const char *b)
{
    size_t na = strnlen(a, MAX_CHARS), nb = strnlen(b, MAX_CHARS);
    size_t d[3][MAX_CHARS + 1]; /* the last three rows of the distance table */
    for (size_t j = 0; j <= nb; j++) {
        d[0][j] = j;
    }
    for (size_t i = 1; i <= na; i++) {
        size_t *row = d[i % 3], *above = d[(i - 1) % 3], *above2 = d[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t cost = lower_at(a, i - 1) != lower_at(b, j - 1);
            row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + cost);
            if (i > 1 && j > 1 && lower_at(a, i - 1) == lower_at(b, j - 2) &&
                lower_at(a, i - 2) == lower_at(b, j - 1) && above2[j - 2] + 1 < row[j]) {
                row[j] = above2[j - 2] + 1;
            }
        }
    }
    return d[na % 3][nb];
}

void ww_suggest_init(ww_suggest *s, const char *word)
{
    *s = (ww_suggest){.word = word};
}

void ww_suggest_offer(ww_suggest *s, const char *candidate)
{
    size_t distance = ww_edit_distance(s->word, candidate);
    size_t near = 1 + strnlen(s->word, MAX_CHARS) / 4;
    if (distance <= near && (s->best == NULL || distance < s->distance)) {
        s->best = candidate;
        s->distance = distance;
    }
}

char *ww_suggest_text(const ww_suggest *s, char *buf, size_t size)
{
    if (s->best != NULL) {
        snprintf(buf, size, "; did you mean '%s'?", s->best);
    } else {
        buf[0] = '\0';
    }
    return buf;
}
