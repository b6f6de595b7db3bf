/* foreign_table.c - what a source told, launch by launch, and numbers as others write them. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "counters/foreign_parts.h"

void ww__foreign_table_fini(ww__foreign_table *table)
{
    ww_map_fini(&table->names);
    ww_free(table->launches);
    ww_arena_fini(&table->arena);
}

ww_status ww__foreign_add(ww__foreign_table *table, const char *kernel, size_t length, int line,
                          ww__foreign_launch **out, ww_error *err)
{
    if (table->count == WW__FOREIGN_MOST_LAUNCHES) {
        return ww_fail_at(err, WW_ERANGE, table->file, line, 0, "more than %d launches",
                          WW__FOREIGN_MOST_LAUNCHES);
    }
    if (table->count == table->capacity) {
        size_t capacity = table->capacity == 0 ? 16 : 2 * table->capacity;
        ww__foreign_launch *grown =
            ww_realloc_array(table->launches, capacity, sizeof *table->launches);
        if (grown == NULL) {
            return ww_no_memory(err);
        }
        table->launches = grown;
        table->capacity = capacity;
    }
    ww__foreign_launch *launch = &table->launches[table->count];
    *launch = (ww__foreign_launch){
        .kernel = ww_arena_strndup(&table->arena, kernel, length),
        .line = line,
        .told = WW_ARENA_NEW_ARRAY(&table->arena, ww__told, table->names.count + 1)};
    if (launch->kernel == NULL || launch->told == NULL) {
        return ww_no_memory(err);
    }
    table->count++;
    *out = launch;
    return WW_OK;
}

ww__told *ww__foreign_told(const ww__foreign_table *table, const ww__foreign_launch *launch,
                           const char *name, size_t length)
{
    const ww_map_entry *entry = ww_map_find_n(&table->names, name, length);
    return entry == NULL ? NULL : &launch->told[entry->num];
}

ww_status ww__foreign_tell(const ww__foreign_table *table, ww__told *told, const char *name,
                           size_t length, double value, int line, ww_error *err)
{
    if (told->line != 0 && told->value != value) {
        return ww_fail_at(err, WW_EPARSE, table->file, line, 0,
                          "'%.*s' is told twice of one kernel: %.17g here, %.17g in line %d",
                          (int)length, name, value, told->value, told->line);
    }
    *told = (ww__told){.value = value, .line = line};
    return WW_OK;
}

/* "1,234,567.5" without its commas, which stand before groups of three digits; false: they do not.
 */
static bool drop_commas(const char *text, size_t length, char *out)
{
    size_t n = 0, digits = 0;
    bool grouped = false, fraction = false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == ',') {
            if (fraction || digits == 0 || (grouped ? digits != 3 : digits > 3)) {
                return false;
            }
            grouped = true;
            digits = 0;
            continue;
        }
        if (!fraction && text[i] != '-' && text[i] != '+') {
            if (!isdigit((unsigned char)text[i])) {
                if (grouped && digits != 3) {
                    return false;
                }
                fraction = true;
            }
            digits++;
        }
        out[n++] = text[i];
    }
    out[n] = '\0';
    return !grouped || fraction || digits == 3;
}

ww_status ww__foreign_number(const ww__foreign_table *table, const char *name, size_t name_length,
                             const char *text, size_t length, int line, double *out, ww_error *err)
{
    char plain[64];
    const char *end = plain;
    if (length == 0 || length >= sizeof plain || !drop_commas(text, length, plain) ||
        !ww_num_scan(plain, &end, out) || *end != '\0') {
        return ww_fail_at(err, WW_EPARSE, table->file, line, 0,
                          "'%.*s' is '%.*s', which is not a number as 1234.5 or 1,234.5",
                          (int)name_length, name, (int)(length < 40 ? length : 40), text);
    }
    if (!(*out >= 0) || *out > 0x1p63) {
        return ww_fail_at(err, WW_ERANGE, table->file, line, 0, "'%.*s' cannot be %s",
                          (int)name_length, name, plain);
    }
    return WW_OK;
}

ww_status ww__foreign_extent(const ww__foreign_table *table, const char *text, int line,
                             uint32_t out[3], ww_error *err)
{
    const char *p = text + (*text == '(');
    for (int i = 0; i < 3; i++) {
        double x = 0;
        p += strspn(p, " ");
        if (!isdigit((unsigned char)*p) || !ww_num_scan(p, &p, &x) || x != floor(x) || x < 1 ||
            x > UINT32_MAX || *p != (i < 2 ? ',' : ')')) {
            return ww_fail_at(err, WW_EPARSE, table->file, line, 0,
                              "'%.40s' is no extent as (128, 1, 1)", text);
        }
        out[i] = (uint32_t)x;
        p++;
    }
    return WW_OK;
}
