/* SPDX-License-Identifier: MIT */
/*
 * order_hook.h - how check_order.c hears of a thread in the waiting room
 *
 * The configuration header (TKT_CONFIG_HEADER) of the locks under stress.
 */
#ifndef TKT_TEST_ORDER_HOOK_H
#define TKT_TEST_ORDER_HOOK_H

/* The calling thread has joined the waiting room of a lock. */
void stress_event_queued(void);

#define TKT_EVENT_HOOK(l, name) ((void)(l), STRESS_EVENT_##name)
#define STRESS_EVENT_queued stress_event_queued()
#define STRESS_EVENT_handed_over ((void)0)
#define STRESS_EVENT_window_spins ((void)0)
#define STRESS_EVENT_left ((void)0)

#endif /* TKT_TEST_ORDER_HOOK_H */
