/* test_fatbin.c - are fat binaries read as nvcc writes them, and refused when they lie? */
#include "runtime/core/fatbin.h"

#include <string.h>

#include "base/mem.h"
#include "tests/support/fatbin_builder.h"
#include "tests/support/test.h"

static fatbin_builder box;

/* Text that compresses, of n bytes with its terminating zero. */
static const char *text_of(char mark, size_t n)
{
    static char text[8192];
    for (size_t i = 0; i < n - 1; i++) {
        text[i] = i % 7 == 0 ? mark : "ptx\n"[i % 4];
    }
    text[n - 1] = '\0';
    return text;
}

static void check_unpacks(unsigned packing)
{
    ww_error err = {0};
    ww_fatbin_entry entry;
    char *out;
    size_t length;
    fatbin_begin(&box);
    fatbin_add(&box, 1, 75, packing, text_of('a', 3000), 3000);
    assert_ok(ww_fatbin_find_ptx(box.bytes, box.size, 75, &entry, &err), err);
    assert_int_equal(entry.kind, WW_FATBIN_PTX);
    assert_true(packing == 0 || entry.payload_bytes < 1500);
    assert_ok(ww_fatbin_unpack(&entry, &out, &length, &err), err);
    assert_int_equal(length, 3000);
    assert_string_equal(out, text_of('a', 3000));
    ww_free(out);
}

static void unpacks_every_packing(void **state)
{
    (void)state;
    check_unpacks(0);
    check_unpacks(FATBIN_LZ4);
    check_unpacks(FATBIN_ZSTD);
}

static unsigned chosen_for(unsigned capability)
{
    ww_error err = {0};
    ww_fatbin_entry entry;
    assert_ok(ww_fatbin_find_ptx(box.bytes, box.size, capability, &entry, &err), err);
    return entry.target;
}

static void chooses_the_best_target(void **state)
{
    (void)state;
    fatbin_begin(&box);
    fatbin_add(&box, 2, 90, 0,
               "\x7f"
               "ELF",
               4);
    fatbin_add(&box, 1, 80, 0, text_of('b', 64), 64);
    fatbin_add(&box, 1, 75, FATBIN_LZ4, text_of('c', 640), 640);
    fatbin_add(&box, 1, 90, 0, text_of('d', 64), 64);
    assert_int_equal(chosen_for(75), 75);
    assert_int_equal(chosen_for(86), 80); /* highest that does not exceed it */
    assert_int_equal(chosen_for(100), 90);
    assert_int_equal(chosen_for(20), 75); /* all exceed it: the lowest */
}

/* Whether the target fits or not. */
static void of_one_target_the_first_is_taken(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_fatbin_entry entry;
    fatbin_begin(&box);
    fatbin_add(&box, 1, 75, 0, text_of('b', 64), 64);
    fatbin_add(&box, 1, 75, 0, text_of('c', 128), 128);
    for (unsigned capability = 20; capability < 200; capability += 60) {
        assert_ok(ww_fatbin_find_ptx(box.bytes, box.size, capability, &entry, &err), err);
        assert_int_equal(entry.bytes, 64);
    }
}

static void lists_all_entries(void **state)
{
    (void)state;
    static const unsigned kinds[] = {WW_FATBIN_ELF, WW_FATBIN_PTX, WW_FATBIN_OTHER};
    ww_error err = {0};
    ww_fatbin_entry entry;
    size_t offset = 0;
    fatbin_begin(&box);
    fatbin_add(&box, 2, 75, FATBIN_ZSTD, text_of('e', 200), 200);
    fatbin_add(&box, 1, 75, 0, text_of('f', 50), 50);
    fatbin_add(&box, 8, 75, 0, text_of('g', 50), 50);
    for (size_t i = 0; i < WW_ARRAY_LEN(kinds); i++) {
        assert_ok(ww_fatbin_next(box.bytes, box.size, &offset, &entry, &err), err);
        assert_int_equal(entry.kind, kinds[i]);
    }
    assert_int_equal(ww_fatbin_next(box.bytes, box.size, &offset, &entry, &err), WW_ENOTFOUND);
    assert_int_equal(offset, box.size);
}

static void says_what_is_missing(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_fatbin_entry entry;
    fatbin_begin(&box);
    assert_int_equal(ww_fatbin_find_ptx(box.bytes, box.size, 75, &entry, &err), WW_ENOTFOUND);
    fatbin_add(&box, 2, 75, 0, "machine code", 12);
    assert_int_equal(ww_fatbin_find_ptx(box.bytes, box.size, 75, &entry, &err), WW_ENOTFOUND);
    assert_non_null(strstr(err.what, "machine code (1 images)"));
}

