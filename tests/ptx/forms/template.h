/* template.h - forms tried inside kernels that are written around them: each row a form, what
 * stands around it, and what every thread then stores. */
#ifndef WW_TESTS_PTX_FORMS_TEMPLATE_H
#define WW_TESTS_PTX_FORMS_TEMPLATE_H

#include "forms.h"

/* body: $ stands for the form. */
typedef struct form_template {
    const char *form, *body;
    uint32_t (*want)(unsigned cta, unsigned t);
} form_template;

/* The kernel around all rows of a family. */
typedef struct form_frame {
    const form_template *row;
    size_t rows;
    const char *before, *after;
    unsigned ctas, threads; /* one cluster */
    uint32_t *in, *out;     /* [threads], [ctas][threads]; `in` is filled before it runs */
} form_frame;

bool form_frame_claims(const form_frame *f, const char *form);
void form_frame_check(const form_frame *f, const char *form, bool lowered, form_log *log);

/* The family of a frame of this file, with the words that tell of it. */
#define FORM_FRAME_FAMILY(id, words, frame)                                                        \
    static bool claims(const char *form)                                                           \
    {                                                                                              \
        return form_frame_claims(&(frame), form);                                                  \
    }                                                                                              \
    static void check(const char *form, bool lowered, form_log *log)                               \
    {                                                                                              \
        form_frame_check(&(frame), form, lowered, log);                                            \
    }                                                                                              \
    const form_family id = {words, claims, check};

#endif
