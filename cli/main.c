/* main.c - the warpwatt command: picks the subcommand, prints its error, sets the exit code. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <gsl/gsl_errno.h>

#include "base/suggest.h"
#include "base/visible.h"
#include "cli/command.h"
#include "cli/ending.h"
#include "cli/outputs.h"
#include "base/version.h"

static const ww_command *const commands[] = {
#define WW_COMMAND(name) &ww_cmd_##name,
#include "cli/commands.def"
#undef WW_COMMAND
};

const ww_command *const *ww_commands(size_t *count)
{
    *count = WW_ARRAY_LEN(commands);
    return commands;
}

/* 0 ok, 1 input or model error, 2 usage, 3 internal, 128 and a signal's number as shells have it.
 */
static int exit_code(ww_status status)
{
    switch (status) {
    case WW_OK:
        return 0;
    case WW_EUSAGE:
        return 2;
    case WW_EINTERNAL:
    case WW_ENOMEM:
        return 3;
    case WW_EINTERRUPTED:
        return 128 + (ww_ending_signal() != 0 ? ww_ending_signal() : SIGINT);
    default:
        return 1;
    }
}

static int report(const ww_error *err, ww_status status, const char *command)
{
    char text[4096];
    fprintf(stderr, "%s\n", ww_error_format(err, text, sizeof text));
    if (status == WW_EUSAGE && command != NULL) {
        fprintf(stderr, "try: warpwatt %s --help\n", command);
    }
    return exit_code(status);
}

static const ww_command *find_command(const char *name)
{
    for (size_t i = 0; i < WW_ARRAY_LEN(commands); i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

static int unknown_command(const char *name)
{
    ww_suggest s;
    char hint[96];
    ww_suggest_init(&s, name);
    for (size_t i = 0; i < WW_ARRAY_LEN(commands); i++) {
        ww_suggest_offer(&s, commands[i]->name);
    }
    fprintf(stderr, "error: warpwatt has no command '%s'%s\ntry: warpwatt --help\n",
            WW_VISIBLE(name), ww_suggest_text(&s, hint, sizeof hint));
    return 2;
}

/* Pages and completions, which the build installs. */
static int print_document(const char *kind, const char *of)
{
    if (strcmp(kind, "--completion") == 0) {
        if (of == NULL || !ww_completion(of, stdout)) {
            fprintf(stderr, "error: --completion takes bash, zsh or fish\n");
            return 2;
        }
        return 0;
    }
    const ww_command *command = of != NULL ? find_command(of) : NULL;
    if (of != NULL && command == NULL) {
        return unknown_command(of);
    }
    if (command != NULL) {
        ww_help_man_command(command, stdout);
    } else {
        ww_help_man(stdout);
    }
    return 0;
}

static int run_command(const ww_command *command, int argc, char **argv)
{
    static ww_args args; /* large; this is the only thread */
    ww_error err = {0};
    (void)signal(SIGXFSZ,
                 SIG_IGN);       /* a limit of file sizes is an error of writing, with a message */
    gsl_set_error_handler_off(); /* libraries return errors; GSL's own handler would abort */
    ww_status status = ww_args_parse(command, argc, argv, &args, &err);
    if (status == WW_OK && ww_args_has(&args, "help")) {
        ww_help_command(command, stdout);
        return 0;
    }
    status = status == WW_OK ? ww_outputs_check(&args, &err) : status;
    status = status == WW_OK ? command->run(&args, &err) : status;
    return status == WW_OK ? 0 : report(&err, status, command->name);
}

static int run_line(int argc, char **argv)
{
    if (argc < 2) {
        ww_help_overview(stderr);
        return 2;
    }
    const char *first = argv[1];
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0 ||
        (strcmp(first, "help") == 0 && argc < 3)) {
        ww_help_overview(stdout);
        return 0;
    }
    if (strcmp(first, "--version") == 0) {
        printf("warpwatt %s\n", WW_VERSION);
        return 0;
    }
    if (strcmp(first, "--man") == 0 || strcmp(first, "--completion") == 0) {
        return print_document(first, argc > 2 ? argv[2] : NULL);
    }
    const char *name = strcmp(first, "help") == 0 ? argv[2] : first;
    const ww_command *command = find_command(name);
    if (command == NULL) {
        return unknown_command(name);
    }
    if (name != first) {
        ww_help_command(command, stdout);
        return 0;
    }
    return run_command(command, argc - 2, argv + 2);
}

/* Chunks of arenas (base/mem.c) come straight from the system, which gives pages that are zero and
 * cost nothing before they are used. From the heap they would be cleared, and so be used at once:
 * so it grows by less than such a chunk. */
static void prefer_fresh_pages(void)
{
#ifdef __GLIBC__
    (void)mallopt(M_MMAP_THRESHOLD, 32 * 1024);
    (void)mallopt(M_TOP_PAD, 16 * 1024);
#endif
}

/* What was printed counts when it has arrived, help as much as results. */
int main(int argc, char **argv)
{
    prefer_fresh_pages();
    int code = run_line(argc, argv);
    if (code == 0 && (fflush(stdout) != 0 || ferror(stdout))) {
        fprintf(stderr, "error: standard output could not be written\n");
        return 1;
    }
    return code;
}
