#!/bin/sh
# SPDX-License-Identifier: MIT
# perf-scripts/record.sh - a profile of each lock in a kernel or workfile
#
# usage: record.sh KERNEL|WORKFILE [--lock A,B|all] [OPTION...]
#                  [option of tkt run...]
#
# Runs `tkt run` under `perf record` once for each lock and leaves in a new
# directory, for each: LOCK.data (perf's own), LOCK.folded (stacks as text, for
# report.sh, compare.sh and flamegraph.sh, on any machine) and LOCK.csv (what
# the run measured, which is slower than without perf); and a file `manifest`
# that says how they were made.
#
#   --lock A,B|all      locks (tkt); none for a kernel that takes no lock
#   --dir DIR           where to leave them (build/profiles/KERNEL-TIME)
#   --call-graph fp     stacks by frame pointers, which tkt is built with, or
#                dwarf  by unwind tables, larger and slower, for code without
#   --frequency HZ      samples per second and CPU: 1 to 50000 (997)
#   --event EVENT       of perf list (cycles, or the clock where there is no
#                       such counter)
#   --tkt FILE          the tool (build/tkt)
#
# All other options go to tkt run: --threads 8 --seconds 5, say.  Several
# numbers of threads end up in one profile.
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck source=perf-scripts/lib.sh
. "$top/perf-scripts/lib.sh"
# shellcheck source=perf-scripts/perf-lib.sh
. "$top/perf-scripts/perf-lib.sh"

kernel='' list=tkt dir='' graph=fp frequency=997 event='' tool=''
left=$#
while [ "$left" -gt 0 ]; do
	argument=$1
	shift
	left=$((left - 1))
	case $argument in
	-h | --help)
		usage
		exit
		;;
	--lock | --dir | --call-graph | --frequency | --event | --tkt)
		value "$argument" $((left + 1))
		case $argument in
		--lock) list=$1 ;;
		--dir) dir=$1 ;;
		--call-graph) graph=$1 ;;
		--frequency) frequency=$1 ;;
		--event) event=$1 ;;
		--tkt) tool=$1 ;;
		esac
		shift
		left=$((left - 1))
		;;
	--out | --format | --table)
		refuse "$argument: not here; each lock's rows go to LOCK.csv"
		;;
	-*)
		# An option of tkt run, with its value if it takes one.
		set -- "$@" "$argument"
		case $argument in
		--pin | --instrument) continue ;;
		esac
		[ "$left" -gt 0 ] || continue
		set -- "$@" "$1"
		shift
		left=$((left - 1))
		;;
	*)
		[ -z "$kernel" ] ||
			refuse "unknown argument '$argument'; --help lists them"
		kernel=$argument
		;;
	esac
done
[ -n "$kernel" ] || refuse "which kernel or workfile? --help has the usage"
case $graph in
fp | dwarf) ;;
*) refuse "call-graph: '$graph'; allowed: fp, dwarf" ;;
esac
whole frequency "$frequency" 1 50000
need_tkt "$tool"
need_perf
need_scratch
lock_list "$list"
dir=${dir:-$top/build/profiles/$(basename -- "$kernel")-$(date +%Y%m%d-%H%M%S)}
[ ! -e "$dir" ] || refuse "'$dir' exists; name another directory with --dir"
pick_event "$event"

made=$scratch/made
mkdir "$made"

# record LOCK [option of tkt run...]
record()
{
	lock=$1
	shift
	say "$kernel, lock $lock"
	set -- "$perf" record -q -e "$event" -F "$frequency" \
		--call-graph "$graph" -o "$made/$lock.data" -- \
		"$tkt" run "$kernel" --lock "$lock" "$@" \
		--format csv --out "$made/$lock.csv"
	status=0
	"$@" >"$scratch/log" 2>&1 </dev/null || status=$?
	if [ "$status" -ne 0 ]; then
		why=$(grep '^tkt: ' "$scratch/log" | head -n 1)
		[ -n "$why" ] || why=$(grep . "$scratch/log" | tail -n 1)
		say "lock $lock: ${why:-perf record ended with $status}"
		[ "$status" -eq 2 ] || status=1
		exit "$status"
	fi
	fold "$made/$lock.data" "$made/$lock.folded"
	[ -s "$made/$lock.folded" ] ||
		refuse "lock $lock: no samples; run longer (--seconds)"
	{
		awk -v lock="$lock" '{ n += $NF }
			END { print lock " samples: " n }' "$made/$lock.folded"
		printf '%s command:' "$lock"
		for word; do
			case $word in
			"$made"/*) word=$dir/${word##*/} ;;
			esac
			printf ' %s' "$word"
		done
		echo
	} >>"$scratch/each"
}

for lock in $locks; do
	record "$lock" "$@"
done
{
	echo "kernel: $kernel"
	echo "options: $*"
	echo "event: $event"
	echo "frequency: $frequency"
	echo "call-graph: $graph"
	machine_facts
	commit_fact
	"$tkt" --version | sed 's/^/tool: /'
	echo "perf: ${perf_version#perf version }"
	date -u '+time: %Y-%m-%d %H:%M:%S UTC'
	cat "$scratch/each"
} >"$made/manifest"

# All, or nothing.
{ mkdir -p -- "$(dirname -- "$dir")" && cp -R -- "$made" "$dir"; } ||
	refuse "cannot write to '$dir'"
echo "$dir"
