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

own='lock dir call-graph frequency event tkt'
opt_lock=tkt opt_dir='' opt_call_graph=fp opt_frequency=997 opt_event=''
opt_tkt=''
# shellcheck source=perf-scripts/run-args.sh
. "$top/perf-scripts/run-args.sh"
case $opt_call_graph in
fp | dwarf) ;;
*) refuse "call-graph: '$opt_call_graph'; allowed: fp, dwarf" ;;
esac
whole frequency "$opt_frequency" 1 50000
need_tkt "$opt_tkt"
need_perf
need_scratch
lock_list "$opt_lock"
dir=$(basename -- "$kernel")-$(date +%Y%m%d-%H%M%S)
dir=${opt_dir:-$top/build/profiles/$dir}
need_place "$dir"
pick_event "$opt_event"

made=$scratch/made
mkdir "$made"

# record LOCK [option of tkt run...]
record()
{
	lock=$1
	shift
	say "$kernel, lock $lock"
	set -- "$perf" record -q -N -e "$event" -F "$opt_frequency" \
		--call-graph "$opt_call_graph" -o "$made/$lock.data" -- \
		"$tkt" run "$kernel" --lock "$lock" "$@" \
		--format csv --out "$made/$lock.csv"
	run_or_exit "lock $lock" "$@"
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
	echo "frequency: $opt_frequency"
	echo "call-graph: $opt_call_graph"
	machine_facts
	commit_fact
	"$tkt" --version | sed 's/^/tool: /'
	echo "perf: ${perf_version#perf version }"
	date -u '+time: %Y-%m-%d %H:%M:%S UTC'
	cat "$scratch/each"
} >"$made/manifest"

place "$made" "$dir"
