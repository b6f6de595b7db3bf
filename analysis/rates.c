/* rates.c - counters of one second from utilisations. */
#include "analysis/rates.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

/* ---- the text ---- */

static double *place_of(ww_rates *r, const char *name, size_t length, double *unit)
{
    static const struct {
        const char *name;
        size_t offset;
        double unit;
    } places[] = {
#define X(name, meaning) {#name, offsetof(ww_rates, name), 1},
        WW_RATES(X)
#undef X
            {"active", offsetof(ww_rates, active), 1},
        {"data", offsetof(ww_rates, data), 1},
        {"switched", offsetof(ww_rates, switched), 1},
        {"memory", offsetof(ww_rates, memory), 1},
        {"beats", offsetof(ww_rates, beats), 1},
        {"stores", offsetof(ww_rates, stores), 1},
        {"l2_stores", offsetof(ww_rates, l2_stores), 1},
        {"broadcast", offsetof(ww_rates, broadcast), 1},
        {"channels", offsetof(ww_rates, channels), 1},
        {"core_mhz", offsetof(ww_rates, core_hz), 1e6},
        {"dram_mhz", offsetof(ww_rates, dram_hz), 1e6},
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(places); i++) {
        if (strlen(places[i].name) == length && strncmp(places[i].name, name, length) == 0) {
            *unit = places[i].unit;
            return (double *)(void *)((char *)r + places[i].offset);
        }
    }
    return NULL;
}

static ww_status take_word(ww_rates *r, const char *word, size_t length, ww_error *err)
{
    const char *equals = memchr(word, '=', length);
    char number[32];
    double unit, value;
    if (length == strlen("idle") && strncmp(word, "idle", length) == 0) {
        r->active = 0;
        return WW_OK;
    }
    double *place =
        equals != NULL ? place_of(r, word, (size_t)(equals - word), &unit) : (double *)NULL;
    size_t digits = equals != NULL ? length - (size_t)(equals + 1 - word) : 0;
    if (place == NULL || digits >= sizeof number) {
        return ww_fail(err, WW_EPARSE, "'%.*s' is no rate", (int)length, word);
    }
    memcpy(number, equals + 1, digits);
    number[digits] = '\0';
    if (ww_num_parse_double(number, &value, NULL) != WW_OK || !(value >= 0) || !isfinite(value)) {
        return ww_fail(err, WW_EPARSE, "'%.*s' has no number of 0 or more", (int)length, word);
    }
    *place = value * unit;
    return WW_OK;
}

ww_status ww_rates_parse(const ww_arch *arch, const char *text, ww_rates *out, ww_error *err)
{
    ww_rates r = {.core_hz = arch->clock.core_hz,
                  .dram_hz = arch->clock.dram_hz,
                  .active = 1,
                  .data = 1,
                  .switched = NAN,
                  .memory = NAN,
                  .beats = NAN,
                  .broadcast = 1,
                  .channels = 1,
                  .stores = 1.0 / 3};
    for (const char *at = text + strspn(text, " "); *at != '\0'; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        WW_TRY(take_word(&r, at, length, err));
        at += length;
    }
    if (!(r.core_hz > 0) || !(r.dram_hz > 0)) {
        return ww_fail(err, WW_EPARSE, "'%s' has a clock of 0", text);
    }
    if (r.switched > 1 || r.memory > 1 || r.beats > 1) {
        return ww_fail(err, WW_EPARSE, "'%s': more bits switch than there are", text);
    }
    r.beats = r.beats >= 0 ? r.beats : r.memory;
    *out = r;
    return WW_OK;
}

void ww_rates_count_bits(ww_rates *r, bool toggles)
{
    if (!toggles) {
        r->switched = r->memory = r->beats = NAN;
    } else if (r->switched >= 0) {
        r->data = 1;
    }
}

/* ---- the counters, summed over the chip ---- */

typedef struct chip {
    const ww_arch *arch;
    double core_hz, dram_hz, sms, data;
    double switched, memory, beats; /* shares of bits; NaN: not known */
    double count[WW_COUNTER_COUNT];
} chip;

/* Bits pass a place, a share of which switches; nothing is compared where that is not known. */
static void pass(chip *c, ww_counter switched, double bits, double share)
{
    if (share >= 0) {
        c->count[switched] += share * bits;
        c->count[switched + 1] += bits;
    }
}

