/* sweep_slurm.c - the batch script that runs a sweep as a SLURM job array. */
#include <string.h>

#include "base/file.h"
#include "run/sweep.h"

/* A word for the shell: in single quotes, a quote in it as '\''. */
static void add_quoted(ww_str *out, const char *word)
{
    ww_str_add_char(out, '\'');
    for (; *word != '\0'; word++) {
        if (*word == '\'') {
            ww_str_add(out, "'\\''");
        } else {
            ww_str_add_char(out, *word);
        }
    }
    ww_str_add_char(out, '\'');
}

/* sbatch reads a line per option and takes blanks as separators. */
static bool fits_line(const char *text)
{
    return strpbrk(text, "\n\r") == NULL;
}

ww_status ww_sweep_slurm_script(const ww_sweep *sweep, const char *file, const char *dir,
                                const char *program, unsigned tasks, const char *const *options,
                                size_t option_count, ww_str *out, ww_error *err)
{
    if (!fits_line(dir) || strpbrk(dir, " \t\"'") != NULL) {
        return ww_fail(err, WW_ERANGE,
                       "sbatch cannot write logs below '%s': the path has blanks or quotes", dir);
    }
    ww_str_addf(out, "#!/bin/sh\n#SBATCH --job-name=%s\n#SBATCH --array=0-%u\n", sweep->name,
                tasks - 1);
    ww_str_add(out, "#SBATCH --output=");
    for (const char *p = dir; *p != '\0'; p++) {
        ww_str_add(out, *p == '%' ? "%" : ""); /* sbatch's own sign for what it puts in */
        ww_str_add_char(out, *p);
    }
    ww_str_add(out, "/logs/slurm-%A_%a.out\n");
    ww_str_add(out, "#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=1\n");
    for (size_t i = 0; i < option_count; i++) {
        if (!fits_line(options[i])) {
            return ww_fail(err, WW_EUSAGE, "an option for sbatch is one line");
        }
        ww_str_addf(out, "#SBATCH %s\n", options[i]);
    }
    ww_str_add(out, "exec ");
    add_quoted(out, program);
    ww_str_add(out, " sweep ");
    add_quoted(out, file);
    ww_str_add(out, " --out ");
    add_quoted(out, dir);
    ww_str_addf(out, " --quiet --task \"$SLURM_ARRAY_TASK_ID/%u\"\n", tasks);
    return ww_str_check(out, err);
}
