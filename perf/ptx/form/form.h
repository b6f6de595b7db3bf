/* form.h - private to perf/ptx: what an instruction's dotted name ("ld.global.nc.v4.f32") means. */
#ifndef WW_PERF_PTX_FORM_FORM_H
#define WW_PERF_PTX_FORM_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/isa.h"

/* How operands are laid out; most operations follow a signature (see form.c). */
typedef enum ptx_shape {
    PTX_SHAPE_SIGNATURE,
    PTX_SHAPE_LD,
    PTX_SHAPE_ST,
    PTX_SHAPE_ATOM,
    PTX_SHAPE_RED,
    PTX_SHAPE_PREFETCH,
    PTX_SHAPE_MOV,
    PTX_SHAPE_SETP,
    PTX_SHAPE_SET,
    PTX_SHAPE_CVT,
    PTX_SHAPE_BRA,
    PTX_SHAPE_BRX,
    PTX_SHAPE_CALL,
    PTX_SHAPE_NONE,
    PTX_SHAPE_BAR,
    PTX_SHAPE_VOTE,
    PTX_SHAPE_SHFL,
    PTX_SHAPE_MATCH,
    PTX_SHAPE_COPY,
    PTX_SHAPE_COPY_WAIT,
    PTX_SHAPE_LDMATRIX,
    PTX_SHAPE_MBARRIER,
    PTX_SHAPE_COPY_ARRIVE,
    PTX_SHAPE_TEX,
    PTX_SHAPE_SURFACE_LOAD,
    PTX_SHAPE_SURFACE_STORE,
    PTX_SHAPE_TEXTURE_QUERY,
    PTX_SHAPE_MATRIX_LOAD,
    PTX_SHAPE_MATRIX_STORE,
    PTX_SHAPE_MATRIX_MULTIPLY,
    PTX_SHAPE_VIDEO,
    PTX_SHAPE_HALVES,      /* video instructions that have neither selectors nor a third source */
    PTX_SHAPE_BULK,        /* cp.async.bulk, cp.reduce.async.bulk */
    PTX_SHAPE_STORE_ASYNC, /* st.async, red.async */
    PTX_SHAPE_HINT,        /* nothing here needs it */
    PTX_SHAPE_POLICY,      /* createpolicy */
    PTX_SHAPE_MAPA,
    PTX_SHAPE_RANK, /* getctarank */
    PTX_SHAPE_ELECT,
    PTX_SHAPE_CLUSTER_BARRIER,
    PTX_SHAPE_PENDING_COUNT, /* of mbarrier */
    PTX_SHAPE_TENSOR,        /* cp.async.bulk.tensor and its like */
    PTX_SHAPE_TENSORMAP,
    PTX_SHAPE_WGMMA,
    PTX_SHAPE_WGMMA_WAIT,
    PTX_SHAPE_FENCE,     /* with operands that nothing here needs */
    PTX_SHAPE_REGISTERS, /* setmaxnreg */
} ptx_shape;

typedef struct ptx_form {
    const char *text;    /* as written */
    const char *problem; /* why it cannot be executed; NULL: supported */
    uint16_t op;         /* ww_op */
    uint8_t shape;       /* ptx_shape */
    uint8_t type, type2; /* ww_type */
    uint8_t sub, cmp, bool_op, round, space, vec;
    bool carry_out;                       /* .cc */
    bool carry_in;                        /* addc, subc, madc */
    bool policy;                          /* .L2::cache_hint: one operand more, without effect */
    uint32_t mods;                        /* WW_MOD_* */
    uint8_t tile, layout, type_b, type_c; /* matrix operations, see ww_inst */
    const char *signature; /* destination and source types, see form.c; NULL for special shapes */
} ptx_form;

/** Decodes text[0..n-1]; what is not supported is described in out->problem (text in buf, or
 * static). */
void ww__form_decode(const char *text, size_t length, ptx_form *out, char *buf, size_t size);

/* ---- for the form_*.c ---- */
/* The dotted words of a name, one after the other. */
typedef struct ptx_words {
    const char *at, *end;
} ptx_words;
/** Next word without its dot; false at the end. */
bool ww__form_next_word(ptx_words *words, const char **text, size_t *n);
/** wmma and mma. Returns what is wrong, NULL: nothing. */
const char *ww__form_decode_matrix(ptx_words words, ptx_form *out);
/** cp.async, ldmatrix and stmatrix. */
const char *ww__form_decode_copy(ptx_words words, ptx_form *out);
/** cp.async.bulk and cp.reduce.async.bulk, the words behind "bulk". */
const char *ww__form_decode_bulk(ptx_words words, bool reduces, ptx_form *out);
/** st.async and red.async. */
const char *ww__form_decode_async(ptx_words words, ptx_form *out);
/** mapa, getctarank, elect, barrier.cluster. */
const char *ww__form_decode_cluster(ptx_words words, ptx_form *out);
/** What changes no result: createpolicy, discard, setmaxnreg, and the like. */
const char *ww__form_decode_hint(ptx_words words, ptx_form *out);
/** cp.async.bulk.tensor and its like, the words behind "tensor". */
const char *ww__form_decode_tensor(ptx_words words, bool reduces, bool prefetches, ptx_form *out);
/** tensormap.replace, tensormap.cp_fenceproxy. */
const char *ww__form_decode_tensormap(ptx_words words, ptx_form *out);
/** wgmma. */
const char *ww__form_decode_wgmma(ptx_words words, ptx_form *out);
/** fence.proxy and fence.mbarrier_init. */
const char *ww__form_decode_fence(ptx_words words, ptx_form *out);
/** mbarrier. */
const char *ww__form_decode_mbarrier(ptx_words words, ptx_form *out);
/** What is said of a word that the instruction does not take: out->problem, in buf. */
void ww__form_refuse_word(ptx_form *out, char *buf, size_t size, const char *word, size_t n);
/** Video instructions, by their opcode; false when it is none. out->problem says what is wrong, in
 * buf or without the instruction's name. */
bool ww__form_decode_video(const char *opcode, size_t n, ptx_words words, ptx_form *out, char *buf,
                           size_t size);
/** add, min and max of two halves of a word, and min and max of words that .relu makes zero where
 * they are below it; false when it is none. */
bool ww__form_decode_halves(const char *opcode, size_t n, ptx_words words, ptx_form *out);
/** cvt.pack. */
const char *ww__form_decode_pack(ptx_words words, ptx_form *out);
/** tex, tld4, suld, sust, txq, suq. */
const char *ww__form_decode_texture(ptx_words words, ptx_form *out);

#endif
