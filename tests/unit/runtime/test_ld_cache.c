/* test_ld_cache.c - is the loader's cache read as ldconfig writes it, and survived whatever it
 * holds? */
#include "runtime/nvrtc/ld_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/support/test.h"

enum { HEADER = 48, ENTRY = 24 };

typedef struct row {
    const char *name, *path;
} row;

static const row rows[] = {{"libm.so.6", "/lib/libm.so.6"},
                           {"libnvrtc.so.13", "/opt/one/libnvrtc.so.13"},
                           {"libnvrtc.so.12", "/opt/libnvrtc.so.12"},
                           {"libnvrtc.so.13", "/opt/two/libnvrtc.so.13"}};

static void put_u32(unsigned char *at, size_t value)
{
    uint32_t v = (uint32_t)value;
    memcpy(at, &v, sizeof v);
}

/* A cache of these rows behind `before` other bytes; its size. */
static size_t build(unsigned char *out, size_t before)
{
    memset(out, 0xee, before);
    unsigned char *base = out + before;
    size_t text = HEADER + WW_ARRAY_LEN(rows) * ENTRY;
    memset(base, 0, text);
    memcpy(base, "glibc-ld.so.cache1.1", 20);
    put_u32(base + 20, WW_ARRAY_LEN(rows));
    for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
        unsigned char *entry = base + HEADER + i * ENTRY;
        put_u32(entry + 4, text);
        memcpy(base + text, rows[i].name, strlen(rows[i].name) + 1);
        text += strlen(rows[i].name) + 1;
        put_u32(entry + 8, text);
        memcpy(base + text, rows[i].path, strlen(rows[i].path) + 1);
        text += strlen(rows[i].path) + 1;
    }
    return before + text;
}

static void finds_every_library_of_a_name(void **state)
{
    (void)state;
    unsigned char cache[1024];
    for (size_t before = 0; before < 100; before += 33) { /* the cache of older versions */
        size_t size = build(cache, before), at = 0;
        assert_string_equal(rt_ld_cache_next(cache, size, "libnvrtc.so.13", &at), rows[1].path);
        assert_string_equal(rt_ld_cache_next(cache, size, "libnvrtc.so.13", &at), rows[3].path);
        assert_null(rt_ld_cache_next(cache, size, "libnvrtc.so.13", &at));
        at = 0;
        assert_null(rt_ld_cache_next(cache, size, "libnvrtc.so", &at));
    }
}

static void a_file_that_is_cut_is_no_cache(void **state)
{
    (void)state;
    unsigned char cache[1024];
    size_t size = build(cache, 0);
    size_t whole = 0;
    for (size_t cut = 0; cut <= size; cut++) {
        unsigned char *copy = malloc(cut + 1); /* so that a sanitizer sees reads behind it */
        assert_non_null(copy);
        unsigned char *exact = realloc(copy, cut > 0 ? cut : 1);
        assert_non_null(exact);
        memcpy(exact, cache, cut);
        size_t at = 0;
        const char *path = rt_ld_cache_next(exact, cut, "libm.so.6", &at);
        assert_true(path == NULL || strcmp(path, rows[0].path) == 0);
        whole += path != NULL;
        free(exact);
    }
    assert_true(whole > 0);
}

static void any_bytes_are_survived(void **state)
{
    (void)state;
    uint64_t random = 1;
    unsigned char cache[1024];
    for (unsigned round = 0; round < 50000; round++) {
        size_t size = build(cache, 0);
        for (int k = 0; k < 4; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            cache[(random >> 33) % size] = (unsigned char)(random >> 25);
        }
        unsigned char *exact = malloc(size);
        assert_non_null(exact);
        memcpy(exact, cache, size);
        size_t at = 0;
        for (const char *path; (path = rt_ld_cache_next(exact, size, "libnvrtc.so.13", &at));) {
            const unsigned char *p = (const unsigned char *)path;
            assert_true(p >= exact && p + strlen(path) < exact + size);
            assert_true(at <= size);
        }
        free(exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_every_library_of_a_name),
        cmocka_unit_test(a_file_that_is_cut_is_no_cache),
        cmocka_unit_test(any_bytes_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
