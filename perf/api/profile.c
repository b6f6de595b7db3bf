/* profile.c - the profile of a device: slots, instructions and events by instruction, added up over
 * the launches of each kernel. */
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "perf/api/device_state.h"

/* Slots follow; what comes before counts instructions, which are known without time. */
enum { FIRST_TIMED = WW_LINE_ISSUED };

static ww_status make_room(ww_device *device, ww_built *built, ww_error *err)
{
    if (built->profile == NULL) {
        built->profile = WW_NEW_ARRAY(ww_profile_count, ww_profile_rows(&built->program));
        built->first_launch = device->profiled++;
    }
    return built->profile != NULL ? WW_OK : ww_no_memory_for(err, "a profile");
}

/* A column of a table of counts: every stride-th from the first on. */
typedef struct column {
    uint64_t *first;
    size_t stride, rows;
} column;

static uint64_t sum_of(const column *c)
{
    uint64_t sum = 0;
    for (size_t row = 0; row < c->rows; row++) {
        sum += c->first[row * c->stride];
    }
    return sum;
}

/* Adds total to a column in proportion to that of weight, in whole numbers; returns what no row has
 * a claim to. */
static uint64_t deal_out(const column *dst, const column *weight, uint64_t total)
{
    uint64_t weights = sum_of(weight), before = 0, dealt = 0;
    for (size_t row = 0; row < dst->rows && weights == total; row++) {
        dst->first[row * dst->stride] += weight->first[row * weight->stride];
    }
    if (weights == total || weights == 0) {
        return weights == total ? 0 : total;
    }
    for (size_t row = 0; row < dst->rows; row++) {
        before += weight->first[row * weight->stride];
        uint64_t due = before == weights
                           ? total
                           : (uint64_t)((double)total * ((double)before / (double)weights));
        WW_ASSERT(dealt <= due && due <= total);
        dst->first[row * dst->stride] += due - dealt;
        dealt = due;
    }
    return total - dealt;
}

enum { STRIDE = sizeof(ww_profile_count) / sizeof(uint64_t) };
_Static_assert(sizeof(ww_profile_count) % sizeof(uint64_t) == 0, "rows of counts alone");

static column slots_of(ww_profile_count *profile, uint32_t rows, int c)
{
    return (column){&profile->v[c], STRIDE, rows};
}

static column charges_of(ww_profile_count *profile, uint32_t rows, int c)
{
    return (column){&profile->charged[c], STRIDE, rows};
}

/* The slots of a launch, shared out as those in weight were; what no instruction has a claim to
 * goes to where no warp is live. */
static void deal_out_slots(const ww_built *built, ww_profile_count *weight,
                           const ww_counter_set *counters)
{
    const uint32_t count = built->program.count, rows = ww_profile_rows(&built->program);
    uint64_t waits = 0, known_waits = 0;
    for (int c = FIRST_TIMED; c < WW_LINE_AWAITED; c++) {
        uint64_t total = ww_counter_total(counters, ww_line_count_counter((ww_line_count)c));
        const column dst = slots_of(built->profile, rows, c), by = slots_of(weight, rows, c);
        if (c == WW_LINE_RAW_LONG || c == WW_LINE_RAW_SHORT) {
            waits += total;
            known_waits += sum_of(&by);
        }
        built->profile[count].v[c] += deal_out(&dst, &by, total);
    }
    double scale = known_waits > 0 ? (double)waits / (double)known_waits : 0;
    for (uint32_t row = 0; row < rows; row++) {
        built->profile[row].v[WW_LINE_AWAITED] +=
            (uint64_t)((double)weight[row].v[WW_LINE_AWAITED] * scale + 0.5);
    }
}

/* The events of SMs likewise. */
static void deal_out_charges(const ww_built *built, ww_profile_count *weight,
                             const ww_counter_set *counters)
{
    const uint32_t rows = ww_profile_rows(&built->program);
    for (int c = 0; c < WW_SM_CHARGES; c++) {
        const uint64_t total = ww_counter_total(counters, (ww_counter)(WW_CHARGE_FIRST + c));
        const column dst = charges_of(built->profile, rows, c), by = charges_of(weight, rows, c);
        (void)deal_out(&dst, &by, total);
    }
}

static void add_charges(const ww_built *built, const ww_profile_count *launch)
{
    for (uint32_t row = 0; row < ww_profile_rows(&built->program); row++) {
        for (int c = 0; c < WW_SM_CHARGES; c++) {
            built->profile[row].charged[c] += launch[row].charged[c];
        }
    }
}

