/* parse.c - PTX modules: directives at module level, function heads, and the tables the rest of the
 * program sees. */
#include "perf/ptx/parse/parser.h"

#include <stdio.h>
#include <string.h>

enum { MAX_PARAMETERS = 4096, MAX_TEXT = 1 << 29 };

/* ---- tokens ---- */

ww_status ww__parse_advance(ptx_parser *p)
{
    return ww__lexer_next(&p->lexer, &p->token, p->err);
}

ww_status ww__parse_fail(ptx_parser *p, ww_status code, ptx_loc loc, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return ww_fail_at(p->err, code, p->module->file, loc.line, loc.column, "%s", text);
}

ww_status ww__parse_no_memory(ptx_parser *p)
{
    return ww_no_memory_for(p->err, "reading %s", p->module->file);
}

ww_status ww__parse_expected(ptx_parser *p, const char *what)
{
    const ptx_token *t = &p->token;
    if (t->kind == PTX_TOK_END) {
        return ww__parse_fail(p, WW_EPARSE, t->loc, "expected %s, found the end of the file", what);
    }
    int shown = t->length < 60 ? (int)t->length : 60;
    return ww__parse_fail(p, WW_EPARSE, t->loc, "expected %s, found '%s%.*s'", what,
                          t->kind == PTX_TOK_DOT ? "." : "", shown, t->text);
}

bool ww__parse_at(const ptx_parser *p, int punct)
{
    return p->token.kind == PTX_TOK_PUNCT && p->token.punct == punct;
}

static bool at_word(const ptx_parser *p, ptx_token_kind kind, const char *word)
{
    return p->token.kind == kind && strlen(word) == p->token.length &&
           memcmp(word, p->token.text, p->token.length) == 0;
}

bool ww__parse_at_dot(const ptx_parser *p, const char *word)
{
    return at_word(p, PTX_TOK_DOT, word);
}

bool ww__parse_at_name(const ptx_parser *p, const char *word)
{
    return at_word(p, PTX_TOK_NAME, word);
}

ww_status ww__parse_accept(ptx_parser *p, int punct, bool *accepted)
{
    *accepted = ww__parse_at(p, punct);
    return *accepted ? ww__parse_advance(p) : WW_OK;
}

ww_status ww__parse_expect(ptx_parser *p, int punct)
{
    if (!ww__parse_at(p, punct)) {
        char what[4] = {'\'', (char)punct, '\'', '\0'};
        return ww__parse_expected(p, what);
    }
    return ww__parse_advance(p);
}

ww_status ww__parse_number(ptx_parser *p, uint64_t most, uint64_t *out)
{
    if (p->token.kind != PTX_TOK_INT) {
        return ww__parse_expected(p, "a number");
    }
    if (p->token.value > most) {
        return ww__parse_fail(p, WW_EPARSE, p->token.loc, "%llu is more than %llu",
                              (unsigned long long)p->token.value, (unsigned long long)most);
    }
    *out = p->token.value;
    return ww__parse_advance(p);
}

const char *ww__parse_text(ptx_parser *p)
{
    return ww_arena_strndup(p->arena, p->token.text, p->token.length);
}

ww_status ww__parse_skip_brackets(ptx_parser *p, int open, int close)
{
    uint32_t depth = 0;
    if (!ww__parse_at(p, open)) {
        return ww__parse_expect(p, open);
    }
    do {
        if (p->token.kind == PTX_TOK_END) {
            char what[4] = {'\'', (char)close, '\'', '\0'};
            return ww__parse_expected(p, what);
        }
        depth += ww__parse_at(p, open);
        depth -= ww__parse_at(p, close);
        WW_TRY(ww__parse_advance(p));
    } while (depth > 0);
    return WW_OK;
}

/* ---- functions ---- */

static ww_status add_formal(ptx_parser *p, ptx_formal formal, ptx_formal **list, uint32_t *count,
                            uint32_t *capacity)
{
    if (*count == MAX_PARAMETERS) {
        return ww__parse_fail(p, WW_EPARSE, p->token.loc, "more than %d parameters",
                              MAX_PARAMETERS);
    }
    if (*count == *capacity) {
        *capacity = *capacity != 0 ? 2 * *capacity : 8;
        ptx_formal *grown = WW_ARENA_NEW_ARRAY(p->arena, ptx_formal, *capacity);
        if (grown == NULL) {
            return ww__parse_no_memory(p);
        }
        if (*count > 0) {
            memcpy(grown, *list, *count * sizeof *grown);
        }
        *list = grown;
    }
    (*list)[(*count)++] = formal;
    return WW_OK;
}

