/* SPDX-License-Identifier: MIT */
/* src/harness/cpus.h - the CPUs that this process may use */
#ifndef TKT_SRC_HARNESS_CPUS_H
#define TKT_SRC_HARNESS_CPUS_H

#include <pthread.h>

#define CPUS_MAX 4096

struct cpus {
	unsigned int count; /* at least 1 */
	int number[CPUS_MAX];
};

/* The calling thread's allowed set, ascending. */
void cpus_allowed(struct cpus *out);

/* A thread made with *attr starts on CPU `index` modulo their count. */
void cpus_pin(const struct cpus *cpus, pthread_attr_t *attr,
	      unsigned int index);

#endif /* TKT_SRC_HARNESS_CPUS_H */
