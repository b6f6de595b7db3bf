/* outputs.c - see outputs.h. */
#include "cli/outputs.h"

#include <string.h>

#include "analysis/result_store.h"
#include "base/file.h"

static bool is_output(const char *option)
{
    return strcmp(option, "out") == 0 || strcmp(option, "uncertainty") == 0;
}

/* A file that would be replaced, as a whole. */
static ww_status check_file(const char *option, const char *out, const char *input, ww_error *err)
{
    return ww_same_file(out, input) && !ww_dir_exists(out)
               ? ww_fail(err, WW_EUSAGE,
                         "--%s %s would overwrite what the command reads: they are one file",
                         option, out)
               : WW_OK;
}

/* An input among the files of the result that --out's folder holds. */
static ww_status check_folder(const char *out, const char *input, ww_arena *arena, ww_error *err)
{
    const char *above = ww_path_dir(arena, input);
    if (above == NULL) {
        return ww_no_memory(err);
    }
    return ww_file_exists(input) && ww_same_file(above, out) &&
                   ww_result_holds(out, ww_path_base(input))
               ? ww_fail(err, WW_EUSAGE, "--out %s would replace what the command reads: %s", out,
                         input)
               : WW_OK;
}

static ww_status check_pair(const char *option, const char *out, const char *input, ww_arena *arena,
                            ww_error *err)
{
    WW_TRY(check_file(option, out, input, err));
    return strcmp(option, "out") == 0 && ww_dir_exists(out) ? check_folder(out, input, arena, err)
                                                            : WW_OK;
}

/* Files of results and sweeps are made by runs alone, whatever this command reads. */
static ww_status check_place(const char *option, const char *out, ww_arena *arena, ww_error *err)
{
    static const char *const of_sweeps[] = {"sweep.xml", "sweep-run.txt"};
    const char *folder = ww_path_dir(arena, out), *name = ww_path_base(out);
    if (folder == NULL) {
        return ww_no_memory(err);
    }
    bool taken = ww_file_exists(out) && ww_result_holds(folder, name);
    for (size_t i = 0; i < WW_ARRAY_LEN(of_sweeps); i++) {
        taken = taken || (ww_file_exists(out) && strcmp(name, of_sweeps[i]) == 0);
    }
    return taken ? ww_fail(err, WW_EUSAGE, "--%s %s is a file of the result in %s", option, out,
                           folder)
                 : WW_OK;
}

static ww_status check_output(const ww_args *args, const char *option, const char *out,
                              ww_arena *arena, ww_error *err)
{
    WW_TRY(check_place(option, out, arena, err));
    for (size_t i = 0; i < args->positional_count; i++) {
        WW_TRY(check_pair(option, out, args->positional[i], arena, err));
    }
    for (size_t i = 0; i < args->given_count; i++) {
        if (!is_output(args->given[i].option->name) && args->given[i].option->argument != NULL) {
            WW_TRY(check_pair(option, out, args->given[i].value, arena, err));
        }
    }
    return WW_OK;
}

ww_status ww_outputs_check(const ww_args *args, ww_error *err)
{
    ww_arena arena = {0};
    ww_status status = WW_OK;
    for (size_t i = 0; status == WW_OK && i < args->given_count; i++) {
        if (is_output(args->given[i].option->name)) {
            status =
                check_output(args, args->given[i].option->name, args->given[i].value, &arena, err);
        }
    }
    ww_arena_fini(&arena);
    return status;
}

ww_status ww_outputs_folder(const char *file, ww_error *err)
{
    ww_arena arena = {0};
    const char *dir = ww_path_dir(&arena, file);
    ww_status status = dir != NULL ? ww_make_dirs(dir, err) : ww_no_memory(err);
    ww_arena_fini(&arena);
    return status;
}