/* A vector register is as many parameters as it has elements. */
static ww_status parse_formals(ptx_parser *p, ptx_function *f, ptx_formal **list, uint32_t *count)
{
    uint32_t capacity = 0;
    *list = NULL;
    *count = 0;
    WW_TRY(ww__parse_expect(p, '('));
    bool more = !ww__parse_at(p, ')');
    while (more) {
        ptx_formal formal = {0};
        unsigned elements = 1;
        if (ww__parse_at_dot(p, "param")) {
            ptx_var *var = NULL;
            WW_TRY(ww__parse_parameter(p, f, &var));
            formal.var = var;
        } else if (ww__parse_at_dot(p, "reg") && !f->is_kernel) {
            WW_TRY(ww__parse_register_formal(p, f, &formal.reg, &elements));
        } else {
            return ww__parse_expected(p, "a parameter");
        }
        for (unsigned i = 0; i < (elements > 1 ? elements : 1); i++) {
            WW_TRY(add_formal(p, formal, list, count, &capacity));
            formal.reg.reg++;
        }
        WW_TRY(ww__parse_accept(p, ',', &more));
    }
    return ww__parse_expect(p, ')');
}

/* .reqnctapercluster nx{, ny{, nz}} */
static ww_status parse_cluster(ptx_parser *p, ptx_function *f)
{
    bool more = true;
    WW_TRY(ww__parse_advance(p));
    for (unsigned k = 0; k < 3; k++) {
        uint64_t n = 1;
        if (more) {
            ptx_loc loc = p->token.loc;
            WW_TRY(ww__parse_number(p, 1 << 16, &n));
            WW_TRY(ww__parse_accept(p, ',', &more));
            if (n == 0) {
                return ww__parse_fail(p, WW_EPARSE, loc, "a cluster has at least one CTA");
            }
        }
        f->cluster[k] = (uint32_t)n;
    }
    return WW_OK;
}

/* .maxntid and the like, between head and body. */
static ww_status parse_tuning(ptx_parser *p, ptx_function *f)
{
    while (p->token.kind == PTX_TOK_DOT) {
        bool taken;
        WW_TRY(ww__parse_description(p, &taken));
        if (taken) {
            continue;
        }
        uint32_t *limit = NULL;
        if (ww__parse_at_dot(p, "reqnctapercluster")) {
            WW_TRY(parse_cluster(p, f));
            continue;
        }
        if (ww__parse_at_dot(p, "maxntid") || ww__parse_at_dot(p, "reqntid")) {
            limit = &f->max_threads;
        } else if (ww__parse_at_dot(p, "minnctapersm")) {
            limit = &f->min_ctas;
        } else if (ww__parse_at_dot(p, "maxnreg")) {
            limit = &f->max_registers;
        } else if (ww__parse_at_dot(p, "maxclusterrank")) {
            limit = &f->max_cluster;
        } else if (!ww__parse_at_dot(p, "explicitcluster") &&
                   !ww__parse_at_dot(p, "maxnctapersm") && !ww__parse_at_dot(p, "noreturn") &&
                   !ww__parse_at_dot(p, "abi_preserve") &&
                   !ww__parse_at_dot(p, "abi_preserve_control") &&
                   !ww__parse_at_dot(p, "blocksareclusters")) {
            return ww__parse_expected(p, "the body of the function");
        }
        WW_TRY(ww__parse_advance(p));
        uint64_t product = 1, n;
        bool more = p->token.kind == PTX_TOK_INT;
        while (more) {
            WW_TRY(ww__parse_number(p, 1 << 16, &n));
            product = product * n > UINT32_MAX ? UINT32_MAX : product * n;
            WW_TRY(ww__parse_accept(p, ',', &more));
        }
        if (limit != NULL) {
            *limit = (uint32_t)product;
        }
    }
    return WW_OK;
}

static ww_status parse_function_body(ptx_parser *p, ptx_function *f)
{
    p->func = f;
    f->has_body = true;
    ww_status status = ww__parse_body(p);
    status = status == WW_OK ? ww__parse_bind_labels(p) : status;
    p->func = NULL;
    return status;
}

