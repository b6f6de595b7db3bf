/* Does docs/ptx.md count the forms of forms.txt as they are? */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "tests/support/test.h"

typedef struct group {
    const char *row;    /* of the page */
    const char *prefix; /* of lines of the list; a page's row may have two */
    const char *other;
} group;

static const group groups[] = {{"| CORE, SDK | ", "CORE ", "SDK "},
                               {"| OTHER | ", "OTHER ", NULL},
                               {"| MORE | ", "MORE ", NULL}};

static char *text_of(const char *name)
{
    char *text;
    size_t length;
    ww_error err = {0};
    assert_ok(ww_read_file(name, 1 << 20, &text, &length, &err), err);
    return text;
}

static bool begins(const char *line, const char *prefix)
{
    return prefix != NULL && strncmp(line, prefix, strlen(prefix)) == 0;
}

static void count(const char *list, const group *g, size_t *forms, size_t *executed)
{
    *forms = *executed = 0;
    for (const char *line = list, *next; line != NULL; line = next) {
        next = strchr(line, '\n');
        next = next != NULL ? next + 1 : NULL;
        if (begins(line, g->prefix) || begins(line, g->other)) {
            ++*forms;
            *executed += line[strcspn(line, " ") + 1] != '-';
        }
    }
}

static void page_counts_the_list(void **state)
{
    (void)state;
    char *page = text_of(WW_SOURCE_DIR "/docs/ptx.md");
    char *list = text_of(WW_SOURCE_DIR "/tests/ptx/forms/forms.txt");
    for (size_t i = 0; i < WW_ARRAY_LEN(groups); i++) {
        size_t forms, executed;
        char want[80];
        count(list, &groups[i], &forms, &executed);
        snprintf(want, sizeof want, "%s%zu | %zu | ", groups[i].row, forms, executed);
        const char *row = strstr(page, groups[i].row);
        assert_non_null(row);
        if (!begins(row, want)) {
            fail_msg("docs/ptx.md has '%.40s', forms.txt '%s'", row, want);
        }
    }
    ww_free(page);
    ww_free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(page_counts_the_list)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
