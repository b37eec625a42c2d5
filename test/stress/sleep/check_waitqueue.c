/* SPDX-License-Identifier: MIT */
/* check_waitqueue.c - no wake-up is lost, swallowed or sent to the wrong one */
#include <sched.h>
#include <signal.h>

#include <tkt/waitqueue.h>

#include "sleep.h"

static struct tkt_waitqueue queue = TKT_WAITQUEUE_INIT;
static uint32_t round_number, answers, tokens, waiting;
static volatile uint64_t data; /* plain, ordered by the wake-up alone */

/*
 * Nothing but the wake-up says that data may be read, and what it is.  The
 * waiter takes no lock after it; so ThreadSanitizer sees a missing order.
 */
static void handoff_body(struct sleeper *s)
{
	for (uint64_t n = 1; sleep_again_together(); n++) {
		struct tkt_waiter w = TKT_WAITER_INIT(tkt_wake_default);

		if (s->id) {
			tkt_prepare_to_wait_exclusive(&queue, &w);
			TKT_STORE(&waiting, 1u, TKT_RELAXED);
			if (tkt_wait_sleep(&w, TKT_NO_DEADLINE) ||
			    !tkt_finish_wait(&queue, &w))
				sleep_fail("woken, and not woken");
			if (data != n)
				sleep_fail("woken before its time");
			continue;
		}
		SLEEP_UNTIL(TKT_LOAD(&waiting, TKT_RELAXED),
			    "nobody came to wait");
		TKT_STORE(&waiting, 0u, TKT_RELAXED);
		data = n;
		if (tkt_wake_up(&queue, 1) != 1)
			sleep_fail("the waiter was not there");
	}
}

void check_handoff(void)
{
	trial.threads = 2;
	sleep_run(handoff_body);
}

/*
 * Thread 0 starts rounds; all others wait for each, exclusive or not, some with
 * a time limit so short that they come back to wait, and answer.
 */
static void wait_for_round(struct sleeper *s, uint32_t n)
{
	bool came = false;

	while (!came) {
		const uint64_t limit =
			sleep_random(s, 2)
				? TKT_NO_DEADLINE
				: TKT_CLOCK_NS() + sleep_random(s, 30000);

		came = !TKT_WAIT_EVENT_FULL(
			&queue, TKT_LOAD(&round_number, TKT_ACQUIRE) == n,
			sleep_random(s, 2), limit, false);
	}
}

static void everybody_body(struct sleeper *s)
{
	uint32_t n = 1;

	for (; s->id && sleep_again_together(); n++) {
		wait_for_round(s, n);
		(void)TKT_FETCH_ADD(&answers, 1u, TKT_RELEASE);
	}
	for (; !s->id && sleep_again_together(); n++) {
		sleep_dwell(sleep_random(s, 2000));
		TKT_STORE(&round_number, n, TKT_RELEASE);
		tkt_wake_up(&queue, TKT_WAKE_ALL);
		SLEEP_UNTIL(TKT_LOAD(&answers, TKT_ACQUIRE) ==
				    n * (trial.threads - 1),
			    "a thread sleeps on");
	}
}

void check_everybody(void)
{
	sleep_run(everybody_body);
}

/* Takes the token, if it is there. */
static bool take(void)
{
	uint32_t one = 1;

	return TKT_LOAD(&tokens, TKT_RELAXED) == 1 &&
	       TKT_CAS(&tokens, &one, 0u, TKT_ACQUIRE, TKT_RELAXED);
}

static void on_signal(int number)
{
	(void)number;
}

/*
 * One token a round, and one wake-up.  Thread 1 gives up soon, by time limit or
 * signal, and does not look again in this round; a third thread waits as long
 * as it takes.  So if thread 1's wake-up comes too late for it and goes no
 * further, the token stays where it is.
 */
static void give(struct sleeper *s)
{
	sleep_dwell(sleep_random(s, 4000));
	if (trial.signals && sleep_random(s, 2))
		(void)pthread_kill(sleep_thread(1), SIGUSR1);
	TKT_STORE(&tokens, 1u, TKT_RELEASE);
	(void)tkt_wake_up(&queue, 1);
	SLEEP_UNTIL(!TKT_LOAD(&tokens, TKT_RELAXED),
		    "a wake-up was swallowed: the token lies there");
	/* Thread 1 is to come back, too. */
	while (!TKT_LOAD(&answers, TKT_ACQUIRE)) {
		if (trial.signals)
			(void)pthread_kill(sleep_thread(1), SIGUSR1);
		sched_yield();
	}
}

static void abort_body(struct sleeper *s)
{
	while (sleep_again_together()) {
		if (s->id == 0) {
			give(s);
			TKT_STORE(&answers, 0u, TKT_RELAXED);
			continue;
		}
		(void)TKT_WAIT_EVENT_FULL(
			&queue, take(), true,
			trial.signals ? TKT_NO_DEADLINE
				      : TKT_CLOCK_NS() + sleep_random(s, 60000),
			trial.signals);
		TKT_STORE(&answers, 1u, TKT_RELEASE);
	}
}

/* Waits as long as it takes, from one round to the next. */
static void *patient_main(void *arg)
{
	for (;;) {
		TKT_WAIT_EVENT_EXCLUSIVE(
			&queue, take() || TKT_LOAD(&waiting, TKT_RELAXED));
		if (TKT_LOAD(&waiting, TKT_RELAXED))
			return arg;
	}
}

void check_abort(void)
{
	const struct sigaction action = { .sa_handler = on_signal };
	pthread_t patient;

	(void)sigaction(SIGUSR1, &action, NULL);
	trial.threads = 2;
	if (pthread_create(&patient, NULL, patient_main, NULL))
		sleep_fail("no thread");
	sleep_run(abort_body);
	TKT_STORE(&waiting, 1u, TKT_RELAXED);
	(void)tkt_wake_up(&queue, TKT_WAKE_ALL);
	(void)pthread_join(patient, NULL);
}

/* A waker that looks before it locks: thread 0 and 1 wait for one another. */
static uint32_t turn;

static void ordered_body(struct sleeper *s)
{
	while (sleep_again()) {
		TKT_WAIT_EVENT(&queue,
			       TKT_LOAD(&turn, TKT_ACQUIRE) % 2 == s->id ||
				       TKT_LOAD(&waiting, TKT_RELAXED));
		if (TKT_LOAD(&waiting, TKT_RELAXED))
			break;
		TKT_STORE(&turn, TKT_LOAD(&turn, TKT_RELAXED) + 1, TKT_RELEASE);
		if (tkt_waitqueue_active_ordered(&queue))
			(void)tkt_wake_up(&queue, 1);
	}
	TKT_STORE(&waiting, 1u, TKT_RELAXED);
	(void)tkt_wake_up(&queue, TKT_WAKE_ALL);
}

void check_ordered(void)
{
	trial.threads = 2;
	sleep_run(ordered_body);
}
