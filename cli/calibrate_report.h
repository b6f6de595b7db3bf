/* calibrate_report.h - a calibration in print. */
#ifndef WW_CLI_CALIBRATE_REPORT_H
#define WW_CLI_CALIBRATE_REPORT_H

#include "analysis/calibration.h"
#include "analysis/joint.h"

/** Factors, and unless as JSON rows and a summary. */
WW_NODISCARD ww_status ww_calibration_print(const ww_calibration *c, bool json, ww_error *err);
/** What another card's energies predict (ww_calibration_carry): factors, and unless as JSON rows
 * and a summary. */
WW_NODISCARD ww_status ww_calibration_print_carried(const ww_calibration *c, bool json,
                                                    ww_error *err);
/** Rows: measured, fitted and, where rows are left out in turn, predicted. */
WW_NODISCARD ww_status ww_calibration_print_rows(const ww_calibration *c, ww_error *err);
/** Factors that cards share and each card's, how each card is predicted without its rows, and
 * unless as JSON every row. */
WW_NODISCARD ww_status ww_joint_print(const ww_joint *j, bool json, ww_error *err);
/** Key, kind, standard uncertainty and correlations, as power.uncertainty names it. */
WW_NODISCARD ww_status ww_calibration_write_uncertainty(const ww_calibration *c, const char *path,
                                                        ww_error *err);

#endif
