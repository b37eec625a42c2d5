/* SPDX-License-Identifier: MIT */
/* src/harness/cpus.c - the CPUs that this process may use */
#include <sched.h>

#include "cpus.h"

/* A set of CPUS_MAX bits: cpu_set_t alone stops at 1024. */
union cpu_bits {
	cpu_set_t set;
	unsigned char bytes[CPU_ALLOC_SIZE(CPUS_MAX)];
};

void cpus_allowed(struct cpus *out)
{
	union cpu_bits bits;

	out->count = 0;
	CPU_ZERO_S(sizeof(bits), &bits.set);
	if (!sched_getaffinity(0, sizeof(bits), &bits.set))
		for (int i = 0; i < CPUS_MAX; i++)
			if (CPU_ISSET_S((size_t)i, sizeof(bits), &bits.set))
				out->number[out->count++] = i;
	if (!out->count)
		out->number[out->count++] = 0;
}

void cpus_pin(const struct cpus *cpus, pthread_attr_t *attr, unsigned int index)
{
	union cpu_bits bits;
	const int cpu = cpus->number[index % cpus->count];

	CPU_ZERO_S(sizeof(bits), &bits.set);
	CPU_SET_S((size_t)cpu, sizeof(bits), &bits.set);
	(void)pthread_attr_setaffinity_np(attr, sizeof(bits), &bits.set);
}
