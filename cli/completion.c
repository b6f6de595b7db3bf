/* completion.c - completions for bash, zsh and fish, printed from the command table. Words of
 * arguments come from the table too: of "lowered|ptx" either, and for GPUs, workloads and
 * mechanisms what `warpwatt list` lists. */
#include <ctype.h>
#include <string.h>

#include "cli/command.h"

/* What may stand for an option's argument. */
typedef enum source { NOTHING, FILES, WORDS, GPUS, WORKLOADS, MECHS } source;

static bool is_choice(const char *text)
{
    bool bar = false;
    for (; *text != '\0'; text++) {
        if (*text == '|') {
            bar = true;
        } else if (!islower((unsigned char)*text) && !isdigit((unsigned char)*text) &&
                   *text != '-') {
            return false;
        }
    }
    return bar;
}

static source source_of(const ww_option *option)
{
    static const struct {
        const char *option;
        source source;
    } lists[] = {{"gpu", GPUS}, {"workload", WORKLOADS}, {"mech", MECHS}};
    if (option->argument == NULL) {
        return NOTHING;
    }
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (strcmp(option->name, lists[i].option) == 0) {
            return lists[i].source;
        }
    }
    if (is_choice(option->argument)) {
        return WORDS;
    }
    return strstr(option->argument, "FILE") != NULL || strstr(option->argument, "DIR") != NULL
               ? FILES
               : NOTHING;
}

/* The words of "a|b", with a separator. */
static void put_words(const char *text, const char *between, FILE *out)
{
    for (; *text != '\0' && *text != ' '; text++) {
        if (*text == '|') {
            fputs(between, out);
        } else {
            fputc(*text, out);
        }
    }
}

/* First words of the synopsis that are words to type: "gpus|workloads", "show". */
static void put_subjects(const ww_command *command, FILE *out)
{
    for (const char *line = command->synopsis; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        char first[128];
        size_t n = strcspn(line, " \n");
        if (n >= sizeof first) {
            continue;
        }
        memcpy(first, line, n);
        first[n] = '\0';
        const char *letter = first;
        while (islower((unsigned char)*letter) || *letter == '|') {
            letter++;
        }
        if (*letter == '\0' && n > 0) {
            put_words(first, " ", out);
            fputc(' ', out);
        }
    }
}

typedef void each_option(const ww_command *command, const ww_option *option, FILE *out);

static void for_options(const ww_command *command, each_option *visit, FILE *out)
{
    for (const ww_option *o = command->options; o->name != NULL; o++) {
        visit(command, o, out);
    }
    for (const ww_option *o = ww_common_options; o->name != NULL; o++) {
        visit(command, o, out);
    }
}

static const char *list_name(source from)
{
    return from == GPUS ? "gpus" : from == WORKLOADS ? "workloads" : "mechs";
}

/* ---- bash ---- */

static void bash_name(const ww_command *command, const ww_option *option, FILE *out)
{
    (void)command;
    fprintf(out, " --%s", option->name);
}

static void bash_argument(const ww_command *command, const ww_option *option, FILE *out)
{
    source from = source_of(option);
    if (option->argument == NULL) {
        return;
    }
    fprintf(out, "    %s:--%s)", command->name, option->name);
    if (from == WORDS) {
        fputs(" words='", out);
        put_words(option->argument, " ", out);
        fputs("'", out);
    } else if (from == FILES) {
        fputs(" files=1", out);
    } else if (from != NOTHING) {
        fprintf(out, " words=$(_warpwatt_list %s)", list_name(from));
    }
    fputs(" ;;\n", out);
}

static void put_bash(FILE *out)
{
    size_t count;
    const ww_command *const *commands = ww_commands(&count);
    fputs("# bash completion of warpwatt; made by `warpwatt --completion bash`\n"
          "_warpwatt_list() {\n"
          "    warpwatt list \"$1\" 2>/dev/null | awk 'NR > 1 { print $1 }'\n"
          "}\n"
          "_warpwatt() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local command=${COMP_WORDS[1]} words='' files=''\n"
          "    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
          "        words='",
          out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s ", commands[i]->name);
    }
    fputs("help --help --version'\n        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
          "        return\n    fi\n"
          "    case $command:$before in\n",
          out);
    for (size_t i = 0; i < count; i++) {
        for_options(commands[i], bash_argument, out);
    }
    fputs("    *)\n        files=1\n        case $command in\n", out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "        %s) words='", commands[i]->name);
        put_subjects(commands[i], out);
        for_options(commands[i], bash_name, out);
        fputs("' ;;\n", out);
    }
    fputs("        esac\n        ;;\n    esac\n"
          "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
          "    if [ -n \"$files\" ] && [ \"${word#-}\" = \"$word\" ]; then\n"
          "        COMPREPLY+=($(compgen -f -- \"$word\"))\n"
          "    fi\n"
          "}\n"
          "complete -o filenames -F _warpwatt warpwatt\n",
          out);
}

