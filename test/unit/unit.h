/* SPDX-License-Identifier: MIT */
/* test/unit/unit.h - what the unit tests share: cmocka, waiters, patience */
#ifndef TEST_UNIT_H
#define TEST_UNIT_H

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

/*
 * Waits until cond holds; aborts the program after 20 seconds, since a test
 * that hangs says nothing.  Nothing depends on how long it takes.
 */
#define UNTIL(cond)                                                        \
	do {                                                               \
		const time_t until_limit = time(NULL) + 20;                \
		while (!(cond)) {                                          \
			if (time(NULL) > until_limit) {                    \
				fprintf(stderr, "%s:%d: never came: %s\n", \
					__FILE__, __LINE__, #cond);        \
				abort();                                   \
			}                                                  \
			sched_yield();                                     \
		}                                                          \
	} while (0)

#endif /* TEST_UNIT_H */
