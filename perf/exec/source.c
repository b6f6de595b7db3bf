/* source.c - where an instruction comes from: the PTX line, and before it the line of the program's
 * source where the PTX says which. */
#include <stdio.h>
#include <string.h>

#include "perf/exec/code.h"
#include "perf/exec/source.h"

/* The last .loc at or before a PTX line; NULL: none that counts. */
static const ww_source_line *find(const ww_source_map *map, uint32_t ptx_line)
{
    uint32_t low = 0;
    uint32_t high = map->line_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (map->line[middle].ptx_line > ptx_line) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low > 0 && map->line[low - 1].file != 0 ? &map->line[low - 1] : NULL;
}

static const char *file_name(const ww_source_map *map, uint32_t number)
{
    for (uint32_t k = 0; k < map->file_count; k++) {
        if (map->file[k].number == number) {
            return map->file[k].name;
        }
    }
    return NULL;
}

/* The name of the function that was inlined where an entry stands; NULL: none was, or its name is
 * not known. */
static const char *function_of(const ww_source_map *map, const ww_source_line *at)
{
    for (uint32_t k = 0; at->label != NULL && k < map->name_count; k++) {
        const ww_debug_text *name = &map->name[k];
        if (strcmp(name->label, at->label) == 0) {
            return at->offset < name->length ? name->text + at->offset : NULL;
        }
    }
    return NULL;
}

/* The entry of the call that an inlined one has replaced: the last one before it at that place. */
static const ww_source_line *caller_of(const ww_source_map *map, const ww_source_line *at)
{
    for (const ww_source_line *e = at; at->at_line != 0 && e > map->line && e[-1].file != 0; e--) {
        if (e[-1].file == at->at_file && e[-1].line == at->at_line &&
            e[-1].column == at->at_column) {
            return &e[-1];
        }
    }
    return NULL;
}

char *ww_source_function(const ww_kernel *kernel, uint32_t ptx_line, char *buf, size_t size)
{
    enum { DEEPEST = 16 };
    const char *name[DEEPEST];
    size_t depth = 0, used = 0;
    const ww_source_line *at = kernel->source != NULL ? find(kernel->source, ptx_line) : NULL;
    while (at != NULL && depth < DEEPEST) {
        const char *text = function_of(kernel->source, at);
        name[depth] = text;
        depth += text != NULL;
        at = caller_of(kernel->source, at);
    }
    buf[0] = '\0';
    while (depth > 0 && used < size) {
        int n = snprintf(buf + used, size - used, "%s%.200s", used > 0 ? ";" : "", name[--depth]);
        used += n > 0 ? (size_t)n : 0;
    }
    return buf;
}

bool ww_source_of(const ww_kernel *kernel, uint32_t ptx_line, const char **file, uint32_t *line)
{
    const ww_source_line *at = kernel->source != NULL ? find(kernel->source, ptx_line) : NULL;
    *file = at != NULL ? file_name(kernel->source, at->file) : NULL;
    *line = *file != NULL ? at->line : 0;
    return *file != NULL;
}

char *ww__source_line(const ww_kernel *kernel, uint32_t ptx_line, char *buf, size_t size)
{
    const char *name;
    uint32_t line;
    buf[0] = '\0';
    if (ww_source_of(kernel, ptx_line, &name, &line)) {
        snprintf(buf, size, "%.180s:%u", name, line);
    }
    return buf;
}

char *ww__source_place(const ww_kernel *kernel, uint32_t ptx_line, char *buf, size_t size)
{
    char source[200];
    if (*ww__source_line(kernel, ptx_line, source, sizeof source) != '\0') {
        snprintf(buf, size, "%s (%.180s:%u)", source, kernel->file, ptx_line);
    } else {
        snprintf(buf, size, "%.180s:%u", kernel->file, ptx_line);
    }
    return buf;
}
