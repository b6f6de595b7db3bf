/* help.c - help texts and the man page, both printed from the command table. */
#include <string.h>
#include <unistd.h>

#include "analysis/table.h"
#include "cli/command.h"

static const char *const purpose = "GPU power and energy modelling for computer architects";

/* Calls print for every line of text. */
static void each_line(const char *text, void (*print)(const char *line, int length, void *user),
                      void *user)
{
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        print(text, (int)length, user);
        text += length + (text[length] == '\n');
    }
}

void ww_help_overview(FILE *out)
{
    size_t count;
    const ww_command *const *commands = ww_commands(&count);
    fprintf(out, "warpwatt - %s\n\nusage: warpwatt COMMAND [ARGUMENTS]\n\ncommands:\n", purpose);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    }
    fprintf(out, "\n'warpwatt COMMAND --help' tells more, with examples. Start with:\n"
                 "  warpwatt run --gpu gtx580 --workload backprop --out result\n");
}

struct synopsis {
    FILE *out;
    const char *command;
    bool first;
};

static void print_synopsis(const char *line, int length, void *user)
{
    struct synopsis *s = user;
    fprintf(s->out, "%s warpwatt %s %.*s\n", s->first ? "usage:" : "      ", s->command, length,
            line);
    s->first = false;
}

/* Characters of a stretch of UTF-8: all bytes but those that continue one. */
static size_t characters(const char *text, size_t bytes)
{
    size_t n = 0;
    for (size_t i = 0; i < bytes; i++) {
        n += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
    return n;
}

/* Words of text from column `at` on, in lines that end before `width` and begin at `indent`. */
static void print_words(const char *text, size_t at, size_t indent, size_t width, FILE *out)
{
    bool begun = false; /* a line with a word */
    for (text += strspn(text, " \n"); *text != '\0'; text += strspn(text, " \n")) {
        size_t bytes = strcspn(text, " \n"), columns = characters(text, bytes);
        if (begun && at + 1 + columns > width) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
            begun = false;
        }
        fprintf(out, "%s%.*s", begun ? " " : "", (int)bytes, text);
        at += columns + begun;
        begun = true;
        text += bytes;
    }
    fputc('\n', out);
}

/* Columns of help: as many as a terminal has, but no more than the eye follows. */
static size_t help_width(FILE *out)
{
    enum { LEAST = 60, MOST = 100 };
    size_t width = isatty(fileno(out)) ? ww_terminal_width(out) : MOST;
    return width < LEAST ? LEAST : width > MOST ? MOST : width;
}

static void print_options(const ww_option *options, size_t width, FILE *out)
{
    enum { LEFT = 24, HELP = 2 + LEFT + 1 };
    for (; options->name != NULL; options++) {
        char left[64];
        snprintf(left, sizeof left, "--%s%s%s", options->name, options->argument != NULL ? " " : "",
                 options->argument != NULL ? options->argument : "");
        size_t columns = characters(left, strlen(left));
        bool apart = columns > LEFT;
        fprintf(out, "  %s%s%*s", left, apart ? "\n" : "", apart ? HELP : HELP - 2 - (int)columns,
                "");
        print_words(options->help, HELP, HELP, width, out);
    }
}

void ww_help_command(const ww_command *command, FILE *out)
{
    enum { EXAMPLE = 6 };
    struct synopsis s = {out, command->name, true};
    size_t width = help_width(out);
    each_line(command->synopsis, print_synopsis, &s);
    fputc('\n', out);
    print_words(command->description, 0, 0, width, out);
    fprintf(out, "\noptions:\n");
    print_options(command->options, width, out);
    print_options(ww_common_options, width, out);
    fprintf(out, "\nexamples:\n");
    for (const ww_example *e = command->examples; e->command != NULL; e++) {
        fprintf(out, "  %s\n%*s", e->command, EXAMPLE, "");
        print_words(e->what, EXAMPLE, EXAMPLE, width, out);
    }
}

/* ---- roff ---- */

