#!/bin/sh
# SPDX-License-Identifier: MIT
# test/tool/perf_stub.sh - stands in for perf, for tests of perf-scripts
#
# Runs the commands that it is given, and answers as perf does on a machine
# that STUB describes: a list of words, any of
#
#   denied        nothing may be recorded or counted
#   cycles        there is a counter of processor cycles
#   user          only user space may be recorded
#   c2c           there are events that name the memory touched
#   foreign       perf of another kernel: does not start
#   broken        recordings cannot be read
#
# What it "recorded" is the file STUB_SCRIPT.
set -eu

has()
{
	case " ${STUB-} " in
	*" $1 "*) return 0 ;;
	esac
	return 1
}

fail()
{
	echo "$*" >&2
	exit 255
}

deny()
{
	echo "Error:" >&2
	fail "Access is limited. Consider adjusting" \
		"/proc/sys/kernel/perf_event_paranoid setting"
}

# The value of option $1 in the rest.
option()
{
	wanted=$1
	shift
	while [ $# -gt 1 ] && [ "$1" != -- ]; do
		if [ "$1" = "$wanted" ]; then
			echo "$2"
			return
		fi
		shift
	done
}

# Runs what comes after "--", or `true`, and ends with its status.
run_rest()
{
	while [ $# -gt 0 ]; do
		word=$1
		shift
		[ "$word" != -- ] || exec "$@"
	done
}

[ "${1-}" != --buildid-dir ] || shift 2
[ -z "${STUB_LOG-}" ] || echo "$*" >>"$STUB_LOG"
command=${1-}
[ $# -eq 0 ] || shift
case $command in
--version)
	! has foreign || fail "E: linux-perf-9.9 is not installed."
	echo 'perf version 9.9.stub'
	;;
record)
	! has denied || deny
	wanted=$(option -e "$@")
	case $wanted in
	cycles | cycles:u | cpu-clock | sdt_tkt:*) ;;
	*) fail "event syntax error: '$wanted'" ;;
	esac
	wanted=${wanted%:u}
	if [ "$wanted" = cycles ] && ! has cycles; then
		wanted=cpu-clock
	fi
	! has user || wanted=$wanted:uH
	echo "$wanted" >"$(option -o "$@")"
	run_rest "$@"
	;;
evlist)
	cat "$(option -i "$@" .)"
	;;
script)
	! has broken || fail "incompatible file format"
	cat "${STUB_SCRIPT:?}"
	;;
stat)
	! has denied || deny
	events=$(option -e "$@")
	out=$(option -o "$@")
	: >"$out"
	for e in $(echo "$events" | tr , ' '); do
		case $e in
		cycles | instructions)
			has cycles || {
				echo "<not supported>,,$e,0,100.00,," >>"$out"
				continue
			}
			;;
		cache-* | LLC-*)
			echo "<not supported>,,$e,0,100.00,," >>"$out"
			continue
			;;
		*:*) fail "unknown tracepoint" ;;
		esac
		[ -n "$(option -I "$@")" ] || {
			echo "12,,$e,1,100.00,," >>"$out"
			continue
		}
		{
			echo "     0.250000000,100,,$e,1,100.00,,"
			echo "     0.500000000,<not counted>,,$e,1,100.00,,"
			echo "     2.000000000,300,,$e,1,100.00,,"
		} >>"$out"
	done
	run_rest "$@"
	;;
c2c)
	has c2c || fail "failed: memory events not supported"
	case $1 in
	record)
		echo c2c >"$(option -o "$@" .)"
		run_rest "$@"
		;;
	report) echo "Shared Data Cache Line Table" ;;
	esac
	;;
buildid-cache | probe) ;;
*) fail "perf: '$command' is not a perf-command." ;;
esac
