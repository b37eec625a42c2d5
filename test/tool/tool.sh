# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# test/tool/tool.sh - what the scripts that run the program share; sourced
#
# $1 of the script is the program.  Sets tkt, and tmp, a directory that goes at
# the end; the last run's output is in $tmp/stdout and $tmp/stderr.

tkt=$(realpath "$1") || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
failures=0
mkdir "$tmp/dir"

complain()
{
	echo "FAILED: $*"
	sed 's/^/  stdout: /' "$tmp/stdout" | head -n 5
	sed 's/^/  stderr: /' "$tmp/stderr" | head -n 5
	failures=$((failures + 1))
}

# status_is STATUS SECONDS ARGUMENT...: runs the program; its exit status, got.
status_is()
{
	want=$1 seconds=$2
	shift 2
	timeout "$seconds" "$tkt" "$@" >"$tmp/stdout" 2>"$tmp/stderr" \
		</dev/null
	got=$?
	[ "$got" -eq "$want" ] || complain "tkt $*: status $got, not $want"
}

# says PATTERN FILE...: the pattern is there.
says()
{
	pattern=$1
	shift
	grep -q -e "$pattern" "$@" || complain "no '$pattern' in $*"
}

# The script's last line.
finish()
{
	[ "$failures" -eq 0 ] || {
		echo "$failures failed"
		exit 1
	}
	echo passed
}
