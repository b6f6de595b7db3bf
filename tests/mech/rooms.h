/* rooms.h - the mechanisms' parameters as shipped, for tests that hold for every room. */
#ifndef WW_TESTS_MECH_ROOMS_H
#define WW_TESTS_MECH_ROOMS_H

#include "arch/arch.h"

/** Switches every mechanism on in a machine made by hand, each with the parameters of its file. */
void with_every_room(ww_arch *arch);

#endif
