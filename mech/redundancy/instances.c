/* instances.c - a table of instances with open addressing, which grows. */
#include <string.h>

#include "base/assert.h"
#include "mech/redundancy/redundancy.h"

enum { FIRST_SIZE = 1024, MOST = 1 << 22 };

static uint64_t key_of(uint32_t pc, uint32_t n)
{
    return ((uint64_t)n << 32 | pc) + 1;
}

static rd_instance *find(const rd_table *t, uint64_t key)
{
    WW_ASSERT(t->count < t->size); /* a free place ends every search */
    uint64_t i = (key * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
    while (t->at[i & (t->size - 1)].key != 0 && t->at[i & (t->size - 1)].key != key) {
        i++;
    }
    return &t->at[i & (t->size - 1)];
}

/* Room for one more, at most half full; false: there is none. */
static bool grow(rd_table *t)
{
    if (2 * t->count < t->size) {
        return true;
    }
    rd_table larger = {.size = t->size > 0 ? 2 * t->size : FIRST_SIZE, .count = t->count};
    larger.at = larger.size <= MOST ? WW_NEW_ARRAY(rd_instance, larger.size) : NULL;
    if (larger.at == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < t->size; i++) {
        if (t->at[i].key != 0) {
            *find(&larger, t->at[i].key) = t->at[i];
        }
    }
    ww_free(t->at);
    *t = larger;
    return true;
}

bool rd_note(rd_table *t, uint32_t pc, uint32_t n, const rd_values *v)
{
    const uint32_t operands = (uint32_t)(v->operands >> 32), result = (uint32_t)(v->result >> 32);
    if (!grow(t)) {
        return false;
    }
    rd_instance *e = find(t, key_of(pc, n));
    if (e->key == 0) {
        *e = (rd_instance){.key = key_of(pc, n),
                           .operands = operands,
                           .result = result,
                           .uniform = v->uniform,
                           .affine = v->affine};
        t->count++;
    }
    e->warps++;
    e->operands_differ = e->operands_differ || e->operands != operands;
    e->differ = e->differ || e->operands_differ || e->result != result;
    return true;
}

void rd_forget(rd_table *t)
{
    if (t->count > 0) {
        memset(t->at, 0, t->size * sizeof *t->at);
    }
    t->count = 0;
}

void rd_free(rd_table *t)
{
    ww_free(t->at);
    *t = (rd_table){0};
}
