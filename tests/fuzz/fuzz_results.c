/* fuzz_results.c - do the readers of a result folder survive any files? The input is divided at
 * lines "==NAME", as many files as there are names. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/result_store.h"
#include "analysis/run_info.h"
#include "analysis/study.h"
#include "base/file.h"
#include "counters/lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {"kernels.csv", "power.csv", "files.csv", "run.json",
                                    "lines.csv"};
enum { NAMES = 5 };

static const char *path_of(const char *dir, size_t name, char buf[PATH_MAX])
{
    snprintf(buf, PATH_MAX, "%.200s/%s", dir, names[name]);
    return buf;
}

static void write_part(const char *dir, size_t name, const char *text, size_t length)
{
    char path[PATH_MAX];
    FILE *file = fopen(path_of(dir, name, path), "wb");
    if (file != NULL) {
        fwrite(text, 1, length, file);
        fclose(file);
    }
}

/* The file that a line "==NAME" begins; NAMES: it is none. */
static size_t name_at(const char *line, size_t left)
{
    for (size_t n = 0; n < NAMES; n++) {
        size_t length = strlen(names[n]);
        if (left > length + 2 && memcmp(line, "==", 2) == 0 &&
            memcmp(line + 2, names[n], length) == 0 && line[length + 2] == '\n') {
            return n;
        }
    }
    return NAMES;
}

static void write_parts(const char *dir, const char *text, size_t size)
{
    size_t name = NAMES, first = 0;
    for (size_t at = 0; at < size; at++) {
        size_t next = at == 0 || text[at - 1] == '\n' ? name_at(text + at, size - at) : NAMES;
        if (next == NAMES) {
            continue;
        }
        if (name < NAMES) {
            write_part(dir, name, text + first, at - first);
        }
        name = next;
        first = at + strlen(names[next]) + 3;
    }
    if (name < NAMES && first <= size) {
        write_part(dir, name, text + first, size - first);
    }
}

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

static char dir[64];

static void remove_dir(void)
{
    rmdir(dir);
}

/* In memory where there is such a place; one folder for all executions. */
static void make_dir(void)
{
    bool memory = ww_dir_exists("/dev/shm");
    snprintf(dir, sizeof dir, "%s/warpwatt-fuzz-XXXXXX", memory ? "/dev/shm" : "/tmp");
    require(mkdtemp(dir) != NULL && atexit(remove_dir) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[PATH_MAX];
    if (dir[0] == '\0') {
        make_dir();
    }
    write_parts(dir, (const char *)(const void *)data, size);
    ww_error err = {0};
    require(ww_result_check(dir, &err) == WW_OK || err.what[0] != '\0');
    ww_study *study = NULL;
    err = (ww_error){0};
    require(ww_study_load_results(dir, &study, &err) == WW_OK || err.what[0] != '\0');
    ww_study_destroy(study);
    ww_run_info info = {0};
    err = (ww_error){0};
    require(ww_run_info_load(dir, &info, &err) == WW_OK || err.what[0] != '\0');
    ww_run_info_fini(&info);
    ww_lines lines = {0};
    WW_DROP(ww_lines_load(&lines, path_of(dir, 4, path), NULL)); /* they may be no lines */
    ww_lines_fini(&lines);
    for (size_t n = 0; n < NAMES; n++) {
        unlink(path_of(dir, n, path));
    }
    return 0;
}
