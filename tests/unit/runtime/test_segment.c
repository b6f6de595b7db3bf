/* test_segment.c - is shared memory shared, and is everything refused that only claims to be? */
#define _GNU_SOURCE
#include "runtime/sharing/segment.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/support/test.h"

static unsigned char *reserve(size_t bytes)
{
    unsigned char *p =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(p != MAP_FAILED);
    return p;
}

static rt_segment make(uint64_t bytes)
{
    rt_segment s = {0};
    ww_error err = {0};
    assert_ok(rt_segment_create(bytes, &s, &err), err);
    return s;
}

static void two_mappings_are_one_memory(void **state)
{
    (void)state;
    const size_t page = (size_t)rt_page_bytes();
    rt_segment s = make(3 * page - 5), other = {0};
    ww_error err = {0};
    assert_int_equal(s.bytes, 3 * page); /* whole pages */
    assert_ok(rt_segment_open((int)getpid(), s.fd, s.nonce, &other, &err), err);
    assert_int_equal(other.bytes, s.bytes);
    unsigned char *a = reserve(3 * page), *b = reserve(page);
    assert_true(rt_segment_map(&s, 0, a, 3 * page));
    assert_true(rt_segment_map(&other, page, b, page));
    a[page + 7] = 77;
    assert_int_equal(b[7], 77);
    rt_segment_close(&s); /* mappings and other descriptors stay */
    b[8] = 88;
    assert_int_equal(a[page + 8], 88);
    assert_true(rt_segment_unmap(b, page));
    assert_int_equal(b[7], 0);
    b[7] = 1;
    assert_int_equal(a[page + 7], 77);
    rt_segment_clear(&other, page, page);
    assert_int_equal(a[page + 7], 0);
    munmap(a, 3 * page);
    munmap(b, page);
    rt_segment_close(&other);
    rt_segment_close(&other);
}

static void writes_what_is_not_zero(void **state)
{
    (void)state;
    const size_t page = (size_t)rt_page_bytes();
    rt_segment s = make(8 * page);
    unsigned char *data = reserve(4 * page), *view = reserve(8 * page);
    memset(data + 2 * page + 100, 5, page);
    assert_true(rt_segment_write(&s, 50, data, 4 * page));
    assert_true(rt_segment_map(&s, 0, view, 8 * page));
    assert_memory_equal(view + 50, data, 4 * page);
    assert_int_equal(view[49], 0);
    munmap(data, 4 * page);
    munmap(view, 8 * page);
    rt_segment_close(&s);
}

static void ranges_are_checked(void **state)
{
    (void)state;
    const size_t page = (size_t)rt_page_bytes();
    rt_segment s = make(2 * page);
    unsigned char *p = reserve(4 * page);
    p[0] = 9;
    assert_false(rt_segment_map(&s, 0, p, 3 * page));
    assert_false(rt_segment_map(&s, 3 * page, p, page));
    assert_false(rt_segment_map(&s, UINT64_MAX - page + 1, p, 2 * page));
    assert_int_equal(p[0], 9);
    assert_int_equal(rt_segment_create(0, &s, NULL), WW_ERANGE);
    assert_int_equal(rt_segment_create(UINT64_MAX, &s, NULL), WW_ERANGE);
    assert_int_not_equal(ftruncate(s.fd, (off_t)page), 0); /* so that no mapping loses its memory */
    assert_int_not_equal(ftruncate(s.fd, (off_t)(3 * page)), 0);
    munmap(p, 4 * page);
    rt_segment_close(&s);
}

static void limits_on_files_are_errors(void **state)
{
    (void)state;
    struct rlimit old, low;
    rt_segment s = {0};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    low = old;
    low.rlim_cur = 1 << 20;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
    ww_status status = rt_segment_create(2 << 20, &s, NULL); /* and no signal */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(status, WW_EIO);
    assert_int_equal(s.bytes, 0);
}

