/* sweeping.c - see sweeping.h. */
#include "inference/sweeping.h"

#include <stdio.h>
#include <string.h>

#include "inference/capped.h"
#include "inference/folders.h"
#include "inference/models.h"

static ww_status generate(const ww_sweep_pass *pass, ww_graph *out, ww_error *err)
{
    const ww_model *model = NULL;
    ww_model_request request = {.batch = pass->batch,
                                .sequence = pass->sequence,
                                .number = WW_NUMBER_BF16,
                                .beyond = pass->beyond,
                                .extras = pass->extras};
    WW_TRY(ww_model_find(pass->model, &model, err));
    WW_TRY(pass->phase != NULL ? ww_phase_parse(pass->phase, &request.phase, err) : WW_OK);
    if (pass->precision != NULL) {
        WW_TRY(ww_number_parse(pass->precision, &request.number, err));
    }
    return ww_model_generate(model, &request, out, err);
}

static ww_status make_graph(const ww_sweep_pass *pass, ww_graph *out, ww_error *err)
{
    return pass->file != NULL ? ww_graph_load(pass->file, out, err) : generate(pass, out, err);
}

static ww_infer_request request_of(const ww_sweep *sweep, const ww_sweep_run *run,
                                   const ww_graph *graph)
{
    return (ww_infer_request){.gpu = run->set->gpu,
                              .settings = run->settings,
                              .setting_count = run->setting_count,
                              .graph = graph,
                              .launch_interval_s = run->item->pass->launch_interval_s,
                              .graphs = run->item->pass->graphs,
                              .threads = 1, /* runs go beside each other */
                              .stop = sweep->stop};
}

/* ---- a run ---- */

static ww_status write_result(const ww_infer *infer, const ww_infer_request *request,
                              const ww_sweep *sweep, const ww_sweep_run *run, const char *out,
                              ww_error *err)
{
    ww_arena arena = {0};
    uint64_t run_id = 0;
    const char *command = ww_arena_printf(&arena, "warpwatt sweep %s (%s)", sweep->name, run->id);
    ww_status status = command != NULL ? ww_infer_write(infer, request, command, out, &run_id, err)
                                       : ww_no_memory(err);
    status = status == WW_OK ? ww_result_seal(out, run_id, err) : status;
    ww_arena_fini(&arena);
    return status;
}

static ww_status run_pass(const void *user, const ww_sweep *sweep, const ww_sweep_run *run,
                          const char *out, ww_error *err)
{
    const ww_sweep_sharing *sharing = user;
    ww_graph graph = {0};
    ww_infer *infer = NULL;
    WW_TRY(make_graph(run->item->pass, &graph, err));
    ww_infer_request request = request_of(sweep, run, &graph);
    request.memory = sharing->memory;
    request.warn = sharing->warn;
    ww_status status = ww_infer_capped(&request, &infer, err);
    status = status == WW_OK ? write_result(infer, &request, sweep, run, out, err) : status;
    ww_infer_destroy(infer);
    ww_graph_fini(&graph);
    return status;
}

/* ---- before any ---- */

/* Those of a pass's machines that have not what it needs go without it. */
static ww_status leave_out(ww_sweep *sweep, const ww_sweep_item *item, const ww_graph *graph,
                           ww_error *err)
{
    for (size_t i = 0; i < sweep->run_count; i++) {
        ww_sweep_run *run = &sweep->run[i];
        ww_error why = {0};
        if (run->item != item || run->spec == NULL) {
            continue;
        }
        const ww_infer_request request = request_of(sweep, run, graph);
        const ww_status status = ww_infer_check(&request, &why);
        if (status != WW_OK && status != WW_EUNSUP && status != WW_ERANGE) {
            *err = why;
            return status;
        }
        if (status != WW_OK) {
            run->spec = NULL;
            run->left_out = ww_arena_strndup(&sweep->arena, why.what, strlen(why.what));
            WW_TRY(run->left_out != NULL ? WW_OK : ww_no_memory(err));
        }
    }
    return WW_OK;
}

ww_status ww_infer_sweep_passes(ww_sweep *sweep, const ww_sweep_sharing *sharing, ww_error *err)
{
    sweep->run_pass = run_pass;
    sweep->pass_user = sharing;
    for (size_t i = 0; i < sweep->item_count; i++) {
        const ww_sweep_item *item = &sweep->item[i];
        ww_graph graph = {0};
        if (item->pass == NULL) {
            continue;
        }
        ww_status status = make_graph(item->pass, &graph, err);
        if (status != WW_OK && err != NULL && err->file[0] == '\0') {
            snprintf(err->file, sizeof err->file, "%s", sweep->file);
            err->line = item->pass->line;
        }
        status = status == WW_OK ? leave_out(sweep, item, &graph, err) : status;
        ww_graph_fini(&graph);
        WW_TRY(status);
    }
    return WW_OK;
}
