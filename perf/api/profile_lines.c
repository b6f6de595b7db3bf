/* profile_lines.c - the profile of a device, handed out by PTX line. */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "perf/api/device_state.h"
#include "perf/exec/source.h"

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

/* What lines are made of. */
typedef struct lines_of {
    const ww_device *device;
    const ww_line_prices *prices; /* NULL: there are no joules */
    const char *workload;
    ww_lines *lines;
    uint64_t left[WW_COUNTER_COUNT]; /* events that no row has been charged for so far */
} lines_of;

static bool any(const ww_line *line)
{
    for (int c = 0; c < WW_LINE_COUNT; c++) {
        if (line->count[c] > 0) {
            return true;
        }
    }
    for (int e = 0; e < WW_LINE_EVENT_COUNT; e++) {
        if (line->event[e] > 0) {
            return true;
        }
    }
    for (int p = 0; p < WW_PART_COUNT; p++) {
        if (line->joules[p] < 0 || line->joules[p] > 0) {
            return true;
        }
    }
    return false;
}

/* n events of a line, which are nobody else's. */
static void add_events(lines_of *of, ww_line *line, ww_counter counter, uint64_t n)
{
    const ww_line_event event = ww_line_event_of(counter);
    of->left[counter] -= n < of->left[counter] ? n : of->left[counter];
    if (event < WW_LINE_EVENT_COUNT) {
        uint64_t *counted = &line->event[event];
        WW_ASSERT(counted < line->event + WW_LINE_EVENT_COUNT);
        *counted += n;
    }
    for (int p = 0; n > 0 && p < WW_PART_COUNT; p++) {
        line->joules[p] += (double)n * of->prices->j[counter][p];
    }
}

static void add_row(lines_of *of, ww_line *line, const ww_built *b, uint32_t row)
{
    const ww_profile_count *counts = &b->profile[row];
    const uint32_t owner = b->program.owner + row;
    for (int c = 0; c < WW_LINE_COUNT; c++) {
        line->count[c] += counts->v[c];
    }
    for (int c = 0; of->prices != NULL && c < WW_SM_CHARGES; c++) {
        add_events(of, line, (ww_counter)(WW_CHARGE_FIRST + c), counts->charged[c]);
    }
    const bool known = of->prices != NULL && owner < of->device->charged_owners;
    for (int c = 0; known && c < WW_MEMORY_CHARGES; c++) {
        add_events(of, line, (ww_counter)(WW_CHARGE_MEMORY + c),
                   of->device->charged[(size_t)owner * WW_MEMORY_CHARGES + (size_t)c]);
    }
}

static ww_status put_line(const lines_of *of, const ww_built *b, ww_line *line, uint32_t pc,
                          reader *text, ww_error *err)
{
    enum { LINE = 400, FUNCTIONS = 1024 };
    char buf[LINE], function[FUNCTIONS];
    const char *source;
    if (!any(line)) {
        return WW_OK;
    }
    (void)ww_source_of(b->kernel, line->line, &source, &line->source_line);
    line->source = source != NULL ? source : "";
    line->function = ww_source_function(b->kernel, line->line, function, sizeof function);
    line->text = line_text(text, line->line, buf, sizeof buf);
    if (*line->text == '\0') {
        line->text =
            ww_inst_format(&b->kernel->code[ww_program_inst(&b->program, pc)], buf, sizeof buf);
    }
    return ww_lines_add(of->lines, line, err);
}

/* Rows that are no instructions. */
static ww_status put_rest(lines_of *of, const ww_built *b, const ww_line *label, ww_error *err)
{
    static const char *const texts[WW_CHARGE_ROWS] = {
        [WW_CHARGE_NO_WARP] = "(no live warp)",
        [WW_CHARGE_LAUNCH] = "(start of warps)",
        [WW_CHARGE_MECH] = "(mechanisms)",
    };
    for (uint32_t row = 0; row < WW_CHARGE_ROWS; row++) {
        ww_line line = *label;
        line.text = texts[row];
        add_row(of, &line, b, b->program.count + row);
        if (any(&line)) {
            WW_TRY(ww_lines_add(of->lines, &line, err));
        }
    }
    return WW_OK;
}

