/* SPDX-License-Identifier: MIT */
/* tkt/arch/riscv.h - spin hint */
#ifndef TKT_ARCH_RISCV_H
#define TKT_ARCH_RISCV_H

/*
 * PAUSE of Zihintpause, spelled as the FENCE that it encodes as, so that it
 * assembles everywhere and is a plain hint on cores without the extension.
 */
static inline void tkt_arch_relax(void)
{
	__asm__ __volatile__(".4byte 0x0100000f" ::: "memory");
}

#endif /* TKT_ARCH_RISCV_H */
