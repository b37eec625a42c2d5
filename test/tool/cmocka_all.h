/* SPDX-License-Identifier: MIT */
/* test/tool/cmocka_all.h - cmocka with what it wants included before it */
#ifndef TKT_TEST_TOOL_CMOCKA_ALL_H
#define TKT_TEST_TOOL_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif /* TKT_TEST_TOOL_CMOCKA_ALL_H */
