#!/bin/sh
# SPDX-License-Identifier: MIT
# perf-scripts/flamegraph.sh - a profile as a picture; or how it changed
#
# usage: flamegraph.sh PROFILE [--against BASE] [--title TEXT] --out FILE.svg
#
# Draws who called whom, each box as wide as its share of the samples, coloured
# by what it is (waiting in the window, in the room, hand-over, critical
# section, kernel, the rest: groups.txt).  The picture needs no other file and
# no script; browsers show a box's whole name and numbers under the pointer.
# PROFILE and BASE are files of folded stacks (record.sh) or recordings of perf.
#
#   --against BASE  colour by the change since that profile: blue for less,
#                   orange for more; what only BASE has is not in the picture
#   --title TEXT    instead of the names of the profiles
#   --out FILE      where to put it
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck source=perf-scripts/lib.sh
. "$top/perf-scripts/lib.sh"
# shellcheck source=perf-scripts/perf-lib.sh
. "$top/perf-scripts/perf-lib.sh"

need_scratch
profile='' base='' title='' out=''
while [ $# -gt 0 ]; do
	case $1 in
	-h | --help)
		usage
		exit
		;;
	--against | --title | --out)
		value "$1" $#
		case $1 in
		--against) base=$2 ;;
		--title) title=$2 ;;
		--out) out=$2 ;;
		esac
		shift
		;;
	-*) refuse "unknown option '$1'; --help lists them" ;;
	*)
		[ -z "$profile" ] ||
			refuse "a second profile '$1'; allowed: one, and --against"
		profile=$1
		;;
	esac
	shift
done
[ -n "$profile" ] || refuse "which profile? --help has the usage"
[ -n "$out" ] || refuse "where to? --out FILE.svg"
stacks "$profile" "$scratch/profile"
if [ -n "$base" ]; then
	stacks "$base" "$scratch/base"
else
	: >"$scratch/base"
fi
if [ -z "$title" ]; then
	title=$(title_of "$profile")
	[ -z "$base" ] || title="$title against $(name_of "$base")"
fi

# Both in one, by stack; character 1 between frames sorts before all others, so
# that what begins alike stands together.
awk -v file_of_base="$scratch/base" '
	{
		samples = $NF
		sub(/ [0-9]+$/, "")
		gsub(/;/, "\001")
		gsub(/\t/, " ")
		stacks[$0] = 1
		if (FILENAME == file_of_base)
			before[$0] += samples
		else
			now[$0] += samples
	}
	END {
		for (s in stacks)
			print s "\t" now[s] + 0 "\t" before[s] + 0
	}' "$scratch/profile" "$scratch/base" |
	LC_ALL=C sort >"$scratch/both"
# awk would read escapes in a value given by -v.
TITLE=$title BASE=${base:+$(name_of "$base")} awk \
	-v groups="$top/perf-scripts/groups.txt" \
	-f "$top/perf-scripts/groups.awk" \
	-f "$top/perf-scripts/flame.awk" "$scratch/both" >"$scratch/svg"
cat "$scratch/svg" 2>/dev/null >"$out" || refuse "cannot write '$out'"
