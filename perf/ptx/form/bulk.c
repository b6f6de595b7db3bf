/* bulk.c - the dotted names of bulk copies and of stores that complete a transaction (PTX ISA
 * 8.x, "Non-Tensor Copy Instructions", "st.async", "red.async"). */
#include <string.h>

#include "base/compiler.h"
#include "perf/ptx/form/form.h"

static bool is(const char *text, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(text, word, n) == 0;
}

static const char not_supported[] = "is not supported";

typedef enum bulk_word {
    WORD_CLUSTER = 1,
    WORD_CTA = 2,
    WORD_GLOBAL = 4,
    WORD_TRANSACTION = 8,
    WORD_GROUP = 16,
    WORD_WEAK = 32,
} bulk_word;

/* Where to, where from, how it completes, as they come; any of the rest. */
static unsigned word_of(const char *text, size_t n)
{
    static const struct {
        const char *text;
        bulk_word word;
    } words[] = {
        {"shared::cluster", WORD_CLUSTER}, {"shared::cta", WORD_CTA},
        {"global", WORD_GLOBAL},           {"mbarrier::complete_tx::bytes", WORD_TRANSACTION},
        {"bulk_group", WORD_GROUP},
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(words); i++) {
        if (is(text, n, words[i].text)) {
            return words[i].word;
        }
    }
    return 0;
}

static uint8_t operation_of(const char *text, size_t n)
{
    static const struct {
        const char *word;
        uint8_t sub;
    } rows[] = {{"add", WW_SUB_ADD}, {"min", WW_SUB_MIN}, {"max", WW_SUB_MAX}, {"inc", WW_SUB_INC},
                {"dec", WW_SUB_DEC}, {"and", WW_SUB_AND}, {"or", WW_SUB_OR},   {"xor", WW_SUB_XOR}};
    for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
        if (is(text, n, rows[i].word)) {
            return rows[i].sub;
        }
    }
    return WW_SUB_NONE;
}

/* Types of a reduction (PTX ISA, "cp.reduce.async.bulk"). */
static bool reducible(uint8_t sub, uint8_t type)
{
    switch ((ww_type)type) {
    case WW_T_U32:
    case WW_T_S32:
        return sub == WW_SUB_ADD || sub == WW_SUB_MIN || sub == WW_SUB_MAX ||
               ((sub == WW_SUB_INC || sub == WW_SUB_DEC) && type == WW_T_U32);
    case WW_T_U64:
    case WW_T_S64:
        return (sub == WW_SUB_ADD && type == WW_T_U64) || sub == WW_SUB_MIN || sub == WW_SUB_MAX;
    case WW_T_B32:
    case WW_T_B64:
        return sub == WW_SUB_AND || sub == WW_SUB_OR || sub == WW_SUB_XOR;
    case WW_T_F16:
    case WW_T_BF16:
        return sub == WW_SUB_ADD || sub == WW_SUB_MIN || sub == WW_SUB_MAX;
    case WW_T_F32:
    case WW_T_F64:
        return sub == WW_SUB_ADD;
    default:
        return false;
    }
}

/* The operation and its type, the last words. */
static bool take_reduction(ptx_form *out, const char *text, size_t n)
{
    uint8_t sub = operation_of(text, n);
    if (sub != WW_SUB_NONE && out->sub == WW_SUB_NONE) {
        out->sub = sub;
        return true;
    }
    ww_type type = ww_type_find(text, (unsigned)n);
    if (type == WW_TYPE_COUNT || out->type != WW_T_NONE || out->sub == WW_SUB_NONE) {
        return false;
    }
    out->type = (uint8_t)type;
    return true;
}

/* What has words of its own: groups, and prefetches. */
static bool decode_other(ptx_words words, ptx_form *out)
{
    const char *text;
    size_t n;
    if (!ww__form_next_word(&words, &text, &n)) {
        return false;
    }
    bool prefetch = is(text, n, "prefetch"), wait = is(text, n, "wait_group");
    ptx_words behind = words;
    const char *next;
    size_t m;
    if (prefetch && ww__form_next_word(&behind, &next, &m) && is(next, m, "tensor")) {
        return false;
    }
    if (!prefetch && !wait && !is(text, n, "commit_group")) {
        return false;
    }
    bool level = false, global = false, reads = false;
    while (ww__form_next_word(&words, &text, &n)) {
        bool first = prefetch && is(text, n, "L2") && !level;
        bool second = prefetch && is(text, n, "global") && !global;
        level |= first;
        global |= second;
        bool hint = prefetch && is(text, n, "L2::cache_hint") && !out->policy;
        out->policy |= hint;
        bool read = wait && !reads && is(text, n, "read");
        reads |= read;
        if (!first && !second && !hint && !read) {
            return false;
        }
    }
    out->op = prefetch ? WW_OP_CP_BULK : WW_OP_CP_WAIT;
    out->sub = prefetch ? WW_SUB_PREFETCH : wait ? WW_SUB_WAIT_BULK : WW_SUB_COMMIT_BULK;
    out->space = prefetch ? WW_SPACE_GLOBAL : out->space;
    out->layout = reads ? WW_WAIT_READ : 0;
    out->shape = prefetch ? PTX_SHAPE_BULK : PTX_SHAPE_COPY_WAIT;
    return !prefetch || (level && global);
}

