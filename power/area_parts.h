/* area_parts.h - the area of a chip by component, and what is left of its die. */
#ifndef WW_POWER_AREA_PARTS_H
#define WW_POWER_AREA_PARTS_H

#include "power/power.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Structures together: of a component inside the SMs or outside of them, of all that is modelled,
 * of what is left of a published die, of the die, of one SM without mechanisms. */
typedef struct ww_area_part {
    const char *name;
    double circuits_m2, fits_m2; /* by geometry; by published fits */
    double area_m2;              /* with what is left */
    double of_die, of_sms; /* shares; 0: the die is not published; it lies outside of the SMs */
    double leakage_w;
} ww_area_part;

enum { WW_AREA_PARTS = 2 * WW_COMPONENT_COUNT + 4 }; /* at most */

/** The parts that have area or leakage, components first. Returns their number. */
size_t ww_power_area_parts(const ww_power_model *model, const ww_arch *arch,
                           ww_area_part out[WW_AREA_PARTS]);

#ifdef __cplusplus
}
#endif
#endif