/* ".entry name (…)" or ".func (…) name (…)", and a body or a semicolon. */
static ww_status parse_function(ptx_parser *p)
{
    bool is_kernel = ww__parse_at_dot(p, "entry");
    WW_TRY(ww__parse_advance(p));
    if (ww__parse_at_dot(p, "attribute")) {
        WW_TRY(ww__parse_advance(p));
        WW_TRY(ww__parse_skip_brackets(p, '(', ')'));
    }
    /* Formals live in a block around the body; results come before the name, so they wait in a
     * scratch function. */
    ptx_function head = {.is_kernel = is_kernel};
    p->scope_count = 0;
    p->label_refs = NULL;
    ww_map_fini(&p->labels);
    WW_TRY(ww__parse_open_block(p));
    if (!is_kernel && ww__parse_at(p, '(')) {
        WW_TRY(parse_formals(p, &head, &head.out, &head.out_count));
    }
    if (p->token.kind != PTX_TOK_NAME) {
        return ww__parse_expected(p, "a function name");
    }
    ptx_function *f = NULL;
    p->depth--; /* the name belongs to the module */
    ww_status named = ww__parse_function_name(p, is_kernel, &f);
    p->depth++;
    WW_TRY(named);
    f->loc = p->token.loc;
    f->reg_count = head.reg_count;
    f->param_count = head.param_count;
    f->out = head.out;
    f->out_count = head.out_count;
    f->in_count = 0;
    WW_TRY(ww__parse_advance(p));
    if (ww__parse_at(p, '(')) {
        WW_TRY(parse_formals(p, f, &f->in, &f->in_count));
    }
    f->formal_count = f->param_count;
    WW_TRY(parse_tuning(p, f));
    bool is_declaration;
    WW_TRY(ww__parse_accept(p, ';', &is_declaration));
    if (!is_declaration) {
        WW_TRY(parse_function_body(p, f));
        WW_TRY(ww__parse_function_defined(p, f));
    }
    ww__parse_close_block(p);
    return WW_OK;
}

/* ---- the module ---- */

static ww_status parse_version(ptx_parser *p)
{
    WW_TRY(ww__parse_advance(p));
    unsigned major = 0, minor = 0;
    size_t i = 0;
    const ptx_token *t = &p->token;
    while (i < t->length && t->length < 8 && t->text[i] >= '0' && t->text[i] <= '9') {
        major = major * 10 + (unsigned)(t->text[i++] - '0');
    }
    bool dot = i > 0 && i < t->length && t->text[i] == '.';
    size_t digits = ++i;
    while (dot && i < t->length && t->text[i] >= '0' && t->text[i] <= '9') {
        minor = minor * 10 + (unsigned)(t->text[i++] - '0');
    }
    if (t->kind != PTX_TOK_F64 || !dot || i == digits || i != t->length) {
        return ww__parse_expected(p, "a version such as 8.0");
    }
    p->module->version_major = major;
    p->module->version_minor = minor;
    return ww__parse_advance(p);
}

static ww_status parse_target(ptx_parser *p)
{
    bool more = true;
    WW_TRY(ww__parse_advance(p));
    while (more) {
        const ptx_token *t = &p->token;
        if (t->kind != PTX_TOK_NAME) {
            return ww__parse_expected(p, "a target");
        }
        if (t->length > 3 && t->length < 9 && memcmp(t->text, "sm_", 3) == 0) {
            unsigned sm = 0;
            for (size_t i = 3; i < t->length && t->text[i] >= '0' && t->text[i] <= '9'; i++) {
                sm = sm * 10 + (unsigned)(t->text[i] - '0');
            }
            p->module->target_sm = sm;
        }
        WW_TRY(ww__parse_advance(p));
        WW_TRY(ww__parse_accept(p, ',', &more));
    }
    return WW_OK;
}

static ww_status parse_address_size(ptx_parser *p)
{
    WW_TRY(ww__parse_advance(p));
    ptx_loc loc = p->token.loc;
    uint64_t bits;
    WW_TRY(ww__parse_number(p, UINT64_MAX, &bits));
    if (bits != 64) {
        return ww__parse_fail(p, WW_EUNSUP, loc,
                              "only 64-bit addresses are supported, not %llu-bit ones",
                              (unsigned long long)bits);
    }
    return WW_OK;
}

