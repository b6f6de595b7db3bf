/* mesh.h - the routers of a network that is a mesh (icnt.topology): they take the packets from the
 * network's inputs to its outputs. Every tile has a router with a port to each neighbour and one
 * for every input and output that lies there. Packets go along the row first, then along the column
 * (dimension order: no cycle of waits, hence no deadlock; Dally & Seitz, IEEE Trans. Computers
 * 1987). Between routers the flow is that of virtual cut-through (Kermani & Kleinrock, Computer
 * Networks 1979): a router holds a packet in the buffer of its virtual channel, icnt.vc_flits for
 * each channel of each port, and hands it on when its head is there, the link is free and the next
 * router has room for all of it, which credits tell. A packet keeps its channel, output mod
 * channels, so that packets of one flow stay in order.
 * From a router's grant, in cycle t, the head is at the next router, or at the output, in t +
 * icnt.router_latency + icnt.link_latency and the tail flits - 1 behind; the link and the input
 * port are taken for as many cycles as there are flits; the room is there again icnt.link_latency
 * behind the last flit. An unhindered packet that passes h links is granted at its source the cycle
 * after it was pushed, and its tail arrives (h + 1) (router + link) + flits - 1 cycles later. */
#ifndef WW_PERF_MEM_MESH_H
#define WW_PERF_MEM_MESH_H

#include "perf/mem/packet.h"

typedef struct ww_net ww_net;
typedef struct ww_mesh ww_mesh;

/** Cycles from a router's grant until the head is where it goes. */
static inline uint32_t ww__mesh_hop(const ww_icnt_params *params)
{
    return params->router_latency + params->link_latency;
}

/**
 * Makes a network, just initialised, a mesh.
 * @param input_tile, output_tile  [input], [output] tiles of a grid of columns x rows; those of one
 * tile follow each other
 * @return false when out of memory
 */
bool ww__mesh_attach(ww_net *net, const ww_icnt_params *params, uint32_t columns, uint32_t rows,
                     const uint32_t *input_tile, const uint32_t *output_tile, ww_arena *arena);
/** Queue q of the network's inputs has a head. */
void ww__mesh_wake(ww_mesh *mesh, uint32_t q);
/** One cycle of all routers: may hand packets to the outputs. Lowers net->next. */
void ww__mesh_switch(ww_net *net, uint64_t now);

#endif
