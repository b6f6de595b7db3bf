/* report.c - what a program leaves for `warpwatt run`: its launches as an activity file, and notes
 * on what went wrong. One pair of files per process, since a script may start several. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/str.h"
#include "counters/lines.h"
#include "runtime/context.h"

static void put_line(ww_str *out, const char *key, const char *text)
{
    ww_str_addf(out, "%s\t", key);
    for (const char *p = text; *p != '\0'; p++) {
        ww_str_add_char(out, *p == '\n' ? ' ' : *p);
    }
    ww_str_add_char(out, '\n');
}

static void put_findings(const rt_context *c, ww_str *out)
{
    enum { MOST = 2048 };
    char line[MOST];
    size_t count = 0;
    uint64_t more = 0;
    const ww_finding *finding =
        c->device != NULL ? ww_device_findings(c->device, &count, &more) : NULL;
    for (size_t i = 0; i < count; i++) {
        snprintf(line, sizeof line, "%s (%" PRIu64 " accesses)", finding[i].text, finding[i].count);
        put_line(out, "finding", line);
    }
    if (more > 0) {
        snprintf(line, sizeof line, "and at further places (%" PRIu64 " accesses)", more);
        put_line(out, "finding", line);
    }
}

static ww_status save_notes(const rt_context *c, const char *path, ww_error *err)
{
    ww_str text = {0};
    put_line(&text, "program", rt_program_name());
    for (size_t i = 0; i < c->faults.count; i++) {
        put_line(&text, "fault", c->faults.entries[i].key);
    }
    put_findings(c, &text);
    for (size_t i = 0; i < c->unsupported.count; i++) {
        put_line(&text, "unsupported", c->unsupported.entries[i].key);
    }
    ww_status status = ww_str_check(&text, err);
    if (status == WW_OK) {
        status = ww_write_file(path, ww_str_text(&text), text.len, err);
    }
    ww_str_fini(&text);
    return status;
}

static ww_status save_lines(const rt_context *c, const char *path, ww_error *err)
{
    ww_lines lines = {0};
    ww_status status = ww_device_lines(c->device, rt_program_name(), &lines, err);
    if (status == WW_OK && lines.count > 0) {
        status = ww_lines_write(&lines, path, err);
    }
    ww_lines_fini(&lines);
    return status;
}

static ww_status save(const rt_context *c, const char *dir, ww_arena *arena, ww_error *err)
{
    const char *notes = ww_arena_printf(arena, "%s/program.%010d.txt", dir, c->pid);
    const char *launches = ww_arena_printf(arena, "%s/launches.%010d.xml", dir, c->pid);
    const char *lines = ww_arena_printf(arena, "%s/lines.%010d.csv", dir, c->pid);
    if (notes == NULL || launches == NULL || lines == NULL) {
        return ww_fail(err, WW_ENOMEM, "out of memory");
    }
    WW_TRY(ww_make_dirs(dir, err));
    WW_TRY(save_notes(c, notes, err));
    if (c->launch_count == 0) {
        return WW_OK;
    }
    WW_TRY(save_lines(c, lines, err));
    return ww_activity_save(launches, ww_arch_name(c->arch), c->arch->config_hash, c->launches,
                            c->launch_count, err);
}

void rt_report(rt_context *c)
{
    const char *dir = getenv("WARPWATT_RESULT");
    if (!c->opened || dir == NULL || *dir == '\0') {
        return;
    }
    ww_arena arena = {0};
    ww_error err = {0};
    if (save(c, dir, &arena, &err) != WW_OK) {
        rt_say("the results could not be written: %s", err.what);
    }
    ww_arena_fini(&arena);
}
