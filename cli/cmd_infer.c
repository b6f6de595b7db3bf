/* cmd_infer.c - `warpwatt infer`: time and energy of a model's pass, operator by operator. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/result_store.h"
#include "analysis/table.h"
#include "base/progress.h"
#include "base/threads.h"
#include "base/units.h"
#include "base/version.h"
#include "base/visible.h"
#include "cli/command.h"
#include "cli/ending.h"
#include "cli/operator_memory.h"
#include "cli/settings.h"
#include "inference/capped.h"
#include "inference/folders.h"
#include "inference/models.h"
#include "inference/summary.h"
#include "validation/validate.h"

/* ---- the pass ---- */

static ww_status make_graph(const ww_args *args, ww_graph *out, ww_error *err)
{
    const ww_model *model = NULL;
    unsigned long long batch, sequence;
    ww_model_request request = {.number = WW_NUMBER_BF16,
                                .beyond = ww_args_has(args, "long"),
                                .extras = ww_args_has(args, "eager-extras")};
    const char *precision = ww_args_value(args, "precision"), *phase = ww_args_value(args, "phase");
    WW_TRY(ww_model_find(ww_args_value(args, "model"), &model, err));
    WW_TRY(ww_args_u64(args, "batch", 1, 1u << 20, 1, &batch, err));
    WW_TRY(ww_args_u64(args, "sequence", 1, 1u << 24, 0, &sequence, err));
    WW_TRY(phase != NULL ? ww_phase_parse(phase, &request.phase, err) : WW_OK);
    if (precision != NULL) {
        WW_TRY(ww_number_parse(precision, &request.number, err));
    }
    request.batch = batch;
    request.sequence = sequence;
    return ww_model_generate(model, &request, out, err);
}

static ww_status load_graph(const ww_args *args, ww_graph *out, ww_error *err)
{
    static const char *const of_models[] = {"batch",     "sequence", "phase",
                                            "precision", "long",     "eager-extras"};
    bool model = ww_args_has(args, "model");
    if (model + args->positional_count != 1) {
        return ww_fail(err, WW_EUSAGE,
                       "infer needs one pass: a file, or --model NAME (see: warpwatt list models)");
    }
    if (model) {
        return make_graph(args, out, err);
    }
    for (size_t i = 0; i < WW_ARRAY_LEN(of_models); i++) {
        if (ww_args_has(args, of_models[i])) {
            return ww_fail(err, WW_EUSAGE, "--%s goes with --model", of_models[i]);
        }
    }
    return ww_graph_load(args->positional[0], out, err);
}

/* ---- running ---- */

typedef struct inference {
    const ww_args *args;
    ww_infer_request request;
    ww_infer *result;
    ww_progress progress;
    bool terminal;
    char title[96];
} inference;

static void show_operator(void *user, size_t i, size_t count, const char *name)
{
    inference *in = user;
    if (!in->terminal) {
        return;
    }
    ww_progress_finish(&in->progress);
    snprintf(in->title, sizeof in->title, "operator %zu of %zu: %s", i + 1, count, name);
    ww_progress_init(&in->progress, in->title, "operators", count, ww_clock_s(),
                     ww_progress_to_terminal, stderr);
    ww_progress_update(&in->progress, i, ww_clock_s());
}

/* ---- results ---- */

static void put_operators(const ww_infer *f, const ww_graph *graph, ww_table *t)
{
    static const char *const head[] = {"operator",     "kernel",       "count",      "time_us",
                                       "time_pct",     "energy_mj",    "energy_pct", "power_w",
                                       "plus_minus_w", "matrix_pct",   "memory_pct", "issue_pct",
                                       "bound",        "simulated_pct"};
    ww_table_heads(t, head, WW_ARRAY_LEN(head));
    for (size_t i = 0; i < graph->count; i++) {
        const ww_infer_operator *o = &f->operators[i];
        const ww_infer_part part = ww_infer_row(f, i);
        ww_table_text(t, f->run->launches[i].kernel);
        ww_table_text(t, o->kernel);
        ww_table_count(t, o->op->count);
        ww_table_number(t, o->time_s * 1e6, 2);
        ww_table_number(t, 100 * part.of_time, 1);
        ww_table_number(t, o->energy_j * 1e3, 4);
        ww_table_number(t, 100 * part.of_energy, 1);
        ww_table_number(t, part.power_w, 1);
        ww_table_number(t, part.sigma_w, 1);
        ww_table_number(t, 100 * o->matrix, 0);
        ww_table_number(t, 100 * o->memory, 0);
        ww_table_number(t, 100 * o->issue, 0);
        ww_table_text(t, o->bound);
        ww_table_number(t, 100 * o->simulated, 1);
    }
}