static void refuse(size_t at, uint64_t value, unsigned bytes, ww_status expected)
{
    ww_error err = {0};
    ww_fatbin_entry entry;
    char *out = NULL;
    size_t length;
    fatbin_begin(&box);
    fatbin_add(&box, 1, 75, FATBIN_LZ4, text_of('h', 1000), 1000);
    fatbin_put(box.bytes + at, value, bytes);
    ww_status status = ww_fatbin_find_ptx(box.bytes, box.size, 75, &entry, &err);
    if (status == WW_OK) {
        status = ww_fatbin_unpack(&entry, &out, &length, &err);
    }
    assert_int_equal(status, expected);
    assert_null(out);
    assert_true(err.what[0] != '\0');
}

static void refuses_lies(void **state)
{
    (void)state;
    enum { ENTRY = 16 };
    refuse(0, 0x12345678, 4, WW_EPARSE);              /* no magic */
    refuse(6, 8, 2, WW_EPARSE);                       /* header smaller than itself */
    refuse(8, UINT64_MAX, 8, WW_EPARSE);              /* content that overflows */
    refuse(8, UINT64_MAX - 15, 8, WW_EPARSE);         /* and that just does, with its header */
    refuse(6, 0xffff, 2, WW_ENOTFOUND);               /* first entry beyond the end */
    refuse(ENTRY + 8, UINT64_MAX - 63, 8, WW_EPARSE); /* payload whose end wraps to the entry */
    refuse(ENTRY + 16, 0xffffffff, 4, WW_EPARSE);     /* the most packed bytes */
    refuse(ENTRY + 56, UINT64_MAX, 8, WW_ERANGE);     /* text that no memory holds */
    refuse(ENTRY + 56, WW_FATBIN_MAX_BYTES + 1, 8, WW_ERANGE);
    refuse(8, 40, 8, WW_EPARSE);                         /* ends inside an entry's header */
    refuse(ENTRY + 4, 0xffffffff, 4, WW_EPARSE);         /* header beyond the end */
    refuse(ENTRY + 4, 0, 4, WW_EPARSE);                  /* header that holds nothing */
    refuse(ENTRY + 8, UINT64_MAX - 10, 8, WW_EPARSE);    /* payload beyond the end */
    refuse(ENTRY + 16, 0xffffff, 4, WW_EPARSE);          /* more packed bytes than payload */
    refuse(ENTRY + 40, FATBIN_FLAGS, 8, WW_EUNSUP);      /* packed, but how? */
    refuse(ENTRY + 56, UINT64_C(1) << 40, 8, WW_ERANGE); /* a terabyte of text */
    refuse(ENTRY + 56, 999, 8, WW_EPARSE);               /* one byte short */
    refuse(ENTRY + 56, 1001, 8, WW_EPARSE);              /* one byte over */
    refuse(ENTRY + 40, FATBIN_ZSTD, 8, WW_EPARSE);       /* LZ4 called zstd */
}

/* A container of empty entries ends after so many, not after as many as it is long. */
static void entries_are_bounded(void **state)
{
    (void)state;
    enum { ENTRY_BYTES = 64, MANY = WW_FATBIN_ENTRIES + 1 };
    static unsigned char many[16 + MANY * ENTRY_BYTES];
    fatbin_begin(&box);
    fatbin_add(&box, 8, 75, 0, "", 0);
    memcpy(many, box.bytes, 16);
    fatbin_put(many + 8, MANY * ENTRY_BYTES, 8);
    for (size_t i = 0; i < MANY; i++) {
        memcpy(many + 16 + i * ENTRY_BYTES, box.bytes + 16, ENTRY_BYTES);
    }
    ww_error err = {0};
    ww_fatbin_entry entry;
    assert_int_equal(ww_fatbin_find_ptx(many, sizeof many, 75, &entry, &err), WW_EPARSE);
    assert_non_null(strstr(err.what, "more than 4096 entries"));
    assert_int_equal(ww_fatbin_find_ptx(many, sizeof many - ENTRY_BYTES, 75, &entry, &err),
                     WW_ENOTFOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unpacks_every_packing),
        cmocka_unit_test(chooses_the_best_target),
        cmocka_unit_test(of_one_target_the_first_is_taken),
        cmocka_unit_test(lists_all_entries),
        cmocka_unit_test(says_what_is_missing),
        cmocka_unit_test(refuses_lies),
        cmocka_unit_test(entries_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
