#!/bin/sh
# SPDX-License-Identifier: MIT
# test/build/symbols.sh - size of the lock, and what a user's object file holds
#
# usage: sh test/build/symbols.sh CC CXX
#
# uses.c calls every function of the interface.  The lock is 16 bytes in each
# configuration; in the default one, no mutable object comes with the headers.

# shellcheck source=test/build/common.sh
. "$(dirname -- "$0")/common.sh"
cc=${1:?a C compiler, then a C++ compiler}
cxx=${2:?a C++ compiler}
uses=$top/test/build/uses.c

# compile OUT FLAGS...: uses.c as C, and the same text as C++.
compile()
{
	out=$1
	shift
	# $warnings is a list: to be split.
	# shellcheck disable=SC2086
	"$cc" -std=c11 -O2 $warnings -I"$top/include" "$@" -c "$uses" \
		-o "$out.c.o" &&
		"$cxx" -std=c++17 -O2 $warnings -I"$top/include" "$@" \
			-x c++ -c "$uses" -o "$out.cc.o"
}

# Fails, and lists them, if the objects hold writable data of any kind.
no_mutable()
{
	for object; do
		nm "$object" >"$tmp/nm" || return 1
		awk '$(NF - 1) ~ /^[BbCDdGgSsuVv]$/ { print; found = 1 }
			END { exit found }' "$tmp/nm" || return 1
	done
}

check 'default' compile "$tmp/default"
check 'debug' compile "$tmp/debug" -DTKT_DEBUG=2
check 'events' compile "$tmp/events" -DTKT_EVENTS=1
check 'default: no mutable objects' \
	no_mutable "$tmp/default.c.o" "$tmp/default.cc.o"
refuse 'event counters are mutable objects' tkt_x_event \
	no_mutable "$tmp/events.c.o"

# Every function of the headers for users is used there.
sed -n 's/^static inline .*[ *]\(tkt_[a-z_]*\)(.*/\1/p' \
	"$top"/include/tkt/lock.h "$top"/include/tkt/lock_types.h \
	"$top"/include/tkt/events.h |
	grep -v '^tkt_x_' | sort -u >"$tmp/functions"
check 'lock.h declares functions' grep -q -x tkt_unlock "$tmp/functions"
while read -r name; do
	check "uses.c uses $name" grep -q "$name(" "$uses"
done <"$tmp/functions"
finish
