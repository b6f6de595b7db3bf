/* command.h - the command table: one description of every subcommand and option, from which
 * parsing, --help and the man page come.
 *
 * cli/ parses, calls and prints: a file per subcommand (cmd_NAME.c), no arithmetic on results. It
 * alone writes to standard output and standard error and turns statuses into exit codes (main.c);
 * what a command reads is safe from what it writes (outputs.h). */
#ifndef WW_CLI_COMMAND_H
#define WW_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/status.h"

typedef struct ww_option {
    const char *name;     /* without dashes: "gpu" */
    const char *argument; /* placeholder of its value, NULL: a flag */
    const char *help;     /* one sentence */
} ww_option;

typedef struct ww_example {
    const char *command;
    const char *what;
} ww_example;

struct ww_args;

typedef struct ww_command {
    const char *name;     /* "run" */
    const char *summary;  /* half a line */
    const char *synopsis; /* what follows the name, '\n' between forms */
    const char *description;
    const ww_option *options;   /* ends with name NULL */
    const ww_example *examples; /* ends with command NULL */
    ww_status (*run)(const struct ww_args *args, ww_error *err);
} ww_command;

/* A parsed command line. Borrowed strings: argv must outlive it. */
typedef struct ww_args {
    const ww_command *command;
    struct {
        const ww_option *option;
        const char *value; /* "" for a flag */
    } given[256];
    size_t given_count;
    const char *positional[4096];
    size_t positional_count;
    const char *const *rest; /* behind "--" */
    size_t rest_count;
} ww_args;

/** All subcommands, in the order of the help text. */
const ww_command *const *ww_commands(size_t *count);

/** Parses argv behind the subcommand's name. EUSAGE names the faulty argument, with a suggestion.
 */
WW_NODISCARD ww_status ww_args_parse(const ww_command *command, int argc, char **argv, ww_args *out,
                                     ww_error *err);
/** Last value of an option, NULL when it was not given. */
const char *ww_args_value(const ww_args *args, const char *name);
bool ww_args_has(const ww_args *args, const char *name);
/** Number of times an option was given, and its i-th value. */
size_t ww_args_count(const ww_args *args, const char *name);
const char *ww_args_nth(const ww_args *args, const char *name, size_t i);
/** Value as unsigned integer, `otherwise` when the option is absent; EUSAGE when it is no number in
 * [lo, hi]. */
WW_NODISCARD ww_status ww_args_u64(const ww_args *args, const char *name, unsigned long long lo,
                                   unsigned long long hi, unsigned long long otherwise,
                                   unsigned long long *out, ww_error *err);

/** Options that every subcommand has. */
extern const ww_option ww_common_options[];

/** Prints the overview or one subcommand's help. */
void ww_help_overview(FILE *out);
void ww_help_command(const ww_command *command, FILE *out);
/** Prints the man page (roff) of the program, or of one subcommand. */
void ww_help_man(FILE *out);
void ww_help_man_command(const ww_command *command, FILE *out);
/** Prints completions for "bash", "zsh" or "fish"; false: another shell. */
bool ww_completion(const char *shell, FILE *out);

#define WW_COMMAND(name) extern const ww_command ww_cmd_##name;
#include "cli/commands.def"
#undef WW_COMMAND

#endif
