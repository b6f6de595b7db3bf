/* nodes.h - technology nodes for the tests of tech/. */
#ifndef WW_TESTS_TECH_NODES_H
#define WW_TESTS_TECH_NODES_H

#include "tech/node.h"
#include "tests/support/test.h"

#define TECH_DIR WW_SOURCE_DIR "/configs/tech"

static inline ww_node node_at(double nm, ww_device_flavour flavour, double vdd_v, double temp_k)
{
    ww_error err = {0};
    ww_node_table *table = NULL;
    ww_node node;
    assert_ok(ww_node_load(TECH_DIR, nm * 1e-9, &table, &err), err);
    assert_ok(ww_node_at(table, flavour, vdd_v, temp_k, &node, &err), err);
    ww_node_destroy(table);
    return node;
}

#endif
