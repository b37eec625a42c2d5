/* SPDX-License-Identifier: MIT */
/* test/build/units_cxx.cc - a lock shared with a C unit: the C++ half */
#include "units_shared.h"

void units_add_from_cxx(void)
{
	for (int i = 0; i < UNITS_ROUNDS; i++) {
		UNITS_LOCK();
		units_count++;
		UNITS_UNLOCK();
	}
}