static void put_kinds(const ww_infer *f, const ww_graph *graph, ww_table *t)
{
    static const char *const head[] = {"kind",      "time_ms",    "time_pct",
                                       "energy_mj", "energy_pct", "power_w"};
    ww_infer_part kind[WW_INFER_KINDS];
    const size_t count = ww_infer_kinds(f, graph, kind);
    ww_table_heads(t, head, WW_ARRAY_LEN(head));
    for (size_t i = 0; i < count; i++) {
        ww_table_text(t, kind[i].name);
        ww_table_number(t, kind[i].time_s * 1e3, 3);
        ww_table_number(t, 100 * kind[i].of_time, 1);
        ww_table_number(t, kind[i].energy_j * 1e3, 3);
        ww_table_number(t, 100 * kind[i].of_energy, 1);
        ww_table_number(t, kind[i].power_w, 1);
    }
}

static void put_pass(const ww_infer *f, const ww_graph *graph, ww_table *t)
{
    const ww_infer_total total = ww_infer_total_of(f, graph);
    char per_joule[32], per_second[32];
    snprintf(per_joule, sizeof per_joule, "mj_per_%s", total.unit);
    snprintf(per_second, sizeof per_second, "%ss_per_s", total.unit);
    const char *const head[] = {"pass",         "mhz",      "die_k",
                                "time_ms",      "energy_j", "power_w",
                                "plus_minus_w", per_joule,  per_second,
                                "edp_js",       "launches", "simulated_warp_instructions"};
    ww_table_heads(t, head, WW_ARRAY_LEN(head));
    ww_table_text(t, f->run->launches[0].workload);
    ww_table_number(t, f->run->arch->clock.core_hz * 1e-6, 0);
    ww_table_number(t, f->run->arch->chip.temperature_k, 1);
    ww_table_number(t, f->time_s * 1e3, 3);
    ww_table_number(t, f->energy_j, 4);
    ww_table_number(t, total.power_w, 1);
    ww_table_number(t, total.sigma_w, 1);
    if (total.units > 0) {
        ww_table_number(t, 1e3 * total.unit_j, 4);
        ww_table_number(t, total.units_per_s, 1);
    } else {
        ww_table_text(t, "");
        ww_table_text(t, "");
    }
    ww_table_number(t, total.edp_js, 6);
    ww_table_count(t, ww_graph_launches(graph));
    ww_table_count(t, f->warp_instructions);
}

static ww_status print_tables(const ww_infer *f, const ww_graph *graph, bool json, ww_error *err)
{
    ww_table tables[3];
    static const char *const titles[] = {"operators", "kinds", "pass"};
    static void (*const put[])(const ww_infer *, const ww_graph *,
                               ww_table *) = {put_operators, put_kinds, put_pass};
    ww_status status = WW_OK;
    ww_str text = {0};
    ww_json document;
    ww_json_init(&document, &text, 2);
    ww_json_object(&document, NULL);
    for (int i = 0; i < 3; i++) {
        ww_table_init(&tables[i], titles[i]);
        put[i](f, graph, &tables[i]);
        if (json) {
            ww_table_put_json(&tables[i], &document);
        } else if (status == WW_OK) {
            status = ww_table_print(&tables[i], false, stdout, err);
            (void)fputc('\n', stdout);
        }
        ww_table_fini(&tables[i]);
    }
    ww_json_end(&document);
    if (json) {
        return ww_json_print(&document, &text, stdout, err);
    }
    ww_str_fini(&text);
    return status;
}

