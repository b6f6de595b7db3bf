/* hotspot_read.c - a floorplan from outside: every line is one block with a name that is known, a
 * size, and a place of its own. See hotspot.h. */
#include <math.h>
#include <string.h>

#include "analysis/hotspot.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"

enum { MOST_BLOCKS = 8192 /* HotSpot's own */, FIELDS = 5, MOST_FIELDS = 7 };

/* A text being read. */
typedef struct reading {
    const char *name, *at, *end;
    int line;
    ww_floorplan *plan;
    size_t capacity;
    ww_map seen; /* name to its line */
} reading;

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next word of a line: its begin, and *length; 0: there is none. */
static const char *next_word(const char **at, const char *end, size_t *length)
{
    while (*at < end && is_space(**at)) {
        (*at)++;
    }
    const char *word = *at;
    while (*at < end && !is_space(**at)) {
        (*at)++;
    }
    *length = (size_t)(*at - word);
    return word;
}

static ww_status read_number(const reading *r, const char *begin, const char *word, size_t length,
                             double *out, ww_error *err)
{
    char text[64];
    int column = (int)(word - begin) + 1;
    size_t kept = length < sizeof text ? length : sizeof text - 1;
    memcpy(text, word, kept);
    text[kept] = '\0';
    if (length >= sizeof text || ww_num_parse_double(text, out, NULL) != WW_OK) {
        return ww_fail_at(err, WW_EPARSE, r->name, r->line, column,
                          "'%s' is not a finite number of metres", text);
    }
    return fabs(*out) <= 1 ? WW_OK
                           : ww_fail_at(err, WW_ERANGE, r->name, r->line, column,
                                        "%g m: no die is wider than 1 m", *out);
}

static ww_status grow(reading *r, ww_error *err)
{
    if (r->plan->count == MOST_BLOCKS) {
        return ww_fail_at(err, WW_ERANGE, r->name, r->line, 0, "more than %d blocks", MOST_BLOCKS);
    }
    if (r->plan->count < r->capacity) {
        return WW_OK;
    }
    size_t wanted = r->capacity == 0 ? 64 : 2 * r->capacity;
    ww_tile *grown = ww_realloc_array(r->plan->tile, wanted, sizeof *grown);
    if (grown == NULL) {
        return ww_no_memory_in(err, r->name);
    }
    r->plan->tile = grown;
    r->capacity = wanted;
    return WW_OK;
}

static ww_status read_name(reading *r, ww_tile *tile, const char *begin, const char *word,
                           size_t length, ww_error *err)
{
    bool added;
    int column = (int)(word - begin) + 1;
    if (length >= sizeof tile->name) {
        return ww_fail_at(err, WW_EPARSE, r->name, r->line, column,
                          "a block's name has less than %zu characters", sizeof tile->name);
    }
    memcpy(tile->name, word, length);
    ww_map_entry *entry = ww_map_add(&r->seen, tile->name, &added);
    if (entry == NULL) {
        return ww_no_memory_in(err, r->name);
    }
    if (!added) {
        return ww_fail_at(err, WW_ERANGE, r->name, r->line, column, "'%s' is on line %d already",
                          tile->name, (int)entry->num);
    }
    entry->num = r->line;
    return WW_OK;
}

static ww_status read_block(reading *r, const char *begin, const char *end, ww_error *err)
{
    ww_tile tile = {.sm = WW_TILE_CHIP, .line = r->line};
    double *const field[FIELDS] = {NULL, &tile.width_m, &tile.height_m, &tile.x_m, &tile.y_m};
    const char *at = begin;
    size_t fields = 0, length;
    for (;; fields++) {
        const char *word = next_word(&at, end, &length);
        if (length == 0) {
            break;
        }
        if (fields == 0) {
            WW_TRY(read_name(r, &tile, begin, word, length, err));
        } else if (fields < FIELDS) {
            WW_TRY(read_number(r, begin, word, length, field[fields], err));
        }
    }
    if (fields == 0) {
        return WW_OK; /* an empty line */
    }
    if (fields < FIELDS || fields > MOST_FIELDS) {
        return ww_fail_at(err, WW_EPARSE, r->name, r->line, 1,
                          "a block has a name, width, height, left and bottom edge, here are %zu "
                          "fields",
                          fields);
    }
    WW_TRY(grow(r, err));
    r->plan->tile[r->plan->count++] = tile;
    return WW_OK;
}