enum { WORD_BITS = 32 };

/* So many warp instructions a second that read and write so many operands of 32 lanes x 32 bits. */
static void issue(chip *c, double warps, double reads, double writes, ww_counter pipe)
{
    static const ww_counter once[] = {
        WW_C_INST_ISSUED, WW_C_INST_DECODED,    WW_C_SCHED_SELECT, WW_C_WARP_STATUS_READ,
        WW_C_STACK_READ,  WW_C_SCOREBOARD_READ, WW_C_OC_READ};
    for (size_t i = 0; i < WW_ARRAY_LEN(once); i++) {
        c->count[once[i]] += warps;
    }
    c->count[WW_C_INST_THREAD] += warps * WW_WARP_SIZE;
    c->count[WW_C_L1I_READ_HIT] += warps / c->arch->sm.fetch_instructions;
    c->count[WW_C_SCOREBOARD_WRITE] += 2 * warps * (writes > 0);
    c->count[WW_C_RF_READ] += warps * reads;
    c->count[WW_C_OC_WRITE] += warps * reads;
    c->count[WW_C_RF_WRITE] += warps * writes;
    c->count[WW_C_RF_ARBITRATION] += warps * (reads + writes);
    c->count[WW_C_RF_READ_LANES] += c->data * warps * reads * WW_WARP_SIZE;
    c->count[WW_C_RF_WRITE_LANES] += c->data * warps * writes * WW_WARP_SIZE;
    const double word = c->data * warps * WW_WARP_SIZE * WORD_BITS;
    pass(c, WW_C_SWITCHED_RF_READ, reads * word, c->switched);
    pass(c, WW_C_SWITCHED_COLLECT, reads * word, c->switched);
    pass(c, WW_C_SWITCHED_RF_WRITE, writes * word, c->switched);
    c->count[pipe] += warps;
}

/* Bits of an operation's operands and result; of a product, its partial ones besides. */
static void operands(chip *c, ww_counter op, double operations, double words)
{
    static const struct {
        ww_counter op, switched, latch; /* the latter of products: 0 of others */
        double products;
    } kinds[] = {
        {WW_C_OP_INT_ADD, WW_C_SWITCHED_OP_INT_ADD, (ww_counter)0, 0},
        {WW_C_OP_INT_LOGIC, WW_C_SWITCHED_OP_INT_LOGIC, (ww_counter)0, 0},
        {WW_C_OP_FP32_ADD, WW_C_SWITCHED_OP_FP32_ADD, (ww_counter)0, 0},
        {WW_C_OP_FP32_MUL, WW_C_SWITCHED_OP_FP32_MUL, WW_C_SWITCHED_LATCH_FP32_MUL, 24 * 24},
        {WW_C_OP_FP32_FMA, WW_C_SWITCHED_OP_FP32_FMA, WW_C_SWITCHED_LATCH_FP32_FMA, 24 * 24},
        {WW_C_OP_FP16, WW_C_SWITCHED_OP_FP16, WW_C_SWITCHED_LATCH_FP16, 2 * 11 * 11},
        {WW_C_OP_FP64_ADD, WW_C_SWITCHED_OP_FP64_ADD, (ww_counter)0, 0},
        {WW_C_OP_FP64_FMA, WW_C_SWITCHED_OP_FP64_FMA, WW_C_SWITCHED_LATCH_FP64_FMA, 53 * 53},
        {WW_C_OP_SFU, WW_C_SWITCHED_OP_SFU, (ww_counter)0, 0},
        {WW_C_OP_CVT, WW_C_SWITCHED_OP_CVT, (ww_counter)0, 0},
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(kinds); i++) {
        if (kinds[i].op == op) {
            const bool product = kinds[i].products > 0;
            pass(c, product ? kinds[i].latch : kinds[i].switched, operations * words * WORD_BITS,
                 c->switched);
            pass(c, kinds[i].switched, operations * kinds[i].products, c->switched);
        }
    }
}

/* A share of lanes that each do an operation a cycle. */
static void lanes(chip *c, double share, double lanes_per_sm, ww_counter op, double words,
                  double sources, ww_counter pipe)
{
    double operations = share * lanes_per_sm * c->sms * c->core_hz;
    c->count[op] += c->data * operations;
    operands(c, op, c->data * operations, (sources + 1) * words);
    issue(c, operations / WW_WARP_SIZE, sources * words, words, pipe);
}

