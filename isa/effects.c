/* effects.c - the column EFFECTS of the operation table, and what space, variant and modifiers of
 * an instruction make of it. */
#include "isa/effects.h"

/* The words of the column. Those behind the places are replaced for an instruction. */
enum {
#define X(id, text) id = WW_AT_##id,
    WW_PLACE_MAP(X)
#undef X
        SPACE = 1u << WW_PLACE_COUNT,
    SOURCE = SPACE << 1,
    TARGET = SPACE << 2,
    HOST = SPACE << 3,
    NOTHING = 0
};
_Static_assert(WW_PLACE_COUNT + 4 <= 31, "places and the words that stand for some fit a set");

enum {
    LANES = WW_MEETS_LANES,
    WARP = WW_MEETS_WARP,
    WARP_GROUP = WW_MEETS_WARP_GROUP,
    CTA = WW_MEETS_CTA,
    CLUSTER = WW_MEETS_CLUSTER,
    GRID = WW_MEETS_GRID,
    SHARERS = 1u << 14,
    SCOPE = 1u << 15,
    NOBODY = 0
};

enum {
    COPY_GROUP = WW_BY_COPY_GROUP,
    BULK_GROUP = WW_BY_BULK_GROUP,
    MATRIX_GROUP = WW_BY_MATRIX_GROUP,
    OBJECT = WW_BY_OBJECT,
    ARRIVALS = WW_BY_ARRIVALS,
    TIME = WW_BY_TIME,
    GRIDS = WW_BY_GRIDS,
    ROOM = WW_BY_ROOM,
    ITSELF = 0
};

enum {
    GUARDED = WW_MAY_GUARDED,
    HOISTED = WW_MAY_HOISTED,
    REPEATED = WW_MAY_REPEATED,
    DROPPED = WW_MAY_DROPPED,
    NONE = 0
};

/* A row says all seven: what is left out does not compile. */
#define DOES(r, w, m, t, c, g, y)                                                                  \
    {                                                                                              \
        r, w, m, t, c, g, y                                                                        \
    }
#define READS(set)   .reads = (set)
#define WRITES(set)  .writes = (set)
#define MEETS(set)   .meets = (set)
#define WAITS(set)   .waits = (set)
#define ENDS_BY(set) .completes = (set)
#define GOES(where)  .goes = WW_GOES_##where
#define MAY(set)     .may = (set)
#define COMPUTES                                                                                   \
    DOES(READS(WW_AT_VALUES), WRITES(WW_AT_VALUES), MEETS(NOBODY), WAITS(NOTHING),                 \
         ENDS_BY(ITSELF), GOES(ON), MAY(GUARDED | HOISTED | REPEATED | DROPPED))

