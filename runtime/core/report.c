/* report.c - what a program leaves for `warpwatt run`: its launches as an activity file, and notes
 * on what went wrong. One pair of files per process, since a script may start several. Launches and
 * notes are written when they happen, so that they are there however the process ends; what
 * memcheck finds, the profile, the timeline, and launches with intervals when it ends by exit. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "counters/lines.h"
#include "run/line_joules.h"
#include "run/run.h"
#include "runtime/core/context.h"
#include "runtime/core/ranges.h"

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

/* Spans that the timeline lacks. */
static void put_dropped(const rt_context *c, ww_str *out)
{
    const size_t dropped = c->device != NULL ? ww_device_timeline(c->device)->dropped : 0;
    if (dropped > 0) {
        ww_str_addf(out, "dropped\t%zu\n", dropped);
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
    put_dropped(c, &text);
    for (size_t i = 0; i < c->unsupported.count; i++) {
        put_line(&text, "unsupported", c->unsupported.entries[i].key);
    }
    ww_status status = ww_write_text(path, &text, err);
    ww_str_fini(&text);
    return status;
}

static bool is_profiled(void)
{
    const char *text = getenv(WW_ENV_PROFILE);
    return text != NULL && strcmp(text, "1") == 0;
}

/* Energies of events, on the machine that the program runs on; NULL: without time. */
static ww_status find_prices(const rt_context *c, ww_line_prices **out, ww_error *err)
{
    ww_power_model *model = NULL;
    *out = NULL;
    if (c->functional_only) {
        return WW_OK;
    }
    WW_TRY(ww_power_model_create(c->arch, NULL, &model, err));
    *out = WW_NEW(ww_line_prices);
    if (*out != NULL) {
        ww_line_prices_of(model, *out);
    }
    ww_power_model_destroy(model);
    return *out != NULL ? WW_OK : ww_no_memory(err);
}

static ww_status save_lines(const rt_context *c, const char *path, ww_error *err)
{
    ww_lines lines = {0};
    ww_line_prices *prices = NULL;
    if (!is_profiled()) {
        return WW_OK;
    }
    WW_TRY(find_prices(c, &prices, err));
    ww_status status = ww_device_lines(c->device, rt_program_name(), prices, &lines, err);
    ww_free(prices);
    if (status == WW_OK && lines.count > 0) {
        status = ww_lines_write(&lines, path, err);
    }
    ww_lines_fini(&lines);
    return status;
}

static ww_status save_timeline(const rt_context *c, const char *path, ww_error *err)
{
    const ww_timeline *timeline = ww_device_timeline(c->device);
    ww_str rows = {0};
    if (timeline->count == 0) {
        return WW_OK;
    }
    ww_timeline_rows(timeline, rt_program_name(), &rows);
    ww_status status = ww_write_text(path, &rows, err);
    ww_str_fini(&rows);
    return status;
}

/* Where a kind of file of this process goes; NULL: nowhere, or out of memory. */
static const char *path_of(const rt_context *c, const char *kind, const char *suffix,
                           ww_arena *arena)
{
    const char *dir = getenv(WW_ENV_RESULT);
    return dir != NULL && *dir != '\0'
               ? ww_arena_printf(arena, "%s/%s.%010d-%04u.%s", dir, kind, c->pid, c->images, suffix)
               : NULL;
}

/* A child of fork has its parent's context, whose report is not its own to write. */
static bool has_report(const rt_context *c)
{
    const char *dir = getenv(WW_ENV_RESULT);
    return c->opened && !c->finished && dir != NULL && *dir != '\0';
}

static void say_failure(rt_context *c, const ww_error *err)
{
    bool added = false;
    char text[768];
    snprintf(text, sizeof text, "the results could not be written: %.640s", err->what);
    if (ww_map_add(&c->faults, text, &added) == NULL || added) {
        rt_say("%s", text);
    }
}

void rt_report_notes(rt_context *c)
{
    ww_arena arena = {0};
    ww_error err = {0};
    const char *path = path_of(c, "program", "txt", &arena);
    if (has_report(c) && path != NULL && save_notes(c, path, &err) != WW_OK) {
        say_failure(c, &err);
    }
    ww_arena_fini(&arena);
}

void rt_report_begin(rt_context *c)
{
    const char *dir = getenv(WW_ENV_RESULT);
    ww_arena arena = {0};
    ww_error err = {0};
    if (!has_report(c)) {
        return;
    }
    ww_status status = ww_make_dirs(dir, &err);
    const char *notes = path_of(c, "program", "txt", &arena);
    while (status == WW_OK && notes != NULL && ww_file_exists(notes)) {
        c->images++;
        notes = path_of(c, "program", "txt", &arena);
    }
    if (status != WW_OK) {
        say_failure(c, &err);
    }
    ww_arena_fini(&arena);
    rt_report_notes(c);
}

/* The program's name as the workload of its launches, without bytes that XML cannot carry, and the
 * ranges that are open behind it: whatever groups by workload then does by range. */
static const char *label_of_program(char *buf, size_t size)
{
    ww_str ranges = {0};
    rt_ranges_append(&ranges);
    snprintf(buf, size, "%s%s", rt_program_name(), ww_str_text(&ranges));
    ww_str_fini(&ranges);
    for (char *p = buf; *p != '\0'; p++) {
        *p = (unsigned char)*p < 0x20 || (unsigned char)*p > 0x7e ? '?' : *p;
    }
    return buf;
}

/* Launches are in the journal when this returns; it begins with the first. */
static ww_status add_to_journal(rt_context *c, const ww_launch_record *launch, ww_error *err)
{
    if (c->journal == NULL) {
        ww_arena arena = {0};
        const char *path = path_of(c, "launches", "xml", &arena);
        ww_status status = path != NULL ? ww_journal_create(path, ww_arch_name(c->arch),
                                                            c->arch->config_hash, &c->journal, err)
                                        : ww_no_memory(err);
        ww_arena_fini(&arena);
        WW_TRY(status);
    }
    return ww_journal_add(c->journal, launch, err);
}

ww_status rt_report_launch(rt_context *c, const ww_launch_record *record, ww_error *err)
{
    char label[512];
    ww_launch_record labelled = *record;
    labelled.workload = label_of_program(label, sizeof label);
    labelled.stream = c->issuing;
    if (!has_report(c)) {
        return WW_OK;
    }
    if (c->merges) {
        return ww_launch_records_append(&c->launches, &c->launch_count, &c->interval_bytes,
                                        &labelled, label, (uint32_t)c->launch_count, err);
    }
    ww_error failure = {0};
    if (add_to_journal(c, &labelled, &failure) != WW_OK) {
        say_failure(c, &failure);
    }
    return WW_OK;
}

static ww_status save(const rt_context *c, ww_arena *arena, ww_error *err)
{
    const char *launches = path_of(c, "launches", "xml", arena);
    const char *lines = path_of(c, "lines", "csv", arena);
    const char *timeline = path_of(c, "timeline", "spans", arena);
    if (launches == NULL || lines == NULL || timeline == NULL) {
        return ww_no_memory(err);
    }
    if (c->device != NULL) {
        WW_TRY(save_lines(c, lines, err));
        WW_TRY(save_timeline(c, timeline, err));
    }
    return c->launch_count > 0
               ? ww_activity_save(launches, ww_arch_name(c->arch), c->arch->config_hash,
                                  c->launches, c->launch_count, err)
               : WW_OK;
}

void rt_report(rt_context *c)
{
    ww_arena arena = {0};
    ww_error err = {0};
    if (has_report(c)) {
        rt_report_notes(c);
        if (save(c, &arena, &err) != WW_OK) {
            say_failure(c, &err);
        }
    }
    ww_arena_fini(&arena);
}

void rt_report_end(rt_context *c)
{
    ww_error err = {0};
    rt_report(c);
    if (ww_journal_close(c->journal, &err) != WW_OK) {
        say_failure(c, &err);
    }
    c->journal = NULL;
    ww_launch_records_destroy(c->launches, c->launch_count);
    c->launches = NULL;
    c->launch_count = 0;
}
