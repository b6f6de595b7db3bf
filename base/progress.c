/* progress.c - a progress line with rate and remaining time. */
#include "base/progress.h"

#include <stdio.h>
#include <time.h>

#include "base/units.h"

static const double interval_s = 0.1;

void ww_progress_init(ww_progress *p, const char *label, const char *unit, uint64_t total,
                      double now_s, void (*show)(void *user, const char *line), void *user)
{
    *p = (ww_progress){.show = show,
                       .user = user,
                       .label = label,
                       .unit = unit,
                       .total = total,
                       .start_s = now_s,
                       .last_s = now_s};
}

static void format_left(double seconds, char *buf, size_t size)
{
    if (seconds < 100) {
        snprintf(buf, size, ", %.0f s left", seconds);
    } else if (seconds < 6000) {
        snprintf(buf, size, ", %.0f min left", seconds / 60);
    } else {
        snprintf(buf, size, ", %.1f h left", seconds / 3600);
    }
}

void ww_progress_update(ww_progress *p, uint64_t done, double now_s)
{
    double share = p->total > 0 ? (double)done / (double)p->total : 0;
    ww_progress_update_share(p, done, share, now_s);
}

void ww_progress_update_share(ww_progress *p, uint64_t done, double share, double now_s)
{
    if (p->show == NULL || now_s - p->last_s < interval_s) {
        return;
    }
    double passed = now_s - p->start_s;
    char count[32], per_second[32], percent[16] = "", left[32] = "", line[256];
    ww_units_format((double)done, "", count, sizeof count);
    ww_units_format((double)done / passed, "", per_second, sizeof per_second);
    if (share > 0) {
        snprintf(percent, sizeof percent, "%.0f %% ", 100.0 * share);
        format_left(share < 1 ? passed * (1 - share) / share : 0, left, sizeof left);
    }
    snprintf(line, sizeof line, "%s: %s%s %s, %s/s%s", p->label, percent, count, p->unit,
             per_second, left);
    p->show(p->user, line);
    p->last_s = now_s;
    p->shown = true;
}

void ww_progress_restart(ww_progress *p, double now_s)
{
    p->start_s = p->last_s = now_s; /* a rate over no time at all would be none */
}

void ww_progress_finish(ww_progress *p)
{
    if (p->show != NULL && p->shown) {
        p->show(p->user, "");
        p->shown = false;
    }
}

void ww_progress_to_terminal(void *file, const char *line)
{
    FILE *out = file;
    fputs("\r\033[K", out); /* carriage return, erase to the end of the line */
    fputs(line, out);
    fflush(out);
}

double ww_clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double ww_clock_since_s(double start)
{
    return ww_clock_s() - start;
}
