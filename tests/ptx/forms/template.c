/* template.c - forms tried inside kernels that are written around them. */
#include "template.h"

#include "base/str.h"

enum { MOST_THREADS = 128 };

bool form_frame_claims(const form_frame *f, const char *form)
{
    for (size_t i = 0; i < f->rows; i++) {
        if (strcmp(f->row[i].form, form) == 0) {
            return true;
        }
    }
    return false;
}

static void make_text(ww_str *text, const form_frame *f, const form_template *row)
{
    ww_str_add(text, f->before);
    for (const char *p = row->body; *p != '\0'; p++) {
        if (*p == '$') {
            ww_str_add(text, row->form);
        } else {
            ww_str_add_n(text, p, 1);
        }
    }
    ww_str_add(text, f->after);
}

static void check_row(const form_frame *f, const form_template *row, bool lowered, form_log *log)
{
    const unsigned all = f->ctas * f->threads;
    const size_t bytes = f->threads * sizeof *f->in;
    uint64_t state = 0x2545f4914f6cdd1d;
    ww_str text = {0};
    uint32_t want[MOST_THREADS];
    assert_true(all <= MOST_THREADS);
    for (unsigned t = 0; t < f->threads; t++) {
        f->in[t] = (uint32_t)(form_random(&state) >> 20);
    }
    for (unsigned k = 0; k < all; k++) {
        want[k] = row->want(k / f->threads, k % f->threads);
    }
    make_text(&text, f, row);
    form_launch l = {.text = ww_str_text(&text),
                     .grid = f->ctas,
                     .block = f->threads,
                     .cluster = f->ctas > 1 ? f->ctas : 0,
                     .buffer_count = 4,
                     .buffer = {{f->in, bytes}, {f->in, 8}, {f->in, 8}, {f->out, f->ctas * bytes}}};
    memset(f->out, 0xff, f->ctas * bytes);
    if (form_run(&l, row->form, lowered, log)) {
        for (unsigned k = 0; k < all; k++) {
            if (f->out[k] != want[k]) {
                form_fail(log, row->form, "lowered %d, CTA %u, thread %u: %x, not %x", lowered,
                          k / f->threads, k % f->threads, f->out[k], want[k]);
                break;
            }
        }
    }
    ww_str_fini(&text);
}

void form_frame_check(const form_frame *f, const char *form, bool lowered, form_log *log)
{
    for (size_t i = 0; i < f->rows; i++) {
        if (strcmp(f->row[i].form, form) == 0) {
            check_row(f, &f->row[i], lowered, log);
        }
    }
}
