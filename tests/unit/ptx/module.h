/* module.h - PTX text to modules, functions and listings, for the tests of perf/ptx. */
#ifndef WW_TESTS_UNIT_PTX_MODULE_H
#define WW_TESTS_UNIT_PTX_MODULE_H

#include <stdlib.h>
#include <string.h>

#include "perf/ptx/ptx.h"
#include "tests/support/test.h"

#define HEAD ".version 7.8\n.target sm_75\n.address_size 64\n"
/* A kernel "k" with registers of every kind; its body begins on line 11. */
#define KERNEL(body)                                                                               \
    HEAD ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n"                                  \
         ".reg .pred %p<10>;\n.reg .b16 %rs<10>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n"         \
         ".reg .f32 %f<10>; .reg .f64 %fd<10>;\n" body "\n}\n"

static inline ww_ptx_module *parse(const char *text)
{
    ww_ptx_module *module = NULL;
    ww_error err = {0};
    assert_ok(ww_ptx_parse("test.ptx", text, strlen(text), &module, &err), err);
    return module;
}

/* Fails unless parsing gives that status at that place with that text somewhere in the message. */
static inline void assert_parse_error(const char *text, ww_status code, int line, int column,
                                      const char *what)
{
    ww_ptx_module *module = NULL;
    ww_error err = {0};
    ww_status status = ww_ptx_parse("test.ptx", text, strlen(text), &module, &err);
    if (status != code || err.line != line || err.column != column ||
        strstr(err.what, what) == NULL) {
        fail_msg("expected %d at %d:%d (%s), got %d at %s:%d:%d: %s", code, line, column, what,
                 status, err.file, err.line, err.column, err.what);
    }
    assert_string_equal(err.file, "test.ptx");
}

static inline const ww_function *translate(ww_ptx_module *module, const char *name)
{
    ww_function *f = NULL;
    ww_error err = {0};
    assert_ok(ww_ptx_translate(module, name, &f, &err), err);
    return f;
}

static inline void assert_translate_error(const char *text, ww_status code, int line, int column,
                                          const char *what)
{
    ww_ptx_module *module = parse(text);
    ww_function *f = NULL;
    ww_error err = {0};
    ww_status status = ww_ptx_translate(module, "k", &f, &err);
    if (status != code || err.line != line || err.column != column ||
        strstr(err.what, what) == NULL) {
        fail_msg("expected %d at %d:%d (%s), got %d at %d:%d: %s", code, line, column, what, status,
                 err.line, err.column, err.what);
    }
    ww_ptx_destroy(module);
}

/* Compares a listing, one line per instruction. */
static inline void assert_listing(const ww_inst *inst, uint32_t count, const char *expected)
{
    char *text = calloc(1, (size_t)count * 256 + 1);
    size_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        char line[256];
        ww_inst_format(&inst[i], line, sizeof line);
        memcpy(text + at, line, strlen(line));
        at += strlen(line);
        text[at++] = '\n';
    }
    assert_string_equal(text, expected);
    free(text);
}

static inline void assert_kernel_listing(const char *text, const char *expected)
{
    ww_ptx_module *module = parse(text);
    const ww_function *f = translate(module, "k");
    assert_listing(f->inst, f->inst_count, expected);
    ww_ptx_destroy(module);
}

#endif
