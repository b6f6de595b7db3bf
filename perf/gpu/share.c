/* share.c - how much of a launch is done. The CTAs of a first wave run side by side and end
 * together, so that the number of those that have ended says little: a launch that fits the machine
 * would stand at nothing until its end. What a CTA issues is known from the first that ends on; it
 * tells how far the others are. Once many have ended, their number is the better measure, with CTAs
 * that run taken for half done. */
#include "perf/gpu/share.h"

#include "base/assert.h"

static double at_most_one(double x)
{
    return x < 1 ? x : 1;
}

double ww_share_done(ww_share *s, uint64_t all, uint64_t ended, uint64_t live, uint64_t issued)
{
    WW_ASSERT(ended + live <= all);
    if (ended == 0 || all == 0) {
        s->first = live;
        return 0;
    }
    if (s->of_cta == 0) {
        uint64_t begun = s->first > ended ? s->first : ended;
        s->of_cta = (double)issued / (double)begun;
    }
    double by_count = ((double)ended + 0.5 * (double)live) / (double)all;
    double by_issue =
        s->of_cta > 0 ? at_most_one((double)issued / (s->of_cta * (double)all)) : by_count;
    double least = (double)ended / (double)all, most = (double)(ended + live) / (double)all;
    by_issue = by_issue < least ? least : by_issue > most ? most : by_issue;
    double trust = (double)ended / (double)(ended + live); /* in the count */
    return trust * by_count + (1 - trust) * by_issue;
}
