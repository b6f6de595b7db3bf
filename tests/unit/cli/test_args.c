/* test_args.c - does the command line end in an error where it is too long or contradicts itself?
 */
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

static ww_error err;
static ww_args args;

static const ww_option options[] = {
    {"gpu", "NAME", ""}, {"set", "KEY=VALUE", ""}, {NULL, NULL, NULL}};
static const ww_command command = {.name = "try", .options = options};

/* `count` times the same word, behind the first one. */
static ww_status parse_many(const char *first, const char *word, int count)
{
    char **argv = calloc((size_t)count + 1, sizeof *argv);
    assert_non_null(argv);
    argv[0] = (char *)(uintptr_t)first;
    for (int i = 1; i <= count; i++) {
        argv[i] = (char *)(uintptr_t)word;
    }
    memset(&err, 0, sizeof err);
    ww_status status = ww_args_parse(&command, count + 1, argv, &args, &err);
    free(argv);
    return status;
}

static void as_many_options_as_there_is_room_for(void **state)
{
    (void)state;
    const int room = WW_ARRAY_LEN(args.given);
    static const char *const words[] = {"-h", "--help", "--set=a=b"};
    for (size_t i = 0; i < WW_ARRAY_LEN(words); i++) {
        assert_ok(parse_many("--quiet", words[i], room - 1), err);
        assert_int_equal(args.given_count, room);
        assert_int_equal(parse_many("--quiet", words[i], room), WW_EUSAGE);
        assert_non_null(strstr(err.what, "more than 256 options"));
        assert_int_equal(args.given_count, room); /* what follows the array is as it was */
        assert_int_equal(args.positional_count, 0);
    }
}

static void as_many_arguments_as_there_is_room_for(void **state)
{
    (void)state;
    const int room = WW_ARRAY_LEN(args.positional);
    assert_ok(parse_many("x", "x", room - 1), err);
    assert_int_equal(parse_many("x", "x", room), WW_EUSAGE);
    assert_int_equal(args.positional_count, room);
}

static void a_second_machine_is_refused(void **state)
{
    (void)state;
    assert_ok(parse_many("--gpu=gtx480", "--set=a=b", 3), err);
    assert_int_equal(parse_many("--gpu=gtx480", "--gpu=gtx580", 1), WW_EUSAGE);
    assert_non_null(strstr(err.what, "one machine"));
    assert_non_null(strstr(err.what, "gtx580"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_options_as_there_is_room_for),
        cmocka_unit_test(as_many_arguments_as_there_is_room_for),
        cmocka_unit_test(a_second_machine_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
