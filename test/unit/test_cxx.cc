// SPDX-License-Identifier: MIT
// test/unit/test_cxx.cc - tkt::spinlock with the standard's lock holders
#include <tkt.h>

#include <chrono>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

extern "C" {
#include "unit.h"
}

static tkt::spinlock global; // usable before main, no constructor runs

static void test_traits(void **)
{
	static_assert(!std::is_copy_constructible<tkt::spinlock>::value, "");
	static_assert(!std::is_move_constructible<tkt::spinlock>::value, "");
	static_assert(
		std::is_nothrow_default_constructible<tkt::spinlock>::value,
		"");
	assert_int_equal(sizeof(tkt::spinlock), 16);
}

static void test_holders(void **)
{
	tkt::spinlock other(TKT_POLICY_SPIN_2);

	{
		std::lock_guard<tkt::spinlock> guard(global);

		assert_true(tkt_is_locked(global.native_handle()));
		assert_false(global.try_lock());
	}
	{
		std::unique_lock<tkt::spinlock> a(global, std::try_to_lock);
		std::unique_lock<tkt::spinlock> b(global, std::defer_lock);

		assert_true(a.owns_lock());
		assert_false(b.try_lock_for(std::chrono::microseconds(10)));
		a.unlock();
		assert_true(b.try_lock_until(std::chrono::steady_clock::now()));
	}
	{
		std::scoped_lock both(global, other);

		assert_true(tkt_is_locked(other.native_handle()));
	}
	assert_false(tkt_is_locked(global.native_handle()));
}

static void test_threads(void **)
{
	std::vector<std::thread> threads;
	long count = 0;

	for (int i = 0; i < 4; i++)
		threads.emplace_back([&count] {
			for (int j = 0; j < 1000; j++) {
				std::lock_guard<tkt::spinlock> guard(global);

				count++;
			}
		});
	for (std::thread &t : threads)
		t.join();
	assert_int_equal(count, 4000);
}

int main()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_traits),
		cmocka_unit_test(test_holders),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, nullptr, nullptr);
}
