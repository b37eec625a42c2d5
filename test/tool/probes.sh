#!/bin/sh
# SPDX-License-Identifier: MIT
# test/tool/probes.sh - what the static probes say when they fire
#
# usage: sh test/tool/probes.sh WAITERS WITHOUT
#
# WAITERS is probes_waiters.c, compiled with probes; WITHOUT some program that
# has none.  Checks the arithmetic of perf-scripts/probes.sh on known traces,
# then traces WAITERS with each tracer that works here, which takes root: the
# depths are known, and a bound of the waits.  Where none works, that part is
# left out and said to be.

# shellcheck source=test/build/common.sh
. "$(dirname -- "$0")/../build/common.sh"
waiters=$(realpath "${1:?a program with probes, then one without}")
without=$(realpath "${2:?a program without probes}")
scripts=$top/perf-scripts

has()
{
	check "'$1' in $2" grep -q -e "$1" "$2"
}

# --- counts from perf's trace: thread 7 waits 1000 ns across a full second,
# from the first of its two probes; thread 8 takes the lock without waiting;
# thread 9 waits 5 ns for another lock.
cat >"$tmp/perf" <<'END'
    7 19573.999999500: sdt_tkt:queue_enter_1: (5634029df050) arg1=4096 arg2=3
    8 19573.999999600: sdt_tkt:acquired: (5634029df060) arg1=4096 arg2=0x11
    7 19573.999999900: sdt_tkt:queue_head: (5634029df070) arg1=4096 arg2=40
    9 19574.000000100: sdt_tkt:ticket_wait: (5634029df080) arg1=8192 arg2=2
    9 19574.000000105: sdt_tkt:acquired_2: (5634029df090) arg1=8192 arg2=1
    7 19574.000000500: sdt_tkt:acquired_1: (5634029df0a0) arg1=4096 arg2=1
END
awk -f "$scripts/probes_perf.awk" "$tmp/perf" | sort >"$tmp/perf.counts"
cat >"$tmp/want" <<'END'
l 4096 1 1000
l 8192 1 5
n acquired 1 2
n acquired 17 1
n queue_enter 3 1
n queue_head 40 1
n ticket_wait 2 1
w 4 1
w 512 1
END
check "perf's trace" diff "$tmp/want" "$tmp/perf.counts"

# --- the same from bpftrace's maps
cat >"$tmp/json" <<'END'
{"type": "attached_probes", "data": {"probes": 6}}
{"type": "printf", "data": "ready\n"}
{"type": "map", "data": {"@l": {"4096": 1, "8192": 1}}}
{"type": "map", "data": {"@n_acquired": {"1": 2, "17": 1}}}
{"type": "map", "data": {"@n_queue_enter": {"3": 1}}}
{"type": "map", "data": {"@n_queue_head": {"40": 1}}}
{"type": "map", "data": {"@n_ticket_wait": {"2": 1}}}
{"type": "map", "data": {"@s": {"4096": 1000, "8192": 5}}}
{"type": "hist", "data": {"@w": [{"min": 4, "max": 7, "count": 1}, {"min": 8, "max": 15, "count": 0}, {"min": 512, "max": 1023, "count": 1}]}}
END
awk -f "$scripts/probes_bpftrace.awk" "$tmp/json" | grep -v ' 0$' | sort \
	>"$tmp/bpftrace.counts"
check "bpftrace's maps" diff "$tmp/want" "$tmp/bpftrace.counts"

awk -f "$scripts/probes.awk" "$tmp/perf.counts" >"$tmp/text"
has '^tkt:acquired, 3 times' "$tmp/text"
has '^ *1  *2  #\{27\}$' "$tmp/text"
has '^ *17-32  *1  #\{13\}$' "$tmp/text"
has '^ *33-64  *1  #\{40\}$' "$tmp/text"
has '^2 waits,  *502 ns on average' "$tmp/text"
has '^ *512 ns  *1  #\{20\}$' "$tmp/text"
has '^ *0x1000  *1 waits,  *1.0 us on average$' "$tmp/text"

# --- what is refused
probes()
{
	sh "$scripts/probes.sh" "$@"
}

probes --list "$waiters" >"$tmp/list"
for name in acquired queue_enter queue_head ticket_wait; do
	has "^tkt:$name  *[1-9][0-9]* place" "$tmp/list"
done
refuse 'no probes' "no probes tkt:\* in '$without': compile it" \
	probes --list "$without"
refuse 'no program' "no program '/nope'" probes /nope
refuse 'no such tracer' "with: 'x'; allowed: perf, bpftrace" \
	probes --with x "$waiters"
if [ "$(id -u)" -eq 0 ]; then
	refuse 'no perf' 'no /nope/perf here' env PERF=/nope/perf \
		sh "$scripts/probes.sh" --with perf "$waiters"
else
	refuse 'without being root' 'tracing takes root' probes "$waiters"
fi

# --- traced.  The first of the four waits while the others start 50 ms apart,
# and so on: 125 ms on average, less what they were late, or more.
depths()
{
	awk -v name="$1" '
		$1 == "tkt:" name "," { on = 1; next }
		NF == 0 { on = 0 }
		on { printf "%s:%s ", $1, $2 }' "$tmp/traced"
}

as_known()
{
	[ "$(depths queue_enter)" = '3:1 4:1 5:1 ' ] &&
		grep -q '^tkt:queue_head, 3 times' "$tmp/traced" &&
		grep -q '^tkt:ticket_wait, 4 times' "$tmp/traced" &&
		grep -q '^tkt:acquired, 5 times' "$tmp/traced" &&
		grep -q '^4 waits,  *[1-9][0-9][0-9]\.[0-9] ms on average' \
			"$tmp/traced" &&
		grep -q "^ *$(sed -n 's/^lock //p' "$tmp/traced") .* 4 waits" \
			"$tmp/traced"
}

# A thread that is late by more than 50 ms makes another queue: up to three
# tries, for machines that have much else to do.
traced_right()
{
	for _ in 1 2 3; do
		status=0
		timeout 60 sh "$scripts/probes.sh" --with "$1" "$waiters" \
			>"$tmp/traced" 2>&1 </dev/null || status=$?
		[ "$status" -ne 3 ] || ! as_known || return 0
	done
	cat "$tmp/traced"
	return 1
}

for tracer in perf bpftrace; do
	status=0
	timeout 60 sh "$scripts/probes.sh" --with "$tracer" "$waiters" \
		>"$tmp/traced" 2>&1 </dev/null || status=$?
	if [ "$status" -eq 2 ]; then
		echo "left out: $(tail -n 1 "$tmp/traced")"
	else
		check "traced by $tracer" traced_right "$tracer"
	fi
done
finish
