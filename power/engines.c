/* engines.c - the asynchronous engines of SMs that have them (compute capability 9.0 on): what they
 * spend beside the arrays, ports and wires that they share with others and that are charged there.
 * No part of them has a published energy or area of its own. Energies are estimates for 5 nm at
 * 0.85 V, bounded by whole boards where said, and go with the square of the voltage; calibrated
 * factors, which hold for other circuits, are taken out of them, their uncertainties are kept. */
#include <math.h>

#include "power/component.h"

enum { WARP_GROUPS = 90, QUEUE_BITS = 160, COMMAND_BITS = 1024, MAP_BITS = 1024, FLIT_BITS = 256 };

bool ww__has_engines(const ww_arch *arch)
{
    return arch->chip.compute_capability >= WARP_GROUPS;
}

/* An estimate in J, as events take it. */
static double estimate_j(const ww__builder *b, double pj)
{
    double over = b->arch->chip.vdd_v / 0.85;
    return b->factor > 0 ? pj * 1e-12 * over * over / b->factor : 0;
}

static void add_estimate(ww__builder *b, const char *name, ww_counter counter, double pj,
                         const char *why)
{
    ww__event(b, name, counter, estimate_j(b, pj), "estimate, %g pJ at 5 nm and 0.85 V: %s", pj,
              why);
}

void ww__build_matrix_engine(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    if (!ww__has_engines(arch)) {
        return;
    }
    ww_fu_cost lane = ww_fu_at(b->fu, b->node, WW_FU_TENSOR_FP16, WW_FU_LANE);
    ww_array_spec spec = ww_array_table(arch->async.matrix_queue, QUEUE_BITS, 1, 1);
    ww_array_result queue = ww__array(b, "products of warp groups", &spec);
    ww__structure(b, 1, "products of warp groups", arch->sm.count * arch->sm.schedulers,
                  queue.area_m2, queue.leak_w, "queue of a partition, assumed as wide: %s",
                  ww__array_text(b, &spec));
    ww__event(
        b, "multiply-accumulate, FP16, sums in FP16", WW_C_MMA_F16_SUM16, 0.8 * lane.energy_j,
        "0.8 of that with sums in FP32, assumed between 0.6 and 1: half of the bits of adders "
        "and sums; %s",
        lane.source);
    ww__values(b, WW_C_SWITCHED_MMA_F16_SUM16, WW__MATRIX_PARTS, WW__MATRIX_DATA,
               "as with sums in FP32; estimate");
    add_estimate(b, "product", WW_C_WG_PRODUCTS, 60,
                 "20 to 200, one instruction of four warps, descriptors read and stepped");
}

void ww__build_operand_rows(ww__builder *b, double bank_read_j, const char *text)
{
    if (ww__has_engines(b->arch)) {
        ww__event(b, "operand row", WW_C_OPERAND_ROWS, b->arch->ldst.shared_banks * bank_read_j,
                  "a row of 128 B for the matrix unit, past the crossbar; %s", text);
    }
}

void ww__build_copy_engine(ww__builder *b)
{
    const ww_async_params *p = &b->arch->async;
    if (!ww__has_engines(b->arch)) {
        return;
    }
    ww_array_spec commands = ww_array_table(p->copy_queue, COMMAND_BITS, 1, 1);
    ww_array_spec maps = ww_array_table(p->copy_maps, MAP_BITS, 1, 1);
    ww_array_result queue = ww__array(b, "copy commands", &commands);
    ww_array_result kept = ww__array(b, "tensor maps", &maps);
    ww__group(b, WW_GROUP_LDST, 1);
    ww__structure(b, 1, "copy engine", b->arch->sm.count, queue.area_m2 + kept.area_m2,
                  queue.leak_w + kept.leak_w, "commands and tensor maps, 128 B each: %s",
                  ww__array_text(b, &commands));
    add_estimate(b, "command", WW_C_COPY_COMMANDS, 300,
                 "100 to 800, as about ten instructions of a lane: map decoded, bounds checked");
    add_estimate(b, "request", WW_C_COPY_REQUESTS, 30,
                 "15 to 80, adders of addresses and the swizzle");
    add_estimate(b, "mbarrier operation", WW_C_OBJECT_OPS, 20,
                 "10 to 40, counts and phase of an object; its words are shared memory's");
}

void ww__build_between_sms(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    if (!ww__has_engines(arch)) {
        return;
    }
    double side_m = b->chip_side_m / sqrt(arch->sm.clusters);
    ww_cost link = ww_logic_wire(b->node, WW_WIRE_GLOBAL, 2.0 / 3 * side_m, FLIT_BITS);
    ww__structure(b, 1, "between SMs and parts of the L2", arch->sm.count, link.area_m2,
                  link.leak_w, "wire model: a link of %d b over %.3g mm, two thirds of a cluster",
                  FLIT_BITS, 2.0 / 3 * side_m * 1e3);
    add_estimate(b, "flit to another SM", WW_C_REMOTE_FLITS, 60,
                 "30 to 130, 32 B over half of the way between an SM and the L2");
    add_estimate(b, "multicast copy", WW_C_MULTICAST_BLOCKS, 40,
                 "20 to 90, 32 B over the last part of the way; read and trunk are charged once");
    add_estimate(b, "answer for a further SM", WW_C_ICNT_JOINED, 40,
                 "20 to 90, as a multicast copy; read and trunk are charged once");
    add_estimate(b, "arrival at a cluster's barrier", WW_C_CLUSTER_ARRIVALS, 200,
                 "50 to 500, two messages of 8 B, of a CTA");
    add_estimate(b, "crossing of the L2", WW_C_L2_CROSSED, 130,
                 "60 to 260, 32 B; a tenth of the 4.87 pJ/bit of an L2 access measured on a GH200 "
                 "(Antepara et al., SC 2025)");
}
