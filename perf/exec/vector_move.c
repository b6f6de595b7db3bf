/* vector_move.c - mov with several operands: packs parts into a register, unpacks a register into
 * parts, or moves part by part. */
#include <string.h>

#include "perf/exec/code.h"

enum { VALUE_WORDS = 4, PARTS = 8 };

/* One value of up to 128 bits, or up to PARTS separate ones, as planes. */
typedef struct planes {
    uint32_t w[2 * PARTS][WW_LANES];
} planes;

static uint32_t part_mask(unsigned bytes)
{
    return bytes >= 4 ? UINT32_MAX : (1u << (8 * bytes)) - 1;
}

static void read_source(const ww_exec_ctx *x, const ww_uop_src *s, uint32_t (*to)[WW_LANES],
                        unsigned words)
{
    uint32_t scratch[WW_PAIR_WORDS];
    const uint32_t *p = ww__src(x, s, scratch);
    memcpy(to, p, words * sizeof *to);
}

/* Parts side by side in one value. Parts of less than a word share planes. */
static void pack(const ww_exec_ctx *x, const ww_uop *u, planes *value)
{
    unsigned bytes = u->element_bytes;
    unsigned words = bytes > 4 ? 2 : 1;
    memset(value, 0, sizeof *value);
    for (unsigned k = 0; k < u->element_count; k++) {
        uint32_t part[2][WW_LANES];
        read_source(x, &u->element[k], part, words);
        unsigned at = k * bytes / 4;
        unsigned shift = k * bytes % 4 * 8;
        for (unsigned i = 0; i < WW_LANES; i++) {
            value->w[at][i] |= (part[0][i] & part_mask(bytes)) << shift;
            if (words == 2) {
                value->w[at + 1][i] = part[1][i];
            }
        }
    }
}

static void unpack(const ww_exec_ctx *x, const ww_uop *u, const planes *value)
{
    unsigned bytes = u->element_bytes;
    unsigned words = bytes > 4 ? 2 : 1;
    for (unsigned k = 0; k < u->dst_count; k++) {
        uint32_t part[2][WW_LANES];
        unsigned at = k * bytes / 4;
        unsigned shift = k * bytes % 4 * 8;
        for (unsigned i = 0; i < WW_LANES; i++) {
            part[0][i] = value->w[at][i] >> shift & part_mask(bytes);
            part[1][i] = words == 2 ? value->w[at + 1][i] : 0;
        }
        ww__dst_write(x, u->dst_list[k], part[0], words);
    }
}

ww_status ww__run_vector_move(ww_exec_ctx *x, const ww_uop *u)
{
    planes value;
    if (u->element_count == u->dst_count) { /* all reads before all writes */
        unsigned words = u->out_words;
        for (unsigned k = 0; k < u->element_count; k++) {
            read_source(x, &u->element[k], &value.w[k * words], words);
        }
        for (unsigned k = 0; k < u->dst_count; k++) {
            ww__dst_write(x, u->dst_list[k], value.w[k * words], words);
        }
        return WW_OK;
    }
    if (u->dst_count == 1) {
        pack(x, u, &value);
        ww__dst_write(x, u->dst_list[0], value.w[0], u->out_words);
        return WW_OK;
    }
    read_source(x, &u->element[0], value.w, u->out_words);
    unpack(x, u, &value);
    return WW_OK;
}
