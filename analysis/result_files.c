/* result_files.c - the list of a result's files: written, read, and checked against them. */
#include "analysis/result_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/result_store.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/num.h"

const char *const ww__result_names[] = {"kernels.csv",
                                        "counters.csv",
                                        "run.json",
                                        "mechanisms.csv",
                                        "power.csv",
                                        "power.xml",
                                        "energy_events.csv",
                                        "area.csv",
                                        "trace.csv",
                                        "activity.xml",
                                        "lines.csv",
                                        "timeline.csv",
                                        "program.json",
                                        "groups.csv",
                                        "uncertainty.csv",
                                        WW_RESULT_OPERATORS,
                                        WW_RESULT_INCOMPLETE,
                                        WW_RESULT_LIST,
                                        NULL};

static ww_status no_memory(ww_error *err)
{
    return ww_no_memory(err);
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

bool ww_result_is_reserved(const char *name)
{
    size_t i = 0;
    while (ww__result_names[i] != NULL && strcmp(ww__result_names[i], name) != 0) {
        i++;
    }
    return ww__result_names[i] != NULL;
}

/* ---- what a file holds ---- */

typedef struct content {
    uint64_t bytes, lines, hash;
    bool ends_line; /* its last byte ends a line, or it is empty */
} content;

static ww_status read_content(const char *path, content *out, ww_error *err)
{
    static const size_t piece = 1 << 16;
    char *buffer = ww_alloc_array(piece, 1);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    *out = (content){.hash = WW_HASH_INIT, .ends_line = true};
    ssize_t n = -1;
    while (fd >= 0 && buffer != NULL) {
        n = read(fd, buffer, piece);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            break;
        }
        out->hash = ww_hash_bytes(out->hash, buffer, (size_t)n);
        out->bytes += (uint64_t)n;
        for (ssize_t i = 0; i < n; i++) {
            out->lines += buffer[i] == '\n';
        }
        out->ends_line = buffer[n - 1] == '\n';
    }
    ww_status status =
        buffer == NULL ? no_memory(err)
        : n == 0       ? WW_OK
                       : ww_fail_at(err, WW_EIO, path, 0, 0, "cannot read: %s", strerror(errno));
    if (fd >= 0) {
        close(fd);
    }
    ww_free(buffer);
    return status;
}

static void put_row(ww_csv_writer *csv, const char *file, const content *c, uint64_t run_id)
{
    char text[24];
    ww_csv_put_text(csv, file);
    ww_csv_put_u64(csv, c->bytes);
    ww_csv_put_u64(csv, c->lines);
    snprintf(text, sizeof text, "%016" PRIx64, c->hash);
    ww_csv_put_text(csv, text);
    snprintf(text, sizeof text, "%016" PRIx64, run_id);
    ww_csv_put_text(csv, text);
    ww_csv_end_row(csv);
}

ww_status ww_result_seal(const char *dir, uint64_t run_id, ww_error *err)
{
    ww_arena arena = {0};
    ww_str text = {0};
    ww_csv_writer csv;
    const char **name = NULL, *list = ww_path_join(&arena, dir, WW_RESULT_LIST);
    size_t count = 0;
    content all = {.hash = WW_HASH_INIT};
    ww_csv_init(&csv, &text);
    WW_CSV_HEAD(&csv, {"file", NULL}, {"size", "B"}, {"lines", NULL}, {"hash", NULL},
                {"run_id", NULL});
    ww_csv_end_row(&csv);
    ww_status status = list != NULL ? WW_OK : no_memory(err);
    status = status == WW_OK ? ww_list_dir(dir, "", &arena, &name, &count, err) : status;
    for (size_t i = 0; status == WW_OK && i < count; i++) {
        const char *path = ww_path_join(&arena, dir, name[i]);
        content c;
        if (strcmp(name[i], WW_RESULT_LIST) == 0) {
            continue;
        }
        status = path != NULL ? read_content(path, &c, err) : no_memory(err);
        if (status == WW_OK) {
            put_row(&csv, name[i], &c, run_id);
            all.bytes += c.bytes;
            all.lines++;
        }
    }
    all.hash = ww_hash_bytes(all.hash, ww_str_text(&text), text.len);
    put_row(&csv, ".", &all, run_id);
    status = status == WW_OK ? ww_csv_finish(&csv, err) : status;
    status = status == WW_OK ? ww_write_text(list, &text, err) : status;
    ww_str_fini(&text);
    ww_arena_fini(&arena);
    return status;
}

