/* options.c - real architectures in a list of NVRTC's options, replaced by virtual ones. */
#include "runtime/nvrtc/options.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *const spellings[] = {"--gpu-architecture", "-arch"};

static const char *skip_spaces(const char *text)
{
    return text + strspn(text, " \t");
}

/* The value of an option of the form NAME=VALUE; NULL: it is another one. */
static const char *value_of(const char *option)
{
    for (size_t i = 0; i < WW_ARRAY_LEN(spellings); i++) {
        size_t n = strlen(spellings[i]);
        if (strncmp(option, spellings[i], n) == 0 && option[n] == '=') {
            return option + n + 1;
        }
    }
    return NULL;
}

/* Does the option's value come as the next one? */
static bool is_bare(const char *option)
{
    for (size_t i = 0; i < WW_ARRAY_LEN(spellings); i++) {
        if (strcmp(option, spellings[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* NUMBER and what follows it (a: features of that architecture alone, f: of its family) in sm_90a
 * or compute_90a; NULL: it is no architecture. */
static const char *number_of(const char *value)
{
    static const char *const kinds[] = {"sm_", "compute_"};
    for (size_t i = 0; i < WW_ARRAY_LEN(kinds); i++) {
        size_t n = strlen(kinds[i]);
        if (strncmp(value, kinds[i], n) == 0) {
            size_t digits = strspn(value + n, "0123456789");
            return digits >= 2 && digits <= 4 ? value + n : NULL;
        }
    }
    return NULL;
}

/* option, whose value begins at value, with the architecture that is wanted there. */
static const char *replace(const char *option, const char *value, unsigned lowest, ww_arena *arena)
{
    const char *number = number_of(value);
    if (number == NULL) {
        return option;
    }
    int before = (int)(value - option);
    return strtoul(number, NULL, 10) < lowest
               ? ww_arena_printf(arena, "%.*scompute_%u", before, option, lowest)
               : ww_arena_printf(arena, "%.*scompute_%s", before, option, number);
}

ww_status rt_nvrtc_options(const char *const *options, size_t count, unsigned lowest,
                           ww_arena *arena, const char ***out, ww_error *err)
{
    const char **list = WW_ARENA_NEW_ARRAY(arena, const char *, count + 1);
    if (list == NULL) {
        return ww_no_memory(err);
    }
    bool is_value = false; /* of the option before */
    for (size_t i = 0; i < count; i++) {
        const char *option = options[i];
        const char *text = option != NULL ? skip_spaces(option) : "";
        const char *value = is_value ? text : value_of(text);
        list[i] = value != NULL ? replace(option, value, lowest, arena) : option;
        if (option != NULL && list[i] == NULL) {
            return ww_no_memory(err);
        }
        is_value = !is_value && is_bare(text);
    }
    *out = list;
    return WW_OK;
}
