/* SPDX-License-Identifier: MIT */
/* test/model/client_treelock.c - <tkt/treelock.h>, each flavour */
#define TKT_TREELOCK_SPINS 1
#define TKT_TREELOCK_ROUNDS 1
#include "client.h"

#include <tkt/treelock.h>

static tkt_treelock_t lock;
static uint32_t got;

static void setup(void)
{
	tkt_treelock_init(&lock,
			  (enum tkt_treelock_flavour)model_client()->policy);
	model_word = got = 0;
	tkt_x_on_cpu_since = 0;
}

static void section_and_unlock(void)
{
	model_section();
	TKT_FETCH_ADD(&got, 1, TKT_RELAXED);
	tkt_treelock_unlock(&lock);
}

/* The first `variant` threads block in the section; 4: and come back. */
static void locks(int self)
{
	const int variant = model_client()->variant;

	for (int i = 0; i < model_client()->rounds; i++) {
		tkt_treelock_lock(&lock, 0);
		tkt_treelock_assert_locked(&lock);
		if (self < variant)
			tkt_treelock_set_blocking(&lock);
		model_section();
		if (variant == 4)
			tkt_treelock_clear_blocking(&lock);
		section_and_unlock();
	}
}

static void tries(int self)
{
	if (!self) {
		tkt_treelock_lock(&lock, 0);
		tkt_treelock_set_blocking(&lock);
		section_and_unlock();
	} else if (model_client()->variant ? tkt_treelock_try_spin(&lock, 0)
					   : tkt_treelock_try(&lock, 0)) {
		section_and_unlock();
	}
}

static void finish(void)
{
	model_assert(model_word >= got);
	if (model_client()->policy < TKT_TREELOCK_SIMPLE) {
		model_assert(!lock.u.dfl.word);
		model_assert(!tkt_is_locked(&lock.u.dfl.spin));
	} else {
		model_assert(!tkt_mutex_is_locked(&lock.u.mutex));
	}
}

#define TREE(label, n, f, which, v, m, ...)                               \
	{                                                                 \
		.name = label, .threads = n, .setup = setup, .thread = f, \
		.finish = finish, .policy = TKT_TREELOCK_##which,         \
		.variant = v, .rounds = m, __VA_ARGS__                    \
	}

static const struct model_client clients[] = {
	TREE("dfl_2", 2, locks, DFL, 2, 1, .spurious = 1, .eintr = 1),
	TREE("dfl_2_back", 2, locks, DFL, 4, 1, .spurious = 0),
	TREE("nospin_2", 2, locks, DFL_NOSPIN, 2, 1, .spurious = 1),
	TREE("nospin_2x2", 2, locks, DFL_NOSPIN, 1, 2, .spurious = 0),
	TREE("simple_2", 2, locks, SIMPLE, 2, 1, .spurious = 1),
	TREE("spin2_2", 2, locks, SPIN2, 2, 1, .spurious = 0),
	TREE("dfl_try_2", 2, tries, DFL, 0, 1, .spurious = 0),
	TREE("dfl_try_spin_2", 2, tries, DFL, 1, 1, .spurious = 0),
	TREE("spin_try_2", 2, tries, SPIN, 0, 1, .spurious = 0),
	TREE("nospin_3", 3, locks, DFL_NOSPIN, 1, 1, .preemptions = 1),
	TREE("dfl_3", 3, locks, DFL, 1, 1, .preemptions = 1),
};

CLIENTS_MAIN(clients)
