/* SPDX-License-Identifier: MIT */
/*
 * tkt/annotate.h - compiler attributes
 *
 * TKT_TSA_*: clang's thread-safety analysis (-Wthread-safety); nothing with
 * other compilers.
 */
#ifndef TKT_ANNOTATE_H
#define TKT_ANNOTATE_H

#if defined(__clang__)
#define TKT_X_TSA(x) __attribute__((x))
#else
#define TKT_X_TSA(x)
#endif

#define TKT_TSA_CAPABILITY(name) TKT_X_TSA(capability(name))
#define TKT_TSA_SCOPED TKT_X_TSA(scoped_lockable)
#define TKT_TSA_GUARDED_BY(l) TKT_X_TSA(guarded_by(l))
#define TKT_TSA_REQUIRES(...) TKT_X_TSA(requires_capability(__VA_ARGS__))
#define TKT_TSA_ACQUIRE(...) TKT_X_TSA(acquire_capability(__VA_ARGS__))
#define TKT_TSA_TRY_ACQUIRE(...) TKT_X_TSA(try_acquire_capability(__VA_ARGS__))
#define TKT_TSA_RELEASE(...) TKT_X_TSA(release_capability(__VA_ARGS__))
#define TKT_TSA_EXCLUDES(...) TKT_X_TSA(locks_excluded(__VA_ARGS__))
/* On the functions that implement a lock, which look inside it. */
#define TKT_TSA_OFF TKT_X_TSA(no_thread_safety_analysis)

/*
 * A step of the slow path: out of line, so that a profile names it; and what
 * must be part of it for that reason.
 */
#if defined(__clang__)
#define TKT_X_SLOW static __attribute__((noinline, cold, unused)) TKT_TSA_OFF
#else
#define TKT_X_SLOW static __attribute__((noinline, noclone, cold, unused))
#endif

#define TKT_X_INLINE static inline __attribute__((always_inline))

#define TKT_X_LIKELY(x) __builtin_expect(!!(x), 1)
#define TKT_X_UNLIKELY(x) __builtin_expect(!!(x), 0)

#ifdef __cplusplus
#define TKT_X_STATIC_ASSERT(cond, text) static_assert(cond, text)
#else
#define TKT_X_STATIC_ASSERT(cond, text) _Static_assert(cond, text)
#endif

#endif /* TKT_ANNOTATE_H */
