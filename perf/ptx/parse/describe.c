/* describe.c - directives that describe the program and do not change what it computes: .loc,
 * .file, .pragma, .section. */
#include <string.h>

#include "perf/ptx/parse/parser.h"

/* A list's next capacity, when it is full; else 0. */
static uint32_t grown(uint32_t count, uint32_t capacity)
{
    return count < capacity ? 0 : capacity != 0 ? 2 * capacity : 64;
}

static ww_status note_line(ptx_parser *p, ww_source_line line)
{
    ww_source_map *m = &p->module->source;
    uint32_t capacity = grown(m->line_count, m->line_capacity);
    if (capacity != 0) {
        ww_source_line *list = WW_ARENA_NEW_ARRAY(p->arena, ww_source_line, capacity);
        if (list == NULL) {
            return ww__parse_no_memory(p);
        }
        if (m->line_count > 0) {
            memcpy(list, m->line, m->line_count * sizeof *list);
        }
        m->line = list;
        m->line_capacity = capacity;
    }
    m->line[m->line_count++] = line;
    return WW_OK;
}

static ww_status note_file(ptx_parser *p, ww_source_file file)
{
    ww_source_map *m = &p->module->source;
    uint32_t capacity = grown(m->file_count, m->file_capacity);
    if (file.name == NULL) {
        return ww__parse_no_memory(p);
    }
    if (capacity != 0) {
        ww_source_file *list = WW_ARENA_NEW_ARRAY(p->arena, ww_source_file, capacity);
        if (list == NULL) {
            return ww__parse_no_memory(p);
        }
        if (m->file_count > 0) {
            memcpy(list, m->file, m->file_count * sizeof *list);
        }
        m->file = list;
        m->file_capacity = capacity;
    }
    m->file[m->file_count++] = file;
    return WW_OK;
}

/* A .loc counts up to the end of its function. */
ww_status ww__parse_forget_location(ptx_parser *p)
{
    const ww_source_map *m = &p->module->source;
    if (m->line_count == 0 || m->line[m->line_count - 1].file == 0) {
        return WW_OK;
    }
    return note_line(p, (ww_source_line){.ptx_line = (uint32_t)p->token.loc.line});
}

/* .loc 1 20 5, function_name $L + 4, inlined_at 1 7 3 */
static ww_status parse_location(ptx_parser *p)
{
    uint64_t n;
    uint64_t place[3]; /* file, line, column */
    uint32_t ptx_line = (uint32_t)p->token.loc.line;
    WW_TRY(ww__parse_advance(p));
    for (int i = 0; i < 3; i++) {
        WW_TRY(ww__parse_number(p, UINT32_MAX, &place[i]));
    }
    WW_TRY(note_line(p, (ww_source_line){ptx_line, (uint32_t)place[0], (uint32_t)place[1]}));
    bool more;
    WW_TRY(ww__parse_accept(p, ',', &more));
    while (more) {
        bool is_name = ww__parse_at_name(p, "function_name");
        WW_TRY(ww__parse_advance(p));
        if (is_name) {
            WW_TRY(ww__parse_advance(p)); /* label */
            bool plus;
            WW_TRY(ww__parse_accept(p, '+', &plus));
            if (plus) {
                WW_TRY(ww__parse_number(p, UINT32_MAX, &n));
            }
        } else {
            for (int i = 0; i < 3; i++) {
                WW_TRY(ww__parse_number(p, UINT32_MAX, &n));
            }
        }
        WW_TRY(ww__parse_accept(p, ',', &more));
    }
    return WW_OK;
}

/* .file 1 "name", time, size */
static ww_status parse_file(ptx_parser *p)
{
    uint64_t n;
    WW_TRY(ww__parse_advance(p));
    WW_TRY(ww__parse_number(p, UINT32_MAX, &n));
    if (p->token.kind != PTX_TOK_STRING) {
        return ww__parse_expected(p, "a file name");
    }
    const char *name = ww_arena_strndup(p->arena, p->token.text, p->token.length);
    WW_TRY(note_file(p, (ww_source_file){(uint32_t)n, name}));
    WW_TRY(ww__parse_advance(p));
    bool more;
    WW_TRY(ww__parse_accept(p, ',', &more));
    while (more) {
        WW_TRY(ww__parse_number(p, UINT64_MAX, &n));
        WW_TRY(ww__parse_accept(p, ',', &more));
    }
    return WW_OK;
}

/* .pragma "nounroll", "…"; */
static ww_status parse_pragma(ptx_parser *p)
{
    bool more = true;
    WW_TRY(ww__parse_advance(p));
    while (more) {
        if (p->token.kind != PTX_TOK_STRING) {
            return ww__parse_expected(p, "a string");
        }
        WW_TRY(ww__parse_advance(p));
        WW_TRY(ww__parse_accept(p, ',', &more));
    }
    return ww__parse_expect(p, ';');
}

/* .section .debug_info { … } */
static ww_status parse_section(ptx_parser *p)
{
    WW_TRY(ww__parse_advance(p));
    if (p->token.kind == PTX_TOK_END) {
        return ww__parse_expected(p, "a section name");
    }
    WW_TRY(ww__parse_advance(p));
    return ww__parse_skip_brackets(p, '{', '}');
}

ww_status ww__parse_description(ptx_parser *p, bool *taken)
{
    *taken = true;
    if (ww__parse_at_dot(p, "loc")) {
        return parse_location(p);
    }
    if (ww__parse_at_dot(p, "file")) {
        return parse_file(p);
    }
    if (ww__parse_at_dot(p, "pragma")) {
        return parse_pragma(p);
    }
    if (ww__parse_at_dot(p, "section")) {
        return parse_section(p);
    }
    *taken = false;
    return WW_OK;
}