/* ---- zsh ---- */

/* Text inside a zsh specification in single quotes. */
static void put_zsh_text(const char *text, FILE *out)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            fputs("'\\''", out);
        } else {
            if (strchr("[]:\\", *text) != NULL) {
                fputc('\\', out);
            }
            fputc(*text, out);
        }
    }
}

static void zsh_option(const ww_command *command, const ww_option *option, FILE *out)
{
    (void)command;
    source from = source_of(option);
    fprintf(out, "            '*--%s[", option->name);
    put_zsh_text(option->help, out);
    fputc(']', out);
    if (option->argument != NULL) {
        fputc(':', out);
        put_zsh_text(option->argument, out);
        fputc(':', out);
    }
    if (from == WORDS) {
        fputc('(', out);
        put_words(option->argument, " ", out);
        fputc(')', out);
    } else if (from == FILES) {
        fputs("_files", out);
    } else if (from != NOTHING) {
        fprintf(out, "_warpwatt_%s", list_name(from));
    }
    fputs("' \\\n", out);
}

static void put_zsh(FILE *out)
{
    size_t count;
    const ww_command *const *commands = ww_commands(&count);
    fputs("#compdef warpwatt\n# zsh completion of warpwatt; made by `warpwatt --completion zsh`\n",
          out);
    for (source from = GPUS; from <= MECHS; from++) {
        fprintf(out,
                "_warpwatt_%s() { local -a found; "
                "found=(${(f)\"$(warpwatt list %s 2>/dev/null | awk 'NR > 1 { print $1 }')\"}); "
                "compadd -a found }\n",
                list_name(from), list_name(from));
    }
    fputs("_warpwatt() {\n    local -a commands\n    commands=(\n", out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "        '%s:", commands[i]->name);
        put_zsh_text(commands[i]->summary, out);
        fputs("'\n", out);
    }
    fputs("    )\n    if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
          "    local command=$words[2]\n    shift words; (( CURRENT-- ))\n    case $command in\n",
          out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "        %s) _arguments \\\n", commands[i]->name);
        for_options(commands[i], zsh_option, out);
        fputs("            '*:argument:{ compadd -- ", out);
        put_subjects(commands[i], out);
        fputs("; _files }' ;;\n", out);
    }
    fputs("    esac\n}\n_warpwatt \"$@\"\n", out);
}

/* ---- fish ---- */

static void put_fish_text(const char *text, FILE *out)
{
    fputc('\'', out);
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == '\\') {
            fputc('\\', out);
        }
        fputc(*text, out);
    }
    fputc('\'', out);
}

static void fish_option(const ww_command *command, const ww_option *option, FILE *out)
{
    source from = source_of(option);
    fprintf(out, "complete -c warpwatt -n '__fish_seen_subcommand_from %s' -l %s", command->name,
            option->name);
    if (option->argument != NULL) {
        fputs(from == FILES ? " -rF" : " -x", out);
    }
    if (from == WORDS) {
        fputs(" -a '", out);
        put_words(option->argument, " ", out);
        fputc('\'', out);
    } else if (from >= GPUS) {
        fprintf(out, " -a '(__warpwatt_list %s)'", list_name(from));
    }
    fputs(" -d ", out);
    put_fish_text(option->help, out);
    fputc('\n', out);
}

static void put_fish(FILE *out)
{
    size_t count;
    const ww_command *const *commands = ww_commands(&count);
    fputs("# fish completion of warpwatt; made by `warpwatt --completion fish`\n"
          "function __warpwatt_list\n"
          "    warpwatt list $argv[1] 2>/dev/null | awk 'NR > 1 { print $1 }'\n"
          "end\n",
          out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "complete -c warpwatt -f -n __fish_use_subcommand -a %s -d ",
                commands[i]->name);
        put_fish_text(commands[i]->summary, out);
        fputc('\n', out);
    }
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "complete -c warpwatt -n '__fish_seen_subcommand_from %s' -a '",
                commands[i]->name);
        put_subjects(commands[i], out);
        fputs("'\n", out);
        for_options(commands[i], fish_option, out);
    }
}

bool ww_completion(const char *shell, FILE *out)
{
    static const struct {
        const char *shell;
        void (*put)(FILE *out);
    } shells[] = {{"bash", put_bash}, {"zsh", put_zsh}, {"fish", put_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(shell, shells[i].shell) == 0) {
            shells[i].put(out);
            return true;
        }
    }
    return false;
}
