/* sweep_parser.h - what the readers of a sweep file share. Private to run/. */
#ifndef WW_RUN_SWEEP_PARSER_H
#define WW_RUN_SWEEP_PARSER_H

#include "arch/arch.h"
#include "base/map.h"
#include "base/room.h"
#include "base/xml.h"
#include "run/sweep.h"

enum { WW__SWEEP_SETTINGS = 64 }; /* most parameters of a configuration, and of a workload */

typedef struct ww_sweep_parser {
    ww_sweep *sweep;
    const ww_xml *xml;
    const char *dir;       /* of the sweep file, for the GPU files it names */
    ww_arch_family family; /* descriptions that were read */
    ww_map set_names;
    size_t set_room, item_room, choice_room, measure_room, class_room, figure_room;
    ww_error *err;
} ww_sweep_parser;

WW_NODISCARD static inline ww_status ww__sweep_no_memory(ww_error *err)
{
    return ww_no_memory(err);
}

/* Copy in the sweep's arena; NULL for NULL. @error ENOMEM */
WW_NODISCARD ww_status ww__sweep_copy(ww_sweep_parser *p, const char *text, const char **out);

/* Adds a workload or a pass, whose name no other has. */
WW_NODISCARD ww_status ww__sweep_add_item(ww_sweep_parser *p, const ww_xml_node *node,
                                          const ww_sweep_item *item);

/* ---- sweep_pass.c ---- */
/* Reads a pass: an item for each batch and sequence of it. */
WW_NODISCARD ww_status ww__sweep_pass(ww_sweep_parser *p, const ww_xml_node *node);
/* What determines a pass's results besides the machine, in text. NULL: no memory. */
const char *ww__sweep_describe_pass(ww_sweep *sweep, const ww_sweep_pass *pass);

/* ---- sweep_sets.c ---- */
/* Reads a configuration: a set for each combination of what varies in it. */
WW_NODISCARD ww_status ww__sweep_configuration(ww_sweep_parser *p, const ww_xml_node *node);
/* Finds the choices that configurations name, and checks what each takes its values from. */
WW_NODISCARD ww_status ww__sweep_link(ww_sweep_parser *p);

/* ---- sweep_runs.c ---- */
/* Makes the runs: each configuration's workloads. */
WW_NODISCARD ww_status ww__sweep_runs(ww_sweep_parser *p, const char *version);

/* ---- sweep_study.c ---- */
/* Reads a choice, a measure, a class or a figure. */
WW_NODISCARD ww_status ww__sweep_study(ww_sweep_parser *p, const ww_xml_node *node);

#endif
