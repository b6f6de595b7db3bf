/* journal.c - writes an activity file launch by launch, and ends one whose writer died. */
#include "counters/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "counters/activity.h"

struct ww_journal {
    ww_file_writer file;
    char *gpu;
    uint64_t config_hash;
    uint32_t shape[WW_SCOPE_COUNT]; /* of the counters of all launches */
    uint32_t launches;
};

static void destroy(ww_journal *journal)
{
    ww_free(journal->gpu);
    ww_free(journal);
}

ww_status ww_journal_create(const char *path, const char *gpu, uint64_t config_hash,
                            ww_journal **out, ww_error *err)
{
    WW_TRY(ww__activity_check_gpu(gpu, err));
    ww_journal *journal = WW_NEW(ww_journal);
    if (journal == NULL || (journal->gpu = ww_strdup(gpu)) == NULL) {
        ww_free(journal);
        return ww_no_memory(err);
    }
    journal->config_hash = config_hash;
    ww_status status = ww_file_begin_in_place(&journal->file, path, err);
    if (status != WW_OK) {
        destroy(journal);
        return status;
    }
    *out = journal;
    return WW_OK;
}

/* A launch goes out in one piece, with the head before the first: who reads a file whose writer
 * died finds whole launches and at most one that is cut. */
ww_status ww_journal_add(ww_journal *journal, const ww_launch_record *launch, ww_error *err)
{
    ww_launch_record numbered = *launch;
    numbered.launch_index = journal->launches;
    if (journal->launches == 0) {
        memcpy(journal->shape, launch->counters->count, sizeof journal->shape);
    }
    WW_TRY(ww__activity_check(&numbered, journal->shape, err));
    ww_str text = {0};
    if (journal->launches == 0) {
        ww__activity_put_head(&text, journal->gpu, journal->config_hash, journal->shape);
    }
    ww__activity_put_launch(&text, &numbered);
    ww_str_add(&text, WW__LAUNCH_END);
    ww_status status = ww_str_check(&text, err);
    if (status == WW_OK) {
        status = ww_file_put(&journal->file, ww_str_text(&text), text.len, err);
    }
    ww_str_fini(&text);
    journal->launches += status == WW_OK;
    return status;
}

ww_status ww_journal_close(ww_journal *journal, ww_error *err)
{
    if (journal == NULL) {
        return WW_OK;
    }
    const uint32_t none[WW_SCOPE_COUNT] = {0};
    ww_str text = {0};
    if (journal->launches == 0) {
        ww__activity_put_head(&text, journal->gpu, journal->config_hash, none);
    }
    ww_str_add(&text, WW__ACTIVITY_END);
    ww_status status = ww_str_check(&text, err);
    if (status == WW_OK) {
        status = ww_file_put(&journal->file, ww_str_text(&text), text.len, err);
    }
    ww_str_fini(&text);
    status = ww_file_end(&journal->file, status, err);
    destroy(journal);
    return status;
}

/* ---- mending ---- */

static ww_status fail_read(ww_error *err, const char *path)
{
    return ww_fail_at(err, WW_EIO, path, 0, 0, "the launches cannot be read: %s", strerror(errno));
}

/* Bytes of the file before offset, at most `most`, into buf; their number, -1: an error. */
static ssize_t read_before(int fd, off_t offset, char *buf, size_t most)
{
    size_t n = offset < (off_t)most ? (size_t)offset : most;
    return pread(fd, buf, n, offset - (off_t)n);
}

static bool ends_with(const char *text, size_t n, const char *end)
{
    size_t length = strlen(end);
    return n >= length && memcmp(text + n - length, end, length) == 0;
}

/* Where the last complete launch ends; 0: there is none. Blocks overlap by what is looked for. */
static off_t find_end(int fd, off_t size)
{
    enum { BLOCK = 64 << 10 };
    static const char end[] = "\n" WW__LAUNCH_END;
    const size_t length = sizeof end - 1;
    char buf[BLOCK];
    for (off_t at = size; at > 0;) {
        ssize_t n = read_before(fd, at, buf, sizeof buf);
        if (n <= 0) {
            return 0;
        }
        for (ssize_t i = n; i >= (ssize_t)length; i--) {
            if (memcmp(buf + i - length, end, length) == 0) {
                return at - n + i;
            }
        }
        if (n == at) {
            return 0;
        }
        at -= n - (ssize_t)length;
    }
    return 0;
}

static ww_status mend(int fd, const char *path, ww_error *err)
{
    struct stat info;
    char tail[sizeof WW__ACTIVITY_END];
    ssize_t n = fstat(fd, &info) == 0 ? read_before(fd, info.st_size, tail, sizeof tail) : -1;
    if (n < 0) {
        return fail_read(err, path);
    }
    if (ends_with(tail, (size_t)n, WW__ACTIVITY_END)) {
        return WW_OK;
    }
    off_t end = find_end(fd, info.st_size);
    if (end == 0) {
        return ww_fail_at(err, WW_ENOTFOUND, path, 0, 0, "there is no complete launch");
    }
    const size_t length = sizeof WW__ACTIVITY_END - 1;
    return ftruncate(fd, end) == 0 && pwrite(fd, WW__ACTIVITY_END, length, end) == (ssize_t)length
               ? WW_OK
               : fail_read(err, path);
}

ww_status ww_journal_mend(const char *path, ww_error *err)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        return fail_read(err, path);
    }
    ww_status status = mend(fd, path, err);
    (void)close(fd);
    return status;
}