static ww_status note(const inference *in, ww_error *err)
{
    ww_str unvalidated = {0};
    bool measured;
    WW_TRY(ww_passes_measured(in->result->run->arch, &measured, err));
    fprintf(stderr, "energies %s\n", in->result->run->arch->power.calibration);
    ww_infer_unvalidated(in->result, in->request.graph, measured, &unvalidated);
    if (unvalidated.len > 0) {
        fprintf(stderr, "unvalidated, no measured pass has it: %s\n", ww_str_text(&unvalidated));
    }
    ww_str_fini(&unvalidated);
    const double board_w = in->result->run->arch->chip.tdp_w;
    if (in->result->run->cap.runs == 0 &&
        ww_infer_total_of(in->result, in->request.graph).power_w > board_w) {
        fprintf(stderr,
                "the board's power is %.4g W: it would lower its clock; --power-cap %.4gW tells to "
                "which\n",
                board_w, board_w);
    }
    if (in->result->run->cap.runs > 0) {
        fprintf(stderr, "power cap: %.0f MHz, %.1f W\n", in->result->run->cap.core_hz * 1e-6,
                in->result->run->cap.watts);
    }
    return WW_OK;
}

static ww_status finish(const inference *in, const char *command, ww_result_store *store,
                        ww_error *err)
{
    if (store->aside[0] != '\0') {
        WW_TRY(ww_infer_publish(in->result, &in->request, command, store, err));
    }
    if (ww_args_has(in->args, "quiet")) {
        return WW_OK;
    }
    WW_TRY(print_tables(in->result, in->request.graph, ww_args_has(in->args, "json"), err));
    return note(in, err);
}

/* ---- the command ---- */

static ww_status read_request(const ww_args *args, ww_arena *arena, inference *in, ww_error *err)
{
    unsigned long long threads;
    ww_setting *settings = NULL;
    const char *interval = ww_args_value(args, "launch-interval");
    const char *tune = ww_args_value(args, "tune");
    ww_infer_request *r = &in->request;
    r->gpu = ww_args_value(args, "gpu");
    if (r->gpu == NULL) {
        return ww_fail(err, WW_EUSAGE, "infer needs --gpu NAME (see: warpwatt list gpus)");
    }
    WW_TRY(ww_args_u64(args, "threads", 0, 1024, 1, &threads, err));
    r->threads = threads > 0 ? (unsigned)threads : ww_processors();
    r->graphs = ww_args_has(args, "graphs");
    r->rule_only = tune != NULL;
    if (tune != NULL && strcmp(tune, "off") != 0) {
        return ww_fail(err, WW_EUSAGE, "--tune can be off, not '%s'", tune);
    }
    r->memory = ww_operator_memory(ww_args_value(args, "cache"), arena);
    r->warn = ww_operator_memory_warn;
    if (interval != NULL) {
        if (ww_units_parse(interval, "s", &r->launch_interval_s, err) != WW_OK ||
            !(r->launch_interval_s > 0 && r->launch_interval_s <= 1)) {
            return ww_fail(err, WW_EUSAGE, "--launch-interval needs a time such as 32us, not '%s'",
                           interval);
        }
        if (r->graphs) {
            return ww_fail(err, WW_EUSAGE, "--launch-interval and --graphs exclude each other");
        }
    }
    WW_TRY(ww_settings_collect(args, arena, &settings, &r->setting_count, err));
    r->settings = settings;
    r->stop = ww_ending_flag();
    r->on_operator = show_operator;
    r->user = in;
    in->terminal = !ww_args_has(args, "quiet") && isatty(STDERR_FILENO);
    return WW_OK;
}

static ww_status print_graph(const ww_graph *graph, ww_error *err)
{
    ww_str text = {0};
    ww_graph_write(graph, &text);
    ww_status status = ww_str_check(&text, err);
    if (status == WW_OK) {
        (void)fputs(ww_str_text(&text), stdout);
    }
    ww_str_fini(&text);
    return status;
}

static const char *command_line(const ww_args *args, ww_arena *arena)
{
    ww_str text = {0};
    ww_str_add(&text, "warpwatt infer");
    for (size_t i = 0; i < args->given_count; i++) {
        const char *name = args->given[i].option->name;
        if (strcmp(name, "out") != 0 && strcmp(name, "threads") != 0 &&
            strcmp(name, "force") != 0 && strcmp(name, "cache") != 0) {
            ww_str_addf(&text, " --%s%s%s", name,
                        args->given[i].option->argument != NULL ? " " : "", args->given[i].value);
        }
    }
    for (size_t i = 0; i < args->positional_count; i++) {
        ww_str_addf(&text, " %s", args->positional[i]);
    }
    const char *copy = ww_arena_strndup(arena, ww_str_text(&text), text.len);
    ww_str_fini(&text);
    return copy != NULL ? copy : "";
}

