/* Names that the linker sees. */
int ww_seen(void);
int seen(void);

static int unseen(void)
{
    return 1;
}

int ww_seen(void)
{
    return unseen();
}

int seen(void) /* refused: public-name */
{
    return unseen();
}
