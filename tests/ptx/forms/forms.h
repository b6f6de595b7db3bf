/* forms.h - what the files of tests/ptx/forms share: families of instruction forms, each with a way
 * to check one of them against values that the host computes by the PTX manual. */
#ifndef WW_TESTS_PTX_FORMS_H
#define WW_TESTS_PTX_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/ptx/run.h"
#include "tests/support/bits.h"

/* Failures of a family, as text; what exceeds the room is only counted. */
typedef struct form_log {
    unsigned failures;
    size_t length;
    char text[4096];
} form_log;

__attribute__((format(printf, 3, 4))) void form_fail(form_log *log, const char *form,
                                                     const char *fmt, ...);

/* Some forms and their check. A family either lists its forms or claims every form of the census
 * that begins with one of its prefixes, and then reads from the words of the form's name what to
 * expect. */
typedef struct form_family {
    const char *title;
    bool (*claims)(const char *form);
    void (*check)(const char *form, bool lowered, form_log *log);
} form_family;

extern const form_family form_integer, form_logic, form_f32, form_f64, form_half, form_approx,
    form_convert, form_compare, form_move, form_memory, form_atomic, form_warp, form_texture,
    form_surface, form_matrix, form_control, form_async, form_mbarrier, form_extra_integer,
    form_extra_float, form_narrow, form_video, form_bulk, form_cluster, form_matrix_narrow,
    form_wgmma, form_tensor, form_clusters;

/* ---- running a kernel ---- */

enum { FORM_BUFFERS = 6, FORM_EXTRA = 32 };

/* One launch of the kernel `k` of a text without its head; parameters p0, p1, ... are the device
 * addresses of the buffers, which are copied in before and out after. */
typedef struct form_launch {
    const char *text;
    unsigned grid, block;
    unsigned cluster; /* CTAs; 0: no clusters */
    unsigned buffer_count;
    struct {
        void *data;
        size_t bytes;
    } buffer[FORM_BUFFERS];
    /* Before the launch, for what a kernel needs besides: may set parameters, those of the
     * buffers and FORM_EXTRA words more. */
    void (*prepare)(ptx_run *r, uint64_t *params, void *user);
    void (*finish)(ptx_run *r, void *user);
    void *user;
    ww_status want; /* status the launch must end with */
    ww_error err;   /* out: its message */
} form_launch;

/** Runs; false, with a line in the log, when it does not end as wanted. */
bool form_run(form_launch *l, const char *form, bool lowered, form_log *log);

/* Head of every text: version and target. */
#define FORM_HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
/* Parameters p0 ... p5, and %q0 ... %q5 loaded with them. */
#define FORM_PARAMS                                                                                \
    ".param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3, .param .u64 p4, "             \
    ".param .u64 p5"
#define FORM_LOADS                                                                                 \
    "ld.param.u64 %q0, [p0]; ld.param.u64 %q1, [p1]; ld.param.u64 %q2, [p2];\n"                    \
    "ld.param.u64 %q3, [p3]; ld.param.u64 %q4, [p4]; ld.param.u64 %q5, [p5];\n"
/* Registers of every kind; %q0 ... %q5 are the parameters, %t is the thread's number in its CTA. */
#define FORM_REGISTERS                                                                             \
    ".reg .pred %p<10>; .reg .b16 %h<20>; .reg .b32 %r<40>; .reg .b64 %q<40>; .reg .f32 %f<40>; "  \
    ".reg .f64 %d<20>; .reg .u32 %t;\n"
#define FORM_BEGIN                                                                                 \
    ".visible .entry k(" FORM_PARAMS ") {\n" FORM_REGISTERS FORM_LOADS "mov.u32 %t, %tid.x;\n"
#define FORM_END "ret;\n}\n"

/* ---- numbers ---- */

/* Of the lower word. */
static inline float form_f32_of(uint64_t bits)
{
    return f32_of((uint32_t)bits);
}
/* xorshift64: Marsaglia, J. Stat. Software 8(14), 2003 */
static inline uint64_t form_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* ---- words of a form's name ---- */

/** Whether the name has that word between dots, or at its end. */
bool form_has(const char *form, const char *word);
/** Whether the name begins with one of the prefixes, a list that ends with NULL. */
bool form_starts(const char *form, const char *const *prefixes);
/** The last word of the name, without its dot. */
const char *form_last(const char *form);

#endif
