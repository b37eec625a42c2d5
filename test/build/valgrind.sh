#!/bin/sh
# SPDX-License-Identifier: MIT
# test/build/valgrind.sh - helgrind and drd report nothing on a program that
# locks correctly
#
# usage: sh test/build/valgrind.sh CC CXX
#
# units.c, built with TKT_VALGRIND.  So that silence means something, both must
# complain about the same program with the lock taken out, and about the lock
# that does not tell them what it does.

# shellcheck source=test/build/common.sh
. "$(dirname -- "$0")/common.sh"
cc=${1:?a C compiler, then a C++ compiler}
cxx=${2:?a C++ compiler}

# program OUT FLAGS...
program()
{
	out=$1
	shift
	"$cc" -std=c11 -O1 -g -I"$top/include" "$@" \
		-c "$top/test/build/units.c" -o "$tmp/c.o" &&
		"$cxx" -std=c++17 -O1 -g -I"$top/include" "$@" \
			"$top/test/build/units_cxx.cc" "$tmp/c.o" \
			-o "$out" -pthread
}

# Any report makes the exit status 9.
under()
{
	timeout 60 valgrind --tool="$1" --fair-sched=yes --error-exitcode=9 \
		"$2"
}

check 'build, annotated' program "$tmp/annotated" -DTKT_VALGRIND=1
check 'build, not locked' program "$tmp/unlocked" -DTKT_VALGRIND=1 \
	-DUNITS_NO_LOCK
check 'build, not annotated' program "$tmp/plain"
for tool in helgrind drd; do
	case $tool in
	helgrind) race='Possible data race' ;;
	drd) race='Conflicting' ;;
	esac
	check "$tool, annotated" under "$tool" "$tmp/annotated"
	refuse "$tool, not locked" "$race" under "$tool" "$tmp/unlocked"
	refuse "$tool, not annotated" "$race" under "$tool" "$tmp/plain"
done
finish
