#!/bin/sh
# SPDX-License-Identifier: MIT
# perf-scripts/stat.sh - what perf stat counts while a lock works, against time
#
# usage: stat.sh KERNEL|WORKFILE [--lock A,B|all] [OPTION...]
#                [option of tkt run...]
#
# Runs `tkt run` under `perf stat` once for each lock and prints, for each
# event, how often it happened in all, per second and per operation; with
# --csv, every interval's count, too.  Events are those of the list in this
# script that the machine has: processor time, context switches, migrations and
# page faults everywhere; cycles, instructions and cache misses where there are
# counters for them; lock contention in the kernel and futex calls where there
# is a trace file system that may be read.  What is missing is said.
#
#   --lock A,B|all  locks (tkt); none for a kernel that takes no lock
#   --interval MS   length of an interval: 10 to 60000 (100)
#   --csv FILE      lock,time_s,event,count: time since the start; the count
#                   is of the interval that ends then, in ms for task-clock,
#                   empty if it was not counted
#   --tkt FILE      the tool (build/tkt)
#
# All other options go to tkt run.  The counts include its start.
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck source=perf-scripts/lib.sh
. "$top/perf-scripts/lib.sh"
# shellcheck source=perf-scripts/perf-lib.sh
. "$top/perf-scripts/perf-lib.sh"

own='lock interval csv tkt'
opt_lock=tkt opt_interval=100 opt_csv='' opt_tkt=''
# shellcheck source=perf-scripts/run-args.sh
. "$top/perf-scripts/run-args.sh"
whole interval "$opt_interval" 10 60000
need_tkt "$opt_tkt"
need_perf
need_scratch
lock_list "$opt_lock"

# Does this machine count that event, for us?
counts()
{
	LC_ALL=C "$perf" stat -x , -e "$1" -o "$scratch/trial" true \
		>"$scratch/trial.log" 2>&1 &&
		! grep -q '<not supported>' "$scratch/trial"
}

counts task-clock || {
	! forbidden "$scratch/trial.log" || refuse_permission
	refuse "perf cannot count: $(grep . "$scratch/trial.log" | head -n 1)"
}
events='' missing=''
for e in task-clock context-switches cpu-migrations page-faults \
	cycles instructions cache-references cache-misses LLC-load-misses \
	lock:contention_begin syscalls:sys_enter_futex; do
	if counts "$e"; then
		events=${events:+$events,}$e
	else
		missing="$missing $e"
	fi
done
[ -z "$missing" ] || say "not available here:$missing"

printf 'lock,time_s,event,count\n' >"$scratch/csv"
: >"$scratch/ops"
for lock in $locks; do
	say "$kernel, lock $lock"
	run_or_exit "lock $lock" env LC_ALL=C "$perf" stat -x , \
		-I "$opt_interval" -e "$events" -o "$scratch/stat" -- \
		"$tkt" run "$kernel" --lock "$lock" "$@" \
		--format csv --out "$scratch/rows.csv"
	awk -F , -v lock="$lock" '
		/^#/ || NF < 4 { next }
		{
			sub(/^ */, "", $1)
			printf "%s,%s,%s,%s\n", lock, $1, $4, \
				$2 ~ /^</ ? "" : $2
		}' "$scratch/stat" >>"$scratch/csv"
	awk -F , -v lock="$lock" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == "ops") at = i }
		NR > 1 { ops += $at }
		END { print lock, ops + 0 }' "$scratch/rows.csv" >>"$scratch/ops"
done
if [ -n "$opt_csv" ]; then
	cat "$scratch/csv" 2>/dev/null >"$opt_csv" ||
		refuse "cannot write '$opt_csv'"
fi
awk -v ops_file="$scratch/ops" -f "$top/perf-scripts/stat.awk" "$scratch/csv"