static void arithmetic(chip *c, const ww_rates *r)
{
    const ww_units_params *u = &c->arch->units;
    double sp = u->sp_count * u->sp_lanes, sfu = u->sfu_count * u->sfu_lanes;
    double integer = u->int_count > 0 ? (double)u->int_count * u->int_lanes : sp;
    double dp = u->dp_count > 0 ? (double)u->dp_count * u->dp_lanes : sp / 2;
    lanes(c, r->fp32_add, sp, WW_C_OP_FP32_ADD, 1, 2, WW_C_PIPE_SP);
    lanes(c, r->fp32_mul, sp, WW_C_OP_FP32_MUL, 1, 2, WW_C_PIPE_SP);
    lanes(c, r->fp32_fma, sp, WW_C_OP_FP32_FMA, 1, 3, WW_C_PIPE_SP);
    lanes(c, r->fp16_fma, sp, WW_C_OP_FP16, 1, 3, WW_C_PIPE_SP);
    lanes(c, r->int_add + r->integer / 2, integer, WW_C_OP_INT_ADD, 1, 2, WW_C_PIPE_SP);
    lanes(c, r->select + r->integer / 2, integer, WW_C_OP_INT_LOGIC, 1, 2, WW_C_PIPE_SP);
    lanes(c, r->fp64_add, dp, WW_C_OP_FP64_ADD, 2, 2, WW_C_PIPE_DP);
    lanes(c, r->fp64_fma, dp, WW_C_OP_FP64_FMA, 2, 3, WW_C_PIPE_DP);
    lanes(c, r->sfu, sfu, WW_C_OP_SFU, 1, 1, WW_C_PIPE_SFU);
    lanes(c, r->convert, sfu, WW_C_OP_CVT, 1, 1, u->cvt_on_sfu ? WW_C_PIPE_SFU : WW_C_PIPE_SP);
    double transfers = r->branch / 2 * c->arch->sm.schedulers * c->sms * c->core_hz;
    issue(c, transfers, 0, 0, WW_C_PIPE_SP);
    c->count[WW_C_PIPE_SP] -= transfers; /* no pipeline of the lanes */
    c->count[WW_C_BRANCHES] += transfers;
}

/* Products of a warp from registers. Bits of a matrix unit's factors and sums are not known from a
 * share of bits that switch: none are compared. */
static void matrices(chip *c, double share)
{
    enum { PRODUCT = 16 * 8 * 16, READS = 4 + 2 + 4, WRITES = 4 };
    const ww_units_params *u = &c->arch->units;
    const double interval = u->tensor_interval > 0 ? u->tensor_interval : 1;
    const double products = share * c->sms * c->core_hz * u->tensor_count * 2 / interval;
    c->count[WW_C_MMA_F16] += products * PRODUCT;
    issue(c, products, READS, WRITES, WW_C_PIPE_TENSOR);
}

/* Words between memory and lanes. */
static void cross_lanes(chip *c, double words, double lanes)
{
    pass(c, WW_C_SWITCHED_CROSSBAR_WORD, words * WORD_BITS, c->memory);
    pass(c, WW_C_SWITCHED_CROSSBAR_LANE, lanes * WORD_BITS, c->memory);
}

static void shared(chip *c, double share, double broadcast)
{
    double words = share * c->arch->ldst.shared_banks * c->sms * c->core_hz;
    double warps = words / WW_WARP_SIZE;
    issue(c, warps, 1.5, 0.5, WW_C_PIPE_LDST); /* an address, and data of every second one */
    c->count[WW_C_AGU_LANES] += words;
    c->count[WW_C_SHARED_INST] += warps;
    c->count[WW_C_SHARED_CYCLES] += warps;
    c->count[WW_C_SHARED_READ_WORDS] += words / 2;
    c->count[WW_C_SHARED_WRITE_WORDS] += words / 2;
    c->count[WW_C_SHARED_LANES] += words * broadcast;
    pass(c, WW_C_SWITCHED_SHARED_READ, words / 2 * WORD_BITS, c->memory);
    pass(c, WW_C_SWITCHED_SHARED_WRITE, words / 2 * WORD_BITS, c->memory);
    cross_lanes(c, words, words * broadcast);
}

