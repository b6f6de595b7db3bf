/* noc_mesh.c - the NOC as a mesh (icnt.topology): per direction a router per tile with a crossbar,
 * an arbiter per port and a buffer per port and virtual channel, links of a tile's side between
 * them, and the same buffers at the network's ends as those of the crossbar. Crossbar, buffer and
 * arbiter follow Orion (Wang, Peh, Malik, MICRO-35 2002).
 *
 * A flit passes as many links as its SM and slice are apart, and a router more. Addresses are
 * spread evenly over the slices, so that the events count that distance's mean over all pairs of
 * the plan (arch/mesh.h): the counters of the crossbar are enough, also when they come from another
 * tool. */
#include "arch/mesh.h"
#include "power/component.h"

typedef struct geometry {
    uint32_t routers, ports, links; /* ports of a router, links of a direction of traffic */
    double distance;                /* mean, in links */
    double tile_m;                  /* mean side */
    uint32_t end_flits;             /* buffer of an input or output */
} geometry;

static geometry measure(const ww__builder *b, const ww_mesh_plan *plan, uint32_t end_flits)
{
    uint32_t c = plan->columns, r = plan->rows;
    return (geometry){.routers = c * r,
                      .ports = 4 + b->arch->mem.slices,
                      .links = 2 * (r * (c - 1) + c * (r - 1)),
                      .distance = ww_mesh_mean_distance(plan, b->arch),
                      .tile_m = b->chip_side_m * (1.0 / c + 1.0 / r) / 2,
                      .end_flits = end_flits};
}

static void add_routers(ww__builder *b, const geometry *g, ww_counter packets, ww_counter flits,
                        ww_counter switched)
{
    const ww_icnt_params *icnt = &b->arch->icnt;
    uint32_t bits = icnt->flit_bytes * 8, channels = icnt->virtual_channels;
    double passed = g->distance + 1;
    ww_cost xbar = ww_logic_crossbar(b->node, g->ports, g->ports, bits);
    ww_cost arbiter = ww_logic_arbiter(b->node, g->ports * channels);
    ww_array_spec spec = ww_array_table(icnt->vc_flits * channels, bits, 1, 1);
    ww_array_result buffer = ww__array(b, "router buffer", &spec);
    ww__structure(b, 2, "router crossbars", g->routers, xbar.area_m2, xbar.leak_w,
                  "logic model: %u x %u x %u b (Orion), one per tile", (unsigned)g->ports,
                  (unsigned)g->ports, (unsigned)bits);
    ww__event(b, "flit", flits, passed * xbar.energy_j * WW__RANDOM_TOGGLE,
              "logic model: a traversal in each of %.3g routers, half the wires toggle", passed);
    ww__values(b, switched, bits, 1, "wires");
    ww__structure(b, 2, "router arbiters", g->routers * g->ports, arbiter.area_m2, arbiter.leak_w,
                  "logic model: matrix arbiter over the channels of a router's ports");
    ww__event(b, "packet", packets, passed * arbiter.energy_j,
              "logic model: a grant in each of %.3g routers", passed);
    ww__structure(b, 2, "router buffers", 4 * g->routers, buffer.area_m2, buffer.leak_w, "%s",
                  ww__array_text(b, &spec));
    ww__event(b, "flit", flits, g->distance * (buffer.write_j + buffer.read_j),
              "array model: written and read behind each of %.3g links", g->distance);
    ww__values(b, switched, bits, ww__buffer_share(&buffer), "%s", WW__ARRAY_DATA);
}

static void add_links(ww__builder *b, const geometry *g, ww_counter flits, ww_counter switched)
{
    uint32_t bits = b->arch->icnt.flit_bytes * 8;
    ww_cost link = ww_logic_wire(b->node, WW_WIRE_GLOBAL, g->tile_m, bits);
    ww__structure(b, 2, "links", g->links, link.area_m2, link.leak_w,
                  "wire model: %u b over %.3g mm, the side of a tile", (unsigned)bits,
                  g->tile_m * 1e3);
    ww__event(b, "flit", flits, g->distance * link.energy_j * WW__RANDOM_TOGGLE,
              "wire model: %.3g links of %.3g mm, half the wires toggle", g->distance,
              g->tile_m * 1e3);
    ww__values(b, switched, bits, 1, "wires");
}

static void add_ends(ww__builder *b, const geometry *g, ww_counter flits, ww_counter switched)
{
    const ww_arch *arch = b->arch;
    ww_array_spec spec = ww_array_table(g->end_flits, arch->icnt.flit_bytes * 8, 1, 1);
    ww_array_result buffer = ww__array(b, "network end", &spec);
    ww__structure(b, 2, "buffers", arch->sm.count + ww_arch_slices(arch), buffer.area_m2,
                  buffer.leak_w, "%s", ww__array_text(b, &spec));
    ww__event(b, "flit", flits, 2 * (buffer.write_j + buffer.read_j),
              "array model: written and read at the input and at the output");
    ww__values(b, switched, arch->icnt.flit_bytes * 8, ww__buffer_share(&buffer), "%s",
               WW__ARRAY_DATA);
}

void ww__build_noc_mesh(ww__builder *b, uint32_t end_flits)
{
    static const struct {
        const char *name;
        ww_counter packets, flits, switched;
    } networks[] = {
        {"request network", WW_C_ICNT_REQ_PACKETS, WW_C_ICNT_REQ_FLITS, WW_C_SWITCHED_ICNT_REQ},
        {"reply network", WW_C_ICNT_REP_PACKETS, WW_C_ICNT_REP_FLITS, WW_C_SWITCHED_ICNT_REP}};
    ww_mesh_plan plan;
    if (b->status != WW_OK) {
        return;
    }
    b->status = ww_mesh_plan_make(b->arch, &b->model->arena, &plan, b->err);
    if (b->status != WW_OK) {
        return;
    }
    geometry g = measure(b, &plan, end_flits);
    for (size_t i = 0; i < WW_ARRAY_LEN(networks); i++) {
        ww__structure(b, 1, networks[i].name, 1, 0, 0, "mesh of %u x %u routers, flits of %u B",
                      (unsigned)plan.columns, (unsigned)plan.rows,
                      (unsigned)b->arch->icnt.flit_bytes);
        add_routers(b, &g, networks[i].packets, networks[i].flits, networks[i].switched);
        add_links(b, &g, networks[i].flits, networks[i].switched);
        add_ends(b, &g, networks[i].flits, networks[i].switched);
    }
}
