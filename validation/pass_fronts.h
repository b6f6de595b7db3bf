/* pass_fronts.h - the passes of a sweep by time and energy. Private to validation/. */
#ifndef WW_VALIDATION_PASS_FRONTS_H
#define WW_VALIDATION_PASS_FRONTS_H

#include "analysis/study_page.h"
#include "validation/paper.h"

/** A drawing for each model or file of operators that has two results or more: all machines,
 * batches and sequences of it, and the front. Texts and numbers are the arena's.
 * @param figure  room for as many as the sweep has passes
 * @param count   goes up by as many as there are */
WW_NODISCARD ww_status ww__pass_fronts(ww_paper *paper, ww_arena *arena, ww_study_figure *figure,
                                       size_t *count, ww_error *err);

#endif