/* Loads (or stores) of whole lines by warps, so many sectors a second. */
static void global(chip *c, double sectors, bool store)
{
    double words = sectors * c->arch->l1d.sector_bytes / 4, warps = words / WW_WARP_SIZE;
    issue(c, warps, store ? 2 : 1, store ? 0 : 1, WW_C_PIPE_LDST);
    c->count[WW_C_AGU_LANES] += words;
    c->count[WW_C_COALESCE] += warps;
    c->count[WW_C_GMEM_INST] += warps;
    c->count[WW_C_GMEM_TRANSACTION] += warps;
    c->count[WW_C_GMEM_WORDS] += words;
    cross_lanes(c, words, words);
}

/* What misses the L1 crosses to the L2 and back by lines, each in as many flits as it fills with
 * its header. */
static void cross(chip *c, double sectors, bool store)
{
    double line = c->arch->l1d.line_bytes, lines = sectors * c->arch->l1d.sector_bytes / line;
    double data = ceil((c->arch->icnt.control_bytes + line) / c->arch->icnt.flit_bytes);
    c->count[WW_C_ICNT_REQ_PACKETS] += lines;
    c->count[WW_C_ICNT_REP_PACKETS] += lines;
    c->count[WW_C_ICNT_REQ_FLITS] += lines * (store ? data : 1);
    c->count[WW_C_ICNT_REP_FLITS] += lines * (store ? 1 : data);
    const double bits = lines * line * 8;
    pass(c, store ? WW_C_SWITCHED_ICNT_REQ : WW_C_SWITCHED_ICNT_REP, bits, c->memory);
    if (store) {
        c->count[WW_C_L1D_WRITE_MISS] += sectors;
    } else {
        pass(c, WW_C_SWITCHED_L1D_WRITE, bits, c->memory);
        pass(c, WW_C_SWITCHED_L1D_READ, bits, c->memory);
        c->count[WW_C_L1D_READ_MISS] += sectors;
        c->count[WW_C_L1D_FILL] += sectors;
    }
}

/* What the DRAM delivers in a second at its peak. */
static double dram_bytes(const chip *c)
{
    const ww_mem_params *m = &c->arch->mem;
    return m->channels * m->bus_bits / 8.0 * m->data_rate * c->dram_hz;
}

/* So many sectors a second are written where they lie in the L2, and as many are read there as
 * `loads` says. */
static void l2_hits(chip *c, double loads, double stores)
{
    const double bits = c->arch->l2.sector_bytes * 8.0;
    global(c, loads, false);
    global(c, stores, true);
    cross(c, loads, false);
    cross(c, stores, true);
    c->count[WW_C_L2_READ_HIT] += loads;
    c->count[WW_C_L2_READ_BLOCKS] += loads;
    c->count[WW_C_L2_WRITE_HIT] += stores;
    c->count[WW_C_L2_WRITE_BLOCKS] += stores;
    pass(c, WW_C_SWITCHED_L2_READ, loads * bits, c->memory);
    pass(c, WW_C_SWITCHED_L2_WRITE, stores * bits, c->memory);
}

static void caches(chip *c, const ww_rates *r)
{
    double l1 = r->l1 * c->arch->ldst.l1_sectors * c->sms * c->core_hz;
    global(c, l1, false);
    c->count[WW_C_L1D_READ_HIT] += l1;
    pass(c, WW_C_SWITCHED_L1D_READ, l1 * c->arch->l1d.sector_bytes * 8, c->memory);
    /* A slice delivers its data port once a cycle. */
    double bytes = (double)ww_arch_slices(c->arch) * c->arch->l2.data_port_bytes * c->core_hz;
    double hits = fmax(r->l2 * bytes - r->dram * dram_bytes(c), 0) / c->arch->l2.sector_bytes;
    l2_hits(c, hits * (1 - r->l2_stores), hits * r->l2_stores);
}

/* Zeros on wires that cost by them, of a bit: of bytes of zeros and of random ones; behind a bus
 * inversion a byte of zeros is one of its flag. */
