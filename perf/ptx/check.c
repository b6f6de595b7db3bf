/* check.c - everything in a module that cannot be executed, for a user who wants to know before a
 * run. */
#include <stdio.h>
#include <string.h>

#include "perf/ptx/program.h"

ww_status ww__problems_add(ptx_problems *p, ww_arena *arena, const char *function, ww_error *err)
{
    if (p->count == p->capacity) {
        size_t capacity = p->capacity != 0 ? 2 * p->capacity : 16;
        ww_ptx_problem *list = WW_ARENA_NEW_ARRAY(arena, ww_ptx_problem, capacity);
        if (list == NULL) {
            return ww_no_memory_for(err, "checking %.200s", function);
        }
        if (p->count > 0) {
            memcpy(list, p->list, p->count * sizeof *list);
        }
        p->list = list;
        p->capacity = capacity;
    }
    ww_ptx_problem *problem = &p->list[p->count++];
    problem->kernel = function;
    problem->line = err->line;
    /* The message begins with the function's name, which has a field of its own here. */
    size_t n = strlen(function);
    bool prefixed = strncmp(err->what, function, n) == 0 && strncmp(err->what + n, ": ", 2) == 0;
    snprintf(problem->what, sizeof problem->what, "%.*s", (int)sizeof problem->what - 1,
             err->what + (prefixed ? n + 2 : 0));
    return WW_OK;
}

/* What only shows when a kernel is put together with all it calls: recursion, too much memory. */
static ww_status check_whole(ww_ptx_module *module, ptx_function *f, ptx_problems *found,
                             ww_error *err)
{
    ptx_program program;
    ww_status status = ww__program_link_function(module, f, NULL, &program, err);
    if (status == WW_EUNSUP) {
        return ww__problems_add(found, &module->arena, f->name, err);
    }
    if (status == WW_OK) {
        ww__program_fini(&program);
    }
    return status;
}

static ww_status check_function(ww_ptx_module *module, ptx_function *f, ptx_problems *found,
                                ww_error *err)
{
    ptx_program program;
    ww_status status = ww__program_link_function(module, f, found, &program, err);
    if (status == WW_EUNSUP) {
        return WW_OK; /* too much memory: check_whole tells */
    }
    if (status == WW_OK) {
        status = ww__program_translate(&program, err);
        ww__program_fini(&program);
    }
    return status;
}

ww_status ww_ptx_check(ww_ptx_module *module, ww_ptx_problem **problems, size_t *count,
                       ww_error *err)
{
    ptx_problems found = {0};
    ww_error local = {0}; /* takes what becomes a problem, and only then an error */
    ww_status status = WW_OK;
    for (ptx_function *f = module->ast->functions; f != NULL && status == WW_OK; f = f->next) {
        if (f->has_body) {
            status = check_function(module, f, &found, &local);
            status =
                status == WW_OK && f->is_kernel ? check_whole(module, f, &found, &local) : status;
        }
    }
    if (status != WW_OK) {
        if (err != NULL) {
            *err = local;
        }
        return status;
    }
    *problems = found.list;
    *count = found.count;
    return WW_OK;
}
