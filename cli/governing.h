/* governing.h - --governor and --heat of a command line. */
#ifndef WW_CLI_GOVERNING_H
#define WW_CLI_GOVERNING_H

#include "cli/command.h"
#include "run/run.h"

/* Rows of an option table. */
#define WW_OPTION_GOVERNOR                                                                         \
    {                                                                                              \
        "governor", "fixed:HZ|cap:WATTS|edp",                                                      \
            "Set the core clock after every --interval: hold it, keep the power under a cap, or "  \
            "look for the least energy times delay; trace.csv has clock and voltage "              \
            "(docs/guide.md)."                                                                     \
    }
#define WW_OPTION_HEAT                                                                             \
    {                                                                                              \
        "heat", "TIMES",                                                                           \
            "Let the die's temperature follow its power from chip.temperature_k on, every "        \
            "--interval standing for so many like it (a launch of microseconds warms nothing); "   \
            "above chip.limit_k the clock goes down (docs/guide.md)."                              \
    }

/** Takes both into the request and its settings, which have room for one more. @error EUSAGE */
WW_NODISCARD ww_status ww_governing_take(const ww_args *args, ww_arena *arena,
                                         ww_run_request *request, ww_setting *settings,
                                         ww_error *err);

#endif
