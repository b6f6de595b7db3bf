/* cmd_validate.c - `warpwatt validate`: our numbers beside published and reference numbers. */
#include <string.h>
#include <unistd.h>

#include "base/suggest.h"
#include "cli/command.h"
#include "cli/ending.h"
#include "cli/operator_memory.h"
#include "cli/program.h"
#include "validation/validate.h"

/* A program of a comparison, on our runtime in place of NVIDIA's. */
static ww_status run_program(const ww_run_request *request, const char *const *words, size_t count,
                             ww_take_run take, void *user, ww_error *err)
{
    ww_program_result result = {0};
    ww_status status = ww_program_run(request, words, count, &result, err);
    if (status == WW_OK && result.interrupted) {
        status = ww_fail(err, WW_EINTERRUPTED, "interrupted while %s ran", words[0]);
    }
    if (status == WW_OK && (result.fault_count > 0 || result.exit_code != 0)) {
        status = ww_fail(err, WW_EKERNEL, "%s failed", words[0]);
    }
    status = status == WW_OK ? take(user, &result.run, err) : status;
    ww_program_result_fini(&result);
    return status;
}

static ww_status refuse_program(const ww_run_request *request, const char *const *words,
                                size_t count, ww_take_run take, void *user, ww_error *err)
{
    (void)request;
    (void)count;
    (void)take;
    (void)user;
    return ww_fail(err, WW_EUSAGE,
                   "the table names a program, %s: --allow-programs runs what it names", words[0]);
}

static ww_validation asked_by(const ww_args *args, ww_arena *arena)
{
    bool quiet = ww_args_has(args, "quiet");
    return (ww_validation){.name = args->positional_count > 1 ? args->positional[1] : NULL,
                           .reference = ww_args_value(args, "reference"),
                           .programs = ww_args_value(args, "programs"),
                           .results = ww_args_value(args, "results"),
                           .out = ww_args_value(args, "out"),
                           .numbers = ww_args_value(args, "numbers"),
                           .passes = ww_args_value(args, "passes"),
                           .cache = ww_operator_memory(ww_args_value(args, "cache"), arena),
                           .stop = ww_ending_flag(),
                           .every_row = ww_args_has(args, "rows"),
                           .may_draw = !quiet && isatty(STDERR_FILENO),
                           .output = {.to = quiet ? NULL : stdout,
                                      .notes = quiet ? NULL : stderr,
                                      .format = ww_args_has(args, "json")       ? WW_FORMAT_JSON
                                                : ww_args_has(args, "markdown") ? WW_FORMAT_MARKDOWN
                                                                                : WW_FORMAT_TEXT},
                           .run_program =
                               ww_args_has(args, "allow-programs") ? run_program : refuse_program};
}

typedef ww_status (*comparison)(const ww_validation *asked, ww_error *err);

static ww_status compare(const ww_args *args, comparison of, ww_error *err)
{
    ww_arena arena = {0};
    const ww_validation asked = asked_by(args, &arena);
    ww_status status = of(&asked, err);
    ww_arena_fini(&arena);
    return status;
}

static const struct {
    const char *what;
    const char *form; /* option that asks for this form of it, NULL: none */
    comparison run;
} verbs[] = {
    {"arrays", NULL, ww_validate_arrays},         {"cycles", "hardware", ww_validate_hardware},
    {"cycles", "memory", ww_validate_memory},     {"cycles", "rates", ww_validate_rates},
    {"cycles", NULL, ww_validate_cycles},         {"power", NULL, ww_validate_power},
    {"structures", NULL, ww_validate_structures}, {"area", NULL, ww_validate_area},
    {"measured", NULL, ww_validate_measured},     {"h264", NULL, ww_validate_h264},
    {"paper", NULL, ww_validate_paper},           {"inference", NULL, ww_validate_inference},
    {"async", NULL, ww_validate_async},           {"toggles", NULL, ww_validate_toggles},
    {"products", NULL, ww_validate_products},
};

static ww_status run(const ww_args *args, ww_error *err)
{
    const char *what = args->positional_count > 0 ? args->positional[0] : "";
    char known[128] = "", hint[96];
    ww_suggest near;
    ww_suggest_init(&near, what);
    for (size_t i = 0; i < WW_ARRAY_LEN(verbs); i++) {
        bool formed = verbs[i].form == NULL || ww_args_has(args, verbs[i].form);
        if (strcmp(verbs[i].what, what) == 0 && formed) {
            return compare(args, verbs[i].run, err);
        }
        if (verbs[i].form != NULL) {
            continue;
        }
        ww_suggest_offer(&near, verbs[i].what);
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", verbs[i].what);
    }
    if (args->positional_count == 0) {
        return ww_fail(err, WW_EUSAGE, "validate needs one of: %s", known);
    }
    return ww_fail(err, WW_EUSAGE, "validate knows %s, not '%s'%s", known, what,
                   ww_suggest_text(&near, hint, sizeof hint));
}

