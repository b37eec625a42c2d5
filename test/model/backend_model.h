/* SPDX-License-Identifier: MIT */
/*
 * test/model/backend_model.h - the accessors of atomic.h for the model checker
 *
 * Each accessor becomes a call of the checker (model.h), which knows where in
 * the source it stands.  Values travel as uint64_t.  C with GNU extensions, on
 * targets with 64-bit pointers.
 */
#ifndef TKT_TEST_MODEL_BACKEND_H
#define TKT_TEST_MODEL_BACKEND_H

#include <errno.h>

#include "model.h"

#define TKT_X_VALUE_TYPE(p) __typeof__(__atomic_load_n((p), __ATOMIC_RELAXED))
#define TKT_X_RAW(v) ((uint64_t)(uintptr_t)(v))
/* Clang and gcc agree on this for pointers and for integers of any width. */
#define TKT_X_COOKED(p, raw) ((TKT_X_VALUE_TYPE(p))(uintptr_t)(raw))

#define TKT_X_SITE(what, p)                                                   \
	__extension__({                                                       \
		static const struct model_site tkt_x_site = { __FILE__,       \
							      __func__, what, \
							      #p, __LINE__ }; \
		&tkt_x_site;                                                  \
	})

#define TKT_LOAD(p, mo)                                                      \
	__extension__({                                                      \
		const uint64_t tkt_x_v = model_load((p), sizeof(*(p)), (mo), \
						    TKT_X_SITE("load", p));  \
		TKT_X_COOKED(p, tkt_x_v);                                    \
	})
#define TKT_STORE(p, v, mo)                                \
	model_store((p), sizeof(*(p)), TKT_X_RAW(v), (mo), \
		    TKT_X_SITE("store", p))
#define TKT_X_RMW(p, op, v, mo, what)                                       \
	__extension__({                                                     \
		const uint64_t tkt_x_v = model_rmw((p), sizeof(*(p)), (op), \
						   TKT_X_RAW(v), (mo),      \
						   TKT_X_SITE(what, p));    \
		TKT_X_COOKED(p, tkt_x_v);                                   \
	})
#define TKT_XCHG(p, v, mo) TKT_X_RMW(p, MODEL_XCHG, v, mo, "xchg")
#define TKT_FETCH_ADD(p, v, mo) TKT_X_RMW(p, MODEL_ADD, v, mo, "add")
#define TKT_FETCH_OR(p, v, mo) TKT_X_RMW(p, MODEL_OR, v, mo, "or")
#define TKT_FETCH_AND(p, v, mo) TKT_X_RMW(p, MODEL_AND, v, mo, "and")
#define TKT_X_CAS(p, e, v, mo, fail, weak)                                     \
	__extension__({                                                        \
		uint64_t tkt_x_e = TKT_X_RAW(*(e));                            \
		const bool tkt_x_done =                                        \
			model_cas((p), sizeof(*(p)), &tkt_x_e, TKT_X_RAW(v),   \
				  (mo), (fail), (weak), TKT_X_SITE("cas", p)); \
		*(e) = TKT_X_COOKED(p, tkt_x_e);                               \
		tkt_x_done;                                                    \
	})
#define TKT_CAS(p, e, v, mo, fail) TKT_X_CAS(p, e, v, mo, fail, false)
#define TKT_CAS_WEAK(p, e, v, mo, fail) TKT_X_CAS(p, e, v, mo, fail, true)
#define TKT_CAS_PAIR(p, e0, e1, d0, d1, mo)               \
	model_cas_pair((p), (e0), (e1), (d0), (d1), (mo), \
		       TKT_X_SITE("cas pair", p))
#define TKT_FENCE_SC() model_fence(__ATOMIC_SEQ_CST, TKT_X_SITE("fence", sc))

#define TKT_AWAIT(p, v, cond, mo)                                             \
	__extension__({                                                       \
		TKT_X_VALUE_TYPE(p) v;                                        \
		uint64_t tkt_x_v;                                             \
		model_await((p), sizeof(*(p)), (mo), TKT_X_SITE("await", p)); \
		while (model_await_judge(&tkt_x_v)) {                         \
			v = TKT_X_COOKED(p, tkt_x_v);                         \
			model_await_verdict(cond);                            \
		}                                                             \
		v = TKT_X_COOKED(p, tkt_x_v);                                 \
		v;                                                            \
	})

#define TKT_RELAX() ((void)0)
#define TKT_PREFETCHW(p) ((void)(p))
#define TKT_YIELD(p, v) \
	model_yield((p), sizeof(*(p)), TKT_X_RAW(v), TKT_X_SITE("yield", p))
#define TKT_FUTEX_WAIT(p, v, ns) \
	model_futex_wait((p), (v), (ns), TKT_X_SITE("futex wait", p))
#define TKT_FUTEX_WAKE(p, n) \
	model_futex_wake((p), (n), TKT_X_SITE("futex wake", p))
#define TKT_CLOCK_NS() model_clock()
#define TKT_READ(p) (model_read((p), sizeof(*(p)), TKT_X_SITE("read", p)), *(p))
#define TKT_WRITE(p, v)                                          \
	(model_write((p), sizeof(*(p)), TKT_X_SITE("write", p)), \
	 (void)(*(p) = (v)), model_written((p), sizeof(*(p))))
#define TKT_NODE_BIRTH(n) model_birth((n), sizeof(*(n)), TKT_X_SITE("birth", n))
#define TKT_NODE_DEATH(n) model_death((n), sizeof(*(n)), TKT_X_SITE("death", n))

#define TKT_SELF() ((uintptr_t)model_self() + 1)
#define TKT_CPU_HINT() ((uint32_t)model_self())

#endif /* TKT_TEST_MODEL_BACKEND_H */