static void check_refused(int fd, uint64_t nonce)
{
    rt_segment s = {0};
    assert_int_not_equal(rt_segment_adopt(fd, &s, NULL), WW_OK);
    assert_int_not_equal(rt_segment_open((int)getpid(), fd, nonce, &s, NULL), WW_OK);
    assert_int_equal(s.bytes, 0);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    int ends[2], null = open("/dev/null", O_RDWR);
    assert_int_equal(pipe(ends), 0); /* opening one would wait for a writer */
    check_refused(ends[0], 0);
    check_refused(null, 0);
    check_refused(-1, 0);
    check_refused(9999, 0);
    int other = memfd_create("somebody-else", MFD_ALLOW_SEALING);
    check_refused(other, 0);
    /* By its name a segment, but one that could shrink under a mapping; or with another name. */
    int unsealed = memfd_create("warpwatt-00000000000000ff", MFD_ALLOW_SEALING);
    assert_int_equal(ftruncate(unsealed, 1 << 20), 0);
    check_refused(unsealed, 0xff);
    int named = memfd_create("warpwatt-00000000000000fg", MFD_ALLOW_SEALING);
    check_refused(named, 0xf);
    int longer = memfd_create("warpwatt-00000000000000ff (deleted)", MFD_ALLOW_SEALING);
    check_refused(longer, 0xff);
    rt_segment s = make(1), out = {0};
    assert_int_not_equal(rt_segment_open((int)getpid(), s.fd, s.nonce + 1, &out, NULL), WW_OK);
    assert_int_not_equal(rt_segment_open(0, s.fd, s.nonce, &out, NULL), WW_OK);
    assert_int_not_equal(rt_segment_open(-1, s.fd, s.nonce, &out, NULL), WW_OK);
    assert_int_not_equal(rt_segment_open(1 << 30, s.fd, s.nonce, &out, NULL), WW_OK);
    rt_segment_close(&s);
    const int all[] = {ends[0], ends[1], null, other, unsealed, named, longer};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        close(all[i]);
    }
}

static uint64_t next(uint64_t *random)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return *random >> 16;
}

static void handles_are_checked(void **state)
{
    (void)state;
    unsigned char bytes[RT_HANDLE_BYTES], changed[RT_HANDLE_BYTES];
    rt_handle handle = {.pid = 12, .fd = 3, .nonce = 99, .offset = 4096, .bytes = 512}, out;
    rt_handle_write(bytes, RT_HANDLE_MEMORY, &handle);
    assert_true(rt_handle_read(bytes, RT_HANDLE_MEMORY, &out));
    assert_int_equal(out.pid, 12);
    assert_int_equal(out.fd, 3);
    assert_int_equal(out.nonce, 99);
    assert_int_equal(out.offset, 4096);
    assert_int_equal(out.bytes, 512);
    assert_false(rt_handle_read(bytes, RT_HANDLE_EVENT, &out));
    uint64_t random = 7;
    for (unsigned i = 0; i < 100000; i++) {
        memcpy(changed, bytes, sizeof changed);
        changed[next(&random) % sizeof(rt_handle)] ^= (unsigned char)(1 + next(&random) % 255);
        assert_false(rt_handle_read(changed, RT_HANDLE_MEMORY, &out));
    }
    memset(changed, 0, sizeof changed);
    assert_false(rt_handle_read(changed, RT_HANDLE_MEMORY, &out));
}

/* Whoever knows the hash can write any numbers. */
static void no_handle_reaches_outside_a_segment(void **state)
{
    (void)state;
    const rt_segment s = {.fd = 3, .bytes = 1 << 20, .nonce = 5};
    const uint64_t edge[] = {0,       1,          4096,           (1 << 20) - 1,  1 << 20,
                             1 << 21, UINT32_MAX, UINT64_MAX / 2, UINT64_MAX - 1, UINT64_MAX};
    const size_t n = sizeof edge / sizeof edge[0];
    unsigned fit = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            rt_handle h = {.nonce = 5, .offset = edge[i], .bytes = edge[j]};
            if (rt_handle_fits(&h, &s)) {
                assert_true(h.bytes >= 1 && h.offset < s.bytes && h.bytes <= s.bytes);
                assert_true(h.offset + h.bytes <= s.bytes);
                fit++;
            }
            h.nonce = 6;
            assert_false(rt_handle_fits(&h, &s));
        }
    }
    assert_int_equal(fit, 4 + 3 + 2 + 1); /* by offset: 0, 1, 4096, the last byte */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_mappings_are_one_memory),
        cmocka_unit_test(writes_what_is_not_zero),
        cmocka_unit_test(ranges_are_checked),
        cmocka_unit_test(limits_on_files_are_errors),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(handles_are_checked),
        cmocka_unit_test(no_handle_reaches_outside_a_segment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
