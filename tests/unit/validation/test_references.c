/* test_references.c - is every cell of a table of references checked as it is read, and is what is
 * wrong with one said with its place? */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/test.h"
#include "validation/references.h"

enum { NAME, VALUE, MAYBE, WORD, EXTRA, COLUMNS };

static const char *const words[] = {"compute", "latency", NULL};
static const ww_ref_column columns[COLUMNS] = {
    [NAME] = {"name", .kind = WW_REF_NAME},
    [VALUE] = {"value", .kind = WW_REF_POSITIVE},
    [MAYBE] = {"maybe", .kind = WW_REF_OPTIONAL},
    [WORD] = {"bound", .kind = WW_REF_WORD, .words = words},
    [EXTRA] = {"extra", .kind = WW_REF_NUMBER, .may_lack = true},
};

static ww_status load(const char *text, size_t length, ww_refs **out, ww_error *err)
{
    char path[] = "/tmp/ww_test_refs_XXXXXX";
    int fd = mkstemp(path);
    *err = (ww_error){0};
    *out = NULL;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, length), (ssize_t)length);
    close(fd);
    ww_status status = ww_refs_load(path, columns, COLUMNS, out, err);
    unlink(path);
    return status;
}

static void cells_are_as_they_stand(void **state)
{
    (void)state;
    const char *text = "other,bound,maybe [%],value [W],name\r\n1,latency,,2.5,\"a, \"\"b\"\"\"\r\n"
                       "x,compute,-3,1e-3,c\r\n";
    ww_error err;
    ww_refs *refs;
    assert_ok(load(text, strlen(text), &refs, &err), err);
    assert_int_equal(ww_refs_rows(refs), 2);
    assert_string_equal(ww_refs_text(refs, 0, NAME), "a, \"b\"");
    assert_near(ww_refs_number(refs, 0, VALUE), 2.5, 0, 0);
    assert_true(isnan(ww_refs_number(refs, 0, MAYBE)));
    assert_near(ww_refs_number(refs, 1, MAYBE), -3, 0, 0);
    assert_int_equal(ww_refs_word(refs, 0, WORD), 1);
    assert_int_equal(ww_refs_word(refs, 1, WORD), 0);
    assert_string_equal(ww_refs_text(refs, 0, EXTRA), "");
    assert_true(isnan(ww_refs_number(refs, 0, EXTRA)));
    ww_refs_destroy(refs);
}

static void a_wrong_cell_is_located(void **state)
{
    (void)state;
    static const struct {
        const char *row;
        ww_status status;
        int column;
        const char *says;
    } wrong[] = {
        {",1,,latency,1", WW_ESCHEMA, 1, "name"},
        {"a,,,latency,1", WW_EPARSE, 3, ""},
        {"a,0,,latency,1", WW_ERANGE, 3, "value"},
        {"a,-1,,latency,1", WW_ERANGE, 3, "value"},
        {"a,nan,,latency,1", WW_OK, 3, ""},
        {"a,inf,,latency,1", WW_OK, 3, ""},
        {"a,1e999,,latency,1", WW_OK, 3, ""},
        {"a,1x,,latency,1", WW_EPARSE, 3, ""},
        {"a,1,none,latency,1", WW_EPARSE, 5, ""},
        {"a,1,nan,latency,1", WW_OK, 5, ""},
        {"a,1,,latencies,1", WW_ESCHEMA, 6, "none of compute, latency"},
        {"a,1,,,1", WW_ESCHEMA, 6, "bound ''"},
        {"a,1,,latency,", WW_EPARSE, 14, ""},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[256];
        ww_error err;
        ww_refs *refs;
        int length = snprintf(text, sizeof text,
                              "name,value,maybe,bound,extra\nok,1,,compute,1\n%s\n", wrong[i].row);
        ww_status status = load(text, (size_t)length, &refs, &err);
        assert_int_not_equal(status, WW_OK);
        if (wrong[i].status != WW_OK) { /* else: whichever of reading and range finds it */
            assert_int_equal(status, wrong[i].status);
        }
        assert_int_equal(err.line, 3);
        assert_int_equal(err.column, wrong[i].column);
        assert_non_null(strstr(err.file, "ww_test_refs"));
        assert_non_null(strstr(err.what, wrong[i].says));
        assert_null(refs);
    }
}

static void a_table_that_is_none_is_refused(void **state)
{
    (void)state;
    static const char *const text[] = {
        "",
        "\n",
        "name,value,maybe\n",
        "name\nx,y\n",
        "\"",
        "name,value,maybe,bound\na,1,,compute,5\n",
        "name,value,maybe,bound\n\"a,1,,compute\n",
    };
    ww_error err;
    ww_refs *refs = NULL;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        assert_int_not_equal(load(text[i], strlen(text[i]), &refs, &err), WW_OK);
        assert_null(refs);
        assert_int_not_equal(strlen(err.what), 0);
    }
    assert_int_not_equal(ww_refs_load("/nonexistent.csv", columns, COLUMNS, &refs, &err), WW_OK);
    assert_non_null(strstr(err.what, "nonexistent") != NULL ? err.what : err.file);
}

/* Any bytes: a table or an error, never more. */
static void bytes_do_no_harm(void **state)
{
    (void)state;
    const char *good = "name,value,maybe,bound\nab,1,,compute\n\"c\",2,3,latency\n";
    size_t length = strlen(good);
    for (size_t at = 0; at < length; at++) {
        static const char put[] = {0, '"', ',', '\n', '\r', (char)0xff, '-', '9'};
        for (size_t k = 0; k < sizeof put; k++) {
            char text[128];
            ww_error err;
            ww_refs *refs;
            memcpy(text, good, length);
            text[at] = put[k];
            (void)(load(text, length, &refs, &err) == WW_OK);
            ww_refs_destroy(refs);
            (void)(load(good, at, &refs, &err) == WW_OK);
            ww_refs_destroy(refs);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_as_they_stand),
        cmocka_unit_test(a_wrong_cell_is_located),
        cmocka_unit_test(a_table_that_is_none_is_refused),
        cmocka_unit_test(bytes_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
