#!/bin/sh
# SPDX-License-Identifier: MIT
# test/build/config.sh - a tunable out of range is a compile error that names it
#
# usage: sh test/build/config.sh CC
#
# The ends of each range must compile; the values beyond must not.  A tunable
# that config.h gains and this table lacks is a failure too.

# shellcheck source=test/build/common.sh
. "$(dirname -- "$0")/common.sh"
cc=${1:?a C compiler}

# Name; values to accept; values to refuse.
cat >"$tmp/tunables" <<'END'
TKT_THRESHOLD     1,65535                        0,65536,-1
TKT_CALM_TICKETS  1,2,65536                      0,3,131072,-1
TKT_DEFAULT_WAIT  TKT_WAIT_SPIN,TKT_WAIT_YIELD   99
TKT_SPIN_NS       0,1000000                      -1,1000001
TKT_SPIN_POLLS    1,4096                         0,4097
TKT_MUTEX_SPIN_NS   0,1000000                    -1,1000001
TKT_MUTEX_HOLDS     1,65536                      0,65537
TKT_MUTEX_SPINNERS  1,65535                      0,65536
TKT_MUTEX_PATIENCE  0,65535                      -1,65536
TKT_MUTEX_RESCHED   0,1                          -1,2
TKT_SLICE_NS        1000,1000000000              999,1000000001
TKT_TREELOCK_SPINS  1,65536                      0,65537
TKT_TREELOCK_ROUNDS 1,64                         0,65
TKT_TICKET_BITS   2,24                           1,25
TKT_NODE_ALIGN    16,64,4096                     8,48,8192
TKT_DEBUG         0,1,2                          -1,3
TKT_EVENTS        0,1                            -1,2
TKT_VALGRIND      0,1                            -1,2
TKT_PROBES        0,1                            -1,2
END

echo '#include <tkt.h>' >"$tmp/user.c"
compile()
{
	"$cc" -std=c11 -I"$top/include" -I"$tmp" -fsyntax-only "$@" "$tmp/user.c"
}

have_sdt()
{
	echo '#include <sys/sdt.h>' | "$cc" -fsyntax-only -x c - 2>"$tmp/sdt"
}

while read -r name good bad; do
	for value in $(echo "$good" | tr , ' '); do
		[ "$name=$value" != TKT_PROBES=1 ] || have_sdt || continue
		check "$name=$value" compile "-D$name=$value"
	done
	for value in $(echo "$bad" | tr , ' '); do
		refuse "$name=$value" "$name" compile "-D$name=$value"
	done
done <"$tmp/tunables"

sed -n 's/^#ifndef \(TKT_[A-Z_]*\)$/\1/p' "$top/include/tkt/config.h" |
	grep -v -x TKT_CONFIG_H >"$tmp/names"
while read -r name; do
	check "$name is in the table of this test" \
		grep -q "^$name " "$tmp/tunables"
done <"$tmp/names"

refuse 'probes without the counts that they need' TKT_PROBES \
	compile -DTKT_PROBES=1 -DTKT_EVENTS=0

# The user's own configuration header is read, and checked all the same.
echo '#define TKT_THRESHOLD 7' >"$tmp/mine.h"
echo '_Static_assert(TKT_THRESHOLD == 7, "not read");' >>"$tmp/user.c"
check 'TKT_CONFIG_HEADER' compile '-DTKT_CONFIG_HEADER="mine.h"'
echo '#define TKT_THRESHOLD 0' >"$tmp/mine.h"
refuse 'bad TKT_CONFIG_HEADER' TKT_THRESHOLD compile \
	'-DTKT_CONFIG_HEADER="mine.h"'
finish