static ww_status read_lines(reading *r, ww_error *err)
{
    while (r->at < r->end) {
        const char *line = r->at, *stop = memchr(line, '\n', (size_t)(r->end - line));
        stop = stop != NULL ? stop : r->end;
        const char *comment = memchr(line, '#', (size_t)(stop - line));
        r->line++;
        if (memchr(line, '\0', (size_t)(stop - line)) != NULL) {
            return ww_fail_at(err, WW_EPARSE, r->name, r->line, 1, "a byte of 0: this is no text");
        }
        WW_TRY(read_block(r, line, comment != NULL ? comment : stop, err));
        r->at = stop < r->end ? stop + 1 : stop;
    }
    return r->plan->count > 0 ? WW_OK
                              : ww_fail_at(err, WW_EPARSE, r->name, 1, 1, "a floorplan has blocks");
}

static void measure(ww_floorplan *plan)
{
    double left = INFINITY, bottom = INFINITY, right = -INFINITY, top = -INFINITY;
    for (size_t i = 0; i < plan->count; i++) {
        const ww_tile *t = &plan->tile[i];
        left = fmin(left, t->x_m);
        bottom = fmin(bottom, t->y_m);
        right = fmax(right, t->x_m + t->width_m);
        top = fmax(top, t->y_m + t->height_m);
    }
    plan->width_m = right - left;
    plan->height_m = top - bottom;
}

ww_status ww_hotspot_parse_floorplan(const char *name, const char *text, size_t length,
                                     ww_floorplan *out, ww_error *err)
{
    ww_floorplan plan = {0};
    reading r = {.name = name, .at = text, .end = text + length, .plan = &plan};
    ww_status status = read_lines(&r, err);
    ww_map_fini(&r.seen);
    status = status == WW_OK ? ww_floorplan_check(&plan, name, err) : status;
    if (status != WW_OK) {
        ww_floorplan_fini(&plan);
        return status;
    }
    measure(&plan);
    *out = plan;
    return WW_OK;
}

/* Puts a drawn block where the model has one of its name. */
static ww_status take_block(const ww_floorplan *own, size_t i, const ww_map *blocks,
                            const char *name, ww_floorplan *drawn, ww_tile *out, ww_error *err)
{
    int64_t at = ww_map_num(blocks, own->tile[i].name, 0);
    if (at == 0) {
        return ww_fail_at(err, WW_ENOTFOUND, name, 0, 0,
                          "block '%s' is missing: this machine has %zu, which 'power --hotspot' "
                          "without --floorplan writes",
                          own->tile[i].name, own->count);
    }
    ww_tile *from = &drawn->tile[at - 1];
    *out = own->tile[i];
    out->x_m = from->x_m;
    out->y_m = from->y_m;
    out->width_m = from->width_m;
    out->height_m = from->height_m;
    from->line = 0; /* taken */
    return WW_OK;
}

ww_status ww_hotspot_match(const ww_floorplan *own, const char *name, ww_floorplan *drawn,
                           ww_error *err)
{
    ww_map blocks = {0};
    ww_tile *sorted = WW_NEW_ARRAY(ww_tile, own->count);
    ww_status status = sorted != NULL ? WW_OK : ww_no_memory(err);
    for (size_t i = 0; status == WW_OK && i < drawn->count; i++) {
        status = ww_map_set_num(&blocks, drawn->tile[i].name, (int64_t)i + 1, err);
    }
    for (size_t i = 0; status == WW_OK && i < own->count; i++) {
        status = take_block(own, i, &blocks, name, drawn, &sorted[i], err);
    }
    for (size_t i = 0; status == WW_OK && i < drawn->count; i++) {
        if (drawn->tile[i].line > 0) {
            status = ww_fail_at(err, WW_ENOTFOUND, name, drawn->tile[i].line, 1,
                                "this machine has no block '%s'", drawn->tile[i].name);
        }
    }
    ww_map_fini(&blocks);
    if (status != WW_OK) {
        ww_free(sorted);
        return status;
    }
    ww_free(drawn->tile);
    drawn->tile = sorted;
    drawn->count = own->count;
    return WW_OK;
}
