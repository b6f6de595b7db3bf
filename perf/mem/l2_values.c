/* l2_values.c - bits that switch in a slice's data array and at its port. */
#include "perf/mem/l2.h"

/* Bytes of a slice pass a place: `counter` is that of bits that switch. */
static void pass(const ww_l2 *l2, uint32_t s, ww_passed *place, uint64_t local, uint32_t bytes,
                 uint32_t width, uint32_t owner, ww_counter counter)
{
    const uint64_t address = ww__addrmap_global(l2->dram[s / l2->per_channel].map, s, local);
    const ww_switches n = ww__values_pass(l2->values, &place[s], address, bytes, width);
    ww__l2_count(l2, &l2->slice[s], owner, counter, n.switched);
    ww__l2_count(l2, &l2->slice[s], owner, (ww_counter)(counter + 1), n.compared);
}

void ww__l2_note_read(const ww_l2 *l2, uint32_t s, uint64_t local, uint32_t bytes, uint32_t owner)
{
    pass(l2, s, l2->values->read, local, bytes, l2->sector_bytes, owner, WW_C_SWITCHED_L2_READ);
}

void ww__l2_note_write(const ww_l2 *l2, uint32_t s, uint64_t local, uint32_t bytes, uint32_t owner)
{
    pass(l2, s, l2->values->write, local, bytes, l2->sector_bytes, owner, WW_C_SWITCHED_L2_WRITE);
}

void ww__l2_note_reply(const ww_l2 *l2, uint32_t s, const ww_packet *packet)
{
    pass(l2, s, l2->values->reply, packet->local, packet->req.bytes, l2->values->flit_bytes,
         packet->req.owner, WW_C_SWITCHED_ICNT_REP);
}

void ww__l2_note_sectors(const ww_l2 *l2, uint32_t s, uint64_t line, uint32_t sectors, bool write,
                         uint32_t owner)
{
    for (uint32_t bits = sectors; bits != 0; bits &= bits - 1) {
        const uint64_t local = line + ((uint64_t)__builtin_ctz(bits) << l2->sector_shift);
        if (write) {
            ww__l2_note_write(l2, s, local, l2->sector_bytes, owner);
        } else {
            ww__l2_note_read(l2, s, local, l2->sector_bytes, owner);
        }
    }
}
