/* registers.c - register counts of kernels: a table, or an assembler's report. */
#include "cli/registers.h"

#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/file.h"

enum { MOST_BYTES = 64 << 20, MOST_REGISTERS = 255 };

typedef struct reader {
    const char *name; /* of the file */
    ww_arena *arena;
    ww_kernel_registers *list;
    size_t count, room;
    const char *kernel; /* that the next count is of; NULL: none */
    size_t length;      /* of its name */
    size_t line;
} reader;

static ww_status add(reader *r, const char *kernel, size_t length, uint64_t registers,
                     ww_error *err)
{
    if (registers == 0 || registers > MOST_REGISTERS) {
        return ww_fail(err, WW_ERANGE, "%s:%zu: %llu registers of '%.*s': a thread has 1 to %d",
                       r->name, r->line, (unsigned long long)registers, (int)length, kernel,
                       MOST_REGISTERS);
    }
    for (size_t i = 0; i < r->count; i++) {
        if (strlen(r->list[i].kernel) == length &&
            strncmp(r->list[i].kernel, kernel, length) == 0) {
            r->list[i].registers = (uint32_t)registers;
            return WW_OK;
        }
    }
    char *copy = ww_arena_strndup(r->arena, kernel, length);
    if (copy == NULL) {
        return ww_no_memory(err);
    }
    r->list[r->count++] = (ww_kernel_registers){copy, (uint32_t)registers};
    return WW_OK;
}

/* ---- an assembler's report ---- */

/* The number behind a word of a line. */
static bool number_behind(const char *line, const char *word, uint64_t *out)
{
    const char *at = strstr(line, word);
    char *end = NULL;
    if (at == NULL) {
        return false;
    }
    at += strlen(word);
    *out = strtoull(at, &end, 10);
    return end != at;
}

/* ptxas:     "ptxas info    : Compiling entry function 'NAME' for 'sm_75'", then "Used 12
 * registers" cuobjdump: " Function NAME:", then "  REG:12 STACK:0 ..." */
static ww_status take_line(reader *r, const char *line, ww_error *err)
{
    static const char entry[] = "entry function '", function[] = " Function ";
    const char *at = strstr(line, entry);
    uint64_t registers;
    if (at != NULL) {
        r->kernel = at + strlen(entry);
        r->length = strcspn(r->kernel, "'");
    } else if (strncmp(line, function, strlen(function)) == 0) {
        r->kernel = line + strlen(function);
        r->length = strcspn(r->kernel, ":");
    } else if (r->kernel != NULL && (number_behind(line, ": Used ", &registers) ||
                                     number_behind(line, " REG:", &registers))) {
        WW_TRY(add(r, r->kernel, r->length, registers, err));
        r->kernel = NULL;
    }
    return WW_OK;
}

static ww_status read_report(reader *r, char *text, ww_error *err)
{
    for (char *line = text, *next; line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL) {
            *next++ = '\0';
        }
        r->line++;
        WW_TRY(take_line(r, line, err));
    }
    return WW_OK;
}

/* ---- a table ---- */

static ww_status read_table(reader *r, const char *text, size_t length, ww_error *err)
{
    ww_csv *csv = NULL;
    size_t kernel, registers;
    WW_TRY(ww_csv_parse(r->name, text, length, &csv, err));
    ww_status status = ww_csv_find(csv, "kernel", &kernel, err);
    status = status == WW_OK ? ww_csv_find(csv, "registers", &registers, err) : status;
    for (size_t i = 0; status == WW_OK && i < ww_csv_rows(csv); i++) {
        const char *name = ww_csv_text(csv, i, kernel);
        uint64_t n = 0;
        r->line = i + 2;
        status = ww_csv_u64(csv, i, registers, &n, err);
        status = status == WW_OK ? add(r, name, strlen(name), n, err) : status;
    }
    ww_csv_destroy(csv);
    return status;
}

/* ---- either ---- */

static bool is_report(const char *text)
{
    return strstr(text, "entry function '") != NULL || strstr(text, " REG:") != NULL;
}

ww_status ww_registers_parse(const char *name, const char *text, size_t length, ww_arena *arena,
                             const ww_kernel_registers **out, size_t *count, ww_error *err)
{
    reader r = {.name = name, .arena = arena, .room = 1};
    char *copy = ww_arena_strndup(arena, text, length);
    for (size_t i = 0; i < length; i++) {
        r.room += text[i] == '\n';
    }
    r.list = WW_ARENA_NEW_ARRAY(arena, ww_kernel_registers, r.room);
    if (copy == NULL || r.list == NULL) {
        return ww_no_memory(err);
    }
    WW_TRY(is_report(copy) ? read_report(&r, copy, err) : read_table(&r, copy, length, err));
    if (r.count == 0) {
        return ww_fail(err, WW_ENOTFOUND, "%s: no register count of any kernel", name);
    }
    *out = r.list;
    *count = r.count;
    return WW_OK;
}

ww_status ww_registers_load(const ww_args *args, ww_arena *arena, ww_run_request *request,
                            ww_error *err)
{
    const char *path = ww_args_value(args, "registers");
    char *text = NULL;
    size_t length = 0;
    if (path == NULL) {
        return WW_OK;
    }
    WW_TRY(ww_read_file(path, MOST_BYTES, &text, &length, err));
    ww_status status = ww_registers_parse(path, text, length, arena, &request->registers,
                                          &request->registers_count, err);
    ww_free(text);
    return status;
}
