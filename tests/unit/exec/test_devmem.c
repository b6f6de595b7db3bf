/* Are device allocations exact to the byte, zeroed, separated, reusable and bounded? */
#include "base/mem.h"
#include "machine.h"

static void allocations(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_devmem *mem;
    uint64_t a, b, first, end;
    char text[128];
    assert_ok(ww_devmem_create(&mem, &err), err);
    assert_string_equal(ww_devmem_explain(mem, 0x1234, text, sizeof text),
                        "there are no allocations");
    assert_ok(ww_devmem_alloc(mem, 1000, 256, &a, &err), err);
    assert_ok(ww_devmem_alloc(mem, 5, 4096, &b, &err), err);
    assert_int_equal(a, WW_GLOBAL_BASE);
    assert_int_equal(b % 4096, 0);
    assert_true(b >= a + 1000 + 256);
    assert_non_null(ww_devmem_at(mem, a, 1000));
    assert_non_null(ww_devmem_at(mem, a + 999, 1));
    assert_null(ww_devmem_at(mem, a + 999, 2));
    assert_null(ww_devmem_at(mem, a + 1000, 1));
    assert_null(ww_devmem_at(mem, a - 1, 1));
    assert_null(ww_devmem_at(mem, a, UINT64_MAX));
    assert_true(ww_devmem_bounds(mem, a + 500, &first, &end) && first == a && end == a + 1000);
    assert_ptr_equal(ww_devmem_at(mem, a + 10, 1),
                     (void *)(ww_devmem_bias(mem) + (uintptr_t)a + 10));
    assert_string_equal(ww_devmem_explain(mem, a + 1012, text, sizeof text),
                        "12 bytes after the 1000-byte allocation at 0x10000000");
    assert_non_null(strstr(ww_devmem_explain(mem, b - 3, text, sizeof text),
                           "3 bytes before the 5-byte allocation"));
    ww_devmem_destroy(mem);
}

static void freed_memory(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_devmem *mem;
    uint64_t a, b;
    assert_ok(ww_devmem_create(&mem, &err), err);
    assert_ok(ww_devmem_alloc(mem, 100000, 256, &a, &err), err);
    memset(ww_devmem_at(mem, a, 100000), 0xff, 100000);
    assert_int_equal(ww_devmem_free(mem, a + 256, &err), WW_ENOTFOUND);
    assert_ok(ww_devmem_free(mem, a, &err), err);
    assert_null(ww_devmem_at(mem, a, 1));
    assert_int_equal(ww_devmem_free(mem, a, &err), WW_ENOTFOUND);
    assert_ok(ww_devmem_alloc(mem, 100000, 256, &b, &err), err);
    assert_true(b != a); /* stale pointers keep faulting while there are fresh addresses */
    const unsigned char *p = ww_devmem_at(mem, b, 100000);
    for (unsigned k = 0; k < 100000; k++) {
        assert_int_equal(p[k], 0);
    }
    ww_devmem_destroy(mem);
}

/* 200 GiB handed out and given back within the 64 GiB range: places are used again, and are zero.
 */
static void reuse(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_devmem *mem;
    uint64_t keep, a;
    assert_ok(ww_devmem_create(&mem, &err), err);
    assert_ok(ww_devmem_alloc(mem, 64, 256, &keep, &err), err);
    *(unsigned char *)ww_devmem_at(mem, keep + 63, 1) = 7;
    for (unsigned k = 0; k < 50; k++) {
        assert_ok(ww_devmem_alloc(mem, 4ull << 30, 256, &a, &err), err);
        unsigned char *p = ww_devmem_at(mem, a, 4ull << 30);
        assert_int_equal(p[0] | p[(4ull << 30) - 1], 0);
        p[0] = p[(4ull << 30) - 1] = 1;
        assert_ok(ww_devmem_free(mem, a, &err), err);
    }
    assert_int_equal(*(unsigned char *)ww_devmem_at(mem, keep + 63, 1), 7);
    ww_devmem_destroy(mem);
}

static void limits(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_devmem *mem;
    uint64_t a;
    assert_ok(ww_devmem_create(&mem, &err), err);
    assert_int_equal(ww_devmem_alloc(mem, 0, 256, &a, &err), WW_ERANGE);
    assert_int_equal(ww_devmem_alloc(mem, 16, 3, &a, &err), WW_ERANGE);
    assert_int_equal(ww_devmem_alloc(mem, 49ull << 30, 256, &a, &err), WW_ENOMEM);
    assert_string_equal(
        err.what, "Device memory exhausted: 52613349376 bytes asked for, 0 in use of 51539607552.");
    assert_int_equal(ww_devmem_alloc(mem, UINT64_MAX, 256, &a, &err), WW_ENOMEM);
    ww_mem_fail_after(1);
    assert_int_equal(ww_devmem_alloc(mem, 16, 256, &a, &err), WW_ENOMEM);
    ww_mem_fail_after(0);
    assert_ok(ww_devmem_alloc(mem, 16, 256, &a, &err), err);
    ww_devmem_destroy(mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations),
        cmocka_unit_test(freed_memory),
        cmocka_unit_test(reuse),
        cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
