/* memo.h - what parts of operators counted, kept in a folder from one run to the next. An entry is
 * a file of its own, put in place whole, so that processes share a folder; it holds the text of its
 * key (machine, kernel, shape, state before, build of the program) and a checksum, and one that is
 * damaged or another's is simulated anew and replaced. Private to inference/. */
#ifndef WW_INFERENCE_MEMO_H
#define WW_INFERENCE_MEMO_H

#include "base/str.h"
#include "inference/scale.h"

typedef struct ww__memo ww__memo;

/* What is kept beside the counters: of the launch record, and the work it took. */
typedef struct ww__memo_facts {
    uint64_t warp_instructions;
    uint32_t block[3], registers, shared_bytes, ctas_per_sm;
    double core_hz, icnt_hz, l2_hz, dram_hz, vdd_v, temperature_k;
} ww__memo_facts;

/**
 * Opens a folder, made when it is not there. What goes wrong, here and later, is told to `warn` and
 * costs time alone.
 * @return NULL: without a memory, `warn` has been told why; released with ww__memo_close
 */
ww__memo *ww__memo_open(const char *folder, void (*warn)(void *user, const char *text), void *user);
void ww__memo_close(ww__memo *memo);
/** Adds the build of this program to a key, so that another one's entries are not its own. */
void ww__memo_key(const ww__memo *memo, ww_str *key);
/** Whether the entry is there; *sum ({0} before) and *facts are it then. */
bool ww__memo_find(ww__memo *memo, const char *key, ww__scaled *sum, ww__memo_facts *facts);
void ww__memo_keep(ww__memo *memo, const char *key, const ww__scaled *sum,
                   const ww__memo_facts *facts);

#endif
