/* mat_memo.h - what the mats of one search have in common. A search cuts one array in a thousand
 * ways, but its mats have a few dozen numbers of columns and heights between them: the gate chains
 * that depend on those alone are sized once. Private to tech/. */
#ifndef WW_TECH_MAT_MEMO_H
#define WW_TECH_MAT_MEMO_H

#include <stdbool.h>
#include <stdint.h>

#include "tech/decode.h"

/** Slots of each table; a power of two. Two keys of one slot put each other out. */
enum { WW_MEMO_SLOTS = 128 };

/* What the number of a sub-array's columns decides alone. */
typedef struct ww_column_drive {
    double reset_s;         /* the wordline falling behind a row decoder */
    double precharge_f;     /* precharge transistors, their wire, their drivers */
    double precharge_s;     /* delay of the drivers */
    ww_leak precharge_leak; /* of the drivers */
} ww_column_drive;

/* Decoder of a multiplexer: what its degree and the load of its select lines decide alone. */
typedef struct ww_mux_decode {
    double load_f, r_ohm; /* of a select line */
    uint32_t bits;        /* of its degree */
    bool way;             /* the tag comparison takes part in the selection */
    bool known;
    ww_decode_cost pre, line;
} ww_mux_decode;

typedef struct ww_kept_predecode {
    uint64_t rows_passed; /* by the predecoder's wires */
    uint32_t bits, per_mat;
    ww_decode_cost cost;
} ww_kept_predecode;

typedef struct ww_kept_line {
    uint32_t cols;
    double ramp_s;
    ww_decode_cost cost;
} ww_kept_line;

/* Belongs to one ww_mat_site. All zero: empty; a key is never zero. */
typedef struct ww_mat_memo {
    ww_kept_predecode predecode[WW_MEMO_SLOTS];
    ww_kept_line line[WW_MEMO_SLOTS];
    struct {
        uint32_t cols;
        ww_column_drive drive;
    } columns[WW_MEMO_SLOTS];
    ww_mux_decode mux[WW_MEMO_SLOTS];
} ww_mat_memo;

/* Each finds the cost under its key or works it out by ww__predecode or ww__decode_line; memo NULL:
 * always works it out. The same doubles either way. */

/** Predecoder of at least WW_DECODER_MIN_BITS bits of a mat of per_mat sub-arrays, whose wires pass
 * that many rows. */
ww_decode_cost ww__memo_predecode(ww_mat_memo *memo, const ww_node *n, const ww_layout *l,
                                  uint32_t bits, uint32_t per_mat, uint64_t rows_passed,
                                  const ww_decode_load *load);
/** Row decoder and wordline over that many columns behind a predecoder's ramp. */
ww_decode_cost ww__memo_line(ww_mat_memo *memo, const ww_node *n, const ww_layout *l, uint32_t cols,
                             const ww_decode_load *load, double ramp_s);
/** Where the drive of that many columns is kept; not known: the caller works it out there. */
ww_column_drive *ww__memo_drive(ww_mat_memo *memo, uint32_t cols, bool *known);

/** Where the decoder of that multiplexer is kept; not known: the caller works it out there. */
ww_mux_decode *ww__memo_mux(ww_mat_memo *memo, const ww_mux_decode *key);

#endif
