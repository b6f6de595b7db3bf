/* cluster.c - the dotted names of what a cluster of one CTA makes simple, and of hints that
 * change no result (PTX ISA 8.x: "mapa", "getctarank", "elect.sync", "barrier.cluster",
 * "createpolicy", "discard", "applypriority", "setmaxnreg", "griddepcontrol", "pmevent", "fence").
 */
#include <string.h>

#include "base/compiler.h"
#include "perf/ptx/form/form.h"

static const char not_supported[] = "is not supported";

/* Whether the words are those of a pattern: alternatives with '|', in brackets where they may be
 * missing. "[shared::cluster] u32|u64" */
static bool matches(ptx_words words, const char *pattern)
{
    const char *text = NULL;
    size_t n = 0;
    bool have = ww__form_next_word(&words, &text, &n);
    while (*pattern != '\0') {
        bool optional = *pattern == '[', met = false;
        pattern += optional;
        size_t length = strcspn(pattern, " ]");
        for (size_t at = 0; at < length && have && !met;) {
            size_t one = strcspn(pattern + at, "| ]");
            met = n == one && memcmp(text, pattern + at, n) == 0;
            at += one + 1;
        }
        if (!met && !optional) {
            return false;
        }
        have = met ? ww__form_next_word(&words, &text, &n) : have;
        pattern += length + optional;
        pattern += *pattern == ' ';
    }
    return !have;
}

/* One way to write an opcode, and what it becomes. */
typedef struct pattern_row {
    const char *opcode, *pattern;
    uint16_t op;
    uint8_t shape, sub;
    uint8_t operands; /* of a hint */
    uint32_t mods;
} pattern_row;

static const pattern_row rows[] = {
    {"mapa", "[shared::cluster] u32|u64", WW_OP_BFI, PTX_SHAPE_MAPA, 0, 0, 0},
    {"getctarank", "[shared::cluster] u32|u64", WW_OP_BFE, PTX_SHAPE_RANK, 0, 0, 0},
    {"elect", "sync", WW_OP_ELECT, PTX_SHAPE_ELECT, 0, 0, 0},
    {"barrier.cluster", "arrive [release|relaxed] [aligned]", WW_OP_BAR, PTX_SHAPE_CLUSTER_BARRIER,
     WW_SUB_ARRIVE_CLUSTER, 0, 0},
    {"barrier.cluster", "wait [acquire] [aligned]", WW_OP_BAR, PTX_SHAPE_CLUSTER_BARRIER,
     WW_SUB_SYNC_CLUSTER, 0, 0},
    {"createpolicy",
     "fractional L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged "
     "[L2::evict_first|L2::evict_unchanged] b64",
     WW_OP_MOV, PTX_SHAPE_POLICY, 0, 1, 0},
    {"createpolicy",
     "range [global] L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged "
     "[L2::evict_first|L2::evict_unchanged] b64",
     WW_OP_MOV, PTX_SHAPE_POLICY, 0, 3, 0},
    {"createpolicy", "cvt L2 b64", WW_OP_MOV, PTX_SHAPE_POLICY, 0, 1, 0},
    {"discard", "[global] L2", WW_OP_NOP, PTX_SHAPE_HINT, 0, 2, 0},
    {"applypriority", "[global] L2::evict_normal", WW_OP_NOP, PTX_SHAPE_HINT, 0, 2, 0},
    {"setmaxnreg", "inc sync aligned u32", WW_OP_SETMAXNREG, PTX_SHAPE_REGISTERS, WW_SUB_INC, 1, 0},
    {"setmaxnreg", "dec sync aligned u32", WW_OP_SETMAXNREG, PTX_SHAPE_REGISTERS, WW_SUB_DEC, 1, 0},
    {"griddepcontrol", "wait", WW_OP_GRID_CONTROL, PTX_SHAPE_NONE, WW_SUB_WAIT, 0, 0},
    {"griddepcontrol", "launch_dependents", WW_OP_GRID_CONTROL, PTX_SHAPE_NONE, WW_SUB_LAUNCH, 0,
     0},
    {"prefetch.tensormap", "", WW_OP_NOP, PTX_SHAPE_HINT, 0, 1, 0},
    {"prefetch.param", "tensormap", WW_OP_NOP, PTX_SHAPE_HINT, 0, 1, 0},
    {"prefetch.const", "tensormap", WW_OP_NOP, PTX_SHAPE_HINT, 0, 1, 0},
    {"pmevent", "[mask]", WW_OP_NOP, PTX_SHAPE_HINT, 0, 1, 0},
    /* Accesses of every kind meet the same memory here, in the order of their issue. */
    {"fence.proxy", "alias", WW_OP_MEMBAR, PTX_SHAPE_NONE, WW_SUB_GL, 0, 0},
    {"fence.proxy", "async", WW_OP_MEMBAR, PTX_SHAPE_NONE, WW_SUB_GL, 0, WW_MOD_PROXY},
    {"fence.proxy", "async global|shared::cta|shared::cluster", WW_OP_MEMBAR, PTX_SHAPE_NONE,
     WW_SUB_GL, 0, WW_MOD_PROXY},
    {"fence.proxy",
     "async::generic acquire|release sync_restrict::shared::cluster|"
     "sync_restrict::shared::cta cluster",
     WW_OP_MEMBAR, PTX_SHAPE_NONE, WW_SUB_GL, 0, WW_MOD_PROXY},
    {"fence.proxy", "tensormap::generic release cta|cluster|gpu|sys", WW_OP_MEMBAR, PTX_SHAPE_NONE,
     WW_SUB_GL, 0, 0},
    {"fence.proxy", "tensormap::generic acquire cta|cluster|gpu|sys", WW_OP_MEMBAR, PTX_SHAPE_FENCE,
     WW_SUB_GL, 2, 0},
    {"fence.mbarrier_init", "release cluster", WW_OP_MEMBAR, PTX_SHAPE_NONE, WW_SUB_GL, 0, 0},
};

static const char *decode(ptx_words words, ptx_form *out)
{
    for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
        const pattern_row *r = &rows[i];
        if (strncmp(out->text, r->opcode, strlen(r->opcode)) == 0 && matches(words, r->pattern)) {
            out->op = r->op;
            out->shape = r->shape;
            out->sub = r->sub;
            out->vec = r->operands;
            out->mods |= r->mods;
            return NULL;
        }
    }
    return not_supported;
}

const char *ww__form_decode_cluster(ptx_words words, ptx_form *out)
{
    const char *text = words.end;
    const char *wrong = decode(words, out);
    bool wide = text - words.at >= 4 && memcmp(text - 4, ".u64", 4) == 0;
    out->type = out->shape == PTX_SHAPE_MAPA || out->shape == PTX_SHAPE_RANK
                    ? (wide ? WW_T_U64 : WW_T_U32)
                    : WW_T_NONE;
    return wrong;
}

const char *ww__form_decode_hint(ptx_words words, ptx_form *out)
{
    const char *wrong = decode(words, out);
    out->type = out->shape == PTX_SHAPE_POLICY ? WW_T_B64 : WW_T_NONE;
    return wrong;
}

const char *ww__form_decode_fence(ptx_words words, ptx_form *out)
{
    return decode(words, out);
}