static ww_status put_places(lines_of *of, const ww_built *b, const char *module_text,
                            const place *places, const ww_line *label, ww_error *err)
{
    reader text = {module_text, 1};
    uint32_t count = b->program.count;
    for (uint32_t i = 0; i < count;) {
        ww_line line = *label;
        uint32_t first = i;
        line.line = places[i].line;
        for (; i < count && places[i].line == line.line; i++) {
            add_row(of, &line, b, places[i].pc);
        }
        WW_TRY(put_line(of, b, &line, places[first].pc, &text, err));
    }
    return put_rest(of, b, label, err);
}

static ww_status put_kernel(lines_of *of, const ww_module *module, const ww_built *b, ww_error *err)
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
    const ww_line label = {.workload = of->workload,
                           .kernel = b->kernel->name,
                           .file = b->kernel->file,
                           .source = "",
                           .text = ""};
    ww_status status = put_places(of, b, module->text, places, &label, err);
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

/* ---- what no line of a kernel is charged for ---- */

/* A line of the workload with events of nobody's: those of a counter that satisfy `takes`. */
static ww_status put_left(lines_of *of, const char *text, bool (*takes)(ww_counter counter),
                          ww_error *err)
{
    ww_line line = {.workload = of->workload, .kernel = "", .file = "", .source = "", .text = text};
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        if (takes((ww_counter)c)) {
            add_events(of, &line, (ww_counter)c, of->left[c]);
        }
    }
    return any(&line) ? ww_lines_add(of->lines, &line, err) : WW_OK;
}

static bool is_refresh(ww_counter counter)
{
    return counter == WW_C_DRAM_REF || counter == WW_C_DRAM_REF_BANK;
}

/* Counters of mechanisms are the last of the table. */
static bool is_of_mechanisms(ww_counter counter)
{
    return counter > WW_C_MECH_MISMATCH;
}

static bool is_launch(ww_counter counter)
{
    return counter < (ww_counter)WW_CHARGE_FIRST;
}

static bool is_any(ww_counter counter)
{
    (void)counter;
    return true;
}

/* Requests of nobody: lines that the host, or what was executed without time, has left dirty. */
static ww_status put_nobody(lines_of *of, ww_error *err)
{
    ww_line line = {.workload = of->workload,
                    .kernel = "",
                    .file = "",
                    .source = "",
                    .text = "(written before)"};
    for (int c = 0; of->device->charged_owners > 0 && c < WW_MEMORY_CHARGES; c++) {
        add_events(of, &line, (ww_counter)(WW_CHARGE_MEMORY + c), of->device->charged[c]);
    }
    return any(&line) ? ww_lines_add(of->lines, &line, err) : WW_OK;
}

static ww_status put_all_left(lines_of *of, ww_error *err)
{
    WW_TRY(put_nobody(of, err));
    WW_TRY(put_left(of, "(refresh)", is_refresh, err));
    WW_TRY(put_left(of, "(mechanisms)", is_of_mechanisms, err));
    WW_TRY(put_left(of, "(launch)", is_launch, err));
    return put_left(of, "(not charged)", is_any, err);
}

ww_status ww_device_lines(const ww_device *device, const char *workload,
                          const ww_line_prices *prices, ww_lines *lines, ww_error *err)
{
    const ww_module *module = NULL;
    lines_of of = {.device = device,
                   .prices = device->options.functional_only ? NULL : prices,
                   .workload = workload,
                   .lines = lines};
    memcpy(of.left, device->total, sizeof of.left);
    lines->has_joules = of.prices != NULL && (lines->has_joules || lines->count == 0);
    const ww_built *b = next_kernel(device, 0, &module);
    while (b != NULL) {
        WW_TRY(put_kernel(&of, module, b, err));
        b = next_kernel(device, b->first_launch + 1, &module);
    }
    return of.prices != NULL ? put_all_left(&of, err) : WW_OK;
}