static ww_status run_inference(const ww_args *args, const ww_graph *graph, ww_error *err)
{
    ww_arena arena = {0};
    inference in = {.args = args, .request = {.graph = graph}};
    ww_result_store store = {.aside = ""};
    const char *out = ww_args_value(args, "out");
    ww_status status = read_request(args, &arena, &in, err);
    (void)ww_ending_note();
    if (status == WW_OK && out != NULL) {
        status = ww_result_begin(&store, out, ww_args_has(args, "force"), err);
    }
    if (status == WW_OK) {
        status = ww_infer_capped(&in.request, &in.result, err);
        ww_progress_finish(&in.progress);
    }
    if (status == WW_OK) {
        status = finish(&in, command_line(args, &arena), &store, err);
    }
    ww_result_drop(&store);
    ww_infer_destroy(in.result);
    ww_arena_fini(&arena);
    return status;
}

static ww_status run(const ww_args *args, ww_error *err)
{
    ww_graph graph = {0};
    WW_TRY(load_graph(args, &graph, err));
    ww_status status = ww_args_has(args, "operators") ? print_graph(&graph, err)
                                                      : run_inference(args, &graph, err);
    ww_graph_fini(&graph);
    return status;
}

static const ww_option options[] = {
    {"gpu", "NAME|FILE", "GPU description: a name from 'warpwatt list gpus' or an XML file."},
    {"model", "NAME", "Make the pass of a model (warpwatt list models) instead of reading it."},
    {"batch", "N", "Sequences or images of the pass; 1 when omitted."},
    {"sequence", "N", "Tokens of each sequence; of --phase decode, those before the new one."},
    {"phase", "prefill|decode", "All tokens at once (when omitted), or one more of each sequence."},
    {"precision", "bf16|fp16|fp32", "Numbers of the pass; bf16 when omitted."},
    {"long", NULL, "Allow a sequence beyond the model's positions."},
    {"eager-extras", NULL,
     "Add what eager PyTorch runs and profilers' tables omit: copies of queries, keys, values and "
     "the result of attention, GPT-2's scaling of scores, ResNet's additions."},
    {"operators", NULL, "Print the pass's operators as a table and stop."},
    {"set", "KEY=VALUE", "Override a GPU parameter, e.g. sm.schedulers=4; may be repeated."},
    WW_OPTION_CLOCK,
    WW_OPTION_POWER_CAP,
    {"launch-interval", "TIME",
     "The host launches an operator no sooner than so long behind the one before, such as 32us of "
     "eager PyTorch; when omitted, at once."},
    {"graphs", NULL, "The launches are one captured graph."},
    {"tune", "off",
     "Products take the tile that a rule has first; when omitted, the fastest of up to "
     "three that are simulated."},
    {"cache", "DIR|off",
     "Folder of operators simulated before, by this build on this machine description; when "
     "omitted, $WARPWATT_CACHE, or warpwatt in the user's cache folder."},
    {"threads", "N", "Simulate SMs on N threads (0: one per processor); results are the same."},
    {"out", "DIR",
     "Write the result files into DIR, all or none; a folder that holds a result is refused."},
    {"force", NULL, "Replace the result that --out's folder holds, as a whole."},
    {NULL, NULL, NULL},
};
static const ww_example examples[] = {
    {"warpwatt infer --model gpt2 --batch 8 --sequence 512 --gpu a100-pcie --clock 900MHz "
     "--launch-interval 32us",
     "Joules of a forward pass of GPT-2 on an A100, as eager PyTorch runs it."},
    {"warpwatt infer pass.csv --gpu a100-pcie --out result", "A pass from a table of operators."},
    {"warpwatt infer --model llama-2-7b --sequence 128 --phase decode --operators",
     "What a decoded token consists of."},
    {NULL, NULL},
};
const ww_command ww_cmd_infer = {
    .name = "infer",
    .summary = "time and energy of a model's pass, operator by operator",
    .synopsis = "--gpu GPU --model NAME [options]\n--gpu GPU FILE [options]",
    .description = "Simulates each distinct operator of a model's pass once, on a slice of the GPU "
                   "and where it is large in part, and sums time and energy (docs/inference.md).",
    .options = options,
    .examples = examples,
    .run = run,
};
