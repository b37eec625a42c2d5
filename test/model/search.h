/* SPDX-License-Identifier: MIT */
/*
 * test/model/search.h - the stack of choices, and which threads' turns matter
 *
 * An execution is a list of choices: whose turn it is (choose_thread), and
 * which outcome an operation has (choose).  The search replays a prefix of the
 * last execution, takes another branch at its end, and goes on from there with
 * first choices, depth first, until no branch is left.
 *
 * Two reductions leave out executions that differ from others only in the
 * order of independent steps.  An event depends on what it reads, on earlier
 * fences if it is one, and, if it adds a message, on earlier reads of the
 * location, which could not see that message.
 *
 *  - Dynamic partial-order reduction (Flanagan and Godefroid, POPL 2005): a
 *    turn begins with one thread; another is tried in its place only if a
 *    later event of it turns out to depend on the first one's.
 *  - Sleep sets (Godefroid, 1991): a thread whose turn has been explored at
 *    some point sleeps when others have theirs, until something happens that
 *    changes what it can do.  Here: its operation may not have outcomes that
 *    it had then; a new message brings new ones.
 *
 * Neither applies to a search with a bound on preemptions, of which they would
 * leave out too much, nor to random ones.
 */
#ifndef TKT_TEST_MODEL_SEARCH_H
#define TKT_TEST_MODEL_SEARCH_H

#include "explore.h"

/* Before the first execution; false: the replay string is malformed. */
bool search_start(bool reduce, bool at_random);
/* Before each execution. */
void search_begin(void);
/* After it: on to the next; false: that was the last. */
bool search_next(void);
/*
 * Whose turn it is: one of `candidates`, a set; `enabled` also has those that
 * sleep.  last: preferred, if it is among them.
 */
int choose_thread(unsigned int candidates, unsigned int enabled, int last);
uint32_t search_events(void);
/* The choices so far, for --replay. */
void search_print(void);

#endif /* TKT_TEST_MODEL_SEARCH_H */
