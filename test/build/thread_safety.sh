#!/bin/sh
# SPDX-License-Identifier: MIT
# test/build/thread_safety.sh - clang's -Wthread-safety understands the lock
#
# usage: sh test/build/thread_safety.sh CLANG
#
# Correct use compiles without a warning; each misuse of thread_safety.c is
# refused, with the warning that is meant for it.

# shellcheck source=test/build/common.sh
. "$(dirname -- "$0")/common.sh"
cc=${1:?clang}

# analysed FLAGS...: compiles the source, warnings of the analysis are errors.
analysed()
{
	"$cc" -std=c11 -I"$top/include" -fsyntax-only -Wthread-safety \
		-Werror "$@" "$top/test/build/thread_safety.c"
}

check 'correct use' analysed
check 'all misuse, not analysed' analysed -Wno-thread-safety -DMISUSE=0

misuse()
{
	refuse "$2" "$3" analysed -DMISUSE="$1"
}
misuse 1 'double lock' "acquiring .* 'lock' that is already held"
misuse 2 'unlock without lock' "releasing .* 'lock' that was not held"
misuse 3 'return with the lock held' \
	"'lock' is still held at the end of function"
misuse 4 'held on one way only' "'lock' is not held on every path"
misuse 5 'failed try' "releasing .* 'lock' that was not held"
misuse 6 'data without the lock' "requires holding spinlock 'lock'"
misuse 7 'call without the lock' "requires holding spinlock 'lock'"
finish
