#!/bin/sh
# SPDX-License-Identifier: MIT
# perf-scripts/report.sh - profiles as text: top symbols, callers, callees
#
# usage: report.sh [--limit PERCENT] PROFILE...
#
# For each profile, first the symbols where its samples are, the greatest share
# first, and below each one who calls it; then the functions by all the samples
# below them, and whom they call.  Shares of callers and callees are shares of
# that symbol's samples; "a < b" means that b calls a, as all or nearly all of
# it does.  PROFILE is a directory that record.sh made (all its locks), a file
# of folded stacks, or a recording of perf.
#
#   --limit PERCENT  leave out what has less of all samples: 0 to 100 (1)
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck source=perf-scripts/lib.sh
. "$top/perf-scripts/lib.sh"
# shellcheck source=perf-scripts/perf-lib.sh
. "$top/perf-scripts/perf-lib.sh"

need_scratch
limit=1
: >"$scratch/files"
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
	*) profiles_of "$1" >>"$scratch/files" ;;
	esac
	shift
done
[ -s "$scratch/files" ] || refuse "which profile? --help has the usage"

# All are read before the first is printed.
n=0
while read -r file; do
	n=$((n + 1))
	stacks "$file" "$scratch/$n.stacks"
done <"$scratch/files"
n=0
while read -r file; do
	n=$((n + 1))
	[ $n -eq 1 ] || echo
	awk -v title="$(title_of "$file")" -v limit="$limit" \
		-f "$top/perf-scripts/ranked.awk" \
		-f "$top/perf-scripts/report.awk" "$scratch/$n.stacks"
done <"$scratch/files"