static const ww_effects rows[WW_OP_COUNT] = {
#define WW_OP(id, mnemonic, kind, unit, latency, cost, event, fp, form, constants, effects, about) \
    [WW_OP_##id] = effects,
#include "isa/ops.def"
#undef WW_OP
};

static const uint8_t constants_of[WW_OP_COUNT] = {
#define WW_OP(id, mnemonic, kind, unit, latency, cost, event, fp, form, constants, effects, about) \
    [WW_OP_##id] = WW_CONSTANTS_##constants,
#include "isa/ops.def"
#undef WW_OP
};

/* What an address of a state space may name; 0, as of one that is not listed: anything. */
static const uint32_t space_places[WW_SPACE_COUNT] = {
    [WW_SPACE_GLOBAL] = WW_AT_GLOBAL,   [WW_SPACE_SHARED] = WW_AT_SHARED,
    [WW_SPACE_LOCAL] = WW_AT_LOCAL,     [WW_SPACE_CONST] = WW_AT_CONSTANT,
    [WW_SPACE_PARAM] = WW_AT_PARAMETER, [WW_SPACE_TEX] = WW_AT_TEXTURE,
};

static uint32_t places_of(ww_space space)
{
    uint32_t places = (unsigned)space < WW_SPACE_COUNT ? space_places[space] : 0;
    return places != 0 ? places : WW_AT_GENERIC;
}

bool ww_op_leaves(ww_op op)
{
    return (unsigned)op >= WW_OP_COUNT || rows[op].goes != WW_GOES_ON;
}

static uint32_t resolved(uint32_t set, ww_space space, ww_sub sub)
{
    uint32_t own = places_of(space), inside = WW_AT_SHARED;
    bool out = sub == WW_SUB_TO;
    uint32_t places = set & WW_AT_EVERYTHING;
    places |= (set & SPACE) != 0 ? own : 0;
    places |= (set & SOURCE) == 0 ? 0 : out ? inside : own;
    places |= (set & TARGET) == 0 ? 0 : out ? own : inside;
    places |= (set & HOST) != 0 && ww_sub_is_builtin(sub) ? WW_AT_EVERYTHING : 0;
    return places;
}

/* Those to whom what lies in the places is the same. */
static uint16_t sharers_of(uint32_t places)
{
    const uint32_t others =
        WW_AT_EVERYTHING &
        ~(WW_AT_VALUES | WW_AT_SHARED | WW_AT_CLUSTER_SHARED | WW_AT_LOCAL | WW_AT_PARAMETER |
          WW_AT_TEXTURE | WW_AT_OBJECTS | WW_AT_GROUPS | WW_AT_ORDER);
    return (places & others) != 0                 ? WW_MEETS_GRID
           : (places & WW_AT_CLUSTER_SHARED) != 0 ? WW_MEETS_CLUSTER
           : (places & WW_AT_SHARED) != 0         ? WW_MEETS_CTA
                                                  : 0;
}

static uint16_t met_in_scope(ww_sub sub)
{
    return sub == WW_SUB_CTA ? WW_MEETS_CTA : WW_MEETS_GRID;
}

ww_effects ww_op_effects(ww_op op, ww_space space, ww_sub sub, uint32_t mods)
{
    if ((unsigned)op >= WW_OP_COUNT) {
        return (ww_effects){.reads = WW_AT_EVERYTHING,
                            .writes = WW_AT_EVERYTHING,
                            .meets = WW_MEETS_EVERYBODY,
                            .waits = WW_BY_ANYTHING,
                            .completes = WW_BY_ANYTHING,
                            .goes = WW_GOES_ABORTS};
    }
    ww_effects e = rows[op];
    const bool host = ((e.reads | e.writes) & HOST) != 0 && ww_sub_is_builtin(sub);
    e.reads = resolved(e.reads, space, sub);
    e.writes = resolved(e.writes, space, sub);
    const uint32_t memory = (e.reads | e.writes) & (WW_AT_MEMORY | WW_AT_READ_ONLY);
    bool shared = (e.meets & SHARERS) != 0;
    bool scoped = (e.meets & SCOPE) != 0;
    e.meets &= WW_MEETS_EVERYBODY;
    if (memory != 0) {
        const uint32_t watched = WW_MOD_VOLATILE | WW_MOD_ORDERED;
        shared = shared || (mods & (watched | WW_MOD_CACHE_CV)) != 0;
        e.may &= (mods & (watched | WW_MOD_CACHE_CV)) != 0 ? (uint8_t)~WW_MAY_REPEATED : UINT8_MAX;
        e.may &= (mods & watched) != 0 ? (uint8_t) ~(WW_MAY_HOISTED | WW_MAY_DROPPED) : UINT8_MAX;
    }
    e.writes |= (mods & WW_MOD_ORDERED) != 0 ? WW_AT_ORDER : 0;
    e.meets |= shared ? sharers_of(e.reads | e.writes) : 0;
    e.meets |= scoped ? met_in_scope(sub) : 0;
    e.meets |= host ? WW_MEETS_EVERYBODY : 0;
    return e;
}

bool ww_effects_compute(const ww_effects *e)
{
    return ((e->reads | e->writes) & ~(uint32_t)WW_AT_VALUES) == 0 && e->meets == 0 &&
           e->waits == 0 && e->completes == 0 && e->goes == WW_GOES_ON;
}

const char *ww_place_name(unsigned place)
{
    static const char *const names[] = {
#define X(id, text) text,
        WW_PLACE_MAP(X)
#undef X
    };
    return place < WW_PLACE_COUNT ? names[place] : "?";
}

ww_constants ww_op_constants(ww_op op)
{
    return (unsigned)op < WW_OP_COUNT ? (ww_constants)constants_of[op] : WW_CONSTANTS_NEVER;
}
