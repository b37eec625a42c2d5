#!/bin/sh
# SPDX-License-Identifier: MIT
# perf-scripts/compare.sh - two profiles side by side, by what time goes to
#
# usage: compare.sh [--limit PERCENT] A B
#
# Shares of the samples of A and of B, and the change in percentage points: for
# each group (waiting in the window, waiting in the room, hand-over, critical
# section, kernel, the rest), and in it for each symbol.  groups.txt says what
# belongs where.  A and B are files of folded stacks (record.sh) or recordings
# of perf.
#
#   --limit PERCENT  add up the symbols that have less in both: 0 to 100 (1)
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck source=perf-scripts/lib.sh
. "$top/perf-scripts/lib.sh"
# shellcheck source=perf-scripts/perf-lib.sh
. "$top/perf-scripts/perf-lib.sh"

need_scratch
limit=1 a='' b=''
while [ $# -gt 0 ]; do
	case $1 in
	-h | --help)
		usage
		exit
		;;
	--limit)
		value "$1" $#
		percent "limit" "$2"
		limit=$2
		shift
		;;
	-*) refuse "unknown option '$1'; --help lists them" ;;
	*)
		[ -z "$b" ] || refuse "a third profile '$1'; allowed: two"
		if [ -z "$a" ]; then a=$1; else b=$1; fi
		;;
	esac
	shift
done
[ -n "$b" ] || refuse "which two profiles? --help has the usage"
stacks "$a" "$scratch/a"
stacks "$b" "$scratch/b"
awk -v limit="$limit" -v groups="$top/perf-scripts/groups.txt" \
	-v name_a="$(name_of "$a")" -v name_b="$(name_of "$b")" \
	-f "$top/perf-scripts/ranked.awk" -f "$top/perf-scripts/groups.awk" \
	-f "$top/perf-scripts/compare.awk" "$scratch/a" "$scratch/b"
