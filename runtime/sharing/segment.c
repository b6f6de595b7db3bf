/* segment.c - shared memory as sealed files without a name in any folder. */
#define _GNU_SOURCE
#include "runtime/sharing/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"

#define NAME_PREFIX  "warpwatt-"
#define LINK_PREFIX  "/memfd:" NAME_PREFIX
#define LINK_SUFFIX  " (deleted)"
#define SEALS        (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
#define HANDLE_MAGIC UINT32_C(0x48495757) /* "WWIH" */

enum { NONCE_DIGITS = 16 };

uint64_t rt_page_bytes(void)
{
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* A file beyond the limit on sizes of files is a signal, which ends the program. */
static bool is_allowed(uint64_t bytes)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           bytes <= limit.rlim_cur;
}

ww_status rt_segment_create(uint64_t bytes, rt_segment *out, ww_error *err)
{
    uint64_t nonce, page = rt_page_bytes();
    char name[64];
    if (bytes == 0 || bytes > INT64_MAX - page) {
        return ww_fail(err, WW_ERANGE, "a segment of %" PRIu64 " bytes", bytes);
    }
    bytes = (bytes + page - 1) / page * page;
    if (!is_allowed(bytes)) {
        return ww_fail(err, WW_EIO, "no memory can be shared: the limit on file sizes is lower");
    }
    if (getrandom(&nonce, sizeof nonce, 0) != (ssize_t)sizeof nonce) {
        return ww_fail(err, WW_EIO, "the host gives no random number: %s", strerror(errno));
    }
    snprintf(name, sizeof name, NAME_PREFIX "%016" PRIx64, nonce);
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) {
        return ww_fail(err, WW_EIO, "no memory can be shared: %s", strerror(errno));
    }
    if (ftruncate(fd, (off_t)bytes) != 0 || fcntl(fd, F_ADD_SEALS, SEALS) != 0) {
        ww_status status = ww_fail(err, WW_EIO, "no memory can be shared: %s", strerror(errno));
        (void)close(fd);
        return status;
    }
    *out = (rt_segment){.fd = fd, .bytes = bytes, .nonce = nonce};
    return WW_OK;
}

/* The number in the name of the segment behind a link of /proc/PID/fd; false: it is none. Read
 * before the file is opened, since opening some files does harm. */
static bool read_nonce(const char *link, uint64_t *nonce)
{
    char text[128], *end;
    const size_t head = sizeof LINK_PREFIX - 1;
    ssize_t n = readlink(link, text, sizeof text - 1);
    if (n < 0 || (size_t)n != head + NONCE_DIGITS + sizeof LINK_SUFFIX - 1) {
        return false;
    }
    text[n] = '\0';
    if (strncmp(text, LINK_PREFIX, head) != 0 ||
        strspn(text + head, "0123456789abcdef") != NONCE_DIGITS) {
        return false;
    }
    *nonce = strtoull(text + head, &end, 16);
    return strcmp(end, LINK_SUFFIX) == 0;
}

/* Checks what an open file really is, whatever its name says; takes the descriptor. */
static ww_status accept_file(int fd, uint64_t nonce, rt_segment *out, ww_error *err)
{
    struct stat info;
    int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || (seals & SEALS) != SEALS || fstat(fd, &info) != 0 || info.st_size <= 0 ||
        (uint64_t)info.st_size % rt_page_bytes() != 0) {
        (void)close(fd);
        return ww_fail(err, WW_ENOTFOUND, "a file that is no segment");
    }
    *out = (rt_segment){.fd = fd, .bytes = (uint64_t)info.st_size, .nonce = nonce};
    return WW_OK;
}

