/* Does every instruction form that real programs use do what the PTX manual says, as written and
 * lowered? forms.txt lists the forms: CORE and SDK, what nvcc makes of 101 benchmark applications
 * and of the CUDA samples; OTHER, what else has been met; MORE, what
 * no one was seen to use.  Each form has a kernel here; "-" marks
 * one that is not supported, which must be refused by name. */
#include <stdlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "forms.h"

static const form_family *const families[] = {
    &form_integer, &form_logic,   &form_f32,      &form_f64,           &form_half,
    &form_approx,  &form_convert, &form_compare,  &form_move,          &form_memory,
    &form_atomic,  &form_warp,    &form_control,  &form_texture,       &form_surface,
    &form_matrix,  &form_async,   &form_mbarrier, &form_extra_integer, &form_extra_float,
    &form_narrow,  &form_video,   &form_bulk,     &form_cluster,       &form_matrix_narrow,
    &form_wgmma,   &form_tensor,  &form_clusters,
};

enum { MOST_FORMS = 3000 };

typedef struct census {
    char *text;
    size_t count;
    const char *form[MOST_FORMS];
    bool refused[MOST_FORMS];
    bool required[MOST_FORMS]; /* of CORE or SDK */
} census;

static census all;

static int load(void **state)
{
    (void)state;
    size_t length;
    ww_error err = {0};
    if (ww_read_file(WW_SOURCE_DIR "/tests/ptx/forms/forms.txt", 1 << 20, &all.text, &length,
                     &err) != WW_OK) {
        return -1;
    }
    char *save = NULL;
    for (char *line = strtok_r(all.text, "\n", &save); line != NULL && all.count < MOST_FORMS;
         line = strtok_r(NULL, "\n", &save)) {
        char *form = strchr(line, ' ');
        if (form == NULL) {
            return -1;
        }
        all.required[all.count] = line[0] == 'C' || line[0] == 'S';
        all.refused[all.count] = form[1] == '-';
        all.form[all.count] = form + 1 + all.refused[all.count];
        all.count++;
    }
    return 0;
}

static int unload(void **state)
{
    (void)state;
    ww_free(all.text);
    return 0;
}

static void forms_of(void **state)
{
    const form_family *family = *state;
    static form_log log;
    memset(&log, 0, sizeof log);
    unsigned forms = 0;
    for (size_t i = 0; i < all.count; i++) {
        if (!all.refused[i] && family->claims(all.form[i])) {
            family->check(all.form[i], false, &log);
            family->check(all.form[i], true, &log);
            forms++;
        }
    }
    print_message("%s: %u forms\n", family->title, forms);
    assert_true(forms > 0);
    if (log.failures > 0) {
        fail_msg("%s: %u failures\n%s", family->title, log.failures, log.text);
    }
}

static void every_form_has_a_kernel(void **state)
{
    (void)state;
    size_t required = 0, missing = 0;
    for (size_t i = 0; i < all.count; i++) {
        unsigned claims = 0;
        for (size_t k = 0; k < WW_ARRAY_LEN(families); k++) {
            claims += families[k]->claims(all.form[i]);
        }
        required += all.required[i];
        if (claims != (all.refused[i] ? 0 : 1)) {
            print_message("%s: %u families\n", all.form[i], claims);
            missing++;
        }
    }
    assert_int_equal(missing, 0);
    assert_int_equal(required, 535);
}

/* Refused by a message with the form and its line, when checked and when built. */
static void refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < all.count; i++) {
        if (!all.refused[i]) {
            continue;
        }
        char text[1024];
        snprintf(text, sizeof text, "%s%s%s %%r1, %%r2, %%r3;\n%s", FORM_HEAD FORM_BEGIN,
                 "bar.sync 0;\n\n", all.form[i], FORM_END);
        ptx_run r = {.arch = fixture_arch()};
        assert_ok(ww_ptx_parse("refused.ptx", text, strlen(text), &r.module, &r.err), r.err);
        ww_ptx_problem *problem;
        size_t count;
        assert_ok(ww_ptx_check(r.module, &problem, &count, &r.err), r.err);
        assert_int_equal(count, 1);
        const char *line = strstr(text, all.form[i]);
        int number = 1;
        for (const char *p = text; p < line; p++) {
            number += *p == '\n';
        }
        assert_int_equal(problem[0].line, number);
        assert_non_null(strstr(problem[0].what, all.form[i]));
        ww_kernel *kernel;
        assert_int_equal(ww_ptx_build_kernel(r.module, "k", false, &r.arch, &kernel, &r.err),
                         WW_EUNSUP);
        assert_int_equal(r.err.line, number);
        ww_ptx_destroy(r.module);
    }
}

int main(void)
{
    enum { FAMILIES = WW_ARRAY_LEN(families) };
    struct CMUnitTest tests[FAMILIES + 2];
    for (size_t i = 0; i < FAMILIES; i++) {
        void *family = NULL;
        memcpy(&family, &families[i], sizeof family);
        tests[i] = (struct CMUnitTest){families[i]->title, forms_of, NULL, NULL, family};
    }
    tests[FAMILIES] =
        (struct CMUnitTest){"every form has a kernel", every_form_has_a_kernel, NULL, NULL, NULL};
    tests[FAMILIES + 1] = (struct CMUnitTest){"refusals", refusals, NULL, NULL, NULL};
    return cmocka_run_group_tests(tests, load, unload);
}
