/* check.c - everything in a module that cannot be executed, for a user who wants to know before a run. */
#include <stdio.h>

#include "perf/ptx/program.h"

ww_status ww_ptx_check(ww_ptx_module *module, ww_ptx_problem **problems, size_t *count, ww_error *err)
{
    ptx_problems found = {0};
    for (const ptx_function *f = module->ast->functions; f != NULL; f = f->next) {
        ptx_program program;
        ww_error local = {0};
        if (!f->has_body) {
            continue;
        }
        WW_TRY(ww__program_link(module, f->name, &found, &program, err));
        ww_status status = ww__program_translate(&program, &local);
        ww__program_fini(&program);
        if (status != WW_OK) {
            if (err != NULL) {
                *err = local;
            }
            return status;
        }
    }
    *problems = found.list;
    *count = found.count;
    return WW_OK;
}
