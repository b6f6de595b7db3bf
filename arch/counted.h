/* counted.h - which machines count alike. */
#ifndef WW_ARCH_COUNTED_H
#define WW_ARCH_COUNTED_H

#include "arch/arch.h"

/** As config_hash, of what counters follow from: power.* says what counts cost, and is not in it.
 */
uint64_t ww_arch_counted_hash(const ww_arch *arch);

#endif