/* ---- reading it ---- */

typedef struct listed {
    ww_csv *csv;
    size_t file, size, lines, hash, run;
} listed;

static ww_status open_list(const char *path, listed *l, ww_error *err)
{
    WW_TRY(ww_csv_load(path, &l->csv, err));
    WW_TRY(ww_csv_find(l->csv, "file", &l->file, err));
    WW_TRY(ww_csv_find(l->csv, "size", &l->size, err));
    WW_TRY(ww_csv_find(l->csv, "lines", &l->lines, err));
    WW_TRY(ww_csv_find(l->csv, "hash", &l->hash, err));
    return ww_csv_find(l->csv, "run_id", &l->run, err);
}

/* The position of a file; the rows' count: it is not listed. */
static size_t find_row(const listed *l, const char *name)
{
    size_t row = 0;
    while (row < ww_csv_rows(l->csv) && strcmp(ww_csv_text(l->csv, row, l->file), name) != 0) {
        row++;
    }
    return row;
}

static ww_status check_closed(const listed *l, const char *path, ww_error *err)
{
    size_t rows = ww_csv_rows(l->csv);
    uint64_t files = 0;
    if (rows == 0 || strcmp(ww_csv_text(l->csv, rows - 1, l->file), ".") != 0) {
        return ww_fail_at(err, WW_ESCHEMA, path, 0, 0,
                          "the list of the result's files is cut off: the result is not whole");
    }
    WW_TRY(ww_csv_u64(l->csv, rows - 1, l->lines, &files, err));
    const char *run = ww_csv_text(l->csv, rows - 1, l->run);
    for (size_t row = 0; row < rows; row++) {
        if (strcmp(ww_csv_text(l->csv, row, l->run), run) != 0) {
            return ww_csv_fail(l->csv, row, l->run, err, WW_ESCHEMA,
                               "the list of the result's files names two runs");
        }
    }
    return files + 1 == rows
               ? WW_OK
               : ww_fail_at(err, WW_ESCHEMA, path, 0, 0,
                            "the list names %zu files instead of %" PRIu64, rows - 1, files);
}

static ww_status check_file(const listed *l, size_t row, const char *path, ww_error *err)
{
    uint64_t size = 0;
    content c;
    char hash[24];
    WW_TRY(ww_csv_u64(l->csv, row, l->size, &size, err));
    WW_TRY(read_content(path, &c, err));
    snprintf(hash, sizeof hash, "%016" PRIx64, c.hash);
    if (c.bytes != size) {
        return ww_fail_at(err, WW_ESCHEMA, path, 0, 0,
                          "has %" PRIu64 " bytes and %" PRIu64 " lines where its run wrote %" PRIu64
                          " bytes and %s lines: it was cut off, changed, or is another run's",
                          c.bytes, c.lines, size, ww_csv_text(l->csv, row, l->lines));
    }
    return strcmp(hash, ww_csv_text(l->csv, row, l->hash)) == 0
               ? WW_OK
               : ww_fail_at(err, WW_ESCHEMA, path, 0, 0,
                            "is not what its run wrote: it was changed, or is another run's");
}

