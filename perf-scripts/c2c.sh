#!/bin/sh
# SPDX-License-Identifier: MIT
# perf-scripts/c2c.sh - which cache lines travel between processors, and why
#
# usage: c2c.sh KERNEL|WORKFILE [--lock A,B|all] [--dir DIR] [--tkt FILE]
#               [option of tkt run...]
#
# Runs `tkt run` under `perf c2c record` once for each lock and leaves, in a new
# directory, LOCK.c2c.data and LOCK.c2c.txt: the lines that loads found modified
# in another processor's cache, the code that touched them, and where in the
# line.  A lock and the data beside it show up as two offsets of one line.
#
# Takes a processor that can say which memory an instruction touched: Intel
# since Sandy Bridge, AMD with IBS, Arm with SPE; as a rule not a virtual
# machine.  Elsewhere the script says so and ends with status 0.  It was written
# without such a machine at hand, so it is not measured: its use of perf c2c is
# tested against a stand-in only.
#
#   --lock A,B|all  locks (tkt)
#   --dir DIR       where to leave them (build/profiles/KERNEL-c2c-TIME)
#   --tkt FILE      the tool (build/tkt)
#
# All other options go to tkt run.
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck source=perf-scripts/lib.sh
. "$top/perf-scripts/lib.sh"
# shellcheck source=perf-scripts/perf-lib.sh
. "$top/perf-scripts/perf-lib.sh"

own='lock dir tkt'
opt_lock=tkt opt_dir='' opt_tkt=''
# shellcheck source=perf-scripts/run-args.sh
. "$top/perf-scripts/run-args.sh"
need_tkt "$opt_tkt"
need_perf
need_scratch
lock_list "$opt_lock"
dir=$(basename -- "$kernel")-c2c-$(date +%Y%m%d-%H%M%S)
dir=${opt_dir:-$top/build/profiles/$dir}
need_place "$dir"

if ! "$perf" c2c record -o "$scratch/trial" true >"$scratch/log" 2>&1; then
	! forbidden "$scratch/log" || refuse_permission
	say "not on this machine: it has no events that name the memory" \
		"touched (Intel PEBS, AMD IBS or Arm SPE)"
	exit 0
fi
made=$scratch/made
mkdir "$made"
for lock in $locks; do
	say "$kernel, lock $lock"
	run_or_exit "lock $lock" "$perf" c2c record \
		-o "$made/$lock.c2c.data" -- \
		"$tkt" run "$kernel" --lock "$lock" "$@" \
		--format csv --out "$scratch/rows.csv"
	"$perf" c2c report -f -i "$made/$lock.c2c.data" --stdio \
		>"$made/$lock.c2c.txt" 2>"$scratch/log" ||
		refuse "lock $lock: $(grep . "$scratch/log" | head -n 1)"
done
place "$made" "$dir"
