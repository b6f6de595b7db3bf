/* settings.h - --set options of a command line. */
#ifndef WW_CLI_SETTINGS_H
#define WW_CLI_SETTINGS_H

#include "arch/arch.h"
#include "base/mem.h"
#include "cli/command.h"

/** Splits every --set KEY=VALUE; *out lives in the arena. EUSAGE when one has no '='. */
ww_status ww_settings_collect(const ww_args *args, ww_arena *arena, ww_setting **out, size_t *count,
                              ww_error *err);
/** Loads a GPU with the command line's --set options. The second prints every fault. */
ww_status ww_settings_load_arch(const ww_args *args, const char *gpu, ww_arch **out, ww_error *err);
/** The same with mechanisms switched on where the command line names none: their parameters have
 * values then. */
ww_status ww_settings_load_arch_with(const ww_args *args, const char *gpu, const char *mechs,
                                     ww_arch **out, ww_error *err);
ww_status ww_settings_check_arch(const ww_args *args, const char *gpu, ww_arch **out,
                                 ww_error *err);

#endif
