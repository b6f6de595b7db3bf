/* profile.c - the profile of a device: counts by instruction, added up over the launches of each
 * kernel, and handed out by PTX line. */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "perf/api/device_state.h"

/* Slots follow; what comes before counts instructions, which are known without time. */
enum { FIRST_TIMED = WW_LINE_ISSUED };

static ww_status make_room(ww_device *device, ww_built *built, ww_error *err)
{
    if (built->profile == NULL) {
        built->profile = WW_NEW_ARRAY(ww_profile_count, (size_t)built->program.count + 1);
        built->first_launch = device->launches;
    }
    return built->profile != NULL ? WW_OK : ww_no_memory_for(err, "a profile");
}

static uint64_t sum_of(const ww_profile_count *of, uint32_t count, int column)
{
    uint64_t sum = 0;
    for (uint32_t pc = 0; pc <= count; pc++) {
        sum += of[pc].v[column];
    }
    return sum;
}

/* Adds total to a column of dst in proportion to that of weight, in whole numbers that sum to it.
 * What no instruction has a claim to goes behind them. */
static void deal_out(ww_profile_count *dst, const ww_profile_count *weight, uint32_t count,
                     int column, uint64_t total)
{
    uint64_t weights = sum_of(weight, count, column), before = 0, dealt = 0;
    for (uint32_t pc = 0; pc <= count && weights > 0; pc++) {
        before += weight[pc].v[column];
        uint64_t due = before == weights
                           ? total
                           : (uint64_t)((double)total * ((double)before / (double)weights));
        WW_ASSERT(dealt <= due && due <= total);
        dst[pc].v[column] += due - dealt;
        dealt = due;
    }
    dst[count].v[column] += total - dealt;
}

/* The slots of a launch, shared out as those in weight were. */
static void deal_out_slots(ww_profile_count *dst, const ww_profile_count *weight, uint32_t count,
                           const ww_counter_set *counters)
{
    uint64_t waits = 0, known_waits = 0;
    for (int c = FIRST_TIMED; c < WW_LINE_AWAITED; c++) {
        uint64_t total = ww_counter_total(counters, ww_line_count_counter((ww_line_count)c));
        if (c == WW_LINE_RAW_LONG || c == WW_LINE_RAW_SHORT) {
            waits += total;
            known_waits += sum_of(weight, count, c);
        }
        deal_out(dst, weight, count, c, total);
    }
    double scale = known_waits > 0 ? (double)waits / (double)known_waits : 0;
    for (uint32_t pc = 0; pc <= count; pc++) {
        dst[pc].v[WW_LINE_AWAITED] +=
            (uint64_t)((double)weight[pc].v[WW_LINE_AWAITED] * scale + 0.5);
    }
}

ww_status ww_kernel_profile_add(ww_device *device, ww_built *built, const ww_profile_count *launch,
                                const ww_counter_set *counters, double share, ww_error *err)
{
    uint32_t count = built->program.count;
    int measured = share > 0 ? FIRST_TIMED : WW_LINE_COUNT;
    WW_TRY(make_room(device, built, err));
    for (uint32_t pc = 0; pc <= count; pc++) {
        for (int c = 0; c < measured; c++) {
            built->profile[pc].v[c] += launch[pc].v[c];
        }
    }
    if (share > 0) {
        deal_out_slots(built->profile, launch, count, counters);
    }
    return WW_OK;
}

ww_status ww_kernel_profile_add_executed(ww_device *device, ww_built *built, const ww_pc_count *pc,
                                         const ww_counter_set *counters, ww_error *err)
{
    uint32_t count = built->program.count;
    WW_TRY(make_room(device, built, err));
    for (uint32_t i = 0; i < count; i++) {
        built->profile[i].v[WW_LINE_WARP_INST] += pc[i].issued;
        built->profile[i].v[WW_LINE_THREAD_INST] += pc[i].lanes;
    }
    if (counters == NULL) {
        return WW_OK;
    }
    ww_profile_count *known = WW_NEW_ARRAY(ww_profile_count, (size_t)count + 1);
    if (known == NULL) {
        return ww_no_memory_for(err, "a profile");
    }
    memcpy(known, built->profile, ((size_t)count + 1) * sizeof *known);
    deal_out_slots(built->profile, known, count, counters);
    ww_free(known);
    return WW_OK;
}

/* ---- by line ---- */

/* The kernel's instructions by PTX line. */
typedef struct place {
    uint32_t line, pc;
} place;

static int by_line(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->line != y->line) {
        return x->line < y->line ? -1 : 1;
    }
    return (x->pc > y->pc) - (x->pc < y->pc);
}

