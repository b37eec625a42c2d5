/* SPDX-License-Identifier: MIT */
/* tkt/arch/generic.h - spin hint for targets without one that we know */
#ifndef TKT_ARCH_GENERIC_H
#define TKT_ARCH_GENERIC_H

/* A compiler barrier: no known instruction, so the wait is a bare loop. */
static inline void tkt_arch_relax(void)
{
	__asm__ __volatile__("" ::: "memory");
}

#endif /* TKT_ARCH_GENERIC_H */
