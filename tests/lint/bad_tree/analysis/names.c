/* What others must know of a mechanism is a row of its mech.def. */
static int known(const ww_arch *arch)
{
    return arch->mech[WW_MECH_ONE] &&         /* refused: rooms */
           ww_mech_one.name != NULL &&        /* refused: rooms */
           arch->one.entries > WW_MECH_COUNT; /* refused: rooms */
}

static uint64_t counted(const uint64_t *v)
{
    return v[WW_C_ONE_CTA] +      /* refused: rooms */
           v[WW_C_ONE_MORE_CTA] + /* refused: rooms */
           v[WW_C_CTAS];
}
