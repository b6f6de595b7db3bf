/* kernel_name.c - names of kernels as people write them. */
#include "analysis/kernel_name.h"

#include <dlfcn.h>
#include <string.h>

typedef char *demangler(const char *mangled, char *buffer, size_t *length, int *status);

/* Of the C++ library where there is one: kernels of C programs have plain names anyway. */
static demangler *find_demangler(void)
{
    union {
        void *object;
        demangler *function;
    } symbol = {NULL};
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    if (library != NULL) {
        symbol.object = dlsym(library, "__cxa_demangle");
    }
    return symbol.function;
}

/* "void ns::kernel<float, 4>(int*)": without result, arguments of the template and parameters. */
static void shorten(char *name)
{
    int depth = 0;
    char *to = name;
    for (const char *from = name; *from != '\0'; from++) {
        if (*from == '(' && strncmp(from, "(anonymous namespace)", 21) == 0) {
            from += 20;
            from += strncmp(from + 1, "::", 2) == 0 ? 2 : 0;
        } else if (*from == '(' && depth == 0) {
            break;
        } else if (*from == '<') {
            depth++;
        } else if (*from == '>') {
            depth -= depth > 0;
        } else if (*from == ' ' && depth == 0) {
            to = name; /* what came before is the type of the result */
        } else if (depth == 0) {
            *to++ = *from;
        }
    }
    *to = '\0';
}

const char *ww_kernel_plain(ww_arena *arena, const char *label)
{
    const char *slash = strrchr(label, '/'), *name = slash != NULL ? slash + 1 : label;
    demangler *demangle = strncmp(name, "_Z", 2) == 0 ? find_demangler() : NULL;
    int status = 0;
    char *plain = demangle != NULL ? demangle(name, NULL, NULL, &status) : NULL;
    if (plain == NULL) {
        return label;
    }
    shorten(plain);
    char *whole = ww_arena_printf(arena, "%.*s%s", (int)(name - label), label, plain);
    ww_free(plain); /* malloc gave it, as it gives ours */
    return whole != NULL ? whole : label;
}

const char *const *ww_kernel_plain_all(ww_arena *arena, const char *const *labels, size_t count)
{
    const char **plain = WW_ARENA_NEW_ARRAY(arena, const char *, count + 1);
    for (size_t i = 0; plain != NULL && i < count; i++) {
        plain[i] = ww_kernel_plain(arena, labels[i]);
    }
    return plain;
}
