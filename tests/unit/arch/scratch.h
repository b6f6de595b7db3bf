/* scratch.h - a directory of small GPU descriptions for one test file. */
#ifndef WW_TESTS_ARCH_SCRATCH_H
#define WW_TESTS_ARCH_SCRATCH_H

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/file.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

typedef struct scratch {
    ww_arena arena;
    char dir[FOLDER_PATH];
} scratch;

static inline int make_scratch(void **state)
{
    scratch *s = WW_NEW(scratch);
    *state = s;
    return folder_create(s->dir);
}

static inline int remove_scratch(void **state)
{
    scratch *s = *state;
    int rc = folder_remove(s->dir);
    ww_arena_fini(&s->arena);
    ww_free(s);
    return rc;
}

/* Writes a file into the directory and returns its path. */
static inline const char *put(scratch *s, const char *name, const char *text)
{
    ww_error err = {0};
    const char *path = ww_path_join(&s->arena, s->dir, name);
    assert_ok(ww_write_file(path, text, strlen(text), &err), err);
    return path;
}

/* Loads a file of that text; on failure *arch is NULL. */
WW_NODISCARD static inline ww_status load_text(scratch *s, const char *text, ww_arch **arch,
                                               ww_error *err)
{
    *arch = NULL;
    memset(err, 0, sizeof *err);
    return ww_arch_load(put(s, "case.xml", text), NULL, 0, arch, err);
}

/* Head and tail of a description that extends the GTX 480. */
#define CHILD(body)                                                                                \
    "<gpu name='t' about='test' extends='gtx480.xml' source='a test'>\n" body "</gpu>\n"

#endif
