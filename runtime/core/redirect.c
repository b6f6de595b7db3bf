/* redirect.c - a library for the loader's auditing interface (LD_AUDIT, man 7 rtld-audit), for
 * programs that LD_LIBRARY_PATH does not reach, since they load CUDA by an RPATH or by its path, as
 * packages of Python do: whatever the loader is asked to load under the name of one of the
 * libraries in this folder, it loads that one. The loader gives such a library a namespace of its
 * own, with its own C library: what it finds out it leaves in files. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT unsigned la_version(unsigned version);
EXPORT unsigned la_objopen(struct link_map *map, Lmid_t namespace, uintptr_t *cookie);
EXPORT char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag);

/* Where this library lies, with a slash; "": nowhere known, nothing is redirected. */
static char folder[PATH_MAX];

unsigned la_version(unsigned version)
{
    Dl_info info;
    if (dladdr((void *)(uintptr_t)&folder, &info) != 0 && info.dli_fname[0] == '/' &&
        (size_t)snprintf(folder, sizeof folder, "%s", info.dli_fname) < sizeof folder) {
        strrchr(folder, '/')[1] = '\0';
    } else {
        folder[0] = '\0';
    }
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

static int is_ours(const char *path)
{
    return folder[0] != '\0' && strncmp(path, folder, strlen(folder)) == 0;
}

/* The cookie says who asks: what these libraries ask for is what they stand before. */
unsigned la_objopen(struct link_map *map, Lmid_t namespace, uintptr_t *cookie)
{
    (void)namespace;
    *cookie = (uintptr_t)is_ours(map->l_name);
    return 0; /* no bindings are of interest */
}

static int has_prefix(const char *name)
{
    static const char *const prefixes[] = {"libcudart.so.",    "libcuda.so.",     "libnvrtc.so.",
                                           "libnvJitLink.so.", "libcublas.so.",   "libcublasLt.so.",
                                           "libcurand.so.",    "libcusparse.so.", "libcufft.so."};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) {
            return 1;
        }
    }
    return 0;
}

/* For the look-alike, which is loaded in its place (real_library.c). */
static void remember(const char *path, const char *base)
{
    const char *result = getenv(WW_ENV_RESULT);
    char file[PATH_MAX];
    if (result == NULL || (size_t)snprintf(file, sizeof file, "%s/%s.%ld.path", result, base,
                                           (long)getpid()) >= sizeof file) {
        return;
    }
    FILE *f = fopen(file, "we");
    if (f != NULL) {
        fputs(path, f);
        (void)fclose(f);
    }
}

char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag)
{
    static char found[PATH_MAX]; /* the loader is locked, and copies it */
    char *same = (char *)(uintptr_t)name;
    const char *slash = strrchr(name, '/');
    const char *base = slash != NULL ? slash + 1 : name;
    if (flag != LA_SER_ORIG || folder[0] == '\0' || *cookie == 1 || !has_prefix(base) ||
        (size_t)snprintf(found, sizeof found, "%s%s", folder, base) >= sizeof found ||
        strcmp(found, name) == 0 || access(found, R_OK) != 0) {
        return same;
    }
    if (slash != NULL) {
        remember(name, base);
    }
    return found;
}