/* A file of the list, which is in the folder itself. */
static ww_status check_row(const listed *l, size_t row, const char *dir, ww_arena *arena,
                           ww_error *err)
{
    const char *name = ww_csv_text(l->csv, row, l->file);
    const char *path = strchr(name, '/') == NULL ? ww_path_join(arena, dir, name) : NULL;
    if (path == NULL) {
        return strchr(name, '/') == NULL ? no_memory(err)
                                         : ww_csv_fail(l->csv, row, l->file, err, WW_ESCHEMA,
                                                       "'%.80s' is no file of the folder", name);
    }
    return ww_file_exists(path) ? check_file(l, row, path, err)
                                : ww_fail_at(err, WW_ESCHEMA, path, 0, 0,
                                             "is missing, while " WW_RESULT_LIST
                                             " lists it: the result is not whole");
}

static ww_status check_listed(const char *dir, const char *list, ww_arena *arena, ww_error *err)
{
    listed l = {0};
    ww_status status = open_list(list, &l, err);
    status = status == WW_OK ? check_closed(&l, list, err) : status;
    for (size_t row = 0; status == WW_OK && row + 1 < ww_csv_rows(l.csv); row++) {
        status = check_row(&l, row, dir, arena, err);
    }
    for (size_t i = 0; status == WW_OK && ww__result_names[i] != NULL; i++) {
        const char *path = ww_path_join(arena, dir, ww__result_names[i]);
        if (path == NULL) {
            status = no_memory(err);
        } else if (strcmp(ww__result_names[i], WW_RESULT_LIST) != 0 && ww_file_exists(path) &&
                   find_row(&l, ww__result_names[i]) == ww_csv_rows(l.csv)) {
            status = ww_fail_at(err, WW_ESCHEMA, path, 0, 0,
                                "belongs to another run than the rest of the folder");
        }
    }
    ww_csv_destroy(l.csv);
    return status;
}

/* ---- a result without a list ---- */

/* A program that launches nothing leaves program.json alone. */
static ww_status check_kernels(const char *dir, ww_arena *arena, ww_error *err)
{
    static const char *const with_kernels[] = {"power.csv", "counters.csv", "run.json",
                                               "sweep-run.txt"};
    const char *kernels = ww_path_join(arena, dir, "kernels.csv");
    for (size_t i = 0; i < WW_ARRAY_LEN(with_kernels); i++) {
        const char *path = ww_path_join(arena, dir, with_kernels[i]);
        if (path == NULL || kernels == NULL) {
            return no_memory(err);
        }
        if (ww_file_exists(path) && !ww_file_exists(kernels)) {
            return ww_fail_at(err, WW_ESCHEMA, kernels, 0, 0,
                              "is missing, while %s is there: the result is not whole",
                              with_kernels[i]);
        }
    }
    return WW_OK;
}

/* Launches by workload, kernel and index: power.csv has rows for each of kernels.csv. */
static ww_status check_counts(const char *dir, ww_arena *arena, ww_error *err)
{
    const char *kernels = ww_path_join(arena, dir, "kernels.csv");
    const char *power = ww_path_join(arena, dir, "power.csv");
    content k = {0}, p = {0};
    if (kernels == NULL || power == NULL) {
        return no_memory(err);
    }
    if (!ww_file_exists(kernels) || !ww_file_exists(power)) {
        return WW_OK;
    }
    WW_TRY(read_content(kernels, &k, err));
    WW_TRY(read_content(power, &p, err));
    uint64_t launches = k.lines - (k.lines > 0), rows = p.lines - (p.lines > 0);
    bool fits = launches == 0 ? rows == 0 : rows > 0 && rows % launches == 0;
    return fits ? WW_OK
                : ww_fail_at(err, WW_ESCHEMA, power, 0, 0,
                             "%" PRIu64 " rows do not belong to the %" PRIu64
                             " launches of kernels.csv: one of them was cut off, or is another "
                             "run's",
                             rows, launches);
}