static const ww_option options[] = {
    {"reference", "FILE",
     "arrays, cycles, async, toggles, products: another table with the columns of the shipped one"},
    {"programs", "DIR",
     "cycles: a folder with NAME.ptx, and NAME.xml where none is shipped, of the table's programs"},
    {"hardware", NULL,
     "cycles: beside those of a GPU, of CUDA programs; --programs names a folder with the programs "
     "and their data"},
    {"allow-programs", NULL,
     "cycles: execute the programs that the table of --hardware or --rates names; without it, PTX "
     "is simulated and results are read, and nothing else runs"},
    {"memory", NULL,
     "cycles: latencies, bandwidths and rates of operations of the shipped GPUs beside measured "
     "and "
     "published ones, by chains and streams"},
    {"rates", NULL,
     "cycles: GB/s and GFLOP/s of SHOC on Fermi GPUs beside ours; --programs and --results as for "
     "--hardware"},
    {"out", "DIR",
     "power: run the workloads that DIR has no results of, keep them in DIR/WORKLOAD, and compare; "
     "inference: the same of passes, in DIR/PASS"},
    {"passes", "PATTERN",
     "inference: only passes of such names, a pattern of the shell: 'a100-gpt2*-900'"},
    {"cache", "DIR|off", "inference: folder of operators simulated before, as of infer"},
    {"results", "DIR",
     "power: compare what DIR/WORKLOAD or DIR/WORKLOAD-SIZE (a sweep's) holds, run nothing; cycles "
     "--hardware: what DIR/PROGRAM "
     "holds of `run --out`; measured: what DIR/GPU-WORKLOAD holds; h264: what the sweep "
     "d553-cta-limit left in DIR; paper: what the sweep paper-NAME left in DIR, or a file that "
     "--numbers wrote; inference: what "
     "`infer --out` left in DIR/PASS (docs/inference.md)"},
    {"numbers", "FILE",
     "paper: write what was asked of each run as a table, from which --results makes the same "
     "page"},
    {"markdown", NULL,
     "power, area, structures, measured, h264, paper: print tables as in docs/generated"},
    {"rows", NULL,
     "arrays: also every configuration with both tools' answers and ours; paper: also the value of "
     "every workload"},
    {NULL, NULL, NULL},
};
static const ww_example examples[] = {
    {"warpwatt validate arrays", "Errors against CACTI 7.0 and CACTI-P by kind, node and group."},
    {"warpwatt validate arrays --rows --json", "The same with every configuration, for scripts."},
    {"warpwatt validate cycles --programs ptx",
     "Cycles and events beside GPGPU-Sim's, of the programs in ptx/."},
    {"warpwatt validate cycles --hardware --programs bin --allow-programs",
     "Cycles beside a Quadro GV100's, of the programs in bin/ with the inputs in bin/data/."},
    {"warpwatt validate power --out study", "Metrics and powers of 37 kernels beside LPGPU "
                                            "D5.5.3's; hours, and goes on where it stopped."},
    {"warpwatt validate power --results study/gtx580",
     "The same of warpwatt sweep d553-kernels-default --out study."},
    {"warpwatt validate structures",
     "Tables of published mechanisms beside the energies, areas and powers their papers print."},
    {"warpwatt validate measured --results DIR",
     "Idle powers, energies per operation and kernel powers beside those measured on GPUs; "
     "DIR/GPU-WORKLOAD holds results of `run`."},
    {"warpwatt validate h264 --results cta-limit",
     "Motion compensation with more CTAs and shared memory beside LPGPU D5.5.3's, of warpwatt "
     "sweep "
     "d553-cta-limit --out cta-limit."},
    {"warpwatt validate async",
     "Matrix products of warp groups, bulk copies, mbarriers and the two parts of the L2 of Hopper "
     "cards beside latencies and rates measured on them."},
    {"warpwatt validate toggles",
     "What random values, and runs of equal words, cost in a stream of reads beside what an H200 "
     "draws for them."},
    {"warpwatt validate products",
     "What the values of a matrix product's factors cost, by pattern, beside what an A100 and an "
     "H100 draw for them; some minutes."},
    {"warpwatt validate inference --results DIR",
     "Joules of models' passes beside measured ones; DIR/PASS holds results of `infer`."},
    {"warpwatt validate inference --out passes --passes 'a10-*'",
     "The passes measured on an A10, run here where `passes` lacks them; goes on where it "
     "stopped."},
    {"warpwatt validate area",
     "Die areas, SM areas, static powers and mechanisms' overheads beside "
     "published ones."},
    {"warpwatt validate paper caps --results caps",
     "Each number of a paper beside ours and the band it must lie in, of warpwatt sweep paper-caps "
     "--out caps."},
    {NULL, NULL},
};
const ww_command ww_cmd_validate = {
    .name = "validate",
    .summary = "our numbers beside published and reference numbers",
    .synopsis =
        "arrays [--reference FILE] [--rows]\ncycles [--hardware | --memory | --rates] [--reference "
        "FILE] "
        "[--programs "
        "DIR [--allow-programs]] [--results DIR]\npower (--out DIR | --results DIR) "
        "[--markdown]\nstructures\narea "
        "[--markdown]\nmeasured [--results DIR] [--markdown]\nasync [--reference FILE]\ntoggles "
        "[--reference FILE]\nproducts [--reference FILE]\nh264 --results DIR "
        "[--markdown]\ninference (--out DIR [--cache DIR] | --results DIR) [--passes "
        "PATTERN]\npaper "
        "NAME --results DIR|FILE [--numbers FILE] [--rows] [--markdown]",
    .description = "Prints a comparison with its bars. The exit code is 1 when a bar is missed.",
    .options = options,
    .examples = examples,
    .run = run,
};
