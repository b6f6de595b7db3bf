/* port.h - the data port of an SM's shared memory as cycles that are taken: loads and stores of
 * warps, operand reads of the matrix unit and writes of asynchronous copies share it, a row of 128
 * bytes in a cycle. Who comes takes the first free cycles; what a product of the matrix unit will
 * read is taken when it begins, spread over its time. Pure. */
#ifndef WW_PERF_SM_ASYNC_PORT_H
#define WW_PERF_SM_ASYNC_PORT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { WW_SMEM_WORDS = 16, WW_SMEM_ROW_BYTES = 128, WW_SMEM_AHEAD = 64 * WW_SMEM_WORDS };

typedef struct ww_smem_port {
    uint64_t from;                 /* cycle of the first bit: a multiple of 64 */
    uint64_t taken[WW_SMEM_WORDS]; /* ring by cycle */
} ww_smem_port;

/** Nothing is taken from cycle now on. */
void ww_smem_port_reset(ww_smem_port *port, uint64_t now);
/** Takes n free cycles, none before `from`; cycles before now are forgotten. Returns the cycle
 * behind the last of them; `from` where n is 0. What would lie further ahead than is kept track of
 * (WW_SMEM_AHEAD) is not taken. */
uint64_t ww_smem_port_take(ww_smem_port *port, uint64_t now, uint64_t from, uint32_t n);
/** Takes n free cycles, the i-th none before from + i * over / n; as take. */
uint64_t ww_smem_port_spread(ww_smem_port *port, uint64_t now, uint64_t from, uint32_t n,
                             uint32_t over);

#ifdef __cplusplus
}
#endif
#endif