static double zeros_of(ww_dram_type type, double beats)
{
    const double none = type == WW_DRAM_GDDR3 ? 1 : 1.0 / 8;
    const double half = type == WW_DRAM_GDDR3 ? 0.5 : 837.0 / 256 / 8;
    return none + (half - none) * fmin(2 * beats, 1);
}

static void bursts(chip *c, double bits)
{
    const ww_dram_type type = c->arch->mem.type;
    pass(c, WW_C_SWITCHED_DRAM_BURST, bits, c->beats);
    pass(c, WW_C_SWITCHED_DRAM_PAIRS, bits, c->beats);
    pass(c, WW_C_SWITCHED_DRAM_WIRES, bits, c->beats);
    if (c->beats >= 0 && type != WW_DRAM_HBM2 && type != WW_DRAM_HBM3) {
        pass(c, WW_C_SWITCHED_DRAM_ZEROS, bits, zeros_of(type, c->beats));
    }
}

static void dram(chip *c, double share, double written)
{
    const ww_mem_params *m = &c->arch->mem;
    double burst = ww_arch_burst_bytes(c->arch), sector = c->arch->l2.sector_bytes;
    double bytes = share * dram_bytes(c);
    double sectors = bytes / sector, stores = sectors * written, loads = sectors - stores;
    /* Warps by the thousand come back to a row late: one visit a chunk of the interleave, as of the
     * streams that the machines here run (182 to 398 B an activation). */
    double rows = bytes / fmin(m->row_bytes, m->interleave_bytes);
    global(c, loads, false);
    global(c, stores, true);
    cross(c, loads, false);
    cross(c, stores, true);
    c->count[WW_C_L2_READ_MISS] += loads;
    c->count[WW_C_L2_WRITE_MISS] += stores;
    c->count[WW_C_L2_WRITE_BLOCKS] += stores;
    c->count[WW_C_L2_FILL] += loads;
    c->count[WW_C_L2_WRITEBACK] += stores;
    pass(c, WW_C_SWITCHED_L2_WRITE, bytes * 8, c->memory); /* stores, and fills of loads */
    pass(c, WW_C_SWITCHED_L2_READ, stores * sector * 8, c->memory);
    bursts(c, bytes * 8);
    c->count[WW_C_MC_READ] += loads;
    c->count[WW_C_MC_WRITE] += stores;
    c->count[WW_C_DRAM_RD] += loads * sector / burst;
    c->count[WW_C_DRAM_WR] += stores * sector / burst;
    c->count[WW_C_DRAM_ACT] += rows;
    c->count[WW_C_DRAM_PRE] += rows;
    c->count[WW_C_DRAM_ACTIVE] += share > 0 ? m->channels * c->dram_hz : 0;
}

/* Sums go to the first block of a scope: nothing in a power model asks which SM it was. */
static void put(const chip *c, ww_counter_set *set)
{
    for (int i = 0; i < WW_COUNTER_COUNT; i++) {
        ww_scope scope = ww_counter_describe((ww_counter)i)->scope;
        set->block[scope][0].v[i] = (uint64_t)llround(c->count[i]);
    }
}

void ww_rates_fill(const ww_arch *arch, const ww_rates *r, ww_counter_set *set)
{
    chip c = {.arch = arch,
              .core_hz = r->core_hz,
              .dram_hz = r->dram_hz,
              .sms = arch->sm.count,
              .data = r->data,
              .switched = r->switched,
              .memory = r->memory,
              .beats = r->beats};
    ww_counter_set_clear(set);
    c.count[WW_C_CORE_CYCLES] = r->core_hz;
    c.count[WW_C_DRAM_CYCLES] = r->dram_hz;
    c.count[WW_C_SM_ACTIVE] = r->active * arch->sm.count * r->core_hz;
    c.count[WW_C_CLUSTER_ACTIVE] = ceil(r->active * arch->sm.clusters) * r->core_hz;
    arithmetic(&c, r);
    matrices(&c, r->matrix);
    shared(&c, r->shared, r->broadcast);
    caches(&c, r);
    dram(&c, r->dram, r->stores);
    put(&c, set);
}

bool ww_rates_goes_with_data(ww_counter counter)
{
    return (counter >= WW_C_OP_INT_ADD && counter <= WW_C_OP_DDIV) ||
           counter == WW_C_RF_READ_LANES || counter == WW_C_RF_WRITE_LANES;
}
