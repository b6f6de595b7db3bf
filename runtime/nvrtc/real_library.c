/* real_library.c - the search for the program's own library. Asking the loader by name would only
 * give the look-alike that asks, so that its search is repeated here, by path. */
#define _GNU_SOURCE
#include "runtime/nvrtc/real_library.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/file.h"
#include "base/mem.h"
#include "runtime/nvrtc/ld_cache.h"

#define MOST_CACHE_BYTES ((size_t)64 << 20)

/* By this name a look-alike knows its like. */
extern const char warpwatt_lookalike;
__attribute__((visibility("default"))) const char warpwatt_lookalike = 1;

void *rt_real_function(void *library, const char *name)
{
    return dlsym(library, name);
}

/* Loads a file that has the function and is no look-alike. */
static void *open_file(const char *path, const char *function)
{
    void *library = ww_file_exists(path) ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
    if (library != NULL &&
        (dlsym(library, "warpwatt_lookalike") != NULL || dlsym(library, function) == NULL)) {
        (void)dlclose(library);
        return NULL;
    }
    return library;
}

/* ---- search paths of what the program has loaded ---- */

typedef struct names {
    const char **name;
    size_t count;
    ww_arena arena;
} names;

/* The loader is locked meanwhile: names are kept, and looked at later. */
static int keep_name(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    names *list = user;
    const char **grown = ww_realloc_array(list->name, list->count + 1, sizeof *grown);
    if (grown == NULL) {
        return 1;
    }
    list->name = grown;
    grown[list->count] = ww_arena_strndup(&list->arena, info->dlpi_name, strlen(info->dlpi_name));
    list->count += grown[list->count] != NULL;
    return 0;
}

/* Searches where the loader does for what that object needs: its RPATH or RUNPATH,
 * LD_LIBRARY_PATH, the system's folders. */
static void *search_as(void *object, const char *name, const char *function)
{
    Dl_serinfo head;
    void *found = NULL;
    if (dlinfo(object, RTLD_DI_SERINFOSIZE, &head) != 0) {
        return NULL;
    }
    Dl_serinfo *list = ww_alloc_array(1, head.dls_size);
    if (list != NULL && dlinfo(object, RTLD_DI_SERINFOSIZE, list) == 0 &&
        dlinfo(object, RTLD_DI_SERINFO, list) == 0) {
        ww_arena arena = {0};
        for (unsigned i = 0; i < list->dls_cnt && found == NULL; i++) {
            const char *path = ww_path_join(&arena, list->dls_serpath[i].dls_name, name);
            found = path != NULL ? open_file(path, function) : NULL;
        }
        ww_arena_fini(&arena);
    }
    ww_free(list);
    return found;
}

static void *search_loaded(const char *name, const char *function)
{
    names list = {0};
    void *found = NULL;
    (void)dl_iterate_phdr(keep_name, &list);
    for (size_t i = 0; i < list.count && found == NULL; i++) {
        const char *file = *list.name[i] != '\0' ? list.name[i] : NULL; /* the program itself */
        void *object = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
        if (object != NULL) {
            found = search_as(object, name, function);
            (void)dlclose(object);
        }
    }
    ww_free(list.name);
    ww_arena_fini(&list.arena);
    return found;
}

static void *search_cache(const char *name, const char *function)
{
    char *bytes = NULL;
    size_t size = 0, at = 0;
    void *found = NULL;
    if (ww_read_file("/etc/ld.so.cache", MOST_CACHE_BYTES, &bytes, &size, NULL) != WW_OK) {
        return NULL;
    }
    for (const char *path = rt_ld_cache_next(bytes, size, name, &at); path != NULL && found == NULL;
         path = rt_ld_cache_next(bytes, size, name, &at)) {
        found = open_file(path, function);
    }
    ww_free(bytes);
    return found;
}

/* The path by which the program asked for it, as redirect.c leaves it. */
static void *open_asked(const char *name, const char *function)
{
    const char *result = getenv(WW_ENV_RESULT);
    ww_arena arena = {0};
    char *path = NULL;
    size_t length = 0;
    void *found = NULL;
    const char *file = result != NULL
                           ? ww_arena_printf(&arena, "%s/%s.%ld.path", result, name, (long)getpid())
                           : NULL;
    if (file != NULL && ww_read_file(file, PATH_MAX, &path, &length, NULL) == WW_OK) {
        found = open_file(path, function);
        ww_free(path);
    }
    ww_arena_fini(&arena);
    return found;
}

void *rt_real_open(const char *name, const char *variable, const char *function,
                   const char *package)
{
    const char *chosen = getenv(variable);
    void *library = NULL;
    if (chosen != NULL && *chosen != '\0') {
        library = open_file(chosen, function);
    } else {
        library = open_asked(name, function);
        library = library != NULL ? library : search_loaded(name, function);
        library = library != NULL ? library : search_cache(name, function);
    }
    if (library == NULL) {
        fprintf(stderr,
                "warpwatt: the program's own %s was not found%s%s: it comes with the CUDA toolkit, "
                "or with pip install %s; put its folder into LD_LIBRARY_PATH or name the file in "
                "%s\n",
                name, chosen != NULL ? " as " : "", chosen != NULL ? chosen : "", package,
                variable);
    }
    return library;
}