static ww_status parse_linked(ptx_parser *p)
{
    WW_TRY(ww__parse_linkage(p));
    if (ww__parse_at_dot(p, "entry") || ww__parse_at_dot(p, "func")) {
        return parse_function(p);
    }
    ww_space space = ww__parse_space(p);
    return space != WW_SPACE_NONE ? ww__parse_variables(p, space)
                                  : ww__parse_expected(p, "a function or variable");
}

static ww_status parse_top(ptx_parser *p)
{
    if (ww__parse_at(p, '@')) { /* "@@DWARF …" of old compilers */
        ww__lexer_skip_line(&p->lexer);
        return ww__parse_advance(p);
    }
    if (p->token.kind != PTX_TOK_DOT) {
        return ww__parse_expected(p, "a directive");
    }
    if (ww__parse_at_dot(p, "version")) {
        return parse_version(p);
    }
    if (ww__parse_at_dot(p, "target")) {
        return parse_target(p);
    }
    if (ww__parse_at_dot(p, "address_size")) {
        return parse_address_size(p);
    }
    if (ww__parse_at_dot(p, "alias")) {
        return ww__parse_fail(p, WW_EUNSUP, p->token.loc, "directive '.alias' is not supported");
    }
    bool taken;
    WW_TRY(ww__parse_description(p, &taken));
    return taken ? WW_OK : parse_linked(p);
}

/* ---- tables of the module ---- */

static ww_status list_kernels(ptx_parser *p)
{
    ww_ptx_module *m = p->module;
    m->kernel_name = WW_ARENA_NEW_ARRAY(p->arena, const char *, p->ast->function_count + 1);
    if (m->kernel_name == NULL) {
        return ww__parse_no_memory(p);
    }
    for (const ptx_function *f = p->ast->functions; f != NULL; f = f->next) {
        if (f->is_kernel && f->has_body) {
            m->kernel_name[m->kernel_count++] = f->name;
        }
    }
    return WW_OK;
}

static ww_status list_relocs(ptx_parser *p, const ptx_var *v, ww_symbol *symbol)
{
    ww_reloc *list = WW_ARENA_NEW_ARRAY(p->arena, ww_reloc, v->reloc_count + 1);
    if (list == NULL) {
        return ww__parse_no_memory(p);
    }
    uint32_t n = v->reloc_count;
    for (const ptx_reloc *r = v->relocs; r != NULL; r = r->next) {
        list[--n] = (ww_reloc){r->offset, &p->module->symbol[r->target->id], r->addend};
    }
    symbol->reloc = list;
    symbol->reloc_count = v->reloc_count;
    return WW_OK;
}

static ww_status list_symbols(ptx_parser *p)
{
    ww_ptx_module *m = p->module;
    m->symbol = WW_ARENA_NEW_ARRAY(p->arena, ww_symbol, m->symbol_count + 1);
    if (m->symbol == NULL) {
        return ww__parse_no_memory(p);
    }
    for (const ptx_var *v = p->ast->symbols; v != NULL; v = v->next) {
        ww_symbol *s = &m->symbol[v->id];
        *s = (ww_symbol){.name = v->name,
                         .space = v->space,
                         .bytes = v->bytes,
                         .align = v->align,
                         .init = v->init,
                         .init_bytes = v->init_bytes,
                         .is_extern = v->linkage.is_extern,
                         .line = (uint32_t)v->loc.line};
        WW_TRY(list_relocs(p, v, s));
    }
    return WW_OK;
}

static ww_status parse_unit(ptx_parser *p)
{
    WW_TRY(ww__parse_advance(p));
    if (!ww__parse_at_dot(p, "version")) {
        return ww__parse_expected(p, "'.version'");
    }
    while (p->token.kind != PTX_TOK_END) {
        WW_TRY(parse_top(p));
    }
    ww__parse_end_unit(p);
    return WW_OK;
}

static ww_status parse_units(ptx_parser *p, const ww_ptx_text *units, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (units[i].length > MAX_TEXT) {
            return ww_fail_at(p->err, WW_EPARSE, p->module->file, 0, 0,
                              "the file is larger than 512 MiB");
        }
        p->unit = (uint32_t)i;
        ww__lexer_init(&p->lexer, p->module->file, units[i].text, units[i].length);
        WW_TRY(parse_unit(p));
    }
    if (count > 1) {
        p->module->source = (ww_source_map){0};
    }
    WW_TRY(list_kernels(p));
    WW_TRY(ww__link_variables(p));
    return list_symbols(p);
}