ww_status ww_kernel_profile_add(ww_device *device, ww_built *built, ww_profile_count *launch,
                                const ww_counter_set *counters, double share, ww_error *err)
{
    int measured = share > 0 ? FIRST_TIMED : WW_LINE_COUNT;
    WW_TRY(make_room(device, built, err));
    for (uint32_t row = 0; row < ww_profile_rows(&built->program); row++) {
        for (int c = 0; c < measured; c++) {
            built->profile[row].v[c] += launch[row].v[c];
        }
    }
    if (share > 0) {
        deal_out_slots(built, launch, counters);
        deal_out_charges(built, launch, counters);
    } else {
        add_charges(built, launch);
    }
    return WW_OK;
}

/* ---- without time ---- */

/* The memory's events of a launch that was predicted, shared out as those of its kernel before. */
static void deal_out_memory(ww_device *device, const ww_built *built,
                            const ww_counter_set *counters)
{
    const uint32_t rows = ww_profile_rows(&built->program);
    for (int c = 0; c < WW_MEMORY_CHARGES; c++) {
        const ww_counter counter = (ww_counter)(WW_CHARGE_MEMORY + c);
        const column of = {device->charged + (size_t)built->program.owner * WW_MEMORY_CHARGES + c,
                           WW_MEMORY_CHARGES, rows};
        (void)deal_out(&of, &of, ww_counter_total(counters, counter));
    }
}

static ww_status add_predicted(ww_device *device, const ww_built *built,
                               const ww_counter_set *counters, ww_error *err)
{
    const uint32_t rows = ww_profile_rows(&built->program);
    ww_profile_count *known = WW_NEW_ARRAY(ww_profile_count, rows);
    if (known == NULL) {
        return ww_no_memory_for(err, "a profile");
    }
    memcpy(known, built->profile, rows * sizeof *known);
    deal_out_slots(built, known, counters);
    deal_out_charges(built, known, counters);
    ww_free(known);
    if (device->charged_owners >= built->program.owner + rows) {
        deal_out_memory(device, built, counters);
    }
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        device->total[c] += ww_counter_total(counters, (ww_counter)c);
    }
    return WW_OK;
}

ww_status ww_kernel_profile_add_executed(ww_device *device, ww_built *built, const ww_pc_count *pc,
                                         const ww_counter_set *counters, ww_error *err)
{
    WW_TRY(make_room(device, built, err));
    if (counters != NULL) {
        WW_TRY(add_predicted(device, built, counters, err));
    }
    for (uint32_t place = 0; place < built->program.count; place++) {
        const ww_pc_count *n = &pc[ww_program_inst(&built->program, place)];
        built->profile[place].v[WW_LINE_WARP_INST] += n->issued;
        built->profile[place].v[WW_LINE_THREAD_INST] += n->lanes;
    }
    return WW_OK;
}

/* ---- what memory did ---- */

static ww_status grow(ww_device *device, uint32_t owners, ww_error *err)
{
    if (owners <= device->charged_owners) {
        return WW_OK;
    }
    uint64_t *v = WW_NEW_ARRAY(uint64_t, (size_t)owners * WW_MEMORY_CHARGES);
    if (v == NULL) {
        return ww_no_memory_for(err, "charges of requests");
    }
    if (device->charged != NULL) {
        memcpy(v, device->charged, (size_t)device->charged_owners * WW_MEMORY_CHARGES * sizeof *v);
    }
    ww_free(device->charged);
    device->charged = v;
    device->charged_owners = owners;
    return WW_OK;
}

ww_status ww_profile_prepare(ww_device *device, ww_error *err)
{
    if (!device->options.profile) {
        return WW_OK;
    }
    WW_TRY(grow(device, device->owners, err));
    return ww_gpu_charge(device->gpu, device->owners, err);
}

ww_status ww_profile_launched(ww_device *device, double share, ww_error *err)
{
    const ww_counter_set *counters = &device->gpu->counters;
    const ww_charges *of = &device->gpu->charges;
    WW_TRY(grow(device, of->owners, err));
    for (int c = 0; c < WW_MEMORY_CHARGES; c++) {
        const column dst = {device->charged + c, WW_MEMORY_CHARGES, of->owners};
        const column by = {of->v + c, WW_MEMORY_CHARGES, of->owners};
        const ww_counter counter = (ww_counter)(WW_CHARGE_MEMORY + c);
        (void)deal_out(&dst, &by, share > 0 ? ww_counter_total(counters, counter) : sum_of(&by));
    }
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        device->total[c] += ww_counter_total(counters, (ww_counter)c);
    }
    return WW_OK;
}
