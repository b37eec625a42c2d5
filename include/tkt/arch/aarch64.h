/* SPDX-License-Identifier: MIT */
/* tkt/arch/aarch64.h - spin hint */
#ifndef TKT_ARCH_AARCH64_H
#define TKT_ARCH_AARCH64_H

/*
 * ISB: drains the pipeline, about as long as PAUSE elsewhere.  YIELD is a
 * no-op on cores without hardware threads, which is nearly all of them.
 */
static inline void tkt_arch_relax(void)
{
	__asm__ __volatile__("isb" ::: "memory");
}

#endif /* TKT_ARCH_AARCH64_H */
