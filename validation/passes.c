/* passes.c - a measured pass, run here: the model's operators with those that eager PyTorch adds,
 * at the mean clock of the measurement, behind a host as slow as the one that measured. */
#include "validation/passes.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/progress.h"
#include "base/threads.h"
#include "inference/folders.h"

bool ww__pass_asked(const char *pattern, const char *name)
{
    return pattern == NULL || fnmatch(pattern, name, 0) == 0;
}

/* Where a pass that runs is told of. */
typedef struct telling {
    ww_progress progress;
    FILE *notes; /* NULL: nowhere */
} telling;

static void show_operator(void *user, size_t i, size_t count, const char *name)
{
    telling *t = user;
    (void)count;
    (void)name;
    ww_progress_update(&t->progress, i, ww_clock_s());
}

static void warn(void *user, const char *text)
{
    const telling *t = user;
    if (t->notes != NULL) {
        fprintf(t->notes, "warning: %s\n", text);
    }
}

/* The command that leaves the same folder. */
static const char *command_of(const ww__pass *p, const char *clock, ww_arena *arena)
{
    const char *sequence = p->request.sequence == 0 ? ""
                                                    : ww_arena_printf(arena, " --sequence %" PRIu64,
                                                                      p->request.sequence);
    return sequence == NULL
               ? NULL
               : ww_arena_printf(
                     arena,
                     "warpwatt infer --gpu %s --model %s --precision %s --batch %" PRIu64
                     "%s --long --eager-extras --clock %s --launch-interval %gus",
                     p->gpu, p->model->name, ww_number_name(p->request.number), p->request.batch,
                     sequence, clock, 1e6 * p->launch_s);
}

static ww_status run_into(const ww_infer_request *request, const char *command, const char *folder,
                          ww_error *err)
{
    ww_result_store store = {.aside = ""};
    ww_infer *infer = NULL;
    ww_status status = ww_result_begin(&store, folder, false, err);
    status = status == WW_OK ? ww_infer_run(request, &infer, err) : status;
    status = status == WW_OK ? ww_infer_publish(infer, request, command, &store, err) : status;
    ww_result_drop(&store);
    ww_infer_destroy(infer);
    return status;
}

static ww_status run_graph(const ww_validation *asked, const ww__pass *pass, const ww_graph *graph,
                           const char *name, const char *folder, ww_arena *arena, ww_error *err)
{
    const char *hz = ww_arena_printf(arena, "%.17g", 1e6 * pass->mhz);
    const char *clock = ww_arena_printf(arena, "%gMHz", pass->mhz);
    const char *command = clock != NULL ? command_of(pass, clock, arena) : NULL;
    if (hz == NULL || command == NULL) {
        return ww_no_memory(err);
    }
    const ww_setting setting = {.key = "clock.set_hz", .value = hz};
    telling told = {.notes = asked->output.notes};
    ww_progress_init(&told.progress, name, "operators", graph->count, ww_clock_s(),
                     asked->may_draw ? ww_progress_to_terminal : NULL, asked->output.notes);
    const ww_infer_request request = {.gpu = pass->gpu,
                                      .settings = &setting,
                                      .setting_count = 1,
                                      .graph = graph,
                                      .launch_interval_s = pass->launch_s,
                                      .threads = ww_processors(),
                                      .memory = asked->cache,
                                      .warn = warn,
                                      .on_operator = show_operator,
                                      .user = &told,
                                      .stop = asked->stop};
    ww_status status = run_into(&request, command, folder, err);
    ww_progress_finish(&told.progress);
    return status;
}

ww_status ww__pass_run(const ww_validation *asked, const ww__pass *pass, const char *name,
                       const char *folder, ww_error *err)
{
    ww_model_request with_extras = pass->request;
    ww_graph graph = {0};
    ww_arena arena = {0};
    with_extras.extras = true;
    WW_TRY(ww_model_generate(pass->model, &with_extras, &graph, err));
    ww_status status = run_graph(asked, pass, &graph, name, folder, &arena, err);
    ww_arena_fini(&arena);
    ww_graph_fini(&graph);
    return status;
}
