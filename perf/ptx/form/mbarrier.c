/* mbarrier.c - the dotted names of mbarrier, barrier objects in shared memory (PTX ISA 8.x,
 * "Parallel Synchronization and Communication Instructions: mbarrier"). */
#include <string.h>

#include "base/compiler.h"
#include "perf/ptx/form/form.h"

typedef struct word_row {
    const char *word;
    unsigned value;
} word_row;

static bool look_up(const word_row *rows, size_t count, const char *text, size_t n, unsigned *out)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(rows[i].word) == n && memcmp(rows[i].word, text, n) == 0) {
            *out = rows[i].value;
            return true;
        }
    }
    return false;
}

enum { SEEN_SHARED = 1, SEEN_PARITY = 2, SEEN_TYPE = 4, SEEN_OTHER = 8, SEEN_TX = 16 };

const char *ww__form_decode_mbarrier(ptx_words words, ptx_form *out)
{
    static const word_row operations[] = {
        {"init", WW_SUB_INIT},           {"inval", WW_SUB_INVAL},
        {"arrive", WW_SUB_ARRIVE},       {"arrive_drop", WW_SUB_ARRIVE_DROP},
        {"expect_tx", WW_SUB_EXPECT_TX}, {"complete_tx", WW_SUB_COMPLETE_TX},
        {"test_wait", WW_SUB_TEST},      {"try_wait", WW_SUB_TEST},
        {"pending_count", WW_SUB_NONE},
    };
    static const word_row rest[] = {
        {"shared", SEEN_SHARED}, {"shared::cta", SEEN_SHARED}, {"shared::cluster", SEEN_SHARED},
        {"cluster", SEEN_OTHER}, {"parity", SEEN_PARITY},      {"b64", SEEN_TYPE},
        {"expect_tx", SEEN_TX},  {"noComplete", SEEN_OTHER},   {"release", SEEN_OTHER},
        {"acquire", SEEN_OTHER}, {"relaxed", SEEN_OTHER},      {"cta", SEEN_OTHER},
    };
    const char *text;
    size_t n;
    unsigned sub, seen = 0, word;
    if (!ww__form_next_word(&words, &text, &n) ||
        !look_up(operations, WW_ARRAY_LEN(operations), text, n, &sub)) {
        return "is not supported";
    }
    const bool is_try = n == 8 && memcmp(text, "try_wait", 8) == 0;
    while (ww__form_next_word(&words, &text, &n)) {
        if (!look_up(rest, WW_ARRAY_LEN(rest), text, n, &word) ||
            ((seen & word) != 0 && word != SEEN_OTHER)) {
            return "is not supported";
        }
        seen |= word;
    }
    bool parity = (seen & SEEN_PARITY) != 0, tx = (seen & SEEN_TX) != 0;
    if ((seen & SEEN_TYPE) == 0 || (parity && sub != WW_SUB_TEST) || (tx && sub != WW_SUB_ARRIVE)) {
        return "is not supported";
    }
    if (sub == WW_SUB_NONE) {
        out->op = WW_OP_AND;
        out->shape = PTX_SHAPE_PENDING_COUNT;
        out->type = WW_T_B32;
        return seen == SEEN_TYPE ? NULL : "is not supported";
    }
    out->op = WW_OP_MBARRIER;
    out->shape = PTX_SHAPE_MBARRIER;
    out->type = WW_T_B64;
    out->sub = (uint8_t)(parity ? WW_SUB_TEST_PARITY : tx ? WW_SUB_ARRIVE_EXPECT_TX : sub);
    out->layout = is_try ? WW_OBJECT_TRY : 0;
    out->space = (seen & SEEN_SHARED) != 0 ? WW_SPACE_SHARED : WW_SPACE_GENERIC;
    return NULL;
}
