/* test_shipped.c - is a file taken for a shipped one when every byte of it is, and only then? */
#include <string.h>

#include "base/file.h"
#include "base/shipped.h"
#include "base/xml.h"
#include "tests/support/test.h"

static char *read_shipped(const char *name, size_t *length)
{
    ww_error err = {0};
    char *text = NULL;
    ww_arena arena = {0};
    const char *path = ww_path_join(&arena, WW_SOURCE_DIR "/configs", name);
    assert_ok(ww_read_file(path, WW_XML_MAX_BYTES, &text, length, &err), err);
    ww_arena_fini(&arena);
    return text;
}

/* One that does not satisfy its schema is left out when the program is built. */
static void every_file_is_there(void **state)
{
    (void)state;
    static const char *const folders[] = {"gpu", "tech"};
    for (size_t f = 0; f < 2; f++) {
        ww_error err = {0};
        ww_arena arena = {0};
        const char *dir = ww_path_join(&arena, WW_SOURCE_DIR "/configs", folders[f]);
        const char **names;
        size_t count, length;
        assert_ok(ww_list_dir(dir, ".xml", &arena, &names, &count, &err), err);
        assert_true(count > 10);
        for (size_t i = 0; i < count; i++) {
            char *text =
                read_shipped(ww_arena_printf(&arena, "%s/%s.xml", folders[f], names[i]), &length);
            if (!ww_is_shipped(text, length)) {
                fail_msg("configs/%s/%s.xml is not in the program", folders[f], names[i]);
            }
            ww_free(text);
        }
        ww_arena_fini(&arena);
    }
    size_t length;
    char *text = read_shipped("../mech/cap/cap.xml", &length);
    assert_true(ww_is_shipped(text, length));
    ww_free(text);
}

static void another_byte_is_another_file(void **state)
{
    (void)state;
    size_t length;
    char *text = read_shipped("gpu/gtx480.xml", &length);
    assert_false(ww_is_shipped(text, length - 1));
    assert_false(ww_is_shipped(text, 0));
    size_t places[] = {0, length / 2, length - 1};
    for (size_t i = 0; i < 3; i++) {
        text[places[i]] ^= 1;
        assert_false(ww_is_shipped(text, length));
        text[places[i]] ^= 1;
    }
    assert_true(ww_is_shipped(text, length));
    ww_free(text);
}

/* A document knows what it was read from, so that its schema can be spared. */
static void a_document_says_so(void **state)
{
    (void)state;
    ww_error err = {0};
    size_t length;
    char *text = read_shipped("tech/7nm.xml", &length);
    ww_xml *xml = NULL;
    assert_ok(ww_xml_parse("7nm.xml", text, length, &xml, &err), err);
    assert_true(ww_xml_is_shipped(xml));
    ww_xml_destroy(xml);
    assert_ok(ww_xml_parse("own.xml", "<technology/>", 13, &xml, &err), err);
    assert_false(ww_xml_is_shipped(xml));
    ww_xml_destroy(xml);
    ww_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_is_there),
        cmocka_unit_test(another_byte_is_another_file),
        cmocka_unit_test(a_document_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
