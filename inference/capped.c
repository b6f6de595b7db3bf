/* capped.c - see capped.h. */
#include "inference/capped.h"

/* Passes of one request at several clocks. */
typedef struct trials {
    ww_infer_request request;
    ww_infer *last, *best;
} trials;

static ww_status try_clock(void *user, const ww_setting *settings, size_t count, const ww_run **run,
                           ww_error *err)
{
    trials *t = user;
    t->request.settings = settings;
    t->request.setting_count = count;
    ww_infer_destroy(t->last);
    t->last = NULL;
    WW_TRY(ww_infer_run(&t->request, &t->last, err));
    *run = t->last->run;
    return WW_OK;
}

static void keep_clock(void *user)
{
    trials *t = user;
    ww_infer_destroy(t->best);
    t->best = t->last;
    t->last = NULL;
}

ww_status ww_infer_capped(const ww_infer_request *request, ww_infer **out, ww_error *err)
{
    const ww_run_request machine = {.gpu = request->gpu,
                                    .settings = request->settings,
                                    .setting_count = request->setting_count};
    bool capped = false;
    WW_TRY(ww_run_has_cap(&machine, &capped, err));
    if (!capped) {
        return ww_infer_run(request, out, err);
    }
    trials t = {.request = *request};
    const ww_capped tries = {.run = try_clock, .keep = keep_clock, .user = &t};
    ww_cap cap = {0};
    ww_status status = ww_run_capped(&machine, &tries, &cap, err);
    ww_infer_destroy(t.last);
    if (status != WW_OK) {
        ww_infer_destroy(t.best);
        return status;
    }
    t.best->run->cap = cap;
    t.best->run->arch->config_hash = cap.config_hash; /* the clock follows from the cap */
    *out = t.best;
    return WW_OK;
}
