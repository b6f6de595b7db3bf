/* calibrate_activity.c - activity of measured rows, from files and from programs. */
#include "cli/calibrate_activity.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

enum { MOST_WORDS = 64 };

static const char program_mark[] = "-- ";

static ww_status split(const char *text, ww_arena *arena, const char **word, size_t *count,
                       ww_error *err)
{
    char *copy = ww_arena_strndup(arena, text, strlen(text)), *rest = NULL;
    if (copy == NULL) {
        return ww_no_memory(err);
    }
    *count = 0;
    for (char *w = strtok_r(copy, " ", &rest); w != NULL; w = strtok_r(NULL, " ", &rest)) {
        if (*count == MOST_WORDS) {
            return ww_fail(err, WW_ERANGE, "'%s' has more than %d words", text, MOST_WORDS);
        }
        word[(*count)++] = w;
    }
    return *count > 0 ? WW_OK : ww_fail(err, WW_EPARSE, "'--' names no program");
}

static ww_status run_program(ww_calibrate_activity *a, const char *text,
                             const ww_run_request *request, ww_arena *arena, ww_error *err)
{
    const char *word[MOST_WORDS];
    size_t count = 0;
    if (!a->allow_programs) {
        return ww_fail(err, WW_EUSAGE,
                       "a row names a program, '-- %s': --allow-programs runs what the file names",
                       text);
    }
    WW_TRY(split(text, arena, word, &count, err));
    WW_TRY(ww_program_run(request, word, count, &a->program, err));
    if (a->program.interrupted) {
        return ww_fail(err, WW_EINTERRUPTED, "interrupted while %s ran", word[0]);
    }
    if (a->program.exit_code != 0 || a->program.fault_count > 0) {
        return ww_fail(err, WW_EKERNEL, "%s failed%s%s", word[0],
                       a->program.fault_count > 0 ? ": " : "",
                       a->program.fault_count > 0 ? a->program.faults[0] : "");
    }
    a->launches = a->program.run.launches;
    a->launch_count = a->program.run.launch_count;
    return WW_OK;
}

static ww_status load_file(ww_calibrate_activity *a, const char *folder, ww_arena *arena,
                           const char *name, ww_error *err)
{
    const char *path = ww_path_join(arena, folder, name);
    if (path == NULL) {
        return ww_no_memory(err);
    }
    WW_TRY(ww_activity_load(path, &a->file, err));
    a->launches = a->file->launches;
    a->launch_count = a->file->launch_count;
    return WW_OK;
}

ww_status ww_calibrate_activity_open(ww_calibrate_activity *a, const char *name, const char *folder,
                                     const ww_run_request *request, ww_arena *arena, ww_error *err)
{
    if (a->name != NULL && strcmp(a->name, name) == 0) {
        return WW_OK;
    }
    ww_calibrate_activity_fini(a);
    size_t mark = strlen(program_mark);
    WW_TRY(strncmp(name, program_mark, mark) == 0 ? run_program(a, name + mark, request, arena, err)
                                                  : load_file(a, folder, arena, name, err));
    a->name = name;
    return WW_OK;
}

void ww_calibrate_activity_fini(ww_calibrate_activity *a)
{
    ww_activity_destroy(a->file);
    ww_program_result_fini(&a->program);
    *a = (ww_calibrate_activity){.allow_programs = a->allow_programs};
}

const ww_launch_record *ww_calibrate_activity_find(const ww_calibrate_activity *a,
                                                   const char *kernel)
{
    const char *mark = strchr(kernel, '#');
    size_t length = mark != NULL ? (size_t)(mark - kernel) : strlen(kernel);
    unsigned long skip = mark != NULL ? strtoul(mark + 1, NULL, 10) : 0;
    for (size_t i = 0; i < a->launch_count; i++) {
        const ww_launch_record *l = &a->launches[i];
        if (strlen(l->kernel) == length && strncmp(l->kernel, kernel, length) == 0 && skip-- == 0) {
            return l;
        }
    }
    return NULL;
}