const char *ww_ptx_kernel_at(const ww_ptx_module *module, uint64_t address)
{
    for (const ptx_function *f = module->ast->functions; f != NULL; f = f->next) {
        if (f->is_kernel && f->has_body && ww__function_address(f) == address) {
            return f->name;
        }
    }
    return NULL;
}

ptx_function *ww__ast_function(const struct ww_ptx_ast *ast, const char *name)
{
    for (ptx_function *f = ast->functions; f != NULL; f = f->next) {
        if (strcmp(f->name, name) == 0) {
            return f;
        }
    }
    return NULL;
}

static ww_status parse_into(ww_ptx_module *module, const char *file, const ww_ptx_text *units,
                            size_t count, ww_error *err)
{
    ww_arena *arena = &module->arena;
    module->file = ww_arena_strndup(arena, file, strlen(file));
    module->ast = WW_ARENA_NEW(arena, struct ww_ptx_ast);
    ptx_parser *p = WW_NEW(ptx_parser); /* too large for the stack */
    if (module->file == NULL || module->ast == NULL || p == NULL) {
        ww_free(p);
        return ww_no_memory_for(err, "reading %s", file);
    }
    p->module = module;
    p->ast = module->ast;
    p->arena = arena;
    p->err = err;
    ww_status status = parse_units(p, units, count);
    ww_map_fini(&p->names);
    ww_map_fini(&p->forms);
    ww_map_fini(&p->labels);
    ww_map_fini(&p->linked_functions);
    ww_free(p->scope_parent);
    ww_free(p->init);
    ww_free(p);
    return status;
}

static bool is_cuda_source(const char *file)
{
    size_t n = strlen(file);
    return n > 3 && strcmp(file + n - 3, ".cu") == 0;
}

/* A program, a library, an object or a cubin. */
static bool is_elf(const ww_ptx_text *unit)
{
    return unit->length >= 4 && memcmp(unit->text, "\177ELF", 4) == 0;
}

static ww_status check_kind(const char *file, const ww_ptx_text *units, size_t count, ww_error *err)
{
    if (is_cuda_source(file)) {
        return ww_fail_at(err, WW_EPARSE, file, 0, 0,
                          "CUDA C++, not PTX; make PTX of it with: nvcc -ptx %s", file);
    }
    if (count > 0 && is_elf(&units[0])) {
        return ww_fail_at(err, WW_EPARSE, file, 0, 0,
                          "machine code (ELF), not PTX; the PTX that it may hold is what "
                          "cuobjdump -ptx %s prints, and a program runs as it is: warpwatt run "
                          "--gpu NAME -- PROGRAM",
                          file);
    }
    return WW_OK;
}

ww_status ww_ptx_parse_units(const char *file, const ww_ptx_text *units, size_t count,
                             ww_ptx_module **out, ww_error *err)
{
    WW_TRY(check_kind(file, units, count, err));
    ww_ptx_module *module = WW_NEW(ww_ptx_module);
    if (module == NULL) {
        return ww_no_memory_for(err, "reading %s", file);
    }
    ww_arena_init(&module->arena);
    ww_status status = parse_into(module, file, units, count, err);
    if (status != WW_OK) {
        ww_ptx_destroy(module);
        return status;
    }
    *out = module;
    return WW_OK;
}

ww_status ww_ptx_parse(const char *file, const char *text, size_t length, ww_ptx_module **out,
                       ww_error *err)
{
    return ww_ptx_parse_units(file, &(ww_ptx_text){text, length}, 1, out, err);
}

bool ww_ptx_param_floats(const ww_ptx_module *module, const char *kernel, uint32_t index)
{
    const ptx_function *f = ww__ast_function(module->ast, kernel);
    const ptx_var *v = f != NULL && index < f->in_count ? f->in[index].var : NULL;
    return v != NULL && !v->is_array && (v->type == WW_T_F32 || v->type == WW_T_F64);
}

void ww_ptx_destroy(ww_ptx_module *module)
{
    if (module != NULL) {
        ww_arena_fini(&module->arena);
        ww_free(module);
    }
}
