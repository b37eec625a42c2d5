/* SPDX-License-Identifier: MIT */
/* tkt/arch/x86_64.h - spin hint */
#ifndef TKT_ARCH_X86_64_H
#define TKT_ARCH_X86_64_H

/* PAUSE: 10 to 140 cycles, by model (10 before Skylake, 140 from there on). */
static inline void tkt_arch_relax(void)
{
	__builtin_ia32_pause();
}

#endif /* TKT_ARCH_X86_64_H */
