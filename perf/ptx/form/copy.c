/* copy.c - the dotted names of cp.async, ldmatrix and stmatrix. */
#include <string.h>

#include "perf/ptx/form/form.h"

static bool is(const char *text, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(text, word, n) == 0;
}

static bool is_hint(const char *text, size_t n)
{
    return is(text, n, "L2::64B") || is(text, n, "L2::128B") || is(text, n, "L2::256B");
}

static bool is_shared(const char *text, size_t n)
{
    return is(text, n, "shared") || is(text, n, "shared::cta");
}

/* cp.async.mbarrier.arrive{.noinc}{.shared{::cta}}.b64 */
static const char *decode_arrive(ptx_words words, ptx_form *out)
{
    const char *text;
    size_t n;
    bool noinc = false, typed = false, arrives = false;
    out->space = WW_SPACE_GENERIC;
    while (ww__form_next_word(&words, &text, &n)) {
        if (is(text, n, "noinc")) {
            noinc = true;
        } else if (is(text, n, "arrive") && !arrives) {
            arrives = true;
        } else if (is_shared(text, n)) {
            out->space = WW_SPACE_SHARED;
        } else if (is(text, n, "b64")) {
            typed = true;
        } else {
            return "is not supported";
        }
    }
    out->op = noinc ? WW_OP_MBARRIER : WW_OP_NOP;
    out->sub = WW_SUB_ARRIVE;
    out->type = WW_T_B64;
    out->shape = PTX_SHAPE_COPY_ARRIVE;
    return typed && arrives ? NULL : "is not supported";
}

/* cp.async.{ca,cg}.shared.global, cp.async.commit_group, .wait_group, .wait_all */
static const char *decode_copy(ptx_words words, ptx_form *out)
{
    const char *text;
    size_t n;
    unsigned step = 0; /* words that come in a fixed order */
    bool reduces = false;
    while (ww__form_next_word(&words, &text, &n)) {
        bool wait =
            is(text, n, "wait_group") || is(text, n, "wait_all") || is(text, n, "commit_group");
        if (step == 0 && is(text, n, "async")) {
            step = 1;
        } else if (step == 1 && is(text, n, "mbarrier")) {
            return decode_arrive(words, out);
        } else if (step == 1 && is(text, n, "bulk")) {
            return ww__form_decode_bulk(words, reduces, out);
        } else if (step == 0 && is(text, n, "reduce") && !reduces) {
            reduces = true;
        } else if (step == 4 && is(text, n, "L2::cache_hint") && !out->policy) {
            out->policy = true;
        } else if (step == 1 && wait && words.at == words.end) {
            out->op = WW_OP_CP_WAIT;
            out->shape = PTX_SHAPE_COPY_WAIT;
            out->sub = is(text, n, "wait_group") ? WW_SUB_WAIT_GROUP
                       : is(text, n, "wait_all") ? WW_SUB_WAIT_ALL
                                                 : WW_SUB_COMMIT;
            return NULL;
        } else if (step == 1 && (is(text, n, "ca") || is(text, n, "cg"))) {
            out->mods |= text[1] == 'g' ? WW_MOD_CACHE_CG : 0;
            step = 2;
        } else if ((step == 2 && is_shared(text, n)) || (step == 3 && is(text, n, "global"))) {
            step++;
        } else if (step != 4 || !is_hint(text, n)) {
            return "is not supported";
        }
    }
    out->op = WW_OP_CP_ASYNC;
    out->shape = PTX_SHAPE_COPY;
    out->space = WW_SPACE_GLOBAL;
    return step == 4 && !reduces ? NULL : "is not supported";
}

/* ldmatrix, stmatrix: .sync.aligned.m8n8.x4{.trans}{.shared}.b16, the words in any order */
static const char *decode_ldmatrix(ptx_words words, ptx_form *out)
{
    const char *text;
    size_t n;
    unsigned needed = 0; /* sync, aligned, m8n8, count, type */
    out->op = out->text[0] == 's' ? WW_OP_STMATRIX : WW_OP_LDMATRIX;
    out->shape = PTX_SHAPE_LDMATRIX;
    while (ww__form_next_word(&words, &text, &n)) {
        bool required = is(text, n, "sync") || is(text, n, "aligned") || is(text, n, "m8n8") ||
                        is(text, n, "b16");
        if (required) {
            needed++;
        } else if (n == 2 && text[0] == 'x' &&
                   (text[1] == '1' || text[1] == '2' || text[1] == '4')) {
            out->vec = (uint8_t)(text[1] - '0');
            needed++;
        } else if (is(text, n, "trans")) {
            out->layout = WW_LAYOUT_A_COLUMN;
        } else if (is_shared(text, n)) {
            out->space = WW_SPACE_SHARED;
        } else {
            return "is not supported";
        }
    }
    out->type = WW_T_B32;
    return needed == 5 ? NULL : "is not supported: it needs .sync.aligned.m8n8, a count and .b16";
}

const char *ww__form_decode_copy(ptx_words words, ptx_form *out)
{
    return out->text[0] == 'c' ? decode_copy(words, out) : decode_ldmatrix(words, out);
}
