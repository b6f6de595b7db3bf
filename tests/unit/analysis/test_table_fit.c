/* test_table_fit.c - tables on a terminal: as wide as it is, in whole words, in UTF-8 whatever the
 * locale of the process. */
#define _GNU_SOURCE /* posix_openpt */
#include "tests/support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "analysis/table.h"

/* What a terminal of so many columns gets (0: it does not say), without carriage returns. */
static char *shown(ww_table *t, unsigned short columns)
{
    static char text[8192];
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    const char *name = ptsname(master);
    assert_non_null(name);
    FILE *terminal = fopen(name, "w");
    assert_non_null(terminal);
    const struct winsize size = {.ws_row = 40, .ws_col = columns};
    assert_int_equal(ioctl(fileno(terminal), TIOCSWINSZ, &size), 0);
    assert_int_equal(ww_table_print(t, false, terminal, NULL), WW_OK);
    /* What was written reaches the other end some time later, but before the end of the file. */
    fclose(terminal);
    size_t length = 0;
    for (ssize_t got; (got = read(master, text + length, sizeof text - 1 - length)) > 0;) {
        length += (size_t)got;
    }
    close(master);
    size_t kept = 0;
    for (size_t i = 0; i < length; i++) {
        text[kept] = text[i];
        kept += text[i] != '\r';
    }
    text[kept] = '\0';
    return text;
}

static void fill(ww_table *t)
{
    static const char *const heads[] = {"part", "joules", "", "meaning"};
    ww_table_init(t, "parts");
    ww_table_heads(t, heads, WW_ARRAY_LEN(heads));
    ww_table_text(t, "RF");
    ww_table_number(t, 1.5, 1);
    ww_table_text(t, "██████████");
    ww_table_text(t, "register file: banks and collectors of operands");
    ww_table_text(t, "EU");
    ww_table_number(t, 20, 1);
    ww_table_text(t, "█");
    ww_table_text(t, "units");
}

static void wide_terminals_hold_a_row_in_a_line(void **state)
{
    (void)state;
    ww_table t;
    fill(&t);
    assert_string_equal(
        shown(&t, 120),
        "part  joules              meaning\n"
        "RF       1.5  ██████████  register file: banks and collectors of operands\n"
        "EU      20.0  █           units\n");
    ww_table_fini(&t);
}

static void sentences_wrap_between_words(void **state)
{
    (void)state;
    ww_table t;
    fill(&t);
    assert_string_equal(shown(&t, 54), "part  joules              meaning\n"
                                       "RF       1.5  ██████████  register file: banks and\n"
                                       "                          collectors of operands\n"
                                       "EU      20.0  █           units\n");
    ww_table_fini(&t);
}

static void bars_go_where_sentences_have_no_room(void **state)
{
    (void)state;
    ww_table t;
    fill(&t);
    assert_string_equal(shown(&t, 40), "part  joules  meaning\n"
                                       "RF       1.5  register file: banks and\n"
                                       "              collectors of operands\n"
                                       "EU      20.0  units\n");
    ww_table_fini(&t);
}

static void unknown_width_is_80(void **state)
{
    (void)state;
    ww_table t;
    char expected[8192];
    fill(&t);
    strcpy(expected, shown(&t, 80));
    assert_string_equal(shown(&t, 0), expected);
    ww_table_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide_terminals_hold_a_row_in_a_line),
        cmocka_unit_test(sentences_wrap_between_words),
        cmocka_unit_test(bars_go_where_sentences_have_no_room),
        cmocka_unit_test(unknown_width_is_80),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
