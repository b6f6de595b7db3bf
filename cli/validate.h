/* validate.h - the comparisons of `warpwatt validate`, and where their reference tables are. */
#ifndef WW_CLI_VALIDATE_H
#define WW_CLI_VALIDATE_H

#include "base/mem.h"
#include "cli/command.h"

/** `validate arrays`: memory arrays beside CACTI 7.0 and CACTI-P. EVERIFY when a bar is missed. */
ww_status ww_validate_arrays(const ww_args *args, ww_error *err);
/** `validate cycles`: cycles and event counts beside GPGPU-Sim's. EVERIFY when a bar is missed. */
ww_status ww_validate_cycles(const ww_args *args, ww_error *err);
/** `validate cycles --hardware`: cycles of public programs beside a GPU's own. EVERIFY when the
 * mean or median error is not below the PTX-level peer's. */
ww_status ww_validate_hardware(const ww_args *args, ww_error *err);
/** `validate cycles --memory`: latencies and bandwidths of the shipped GPUs beside measured ones.
 * EVERIFY when one is off by more than 15 %. */
ww_status ww_validate_memory(const ww_args *args, ww_error *err);
/** `validate cycles --rates`: rates of public benchmarks on GPUs beside those of the same kernels
 * here. No bar. */
ww_status ww_validate_rates(const ww_args *args, ww_error *err);
/** `validate power`: metrics and component powers beside LPGPU D5.5.3's. EVERIFY when a bar is
 * missed. */
ww_status ww_validate_power(const ww_args *args, ww_error *err);
/** `validate structures`: the tables that published mechanisms add, beside their papers. */
ww_status ww_validate_structures(const ww_args *args, ww_error *err);

/** `validate area`: die and SM areas, static powers and mechanisms' overheads beside published
 * ones.
 */
ww_status ww_validate_area(const ww_args *args, ww_error *err);
/** `validate measured`: powers and energies beside those measured on GPUs. */
ww_status ww_validate_measured(const ww_args *args, ww_error *err);
/** `validate h264`: motion compensation beside D5.5.3's. EVERIFY when something goes the other way.
 */
ww_status ww_validate_h264(const ww_args *args, ww_error *err);

/** `validate paper NAME`: a study's sweep beside what its paper prints. EVERIFY when a band is
 * missed or a run is missing. */
ww_status ww_validate_paper(const ww_args *args, ww_error *err);

/**
 * A shipped reference table: in the source tree this was built from, in
 * ../share/warpwatt/validation beside the program, or in the installation's data directory.
 * @param name  "arrays.csv"
 * @error ENOTFOUND, ENOMEM
 */
ww_status ww_validation_file(ww_arena *arena, const char *name, const char **out, ww_error *err);

#endif
