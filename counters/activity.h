/* activity.h - what reader and writer of activity files agree on; private to counters/.
 *
 *   <activity schema="1" gpu="gtx580" config_hash="0x…" sms="16" slices="12" channels="6">
 *     <launch index="0" workload="backprop:std" kernel="layerforward" grid="1 4096 1" …>
 *       <component name="chip"><stat name="chip.cycles.core" value="…"/></component>
 *       <component name="sm0">…</component> … <component name="slice0">… <component
 * name="channel0">…
 *       <sampling extrapolated="0.9"><stat name="chip.cycles.core" value="…"/></sampling>
 *       <interval first="0" last="1000"><component name="chip">…</component>…</interval>
 *     </launch>
 *   </activity>
 *
 * "component" and "stat" are McPAT's elements. Every instance has its component, or one named
 * "total" has the counters of all of them together; a stat that is 0 may be left out. The schema is
 * configs/schema/activity.xsd. "sampling" is there when part of the launch was not simulated in
 * time; its stats are half-widths of the 95 % intervals of the counters' totals. "interval"
 * elements are there when snapshots were asked for: increments between two core cycles of the
 * launch, one interval behind the other from cycle 0, as totals; a component without counts may be
 * left out.
 */
#ifndef WW_COUNTERS_ACTIVITY_H
#define WW_COUNTERS_ACTIVITY_H

#include "base/str.h"
#include "counters/counters.h"

enum { WW__ACTIVITY_SCHEMA = 1 };

/* Component names are these followed by the instance number; "chip" stands alone. Indexed by
 * ww_scope. */
extern const char *const ww__scope_prefix[WW_SCOPE_COUNT];

/* Attributes of a launch that are plain fields of ww_launch_record: X(attribute and field name). */
#define WW__LAUNCH_COUNTS(X) X(registers) X(shared_bytes) X(ctas_per_sm)
#define WW__LAUNCH_REALS(X)  X(core_hz) X(icnt_hz) X(l2_hz) X(dram_hz) X(vdd_v) X(temperature_k)
#define WW__POINT_REALS(X)   X(core_hz) X(vdd_v) X(temperature_k)

/* How a launch and a file end. */
#define WW__LAUNCH_END   "  </launch>\n"
#define WW__ACTIVITY_END "</activity>\n"

/* ---- activity_write.c: what a whole file and a journal are made of ---- */
WW_NODISCARD ww_status ww__activity_check_gpu(const char *gpu, ww_error *err);
/* Can the launch be written into a file of counters of that shape (ww_counter_set.count)? */
WW_NODISCARD ww_status ww__activity_check(const ww_launch_record *launch, const uint32_t *shape,
                                          ww_error *err);
void ww__activity_put_head(ww_str *out, const char *gpu, uint64_t config_hash,
                           const uint32_t *shape);
/* All of a launch but its intervals and its end. */
void ww__activity_put_launch(ww_str *out, const ww_launch_record *launch);

#endif
