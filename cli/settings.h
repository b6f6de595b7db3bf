/* settings.h - --set options of a command line. */
#ifndef WW_CLI_SETTINGS_H
#define WW_CLI_SETTINGS_H

#include "arch/arch.h"
#include "base/mem.h"
#include "cli/command.h"

/* Rows of option tables. */
#define WW_OPTION_CLOCK                                                                            \
    {                                                                                              \
        "clock", "HZ",                                                                             \
            "Core clock, such as 900MHz, down to a step of the card: voltage, energies and idle "  \
            "power follow, the memory's clock stays (docs/guide.md)."                              \
    }
#define WW_OPTION_POWER_CAP                                                                        \
    {                                                                                              \
        "power-cap", "WATTS",                                                                      \
            "Most that the mean power of each workload may be, such as 250W: the core clock is "   \
            "lowered, and the voltage with it, until it fits; each clock tried is simulated."      \
    }

/** Splits every --set KEY=VALUE, and turns --mech, --clock and --power-cap into settings; *out
 * lives in the arena. EUSAGE when one has no '='. */
WW_NODISCARD ww_status ww_settings_collect(const ww_args *args, ww_arena *arena, ww_setting **out,
                                           size_t *count, ww_error *err);
/** Loads a GPU with the command line's --set options. The second prints every fault. */
WW_NODISCARD ww_status ww_settings_load_arch(const ww_args *args, const char *gpu, ww_arch **out,
                                             ww_error *err);
/** The same with mechanisms switched on where the command line names none: their parameters have
 * values then. */
WW_NODISCARD ww_status ww_settings_load_arch_with(const ww_args *args, const char *gpu,
                                                  const char *mechs, ww_arch **out, ww_error *err);
WW_NODISCARD ww_status ww_settings_check_arch(const ww_args *args, const char *gpu, ww_arch **out,
                                              ww_error *err);

#endif