static ww_status check_tables(const char *dir, ww_arena *arena, ww_error *err)
{
    for (size_t i = 0; ww__result_names[i] != NULL; i++) {
        const char *path = ww_path_join(arena, dir, ww__result_names[i]);
        content c;
        if (path == NULL) {
            return no_memory(err);
        }
        if (!ends_with(path, ".csv") || !ww_file_exists(path)) {
            continue;
        }
        WW_TRY(read_content(path, &c, err));
        if (!c.ends_line) {
            return ww_fail_at(err, WW_ESCHEMA, path, (int)c.lines + 1, 0,
                              "the last line has no end: the file was cut off");
        }
    }
    return check_counts(dir, arena, err);
}

ww_status ww_result_check(const char *dir, ww_error *err)
{
    ww_arena arena = {0};
    const char *list = ww_path_join(&arena, dir, WW_RESULT_LIST);
    const char *mark = ww_path_join(&arena, dir, WW__RESULT_MARK);
    ww_status status = WW_OK;
    if (list == NULL || mark == NULL) {
        status = no_memory(err);
    } else if (ww_file_exists(mark)) {
        status =
            ww_fail(err, WW_ESCHEMA,
                    "%s was being replaced when that was stopped; run it again with --force", dir);
    } else {
        status = check_kernels(dir, &arena, err);
    }
    if (status == WW_OK) {
        status = ww_file_exists(list) ? check_listed(dir, list, &arena, err)
                                      : check_tables(dir, &arena, err);
    }
    ww_arena_fini(&arena);
    return status;
}

/* ---- removing ---- */

/* True when the name is one of a result's, or the list has it; l NULL: there is no list. */
static bool is_own(const listed *l, const char *name)
{
    return ww_result_is_reserved(name) || strcmp(name, WW__RESULT_MARK) == 0 ||
           (l->csv != NULL && find_row(l, name) < ww_csv_rows(l->csv));
}

static void open_list_of(const char *dir, listed *l)
{
    ww_arena arena = {0};
    const char *list = ww_path_join(&arena, dir, WW_RESULT_LIST);
    if (list != NULL && open_list(list, l, NULL) != WW_OK) {
        ww_csv_destroy(l->csv);
        l->csv = NULL;
    }
    ww_arena_fini(&arena);
}

bool ww_result_holds(const char *dir, const char *name)
{
    listed l = {0};
    open_list_of(dir, &l);
    bool holds = is_own(&l, name);
    ww_csv_destroy(l.csv);
    return holds;
}

bool ww__result_has_strangers(const char *dir)
{
    listed l = {0};
    open_list_of(dir, &l);
    DIR *folder = opendir(dir);
    bool found = folder == NULL;
    for (struct dirent *e = NULL; !found && (e = readdir(folder)) != NULL;) {
        found =
            strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && !is_own(&l, e->d_name);
    }
    if (folder != NULL) {
        closedir(folder);
    }
    ww_csv_destroy(l.csv);
    return found;
}

static ww_status remove_one(const char *dir, const char *name, ww_error *err)
{
    ww_arena arena = {0};
    const char *path = ww_path_join(&arena, dir, name);
    ww_status status = path != NULL ? WW_OK : no_memory(err);
    if (status == WW_OK && unlink(path) != 0 && errno != ENOENT) {
        status = ww_fail_at(err, WW_EIO, path, 0, 0, "cannot remove: %s", strerror(errno));
    }
    ww_arena_fini(&arena);
    return status;
}

ww_status ww__result_remove_files(const char *dir, ww_error *err)
{
    listed l = {0};
    ww_status status = WW_OK;
    open_list_of(dir, &l);
    for (size_t row = 0; l.csv != NULL && status == WW_OK && row < ww_csv_rows(l.csv); row++) {
        const char *name = ww_csv_text(l.csv, row, l.file);
        if (strcmp(name, ".") != 0 && strchr(name, '/') == NULL) {
            status = remove_one(dir, name, err);
        }
    }
    for (size_t i = 0; status == WW_OK && ww__result_names[i] != NULL; i++) {
        status = remove_one(dir, ww__result_names[i], err);
    }
    ww_csv_destroy(l.csv);
    return status;
}
