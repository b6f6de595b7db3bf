/* noc.c - NOC, the interconnect: a request and a reply crossbar between SMs and L2 slices, with
 * buffers and arbiters at its ports and links across the die; or two meshes (noc_mesh.c).
 *
 * Crossbar, buffer and arbiter follow Orion (Wang, Peh, Malik, MICRO-35 2002). A link is as long as
 * the mean Manhattan distance of two points of a square, two thirds of its side; the square is the
 * die or, where its area is not known, the SMs and the L2 as modelled. */
#include "power/component.h"

/* One direction. */
typedef struct network {
    const char *name;
    uint32_t inputs, outputs, buffer_flits;
    ww_counter packets, flits, switched; /* bits of data */
} network;

static void add_network(ww__builder *b, network n)
{
    const ww_icnt_params *icnt = &b->arch->icnt;
    uint32_t bits = icnt->flit_bytes * 8;
    double length_m = 2.0 / 3 * b->chip_side_m;
    ww_cost xbar = ww_logic_crossbar(b->node, n.inputs, n.outputs, bits);
    ww_cost arbiter = ww_logic_arbiter(b->node, n.inputs);
    ww_cost link = ww_logic_wire(b->node, WW_WIRE_GLOBAL, length_m, bits);
    ww_array_spec spec = ww_array_table(n.buffer_flits, bits, 1, 1);
    ww_array_result buffer = ww__array(b, n.name, &spec);
    ww__structure(b, 1, n.name, 1, 0, 0, "%u inputs, %u outputs, flits of %u B", (unsigned)n.inputs,
                  (unsigned)n.outputs, (unsigned)icnt->flit_bytes);

    ww__structure(b, 2, "crossbar", 1, xbar.area_m2, xbar.leak_w,
                  "logic model: %u x %u x %u b (Orion)", (unsigned)n.inputs, (unsigned)n.outputs,
                  (unsigned)bits);
    ww__event(b, "flit", n.flits, xbar.energy_j * WW__RANDOM_TOGGLE,
              "logic model: one traversal, half the wires toggle");
    ww__values(b, n.switched, bits, 1, "wires");
    ww__structure(b, 2, "arbiters", n.outputs, arbiter.area_m2, arbiter.leak_w,
                  "logic model: matrix arbiter over %u inputs per output", (unsigned)n.inputs);
    ww__event(b, "packet", n.packets, arbiter.energy_j, "logic model: one grant");
    ww__structure(b, 2, "links", n.inputs, link.area_m2, link.leak_w,
                  "wire model: %u b over %.3g mm, two thirds of the side of the die",
                  (unsigned)bits, length_m * 1e3);
    ww__event(b, "flit", n.flits, link.energy_j * WW__RANDOM_TOGGLE,
              "wire model: %.3g mm, half the wires toggle", length_m * 1e3);
    ww__values(b, n.switched, bits, 1, "wires");
    ww__structure(b, 2, "buffers", n.inputs + n.outputs, buffer.area_m2, buffer.leak_w, "%s",
                  ww__array_text(b, &spec));
    ww__event(b, "flit", n.flits, 2 * (buffer.write_j + buffer.read_j),
              "array model: written and read at the input and at the output");
    ww__values(b, n.switched, bits, ww__buffer_share(&buffer), "%s", WW__ARRAY_DATA);
}

void ww__build_noc(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    uint32_t sms = arch->sm.count, slices = ww_arch_slices(arch), flit = arch->icnt.flit_bytes;
    /* Buffers hold whole packets: a header, and a line of data in the direction that carries it. */
    uint32_t packet_flits = (arch->l2.line_bytes + arch->icnt.control_bytes + flit - 1) / flit;
    uint32_t buffer_flits = arch->icnt.input_packets * packet_flits;
    ww__component(b, WW_COMPONENT_NOC, arch->power.noc_factor);
    if (arch->icnt.topology == WW_ICNT_MESH) {
        ww__build_noc_mesh(b, buffer_flits);
        ww__build_between_sms(b);
        ww__placement(b);
        return;
    }
    add_network(b, (network){"request network", sms, slices, buffer_flits, WW_C_ICNT_REQ_PACKETS,
                             WW_C_ICNT_REQ_FLITS, WW_C_SWITCHED_ICNT_REQ});
    add_network(b, (network){"reply network", slices, sms, buffer_flits, WW_C_ICNT_REP_PACKETS,
                             WW_C_ICNT_REP_FLITS, WW_C_SWITCHED_ICNT_REP});
    ww__build_between_sms(b);
    ww__placement(b);
}
