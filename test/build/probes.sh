#!/bin/sh
# SPDX-License-Identifier: MIT
# test/build/probes.sh - the static probes are there when on, and else nothing
#
# usage: sh test/build/probes.sh CC CXX
#
# With TKT_PROBES each header compiles alone, and an object that uses the
# library holds a note for each probe, with two arguments; without it, none.
# What the probes say when they fire is for test/tool/probes.sh.  Ends with 77,
# "skipped", where <sys/sdt.h> is missing, unless STRESS_NO_SKIP is set.

# shellcheck source=test/build/common.sh
. "$(dirname -- "$0")/common.sh"
cc=${1:?a C compiler, then a C++ compiler}
cxx=${2:?a C++ compiler}
uses=$top/test/build/uses.c

if ! echo '#include <sys/sdt.h>' | "$cc" -fsyntax-only -x c - 2>"$tmp/sdt"; then
	echo "skipped: <sys/sdt.h> is missing (Debian: systemtap-sdt-dev)"
	[ -z "${STRESS_NO_SKIP-}" ] || exit 1
	exit 77
fi

# compile OUT FLAGS...: uses.c as C and C++.  $warnings is a list: to be split.
compile()
{
	out=$1
	shift
	# shellcheck disable=SC2086
	"$cc" -std=c11 $warnings -I"$top/include" "$@" -c "$uses" \
		-o "$out.c.o" &&
		"$cxx" -std=c++17 $warnings -I"$top/include" "$@" -x c++ \
			-c "$uses" -o "$out.cc.o"
}

# has OBJECT PROBE: a note of that name, provider tkt, an address and a depth
# of 8 and 4 bytes.
has()
{
	LC_ALL=C readelf -n "$1" | awk -v name="$2" '
		$1 == "Provider:" { provider = $2 }
		$1 == "Name:" { probe = $2 }
		$1 == "Arguments:" && provider == "tkt" && probe == name {
			found++
			if ($2 !~ /^8@/ || $3 !~ /^4@/ || NF != 3)
				wrong++
		}
		END {
			if (wrong || !found)
				print "no probe " name
			exit wrong || !found
		}'
}

no_notes()
{
	! LC_ALL=C readelf -n "$1" | grep stapsdt
}

sed -n 's/^[[:space:]]*X([a-z_]*, \([a-z_]*\)).*/\1/p
	s/.*TKT_X_PROBE(l, \([a-z_]*\));.*/\1/p' \
	"$top/include/tkt/probes.h" "$top/include/tkt/hooks.h" |
	grep -v -x name | sort -u >"$tmp/names"
for name in queue_enter queue_head acquired; do
	check "the headers have $name" grep -q -x $name "$tmp/names"
done
for level in 0 2; do
	check "off, -O$level" compile "$tmp/off$level" -O$level
	check "on, -O$level" compile "$tmp/on$level" -O$level -DTKT_PROBES=1
	check "on, with misuse checks, -O$level" compile "$tmp/debug$level" \
		-O$level -DTKT_PROBES=1 -DTKT_DEBUG=2
	for ext in c cc; do
		check "off, -O$level: no notes" no_notes "$tmp/off$level.$ext.o"
		refuse "on, -O$level: notes" stapsdt \
			no_notes "$tmp/on$level.$ext.o"
		while read -r name; do
			check "$name, -O$level" has "$tmp/on$level.$ext.o" "$name"
		done <"$tmp/names"
		refuse 'a probe that is not there' '^no probe nosuch$' \
			has "$tmp/on$level.$ext.o" nosuch
	done
done

# Whoever has probes of their own, with semaphores, keeps them.
cat >"$tmp/own.c" <<'END'
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>
#include <tkt.h>

unsigned short own_here_semaphore __attribute__((section(".probes")));
int use(tkt_lock_t *l);

int use(tkt_lock_t *l)
{
	STAP_PROBE(own, here);
	tkt_lock(l);
	tkt_unlock(l);
	return own_here_semaphore;
}
END
check 'beside probes of the users own' "$cc" -std=c11 -O2 -I"$top/include" \
	-DTKT_PROBES=1 -c "$tmp/own.c" -o "$tmp/own.o"

cd "$top/include"
for h in tkt.h tkt/*.h; do
	case $h in
	tkt/backend_*) continue ;;
	esac
	printf '#include <%s>\n#include <%s>\ntypedef int not_empty;\n' \
		"$h" "$h" >"$tmp/alone.c"
	# shellcheck disable=SC2086
	check "$h alone" "$cc" -std=c11 $warnings -I. -DTKT_PROBES=1 \
		-fsyntax-only "$tmp/alone.c"
	# shellcheck disable=SC2086
	check "$h alone in C++" "$cxx" -std=c++17 $warnings -I. -DTKT_PROBES=1 \
		-fsyntax-only -x c++ "$tmp/alone.c"
done
finish