static void roff_text(const char *text, FILE *out)
{
    for (bool line_start = true; *text != '\0'; text++) {
        if (line_start && (*text == '.' || *text == '\'')) {
            fputs("\\&", out);
        }
        line_start = *text == '\n';
        if (*text == '-') {
            fputs("\\-", out);
        } else if (*text == '\\') {
            fputs("\\e", out);
        } else {
            fputc(*text, out);
        }
    }
}

static void roff_options(const ww_option *options, FILE *out)
{
    for (; options->name != NULL; options++) {
        fputs(".TP\n.B ", out);
        roff_text("--", out);
        roff_text(options->name, out);
        if (options->argument != NULL) {
            fprintf(out, " \\fI%s\\fR", options->argument);
        }
        fputc('\n', out);
        roff_text(options->help, out);
        fputc('\n', out);
    }
}

static void roff_line(const char *line, int length, void *user)
{
    const struct synopsis *s = user;
    char text[512];
    snprintf(text, sizeof text, "%.*s", length, line);
    if (!s->first) {
        fputs(".br\n", s->out);
    }
    fprintf(s->out, ".B warpwatt %s\n", s->command);
    roff_text(text, s->out);
    fputc('\n', s->out);
}

static void roff_synopsis(const ww_command *command, FILE *out)
{
    struct synopsis s = {out, command->name, true};
    const char *line = command->synopsis;
    while (*line != '\0') {
        size_t length = strcspn(line, "\n");
        roff_line(line, (int)length, &s);
        s.first = false;
        line += length + (line[length] == '\n');
    }
}

static void roff_examples(const ww_command *command, FILE *out)
{
    for (const ww_example *e = command->examples; e->command != NULL; e++) {
        fputs(".TP\n.B ", out);
        roff_text(e->command, out);
        fputc('\n', out);
        roff_text(e->what, out);
        fputc('\n', out);
    }
}

static const char *const exit_status =
    ".SH EXIT STATUS\n0: success. 1: an input or the model is at fault. 2: the command line is. "
    "3: WarpWatt is. 130: interrupted; what had finished is kept.\n";

void ww_help_man_command(const ww_command *command, FILE *out)
{
    fprintf(out, ".TH \"WARPWATT-%s\" 1 \"\" \"WarpWatt\"\n.SH NAME\nwarpwatt\\-%s \\- ",
            command->name, command->name);
    roff_text(command->summary, out);
    fputs("\n.SH SYNOPSIS\n", out);
    roff_synopsis(command, out);
    fputs(".SH DESCRIPTION\n", out);
    roff_text(command->description, out);
    fputs("\n.SH OPTIONS\n", out);
    roff_options(command->options, out);
    roff_options(ww_common_options, out);
    fputs(".SH EXAMPLES\n", out);
    roff_examples(command, out);
    fprintf(out, "%s.SH SEE ALSO\n.BR warpwatt (1)\n", exit_status);
}

void ww_help_man(FILE *out)
{
    size_t count;
    const ww_command *const *commands = ww_commands(&count);
    fprintf(out,
            ".TH WARPWATT 1 \"\" \"WarpWatt\"\n.SH NAME\nwarpwatt \\- %s\n.SH SYNOPSIS\n"
            ".B warpwatt\n\\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n.SH COMMANDS\n"
            "Each has a page of its own and \\fB\\-\\-help\\fR.\n",
            purpose);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, ".TP\n.BR warpwatt\\-%s (1)\n", commands[i]->name);
        roff_text(commands[i]->summary, out);
        fputc('\n', out);
    }
    fputs(".SH COMMON OPTIONS\n", out);
    roff_options(ww_common_options, out);
    fputs(".TP\n.B \\-\\-completion \\fISHELL\\fR\nPrints completions for bash, zsh or fish.\n"
          ".TP\n.B \\-\\-man \\fR[\\fICOMMAND\\fR]\nPrints this page, or that of a command.\n",
          out);
    fputs(exit_status, out);
    fputs(
        ".SH ENVIRONMENT\n.TP\n.B WARPWATT_CONFIGS\nDirectory of configuration files, searched "
        "first.\n"
        ".TP\n.B TMPDIR\nWhere the files of a program that runs lie meanwhile; /tmp without it.\n",
        out);
}
