/* describe.c - directives that describe the program and do not change what it computes: .loc,
 * .file, .pragma, .section. */
#include <string.h>

#include "base/str.h"
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

static ww_status note_name(ptx_parser *p, const char *label, const ww_str *text)
{
    ww_source_map *m = &p->module->source;
    uint32_t capacity = grown(m->name_count, m->name_capacity);
    char *copy = ww_arena_alloc(p->arena, text->len + 1, 1);
    if (label == NULL || copy == NULL || text->failed) {
        return ww__parse_no_memory(p);
    }
    memcpy(copy, ww_str_text(text), text->len);
    copy[text->len] = '\0';
    if (capacity != 0) {
        ww_debug_text *list = WW_ARENA_NEW_ARRAY(p->arena, ww_debug_text, capacity);
        if (list == NULL) {
            return ww__parse_no_memory(p);
        }
        if (m->name_count > 0) {
            memcpy(list, m->name, m->name_count * sizeof *list);
        }
        m->name = list;
        m->name_capacity = capacity;
    }
    m->name[m->name_count++] = (ww_debug_text){label, copy, text->len};
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

/* File, line, column. */
static ww_status parse_place(ptx_parser *p, uint32_t *file, uint32_t *line, uint32_t *column)
{
    uint32_t *part[] = {file, line, column};
    for (size_t i = 0; i < WW_ARRAY_LEN(part); i++) {
        uint64_t n;
        WW_TRY(ww__parse_number(p, UINT32_MAX, &n));
        *part[i] = (uint32_t)n;
    }
    return WW_OK;
}

/* A label of .debug_str, and how far behind it the name begins. */
static ww_status parse_function_name(ptx_parser *p, ww_source_line *of)
{
    bool plus;
    of->label = ww_arena_strndup(p->arena, p->token.text, p->token.length);
    if (of->label == NULL) {
        return ww__parse_no_memory(p);
    }
    WW_TRY(ww__parse_advance(p));
    WW_TRY(ww__parse_accept(p, '+', &plus));
    if (plus) {
        uint64_t n;
        WW_TRY(ww__parse_number(p, UINT32_MAX, &n));
        of->offset = (uint32_t)n;
    }
    return WW_OK;
}

/* .loc 1 20 5, function_name $L + 4, inlined_at 1 7 3 */
static ww_status parse_location(ptx_parser *p)
{
    ww_source_line of = {.ptx_line = (uint32_t)p->token.loc.line};
    bool more;
    WW_TRY(ww__parse_advance(p));
    WW_TRY(parse_place(p, &of.file, &of.line, &of.column));
    WW_TRY(ww__parse_accept(p, ',', &more));
    while (more) {
        bool is_name = ww__parse_at_name(p, "function_name");
        WW_TRY(ww__parse_advance(p));
        if (is_name) {
            WW_TRY(parse_function_name(p, &of));
        } else {
            WW_TRY(parse_place(p, &of.at_file, &of.at_line, &of.at_column));
        }
        WW_TRY(ww__parse_accept(p, ',', &more));
    }
    return note_line(p, of);
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

/* Adds what is at the parser to the bytes behind a label, or begins another label. */
static ww_status take_name(ptx_parser *p, const char **label, ww_str *text)
{
    const bool is_label = p->token.kind == PTX_TOK_NAME;
    if (p->token.kind == PTX_TOK_INT && p->token.value <= UINT8_MAX) {
        ww_str_add_char(text, (char)(unsigned char)p->token.value);
    }
    if (!is_label) {
        return WW_OK;
    }
    if (*label != NULL) {
        WW_TRY(note_name(p, *label, text));
    }
    text->len = 0;
    *label = ww_arena_strndup(p->arena, p->token.text, p->token.length);
    return *label != NULL ? WW_OK : ww__parse_no_memory(p);
}

/* { label: .b8 102,111,111,0 … }; what else there is says nothing. */
static ww_status parse_names(ptx_parser *p)
{
    ww_str text = {0};
    const char *label = NULL;
    ww_status status = ww__parse_expect(p, '{');
    while (status == WW_OK && p->token.kind != PTX_TOK_END &&
           !(p->token.kind == PTX_TOK_PUNCT && p->token.punct == '}')) {
        status = take_name(p, &label, &text);
        status = status == WW_OK ? ww__parse_advance(p) : status;
    }
    if (status == WW_OK && label != NULL) {
        status = note_name(p, label, &text);
    }
    ww_str_fini(&text);
    return status == WW_OK ? ww__parse_expect(p, '}') : status;
}

/* .section .debug_info { … } */
static ww_status parse_section(ptx_parser *p)
{
    WW_TRY(ww__parse_advance(p));
    if (p->token.kind == PTX_TOK_END) {
        return ww__parse_expected(p, "a section name");
    }
    const bool names = ww__parse_at_dot(p, "debug_str");
    WW_TRY(ww__parse_advance(p));
    return names ? parse_names(p) : ww__parse_skip_brackets(p, '{', '}');
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
