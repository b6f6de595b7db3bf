/* words.h - private to the room: arithmetic on the words that registers hold, without threads. */
#ifndef WW_MECH_DAC_WORDS_H
#define WW_MECH_DAC_WORDS_H

#include "mech/dac/dac.h"

/** An upper word whose tuple is a scalar is an ordinary scalar. */
dac_word dac_settle(dac_word w);
/** A low and an upper word as a 64-bit tuple; lost where they do not belong together. */
dac_word dac_pair(const dac *s, const dac_word *low, const dac_word *high);
/** An integer operation; second: the carry of its low words. */
void dac_arithmetic(const dac *s, const ww_inst *inst, const dac_word *a, dac_word *first,
                    dac_word *second);
/** Adds the lanes of `where` in which the comparison holds to ones, unknown ones to lost. */
void dac_compare(const dac *s, const ww_inst *inst, const dac_word *a, const dac_word *b,
                 const dac_masks *where, dac_masks *ones, dac_masks *lost);
/** The same of two numbers. */
bool dac_compare_numbers(const ww_inst *inst, uint64_t a, uint64_t b);

#endif
