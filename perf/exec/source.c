/* source.c - where an instruction comes from: the PTX line, and before it the line of the program's
 * source where the PTX says which. */
#include <stdio.h>

#include "perf/exec/code.h"

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
