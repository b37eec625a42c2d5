/* SPDX-License-Identifier: MIT */
/*
 * test/model/client.h - included first by each client program
 *
 * The headers under test, with this back end and with counted spins of one
 * turn.  Tunables that a program of its own sets are set by CMakeLists.txt.
 */
#ifndef TKT_TEST_MODEL_CLIENT_H
#define TKT_TEST_MODEL_CLIENT_H

#define TKT_BACKEND "backend_model.h"
#define TKT_SPIN_NS 0
#define TKT_SPIN_POLLS 1
#ifndef TKT_CALM_TICKETS
#define TKT_CALM_TICKETS 2
#endif
#ifndef TKT_MUTEX_SPIN_NS
#define TKT_MUTEX_SPIN_NS 1
#endif
#define TKT_MUTEX_HOLDS 1

#include <tkt/atomic.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The program of a table of clients. */
#define CLIENTS_MAIN(clients)                                             \
	int main(int argc, char **argv)                                   \
	{                                                                 \
		return model_main(argc, argv, (clients), COUNT(clients)); \
	}

/*
 * Data that a lock protects: plain, so that an access out of turn is a race;
 * how often it was written shows at the end.
 */
static uint32_t model_word;

static inline void model_section(void)
{
	TKT_WRITE(&model_word, TKT_READ(&model_word) + 1);
}

#endif /* TKT_TEST_MODEL_CLIENT_H */
