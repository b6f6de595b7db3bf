/* power_from.h - `warpwatt power --from`: activity that another program counted. */
#ifndef WW_CLI_POWER_FROM_H
#define WW_CLI_POWER_FROM_H

#include "analysis/table.h"
#include "arch/arch.h"
#include "cli/command.h"
#include "counters/foreign.h"
#include "power/power.h"

/** Reads the files of a command line with --from for a machine; release with ww_foreign_fini. */
WW_NODISCARD ww_status ww_power_from_load(const ww_args *args, const ww_arch *arch,
                                          ww_foreign_activity *out, ww_error *err);
/** The table of what the source did not tell: counter, rule, and the joules that rest on it; with
 * those that cost nothing, or without. */
WW_NODISCARD ww_status ww_power_from_table(const ww_power_model *model,
                                           const ww_foreign_activity *foreign, bool all,
                                           ww_table *table, ww_error *err);

#endif