ww_status rt_segment_open(int pid, int fd, uint64_t nonce, rt_segment *out, ww_error *err)
{
    char link[64];
    uint64_t found;
    if (pid <= 0 || fd < 0) {
        return ww_fail(err, WW_ENOTFOUND, "process %d, descriptor %d", pid, fd);
    }
    snprintf(link, sizeof link, "/proc/%d/fd/%d", pid, fd);
    if (!read_nonce(link, &found) || found != nonce) {
        return ww_fail(err, WW_ENOTFOUND, "process %d does not share that memory", pid);
    }
    int own = open(link, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (own < 0) {
        return ww_fail(err, WW_ENOTFOUND, "%s: %s", link, strerror(errno));
    }
    return accept_file(own, nonce, out, err);
}

ww_status rt_segment_adopt(int fd, rt_segment *out, ww_error *err)
{
    char link[64];
    uint64_t nonce;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (fd < 0 || !read_nonce(link, &nonce)) {
        return ww_fail(err, WW_ENOTFOUND, "descriptor %d is none of shared memory", fd);
    }
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0) {
        return ww_fail(err, WW_EIO, "descriptor %d: %s", fd, strerror(errno));
    }
    return accept_file(own, nonce, out, err);
}

bool rt_segment_export(const rt_segment *segment, int *fd)
{
    *fd = fcntl(segment->fd, F_DUPFD_CLOEXEC, 0);
    return *fd >= 0;
}

void rt_segment_close(rt_segment *segment)
{
    if (segment->bytes > 0) {
        (void)close(segment->fd);
    }
    *segment = (rt_segment){0};
}

bool rt_segment_map(const rt_segment *segment, uint64_t offset, void *at, size_t bytes)
{
    return offset <= segment->bytes && bytes <= segment->bytes - offset &&
           mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, segment->fd,
                (off_t)offset) == at;
}

bool rt_segment_unmap(void *at, size_t bytes)
{
    return mmap(at, bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == at;
}

static bool is_zero(const unsigned char *p, size_t n)
{
    return n == 0 || (p[0] == 0 && memcmp(p, p + 1, n - 1) == 0);
}

bool rt_segment_write(const rt_segment *segment, uint64_t offset, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    const size_t page = (size_t)rt_page_bytes();
    for (size_t done = 0, n; done < bytes; done += n) {
        n = bytes - done < page ? bytes - done : page;
        if (!is_zero(p + done, n) &&
            pwrite(segment->fd, p + done, n, (off_t)(offset + done)) != (ssize_t)n) {
            return false;
        }
    }
    return true;
}

void rt_segment_clear(const rt_segment *segment, uint64_t offset, uint64_t bytes)
{
    (void)fallocate(segment->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
                    (off_t)bytes);
}

/* ---- handles: the structure, then its hash, then zeros ---- */

_Static_assert(sizeof(rt_handle) + sizeof(uint64_t) <= RT_HANDLE_BYTES, "a handle fits");

static uint64_t hash_of(const unsigned char *bytes)
{
    return ww_hash_bytes(WW_HASH_INIT, bytes, sizeof(rt_handle));
}

void rt_handle_write(unsigned char out[RT_HANDLE_BYTES], rt_handle_kind kind,
                     const rt_handle *handle)
{
    rt_handle h = *handle;
    h.magic = HANDLE_MAGIC;
    h.kind = kind;
    memset(out, 0, RT_HANDLE_BYTES);
    memcpy(out, &h, sizeof h);
    uint64_t hash = hash_of(out);
    memcpy(out + sizeof h, &hash, sizeof hash);
}

bool rt_handle_read(const unsigned char in[RT_HANDLE_BYTES], rt_handle_kind kind, rt_handle *out)
{
    uint64_t hash;
    memcpy(out, in, sizeof *out);
    memcpy(&hash, in + sizeof *out, sizeof hash);
    return out->magic == HANDLE_MAGIC && out->kind == kind && hash == hash_of(in);
}

bool rt_handle_fits(const rt_handle *handle, const rt_segment *segment)
{
    return handle->nonce == segment->nonce && handle->bytes > 0 &&
           handle->offset <= segment->bytes && handle->bytes <= segment->bytes - handle->offset;
}
