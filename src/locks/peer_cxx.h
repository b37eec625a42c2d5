/* SPDX-License-Identifier: MIT */
/*
 * src/locks/peer_cxx.h - mutexes of C++ libraries, as functions of C
 *
 * Each on memory of the size that its _size says, aligned to 16, which _open
 * makes a mutex of and _close ends.
 */
#ifndef TKT_SRC_LOCKS_PEER_CXX_H
#define TKT_SRC_LOCKS_PEER_CXX_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PEER_CXX(peer)                   \
	void peer##_open(void *lock);    \
	void peer##_close(void *lock);   \
	void peer##_acquire(void *lock); \
	bool peer##_try(void *lock);     \
	void peer##_release(void *lock);

/* What C must know of their sizes; the C++ side checks it. */
struct peer_std {
	void *words[5];
};
struct peer_absl {
	void *words[1];
};

PEER_CXX(peer_std)
PEER_CXX(peer_absl)

#ifdef __cplusplus
}
#endif

#endif /* TKT_SRC_LOCKS_PEER_CXX_H */
