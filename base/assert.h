/* assert.h - what the code relies on, said where it does. Checked in builds for tests (the option
 * WW_ASSERTS), free and unevaluated in others. Never for what a user can cause: that is a
 * ww_error. */
#ifndef WW_BASE_ASSERT_H
#define WW_BASE_ASSERT_H

#ifdef __cplusplus
extern "C" {
#endif

#ifdef WW_ASSERTS
#define WW_ASSERT(condition)                                                                       \
    ((condition) ? (void)0 : ww_assert_failed(__FILE__, __LINE__, #condition, ""))
/* broken: expression that names what does not hold; NULL: all does. */
#define WW_VERIFY(broken) ww_assert_verified(__FILE__, __LINE__, broken)
#else
#define WW_ASSERT(condition) ((void)sizeof(condition))
#define WW_VERIFY(broken)    ((void)sizeof(broken))
#endif

/** Prints place, condition and note, and aborts. */
_Noreturn void ww_assert_failed(const char *file, int line, const char *condition,
                                const char *note);
/** The same unless broken is NULL. */
void ww_assert_verified(const char *file, int line, const char *broken);

#ifdef __cplusplus
}
#endif
#endif
