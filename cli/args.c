/* args.c - parsing of a subcommand's arguments by its option table. */
#include <string.h>

#include "base/num.h"
#include "base/suggest.h"
#include "cli/command.h"

const ww_option ww_common_options[] = {
    {"help", NULL, "Show this help."},
    {"quiet", NULL, "No progress and no tables; errors still appear."},
    {"json", NULL, "Print tables as JSON."},
    {NULL, NULL, NULL},
};

static const ww_option *find_in(const ww_option *options, const char *name, size_t length)
{
    for (; options->name != NULL; options++) {
        if (strlen(options->name) == length && strncmp(options->name, name, length) == 0) {
            return options;
        }
    }
    return NULL;
}

static const ww_option *find_option(const ww_command *command, const char *name, size_t length)
{
    const ww_option *found = find_in(command->options, name, length);
    return found != NULL ? found : find_in(ww_common_options, name, length);
}

static ww_status unknown_option(const ww_command *command, const char *name, ww_error *err)
{
    ww_suggest s;
    char hint[96];
    ww_suggest_init(&s, name);
    for (const ww_option *o = command->options; o->name != NULL; o++) {
        ww_suggest_offer(&s, o->name);
    }
    for (const ww_option *o = ww_common_options; o->name != NULL; o++) {
        ww_suggest_offer(&s, o->name);
    }
    return ww_fail(err, WW_EUSAGE, "%s has no option --%s%s", command->name, name,
                   ww_suggest_text(&s, hint, sizeof hint));
}

static ww_status take(ww_args *args, const ww_option *option, const char *value, ww_error *err)
{
    if (args->given_count == WW_ARRAY_LEN(args->given)) {
        return ww_fail(err, WW_EUSAGE, "more than %zu options", args->given_count);
    }
    args->given[args->given_count].option = option;
    args->given[args->given_count++].value = value;
    return WW_OK;
}

static ww_status parse_option(ww_args *args, int argc, char **argv, int *i, ww_error *err)
{
    const char *text = argv[*i] + 2, *equals = strchr(text, '=');
    size_t length = equals != NULL ? (size_t)(equals - text) : strlen(text);
    const ww_option *option = find_option(args->command, text, length);
    if (option == NULL) {
        return unknown_option(args->command, text, err);
    }
    const char *value = equals != NULL ? equals + 1 : NULL;
    if (option->argument == NULL && value != NULL) {
        return ww_fail(err, WW_EUSAGE, "option --%s takes no value", option->name);
    }
    if (option->argument != NULL && value == NULL) {
        if (*i + 1 >= argc) {
            return ww_fail(err, WW_EUSAGE, "option --%s needs a value: --%s %s", option->name,
                           option->name, option->argument);
        }
        value = argv[++*i];
    }
    return take(args, option, value != NULL ? value : "", err);
}

/* A second machine would silently take the first one's place. */
static ww_status check_machine(const ww_args *args, ww_error *err)
{
    size_t n = ww_args_count(args, "gpu");
    return n <= 1
               ? WW_OK
               : ww_fail(err, WW_EUSAGE, "--gpu names one machine; it was given %zu times: %s, %s",
                         n, ww_args_nth(args, "gpu", 0), ww_args_nth(args, "gpu", 1));
}

ww_status ww_args_parse(const ww_command *command, int argc, char **argv, ww_args *out,
                        ww_error *err)
{
    *out = (ww_args){.command = command};
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            out->rest = (const char *const *)(argv + i + 1);
            out->rest_count = (size_t)(argc - i - 1);
            return check_machine(out, err);
        }
        if (strncmp(argv[i], "--", 2) == 0) {
            WW_TRY(parse_option(out, argc, argv, &i, err));
        } else if (strcmp(argv[i], "-h") == 0) {
            WW_TRY(take(out, &ww_common_options[0], "", err));
        } else if (argv[i][0] == '-' && argv[i][1] != '\0') {
            return unknown_option(command, argv[i] + 1, err);
        } else if (out->positional_count == WW_ARRAY_LEN(out->positional)) {
            return ww_fail(err, WW_EUSAGE, "more than %zu arguments", out->positional_count);
        } else {
            out->positional[out->positional_count++] = argv[i];
        }
    }
    return check_machine(out, err);
}

size_t ww_args_count(const ww_args *args, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < args->given_count; i++) {
        n += strcmp(args->given[i].option->name, name) == 0;
    }
    return n;
}

const char *ww_args_nth(const ww_args *args, const char *name, size_t nth)
{
    for (size_t i = 0; i < args->given_count; i++) {
        if (strcmp(args->given[i].option->name, name) == 0 && nth-- == 0) {
            return args->given[i].value;
        }
    }
    return NULL;
}

const char *ww_args_value(const ww_args *args, const char *name)
{
    size_t n = ww_args_count(args, name);
    return n > 0 ? ww_args_nth(args, name, n - 1) : NULL;
}

bool ww_args_has(const ww_args *args, const char *name)
{
    return ww_args_count(args, name) > 0;
}

ww_status ww_args_u64(const ww_args *args, const char *name, unsigned long long lo,
                      unsigned long long hi, unsigned long long otherwise, unsigned long long *out,
                      ww_error *err)
{
    const char *text = ww_args_value(args, name);
    if (text == NULL) {
        *out = otherwise;
        return WW_OK;
    }
    uint64_t value = 0;
    if (ww_num_parse_u64(text, &value, NULL) != WW_OK || value < lo || value > hi) {
        return ww_fail(err, WW_EUSAGE, "--%s needs a whole number from %llu to %llu, not '%s'",
                       name, lo, hi, text);
    }
    *out = value;
    return WW_OK;
}
