#!/bin/sh
# SPDX-License-Identifier: MIT
# perf-scripts/probes.sh - the static probes of a program that uses tkt
#
# usage: probes.sh --list PROGRAM
#        probes.sh [--with perf|bpftrace] PROGRAM [ARGUMENT...]
#
# The first form lists the probes tkt:* that PROGRAM has, and in how many places
# each.  The second runs PROGRAM with them traced and prints, after its own
# output, for each probe how many threads were at the lock (depth) how often;
# how long the waits were, from the first probe of a waiting thread to its
# tkt:acquired; and the locks waited for most.  Its exit status is PROGRAM's.
#
# A program has probes if it was compiled with -DTKT_PROBES=1 (tkt/probes.h);
# build/tkt has them after cmake -DTKT_PROBES=1.  For example:
#
#   probes.sh build/tkt run dentry --lock tkt --threads 8
#
#   --with perf|bpftrace  what traces (bpftrace, which counts in the kernel,
#                         where it is installed; else perf)
#   --in FILE             the probes are in this file, a library of PROGRAM's
#
# Tracing takes root.  A probe that is traced costs a microsecond or so, each
# time: what waits for 100 ns otherwise waits longer then.
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck source=perf-scripts/lib.sh
. "$top/perf-scripts/lib.sh"
# shellcheck source=perf-scripts/perf-lib.sh
. "$top/perf-scripts/perf-lib.sh"

list=no with='' file=''
while [ $# -gt 0 ]; do
	case $1 in
	-h | --help)
		usage
		exit
		;;
	--list) list=yes ;;
	--with | --in)
		value "$1" $#
		case $1 in
		--with) with=$2 ;;
		--in) file=$2 ;;
		esac
		shift
		;;
	-*) refuse "unknown option '$1'; --help lists them" ;;
	*) break ;;
	esac
	shift
done
[ $# -gt 0 ] || refuse "which program? --help has the usage"
case $with in
'' | perf | bpftrace) ;;
*) refuse "with: '$with'; allowed: perf, bpftrace" ;;
esac
program=$(command -v -- "$1") || refuse "no program '$1'"
file=$(realpath -- "${file:-$program}" 2>/dev/null) ||
	refuse "no file '$file'"
command -v readelf >/dev/null ||
	refuse "no readelf here: install it (Debian: binutils)"
need_scratch

# Name and number of places, a line each.
LC_ALL=C readelf -n "$file" 2>/dev/null | awk '
	$1 == "Provider:" { ours = $2 == "tkt" }
	$1 == "Name:" && ours { places[$2]++ }
	END { for (name in places) print name, places[name] }' |
	LC_ALL=C sort >"$scratch/probes"
[ -s "$scratch/probes" ] ||
	refuse "no probes tkt:* in '$file': compile it with -DTKT_PROBES=1"
if [ $list = yes ]; then
	[ $# -eq 1 ] || refuse "--list takes no arguments of the program"
	awk '{ printf "tkt:%-16s %d place%s\n", $1, $2, ($2 > 1 ? "s" : "") }' \
		"$scratch/probes"
	exit
fi
[ "$(id -u)" -eq 0 ] || refuse "tracing takes root: be root (or use sudo)"
if [ -z "$with" ]; then
	with=perf
	! command -v bpftrace >/dev/null || with=bpftrace
fi

tracer='' added=''
# Called by the library, at the end.
# shellcheck disable=SC2317
at_end()
{
	[ -z "$tracer" ] || kill "$tracer" 2>/dev/null || true
	[ -z "$added" ] || "$perf" probe -q -d 'sdt_tkt:*' >/dev/null 2>&1 ||
		true
}

# What the two print: `n PROBE DEPTH COUNT`, `w NS COUNT`, `l LOCK COUNT NS`.

trace_perf()
{
	need_perf
	# Kept apart from the user's own cache of such files.
	set -- "$perf" --buildid-dir "$scratch/debug" -- "$@"
	"$1" "$2" "$3" buildid-cache --add "$file" >"$scratch/log" 2>&1 ||
		refuse "perf: $(grep . "$scratch/log" | head -n 1)"
	"$1" probe -q -d 'sdt_tkt:*' >/dev/null 2>&1 || true
	added=yes
	while read -r name places; do
		"$1" "$2" "$3" probe -q -x "$file" "sdt_tkt:$name" \
			>"$scratch/log" 2>&1 ||
			refuse "perf cannot probe tkt:$name ($places places):" \
				"$(grep . "$scratch/log" | head -n 1)"
	done <"$scratch/probes"
	shift 4
	status=0
	"$perf" record -q -N -o "$scratch/data" -e 'sdt_tkt:*' -- "$@" ||
		status=$?
	"$perf" script -f --ns -i "$scratch/data" -F tid,time,event,trace \
		>"$scratch/script" 2>"$scratch/log" ||
		refuse "perf: $(grep . "$scratch/log" | head -n 1)"
	awk -f "$top/perf-scripts/probes_perf.awk" "$scratch/script" \
		>"$scratch/counts"
}

# Into $scratch/bt: count by probe and depth; for each wait, add it up.
bpftrace_program()
{
	# Its name is free of what would end it in the program.
	ln -s -- "$file" "$scratch/traced"
	# What starts with $ or @ is bpftrace's.
	# shellcheck disable=SC2016
	while read -r name places; do
		printf 'usdt:%s:tkt:%s {\n\t@n_%s[arg1] = count();\n' \
			"$scratch/traced" "$name" "$name"
		case $name in
		acquired)
			printf '\tif (@start[tid]) {\n'
			printf '\t\t$w = nsecs - @start[tid];\n'
			printf '\t\t@w = hist($w);\n\t\t@l[arg0] = count();\n'
			printf '\t\t@s[arg0] = sum($w);\n'
			printf '\t\tdelete(@start[tid]);\n\t}\n'
			;;
		# Not of a thread that waits.
		wake | restricted) ;;
		*) printf '\tif (!@start[tid]) { @start[tid] = nsecs; }\n' ;;
		esac
		printf '}\n'
	done <"$scratch/probes" >"$scratch/bt"
	printf 'BEGIN { printf("ready\\n"); }\nEND { clear(@start); }\n' \
		>>"$scratch/bt"
}

trace_bpftrace()
{
	command -v bpftrace >/dev/null ||
		refuse "no bpftrace here: install it (Debian: bpftrace)"
	bpftrace_program
	: >"$scratch/json"
	# By file, not by process: the program may fork.
	bpftrace -f json "$scratch/bt" >"$scratch/json" 2>"$scratch/log" &
	tracer=$!
	# What BEGIN prints comes out once all probes are attached.
	tries=0
	until grep -q ready "$scratch/json"; do
		tries=$((tries + 1))
		if ! kill -0 "$tracer" 2>/dev/null || [ "$tries" -gt 300 ]; then
			refuse "bpftrace does not start:" \
				"$(grep ERROR "$scratch/log" |
					grep -v RLIMIT | head -n 1)"
		fi
		sleep 0.1
	done
	status=0
	"$@" || status=$?
	kill -INT "$tracer"
	wait "$tracer" || true
	tracer=''
	awk -f "$top/perf-scripts/probes_bpftrace.awk" "$scratch/json" \
		>"$scratch/counts"
}

case $with in
perf) trace_perf "$@" ;;
bpftrace) trace_bpftrace "$@" ;;
esac
awk -f "$top/perf-scripts/probes.awk" "$scratch/counts"
exit "$status"
