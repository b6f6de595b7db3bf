/* run.c - runs the kernels of the forms' tests and keeps the log of what failed. */
#include "forms.h"

#include <stdarg.h>
#include <stdio.h>

void form_fail(form_log *log, const char *form, const char *fmt, ...)
{
    log->failures++;
    size_t room = sizeof log->text - log->length;
    if (room < 300) {
        return;
    }
    int n = snprintf(log->text + log->length, room, "  %.100s: ", form);
    va_list args;
    va_start(args, fmt);
    n += vsnprintf(log->text + log->length + n, room - (size_t)n, fmt, args);
    va_end(args);
    log->length += (size_t)n < room - 2 ? (size_t)n : room - 2;
    log->text[log->length++] = '\n';
    log->text[log->length] = '\0';
}

/* Module variables in memory, with their initial bytes. */
static void place_variables(ptx_run *r)
{
    for (uint32_t i = 0; i < r->module->symbol_count; i++) {
        ww_symbol *s = &r->module->symbol[i];
        if (s->space == WW_SPACE_GLOBAL || s->space == WW_SPACE_CONST) {
            s->address = run_alloc(r, s->bytes, NULL);
            if (s->init_bytes > 0) {
                memcpy(run_at(r, s->address, s->bytes), s->init, s->init_bytes);
            }
        }
    }
}

static ww_status launch(form_launch *l, ptx_run *r, bool lowered)
{
    uint64_t params[FORM_BUFFERS + FORM_EXTRA] = {0};
    for (unsigned i = 0; i < l->buffer_count; i++) {
        params[i] = run_alloc(r, l->buffer[i].bytes, l->buffer[i].data);
    }
    place_variables(r);
    if (l->prepare != NULL) {
        l->prepare(r, params, l->user);
    }
    ww_status status = run_kernel(r, "k", lowered, l->grid, l->block, params);
    for (unsigned i = 0; i < l->buffer_count && status == WW_OK; i++) {
        memcpy(l->buffer[i].data, run_at(r, params[i], l->buffer[i].bytes), l->buffer[i].bytes);
    }
    if (l->finish != NULL) {
        l->finish(r, l->user);
    }
    return status;
}

bool form_run(form_launch *l, const char *form, bool lowered, form_log *log)
{
    size_t room = strlen(l->text) + sizeof FORM_HEAD;
    char *text = malloc(room);
    assert_non_null(text);
    snprintf(text, room, "%s%s", FORM_HEAD, l->text);
    ptx_run r = {.arch = fixture_arch()};
    r.arch.sm.max_thread_registers = 255;
    ww_status status = ww_ptx_parse("form.ptx", text, strlen(text), &r.module, &r.err);
    if (status != WW_OK) {
        form_fail(log, form, "line %d: %s", r.err.line, r.err.what);
        free(text);
        return false;
    }
    assert_ok(ww_devmem_create(&r.mem, &r.err), r.err);
    r.launch.sm_count = 1;
    r.launch.mem = r.mem;
    r.launch.cluster = l->cluster > 0 ? (ww_dim3){l->cluster, 1, 1} : (ww_dim3){0, 0, 0};
    status = launch(l, &r, lowered);
    l->err = r.err;
    bool ok = status == l->want;
    if (!ok) {
        form_fail(log, form, "%s: status %d, line %d: %s", lowered ? "lowered" : "ptx", (int)status,
                  r.err.line, r.err.what);
    }
    run_close(&r);
    free(text);
    return ok;
}

bool form_has(const char *form, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = strchr(form, '.'); p != NULL; p = strchr(p + 1, '.')) {
        if (strncmp(p + 1, word, n) == 0 && (p[1 + n] == '.' || p[1 + n] == '\0')) {
            return true;
        }
    }
    return false;
}

bool form_starts(const char *form, const char *const *prefixes)
{
    for (; *prefixes != NULL; prefixes++) {
        if (strncmp(form, *prefixes, strlen(*prefixes)) == 0) {
            return true;
        }
    }
    return false;
}

const char *form_last(const char *form)
{
    const char *dot = strrchr(form, '.');
    return dot != NULL ? dot + 1 : form;
}
