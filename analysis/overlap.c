/* overlap.c - shares of time from the counters of engines and roles. */
#include "analysis/overlap.h"

#include <stdio.h>

static double total(const ww_counter_set *c, ww_counter counter)
{
    return (double)ww_counter_total(c, counter);
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

ww_overlap_shares ww_overlap_of(const ww_counter_set *c)
{
    const double active = total(c, WW_C_SM_ACTIVE);
    const double copy_matrix = total(c, WW_C_BUSY_COPY_MATRIX) + total(c, WW_C_BUSY_ALL);
    const double matrix_sfu = total(c, WW_C_BUSY_MATRIX_SFU) + total(c, WW_C_BUSY_ALL);
    const double copy_behind = copy_matrix + total(c, WW_C_BUSY_COPY_SFU);
    const double copy = copy_behind + total(c, WW_C_BUSY_COPY);
    const double matrix = copy_matrix + total(c, WW_C_BUSY_MATRIX) + total(c, WW_C_BUSY_MATRIX_SFU);
    const double sfu = matrix_sfu + total(c, WW_C_BUSY_SFU) + total(c, WW_C_BUSY_COPY_SFU);
    const double dram = total(c, WW_C_DRAM_CYCLES) * c->count[WW_SCOPE_CHANNEL];
    return (ww_overlap_shares){.has = active > 0 && copy + matrix > 0,
                               .copy = share(copy, active),
                               .copy_hidden = share(copy_behind, copy),
                               .matrix = share(matrix, active),
                               .matrix_hidden = share(matrix_sfu, matrix),
                               .sfu = share(sfu, active),
                               .sfu_hidden = share(matrix_sfu, sfu),
                               .dram = share(total(c, WW_C_DRAM_BUS_BUSY), dram)};
}

char *ww_overlap_waits(const ww_counter_set *c, bool consumers, char *buf, size_t size)
{
    static const struct {
        ww_counter producer, consumer;
        const char *name;
    } rows[] = {{WW_C_PRODUCER_OBJECT, WW_C_CONSUMER_OBJECT, "mbarriers"},
                {WW_C_PRODUCER_PRODUCTS, WW_C_CONSUMER_PRODUCTS, "products"},
                {WW_C_PRODUCER_COPIES, WW_C_CONSUMER_COPIES, "copies"},
                {WW_C_PRODUCER_BARRIER, WW_C_CONSUMER_BARRIER, "barriers"},
                {WW_C_PRODUCER_OTHER, WW_C_CONSUMER_OTHER, "others"}};
    const double all = total(c, consumers ? WW_C_CONSUMER_RESIDENT : WW_C_PRODUCER_RESIDENT);
    bool told[WW_ARRAY_LEN(rows)] = {false};
    size_t used = 0;
    buf[0] = '\0';
    for (size_t n = 0; all > 0 && n < WW_ARRAY_LEN(rows); n++) {
        size_t most = WW_ARRAY_LEN(rows);
        double value = 0;
        for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
            const double v = total(c, consumers ? rows[i].consumer : rows[i].producer);
            if (!told[i] && v > value) {
                most = i;
                value = v;
            }
        }
        if (most == WW_ARRAY_LEN(rows) || value < 0.005 * all) {
            break;
        }
        told[most] = true;
        const int added = snprintf(buf + used, size - used, "%s%s %.2f", used > 0 ? ", " : "",
                                   rows[most].name, value / all);
        used += added > 0 && (size_t)added < size - used ? (size_t)added : 0;
    }
    return buf;
}