/* A place in a text that is read from front to back. */
typedef struct reader {
    const char *at; /* where line `line` begins; NULL: there is no text */
    uint32_t line;
} reader;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Copies a line without the blanks around it, those within as one space each. */
static const char *line_text(reader *r, uint32_t line, char *buf, size_t size)
{
    size_t n = 0;
    while (r->at != NULL && r->line < line) {
        r->at = strchr(r->at, '\n');
        r->at += r->at != NULL;
        r->line++;
    }
    for (const char *p = r->at; p != NULL && *p != '\0' && *p != '\n' && n + 2 < size; p++) {
        if (!is_blank(*p)) {
            bool gap = n > 0 && is_blank(p[-1]);
            buf[n] = ' ';
            buf[n + gap] = *p;
            n += 1u + gap;
        }
    }
    buf[n] = '\0';
    return buf;
}

static bool any(const ww_line *line)
{
    for (int c = 0; c < WW_LINE_COUNT; c++) {
        if (line->count[c] > 0) {
            return true;
        }
    }
    return false;
}

static void add_counts(ww_line *line, const ww_profile_count *counts)
{
    for (int c = 0; c < WW_LINE_COUNT; c++) {
        line->count[c] += counts->v[c];
    }
}

static ww_status put_line(const ww_built *b, ww_line *line, uint32_t pc, reader *text,
                          ww_lines *lines, ww_error *err)
{
    enum { LINE = 400 };
    char buf[LINE];
    const char *source;
    if (!any(line)) {
        return WW_OK;
    }
    (void)ww_source_of(b->kernel, line->line, &source, &line->source_line);
    line->source = source != NULL ? source : "";
    line->text = line_text(text, line->line, buf, sizeof buf);
    if (*line->text == '\0') {
        line->text =
            ww_inst_format(&b->kernel->code[ww_program_inst(&b->program, pc)], buf, sizeof buf);
    }
    return ww_lines_add(lines, line, err);
}

static ww_status put_places(const ww_built *b, const char *module_text, const place *places,
                            const ww_line *label, ww_lines *lines, ww_error *err)
{
    reader text = {module_text, 1};
    uint32_t count = b->program.count;
    for (uint32_t i = 0; i < count;) {
        ww_line line = *label;
        uint32_t first = i;
        line.line = places[i].line;
        for (; i < count && places[i].line == line.line; i++) {
            add_counts(&line, &b->profile[places[i].pc]);
        }
        WW_TRY(put_line(b, &line, places[first].pc, &text, lines, err));
    }
    ww_line none = *label;
    none.text = "(no live warp)";
    add_counts(&none, &b->profile[count]);
    return any(&none) ? ww_lines_add(lines, &none, err) : WW_OK;
}

static ww_status put_kernel(const ww_module *module, const ww_built *b, const char *workload,
                            ww_lines *lines, ww_error *err)
{
    uint32_t count = b->program.count;
    place *places = WW_NEW_ARRAY(place, (size_t)count + 1);
    if (places == NULL) {
        return ww_no_memory_for(err, "a profile");
    }
    for (uint32_t pc = 0; pc < count; pc++) {
        places[pc] = (place){b->kernel->code[ww_program_inst(&b->program, pc)].line, pc};
    }
    qsort(places, count, sizeof *places, by_line);
    const ww_line label = {.workload = workload,
                           .kernel = b->kernel->name,
                           .file = b->kernel->file,
                           .source = "",
                           .text = ""};
    ww_status status = put_places(b, module->text, places, &label, lines, err);
    ww_free(places);
    return status;
}

/* The kernel whose first launch is at `from` or later, and the first such; NULL: none. */
static const ww_built *next_kernel(const ww_device *device, uint32_t from, const ww_module **module)
{
    const ww_built *next = NULL;
    for (const ww_module *m = device->modules; m != NULL; m = m->next) {
        for (const ww_built *b = m->built; b != NULL; b = b->next) {
            if (b->profile != NULL && b->first_launch >= from &&
                (next == NULL || b->first_launch < next->first_launch)) {
                next = b;
                *module = m;
            }
        }
    }
    return next;
}

ww_status ww_device_lines(const ww_device *device, const char *workload, ww_lines *lines,
                          ww_error *err)
{
    const ww_module *module = NULL;
    const ww_built *b = next_kernel(device, 0, &module);
    while (b != NULL) {
        WW_TRY(put_kernel(module, b, workload, lines, err));
        b = next_kernel(device, b->first_launch + 1, &module);
    }
    return WW_OK;
}
