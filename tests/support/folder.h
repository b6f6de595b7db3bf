/* folder.h - a folder for one test that goes with all that is in it: its set-up makes it and gives
 * its path as the test's state, its tear-down removes it. */
#ifndef WW_TESTS_SUPPORT_FOLDER_H
#define WW_TESTS_SUPPORT_FOLDER_H

#include <stdio.h>
#include <stdlib.h>

enum { FOLDER_PATH = 64 };

/* dir: [FOLDER_PATH], the path. 0, or -1: it could not be made. */
static inline int folder_create(char *dir)
{
    snprintf(dir, FOLDER_PATH, "/tmp/warpwatt-test-XXXXXX");
    return mkdtemp(dir) != NULL ? 0 : -1;
}

static inline int folder_remove(const char *dir)
{
    char command[FOLDER_PATH + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    return system(command);
}

/* *state: its path. One at a time. */
static inline int folder_make(void **state)
{
    static char dir[FOLDER_PATH];
    *state = dir;
    return folder_create(dir);
}

static inline int folder_drop(void **state)
{
    return folder_remove(*state);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_drop)

#endif
