/* parse_describe.c - directives that describe the program and do not change what it computes: .loc,
 * .file, .pragma, .section. */
#include "perf/ptx/parser.h"

/* .loc 1 20 5, function_name $L + 4, inlined_at 1 7 3 */
static ww_status parse_location(ptx_parser *p)
{
    uint64_t n;
    WW_TRY(ww__parse_advance(p));
    for (int i = 0; i < 3; i++) {
        WW_TRY(ww__parse_number(p, UINT32_MAX, &n));
    }
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
