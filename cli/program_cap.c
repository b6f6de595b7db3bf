/* program_cap.c - see program_cap.h. */
#include "cli/program_cap.h"

/* Runs of one program at several clocks. */
typedef struct trials {
    ww_run_request request;
    const char *const *argv;
    size_t argc;
    ww_program_result last, best;
    bool ended; /* the last one is no measurement */
} trials;

static ww_status try_program(void *user, const ww_setting *settings, size_t count,
                             const ww_run **run, ww_error *err)
{
    trials *t = user;
    ww_program_result_fini(&t->last);
    t->last = (ww_program_result){0};
    t->request.settings = settings;
    t->request.setting_count = count;
    WW_TRY(ww_program_run(&t->request, t->argv, t->argc, &t->last, err));
    const ww_program_result *r = &t->last;
    t->ended =
        r->exit_code != 0 || r->fault_count > 0 || r->interrupted || r->run.launch_count == 0;
    *run = &t->last.run;
    return t->ended ? ww_fail(err, WW_EKERNEL, "the program did not end normally") : WW_OK;
}

static void keep_program(void *user)
{
    trials *t = user;
    ww_program_result_fini(&t->best);
    t->best = t->last;
    t->last = (ww_program_result){0};
}

/* Hands one result over, drops the other. */
static void take(ww_program_result *out, ww_program_result *from, ww_program_result *other)
{
    *out = *from;
    *from = (ww_program_result){0};
    ww_program_result_fini(other);
}

ww_status ww_program_run_capped(const ww_run_request *request, const char *const *argv, size_t argc,
                                ww_program_result *out, ww_error *err)
{
    bool has_cap = false;
    trials t = {.request = *request, .argv = argv, .argc = argc};
    ww_cap cap = {0};
    WW_TRY(ww_run_has_cap(request, &has_cap, err));
    if (!has_cap) {
        return ww_program_run(request, argv, argc, out, err);
    }
    ww_error why = {0};
    ww_status status = ww_run_capped(
        request, &(ww_capped){.run = try_program, .keep = keep_program, .user = &t}, &cap, &why);
    if (t.ended) {
        take(out, &t.last, &t.best);
        return WW_OK;
    }
    if (status != WW_OK) {
        ww_program_result_fini(&t.last);
        ww_program_result_fini(&t.best);
        if (err != NULL) {
            *err = why;
        }
        return status;
    }
    take(out, &t.best, &t.last);
    out->run.cap = cap;
    out->run.arch->config_hash = cap.config_hash;
    return WW_OK;
}