const char *ww__form_decode_bulk(ptx_words words, bool reduces, ptx_form *out)
{
    unsigned order[3] = {0}, count = 0;
    const char *text;
    size_t n;
    ptx_words first = words;
    bool prefetches = false;
    if (ww__form_next_word(&first, &text, &n) && !reduces && is(text, n, "prefetch")) {
        prefetches = ww__form_next_word(&first, &text, &n);
    }
    if (is(text, n, "tensor")) {
        return ww__form_decode_tensor(first, reduces, prefetches, out);
    }
    if (!reduces && decode_other(words, out)) {
        return NULL;
    }
    out->policy = false;
    while (ww__form_next_word(&words, &text, &n)) {
        unsigned word = word_of(text, n);
        bool hint = is(text, n, "L2::cache_hint") && !out->policy;
        out->policy |= hint;
        if (is(text, n, "multicast::cluster") && count == 3 && out->layout == 0) {
            out->layout = WW_TENSOR_MULTICAST;
            continue;
        }
        if (word != 0 && count < WW_ARRAY_LEN(order)) {
            order[count++] = word;
        } else if (!hint && !(reduces && (is(text, n, "noftz") || take_reduction(out, text, n)))) {
            return not_supported;
        }
    }
    bool fill = order[0] != WORD_GLOBAL && order[1] == WORD_GLOBAL;
    bool shared = order[0] == WORD_CLUSTER && order[1] == WORD_CTA;
    bool drain = order[0] == WORD_GLOBAL && order[1] == WORD_CTA;
    if ((order[2] != WORD_TRANSACTION || (!fill && !shared)) &&
        (order[2] != WORD_GROUP || !drain)) {
        return not_supported;
    }
    if (out->layout != 0 && (!fill || reduces || order[0] != WORD_CLUSTER)) {
        return not_supported;
    }
    if (reduces && (fill || !reducible(out->sub, out->type))) {
        return not_supported;
    }
    out->op = reduces ? WW_OP_CP_REDUCE : WW_OP_CP_BULK;
    out->shape = PTX_SHAPE_BULK;
    out->space = shared ? WW_SPACE_SHARED : WW_SPACE_GLOBAL;
    out->sub = reduces ? out->sub : fill ? WW_SUB_NONE : WW_SUB_TO;
    out->vec = order[2] == WORD_TRANSACTION; /* names an mbarrier */
    return NULL;
}

/* st.async{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes{.v2}.type,
 * red.async.relaxed.cluster{.shared::cluster}.mbarrier::complete_tx::bytes.op.type */
const char *ww__form_decode_async(ptx_words words, ptx_form *out)
{
    bool reduces = out->text[0] == 'r', transaction = false, relaxed = false, cluster = false;
    const char *text;
    size_t n;
    while (ww__form_next_word(&words, &text, &n)) {
        if (is(text, n, "mbarrier::complete_tx::bytes") && !transaction) {
            transaction = true;
        } else if (reduces && is(text, n, "relaxed")) {
            relaxed = true;
        } else if (reduces && is(text, n, "cluster")) {
            cluster = true;
        } else if (is(text, n, "shared::cluster") || (!reduces && is(text, n, "weak"))) {
            continue;
        } else if (!reduces && (is(text, n, "v2") || is(text, n, "v4")) && out->vec == 1) {
            out->vec = (uint8_t)(text[1] - '0');
        } else if (reduces ? !take_reduction(out, text, n) : false) {
            return not_supported;
        } else if (!reduces) {
            ww_type type = ww_type_find(text, (unsigned)n);
            if (type == WW_TYPE_COUNT || out->type != WW_T_NONE) {
                return not_supported;
            }
            out->type = (uint8_t)type;
        }
    }
    unsigned bytes = ww_type_bytes((ww_type)out->type);
    bool integer = !ww_type_is_float((ww_type)out->type);
    out->op = reduces ? WW_OP_RED : WW_OP_ST;
    out->shape = PTX_SHAPE_STORE_ASYNC;
    out->space = WW_SPACE_SHARED;
    if (!transaction || (bytes != 4 && bytes != 8)) {
        return not_supported;
    }
    return reduces && (!relaxed || !cluster || !integer || !reducible(out->sub, out->type))
               ? not_supported
               : NULL;
}
