/* cmd_check.c - `warpwatt check`: what in a PTX file cannot be executed, before running it, and
 * which of its instructions are redundant. */
#include "analysis/table.h"
#include "cli/check_affine.h"
#include "base/visible.h"
#include "cli/check_redundancy.h"
#include "cli/check_scalar.h"
#include "cli/command.h"
#include "cli/ptx_file.h"

static ww_status check_file(const char *path, ww_table *t, size_t *problems, ww_error *err)
{
    size_t count = 0;
    ww_ptx_module *module = NULL;
    ww_ptx_problem *list = NULL;
    ww_status status = ww_ptx_file_open(path, &module, err);
    if (status == WW_OK) {
        status = ww_ptx_check(module, &list, &count, err);
    }
    for (size_t i = 0; status == WW_OK && i < count; i++) {
        ww_table_text(t, path);
        ww_table_count(t, (unsigned long long)list[i].line);
        ww_table_text(t, list[i].kernel);
        ww_table_text(t, list[i].what);
    }
    *problems += count;
    ww_ptx_destroy(module);
    return status;
}

static ww_status run(const ww_args *args, ww_error *err)
{
    if (args->positional_count == 0) {
        return ww_fail(err, WW_EUSAGE, "check needs at least one PTX file");
    }
    if (ww_args_has(args, "redundancy")) {
        return ww_check_redundancy(args, err);
    }
    if (ww_args_has(args, "scalar")) {
        return ww_check_scalar(args, err);
    }
    if (ww_args_has(args, "affine")) {
        return ww_check_affine(args, err);
    }
    ww_table t;
    ww_table_init(&t, "problems");
    const char *const head[] = {"file", "line", "function", "problem"};
    ww_table_heads(&t, head, WW_ARRAY_LEN(head));
    size_t problems = 0;
    ww_status status = WW_OK;
    for (size_t i = 0; status == WW_OK && i < args->positional_count; i++) {
        status = check_file(args->positional[i], &t, &problems, err);
    }
    bool json = ww_args_has(args, "json");
    if (status == WW_OK && (problems > 0 || json) && !ww_args_has(args, "quiet")) {
        status = ww_table_print(&t, json, stdout, err);
    }
    if (status == WW_OK && problems > 0) {
        status = ww_fail(err, WW_EUNSUP, "%zu unsupported construct%s", problems,
                         problems == 1 ? "" : "s");
    } else if (status == WW_OK && !json && !ww_args_has(args, "quiet")) {
        printf("everything in %s can be executed\n",
               args->positional_count == 1 ? WW_VISIBLE(args->positional[0]) : "these files");
    }
    ww_table_fini(&t);
    return status;
}

static const ww_option options[] = {
    {"redundancy", NULL,
     "Lists every instruction with its mark: DR redundant in a block, CR in blocks of some shapes, "
     "V not."},
    {"affine", NULL,
     "Prints each instruction's affine class, and the affine and the non-affine stream that "
     "decoupled affine computation makes of each kernel (--quiet: only their sizes)."},
    {"scalar", NULL,
     "Prints the registers that hold one value per warp, and the slots that they save, with the "
     "report's seed and the correct one."},
    {"gpu", "NAME|FILE",
     "GPU that the code is built for (gtx1080ti-darsie; --affine: gtx480-dac; --scalar: "
     "gt200-dart)."},
    {"set", "KEY=VALUE", "Override a configuration value; may be repeated."},
    {"block", "X,Y,Z", "Shape of the blocks: also what becomes of CR at launch."},
    {"isa", "lowered|gt200|ptx",
     "Machine-like instructions, those of compute capability 1.3, or the PTX as it stands "
     "(lowered)."},
    {"kernel", "NAME", "This kernel alone."},
    {NULL, NULL, NULL},
};
static const ww_example examples[] = {
    {"warpwatt check kernel.ptx",
     "Lists every unsupported instruction form with its line; exit code 1 when there is one."},
    {"warpwatt check --redundancy kernel.ptx --block 16,16,1",
     "Lists the instructions that one warp of a block could execute for all (DARSIE)."},
    {"warpwatt check --affine workloads/hotspot/hotspot.ptx",
     "Shows which values are affine, and what an affine warp would execute (DAC)."},
    {"warpwatt check --scalar kernel.ptx --gpu gt200-dart --block 16,16,1",
     "Shows what scalarization saves in blocks of that shape (DART)."},
    {NULL, NULL},
};
const ww_command ww_cmd_check = {
    .name = "check",
    .summary = "what a PTX file needs that is not supported",
    .synopsis = "FILE.ptx…\n--redundancy FILE.ptx… [--gpu NAME] [--block X,Y,Z]",
    .description = "Parses PTX files and lists all constructs that could not be executed, not only "
                   "the first. With "
                   "--redundancy, lists the instructions of their kernels with the marks of "
                   "DARSIE's compiler.",
    .options = options,
    .examples = examples,
    .run = run,
};
