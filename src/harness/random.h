/* SPDX-License-Identifier: MIT */
/* src/harness/random.h - small seeded random numbers, one stream a thread */
#ifndef TKT_SRC_HARNESS_RANDOM_H
#define TKT_SRC_HARNESS_RANDOM_H

#include <stdint.h>

/*
 * SplitMix64 (Steele, Lea, Flood, 2014): a counter through a mixer, so that
 * any state is a good one and streams are told apart by their start alone.
 */
struct random {
	uint64_t state;
};

static inline uint64_t random_mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* The stream of that number under that seed. */
static inline struct random random_stream(uint64_t seed, uint64_t number)
{
	return (struct random){ random_mix(random_mix(seed) + number) };
}

static inline uint64_t random_next(struct random *r)
{
	r->state += UINT64_C(0x9e3779b97f4a7c15);
	return random_mix(r->state);
}

/* 0 to below - 1, for below from 1 to 2^32; the bias is under below/2^32. */
static inline uint32_t random_below(struct random *r, uint32_t below)
{
	return (uint32_t)(((random_next(r) >> 32) * below) >> 32);
}

#endif /* TKT_SRC_HARNESS_RANDOM_H */
